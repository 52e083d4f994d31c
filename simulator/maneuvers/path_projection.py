"""Projection of all rows of a record onto a path; vectorized version of the methods of `Path`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.path_length import path_length
from simulator.driver.path import LaneChange, Path, TimedLaneChange

STRIDE = 1.0
"""Distance [m] between the rows of a curved path that are projected one after the other; the rows between use interpolated guesses."""

GENTLE = 0.25
"""Sum of offset / length of all lane changes below which a path along a straight line is never steeper than 1 in 2."""


class Points(NamedTuple):
    """Points of a path, each (n,): position (m), heading (rad), curvature (1/m)."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    heading: NDArray[np.float64]
    curvature: NDArray[np.float64]


def points_at(path: Path, stations: NDArray) -> Points:
    """Return `Path.at` of stations (n,)."""
    x, y, heading, k, k_slope = _line_at(path, stations)
    if not path.lane_changes:
        return Points(x, y, heading, k)
    d, d1, d2 = _shift_at(path.lane_changes, stations)
    along = 1.0 - k * d
    turn = np.arctan2(d1, along)
    c = np.cos(turn)
    curvature = ((d2 + (k_slope * d + k * d1) * np.tan(turn)) * c * c / along + k) * c / along
    return Points(x - d * np.sin(heading), y + d * np.cos(heading), heading + turn, curvature)


def stations_of(path: Path, x: NDArray, y: NDArray, guess: float | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (stations, distances to the left) of points (n,) projected onto a path, m. The first station is near `guess` if given."""
    stations = _guesses(path, x, y, guess)
    for _ in range(8):
        points = points_at(path, stations)
        c, s = np.cos(points.heading), np.sin(points.heading)
        east, north = x - points.x, y - points.y
        left = c * north - s * east
        step = (c * east + s * north) / np.maximum(0.3, 1.0 - points.curvature * left)
        stations = stations + step
        if np.abs(step).max(initial=0.0) < 1e-7:
            break
    points = points_at(path, stations)
    return stations, np.cos(points.heading) * (y - points.y) - np.sin(points.heading) * (x - points.x)


def with_timed(path: Path, timed: Sequence[TimedLaneChange], t: NDArray, x: NDArray, y: NDArray) -> Path:
    """Return the driven path: `path` with timed lane changes added at the stations that the record t, x, y (n,) had at those times."""
    first, guess = 0, None
    for change in timed:
        if change.at > t[-1]:
            break
        last = int(np.searchsorted(t, change.at))
        segment_x = np.append(x[first:last], np.interp(change.at, t, x))
        segment_y = np.append(y[first:last], np.interp(change.at, t, y))
        guess = float(stations_of(path, segment_x, segment_y, guess)[0][-1])
        first = last
        path = path.with_lane_changes([LaneChange(guess, change.length, change.offset)])
    return path


def _guesses(path: Path, x: NDArray, y: NDArray, guess: float | None) -> NDArray[np.float64]:
    """Return stations (n,) from which Newton's method converges to the same projections as a search from row to row."""
    if len(path.x) == 2 and sum(abs(change.offset) / change.length for change in path.lane_changes) < GENTLE:
        # the projection onto the line is close to the projection onto the path
        return np.cos(path.heading[0]) * (x - path.x[0]) + np.sin(path.heading[0]) * (y - path.y[0])
    distance = path_length(x, y)
    rows = np.union1d(np.flatnonzero(np.diff(np.floor(distance / STRIDE), prepend=-1.0)), [len(x) - 1])
    station = path.find(float(x[0]), float(y[0])) if guess is None else guess
    stations = []
    for at_x, at_y in zip(x[rows].tolist(), y[rows].tolist(), strict=True):
        station = path.nearest(at_x, at_y, station)
        stations.append(station)
    return np.interp(distance, distance[rows], stations)


def _line_at(path: Path, stations: NDArray) -> tuple[NDArray, ...]:
    """Return x, y, heading, curvature and its slope (1/m2) of the line without lane changes, each (n,)."""
    columns = [np.array(column) for column in (path.x, path.y, path.heading, path.curvature)]
    position = np.asarray(stations) / path.spacing
    i = np.clip(position.astype(int), 0, len(path.x) - 2)
    f = np.clip(position - i, 0.0, 1.0)
    x, y, heading, k = ((1.0 - f) * column[i] + f * column[i + 1] for column in columns)
    within = (position > 0.0) & (position < len(path.x) - 1)
    beyond = np.where(within, 0.0, (position - np.clip(position, 0.0, len(path.x) - 1.0)) * path.spacing)
    slope = np.where(within, (columns[3][i + 1] - columns[3][i]) / path.spacing, 0.0)
    return x + beyond * np.cos(heading), y + beyond * np.sin(heading), heading, np.where(within, k, 0.0), slope


def _shift_at(changes: Sequence[LaneChange], stations: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return the sum of the lane changes at stations (n,), m, and its first two derivatives (1, 1/m)."""
    d, d1, d2 = np.zeros((3, len(stations)))
    for change in changes:
        u = np.clip((stations - change.start) / change.length, 0.0, 1.0)
        d += change.offset * u * u * u * (10.0 + u * (6.0 * u - 15.0))
        d1 += change.offset / change.length * 30.0 * u * u * (1.0 - u) * (1.0 - u)
        d2 += change.offset / change.length**2 * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)
    return d, d1, d2
