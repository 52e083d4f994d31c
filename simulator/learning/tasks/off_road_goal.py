"""Drive over natural ground to a goal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.learning.arena import Arena, Task
from simulator.learning.contract import Numbers, Row, Verdicts, World
from simulator.learning.tasks.path_task import MOTION, motion
from terrain.elevation_patch import heights_around
from terrain.ground import Ground

PATCH_X, PATCH_Y = np.arange(-4.0, 25.0, 2.0), np.arange(-10.0, 11.0, 2.0)
"""m, in the heading of the vehicle. Points of the elevation patch."""
DISTANCES = (40.0, 80.0)
"""m. Range of the distances of a goal."""
EXTENT = 180.0
"""m. Starts are within this distance of the start of the ground along x and y."""
FLAT = 0.25
"""1. Steepest slope at a start and a goal."""
NEAR = 4.0
"""m. Distance at which a goal is reached."""
FAR = 20.0
"""m. The episode ends when the goal is this much farther away than at the start."""
TOPPLED = np.radians(65.0)
STUCK_SPEED, STUCK_TIME = 0.3, 8.0
"""m/s, s. A vehicle that is slower for this time is stuck."""
REWARD, GOAL, LOSS = 0.1, 10.0, -10.0
"""Rewards: for each meter closer to the goal, at the goal, and for a roll-over or a collision."""
TRIES = 1000


class OffRoadGoal(Task):
    """Drive over hills and soil to a goal, with a patch of elevations around the vehicle."""

    vehicle = "hmmwv"
    terrains = ("jacksboro",)
    seconds = 60.0
    n_worlds = 32
    outcomes = ("goal", "rolled over", "stuck", "went away", "collision")

    def __init__(self) -> None:
        self.observations = (
            Row("goal_x", -200.0, 200.0, "m", "goal, ahead of the chassis reference point in its heading"),
            Row("goal_y", -200.0, 200.0, "m", "goal, to the left"),
            Row("roll", -np.pi, np.pi, "rad", "roll angle, + = right side down"),
            Row("pitch", -np.pi, np.pi, "rad", "pitch angle, + = nose down"),
            *MOTION,
            Row(
                "elevation", -10.0, 10.0, "m",
                "height of the ground above that below the chassis reference point: x from 4 m behind to 24 m ahead, for each y from 10 m on the right "
                "to 10 m on the left, every 2 m", len(PATCH_X) * len(PATCH_Y),
            ),
        )  # fmt: skip
        self._goals = np.zeros((0, 2))
        self._distance, self._closer, self._first, self._slow = (np.zeros(0) for _ in range(4))

    def worlds(self, grounds: Sequence[Ground], count: int, rng: np.random.Generator) -> list[World]:
        """Return starts and goals on gentle slopes. Raises JounceError: none is found."""
        out, goals = [], []
        for k in range(count):
            ground = grounds[k % len(grounds)]
            pose, goal = _start_and_goal(ground, rng)
            out.append(World(k % len(grounds), pose))
            goals.append(goal)
        self._goals = np.array(goals)
        return out

    def begin(self, arena: Arena, chosen: Numbers) -> None:
        """Forget how far the goal was."""
        if len(self._first) != arena.n:
            self._distance, self._closer, self._first, self._slow = (np.zeros(arena.n) for _ in range(4))
        x, y = self._to_goal(arena, chosen)
        self._first[chosen] = self._distance[chosen] = np.hypot(x, y)
        self._closer[chosen] = self._slow[chosen] = 0.0

    def _to_goal(self, arena: Arena, chosen: Numbers) -> tuple[Array, Array]:
        """Return the goals in the heading of the vehicles."""
        goal, yaw = self._goals[arena.world[chosen]], arena.column("yaw")[chosen]
        dx, dy = goal[:, 0] - arena.column("p_WB_x")[chosen], goal[:, 1] - arena.column("p_WB_y")[chosen]
        return np.cos(yaw) * dx + np.sin(yaw) * dy, np.cos(yaw) * dy - np.sin(yaw) * dx

    def observe(self, arena: Arena, chosen: Numbers) -> Array:
        """Return goal, attitude, motion and elevations."""
        x, y = self._to_goal(arena, chosen)
        distance = np.hypot(x, y)
        self._closer[chosen], self._distance[chosen] = self._distance[chosen] - distance, distance
        attitude = [arena.column(name)[chosen] for name in ("roll", "pitch")]
        return np.column_stack((x, y, *attitude, motion(arena, chosen), _patches(arena, chosen)))

    def judge(self, arena: Arena, chosen: Numbers) -> Verdicts:
        """Reward each meter closer to the goal and the goal; the episode also ends after a roll-over, a collision, when stuck, or far away."""
        over = np.maximum(np.abs(arena.column("roll")[chosen]), np.abs(arena.column("pitch")[chosen])) > TOPPLED
        hit = arena.collisions[chosen] > 0
        slow = np.abs(arena.column("v_WB_B_x")[chosen]) < STUCK_SPEED
        self._slow[chosen] = np.where(slow, self._slow[chosen] + arena.period, 0.0)
        there = self._distance[chosen] < NEAR
        tests = (there, over, self._slow[chosen] > STUCK_TIME, self._distance[chosen] > self._first[chosen] + FAR, hit)
        reward = REWARD * self._closer[chosen] + np.where(there, GOAL, np.where(over | hit, LOSS, 0.0))
        return Verdicts(reward, np.select(tests, np.arange(1, len(tests) + 1), 0))

    def memory(self) -> dict[str, NDArray[Any]]:
        """Return what is kept of the goals."""
        return {"distance": self._distance, "closer": self._closer, "first": self._first, "slow": self._slow}


def _patches(arena: Arena, chosen: Numbers) -> Array:
    """Return the elevations (m, points) around vehicles; those of all vehicles on a ground in one call."""
    out = np.empty((len(chosen), len(PATCH_Y) * len(PATCH_X)))
    for fleet, rows in arena.groups(chosen):
        if len(rows):
            x, y, yaw = (arena.column(name)[chosen[rows]] for name in ("p_WB_x", "p_WB_y", "yaw"))
            out[rows] = heights_around(fleet.ground, (x, y, yaw), PATCH_X, PATCH_Y).reshape(len(rows), -1)
    return out


def _start_and_goal(ground: Ground, rng: np.random.Generator) -> tuple[tuple[float, float, float], tuple[float, float]]:
    """Return a pose and a goal. Raises JounceError: the ground is too steep everywhere."""
    low_x, high_x, low_y, high_y = ground.bounds
    for _ in range(TRIES):
        x, y = np.array(ground.spawn[:2]) + rng.uniform(-EXTENT, EXTENT, 2)
        bearing, distance = rng.uniform(-np.pi, np.pi), rng.uniform(*DISTANCES)
        goal = x + distance * np.cos(bearing), y + distance * np.sin(bearing)
        inside = low_x < min(x, goal[0]) and max(x, goal[0]) < high_x and low_y < min(y, goal[1]) and max(y, goal[1]) < high_y
        if inside and _slope(ground, x, y) < FLAT and _slope(ground, *goal) < FLAT:
            return (float(x), float(y), float(bearing + rng.uniform(-1.0, 1.0))), (float(goal[0]), float(goal[1]))
    raise JounceError(f"off-road goal: no start with a slope below {FLAT:g} on terrain {ground.name}; expected a larger or gentler ground")


def _slope(ground: Ground, x: float, y: float) -> float:
    """Return the steepest slope within the size of a vehicle."""
    around = np.array([(2.5, 0.0), (-2.5, 0.0), (0.0, 2.5), (0.0, -2.5)])
    return float(np.abs(ground.height(x + around[:, 0], y + around[:, 1]) - ground.height(x, y)).max() / 2.5)
