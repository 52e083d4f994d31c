"""Transition from road to soil and back, convergence with the step size, mirror symmetry, and extreme input."""

import math

import numpy as np
import pytest
import tire_rig

from simulator.base.jit import kernel
from vehicles.tires import tire

MADE_OF = (tire,)
"""Modules imported by `advance` of the rig. The kernel cache follows only imports of modules: without these it would reuse outdated
kernels."""

LOAD = 6400.0


@kernel
def cross(r, h, quarter, log):
    """Move a quarter car over the ground at the speed and spin of the wheel: log (n, 4) of F_C and rut; quarter (4,) is height and rate of
    the sprung mass, its mass, mass of the wheel; suspension of 60 kN/m and 4 kN s/m."""
    k, o = r.wheel[0], r.out[0]
    spring = quarter[2] * 9.81
    for j in range(log.shape[0]):
        tire_rig.advance(r, h)
        for axis in range(3):
            log[j, axis] = o["F_C"][axis]
        log[j, 3] = o["sinkage"]
        force = spring + 6e4 * (k["p_WK"][2] - quarter[0]) + 4e3 * (k["v_WK_W"][2] - quarter[1])
        k["v_WK_W"][2] += h * ((o["F_W"][2] - force) / quarter[3] - 9.81)
        quarter[1] += h * (force / quarter[2] - 9.81)
        k["p_WK"][2] += h * k["v_WK_W"][2]
        quarter[0] += h * quarter[1]
        k["p_WK"][0] += h * k["v_WK_W"][0]
        k["p_WK"][1] += h * k["v_WK_W"][1]


def strip(soil, start, stop):
    """Return a ground tuple over 0..60 m: hardness changes from `start` to `stop` within 2 m around x = 20 m."""
    x = np.arange(0.0, 60.5, 0.5)
    t = np.clip((x - 19.0) / 2.0, 0.0, 1.0)
    return tire_rig.plane(soil, hardness=start + (stop - start) * t * t * (3.0 - 2.0 * t))


SOILS = {
    "loam": {},
    "dry sand": {
        "k_c": 990.0,
        "k_phi": 1528430.0,
        "n": 1.1,
        "cohesion": 1040.0,
        "friction_angle": math.radians(28.0),
        "c1": 0.18,
        "c2": 0.32,
    },
    "clay": {"k_c": 13190.0, "k_phi": 692150.0, "n": 0.5, "cohesion": 4140.0, "friction_angle": math.radians(13.0), "shear_modulus": 0.01},
}


@pytest.mark.parametrize("soil", SOILS)
@pytest.mark.parametrize(("start", "stop"), [(1.0, 0.0), (0.0, 1.0)])
@pytest.mark.parametrize("speed", [2.0, 10.0, 20.0])
@pytest.mark.parametrize(("slip", "side"), [(0.05, 0.0), (-0.1, 0.05), (0.0, -0.15)])
def test_crossing_from_road_to_soil_is_smooth(soil, start, stop, speed, slip, side):
    """Quarter car at constant speed: no force changes by more than 5 % of the wheel load within a millisecond."""
    ground = strip(tire_rig.soil(**SOILS[soil]), start, stop)
    r = tire_rig.place(tire_rig.rig(ground=ground), LOAD, (speed, side * speed), speed / 0.4647 / (1.0 - slip))
    r.wheel[0]["p_WK"][0] = 10.0
    quarter = np.array([r.wheel[0]["p_WK"][2], 0.0, LOAD / 9.81 - 70.0, 70.0])
    log = np.zeros((int(20.0 / speed / 1e-3), 4))
    cross(tire_rig.on_tire(r), 1e-3, quarter, log)
    settled = int(4.0 / speed / 1e-3) + 100
    change = np.abs(np.diff(log[settled:, :3], axis=0)).max(axis=0) / LOAD
    assert change.max() < 0.05, change
    assert abs(log[-1, 3] - log[settled, 3]) > 0.005, "it did sink in, or come out"


