"""Reader of the worlds of Verti-Bench: an 8-bit height map and a YAML file with height range, tiles, obstacles and tasks.

Xu, Pan, Rao, Datar, Pokhrel, Lu, Xiao, "Verti-Bench", RSS 2025 (arXiv 2502.11426). x points along the columns of the map, y against its
rows, the origin is in the middle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base import fields
from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Field, Fields, Number
from simulator.base.inputfile import checked_size
from simulator.base.values import Values
from simulator.base.yaml_reader import read_yaml

NODES = 129
"""Pixels along a side of a height map, 1 m apart for the wheels."""
TILES = 16
"""Tiles along a side."""
TILE = 8.0
"""m. Side length of a tile."""
HALF = 64.0
"""m. Half the side length of the ground."""
MAP_HALF = 64.5
"""m. Half the side length over which the height map of the planners, of starts, goals and obstacles is stretched."""
HARD_CLASSES = ("clay", "concrete", "dirt", "grass", "gravel", "rock", "wood")
SOFT_CLASSES = ("mud", "sand", "snow")
MAX_BYTES = 1 << 22
"""Maximum size of a height map [bytes]."""
WORLDS = "worlds"
"""Folder of the worlds in the repository of the benchmark, in lower case; other folders have training data with the same file names."""
_COORDINATE = Number("m", -1e4, 1e4)
_POSITION = (Field("x", _COORDINATE, "x"), Field("y", _COORDINATE, "y"), Field("z", _COORDINATE, "z"))
_ROCK = (Field("scale", Number("1", 0.0, 10.0, above=0.0), "scale of the rock"),)
_TASK = tuple(Field(name, Number("m", -1e4, 1e4, shape=(3,)), "x, y, height above the ground") for name in ("start", "goal"))
_TERRAIN = (
    Field("min_height", Number("m", -1e3, 1e3), "height of count 0", 0.0),
    Field("max_height", Number("m", -1e3, 1e3), "height of count 255"),
)
_TILE = (
    Field("index", Number("1", 0, TILES - 1, shape=(2,), whole=True), "tile row from the north, tile column from the west"),
    Field("terrain_type", Choice((*HARD_CLASSES, *SOFT_CLASSES)), "material"),
    Field("friction", Number("1", 0.0, 2.0), "friction coefficient of a hard tile", None),
)
_WORLD = (Field("terrain_type", Choice(("rigid", "deformable", "mixed")), "kind of the world"),)


@dataclass(frozen=True)
class Obstacle:
    """A rock (a box of 4.4 s x 4.4 s x 3.8 s) or a tree (a box of 1 x 1 x 5 m), parallel to the axes, with its center at the position."""

    kind: str
    position: tuple[float, float, float]
    size: tuple[float, float, float]


@dataclass(frozen=True)
class VertiBenchWorld:
    """One world.

    Attributes
    ----------
    number : number of the world
    label : low, mid or high, from the name of the file; empty without
    kind : rigid, deformable or mixed
    counts : (NODES, NODES) 8-bit heights, row 0 in the north
    low, high : heights [m] of the counts 0 and 255
    materials : (TILES, TILES) names, row 0 in the north
    friction : (TILES, TILES) of the hard tiles, NaN at soft ones
    tasks : (n, 2, 3) m, start and goal: x, y and height above the ground
    folder : folder of the files
    """

    number: int
    label: str
    kind: str
    counts: NDArray[np.uint8]
    low: float
    high: float
    materials: NDArray[np.str_]
    friction: Array
    obstacles: tuple[Obstacle, ...]
    tasks: Array
    folder: Path

    @property
    def soft(self) -> NDArray[np.bool_]:
        """Whether each tile is soft, (TILES, TILES)."""
        return np.isin(self.materials, SOFT_CLASSES)


def read_world(folder: Path, number: int) -> VertiBenchWorld:
    """Read the world of a number from a folder that has `configN_CLASS.yaml` and `N.bmp`, in it or below it.

    Raises
    ------
    ConfigError : missing, ambiguous or unusable files
    """
    config = _one_file(folder, f"config{number}_*.yaml", number)
    beside = config.with_name(f"{number}.bmp")
    image = beside if beside.is_file() else _one_file(folder, f"{number}.bmp", number)
    content = read_yaml(config)
    world = _section(_WORLD, content, config, "")
    heights = _section(_TERRAIN, content.get("terrain"), config, "terrain")
    if not heights["max_height"] > heights["min_height"]:
        raise heights.error("max_height", "a height above min_height")
    materials, friction = _tiles(content.get("textures"), config)
    return VertiBenchWorld(
        number=number,
        label=config.stem.partition("_")[2],
        kind=world["terrain_type"],
        counts=_read_counts(image),
        low=heights["min_height"],
        high=heights["max_height"],
        materials=materials,
        friction=friction,
        obstacles=_obstacles(content, config),
        tasks=_tasks(content.get("positions"), config),
        folder=config.parent,
    )


def numbers_of_worlds(folder: Path) -> tuple[int, ...]:
    """Return the numbers of all worlds in a folder or below it."""
    files = sorted(folder.glob("config*_*.yaml")) or sorted(folder.rglob("config*_*.yaml"))
    files = [path for path in files if path.parent.name.lower() == WORLDS] or files
    numbers = (path.stem.removeprefix("config").partition("_")[0] for path in files)
    return tuple(sorted({int(number) for number in numbers if number.isdigit()}))


def _one_file(folder: Path, pattern: str, number: int) -> Path:
    """Return the only file of a pattern in a folder or below it. Raises ConfigError."""
    if not folder.is_dir():
        raise ConfigError("verti_bench", "", str(folder), "the folder of the worlds")
    files = sorted(folder.glob(pattern)) or sorted(folder.rglob(pattern))
    files = [path for path in files if path.parent.name.lower() == WORLDS] or files
    if len(files) == 1:
        return files[0]
    if not files:
        known = sorted({int(path.stem) for path in folder.rglob("*.bmp") if path.stem.isdigit()})
        listed = ", ".join(map(str, known[:20])) + (" ..." if len(known) > 20 else "")
        raise ConfigError(folder, "--world", number, f"a file {pattern}; worlds here: {listed or 'none'}")
    raise ConfigError(folder, "--world", number, f"one file {pattern}; found {', '.join(map(str, files[:4]))}; hint: name a smaller folder")


def _section(table: Fields, content: Any, file: Path, key: str) -> Values:
    """Return the checked values of the keys of a table; other keys of the file are not used. Raises ConfigError."""
    if not isinstance(content, Mapping):
        raise ConfigError(file, key, content, "a section with keys")
    return fields.read(table, {field.name: content[field.name] for field in table if field.name in content}, file, key)


def _list(content: Any, file: Path, key: str) -> Sequence[Any]:
    if not isinstance(content, list):
        raise ConfigError(file, key, content, "a list")
    return content


def _read_counts(image: Path) -> NDArray[np.uint8]:
    """Return the gray values of a height map. Raises ConfigError."""
    from PIL import Image

    expected = f"a gray BMP image of {NODES} x {NODES} pixels"
    checked_size(image, expected, MAX_BYTES)
    try:
        with Image.open(image, formats=["BMP"]) as opened:
            mode, size, counts = opened.mode, opened.size, np.array(opened)
    except Exception as error:  # Pillow does not convert the exceptions of struct for damaged bytes
        raise ConfigError(image, "", next(iter(str(error).splitlines()), type(error).__name__), expected) from None
    if mode != "L" or size != (NODES, NODES):
        raise ConfigError(image, "", f"mode {mode}, {size[0]} x {size[1]} pixels", expected)
    return counts


def _tiles(content: Any, file: Path) -> tuple[NDArray[np.str_], Array]:
    """Return the materials and the friction coefficients (TILES, TILES). Raises ConfigError."""
    materials, friction = np.full((TILES, TILES), "", "U16"), np.full((TILES, TILES), np.nan)
    for k, entry in enumerate(_list(content, file, "textures")):
        tile = _section(_TILE, entry, file, f"textures[{k}]")
        place = int(tile["index"][0]), int(tile["index"][1])
        if materials[place]:
            raise tile.error("index", "one entry for each tile")
        materials[place] = tile["terrain_type"]
        if tile["terrain_type"] in HARD_CLASSES:
            friction[place] = tile.needed("friction", "the friction coefficient of a hard tile")
    if not (materials != "").all():
        i, j = np.argwhere(materials == "")[0]
        raise ConfigError(file, "textures", f"no entry for the tile [{i}, {j}]", f"{TILES} x {TILES} entries")
    return materials, friction


def _obstacles(content: Mapping[str, Any], file: Path) -> tuple[Obstacle, ...]:
    """Return the rocks and trees. Raises ConfigError."""
    given = content.get("obstacles")
    if not given or content.get("obstacles_flag") is False:
        return ()
    if not isinstance(given, Mapping):
        raise ConfigError(file, "obstacles", given, "a section with rocks and trees")
    out = []
    for plural, kind in (("rocks", "rock"), ("trees", "tree")):
        for k, entry in enumerate(_list(given.get(plural) or [], file, f"obstacles.{plural}")):
            key = f"obstacles.{plural}[{k}]"
            scale = _section(_ROCK, entry, file, key)["scale"] if kind == "rock" else 1.0
            place = _section(_POSITION, entry.get("position") if isinstance(entry, Mapping) else entry, file, f"{key}.position")
            size = (4.4 * scale, 4.4 * scale, 3.8 * scale) if kind == "rock" else (1.0, 1.0, 5.0)
            out.append(Obstacle(kind, (place["x"], place["y"], place["z"]), size))
    return tuple(out)


def _tasks(content: Any, file: Path) -> Array:
    """Return starts and goals (n, 2, 3). Raises ConfigError."""
    tasks = [_section(_TASK, entry, file, f"positions[{k}]") for k, entry in enumerate(_list(content, file, "positions"))]
    for task in tasks:
        for name in ("start", "goal"):
            if max(abs(task[name][:2])) > HALF:
                raise task.error(name, f"x and y within {HALF:g} m of the middle")
    return np.array([(task["start"], task["goal"]) for task in tasks], float).reshape(-1, 2, 3)


def node_heights(world: VertiBenchWorld) -> Array:
    """Return the heights (NODES, NODES) of the pixels [m], row 0 in the south."""
    return world.low + (world.high - world.low) * world.counts[::-1].astype(float) / 255.0


def triangle_heights(heights: Array, half: float, x: Array, y: Array) -> Array:
    """Return the heights [m] at points of two triangles per cell, split from its south-west to its north-east corner.

    Parameters
    ----------
    heights : (n, n) at nodes from -half to half [m] along x (columns) and y (rows, the first in the south)
    x, y : points [m]; outside, the nearest point of the rim counts
    """
    u, v, i, j = _cells(len(heights), half, x, y)
    a, d = heights[j, i], heights[j + 1, i + 1]
    b, c = heights[j, i + 1], heights[j + 1, i]
    return np.where(u > v, a + u * (b - a) + v * (d - b), a + v * (c - a) + u * (d - c))


def bilinear_heights(heights: Array, half: float, x: Array, y: Array) -> Array:
    """Return the bilinear heights [m] at points, see `triangle_heights`."""
    u, v, i, j = _cells(len(heights), half, x, y)
    south = (1.0 - u) * heights[j, i] + u * heights[j, i + 1]
    north = (1.0 - u) * heights[j + 1, i] + u * heights[j + 1, i + 1]
    return np.asarray((1.0 - v) * south + v * north)


def _cells(count: int, half: float, x: Array, y: Array) -> tuple[Array, Array, NDArray[np.intp], NDArray[np.intp]]:
    """Return the position in the cell and the cell (column, row) of points."""
    places = [np.clip((np.asarray(p, float) + half) * (count - 1) / (2.0 * half), 0.0, count - 1.0) for p in (x, y)]
    i, j = (np.minimum(np.floor(place), count - 2).astype(np.intp) for place in places)
    return places[0] - i, places[1] - j, i, j


def heading(task: Array) -> float:
    """Return the heading [rad] from the start to the goal of a task (2, 3)."""
    return math.atan2(task[1, 1] - task[0, 1], task[1, 0] - task[0, 0])
