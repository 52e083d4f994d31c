"""Does a ground have its ISO 8608 class in every octave from 0.1 to 100 m, in any direction and on roads, and is it smooth between nodes?"""

from __future__ import annotations

import copy
import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from terrain.base_grid import cubic_weights
from terrain.composite_height import composed_height, composed_height_and_normal, composed_heights, footprint_height_and_normal
from terrain.ground import Ground
from terrain.heightmap_detail import cubic_transfer
from terrain.iso_8608_bands import coherence, isotropic_coherence, octaves
from terrain.load_terrain import load_terrain
from terrain.rough_tiles import FOOTPRINT

PROFILES = Path(__file__).resolve().parents[1] / "data" / "iso8608"
STEP = 0.05
LENGTH = 500.0
LAND: dict[str, Any] = {
    "type": "heightmap",
    "grid": {"origin": [-100.0, -100.0], "spacing": 2.0, "count": [360, 101]},
    "roughness": {"class": "D", "longest": 30.0, "seed": 1},
    "soil": "lete_sand",
    "roads": [
        {
            "name": "main", "surface": "asphalt", "roughness": "B", "level": 0.0, "width": 8.0, "verge": 4.0, "embankment": 10.0,
            "crown_percent": 0.0, "smoothing": 0.0, "points": [[-90.0, 0.0], [610.0, 0.0]],
        }
    ],
}  # fmt: skip


def load(mapping: dict[str, Any], soils: dict[str, Any]) -> Ground:
    return load_terrain(copy.deepcopy(mapping), "x.yaml", Path(), soils)


def rough(soils: dict[str, Any], road_class: str = "A", seed: int = 1, **more: Any) -> Ground:
    return load({"type": "flat", "surface": "asphalt", "roughness": {"class": road_class, "seed": seed, **more}}, soils)


def line(ground: Ground, x: float, y: float, angle: float = 0.0, length: float = LENGTH) -> np.ndarray:
    """Return heights along a straight line."""
    s = np.arange(0.0, length, STEP)
    z = np.empty(len(s))
    composed_heights(ground.arrays, x + s * math.cos(angle), y + s * math.sin(angle), z)
    return z


def classes(z: np.ndarray) -> str:
    return "".join(octave.road_class for octave in octaves(z, STEP))


@pytest.mark.parametrize("name", ["A", "C"])
def test_the_classification_of_a_known_profile_is_correct(name: str) -> None:
    with (PROFILES / f"known_good_{name}.csv").open() as file:
        z = np.array([float(row["z"]) for row in csv.DictReader(file)])
    found = octaves(z, 0.1)
    assert [octave.road_class for octave in found] == [name] * 9
    assert [octave.density / 4.0 ** "ABC".index(name) for octave in found[:8]] == pytest.approx([1.0] * 8, abs=0.2)
    doubled = octaves(2.0 * z + 0.3 + 0.01 * np.arange(len(z)), 0.1)
    assert [octave.road_class for octave in doubled] == [chr(ord(name) + 1)] * 9
    assert found[0].longest == pytest.approx(64.0 * math.sqrt(2.0)) and found[-1].shortest == 0.2


@pytest.mark.parametrize("seed", [1, 44])
@pytest.mark.parametrize("angle_deg", [0.0, 90.0])
def test_every_octave_has_the_given_class(seed: int, angle_deg: float, soils: dict[str, Any]) -> None:
    for road_class in "ABCDE":
        ground = rough(soils, road_class, seed)
        for x, y in ((0.0, 0.0), (-1234.5, 77.7), (310.0, -140.0)):
            assert classes(line(ground, x, y, math.radians(angle_deg))) == 10 * road_class


def test_the_density_is_the_nominal_one_in_the_mean(soils: dict[str, Any]) -> None:
    """Over 24 lines in four directions, from the longest octave to 10 c/m."""
    ground = rough(soils, "A", 7)
    lines = [line(ground, 83.0 * k, -61.0 * k, math.radians(angle)) for k in range(6) for angle in (0.0, 30.0, 90.0, 135.0)]
    found = np.mean([[octave.density for octave in octaves(z, STEP)] for z in lines], axis=0)
    assert found == pytest.approx(np.ones(10), abs=0.2)
    assert found[5:] == pytest.approx(np.ones(5), abs=0.06)


def test_the_coherence_at_the_track_width_is_that_of_an_isotropic_ground(soils: dict[str, Any]) -> None:
    ground = rough(soils, "C", 3)
    sides = [[line(ground, 0.0, 20.0 * k + 0.5 * track) for k in range(20)] for track in (1.6, -1.6)]
    n, found = coherence(*sides, STEP, 50.0)
    keep = n < 0.5
    assert found[keep] == pytest.approx(isotropic_coherence(n[keep], 1.6), abs=0.1)


def test_the_same_seed_gives_the_same_bits_and_another_another_ground(soils: dict[str, Any]) -> None:
    one, same, other = (line(rough(soils, "B", seed), 3.0, 5.0) for seed in (4, 4, 5))
    assert one.tobytes() == same.tobytes()
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.5
    assert line(rough(soils, "C", 4), 3.0, 5.0) == pytest.approx(2.0 * one, rel=1e-12)


