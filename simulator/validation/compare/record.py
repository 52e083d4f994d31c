"""Records to compare: the log of a run or a table of another program, as columns over increasing time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.base.suggestions import did_you_mean
from simulator.base.units import factor_of_unit, shown_unit, split_unit
from simulator.maneuvers.plots.contract import EmptyPlotError, Signals
from simulator.maneuvers.plots.quantities import sideslip
from simulator.maneuvers.report.page import FILE as REPORT
from simulator.run.run_configuration import fingerprint
from simulator.telemetry.channels import Channels
from simulator.telemetry.csv_table import CsvTable
from simulator.telemetry.log import read_log
from simulator.telemetry.parquet import read_units
from simulator.telemetry.recover import read_logs
from simulator.telemetry.writer import PARQUET_NAME
from simulator.validation.compare.comparison_file import Comparison
from simulator.validation.compare.metrics_file import METRICS, read_metrics
from vehicles.command import COMMAND
from vehicles.readout import READOUT

MIN_ROWS = 3
"""Minimum number of rows."""
SIDESLIP = "sideslip"
USUAL_CHANNELS = ("v_WB_B_x", "steering_wheel_angle", "a_WG_B_x", "a_WG_B_y", "w_WB_B_z", SIDESLIP, "roll", "pitch", "yaw", "F_C_*_z")
"""Channels compared by default."""
INSTEAD = {"a_WG_B_x": "a_WB_B_x", "a_WG_B_y": "a_WB_B_y"}
"""Channels of the reference point, used if a record lacks those of the center of mass."""
NEEDED_CHANNELS = ("time", "v_WB_B_x", "v_WG_B_x", "v_WG_B_y", "a_WG_B_y")
"""Channels read from every log; sideslip and steady turns need them."""
_WITH_UNIT = re.compile(r"(?P<name>[^\[\]()]*[^\[\]()\s])\s*(?:\[(?P<square>[^\[\]]*)\]|\((?P<round>[^()]*)\))")


@dataclass(frozen=True)
class Record(Signals):
    """Columns of a run or of a table."""

    name: str
    place: Path
    columns: Mapping[str, NDArray[Any]]
    units: Mapping[str, str]
    """SI units by column."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Facts about the record, as text."""
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Rows of the table in METRICS by metric; empty without this file."""
    report: Path | None = None
    """Path of its page, if it exists."""
    shift: float = 0.0
    """Time shift in s that was applied."""

    def shifted(self, seconds: float) -> Record:
        """Return the record with shifted times."""
        columns = {**self.columns, "time": np.asarray(self.time) + seconds}
        return replace(self, columns=columns, shift=self.shift + seconds)


@cache
def known_units() -> dict[str, str]:
    """Return the SI units of the Jounce channels of a vehicle with four wheels."""
    channels = Channels([("", READOUT, record(READOUT)), ("command_", COMMAND, record(COMMAND))])
    return {column.name: column.unit for column in channels.columns} | {SIDESLIP: "rad"}


def written_channel(given: str, units: Mapping[str, str], file: str, key: str) -> tuple[str, float]:
    """Return (channel, factor to SI) of a channel name with or without unit suffix. Raises ConfigError."""
    name, factor = split_unit(given, units)
    if name is None:
        near = did_you_mean(given.rpartition("_")[0] if given.rpartition("_")[0] in units else given, units)
        raise ConfigError(file, key, given, f"a channel of the log, without suffix (SI) or with a suitable unit suffix{near}")
    return name, factor


def read_record(place: str, comparison: Comparison) -> Record:
    """Return the record of a run folder, a log (.parquet) or a table (.csv). Raises ConfigError."""
    path = Path(place)
    record = _table(path, comparison) if path.suffix.lower() == ".csv" else _run(path, comparison)
    _check_time(record)
    try:
        more = {SIDESLIP: sideslip(record)} if SIDESLIP not in record.columns else {}
    except EmptyPlotError:
        return record
    return replace(record, columns={**record.columns, **more}, units={**record.units, **dict.fromkeys(more, "rad")})


def _run(path: Path, comparison: Comparison) -> Record:
    file = read_logs(path)[0].file
    known = known_units()  # the files of other programs do not name units
    units = {name: words.get("unit", known.get(name, "")) for name, words in read_units(file).items() if "wall" not in words}
    log = read_log(file, _needed(units, comparison))
    if path.name == PARQUET_NAME:
        path = path.parent
    folder = path if path.is_dir() else path.parent
    facts: dict[str, str] = {key: log.about[key] for key in ("maneuver", "vehicle", "terrain", "version", "settings") if key in log.about}
    if log.configuration is not None:
        facts["configuration"] = fingerprint(log.configuration)
    for name, column in log.items():
        if column.dtype.kind not in "biuf":
            raise ConfigError(file, name, f"a column of {column.dtype}", "a column of numbers")
    report = folder / REPORT
    metrics = _metrics(folder) if path.is_dir() else {}
    name = path.resolve().name if path.is_dir() else path.stem
    columns = {name: _numbers(file, name, values) for name, values in log.items()}
    return Record(name, path, columns, units, facts, metrics, report if report.is_file() and path.is_dir() else None)


def _numbers(file: Path, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers (n,) of a column of a log; an empty cell is NaN. Raises ConfigError."""
    if values.dtype.kind in "fiub":
        return values
    plain = None if values.dtype.kind != "O" else _without_gaps(values)
    if plain is None:
        example = next((value for value in values if value is not None), None)
        raise ConfigError(
            file, name, f"{type(example).__name__} {example}", "a column of numbers" + (", dates or durations" if name == "time" else "")
        )
    return plain


