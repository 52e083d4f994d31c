"""TMeasy on hard ground: closed forms, rolling against the steady curves, friction bound, dissipation."""

import math

import numpy as np
import pytest
import tire_rig

from vehicles.tires.radial import effective_radius, radial_force
from vehicles.tires.tmeasy.curves import characteristic, force_at, slip_force, trail
from vehicles.tires.tmeasy.grip import V_BREAK

P = tire_rig.parameters()
DIRECTIONS = [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (-0.6, 0.8), (0.8, -0.6)]


def curve(q=1.0, m=1.0, direction=(1.0, 0.0), p=P):
    return characteristic(p.tmeasy, q, m, direction[0] ** 2)


def force(c, s):
    return slip_force(c, s)[0]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("q", [0.1, 0.75, 1.0, 2.0, 3.5])
@pytest.mark.parametrize("m", [0.5, 1.0, 1.125])
def test_peak_slide_and_slope_are_those_of_the_parameters(q, m, direction):
    c = curve(q, m, direction)
    dF0, Fm, sm, Fs, ss = c[:5]
    assert force(c, sm) == pytest.approx(Fm, rel=1e-12)
    assert force(c, ss) == Fs and force(c, 50.0) == Fs
    assert force(c, 1e-9 * sm) == pytest.approx(dF0 * 1e-9 * sm, rel=1e-6)
    assert max(force(c, s) for s in np.linspace(0.0, 2.0 * ss, 2001)) <= Fm * (1.0 + 1e-12)


def test_pure_directions_take_the_values_of_the_file():
    values = P.tmeasy[0]
    for name, direction in (("x", (1.0, 0.0)), ("y", (0.0, 1.0))):
        for q, column in ((1.0, 0), (2.0, 1)):
            _, Fm, sm, Fs, ss = curve(q, 1.0, direction)[:5]
            assert (Fm, sm, Fs, ss) == pytest.approx(
                [values[f"{key}"][column] for key in (f"f{name}m", f"s{name}m", f"f{name}s", f"s{name}s")]
            )
            assert force_at(values[f"df{name}0"], q) == pytest.approx(values[f"df{name}0"][column])


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("peak", [None, [6100.0, 11700.0]])
def test_force_is_c1_over_slip(direction, peak):
    """Both shapes of the fall: two parabolas, and the cubic of a tire whose peak lies close to sliding."""
    p = P if peak is None else tire_rig.parameters(fym=peak)
    c = curve(0.8, 1.0, direction, p)
    s = np.linspace(1e-6, 1.3 * c[4], 40001)
    F, slope = np.array([slip_force(c, x) for x in s]).T
    assert np.abs(np.diff(F)).max() < 1.01 * np.abs(slope).max() * (s[1] - s[0])
    assert np.abs(np.gradient(F, s)[1:-1] - slope[1:-1]).max() < 2e-3 * c[0]
    assert np.abs(np.diff(slope)).max() < 5e-3 * c[0]


def test_trail_falls_through_zero_and_ends():
    q = 1.0
    assert trail(P.tmeasy, q, 0.0) == pytest.approx(P.tmeasy[0]["nl0"][0])
    assert trail(P.tmeasy, q, -0.1) == trail(P.tmeasy, q, 0.1) > 0.0
    assert trail(P.tmeasy, q, P.tmeasy[0]["sq0"][0]) == pytest.approx(0.0, abs=1e-12)
    assert trail(P.tmeasy, q, 0.5) < 0.0 and trail(P.tmeasy, q, 1.03) == 0.0
    y = np.linspace(0.0, 1.1, 20001)
    n = np.array([trail(P.tmeasy, q, x) for x in y])
    assert np.abs(np.diff(n)).max() < 1e-4


@pytest.mark.parametrize("name", ["tmeasy_hmmwv", "tmeasy_chrono"])
@pytest.mark.parametrize(("v_y", "slip"), [(0.0, 0.03), (0.0, -0.08), (0.6, 0.0), (-0.9, 0.02), (2.0, -0.3), (6.0, 0.5), (0.0, 3.0)])
@pytest.mark.parametrize("speed", [1.0, -4.0, 25.0])
def test_rolling_steadily_gives_the_steady_force(name, v_y, slip, speed):
    r = tire_rig.rig(name)
    R0 = r.p.shared[0]["radius"]
    R_e = effective_radius(R0, 6400.0 / r.p.shared[0]["stiffness"])
    v = speed * (1.0 - slip), speed * v_y / 10.0
    o = tire_rig.roll(tire_rig.place(r, 6400.0, v, speed / R_e), distance=12.0)
    s_x, s_y = math.copysign(slip, slip * speed), -v[1] / abs(speed)
    s = math.hypot(s_x, s_y)
    c = curve(6400.0 / r.p.tmeasy[0]["load"], 1.0, (s_x / s, s_y / s), r.p)
    F = force(c, s)
    behind_peak = 0.25 * (V_BREAK / speed) ** 2 if s > c[2] else 0.0
    assert o["F_C"][2] == pytest.approx(6400.0, rel=1e-9)
    assert o["F_C"][:2] == pytest.approx([F * s_x / s, F * s_y / s], rel=1e-6 + behind_peak, abs=1e-3)


def test_locked_wheel_slides_with_sliding_friction_against_its_velocity():
    for v in ((30.0, 0.0), (3.0, -4.0), (-20.0, 5.0), (0.3, 0.4)):
        r = tire_rig.place(tire_rig.rig(), 6400.0, v, 0.0)
        o = tire_rig.roll(r)
        speed = math.hypot(*v)
        Fs = curve(6400.0 / r.p.tmeasy[0]["load"], 1.0, (v[0] / speed, v[1] / speed))[3]
        assert o["F_C"][:2] == pytest.approx([-Fs * v[0] / speed, -Fs * v[1] / speed], rel=1e-6)


