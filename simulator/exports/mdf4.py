"""Export of the log as ASAM MDF 4.10: one channel group per rate, each with the master channel `t` in seconds; events.

The vehicle is one group. Each sensor is another one, with one row per measurement that the log has, at the time of the measurement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.json_output import json_text
from simulator.exports.output import Output, numbered, scratch_folder
from simulator.exports.source import TIME, ExportedRun, Start
from simulator.telemetry.channels import Channel
from simulator.telemetry.metadata import CONFIGURATION

if TYPE_CHECKING:
    from asammdf import MDF

VERSION = "4.10"
MASTER = ("t", 1)
"""Name of the master channel, and its kind in MDF: time."""
SAMPLED = "_sampled"
"""End of the name of the column with the time of a measurement."""
VEHICLE = "vehicle"


class Group(NamedTuple):
    """Group of channels with the same times."""

    name: str
    master: str
    """Column of the times [s]."""
    columns: list[Channel]


def export(run: ExportedRun, output: Output) -> None:
    """Plan NAME.mf4, and NAME-2.mf4 ... after restarts of the drive. Raises OutputError, ConfigError."""
    for start, file in zip(run.starts, output.need_free(numbered(f"{run.name}.mf4", one.number) for one in run.starts), strict=True):
        output.file(file, lambda path, start=start: _write(path, run, start))  # type: ignore[misc]


def groups_of(columns: Sequence[Channel], logged: Sequence[str]) -> list[Group]:
    """Return the groups of columns: the vehicle, then each sensor with the time of its measurements; `logged`: all columns of the log."""
    sensors = [name.removesuffix(SAMPLED) for name in logged if name.endswith(SAMPLED)]
    owner = {one.name: max((name for name in sensors if one.name.startswith(f"{name}_")), key=len, default="") for one in columns}
    own = Group(VEHICLE, TIME, [one for one in columns if not owner[one.name]])
    return [own, *(Group(name, name + SAMPLED, [one for one in columns if owner[one.name] == name]) for name in sensors)]


def _write(path: Path, run: ExportedRun, start: Start) -> None:
    from asammdf import MDF
    from asammdf.blocks.v4_constants import CompressionAlgorithm

    with scratch_folder(path) as folder, MDF(version=VERSION, temporary_folder=str(folder)) as mdf:
        _describe(mdf, run)
        for group in groups_of(run.columns, run.names):
            _append(mdf, group, _rows(run, start, group))
        for event in run.events_of(start):
            mdf.events.append(_event(event.kind, json_text(event.to_json()), event.time))
        with open(path, "w+b") as stream:
            mdf.save(stream, compression=CompressionAlgorithm.TRANSPOSED_DEFLATE)


def _describe(mdf: MDF, run: ExportedRun) -> None:
    about = run.about
    mdf.header.author, mdf.header.subject = "", about.get("vehicle", "")
    mdf.header.project = about.get("title", about.get("maneuver", ""))
    mdf.header.description = "\n".join(f"{key}: {value}" for key, value in about.items() if key != CONFIGURATION)
    try:
        mdf.header.start_time = datetime.fromisoformat(about.get("started", ""))
    except ValueError:
        mdf.header.start_time = datetime.fromtimestamp(0)  # of another program: the times of the channels count from 0


def _rows(run: ExportedRun, start: Start, group: Group) -> Iterator[tuple[NDArray, dict[str, NDArray]]]:
    """Yield times [s] and columns, some 10 MB at a time; of a sensor, the first row with each of its measurements."""
    latest = -np.inf
    for columns in run.groups(start.rows, [*dict.fromkeys([group.master, *(one.name for one in group.columns)])]):
        times = np.asarray(columns[group.master], np.float64)
        before = np.maximum.accumulate(np.concatenate(([latest], np.where(np.isfinite(times), times, -np.inf))))
        is_new = times > before[:-1]
        latest = before[-1]
        if is_new.any():
            yield times[is_new], {name: values[is_new] for name, values in columns.items()}


def _append(mdf: MDF, group: Group, rows: Iterator[tuple[NDArray, dict[str, NDArray]]]) -> None:
    from asammdf import Signal

    none = np.zeros(0), {one.name: np.zeros(0, one.kind) for one in group.columns}
    times, columns = next(rows, none)
    if not group.columns:
        return
    signals = [Signal(columns[one.name], times, one.unit, one.name, comment=_comment(one), master_metadata=MASTER) for one in group.columns]
    index = mdf.append(signals, acq_name=group.name, comment=group.name, common_timebase=True)
    for times, columns in rows:
        mdf.extend(index, [(times, None), *((columns[one.name], None) for one in group.columns)])


def _comment(column: Channel) -> str:
    return f"{column.meaning}; frame {column.frame}" if column.frame else column.meaning


def _event(name: str, comment: str, time: float) -> Any:
    """Return a marker at a time [s]."""
    from asammdf.blocks import v4_constants as v4c
    from asammdf.blocks.v4_blocks import EventBlock

    event = EventBlock(
        event_type=v4c.EVENT_TYPE_MARKER, cause=v4c.EVENT_CAUSE_OTHER, sync_base=round(time * 1e9), sync_factor=1e-9
    )  # fmt: skip
    event.name, event.comment = name, comment
    return event