def _without_gaps(values: NDArray[Any]) -> Array | None:
    """Return numbers of Python with None for empty cells as an array (n,) with NaN; None for other objects."""
    if not all(value is None or isinstance(value, Real | Decimal) for value in values):
        return None
    return np.asarray(values, dtype=float)


def _needed(units: Mapping[str, str], comparison: Comparison) -> list[str]:
    """Return the columns of a log that are needed. All columns of a two-hour log take 1.7 GB."""
    fields = {name: name.rpartition("_")[0] or name for name in units}
    given = [one for band in comparison.bands for one in (band.channel, band.over)]
    patterns = [
        *NEEDED_CHANNELS,
        *INSTEAD.values(),
        *(comparison.channels or USUAL_CHANNELS),
        *(split_unit(one, units)[0] or "" for one in (*given, comparison.align)),
    ]
    return [name for name in units if any(fnmatchcase(name, one) or fnmatchcase(fields[name], one) for one in patterns)]


def _metrics(folder: Path) -> dict[str, dict[str, Any]]:
    file = folder / METRICS
    return {row["metric"]: row for row in read_metrics(file)["table"]} if file.is_file() else {}


def _table(path: Path, comparison: Comparison) -> Record:
    """Return the columns that the map names, and those with the names of Jounce channels."""
    table = _table_of(path, comparison)
    header = table.headings
    units, columns = known_units(), {}
    missing = [name for name in comparison.columns if name not in header]
    if missing:
        raise ConfigError(
            path, "columns", "no " + ", ".join(missing), f"the columns in {comparison.file}{did_you_mean(missing[0], header)}"
        )
    mapped = {
        written_channel(one.removeprefix("-"), units, comparison.file, f"columns.{name}")[0] for name, one in comparison.columns.items()
    }
    for n, name in enumerate(header):
        given = comparison.columns.get(name)
        if given is None:
            ours, factor = _of_heading(path, name, units)
        else:
            ours, factor = written_channel(given.removeprefix("-"), units, comparison.file, f"columns.{name}")
            factor *= -1.0 if given.startswith("-") else 1.0
        if ours is None or (given is None and ours in mapped):
            continue
        if ours in columns:
            raise ConfigError(path, "columns", name, f"one column for {ours}, or --map COLUMN={ours}")
        columns[ours] = factor * table.numbers(n)
    if "time" not in columns:
        raise ConfigError(path, "columns", ", ".join(header[:8]), "a time column, named `time` or mapped to it (--map Time=time)")
    return Record(path.stem, path, columns, {name: units[name] for name in columns}, {"columns": ", ".join(columns)})


def _of_heading(path: Path, heading: str, units: Mapping[str, str]) -> tuple[str | None, float]:
    """Return (channel, factor to SI) of a heading such as `roll`, `roll_deg` or `roll [deg]`; (None, 1) for another column. Raises ConfigError."""
    match = _WITH_UNIT.fullmatch(heading)
    if match is None:
        return split_unit(heading, units)
    unit = match["square"] if match["round"] is None else match["round"]
    ours, factor = split_unit(match["name"], units)
    if ours is None or unit.strip() in ("", "-"):
        return ours, factor
    given = factor_of_unit(units[ours], unit)
    if given is None or (ours != match["name"] and given != factor):
        expected = f"the unit {shown_unit(units[ours], factor)} of {match['name']}" if ours != match["name"] else f"a unit of {ours}"
        raise ConfigError(path, "columns", heading, f"{expected}, for example {ours} [{units[ours] or '-'}]")
    return ours, given


def _table_of(path: Path, comparison: Comparison) -> CsvTable:
    """Return a CSV table with unique column names. Raises ConfigError."""
    table = CsvTable(path, comparison.delimiter or None, comparison.lines_below_header)
    twice = sorted({name for name in table.headings if table.headings.count(name) > 1})
    if twice:
        raise ConfigError(path, "columns", ", ".join(twice), "unique column names")
    return table


def _check_time(one: Record) -> None:
    time = np.asarray(one.columns["time"], dtype=float) if "time" in one.columns else np.empty(0)
    if len(time) < MIN_ROWS:
        raise ConfigError(one.place, "time", f"{len(time)} rows", f"at least {MIN_ROWS} rows")
    infinite = np.flatnonzero(~np.isfinite(time))
    if len(infinite):
        raise ConfigError(one.place, f"time, row {int(infinite[0]) + 1}", float(time[infinite[0]]), "a finite time")
    bad = np.flatnonzero(~(np.diff(time) > 0.0))
    if len(bad):
        raise ConfigError(
            one.place,
            f"time, row {int(bad[0]) + 2}",
            float(time[bad[0] + 1]),
            f"a time above that of the row before, {float(time[bad[0]])}",
        )


def with_unique_names(records: list[Record]) -> list[Record]:
    """Return the records with unique names: with the parent folder if this makes a name unique, else with a number."""
    names = [one.name for one in records]
    with_folder = [f"{one.place.resolve().parent.name}/{one.name}" for one in records]
    names = [
        longer if sum(other == name for other in names) > with_folder.count(longer) else name
        for name, longer in zip(names, with_folder, strict=True)
    ]
    seen: dict[str, int] = {}
    out = []
    for one, name in zip(records, names, strict=True):
        seen[name] = seen.get(name, 0) + 1
        out.append(replace(one, name=name if seen[name] == 1 else f"{name} ({seen[name]})"))
    return out
