"""Vehicles and objects seen from above: rectangles with a velocity, the gap between two of them, and the time until they touch."""

from __future__ import annotations

import math
from typing import NamedTuple


class Body(NamedTuple):
    """Rectangle around a vehicle or an object."""

    x: float
    y: float
    """m, center in W"""
    yaw: float
    """rad, direction of its length"""
    half_length: float
    half_width: float
    """m"""
    v_x: float
    v_y: float
    """m/s, velocity in W; the rotation does not count"""
    place: tuple[float, float]
    """m, reference point in W: chassis reference point, or origin of the object"""

    @property
    def speed(self) -> float:
        """Speed along the length, m/s."""
        return self.v_x * math.cos(self.yaw) + self.v_y * math.sin(self.yaw)

    def inside(self, x: float, y: float) -> tuple[float, float]:
        """Return a place in W (m) ahead of and to the left of the center."""
        c, s, dx, dy = math.cos(self.yaw), math.sin(self.yaw), x - self.x, y - self.y
        return c * dx + s * dy, c * dy - s * dx

    def corners(self) -> list[tuple[float, float]]:
        """Return the corners in W, m."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        ends = [(a * self.half_length, b * self.half_width) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
        return [(self.x + c * a - s * b, self.y + s * a + c * b) for a, b in ends]


def gap(a: Body, b: Body) -> float:
    """Return the distance [m] of two bodies; 0 if they touch or overlap."""
    if touching_time(a, b, 0.0, 0.0) <= 0.0:
        return 0.0
    # the closest points of two rectangles that do not overlap include a corner
    return min(_away(one, *corner) for one, other in ((a, b), (b, a)) for corner in other.corners())


def time_to_collision(a: Body, b: Body) -> float:
    """Return the time [s] until two bodies touch, if both keep their velocities; infinite if they do not, 0 if they overlap."""
    return touching_time(a, b, a.v_x - b.v_x, a.v_y - b.v_y)


def touching_time(a: Body, b: Body, v_x: float, v_y: float) -> float:
    """Return the time [s] until a body with this velocity [m/s] relative to another one touches it: the overlaps along the axes of both
    rectangles (separating axes) must have a common time."""
    begin, end = 0.0, math.inf
    for one in (a, b):
        c, s = math.cos(one.yaw), math.sin(one.yaw)
        for n_x, n_y in ((c, s), (-s, c)):
            reach = _reach(a, n_x, n_y) + _reach(b, n_x, n_y)
            away, v = (b.x - a.x) * n_x + (b.y - a.y) * n_y, v_x * n_x + v_y * n_y
            if abs(v) < 1e-12:
                if abs(away) > reach:
                    return math.inf
                continue
            first, last = sorted(((away - reach) / v, (away + reach) / v))
            begin, end = max(begin, first), min(end, last)
    return begin if begin <= end else math.inf


def _reach(one: Body, n_x: float, n_y: float) -> float:
    """Return the distance [m] of the farthest point from the center along a unit vector."""
    c, s = math.cos(one.yaw), math.sin(one.yaw)
    return one.half_length * abs(c * n_x + s * n_y) + one.half_width * abs(c * n_y - s * n_x)


def _away(one: Body, x: float, y: float) -> float:
    """Return the distance [m] of a place from a body."""
    ahead, left = one.inside(x, y)
    return math.hypot(max(abs(ahead) - one.half_length, 0.0), max(abs(left) - one.half_width, 0.0))
