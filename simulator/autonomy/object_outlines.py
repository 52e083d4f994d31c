"""Outlines of the true objects of a session: those at rest, computed once, and those that move."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.objects.records import BREAKAWAY, PATH
from terrain.outlines import Outline, outlines
from terrain.truth_map import ground_heights

LOOK = 0.5
"""s between two predicted places of a moving object."""
STANDING = 0.05
"""m/s. Speed of a moving object below which its place is not predicted."""


@dataclass(frozen=True, eq=False)
class AtRest:
    """Outlines of the objects at rest."""

    key: tuple[int, int, int]
    """number of objects, removed ones, and broken ones: after a change of these, the outlines are not valid"""
    outlines: list[Outline]
    low: Array
    """(n, 2) m, minimum x, y of each outline"""
    high: Array
    """(n, 2) m, maximum x, y"""


class ObjectOutlines:
    """Outlines of the objects on a ground."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._rest: AtRest | None = None

    def at_rest(self, objects: ObjectSet) -> AtRest:
        """Return the outlines of the objects at rest."""
        key = len(objects), objects.edits, int(objects.world[0]["broken"])
        if self._rest is None or self._rest.key != key:
            rows = [row for row in np.flatnonzero(objects.records["motion"] != PATH) if not _is_loose(objects, int(row))]
            grounded = self._on_ground(outlines(objects, rows=np.array(rows, np.int64)))
            reach = np.array([one.reach() for one in grounded]).reshape(-1, 2, 2)
            self._rest = AtRest(key, grounded, reach[:, 0], reach[:, 1])
        return self._rest

    def moving(self, objects: ObjectSet, time: float, prediction: float = 0.0) -> list[Outline]:
        """Return the outlines of moving objects at a time [s], and where they will be within `prediction` [s] at their present velocity."""
        rows = np.flatnonzero(objects.records["motion"] == PATH)
        loose = [row for row in np.flatnonzero(objects.records["motion"] == BREAKAWAY) if _is_loose(objects, int(row))]
        grounded = self._on_ground(outlines(objects, time, rows=np.array(loose, np.int64)))
        if not len(rows):
            return grounded
        now, soon = outlines(objects, time, rows=rows), outlines(objects, time + 0.1, rows=rows)
        for one, later in zip(now, soon, strict=True):
            velocity = (later.points.mean(axis=0) - one.points.mean(axis=0)) / 0.1
            steps = 1 + (math.ceil(prediction / LOOK) if np.hypot(*velocity) > STANDING else 0)
            grounded += self._on_ground([_moved(one, velocity * min(LOOK * k, prediction)) for k in range(steps)])
        return grounded

    def _on_ground(self, all_outlines: list[Outline]) -> list[Outline]:
        """Return outlines with the height of the ground below them."""
        if not all_outlines:
            return []
        x, y = np.array([one.points.mean(axis=0) for one in all_outlines]).T
        grounds = ground_heights(self._ground, np.ascontiguousarray(x), np.ascontiguousarray(y))
        return [Outline(p.points, p.radius, p.bottom, p.top, p.label, float(z)) for p, z in zip(all_outlines, grounds, strict=True)]


def _is_loose(objects: ObjectSet, row: int) -> bool:
    """Return whether an object is broken off."""
    one = objects.records[row]
    return bool(one["motion"] == BREAKAWAY and objects.states[one["state"]]["broken"])


def _moved(one: Outline, shift: Array) -> Outline:
    """Return an outline at another place."""
    return Outline(one.points + shift, one.radius, one.bottom, one.top, one.label, one.ground)
