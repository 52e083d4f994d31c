"""Files of a generated terrain: the content of its terrain file, PNG images of its heights and its soil map, and tables of its objects and lanes."""

from __future__ import annotations

import io
import math
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from terrain.generators.generated_terrain import GeneratedTerrain
from terrain.objects.table_text import table_text
from terrain.roads.lane_table import lane_text

COUNTS = 65535
"""Maximum of 16 bits."""
MIN_SCALE = 2.0**-13
"""m. Minimum value of a count."""


class TerrainContents(NamedTuple):
    """Contents of the files of a terrain."""

    mapping: dict[str, Any]
    """Content of the terrain file."""
    files: dict[str, bytes]
    """Contents of the files that it names, by their names."""


def contents(made: GeneratedTerrain, stem: str) -> TerrainContents:
    """Return the contents of the files of a terrain; the names of the files begin with `stem`."""
    counts, scale, offset = counted(made.heights)
    heights, soils, objects, lanes = (f"{stem}_{end}" for end in ("heights.png", "soils.png", "objects.csv", "lanes.csv"))
    grid = made.grid
    where = {"first_row": "north", "origin": list(grid.corner), "spacing": [grid.spacing] * 2}
    files = {heights: _png(counts), soils: _png(made.cover)}
    mapping: dict[str, Any] = {
        "type": "heightmap",
        "heights": {"file": heights, **where, "scale": scale, "offset": offset},
        **made.sections,
        made.covers[0].key: made.covers[0].name,
        "soil_map": {
            "file": soils,
            **where,
            "soils": [{"index": k, cover.key: cover.name} for k, cover in enumerate(made.covers)],
        },
        "places": {
            name: {"position": [float(v) for v in place.at], "yaw_deg": float(place.yaw_deg)} for name, place in made.places.items()
        },
        "begin_at": next(iter(made.places)),
    }
    for key in ("roads", "features", "marks"):
        if entries := getattr(made, key):
            mapping[key] = [dict(entry.mapping) for entry in entries]
    if made.objects:
        mapping["objects_table"] = objects
        files[objects] = table_text(made.objects).encode()
    if made.lanes:
        mapping["lanes"] = lanes
        files[lanes] = lane_text(made.lanes).encode()
    return TerrainContents(mapping, files)


def counted(heights: Array) -> tuple[np.ndarray, float, float]:
    """Return heights as 16-bit counts, the value of a count (a power of two) and the height of count zero, an integer number of counts."""
    low, high = float(heights.min()), float(heights.max())
    scale = max(MIN_SCALE, 2.0 ** math.ceil(math.log2(max(high - low, 1e-9) / (COUNTS - 2))))
    offset = math.floor(low / scale) * scale
    return np.rint((heights - offset) / scale).astype(np.uint16), scale, offset


def _png(pixels: np.ndarray) -> bytes:
    """Encode pixels as a PNG, first row in the north."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels[::-1])).save(out, "png", compress_level=6)
    return out.getvalue()
