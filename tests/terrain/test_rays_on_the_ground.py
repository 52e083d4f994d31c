"""Does a ray stop at the first point of the surface that wheels feel, and never behind it?"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.api.loading import load_ground
from simulator.base.arrays import Array
from simulator.base.records import record
from terrain.composite_height import composed_heights
from terrain.features.curvature import curvature
from terrain.features.kernels import features_and_slopes
from terrain.ground import GROUND, Ground
from terrain.load_terrain import load_terrain
from terrain.rays.caster import RayCaster, RayError
from terrain.soil import SOIL

SOILS = {"asphalt": {"type": "surface", "friction": 0.8}}
FEATURES = [
    {"type": "half_round", "at": [3, 0], "yaw_deg": 20, "radius": 0.1, "length": 3},
    {"type": "step", "at": [6, 0], "yaw_deg": 10, "height": 0.2, "length": 3, "depth": 1},
    {"type": "curb", "points": [[0, 5], [10, 5], [14, 9], [14, 14], [5, 14]], "height": 0.12, "width": 0.5, "corner": 1.2, "fall": 0.5},
    {"type": "wall", "points": [[10, -5], [15, -5], [15, -9], [12, -7]], "height": 0.45, "thickness": 0.3, "corner": 0.3},
    {"type": "ditch", "points": [[0, -5], [5, -5], [5, -9], [-5, -9]], "depth": 0.4, "width": 1, "corner": 0.6},
    {"type": "washboard", "at": [12, 0], "height": 0.05, "wavelength": 0.7, "length": 6, "width": 3},
    {"type": "bump", "at": [3, 9], "yaw_deg": 50, "height": -0.1, "length": 3, "width": 3},
    {"type": "setts", "at": [8, 9], "yaw_deg": 15, "length": 3, "width": 2, "pitch": 0.17, "joint": 0.03, "rms": 0.01, "height": 0.04},
    {"type": "curb", "points": [[-5, 0], [-2, 0], [0, 0]], "height": [0.12, 0.02, 0.1], "width": 1, "corner": 0.4},
]


def flat(**more: object) -> Ground:
    return load_terrain({"type": "flat", "surface": "asphalt", **more}, "t.yaml", Path(), SOILS)


def grid(
    heights: Array, spacing: tuple[float, float] = (0.7, 0.5), *, slope: tuple[float, float] = (0.0, 0.0), mirrored: int = 1
) -> Ground:
    p = record(GROUND)
    p[0]["spacing"], p[0]["slope"], p[0]["mirrored"] = spacing, slope, mirrored
    p[0]["origin"], p[0]["height"], p[0]["gravity"] = (-4.3, -3.9), 0.7, 9.81
    h = np.ascontiguousarray(heights, np.float32)
    return Ground("grid", p, h, np.ones_like(h), np.zeros(h.shape, np.uint8), record(SOIL), ("asphalt",), (0.0, 0.0, 0.0))


def rough_grid(mirrored: int) -> Ground:
    return grid(np.random.default_rng(5).normal(0.0, 0.4, (17, 14)), slope=(0.1, -0.05), mirrored=mirrored)


def heights(ground: Ground, x: Array, y: Array) -> Array:
    out = np.empty(x.size)
    composed_heights(ground.arrays, x.ravel(), y.ravel(), out)
    return out.reshape(x.shape)


def random_rays(ground: Ground, count: int, extent: float, height: float, seed: int) -> tuple[Array, Array]:
    """Rays above and below the ground, most of them flat, some along an axis or vertical."""
    rng = np.random.default_rng(seed)
    origins = rng.uniform(-extent, extent, (count, 3))
    origins[:, 2] = heights(ground, origins[:, 0], origins[:, 1]) + height * rng.uniform(0.02, 1.0, count)
    below = rng.random(count) < 0.2
    origins[below, 2] -= 2.0 * height * rng.uniform(0.6, 1.0, below.sum())
    directions = rng.normal(size=(count, 3)) * (1.0, 1.0, 0.15)
    directions[below, 2] *= -1.0
    directions[::11, 0] = 0.0
    directions[3::11, 1] = 0.0
    directions[6::33, :2] = 0.0
    directions[6::33, 2] = -1.0
    directions[8::17, 2] = 0.0
    return origins, directions / np.linalg.norm(directions, axis=1, keepdims=True)


def everything() -> Ground:
    """A grid with features, and with roughness that grows along x."""
    base = grid(np.random.default_rng(8).normal(0.0, 0.15, (34, 40)), (0.4, 0.6))
    rough = flat(roughness={"class": "D", "seed": 4}).roughness
    gain = np.tile(np.linspace(0, 255, 40).astype(np.uint8), (34, 1))
    return replace(base, features=flat(features=FEATURES).features, roughness=rough._replace(gain=gain))


GROUNDS = {
    "mirrored grid": (lambda: rough_grid(1), 9.0, 1.0),
    "grid with constant border": (lambda: rough_grid(0), 9.0, 1.0),
    "plane": (lambda: flat(grade_percent=6), 5.0, 1.0),
    "features on a plane": (lambda: flat(features=FEATURES, grade_percent=3), 14.0, 0.4),
    "rough plane": (lambda: flat(roughness={"class": "E", "seed": 3}), 5.0, 0.3),
    "rough plane with features": (lambda: flat(features=FEATURES, roughness={"class": "D", "seed": 3}), 14.0, 0.4),
    "features on a grid": (lambda: replace(rough_grid(1), features=flat(features=FEATURES).features), 14.0, 1.0),
    "everything": (everything, 14.0, 0.7),
}


@pytest.mark.parametrize("name", GROUNDS)
def test_the_first_crossing_is_that_of_a_march_in_small_steps(name: str) -> None:
    """The march sees every crossing longer than its step. A hit before its crossing must be one that the step misses."""
    make, extent, height = GROUNDS[name]
    ground, reach, step = make(), 12.0, 0.002
    origins, directions = random_rays(ground, 400, extent, height, 7)
    found = RayCaster(ground).cast(origins, directions, reach)
    t = np.arange(0.0, reach + step, step)
    for k, (o, d) in enumerate(zip(origins, directions, strict=True)):
        gap = o[2] + t * d[2] - heights(ground, o[0] + t * d[0], o[1] + t * d[1])
        crossed = np.flatnonzero(gap * gap[0] <= 0.0)
        first = t[crossed[0]] if len(crossed) and t[crossed[0]] <= reach else math.inf
        hit = found.range[k]
        assert hit <= first + 1e-9, (k, o, d)
        if hit < math.inf:
            x, y, z = o + hit * d
            assert abs(z - heights(ground, np.array([x]), np.array([y]))[0]) < 1e-6
            assert found.object[k] == 0
        else:
            assert found.object[k] == -1
            assert np.isnan(found.normal[k]).all()
    assert 0.2 < np.isfinite(found.range).mean() < 1.0


@pytest.mark.parametrize("name", GROUNDS)
def test_the_normal_is_that_of_the_surface_on_the_side_of_the_origin(name: str) -> None:
    make, extent, height = GROUNDS[name]
    ground = make()
    origins, directions = random_rays(ground, 200, extent, height, 9)
    found = RayCaster(ground).cast(origins, directions, 12.0)
    hit = found.object == 0
    x, y = (origins + np.where(hit, found.range, 0.0)[:, None] * directions)[hit, :2].T
    h = 1e-6
    zx = (heights(ground, x + h, y) - heights(ground, x - h, y)) / (2.0 * h)
    zy = (heights(ground, x, y + h) - heights(ground, x, y - h)) / (2.0 * h)
    up = np.stack((-zx, -zy, np.ones_like(zx)), axis=1)
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    normal = found.normal[hit]
    assert ((normal * directions[hit]).sum(axis=1) <= 0.0).all()
    np.testing.assert_allclose(np.abs((normal * up).sum(axis=1)), 1.0, atol=1e-4)


@pytest.mark.parametrize("name", [*GROUNDS, "town"])
def test_a_ray_has_the_same_bits_in_a_scan_and_among_other_rays(name: str) -> None:
    """In a scan, a ray learns from the ray below how far it is free. Seen from the sensor, the beams of a column are not quite above each other."""
    ground = load_ground(name) if name == "town" else GROUNDS[name][0]()
    rng = np.random.default_rng(4)
    azimuth, elevation = np.linspace(0.0, 2.0 * math.pi, 180)[:, None], np.radians(np.arange(-25.0, 10.0, 2.5))
    azimuth = azimuth + np.linspace(0.0, 0.01, len(elevation))
    flat = np.cos(elevation) * np.ones_like(azimuth)
    directions = np.stack((flat * np.cos(azimuth), flat * np.sin(azimuth) + 0.03 * flat, np.sin(elevation) + 0.0 * flat), axis=2).reshape(
        -1, 3
    )
    x, y = ground.spawn[0] + np.linspace(0.0, 0.2, len(directions)), np.full(len(directions), ground.spawn[1])
    origins = np.column_stack((x, y, heights(ground, x[:1], y[:1])[0] + np.linspace(1.5, 1.51, len(directions))))
    caster, mixed = RayCaster(ground), rng.permutation(len(directions))
    scan, others, back = (caster.cast(origins[k], directions[k], 40.0) for k in (slice(None), mixed, slice(None, None, -1)))
    for one, again, reverse in zip(scan, others, back, strict=True):
        assert one[mixed].tobytes() == again.tobytes()
        assert one.tobytes() == np.ascontiguousarray(reverse[::-1]).tobytes()
    for k in mixed[:50]:
        alone = caster.cast(origins[k], directions[k], 40.0)
        assert [part[k].tobytes() for part in scan] == [part[0].tobytes() for part in alone]
    assert 0.2 < (scan.object >= 0).mean() < 1.0


def test_roughness_is_optional() -> None:
    ground = flat(roughness={"class": "E", "seed": 3})
    origins = np.random.default_rng(1).uniform(-20, 20, (50, 3)) + (0.0, 0.0, 30.0)
    caster, down = RayCaster(ground), np.array((0.0, 0.0, -1.0))
    smooth = caster.cast(origins, down, 60.0, roughness=False)
    np.testing.assert_allclose(smooth.range, origins[:, 2], rtol=1e-14)
    assert (caster.cast(origins, down, 60.0).range != smooth.range).all()


def test_a_ray_that_starts_on_the_ground_does_not_stop_there() -> None:
    ground = rough_grid(1)
    xy = np.random.default_rng(2).uniform(-3.0, 3.0, (200, 2))
    origins = np.column_stack((xy, heights(ground, *xy.T)))
    up = RayCaster(ground).cast(origins, (0.0, 0.0, 1.0), 100.0)
    down = RayCaster(ground).cast(origins, (0.0, 0.0, -1.0), 100.0)
    assert (up.object == -1).all()
    assert (down.object == -1).all()


def test_a_grazing_ray_meets_the_crest_by_a_tenth_of_a_millimeter_or_passes() -> None:
    x = np.arange(40)
    ground = grid(np.tile(np.exp(-(((x - 20) / 6.0) ** 2)), (30, 1)))
    crest = heights(ground, np.linspace(6.0, 14.0, 100_001), np.zeros(100_001)).max()
    caster = RayCaster(ground)
    for depth in (1e-2, 1e-4, 1e-6, 1e-8):
        assert caster.cast((-3.0, 0.0, crest - depth), (1.0, 0.0, 0.0), 30.0).object[0] == 0
        assert caster.cast((-3.0, 0.0, crest + depth), (1.0, 0.0, 0.0), 30.0).object[0] == -1


def test_the_curvature_of_a_feature_is_bounded() -> None:
    """Second differences over 0.2 mm in random directions do not exceed the bound, and come near it for some kinds."""
    rng, h, nearest = np.random.default_rng(4), 1e-4, 0.0
    for feature in FEATURES:
        f = flat(features=[feature]).features
        bounds = [curvature(k) for k in f.pieces]
        if not np.isfinite(bounds).all() or len(bounds) > 1:
            continue
        corner, size = f.bins[0]["origin"], f.bins[0]["size"] * f.bins[0]["count"]
        z = lambda x, y: features_and_slopes(f.bins, f.starts, f.items, f.pieces, x, y)[0]  # noqa: B023, E731
        worst = 0.0
        for x, y, a in zip(*(corner[:, None] + size[:, None] * rng.random((2, 20_000))), rng.uniform(0, math.pi, 20_000), strict=True):
            c, s = h * math.cos(a), h * math.sin(a)
            worst = max(worst, abs(z(x + c, y + s) + z(x - c, y - s) - 2.0 * z(x, y)) / h**2)
        assert worst <= bounds[0] * (1.0 + 1e-6)
        nearest = max(nearest, worst / bounds[0])
    assert nearest > 0.5


@pytest.mark.parametrize(
    ("origin", "direction", "reach", "text"),
    [
        ((0, 0, 1), (0, 0, 0), 10, "ray 0"),
        ((0, 0, 1), (0, 0, math.nan), 10, "directions: ray 0"),
        ((0, 0, 1), (0, math.inf, 1), 10, "directions: ray 0"),
        ((0, math.nan, 1), (0, 0, 1), 10, "origins: ray 0"),
        ((1e50, 0, 1), (0, 0, 1), 10, "origins: a coordinate beyond"),
        ((0, 0, 1), (0, 0, 1), 0, "max_range 0"),
        ((0, 0, 1), (0, 0, 1), math.inf, "max_range inf"),
        ((0, 1), (0, 0, 1), 10, "shape"),
        (np.zeros((3, 3)), np.ones((2, 3)), 10, "3 origins, 2 directions"),
        (np.zeros((3, 3)), np.ones((3, 3)), [1, 2], "max_range"),
    ],
)
def test_impossible_rays_are_an_error(origin: object, direction: object, reach: object, text: str) -> None:
    with pytest.raises(RayError, match=text):
        RayCaster(flat()).cast(origin, direction, reach)  # type: ignore[arg-type]


def test_no_rays_give_no_hits() -> None:
    found = RayCaster(flat()).cast(np.zeros((0, 3)), np.zeros((0, 3)), 10.0)
    assert len(found.range) == len(found.object) == len(found.normal) == 0
