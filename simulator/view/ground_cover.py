"""What covers the ground of the window: layers of the surface textures at the nodes; open sky, hollows and litter of trees on a coarser grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.view.object_data import ObjectData
from simulator.view.surface_textures import ASPHALT, CONCRETE, DIRT, GRASS, GRAVEL, LITTER, MUD, ROCK, SAND, SNOW
from simulator.view.terrain_data import TerrainData, coating_of
from terrain.objects.labels import LABELS

_LAYERS = {
    # word in the name of a soil or surface: layer, and the share of it that grass may cover, 0..15
    "sandy_loam": (DIRT, 15), "snow": (SNOW, 0), "ice": (CONCRETE, 0), "wet": (ASPHALT, 0), "regolith": (SAND, 0), "simulant": (SAND, 0),
    "sand": (SAND, 2), "clay": (MUD, 5), "mud": (MUD, 1), "grass": (GRASS, 15), "gravel": (GRAVEL, 4), "rubble": (GRAVEL, 1),
    "peat": (LITTER, 9), "rock": (ROCK, 3), "concrete": (CONCRETE, 0),
}  # fmt: skip
_OTHER = (DIRT, 14)
STEEP = 0.85
"""m/m. Slope above which rock shows instead of loam or clay; loose soil rests on at most this slope."""
MAX_SIDE = 512
"""Nodes along a side of the coarse grid."""
SCALES = (6.0, 30.0)
"""m. Sizes of the hollows that see less of the sky."""
CROWN = 2.6
"""m. Distance around a tree that its leaves cover."""


def soil_layers(terrain: TerrainData) -> NDArray[np.uint8]:
    """Return (ny, nx): 16 times the layer of the bare ground, plus the share of it that grass may cover, 0..15."""
    codes = np.array([soil_code(name) for name in terrain.soil_names or ("",)], np.uint8)
    out = codes[np.minimum(terrain.soil_ids, len(codes) - 1)]
    steep = _steep(terrain)
    if steep is not None:
        layer = out // 16
        out[steep & (terrain.hardness < 128) & ((layer == DIRT) | (layer == MUD))] = 16 * ROCK + 2
    return out


def soil_code(name: str) -> int:
    """Return 16 times the layer of a soil plus the share that grass may cover; "A on B" has that of B, unless A is a coating such as ice."""
    name = coating_of(name)
    layer, share = next((entry for word, entry in _LAYERS.items() if word in name), _OTHER)
    return 16 * layer + share


def _steep(terrain: TerrainData) -> NDArray[np.bool_] | None:
    """Return where the ground is steeper than STEEP; None if it is nowhere."""
    h = terrain.heights
    zx = np.abs(np.diff(h, axis=1, append=h[:, -1:])) * np.float32(1.0 / terrain.spacing[0])
    zy = np.abs(np.diff(h, axis=0, append=h[-1:])) * np.float32(1.0 / terrain.spacing[1])
    np.maximum(zx, zy, out=zx)
    return zx > STEEP if float(zx.max()) > STEEP else None


def relief_texture(terrain: TerrainData) -> NDArray[np.uint8]:
    """Return (rows, columns, 4) over the nodes: share of the sky that is open, litter of trees, depth of hollows (one half = none), 0."""
    step = -(-max(terrain.heights.shape) // MAX_SIDE)
    h = terrain.heights[::step, ::step]
    cell = max(terrain.spacing) * step
    below = np.zeros(h.shape, np.float32)
    for scale in SCALES:
        around = _mean(h, max(1, round(0.5 * scale / cell)))
        below += np.clip((around - h) * np.float32(2.2 / scale), -0.25, 0.6)
    hollow = (_mean(h, max(1, round(2.0 / cell))) - h) / 0.12
    out = np.zeros((*h.shape, 4), np.uint8)
    out[..., 0] = 255.0 * np.clip(0.95 - 0.9 * below, 0.3, 1.0)
    out[..., 1] = 255.0 * np.clip(
        _litter(terrain.objects, terrain.origin, (terrain.spacing[0] * step, terrain.spacing[1] * step), h.shape), 0, 1
    )
    out[..., 2] = 127.5 + 127.0 * np.clip(hollow, -1.0, 1.0)
    return out


def _mean(field: NDArray[np.float32], reach: int) -> NDArray[np.float32]:
    """Return the mean over a square of 2 `reach` + 1 nodes; beyond the border the border value."""
    reach = min(reach, max(1, min(field.shape) // 2))
    for axis in (0, 1):
        pad = [(0, 0), (0, 0)]
        pad[axis] = (reach + 1, reach)
        total = np.cumsum(np.pad(field, pad, "edge"), axis=axis, dtype=np.float64)
        n = field.shape[axis]
        ends = [np.take(total, range(first, first + n), axis=axis) for first in (2 * reach + 1, 0)]
        field = ((ends[0] - ends[1]) / (2 * reach + 1)).astype(np.float32)
    return field


def _litter(objects: ObjectData, origin: tuple[float, float], spacing: tuple[float, float], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return the cover by leaves and needles around trees at the nodes of a grid, 0..1."""
    out = np.zeros(shape, np.float32)
    trees = objects.p_WO[objects.label == LABELS["vegetation"], :2] if len(objects) else np.zeros((0, 2))
    reach = [int(1.6 * CROWN / s) + 1 for s in spacing]
    for i in range(-reach[0], reach[0] + 1):
        for j in range(-reach[1], reach[1] + 1):
            node = np.floor((trees - origin) / spacing).astype(int) + (i, j)
            away = np.hypot(*(origin + node * spacing - trees).T)
            inside = np.all((node >= 0) & (node < shape[::-1]), axis=1)
            cover = np.clip(1.3 - 0.8 * away / CROWN, 0.0, 1.0).astype(np.float32)
            np.add.at(out, (node[inside, 1], node[inside, 0]), cover[inside])
    return out
