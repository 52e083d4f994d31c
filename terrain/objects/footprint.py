"""Footprints of objects: which objects are in a rectangle seen from above, and where a rectangle finds room."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from terrain.objects.object_set import ObjectSet
from terrain.objects.shapes import CIRCLE


@dataclass(frozen=True)
class Rectangle:
    """Rectangle seen from above: `front` and `back` from its reference point along the heading, half its width to both sides [m]."""

    front: float
    back: float
    half_width: float

    def at(self, x: float, y: float, yaw: float) -> Array:
        """Return the corners (4, 2) with the reference point at x, y [m] and the heading yaw [rad]."""
        corners = np.array(
            (
                (self.front, self.half_width),
                (self.back, self.half_width),
                (self.back, -self.half_width),
                (self.front, -self.half_width),
            )
        )
        c, s = math.cos(yaw), math.sin(yaw)
        return corners @ np.array(((c, s), (-s, c))) + (x, y)


def footprint(objects: ObjectSet, row: int) -> Array:
    """Return the corners (n, 2) of a convex polygon around an object at time 0, seen from above."""
    shape, r = objects.objects[row].shape, objects.records[row]
    flat: Array = r["p_WO"][:2] + shape.corners() @ r["R_WO"][:2].T
    return (flat[:, None] + shape.margin * CIRCLE).reshape(-1, 2) if shape.margin else flat


def meets(corners: Array, points: Array) -> bool:
    """Return True if a rectangle (4, 2) and the convex hull of points (n, 2) overlap, by separating axes.

    Only the axes of the rectangle and those along the closest centers are tested: near a corner, a small gap may count as overlap.
    """
    axes = [corners[1] - corners[0], corners[2] - corners[1], points.mean(axis=0) - corners.mean(axis=0)]
    for axis in axes:
        a, b = corners @ axis, points @ axis
        if a.max() < b.min() or b.max() < a.min():
            return False
    return True


def rows_in(objects: ObjectSet, corners: Array, low: float, high: float) -> Iterator[int]:
    """Yield the rows of the solid objects in a rectangle (4, 2) between the heights low and high [m] at time 0."""
    r = objects.records
    if not len(r):
        return
    start, end = corners.min(axis=0), corners.max(axis=0)
    reach = r["reach"] + np.linalg.norm(r["center_O"], axis=1)
    near = (r["present"] == 1) & (r["extinction"] == 0.0)
    near &= ((r["p_WO"][:, :2] + reach[:, None] >= start) & (r["p_WO"][:, :2] - reach[:, None] <= end)).all(axis=1)
    middle = r["p_WO"][:, 2] + np.einsum("nj,nj->n", r["R_WO"][:, 2], r["center_O"])
    half = np.einsum("nj,nj->n", np.abs(r["R_WO"][:, 2]), r["half_O"])
    near &= (middle - half < high) & (middle + half > low)
    for row in np.flatnonzero(near):
        if meets(corners, footprint(objects, int(row))):
            yield int(row)


def free_place(
    objects: ObjectSet,
    rectangle: Rectangle,
    start: tuple[float, float, float],
    heights: tuple[float, float],
    farthest: float,
    taken: Sequence[Array] = (),
) -> tuple[float, float] | None:
    """Return x, y [m] of the nearest place at which a rectangle with the same heading meets no object; None within `farthest` [m].

    Parameters
    ----------
    start : x, y [m] and yaw [rad]
    heights : minimum and maximum height of the vehicle [m]
    taken : outlines that it must not meet either, as of `Rectangle.at`
    """
    x, y, yaw = start
    for radius in np.arange(0.5, farthest, 0.5):
        for angle in np.linspace(0.0, math.tau, max(8, int(radius * 4)), endpoint=False):
            u, v = x + radius * math.cos(angle), y + radius * math.sin(angle)
            here = rectangle.at(u, v, yaw)
            if not any(meets(here, one) and meets(one, here) for one in taken) and next(rows_in(objects, here, *heights), None) is None:
                return round(float(u), 1), round(float(v), 1)
    return None
