"""From the points of a track to a smooth line with equal spacing, and the speed along it."""

from __future__ import annotations

import math

import numpy as np
from scipy.interpolate import Akima1DInterpolator
from scipy.ndimage import gaussian_filter1d

from simulator.base.arrays import Array, Vector

FINE = 1.0
"""m. Spacing of the points that are smoothed; larger for lines of more than 200 km."""
MAX_FINE = 200_000
APART = 1.01
"""m. Smallest distance of two waypoints, just above the limit of a maneuver."""
EASE = 3.0
"""m/s2. Lateral acceleration and braking of the estimate of the duration."""


def stations_of(points: Array) -> Vector:
    """Return the distance along the line at each point."""
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])


def smooth_line(points: Array, width: float, is_closed: bool, is_curved: bool = True) -> Array:
    """Return points of a line at a fine equal spacing, smoothed over `width` (standard deviation, m).

    The line between the points is a curve by Akima, or straight. Two passes of the smoothing, 2 G - G G, keep bends: their radius
    becomes smaller by a term of fourth order in the width.
    """
    line = _between(points, is_closed, is_curved)
    count = len(line)
    if width <= 0.0:
        return line
    sigma = width / float(np.hypot(*(line[1:] - line[:-1]).T).mean())
    if is_closed:
        once = gaussian_filter1d(line[:-1], sigma, axis=0, mode="wrap")
        twice = 2.0 * once - gaussian_filter1d(once, sigma, axis=0, mode="wrap")
        return np.vstack([twice, twice[:1]])
    reach = min(count - 1, math.ceil(8.0 * sigma))
    ends = (2.0 * line[0] - line[reach:0:-1], 2.0 * line[-1] - line[-2 : -reach - 2 : -1])
    padded = np.vstack([ends[0], line, ends[1]])  # odd: the ends stay where they are
    once = gaussian_filter1d(padded, sigma, axis=0, mode="nearest")
    twice = 2.0 * once - gaussian_filter1d(once, sigma, axis=0, mode="nearest")
    return twice[reach : reach + count]


def _between(points: Array, is_closed: bool, is_curved: bool) -> Array:
    """Return points at a fine spacing on the line through points; a closed one ends where it begins."""
    before = after = 0
    if is_closed:
        before, after = 3, 4
        points = np.vstack([points[-3:], points, points[:4]])
    station = stations_of(points)
    first, last = station[before], station[len(points) - 1 - (after - 1 if after else 0)]
    fine = np.linspace(first, last, min(MAX_FINE, max(8, math.ceil((last - first) / FINE))) + 1)
    if is_curved and len(points) > 4:
        return np.asarray(Akima1DInterpolator(station, points, method="makima")(fine))
    return np.column_stack([np.interp(fine, station, column) for column in points.T])


def with_spacing(line: Array, spacing: float) -> Array:
    """Return points of a line at an equal spacing of about `spacing`; where the line turns back, those at least `APART` from the last one."""
    station = stations_of(line)
    count = max(2, round(station[-1] / spacing)) + 1
    at = np.linspace(0.0, station[-1], count)
    points = np.column_stack([np.interp(at, station, column) for column in line.T])
    kept = [0]
    for n in range(1, len(points)):
        if math.dist(points[n], points[kept[-1]]) >= APART:
            kept.append(n)
    return points[kept]


def distance_to_line(points: Array, line: Array) -> Vector:
    """Return the distance of each point from the closest point of a fine line."""
    from scipy.spatial import KDTree

    return KDTree(line).query(points)[0]  # type: ignore[no-any-return]


def curvature_of(line: Array) -> Vector:
    """Return the curvature at each point of a line [1/m]."""
    first = np.gradient(line, axis=0)
    second = np.gradient(first, axis=0)
    return np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / np.maximum(np.hypot(*first.T), 1e-9) ** 3


def duration_along(line: Array, speed: Vector) -> float:
    """Return the time along a line with these largest speeds, which bends and the way to brake and accelerate reduce."""
    step = np.hypot(*np.diff(line, axis=0).T)
    v = np.minimum(speed, np.sqrt(EASE / np.maximum(curvature_of(line), 1e-6)))
    v[0] = 0.0
    for n in range(1, len(v)):
        v[n] = min(v[n], math.sqrt(v[n - 1] ** 2 + 2.0 * 0.5 * EASE * step[n - 1]))
    for n in range(len(v) - 2, -1, -1):
        v[n] = min(v[n], math.sqrt(v[n + 1] ** 2 + 2.0 * EASE * step[n]))
    return float(np.sum(step / np.maximum(0.5 * (v[1:] + v[:-1]), 0.3)))
