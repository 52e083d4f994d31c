"""Ice patch: a rectangle of the hard ground has another friction while the fault lasts.

A tire whose contact point is in the rectangle gets the friction of the patch, with a smooth edge. The patch changes the friction of the hard
ground only: neither heights nor soil, and it has no picture. A patch that is always there belongs to the terrain (`patches`).
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.fields import Field, Number
from simulator.base.records import Record, record
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets
from terrain.ground import GroundArrays, soil_under
from terrain.soil import SOIL

MAX_DISTANCE = 1e5
"""m. Largest distance of a patch from the origin of the world."""


class IcePatch:
    """Friction in a rectangle."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._center, self._half = np.asarray(values["center"], float), 0.5 * np.asarray(values["size"], float)
        self._ahead = np.array((math.cos(values["heading"]), math.sin(values["heading"])))
        self._friction, self._edge = values["friction"], values["edge"]
        self._under: Record = record(SOIL)

    def covered(self, x: float, y: float) -> float:
        """Return how much of the ground at a point (m, in W) the patch covers: 1 inside, 0 outside, a smooth step over the edge."""
        dx, dy = x - self._center[0], y - self._center[1]
        c, s = self._ahead
        cover = 1.0
        for place, half in ((abs(c * dx + s * dy), self._half[0]), (abs(c * dy - s * dx), self._half[1])):
            inside = min(max((half - place) / self._edge + 0.5, 0.0), 1.0)
            cover *= inside * inside * (3.0 - 2.0 * inside)
        return cover

    def apply(self, level: float, on: FaultTargets) -> None:
        """Change the friction below the tires that are in the patch."""
        for i, (x, y, _) in enumerate(on.readout[0]["p_WC"]):
            cover = level * self.covered(float(x), float(y))
            if cover > 0.0:
                ground = friction_of(on.ground, float(x), float(y), self._under)
                on.parameters.model.tires[i]["friction"] /= 1.0 + cover * (self._friction / ground - 1.0)


def friction_of(ground: GroundArrays, x: float, y: float, under: Record) -> float:
    """Return the friction of the hard ground at a point (m, in W), above 0; `under` is a record of SOIL to use."""
    soil_under(ground.p, ground.hardness, ground.soil_ids, ground.soils, x, y, under)
    return max(float(under[0]["friction"]), 0.01)


KIND = FaultKind(
    "ice_patch",
    (
        Field("center", Number("m", -MAX_DISTANCE, MAX_DISTANCE, shape=(2,)), "x, y of its center", frame="the world"),
        Field("size", Number("m", 0.1, MAX_DISTANCE, shape=(2,)), "length along the heading, and width"),
        Field("heading", Number("rad", -math.tau, math.tau), "heading of the length, + = left of the x axis", 0.0, written="deg"),
        Field("friction", Number("1", 0.01, 2.0), "friction coefficient of the patch", 0.1),
        Field("edge", Number("m", 0.05, 100.0), "width of the edge, over which the friction changes", 0.5),
    ),
    IcePatch,
    ramp=0.1,
    by_position=True,
    meaning="rectangle of the ground with another friction, such as ice or oil",
)
