"""Tiles of ISO 8608 roughness from 0.1 to 100 m, generated in wave-vector space with random phases; the same seed gives identical bits.

All tiles here are of class A; the next class has heights twice as large. Amplitudes are those of the isotropic plane spectrum that corresponds to the
spectrum of a profile (`terrain.heightmap_detail.rough_field`), divided by the transfer function of the spline between the nodes.

Few waves of nearly the length of a profile fit into it. For a plain random field, the power in an octave of a profile of 500 m scatters by half. The
long waves are therefore leveled (`_leveled`): their phases, not their amplitudes, are changed until every line along x and y has the power of its octaves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Choice, Field, Group, Number
from simulator.base.jit import kernel
from simulator.base.records import record
from terrain.ground import Ground
from terrain.heightmap_detail import ISO_CLASSES, ISO_REFERENCE, iso_roughness
from terrain.roughness import GAIN_STEPS, ROUGHNESS, Roughness, steepest_of_tile, tile_and_slopes

Complex = NDArray[np.complexfloating[Any, Any]]

LONGEST, SHORTEST = 100.0, 0.1
"""m. Longest and shortest wave of a profile."""
CROSSOVER = 4.0
"""m. Waves up to this length are in the fine tile."""
FINE_NODES, FINE_SPACING = 1024, 0.025
"""Nodes and m. Its side is 25.6 m, 6 of its longest waves; a larger tile takes longer to generate."""
FINE_SHORTEST = 1.0 / 14.0
"""m. A profile crosses waves obliquely, so waves of 0.1 m along it are partly shorter waves of the plane."""
FOOTPRINT = 0.25
"""m. Length of the footprint over which a wheel with one contact point averages the ground. Longer: softer. Shorter: the contact point jumps."""
TURN = math.radians(23.0)
"""rad. Rotation of the fine tile, so that a straight road does not repeat its profile every 25.6 m."""
COARSE_NODES, COARSE_SIDE = 512, 500.0
"""Nodes and m. The side of the coarse tile equals the length of the profiles for which classes are reported."""
LEVEL_NODES, LEVEL_WAVE, LEVEL_ITERATIONS = 128, 11.0, 12
"""Nodes along the side for the leveling of long waves, the shortest leveled wave in m, and the number of iterations. Fewer iterations: more scatter.
More: slower, without an improvement."""
MAX_LEVELING = 20.0
"""Limit of the ratio of the power of an octave to its target that one iteration corrects."""

_CLASS = Choice(tuple(ISO_CLASSES[:5]))
ROUGHNESS_FILE = (
    Field("class", _CLASS, "ISO 8608 class"),
    Field("longest", Number("m", 0.2, LONGEST), "longest wavelength", LONGEST),
    Field("seed", Number("1", 0, 2**32), "seed of the random field", 1),
)
ROUGHNESS_FIELD = Field("roughness", Group(ROUGHNESS_FILE), "roughness of the entire ground, waves down to 0.1 m", None)
"""Field of terrain files of the types flat, bump and course."""


def roughened(ground: Ground, mapping: Mapping[str, Any]) -> Ground:
    """Return the ground with the roughness of its file, section ROUGHNESS_FIELD, if present."""
    return replace(ground, roughness=uniform_roughness(mapping["roughness"])) if "roughness" in mapping else ground


def uniform_roughness(options: Mapping[str, Any]) -> Roughness:
    """Return a uniform roughness from a section checked by `ROUGHNESS_FILE`."""
    longest, seed = float(options["longest"]), int(options["seed"])
    return roughness_of(fine_tiles(longest, seed), coarse_tile(longest, CROSSOVER, seed), gain_of(options["class"]))


def gain_of(road_class: str) -> float:
    """Return the ratio of the heights of a class to those of class A."""
    return math.sqrt(iso_roughness(road_class) / iso_roughness("A"))


def roughness_of(
    fine: tuple[NDArray[np.float32], NDArray[np.float32]],
    coarse: NDArray[np.float32],
    gain: float,
    gains: NDArray[np.floating[Any]] | None = None,
) -> Roughness:
    """Return the roughness arrays of class A tiles, for kernels.

    Parameters
    ----------
    fine : result of `fine_tiles`
    coarse : result of `coarse_tile`
    gain : constant factor
    gains : additional factor (ny, nx) at the nodes of the grid of the ground, at most 1; default: 1 everywhere
    """
    p = record(ROUGHNESS)
    r = p[0]
    r["gain"], r["axis"] = gain, (math.cos(TURN), math.sin(TURN))
    r["fine_spacing"], r["footprint_spacing"], r["coarse_spacing"] = FINE_SPACING, 2.0 * FINE_SPACING, COARSE_SIDE / COARSE_NODES
    r["steepest"] = gain * (steepest_of_tile(fine[0], FINE_SPACING) + steepest_of_tile(coarse, COARSE_SIDE / COARSE_NODES))
    grid = np.zeros((0, 0), np.uint8) if gains is None else np.rint(gains * np.float32(GAIN_STEPS)).astype(np.uint8)
    return Roughness(p, *fine, coarse, grid)


@lru_cache(maxsize=4)
def fine_tiles(longest: float, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return waves of class A from `longest` or CROSSOVER down to SHORTEST: the fine tile, and its average over a footprint with half as many nodes."""
    waves = _waves(FINE_NODES, FINE_SPACING, min(longest, CROSSOVER), FINE_SHORTEST, seed)
    kx, ky = _wave_numbers(FINE_NODES, FINE_SPACING)
    spread = FOOTPRINT**2 / 12.0  # square of the standard deviation
    averaged = waves * np.exp(-2.0 * math.pi**2 * spread * kx**2) * np.exp(-2.0 * math.pi**2 * spread * ky**2)
    count, half = FINE_NODES // 2, FINE_NODES // 4
    low = np.asarray(np.concatenate((averaged[:half, : half + 1], averaged[-half:, : half + 1])), np.complex128) * 0.25
    low[half, :] = low[:, half] = 0.0
    return _nodes(waves, FINE_NODES, FINE_SPACING), _nodes(low, count, 2.0 * FINE_SPACING)


