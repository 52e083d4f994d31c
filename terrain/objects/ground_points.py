"""Points of an object that may touch the ground: those of its record RIGID_BODY, and the lowest points of the rims of a cylinder."""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import rotated
from simulator.base.algebra.vectors import add, add_scaled, cross, dot, scale, sub, vector
from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.records import CYLINDER, VERTEX_TYPE

UPRIGHT = 1e-9
"""1. Sine of the tilt below which all points of the rim of a cylinder are equally low."""


@inline
def _put(points, i, r):
    for j in range(3):
        points[i]["r_W"][j] = r[j]


@kernel
def write_points(w, o, b, s, n, points):
    """Write the points of an object from its center of mass, in W, to records of GROUND_POINT; return their number.

    Parameters
    ----------
    w, o, b, s : records of WORLD, OBJECT, RIGID_BODY and STATE
    n : ground normal below the object
    """
    R, com, first = s["R_WO"], vector(b["com_O"]), b["first"]
    if o["shape"] == CYLINDER:
        return _write_rims(R, o["size"], (R[0, 2], R[1, 2], R[2, 2]), n, points)
    vertices = records_at(w[0]["vertices"], VERTEX_TYPE, first + b["count"])
    for i in range(b["count"]):
        r = rotated(R, sub(vector(vertices[first + i]["r_O"]), com))
        _put(points, i, add_scaled(r, -b["margin"], n))
    return b["count"]


@inline
def _write_rims(R, size, axis, n, points):
    """Write four points of each rim of a cylinder: the lowest one, and those a quarter of the rim on; return their number."""
    low = add_scaled(scale(-1.0, n), dot(axis, n), axis)
    length = math.sqrt(dot(low, low))
    low = scale(1.0 / length, low) if length > UPRIGHT else (R[0, 0], R[1, 0], R[2, 0])
    side = cross(axis, low)
    for i in range(8):
        along = low if i < 4 else side
        middle = scale(size[1] if i & 1 else -size[1], axis)
        _put(points, i, add(middle, scale(size[0] if i & 2 else -size[0], along)))
    return 8
