"""Is the ground smooth, exact where it can be, and defined everywhere?"""

from __future__ import annotations

import numpy as np
import pytest
from numba.core.runtime import _nrt_python
from numba.core.runtime.nrt import rtsys

from simulator.base.jit import kernel
from simulator.base.records import record
from terrain.base_grid import height_and_normal
from terrain.composite_height import composed_height_and_normal, footprint_height_and_normal
from terrain.ground import GROUND, Ground, soil_under
from terrain.soil import SOIL


def ground(heights, origin=(-3.0, 7.0), spacing=(0.5, 2.0), slope=(0.0, 0.0), height=0.0, mirrored=0):
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"], p[0]["slope"], p[0]["height"], p[0]["mirrored"] = origin, spacing, slope, height, mirrored
    return p, np.asarray(heights, np.float32)


def bumpy(mirrored=0):
    return ground(np.random.default_rng(4).normal(size=(9, 13)), mirrored=mirrored)


def slope_at(p, heights, x, y):
    n = np.empty(3)
    height_and_normal(p, heights, x, y, n)
    return np.array((-n[0] / n[2], -n[1] / n[2]))


def test_nodes_keep_their_heights():
    p, heights = bumpy()
    n = np.empty(3)
    for j in range(9):
        for i in range(13):
            assert height_and_normal(p, heights, -3.0 + 0.5 * i, 7.0 + 2.0 * j, n) == pytest.approx(float(heights[j, i]), abs=1e-12)


@pytest.mark.parametrize("mirrored", [0, 1])
def test_normal_is_the_derivative_of_the_height(mirrored):
    p, heights = bumpy(mirrored)
    n, h = np.empty(3), 1e-6
    for x, y in np.random.default_rng(1).uniform((-25.0, -40.0), (25.0, 56.0), (400, 2)):
        z = [height_and_normal(p, heights, x + dx, y + dy, n) for dx, dy in ((h, 0), (-h, 0), (0, h), (0, -h))]
        expected = np.array((z[0] - z[1], z[2] - z[3])) / (2.0 * h)
        np.testing.assert_allclose(slope_at(p, heights, x, y), expected, atol=2e-8)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-14)
        assert n[2] > 0.0


@pytest.mark.parametrize("mirrored", [0, 1])
@pytest.mark.parametrize("along", [0, 1])
def test_height_and_slope_are_continuous_over_cells_and_border(along, mirrored):
    p, heights = bumpy(mirrored)
    origin, spacing, count = (-3.0, 7.0)[along], (0.5, 2.0)[along], (13, 9)[along]
    n, h = np.empty(3), 1e-9
    for k in range(-3 * count, 3 * count):
        q = [1.234, 15.678]
        q[along] = origin + spacing * k
        low, high = list(q), list(q)
        low[along] -= h
        high[along] += h
        assert height_and_normal(p, heights, *low, n) == pytest.approx(height_and_normal(p, heights, *high, n), abs=1e-7)
        np.testing.assert_allclose(slope_at(p, heights, *low), slope_at(p, heights, *high), atol=1e-6)


def test_a_plane_in_the_nodes_is_reproduced_inside():
    x, y = -3.0 + 0.5 * np.arange(13), 7.0 + 2.0 * np.arange(9)
    p, heights = ground(0.25 * x[None, :] - 0.5 * y[:, None])
    n = np.empty(3)
    for px, py in np.random.default_rng(2).uniform((-2.5, 9.0), (2.0, 20.0), (100, 2)):
        assert height_and_normal(p, heights, px, py, n) == pytest.approx(0.25 * px - 0.5 * py, abs=1e-12)
        np.testing.assert_allclose(n, np.array((-0.25, 0.5, 1.0)) / np.sqrt(1.3125), atol=1e-13)


def test_a_base_plane_continues_to_infinity():
    p, heights = ground(np.zeros((4, 4)), slope=(0.3, -0.1), height=5.0)
    n = np.empty(3)
    for px, py in ((0.0, 0.0), (1e5, 3.0), (-7e6, 2e6), (1e12, -1e12)):
        assert height_and_normal(p, heights, px, py, n) == pytest.approx(5.0 + 0.3 * px - 0.1 * py, rel=1e-15)
        np.testing.assert_allclose(n, np.array((-0.3, 0.1, 1.0)) / np.sqrt(1.1), atol=1e-15)


