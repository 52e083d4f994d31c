"""Paths on a map: clearance, hazard and unevenness along them, and speeds that suit them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.autonomy.contract import ObstacleMap
from simulator.autonomy.pose_check import TOUCHES, MapArrays, arrays_of, clearance_at, hazard_at, layer_at, outline_of
from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import kernel
from simulator.base.records import Record

CREEP = 1.5
"""m/s. Speed at which a vehicle passes obstacles at the requested margin, in a gap as narrow as that."""
PER_CLEARANCE = 5.0
"""1/s. Increase of the speed with the distance to obstacles beyond the margin."""
VERTICAL = 2.0
"""m/s2. Vertical acceleration of a wheel path over uneven ground that limits the speed."""
STEEP = 0.6
"""1. Hazard of the attitude from which on the speed decreases, to CLIMBING at a hazard of 1."""
CLIMBING = 2.5
"""m/s. Speed at a limit of roll, slope or clearance."""
EASING = 0.15
"""Required distance to obstacles, per meter, after a start that is closer than the margin."""
CONTACT = 0.02
"""m. By how much a start closer than the margin may get closer still."""
TOLERATED = 1.05
"""Factor of the hazard of a start beyond the limits that a path may have."""
SIDEWAYS, FORWARD, LEAST = 0.5, 0.6, 0.5
"""Lateral acceleration and deceleration over gravity that a plan may use, over the grip of the ground; m/s2: least values."""
SLOWEST, MOMENTUM, SOFT = 0.5, 1.5, 0.1
"""m/s, m/s, 1. Least limit of the speed before a stop, and that on soil whose resistance over the weight is above the last value: a vehicle that
stops there may not start again."""
RAMP = 1.5
"""m before and behind a point between which a change of the curvature counts as a jump."""
DEVIATION, MIN_DEVIATION = 0.4, 0.1
"""Deviation from a path by the time that the steering takes, at most: over the distance to obstacles around there; m, at least."""


class PathCheck(NamedTuple):
    """Results along a path, each (n,)."""

    clearance: NDArray[np.float64]
    """m, distance of the outline from the nearest obstacle or unknown cell"""
    hazard: NDArray[np.float64]
    """1, at a limit of the vehicle: 1"""
    unevenness: NDArray[np.float64]
    """m"""
    strength: NDArray[np.float64]
    """1, largest tractive force over weight; NaN = unknown"""
    attitude: NDArray[np.float64]
    """1, hazard without traction"""
    grip: NDArray[np.float64]
    """1, largest force of the ground along it over the weight; NaN = unknown"""


def check_path(
    found: ObstacleMap | MapArrays, vehicle: VehicleTraits | Record, points: ArrayLike, headings: ArrayLike, directions: ArrayLike
) -> PathCheck:
    """Return clearance, hazard and unevenness at the points (n, 2) [m] of B with headings (n,) [rad] and directions (n,) of a path."""
    m = found if isinstance(found, MapArrays) else arrays_of(found)
    v = outline_of(vehicle) if isinstance(vehicle, VehicleTraits) else vehicle
    n = len(np.asarray(headings))
    out = PathCheck(np.empty(n), np.empty(n), np.empty(n), np.full(n, math.nan), np.empty(n), np.full(n, math.nan))
    path = np.column_stack((np.asarray(points, float), np.asarray(headings, float), np.asarray(directions, float)))
    check_poses(m, v, np.ascontiguousarray(path), out)
    return out


@kernel
def check_poses(m, v, path, out):
    """Write a PathCheck for poses (n, 4): x, y [m] of B, heading [rad], direction."""
    for n in range(len(path)):
        c, s = math.cos(path[n, 2]), math.sin(path[n, 2])
        x, y = path[n, 0] - v[0]["to_reference"] * c, path[n, 1] - v[0]["to_reference"] * s
        out.clearance[n] = clearance_at(m, v, x, y, c, s)
        if out.clearance[n] == TOUCHES:
            out.hazard[n], out.unevenness[n], out.attitude[n] = math.inf, 0.0, math.inf
        else:
            out.hazard[n], out.unevenness[n], out.attitude[n] = hazard_at(m, v, x, y, c, s, path[n, 3])
            out.strength[n] = layer_at(m, m.strength, path[n, 0], path[n, 1])
            out.grip[n] = layer_at(m, m.grip, path[n, 0], path[n, 1])


def clear_part(checked: PathCheck, points: NDArray[np.float64], margin: float) -> int:
    """Return the number of the first points of a path that are clear by a margin [m].

    A start that is closer to an obstacle, or beyond a limit of the vehicle, may be left: required is then less at first, and more with the way.
    """
    way = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
    start, hazard = float(checked.clearance[0]), float(checked.hazard[0])
    need = np.minimum(margin, start - CONTACT + EASING * way)
    tolerated = max(1.0, TOLERATED * hazard) if math.isfinite(hazard) else 1.0
    wrong = (checked.clearance < need) | (checked.clearance == TOUCHES) | ~(checked.hazard <= tolerated)
    wrong[0] = False
    bad = np.flatnonzero(wrong)
    return int(bad[0]) if len(bad) else len(points)


def speeds_along(
    points: NDArray[np.float64],
    directions: NDArray[np.int8],
    checked: PathCheck,
    vehicle: VehicleTraits,
    *,
    limit: float,
    margin: float,
) -> NDArray[np.float64]:
    """Return the speeds (n,) [m/s] along a path that ends with a stop, and stops where the direction changes.

    Limits are: the requested speed, lateral acceleration, rate of the steering, distance to obstacles beyond the margin, uneven ground,
    closeness to the limits of the vehicle, and braking. The path lies in known ground, so that the vehicle can stop within what it knows.
    """
    steps = np.hypot(*np.diff(points, axis=0).T)
    station = np.concatenate(([0.0], np.cumsum(steps)))
    out = np.full(len(points), float(limit))
    curvature = path_curvature(points, directions)
    turn = np.abs(curvature)
    grip, strength = np.nan_to_num(checked.grip, nan=1.0), np.nan_to_num(checked.strength, nan=1.0)
    drag = np.clip(grip - strength, 0.0, grip)  # the wheels drive against the resistance of soil with a part of their grip
    lateral = np.clip(SIDEWAYS * STANDARD_GRAVITY * np.sqrt(grip * grip - drag * drag), LEAST, vehicle.lateral_acceleration)
    braking = np.clip(FORWARD * STANDARD_GRAVITY * grip, LEAST, vehicle.deceleration)
    np.minimum(out, np.sqrt(lateral / np.maximum(turn, 1e-6)), out=out)
    np.minimum(out, CREEP + PER_CLEARANCE * np.maximum(checked.clearance - 0.5 * margin, 0.0), out=out)
    stops = np.concatenate((np.flatnonzero(np.diff(directions)[1:]) + 1, [len(points) - 1]))  # a change at the first point is no stop
    for first, last in zip((0, *stops[:-1]), stops + 1, strict=True):
        part = np.s_[first:last]
        np.minimum(
            out[part], steering_speeds(curvature[part], station[part] - station[first], checked.clearance[part], vehicle), out=out[part]
        )
    wave = vehicle.wheelbase / math.pi
    np.minimum(out, wave * np.sqrt(VERTICAL / np.maximum(checked.unevenness, 1e-6)), out=out)
    steep = np.clip((checked.attitude - STEEP) / (1.0 - STEEP), 0.0, 1.0)  # a slope at the limit of the traction needs momentum
    np.minimum(out, limit + steep * (min(CLIMBING, limit) - limit), out=out)
    np.maximum(out, np.minimum(np.where(drag > SOFT, MOMENTUM, SLOWEST), limit), out=out)
    out[stops] = 0.0
    for n in range(len(points) - 2, -1, -1):
        out[n] = min(out[n], math.sqrt(out[n + 1] ** 2 + 2.0 * braking[n] * steps[n]))
    return out


def steering_speeds(
    curvature: NDArray[np.float64], station: NDArray[np.float64], clearance: NDArray[np.float64], vehicle: VehicleTraits
) -> NDArray[np.float64]:
    """Return the speeds (n,) [m/s] at which the steering keeps the vehicle on a path of curvatures (n,) [1/m] at stations (n,) [m].

    Where the curvature jumps by d, a vehicle that changes it steadily, from before the jump until after it, over a length l deviates by
    d l^2 / 24. Its curvature changes at the rate r, so l = v d / r.
    """
    if len(station) < 3 or not station[-1] > 0.0:
        return np.full(len(station), math.inf)
    jump = np.maximum(jumps_of(curvature, station), 1e-9)
    room = around(clearance, station, 2.0 * RAMP).min(axis=1)
    deviation = np.maximum(DEVIATION * room, MIN_DEVIATION)
    return vehicle.curvature_rate / jump * np.sqrt(24.0 * deviation / jump)


def jumps_of(curvature: NDArray[np.float64], station: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the difference (n,) [1/m] of the largest and the smallest curvature within RAMP of each station [m]."""
    near = around(curvature, station, RAMP)
    return near.max(axis=1) - near.min(axis=1)


