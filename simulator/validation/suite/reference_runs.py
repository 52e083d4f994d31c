"""Runs for the closed-form comparisons: the shipped vehicle in phases and on ground defined in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simulator.api.simulation import Simulation
from simulator.base.arrays import Array
from simulator.telemetry.log import Log

VEHICLE = "hmmwv"
"""Vehicle of the closed forms."""
CARRIER = "braking_straight"
"""Maneuver whose phases are replaced. It has a start speed and no course."""
CORNERS = ("FL", "FR", "RL", "RR")
FRONT, REAR = slice(0, 2), slice(2, 4)


class ReferenceRun(NamedTuple):
    """A run and its log."""

    simulation: Simulation
    log: Log

    def wheels(self, field: str, rows: Any = slice(None)) -> Array:
        """Return the numbers (rows, 4) of a field with one component, or of one component of a field: `F_C_*_z`."""
        names = [field.replace("*", corner) if "*" in field else f"{field}_{corner}" for corner in CORNERS]
        return np.stack([np.asarray(self.log[name], float)[rows] for name in names], axis=1)

    def column(self, name: str) -> Array:
        """Return the numbers (rows,) of a column."""
        return np.asarray(self.log[name], float)


def drive(
    phases: Sequence[Mapping[str, Any]],
    speed: float,
    terrain: str = "flat",
    changes: Mapping[str, Any] | None = None,
    vehicle: str = VEHICLE,
) -> ReferenceRun:
    """Run phases (as in a maneuver file) from a speed (m/s), with `changes` by key path. Raises JounceError."""
    maneuver_changes: dict[str, Any] = {
        "maneuver.phases": [dict(phase) for phase in phases],
        "maneuver.parameters.speed_kph": 3.6 * speed,
        "maneuver.metrics": [],
        "maneuver.abort": [],
    }
    simulation = Simulation(vehicle, terrain, maneuver=CARRIER, changes=maneuver_changes | dict(changes or {}))
    return ReferenceRun(simulation, simulation.run().log)


def straight(speed: float, seconds: float) -> dict[str, Any]:
    """Return a phase at a constant speed (m/s) with fixed steering wheel."""
    return {"name": "settle", "steering_deg": 0, "speed_kph": 3.6 * speed, "lasts_s": seconds}


def slippery(friction: float) -> dict[str, Any]:
    """Return the changes that set the friction of a shipped plane."""
    return {"terrain.friction": friction, "terrain.surface": None}
