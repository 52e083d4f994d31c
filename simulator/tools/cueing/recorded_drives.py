"""Recorded drives through washouts: what the car did to its driver's head, and what a platform makes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError
from simulator.telemetry.log import Log, read_log
from simulator.tools.cueing.motion_pipeline import CueingPipeline, Felt, PlatformMotion, felt, gains, head_of, used
from simulator.tools.cueing.scores import Head, scores
from washout.cueing import MotionCueing
from washout.vestibular import MODELS, Vestibular

Array = NDArray[np.float64]

COLUMNS = ("f_H_B", "w_WB_B")
LEAST_RATE = 499.0
"""Hz. A log with fewer rows loses what a head feels of jolts, and cannot show the delay of a washout."""
LEAST_TIME = 2.0
"""s. Nothing is to be said of a shorter drive."""


@dataclass(frozen=True)
class Drive:
    """What the driver's head went through, in rows of h [s]."""

    name: str
    h: float
    force: Array
    """(n, 3) specific force in B [m/s2]; (0, 0, +gravity) at rest."""
    rate: Array
    """(n, 3) angular velocity of the chassis in B [rad/s]."""
    gravity: float
    """m/s2"""
    recorded: float
    """Hz. Rows per second in the log it comes from."""

    @property
    def times(self) -> Array:
        """(n,) s"""
        return self.h * np.arange(len(self.force), dtype=float)

    @property
    def coarse(self) -> bool:
        """Whether its log had too few rows."""
        return self.recorded < LEAST_RATE


@dataclass(frozen=True)
class CueingResult:
    """A drive as a washout shows it on a platform."""

    ride: PlatformMotion
    felt: Felt
    aims: tuple[Array, Array]
    """(3,) each: scales of force and rate that it is held against."""
    scores: dict[str, Any]
    """As `simulator.tools.cueing.scores.scores`, and `used`."""


def read_drive(place: str | os.PathLike[str], h: float = 1e-3) -> Drive:
    """The drive in a folder of a run, or in its log, in rows of h [s], straight between those of the log.

    Raises ConfigError: no log, a log without force and rate at the head, or one that is too short.
    """
    log = read_log(place)
    missing = [name for name in ("time", *(f"{field}_{axis}" for field in COLUMNS for axis in "xyz")) if name not in log]
    if missing:
        raise ConfigError(place, "", ", ".join(missing), "columns time, f_H_B and w_WB_B (jounce run --channels time,f_H_B,w_WB_B)")
    t = log["time"]
    if log.rows < 3 or not t[-1] - t[0] >= LEAST_TIME or not (np.diff(t) > 0.0).all():
        raise ConfigError(place, "time", f"{log.rows} rows", f"rising times over {LEAST_TIME:g} s or more")
    grid = t[0] + np.arange(int((t[-1] - t[0]) / h + 1e-6) + 1) * h
    columns = [np.stack([np.interp(grid, t, log[f"{field}_{axis}"]) for axis in "xyz"], axis=1) for field in COLUMNS]
    if not all(np.isfinite(column).all() for column in columns):
        raise ConfigError(place, "f_H_B", "NaN or infinity", "finite forces and rates")
    name = Path(place).name if Path(place).is_dir() else Path(place).parent.name or Path(place).stem
    recorded = (log.rows - 1) / float(t[-1] - t[0])
    maneuver = str(log.about.get("maneuver") or name)
    maneuver = Path(maneuver).stem if maneuver.endswith((".yaml", ".yml")) else maneuver  # a file is said by its name, not by where it lay
    return Drive(maneuver, h, columns[0], columns[1], _gravity(log), recorded)


def _gravity(log: Log) -> float:
    """m/s2 of the world that was driven in."""
    try:
        return float(log.configuration["terrain"]["gravity"])
    except (KeyError, TypeError, ValueError):
        return STANDARD_GRAVITY


def ride_drive(
    drive: Drive,
    make: Callable[[], MotionCueing],
    force_aim: Array | float | None = None,
    models: Sequence[Vestibular] = MODELS,
) -> CueingResult:
    """A drive through a washout on its platform, which has risen and stands under the first row of the drive before it begins.

    Parameters
    ----------
    make : gives a MotionCueing that has not moved yet, in ticks of drive.h, for a world of drive.gravity
    force_aim : scale of force to hold it against, (3,) or one for all; its own `force_gain` by default
    models : whose perceived motion is scored

    Raises JounceError: the platform does not come up, or the washout was dropped.
    """
    chain = CueingPipeline(make, drive.force[0], drive.rate[0])
    try:
        ride = chain.follow(drive.force, drive.rate)
    finally:
        chain.close()
    cueing = chain.cueing
    own_force, rate_aim = gains(cueing)
    aim = own_force if force_aim is None else np.broadcast_to(np.asarray(force_aim, dtype=float), 3)
    head = felt(ride.pose, head_of(cueing.platform), ride.h)
    car = Head(drive.force - [0.0, 0.0, drive.gravity], drive.rate)
    found = scores(car, Head(head.force, head.rate), Head(aim, rate_aim), drive.h, models)
    return CueingResult(ride, head, (aim, rate_aim), found | {"used": used(cueing.platform, ride)})
