"""Textures of leaves, needles and bark, drawn by a seeded program: bright on transparent ground, colored by the plant. No OpenGL here."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.disk_cache import cached_arrays, digest_of

TILE = 256
"""Texels along a side of a tile."""
TILES = ("oak", "birch", "maple", "hazel", "spruce", "pine", "reed", "grass")
"""Tiles of the texture of leaves: COLUMNS in a row, from v = 0 on."""
COLUMNS = 4
BARK = 256
"""Texels along a side of the texture of bark, which repeats."""

Image = NDArray[np.floating[Any]]


class _Tile:
    """Tile that is painted from back to front: brightness, hue (0.5 = that of the plant, 1 = yellow) and coverage, each 0 to 1."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.look = np.zeros((TILE, TILE, 2), np.float32)
        self.cover = np.zeros((TILE, TILE), np.float32)

    def _put(self, rows: slice, columns: slice, cover: Image, light: Image | float, hue: float) -> None:
        look, old = self.look[rows, columns], self.cover[rows, columns]
        look[..., 0] += cover * (light - look[..., 0])
        look[..., 1] += cover * (hue - look[..., 1])
        np.maximum(old, cover, out=old)

    def _around(self, x: float, y: float, reach: float) -> tuple[slice, slice, Image, Image]:
        """Return the rows and columns around a point, and the texels there relative to the point."""
        x0, x1 = max(int(x - reach), 2), min(int(x + reach) + 2, TILE - 2)
        y0, y1 = max(int(y - reach), 2), min(int(y + reach) + 2, TILE - 2)
        v, u = np.mgrid[y0 : max(y1, y0), x0 : max(x1, x0)].astype(np.float32)
        return slice(y0, max(y1, y0)), slice(x0, max(x1, x0)), u + 0.5 - x, v + 0.5 - y

    def leaf(self, x: float, y: float, angle: float, length: float, width: float, light: float, lobes: int = 0) -> None:
        """Paint a leaf from its middle; width over length; lobes: number of lobes along each edge."""
        rows, columns, u, v = self._around(x, y, 0.55 * length)
        c, s = math.cos(angle), math.sin(angle)
        along, across = (c * u + s * v) / (0.5 * length), (c * v - s * u) / (0.5 * length)
        edge = width * np.maximum(1.0 - along * along, 0.0) ** 0.7 * (1.0 - 0.25 * along)
        if lobes:
            edge *= 0.78 + 0.32 * np.cos(lobes * math.pi * along)
        cover = np.clip((edge - np.abs(across)) * 0.5 * length + 0.5, 0.0, 1.0)
        vein = np.exp(-((across / 0.07) ** 2)) * 0.22
        side = np.where(across > 0.0, 0.07, -0.07)
        self._put(rows, columns, cover, light * (1.0 + vein + side), float(self.random.uniform(0.35, 0.75)))

    def stroke(self, start: tuple[float, float], end: tuple[float, float], width: float, light: float, hue: float = 0.5) -> None:
        """Paint a straight needle, stalk or blade that becomes thinner towards its end."""
        (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
        length = max(math.hypot(dx, dy), 1e-3)
        rows, columns, u, v = self._around(x + 0.5 * dx, y + 0.5 * dy, 0.5 * length + width)
        u, v = u + 0.5 * dx, v + 0.5 * dy
        along = np.clip((u * dx + v * dy) / length**2, 0.0, 1.0)
        gap = np.hypot(u - along * dx, v - along * dy)
        cover = np.clip(0.5 * width * (1.0 - 0.6 * along) + 0.5 - gap, 0.0, 1.0)
        self._put(rows, columns, cover, light, hue)


def leaf_tiles(seed: int = 11) -> NDArray[np.uint8]:
    """Return the texture of leaves (rows, columns, 4): brightness, hue, 0, coverage."""
    rows = len(TILES) // COLUMNS
    out = np.zeros((rows * TILE, COLUMNS * TILE, 4), np.uint8)
    for k, name in enumerate(TILES):
        tile = _Tile(seed + k)
        {"spruce": _spray, "pine": _tufts, "reed": _blades, "grass": _blades}.get(name, _leaves)(tile, name)
        r, c = divmod(k, COLUMNS)
        block = out[r * TILE : (r + 1) * TILE, c * TILE : (c + 1) * TILE]
        block[..., :2] = np.clip(255.0 * tile.look, 0.0, 255.0)
        block[..., 3] = 255.0 * tile.cover
    return out


_LEAVES = {
    # number, length [texels], width over length, lobes, reach of the cluster
    "oak": (560, 25.0, 0.42, 3, 0.45), "birch": (600, 17.0, 0.52, 0, 0.45), "maple": (500, 26.0, 0.58, 2, 0.46),
    "hazel": (340, 31.0, 0.52, 0, 0.46),
}  # fmt: skip


def _leaves(tile: _Tile, name: str) -> None:
    """Paint a cluster of leaves on twigs: dark ones behind, bright ones in front."""
    number, length, width, lobes, reach = _LEAVES[name]
    random, middle = tile.random, 0.5 * TILE
    phase = random.uniform(0.0, math.tau, 2)
    for _ in range(9):
        angle = random.uniform(0.0, math.tau)
        end = middle + reach * 0.9 * TILE * np.array((math.cos(angle), math.sin(angle)))
        tile.stroke((middle, middle), (float(end[0]), float(end[1])), 4.0, 0.25, 0.6)
    for k in range(number):
        angle = random.uniform(0.0, math.tau)
        ragged = 0.86 + 0.09 * math.sin(3.0 * angle + phase[0]) + 0.07 * math.sin(5.0 * angle + phase[1])
        r = reach * ragged * TILE * math.sqrt(random.uniform(0.0, 1.0))
        x, y = middle + r * math.cos(angle), middle + r * math.sin(angle)
        light = (0.38 + 0.45 * k / number) * random.uniform(0.8, 1.2)
        tile.leaf(x, y, angle + random.normal(0.0, 0.9), length * random.uniform(0.75, 1.15), width, light, lobes)


def _spray(tile: _Tile, name: str) -> None:
    """Paint a branch of a spruce, from its root at the lower edge: twigs on both sides, each with needles."""
    random, middle = tile.random, 0.5 * TILE
    twigs = [((middle, 4.0), (middle, TILE - 8.0))]
    for k in range(13):
        y, side = 10.0 + k * (TILE - 40.0) / 13.0, -1.0 if k % 2 else 1.0
        reach = 0.46 * TILE * (1.0 - (y / TILE) ** 1.7) * random.uniform(0.85, 1.05)
        for toward in (side, -side):
            twigs.append(((middle, y), (middle + toward * reach, y + 0.62 * reach + random.normal(0.0, 4.0))))
    for (x0, y0), (x1, y1) in twigs:
        length = math.hypot(x1 - x0, y1 - y0)
        along = math.atan2(y1 - y0, x1 - x0)
        for s in np.arange(0.0, length, 3.2):
            x, y = x0 + (x1 - x0) * s / length, y0 + (y1 - y0) * s / length
            for side in (-1.0, 1.0):
                angle = along + side * random.uniform(0.5, 0.95)
                size = 15.0 * random.uniform(0.8, 1.2) * (1.0 - 0.35 * s / length)
                light = 0.36 + 0.30 * s / length + random.uniform(-0.08, 0.16)
                tile.stroke((x, y), (x + size * math.cos(angle), y + size * math.sin(angle)), 3.2, light, 0.4 + 0.3 * s / length)
        tile.stroke((x0, y0), (x1, y1), 3.4, 0.34, 0.62)


def _tufts(tile: _Tile, name: str) -> None:
    """Paint bunches of long needles, as of a pine."""
    random, middle = tile.random, 0.5 * TILE
    for k in range(17):
        angle, r = k * 2.39996, 0.30 * TILE * math.sqrt(k / 17.0)
        x, y = middle + r * math.cos(angle), middle + r * math.sin(angle)
        tile.stroke((middle, middle), (x, y), 4.0, 0.26, 0.65)
        for _ in range(46):
            turn, size = random.uniform(0.0, math.tau), random.uniform(22.0, 42.0)
            light = 0.34 + 0.30 * k / 17.0 + random.uniform(-0.1, 0.16)
            tile.stroke((x, y), (x + size * math.cos(turn), y + size * math.sin(turn)), 3.0, light, float(random.uniform(0.35, 0.65)))


def _blades(tile: _Tile, name: str) -> None:
    """Paint blades of grass or reed that rise from the lower edge and bend."""
    random, number, width = tile.random, *((90, 6.0) if name == "grass" else (46, 8.0))
    for k in range(number):
        x, lean = random.uniform(0.2, 0.8) * TILE, random.normal(0.0, 0.42)
        tall = TILE * random.uniform(0.45, 0.97) * (1.0 - 0.35 * abs(lean))
        light = (0.34 + 0.4 * k / number) * random.uniform(0.85, 1.15)
        hue = float(random.uniform(0.35, 0.85))
        at = np.linspace(0.0, 1.0, 6)
        points = np.column_stack((x + lean * tall * 0.55 * at**1.9, 2.0 + tall * at))
        for a, b, t in zip(points[:-1], points[1:], at, strict=False):
            tile.stroke((float(a[0]), float(a[1])), (float(b[0]), float(b[1])), width * (1.05 - t), light * (0.6 + 0.5 * t), hue)


def bark(seed: int = 5) -> NDArray[np.uint8]:
    """Return the brightness of bark (BARK, BARK), mean one half, periodic: ridges along the trunk with cracks across."""
    random = np.random.default_rng(seed)
    fu, fv = np.meshgrid(np.fft.fftfreq(BARK) * BARK, np.fft.fftfreq(BARK) * BARK)

    def noise(across: float, along: float) -> NDArray[np.float64]:
        gain = np.exp(-(((np.abs(fu) - across) / (0.5 * across)) ** 2) - (fv / along) ** 2)
        field = np.fft.ifft2(np.fft.fft2(random.normal(size=(BARK, BARK))) * gain).real
        return np.asarray(field / field.std())

    ridges = np.tanh(1.3 * noise(12.0, 5.0)) + 0.45 * noise(40.0, 26.0) + 0.3 * noise(6.0, 60.0)
    lit = ridges + 0.8 * (np.roll(ridges, 1, 1) - np.roll(ridges, -1, 1))
    return np.clip(127.5 + 52.0 * lit / lit.std(), 0, 255).astype(np.uint8)


def smaller_levels(image: NDArray[np.uint8], cells: tuple[int, int], smallest: int = 8) -> list[NDArray[np.uint8]]:
    """Return an image (rows, columns, 4) of cells and its halved copies, down to cells of `smallest` texels.

    In each cell of each copy, as many texels as in the image are opaque (> 127), so that plants do not become thinner with distance, and
    transparent texels have the color of opaque ones next to them, so that there are no dark edges.

    cells : number of cells in a column and in a row
    """
    levels = [image.astype(np.float32)]
    while min(levels[-1].shape[0] // cells[0], levels[-1].shape[1] // cells[1]) > smallest:
        levels.append(halved(levels[-1]))
    for k in range(len(levels) - 2, -1, -1):
        coarse = levels[k + 1].repeat(2, axis=0).repeat(2, axis=1)
        weight = levels[k][..., 3:] / 255.0
        levels[k][..., :3] = weight * levels[k][..., :3] + (1.0 - weight) * coarse[..., :3]
    opaque = _by_cell(levels[0][..., 3], cells) > 127.5
    share = opaque.mean(axis=(1, 3))
    for level in levels[1:]:
        blocks = _by_cell(level[..., 3], cells)
        for r, c in np.ndindex(cells):
            if share[r, c] > 0.0:
                limit = np.quantile(blocks[r, :, c], 1.0 - share[r, c])
                blocks[r, :, c] *= 128.0 / max(limit, 1.0)
    return [np.clip(level + 0.5, 0, 255).astype(np.uint8) for level in levels]


def leaf_levels() -> list[NDArray[np.uint8]]:
    """Return the texture of leaves and its halved copies, from the cache of the user."""
    code = digest_of(Path(__file__).read_text(encoding="utf-8"))
    return cached_levels(code, lambda: smaller_levels(leaf_tiles(), (len(TILES) // COLUMNS, COLUMNS)))


def cached_levels(digest: str, compute: Callable[[], list[NDArray[np.uint8]]]) -> list[NDArray[np.uint8]]:
    """Return an image and its halved copies from the cache of the user, or compute and save them."""
    arrays = cached_arrays("plants", digest, lambda: {str(k): level for k, level in enumerate(compute())})
    return [arrays[str(k)] for k in range(len(arrays))]


def _by_cell(plane: Image, cells: tuple[int, int]) -> Image:
    """Return a view (rows of cells, rows, columns of cells, columns) of an image."""
    return plane.reshape(cells[0], plane.shape[0] // cells[0], cells[1], plane.shape[1] // cells[1])


def halved(image: Image) -> NDArray[np.float32]:
    """Return an image of half the size; opaque texels count for the color."""
    parts = image.reshape(image.shape[0] // 2, 2, image.shape[1] // 2, 2, 4)
    weight = parts[..., 3:] + 1e-3
    out = (parts * weight).sum(axis=(1, 3)) / weight.sum(axis=(1, 3))
    out[..., 3] = parts[..., 3].mean(axis=(1, 3))
    return np.asarray(out, np.float32)
