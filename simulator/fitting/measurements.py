"""What was measured, out of a log of ours or a CSV file of anybody's: times, channels in SI, and what the driver did where it is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean
from simulator.base.units import SHOWN, factor_of, fitting, is_suffix
from simulator.fitting.fit_file import COMMANDS, Data, file_of
from simulator.telemetry.csv_table import CsvTable
from simulator.telemetry.log import NoSuchColumnError, read_log

Array = NDArray[np.float64]

FEWEST_ROWS = 10
"""Below, there is nothing to compare."""
_IN_BRACKETS = re.compile(r"^(.*?)\s*[\[(]\s*([^\])]*?)\s*[\])]$")


@dataclass(frozen=True)
class Measured:
    """One drive as it was measured.

    Attributes
    ----------
    label : for people
    times : (n,) s, as they are in the file; where the commands come from a CSV file they count from its first row
    channels : (n,) in SI by name; NaN where a cell is empty
    commands : (n,) in SI by name of COMMANDS, held from each time on; empty where the file has none
    """

    label: str
    times: Array
    channels: Mapping[str, Array]
    commands: Mapping[str, Array]

    def cut(self, first: float | None, last: float | None) -> NDArray[np.bool_]:
        """(n,) rows from one time to another."""
        low, high = -np.inf if first is None else first, np.inf if last is None else last
        return (self.times >= low) & (self.times <= high)


def read_measured(data: Data, file: str, units: Mapping[str, str]) -> Measured:
    """What was measured on a drive.

    Parameters
    ----------
    data, file : what the file of the fit says, and its name
    units : SI unit of every channel that is compared

    Raises ConfigError: a file cannot be read, a channel is not in it, or there are too few rows.
    """
    place = file_of(data, file)
    found = _of_run(place, units) if "run" in data.said else _of_table(data, file, place, units)
    rows = int(np.count_nonzero(found.cut(data.said.get("from"), data.said.get("to"))))
    if rows < FEWEST_ROWS:
        raise ConfigError(file, f"{data.key}.from", f"{rows} rows", f"at least {FEWEST_ROWS} rows between from and to")
    return found


def _of_run(place: Path, units: Mapping[str, str]) -> Measured:
    log = read_log(place, wall=False)
    try:
        return Measured(place.stem if place.is_file() else place.name, log["time"], {name: log[name] for name in units}, {})
    except NoSuchColumnError as error:
        raise ConfigError(place, "", str(error), "a log with all channels that are compared") from None


class Table(CsvTable):
    """A CSV file whose headings say their unit behind the name or in brackets. Raises ConfigError."""

    def column(self, name: str, unit: str, said_by: object, key: str) -> Array:
        """(n,) numbers of a column in SI, NaN where a cell is empty.

        Parameters
        ----------
        name : the heading, with or without what it says of the unit
        unit : SI unit; the numbers are in that of the heading, in SI where it says none
        said_by, key : who asks for it, for messages
        """
        place = self._place(name, said_by, key)
        factor = self._factor(self.headings[place], name, unit)
        return factor * self.numbers(place)

    def has(self, name: str) -> bool:
        """Whether there is a column of that heading, or of that name with a unit."""
        return any(name in _names(heading) for heading in self.headings)

    def _place(self, name: str, said_by: object, key: str) -> int:
        found = [n for n, heading in enumerate(self.headings) if heading == name]
        found = found or [n for n, heading in enumerate(self.headings) if name in _names(heading)]
        if len(found) != 1:
            what = "heading that is there once" if found else f"heading of {self.file}: {', '.join(self.headings)}"
            raise ConfigError(said_by, key, name, f"a {what}{did_you_mean(name, self.headings)}")
        return found[0]

    def _factor(self, heading: str, name: str, unit: str) -> float:
        written = _unit_of(heading)
        if not written or written == unit or (unit == "1" and written in ("-", "1", "")):
            return 1.0
        suffix = next((suffix for suffix, shown in SHOWN.items() if shown == written and factor_of(unit, suffix) is not None), written)
        factor = factor_of(unit, suffix)
        if factor is None:
            expected = f"a unit of {unit}: {fitting(unit)}" if fitting(unit) else f"no unit other than {unit or '1'}"
            raise ConfigError(self.file, heading, written, f"{expected}, as it is column {name}")
        return factor


def _unit_of(heading: str) -> str:
    """What a heading says of the unit, in brackets or as the suffix of a key; empty where it says nothing."""
    found = _IN_BRACKETS.match(heading)
    if found:
        return found.group(2)
    name, _, suffix = heading.rpartition("_")
    return suffix if name and is_suffix(suffix) else ""


def _names(heading: str) -> Iterable[str]:
    """How a heading may be called: as it is, and without its unit."""
    found = _IN_BRACKETS.match(heading)
    yield heading
    if found:
        yield found.group(1)
    elif _unit_of(heading):
        yield heading.rpartition("_")[0]


def _of_table(data: Data, file: str, place: Path, units: Mapping[str, str]) -> Measured:
    table, columns = Table(place), data.said.get("columns") or {}
    times = table.column(data.said["time"], "s", file, f"{data.key}.time")
    if not np.isfinite(times).all() or not (np.diff(times) > 0.0).all():
        raise ConfigError(place, data.said["time"], "its times", "times in every row that rise from row to row")
    for name in columns:
        if name not in units:
            raise ConfigError(file, f"{data.key}.columns.{name}", name, f"a channel that is compared: {', '.join(units)}")
    channels = {name: table.column(columns.get(name, name), unit, file, f"{data.key}.columns.{name}") for name, unit in units.items()}
    said = data.said.get("commands") or {}
    commands = {name: table.column(heading, COMMANDS[name], file, f"{data.key}.commands.{name}") for name, heading in said.items()}
    for name, column in commands.items():
        if not np.isfinite(column).all():
            raise ConfigError(place, f"commands.{name}", "an empty cell", "a number in every row")
    return Measured(place.stem, times - times[0] if commands else times, channels, commands)
