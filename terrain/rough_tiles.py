"""Tiles of roughness of ISO 8608 from 0.1 to 100 m, made in the space of wave vectors with random phases: the same seed gives the same bits.

Every tile here is of class A; a class above has twice the heights. Amplitudes are those of the isotropic plane spectrum that belongs to the spectrum of a
profile (`terrain.heightmap_detail.rough_field`), divided by what the spline between the nodes leaves of a wave.

Of waves nearly as long as a profile few fit into it, and of a plain random field the sum over an octave of a profile of 500 m scatters by half. So the long
waves are leveled (`_leveled`): phases, not amplitudes, are moved until every line along x and along y has its octaves.
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
"""m. Waves of a profile."""
CROSSOVER = 4.0
"""m. Waves up to this are in the fine tile."""
FINE_NODES, FINE_SPACING = 1024, 0.025
"""and m. Its side is 25.6 m, 6 of its longest waves; larger takes longer to make."""
FINE_SHORTEST = 1.0 / 14.0
"""m. A profile crosses waves obliquely, so those of 0.1 m along it are partly shorter ones."""
FOOTPRINT = 0.25
"""m. Length of a footprint over which a wheel that touches in one point feels the average of the ground. Longer: softer. Shorter: its point jumps."""
TURN = math.radians(23.0)
"""By which the fine tile is turned, so that a straight road does not meet the same profile every 25.6 m."""
COARSE_NODES, COARSE_SIDE = 512, 500.0
"""and m. The side of the coarse tile is the length of the profiles of which classes are told."""
LEVEL_NODES, LEVEL_WAVE, LEVEL_ROUNDS = 128, 11.0, 12
"""Nodes along the side when long waves are leveled, the shortest one in m, and how often. Fewer rounds: more scatter. More: slower, and no better."""
MOST_LEVELED = 20.0
"""Power of an octave over what it should be beyond which a line is not corrected further at once."""

_CLASS = Choice(tuple(ISO_CLASSES[:5]))
ROUGHNESS_FILE = (
    Field("class", _CLASS, "class of ISO 8608"),
    Field("longest", Number("m", 0.2, LONGEST), "longest wave", LONGEST),
    Field("seed", Number("1", 0, 2**32), "number that picks one of the possible grounds", 1),
)
ROUGHNESS_FIELD = Field("roughness", Group(ROUGHNESS_FILE), "roughness all over, waves down to 0.1 m", None)
"""Of terrain files of the types flat, bump and course."""


def roughened(ground: Ground, mapping: Mapping[str, Any]) -> Ground:
    """The ground with the section `roughness` of its file, ROUGHNESS_FIELD, if it has one."""
    return replace(ground, roughness=uniform_roughness(mapping["roughness"])) if "roughness" in mapping else ground


def uniform_roughness(said: Mapping[str, Any]) -> Roughness:
    """Roughness of one class all over, of a section checked by `ROUGHNESS_FILE`."""
    longest, seed = float(said["longest"]), int(said["seed"])
    return roughness_of(fine_tiles(longest, seed), coarse_tile(longest, CROSSOVER, seed), gain_of(said["class"]))


def gain_of(road_class: str) -> float:
    """Heights of a class over those of class A."""
    return math.sqrt(iso_roughness(road_class) / iso_roughness("A"))


def roughness_of(
    fine: tuple[NDArray[np.float32], NDArray[np.float32]],
    coarse: NDArray[np.float32],
    gain: float,
    gains: NDArray[np.floating[Any]] | None = None,
) -> Roughness:
    """Tiles of class A made ready for kernels.

    fine : of `fine_tiles`
    gain : factor all over
    gains : further factor (ny, nx) at the nodes of the ground's grid, 1 at most; 1 everywhere when left out
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
    """Waves of class A from `longest` or CROSSOVER down to SHORTEST, as they are and averaged over a footprint, with half as many nodes."""
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
    """Waves of class A from `longest` down to `shortest`, CROSSOVER or longer; (0, 0) where there are none."""
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
    """Add a tile to heights (ny, nx) of a grid at `origin` (2,) with nodes `spacing` m apart, times `gain` and `share` (ny, nx)."""
    for j in range(heights.shape[0]):
        for i in range(heights.shape[1]):
            if share[j, i] != 0.0:
                u, v = (origin[0] + i * spacing) / tile_spacing, (origin[1] + j * spacing) / tile_spacing
                z, _, _ = tile_and_slopes(tile, u, v)
                heights[j, i] += gain * share[j, i] * z


