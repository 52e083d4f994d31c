"""Drives of the closed forms: the shipped vehicle through phases that are said here, on ground that is said here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simulator.api.simulation import Simulation
from simulator.telemetry.log import Log
from simulator.validation.suite.result import Array

VEHICLE = "hmmwv"
"""Which the closed forms are about."""
CARRIER = "braking_straight"
"""Maneuver whose phases are replaced: it has a start speed and no course."""
CORNERS = ("FL", "FR", "RL", "RR")
FRONT, REAR = slice(0, 2), slice(2, 4)


class ReferenceRun(NamedTuple):
    """A drive and its log."""

    simulation: Simulation
    log: Log

    def wheels(self, field: str, rows: Any = slice(None)) -> Array:
        """(rows, 4) numbers of a field with one component, or of one component of it: `F_C_*_z`."""
        names = [field.replace("*", corner) if "*" in field else f"{field}_{corner}" for corner in CORNERS]
        return np.stack([np.asarray(self.log[name], float)[rows] for name in names], axis=1)

    def column(self, name: str) -> Array:
        """(rows,) numbers."""
        return np.asarray(self.log[name], float)


def drive(
    phases: Sequence[Mapping[str, Any]],
    speed: float,
    terrain: str = "flat",
    changes: Mapping[str, Any] | None = None,
    vehicle: str = VEHICLE,
) -> ReferenceRun:
    """Drive phases (as of a maneuver's file) from a speed (m/s); `changes` by key path. Raises JounceError."""
    asked: dict[str, Any] = {
        "maneuver.phases": [dict(phase) for phase in phases],
        "maneuver.parameters.speed_kph": 3.6 * speed,
        "maneuver.metrics": [],
        "maneuver.abort": [],
    }
    simulation = Simulation(vehicle, terrain, maneuver=CARRIER, changes=asked | dict(changes or {}))
    return ReferenceRun(simulation, simulation.run().log)


def straight(speed: float, seconds: float) -> dict[str, Any]:
    """A phase at a speed (m/s), the steering wheel held."""
    return {"name": "settle", "steering_deg": 0, "speed_kph": 3.6 * speed, "lasts_s": seconds}


def slippery(friction: float) -> dict[str, Any]:
    """Changes that make a shipped plane one of this friction."""
    return {"terrain.friction": friction, "terrain.surface": None}
