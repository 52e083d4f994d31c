"""Way of a vehicle that follows a polyline with a look-ahead point: a path within its steering limits. [Coulter 1992]"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.vehicle_traits import VehicleTraits
from simulator.base.jit import inline, kernel

STEP = 0.5
"""m between two points."""
ENOUGH = 3.0
"""Length of the tracked way over that of the polyline, at most."""


def tracked_way(
    line: NDArray[np.float64],
    vehicle: VehicleTraits,
    *,
    yaw: float,
    curvature: float,
    speed: float,
    look_ahead: float,
    length: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points (n, 2) [m] of B and headings (n,) [rad] of the way along a polyline.

    Parameters
    ----------
    line : (m, 2) polyline [m] of B, which begins at the vehicle
    yaw, curvature, speed : heading [rad], curvature [1/m] and speed [m/s] at the start
    look_ahead : distance to the look-ahead point [m]
    length : of the way, at most [m]
    """
    dense = _dense(line)
    out = np.empty((2 + math.ceil(length / STEP), 3))
    b = vehicle.rear_axle
    out[0] = line[0, 0] - b * math.cos(yaw), line[0, 1] - b * math.sin(yaw), yaw
    change = vehicle.curvature_rate / max(abs(speed), 1.0)
    count = track(dense, out, float(curvature), float(look_ahead), vehicle.max_curvature, change, b)
    headings = out[:count, 2]
    return out[:count, :2] + b * np.column_stack((np.cos(headings), np.sin(headings))), headings


def _dense(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a polyline with points at most STEP apart."""
    station = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))))
    fine = np.linspace(0.0, station[-1], max(2, math.ceil(station[-1] / STEP) + 1))
    return np.ascontiguousarray(np.column_stack([np.interp(fine, station, one) for one in line.T]))


@kernel
def track(line, out, curvature, look_ahead, most, change, b):
    """Write the poses (n, 3) of the point without sideslip from out[0] on; return their number. The way ends beside the end of the line."""
    last = len(line) - 1
    near = 0
    for n in range(1, len(out)):
        x, y, yaw = out[n - 1, 0], out[n - 1, 1], out[n - 1, 2]
        c, s = math.cos(yaw), math.sin(yaw)
        bx, by = x + b * c, y + b * s
        near = _nearest(line, near, bx, by)
        if near == last:
            return n
        goal = near
        while goal < last and math.hypot(line[goal, 0] - bx, line[goal, 1] - by) < look_ahead:
            goal += 1
        dx, dy = line[goal, 0] - x, line[goal, 1] - y
        left = c * dy - s * dx
        wanted = min(max(2.0 * left / max(dx * dx + dy * dy, 1.0), -most), most)
        if c * dx + s * dy < 0.0:
            wanted = most if left > 0.0 else -most
        new = curvature + min(max(wanted - curvature, -change * STEP), change * STEP)
        turned = 0.5 * STEP * (curvature + new)
        middle = yaw + 0.5 * turned
        out[n, 0], out[n, 1], out[n, 2] = x + STEP * math.cos(middle), y + STEP * math.sin(middle), yaw + turned
        curvature = new
    return len(out)


@inline
def _nearest(line, first, x, y):
    """Return the number of the next point of the line near which (x, y) is, at most 20 points after `first`."""
    best, least = first, math.hypot(line[first, 0] - x, line[first, 1] - y)
    for k in range(first + 1, min(first + 20, len(line))):
        away = math.hypot(line[k, 0] - x, line[k, 1] - y)
        if away < least:
            best, least = k, away
    return best
