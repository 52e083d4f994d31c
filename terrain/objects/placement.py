"""Probable mistakes in the placement of objects, for `jounce check`: inside one another, below or above the ground, on the start."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terrain.composite_height import composed_heights
from terrain.ground import Ground
from terrain.objects.footprint import Rectangle, footprint, meets, rows_in
from terrain.objects.records import BREAKAWAY, PATH
from terrain.objects.world_object import WorldObject

DEEP = 0.02
"""m. Smaller overlaps of two objects are no mistake."""
TYPICAL_CAR = Rectangle(2.4, -2.4, 1.0)
"""Outline of a car, because a terrain does not know its vehicle."""
SHOWN = 5
"""Number of examples in a message."""


def placement_remarks(ground: Ground) -> list[str]:
    """Return a line for each kind of probable mistake, with examples."""
    objects = ground.objects
    if not len(objects):
        return []
    r = objects.records
    x, y = np.ascontiguousarray(r["p_WO"][:, 0]), np.ascontiguousarray(r["p_WO"][:, 1])
    base = np.empty(len(r))
    composed_heights(ground.arrays, x, y, base)
    still = r["motion"] != PATH
    out = []
    for rows, what in (
        (np.flatnonzero(still & (r["high"][:, 2] < base)), "below the ground"),
        (np.flatnonzero((r["motion"] == BREAKAWAY) & (r["low"][:, 2] > base + 0.5)), "breakaway objects more than 0.5 m above the ground"),
    ):
        if len(rows):
            out.append(_line(what, [objects.objects[row].name for row in rows]))
    x0, y0, yaw = ground.spawn
    base0 = ground.height(x0, y0)
    names = [objects.objects[row].name for row in rows_in(objects, TYPICAL_CAR.at(x0, y0, yaw), base0 + 0.1, base0 + 2.0)]
    if names:
        out.append(_line(f"on the start of the drive at [{x0:g}, {y0:g}]", names))
    pairs = [(a, b) for a, b in _overlapping(ground) if not _are_parts(objects.objects[a], objects.objects[b])]
    if pairs:
        out.append(_line("inside one another", [f"{objects.objects[a].name} and {objects.objects[b].name}" for a, b in pairs]))
    return out


def _are_parts(one: WorldObject, other: WorldObject) -> bool:
    """Return whether two objects are parts of one vehicle: the first part has its name, the others a number behind it."""
    return one.position == other.position and one.name.split(" ")[0] == other.name.split(" ")[0]


def _line(what: str, names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"objects {what}: {', '.join(names[:SHOWN])}{more}"


def _overlapping(ground: Ground) -> list[tuple[int, int]]:
    """Return the pairs of solid static objects whose bounding boxes and footprints overlap by more than DEEP."""
    from scipy.spatial import cKDTree

    objects, r = ground.objects, ground.objects.records
    rows = np.flatnonzero((r["motion"] != PATH) & (r["extinction"] == 0.0))
    if len(rows) < 2:
        return []
    low, high = r["low"][rows] + DEEP, r["high"][rows] - DEEP
    center, reach = 0.5 * (low + high), 0.5 * np.linalg.norm(high - low, axis=1)
    pairs: list[tuple[int, int]] = []
    tree, largest = cKDTree(center), float(reach.max())
    for first, near in enumerate(tree.query_ball_point(center, reach + largest)):
        later: NDArray[np.intp] = np.array([other for other in near if other > first], np.intp)
        boxes = (low[later] < high[first]).all(axis=1) & (high[later] > low[first]).all(axis=1)
        for second in later[boxes]:
            a, b = int(rows[first]), int(rows[second])
            shapes = [(_rectangle(ground, row), _shrunk(footprint(objects, row))) for row in (a, b)]
            if meets(shapes[0][0], shapes[1][1]) and meets(shapes[1][0], shapes[0][1]):  # the separating axis may be one of the other
                pairs.append((a, b))
    return pairs


def _rectangle(ground: Ground, row: int) -> NDArray[np.float64]:
    """Return the corners (4, 2) of the rectangle around a footprint, along the axes of the object."""
    points = _shrunk(footprint(ground.objects, row))
    along = ground.objects.records[row]["R_WO"][:2, 0]
    length = float(np.hypot(*along))
    along = along / length if length > 1e-6 else np.array((1.0, 0.0))
    axes = np.array((along, (-along[1], along[0])))
    own = points @ axes.T
    (a0, b0), (a1, b1) = own.min(axis=0), own.max(axis=0)
    return np.array(((a1, b1), (a0, b1), (a0, b0), (a1, b0))) @ axes


def _shrunk(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a polygon (n, 2) that is smaller by about DEEP."""
    center = points.mean(axis=0)
    size = np.maximum(np.hypot(*(points - center).T), 1e-9)[:, None]
    return center + (points - center) * np.maximum(size - DEEP, 0.0) / size
