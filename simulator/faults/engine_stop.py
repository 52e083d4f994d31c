"""Engine stop: the fuel supply of an engine, or the power supply of the motors, ends.

An engine without fuel turns with the torque of its map with the throttle closed, which drags, and has no idle governor. Below the stall
speed of the file it has friction only, and the starter cannot start it. An engine without that section rests where its map ends.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets
from vehicles.drivetrain.contract import CONVENTIONAL, ELECTRIC

AT_REST = 10.0
"""rad/s. Speed below which an engine whose map has a drag at rest has friction only."""


class EngineStop:
    """End of the torque of engine or motors."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        if context.vehicle.model.drivetrain[0]["kind"] not in (CONVENTIONAL, ELECTRIC):
            raise values.error("type", "a fault of this vehicle; the drivetrain of a plugin has no engine that this fault can stop")

    def apply(self, level: float, on: FaultTargets) -> None:
        """Change the parameters of engine and motors."""
        p = on.parameters.model.drivetrain[0]
        if p["kind"] == ELECTRIC:
            p["motor_torque_most"] *= 1.0 - level
            return
        closed = p["engine_map_closed"].copy()
        for torque in (p["engine_map_open"], *p["engine_map_part"]):
            torque[:] = closed + (1.0 - level) * (torque - closed)
        p["idle_throttle"] *= 1.0 - level
        if level < 1.0:
            return
        count = int(p["engine_points"])
        drag = abs(float(np.interp(0.0, p["engine_map_speed"][:count], closed[:count])))
        if p["stall_speed"] == 0.0 and drag > 0.0:
            p["stall_speed"], p["dead_friction"] = AT_REST, drag
        p["fire_speed"] = math.inf


KIND = FaultKind("engine_stop", (), EngineStop, ramp=0.3, meaning="end of the torque of the engine or of all motors; they drag")
