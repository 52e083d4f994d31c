"""Elevations of the ground on a grid around a vehicle, in its heading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simulator.base.arrays import Array, Vector
from simulator.base.errors import JounceError
from terrain.ground import Ground

MAX_POINTS = 1 << 22
"""Points of a patch."""


class Patch(NamedTuple):
    """Elevations around a vehicle, without ruts and objects."""

    x: Vector
    """(nx,) m ahead of the chassis reference point, in the heading of the vehicle"""
    y: Vector
    """(ny,) m to the left"""
    height: Array
    """(ny, nx) m, of the ground above that below the chassis reference point"""


def heights_around(ground: Ground, place: tuple[ArrayLike, ArrayLike, ArrayLike], ahead: Vector, left: Vector) -> Array:
    """Return the heights (n, ny, nx) [m] of the ground at `ahead` (nx,) and `left` (ny,) [m] of n places x, y [m], yaw [rad] in W, each (n,),
    above that at the place; all in one call."""
    x, y, yaw = (np.asarray(one, float).reshape(-1, 1, 1) for one in place)
    c, s = np.cos(yaw), np.sin(yaw)
    along, across = ahead[None, None, :], left[None, :, None]
    heights: Array = ground.height(x + c * along - s * across, y + s * along + c * across) - ground.height(x, y)
    return heights


def patch_points(first: float, last: float, spacing: float) -> Vector:
    """Return the coordinates of a patch from `first` to at most `last` [m]. Raises JounceError: no range, or too many points."""
    if not (np.isfinite([first, last, spacing]).all() and spacing > 0.0 and first <= last):
        raise JounceError(
            f"patch: from {first:g} to {last:g} m every {spacing:g} m; expected a range from low to high and a spacing above 0"
        )
    count = (last - first) / spacing + 1e-9
    if count >= MAX_POINTS:
        raise JounceError(f"patch: {count:.3g} points; expected fewer than {MAX_POINTS}")
    points: Vector = first + spacing * np.arange(int(count) + 1, dtype=float)
    return points
