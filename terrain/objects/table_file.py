"""`objects_table`: a CSV file with one object per row, for many objects.

An empty cell is the default. A row without z_m stands on the ground. A row with mass_kg is a breakaway object.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector, raise_all
from simulator.base.fields import Field, FileName
from simulator.base.suggestions import did_you_mean
from simulator.base.table_text import read_table_text
from simulator.base.values import Values
from terrain.kinds import find_file
from terrain.objects.section import OBJECT_KIND, Height, read_objects
from terrain.objects.shapes import SIMPLE
from terrain.objects.world_object import WorldObject

TABLE = Field("objects_table", FileName("the path of a CSV file"), "CSV file with one object per row", None)
"""Field of all terrain files."""
MAX_BYTES = 1 << 27
COLUMNS = (
    *("name", "shape", "label", "x_m", "y_m", "z_m", "yaw_deg", "length_m", "width_m", "height_m", "radius_m"),
    *("friction", "restitution", "red", "green", "blue", "reflectance", "extinction_1pm", "mass_kg", "break_force_N"),
)
"""Columns of the table. A box has length, width and height, along its own x, y and z axes; other shapes have their keys."""
MAX_ERRORS = 100
"""Number of errors after which the rest of the table is not checked."""
NEEDED = ("shape", "x_m", "y_m")
_PLAIN = {"yaw_deg": "yaw_deg", "radius_m": "radius", "friction": "friction", "restitution": "restitution", "reflectance": "reflectance"}
_TEXTS = ("name", "shape", "label")
MAX_CELL = 10_000
"""Maximum number of characters of a cell."""


def read_object_table(name: str, file: str, height: Height, folder: FilePath, taken: Sequence[str]) -> list[WorldObject]:
    """Return the objects of a table.

    Parameters
    ----------
    name : path of the table, relative to `file` or in `folder`
    height, folder, taken : as for `terrain.objects.section.read_objects`

    Raises
    ------
    ConfigError : the file is missing, or cells cannot be used, all errors at once
    """
    path = find_file(name, file, folder, "a table of objects")
    rows = csv.DictReader(io.StringIO(read_table_text(path, "a CSV table of objects", MAX_BYTES), newline=""))
    _check_columns(path, rows.fieldnames or ())
    sections: list[Values] = []
    with ErrorCollector() as faults:
        try:
            for row in rows:
                if any(len(cell) > MAX_CELL for cell in row.values() if isinstance(cell, str)):
                    faults.add(ConfigError(path, f"line {rows.line_num}", "a long cell", "a row of short cells"))
                    break
                with faults.part():
                    sections.append(_section(row, path, f"line {rows.line_num}"))
                if len(faults.errors) >= MAX_ERRORS:
                    break
        except csv.Error as error:
            faults.add(ConfigError(path, f"line {rows.line_num + 1}", str(error), "a row of short cells"))
    return read_objects(sections, height, folder, taken)


def _check_columns(path: FilePath, names: Sequence[str]) -> None:
    """Raise ConfigError for unknown, repeated or missing columns."""
    for name in NEEDED:
        if name not in names:
            raise ConfigError(path, name, list(names), f"a column {name}; expected columns: {', '.join(COLUMNS)}")
    for name in names:
        if name not in COLUMNS or list(names).count(name) > 1:
            raise ConfigError(path, name, name, f"one of the columns {', '.join(COLUMNS)}, once{did_you_mean(name, COLUMNS)}")


def _section(row: Mapping[str, Any], path: FilePath, key: str) -> Values:
    """Return the checked section of a row. Raises ConfigError."""
    if None in row or None in row.values():
        raise ConfigError(path, key, [*row.values()][:4], "one cell for each column")
    texts = {name: cell.strip() for name, cell in row.items() if cell.strip()}
    cells: dict[str, Any] = {name: text if name in _TEXTS else _number(path, key, name, text) for name, text in texts.items()}
    shape = cells.get("shape")
    if shape not in SIMPLE:
        raise ConfigError(path, f"{key}: shape", shape or "nothing", f"one of {', '.join(SIMPLE)}")
    position = [_need(cells, path, key, name) for name in ("x_m", "y_m")]
    section: dict[str, Any] = {name: cells[name] for name in _TEXTS if name in cells}
    section["position"] = [*position, cells["z_m"]] if "z_m" in cells else position
    section |= {name: cells[column] for column, name in _PLAIN.items() if column in cells}
    if shape == "box":
        section["size"] = [_need(cells, path, key, name) for name in ("length_m", "width_m", "height_m")]
    else:
        section |= {name: cells[f"{name}_m"] for name in ("height", "length") if f"{name}_m" in cells}
    if "red" in cells:
        section["color"] = [_need(cells, path, key, name) for name in ("red", "green", "blue")]
    if "extinction_1pm" in cells:
        section["extinction"] = cells["extinction_1pm"]
    if "mass_kg" in cells:
        section["breakaway"] = {"mass": cells["mass_kg"], "force": cells.get("break_force_N", 0.0)}
    try:
        values: Values = OBJECT_KIND.read(section, str(path), key)
    except ConfigError as error:
        raise_all([one.moved_to(str(path), one.key.replace(f"{key}.", f"{key}: ")) for one in error.errors])
        raise
    return values


def _number(path: FilePath, key: str, name: str, text: str) -> float:
    """Return the number of a cell. Raises ConfigError."""
    try:
        return float(text)
    except ValueError:
        raise ConfigError(path, f"{key}: {name}", text, "a number, or an empty cell") from None


def _need(cells: Mapping[str, Any], path: FilePath, key: str, name: str) -> Any:
    """Return a cell. Raises ConfigError if it is empty."""
    if name not in cells:
        raise ConfigError(path, f"{key}: {name}", "an empty cell", "a number in m" if name.endswith("_m") else "a number")
    return cells[name]
