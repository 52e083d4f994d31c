"""Does the ground have another surface in patches only?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.terrain_data import road_texture, surface_texture
from simulator.view.textures import SUN
from terrain.ground import soil_under
from terrain.load_terrain import load_terrain
from terrain.soil import SOIL

FLAT = {"type": "flat", "surface": "asphalt"}


def load(patches, soils, **more):
    return load_terrain({**FLAT, **more, "patches": patches}, "x.yaml", Path(), soils)


def under(g, x, y):
    out = record(SOIL)
    soil_under(g.p, g.hardness, g.soil_ids, g.soils, x, y, out)
    return float(out[0]["friction"]), float(out[0]["hardness"])


def test_an_unlimited_strip_has_no_end_and_a_sharp_edge(soils):
    g = load([{"surface": "ice", "y": [0.0, 50.0]}], soils)
    for x in (-1e6, 0.0, 12.3, 1e6):
        assert under(g, x, -0.2) == (0.8, 1.0) and under(g, x, 0.2) == (0.1, 1.0)
        assert under(g, x, 49.8)[0] == 0.1 and under(g, x, 50.2)[0] == 0.8 and under(g, x, 1e5)[0] == 0.8
    assert under(g, 0.0, 0.0)[0] == pytest.approx(0.45)
    assert g.heights.shape[1] == 4, "nothing changes along x"


@given(x=st.floats(-30.0, 60.0), y=st.floats(-20.0, 20.0))
def test_an_ellipse_and_a_rectangle_cover_their_nodes(x, y):
    g = _ELLIPSE_AND_BOX
    ellipse = np.hypot((x - 10.0) / 8.0, y / 4.0)
    box = max(abs(x - 40.0) - 5.0, abs(y - 3.0) - 2.0)
    if ellipse < 0.9 or box < -0.25:
        assert under(g, x, y)[0] == pytest.approx(0.1 if ellipse < 0.9 else 0.4)
    elif ellipse > 1.1 and box > 0.25:
        assert under(g, x, y)[0] == 0.8


_ELLIPSE_AND_BOX = load_terrain(
    {
        "type": "flat",
        "friction": 0.8,
        "patches": [{"friction": 0.1, "center": [10.0, 0.0], "radii": [8.0, 4.0]}, {"scale": 0.5, "x": [35.0, 45.0], "y": [1.0, 5.0]}],
    },
    "x.yaml",
    Path(),
    {},
)


def test_a_later_patch_covers_an_earlier_one_and_a_scale_applies_to_the_present_surface(soils):
    g = load([{"friction": 0.4, "x": [0.0, 20.0]}, {"scale": 0.5, "y": [0.0, 5.0]}], soils)
    assert [under(g, x, y)[0] for x, y in ((10.0, -2.0), (10.0, 2.0), (30.0, 2.0), (30.0, -2.0))] == pytest.approx([0.4, 0.2, 0.4, 0.8])


def test_a_checkerboard_alternates_from_its_corner(soils):
    g = load([{"surface": "ice", "x": [0.0, 8.0], "y": [-4.0, 4.0], "fields": [2.0, 2.0]}], soils)
    found = [[under(g, x, y)[0] for x in (1.0, 3.0, 5.0, 7.0)] for y in (-3.0, -1.0, 1.0, 3.0)]
    assert found == [[0.1, 0.8, 0.1, 0.8], [0.8, 0.1, 0.8, 0.1]] * 2


def test_a_lane_of_soil_is_soft_and_ice_on_soil_is_hard(soils):
    g = load([{"soil": "dry_sand", "y": [-4.0, 4.0]}, {"surface": "ice", "y": [-1.0, 1.0]}], soils)
    assert under(g, 5.0, 3.0)[1] == 0.0 and under(g, 5.0, 0.0) == (0.1, 1.0) and under(g, 5.0, 6.0) == (0.8, 1.0)


def test_patches_apply_to_height_maps_too(terrain_mapping, soils, assets):
    plain = terrain_mapping("jacksboro")
    iced = {**plain, "patches": [{"surface": "ice", "center": [30.0, 0.0], "radii": [10.0, 6.0]}, {"scale": 0.5, "x": [500.0, 600.0]}]}
    before, after = (load_terrain(mapping, "jacksboro.yaml", assets, soils) for mapping in (plain, iced))
    assert under(after, 30.0, 0.0) == (pytest.approx(0.1), 1.0)
    assert under(after, 100.0, 0.0) == under(before, 100.0, 0.0)
    assert under(after, 550.0, 0.0)[0] == pytest.approx(0.5 * under(before, 550.0, 0.0)[0])
    assert under(after, 550.0, 300.0)[1] == under(before, 550.0, 300.0)[1], "a factor on friction does not change the hardness of soil"
    np.testing.assert_array_equal(before.heights, after.heights)


def test_without_patches_a_plane_is_as_small_as_it_was(soils):
    g = load([], soils)
    assert g.heights.shape == (4, 4) and tuple(g.p[0]["origin"]) == (-1.5, -1.5) and tuple(g.p[0]["spacing"]) == (1.0, 1.0)
    assert len(g.soils) == 1


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"x": [0.0, 1.0]}, "one of surface, soil, friction, scale"),
        ({"surface": "ice", "friction": 0.2, "x": [0.0, 1.0]}, "one of surface, soil, friction, scale"),
        ({"surface": "ise", "x": [0.0, 1.0]}, "ice"),
        ({"surface": "dry_sand", "x": [0.0, 1.0]}, "a surface"),
        ({"surface": "ice", "x": [1.0, 0.0]}, "the second larger"),
        ({"surface": "ice", "center": [1.0, 0.0]}, "both center and radii"),
        ({"surface": "ice", "center": [1.0, 0.0], "radii": [1.0, 1.0], "x": [0.0, 1.0]}, "center and radii, or x and y"),
        ({"surface": "ice", "x": [0.0, 8.0], "fields": [2.0, 2.0]}, "x and y for a checkerboard"),
        ({"surface": "ice", "x": [0.0, 0.02], "y": [0.02, 0.03]}, "at least one grid node"),
        ({"surface": "ice", "x": [0.0, 9e4], "y": [-9e4, 9e4]}, "increase spacing"),
    ],
)
def test_an_invalid_patch_is_named(patch, expected, soils):
    with pytest.raises(ConfigError, match=expected) as caught:
        load([patch], soils)
    assert "patches" in str(caught.value)


def test_slippery_surfaces_have_their_own_color(soils):
    names = ("ice", "snow", "wet_asphalt")
    g = load([{"surface": name, "x": [10.0 * k, 10.0 * k + 9.0], "y": [0.0, 9.0]} for k, name in enumerate(names)], soils)
    land = make_terrain_data(g)
    x, y = (np.asarray(g.p[0]["origin"][k] + g.p[0]["spacing"][k] * np.arange(g.heights.shape[1 - k])) for k in (0, 1))
    colors, kinds = surface_texture(land, SUN), road_texture(land)
    row = int(np.argmin(np.abs(y - 5.0)))
    seen = [colors[row, int(np.argmin(np.abs(x - (10.0 * k + 5.0)))), :3].astype(int).sum() for k in range(3)]
    assert seen[1] > seen[0] > 500 and seen[2] < 200
    marks, step = kinds
    assert marks[row // step, int(np.argmin(np.abs(x - 5.0))) // step, 3] == 2.0
    assert marks[0, 0, 3] == 1.0
