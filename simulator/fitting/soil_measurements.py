"""Reader for CSV files with single-wheel tests on soil: settings and measured quantities."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean
from simulator.base.table_text import read_table_text
from simulator.base.units import factor_of

SET = {
    # name        unit   other names
    "slip": ("1", ("s", "slip_ratio")),
    "load": ("N", ("W", "F_z", "Fz")),
    "slip_angle": ("rad", ("beta", "alpha")),
}
"""Settings of a test. Slip: 1 - V / (omega R) driving, omega R / V - 1 braking, with the speed V of the carriage. The slip angle is
optional."""
MEASURED = {
    "drawbar_pull": ("N", ("pull", "DP")),
    "side_force": ("N", ("side", "F_y", "Fy")),
    "sinkage": ("m", ("z",)),
    "torque": ("N m", ("T",)),
}
"""Measured quantities. The side force is positive against the lateral motion; the others are as in `simulator.tools.soil.soil_bin`."""
MAX_BYTES = 1 << 26
MIN_ROWS = 3
"""Minimum number of rows."""


@dataclass(frozen=True)
class WheelTests:
    """Rows of a file.

    Attributes
    ----------
    slip, load, slip_angle : (n,) 1, N, rad
    measured : (n,) in SI by name of MEASURED; NaN for missing numbers, and for side forces at a slip angle of 0
    """

    file: str
    slip: Array
    load: Array
    slip_angle: Array
    measured: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.slip)


def read_tests(file: str, where: Sequence[str] = ()) -> WheelTests:
    """Return the rows of a CSV file. Its first line contains the names, with a suffix for units other than SI: `slip, load_N, beta_deg,
    DP_N, z_mm`.

    Parameters
    ----------
    where : conditions COLUMN=VALUE that select rows

    Raises
    ------
    ConfigError : the file cannot be read, a column is missing, a cell is not a number, or too few rows remain
    """
    lines = list(csv.reader(read_table_text(Path(file), "a table (.csv)", MAX_BYTES).splitlines()))
    if not lines:
        raise ConfigError(file, "", "nothing", "a line of names and rows of numbers")
    names, rows = [name.strip() for name in lines[0]], [line for line in lines[1:] if line]
    wide = next((n for n, row in enumerate(rows, 1) if len(row) > len(names)), 0)
    if wide:
        raise ConfigError(file, f"row {wide}", f"{len(rows[wide - 1])} cells", f"{len(names)} cells, as in the line of names")
    for given in where:
        rows = _chosen(file, names, rows, given)
    if len(rows) < MIN_ROWS:
        raise ConfigError(file, "", f"{len(rows)} rows", f"at least {MIN_ROWS} rows")
    found = {name: _column(file, names, rows, name, unit, also) for name, (unit, also) in {**SET, **MEASURED}.items()}
    for name in ("slip", "load"):
        if found[name] is None:
            raise ConfigError(file, name, "no such column", f"a column {name} (or {', '.join(SET[name][1])}) with its unit as a suffix")
    angle = found["slip_angle"] if found["slip_angle"] is not None else np.zeros(len(rows))
    measured = {name: column for name in MEASURED if (column := found[name]) is not None}
    if not measured:
        raise ConfigError(file, "", "nothing measured", f"one of the columns {', '.join(MEASURED)}")
    if "side_force" in measured:
        measured["side_force"] = np.where(angle == 0.0, np.nan, measured["side_force"])
    slip, load = found["slip"], found["load"]
    assert slip is not None and load is not None
    _within(file, "slip", slip, -1.0, 0.99)
    _within(file, "load", load, 1e-2, 1e6)
    return WheelTests(file, slip, load, angle, measured)


def _chosen(file: str, names: Sequence[str], rows: list[list[str]], given: str) -> list[list[str]]:
    """Return the rows that have a given value in a column."""
    column, equals, value = given.partition("=")
    if not equals or column not in names:
        raise ConfigError("--where", "", given, f"COLUMN=VALUE with a column of {file}{did_you_mean(column, names)}")
    at = names.index(column)
    return [row for row in rows if at < len(row) and _same(row[at].strip(), value)]


def _same(cell: str, value: str) -> bool:
    try:
        return float(cell) == float(value)
    except ValueError:
        return cell == value


def _column(file: str, names: Sequence[str], rows: Sequence[Sequence[str]], name: str, unit: str, also: Sequence[str]) -> Array | None:
    """Return the (n,) numbers in SI units of the column with one of these names, with or without unit; None without such a column."""
    for n, heading in enumerate(names):
        bare, _, suffix = heading.rpartition("_")
        factor = 1.0 if heading in (name, *also) else factor_of(unit, suffix) if bare in (name, *also) else None
        if factor is not None:
            return np.array([_number(file, heading, row[n] if n < len(row) else "", line) for line, row in enumerate(rows, 1)]) * factor
    return None


def _number(file: str, heading: str, cell: str, row: int) -> float:
    if not cell.strip():
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        raise ConfigError(file, f"row {row}, {heading}", cell, "a number") from None


def _within(file: str, name: str, values: Array, least: float, most: float) -> None:
    wrong = values[~((values >= least) & (values <= most))]
    if len(wrong):
        raise ConfigError(file, name, f"{wrong[0]:g}", f"numbers from {least:g} to {most:g}")
