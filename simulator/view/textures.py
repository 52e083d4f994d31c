"""Texture from seeded noise, computed at start: noise and wear over wide areas of the ground, clouds of the sky."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SUN = np.array([-0.6326, -0.5408, 0.5544])
"""Unit vector towards the sun of the default weather (`simulator.weather.CLEAR`), in W."""
SIZE = 512


def grain(seed: int = 7) -> NDArray[np.uint8]:
    """Return a periodic texture (SIZE, SIZE, 4): fine noise, wear of pavements, clods, clouds; each with mean one half.

    Wear is dark in cracks and sealed joints, and darker or lighter in patches.
    """
    rng = np.random.default_rng(seed)
    fine = band(rng, 2.0, 7.0, 0.0) * 0.8 + band(rng, 2.0, 4.0, 0.0) * 0.5
    clods = band(rng, 4.0, 90.0, 1.1) + 0.35 * band(rng, 3.0, 9.0, 0.0)
    clouds = band(rng, 3.0, 512.0, 1.75)
    return np.dstack((_byte(fine, 0.17), _wear(rng), _byte(clods, 0.17), _byte(clouds, 0.16)))


def _wear(rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return stains, patches with sealed edges, and cracks of a pavement."""
    wear = 0.030 * band(rng, 6.0, 120.0, 0.9)
    for x, y, width, height in zip(
        *(rng.integers(0, SIZE, 7) for _ in range(2)), rng.integers(24, 90, 7), rng.integers(14, 46, 7), strict=True
    ):
        rows, columns = np.arange(y, y + height) % SIZE, np.arange(x, x + width) % SIZE
        wear[np.ix_(rows, columns)] = wear[np.ix_(rows, columns)] * 0.4 - 0.13
        wear[np.ix_(rows[1:-1], columns[1:-1])] += 0.13 + rng.uniform(-0.07, 0.05)
    way = band(rng, 30.0, 400.0, 1.5)
    steep = np.hypot(np.roll(way, 1, 0) - np.roll(way, -1, 0), np.roll(way, 1, 1) - np.roll(way, -1, 1)) * 0.5
    crack = np.clip(1.0 - 1.1 * np.abs(way) / (steep + 1e-6), 0.0, 1.0) * (band(rng, 90.0, 512.0, 1.0) > 0.35)
    return np.clip(127.5 + 255.0 * (wear - wear.mean() - 0.24 * crack), 0, 255).astype(np.uint8)


def band(rng: np.random.Generator, shortest: float, longest: float, slope: float, size: int = SIZE) -> NDArray[np.float32]:
    """Return periodic noise of unit deviation with wavelengths between two limits in texels and amplitudes as wavelength^slope."""
    fx, fy = np.fft.rfftfreq(size), np.fft.fftfreq(size)[:, None]
    f = np.hypot(fx, fy).astype(np.float32)
    f[0, 0] = 1.0
    gain = np.where((f >= 1.0 / longest) & (f <= 1.0 / shortest), f**-slope, 0.0).astype(np.float32)
    gain[0, 0] = 0.0
    phase = rng.random(f.shape, dtype=np.float32) * np.float32(2.0 * np.pi)
    field = np.fft.irfft2(gain * np.exp(1j * phase), s=(size, size))
    return (field / field.std()).astype(np.float32)


def _byte(field: NDArray[np.float32], deviation: float) -> NDArray[np.uint8]:
    return np.clip(127.5 + 255.0 * deviation * (field / field.std()), 0, 255).astype(np.uint8)