def around(values: NDArray[np.float64], station: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """Return the values (n, m) within a reach [m] before and behind each of the about equidistant stations (n,) [m]."""
    count = max(1, round(reach * (len(station) - 1) / station[-1]))
    return np.lib.stride_tricks.sliding_window_view(np.pad(values, count, mode="edge"), 2 * count + 1)


def path_curvature(points: NDArray[np.float64], directions: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the curvature (n,) [1/m] of a path, + = left seen in the direction of travel, over about a meter on each side.

    It is 0 at changes of the direction.
    """
    steps = np.maximum(np.hypot(*np.diff(points, axis=0).T), 1e-9)
    course = np.arctan2(*np.diff(points, axis=0).T[::-1])
    turned = np.remainder(np.diff(course) + math.pi, math.tau) - math.pi
    turned[np.diff(directions)[1:] != 0] = (
        0.0  # the direction of a point is that of the step to it: the course turns back at the point before
    )
    out = np.zeros(len(points))
    if len(turned):
        out[1:-1] = turned / (0.5 * (steps[1:] + steps[:-1]))
        width = max(1, round(0.5 / float(np.median(steps))))
        if width > 1 and len(out) > width:
            out = np.convolve(np.pad(out, width, mode="edge"), np.full(2 * width + 1, 1.0 / (2 * width + 1)), "valid")
    return out
