"""Measurements from a Jounce log or a CSV file: times, channels in SI units, and driver commands if available."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.suggestions import did_you_mean
from simulator.base.units import SHOWN, factor_of, fitting, is_suffix
from simulator.fitting.fit_file import COMMANDS, Data, file_of
from simulator.telemetry.csv_table import CsvTable
from simulator.telemetry.log import NoSuchColumnError, read_log

MIN_ROWS = 10
"""Minimum number of rows for a comparison."""
_IN_BRACKETS = re.compile(r"^(.*?)\s*[\[(]\s*([^\])]*?)\s*[\])]$")


@dataclass(frozen=True)
class Measured:
    """One measured drive.

    Attributes
    ----------
    label : display name
    times : (n,) s, as in the file; with commands from a CSV file, relative to the first row
    channels : (n,) in SI by name; NaN for empty cells
    commands : (n,) in SI by name of COMMANDS, constant from each time to the next; empty if the file has none
    """

    label: str
    times: Array
    channels: Mapping[str, Array]
    commands: Mapping[str, Array]

    def cut(self, first: float | None, last: float | None) -> NDArray[np.bool_]:
        """Return (n,) whether a row lies between two times."""
        low, high = -np.inf if first is None else first, np.inf if last is None else last
        return (self.times >= low) & (self.times <= high)


def read_measured(data: Data, file: str, units: Mapping[str, str]) -> Measured:
    """Return the measurement of a drive.

    Parameters
    ----------
    data, file : entry of the fit file, and the name of this file
    units : SI unit of every compared channel

    Raises ConfigError: a file cannot be read, lacks a channel, or has too few rows.
    """
    place = file_of(data, file)
    found = _of_run(place, units) if "run" in data.given else _of_table(data, file, place, units)
    rows = int(np.count_nonzero(found.cut(data.given.get("from"), data.given.get("to"))))
    if rows < MIN_ROWS:
        raise ConfigError(file, f"{data.key}.from", f"{rows} rows", f"at least {MIN_ROWS} rows between from and to")
    return found


def _of_run(place: Path, units: Mapping[str, str]) -> Measured:
    log = read_log(place, wall=False)
    try:
        return Measured(place.stem if place.is_file() else place.name, log["time"], {name: log[name] for name in units}, {})
    except NoSuchColumnError as error:
        raise UnreadableError(place, "", str(error), "a log with all compared channels") from None


class Table(CsvTable):
    """CSV file whose headings contain the unit as a suffix or in brackets. Raises ConfigError."""

    def column(self, name: str, unit: str, said_by: object, key: str) -> Array:
        """Return the (n,) numbers of a column in SI units, NaN for empty cells.

        Parameters
        ----------
        name : heading, with or without unit
        unit : SI unit; the column may have the unit of its heading instead
        said_by, key : file and key that name the column, for messages
        """
        place = self._place(name, said_by, key)
        factor = self._factor(self.headings[place], name, unit)
        return factor * self.numbers(place)

    def has(self, name: str) -> bool:
        """Return whether a column has this heading, or this name with a unit."""
        return any(name in _names(heading) for heading in self.headings)

    def _place(self, name: str, said_by: object, key: str) -> int:
        found = [n for n, heading in enumerate(self.headings) if heading == name]
        found = found or [n for n, heading in enumerate(self.headings) if name in _names(heading)]
        if len(found) != 1:
            what = "heading that occurs once" if found else f"heading of {self.file}: {', '.join(self.headings)}"
            raise ConfigError(said_by, key, name, f"a {what}{did_you_mean(name, self.headings)}")
        return found[0]

    def _factor(self, heading: str, name: str, unit: str) -> float:
        written = _unit_of(heading)
        if not written or written == unit or (unit == "1" and written in ("-", "1", "")):
            return 1.0
        suffix = next((suffix for suffix, shown in SHOWN.items() if shown == written and factor_of(unit, suffix) is not None), written)
        factor = factor_of(unit, suffix)
        if factor is None:
            expected = f"a unit of {unit}: {fitting(unit)}" if fitting(unit) else f"the unit {unit or '1'}"
            raise ConfigError(self.file, heading, written, f"{expected} (column {name})")
        return factor


def _unit_of(heading: str) -> str:
    """Return the unit in a heading, in brackets or as a suffix; empty without a unit."""
    found = _IN_BRACKETS.match(heading)
    if found:
        return found.group(2)
    name, _, suffix = heading.rpartition("_")
    return suffix if name and is_suffix(suffix) else ""


def _names(heading: str) -> Iterable[str]:
    """Yield the names of a heading: the complete text, and the text without unit."""
    found = _IN_BRACKETS.match(heading)
    yield heading
    if found:
        yield found.group(1)
    elif _unit_of(heading):
        yield heading.rpartition("_")[0]


def _of_table(data: Data, file: str, place: Path, units: Mapping[str, str]) -> Measured:
    table, columns = Table(place), data.given.get("columns") or {}
    times = table.column(data.given["time"], "s", file, f"{data.key}.time")
    if not np.isfinite(times).all() or not (np.diff(times) > 0.0).all():
        raise ConfigError(place, data.given["time"], "its times", "increasing times, one in every row")
    for name in columns:
        if name not in units:
            raise ConfigError(file, f"{data.key}.columns.{name}", name, f"a compared channel: {', '.join(units)}")
    channels = {name: table.column(columns.get(name, name), unit, file, f"{data.key}.columns.{name}") for name, unit in units.items()}
    given = data.given.get("commands") or {}
    commands = {name: table.column(heading, COMMANDS[name], file, f"{data.key}.commands.{name}") for name, heading in given.items()}
    for name, column in commands.items():
        if not np.isfinite(column).all():
            raise ConfigError(place, f"commands.{name}", "an empty cell", "a number in every row")
    return Measured(place.stem, times - times[0] if commands else times, channels, commands)
