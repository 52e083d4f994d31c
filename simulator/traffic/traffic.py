"""Traffic of one session: its vehicles and pedestrians, and the calls that advance them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fast_call import compiled_call
from simulator.base.records import Record, record
from simulator.traffic.lane_data import lane_boxes, priorities, shared_parts, speed_table, walk_joints
from simulator.traffic.on_lanes import cover_bodies
from simulator.traffic.records import AGENT, BODY, MAX_OBSTACLES, OBSTACLE, STEP, TRAFFIC, WALKER, TrafficArrays
from simulator.traffic.step import advance_traffic, begin_traffic, follow_full
from terrain.ground import GroundArrays
from terrain.objects.object_set import ObjectSet
from terrain.objects.shapes import FARTHEST
from terrain.roads.network import DRIVE, RoadNetwork, lane_pose

WARM_UP = 20.0
"""s. The traffic drives for this time before a drive begins, so that it moves at the begin."""
MARGIN = 0.1
"""m. Smallest distance of a vehicle from what it passes."""
BEYOND = 20.0
"""m. Distance from the lanes within which all parts of vehicles and pedestrians are."""
FASTEST = 50.0
"""m/s. Bound on the speed of any of their points."""
MAX_BODIES = 256
"""Further bodies are not seen."""


@dataclass(frozen=True)
class AgentPlan:
    """A vehicle of the traffic at the begin.

    Attributes
    ----------
    lane, station : lane, and station of the front bumper [m]
    length, half_width, wheelbase, overhang : m; overhang of the front bumper before the front axle
    haste : desired speed divided by the speed limit
    full : whether a vehicle with a model of its own moves it
    """

    lane: int
    station: float
    length: float = 4.6
    half_width: float = 0.9
    wheelbase: float = 2.7
    overhang: float = 0.9
    haste: float = 1.0
    full: bool = False


@dataclass(frozen=True)
class WalkerPlan:
    """A pedestrian at the begin.

    Attributes
    ----------
    lane, station : lane, and distance from the end where they come from [m]
    back : whether they walk against the direction of the lane
    pace : m/s
    offset : m, to the right of the center line
    height : m, of the origin of the object above the ground
    """

    lane: int
    station: float
    back: bool
    pace: float
    offset: float
    height: float = 0.9


class Traffic:
    """Vehicles and pedestrians on the lanes of a network.

    Parameters
    ----------
    network : lanes
    agents, walkers : vehicles and pedestrians at the begin
    seed : of the choices at crossings

    Attributes
    ----------
    arrays : records of the kernels
    """

    def __init__(self, network: RoadNetwork, agents: Sequence[AgentPlan], walkers: Sequence[WalkerPlan] = (), seed: int = 0) -> None:
        self.network, self.plans, self._walkers, self._seed = network, tuple(agents), tuple(walkers), seed
        speeds, first_speeds = speed_table(network)
        joints, first_joints = walk_joints(network)
        self.arrays = TrafficArrays(
            record(TRAFFIC), network.arrays, lane_boxes(network), speeds, first_speeds, priorities(network), shared_parts(network),
            record(AGENT, len(self.plans)), np.zeros(len(self.plans), np.int64), np.zeros(len(network.lanes) + 1, np.int64),
            record(WALKER, len(self._walkers)), joints, first_joints, record(BODY, MAX_BODIES), record(OBSTACLE, MAX_OBSTACLES),
        )  # fmt: skip

    @property
    def agents(self) -> Record:
        """Records of AGENT."""
        return self.arrays.agents

    @property
    def walkers(self) -> Record:
        """Records of WALKER."""
        return self.arrays.walkers

    @cached_property
    def lane_points(self) -> Array:
        """(n, 2) places on the center lines of the lanes for vehicles, about a meter apart [m]."""
        a = self.network.arrays
        out = []
        for row in a.lanes[a.lanes["kind"] == DRIVE]:
            points = a.points[row["first"] : row["first"] + row["count"]]
            s = np.linspace(0.0, row["length"], math.ceil(row["length"]) + 1)
            out.append(np.column_stack([np.interp(s, points["station"], points["p_W"][:, j]) for j in range(2)]))
        return np.concatenate(out)

    @cached_property
    def lane_tree(self) -> Any:
        """Tree (scipy cKDTree) of `lane_points`."""
        from scipy.spatial import cKDTree

        return cKDTree(self.lane_points)

    def begin(
        self, ground: GroundArrays, bodies: Record, fixed: Record, objects: ObjectSet | None = None, rows: Sequence[int] = ()
    ) -> None:
        """Put all at their places, and let them drive for WARM_UP before the time 0.

        ground : with the world of `objects`; bodies, fixed : records of BODY of others, and of objects that do not move; rows : rows of the
        objects of the vehicles that have no model of their own, then of the pedestrians; none: there are no objects
        """
        start = 0.0
        p = self.arrays.p[0]
        self.arrays.p[:] = np.zeros(1, self.arrays.p.dtype)
        p["start"] = p["time"] = start - WARM_UP
        p["seed"], p["clearance"] = self._seed, MARGIN + max((one.half_width for one in self.plans), default=0.0)
        self._fill_agents()
        self._fill_walkers()
        if objects is not None:
            self._bind(objects, rows)
        self.set_fixed(fixed)
        begin_traffic(self.arrays, ground)
        self._ground = ground
        self._advance = compiled_call(advance_traffic, self.arrays, ground, 0)
        self._follow_full = compiled_call(follow_full, self.arrays, 0, 0.0, 0.0, 0.0, 0.0)
        self.advance(start - 0.5 * STEP, bodies)

    def advance(self, time: float, bodies: Record) -> None:
        """Advance to a time [s]. bodies : records of BODY of others, as they are now."""
        count = self._put(bodies)
        while self.arrays.p[0]["time"] <= time + 1e-9:
            self._advance(self.arrays, self._ground, count)

    def set_fixed(self, fixed: Record) -> None:
        """Replace the objects on the road that do not move. fixed : records of BODY."""
        self.arrays.p["obstacles"] = 0
        for first in range(0, len(fixed), MAX_BODIES):
            cover_bodies(self.arrays, self._put(fixed[first : first + MAX_BODIES]))
        self.arrays.p["fixed"] = self.arrays.p["obstacles"]

    def follow_full(self, number: int, place: tuple[float, float, float], speed: float) -> None:
        """Write where a vehicle with a model of its own is: x, y [m] of the middle of its rear axle, yaw [rad], and its speed [m/s]."""
        self._follow_full(self.arrays, number, *place, speed)

    def _bind(self, objects: ObjectSet, rows: Sequence[int]) -> None:
        """Write the rows of the objects, whose paths are steered from now on."""
        points = self.network.arrays.points["p_W"]
        low, high = points.min(axis=0) - BEYOND, points.max(axis=0) + BEYOND
        objects.steer(rows, (*low, -FARTHEST), (*high, FARTHEST), FASTEST)
        cars = np.flatnonzero(self.agents["full"] == 0)
        for motions, numbers, own in (
            (self.agents, cars, rows[: len(cars)]),
            (self.walkers, np.arange(len(self.walkers)), rows[len(cars) :]),
        ):
            for name, values in (("row", own), *((name, objects.records[name][list(own)]) for name in ("state", "first_segment"))):
                motions[name][numbers] = values

    def _put(self, bodies: Record) -> int:
        count = min(len(bodies), MAX_BODIES)
        self.arrays.bodies[:count] = bodies[:count]
        return count

    def _fill_agents(self) -> None:
        agents = self.agents
        agents[:] = np.zeros(1, agents.dtype)
        for name in ("lane", "station", "length", "half_width", "wheelbase", "overhang", "haste", "full"):
            agents[name] = [getattr(one, name) for one in self.plans]
        for name in ("previous", "next", "after", "held", "draws", "row"):
            agents[name] = -1
        agents["active"], agents["changed"] = 1, -math.inf
        # passenger cars in a town [Treiber and Kesting 2013, Traffic Flow Dynamics, table 11.2, with a deceleration that is 0.5 m/s2 higher]
        agents["acceleration"], agents["deceleration"], agents["time_gap"], agents["standstill_gap"] = 1.0, 2.0, 1.0, 2.0

    def _fill_walkers(self) -> None:
        walkers = self.walkers
        walkers[:] = np.zeros(1, walkers.dtype)
        for name in ("lane", "station", "back", "pace", "offset", "height"):
            walkers[name] = [getattr(one, name) for one in self._walkers]
        walkers["active"], walkers["row"] = 1, -1
        for w, one in zip(walkers, self._walkers, strict=True):
            x, y, yaw = _walk_pose(self.network, one)
            w["p_WO"][:2], w["yaw"] = (x, y), yaw


def _walk_pose(network: RoadNetwork, one: WalkerPlan) -> tuple[float, float, float]:
    """Return x, y [m] and yaw [rad] of a pedestrian at the begin."""
    length = float(network.arrays.lanes[one.lane]["length"])
    x, y, yaw = lane_pose(network.arrays, one.lane, length - one.station if one.back else one.station)
    yaw += math.pi if one.back else 0.0
    return x + one.offset * math.sin(yaw), y - one.offset * math.cos(yaw), yaw