@pytest.mark.parametrize("evaluated", [composed_height_and_normal, footprint_height_and_normal])
def test_a_ground_without_bumps_is_a_plane_to_the_last_bit(evaluated):
    p, heights = ground(np.full((4, 4), 0.75), slope=(0.3, -0.1), height=5.0)
    grid = np.zeros((4, 4))
    plane = Ground("plane", p, heights, grid.astype(np.float32), grid.astype(np.uint8), record(SOIL), ("soil",), (0.0, 0.0, 0.0)).arrays
    bumps = heights.copy()
    bumps[3, 3] = 0.8
    bumpy = Ground("bumpy", p.copy(), bumps, plane.hardness, plane.soil_ids, plane.soils, ("soil",), (0.0, 0.0, 0.0)).arrays
    n, expected = np.empty(3), np.empty(3)
    for x, y in ((-60.0, 3.0), (1e5, -9e4), (-1e300, 1e300)):
        z = evaluated(plane, x, y, n)
        assert z == pytest.approx(height_and_normal(p, heights, x, y, expected), rel=1e-15) and (n == expected).all()
    assert evaluated(bumpy, -1.5, 13.0, n) != evaluated(plane, -1.5, 13.0, n)


def test_the_border_is_constant_and_nothing_is_nan_far_outside():
    p, heights = bumpy()
    n = np.empty(3)
    assert height_and_normal(p, heights, 1e6, 9.0, n) == pytest.approx(float(heights[1, -1]), abs=1e-12)
    for x in (-1e300, -1e9, 0.0, 1e9, 1e300):
        for y in (-1e300, 1e18, 1e300):
            assert np.isfinite(height_and_normal(p, heights, x, y, n))
            assert np.isfinite(n).all()


def test_mirror_images_of_the_map_continue_without_end():
    p, heights = bumpy(mirrored=1)
    n, m = np.empty(3), np.empty(3)
    wide, high = 13 * 0.5, 9 * 2.0
    west, south = -3.0 - 0.25, 7.0 - 1.0
    for u, v in np.random.default_rng(3).uniform((0.0, 0.0), (wide, high), (50, 2)):
        z = height_and_normal(p, heights, west + u, south + v, n)
        for i in (-2001, -2, -1, 1, 2, 5):
            x = west + (i * wide + u if i % 2 == 0 else (i + 1) * wide - u)
            assert height_and_normal(p, heights, x, south - v, m) == pytest.approx(z, abs=1e-9)
            np.testing.assert_allclose(m, (n[0] * (-1) ** i, -n[1], n[2]), atol=1e-9)


@pytest.mark.parametrize("mirrored", [0, 1])
@pytest.mark.parametrize("slope", [(0.0, 0.0), (2.0, -2.0)])
def test_no_coordinate_leads_to_nan_or_an_index_error(mirrored, slope):
    p, heights = ground(np.random.default_rng(4).normal(size=(9, 13)), slope=slope, mirrored=mirrored)
    soils, out, n = record(SOIL, 2), record(SOIL), np.empty(3)
    hardness, ids = np.ones_like(heights), (heights > 0.0).astype(np.uint8)
    sizes = (0.0, 1e-300, 3.0, 1e4, 1e9, 1e15, 4.5e15, 9.3e18, 1e300, 1.7e308, np.inf)
    for x in (*sizes, *(-size for size in sizes)):
        for y in (0.0, x, -x):
            z = height_and_normal(p, heights, x, y, n)
            assert np.isfinite(z) and np.isfinite(n).all() and np.linalg.norm(n) == pytest.approx(1.0)
            if slope == (0.0, 0.0):
                assert abs(z) < 6.0
            soil_under(p, hardness, ids, soils, x, y, out)
            assert out[0]["hardness"] == 1.0


@pytest.mark.parametrize("mirrored", [0, 1])
def test_nan_gives_nan(mirrored):
    p, heights = bumpy(mirrored)
    assert np.isnan(height_and_normal(p, heights, np.nan, 0.0, np.empty(3)))


def test_queries_allocate_nothing():
    p, heights = bumpy()
    soils = record(SOIL, 2)
    hardness, ids = np.zeros_like(heights), (heights > 0.0).astype(np.uint8)
    n, out = np.empty(3), record(SOIL)

    @kernel
    def drive(queries, p, heights, hardness, ids, soils, n, out):
        for k in range(queries):
            height_and_normal(p, heights, 0.01 * k, 8.0 + 0.01 * k, n)
            soil_under(p, hardness, ids, soils, 0.01 * k, 8.0 + 0.01 * k, out)

    def allocations(queries):
        before = rtsys.get_allocation_stats().alloc
        drive(queries, p, heights, hardness, ids, soils, n, out)
        return rtsys.get_allocation_stats().alloc - before

    _nrt_python.memsys_enable_stats()
    allocations(1)
    counts = [allocations(queries) for queries in (1, 1000)]
    _nrt_python.memsys_disable_stats()
    assert counts[0] == counts[1], "those of the call itself, none per query"
