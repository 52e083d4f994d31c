"""Textures from seeded noise, computed at start: fine shading of the ground, clouds of the sky."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SUN = np.array([-0.6326, -0.5408, 0.5544])
"""Unit vector towards the sun of the default weather (`simulator.weather.CLEAR`), in W."""
SIZE = 512


def grain(seed: int = 7) -> NDArray[np.uint8]:
    """Return a periodic texture (SIZE, SIZE, 4): asphalt, stones and clods in sunlight, clouds; each with mean one half."""
    rng = np.random.default_rng(seed)
    asphalt = _sunlit(_band(rng, 2.0, 7.0, 0.0)) * 0.75 + _band(rng, 2.0, 4.0, 0.0) * 0.5
    stones = np.tanh(1.6 * _band(rng, 7.0, 22.0, 0.4)) + 0.35 * _band(rng, 2.0, 8.0, 0.0)
    clods = _sunlit(_band(rng, 4.0, 90.0, 1.1)) + 0.35 * _band(rng, 3.0, 9.0, 0.0)
    clouds = _band(rng, 3.0, 512.0, 1.75)
    layers = (_byte(asphalt, 0.17), _byte(0.55 * stones + 0.75 * _sunlit(stones), 0.17), _byte(clods, 0.17), _byte(clouds, 0.16))
    return np.dstack(layers)


def _band(rng: np.random.Generator, shortest: float, longest: float, slope: float) -> NDArray[np.float32]:
    """Return periodic noise of unit deviation with wavelengths between two limits in texels and amplitudes as wavelength^slope."""
    fx, fy = np.fft.rfftfreq(SIZE), np.fft.fftfreq(SIZE)[:, None]
    f = np.hypot(fx, fy).astype(np.float32)
    f[0, 0] = 1.0
    gain = np.where((f >= 1.0 / longest) & (f <= 1.0 / shortest), f**-slope, 0.0).astype(np.float32)
    gain[0, 0] = 0.0
    phase = rng.random(f.shape, dtype=np.float32) * np.float32(2.0 * np.pi)
    field = np.fft.irfft2(gain * np.exp(1j * phase), s=(SIZE, SIZE))
    return (field / field.std()).astype(np.float32)


def _sunlit(height: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the shading of a height field: its slope towards the sun, with unit deviation."""
    fall = SUN[0] * (np.roll(height, 1, 1) - np.roll(height, -1, 1)) + SUN[1] * (np.roll(height, 1, 0) - np.roll(height, -1, 0))
    return (fall / fall.std()).astype(np.float32)


def _byte(field: NDArray[np.float32], deviation: float) -> NDArray[np.uint8]:
    return np.clip(127.5 + 255.0 * deviation * (field / field.std()), 0, 255).astype(np.uint8)
