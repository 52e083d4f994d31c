"""Motion of an object along a path: a function of time, so that a re-run is exact.

A path has corner points and a speed at each of them. Between two points the motion is a cubic polynomial of time. Straight paths
(`smooth` False) keep a constant acceleration between two points and change direction at a corner; smooth paths pass the points with
continuous velocity. After the last point the object stands, or the path begins again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from terrain.objects.breakaway import Breakaway
from terrain.objects.errors import ObjectError
from terrain.objects.records import SEGMENT

FASTEST = 100.0
"""m/s. Maximum speed at the points of a path."""
SLOWEST = 1e-3
"""m/s. Minimum speed of one of two neighboring points."""


@dataclass(frozen=True, eq=False)
class Path:
    """Path of an object.

    Parameters
    ----------
    points : (n, 3) positions of the origin of O in W [m], at least 2
    times : (n,) increasing times [s]; None: from `speeds`
    speeds : (n,) speed at each point [m/s], used if `times` is None; two neighbors must not both be 0
    smooth : True = continuous velocity at the points
    turns : True = the yaw follows the direction of motion; False = the yaw is constant
    repeats : True = the path begins again after its end
    breakaway : the object leaves the path at a force; None = it pushes with any force
    """

    points: Array
    times: Array | None = None
    speeds: Array | None = None
    smooth: bool = False
    turns: bool = True
    repeats: bool = False
    breakaway: Breakaway | None = None

    def check(self) -> None:
        """Raise ObjectError for a path that cannot be followed, or is faster than FASTEST."""
        points = np.asarray(self.points, float)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2 or not np.isfinite(points).all():
            raise ObjectError(f"points of a path: shape {points.shape}; expected (n, 3) finite numbers in m, n at least 2")
        if self.times is None and self.speeds is None:
            raise ObjectError("path: neither times nor speeds; expected one of them")
        if self.times is None:
            speeds = np.broadcast_to(np.asarray(self.speeds, float), len(points))
            if not ((speeds >= 0.0) & (speeds <= FASTEST)).all() or not (speeds[:-1] + speeds[1:] > SLOWEST).all():
                raise ObjectError(f"speeds of a path: expected 0 to {FASTEST:g} m/s, of two neighbors one above {SLOWEST:g} m/s")
        else:
            times = np.asarray(self.times, float)
            if times.shape != (len(points),) or not np.isfinite(times).all() or not (np.diff(times) > 0.0).all():
                raise ObjectError(f"times of a path: expected {len(points)} increasing numbers in s")
        speed = highest_speed(self.segments(0.0), 0.0)
        if not speed <= 3.0 * FASTEST:
            raise ObjectError(f"path: a speed of {speed:.3g} m/s; expected at most {FASTEST:g} m/s at the points")

    def segments(self, yaw: float) -> Record:
        """Return records of SEGMENT; `yaw` [rad] is that of the object, added to the direction of motion if the object turns."""
        points = np.asarray(self.points, float)
        steps = np.diff(points, axis=0)
        lengths = np.maximum(np.linalg.norm(steps, axis=1), 1e-12)
        times = self._times(lengths)
        spans = np.diff(times)
        leaving, arriving = self._velocities(points, steps, lengths, spans)
        out = record(SEGMENT, len(steps))
        out["time"][:, 0], out["time"][:, 1] = times[:-1], times[1:]
        out["p_WO"][:, 0], out["p_WO"][:, 1] = points[:-1], points[1:]
        out["v_WO"][:, 0], out["v_WO"][:, 1] = leaving, arriving
        out["yaw"] = yaw
        if self.turns:
            start, end = (np.arctan2(v[:, 1], v[:, 0]) for v in (self._directions(leaving, steps), self._directions(arriving, steps)))
            out["yaw"][:, 0] = yaw + start
            out["yaw"][:, 1] = out["yaw"][:, 0] + (end - start + math.pi) % math.tau - math.pi
            out["yaw_rate"] = ((out["yaw"][:, 1] - out["yaw"][:, 0]) / spans)[:, None]
        return out

    def _times(self, lengths: Array) -> Array:
        if self.times is not None:
            return np.asarray(self.times, float)
        assert self.speeds is not None
        speeds = np.broadcast_to(np.asarray(self.speeds, float), len(lengths) + 1)
        return np.concatenate(((0.0,), np.cumsum(2.0 * lengths / (speeds[:-1] + speeds[1:]))))

    def _velocities(self, points: Array, steps: Array, lengths: Array, spans: Array) -> tuple[Array, Array]:
        """Return the velocities (n - 1, 3) at start and end of each segment."""
        directions = steps / lengths[:, None]
        if not self.smooth:
            if self.times is not None:
                constant = steps / spans[:, None]
                return constant, constant
            speeds = np.broadcast_to(np.asarray(self.speeds, float), len(points))
            return directions * speeds[:-1, None], directions * speeds[1:, None]
        rates = steps / spans[:, None]
        closed = self.repeats and np.allclose(points[0], points[-1])
        before = np.concatenate(((rates[-1],) if closed else (rates[0],), rates))
        after = np.concatenate((rates, (rates[0],) if closed else (rates[-1],)))
        span_before = np.concatenate(((spans[-1] if closed else spans[0],), spans))
        span_after = np.concatenate((spans, (spans[0] if closed else spans[-1],)))
        velocities = (before * span_after[:, None] + after * span_before[:, None]) / (span_before + span_after)[:, None]
        if self.times is None:
            speeds = np.broadcast_to(np.asarray(self.speeds, float), len(points))
            velocities *= (speeds / np.maximum(np.linalg.norm(velocities, axis=1), 1e-12))[:, None]
        return velocities[:-1], velocities[1:]

    @staticmethod
    def _directions(velocities: Array, steps: Array) -> Array:
        """Return the velocities, or the direction of the segment where the object stands."""
        return np.where(np.linalg.norm(velocities[:, :2], axis=1)[:, None] > 1e-9, velocities, steps)


def travelled_bounds(segments: Record) -> tuple[Array, Array]:
    """Return the minimum and maximum (3,) of the origin over all segments."""
    third = np.diff(segments["time"], axis=1)[:, None] / 3.0  # a cubic lies in the hull of its Bezier points
    p, v = segments["p_WO"], segments["v_WO"]
    points = np.concatenate((p, p[:, :1] + v[:, :1] * third, p[:, 1:] - v[:, 1:] * third), axis=1).reshape(-1, 3)
    return points.min(axis=0), points.max(axis=0)


def highest_speed(segments: Record, far: float) -> float:
    """Return a bound on the speed [m/s] of the points at most `far` [m] from the origin."""
    span = np.diff(segments["time"], axis=1)
    p, v = segments["p_WO"], segments["v_WO"]
    middle = 3.0 * (p[:, 1] - p[:, 0]) / span - v[:, 0] - v[:, 1]  # the rates are in the hull of their Bezier points
    speed = np.linalg.norm(np.stack((v[:, 0], middle, v[:, 1])), axis=2).max()
    yaw, rate = segments["yaw"], segments["yaw_rate"]
    turn = np.abs((rate[:, 0], 3.0 * (yaw[:, 1] - yaw[:, 0]) / span[:, 0] - rate[:, 0] - rate[:, 1], rate[:, 1])).max()
    return float(speed + far * turn)


@inline
def segment_at(segments, first, count, repeats, t):
    """Return (row of the segment, time in it [s]) at time t [s]; before the start its beginning, after the end its end."""
    start, end = segments[first]["time"][0], segments[first + count - 1]["time"][1]
    if repeats and t > end:
        t = start + (t - start) % (end - start)
    t = min(max(t, start), end)
    low, high = first, first + count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if segments[middle]["time"][0] <= t:
            low = middle
        else:
            high = middle - 1
    return low, t - segments[low]["time"][0]


@kernel
def path_pose(segments, first, count, repeats, t, out):
    """Write the pose at time t [s] to out (8,): x, y, z [m], yaw [rad], their rates [m/s, rad/s].

    The rates are 0 before the start and after the end of a path that does not repeat.
    """
    row, s = segment_at(segments, first, count, repeats, t)
    k = segments[row]
    span = k["time"][1] - k["time"][0]
    u = s / span
    a, b = 1.0 - u * u * (3.0 - 2.0 * u), u * u * (3.0 - 2.0 * u)
    c, d = span * u * (1.0 - u) * (1.0 - u), -span * u * u * (1.0 - u)
    slope = 6.0 * u * (1.0 - u) / span
    e, f = (1.0 - u) * (1.0 - 3.0 * u), u * (3.0 * u - 2.0)
    begun = t >= segments[first]["time"][0]
    moves = 1.0 if begun and (repeats or t <= segments[first + count - 1]["time"][1]) else 0.0
    for j in range(3):
        p0, p1, v0, v1 = k["p_WO"][0, j], k["p_WO"][1, j], k["v_WO"][0, j], k["v_WO"][1, j]
        out[j] = a * p0 + b * p1 + c * v0 + d * v1
        out[4 + j] = moves * (slope * (p1 - p0) + e * v0 + f * v1)
    y0, y1, r0, r1 = k["yaw"][0], k["yaw"][1], k["yaw_rate"][0], k["yaw_rate"][1]
    out[3] = a * y0 + b * y1 + c * r0 + d * r1
    out[7] = moves * (slope * (y1 - y0) + e * r0 + f * r1)
