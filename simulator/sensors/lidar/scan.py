"""Rolling scan: each beam is cast at its own time, from the pose of the sensor at that time, to objects where they are at that time.

A point is r d_S, with the range r and the direction d_S of the beam in the axes of the sensor at the time of firing. A de-skewed point is the same point
of the world in the axes of the sensor at the end of the scan. Noise and drop-out are not here: `simulator.sensors.lidar.signal`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.sensors.lidar.beams import Firings
from simulator.sensors.lidar.poses import motion_of, place_beams, pose_at
from simulator.sensors.pose_history import PoseHistory
from terrain.rays.caster import Hits

Cast = Callable[[Array, Array, float, Array], Hits]
"""Function of origins (n, 3), directions (n, 3), maximum range, times (n,); see `terrain.rays.caster.RayCaster.cast`."""
Pose = Callable[[Array], tuple[Array, Array]]
"""Function of times (n,) [s] that returns positions (n, 3) [m] and axes (n, 3, 3) of a sensor in W."""


class Beams(NamedTuple):
    """Beams of a scan in W."""

    origin: Array
    """(n, 3) m"""
    direction: Array
    """(n, 3) unit vectors"""
    p_WS_end: Array
    """(3,) m, sensor at the end of the scan"""
    R_WS_end: Array
    """(3, 3)"""


class Scan(NamedTuple):
    """A scan without noise, column by column; a miss has the range inf, the object -1 and NaN as points."""

    time: Array
    """(n,) s, time of firing"""
    ring: NDArray[np.uint16]
    """(n,) 0 = lowest"""
    range: Array
    """(n,) m"""
    object: NDArray[np.int64]
    """(n,)"""
    incidence: Array
    """(n,) cosine of the angle between beam and normal of the surface"""
    points: Array
    """(n, 3) m, in S at the time of firing"""
    deskewed: Array
    """(n, 3) m, in S at the end of the scan"""


def in_vehicle_axes(fired: Firings, R_BS: Array) -> Array:
    """Return the directions (n, 3) of firings in B; they are the same in each scan."""
    return np.ascontiguousarray(np.einsum("ij,nj->ni", R_BS, fired.direction))  # a product of matrices would wake threads of BLAS


def beams_of_history(fired: Firings, history: PoseHistory, start: float, p_BS: Array, R_BS: Array, along_B: Array | None = None) -> Beams:
    """Return the beams of a scan that begins at `start` [s], of a sensor at p_BS, R_BS on a vehicle; along_B: see `in_vehicle_axes`."""
    motion, along_B = motion_of(history), in_vehicle_axes(fired, R_BS) if along_B is None else along_B
    origin, direction = np.empty_like(along_B), np.empty_like(along_B)
    place_beams(motion, p_BS, along_B, start, fired.time, origin, direction)
    return Beams(origin, direction, *pose_at(motion, p_BS, R_BS, start + fired.period))


def beams_of_poses(fired: Firings, pose: Pose, start: float = 0.0) -> Beams:
    """Return the beams of a scan that begins at `start` [s], of a sensor whose pose is a function of time."""
    p, R = pose(start + fired.time)
    p_end, R_end = pose(np.array((start + fired.period,)))
    return Beams(np.ascontiguousarray(p), np.einsum("nij,nj->ni", R, fired.direction), p_end[0], R_end[0])


def scan(fired: Firings, beams: Beams, cast: Cast, max_range: float, start: float = 0.0) -> Scan:
    """Return the scan of beams in a world without noise."""
    time = start + fired.time
    hits = cast(beams.origin, beams.direction, max_range, time)
    points, deskewed = placed(fired.direction, beams, hits.range)
    incidence = -(beams.direction * hits.normal).sum(axis=1)
    return Scan(time, fired.ring, hits.range, hits.object, incidence, points, deskewed)


def placed(direction_S: Array, beams: Beams, ranges: Array) -> tuple[Array, Array]:
    """Return points (n, 3) and de-skewed points (n, 3) at ranges (n,), NaN where the range is inf."""
    r = np.where(np.isfinite(ranges), ranges, np.nan)[:, None]
    return r * direction_S, (beams.origin + r * beams.direction - beams.p_WS_end) @ beams.R_WS_end