def drive(h, ground, seconds=1.5, name="tmeasy_hmmwv"):
    """Return the forces of a wheel with smoothly varying slip, steering and load; (n, 3) every 10 ms."""
    r = tire_rig.place(tire_rig.rig(name, ground=ground), LOAD, (8.0, 0.0), 8.0 / 0.46)
    base = r.wheel[0]["p_WK"][2]
    log = []
    for k in range(int(seconds / h)):
        t = k * h
        r.wheel[0]["v_WK_W"] = 8.0, 0.6 * math.sin(5.0 * t), -0.03 * math.cos(6.0 * t)
        r.wheel[0]["spin"] = 8.0 / 0.46 * (1.0 + 0.08 * math.sin(4.0 * t))
        r.wheel[0]["p_WK"][2] = base - 0.005 * math.sin(6.0 * t)
        F = tire_rig.step(r, h)["F_C"]
        if k % round(0.01 / h) == 0:
            log.append(F.copy())
    return np.array(log)


@pytest.mark.parametrize("kind", ["road", "loam"])
def test_results_converge_with_the_step(kind):
    ground = tire_rig.plane() if kind == "road" else tire_rig.plane(tire_rig.soil(), hardness=0.0)
    fine = drive(1e-4, ground)
    errors = [np.abs(drive(h, ground) - fine).max() for h in (2e-3, 1e-3, 5e-4)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[1] < 0.02 * LOAD


@pytest.mark.parametrize("hardness", [1.0, 0.4, 0.0])
def test_mirrored_motion_gives_the_mirrored_force(hardness):
    """y -> -y: the axis becomes the mirrored one with opposite sign; forces mirror as vectors, moments as pseudovectors."""
    rng = np.random.default_rng(3)
    vector, pseudo = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    left, right = (tire_rig.place(tire_rig.rig(ground=tire_rig.plane(tire_rig.soil(), hardness=hardness))) for _ in range(2))
    for _ in range(300):
        axis = np.array([rng.normal(0.0, 0.1), 1.0, rng.normal(0.0, 0.05)])
        axis /= np.linalg.norm(axis)
        v, w, spin, z = rng.normal(0.0, 5.0, 3) * (1.0, 1.0, 0.05), rng.normal(0.0, 0.5, 3), rng.normal(0.0, 12.0), rng.uniform(0.40, 0.46)
        for r, flip in ((left, False), (right, True)):
            r.wheel[0]["v_WK_W"] = v * vector if flip else v
            r.wheel[0]["w_WK_W"] = w * pseudo if flip else w
            r.wheel[0]["a_W"] = axis * (-vector) if flip else axis
            r.wheel[0]["spin"], r.wheel[0]["p_WK"][2] = spin, z
        a, b = tire_rig.step(left), tire_rig.step(right)
        assert np.abs(a["F_W"] * vector - b["F_W"]).max() <= 1e-9 * max(1.0, np.abs(a["F_W"]).max())
        assert np.abs(a["M_W"] * pseudo - b["M_W"]).max() <= 1e-9 * max(1.0, np.abs(a["M_W"]).max())


def test_contact_does_not_depend_on_the_heading_of_the_world():
    """The same motion in a world turned by 70 degrees, on a plane whose slope is turned too."""
    yaw = math.radians(70.0)
    R = np.array([[math.cos(yaw), -math.sin(yaw), 0.0], [math.sin(yaw), math.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    slope = np.array([0.2, -0.1])
    plain = tire_rig.rig(ground=tire_rig.plane(slope=slope))
    turned = tire_rig.rig(ground=tire_rig.plane(slope=(R[:2, :2] @ slope)))
    for r, T in ((plain, np.eye(3)), (turned, R)):
        r.wheel[0]["p_WK"] = T @ [0.3, -0.2, 0.52]
        r.wheel[0]["a_W"] = T @ [-0.1, math.sqrt(1.0 - 0.0125), 0.05]
        r.wheel[0]["v_WK_W"] = T @ [6.0, 1.0, -0.1]
        r.wheel[0]["w_WK_W"] = T @ [0.3, -0.2, 0.4]
        r.wheel[0]["spin"] = 14.0
        for _ in range(50):
            tire_rig.step(r)
    assert R @ plain.out[0]["F_W"] == pytest.approx(turned.out[0]["F_W"], rel=1e-9, abs=1e-6)
    assert R @ plain.out[0]["M_W"] == pytest.approx(turned.out[0]["M_W"], rel=1e-9, abs=1e-6)


def test_contact_frame_is_orthonormal_and_the_depth_rate_exact():
    """On a slope, leaning and steered: frame to 1e-15, rate of the depth against a difference over 2 us, with a turning carrier."""
    r = tire_rig.rig("tmeasy_chrono", ground=tire_rig.plane(slope=(0.1, -0.2)))
    axis = np.array([-0.2, 1.0, 0.1]) / math.sqrt(1.05)
    w, v, p = np.array([0.8, 0.3, -0.5]), np.array([5.0, 1.0, 0.2]), np.array([0.0, 0.0, 0.47])
    depths = []
    for t in (-1e-6, 1e-6, 0.0):
        a = axis + t * np.cross(w, axis)
        r.wheel[0]["a_W"], r.wheel[0]["p_WK"] = a / np.linalg.norm(a), p + t * v
        r.wheel[0]["v_WK_W"], r.wheel[0]["w_WK_W"] = v, w
        o = tire_rig.step(r)
        depths.append(o["depth"])
    assert o["depth_rate"] == pytest.approx((depths[1] - depths[0]) / 2e-6, rel=1e-5)
    assert o["turn_rate"] == pytest.approx(w @ o["n_W"], rel=1e-14)
    frame = np.array([o["x_W"], o["y_W"], o["n_W"]])
    assert np.abs(frame @ frame.T - np.eye(3)).max() < 1e-15
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert o["e_W"] @ r.wheel[0]["a_W"] == pytest.approx(0.0, abs=1e-15)
    point = o["p_WC"]
    assert np.linalg.norm(point - p) == pytest.approx(0.4699 - o["tire_deflection"])


@pytest.mark.parametrize("hardness", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("h", [1e-4, 1e-3, 5e-3])
def test_hostile_motion_gives_finite_forces(hardness, h):
    """Airborne, below the ground, upside down, flat on its side, 1000 rad/s, 100 m/s, ground at 80 degrees, one after another."""
    rng = np.random.default_rng(11)
    grounds = [tire_rig.plane(tire_rig.soil(n=n, cohesion=c), slope=slope, hardness=hardness)
               for slope in ((0.0, 0.0), (5.67, 0.0), (-3.0, 4.8)) for n, c in ((0.1, 0.0), (1.6, 7e4))]  # fmt: skip
    r = tire_rig.rig()
    for k in range(1500):
        r.ground = grounds[k % len(grounds)]
        r.wheel[0]["p_WK"] = *rng.normal(0.0, 1.0, 2), rng.choice([-0.5, 0.0, 0.3, 0.46, 0.4699, 3.0])
        axis = rng.choice([-1.0, 0.0, 1.0], 3) + (0.0, 1e-3, 0.0)
        r.wheel[0]["a_W"] = axis / np.linalg.norm(axis)
        r.wheel[0]["v_WK_W"] = rng.choice([-100.0, -1e-9, 0.0, 1e-3, 30.0, 100.0], 3)
        r.wheel[0]["w_WK_W"] = rng.choice([-50.0, 0.0, 50.0], 3)
        r.wheel[0]["spin"] = rng.choice([-1e3, -1e-12, 0.0, 1e-6, 20.0, 1e3])
        o = tire_rig.step(r, h)
        for name in ("F_W", "M_W", "p_WC", "slip_ratio", "sinkage"):
            assert np.isfinite(o[name]).all(), (k, name)
        assert all(np.isfinite(block[0][name]).all() for block in r.s for name in block.dtype.names), k
        assert o["F_C"][2] >= 0.0 and 0.0 <= o["sinkage"] < 3.0
    r.ground = grounds[0]
    tire_rig.place(r, LOAD, (10.0, 0.0), 10.0 / 0.4647)
    o = tire_rig.roll(r, 20.0, h)
    assert abs(o["F_C"][0]) < LOAD and o["F_C"][2] == pytest.approx(LOAD, rel=0.2)
