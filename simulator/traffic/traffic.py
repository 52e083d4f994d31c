"""Traffic of one session: its vehicles and pedestrians, and the calls that advance them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fast_call import compiled_call
from simulator.base.records import Record, record
from simulator.traffic.lane_data import lane_boxes, priorities, speed_table, walk_joints
from simulator.traffic.records import AGENT, BODY, MAX_OBSTACLES, OBSTACLE, STEP, TRAFFIC, WALKER, TrafficArrays
from simulator.traffic.on_lanes import cover_lanes, find_obstacles
from simulator.traffic.step import advance_traffic, begin_traffic, follow_full
from terrain.ground import GroundArrays
from terrain.roads.network import RoadNetwork

WARM_UP = 20.0
"""s. The traffic drives for this time before a drive begins, so that it moves at the begin."""
MARGIN = 0.1
"""m. Smallest distance of a vehicle from what it passes."""
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
    row : row of its object in the world, -1: none
    """

    lane: int
    station: float
    length: float = 4.6
    half_width: float = 0.9
    wheelbase: float = 2.7
    overhang: float = 0.9
    haste: float = 1.0
    full: bool = False
    row: int = -1


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
    row : row of the object, -1: none
    """

    lane: int
    station: float
    back: bool
    pace: float
    offset: float
    height: float = 0.9
    row: int = -1


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
        self.network, self._plans, self._walkers, self._seed = network, tuple(agents), tuple(walkers), seed
        speeds, first_speeds = speed_table(network)
        joints, first_joints = walk_joints(network)
        self.arrays = TrafficArrays(
            record(TRAFFIC), network.arrays, lane_boxes(network), speeds, first_speeds, priorities(network),
            record(AGENT, len(self._plans)), np.zeros(len(self._plans), np.int64), np.zeros(len(network.lanes) + 1, np.int64),
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

    def begin(self, ground: GroundArrays, bodies: Record, fixed: Record, start: float = 0.0) -> None:
        """Put all at their places, and let them drive for WARM_UP before the time `start` [s].

        ground : with the world in which their objects are; bodies, fixed : records of BODY of others, and of objects that do not move
        """
        p = self.arrays.p[0]
        self.arrays.p[:] = np.zeros(1, self.arrays.p.dtype)
        p["start"] = p["time"] = start - WARM_UP
        p["seed"], p["clearance"] = self._seed, MARGIN + max((one.half_width for one in self._plans), default=0.0)
        self._fill_agents()
        self._fill_walkers(ground)
        self._put(fixed)
        find_obstacles(self.arrays, min(len(fixed), MAX_BODIES))
        p["fixed"] = p["obstacles"]
        begin_traffic(self.arrays, ground)
        self._ground = ground
        self._advance = compiled_call(advance_traffic, self.arrays, ground, 0)
        self.advance(start - 0.5 * STEP, bodies)

    def advance(self, time: float, bodies: Record) -> None:
        """Advance to a time [s]. bodies : records of BODY of others, as they are now."""
        count = self._put(bodies)
        while self.arrays.p[0]["time"] <= time + 1e-9:
            self._advance(self.arrays, self._ground, count)

    def follow_full(self, number: int, place: tuple[float, float, float], speed: float) -> None:
        """Write where a vehicle with a model of its own is: x, y [m] of the middle of its rear axle, yaw [rad], and its speed [m/s]."""
        follow_full(self.arrays, number, *place, speed)

    def _put(self, bodies: Record) -> int:
        count = min(len(bodies), MAX_BODIES)
        self.arrays.bodies[:count] = bodies[:count]
        return count

    def _fill_agents(self) -> None:
        agents = self.agents
        agents[:] = np.zeros(1, agents.dtype)
        for name in ("lane", "station", "length", "half_width", "wheelbase", "overhang", "haste", "full", "row"):
            agents[name] = [getattr(one, name) for one in self._plans]
        for name in ("previous", "next", "after", "held", "draws"):
            agents[name] = -1
        agents["active"], agents["changed"] = 1, -math.inf
        # passenger cars in a town [Treiber and Kesting 2013, Traffic Flow Dynamics, table 11.2, with a deceleration that is 0.5 m/s2 higher]
        agents["acceleration"], agents["deceleration"], agents["time_gap"], agents["standstill_gap"] = 1.0, 2.0, 1.0, 2.0

    def _fill_walkers(self, ground: GroundArrays) -> None:
        walkers = self.walkers
        walkers[:] = np.zeros(1, walkers.dtype)
        for name in ("lane", "station", "back", "pace", "offset", "height", "row"):
            walkers[name] = [getattr(one, name) for one in self._walkers]
        walkers["active"] = 1
        for w, one in zip(walkers, self._walkers, strict=True):
            x, y, yaw = _walk_pose(self.network, one)
            w["p_WO"][:2], w["yaw"] = (x, y), yaw


def _walk_pose(network: RoadNetwork, one: WalkerPlan) -> tuple[float, float, float]:
    """Return x, y [m] and yaw [rad] of a pedestrian at the begin."""
    from terrain.roads.network import lane_pose

    length = float(network.arrays.lanes[one.lane]["length"])
    x, y, yaw = lane_pose(network.arrays, one.lane, length - one.station if one.back else one.station)
    yaw += math.pi if one.back else 0.0
    return x + one.offset * math.sin(yaw), y - one.offset * math.cos(yaw), yaw
