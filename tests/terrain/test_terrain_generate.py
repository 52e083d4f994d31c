"""Does the generated roughness have its nominal spectrum, and is it reproducible?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.records import record
from terrain.base_grid import height_and_normal
from terrain.ground import GROUND
from terrain.heightmap_detail import TILE, field_of_rms, iso_roughness, mosaic, resample, rough_field, tiled


def profile_density(field, axis, spacing):
    """Return the mean one-sided spectral density of all profiles along an axis, m3, and its wave numbers."""
    n = field.shape[axis]
    spectrum = np.abs(np.fft.rfft(field, axis=axis)) ** 2 * 2.0 * spacing / n
    return np.fft.rfftfreq(n, spacing), spectrum.mean(axis=1 - axis)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("road_class", ["A", "D"])
def test_profiles_have_the_iso_spectrum_in_every_direction(axis, road_class):
    field = rough_field(iso_roughness(road_class), 2.0, 200.0, 0.5, 0.25, seed=7).astype(float)
    n, density = profile_density(field, axis, 0.25)
    band = (n > 0.03) & (n < 0.5)
    n, density = n[band], density[band]
    expected = iso_roughness(road_class) * (n / 0.1) ** -2.0
    assert np.exp(np.log(density / expected).mean()) == pytest.approx(1.0, abs=0.08)
    slope = np.polyfit(np.log(n), np.log(density), 1)[0]
    assert slope == pytest.approx(-2.0, abs=0.15)


def test_a_field_of_given_size_has_it_and_keeps_its_band():
    field = field_of_rms(0.35, 2.5, 90.0, 12.0, 1.0, seed=3)
    assert np.sqrt(np.mean(field.astype(float) ** 2)) == pytest.approx(0.35, rel=1e-4)
    power = np.abs(np.fft.rfft2(field.astype(float))) ** 2
    k = np.hypot(np.fft.fftfreq(TILE)[:, None], np.fft.rfftfreq(TILE)[None, :])
    assert power[(k < 1 / 91.0) | (k > 1 / 11.9)].sum() < 1e-9 * power.sum()


def test_the_same_seed_gives_the_same_bits():
    make = [rough_field(1e-3, 2.0, 12.0, 2.0, 1.0, seed) for seed in (5, 5, 6)]
    assert make[0].tobytes() == make[1].tobytes()
    assert abs(np.corrcoef(make[0].ravel(), make[2].ravel())[0, 1]) < 0.02


def test_tiles_join_without_a_seam():
    field = rough_field(1e-3, 2.0, 60.0, 10.0, 1.0, seed=1)
    wide = tiled(field, (TILE + 40, TILE + 70))
    assert wide.shape == (TILE + 40, TILE + 70)
    steps = np.abs(np.diff(wide, axis=1))
    assert steps[:, TILE - 1].max() < 1.5 * np.delete(steps, TILE - 1, axis=1).max()


def test_resampling_gives_the_surface_for_driving():
    source = np.random.default_rng(0).normal(size=(6, 8))
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = (-3.0, 2.0), (4.0, 5.0)
    out = np.empty((20, 30))
    resample(source, p[0]["origin"], p[0]["spacing"], np.array((-1.0, 3.0)), np.array((0.7, 0.9)), np.empty(source.shape[1]), out)
    n = np.empty(3)
    for j in range(20):
        for i in range(30):
            assert out[j, i] == pytest.approx(height_and_normal(p, source, -1.0 + 0.7 * i, 3.0 + 0.9 * j, n), abs=1e-12)


def test_a_mosaic_has_the_requested_fractions():
    ids = mosaic([1.0, 2.0, 1.0], 60.0, 0.0, np.zeros((900, 1000), np.float32), np.zeros(2), 1.0, seed=2)
    assert np.bincount(ids.ravel(), minlength=3) / ids.size == pytest.approx([0.25, 0.5, 0.25], abs=0.01)
    assert (np.diff(ids.astype(int), axis=0) != 0).mean() < 0.1


def test_a_mosaic_of_relief_alone_is_a_map_of_heights():
    heights = np.add.outer(np.arange(100.0), 3.0 * np.arange(120.0)).astype(np.float32)
    ids = mosaic([1.0, 1.0], 60.0, 1.0, heights, np.zeros(2), 1.0, seed=2)
    assert heights[ids == 0].max() <= heights[ids == 1].min()