def test_friction_scales_the_peak():
    def best(mu):
        r = tire_rig.place(tire_rig.rig(ground=tire_rig.plane(tire_rig.soil(1.0, friction=mu))))
        forces = []
        for v_y in np.linspace(0.0, 8.0, 60):
            r.wheel[0]["v_WK_W"], r.wheel[0]["spin"] = (10.0, v_y, 0.0), 10.0 / 0.4647
            forces.append(-tire_rig.roll(r, 3.0)["F_C"][1])
        return max(forces)

    assert best(0.4) / best(0.8) == pytest.approx(0.5, rel=2e-3)


@pytest.mark.parametrize("h", [1e-4, 1e-3, 5e-3])
def test_force_never_leaves_the_friction_circle_and_never_feeds_a_sliding_wheel(h):
    """Random motion for each step: length of the force below the larger of the peaks, for any load."""
    rng = np.random.default_rng(7)
    r = tire_rig.place(tire_rig.rig(rolling_resistance=0.0))
    for _ in range(3000):
        r.wheel[0]["v_WK_W"] = rng.normal(0.0, 8.0, 3) * (1.0, 1.0, 0.1)
        r.wheel[0]["spin"] = rng.choice([0.0, 1.0, 30.0]) * rng.normal()
        r.wheel[0]["p_WK"][2] = rng.uniform(0.35, 0.48)
        F = tire_rig.step(r, h)["F_C"]
        q = min(F[2], r.p.shared[0]["load_max"]) / r.p.tmeasy[0]["load"]
        bound = max(force_at(r.p.tmeasy[0]["fxm"], q), force_at(r.p.tmeasy[0]["fym"], q))
        assert math.hypot(F[0], F[1]) <= bound * (1.0 + 1e-9) + 1e-6
        assert F[2] >= 0.0


@pytest.mark.parametrize("seed", range(4))
def test_steady_slip_dissipates(seed):
    """Power that the tire gives the wheel, F . v + M . w, is never positive once the tread has settled."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        v = rng.normal(0.0, 8.0, 2)
        r = tire_rig.place(tire_rig.rig(), rng.uniform(2e3, 1.4e4), v, rng.normal(0.0, 30.0))
        o = tire_rig.roll(r, 8.0)
        spin = r.wheel[0]["spin"]
        assert o["F_W"] @ r.wheel[0]["v_WK_W"] + o["M_W"] @ r.wheel[0]["a_W"] * spin <= 1e-6 * abs(o["F_C"][2] * spin)


def test_shaken_tread_takes_energy_in():
    """Work over closed cycles of the wheel at standstill is what the tire dissipates: never negative."""
    r = tire_rig.place(tire_rig.rig())
    h, work = 1e-4, 0.0
    for amplitude in (1e-4, 1e-3, 1e-2, 5e-2):
        for k in range(4000):
            angle = 2.0 * math.pi * 5.0 * k * h
            r.wheel[0]["v_WK_W"] = amplitude * 31.4 * math.cos(angle), amplitude * 31.4 * math.sin(2.0 * angle), 0.0
            work -= h * tire_rig.step(r, h)["F_W"] @ r.wheel[0]["v_WK_W"]
        assert work > 0.0


def test_radial_force_is_never_negative_and_continuous():
    d = np.linspace(-0.05, 0.45, 50001)
    for rate in (-5.0, 0.0, 5.0):
        F = np.array([radial_force(P.shared, x, rate)[0] for x in d])
        assert F.min() >= 0.0 and F[d <= 0.0].max() == 0.0
        assert np.abs(np.diff(F)).max() < (3e6 + 5.0 * 1.5e6) * (d[1] - d[0])
    assert radial_force(P.shared, 0.255, 0.0)[0] - P.shared[0]["stiffness"] * 0.255 == pytest.approx(
        P.shared[0]["bottoming_stiffness"] * (0.255 - 0.25035)
    )
    assert radial_force(P.shared, P.shared[0]["give"], 0.0)[0] == pytest.approx(P.shared[0]["strength"])
    assert radial_force(P.shared, 0.42, 50.0)[0] == P.shared[0]["strength"], "rim and tire give way"


def test_moments():
    r = tire_rig.place(tire_rig.rig(), 6400.0, (15.0, 0.4), 15.0 / 0.465)
    o = tire_rig.roll(r)
    L = 2.0 * math.sqrt(r.p.shared[0]["radius"] * o["tire_deflection"])
    n = trail(r.p.tmeasy, 6400.0 / r.p.tmeasy[0]["load"], 0.4 / 15.0)
    assert o["M_C"][2] == pytest.approx(-o["F_C"][1] * L * n, rel=1e-3) and o["M_C"][2] > 0.0, "turns the wheel into its path"
    free = tire_rig.roll(tire_rig.place(tire_rig.rig(torque_radius=0.0), 6400.0, (15.0, 0.0), 15.0 / 0.465))
    assert free["M_C"][1] == pytest.approx(-0.015 * 6400.0 * r.p.shared[0]["radius"], rel=1e-3), "rolling resistance"


def test_leaning_wheel_is_held_by_its_tread():
    r = tire_rig.place(tire_rig.rig(), 6400.0)
    lean = 0.1
    r.wheel[0]["a_W"] = 0.0, math.cos(lean), math.sin(lean)
    o = tire_rig.step(r)
    assert o["camber"] == pytest.approx(lean)
    assert o["M_C"][0] == pytest.approx(-(0.3175**2) / 12.0 * 411120.92421 * lean)
    distance = r.wheel[0]["p_WK"][2]
    assert o["depth"] == pytest.approx(0.4699 - distance / math.cos(lean), abs=1e-12)
