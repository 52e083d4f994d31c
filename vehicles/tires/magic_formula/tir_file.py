"""Tire property files (.tir): ASCII with [SECTIONS], `KEY = value $ comment` and tables, in the units that [UNITS] names.

Keys and words are case-insensitive, strings may be quoted, lines end with LF or CRLF; `$` and `!` begin a comment. A number
is converted to SI by its dimension, which the caller specifies: `tir.number("FNOMIN", "force")`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_any_text
from simulator.base.suggestions import did_you_mean
from simulator.base.units import FOOT, INCH, MILE, POUND, POUND_FORCE

MAX_BYTES = 1 << 20

UNITS: dict[str, dict[str, float]] = {
    "LENGTH": {
        **dict.fromkeys(("meter", "metre", "meters", "metres", "m"), 1.0),
        **dict.fromkeys(("millimeter", "millimetre", "millimeters", "mm"), 1e-3),
        **dict.fromkeys(("centimeter", "centimetre", "centimeters", "cm"), 1e-2),
        **dict.fromkeys(("kilometer", "kilometre", "kilometers", "km"), 1e3),
        **dict.fromkeys(("inch", "inches", "in"), INCH),
        **dict.fromkeys(("foot", "feet", "ft"), FOOT),
        **dict.fromkeys(("mile", "miles"), MILE),
    },
    "FORCE": {
        **dict.fromkeys(("newton", "newtons", "n"), 1.0),
        **dict.fromkeys(("kilonewton", "kilonewtons", "knewton", "kn"), 1e3),
        **dict.fromkeys(("pound_force", "pounds_force", "poundforce", "pound", "lbf", "lb"), POUND_FORCE),
        **dict.fromkeys(("kpound_force", "kilopound_force", "kip", "klbf"), 1e3 * POUND_FORCE),
        **dict.fromkeys(("kilogram_force", "kg_force", "kgf"), STANDARD_GRAVITY),
        **dict.fromkeys(("dyne", "dynes"), 1e-5),
    },
    "ANGLE": {
        **dict.fromkeys(("radian", "radians", "rad"), 1.0),
        **dict.fromkeys(("degree", "degrees", "deg"), math.pi / 180.0),
    },
    "MASS": {
        **dict.fromkeys(("kilogram", "kilograms", "kg"), 1.0),
        **dict.fromkeys(("gram", "grams", "g"), 1e-3),
        **dict.fromkeys(("tonne", "tonnes", "megagram"), 1e3),
        **dict.fromkeys(("pound_mass", "pounds_mass", "poundmass", "pound", "lbm", "lb"), POUND),
        **dict.fromkeys(("slug", "slugs"), POUND_FORCE / FOOT),
    },
    "TIME": {
        **dict.fromkeys(("second", "seconds", "sec", "s"), 1.0),
        **dict.fromkeys(("millisecond", "milliseconds", "msec", "ms"), 1e-3),
        **dict.fromkeys(("minute", "minutes", "min"), 60.0),
        **dict.fromkeys(("hour", "hours", "hr", "h"), 3600.0),
    },
    "PRESSURE": {
        **dict.fromkeys(("pascal", "pascals", "pa", "n/m2", "n/m^2", "newton/meter^2"), 1.0),
        **dict.fromkeys(("kilopascal", "kpascal", "kpa"), 1e3),
        **dict.fromkeys(("megapascal", "mpascal", "mpa", "n/mm2", "n/mm^2"), 1e6),
        **dict.fromkeys(("bar", "bars"), 1e5),
        **dict.fromkeys(("millibar", "mbar", "hpa"), 1e2),
        **dict.fromkeys(("psi", "lbf/in2", "lbf/in^2", "pound_force/inch^2"), POUND_FORCE / INCH**2),
    },
    "VELOCITY": {
        **dict.fromkeys(("mps", "m/s", "meter/second", "meter/sec"), 1.0),
        **dict.fromkeys(("kph", "kmh", "km/h", "kilometer/hour"), 1.0 / 3.6),
        **dict.fromkeys(("mph", "mile/hour", "miles/hour"), MILE / 3600.0),
        **dict.fromkeys(("ft/s", "fps", "foot/second"), FOOT),
        **dict.fromkeys(("mm/s", "millimeter/second"), 1e-3),
        **dict.fromkeys(("in/s", "inch/second"), INCH),
    },
}
"""Words of [UNITS] with their factors to SI. PRESSURE and VELOCITY are optional: they follow from the other units."""

ALSO = {"SPEED": "VELOCITY"}
"""Alternative keys of [UNITS]."""

DIMENSIONS: dict[str, Mapping[str, int]] = {
    "": {},
    "length": {"LENGTH": 1},
    "force": {"FORCE": 1},
    "angle": {"ANGLE": 1},
    "mass": {"MASS": 1},
    "speed": {"VELOCITY": 1},
    "pressure": {"PRESSURE": 1},
    "stiffness": {"FORCE": 1, "LENGTH": -1},
    "damping": {"FORCE": 1, "TIME": 1, "LENGTH": -1},
    "turning": {"FORCE": 1, "LENGTH": 1, "ANGLE": -1},
}

_SECTION = re.compile(r"\[\s*([^\]]+?)\s*\]$")
_ROW_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?$")
_ENTRY = re.compile(r"([A-Za-z_]\w*)\s*=\s*(.*)$")


@dataclass
class Tir:
    """Contents of a .tir file.

    Attributes
    ----------
    file : name for messages
    entries : by section and key, in upper case: the text after `=`, without quotes and comment
    tables : by section: the lines of its table, split
    factors : factors to SI, from [UNITS]
    """

    file: str
    entries: dict[str, dict[str, str]] = field(default_factory=dict)
    tables: dict[str, list[list[str]]] = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)

    def find(self, *names: str) -> tuple[str, str] | None:
        """Return (SECTION.KEY, text) of the first of these keys that the file has, in any section."""
        for name in names:
            for section, entries in self.entries.items():
                if section != "UNITS" and name in entries:
                    return f"{section}.{name}", entries[name]
        return None

    def number(self, name: str, dimension: str = "", default: float = 0.0, also: tuple[str, ...] = ()) -> float:
        """Return a number in SI; `also` are alternative keys. Raises ConfigError if the text is not a number."""
        found = self.find(name, *also)
        if found is None:
            return default
        return _number(self.file, *found) * self.factor(dimension)

    def above_zero(self, section: str, name: str, dimension: str) -> float:
        """Return a required number. Raises ConfigError if it is missing or not above zero."""
        found = self.find(name)
        if found is None:
            raise ConfigError(self.file, f"{section}.{name}", "nothing", "a number above 0")
        value = self.number(name, dimension)
        if value <= 0.0:
            raise ConfigError(self.file, found[0], found[1], "a number above 0")
        return value

    def text(self, name: str) -> str:
        """Return a word in upper case; empty if it is missing."""
        found = self.find(name)
        return found[1].upper() if found is not None else ""

    def table(self, section: str, dimensions: tuple[str, ...]) -> NDArray[np.float64] | None:
        """Return the numbers (rows, columns) in SI of the table of a section; None without a table. Raises ConfigError."""
        rows = self.tables.get(section)
        if not rows:
            return None
        for row in rows:
            if len(row) != len(dimensions):
                raise ConfigError(self.file, section, " ".join(row), f"{len(dimensions)} numbers in a row of its table")
        factors = [self.factor(dimension) for dimension in dimensions]
        return np.array([[_number(self.file, section, word) for word in row] for row in rows]) * factors

    def factor(self, dimension: str) -> float:
        """Return the factor to SI."""
        return math.prod(self.factors[unit] ** power for unit, power in DIMENSIONS[dimension].items())


def read_tir(file: str | Path) -> Tir:
    """Read a .tir file. Raises ConfigError if it cannot be read, is no such file, or has an unknown unit."""
    return parse_tir(read_any_text(file, "a tire property file (.tir)", MAX_BYTES), str(file))


def parse_tir(text: str, file: str) -> Tir:
    """Parse the content of a .tir file; see `read_tir`."""
    tir, section, in_table = Tir(file), "", False
    for n, written in enumerate(text.splitlines(), 1):
        line = _without_comment(written).strip()
        if not line:
            continue
        if found := _SECTION.match(line):
            section, in_table = found[1].upper(), False
            tir.entries.setdefault(section, {})
        elif line[0] in "{(" and section:
            in_table = True
        elif (found := _ENTRY.match(line)) and section:
            _add_entry(tir, section, found[1].upper(), found[2].strip().strip("'\"").strip())
        elif in_table or (section and _is_row(line)):
            tir.tables.setdefault(section, []).append(line.replace(",", " ").split())
        else:
            raise ConfigError(file, f"line {n}", line, "KEY = value" if section else "a [SECTION] of a tire property file")
    if not tir.entries:
        raise ConfigError(file, "", "no [SECTION]", "a tire property file (.tir)")
    _read_units(tir)
    return tir


def _add_entry(tir: Tir, section: str, key: str, value: str) -> None:
    """Add an entry; a blank value counts as missing, but not in [UNITS]. Raises ConfigError if the key exists already with another value."""
    if not value and section != "UNITS":
        return
    before = tir.entries[section].setdefault(key, value)
    if before != value:
        raise ConfigError(tir.file, f"{section}.{key}", value, f"a unique key in its section; the first value is {before}")


def _is_row(line: str) -> bool:
    """Return True for a line of numbers: a row of a table, whose line of column names `{...}` some programs leave out."""
    return all(_ROW_NUMBER.match(word) for word in line.replace(",", " ").split())


def _without_comment(line: str) -> str:
    """Return a line up to the first `$` or `!` outside quotes."""
    quote = ""
    for n, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"" and letter in line[n + 1 :]:
            quote = letter
        elif letter in "$!":
            return line[:n]
    return line


def _number(file: str, key: str, written: str) -> float:
    """Return a number in C or Fortran notation. Raises ConfigError."""
    try:
        value = float(re.sub(r"(?<=[\d.])[dD](?=[+-]?\d)", "e", written.replace("_", "?")))
    except ValueError:
        raise ConfigError(file, key, written or "nothing", "a number") from None
    if not math.isfinite(value):
        raise ConfigError(file, key, written, "a finite number")
    return value


def _read_units(tir: Tir) -> None:
    """Set the factors to SI; default: SI units. Raises ConfigError for an unknown unit."""
    given = {ALSO.get(key, key): (key, word) for key, word in tir.entries.get("UNITS", {}).items()}
    for unit, words in UNITS.items():
        if unit in given:
            key, word = given[unit]
            factor = words.get(re.sub(r"\s+", "", word.lower()))
            if factor is None:
                raise ConfigError(tir.file, f"UNITS.{key}", word, f"one of {', '.join(words)}{did_you_mean(word.lower(), words)}")
            tir.factors[unit] = factor
    for unit in ("LENGTH", "FORCE", "ANGLE", "MASS", "TIME"):
        tir.factors.setdefault(unit, 1.0)
    tir.factors.setdefault("PRESSURE", tir.factors["FORCE"] / tir.factors["LENGTH"] ** 2)
    tir.factors.setdefault("VELOCITY", tir.factors["LENGTH"] / tir.factors["TIME"])
