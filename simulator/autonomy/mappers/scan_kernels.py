"""Kernels of the lidar mapper: one scan is divided into ground and objects, and entered into the cells of the map.

The returns of one column of the scan (one azimuth) are followed from the vehicle outward, from the plane on which it stands. A return to which
the ground can rise or fall from the last one within the steepest slope is ground; the ground between two such returns that are close enough is
known, too: the beam passed just above it. A return above the ground is an object, unless the vehicle passes below it. So is a return below
another one that is higher than ground can be: a face. Behind an object, the ground begins anew.
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
    ("foot_W", (3,), "m", "point below the sensor, in the plane through the contact points of the wheels"),
    ("plane", (2,), "1", "rise of this plane along x and y; NaN: no wheel touches the ground"),
    ("standing", (), "m", "distance from the foot up to which the ground is this plane"),
    ("slope", (), "1", "steepest ground, rise over distance"),
    ("object_height", (), "m", "height above the ground from which a return is an object"),
    ("vehicle_height", (), "m", "height above the ground below which the vehicle passes"),
    ("gap", (), "m", "distance between two returns on the ground, up to which the ground between them is known"),
    ("blind", (), "m", "distance of the first return on the ground, up to which the ground before it is known"),
    ("noise", (), "m", "differences of the height that may be noise"),
    ("fall", (), "1", "slope from the edges of ground that is hidden between two returns, over the line between them"),
)
"""Inputs of a scan."""

MEASURED, BETWEEN, LATER = 1.0, 0.5, 0.9
"""Weights of a return on the ground, and of ground between two returns a cell apart; fraction of the weight of a guess that a later one needs."""
HIT, MAX_EVIDENCE = 1.0, 20.0
"""Evidence of a return from an object; largest evidence of a cell."""
HOLLOW = 1.5
"""m. Distance from a return up to which hidden ground falls."""
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


class Point(NamedTuple):
    """Point in W."""

    x: float
    """m"""
    y: float
    """m"""
    z: float
    """m"""


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
    free: NDArray[np.float64]
    """s, time of the last scan that has seen ground and no evidence of an object"""
    ground_now: NDArray[np.int64]
    """Number of times that this scan has seen ground"""
    object_now: NDArray[np.int64]
    """Number of returns of this scan from objects"""


@kernel
def enter_scan(p, points, order, below, cells):
    """Enter the points (columns, rings, 3) [m] of a scan, in W; NaN = no return.

    order (rings,) : rings from the lowest upward; below (n, 3) : points of the ground below the vehicle [m], which the sensor does not see
    """
    q = p[0]
    ny, nx = cells.height.shape
    for j in range(ny):
        for i in range(nx):
            cells.ground_now[j, i] = cells.object_now[j, i] = 0
    for column in range(points.shape[0]):
        _enter_column(q, points, order, column, cells)
    for n in range(len(below)):
        _add_below(q, Point(below[n, 0], below[n, 1], below[n, 2]), cells)
    for j in range(ny):
        for i in range(nx):
            if cells.object_now[j, i] > 0:
                cells.evidence[j, i] = min(cells.evidence[j, i] + HIT * cells.object_now[j, i], MAX_EVIDENCE)
                cells.seen[j, i] = q["time"]
            elif cells.ground_now[j, i] > 0:
                cells.evidence[j, i] *= CLEARED
                cells.seen[j, i] = q["time"]
                if cells.evidence[j, i] < 0.1 * HIT:
                    cells.evidence[j, i] = cells.top[j, i] = 0.0
                    cells.free[j, i] = q["time"]


@inline
def _enter_column(q, points, order, column, cells):
    """Follow the returns of one azimuth from the vehicle outward."""
    foot = Point(q["foot_W"][0], q["foot_W"][1], q["foot_W"][2])
    last, connected, longest = foot, math.isfinite(q["plane"][0]), q["blind"]  # last: last return on the ground
    starts, on_plane = connected, connected  # on_plane: last is a point of the plane of the wheels
    for k in range(len(order)):
        here = _point(points, column, order[k])
        if not _is_finite(here):
            continue
        if starts:
            last, starts = _on_plane(q, foot, here), False
        distance, rise = _distance(last, here), here.z - last.z
        allowed = q["slope"] * distance + q["noise"]
        face = _face_above(q, points, order, column, k)
        on_face = face < FACE * q["cell"] or (face < math.inf and rise > q["object_height"] + q["noise"] + MILD * distance)
        nearer = (
            _distance(foot, here) - _distance(foot, last) < -q["cell"]
        )  # beside an edge, a higher ring may meet what a lower one has passed
        behind = (nearer or not connected) and rise > q["object_height"] + q["noise"] + BEHIND * distance
        if rise > allowed or on_face or behind:
            if rise < q["vehicle_height"]:
                _add_object(q, here, rise, cells)
                connected = False
            continue
        if connected and distance < longest and not nearer and rise >= -allowed:
            _add_between(q, last, here, 0.0 if on_plane else q["fall"], cells)
        _add_ground(q, here, cells)
        last, connected, longest, on_plane = here, True, q["gap"], False


@inline
def _on_plane(q, foot, toward):
    """Return the point of the plane below the vehicle in the direction of another point, at most half as far away."""
    dx, dy = toward.x - foot.x, toward.y - foot.y
    part = min(0.5, q["standing"] / max(_distance(foot, toward), 1e-9))
    return Point(foot.x + part * dx, foot.y + part * dy, foot.z + part * (q["plane"][0] * dx + q["plane"][1] * dy))


@inline
def _face_above(q, points, order, column, k):
    """Return the distance [m] of the next return of the column if it is higher than ground can be, else inf."""
    here = _point(points, column, order[k])
    for n in range(k + 1, len(order)):
        above = _point(points, column, order[n])
        if _is_finite(above):
            distance = _distance(here, above)
            return distance if above.z - here.z > q["slope"] * distance + q["noise"] else math.inf
    return math.inf


@inline
def _point(points, column, ring):
    return Point(points[column, ring, 0], points[column, ring, 1], points[column, ring, 2])


@inline
def _is_finite(a):
    return math.isfinite(a.x + a.y + a.z)


@inline
def _distance(a, b):
    """Return the horizontal distance [m] of two points."""
    return math.hypot(b.x - a.x, b.y - a.y)


@inline
def _add_between(q, a, b, fall, cells):
    """Enter the ground between two returns: a guess that counts more the closer they are, until the ground is measured.

    The beam to the farther return passed just above the line between them, so that the ground is not higher. It falls from both ends.
    """
    length = _distance(a, b)
    steps = max(int(length / (0.7 * q["cell"])), 1)
    for n in range(1, steps):
        f = n / steps
        z = a.z + f * (b.z - a.z) - fall * min(min(f, 1.0 - f) * length, HOLLOW)
        _add_guess(q, Point(a.x + f * (b.x - a.x), a.y + f * (b.y - a.y), z), BETWEEN * q["cell"] / length, cells)


@inline
def _add_guess(q, a, weight, cells):
    """Enter a guess of the ground with a weight below MEASURED into its cell, unless there is a measurement or a better guess."""
    j, i = _cell_of(q, a, cells)
    if j < 0:
        return
    cells.ground_now[j, i] += 1
    if LATER * cells.weight[j, i] <= weight:
        cells.height[j, i], cells.weight[j, i] = a.z, weight


@inline
def _add_ground(q, a, cells):
    """Enter a return from the ground into its cell."""
    j, i = _cell_of(q, a, cells)
    if j < 0:
        return
    if cells.weight[j, i] < MEASURED:  # the first return replaces a guess
        cells.height[j, i], cells.weight[j, i] = a.z, MEASURED
    else:
        cells.weight[j, i] = min(cells.weight[j, i], LONGEST_MEAN) + MEASURED
        cells.height[j, i] += MEASURED / cells.weight[j, i] * (a.z - cells.height[j, i])
    cells.ground_now[j, i] += 1


@inline
def _add_below(q, a, cells):
    """Enter a point of the ground below the vehicle into its cell, unless the cell was measured. It is no evidence against an object."""
    j, i = _cell_of(q, a, cells)
    if j < 0:
        return
    cells.seen[j, i] = q["time"]
    if cells.weight[j, i] < MEASURED:
        cells.height[j, i], cells.weight[j, i] = a.z, BETWEEN


@inline
def _add_object(q, a, height, cells):
    """Enter a return from an object, at a height [m] above the ground, into its cell."""
    j, i = _cell_of(q, a, cells)
    if j < 0:
        return
    cells.object_now[j, i] += 1
    cells.top[j, i] = max(cells.top[j, i], height)


@inline
def _cell_of(q, a, cells):
    """Return row and column of a point; -1, -1 outside the map."""
    j, i = math.floor((a.y - q["y"]) / q["cell"]), math.floor((a.x - q["x"]) / q["cell"])
    ny, nx = cells.height.shape
    return (j, i) if 0 <= j < ny and 0 <= i < nx else (-1, -1)
