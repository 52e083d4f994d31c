"""Contracts of mappers and planners.

A mapper turns what sensors measured, or the true world, into an obstacle map: a window of square cells around the vehicle. A planner turns
map, state and goal into a path with speeds, or says that the way is blocked and why. The driver of a maneuver with a goal
(`simulator.autonomy.goal_driver`) calls both at their periods and follows the path.

In runs, both are called at simulated times, and the result takes effect at the next call of the driver, 10 ms later, however long the
computation takes. In real time they run in threads of their own, and a result takes effect when it is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.distance_map import distances
from simulator.autonomy.lane_way import LaneWay
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.base.fields import Fields
from simulator.base.records import Record
from simulator.sensors.contract import Mount
from simulator.sensors.measurement import Measurement
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.truth_map import FREE, OBSTACLE, UNKNOWN, cells_covering, cells_near

__all__ = ["FREE", "OBSTACLE", "UNKNOWN", "VehicleTraits"]

CONTRACT = 1
"""Version of the contract."""


class PlanError(JounceError):
    """Plan that cannot be followed."""


@dataclass(frozen=True, eq=False)
class ObstacleMap:
    """Window of square cells; all arrays are (ny, nx), row along y, column along x. Cell (j, i) begins at origin + (i, j) cell."""

    time: float
    """s, simulated time of which the map is"""
    origin: tuple[float, float]
    """m, x and y of the south-west corner of cell (0, 0), in W"""
    cell: float
    """m, side length"""
    elevation: Array
    """m, height of the ground; NaN = unknown"""
    slope: Array
    """rad; NaN = unknown"""
    step: Array
    """m, largest difference of the elevation from one of the 4 neighbors; NaN = unknown"""
    object: Array
    """m, height of an object above the ground; 0 = none"""
    strength: Array
    """1, largest tractive force of the vehicle over its weight on the level; NaN = unknown"""
    cost: Array
    """1, from 0 (easy) to 1 (at a limit of the vehicle); 1 = obstacle, NaN = unknown"""
    state: NDArray[np.uint8]
    """FREE, OBSTACLE or UNKNOWN"""
    grip: Array | None = None
    """1, largest force of the ground along it over the weight, as for braking and in turns; NaN = unknown; None: the strength"""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.state.shape[0], self.state.shape[1]

    def contains(self, points: Array) -> NDArray[np.bool_]:
        """Return whether points (n, 2) [m] are in the window."""
        place = (np.asarray(points, float) - self.origin) / self.cell
        ny, nx = self.shape
        return (place[:, 0] >= 0.0) & (place[:, 0] < nx) & (place[:, 1] >= 0.0) & (place[:, 1] < ny)

    def cell_of(self, x: float, y: float) -> tuple[int, int] | None:
        """Return (row, column) of a point [m]; None outside the window."""
        i, j = math.floor((x - self.origin[0]) / self.cell), math.floor((y - self.origin[1]) / self.cell)
        ny, nx = self.shape
        return (j, i) if 0 <= j < ny and 0 <= i < nx else None

    @cached_property
    def distance(self) -> Array:
        """Distance (ny, nx) [m] from the center of each cell to the center of the nearest obstacle; inf without any."""
        return distances(self.state == OBSTACLE, self.cell)

    @cached_property
    def known_distance(self) -> Array:
        """The same to the nearest cell that is an obstacle or unknown."""
        return distances(self.state != FREE, self.cell) if (self.state == UNKNOWN).any() else self.distance

    def lethal(self, unknown_blocks: bool = False) -> NDArray[np.bool_]:
        """Return the cells that a vehicle must not touch."""
        return (self.state == OBSTACLE) | (unknown_blocks & (self.state == UNKNOWN))

    def blocked_for_disc(self, radius: float, unknown_blocks: bool = False) -> NDArray[np.bool_]:
        """Return the cells with the center of a lethal cell within the radius [m] of their own center."""
        return cells_near(self.lethal(unknown_blocks), self.cell, radius)

    def blocked_for_vehicle(self, heading: float, vehicle: VehicleTraits, unknown_blocks: bool = False) -> NDArray[np.bool_]:
        """Return the cells on which a vehicle with this heading [rad] covers the center of a lethal cell, with B on the center of the cell."""
        return cells_covering(self.lethal(unknown_blocks), self.cell, heading, vehicle.front, vehicle.rear, 0.5 * vehicle.width)


class PoseTable(NamedTuple):
    """Poses of the vehicle in order of time."""

    time: Array
    """(n,) s"""
    p_WB: Array
    """(n, 3) m"""
    q_WB: Array
    """(n, 4) unit quaternions w, x, y, z"""

    @classmethod
    def of_readout(cls, time: float, readout: Record) -> PoseTable:
        """Return the table of one pose."""
        return cls(np.array([time]), np.array([readout[0]["p_WB"]], float), np.array([readout[0]["q_WB"]], float))

    def at(self, times: Array) -> tuple[Array, Array]:
        """Return positions (n, 3) and axes (n, 3, 3) at times (n,), interpolated linearly."""
        times = np.asarray(times, float)
        p = np.column_stack([np.interp(times, self.time, one) for one in self.p_WB.T])
        signs = np.cumprod(np.concatenate(([1.0], np.where(np.einsum("ni,ni->n", self.q_WB[1:], self.q_WB[:-1]) < 0.0, -1.0, 1.0))))
        q = np.column_stack([np.interp(times, self.time, one) for one in (signs[:, None] * self.q_WB).T])
        length = np.linalg.norm(q, axis=1, keepdims=True)
        w, x, y, z = np.divide(q, length, out=np.tile([1.0, 0.0, 0.0, 0.0], (len(q), 1)), where=length > 0.0).T
        rows = (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        )
        return p, np.moveaxis(np.array(rows), -1, 0)


class MapperInput:
    """Input of a mapper.

    Attributes
    ----------
    time : simulated time [s]
    readout : READOUT of the vehicle (`vehicles.readout`)
    sensors : last delivered measurement of each sensor by its name
    objects : objects of the world as they are now, for mappers that know the truth
    """

    def __init__(
        self, time: float, readout: Record, sensors: Mapping[str, Measurement], objects: ObjectSet, poses: PoseTable | None = None
    ) -> None:
        self.time, self.readout, self.sensors, self.objects = time, readout, sensors, objects
        self._poses = poses or PoseTable.of_readout(time, readout)

    @property
    def position(self) -> tuple[float, float]:
        """x, y of the reference point B [m]."""
        p = self.readout[0]["p_WB"]
        return float(p[0]), float(p[1])

    def poses_at(self, times: Array) -> tuple[Array, Array]:
        """Return positions p_WB (n, 3) [m] and axes R_WB (n, 3, 3) of the vehicle at times (n,) [s] of the last two seconds.

        They are interpolated between poses 0.01 s apart; outside these times, the vehicle is where it was first or last.
        """
        return self._poses.at(times)


class Mapper(Protocol):
    """Mapper, as returned by `make`."""

    def update(self, seen: MapperInput) -> ObstacleMap:
        """Return the map at the time of the input. Its arrays are new: they belong to the receivers."""


@dataclass(frozen=True)
class MapperSettings:
    """Inputs for creating a mapper."""

    values: Mapping[str, Any]
    """Parameters of the kind by key, in SI units."""
    vehicle: VehicleTraits
    ground: Ground
    """Ground, for mappers that know the truth; must not be changed."""
    random: np.random.Generator
    """Random numbers of this mapper, from the seed of the session."""
    mounts: Mapping[str, Mount] = field(default_factory=dict)
    """Position and orientation of each sensor of the session by its name."""


@dataclass(frozen=True)
class MapperKind:
    """Registered kind of mapper."""

    name: str
    make: Callable[[MapperSettings], Mapper]
    contract: int
    """Version of the contract for which the kind was written."""
    parameters: Fields = ()
    """Table of the kind's own parameters."""
    period: float = 0.3
    """s between two maps, default."""
    meaning: str = ""
    """Description for a list of mappers, one line."""


