"""Drive along streets of a town to a goal, around obstacles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.driver.path import Path
from simulator.learning.arena import Arena
from simulator.learning.contract import Numbers, Row, Verdicts, World
from simulator.learning.scan import Scan
from simulator.learning.tasks.path_task import MOTION, PathTask, motion
from terrain.ground import Ground
from terrain.roads.network import RoadNetwork

LENGTHS = (60.0, 150.0)
"""m. Range of the lengths of a route."""
POINTS = 2.0
"""m. Distance of the points of a route."""
CLEARANCE = 3.5
"""m. No object is closer to the start and the goal."""
AWAY = 8.0
"""m. The episode ends farther from the route."""
REWARD, GOAL, COLLISION = 0.1, 10.0, -10.0
"""Rewards: for each meter along the route, at the goal, and for a collision."""
TRIES = 200


class UrbanGoal(PathTask):
    """Drive along streets of a town to a goal, around parked cars and barrels."""

    terrains = ("streets",)
    seconds = 60.0
    n_worlds = 32
    ahead = (0.0, 4.0, 8.0, 12.0, 16.0, 24.0)
    edge = AWAY
    outcomes = ("goal", "collision", "left the route")

    def __init__(self) -> None:
        self._scan = Scan(36, 30.0)
        self.observations = (
            *self.path_rows(),
            Row("distance", 0.0, 500.0, "m", "way along the route to the goal"),
            *MOTION,
            self._scan.row(),
        )

    def worlds(self, grounds: Sequence[Ground], count: int, rng: np.random.Generator) -> list[World]:
        """Return routes on the lanes of the grounds, whose starts and goals are free. Raises JounceError: none is found."""
        out, paths = [], []
        for k in range(count):
            ground = grounds[k % len(grounds)]
            for _ in range(TRIES):
                path = _route(ground, rng)
                if self._is_free(ground, path, 0) and self._is_free(ground, path, -1):
                    break
            else:
                raise JounceError(
                    f"urban goal: no free start on the lanes of terrain {ground.name}; expected lanes without objects on them"
                )
            paths.append(path)
            out.append(World(k % len(grounds), (path.x[0], path.y[0], path.heading[0])))
        self.use_paths(paths)
        return out

    def _is_free(self, ground: Ground, path: Path, at: int) -> bool:
        origin = np.array([[path.x[at], path.y[at], float(ground.height(path.x[at], path.y[at])) + 0.5]])
        return bool(Scan(120, CLEARANCE).around(ground, origin, np.zeros(1), np.zeros(1)).min() >= CLEARANCE)

    def observe(self, arena: Arena, chosen: Numbers) -> Array:
        """Return the place on the route, the bends ahead, the way to the goal, the motion and the ranges."""
        along = self.along(arena, chosen)
        left = self.paths.length[arena.world[chosen]] - self.station[chosen]
        return np.column_stack((along, left, motion(arena, chosen), self._scan.ranges(arena, chosen)))

    def judge(self, arena: Arena, chosen: Numbers) -> Verdicts:
        """Reward the way along the route, the goal, and punish a collision."""
        hit = arena.collisions[chosen] > 0
        away = np.abs(self.track[chosen, 0]) > AWAY
        there = self.station[chosen] >= self.paths.length[arena.world[chosen]]
        reward = REWARD * self.progress[chosen] + np.where(hit, COLLISION, np.where(there & ~away, GOAL, 0.0))
        return Verdicts(reward, np.where(hit, 2, np.where(away, 3, np.where(there, 1, 0))))


def _route(ground: Ground, rng: np.random.Generator) -> Path:
    """Return a path along lanes, from any place and around any corner. Raises JounceError: the ground has no lanes."""
    network: RoadNetwork | None = ground.lanes
    if network is None:
        raise JounceError(f"urban goal: terrain {ground.name} has no lanes; expected a town")
    lanes, wanted = network.connected_parts()[0], float(rng.uniform(*LENGTHS))
    lane = int(rng.choice([k for k in lanes if network.arrays.lanes["crossing"][k] < 0]))
    station = float(rng.uniform(0.0, 0.8)) * float(network.arrays.lanes["length"][lane])
    points, total = [], 0.0
    while total < wanted:
        length = float(network.arrays.lanes["length"][lane])
        stations = np.arange(station, min(length, station + wanted - total), POINTS)
        points.append(network.along(lane, stations))
        total += length - station
        row = network.arrays.lanes[lane]
        after = network.arrays.next_lanes[row["first_next"] : row["first_next"] + row["nexts"]]
        after = after[np.isin(after, lanes)]
        if not len(after):
            break
        lane, station = int(rng.choice(after)), 0.0
    line = np.concatenate(points)
    apart = np.concatenate((np.hypot(*np.diff(line, axis=0).T) > 0.5 * POINTS, [True]))
    return Path.through(line[apart])
