"""Contract of dressings: a dressing draws some objects as what they are, such as trees or houses, in place of their collision shapes."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.view.object_culling import ObjectItems
from simulator.view.object_data import ObjectData


class Dressing(Protocol):
    """Drawn appearance of some objects. Images of numbers and depths still show the collision shapes, as the rays of sensors meet them."""

    def show(self, data: ObjectData, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Draw the objects of another world from now on.

        free : (n,) objects that no dressing draws so far

        Return which of them this dressing draws (n,), from their label, shape and size.
        """

    def draw(self, clip_of_world: NDArray, eye: NDArray, shadow: dict[str, Any], items: ObjectItems) -> None:
        """Draw the visible objects.

        shadow : uniforms of the shadows of the vehicle and of objects, see `Objects.draw`
        items : present places (`position`, `rotation`) of all objects, and whether they are `present`
        """

    def draw_depths(self, clip_of_world: NDArray, items: ObjectItems, rows: NDArray[np.int64]) -> None:
        """Draw the depths of some of its objects into the map of shadows."""
