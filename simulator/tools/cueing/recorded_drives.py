"""Recorded drives through washouts: motion of the driver's head in the car, and motion on a platform."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError
from simulator.telemetry.log import Log, read_log
from simulator.tools.cueing.motion_pipeline import CueingPipeline, Felt, PlatformMotion, felt, gains, head_of, used
from simulator.tools.cueing.scores import Head, scores
from washout.contract import PREVIEW_POINTS
from washout.cueing import MotionCueing
from washout.preview.sources import RecordedPreview
from washout.vestibular import MODELS, Vestibular

COLUMNS = ("f_H_B", "w_WB_B")
MIN_RATE = 499.0
"""Hz. A log with fewer rows misses jolts at the head and does not resolve the delay of a washout."""
PREVIEW_STEP = 0.02
"""s between two points of a preview."""
MIN_TIME = 2.0
"""s, minimum duration of a drive."""


@dataclass(frozen=True)
class Drive:
    """Motion of the driver's head in a drive, in rows of h [s]."""

    name: str
    h: float
    force: Array
    """(n, 3) specific force in B [m/s2]; (0, 0, +gravity) at rest."""
    rate: Array
    """(n, 3) angular velocity of the chassis in B [rad/s]."""
    gravity: float
    """m/s2"""
    recorded: float
    """Hz. Row rate of the source log."""

    @property
    def times(self) -> Array:
        """Times (n,) [s]."""
        return self.h * np.arange(len(self.force), dtype=float)

    @property
    def coarse(self) -> bool:
        """Return whether the source log had too few rows."""
        return self.recorded < MIN_RATE


@dataclass(frozen=True)
class CueingResult:
    """Result of a drive through a washout on a platform."""

    ride: PlatformMotion
    felt: Felt
    aims: tuple[Array, Array]
    """(3,) each: target scales of force and rate."""
    scores: dict[str, Any]
    """Result of `simulator.tools.cueing.scores.scores`, and `used`."""


def read_drive(place: str | os.PathLike[str], h: float = 1e-3) -> Drive:
    """Read the drive of a run folder or a log, linearly interpolated to rows of h [s].

    Raises ConfigError: no log, a log without force and rate at the head, or a log that is too short.
    """
    log = read_log(place)
    missing = [name for name in ("time", *(f"{field}_{axis}" for field in COLUMNS for axis in "xyz")) if name not in log]
    if missing:
        raise ConfigError(place, "", ", ".join(missing), "columns time, f_H_B and w_WB_B (jounce run --channels time,f_H_B,w_WB_B)")
    t = log["time"]
    if log.rows < 3 or not t[-1] - t[0] >= MIN_TIME or not (np.diff(t) > 0.0).all():
        raise ConfigError(place, "time", f"{log.rows} rows", f"rising times over {MIN_TIME:g} s or more")
    grid = t[0] + np.arange(int((t[-1] - t[0]) / h + 1e-6) + 1) * h
    columns = [np.stack([np.interp(grid, t, log[f"{field}_{axis}"]) for axis in "xyz"], axis=1) for field in COLUMNS]
    if not all(np.isfinite(column).all() for column in columns):
        raise ConfigError(place, "f_H_B", "NaN or infinity", "finite forces and rates")
    name = Path(place).name if Path(place).is_dir() else Path(place).parent.name or Path(place).stem
    recorded = (log.rows - 1) / float(t[-1] - t[0])
    maneuver = str(log.about.get("maneuver") or name)
    maneuver = Path(maneuver).stem if maneuver.endswith((".yaml", ".yml")) else maneuver  # show the name of the file, not its path
    return Drive(maneuver, h, columns[0], columns[1], _gravity(log), recorded)


def _told(make: Callable[[], MotionCueing], drive: Drive, preview: float) -> MotionCueing:
    """Return the cueing of `make` with a preview of a drive; a washout that uses none gets none."""
    cueing = make()
    if preview > 0.0 and cueing.washout.every:
        step = max(PREVIEW_STEP, preview / PREVIEW_POINTS)
        cueing.washout.set_preview(RecordedPreview(drive.times, drive.force, drive.rate, step, max(1, round(preview / step))))
    return cueing


def _gravity(log: Log) -> float:
    """Return the gravity [m/s2] of the drive."""
    try:
        return float((log.configuration or {})["terrain"]["gravity"])
    except (KeyError, TypeError, ValueError):
        return STANDARD_GRAVITY


def ride_drive(
    drive: Drive,
    make: Callable[[], MotionCueing],
    force_aim: Array | float | None = None,
    models: Sequence[Vestibular] = MODELS,
    preview: float = 0.0,
) -> CueingResult:
    """Run a drive through a washout on its platform, which has risen and settled under the first row of the drive.

    Parameters
    ----------
    make : returns a MotionCueing in its initial state, in ticks of drive.h, for gravity drive.gravity
    force_aim : target scale of force, (3,) or one for all; default: `force_gain` of the washout
    models : vestibular models of the scored perceived motion
    preview : time [s] of the coming motion that a washout with a preview receives; 0: none

    Raises JounceError: the platform does not rise, or the washout was stopped.
    """
    chain = CueingPipeline(partial(_told, make, drive, preview), drive.force[0], drive.rate[0])
    try:
        ride = chain.follow(drive.force, drive.rate)
    finally:
        chain.close()
    cueing = chain.cueing
    own_force, rate_aim = gains(cueing)
    aim = own_force if force_aim is None else np.broadcast_to(np.asarray(force_aim, dtype=float), 3)
    head = felt(ride.pose, head_of(cueing.platform), ride.h)
    car = Head(drive.force - [0.0, 0.0, drive.gravity], drive.rate)
    result = scores(car, Head(head.force, head.rate), Head(aim, rate_aim), drive.h, models)
    return CueingResult(ride, head, (aim, rate_aim), result | {"used": used(cueing.platform, ride)})
