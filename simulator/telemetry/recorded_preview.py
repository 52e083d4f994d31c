"""Preview for washouts from the log of an earlier run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simulator.base.errors import ConfigError
from simulator.telemetry.parquet import read_telemetry
from simulator.telemetry.recover import read_logs
from washout.preview.sources import RecordedPreview

FORCE, RATE = (tuple(f"{field}_{axis}" for axis in "xyz") for field in ("f_H_B", "w_WB_B"))
"""Columns of the preview."""
ROUNDING = 1e-6
"""Tolerance of the row distance as a fraction of the step, because the times are sums of ticks."""


def log_file(path: Path, file: object, key: str) -> Path:
    """Return the log in a run folder, or the file; `file` and `key` are the origin of the request, for messages. Raises ConfigError."""
    if not path.exists():
        raise ConfigError(file, key, str(path), "an existing run folder or telemetry file")
    try:
        log = read_logs(path)[0]
    except ConfigError as error:
        raise ConfigError(file, key, str(path), error.expected) from None
    if log.trouble or log.file.suffix != ".parquet":
        raise ConfigError(
            file, key, str(path), f"the log of a completed run; this log is incomplete: {log.trouble or log.about.get('ended', '')}"
        )
    return log.file


def preview_of_log(log: Path, step: float, points: int, file: object, key: str) -> RecordedPreview:
    """Return the motion in a log as a preview of `points` points, a step [s] apart; `file` and `key` are the origin, for messages.

    Raises
    ------
    ConfigError : the log lacks a column, contains a pause or a reset, or has fewer rows than requested points
    """
    columns = read_telemetry(log, ("time", *FORCE, *RATE))
    missing = [name for name in ("time", *FORCE, *RATE) if name not in columns]
    if missing:
        raise ConfigError(file, key, str(log), f"a log with the columns time, f_H_B and w_WB_B; missing: {', '.join(missing)}")
    times, f, w = columns["time"], *(np.column_stack([columns[name] for name in names]) for names in (FORCE, RATE))
    intervals = np.diff(times)
    if len(times) < 2 or not (intervals > 0.0).all():
        raise ConfigError(file, key, str(log), "the log of a run without a pause or a reset")
    if intervals.max() > (1.0 + ROUNDING) * step:
        raise ConfigError(
            file, key, str(log), f"a log with rows at most {step:g} s apart, the preview step, instead of {intervals.max():g} s"
        )
    if not (np.isfinite(f).all() and np.isfinite(w).all()):
        raise ConfigError(file, key, str(log), "a log with finite f_H_B and w_WB_B")
    return RecordedPreview(times, f, w, step, points)
