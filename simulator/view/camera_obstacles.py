"""Objects in the way of a camera: houses and walls between the vehicle and its camera. No OpenGL here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.view.object_data import BAKED

if TYPE_CHECKING:
    from simulator.view.object_culling import ObjectItems

LONGEST, TALLEST = 1.2, 0.6
"""m. Half length and half height above which a box is in the way: a house, a wall, a lorry, but no post and no trunk of a tree."""
MARGIN = 0.35
"""m. Distance of a camera from the walls of a box."""

Clear = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""Returns the position of a camera, moved towards the first point if walls are between both points."""


def no_obstacles(_: NDArray[np.float64], eye: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the position of the camera, in a world without objects."""
    return eye


class Obstacles:
    """Boxes around the large objects of a world, where they are now; the parts of vehicles and boxes that contain the vehicle are left out."""

    def __init__(self, items: ObjectItems) -> None:
        half = items.box_half
        self._items, self._large = items, np.flatnonzero((half[:, :2].max(axis=1) > LONGEST) & (half[:, 2] > TALLEST))

    def clear(self, start: NDArray[np.float64], eye: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the position of a camera that looks at `start` and wants to be at `eye`: in front of the first wall."""
        items = self._items
        rows = self._large[items.present[items.owner[self._large]] & items.drawn[items.owner[self._large]]]
        near = np.linalg.norm(items.center[rows] - start, axis=1) < np.linalg.norm(items.box_half[rows], axis=1) + np.linalg.norm(
            eye - start
        )
        rows = rows[near]
        if not len(rows):
            return eye
        fixed = items.group[rows] == BAKED
        R = np.where(fixed[:, None, None], np.eye(3), items.rotation[items.owner[rows]])
        half = items.box_half[rows] + MARGIN
        a, b = (np.einsum("nji,nj->ni", R, point - items.center[rows]) for point in (start, eye))
        way = np.where(np.abs(b - a) < 1e-9, 1e-9, b - a)
        one, other = (-half - a) / way, (half - a) / way
        enters, leaves = np.minimum(one, other).max(axis=1), np.maximum(one, other).min(axis=1)
        hit = (enters > 0.0) & (enters < np.minimum(leaves, 1.0))
        share = float(enters[hit].min(initial=1.0))
        return np.asarray(start + share * (eye - start))
