"""Drive a lap of a circuit as fast as possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.learning.arena import Arena
from simulator.learning.contract import Numbers, Verdicts, World
from simulator.learning.paths import closed_road, cut
from simulator.learning.tasks.path_task import MOTION, PathTask, motion
from terrain.ground import Ground

START_SPEED = 10.0
"""m/s"""
MARGIN = 1.0
"""m. The episode ends when the chassis reference point is farther beyond the edge of the course."""
REWARD = 0.1
"""1/m. Reward for the way along the course."""


class Race(PathTask):
    """Drive a lap of a circuit with barriers, from any place on it."""

    terrains = ("circuit",)
    seconds = 120.0
    n_worlds = 16
    ahead = (0.0, 10.0, 20.0, 30.0, 45.0, 60.0, 80.0, 100.0)
    edge = 10.0
    outcomes = ("lap", "left the course")

    def __init__(self) -> None:
        self.observations = (*self.path_rows(), *MOTION)
        self._half, self._lap = np.zeros(0), np.zeros(0)

    def worlds(self, grounds: Sequence[Ground], count: int, rng: np.random.Generator) -> list[World]:
        """Return starts on the center line of the first road of each ground."""
        courses = [_course(ground) for ground in grounds]
        out, paths = [], []
        for k in range(count):
            path, lap, _ = courses[k % len(grounds)]
            paths.append(cut(path, rng.uniform(0.0, lap), lap + 150.0))
            out.append(World(k % len(grounds), (paths[k].x[0], paths[k].y[0], paths[k].heading[0]), START_SPEED))
        self.use_paths(paths)
        self._lap, self._half = (np.array([courses[world.ground][part] for world in out]) for part in (1, 2))
        return out

    def observe(self, arena: Arena, chosen: Numbers) -> Array:
        """Return the place on the course, the bends ahead and the motion."""
        return np.column_stack((self.along(arena, chosen), motion(arena, chosen)))

    def judge(self, arena: Arena, chosen: Numbers) -> Verdicts:
        """Reward 0.1 for each meter along the course; the episode ends off the course, and after a lap."""
        world = arena.world[chosen]
        away = (np.abs(self.track[chosen, 0]) > self._half[world] + MARGIN) | (np.abs(self.track[chosen, 1]) > 0.6 * np.pi)
        done = self.station[chosen] >= self._lap[world]
        return Verdicts(REWARD * self.progress[chosen], np.where(away, 2, np.where(done, 1, 0)))


def _course(ground: Ground) -> tuple:
    """Return path, length of a lap and half width of a circuit. Raises JounceError: no closed road."""
    if not ground.roads or float(np.hypot(*(ground.roads[0].points[0, :2] - ground.roads[0].points[-1, :2]))) > 5.0:
        raise JounceError(f"race: terrain {ground.name} has no closed road; expected a circuit")
    path, lap = closed_road(ground, 3)
    return path, lap, 0.5 * ground.roads[0].width
