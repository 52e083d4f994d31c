"""Standstill, stopping and starting: the tire acts as a spring with a damper, without any special case that sets values to zero."""

import math

import numpy as np
import pytest
import tire_rig

from simulator.base.jit import kernel
from terrain.soil import SOIL

G = 9.81
MASS = 640.0


def slope_of(grade):
    """Return gravity along and across a level plane that represents a slope: the rig keeps the wheel upright to the ground."""
    angle = math.atan(grade)
    return np.array([-G * math.sin(angle), 0.0, -G * math.cos(angle)])


def parked(ground, gravity, h, seconds, r=None, locked=True):
    """Let a mass on one tire come to rest; return positions at the start, in the middle and at the end."""
    r = r or tire_rig.place(tire_rig.rig(ground=ground), MASS * -gravity[2])
    places = [r.wheel[0]["p_WK"].copy()]
    for _ in range(2):
        tire_rig.ride(tire_rig.on_tire(r), h, int(0.5 * seconds / h), MASS, gravity, locked)
        places.append(r.wheel[0]["p_WK"].copy())
    return r, places


GROUNDS = {
    "road": tire_rig.plane(),
    "loam": tire_rig.plane(tire_rig.soil(), hardness=0.0),
    "half": tire_rig.plane(tire_rig.soil(), hardness=0.5),
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("h", [2e-4, 1e-3, 5e-3])
def test_parked_on_a_slope_of_30_percent_for_a_minute(ground, h):
    """Springs settle within the first seconds; then the motion is below 0.01 mm in half a minute."""
    r, places = parked(GROUNDS[ground], slope_of(0.3), h, 60.0)
    elastic = MASS * G * 0.2873 / r.p.tmeasy[0]["tread_stiffness"][0]
    assert abs(places[2][0] - places[1][0]) < 1e-5
    assert abs(places[2][0] - places[0][0] + elastic) < 1e-3, "beyond the give of the tread"
    assert np.abs(r.wheel[0]["v_WK_W"]).max() < 1e-6


def test_parked_across_the_slope_and_on_a_real_plane():
    """The ground itself is tilted to the side by 30 %, with the wheel upright in the world: cambered, and still at rest."""
    r = tire_rig.rig(ground=tire_rig.plane(slope=(0.0, 0.3)))
    angle = math.atan(0.3)
    r.wheel[0]["p_WK"] = 0.0, 0.0, (0.4699 - 0.0155) / math.cos(angle)
    r.wheel[0]["a_W"] = 0.0, math.cos(angle), math.sin(angle)
    r.s.tires[0]["e_W"] = 0.0, math.sin(angle), -math.cos(angle)
    r, _ = parked(r.ground, np.array([0.0, 0.0, -G]), 1e-3, 20.0, r)
    r, places = parked(r.ground, np.array([0.0, 0.0, -G]), 1e-3, 60.0, r)
    assert np.linalg.norm(places[2] - places[0]) < 1e-5


def test_peak_friction_holds_what_sliding_friction_would_not():
    """70 %, tilted slowly, is more than the sliding force carries (0.62 of the load) and less than the peak."""
    r = tire_rig.place(tire_rig.rig(), MASS * G)
    for grade in np.linspace(0.0, 0.7, 700):
        tire_rig.ride(tire_rig.on_tire(r), 1e-3, 5, MASS, slope_of(grade), True)
    _, places = parked(r.ground, slope_of(0.7), 1e-3, 60.0, r)
    assert abs(places[2][0] - places[1][0]) < 1e-5
    _, places = parked(GROUNDS["road"], slope_of(1.2), 1e-3, 1.0)
    assert places[2][0] < -1.0, "and 120 % slides"


@kernel
def shake(r, h, steps, gravity, push):
    """Move the mass on a locked tire, with 20 Hz along the slope. `push` is the work space of the acceleration (3,)."""
    for k in range(steps):
        push[0] = gravity[0] + 0.2 * math.sin(2.0 * math.pi * 20.0 * k * h)
        tire_rig.ride(r, h, 1, MASS, push, True)


@pytest.mark.parametrize("ground", GROUNDS)
def test_shaking_does_not_walk(ground):
    """A parked wheel shaken along the slope with 1 mm/s for 10 s ratchets by less than 0.1 mm."""
    gravity = slope_of(0.3)
    r, _ = parked(GROUNDS[ground], gravity, 1e-3, 10.0)
    before = r.wheel[0]["p_WK"][0]
    shake(tire_rig.on_tire(r), 1e-3, 10000, gravity, gravity.copy())
    tire_rig.ride(tire_rig.on_tire(r), 1e-3, 3000, MASS, gravity, True)
    assert abs(r.wheel[0]["p_WK"][0] - before) < 1e-4


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("h", [5e-4, 1e-3, 2e-3])
def test_locked_stop_from_speed_comes_to_rest(ground, h):
    """Locked at 8 m/s: the car stops, rocks on its tread slightly, and comes to rest; the force is steady."""
    gravity = np.array([0.0, 0.0, -G])
    r = tire_rig.place(tire_rig.rig(ground=GROUNDS[ground]), MASS * G, (8.0, 1.0), 0.0)
    tire_rig.ride(tire_rig.on_tire(r), h, int(12.0 / h), MASS, gravity, True)
    assert r.wheel[0]["p_WK"][0] > 1.0
    assert np.abs(r.wheel[0]["v_WK_W"]).max() < 1e-4
    assert abs(r.out[0]["F_C"][0]) < 2.0


@pytest.mark.parametrize("ground", GROUNDS)
def test_free_wheel_rolls_out_and_rests(ground):
    gravity = np.array([0.0, 0.0, -G])
    r = tire_rig.place(tire_rig.rig(ground=GROUNDS[ground]), MASS * G, (1.0, 0.0), 1.0 / 0.465)
    previous = 1.0
    for _ in range(40):
        tire_rig.ride(tire_rig.on_tire(r), 1e-3, 1000, MASS, gravity, False)
        assert r.wheel[0]["v_WK_W"][0] < previous + 1e-3
        previous = r.wheel[0]["v_WK_W"][0]
    assert abs(previous) < 0.02


@pytest.mark.parametrize("name", ["tmeasy_hmmwv", "tmeasy_chrono"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("h", [1e-3, 2e-3])
def test_start_from_rest_under_torque(name, ground, h):
    """800 N m, applied over 0.5 s, for 2 s: no force changes by 2 % of the load in a millisecond, and the final slip is small."""
    r = tire_rig.place(tire_rig.rig(name, ground=GROUNDS[ground]), MASS * G)
    last, k = r.out[0]["F_C"].copy(), r.wheel[0]
    last[2] = MASS * G
    for j in range(int(2.0 / h)):
        F = tire_rig.step(r, h)["F_C"]
        assert np.abs(F - last).max() < 0.02 * MASS * G * h / 1e-3
        last = F.copy()
        k["v_WK_W"] += h * (r.out[0]["F_W"] / MASS - (0.0, 0.0, G))
        k["p_WK"] += h * k["v_WK_W"]
        k["spin"] += h * (r.out[0]["M_W"][1] + 800.0 * min(j * h / 0.5, 1.0)) / 7.0
    assert k["v_WK_W"][0] > 2.0
    assert 0.0 < r.out[0]["slip_ratio"] < 0.15


def test_reversal_passes_zero_smoothly():
    """Speed from +2 to -2 m/s: no force jumps when the speed changes its sign."""
    for ground in GROUNDS.values():
        r = tire_rig.place(tire_rig.rig(ground=ground), 6400.0, (2.0, 0.0), 2.0 / 0.4647)
        tire_rig.roll(r, 8.0)
        last = r.out[0]["F_C"].copy()
        for k in range(4000):
            v = 2.0 - 1e-3 * k
            r.wheel[0]["v_WK_W"][0], r.wheel[0]["spin"] = v, v / 0.4647
            F = tire_rig.step(r)["F_C"]
            assert np.abs(F - last).max() < 0.01 * 6400.0
            last = F.copy()


def test_tread_deflection_decays_smoothly_after_lift_off():
    r = tire_rig.place(tire_rig.rig(), 6400.0, (0.0, 0.0), 0.0)
    r.wheel[0]["v_WK_W"] = 0.4, 0.1, 0.0
    for _ in range(20):
        tire_rig.step(r)
    assert np.hypot(*r.out[0]["F_C"][:2]) > 1000.0
    r.wheel[0]["v_WK_W"] = 0.0, 0.0, 0.5
    last = r.out[0]["F_C"].copy()
    for _ in range(200):
        r.wheel[0]["p_WK"][2] += 0.5e-3
        F = tire_rig.step(r)["F_C"]
        assert np.abs(F - last).max() < 0.35 * 6400.0
        last = F.copy()
    assert F.tolist() == [0.0, 0.0, 0.0]
    assert np.abs(r.s.treads[0]["numbers"]).max() < 1e-6


def test_static_force_is_the_force_at_rest():
    for hardness in (0.0, 0.3, 1.0):
        r = tire_rig.place(tire_rig.rig(ground=tire_rig.plane(tire_rig.soil(), hardness=hardness)), 6400.0)
        for _ in range(300):
            o = tire_rig.step(r)
        assert o["F_C"] == pytest.approx([0.0, 0.0, 6400.0], rel=1e-6, abs=1e-6)
        assert o["sinkage"] == pytest.approx((1.0 - hardness) * r.s.tires[0]["sinkage"], abs=1e-9)
        depth = o["depth"]
        force, slope, _ = tire_rig.static_force(r.p.shared, r.under, depth)
        more = tire_rig.static_force(r.p.shared, r.under, depth + 1e-4)[0]
        assert (more - force) / 1e-4 == pytest.approx(slope, rel=0.02)
    assert r.under.dtype.names == tuple(row[0] for row in SOIL)
