"""Elevation data and terrain files as arguments of the commands: by path or name, with settings of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base import fields
from simulator.base.argument_types import yaml_value
from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.builder.builder import build_ground, data_folder, find_config
from simulator.configuration.layers import read_layers
from terrain.composite_height import composed_heights
from terrain.georeferenced import GeoreferencedSource, placed
from terrain.ground import Ground
from terrain.load_terrain import FILE
from terrain.readers.contract import ElevationSource, Raster
from terrain.readers.kinds import FIELDS, read_heights
from terrain.readers.request import ReadRequest

TERRAIN_SUFFIXES = (".yaml", ".yml")
WHO = "--set"


@dataclass(frozen=True)
class HeightsFile:
    """Elevation data in its own coordinates."""

    path: Path
    source: ElevationSource
    settings_of_file: Mapping[str, Any]
    assumed: tuple[str, ...]


@dataclass(frozen=True)
class TerrainOnDisk:
    """A terrain file in its local coordinates.

    Attributes
    ----------
    ground : complete ground of the terrain file
    data : elevation data of the terrain, or None
    crs, origin : of the georeference; the point x = y = 0
    """

    file: str
    kind: str
    ground: Ground
    data: GeoreferencedSource | None
    crs: str
    origin: Array | None


def is_terrain(name: str) -> bool:
    """Return whether a command-line name is a terrain: a YAML file, or a shipped terrain."""
    suffix = Path(name).suffix.lower()
    return suffix in TERRAIN_SUFFIXES or (not suffix and not Path(name).is_file())


def read_file(name: str, settings: Sequence[str]) -> HeightsFile:
    """Read elevation data with the settings of --set. Raises ConfigError."""
    table = tuple(field for field in FIELDS if field.name != "file")
    settings_of_file = fields.read(table, _settings(settings), WHO)
    assumed: list[str] = []
    path = Path(name)
    source = read_heights(ReadRequest(path, settings_of_file, WHO, assumed=assumed))
    return HeightsFile(path, source, settings_of_file, tuple(assumed))


def _settings(settings: Sequence[str]) -> dict[str, Any]:
    """Parse KEY=VALUE settings of the section heights."""
    settings_of_file = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(WHO, "", text, "KEY=VALUE, a key of the section heights of a terrain file")
        settings_of_file[key.strip().removeprefix("heights.")] = yaml_value(value)
    return settings_of_file


def read_terrain(name: str) -> TerrainOnDisk:
    """Read a terrain by name or path. Raises ConfigError."""
    file = str(find_config("terrains", name))
    content = FILE.read(read_layers("terrains", file).content, file, "")
    ground = build_ground(name)
    reference = content.get("georeference")
    data = placed(content["heights"], reference, data_folder("assets")) if "heights" in content else None
    crs = "" if reference is None else str(reference.get("crs", data.source.crs if data is not None else ""))
    return TerrainOnDisk(file, content["type"], ground, data, crs, None if reference is None else reference["origin"])


def composed(ground: Ground, x: Array, y: Array) -> Array:
    """Return the heights [m] of the complete ground, as at wheels."""
    x, y = np.ascontiguousarray(x, np.float64), np.ascontiguousarray(y, np.float64)
    z = np.empty(len(x))
    composed_heights(ground.arrays, x, y, z)
    return z


def base(terrain: TerrainOnDisk, x: Array, y: Array) -> Array:
    """Return bilinear heights [m] of the base grid: of the elevation data, or of the nodes for a terrain without elevation data."""
    if terrain.data is not None:
        return terrain.data.heights(x, y)
    p = terrain.ground.p[0]
    nodes = Raster(terrain.ground.heights.astype(np.float64), p["origin"].copy(), p["spacing"] * (1.0, 0.0), p["spacing"] * (0.0, 1.0))
    return np.asarray(nodes.heights(x, y) + p["height"] + p["slope"][0] * x + p["slope"][1] * y, np.float64)


def base_inside(terrain: TerrainOnDisk, x: Array, y: Array) -> NDArray[np.bool_]:
    """Return whether points are within the base grid."""
    if terrain.data is not None:
        return terrain.data.inside(x, y)
    x0, x1, y0, y1 = terrain.ground.bounds
    return (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
