"""Do terrain files give the ground that they describe, and does every invalid file name its error?"""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.base.errors import ConfigError
from simulator.base.records import record
from terrain.base_grid import height_and_normal
from terrain.ground import soil_under
from terrain.load_terrain import FRICTION, load_terrain
from terrain.soil import SOIL

LEVEL = {
    "type": "heightmap",
    "grid": {"origin": [-100.0, -80.0], "spacing": 1.0, "count": [260, 200]},
    "roughness": {"class": "C", "longest": 10.0, "seed": 1},
    "soils": {"shares": {"lete_sand": 1.0}},
    "roads": [
        {
            "name": "main", "surface": "asphalt", "roughness": "A", "level": 0.0, "width": 8.0, "verge": 4.0, "embankment": 10.0,
            "crown_percent": 0.0, "smoothing": 0.0, "points": [[-90.0, 0.0], [140.0, 0.0]],
        },
        {
            "name": "side", "surface": "gravel", "roughness": "B", "width": 5.0, "verge": 3.0, "embankment": 10.0,
            "crown_percent": 3.0, "smoothing": 10.0, "points": [[20.0, -70.0], [20.0, 0.0], [20.0, 60.0]],
        },
    ],
    "spawn": {"position": [0.0, 0.0], "yaw_deg": 0.0},
}  # fmt: skip


def load(mapping, soils, folder="."):
    return load_terrain(mapping, "x.yaml", Path(folder), soils)


def under(g, x, y):
    out = record(SOIL)
    soil_under(g.p, g.hardness, g.soil_ids, g.soils, x, y, out)
    return out[0]


def test_flat_ground_is_the_given_plane(soils):
    g = load({"type": "flat", "surface": "gravel", "grade_percent": 30.0, "cross_grade_percent": -5.0}, soils)
    n = np.empty(3)
    for x, y in ((0.0, 0.0), (12.3, -4.5), (-3e4, 8e4)):
        assert height_and_normal(g.p, g.heights, x, y, n) == pytest.approx(0.3 * x - 0.05 * y, rel=1e-14, abs=1e-14)
    np.testing.assert_allclose(n, np.array((-0.3, 0.05, 1.0)) / np.sqrt(1.0925), rtol=1e-14)
    assert under(g, 1e3, 5.0)["hardness"] == 1.0
    assert under(g, 1e3, 5.0)["friction"] == soils["gravel"]["friction"]


def test_flat_ground_of_soil_and_of_a_bare_friction(soils):
    sand = load({"type": "flat", "soil": "dry_sand"}, soils)
    assert (under(sand, 3.0, 4.0)["hardness"], under(sand, 3.0, 4.0)["k_phi"]) == (0.0, soils["dry_sand"]["k_phi"])
    assert under(load({"type": "flat", "friction": 0.9}, {}), 0.0, 0.0)["friction"] == 0.9
    assert under(load({"type": "flat"}, {}), 0.0, 0.0)["friction"] == FRICTION


BUMPS = [
    {"height": 0.1, "length": 5.0, "start": 60.0},
    {"height_m": 0.1, "length_m": 5.0, "x0": 60.0, "shape": "half-sine"},
    {"height": 0.1, "length": 5.0, "x_center": 62.5, "profile": "half sine", "friction": 0.9},
    {"amplitude": 0.1, "x_start": 60.0, "x_end": 65.0, "note": "a remark"},
    {"H": 0.1, "x": [60.0, 65.0]},
]


@pytest.mark.parametrize("measures", BUMPS)
def test_a_bump_has_its_shape_however_it_is_described(measures):
    g = load({"type": "bump", **measures}, {})
    x = np.arange(55.0, 70.0, 0.0137)
    inside = (x > 60.0) & (x < 65.0)
    expected = np.where(inside, 0.1 * np.sin(np.pi * (x - 60.0) / 5.0), 0.0)
    slope = np.where(inside, 0.1 * np.pi / 5.0 * np.cos(np.pi * (x - 60.0) / 5.0), 0.0)
    n = np.empty(3)
    away = np.minimum(abs(x - 60.0), abs(x - 65.0)) > 0.06
    for y in (0.0, -40.0, 1e4):
        z = np.array([height_and_normal(g.p, g.heights, px, y, n) for px in x])
        np.testing.assert_allclose(z, expected, atol=1e-4)
    for px, s, ok in zip(x, slope, away, strict=True):
        height_and_normal(g.p, g.heights, px, 0.0, n)
        if ok:
            assert -n[0] / n[2] == pytest.approx(s, abs=1e-4)


