"""Do sharp features have the shapes in their file, smooth everywhere and independent of the bins?"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from terrain.composite_height import composed_height, composed_height_and_normal
from terrain.features.bins import binned
from terrain.features.kernels import Features, bounds_around, features_and_slopes
from terrain.features.level_reach import level_reach
from terrain.features.shapes import SETTS
from terrain.ground import Ground
from terrain.load_terrain import load_terrain

ALL = [
    {"type": "half_round", "at": [10, 0], "yaw_deg": 20, "radius": 0.1, "length": 3},
    {"type": "step", "at": [15, 0], "yaw_deg": 10, "height": 0.2, "length": 3, "depth": 1},
    {"type": "curb", "points": [[0, 5], [10, 5], [14, 9], [14, 14], [5, 14]], "height": 0.12, "width": 0.5, "corner": 1.2, "fall": 0.5},
    {"type": "curb", "points": [[0, -15], [0, -25], [10, -25], [10, -15], [0, -15]], "height": 0.12, "width": 1, "fall": 0.5},
    {"type": "wall", "points": [[20, 5], [25, 5], [25, 9], [22, 7]], "height": 0.4, "thickness": 0.3, "corner": 0.3},
    {"type": "ditch", "points": [[20, -5], [25, -5], [25, -9], [15, -9]], "depth": 0.4, "width": 1, "corner": 0.6},
    {"type": "ditch", "points": [[20, -15], [30, -20]], "depth": 0.4, "width": 1, "bottom": 0.4},
    {"type": "washboard", "at": [35, 0], "height": 0.05, "wavelength": 0.7, "length": 6, "width": 3},
    {"type": "bump", "at": [45, 0], "yaw_deg": -30, "height": 0.1, "length": 2, "width": 3},
    {"type": "bump", "at": [44, 0], "yaw_deg": 50, "height": -0.1, "length": 3, "width": 3},
    {"type": "setts", "at": [40, 10], "yaw_deg": 15, "length": 3, "width": 2, "pitch": 0.17, "joint": 0.03, "rms": 0.01, "height": 0.04},
    {"type": "curb", "points": [[30, 8], [33, 8], [35, 8], [35, 12]], "height": [0.12, 0.12, 0.02, 0.1], "width": 1, "corner": 0.4},
]


def ground(*features: dict[str, Any], **more: Any) -> Ground:
    soils = {"asphalt": {"type": "surface", "friction": 0.8}}
    return load_terrain({"type": "flat", "surface": "asphalt", "features": list(features), **more}, "t.yaml", Path(), soils)


@pytest.fixture(scope="module")
def course() -> Ground:
    return ground(*ALL)


def test_slopes_are_those_of_the_heights_and_never_jump(course: Ground) -> None:
    """Central differences over 2 um; a crease or a jump would show as a difference from the returned slope."""
    rng, n, h = np.random.default_rng(3), np.empty(3), 1e-6
    on, steepest = course.arrays, 0.0
    for x, y in zip(rng.uniform(-2, 50, 15_000), rng.uniform(-28, 18, 15_000), strict=True):
        composed_height_and_normal(on, x, y, n)
        slope = -n[:2] / n[2]
        found = [composed_height(on, x + dx, y + dy) - composed_height(on, x - dx, y - dy) for dx, dy in ((h, 0.0), (0.0, h))]
        np.testing.assert_allclose(np.array(found) / (2.0 * h), slope, atol=3e-2)
        steepest = max(steepest, math.hypot(*slope))
    assert 1.0 < steepest <= float(course.p[0]["steepest"])


@pytest.mark.parametrize("number", range(len(ALL)))
def test_slopes_change_by_little_over_little(number: int) -> None:
    """C1: along lines across each feature, slopes at points 20 um apart differ by no more than the curvature of its faces permits."""
    one = ground(ALL[number])
    b = one.features.bins[0]
    low, high = b["origin"], b["origin"] + b["size"] * b["count"]
    rng = np.random.default_rng(number)
    k = one.features.pieces[0]
    sharpest = (
        8.0 * abs(float(k["height"])) / min(float(k["face"]), float(k["bottom"]) if k["kind"] == SETTS else 1.0) ** 2
        + 8.0 * float(k["foot_height"]) / max(float(np.diff(k["foot"])[0]), 1e-3) ** 2
    )
    for _ in range(20):
        start, end = rng.uniform(low, high), rng.uniform(low, high)
        steps = 1500
        middle = rng.uniform(0.0, 1.0)
        step = 2e-5 * (end - start) / np.hypot(*(end - start))
        slopes = np.array([features_and_slopes(*one.features[:4], *(start + middle * (end - start) + n * step)) for n in range(steps)])
        assert np.abs(np.diff(slopes[:, 1:], axis=0)).max() <= 2e-5 * sharpest + 1e-9


def everywhere(features: Features) -> Features:
    """Return the features with a single bin."""
    bins = features.bins.copy()
    bins[0]["size"], bins[0]["count"] = float((bins[0]["size"] * bins[0]["count"]).max()) + 1.0, 1
    items, most = np.arange(len(features.pieces), dtype=np.int32), features.bounds.max(axis=0)
    return Features(bins, np.array([0, len(items)], np.int32), items, features.pieces, most[None, :])


def test_bins_contain_all_features(course: Ground) -> None:
    rng = np.random.default_rng(5)
    whole = everywhere(course.features)
    points = np.concatenate([rng.uniform((-2, -28), (50, 18), (8000, 2)), rng.uniform(-1e3, 1e3, (200, 2))])
    for x, y in points:
        z, zx, zy = features_and_slopes(*course.features[:4], x, y)
        height, slope = bounds_around(course.features.bins, course.features.bounds, x, y, 0.0)
        assert z <= height and math.hypot(zx, zy) <= slope
        assert (z, zx, zy) == pytest.approx(features_and_slopes(*whole[:4], x, y), abs=1e-15)
    assert max(np.diff(course.features.starts)) < len(course.features.pieces) / 2


def test_a_long_line_is_only_in_the_bins_along_it() -> None:
    g = ground({"type": "curb", "points": [[0, 0], [700, 700]], "height": 0.1})
    assert len(g.features.items) < 0.02 * np.prod(g.features.bins[0]["count"].astype(float))
    assert g.height(350.0 - 0.05, 350.0 + 0.05) == pytest.approx(0.1)
    assert g.height(350.0 + 0.05, 350.0 - 0.05) == 0.0


PROFILES: dict[str, tuple[dict[str, Any], Callable[[float], float], tuple[float, ...]]] = {
    "half_round": (
        {"at": [0, 0], "radius": 0.2, "length": 2}, lambda u: math.sqrt(max(0.04 - u * u, 0.0)), (-0.3, -0.2, -0.17, 0.0, 0.1, 0.2)
    ),
    "step": ({"at": [0, 0], "height": 0.3, "length": 2, "depth": 1}, lambda u: 0.3 if abs(u) < 0.5 else 0.0, (-0.52, -0.48, 0.0, 0.48, 0.52)),
    "bump": (
        {"at": [0, 0], "height": -0.1, "length": 3, "width": 2},
        lambda u: -0.1 * max(math.cos(math.pi * u / 3), 0.0),
        (-1.6, -1.4, 0.0, 0.7, 1.44, 1.56),
    ),
    "washboard": (
        {"at": [0, 0], "height": 0.06, "wavelength": 0.8, "length": 4.5, "width": 2},
        lambda u: 0.03 * (1.0 - math.cos(2.0 * math.pi * (u + 2.0) / 0.8)) if abs(u) < 2.0 else 0.0,
        (-2.1, -1.9, 0.0, 0.3, 1.99, 2.2),
    ),
    "curb": (
        {"points": [[0, -3], [0, 3]], "height": 0.15, "width": 1}, lambda u: 0.15 if -1.0 < u < 0.0 else 0.0, (-1.02, -0.98, -0.02, 0.02, 0.5)
    ),
    "wall": ({"points": [[0, -3], [0, 3]], "height": 0.5, "thickness": 0.4}, lambda u: 0.5 if abs(u) < 0.2 else 0.0, (-0.22, -0.18, 0.0, 0.18, 0.3)),
    "ditch": (
        {"points": [[0, -3], [0, 3]], "depth": 0.5, "width": 2, "bottom": 0.4},
        lambda u: -0.5 if abs(u) < 0.2 else -0.5 * max(1.0 - (abs(u) - 0.2) / 0.8, 0.0),
        (-1.2, 0.0, 0.15, 0.6, -0.6),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", PROFILES)
def test_a_feature_has_its_nominal_profile(kind: str) -> None:
    """Outside the rounded parts; then rotated by 35 degrees about another point."""
    said, profile, places = PROFILES[kind]
    plain = ground({"type": kind, **said})
    turn, at = math.radians(35.0), np.array((7.0, -4.0))
    R = np.array(((math.cos(turn), -math.sin(turn)), (math.sin(turn), math.cos(turn))))
    moved = (
        {**said, "at": at.tolist(), "yaw_deg": 35.0} if "at" in said else {**said, "points": (at + np.array(said["points"]) @ R.T).tolist()}
    )
    turned = ground({"type": kind, **moved})
    for u in places:
        for v in (-0.3, 0.4):
            assert plain.height(u, v) == pytest.approx(profile(u), abs=1e-9)
            assert turned.height(*(at + R @ (u, v))) == pytest.approx(profile(u), abs=1e-9)
    assert plain.height(0.1, 4.5) == turned.height(*(at + R @ (0.1, 4.5))) == 0.0


def test_the_highest_solid_feature_applies_and_ground_shapes_add_up() -> None:
    step = {"type": "step", "at": [0, 0], "height": 0.2, "length": 4, "depth": 4}
    wall = {"type": "wall", "points": [[-1, 0], [1, 0]], "height": 0.5, "thickness": 0.4}
    bump = {"type": "bump", "at": [0, 0], "height": 0.1, "length": 10, "width": 10}
    assert ground(step, wall).height(0.0, 0.0) == ground(wall, step).height(0.0, 0.0) == 0.5
    assert ground(step, wall).height(0.0, 1.0) == 0.2
    assert ground(bump, step, wall, bump).height(0.0, 0.0) == pytest.approx(0.7)
    assert ground(step, grade_percent=10).height(1.0, 0.0) == pytest.approx(0.3)


def test_corners_of_a_line_are_rounded_and_keep_their_sides() -> None:
    g = ground({"type": "curb", "points": [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]], "height": 0.1, "width": 0.5, "corner": 0.5})
    low = 0.5 - 0.5 / math.sqrt(2.0)  # point of the arc nearest to the corner, along x and along y
    for inside, outside in ((low + 0.02, low - 0.02), (4.0 - low - 0.02, 4.0 - low + 0.02)):
        assert g.height(inside, inside) == pytest.approx(0.1)
        assert g.height(outside, outside) == 0.0
    assert g.height(2.0, 2.0) == 0.0 and g.height(2.0, 0.3) == pytest.approx(0.1)


def test_a_ground_without_features_is_the_base_grid_bit_for_bit() -> None:
    bare = ground()
    assert len(bare.features.pieces) == 0 and bare.p[0]["steepest"] == 0.0
    assert composed_height(bare.arrays, 3.0, 4.0) == 0.0


@pytest.mark.parametrize(
    ("feature", "key"),
    [
        ({"type": "wall", "points": [[0, 0], [5, 0], [0, 0.01]], "height": 1}, r"features\[0\].points\[1\]: .*170 deg"),
        ({"type": "wall", "points": [[0, 0], [0, 0]], "height": 1}, r"features\[0\].points: .*distinct positions"),
        (
            {"type": "ditch", "points": [[0, 0], [5, 0]], "depth": 1, "width": 1, "bottom": 1},
            r"features\[0\].bottom: .*below that at the top",
        ),
        (
            {"type": "washboard", "at": [0, 0], "height": 0.1, "wavelength": 2, "length": 1, "width": 1},
            r"features\[0\].length: .*wavelength",
        ),
        ({"type": "step", "at": [0, 0], "height": 0.1, "length": 2, "depth": 0.5, "edge": 0.6}, r"features\[0\].edge: .*at most 0.5"),
        ({"type": "curb", "points": [[0, 0], [5, 0]], "height": 0.1, "face": 0.5}, r"features\[0\].face: .*at most 0.3"),
        ({"type": "pothole", "at": [0, 0]}, r"features\[0\].type"),
    ],
)
def test_an_invalid_feature_is_named(feature: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        ground(feature)


def test_no_number_leads_outside_the_bins(course: Ground) -> None:
    for x in (-1e300, -1e9, 1e9, math.inf, -math.inf):
        for y in (0.0, -1e300, math.inf):
            assert features_and_slopes(*course.features[:4], x, y) == (0.0, 0.0, 0.0)
    assert binned(course.features.pieces).starts[-1] == len(course.features.items)


def test_a_curb_drops_between_its_points() -> None:
    g = ground({"type": "curb", "points": [[0, 0], [10, 0], [12, 0], [20, 0]], "height": [0.12, 0.12, 0.02, 0.02], "width": 1})
    for x, z in ((5.0, 0.12), (10.5, 0.12 - 0.1 * 0.15625), (11.0, 0.07), (15.0, 0.02)):
        assert g.height(x, 0.1) == pytest.approx(z, abs=1e-12)
    round_the_corner = ground({"type": "curb", "points": [[0, 0], [10, 0], [10, 10]], "height": [0.1, 0.05, 0.1], "width": 1, "corner": 2})
    middle = 8.0 + 2.0 * math.sin(math.pi / 4), 2.0 - 2.0 * math.sin(math.pi / 4)
    assert round_the_corner.height(middle[0] - 0.1, middle[1] + 0.1) == pytest.approx(0.05)


def test_setts_are_stones_of_one_height_each_over_joints_on_the_ground() -> None:
    said = {"type": "setts", "at": [0, 0], "length": 30, "width": 6, "pitch": 0.2, "joint": 0.04, "height": 0.05, "rms": 0.01, "seed": 2}
    g = ground(said)
    rows, columns = np.meshgrid(np.arange(140), np.arange(-12, 12))
    middle = -15.0 + 0.2 * (rows + 0.5), 0.2 * (columns + 0.5 + 0.5 * (rows % 2))
    tops = np.array([g.height(x, y) for x, y in zip(middle[0].ravel(), middle[1].ravel(), strict=True)])
    corners = np.array([g.height(x + 0.055, y - 0.055) for x, y in zip(middle[0].ravel(), middle[1].ravel(), strict=True)])
    np.testing.assert_array_equal(tops, corners)
    assert (tops.mean(), tops.std()) == pytest.approx((0.05, 0.01), abs=5e-4)
    assert abs(np.corrcoef(tops[:-1], tops[1:])[0, 1]) < 0.06
    assert max(g.height(x, y) for x, y in ((-15.0 + 0.2 * 7, 0.33), (-14.7, 0.3), (-14.9, 0.2), (-15.1, 0.2))) < 1e-6
    other = ground({**said, "seed": 3})
    assert other.height(0.1, 0.0) != g.height(0.1, 0.0)


@pytest.mark.parametrize(
    ("feature", "what"),
    [
        ({"type": "curb", "points": [[0, 0], [1, 0]], "height": [0.1, 0.1, 0.1]}, "2 numbers .one per point"),
        ({"type": "setts", "at": [0, 0], "length": 3, "width": 2, "pitch": 0.1, "joint": 0.06, "rms": 0.0}, "half the pitch"),
        ({"type": "setts", "at": [0, 0], "length": 3, "width": 2, "pitch": 0.1, "joint": 0.02, "rms": 0.03}, "all stones are above"),
    ],
)
def test_invalid_setts_and_curbs_are_named(feature: dict[str, Any], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        ground(feature)


def test_features_are_level_within_the_distance_that_says_so(course: Ground) -> None:
    """Heights at points within the distance and in the same bin; the distance is useful: most points near features have one."""
    f, rng, found = course.features, np.random.default_rng(8), []
    origin, size, columns = f.bins[0]["origin"], float(f.bins[0]["size"]), int(f.bins[0]["count"][0])
    for x, y in rng.uniform((-2, -28), (50, 18), (8000, 2)):
        i, j = np.floor((np.array((x, y)) - origin) / size).astype(int)
        bin_ = j * columns + i
        if not (0 <= i < columns and 0 <= bin_ < len(f.starts) - 1) or f.starts[bin_] == f.starts[bin_ + 1]:
            continue
        reach = level_reach(f.starts, f.items, f.pieces, bin_, x, y)
        found.append(reach)
        here = features_and_slopes(*f[:4], x, y)[0]
        low, high = origin + size * np.array((i, j)), origin + size * np.array((i + 1, j + 1))
        for away, angle in zip(reach * rng.random(20), rng.uniform(0.0, math.tau, 20), strict=True):
            at = np.array((x + min(away, 2.0) * math.cos(angle), y + min(away, 2.0) * math.sin(angle)))
            if (at > low).all() and (at < high).all():
                assert features_and_slopes(*f[:4], *at)[0] == pytest.approx(here, abs=1e-12)
    assert len(found) > 1000
    assert np.mean(np.array(found) > 0.05) > 0.4
