"""Terrain types by the `type` of a terrain file: built-in types and plugins.

A reader builds a `terrain.ground.Ground` from the mapping of a file: a grid of heights, of hardness and of soils. `terrain.load_terrain.uniform` builds
a ground from heights alone, with the `surface`, `soil` or `friction` of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError, JounceError
from simulator.base.fields import Fields
from simulator.base.registry import Registry
from terrain.ground import Ground

CONTRACT = 1
"""Version of the classes below."""


@dataclass(frozen=True)
class TerrainFile:
    """Arguments of a terrain reader."""

    mapping: Any
    """Content of the file: its `Values` if the kind has a table, else raw content without `gravity` and `wind`, which are common to all terrains."""
    file: str
    """Name of the file, for messages."""
    name: str
    """Name of the ground."""
    folder: Path
    """Folder of the asset files that the mapping names, used if a file is not in the folder of the terrain file."""
    soils: Mapping[str, Mapping[str, Any]]
    """Contents of the soil files by name."""


@dataclass(frozen=True)
class TerrainKind:
    """A registered terrain reader."""

    name: str
    read: Callable[[TerrainFile], Ground]
    """Function that builds the ground; raises ConfigError for invalid content."""
    contract: int
    """Version of the contract (CONTRACT) that the reader implements."""
    table: Fields | None = None
    """Fields of its files, which are then checked and converted to SI; None: the reader parses the file itself."""
    meaning: str = ""
    """One line for a list of terrain types."""


def find_file(name: str, file: str, folder: Path, what: str) -> Path:
    """Find the file that a terrain file names under a key of the kind `FileName`: in the folder of the terrain file, else in `folder`.

    `what` is a noun phrase for the message, such as "a height map".

    Raises
    ------
    ConfigError : file not found
    """
    for path in (Path(file).parent / name, folder / name):
        try:
            if path.is_file():
                return path
        except (OSError, ValueError):  # the name is too long or contains a null byte
            continue
    raise ConfigError(folder / name, "", "no such file", f"{what} at this path or in the folder of {file}")


TERRAIN_KINDS: Registry[TerrainKind] = Registry(
    "terrain type",
    "jounce.terrain_types",
    {
        "flat": "terrain.load_terrain:FLAT",
        "bump": "terrain.load_terrain:BUMP",
        "course": "terrain.course:COURSE",
        "heightmap": "terrain.heightmap:HEIGHTMAP",
        "generated": "terrain.generated:GENERATED",
    },
    contract="terrain.kinds",
)
register = TERRAIN_KINDS.add
"""Register a terrain reader."""


def read(name: str, file: TerrainFile) -> Ground:
    """Read the ground of a file of the type `name`.

    Raises
    ------
    ConfigError : the file is unusable
    JounceError : a plugin raised another exception, or returned a ground with a number that is not finite
    """
    kind = TERRAIN_KINDS.need(name)
    if TERRAIN_KINDS.is_builtin(name):
        return kind.read(file)
    try:
        ground = kind.read(file)
    except JounceError:
        raise
    except Exception as error:
        raise JounceError(f"{file.file}: terrain type {name}: {type(error).__name__}: {error}") from error
    if not isinstance(ground, Ground):
        raise JounceError(f"{file.file}: terrain type {name}: wrong return type {type(ground).__name__}; expected a Ground")
    for what in ("heights", "hardness", "spawn"):
        if not np.isfinite(getattr(ground, what)).all():
            raise JounceError(f"{file.file}: terrain type {name}: {what} of the ground: NaN or infinite; expected finite numbers")
    return ground
