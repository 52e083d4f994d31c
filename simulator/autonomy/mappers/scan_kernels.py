"""Kernels of the lidar mapper: one scan is divided into ground and objects, and entered into the cells of the map.

The returns of one column of the scan (one azimuth) are followed from the vehicle outward. A return to which the ground can rise or fall from the
last one within the steepest slope is ground; the ground between two such returns that are close enough is known, too: the beam passed
just above it. A return above the ground is an object, unless the vehicle passes below it. So is a return below another one that is higher than ground can be: a face.
Behind an object, the ground begins anew.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel

SCAN = (
    # name            shape   unit description
    ("x", (), "m", "corner of cell (0, 0)"),
    ("y", (), "m", "corner of cell (0, 0)"),
    ("cell", (), "m", "side length of a cell"),
    ("time", (), "s", "time of the scan"),
    ("foot_W", (3,), "m", "point of the ground below the sensor"),
    ("slope", (), "1", "steepest ground, rise over distance"),
    ("object_height", (), "m", "height above the ground from which a return is an object"),
    ("vehicle_height", (), "m", "height above the ground below which the vehicle passes"),
    ("gap", (), "m", "distance between two returns on the ground, up to which the ground between them is known"),
    ("blind", (), "m", "distance of the first return on the ground, up to which the ground before it is known"),
    ("noise", (), "m", "differences of the height that may be noise"),
)
"""Inputs of a scan."""

MEASURED, BETWEEN = 1.0, 0.15
"""Weights of a return on the ground, and of ground between two returns."""
HIT, HEIGHTS = 1.0, 20.0
"""Evidence of a return from an object; largest evidence of a cell."""
FACE = 1.0
"""Cells between two returns on the same face."""
BEHIND = 0.1
"""Slope up to which a return behind an object is ground."""
MILD = 0.05
"""Slope of ground between two returns that is usual: a rise below it is ground, also at the foot of an object."""
CLEARED = 0.6
"""Factor of the evidence of a cell over which a scan has seen ground, where it has seen no object."""
LONGEST_MEAN = 8.0
"""Largest weight of a mean height: later returns still count."""


class Cells(NamedTuple):
    """Cells of the map, each (ny, nx)."""

    height: NDArray[np.float64]
    """m, mean height of the ground"""
    weight: NDArray[np.float64]
    """Weight of the mean; 0 = not seen"""
    seen: NDArray[np.float64]
    """s, time of the last scan that has seen the cell"""
    evidence: NDArray[np.float64]
    """Evidence of an object"""
    top: NDArray[np.float64]
    """m, largest height above the ground of a return from an object"""
    ground_now: NDArray[np.int64]
    """Number of times that this scan has seen ground"""
    object_now: NDArray[np.int64]
    """Number of returns of this scan from objects"""


@kernel
def enter_scan(p, points, order, cells):
    """Enter the points (columns, rings, 3) [m] of a scan, in W; NaN = no return. order (rings,) : rings from the lowest upward."""
    q = p[0]
    ny, nx = cells.height.shape
    for j in range(ny):
        for i in range(nx):
            cells.ground_now[j, i] = cells.object_now[j, i] = 0
    for column in range(points.shape[0]):
        _enter_column(q, points, order, column, cells)
    for j in range(ny):
        for i in range(nx):
            if cells.object_now[j, i] > 0:
                cells.evidence[j, i] = min(cells.evidence[j, i] + HIT * cells.object_now[j, i], HEIGHTS)
                cells.seen[j, i] = q["time"]
            elif cells.ground_now[j, i] > 0:
                cells.evidence[j, i] *= CLEARED
                cells.seen[j, i] = q["time"]
                if cells.evidence[j, i] < 0.1 * HIT:
                    cells.evidence[j, i] = cells.top[j, i] = 0.0


@inline
def _enter_column(q, points, order, column, cells):
    """Follow the returns of one azimuth from the vehicle outward."""
    lx, ly, lz = q["foot_W"][0], q["foot_W"][1], q["foot_W"][2]
    connected, most = True, q["blind"]
    base = lz
    for k in range(len(order)):
        x, y, z = points[column, order[k], 0], points[column, order[k], 1], points[column, order[k], 2]
        if not math.isfinite(x + y + z):
            continue
        way = math.hypot(x - lx, y - ly)
        rise = z - lz
        reach = math.hypot(x - q["foot_W"][0], y - q["foot_W"][1]) - math.hypot(lx - q["foot_W"][0], ly - q["foot_W"][1])
        allowed = q["slope"] * way + q["noise"]
        face = _face_above(q, points, order, column, k)
        stands = face < FACE * q["cell"] or (face < math.inf and rise > q["object_height"] + q["noise"] + MILD * way)
        nearer = reach < -q["cell"]  # beside an edge, a higher ring may meet what a lower one has passed
        behind = (nearer or not connected) and rise > q["object_height"] + q["noise"] + BEHIND * way
        if rise > allowed or stands or behind:
            above = z - base
            if above < q["vehicle_height"]:
                _add_object(q, x, y, above, cells)
                connected = False
            continue
        if connected and way < most and not nearer and rise >= -allowed:
            _add_between(q, lx, ly, lz, x, y, z, way, cells)
        _add_ground(q, x, y, z, MEASURED, cells)
        lx, ly, lz, base, connected, most = x, y, z, z, True, q["gap"]


@inline
def _face_above(q, points, order, column, k):
    """Return the distance [m] of the next return of the column if it is higher than ground can be, else inf."""
    x, y, z = points[column, order[k], 0], points[column, order[k], 1], points[column, order[k], 2]
    for n in range(k + 1, len(order)):
        nx, ny, nz = points[column, order[n], 0], points[column, order[n], 1], points[column, order[n], 2]
        if math.isfinite(nx + ny + nz):
            way = math.hypot(nx - x, ny - y)
            return way if nz - z > q["slope"] * way + q["noise"] else math.inf
    return math.inf


@inline
def _add_between(q, ax, ay, az, x, y, z, way, cells):
    """Enter the ground between two returns."""
    steps = max(int(way / (0.7 * q["cell"])), 1)
    for n in range(1, steps):
        f = n / steps
        _add_ground(q, ax + f * (x - ax), ay + f * (y - ay), az + f * (z - az), BETWEEN, cells)


@inline
def _add_ground(q, x, y, z, weight, cells):
    i, j = math.floor((x - q["x"]) / q["cell"]), math.floor((y - q["y"]) / q["cell"])
    ny, nx = cells.height.shape
    if i < 0 or j < 0 or i >= nx or j >= ny:
        return
    total = min(cells.weight[j, i], LONGEST_MEAN) + weight
    if cells.weight[j, i] < MEASURED <= weight:  # the first return replaces what was interpolated
        cells.height[j, i], cells.weight[j, i] = z, weight
    elif weight >= MEASURED or cells.weight[j, i] < MEASURED:
        cells.height[j, i] += weight / total * (z - cells.height[j, i])
        cells.weight[j, i] = total if weight >= MEASURED else min(total, 0.99 * MEASURED)
    cells.ground_now[j, i] += 1


@inline
def _add_object(q, x, y, above, cells):
    i, j = math.floor((x - q["x"]) / q["cell"]), math.floor((y - q["y"]) / q["cell"])
    ny, nx = cells.height.shape
    if i < 0 or j < 0 or i >= nx or j >= ny:
        return
    cells.object_now[j, i] += 1
    cells.top[j, i] = max(cells.top[j, i], above)