def test_longest_bounds_the_waves(soils: dict[str, Any]) -> None:
    short = octaves(line(rough(soils, "C", 2, longest=1.0), 0.0, 0.0), STEP)
    assert [octave.road_class for octave in short][-3:] == ["C"] * 3
    assert all(octave.density < 0.2 * 16.0 for octave in short if octave.shortest > 2.0)


def test_contact_in_one_point_averages_over_the_footprint(soils: dict[str, Any]) -> None:
    """The ground averaged with Gaussian weights keeps long waves and removes short ones, and is nowhere as curved as a wheel."""
    ground = rough(soils, "C", 6)
    on, n, deviation = ground.arrays, np.empty(3), FOOTPRINT / math.sqrt(12.0)
    x, y = np.meshgrid(*[np.linspace(-5.0, 5.0, 81)] * 2)
    weights = np.exp(-0.5 * (x * x + y * y)).ravel()
    around = np.empty(x.size)
    for px, py in ((0.0, 0.0), (11.3, -4.2), (-7.0, 300.0)):
        composed_heights(on, px + deviation * x.ravel(), py + deviation * y.ravel(), around)
        assert footprint_height_and_normal(on, px, py, n) == pytest.approx(float(weights @ around / weights.sum()), abs=1e-4)
    z = np.array([footprint_height_and_normal(on, 0.02 * k, 3.0, n) for k in range(5000)])
    assert np.abs(np.diff(z, 2)).max() / 0.02**2 < 1.0 / 0.47
    bare = load({"type": "flat", "surface": "asphalt", "grade_percent": 7}, soils).arrays
    assert footprint_height_and_normal(bare, 5.0, 6.0, n) == composed_height(bare, 5.0, 6.0)


@pytest.fixture(scope="module")
def land(soils: dict[str, Any]) -> Ground:
    return load(LAND, soils)


def test_a_road_has_its_own_class_from_its_longest_waves_on(land: Ground) -> None:
    """On a grid of 2 m: waves of 8 m or more are in the nodes, shorter ones in tiles."""
    assert classes(line(land, 0.0, 1.0)) == 10 * "B"


def test_the_ground_next_to_the_road_has_its_class_up_to_its_longest_wave(land: Ground) -> None:
    found = octaves(line(land, 0.0, 60.0), STEP)
    assert [octave.road_class for octave in found[2:]] == 8 * ["D"]
    assert found[0].density < 0.3 * 64.0, "hills come from elevation and detail"


@pytest.mark.parametrize("where", ["flat", "land"])
def test_slopes_are_those_of_the_heights(where: str, land: Ground, soils: dict[str, Any]) -> None:
    ground = land if where == "land" else rough(soils, "E", 2)
    rng, n, h, steepest = np.random.default_rng(1), np.empty(3), 1e-6, 0.0
    on = ground.arrays
    for x, y in rng.uniform((-150.0, -20.0), (650.0, 20.0), (4000, 2)):
        composed_height_and_normal(on, x, y, n)
        slope = -n[:2] / n[2]
        found = [composed_height(on, x + dx, y + dy) - composed_height(on, x - dx, y - dy) for dx, dy in ((h, 0.0), (0.0, h))]
        np.testing.assert_allclose(np.array(found) / (2.0 * h), slope, atol=1e-4)
        steepest = max(steepest, math.hypot(*slope))
    assert 0.3 * float(ground.p[0]["steepest"]) < steepest <= float(ground.p[0]["steepest"])


def test_roads_of_jacksboro_keep_their_waves_and_have_short_ones(jacksboro: Ground) -> None:
    """On the paved straight class A from 90 m to 0.1 m; off the road class D below the 4 m of the grid."""
    assert classes(line(jacksboro, 20.0, 3.0)) == 10 * "A"
    away = octaves(line(jacksboro, 60.0, 200.0, math.radians(90.0)), STEP)
    assert [octave.road_class for octave in away[-6:]] == 6 * ["D"]
    assert jacksboro.roughness.gain.nbytes + jacksboro.roughness.fine.nbytes < 10e6


def test_the_transfer_of_the_grid_is_that_of_its_weights() -> None:
    """Compare with the amplitude that remains of a sampled wave at its own frequency."""
    x = np.linspace(0.0, 64.0, 6401)[:-1]
    i, t = np.floor(x).astype(int), x - np.floor(x)
    weights = np.array([cubic_weights(float(one)) for one in t])
    for periods in (4, 8, 16, 24):
        nodes = np.cos(2.0 * np.pi * periods * np.arange(-1, 67) / 64.0)
        surface = sum(weights[:, k] * nodes[i + k] for k in range(4))
        left = 2.0 * np.mean(surface * np.cos(2.0 * np.pi * periods * x / 64.0))
        assert left == pytest.approx(float(cubic_transfer(np.array([periods / 64.0]))[0]), abs=1e-3)


@pytest.mark.parametrize(
    ("said", "key"), [({"class": "F"}, r"roughness\.class"), ({"class": "A", "longest": 120}, r"roughness\.longest"), ({}, "class")]
)
def test_an_invalid_roughness_is_named(said: dict[str, Any], key: str, soils: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=key):
        load({"type": "flat", "surface": "asphalt", "roughness": said}, soils)