def test_a_narrow_bump_and_a_haversine(soils):
    g = load({"type": "bump", "height": 0.08, "length": 2.0, "center": 10.0, "width": 3.0, "shape": "haversine"}, soils)
    assert g.height(10.0, 0.0) == pytest.approx(0.08, abs=1e-6)
    assert g.height(9.5, 1.4) == pytest.approx(0.04, abs=1e-6)
    assert g.height(10.0, 1.6) == pytest.approx(0.0, abs=1e-12)


def test_a_road_is_hard_and_fades_slowly_at_its_sides(soils):
    g = load(LEVEL, soils)
    y = np.arange(0.0, 14.0, 0.02)
    hardness = np.array([under(g, 60.3, v)["hardness"] for v in y])
    assert (hardness[y < 3.0] == pytest.approx(1.0, abs=1e-6)) and (hardness[y > 9.6] == pytest.approx(0.0, abs=1e-6))
    assert np.diff(hardness).max() < 1e-15
    assert np.diff(hardness).min() > -0.009, "20 mm, a millisecond at 20 m/s, must not change more than 1 % of the ground"
    mu = np.array([under(g, 60.3, v)["friction"] for v in y])
    assert mu[hardness > 1e-3] == pytest.approx(soils["asphalt"]["friction"])


def test_the_first_road_has_the_right_of_way(soils):
    g = load(LEVEL, soils)
    rows, columns = g.margin
    assert g.soil_names[g.soil_ids[rows + 80, columns + 120]] == "asphalt on lete_sand"
    assert g.soil_names[g.soil_ids[rows + 40, columns + 120]] == "gravel on lete_sand"
    main, side = g.road("main"), g.road("side")
    assert (main.surface, main.width, main.verge) == ("asphalt", 8.0, 4.0)
    assert main.points[:, 2] == pytest.approx(0.0, abs=1e-9)
    assert g.height(20.0, -40.0) - g.height(22.0, -40.0) == pytest.approx(0.03 * 2.0, abs=0.03)
    assert side.points[0, :2] == pytest.approx((20.0, -70.0))
    with pytest.raises(KeyError):
        g.road("none")


def test_a_crown_falls_to_both_sides(soils):
    mapping = copy.deepcopy(LEVEL)
    del mapping["roughness"]
    for road in mapping["roads"]:
        del road["roughness"]
    g = load(mapping, soils)
    middle, edges = g.height(20.0, -40.0), [g.height(20.0 + d, -40.0) for d in (-2.5, 2.5)]
    assert edges[0] == pytest.approx(edges[1], abs=1e-6)
    assert middle - edges[0] == pytest.approx(0.03 * (np.hypot(2.5, 0.5) - 0.5), abs=2e-3)


def test_a_level_ground_without_roads_is_level_and_bits_repeat(soils):
    assert load(LEVEL, soils).heights.tobytes() == load(LEVEL, soils).heights.tobytes()
    plain = {key: LEVEL[key] for key in ("type", "grid", "soils", "spawn")}
    assert not load(plain, soils).heights.any()


FAULTS = [
    ("type", {"type": "moon"}),
    ("paint", {"type": "flat", "paint": 1}),
    ("surface", {"type": "flat", "surface": "lava"}),
    ("surface", {"type": "flat", "surface": "dry_sand"}),
    ("soil", {"type": "flat", "soil": "asphalt"}),
    ("soil", {"type": "flat", "soil": "dry_sand", "surface": "asphalt"}),
    ("friction", {"type": "flat", "friction": -0.1}),
    ("friction", {"type": "flat", "friction": "high"}),
    ("grade_percent", {"type": "flat", "grade_percent": 1e5}),
    ("grade_percent", {"type": "flat", "grade_percent": float("nan")}),
    ("length", {"type": "bump", "height": 0.1, "start": 3.0}),
    ("length", {"type": "bump", "height": 0.1, "start": 3.0, "length": -1.0}),
    ("height", {"type": "bump", "start": 3.0, "length": 1.0}),
    ("start", {"type": "bump", "height": 0.1, "length": 5.0}),
    ("shape", {"type": "bump", "height": 0.1, "length": 5.0, "start": 1.0, "shape": "cube"}),
    ("color", {"type": "bump", "height": 0.1, "length": 5.0, "start": 1.0, "color": "red"}),
    ("x_start", {"type": "bump", "height": 0.1, "length": 5.0, "start": 1.0, "x_start": 1.0}),
]


@pytest.mark.parametrize(("key", "mapping"), FAULTS)
def test_a_fault_in_a_simple_ground_is_named(soils, key, mapping):
    with pytest.raises(ConfigError) as error:
        load(mapping, soils)
    assert key in [one.key for one in error.value.errors]


