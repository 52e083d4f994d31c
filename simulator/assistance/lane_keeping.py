"""Lane keeping: steers back a vehicle that is about to leave its lane, with limited lateral acceleration and rate.

The offset from the center of the lane is predicted `look_time` ahead. If the body would then be outside of the lane, an added lateral
acceleration brings it back. A driver who turns the steering wheel faster than `steering_rate` steers alone for `pause`.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np

from simulator.assistance.section import LaneOptions
from simulator.base.records import Record
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import Path
from terrain.roads.network import DRIVE, RoadNetwork

OUTSIDE = 1.0
"""m. Distance beyond the edge at which the vehicle has left the lane, and the lane no longer counts."""
NEAR = 10.0
"""m. Distance after which the lanes near a vehicle are looked up anew."""
SAME_DIRECTION = 0.7
"""1. Cosine of the angle to a lane above which a vehicle drives along it."""
JUMP = 5.0
"""m. Distance between two places above which the vehicle was put elsewhere."""


class LanePlace(NamedTuple):
    """Place of a vehicle in a lane."""

    offset: float
    """m, of the reference point from the center of the lane, + = left"""
    turn: float
    """rad, heading relative to the lane"""
    curvature: float
    """1/m, of the lane"""
    half_width: float
    """m, of the lane"""


class Lane(Protocol):
    """A lane, or a network of lanes."""

    def place(self, x: float, y: float, yaw: float) -> LanePlace | None:
        """Return the place of a vehicle at x, y [m] with the heading yaw [rad]; None: it is in no lane."""


class PathLane:
    """Lane along a path of a maneuver.

    Parameters
    ----------
    path : in W
    width : m
    """

    def __init__(self, path: Path, width: float) -> None:
        self._path, self._half_width = path, 0.5 * width
        self._station, self._last = math.nan, (math.inf, math.inf)

    def place(self, x: float, y: float, yaw: float) -> LanePlace | None:
        """Return the place of a vehicle at x, y [m] with the heading yaw [rad]."""
        jumps = math.dist(self._last, (x, y)) > JUMP
        self._last = x, y
        self._station = self._path.find(x, y) if jumps else self._path.nearest(x, y, self._station)
        point = self._path.at(self._station)
        turn = math.remainder(yaw - point.heading, math.tau)
        return LanePlace(self._path.offset_of(x, y, self._station), turn, point.curvature, self._half_width)


class NetworkLane:
    """Lanes of the ground; those that lead through a crossing are none to keep.

    Parameters
    ----------
    network : of the ground
    """

    def __init__(self, network: RoadNetwork) -> None:
        a = network.arrays
        drives = a.lanes[(a.lanes["kind"] == DRIVE) & (a.lanes["crossing"] < 0)]
        firsts = (
            np.concatenate([np.arange(one["first"], one["first"] + one["count"] - 1) for one in drives])
            if len(drives)
            else np.zeros(0, int)
        )
        self._begin, self._step = a.points["p_W"][firsts], a.points["p_W"][firsts + 1] - a.points["p_W"][firsts]
        self._length = np.hypot(*self._step.T)
        self._direction = np.arctan2(self._step[:, 1], self._step[:, 0])
        self._half_width = 0.5 * np.repeat(drives["width"], drives["count"] - 1)
        self._here, self._near = (math.inf, math.inf), np.zeros(0, int)
        same = np.append(np.diff(firsts) == 1, False)
        turn = np.append(np.diff(self._direction), 0.0)
        self._curvature = np.where(same, np.arctan2(np.sin(turn), np.cos(turn)) / np.maximum(self._length, 1e-9), 0.0)

    def place(self, x: float, y: float, yaw: float) -> LanePlace | None:
        """Return the place in the nearest lane with about the same direction; None: it is in no lane."""
        if math.dist(self._here, (x, y)) > NEAR:
            self._here = x, y
            away = np.hypot(x - self._begin[:, 0], y - self._begin[:, 1]) - self._length
            self._near = np.flatnonzero(away < 2.0 * NEAR + self._half_width + OUTSIDE)
        near = self._near[np.cos(self._direction[self._near] - yaw) > SAME_DIRECTION]
        if not len(near):
            return None
        away, axis = (x, y) - self._begin[near], self._step[near] / self._length[near, None]
        along = np.clip((away * axis).sum(axis=1), 0.0, self._length[near])
        n = int(np.argmin(((away - along[:, None] * axis) ** 2).sum(axis=1)))
        k, offset = near[n], float(axis[n, 0] * away[n, 1] - axis[n, 1] * away[n, 0])
        if math.hypot(*(away[n] - along[n] * axis[n])) > self._half_width[k] + OUTSIDE:
            return None
        turn = math.remainder(yaw - float(self._direction[k]), math.tau)
        return LanePlace(offset, turn, float(self._curvature[k]), float(self._half_width[k]))


class LaneKeeping:
    """Lane keeping of one vehicle.

    Attributes
    ----------
    on : whether it is on
    acceleration : lateral acceleration that it adds [m/s2], + = left
    offset : of the vehicle from the center of the lane [m], NaN without a lane
    """

    def __init__(self, options: LaneOptions, traits: InternalModel, lane: Lane, half_width: float) -> None:
        self.options, self._traits, self._lane, self._half_width = options, traits, lane, half_width
        self.begin()

    def begin(self) -> None:
        """Begin a drive."""
        self.on, self.acceleration, self.offset = self.options.on, 0.0, math.nan
        self._wheel, self._left = math.nan, 0.0

    def load_kernels(self, readout: Record) -> None:
        """Load the kernels in advance."""
        self._lane.place(float(readout[0]["p_WB"][0]), float(readout[0]["p_WB"][1]), float(readout[0]["yaw"]))

    def step(self, dt: float, readout: Record, wheel: float, command: Record, free: bool) -> None:
        """Add to the steering of COMMAND, dt [s] after the last call; wheel : angle of the steering wheel of the driver [rad]; free : nobody
        brakes for an emergency."""
        r, p = readout[0], self.options
        if dt > 0.0 and abs(wheel - self._wheel) > p.steering_rate * dt:
            self._left = p.pause
        self._left, self._wheel = max(self._left - dt, 0.0), wheel
        place = self._lane.place(float(r["p_WB"][0]), float(r["p_WB"][1]), float(r["yaw"])) if self.on else None
        self.offset = math.nan if place is None else place.offset
        speed = float(r["v_WB_B"][0])
        wanted = 0.0
        if place is not None and free and speed >= p.min_speed and self._left == 0.0 and command[0]["selector"] == 1:
            wanted = self._wanted(place, speed, float(r["v_WB_B"][1]), float(r["w_WB_B"][2]))
        step = p.max_jerk * dt
        self.acceleration += min(max(wanted - self.acceleration, -step), step)
        if self.acceleration != 0.0 and speed > 1.0:
            self._steer(speed, command)

    def _wanted(self, place: LanePlace, speed: float, sideways: float, yaw_rate: float) -> float:
        """Return the lateral acceleration [m/s2] that keeps the vehicle in its lane, relative to that of the driver."""
        room = max(place.half_width - self._half_width, 0.1)
        if abs(place.offset) > room + OUTSIDE:
            return 0.0
        time, most = self.options.look_time, self.options.max_acceleration
        drift = speed * math.sin(place.turn) + sideways * math.cos(place.turn)
        bend = speed * yaw_rate - speed * speed * place.curvature - self.acceleration
        ahead = place.offset + drift * time + 0.5 * bend * time * time
        excess = ahead - min(max(ahead, -room), room)
        return min(max(-2.0 * excess / (time * time), -most), most)

    def _steer(self, speed: float, command: Record) -> None:
        """Add the steering of the present acceleration."""
        out, traits = command[0], self._traits
        if out["steering_free"]:
            out["steering_torque"] += self.options.torque * self.acceleration / self.options.max_acceleration
            return
        more = (traits.turning_length + traits.understeer * speed * speed) * self.acceleration / (speed * speed)
        angle = traits.road_wheel_angle(float(out["steering"])) + more
        out["steering"] = min(max(traits.steering_for(angle), -1.0), 1.0)
