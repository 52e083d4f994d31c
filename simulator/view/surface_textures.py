"""Textures of the surfaces of the ground, computed from seeded noise and stamps, and cached on disk.

A texture shows PERIOD x PERIOD meters and repeats without a seam. Its channels describe the surface independent of its color and of the sun:
brightness (one half on average), variation (height, which also shifts the hue), and the slopes along x and y.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.disk_cache import cached_arrays, digest_of
from simulator.view.textures import band

LAYERS = ("ASPHALT", "CONCRETE", "GRAVEL", "SAND", "MUD", "GRASS", "SNOW", "ROCK", "DIRT", "LITTER")
"""Names of the layers."""
ASPHALT, CONCRETE, GRAVEL, SAND, MUD, GRASS, SNOW, ROCK, DIRT, LITTER = range(len(LAYERS))
LAYER_DEFINES = tuple(f"{name} {k}.0" for k, name in enumerate(LAYERS))
"""Names of the layers for shaders."""
SIZE = 512
"""Texels along a side; a texel is 8 mm, about a pixel of a near wheel."""
PERIOD = 4.0
"""m. Side of a texture."""
SEED = 11

Field = NDArray[np.float32]


def surface_textures() -> NDArray[np.uint8]:
    """Return the textures (layers, SIZE, SIZE, 4), from the cache of the user if it has them."""
    code = [Path(file).read_bytes() for file in (__file__, Path(__file__).with_name("textures.py"))]
    return cached_arrays("textures", digest_of(*code), lambda: {"layers": make_surface_textures()})["layers"]


def make_surface_textures() -> NDArray[np.uint8]:
    """Compute the textures; about a second."""
    makers = (_asphalt, _concrete, _gravel, _sand, _mud, _grass, _snow, _rock, _dirt, _litter)
    return np.stack([make(np.random.default_rng([SEED, k])) for k, make in enumerate(makers)])


def _asphalt(rng: np.random.Generator) -> NDArray[np.uint8]:
    height, tint = _stones(rng, ((1, 26_000), (2, 5200)), 1.0)
    chips = np.clip(height, 0.0, 1.0)
    light = 0.30 * (tint - 0.5) * chips + 0.22 * chips + 0.05 * _noise(rng, 2.0, 5.0, 0.0) + 0.035 * _noise(rng, 12.0, 64.0, 0.5)
    return _layer(light, height, 0.35)


def _concrete(rng: np.random.Generator) -> NDArray[np.uint8]:
    pits = np.minimum(_noise(rng, 3.0, 8.0, 0.3) + 1.9, 0.0)
    broom = _noise(rng, 2.0, 6.0, 0.0)
    broom = (broom + np.roll(broom, 1, 1) + np.roll(broom, 2, 1) + np.roll(broom, 3, 1)) * 0.5
    light = 0.035 * broom + 0.10 * pits + 0.04 * _noise(rng, 16.0, 90.0, 0.8) + 0.02 * _noise(rng, 2.0, 4.0, 0.0)
    return _layer(light, 0.4 * broom + 2.0 * pits, 0.16)


def _gravel(rng: np.random.Generator) -> NDArray[np.uint8]:
    height, tint = _stones(rng, ((1, 30_000), (2, 12_000), (3, 3400), (4, 900), (6, 90)), 1.0)
    light = 0.30 * (tint - 0.5) + 0.13 * (_cavity(height, 2) + _cavity(height, 7)) + 0.03 * _noise(rng, 2.0, 4.0, 0.0)
    return _layer(light, height, 0.34, hue=tint)


def _sand(rng: np.random.Generator) -> NDArray[np.uint8]:
    y, x = np.mgrid[0:SIZE, 0:SIZE] * (2.0 * np.pi / SIZE)
    warp = 1.5 * _noise(rng, 50.0, 256.0, 1.0) + 0.35 * _noise(rng, 16.0, 50.0, 0.6)
    wave = np.sin(24.0 * x + 5.0 * y + warp)
    ripple = (wave + 0.35 * np.sin(48.0 * x + 10.0 * y + 2.0 * warp + 0.8)) * (0.75 + 0.25 * np.tanh(_noise(rng, 60.0, 256.0, 1.0)))
    grains = _noise(rng, 2.0, 3.0, 0.0)
    return _layer(0.045 * ripple + 0.05 * grains + 0.02 * _noise(rng, 20.0, 120.0, 0.5), 1.5 * ripple + 0.22 * grains, 0.22)


def _mud(rng: np.random.Generator) -> NDArray[np.uint8]:
    clods, _ = _stones(rng, ((3, 1500), (6, 600), (10, 190), (16, 50)), 0.8)
    rough = _noise(rng, 3.0, 30.0, 0.9)
    height = 0.9 * _blurred(clods, 1) + 0.5 * rough + 1.6 * _noise(rng, 30.0, 130.0, 1.0)
    return _layer(0.11 * _cavity(height, 6) + 0.05 * rough + 0.03 * _noise(rng, 30.0, 130.0, 0.8), height, 0.26)


def _grass(rng: np.random.Generator) -> NDArray[np.uint8]:
    tufts = _noise(rng, 20.0, 100.0, 0.6)
    height, tint = _strokes(rng, 15_000, (8, 22), 5.5, tufts)
    light = 0.30 * (height / 5.5 - 0.5) + 0.22 * (tint - 0.5) + 0.035 * tufts
    return _layer(light, height + tufts, 0.16, hue=0.65 * tint + 0.12 * tufts)


def _snow(rng: np.random.Generator) -> NDArray[np.uint8]:
    drift = _noise(rng, 24.0, 200.0, 1.2)
    crystals = _noise(rng, 2.0, 3.0, 0.0)
    light = 0.012 * drift + 0.018 * crystals + 0.05 * (crystals > 2.6)
    return _layer(light, 3.2 * drift + 0.10 * crystals + 0.4 * _noise(rng, 5.0, 20.0, 0.6), 0.12)


def _rock(rng: np.random.Generator) -> NDArray[np.uint8]:
    blocks, tint = _stones(rng, ((8, 900), (16, 260), (30, 80)), 0.35)
    fine = _noise(rng, 2.0, 24.0, 0.9)
    height = np.tanh(0.35 * blocks) * 6.0 + 1.4 * _noise(rng, 12.0, 200.0, 1.2) + 0.6 * fine
    light = 0.13 * _cavity(height, 5) + 0.05 * fine + 0.16 * (tint - 0.5) + 0.04 * _noise(rng, 30.0, 200.0, 0.8)
    return _layer(light, height, 0.22, hue=tint + 0.15 * fine)


def _dirt(rng: np.random.Generator) -> NDArray[np.uint8]:
    crumbs, tint = _stones(rng, ((1, 9000), (2, 2600), (3, 700), (5, 120)), 1.0)
    soil = _noise(rng, 2.0, 30.0, 0.7)
    height = crumbs + 0.6 * soil + 1.0 * _noise(rng, 24.0, 120.0, 0.9)
    light = 0.14 * (tint - 0.5) * (crumbs > 0.1) + 0.055 * soil + 0.16 * _cavity(height, 5) + 0.03 * _noise(rng, 30.0, 120.0, 0.5)
    return _layer(light, height, 0.30)


def _litter(rng: np.random.Generator) -> NDArray[np.uint8]:
    leaves, tint = _stones(rng, ((2, 9000), (3, 6500), (4, 3000), (5, 900)), 0.35)
    twigs, dark = _strokes(rng, 420, (24, 60), 3.0)
    twig = twigs > leaves + 0.8
    height = np.maximum(leaves, twigs)
    light = 0.40 * (np.where(twig, 0.15 + 0.4 * dark, tint**1.5) - 0.45) + 0.12 * _cavity(height, 4)
    return _layer(light, height, 0.34, hue=tint)


def _noise(rng: np.random.Generator, shortest: float, longest: float, slope: float) -> Field:
    return band(rng, shortest, longest, slope, SIZE)


def _stones(rng: np.random.Generator, sizes: tuple[tuple[int, int], ...], steepness: float) -> tuple[Field, Field]:
    """Return heights in texels of a bed of pebbles, and a tint 0..1 of each pebble; sizes: radius in texels and number of pebbles."""
    bed = np.zeros(SIZE * SIZE, np.int64)
    for radius, count in sizes:
        x, y, turn = rng.random(count) * SIZE, rng.random(count) * SIZE, rng.random(count) * np.pi
        r = radius * (0.75 + 0.5 * rng.random(count)) + 0.3
        side = np.arange(-radius - 2, radius + 3)
        v, u = (axis.ravel() for axis in np.meshgrid(side, side, indexing="ij"))
        px, py = np.floor(x)[:, None] + u, np.floor(y)[:, None] + v
        dx, dy = px + 0.5 - x[:, None], py + 0.5 - y[:, None]
        c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
        # pebbles are longer than wide, and blunt
        away = ((c * dx + s * dy) ** 2 + 1.7 * (c * dy - s * dx) ** 2) / (r[:, None] ** 2)
        rise = steepness * r[:, None] * np.sqrt(np.clip(1.0 - away**1.5, 0.0, 1.0))
        code = (rise * 256.0).astype(np.int64) * 256 + (rng.random(count) * 255.0).astype(np.int64)[:, None]
        np.maximum.at(bed, ((py.astype(int) % SIZE) * SIZE + px.astype(int) % SIZE).ravel(), np.where(rise > 0.0, code, 0).ravel())
    return _unpacked(bed)


def _strokes(
    rng: np.random.Generator, count: int, lengths: tuple[int, int], top: float, density: Field | None = None
) -> tuple[Field, Field]:
    """Return heights in texels of curved strokes, such as blades of grass or twigs, and a tint 0..1 of each stroke.

    lengths : in texels; top : maximum height; density : few strokes where it is below -1
    """
    x, y = rng.random(count) * SIZE, rng.random(count) * SIZE
    if density is not None:
        keep = density[y.astype(int), x.astype(int)] > -1.3 + 0.8 * rng.standard_normal(count)
        x, y = x[keep], y[keep]
    n = len(x)
    length, turn, bend = rng.uniform(*lengths, n), rng.random(n) * 2.0 * np.pi, rng.uniform(-0.9, 0.9, n)
    t = np.linspace(0.0, 1.0, 2 * lengths[1])
    angle = turn[:, None] + bend[:, None] * t
    column = np.floor(x[:, None] + length[:, None] * t * np.cos(angle)).astype(int) % SIZE
    row = np.floor(y[:, None] + length[:, None] * t * np.sin(angle)).astype(int) % SIZE
    rise = top * (0.35 + 0.65 * rng.random(n)[:, None]) * (0.25 + 0.75 * t)
    code = (rise * 256.0).astype(np.int64) * 256 + (rng.random(n) * 255.0).astype(np.int64)[:, None]
    bed = np.zeros(SIZE * SIZE, np.int64)
    np.maximum.at(bed, (row * SIZE + column).ravel(), code.ravel())
    return _unpacked(bed)


def _unpacked(bed: NDArray[np.int64]) -> tuple[Field, Field]:
    height, tint = bed // 256 / 256.0, bed % 256 / 255.0
    return height.reshape(SIZE, SIZE).astype(np.float32), tint.reshape(SIZE, SIZE).astype(np.float32)


def _cavity(height: Field, reach: int) -> Field:
    """Return how far a height is above its neighborhood, -1..1: hollows are dark."""
    above = height - _blurred(height, reach)
    return np.tanh(above / (above.std() + 1e-6) * 0.8)


def _blurred(field: Field, reach: int) -> Field:
    """Return the mean over a square of about 2 `reach` + 1 texels."""
    for axis in (0, 1):
        total = np.zeros_like(field)
        for k in range(-reach, reach + 1):
            total += np.roll(field, k, axis)
        total *= np.float32(1.0 / (2 * reach + 1))
        field = total
    return field


def _layer(light: Field, height: Field, strength: float, hue: Field | None = None) -> NDArray[np.uint8]:
    """Return a layer; light: deviation of the brightness from one half; strength: slope per texel of height; hue: by default the height."""
    # what is wider than a meter would show the repetition
    light = light - _blurred(_blurred(light, 40), 40)
    shift = height if hue is None else hue
    shift = (shift - shift.mean()) / (shift.std() + 1e-6)
    slopes = [strength * 0.5 * (np.roll(height, 1, axis) - np.roll(height, -1, axis)) for axis in (1, 0)]
    bright = np.clip(127.5 + 255.0 * (light - light.mean()), 0, 255)
    return np.dstack((bright, np.clip(127.5 + 50.0 * shift, 0, 255), *(np.clip(128.0 + 127.0 * s, 1, 255) for s in slopes))).astype(
        np.uint8
    )