@lru_cache(maxsize=4)
def coarse_tile(longest: float, shortest: float, seed: int) -> NDArray[np.float32]:
    """Return waves of class A from `longest` down to `shortest`, CROSSOVER or longer; (0, 0) if the range is empty."""
    if longest <= shortest:
        return np.zeros((0, 0), np.float32)
    spacing = COARSE_SIDE / COARSE_NODES
    split = max(LEVEL_WAVE, shortest)
    waves = np.zeros((COARSE_NODES, COARSE_NODES // 2 + 1), np.complex128)
    if longest > split:
        long = _waves(LEVEL_NODES, COARSE_SIDE / LEVEL_NODES, longest, split, seed + 1)
        half, share = LEVEL_NODES // 2, (COARSE_NODES / LEVEL_NODES) ** 2
        long = _leveled(long, longest) * share
        waves[:half, : half + 1], waves[-half:, : half + 1] = long[:half], long[-half:]
    if shortest < split:
        waves += _waves(COARSE_NODES, spacing, min(longest, split), shortest, seed + 2)
    return _nodes(waves, COARSE_NODES, spacing)


@kernel
def lay_tile(tile, tile_spacing, gain, share, origin, spacing, heights):
    """Add a tile to heights (ny, nx) of a grid at `origin` (2,) with nodes `spacing` m apart, multiplied by `gain` and `share` (ny, nx)."""
    for j in range(heights.shape[0]):
        for i in range(heights.shape[1]):
            if share[j, i] != 0.0:
                u, v = (origin[0] + i * spacing) / tile_spacing, (origin[1] + j * spacing) / tile_spacing
                z, _, _ = tile_and_slopes(tile, u, v)
                heights[j, i] += gain * share[j, i] * z


def _wave_numbers(count: int, spacing: float) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """Return the wave numbers (1, count / 2 + 1) along x and (count, 1) along y, in 1/m."""
    return np.fft.rfftfreq(count, spacing)[None, :], np.fft.fftfreq(count, spacing)[:, None]


def _waves(count: int, spacing: float, longest: float, shortest: float, seed: int) -> Complex:
    """Return waves (count, count / 2 + 1) of class A for `numpy.fft.irfft2`, with the nominal amplitudes and random phases.

    The plane spectrum of waviness 2 is C / k^3 with C = G_d(n_0) n_0^2 / 4, see `terrain.heightmap_detail.rough_field`.
    """
    kx, ky = _wave_numbers(count, spacing)
    k = np.hypot(kx, ky)
    inside = (k >= 1.0 / longest) & (k < 1.0 / shortest)
    inside[count // 2, :] = inside[:, count // 2] = False
    size = math.sqrt(iso_roughness("A") / 4.0) * ISO_REFERENCE * count / spacing
    waves = np.zeros(k.shape, np.complex128)
    angle = 2.0 * np.pi * np.random.default_rng(seed).random(k.shape)[inside]
    waves[inside] = size * k[inside] ** -1.5 * (np.cos(angle) + 1j * np.sin(angle))
    half = count // 2
    waves[half + 1 :, 0] = np.conj(waves[half - 1 : 0 : -1, 0])  # symmetry of the spectrum of a real field
    return waves


def _nodes(waves: Complex, count: int, spacing: float) -> NDArray[np.float32]:
    """Return node values whose quadratic B-spline has these waves; the spline attenuates a wave by sinc(k spacing)^3 along each axis."""
    kx, ky = _wave_numbers(count, spacing)
    return np.asarray(np.fft.irfft2(waves / np.sinc(kx * spacing) ** 3 / np.sinc(ky * spacing) ** 3, s=(count, count)), np.float32)


def _leveled(waves: Complex, longest: float) -> Complex:
    """Return waves of the same amplitudes whose phases give all lines along x and along y the same power in every octave.

    Alternating projections bring the power in an octave about each wave number close to its mean: scale the waves of each line to the target power, scale
    the waves of the plane back to their amplitudes, repeat [error reduction, Gerchberg and Saxton 1972].
    """
    count, amplitudes = len(waves), np.abs(waves)
    low, high, lines = _octaves_about(count, COARSE_SIDE / longest)
    field = np.fft.irfft2(waves, s=(count, count))
    target = _in_octaves(_power(field).mean(axis=0)[None, :], low, high)
    for _ in range(LEVEL_ITERATIONS):
        field = _scaled(field, target, low, high, lines)
        field = _scaled(field.T, target, low, high, lines).T
        moved = np.fft.rfft2(field)
        waves = moved * (amplitudes / np.maximum(np.abs(moved), np.finfo(float).tiny))
        field = np.fft.irfft2(waves, s=(count, count))
    return waves


def _octaves_about(count: int, first: float) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """Return the first line and the line after the last of the octave about each line of a spectrum, and a mask of the lines that have an octave."""
    line = np.arange(count // 2 + 1)
    low = np.maximum(np.ceil(line / math.sqrt(2.0) - 1e-9), math.ceil(first - 1e-9)).astype(np.intp)
    high = np.minimum(np.floor(line * math.sqrt(2.0) + 1e-9) + 1, count // 2 + 1).astype(np.intp)
    has = (line >= first) & (line * LEVEL_WAVE <= COARSE_SIDE) & (high > low)
    return np.where(has, low, 0), np.where(has, high, 1), has


def _power(field: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the power spectrum of each row."""
    spectrum = np.fft.rfft(field, axis=1)
    return np.asarray(spectrum.real**2 + spectrum.imag**2)


def _in_octaves(power: NDArray[np.float64], low: NDArray[np.intp], high: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the power in the octave about each line."""
    total = np.zeros((len(power), power.shape[1] + 1))
    np.cumsum(power, axis=1, out=total[:, 1:])
    return np.asarray(total[:, high] - total[:, low])


def _scaled(
    field: NDArray[np.float64], target: NDArray[np.float64], low: NDArray[np.intp], high: NDArray[np.intp], lines: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the field with the waves of each row scaled so that the octaves have the target power."""
    spectrum = np.fft.rfft(field, axis=1)
    ratio = _in_octaves(spectrum.real**2 + spectrum.imag**2, low, high) / np.maximum(target, np.finfo(float).tiny)
    spectrum[:, lines] /= np.sqrt(np.clip(ratio[:, lines], 1.0 / MAX_LEVELING, MAX_LEVELING))
    return np.asarray(np.fft.irfft(spectrum, n=field.shape[1], axis=1))
