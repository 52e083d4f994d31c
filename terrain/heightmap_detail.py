"""Generated detail of height maps: fine nodes, bumps between samples, roughness. The same seed gives identical bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import kernel
from terrain.base_grid import cubic_weights, grid_place

ISO_CLASSES = "ABCDEFGH"
ISO_REFERENCE = 0.1
"""1/m. Wave number n_0 at which ISO 8608 states the roughness."""
TILE = 1024
"""Nodes along a side of a random field; fields are periodic and are repeated on larger grids."""


def iso_roughness(road_class: str) -> float:
    """Return G_d(n_0) in m3, the geometric mean of a class A..H: 16e-6 m3 for A, four times more per class. [ISO 8608:1995, table C.1]"""
    return 16e-6 * 4.0 ** ISO_CLASSES.index(road_class)


def rough_field(
    density: float, waviness: float, longest: float, shortest: float, spacing: float, seed: int, interpolated: bool = False
) -> NDArray[np.float32]:
    """Generate a periodic field (TILE, TILE) of heights in m whose profiles along any straight line have a given spectrum.

    One-sided density of a profile: G(n) = density (n / n_0)^-waviness m3 between the wavelengths `longest` and `shortest` in m, nodes
    `spacing` m apart. The surface is isotropic: a plane spectrum C k^-(w+1) has the profile spectrum 2 C sqrt(pi) gamma(w/2) /
    gamma((w+1)/2) n^-w (integral over the wave number across), which defines C. The band limits apply to k, the length of the
    wave vector, so profiles lose some power near `shortest`. `interpolated`: the surface between the nodes (`terrain.ground`) has the
    spectrum; the short waves of the nodes are larger to compensate for the interpolation.
    """
    w = waviness
    plane = density * ISO_REFERENCE**w * math.gamma((w + 1.0) / 2.0) / (2.0 * math.sqrt(math.pi) * math.gamma(w / 2.0))
    step = 1.0 / (TILE * spacing)
    k = np.hypot(np.fft.fftfreq(TILE, spacing)[:, None], np.fft.rfftfreq(TILE, spacing)[None, :])
    inside = (k >= 1.0 / longest) & (k <= 1.0 / shortest)
    gain = np.zeros_like(k)
    gain[inside] = np.sqrt(plane * k[inside] ** -(w + 1.0)) * step * TILE
    if interpolated:
        gain /= cubic_transfer(np.fft.fftfreq(TILE))[:, None]
        gain /= cubic_transfer(np.fft.rfftfreq(TILE))
    white = np.random.default_rng(seed).standard_normal((TILE, TILE))
    return np.fft.irfft2(np.fft.rfft2(white) * gain, s=(TILE, TILE)).astype(np.float32)


def cubic_transfer(waves: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the gain of Catmull-Rom interpolation for `waves` periods per node, the Fourier transform of its kernel [Keys 1981, eq. 17, a = -1/2]."""
    f = np.where(waves == 0.0, 1e-3, waves)
    sinc, double, quadruple = np.sinc(f), np.sinc(2.0 * f), np.sinc(4.0 * f)
    left = (3.0 * (sinc**2 - double) - (3.0 * double**2 - 2.0 * double - quadruple)) / (np.pi * f) ** 2
    return np.asarray(np.where(waves == 0.0, 1.0, left))


def field_of_rms(rms: float, waviness: float, longest: float, shortest: float, spacing: float, seed: int) -> NDArray[np.float32]:
    """Return `rough_field` scaled to a root mean square of `rms` m; zeros if the grid cannot represent any wave of the band."""
    field = rough_field(1.0, waviness, longest, shortest, spacing, seed)
    size = math.sqrt(float(np.mean(np.square(field, dtype=np.float64))))
    return field * np.float32(rms / size) if size > 0.0 else field


def tiled(field: NDArray[np.float32], shape: tuple[int, int]) -> NDArray[np.float32]:
    """Return a periodic field repeated over a grid of that shape."""
    repeats = tuple(-(-n // m) for n, m in zip(shape, field.shape, strict=True))
    return np.tile(field, repeats)[: shape[0], : shape[1]]


@kernel
def resample(source, source_origin, source_spacing, origin, spacing, blended, out):
    """Fill out (ny, nx) with the Catmull-Rom surface through `source` (any float grid); beyond it, the border values are constant.

    Origins and spacings are (2,) arrays [x, y] in m. The surface is that of `height_and_normal`, but each row of the result interpolates a row of
    the source only once, into `blended` (columns of the source).
    """
    rows, columns = source.shape
    for j in range(out.shape[0]):
        k, v = grid_place(origin[1] + j * spacing[1], source_origin[1], source_spacing[1], rows)
        b = cubic_weights(v)
        for i in range(columns):
            s = 0.0
            for m in range(4):
                s += b[m] * source[min(max(k - 1 + m, 0), rows - 1), i]
            blended[i] = s
        for i in range(out.shape[1]):
            k, u = grid_place(origin[0] + i * spacing[0], source_origin[0], source_spacing[0], columns)
            a0, a1, a2, a3 = cubic_weights(u)
            k0, k1 = min(max(k - 1, 0), columns - 1), min(max(k, 0), columns - 1)
            k2, k3 = min(max(k + 1, 0), columns - 1), min(max(k + 2, 0), columns - 1)
            out[j, i] = a0 * blended[k0] + a1 * blended[k1] + a2 * blended[k2] + a3 * blended[k3]


def mosaic(
    shares: list[float], size: float, relief: float, heights: NDArray[np.float32], origin: NDArray[np.float64], spacing: float, seed: int
) -> NDArray[np.uint8]:
    """Return indices (ny, nx) of soils in natural-looking patches: contour bands of a weighted sum of a random field and the heights.

    Parameters
    ----------
    shares : fraction of the area of each soil, in any unit; neighbors in the list have common borders, the first is in the lowest places
    size : wavelength in m of the larger patches
    relief : correlation of the soils with the heights (ny, nx), 0 to 1
    """
    coarse = max(spacing, size / 32.0)
    field = field_of_rms(1.0, 2.5, 2.0 * size, 0.1 * size, coarse, seed)
    values = np.empty_like(heights)
    resample(field, origin, np.full(2, coarse), origin, np.full(2, spacing), np.empty(field.shape[1]), values)
    deviation = float(heights.std())
    if deviation > 0.0:
        values *= np.float32(1.0 - relief)
        values += (heights - heights.mean()) * np.float32(relief / deviation)
    edges = np.quantile(values[::4, ::4], np.cumsum(shares)[:-1] / np.sum(shares))
    return np.searchsorted(edges, values.ravel()).astype(np.uint8).reshape(heights.shape)
