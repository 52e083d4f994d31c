"""Places on a road: borders of its lanes, and points at a station, an offset to the side and a height."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.imports.opendrive.document import LaneSection, LaneShape, Road

STEP = 0.5
"""m. Largest distance of the stations of a road at which points are computed; the surface is straight between them."""


class Frame(NamedTuple):
    """Reference line of a road at stations (n,), as rows (n, 3) in the axes of the file: points, and unit vectors ahead, to the left and up.

    The latter two are turned by the superelevation.
    """

    s: Array
    points: Array
    ahead: Array
    left: Array
    up: Array


def stations(begin: float, end: float, step: float = STEP) -> Array:
    """Return evenly spaced stations [m] from begin to end, at most `step` apart."""
    return np.linspace(begin, end, max(2, math.ceil((end - begin) / step - 1e-9) + 1))


def frame(road: Road, s: Array) -> Frame:
    """Return the reference line at stations (n,) [m]."""
    x, y, heading = road.reference.at(s)
    pitch, roll = np.arctan(road.elevation.at(s, derivative=True)), road.superelevation.at(s)
    c, sine, up, along, zero = np.cos(heading), np.sin(heading), np.sin(pitch), np.cos(pitch), np.zeros_like(heading)
    ahead = np.column_stack((along * c, along * sine, up))
    level_left, normal = np.column_stack((-sine, c, zero)), np.column_stack((-up * c, -up * sine, along))
    cr, sr = np.cos(roll)[:, None], np.sin(roll)[:, None]
    return Frame(s, np.column_stack((x, y, road.elevation.at(s))), ahead, cr * level_left + sr * normal, cr * normal - sr * level_left)


def lateral_height(road: Road, s: Array, t: Array) -> Array:
    """Return the height of the lateral profile above the superelevated road, linear between its stations [m]."""
    if not road.shape:
        return np.zeros_like(t)
    begins = np.array([one[0] for one in road.shape])
    heights = np.array([profile.at(t) for _, profile in road.shape])
    after = np.searchsorted(begins, s, side="right")
    low, high = np.clip(after - 1, 0, len(begins) - 1), np.clip(after, 0, len(begins) - 1)
    part = np.where(high > low, (s - begins[low]) / np.maximum(begins[high] - begins[low], 1e-9), 0.0)
    n = np.arange(len(t))
    return np.asarray((1.0 - part) * heights[low, n] + part * heights[high, n], np.float64)


def point(road: Road, at: Frame, t: Array, height: Array | float = 0.0) -> Array:
    """Return points (n, 3) at offsets t (n,) to the left [m], `height` [m] above the road."""
    up = lateral_height(road, at.s, t) + height
    return np.asarray(at.points + t[:, None] * at.left + up[:, None] * at.up, np.float64)


def borders(road: Road, section: LaneSection, s: Array) -> tuple[Array, Array]:
    """Return the offsets t [m] of the lane borders on the left (lanes + 1, n) and on the right, from the center outward."""
    middle = road.lane_offset.at(s)
    sides = []
    for lanes, sign in ((section.left, 1.0), (section.right, -1.0)):
        rows = [middle]
        for lane in lanes:
            width = lane.width.at(s)
            rows.append(sign * np.abs(width) if lane.is_border else rows[-1] + sign * np.maximum(width, 0.0))
        sides.append(np.array(rows))
    return sides[0], sides[1]


def lane_heights(lane: LaneShape, s: Array) -> tuple[Array, Array]:
    """Return the heights of the inner and of the outer border of a lane above the road [m]."""
    inner, outer = np.zeros_like(s), np.zeros_like(s)
    for begin, low, high in sorted(lane.heights):
        after = s >= begin - 1e-9
        inner[after], outer[after] = low, high
    return inner, outer


def border_points(road: Road, lanes: tuple[LaneShape, ...], rows: Array, at: Frame) -> Array:
    """Return the points (lanes + 1, n, 3) of the borders of a side, from the center outward, without heights of lanes.

    A lane that is `level` goes on horizontally from its inner border.
    """
    points = [point(road, at, rows[0])]
    level = np.column_stack((-at.ahead[:, 1], at.ahead[:, 0], np.zeros(len(at.s))))
    level /= np.linalg.norm(level, axis=1)[:, None]
    shift = np.zeros_like(points[0])  # from the surface without level lanes
    for lane, inner, outer in zip(lanes, rows, rows[1:], strict=False):
        plain = point(road, at, outer) + shift
        if lane.level:
            flat = points[-1] + (outer - inner)[:, None] * level
            shift += flat - plain
            plain = flat
        points.append(plain)
    return np.array(points)
