"""Follower of a plan: the steering controllers and the speed control of the driver forward, a controller of its own backward.

Both steer the point without sideslip along its path, whose curvature is that of the steering. Where the curvature of a plan jumps, the
steering begins to turn before the place. Backward, with e the distance of that point to the left of its path and theta its course relative
to the path, both seen in the direction of travel, the curvature of travel is

    kappa_t = kappa_path - 2 zeta k sin(theta) - k^2 e

so that e'' + 2 zeta k e' + k^2 e = 0 over the distance travelled; the wheels are turned for the curvature -kappa_t.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import Plan
from simulator.autonomy.path_check import jumps_of
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.records import Record
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import Path
from simulator.driver.path_kernels import Line
from simulator.driver.speed import SpeedControl, SpeedGains
from simulator.driver.steering.observation import grade_under
from simulator.driver.steering.path_follower import PathFollower

SPACING = 0.25
"""m between two stored points of a path."""
RESPONSE = 0.25
"""s. Time ahead for which the speed is looked up, about the response time of the pedals."""
MAX_STOP_FACTOR = 1.5
"""Largest deceleration over that of the plan, for stops that the plan did not foresee."""
STANDSTILL_SPEED = 0.15
"""m/s. Speed at which the selector may change its direction."""
SHIFT_TIME = 0.6
"""s at rest in the new direction before the vehicle moves."""
HOLD = 0.5
"""1. Brake pedal at rest."""
ARRIVAL_DISTANCE = 0.4
"""m. Distance from the end of a segment at which a stopped vehicle is there."""
BACK_STIFFNESS, BACK_DAMPING = 0.5, 0.9
"""1/m, 1. k and zeta of the controller backward."""
BACK_TURN = 12.0
"""rad/s. Rate of the steering wheel backward."""
LOOK_AHEAD_WHEELS = 0.3
"""Fraction of the lock by which the wheels may differ from the start of a segment for the vehicle to move."""


class Segment(NamedTuple):
    """Part of a plan in one direction."""

    path: Path
    """Of the point without sideslip, in the direction of travel; its curvature is that of the steering."""
    direction: int
    station: NDArray[np.float64]
    """(n,) m"""
    speeds: NDArray[np.float64]
    """(n,) m/s"""
    first: int
    """Number of its first point in the plan."""

    @property
    def length(self) -> float:
        return float(self.station[-1])


class Course(NamedTuple):
    """What a preview needs of a plan that is followed forward."""

    line: Line
    """Path of the point without sideslip."""
    stations: NDArray[np.float64]
    """(n,) m, rising"""
    speeds: NDArray[np.float64]
    """(n,) m/s, targets at the stations"""
    station: float
    """Present station [m]."""
    stop: float
    """m, way after which the vehicle stands; inf without a stop"""
    demand: float
    """Present demand of the speed control [m/s]."""
    angle: float
    """Present mean road-wheel angle [rad]."""
    drift: float
    """Mean sideslip of the point without sideslip in a slow turn [rad]."""
    acceleration: float
    """Largest rise of the demand [m/s2]."""
    deceleration: float
    """Largest fall of the demand [m/s2]."""
    proportional: float
    """Requested acceleration per speed error [1/s]."""
    model: InternalModel
    """Of the vehicle, relative to the point without sideslip."""
    behind: float
    """Distance of the point without sideslip behind B [m]."""


class PlanFollower:
    """Follows plans, one after the other.

    Parameters
    ----------
    vehicle : traits of the vehicle
    model : internal model of the driver
    pedals : gains of the speed control
    steering : steering controller with its parameters
    seed : of the noise of the hands
    """

    def __init__(self, vehicle: VehicleTraits, model: InternalModel, pedals: SpeedGains, steering: Mapping[str, Any], seed: int) -> None:
        self._vehicle, self._model = vehicle, model
        self._speed, self._back_speed = SpeedControl((), pedals, model), SpeedControl((), pedals, model)
        at_axle = replace(model, front_axle=model.front_axle + vehicle.rear_axle)
        self._forward = PathFollower(Path.straight(), self._speed, at_axle, steering, seed=seed)
        self._axle_readout: Record | None = None
        """READOUT with the motion of the point without sideslip in the place of that of B."""
        self._segments: list[Segment] = []
        self._rests_since: float | None = None
        self._selector, self._back_input, self._back_station = 1, 0.0, 0.0
        self.target = 0.0
        """Present target of the speed, m/s."""

    @property
    def direction(self) -> int:
        """Direction of the present segment; 1 without one."""
        return self._segments[0].direction if self._segments else 1

    @property
    def turns_back(self) -> bool:
        """Whether the present segment is backward, or the next one is."""
        return any(one.direction < 0 for one in self._segments[:2])

    def has_arrived(self, speed: float) -> bool:
        """Return whether the vehicle, at a forward speed [m/s], stands at the end of the plan."""
        return (
            len(self._segments) == 1 and abs(speed) < STANDSTILL_SPEED and self._segments[0].length - self.station()[1] < ARRIVAL_DISTANCE
        )

    def course(self, stop: float) -> Course | None:
        """Return the present segment with the vehicle on it, which stops after `stop` [m]; None without a segment forward."""
        if not self._segments or self._segments[0].direction < 0 or self._forward.station is None:
            return None
        now, vehicle = self._segments[0], self._vehicle
        return Course(
            now.path.line,
            now.station,
            now.speeds,
            self._forward.station,
            stop,
            self._speed.demand,
            self._forward.angle,
            self._forward.drift,
            vehicle.acceleration,
            MAX_STOP_FACTOR * vehicle.deceleration,
            self._speed.proportional,
            self._forward.traits,
            vehicle.rear_axle,
        )

    def start(self, plan: Plan) -> None:
        """Follow a plan from the point of it next to the vehicle."""
        self._segments = segments_of(plan, self._vehicle)
        self._begin_segment()

    def resume(self, plan: Plan | None, selector: int) -> None:
        """Drive again after another driver, who has left this selector, on a plan or without one."""
        self._selector, self._rests_since = selector or 1, None
        self._segments = [] if plan is None else segments_of(plan, self._vehicle)
        self._begin_segment()

    def _begin_segment(self) -> None:
        if self._segments and self._segments[0].direction > 0:
            self._forward.change_path(self._segments[0].path)
        self._back_station = 0.0

    def station(self) -> tuple[int, float]:
        """Return (number of the first point of the present segment in the plan, station on the segment [m])."""
        if not self._segments:
            return 0, 0.0
        now = self._segments[0]
        return now.first, (self._forward.station or 0.0) if now.direction > 0 else self._back_station

    def read(self, t: float, readout: Record, command: Record, stop: float = math.inf) -> None:
        """Fill the command; the vehicle stops at the latest after `stop` [m] from here, 0 = at once."""
        v = float(readout[0]["v_WB_B"][0])
        command[0]["parking_brake"] = 0.0
        if not self._segments:
            self.target = 0.0
            self._hold(t, v, command)
            return
        now = self._segments[0]
        if not self._is_in_direction(t, v, now.direction, command):
            self._steer(t, readout, command, now)
            self.target = 0.0
            return
        ready = self._steer(t, readout, command, now)
        left = now.length - self.station()[1]
        if left < ARRIVAL_DISTANCE and abs(v) < STANDSTILL_SPEED and len(self._segments) > 1:
            del self._segments[0]
            self._begin_segment()
            self.target = 0.0
            self._hold(t, v, command)
            return
        self.target = self._wanted(now, abs(v), left, stop) if ready else 0.0
        self._press(t, readout, command, now.direction)

    def _wanted(self, now: Segment, speed: float, left: float, stop: float) -> float:
        """Return the target of the speed."""
        station = self.station()[1] + RESPONSE * speed
        planned_speed = float(np.interp(station, now.station, now.speeds))
        if left < ARRIVAL_DISTANCE:
            return 0.0
        if stop < math.inf:
            room = max(stop - RESPONSE * speed, 0.0)
            planned_speed = min(planned_speed, math.sqrt(2.0 * MAX_STOP_FACTOR * self._vehicle.deceleration * room))
        # near the end the speed of the plan goes to zero, but the vehicle has to arrive
        return max(planned_speed, 0.4) if left > ARRIVAL_DISTANCE and stop > ARRIVAL_DISTANCE and planned_speed > 0.0 else planned_speed

    def _press(self, t: float, readout: Record, command: Record, direction: int) -> None:
        """Write the pedals for the target of the speed."""
        v = direction * float(readout[0]["v_WB_B"][0])
        control = self._speed if direction > 0 else self._back_speed
        slows = self.target < v
        control.set_target(self.target, MAX_STOP_FACTOR * self._vehicle.deceleration if slows else self._vehicle.acceleration)
        grade = direction * float(grade_under(readout[0]))
        throttle, brake = control.pedals(t, 0.0, v, grade)
        command[0]["throttle"], command[0]["brake"] = throttle, brake
        command[0]["selector"], self._selector = direction, direction

    def _is_in_direction(self, t: float, v: float, direction: int, command: Record) -> bool:
        """Stop and change the direction if needed; return whether the vehicle may move in it."""
        if self._selector == direction and v * direction > -2.0 * STANDSTILL_SPEED:
            if self._rests_since is None or t - self._rests_since >= SHIFT_TIME:
                self._rests_since = None
                return True
        elif abs(v) < STANDSTILL_SPEED:
            self._selector, self._rests_since = direction, t
        self._hold(t, v, command)
        return False

    def _hold(self, t: float, v: float, command: Record) -> None:
        """Brake to rest in the present direction."""
        self._speed.set_target(0.0, MAX_STOP_FACTOR * self._vehicle.deceleration)
        c = command[0]
        c["throttle"], c["selector"] = 0.0, self._selector
        brake = MAX_STOP_FACTOR * self._vehicle.deceleration / self._model.brake_acceleration
        c["brake"] = max(HOLD, min(brake, 1.0)) if abs(v) < 0.5 else min(brake, 1.0)

    def _steer(self, t: float, readout: Record, command: Record, now: Segment) -> bool:
        """Write the steering; return whether the wheels suit the start of a segment."""
        if now.direction > 0:
            self._forward.steer(t, self._seen_at_axle(readout), command)
            self._back_input = float(command[0]["steering"])
            at_rest = abs(float(readout[0]["v_WB_B"][0])) < STANDSTILL_SPEED
            return not at_rest or abs(self._forward.requested_input - self._back_input) < LOOK_AHEAD_WHEELS
        angle = self._model.steering_for(self._model.turning_length * self._back_curvature(readout, now))
        most = BACK_TURN / self._model.steering_wheel_lock * 0.01
        self._back_input += min(max(angle - self._back_input, -most), most)
        command[0]["steering"] = self._back_input
        if self._back_station < 0.5:
            return abs(angle - self._back_input) < LOOK_AHEAD_WHEELS
        return True

    def _seen_at_axle(self, readout: Record) -> Record:
        """Return a readout for the steering controller, whose reference point is that without sideslip."""
        if self._axle_readout is None:
            self._axle_readout = readout.copy()
        self._axle_readout[:] = readout
        out, b = self._axle_readout[0], self._vehicle.rear_axle
        yaw = float(out["yaw"])
        out["p_WB"][0] -= b * math.cos(yaw)
        out["p_WB"][1] -= b * math.sin(yaw)
        out["v_WB_B"][1] -= b * float(out["w_WB_B"][2])
        return self._axle_readout

    def _back_curvature(self, readout: Record, now: Segment) -> float:
        """Return the curvature of the wheels [1/m] on a path backward."""
        p, b, v = readout[0]["p_WB"], self._vehicle.rear_axle, float(readout[0]["v_WB_B"][0])
        turned = float(readout[0]["w_WB_B"][2]) * self._model.response
        yaw, way = float(readout[0]["yaw"]), v * self._model.response
        x, y = float(p[0]) - b * math.cos(yaw), float(p[1]) - b * math.sin(yaw)
        path = now.path
        self._back_station = path.find(x, y) if self._back_station == 0.0 else path.nearest(x, y, self._back_station)
        # pose after the response time of the vehicle
        x, y = x + way * math.cos(yaw + 0.5 * turned), y + way * math.sin(yaw + 0.5 * turned)
        yaw += turned
        at = path.at(path.nearest(x, y, self._back_station + abs(way)))
        e = math.cos(at.heading) * (y - at.y) - math.sin(at.heading) * (x - at.x)
        theta = math.remainder(yaw + math.pi - at.heading, math.tau)
        k = BACK_STIFFNESS
        turn = at.curvature - 2.0 * BACK_DAMPING * k * math.sin(theta) - k * k * min(max(e, -2.0), 2.0)
        most = self._vehicle.max_curvature / 0.9
        return -min(max(turn, -most), most)


def segments_of(plan: Plan, vehicle: VehicleTraits) -> list[Segment]:
    """Return the parts of a plan between changes of its direction; parts without length are left out."""
    assert plan.directions is not None
    changes = np.flatnonzero(np.diff(plan.directions)) + 1
    out = []
    for first, last in zip((0, *(changes - 1)), (*(changes - 1), len(plan.points) - 1), strict=True):
        direction = int(plan.directions[last])
        part = slice(int(first), int(last) + 1)
        headings, speeds = plan.headings[part], plan.speeds[part].copy()
        if first > 0:  # the speed of this point is that of the segment before, which ends there at rest
            speeds[0] = max(speeds[:2])
        points = plan.points[part] - vehicle.rear_axle * np.column_stack((np.cos(headings), np.sin(headings)))
        path, station = path_through(points, speeds, vehicle.curvature_rate)
        if station[-1] > ARRIVAL_DISTANCE:
            out.append(Segment(path, direction, station, speeds, int(first)))
    return out


def path_through(points: NDArray[np.float64], speeds: NDArray[np.float64], rate: float) -> tuple[Path, NDArray[np.float64]]:
    """Return the path along dense points (n, 2) [m], and the station [m] of each of them.

    Its curvature changes at the rate [1/m/s] of the steering at these speeds (n,) [m/s].
    """
    station = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
    length = max(float(station[-1]), 2.0 * SPACING)
    count = max(3, math.ceil(length / SPACING) + 1)
    fine = np.linspace(0.0, length, count)
    spacing = float(fine[1])
    kept = np.concatenate(([True], np.diff(station) > 1e-6))
    x, y = np.interp(fine, station[kept], points[kept, 0]), np.interp(fine, station[kept], points[kept, 1])
    coarse = station[kept]
    if len(coarse) > 2:
        course = np.unwrap(np.arctan2(np.gradient(points[kept, 1], coarse), np.gradient(points[kept, 0], coarse)))
        curvature = np.interp(fine, coarse, np.gradient(course, coarse))
        heading = np.interp(fine, coarse, course)
        curvature = ramped(curvature, fine, np.interp(fine, station, speeds), rate)
    else:
        heading = np.full(count, math.atan2(points[-1, 1] - points[0, 1], points[-1, 0] - points[0, 0]))
        curvature = np.zeros(count)
    return Path(tuple(x.tolist()), tuple(y.tolist()), tuple(heading.tolist()), tuple(curvature.tolist()), spacing), station


def ramped(curvature: NDArray[np.float64], station: NDArray[np.float64], speeds: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Return curvatures (n,) [1/m] that jump nowhere: their means over the way that the steering takes for the jump around there."""
    half = 0.5 * speeds * jumps_of(curvature, station) / rate
    half = np.clip(half, 0.5 * station[1], 0.25 * max(station[-1], 4.0 * station[1]))
    turned = np.concatenate(([0.0], np.cumsum(0.5 * (curvature[1:] + curvature[:-1]) * np.diff(station))))

    def turned_to(way: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the integral of the curvature, which continues with its first and last value."""
        inside = np.interp(way, station, turned)
        return inside + np.minimum(way, 0.0) * curvature[0] + np.maximum(way - station[-1], 0.0) * curvature[-1]

    return (turned_to(station + half) - turned_to(station - half)) / (2.0 * half)
