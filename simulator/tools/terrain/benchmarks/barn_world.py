"""Reader of the worlds of the BARN dataset: cylinders and reference paths, from the original SDF and path files or from tables.

Perille, Truong, Xiao, Stone, "Benchmarking Metric Ground Navigation", SSRR 2020. All lengths are those of the dataset, unscaled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_bytes
from simulator.base.npy_reader import read_npy
from simulator.base.table_text import TableRows
from simulator.base.xml_file import parse_xml

MAX_BYTES = 1 << 25
"""Maximum size of a file [bytes]."""
RADIUS, HEIGHT, CELL = 0.075, 1.0, 0.15
"""m. Size of a cylinder of the tables, and distance of their columns and rows."""
FIRST_CYLINDER = -4.425, 0.075
"""m. x, y of the cylinder of column 0 and row 0."""
FIRST_PATH = -4.575, 5.075
"""m. x, y of the cell (0, 0) of a path file."""
START, GOAL = (-2.25, 3.0), (-2.25, 13.0)
"""m. Start, with a heading along +y, and goal of every world."""
TABLES = "cylinders.csv", "paths.csv"


@dataclass(frozen=True)
class BarnWorld:
    """One world.

    Attributes
    ----------
    number : number of the world
    cylinders : (n, 4) x, y, radius, height [m], the base on the ground
    path : (m, 2) reference path from the start to the goal [m]; empty without
    folder : folder of the files
    """

    number: int
    cylinders: Array
    path: Array
    folder: Path

    @property
    def path_length(self) -> float:
        """Length of the reference path [m]."""
        return float(np.hypot(*np.diff(self.path, axis=0).T).sum()) if len(self.path) else math.nan


def numbers_of_worlds(folder: Path) -> tuple[int, ...]:
    """Return the numbers of all worlds of the tables of a folder, or of its SDF files in it or below it. Raises ConfigError."""
    table = folder / TABLES[0]
    if table.is_file():
        words = {row.get("world", "") for row in TableRows(table, "a CSV table", MAX_BYTES)}
    else:
        words = {path.stem.removeprefix("world_") for kind in ("world", "sdf") for path in folder.rglob(f"world_*.{kind}")}
    return tuple(sorted(int(word) for word in words if word.isdecimal()))


def read_world(path: Path, number: int) -> BarnWorld:
    """Read the world of a number from a folder with `cylinders.csv` and `paths.csv`, or with `world_N.world` and `path_N.npy` in it or below it.

    Raises
    ------
    ConfigError : missing or unusable files
    """
    folder = path if path.is_dir() else path.parent
    if path.is_file() and path.suffix.lower() in (".world", ".sdf"):
        return _original(path, folder, number)
    tables = [folder / name for name in TABLES]
    if tables[0].is_file():
        cylinders = _rows_of(tables[0], number, ("column", "row"))
        centers = np.array(FIRST_CYLINDER) + CELL * cylinders
        sizes = np.broadcast_to((RADIUS, HEIGHT), (len(centers), 2))
        line = _rows_of(tables[1], number, ("x_m", "y_m")) if tables[1].is_file() else np.zeros((0, 2))
        return BarnWorld(number, np.hstack((centers, sizes)), line, folder)
    if not path.is_dir():
        raise ConfigError("barn", "", str(path), f"a folder with {TABLES[0]}, or with world_N.world files in it or below it")
    files = sorted(path.rglob(f"world_{number}.world")) or sorted(path.rglob(f"world_{number}.sdf"))
    if len(files) != 1:
        listed = ", ".join(map(str, files[:4])) or "none"
        raise ConfigError(path, "world", number, f"{TABLES[0]}, or one file world_{number}.world; found {listed}")
    return _original(files[0], path, number)


def _rows_of(file: Path, number: int, columns: tuple[str, str]) -> Array:
    """Return two columns of the rows of one world of a table. Raises ConfigError."""
    out, worlds = [], set()
    table = TableRows(file, "a CSV table", MAX_BYTES)
    for row in table:
        try:
            world = int(row["world"])
            values = [float(row[name]) for name in columns]
        except (KeyError, ValueError):
            raise ConfigError(file, f"line {table.line}", row, f"numbers in the columns world, {', '.join(columns)}") from None
        worlds.add(world)
        if world == number:
            out.append(values)
    if not out:
        raise ConfigError(file, "world", number, f"one of {', '.join(map(str, sorted(worlds)[:40]))}")
    if not np.isfinite(out).all():
        raise ConfigError(file, f"world {number}", "a number that is not finite", "finite numbers")
    return np.array(out)


def _original(file: Path, folder: Path, number: int) -> BarnWorld:
    """Read an SDF file, and its path file if there is one. Raises ConfigError."""
    names = f"path_{number}.npy"
    beside = [file.parent / names, file.parent / "path_files" / names, file.parent.parent / "path_files" / names]
    paths = [one for one in beside if one.is_file()] or sorted(folder.rglob(names))
    return BarnWorld(number, _sdf_cylinders(file), _path(paths[0]) if paths else np.zeros((0, 2)), folder)


def _path(file: Path) -> Array:
    """Return a reference path with start and goal. Raises ConfigError."""
    cells = read_npy(file, "an array of grid cells")
    if cells.ndim != 2 or cells.shape[1] != 2 or cells.dtype.kind not in "iuf":
        raise ConfigError(file, "", f"an array {cells.dtype} {cells.shape}", "numbers (n, 2): cells of the path")
    return np.vstack((START, np.array(FIRST_PATH) + CELL * cells.astype(float), GOAL))


def _sdf_cylinders(file: Path) -> Array:
    """Return x, y, radius and height of all models of an SDF world with a cylinder. Raises ConfigError."""
    expected = "an SDF world with cylinders"
    root = parse_xml(read_bytes(file, expected, MAX_BYTES), file, expected)
    out = []
    for model in root.iterfind("world/model"):
        cylinder = model.find(".//collision/geometry/cylinder")
        if cylinder is not None:
            name = f"model {model.get('name')}"
            x, y = _numbers(file, name, model.findtext("pose"), 6)[:2]
            radius, length = (_numbers(file, name, cylinder.findtext(key), 1)[0] for key in ("radius", "length"))
            out.append((x, y, radius, length))
    if not out:
        raise ConfigError(file, "", "no cylinders", expected)
    return np.array(out)


def _numbers(file: Path, key: str, text: str | None, count: int) -> list[float]:
    """Return the numbers of a text. Raises ConfigError."""
    try:
        values = [float(word) for word in (text or "").split()]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        raise ConfigError(file, key, text, f"{count} finite number{'s' if count > 1 else ''}")
    return values
