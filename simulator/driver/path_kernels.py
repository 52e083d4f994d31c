"""Kernels of a path: points at equal distances plus lane changes. `simulator.driver.path` is the Python interface."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel

MAX_STEPS = 8
"""Maximum number of Newton steps of the search for a foot; three are enough close to the path."""
TOLERANCE = 1e-7
"""m. Step along the path below which the search has converged."""
MIN_SLOPE = 0.3
"""1. Minimum slope in Newton's step, for a point near the center of curvature."""


class Line(NamedTuple):
    """Path as arrays."""

    points: NDArray[np.float64]
    """(n, 4) x, y [m], heading [rad], curvature [1/m, + = left]; the line is straight before the first and after the last point"""
    changes: NDArray[np.float64]
    """(m, 3) start [m], length [m] and offset [m, + = left] of the lane changes"""
    spacing: float
    """m, distance between two points"""


@inline
def line_at(line, station):
    """Return x, y [m], heading [rad], curvature [1/m] and slope of the curvature [1/m2] of the line without lane changes."""
    points = line.points
    last = len(points) - 1
    place = station / line.spacing
    if not (place > 0.0 and place < last):
        i = last if place >= last else 0
        beyond, heading = (place - i) * line.spacing, points[i, 2]
        return points[i, 0] + beyond * math.cos(heading), points[i, 1] + beyond * math.sin(heading), heading, 0.0, 0.0
    i = int(place)
    f = place - i
    g = 1.0 - f
    return (
        g * points[i, 0] + f * points[i + 1, 0],
        g * points[i, 1] + f * points[i + 1, 1],
        g * points[i, 2] + f * points[i + 1, 2],
        g * points[i, 3] + f * points[i + 1, 3],
        (points[i + 1, 3] - points[i, 3]) / line.spacing,
    )


@inline
def shift_at(line, station):
    """Return the sum of the lane changes at a station [m] and its first two derivatives [1, 1/m]."""
    d = d1 = d2 = 0.0
    for k in range(len(line.changes)):
        length, offset = line.changes[k, 1], line.changes[k, 2]
        u = (station - line.changes[k, 0]) / length
        if u >= 1.0:
            d += offset
        elif u > 0.0:
            d += offset * u * u * u * (10.0 + u * (6.0 * u - 15.0))
            d1 += offset / length * 30.0 * u * u * (1.0 - u) * (1.0 - u)
            d2 += offset / length**2 * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)
    return d, d1, d2


@inline
def point_at(line, station):
    """Return x, y [m], heading [rad], curvature [1/m] at a station [m].

    Heading and curvature with lane changes: Werling et al. 2010, appendix I.
    """
    x, y, heading, k, k_slope = line_at(line, station)
    d, d1, d2 = shift_at(line, station)
    if d == 0.0 and d1 == 0.0 and d2 == 0.0:
        return x, y, heading, k
    along = 1.0 - k * d
    turn = math.atan2(d1, along)
    c = math.cos(turn)
    curvature = ((d2 + (k_slope * d + k * d1) * math.tan(turn)) * c * c / along + k) * c / along
    return x - d * math.sin(heading), y + d * math.cos(heading), heading + turn, curvature


@inline
def nearest(line, x, y, guess):
    """Return the station [m] of the foot of (x, y) [m] on the path, close to the station `guess`."""
    station = guess
    for _ in range(MAX_STEPS):
        px, py, heading, curvature = point_at(line, station)
        c, s = math.cos(heading), math.sin(heading)
        ahead, left = c * (x - px) + s * (y - py), c * (y - py) - s * (x - px)
        step = ahead / max(MIN_SLOPE, 1.0 - curvature * left)
        station += step
        if abs(step) < TOLERANCE:
            break
    return station


@kernel
def point_of(line, station):
    """Call `point_at` from Python."""
    return point_at(line, station)


@kernel
def foot_of(line, x, y, guess):
    """Call `nearest` from Python."""
    return nearest(line, x, y, guess)