def _wave_numbers(count: int, spacing: float) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    return np.fft.rfftfreq(count, spacing)[None, :], np.fft.fftfreq(count, spacing)[:, None]


def _waves(count: int, spacing: float, longest: float, shortest: float, seed: int) -> Complex:
    """Waves (count, count / 2 + 1) of class A as `numpy.fft.irfft2` takes them: the amplitudes they should have, random phases.

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
    waves[half + 1 :, 0] = np.conj(waves[half - 1 : 0 : -1, 0])  # of a real field
    return waves


def _nodes(waves: Complex, count: int, spacing: float) -> NDArray[np.float32]:
    """Values of nodes between which a quadratic B-spline has these waves: it leaves sinc(k spacing)^3 of one along each axis."""
    kx, ky = _wave_numbers(count, spacing)
    return np.asarray(np.fft.irfft2(waves / np.sinc(kx * spacing) ** 3 / np.sinc(ky * spacing) ** 3, s=(count, count)), np.float32)


def _leveled(waves: Complex, longest: float) -> Complex:
    """Waves of the same amplitudes whose phases give the lines along x and along y the same power in every octave.

    Power as near to its mean in an octave about each wave number as alternating projections get: scale every line's waves so that they have it, scale the
    waves of the plane back to their amplitudes, and again [the error reduction of Gerchberg and Saxton 1972].
    """
    count, amplitudes = len(waves), np.abs(waves)
    low, high, lines = _octaves_about(count, COARSE_SIDE / longest)
    field = np.fft.irfft2(waves, s=(count, count))
    wanted = _in_octaves(_power(field).mean(axis=0)[None, :], low, high)
    for _ in range(LEVEL_ROUNDS):
        field = _scaled(field, wanted, low, high, lines)
        field = _scaled(field.T, wanted, low, high, lines).T
        moved = np.fft.rfft2(field)
        waves = moved * (amplitudes / np.maximum(np.abs(moved), np.finfo(float).tiny))
        field = np.fft.irfft2(waves, s=(count, count))
    return waves


def _octaves_about(count: int, first: float) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """First line and the one behind the last of the octave about each line of a spectrum, and which lines have one."""
    line = np.arange(count // 2 + 1)
    low = np.maximum(np.ceil(line / math.sqrt(2.0) - 1e-9), math.ceil(first - 1e-9)).astype(np.intp)
    high = np.minimum(np.floor(line * math.sqrt(2.0) + 1e-9) + 1, count // 2 + 1).astype(np.intp)
    has = (line >= first) & (line * LEVEL_WAVE <= COARSE_SIDE) & (high > low)
    return np.where(has, low, 0), np.where(has, high, 1), has


def _power(field: NDArray[np.float64]) -> NDArray[np.float64]:
    spectrum = np.fft.rfft(field, axis=1)
    return np.asarray(spectrum.real**2 + spectrum.imag**2)


def _in_octaves(power: NDArray[np.float64], low: NDArray[np.intp], high: NDArray[np.intp]) -> NDArray[np.float64]:
    total = np.zeros((len(power), power.shape[1] + 1))
    np.cumsum(power, axis=1, out=total[:, 1:])
    return np.asarray(total[:, high] - total[:, low])


def _scaled(
    field: NDArray[np.float64], wanted: NDArray[np.float64], low: NDArray[np.intp], high: NDArray[np.intp], lines: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The field with the waves of every row scaled so that its octaves have the power that is wanted."""
    spectrum = np.fft.rfft(field, axis=1)
    ratio = _in_octaves(spectrum.real**2 + spectrum.imag**2, low, high) / np.maximum(wanted, np.finfo(float).tiny)
    spectrum[:, lines] /= np.sqrt(np.clip(ratio[:, lines], 1.0 / MOST_LEVELED, MOST_LEVELED))
    return np.asarray(np.fft.irfft(spectrum, n=field.shape[1], axis=1))
