"""Park in a bay between two cars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.learning.arena import Arena, Task
from simulator.learning.contract import DIRECTION, PEDAL, STEERING, Numbers, Row, Verdicts, World
from simulator.learning.scan import Scan
from simulator.learning.tasks.path_task import MOTION, motion
from terrain.ground import Ground

BAY = 2.8
"""m. Width of a bay; the cars beside are in the middle of theirs."""
CAR = [4.6, 1.8, 1.5]
NEAR, ALIGNED, STOPPED = 0.3, 0.1, 0.1
"""m along each axis, rad, m/s. The vehicle is parked within these."""
AWAY = 15.0
"""m. The episode ends farther from the bay."""
REWARD, PARKED, COLLISION = 0.5, 10.0, -10.0
"""Rewards: for each meter (or rad) closer to the bay, when parked, and for a collision."""


class Parking(Task):
    """Park in a bay between two cars, forward or backward."""

    ground_changes: ClassVar[Mapping[str, Any]] = {
        "objects": [
            *({"shape": "box", "size": CAR, "position": [side * BAY, 0.0], "yaw_deg": 90.0, "label": "vehicle"} for side in (-1.0, 1.0)),
            {"shape": "box", "size": [0.3, 3.0 * BAY, 0.8], "position": [0.0, 3.2], "yaw_deg": 90.0, "label": "barrier"},
        ]
    }  # fmt: skip
    seconds = 40.0
    n_worlds = 64
    actions = (STEERING, PEDAL, DIRECTION)
    outcomes = ("parked", "collision", "left the lot")

    def __init__(self) -> None:
        self._scan = Scan(24, 10.0, height=0.2)
        self.observations = (
            Row("bay_x", -AWAY, AWAY, "m", "middle of the bay, ahead of the middle of the wheels"),
            Row("bay_y", -AWAY, AWAY, "m", "middle of the bay, to the left"),
            Row(
                "sin_2_angle",
                -1.0,
                1.0,
                "1",
                "sine of twice the angle from the axis of the bay to that of the vehicle: both directions are alike",
            ),
            Row("cos_2_angle", -1.0, 1.0, "1", "cosine of twice this angle"),
            Row("gear", -1.0, 10.0, "1", "gear, -1 reverse"),
            *MOTION,
            self._scan.row(),
        )
        self._cost, self._closer = np.zeros(0), np.zeros(0)

    def worlds(self, grounds: Sequence[Ground], count: int, rng: np.random.Generator) -> list[World]:
        """Return starts in front of the bays, on both sides of the bay and in both directions."""
        out = []
        for k in range(count):
            side = 1.0 if rng.random() < 0.5 else -1.0
            yaw = rng.normal(0.0, 0.1) + (0.0 if side < 0.0 else np.pi)
            out.append(World(k % len(grounds), (side * rng.uniform(3.0, 8.0), rng.uniform(-8.0, -6.5), float(yaw))))
        return out

    def begin(self, arena: Arena, chosen: Numbers) -> None:
        """Forget how far the bay was."""
        if len(self._cost) != arena.n:
            self._cost, self._closer = np.zeros(arena.n), np.zeros(arena.n)
        self._middle = float(arena.fleets[0].kind.readout[0]["p_BK"][:, 0].mean())
        self._scan.forward = self._middle
        self._cost[chosen] = _cost(*self._place(arena, chosen))

    def _place(self, arena: Arena, chosen: Numbers) -> tuple[Array, Array, Array]:
        """Return the middle of the wheels in the axes of the bay, which is at the origin along y, and the angle to its axis."""
        yaw = arena.column("yaw")[chosen]
        x = arena.column("p_WB_x")[chosen] + self._middle * np.cos(yaw)
        return x, arena.column("p_WB_y")[chosen] + self._middle * np.sin(yaw), yaw - 0.5 * np.pi

    def observe(self, arena: Arena, chosen: Numbers) -> Array:
        """Return the bay, the gear, the motion and the ranges."""
        x, y, angle = self._place(arena, chosen)
        cost = _cost(x, y, angle)
        self._closer[chosen], self._cost[chosen] = self._cost[chosen] - cost, cost
        c, s = np.cos(angle + 0.5 * np.pi), np.sin(angle + 0.5 * np.pi)
        bay = -c * x - s * y, s * x - c * y, np.sin(2.0 * angle), np.cos(2.0 * angle)
        return np.column_stack((*bay, arena.column("gear")[chosen], motion(arena, chosen), self._scan.ranges(arena, chosen)))

    def judge(self, arena: Arena, chosen: Numbers) -> Verdicts:
        """Reward coming closer to the bay and its axis, parking, and punish a collision."""
        x, y, angle = self._place(arena, chosen)
        hit = arena.collisions[chosen] > 0
        aligned = np.abs(np.sin(angle)) < np.sin(ALIGNED)
        there = (np.abs(x) < NEAR) & (np.abs(y) < NEAR) & aligned & (np.abs(arena.column("v_WB_B_x")[chosen]) < STOPPED)
        reward = REWARD * self._closer[chosen] + np.where(hit, COLLISION, np.where(there, PARKED, 0.0))
        return Verdicts(reward, np.where(hit, 2, np.where(there, 1, np.where(np.hypot(x, y) > AWAY, 3, 0))))

    def memory(self) -> dict[str, NDArray[Any]]:
        """Return what is kept of the distance."""
        return {"cost": self._cost, "closer": self._closer}


def _cost(x: Array, y: Array, angle: Array) -> Array:
    """Return the distance [m] from the bay plus the angle [rad] to its axis."""
    off: Array = np.hypot(x, y) + np.abs(np.arcsin(np.sin(angle)))
    return off
