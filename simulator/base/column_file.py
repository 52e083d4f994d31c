"""Columns of numbers of a CSV file, by heading: curves and tables that a vehicle file names. Any locale; a line of units may follow the names."""

from __future__ import annotations

import math
from pathlib import Path

from simulator.base.errors import ConfigError
from simulator.base.table_text import TableRows

SUFFIXES = (".csv", ".tsv", ".txt")
"""Suffixes of such files."""
MAX_BYTES = 1 << 24
MAX_ROWS = 20_000
EXPECTED = "a table (.csv): a line of names with units, such as travel_mm, and lines of numbers"


def read_columns(file: str | Path) -> dict[str, list[float]]:
    """Return the numbers of each column. A unit from a line below the names follows the name in brackets. Raises ConfigError."""
    rows = TableRows(file, EXPECTED, MAX_BYTES)
    headings = [name for name in rows.names if name]
    if len(set(headings)) < len(headings) or not headings:
        repeated = next((name for n, name in enumerate(headings) if name in headings[:n]), "no names")
        raise ConfigError(file, "line of names", repeated, "a name for each column, each once")
    columns: dict[str, list[float]] = {name: [] for name in headings}
    units: dict[str, str] = {}
    for row in rows:
        if not units and not columns[headings[0]] and not any(_is_number(row[name]) for name in headings):
            units = {name: row[name].strip("[]()") or "-" for name in headings}
            continue
        for name in headings:
            columns[name].append(_number(row[name], file, f"line {rows.line}: {name}"))
        if row.get("", ""):
            raise ConfigError(file, f"line {rows.line}", row[""], "a name in the first line for each column with numbers")
        if len(columns[headings[0]]) > MAX_ROWS:
            raise ConfigError(file, f"line {rows.line}", "more rows", f"at most {MAX_ROWS} rows")
    if not columns[headings[0]]:
        raise ConfigError(file, "", "no rows", EXPECTED)
    return {f"{name} [{units[name]}]" if units else name: numbers for name, numbers in columns.items()}


def place_of(file: str | Path, row: int) -> str:
    """Return the line of the file of a row of numbers, counted from 0, for messages; the number of the row if the file cannot be read."""
    try:
        rows = TableRows(file, EXPECTED, MAX_BYTES)
        left = row
        for cells in rows:
            if any(map(_is_number, cells.values())):
                if left == 0:
                    return f"line {rows.line}"
                left -= 1
    except ConfigError:
        pass  # the content comes from a record of a run
    return f"row {row + 1}"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(cell: str, file: str | Path, place: str) -> float:
    """Return a finite number of a cell. Raises ConfigError."""
    number = float(cell) if _is_number(cell) and "_" not in cell else math.nan
    if not math.isfinite(number):
        raise ConfigError(file, place, cell or "an empty cell", "a number")
    return number
