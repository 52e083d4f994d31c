"""Incidents: invalid states of a vehicle, their reason, their report, and the positions to which the vehicle may be put back."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.rates import shown_time
from simulator.base.records import Record
from simulator.base.rotations import rotation_of_quaternion
from simulator.telemetry.atomic_files import write_whole
from simulator.tick import (
    CORNER_TOO_FAST,
    HISTORY,
    NOT_FINITE,
    REMEMBERED,
    SPINS_TOO_FAST,
    TOO_FAR,
    TOO_FAST,
    TOO_MUCH_FORCE,
    TURNS_TOO_FAST,
    UNDER_GROUND,
    StateMonitor,
)
from vehicles.command import COMMAND

TIPPED_COSINE = math.cos(math.radians(60.0))
"""1. Cosine of the angle between the vertical axes of vehicle and world beyond which the vehicle counts as rolled over."""
OVERTRAVEL = 0.02
"""1. Fraction of the suspension travel by which the travel may be exceeded, because the stops are elastic."""
LOOK_BACK = 50
"""Ticks before the incident that are searched for its reason."""
MAX_PLACES = 8
"""Number of stored positions: four seconds of driving."""
OLD_ENOUGH = 0.25
"""s. Minimum age of a usable position; a younger one may already be affected by the failure."""

_VERDICTS = {
    NOT_FINITE: "the state is not finite",
    TOO_MUCH_FORCE: "{:.3g} m/s2 at the driver's head",
    TOO_FAST: "a speed of {:.3g} m/s",
    TURNS_TOO_FAST: "a rotation of {:.3g} rad/s",
    TOO_FAR: "{:.3g} m from the origin of the map",
    CORNER_TOO_FAST: "a suspension rate of {:.3g} rad/s",
    UNDER_GROUND: "{:.3g} m under the ground",
    SPINS_TOO_FAST: "a wheel or engine speed of {:.3g} rad/s",
}


def verdict_text(watch: Any) -> str:
    """Return the verdict in a row of WATCH as a text."""
    return _VERDICTS[int(watch["verdict"])].format(float(watch["size"]))


@dataclass(frozen=True)
class Incident:
    """One failure of the vehicle's state, from which the session has recovered."""

    number: int
    """1 for the first incident of a session."""
    time: float
    """Simulated time of the last valid tick [s]."""
    reason: str
    """Reason as text."""
    history: NDArray
    """Rows of HISTORY, one per tick of the last second; the last row is the failed tick."""
    commands: NDArray
    """Rows of COMMAND, one per row of the history."""

    @property
    def message(self) -> str:
        """Return the incident as one line of text."""
        return f"incident {self.number} at t = {self.time:.3f} s: {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Return number, time and reason, with units in the keys."""
        return {"number": self.number, "time_s": shown_time(self.time), "reason": self.reason}

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write the last second to folder/incident_<number>.npz: one array per field of HISTORY and COMMAND, and `reason`. Raises OutputError."""
        file = Path(folder) / f"incident_{self.number}.npz"
        columns = {str(name): rows[name] for rows in (self.history, self.commands) for name in rows.dtype.names or ()}
        units = {f"unit_{row[0]}": np.array(row[2]) for row in (*HISTORY, *COMMAND)}

        def save(temporary: Path) -> None:
            with open(temporary, "wb") as stream:
                np.savez(stream, reason=np.array(self.reason), number=np.array(self.number), **columns, **units)  # type: ignore[arg-type]

        write_whole(file, save)
        return file


def new_incident(number: int, watch: StateMonitor, travel: NDArray[np.float64], corners: Sequence[str]) -> Incident:
    """Return the incident recorded by `watch`; `travel` (2, wheels): travel limits of the suspension coordinates [rad, m] of `corners`."""
    ticks = int(watch.state[0]["ticks"])
    order = np.arange(max(0, ticks - REMEMBERED), ticks) % len(watch.history)
    history = watch.history[order].copy()
    good = history[:-1] if len(history) > 1 else history
    return Incident(
        number,
        float(good[-1]["time"]),
        _reason(watch.state[0], history, good[-LOOK_BACK:], dict(zip(corners, travel.T, strict=True))),
        history,
        watch.commands[order].copy(),
    )


def _reason(watch: Record, history: NDArray, before: NDArray, travel: dict[str, NDArray[np.float64]]) -> str:
    """Return the reason in plain words, followed by the verdict of the kernel."""
    seen = verdict_text(watch)
    if int(watch["verdict"]) in (TOO_FAR, UNDER_GROUND):
        return seen
    if not is_upright(before[-1]["q_WB"]):
        return f"roll-over ({seen})"
    low, high = np.transpose(list(travel.values()))
    margin = OVERTRAVEL * (high - low)
    theta = np.concatenate([before["theta"], history[-1:]["theta"]])
    beyond = np.fmax.reduce(np.maximum(low - margin - theta, theta - high - margin), axis=0, initial=-math.inf)  # ignores NaN
    worst = int(np.argmax(beyond))
    if beyond[worst] > 0.0:
        return f"suspension travel at {list(travel)[worst]} ({seen})"
    return "not finite" if int(watch["verdict"]) == NOT_FINITE else seen


def is_upright(q_WB: NDArray[np.float64]) -> bool:
    """Return whether the vertical axis of a chassis with this attitude points roughly upwards."""
    R = np.empty((3, 3))
    rotation_of_quaternion(np.ascontiguousarray(q_WB), R)
    return bool(R[2, 2] > TIPPED_COSINE)


class Places:
    """Ring of the last MAX_PLACES valid positions as (time, x, y, yaw), to which the vehicle may be put back.

    A position is removed when it is used, so that a second failure before the next valid position leads to an older one.
    """

    def __init__(self) -> None:
        self._places: list[tuple[float, float, float, float]] = []

    def add(self, time: float, x: float, y: float, yaw: float) -> None:
        """Store a valid position of the vehicle."""
        self._places = [*self._places[1 - MAX_PLACES :], (time, x, y, yaw)]

    def clear(self) -> None:
        """Remove all positions when a drive begins."""
        self._places = []

    def take(self, time: float) -> tuple[float, float, float] | None:
        """Return the latest position (x, y, yaw) that is old enough at `time` [s], or None; remove this position and all later ones."""
        while self._places:
            added, x, y, yaw = self._places.pop()
            if added <= time - OLD_ENOUGH:
                return x, y, yaw
        return None
