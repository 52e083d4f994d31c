"""Soil map next to a height map: samples are indices, each assigned to a soil or a hard surface."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Group, ListOf, Number, Text
from simulator.base.values import Values
from terrain.georeferenced import on_nodes, placed
from terrain.patches import Layer
from terrain.readers.contract import Raster
from terrain.readers.kinds import FIELDS

PLACES = ("file", "format", "first_row", "row_runs", "origin", "spacing", "extent", "crs")
_OF_INDEX = (
    Field("index", Number("1", 0, 65535, whole=True), "value of the samples"),
    Field("soil", Text("the name of a soil"), "soil, a file in configs/soils", None),
    Field("surface", Text("the name of a surface"), "hard surface, a file in configs/soils", None),
    Field("friction", Number("1", 0.0, 2.0), "friction coefficient of the surface, instead of that of its file", None),
)
SOIL_MAP = Field(
    "soil_map",
    Group(
        (
            *(field for field in FIELDS if field.name in PLACES),
            Field("soils", ListOf(Group(_OF_INDEX), least=1), "soil or surface of each index; all indices within the grid must be listed"),
        )
    ),
    "raster of soil and surface indices; a sample applies halfway to the next samples, roads cover the map",
    None,
)
OUTSIDE = -1
"""Index of nodes outside the map; they keep the natural ground."""


def soil_indices(terrain: Values, folder: Path, x: Array, y: Array) -> NDArray[np.int32] | None:
    """Return the index (ny, nx) of the nodes at x and y of a terrain file, OUTSIDE beyond its map; None without a map.

    Raises
    ------
    ConfigError : unusable map, or an index without a soil or surface
    """
    if "soil_map" not in terrain:
        return None
    section = terrain["soil_map"]
    for entry in section["soils"]:
        if ("soil" in entry) == ("surface" in entry):
            raise entry.error("", "exactly one of soil, surface")
        if "friction" in entry and "soil" in entry:
            raise entry.error("friction", "a surface with the friction, or a soil without")
    placed_indices = placed(section, terrain.get("georeference"), folder, indices=True)
    assert isinstance(placed_indices.source, Raster)
    nearest = placed_indices.source.nearest
    indices = np.nan_to_num(on_nodes(lambda a, b: nearest(*placed_indices.in_file(a, b)), x, y), nan=OUTSIDE).astype(np.int32)
    known = [entry["index"] for entry in section["soils"]]
    unknown = np.argwhere(~np.isin(indices, [OUTSIDE, *known]))
    if len(unknown):
        j, i = unknown[0]
        raise ConfigError(terrain.file, "soil_map.soils", known, f"an entry for index {indices[j, i]}, at x = {x[i]:g}, y = {y[j]:g}")
    return indices


def soil_layers(section: Values, indices: NDArray[np.int32], free: NDArray[np.bool_]) -> list[Layer]:
    """Return the layers of a soil map: soils and surfaces with the mask (ny, nx) of their nodes, restricted to `free` nodes."""
    entries = section["soils"]
    return [(entry, "soil" if "soil" in entry else "surface", free & (indices == entry["index"])) for entry in entries]