DEEP_FAULTS = [
    ("grid", ("grid",), None),
    ("grid.count", ("grid", "count"), [3, 200]),
    ("grid.count", ("grid", "count"), [8000, 8000]),
    ("grid.spacing", ("grid", "spacing"), 0.0),
    ("roughness.class", ("roughness", "class"), "Z"),
    ("roughness.class", ("roughness", "class"), "AB"),
    ("roughness.class", ("roughness", "class"), ""),
    ("roughness.sead", ("roughness",), {"class": "A", "longest": 50.0, "sead": 1}),
    ("roughness.seed", ("roughness", "seed"), -1),
    ("soils.shares", ("soils", "shares"), {}),
    ("soils.shares.lete_sand", ("soils", "shares"), {"lete_sand": 0.0}),
    ("soils.shares.lete_sand", ("soils", "shares"), {"lete_sand": "much"}),
    ("soils.shares.chalk", ("soils", "shares"), {"chalk": 1.0}),
    ("soils.patches[0].radii", ("soils", "patches"), [{"soil": "dry_sand", "center": [0, 0], "radii": [0, 0]}]),
    ("roads", ("roads",), {"name": "main"}),
    ("roads[1].points", ("roads", 1, "points"), [[0.0, 0.0]]),
    ("roads[1].points", ("roads", 1, "points"), [[0.0, 0.0], [0.0, 0.0]]),
    ("roads[1].points", ("roads", 1, "points"), [[0.0, 0.0], [0.0, 1e4]]),
    ("roads[1].points", ("roads", 1, "points"), "far"),
    ("roads[1].surface", ("roads", 1, "surface"), "dry_sand"),
    ("roads[1].name", ("roads", 1, "name"), ""),
    ("roads[1].level", ("roads", 1, "level"), True),
    ("roads[1].width", ("roads", 1, "width"), -5.0),
    ("spawn.position", ("spawn", "position"), [1e5, 0.0]),
    ("spawn.position", ("spawn", "position"), [0.0, 0.0, 0.0]),
    ("heights.scale", ("heights",), {"file": "x.png", "origin": [0, 0], "spacing": [1, 1], "offset": 0}),
    ("heights.file", ("heights",), {"file": 3, "origin": [0, 0], "spacing": [1, 1], "scale": 1, "offset": 0}),
    ("heights.first_row", ("heights",), {"file": "x.png", "origin": [0, 0], "spacing": [1, 1], "scale": 1, "offset": 0}),
    ("", ("heights",), {"file": "x.png", "first_row": "north", "origin": [0, 0], "spacing": [1, 1], "scale": 1, "offset": 0}),
    ("detail.shortest", ("detail",), {"rms": 1.0, "waviness": 2.0, "longest": 5.0, "shortest": 9.0, "seed": 1}),
]


@pytest.mark.parametrize(("key", "path", "value"), DEEP_FAULTS)
def test_a_fault_in_a_landscape_is_named(soils, tmp_path, key, path, value):
    mapping = copy.deepcopy(LEVEL)
    inner = mapping
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(ConfigError) as error:
        load(mapping, soils, tmp_path)
    assert key in [one.key for one in error.value.errors]


def test_a_grid_must_lie_inside_the_data(soils, tmp_path):
    np.save(tmp_path / "h.npy", np.zeros((10, 10)))
    heights = {"file": "h.npy", "origin": [-50.0, -80.0], "spacing": [50.0, 50.0], "scale": 1.0, "offset": 0.0, "first_row": "south"}
    with pytest.raises(ConfigError, match="corners inside the data"):
        load({**LEVEL, "heights": heights}, soils, tmp_path)


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=5
)


KEYS = (
    "surface",
    "soil",
    "friction",
    "grade_percent",
    "height",
    "length",
    "start",
    "center",
    "end",
    "width",
    "shape",
    "grid",
    "soils",
    "roads",
)


@given(kind=st.sampled_from(["flat", "bump", "heightmap"]), key=st.sampled_from(KEYS), value=VALUES)
def test_any_value_gives_a_ground_or_a_config_error(kind, key, value):
    complete = {
        "flat": {},
        "bump": {"height": 0.1, "length": 5.0, "start": 1.0},
        "heightmap": {k: v for k, v in LEVEL.items() if k != "roughness"},
    }
    try:
        g = load({"type": kind, **complete[kind], key: value}, {})
    except ConfigError:
        return
    assert np.isfinite(g.heights).all()
