"""Points of a CSV file, and heights at them.

The header says which coordinates they are: `x,y` those of the file (of a terrain: its local ones, in m), `easting,northing` those of its reference
system, `lon,lat` degrees on WGS 84, `u,v` places along and across an OpenCRG road. A column `crs` says it row by row: `local`, `lonlat`, a code
such as EPSG:32633. Rows whose column `file` names another file are left out.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_utf8
from terrain.readers.contract import Values

EXPECTED = "a CSV file of points"
MOST_BYTES = 1 << 26
PAIRS = {
    ("x", "y"): "",
    ("easting", "northing"): "map",
    ("lon", "lat"): "lonlat",
    ("longitude", "latitude"): "lonlat",
    ("u", "v"): "road",
}
"""Columns and what they are: the file's own coordinates, those of its reference system, degrees, places on a road."""
OWN = ("", "local", "pixel", "pixels", "projected", "file")
"""What a column crs calls the file's own coordinates."""
DEGREES = ("lonlat", "EPSG:4326")


@dataclass
class Points:
    """Points of one kind of coordinates: "" the file's own, "map", "lonlat", "road", or the code of a reference system."""

    kind: str
    rows: list[int] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    second: list[float] = field(default_factory=list)

    @property
    def both(self) -> tuple[Values, Values]:
        """The two coordinates."""
        return np.array(self.first), np.array(self.second)


def read_points(path: str, file: str) -> list[Points]:
    """Points by the kind of their coordinates. Raises ConfigError: no such columns, no number, no points."""
    rows = list(csv.DictReader(io.StringIO(read_utf8(path, EXPECTED, MOST_BYTES))))
    names = [str(name).strip().lower() for name in (rows[0] if rows else {})]
    pairs = {pair: kind for pair, kind in PAIRS.items() if set(pair) <= set(names)}
    if not pairs:
        wanted = ", ".join(",".join(pair) for pair in PAIRS)
        raise ConfigError(
            path, "", f"columns {', '.join(names)}" if names else "no points", f"a header with one of {wanted}, and points below it"
        )
    out: dict[str, Points] = {}
    for number, row in enumerate(rows):
        said = {str(name).strip().lower(): value for name, value in row.items()}
        if Path(said.get("file") or file).name != Path(file).name:
            continue
        pair = next((pair for pair in pairs if all((said[name] or "").strip() for name in pair)), None)
        if pair is None:
            raise ConfigError(path, f"row {number + 2}", row, f"numbers under {' or '.join(','.join(pair) for pair in pairs)}")
        kind = pairs[pair] or _of_crs(said.get("crs") or "")
        points = out.setdefault(kind, Points(kind))
        points.rows.append(number)
        for values, name in ((points.first, pair[0]), (points.second, pair[1])):
            values.append(_number(path, number, name, said[name]))
    if not out:
        raise ConfigError(path, "", "no points", f"points whose column file says {Path(file).name}")
    return list(out.values())


def _of_crs(said: str) -> str:
    said = said.strip()
    return "" if said.lower() in OWN else "lonlat" if said in DEGREES else said


def _number(path: str, number: int, name: str, text: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        value = float("nan")
    if not np.isfinite(value):
        raise ConfigError(path, f"row {number + 2}: {name}", text, "a finite number")
    return value
