"""When a vehicle's state is out of its senses: what it was, where the vehicle may stand instead, and what is kept for a report."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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

TIPPED = math.cos(math.radians(60.0))
"""1. Cosine of the angle between the vehicle's vertical and the world's beyond which it counts as rolled over."""
OVERTRAVEL = 0.02
"""1. Share of a suspension's travel by which it may be exceeded: stops are springs."""
LOOK_BACK = 50
"""Ticks before the incident in which its reason is looked for."""
KEPT = 8
"""Places remembered: four seconds of driving."""
OLD_ENOUGH = 0.25
"""s. A place younger than that is already part of what went wrong."""

_VERDICTS = {
    NOT_FINITE: "the state is not finite",
    TOO_MUCH_FORCE: "{:.3g} m/s2 at the driver's head",
    TOO_FAST: "a speed of {:.3g} m/s",
    TURNS_TOO_FAST: "a rotation of {:.3g} rad/s",
    TOO_FAR: "{:.3g} m from the middle of the map",
    CORNER_TOO_FAST: "a suspension that moves at {:.3g} rad/s",
    UNDER_GROUND: "{:.3g} m under the ground",
    SPINS_TOO_FAST: "a wheel or engine that turns at {:.3g} rad/s",
}


@dataclass(frozen=True)
class Incident:
    """One failure of the vehicle's state, from which the session has recovered."""

    number: int
    """1 for the first of a session."""
    time: float
    """Simulated time of the last good tick [s]."""
    reason: str
    """In words."""
    history: NDArray
    """Rows of HISTORY, one a tick, the last second; the last row is the one that failed."""

    @property
    def message(self) -> str:
        """One line."""
        return f"incident {self.number} at t = {self.time:.3f} s: {self.reason}"

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write the last second to folder/incident_<number>.npz: one array per field of HISTORY, and `reason`. Raises OutputError."""
        file = Path(folder) / f"incident_{self.number}.npz"
        columns = {str(name): self.history[name] for name in self.history.dtype.names or ()}
        units = {f"unit_{row[0]}": np.array(row[2]) for row in HISTORY}

        def save(temporary: Path) -> None:
            with open(temporary, "wb") as stream:
                np.savez(stream, reason=np.array(self.reason), number=np.array(self.number), **columns, **units)  # type: ignore[arg-type]

        write_whole(file, save)
        return file


def new_incident(number: int, watch: StateMonitor, travel: NDArray[np.float64], corners: Sequence[str]) -> Incident:
    """The incident that `watch` tells of; `travel` (2, wheels) are the ends of the suspension coordinates [rad, m] of the `corners`."""
    ticks = int(watch.state[0]["ticks"])
    order = np.arange(max(0, ticks - REMEMBERED), ticks) % REMEMBERED
    history = watch.history[order].copy()
    good = history[:-1] if len(history) > 1 else history
    return Incident(
        number,
        float(good[-1]["time"]),
        _reason(watch.state[0], history, good[-LOOK_BACK:], dict(zip(corners, travel.T, strict=True))),
        history,
    )


def _reason(watch: Record, history: NDArray, before: NDArray, travel: dict[str, NDArray[np.float64]]) -> str:
    """What a person would call it, with what the kernel saw behind it."""
    seen = _VERDICTS[int(watch["verdict"])].format(float(watch["size"]))
    if int(watch["verdict"]) in (TOO_FAR, UNDER_GROUND):
        return seen
    if not is_upright(before[-1]["q_WB"]):
        return f"roll-over ({seen})"
    low, high = np.transpose(list(travel.values()))
    margin = OVERTRAVEL * (high - low)
    theta = np.concatenate([before["theta"], history[-1:]["theta"]])
    beyond = np.fmax.reduce(np.maximum(low - margin - theta, theta - high - margin), axis=0, initial=-math.inf)  # passes a NaN by
    worst = int(np.argmax(beyond))
    if beyond[worst] > 0.0:
        return f"suspension travel at {list(travel)[worst]} ({seen})"
    return "not finite" if int(watch["verdict"]) == NOT_FINITE else seen


def is_upright(q_WB: NDArray[np.float64]) -> bool:
    """Whether the vertical of a chassis with this attitude points upwards, roughly."""
    R = np.empty((3, 3))
    rotation_of_quaternion(np.ascontiguousarray(q_WB), R)
    return bool(R[2, 2] > TIPPED)


class Places:
    """Where a vehicle was well: a ring of the last KEPT places as (time, x, y, yaw), to which it may be put back.

    A place that was used is forgotten, so that a second failure before the next healthy place leads to an older one.
    """

    def __init__(self) -> None:
        self._places: list[tuple[float, float, float, float]] = []

    def add(self, time: float, x: float, y: float, yaw: float) -> None:
        """The vehicle is well here."""
        self._places = [*self._places[1 - KEPT :], (time, x, y, yaw)]

    def clear(self) -> None:
        """Forget all of them, for a drive that begins anew."""
        self._places = []

    def take(self, time: float) -> tuple[float, float, float] | None:
        """The latest place (x, y, yaw) that is old enough at `time` [s], or None; it and later ones are forgotten."""
        while self._places:
            then, x, y, yaw = self._places.pop()
            if then <= time - OLD_ENOUGH:
                return x, y, yaw
        return None
