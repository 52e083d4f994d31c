"""Follow a winding lane on level asphalt at a target speed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.base.arrays import Array
from simulator.driver.path import Path, Segment
from simulator.learning.arena import Arena
from simulator.learning.contract import Numbers, Row, Verdicts, World
from simulator.learning.tasks.path_task import MOTION, PathTask, motion
from terrain.ground import Ground

HALF_LANE = 1.75
"""m. Half the width of the lane: the episode ends when the chassis reference point leaves it."""
SPEEDS = (8.0, 18.0)
"""m/s. Range of the target speeds."""
LATERAL = 3.0
"""m/s2. Lateral acceleration of the sharpest bend at the target speed."""
SHARPEST = 25.0
"""m. Smallest radius."""


class LaneKeeping(PathTask):
    """Keep a winding lane of 3.5 m at a target speed."""

    n_worlds = 64
    outcomes = ("end of the lane", "left the lane")

    def __init__(self) -> None:
        self.observations = (
            *self.path_rows(),
            *MOTION,
            Row("target_speed", 0.0, 30.0, "m/s", "target speed, constant in an episode"),
        )
        self.targets = np.zeros(0)

    def worlds(self, grounds: Sequence[Ground], count: int, rng: np.random.Generator) -> list[World]:
        """Return lanes of straights and bends, each with a target speed, at which the vehicle begins."""
        self.targets = rng.uniform(*SPEEDS, count)
        paths = [_lane(speed, speed * self.seconds * 1.3, rng) for speed in self.targets]
        self.use_paths(paths)
        return [World(k % len(grounds), (0.0, 0.0, 0.0), float(speed)) for k, speed in enumerate(self.targets)]

    def observe(self, arena: Arena, chosen: Numbers) -> Array:
        """Return the place in the lane, the bends ahead, the motion and the target speed."""
        return np.column_stack((self.along(arena, chosen), motion(arena, chosen), self.targets[arena.world[chosen]]))

    def judge(self, arena: Arena, chosen: Numbers) -> Verdicts:
        """Reward the time in the middle of the lane at the target speed: period (1 - |offset| / 1.75 m) (1 - |speed / target - 1|), at least 0."""
        offset, target = np.abs(self.track[chosen, 0]), self.targets[arena.world[chosen]]
        speed = arena.column("v_WB_B_x")[chosen] / target
        reward = arena.period * np.maximum(1.0 - offset / HALF_LANE, 0.0) * np.maximum(1.0 - np.abs(speed - 1.0), 0.0)
        at_end = self.station[chosen] > self.paths.length[arena.world[chosen]]
        away = (offset > HALF_LANE) | (np.abs(self.track[chosen, 1]) > 0.5 * np.pi)
        return Verdicts(reward, np.where(away, 2, np.where(at_end, 1, 0)))


def _lane(speed: float, length: float, rng: np.random.Generator) -> Path:
    """Return a path from the origin along x: a straight, then bends to both sides."""
    tightest = max(SHARPEST, speed**2 / LATERAL)
    segments, total = [Segment(20.0)], 20.0
    while total < length:
        radius = tightest * float(np.exp(rng.uniform(0.0, 1.5)))
        transition = 2.0 * speed
        bend = Segment(transition + radius * float(rng.uniform(0.3, 1.5)), radius, "left" if rng.random() < 0.5 else "right", transition)
        straight = Segment(transition + float(rng.uniform(0.0, 3.0)) * speed, transition=transition)
        segments += [bend, straight]
        total += bend.length + straight.length
    return Path.of_segments(segments)
