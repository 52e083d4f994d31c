"""A preview for washouts out of the log of an earlier run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simulator.base.errors import ConfigError
from simulator.telemetry.parquet import read_telemetry
from simulator.telemetry.recover import read_logs
from washout.preview import RecordedPreview

FORCE, RATE = (tuple(f"{field}_{axis}" for axis in "xyz") for field in ("f_H_B", "w_WB_B"))
"""Columns that are foreseen."""
ROUNDING = 1e-6
"""Share of the step by which rows may be farther apart than that: their times are sums of ticks."""


def log_file(place: Path, file: object, key: str) -> Path:
    """The log in the folder of a run, or the file itself; `file` and `key` say where it is asked for. Raises ConfigError."""
    if not place.exists():
        raise ConfigError(file, key, str(place), "the folder of a run, or its telemetry file: nothing is there")
    try:
        found = read_logs(place)[0]
    except ConfigError as error:
        raise ConfigError(file, key, str(place), error.expected) from None
    if found.trouble or found.file.suffix != ".parquet":
        raise ConfigError(file, key, str(place), f"the log of a run that has ended: {found.trouble or found.about.get('ended', '')}")
    return found.file


def preview_of_log(log: Path, step: float, points: int, file: object, key: str) -> RecordedPreview:
    """The motion in a log as a preview of so many points, a step [s] apart; `file` and `key` say where it is asked for.

    Raises
    ------
    ConfigError : the log lacks a column, is not of one drive from its start to its end, or has fewer rows than points are asked for
    """
    columns = read_telemetry(log, ("time", *FORCE, *RATE))
    missing = [name for name in ("time", *FORCE, *RATE) if name not in columns]
    if missing:
        raise ConfigError(file, key, str(log), f"a log with the columns time, f_H_B and w_WB_B: it has no {', '.join(missing)}")
    times, f, w = columns["time"], *(np.column_stack([columns[name] for name in names]) for names in (FORCE, RATE))
    apart = np.diff(times)
    if len(times) < 2 or not (apart > 0.0).all():
        raise ConfigError(file, key, str(log), "the log of a drive that went on from its start to its end, without a pause or a reset")
    if apart.max() > (1.0 + ROUNDING) * step:
        raise ConfigError(
            file, key, str(log), f"a log with rows at most {step:g} s apart, the step of the preview: its are {apart.max():g} s"
        )
    if not (np.isfinite(f).all() and np.isfinite(w).all()):
        raise ConfigError(file, key, str(log), "a log whose f_H_B and w_WB_B are finite")
    return RecordedPreview(times, f, w, step, points)
