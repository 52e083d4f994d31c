"""Tables and curves of a vehicle file that come from a CSV file: columns by quantity, in SI units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.column_file import SUFFIXES, place_of
from simulator.base.errors import ConfigError
from simulator.base.fields import Text
from simulator.base.suggestions import did_you_mean
from simulator.base.units import SHOWN, factor_of_unit, fitting
from simulator.base.values import Values

FILE = ()
"""Table of the keys of such a file: its keys are the headings of its columns, which the section that names it checks (`Columns`)."""


class TableFile(NamedTuple):
    """CSV file after reading: its path, for messages, and its numbers by heading. It replaces the name of the file."""

    path: str
    content: Any


CSV_NAME = Text(f"the name of a table ({', '.join(SUFFIXES)})", held=TableFile)
"""Type of a key that names a CSV file."""


def table_at(values: Values, name: str) -> TableFile:
    """Return the table that a key of a section names. Raises ConfigError: nobody has read it, because the value is not a name of a file."""
    given = values[name]
    if not isinstance(given, TableFile):
        raise values.error(name, CSV_NAME.expected)
    return given


class Quantity(NamedTuple):
    """Quantity of a column.

    names : headings without unit; unit : SI unit; "1": none
    factor : of the quantity that these names mean, to the quantity itself; for example 0.5 from the track to the half track
    """

    names: tuple[str, ...]
    unit: str
    factor: float = 1.0


SPEED = {"mm/s": 1e-3, "mmps": 1e-3, "in/s": 0.0254, "inps": 0.0254}
"""m/s of the units of speed that only curves of dampers have."""
_BRACKETS = re.compile(r"(.*?)\s*[\[(]([^\])]*)[\])]\s*")


class Columns(dict[str, Vector]):
    """Columns (rows,) of a table by quantity, in SI units.

    Attributes
    ----------
    file : path of the file, for messages
    headings : heading of each quantity in the file
    units : unit of each quantity in the file, for messages, and its factor to the SI unit
    """

    def __init__(self, given: TableFile, quantities: Mapping[str, tuple[Quantity, ...]]) -> None:
        super().__init__()
        self.file, content = given.path, given.content
        self.headings: dict[str, str] = {}
        self.units: dict[str, tuple[str, float]] = {}
        self._content: Mapping[str, Any] = content
        if not isinstance(content, dict) or not content:
            raise ConfigError(self.file, "", content, "columns of numbers by heading")
        for heading, numbers in content.items():
            quantity, unit, factor = _meaning(str(heading), quantities, self.file)
            if quantity in self:
                raise ConfigError(self.file, str(heading), "a second column", f"one column of {quantity}")
            self[quantity], self.headings[quantity] = factor * _array(numbers, self.file, str(heading)), str(heading)
            self.units[quantity] = unit, factor
        lengths = {len(column) for column in self.values()}
        if len(lengths) > 1:
            raise ConfigError(self.file, "", sorted(lengths), "columns of equal length")

    def need(self, quantity: str, written: str) -> Vector:
        """Return a column. Raises ConfigError if there is none; written: its usual heading."""
        if quantity not in self:
            raise ConfigError(self.file, written, "no such column", f"a column {written}")
        return self[quantity]

    def error(self, quantity: str, row: int, expected: str) -> ConfigError:
        """Return the error about a number of a column; row: from 0."""
        heading = self.headings[quantity]
        return ConfigError(self.file, f"{place_of(self.file, row)}: {heading}", self._content[heading][row], expected)

    def place(self, quantity: str, row: int) -> str:
        """Return the place of a number of a column, for messages; row: from 0."""
        line = place_of(self.file, row)
        return f"{self.file}{line.replace('line ', ':').replace('row ', ': row ')}: {self.headings[quantity]}"

    def check_size(self, quantity: str, most: float) -> None:
        """Raise ConfigError if the size of a number of a column is above `most`, in SI units."""
        unit, factor = self.units[quantity]
        limit = most / abs(factor)
        for row in np.flatnonzero(np.abs(self[quantity]) > most):
            raise self.error(quantity, int(row), f"a number from {-limit:.4g} to {limit:.4g} {unit}".rstrip())

    def curve(self, x: str, y: str, most: int) -> tuple[Vector, Vector]:
        """Return a curve y over x with strictly rising x, sorted: all points, or the `most` that describe it best.

        Raises ConfigError: a column is missing, y falls, there is one point only, or two at the same x.
        """
        for quantity, unit in ((x, "mm" if x == "travel" else "m_s"), (y, "N")):
            self.need(quantity, f"{quantity}_{unit}")
        if len(self[x]) < 2:
            raise ConfigError(self.file, self.headings[x], "1 row", "at least 2 rows")
        order = np.argsort(self[x], kind="stable")
        xs, ys = self[x][order], self[y][order]
        for k in np.flatnonzero(np.diff(xs) <= 0.0):
            raise self.error(x, int(order[k + 1]), f"each value of {self.headings[x]} once")
        for k in np.flatnonzero(np.diff(ys) < 0.0):
            raise self.error(y, int(order[k + 1]), f"values that never fall with {self.headings[x]}")
        return _thinned(xs, ys, most)


def _thinned(xs: Vector, ys: Vector, most: int) -> tuple[Vector, Vector]:
    """Return at most so many points of a curve: the two ends, then always the point with the largest error of the straight pieces so far."""
    kept = [0, len(xs) - 1]
    while len(kept) < min(most, len(xs)):
        error = np.abs(np.interp(xs, xs[kept], ys[kept]) - ys)
        error[kept] = -1.0
        kept = sorted([*kept, int(error.argmax())])
    return xs[kept], ys[kept]


def _array(numbers: Any, file: str, heading: str) -> Vector:
    """Return finite numbers of a column. Raises ConfigError."""
    is_list = isinstance(numbers, list | tuple) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)
    array = np.array(numbers, dtype=float) if is_list else np.empty(0)
    if not len(array) or not np.isfinite(array).all():
        raise ConfigError(file, heading, numbers, "a list of numbers")
    return array


def _meaning(heading: str, quantities: Mapping[str, tuple[Quantity, ...]], file: str) -> tuple[str, str, float]:
    """Return the quantity of a heading, its unit for messages and the factor to its SI unit. Raises ConfigError: unknown name or unit."""
    bracketed = _BRACKETS.fullmatch(heading)
    name, unit = (bracketed[1], bracketed[2].strip()) if bracketed else (heading, "")
    name = re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")
    known = {word: (quantity, one) for quantity, all_of in quantities.items() for one in all_of for word in one.names}
    found = known.get(name)
    if found is None and not bracketed:
        fits = [word for word in known if name.startswith(f"{word}_")]
        if fits:
            word = max(fits, key=len)
            found, unit = known[word], re.sub(r"[\s_]+", "_", heading.strip())[len(word) + 1 :]
    if found is None:
        expected = f"one of {', '.join(known)}, with its unit{did_you_mean(name, known)}"
        raise ConfigError(file, "line of names", heading, expected)
    quantity, one = found
    factor = 1.0 if one.unit == "1" and unit in ("", "-", "1") else _factor(one.unit, unit)
    if factor is None:
        units = fitting(one.unit) + (", _mm_s" if one.unit == "m/s" else "")
        expected = (
            f"the unit in the heading: {one.names[0]} followed by one of {units}" if one.unit != "1" else f"{one.names[0]} without unit"
        )
        raise ConfigError(file, "line of names", heading, expected)
    shown = "" if one.unit == "1" else re.sub(r"_s$", "/s", unit)
    return quantity, SHOWN.get(shown, shown), factor * one.factor


def _factor(si: str, unit: str) -> float | None:
    """Return the factor from a written unit to an SI unit, or None."""
    if not unit:
        return None
    written = re.sub(r"_s$", "/s", unit)
    if si == "m/s" and written.lower() in SPEED:
        return SPEED[written.lower()]
    return factor_of_unit(si, written)
