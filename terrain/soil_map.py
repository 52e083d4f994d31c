"""A map of soils beside a map of heights: samples that are indices, each of which stands for a soil or a hard surface."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Group, ListOf, Number, Text
from simulator.base.section import Section
from terrain.georeferenced import on_nodes, placed
from terrain.patches import Layer
from terrain.readers.contract import Raster, Values
from terrain.readers.kinds import FIELDS

PLACES = ("file", "format", "first_row", "row_runs", "origin", "spacing", "extent", "crs")
_OF_INDEX = (
    Field("index", Number("1", 0, 65535, whole=True), "value of the samples"),
    Field("soil", Text("the name of a soil"), "the soil there, a file in configs/soils", None),
    Field("surface", Text("the name of a surface"), "the hard surface there, a file in configs/soils", None),
)
SOIL_MAP = Field(
    "soil_map",
    Group(
        (
            *(field for field in FIELDS if field.name in PLACES),
            Field("soils", ListOf(Group(_OF_INDEX), least=1), "what each index stands for; every index under the grid is among them"),
        )
    ),
    "samples that are indices of soils and surfaces, each as far as halfway to the next; roads lie on it",
    None,
)
OUTSIDE = -1
"""Index of nodes beyond the map: the natural ground stays."""


def soil_indices(terrain: Section, georeference: Section | None, folder: Path, x: Values, y: Values) -> NDArray[np.int32] | None:
    """Index (ny, nx) of the nodes at x and y of a terrain file, OUTSIDE beyond its map; None without one.

    Raises
    ------
    ConfigError : the map cannot be used, or has an index that stands for nothing
    """
    if "soil_map" not in terrain.mapping:
        return None
    section = terrain.section("soil_map")
    for entry in section.sections("soils"):
        if ("soil" in entry.mapping) == ("surface" in entry.mapping):
            raise ConfigError(entry.file, entry.key, dict(entry.mapping), "one of soil, surface")
    found = placed(section, georeference, folder, indices=True)
    assert isinstance(found.source, Raster)
    nearest = found.source.nearest
    indices = np.nan_to_num(on_nodes(lambda a, b: nearest(*found.in_file(a, b)), x, y), nan=OUTSIDE).astype(np.int32)
    known = [entry["index"] for entry in section.mapping["soils"]]
    unknown = np.argwhere(~np.isin(indices, [OUTSIDE, *known]))
    if len(unknown):
        j, i = unknown[0]
        raise ConfigError(terrain.file, "soil_map.soils", known, f"also index {indices[j, i]}, at x = {x[i]:g}, y = {y[j]:g}")
    return indices


def soil_layers(section: Section, indices: NDArray[np.int32], free: NDArray[np.bool_]) -> list[Layer]:
    """Soils and surfaces of a map with the nodes (ny, nx) where they lie, as far as these are free."""
    entries = section.sections("soils")
    return [(entry, "soil" if "soil" in entry.mapping else "surface", free & (indices == entry.mapping["index"])) for entry in entries]