class Pose(NamedTuple):
    """Position of the reference point B [m] and heading [rad], in W."""

    x: float
    y: float
    yaw: float


class Goal(NamedTuple):
    """Goal: a disc that the reference point B has to reach."""

    x: float
    """m, in W"""
    y: float
    """m, in W"""
    radius: float
    """m"""


@dataclass(frozen=True)
class Plan:
    """Path of the reference point B with speeds, from about the present position on. A point with another direction begins at a stop."""

    points: Array
    """(n, 2) m, in W, at most 1 m apart"""
    headings: Array
    """(n,) rad, heading of the vehicle"""
    speeds: Array
    """(n,) m/s, limit of the speed, not negative; the vehicle stops at the end of the path, whatever its last speed"""
    directions: NDArray[np.int8] | None = None
    """(n,) 1 = forward, -1 = backward; None: all forward"""
    reaches_goal: bool = False
    """True if the path ends in the goal"""
    candidates: tuple[Array, ...] = ()
    """Considered paths, each (m, 2) m, for pictures"""


@dataclass(frozen=True)
class Blocked:
    """Result of a planner that has found no path."""

    reason: str


@dataclass(frozen=True)
class PlannerInput:
    """Input of a planner."""

    time: float
    """Simulated time [s]."""
    map: ObstacleMap
    pose: Pose
    """Pose with the course of the point without sideslip as its heading: while wheels slide, the vehicle points elsewhere."""
    speed: float
    """Forward speed [m/s]."""
    curvature: float
    """Curvature of the present turn, by the angle of the steered wheels [1/m], + = left."""
    goal: Goal
    vehicle: VehicleTraits
    speed_limit: float
    """Requested speed [m/s]."""
    margin: float
    """Requested distance to obstacles [m]."""
    stuck: int = 0
    """How often the vehicle got stuck since its last progress; above 0, a planner should try another way, for example backward."""
    previous: Plan | None = None
    """Plan that the vehicle follows."""
    way: LaneWay | None = None
    """Way along the lanes of `goal.route`; must not be changed."""


class Planner(Protocol):
    """Planner, as returned by `make`."""

    def plan(self, seen: PlannerInput) -> Plan | Blocked:
        """Return a path with speeds, or the reason why there is none."""


@dataclass(frozen=True)
class PlannerSettings:
    """Inputs for creating a planner."""

    values: Mapping[str, Any]
    """Parameters of the kind by key, in SI units."""
    vehicle: VehicleTraits
    random: np.random.Generator
    """Random numbers of this planner, from the seed of the session."""


@dataclass(frozen=True)
class PlannerKind:
    """Registered kind of planner."""

    name: str
    make: Callable[[PlannerSettings], Planner]
    contract: int
    """Version of the contract for which the kind was written."""
    parameters: Fields = ()
    """Table of the kind's own parameters."""
    period: float = 0.3
    """s between two plans, default."""
    speed: float = 5.0
    """m/s, requested speed, default."""
    meaning: str = ""
    """Description for a list of planners, one line."""
