"""Terrains by the `type` of a terrain file: those shipped, and readers that move in from outside.

A reader makes a `terrain.ground.Ground` of the mapping of a file: a grid of heights, of hardness and of soils. `terrain.load_terrain.uniform` makes one
of heights alone, with the `surface`, `soil` or `friction` that the file says.
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
from simulator.base.renamed_modules import old_names
from terrain.ground import Ground

CONTRACT = 1
"""Version of the classes below."""


@dataclass(frozen=True)
class TerrainFile:
    """What a reader gets."""

    mapping: Mapping[str, Any]
    """Content of the file, checked where its kind has a table, or else without the `gravity` and `wind` that all terrains have."""
    file: str
    """Its name, for messages."""
    name: str
    """Of the ground."""
    folder: Path
    """Where asset files lie that the mapping names, unless they lie beside the file."""
    soils: Mapping[str, Mapping[str, Any]]
    """Contents of the soil files by name."""


@dataclass(frozen=True)
class TerrainKind:
    """A reader as it is registered."""

    name: str
    read: Callable[[TerrainFile], Ground]
    """Raises ConfigError for whatever cannot be used."""
    contract: int
    """CONTRACT it was written for."""
    table: Fields | None = None
    """Keys of its files, of which it then gets the checked values, in SI; None: it reads them by itself."""
    meaning: str = ""
    """One line for a list of terrain types."""


def find_file(name: str, file: str, folder: Path, what: str) -> Path:
    """The file that a terrain file names under a key of the kind `FileName`: beside that file, else in `folder`, inside the assets.

    `what` it is, for the message. Raises ConfigError: there is none.
    """
    for path in (Path(file).parent / name, folder / name):
        try:
            if path.is_file():
                return path
        except (OSError, ValueError):  # a name too long, or with a zero in it
            continue
    raise ConfigError(folder / name, "", "no such file", f"{what} here, or beside {file}")


TERRAIN_KINDS: Registry[TerrainKind] = Registry(
    "terrain type",
    "jounce.terrain_types",
    {
        "flat": "terrain.load_terrain:FLAT",
        "bump": "terrain.load_terrain:BUMP",
        "course": "terrain.course:COURSE",
        "heightmap": "terrain.heightmap:HEIGHTMAP",
    },
)


def register(kind: TerrainKind) -> None:
    """Make a terrain reader known by its name. Raises JounceError: it is for another contract, or another one has its name."""
    check(kind)
    TERRAIN_KINDS.register(kind.name, kind)


def check(kind: TerrainKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    if kind.contract != CONTRACT:
        raise JounceError(f"terrain type {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")


def read(name: str, file: TerrainFile) -> Ground:
    """The ground of a file of that type.

    Raises
    ------
    ConfigError : the file cannot be used
    JounceError : a reader from outside raised something else, or made a ground with a number that is not finite
    """
    kind = TERRAIN_KINDS.need(name)
    if TERRAIN_KINDS.is_builtin(name):
        return kind.read(file)
    check(kind)
    try:
        ground = kind.read(file)
    except JounceError:
        raise
    except Exception as error:
        raise JounceError(f"{file.file}: terrain type {name}: {type(error).__name__}: {error}") from error
    if not isinstance(ground, Ground):
        raise JounceError(f"{file.file}: terrain type {name}: it made {type(ground).__name__}, expected a Ground")
    for what in ("heights", "hardness", "spawn"):
        if not np.isfinite(getattr(ground, what)).all():
            raise JounceError(f"{file.file}: terrain type {name}: {what} of the ground are not finite")
    return ground


__getattr__ = old_names(__name__)
