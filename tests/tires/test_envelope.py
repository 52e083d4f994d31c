"""Does a tire roll over sharp ground as its disc shape requires, smoothly and without energy gain, and does a plane give the one-point
contact?"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from simulator.base.records import record
from simulator.builder.builder import vehicle_description
from terrain.composite_height import composed_height, composed_height_and_normal
from terrain.load_terrain import load_terrain
from tests.tires import tire_rig
from vehicles.tires.contact import touch
from vehicles.tires.enveloping_contact import envelop
from vehicles.tires.radial import radial_force
from vehicles.tires.terrain_cache import FINE, NODES, PARTS, TERRAIN_CACHE, key_of
from vehicles.tires.tire_file import tire, tire_set

R = 0.4699
STATIC = 8000.0
"""N. Approximate wheel load of the HMMWV."""
CURB = {"type": "curb", "points": [[0.0, 20.0], [0.0, -20.0]], "height": 0.1, "width": 30.0, "fall": 5.0}
BUMP = {"type": "bump", "at": [0.15, 0.0], "height": 0.1, "length": 0.3, "width": 6.0}
STEP = {"type": "step", "at": [5.0, 0.0], "height": 0.2, "length": 6.0, "depth": 10.0}


@cache
def _loaded(features, more):
    soils = {"asphalt": {"type": "surface", "friction": 0.8}}
    parts = [{key: (list(map(list, value)) if key == "points" else value) for key, value in feature} for feature in features]
    return load_terrain({"type": "flat", "surface": "asphalt", "features": parts, **dict(more)}, "t.yaml", Path(), soils).arrays


def ground(*features, **more):
    """Return flat asphalt with these features, built once for all tests."""
    frozen = [
        tuple((key, tuple(map(tuple, v)) if key == "points" else tuple(v) if isinstance(v, list) else v) for key, v in f.items())
        for f in features
    ]
    return _loaded(tuple(frozen), tuple(more.items()))


def curb(height, angle=0.0, through=(0.0, 0.0)):
    """Return a curb that rises in the direction of an angle [rad], with its face through a point."""
    c, s, (x, y) = math.cos(angle), math.sin(angle), through
    return {**CURB, "points": [[x - 20.0 * s, y + 20.0 * c], [x + 20.0 * s, y - 20.0 * c]], "height": height}


@kernel
def along(p, s, on, under, wheel, out, places, forces):
    """Compute the static forces (n, 3) in W of a wheel at places (n, 3)."""
    for k in range(len(places)):
        for j in range(3):
            wheel[0]["p_WK"][j] = places[k, j]
        envelop(p, s.tires, 0, on, under, s.windows, wheel, out)
        force = radial_force(p, out[0]["depth"], 0.0, 0.0)[0]
        for j in range(3):
            forces[k, j] = force * out[0]["n_W"][j]


@kernel
def carried(p, s, on, under, wheel, out, x, load, z):
    """Compute the heights z (n,) [m] of a wheel center at x (n,) at which the tire carries a load upwards [N]."""
    for k in range(len(x)):
        low, high = 0.0, 1.0
        wheel[0]["p_WK"][0] = x[k]
        for _ in range(40):
            wheel[0]["p_WK"][2] = 0.5 * (low + high)
            envelop(p, s.tires, 0, on, under, s.windows, wheel, out)
            if radial_force(p, out[0]["depth"], 0.0, 0.0)[0] * out[0]["n_W"][2] > load:
                low = wheel[0]["p_WK"][2]
            else:
                high = wheel[0]["p_WK"][2]
        z[k] = 0.5 * (low + high)


def axle(yaw, camber=0.0):
    return -math.sin(yaw) * math.cos(camber), math.cos(yaw) * math.cos(camber), math.sin(camber)


def forces_at(r, places, yaw=0.0, camber=0.0):
    out = np.empty_like(places)
    r.wheel[0]["a_W"] = axle(yaw, camber)
    along(r.p.shared, r.s, r.ground, r.under, r.wheel, r.out, places, out)
    return out


@pytest.mark.parametrize("name", ["tmeasy_hmmwv", "fiala_hmmwv"])
def test_a_plane_gives_the_one_point_contact(name):
    """Any slope, heading, camber and depth, also above the ground."""
    rng = np.random.default_rng(1)
    for k in range(150):
        slope = rng.uniform(-0.3, 0.3, 2) if k % 3 else np.zeros(2)
        r = tire_rig.rig(name, tire_rig.plane(slope=slope))
        a, n = np.array(axle(rng.uniform(-7, 7), rng.uniform(-0.2, 0.2))), np.array([*-slope, 1.0])
        n /= np.linalg.norm(n)
        x = rng.uniform(-3, 3, 2)
        wheel = r.wheel[0]
        wheel["a_W"] = a
        wheel["p_WK"] = np.array([*x, slope @ x]) + n * (R - rng.uniform(-0.05, 0.15)) * math.sqrt(1.0 - (n @ a) ** 2)
        wheel["v_WK_W"], wheel["w_WK_W"] = rng.normal(size=3), rng.normal(size=3)
        for _ in range(2):
            touch(r.p.shared, r.s.tires, 0, r.ground, r.under, r.wheel, r.out)
            r.s.tires[0]["e_W"] = r.out[0]["e_W"]
        point = r.out.copy()
        envelop(r.p.shared, r.s.tires, 0, r.ground, r.under, r.s.windows, r.wheel, r.out)
        for field in (
            "depth",
            "depth_rate",
            "edge",
            "camber",
            "v_x",
            "v_y",
            "n_W",
            "e_W",
            "x_W",
            "y_W",
            "p_WC",
            "dent",
            "turn_rate",
            "hardness",
        ):
            np.testing.assert_allclose(r.out[0][field], point[0][field], atol=2e-14, err_msg=f"{k} {field}")


def dilation(on, x):
    """Return the center height of a disc of radius R at rest on the composed ground, by a search every half millimeter."""
    places = np.arange(x[0] - R, x[-1] + R, 5e-4)
    heights = np.array([composed_height(on, at, 0.0) for at in places])
    near = [np.abs(places - at) < R for at in x]
    return np.array([(heights[n] + np.sqrt(R * R - (places[n] - at) ** 2)).max() for n, at in zip(near, x, strict=True)])


@pytest.mark.parametrize("shape", [CURB, BUMP, STEP], ids=["curb", "bump", "step"])
def test_the_hub_of_a_tire_with_little_load_follows_the_dilation(shape):
    """100 N, an eightieth of the static load, gives a deflection of 0.2 mm on a plane."""
    r = tire_rig.rig("tmeasy_hmmwv", ground(shape))
    r.wheel[0]["p_WK"][1] = 0.0137  # between the rows of the terrain cache
    x, z = np.linspace(-0.6, 0.9, 150), np.empty(150)
    carried(r.p.shared, r.s, r.ground, r.under, r.wheel, r.out, x, 100.0, z)
    off = z - dilation(r.ground, x)
    assert off.min() > -0.005 and off.max() < 0.005


def measured(on, K, radius):
    """Return (equivalent depth [m] of a disc around K over the composed ground, its gradient (along x, down)), by the midpoint rule along
    the ground."""
    edge = np.linspace(K[0] - radius, K[0] + radius, 2001)
    height = np.array([composed_height(on, x, 0.0137) for x in edge])
    x, z = 0.5 * (edge[1:] + edge[:-1]) - K[0], K[1] - 0.5 * (height[1:] + height[:-1])
    q, ds = np.maximum(radius**2 - x**2 - z**2, 0.0), np.hypot(np.diff(edge), np.diff(height))
    measure = max((q**3 * ds).sum(), 1e-30)
    Q = (measure * 35.0 / 32.0) ** (2.0 / 7.0)
    h = math.sqrt(radius**2 - Q)
    return radius - h, np.array([(q**2 * x * ds).sum(), (q**2 * z * ds).sum()]) * 6.0 / (6.4 * h * Q**2.5)


@pytest.mark.parametrize("inches", [4, 12])
def test_half_rounds_push_tire_and_rim_as_their_measure_says(inches):
    """Before, over and behind a half-round, by an independent quadrature; from 0.25 m of depth on the rim pushes too, with five times the
    stiffness."""
    half_round = {"type": "half_round", "at": [0.0, 0.0], "radius": 0.0254 * inches, "length": 6.0}
    r = tire_rig.rig("tmeasy_hmmwv", ground(half_round), strength=1e7, contact_grid_spacing=0.025)
    p, places = r.p.shared[0], [(x, 0.0137, R + 0.0254 * inches - depth) for depth in (0.05, 0.15, 0.3) for x in (-0.2, 0.0, 0.1)]
    force = forces_at(r, np.array(places))
    rims = 0
    for (x, _, z), found in zip(places, force, strict=True):
        depth, by = measured(r.ground, (x, z), R)
        expected = p["stiffness"] * depth * by
        rim, by = measured(r.ground, (x, z), float(p["bottoming_radius"])) if z - 0.0254 * inches < 0.3 else (0.0, 0.0)
        if rim > 0.0:
            expected, rims = expected + p["bottoming_stiffness"] * rim * by, rims + 1
        expected *= (-1.0, 1.0)
        np.testing.assert_allclose(found[[0, 2]], expected, atol=0.01 * np.linalg.norm(expected) + 0.01 * STATIC)
    assert rims > 1


def random_places(number):
    """Return a curb and a wheel of random heading that rolls over it, along it or against it: rig, yaw, camber, direction, height."""
    rng = np.random.default_rng(number)
    height = rng.uniform(0.03, 0.15)
    r = tire_rig.rig(
        ("tmeasy_hmmwv", "fiala_hmmwv")[number % 2], ground(curb(height, rng.uniform(0, 7), rng.uniform(-0.1, 0.1, 2).tolist()))
    )
    yaw = rng.uniform(-math.pi, math.pi) if number % 4 else 0.0
    return r, yaw, rng.uniform(-0.05, 0.05), rng.uniform(0, 7), R - 0.03 + rng.uniform(0.2, 0.8) * height


@pytest.mark.parametrize("number", range(20))
def test_the_force_goes_smoothly_over_a_curb(number):
    """In steps of 0.1 mm no component changes by more than the force of a stiff spring, and in steps of a millionth by almost nothing."""
    r, yaw, camber, to, z = random_places(number)
    s = np.arange(-0.6, 0.6, 1e-4)
    places = np.stack([s * math.cos(to), s * math.sin(to), np.full(len(s), z)], axis=1)
    force = forces_at(r, places, yaw, camber)
    change = np.abs(np.diff(force, axis=0)).max(axis=1)
    assert change.max() < 0.1 * STATIC
    worst = int(change.argmax())
    finer = places[worst] + np.linspace(0.0, 1.0, 101)[:, None] * (places[worst + 1] - places[worst])
    assert np.abs(np.diff(forces_at(r, finer, yaw, camber), axis=0)).max() < 0.01 * STATIC


@pytest.mark.parametrize("number", range(1, 7))
def test_a_closed_path_of_an_upright_wheel_gives_no_energy(number):
    """Closed loops in all three directions next to and over a curb; forward, sideways and down are components of one gradient."""
    r, yaw, _, _, z = random_places(number)
    phase = np.linspace(0.0, 2.0 * math.pi, 20001)
    places = np.stack([0.15 * np.cos(phase + 1.0), 0.1 * np.sin(2.0 * phase), z + 0.03 * np.cos(phase)], axis=1)
    force = forces_at(r, places, yaw)
    work = (0.5 * (force[1:] + force[:-1]) * np.diff(places, axis=0)).sum(axis=1)
    assert np.abs(work).sum() > 100.0  # J
    assert abs(work.sum()) < 1e-6 * np.abs(work).sum()


def test_a_closed_path_with_rim_contact_gives_no_energy():
    """Onto a step of 0.3 m and down to the rim, where the tire alone would carry a third of the load."""
    r = tire_rig.rig("tmeasy_hmmwv", ground({**STEP, "height": 0.3}), strength=1e7)
    phase = np.linspace(0.0, 2.0 * math.pi, 20001)
    places = np.stack([0.1 * np.cos(phase) + 0.05, np.full(len(phase), 0.0137), R + 0.03 + 0.03 * np.sin(phase)], axis=1)
    force = forces_at(r, places)
    work = (0.5 * (force[1:] + force[:-1]) * np.diff(places, axis=0)).sum(axis=1)
    assert np.linalg.norm(force, axis=1).max() > 1.5 * r.p.shared[0]["stiffness"] * 0.3
    assert abs(work.sum()) < 1e-6 * np.abs(work).sum()


@cache
def rough():
    """Return class D roughness down to a decimeter on gravel, with a ditch 10 m away."""
    soils = {"gravel": {"type": "surface", "friction": 0.6}}
    ditch = {"type": "ditch", "points": [[-20.0, 10.0], [20.0, 10.0]], "depth": 0.5, "width": 2.0}
    text = {"type": "flat", "surface": "gravel", "roughness": {"class": "D", "seed": 3}, "features": [ditch]}
    return load_terrain(text, "t.yaml", Path(), soils).arrays


@pytest.mark.parametrize("number", range(4))
def test_a_closed_path_on_rough_ground_gives_no_energy(number):
    """Closed loops in all three directions; off the diagonal, along it and close to it, where both families of grid lines are used."""
    r, phase = tire_rig.rig("tmeasy_hmmwv", rough()), np.linspace(0.0, 2.0 * math.pi, 40001)
    z = float(composed_height(r.ground, 1.0, 0.0))
    places = np.stack([1.0 + 0.15 * np.cos(phase + number), 0.1 * np.sin(2.0 * phase), z + R - 0.03 + 0.02 * np.cos(phase)], axis=1)
    force = forces_at(r, places, (0.3, 0.25 * math.pi, 0.25 * math.pi + 0.03, -2.0)[number])
    work = (0.5 * (force[1:] + force[:-1]) * np.diff(places, axis=0)).sum(axis=1)
    assert np.abs(work).sum() > 100.0 and np.ptp(force[:, 0]) > 0.05 * STATIC
    assert abs(work.sum()) < 1e-6 * np.abs(work).sum()


def test_forces_of_a_wheel_turned_on_rough_ground_have_no_jump():
    """One full turn: forces change little per degree, and at the largest change almost nothing for a millionth of a turn."""
    r = tire_rig.rig("tmeasy_hmmwv", rough())
    place = np.array([[1.0, 0.5, float(composed_height(r.ground, 1.0, 0.5)) + R - 0.02]])
    force = np.concatenate([forces_at(r, place, yaw) for yaw in np.radians(np.arange(361.0))])
    change = np.abs(np.diff(force, axis=0)).max(axis=1)
    assert 0.0 < change.max() < 0.05 * STATIC
    finer = np.radians(float(change.argmax())) + 2e-6 * math.pi * np.arange(200)
    assert np.abs(np.diff(np.concatenate([forces_at(r, place, yaw) for yaw in finer]), axis=0)).max() < 1e-4 * STATIC


def test_the_terrain_cache_does_not_depend_on_the_earlier_path():
    """After a path of two hundred wheel lengths: every node as computed directly, and bits equal to those of a new cache."""
    on = ground(curb(0.12, 0.4), BUMP)
    r, rng, n = tire_rig.rig("tmeasy_hmmwv", on), np.random.default_rng(5), np.empty(3)
    spacing, w = float(r.p.shared[0]["contact_grid_spacing"]), r.s.windows[0]
    for _ in range(20):
        yaw, start = rng.uniform(-7, 7), rng.uniform(-1.5, 1.5, 2)
        s = np.arange(0.0, 2.0, 0.02)
        places = np.stack([start[0] + s * math.cos(yaw), start[1] + s * math.sin(yaw), np.full(len(s), R + 0.02)], axis=1)
        before = forces_at(r, places, yaw)
        r.s.windows[:] = np.zeros(1, r.s.windows.dtype) if rng.random() < 0.3 else r.s.windows
        assert forces_at(r, places[::-1].copy(), yaw)[::-1].tobytes() == before.tobytes()
    for keys, nodes, count, step in ((w["key"], w["node"], NODES, spacing), (w["fine_key"], w["fine"], FINE, spacing / PARTS)):
        filled = np.argwhere(keys != 0)
        assert len(filled) > 30
        for a, b in filled:
            place = int(keys[a, b]) - key_of(0, 0)
            j = (place + (1 << 30)) % (1 << 31) - (1 << 30)
            i = (place - j) >> 31
            assert (i % count, j % count) == (a, b)
            assert nodes[a, b, 0] == pytest.approx(composed_height_and_normal(on, i * step, j * step, n), abs=1e-12)
            np.testing.assert_allclose(nodes[a, b, 1:], -n[:2] / n[2], atol=1e-9)
    for a, b in np.argwhere(w["key"] != 0):
        z, *slopes = w["sharp"][a, b]
        assert w["uneven"][a, b] == (2 if any(slopes) else int(z != 0.0))


def test_another_ground_clears_the_terrain_cache():
    r = tire_rig.rig("tmeasy_hmmwv", ground(curb(0.1)))
    place = np.array([[-0.1, 0.0, R - 0.02]])
    first = forces_at(r, place)
    r.ground = ground(curb(0.12))
    second = forces_at(r, place)
    fresh = tire_rig.rig("tmeasy_hmmwv", ground(curb(0.12)))
    assert second.tobytes() == forces_at(fresh, place).tobytes() != first.tobytes()


def test_mirrored_ground_and_wheel_give_mirrored_forces():
    rng = np.random.default_rng(11)
    for _ in range(10):
        angle, through, yaw, camber = rng.uniform(0, 7), rng.uniform(-0.2, 0.2, 2), rng.uniform(-7, 7), rng.uniform(-0.1, 0.1)
        line = np.array(curb(0.1, angle, through)["points"])
        one = tire_rig.rig("tmeasy_hmmwv", ground(curb(0.1, angle, through.tolist())))
        other = tire_rig.rig("tmeasy_hmmwv", ground({**curb(0.1), "points": (line[::-1] * (1.0, -1.0)).tolist()}))
        places = np.stack([rng.uniform(-0.5, 0.5, 40), rng.uniform(-0.5, 0.5, 40), np.full(40, R + 0.03)], axis=1)
        left, right = forces_at(one, places, yaw, camber), forces_at(other, places * (1.0, -1.0, 1.0), -yaw, -camber)
        np.testing.assert_allclose(left, right * (1.0, -1.0, 1.0), atol=1e-3 * STATIC / 8.0)


def test_a_tire_that_scrapes_along_a_curb_is_held():
    """Pushed sideways by half its load, the tire stays next to the curb, whose top its side wall touches; its middle never reaches the
    curb."""
    r = tire_rig.rig("tmeasy_hmmwv", ground(curb(0.15, 0.5 * math.pi)))  # rises to the left of x
    y = np.linspace(-0.3, 0.0, 301)
    places = np.stack([np.full(301, 0.011), y, np.full(301, R - 0.035)], axis=1)
    force = forces_at(r, places)
    assert np.abs(force[0] - forces_at(r, places[:1] - (0.0, 1.0, 0.0))[0]).max() < 1e-6  # away from the curb: as on a plane
    pushed = force[:, 1].min()
    assert pushed < -0.5 * STATIC and y[force[:, 1].argmin()] < -0.1
    energy = -np.cumsum(0.5 * (force[1:, 1] + force[:-1, 1]) * np.diff(y))
    assert energy.max() > 500.0  # J, of a car of 2.5 t at 0.6 m/s


@pytest.mark.parametrize("shape", [CURB, BUMP, STEP], ids=["curb", "bump", "step"])
def test_half_the_node_spacing_gives_the_same_forces(shape):
    """Work of the tire on the path over the shape at a fixed wheel height, and its maximum forces."""
    s = np.arange(-0.6, 0.9, 1e-3)
    places = np.stack([s, np.full(len(s), 0.0137), np.full(len(s), R + 0.5 * shape["height"])], axis=1)
    peaks = []
    for spacing in (0.05, 0.025):
        force = forces_at(tire_rig.rig("tmeasy_hmmwv", ground(shape), contact_grid_spacing=spacing), places)
        peaks.append([np.abs(force[:, 0]).max(), force[:, 2].max(), force[:, 2].mean()])
    np.testing.assert_allclose(peaks[0], peaks[1], rtol=0.03)


def test_a_terrain_cache_takes_little_memory():
    assert record(TERRAIN_CACHE, 4).nbytes < 2**20


def test_a_vehicle_file_selects_the_contact_of_its_tires():
    assert vehicle_description("hmmwv").contact == "enveloping"
    assert vehicle_description("hmmwv_chrono").contact == "point"
    one = tire(yaml.safe_load((tire_rig.CONFIGS / "tmeasy_hmmwv.yaml").read_text(encoding="utf-8")), "t.yaml")
    assert tire_set([one] * 4).shared["contact_grid_spacing"].tolist() == [0.05] * 4
    assert tire_set([one] * 4, contact="point").shared["contact_grid_spacing"].tolist() == [0.0] * 4


def test_a_node_spacing_too_small_for_the_tire_is_rejected():
    with pytest.raises(ConfigError, match=r"contact_grid_spacing: invalid value; expected at least 0\.0147 m.*; got 0\.01"):
        tire_rig.parameters("tmeasy_hmmwv", contact_grid_spacing=0.01)
