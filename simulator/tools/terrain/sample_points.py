"""Points of a CSV file, and heights at them.

The header gives the kind of coordinates: `x,y` coordinates of the file (for a terrain: its local coordinates in m), `easting,northing`
coordinates of its reference system, `lon,lat` degrees on WGS 84, `u,v` along and across an OpenCRG road. A column `crs` gives the kind for
each row: `local`, `lonlat`, a code such as EPSG:32633. Rows with the name of another file in the column `file` are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.table_text import TableRows

EXPECTED = "a CSV file of points"
MAX_BYTES = 1 << 26
PAIRS = {
    ("x", "y"): "",
    ("easting", "northing"): "map",
    ("lon", "lat"): "lonlat",
    ("longitude", "latitude"): "lonlat",
    ("u", "v"): "road",
}
"""Columns and their kinds: coordinates of the file, coordinates of its reference system, degrees, positions on a road."""
OWN = ("", "local", "pixel", "pixels", "projected", "file")
"""Values of the column crs for coordinates of the file."""
DEGREES = ("lonlat", "EPSG:4326")


@dataclass
class Points:
    """Points of one kind of coordinates: "" for the file, "map", "lonlat", "road", or the code of a reference system."""

    kind: str
    rows: list[int] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    second: list[float] = field(default_factory=list)

    @property
    def both(self) -> tuple[Array, Array]:
        """The two coordinates."""
        return np.array(self.first), np.array(self.second)


def read_points(path: str, file: str) -> list[Points]:
    """Read points, grouped by kind of coordinates. Raises ConfigError: missing columns, invalid number, no points."""
    table = TableRows(path, EXPECTED, MAX_BYTES)
    rows = [(table.line, row) for row in table]
    names = [name.lower() for name in table.names] if rows else []
    pairs = {pair: kind for pair, kind in PAIRS.items() if set(pair) <= set(names)}
    if not pairs:
        headers = ", ".join(",".join(pair) for pair in PAIRS)
        raise ConfigError(
            path, "", f"columns {', '.join(names)}" if names else "no points", f"a header with one of {headers}, and points below"
        )
    out: dict[str, Points] = {}
    for number, (line, row) in enumerate(rows):
        code = {name.lower(): value for name, value in row.items()}
        if Path(code.get("file") or file).name != Path(file).name:
            continue
        pair = next((pair for pair in pairs if all(code[name] for name in pair)), None)
        if pair is None:
            raise ConfigError(path, f"line {line}", row, f"numbers under {' or '.join(','.join(pair) for pair in pairs)}")
        kind = pairs[pair] or _of_crs(code.get("crs") or "")
        points = out.setdefault(kind, Points(kind))
        points.rows.append(number)
        for values, name in ((points.first, pair[0]), (points.second, pair[1])):
            values.append(_number(path, line, name, code[name]))
    if not out:
        raise ConfigError(path, "", "no points", f"points with {Path(file).name} in the column file")
    return list(out.values())


def _of_crs(code: str) -> str:
    code = code.strip()
    return "" if code.lower() in OWN else "lonlat" if code in DEGREES else code


def _number(path: str, line: int, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise ConfigError(path, f"line {line}: {name}", text, "a finite number")
    return value
