"""A five-link corner in its design position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.suspension.blocks import AxleCallbacks, Blocks
from vehicles.suspension.corner_design import CornerDesign, Places, Reach
from vehicles.suspension.five_link.block import FIVE_LINK_BLOCK
from vehicles.suspension.five_link.design_points import FiveLinkPoints
from vehicles.suspension.five_link.geometry import write_five_link
from vehicles.suspension.five_link.mechanism import add_five_links

Vector = NDArray[np.float64]

PAST_STOPS = 0.03
"""m. Range of tables beyond the travel stops."""

WITHOUT_STOPS = (-0.1, 0.1)
"""m. Range of the tables of a corner without stops."""


@dataclass(frozen=True)
class FiveLinkCorner(FiveLinkPoints, CornerDesign):
    """A five-link corner in the design position."""

    kind: ClassVar[str] = "five_link"
    block: ClassVar[AxleCallbacks | None] = FIVE_LINK_BLOCK

    @property
    def Q(self) -> Vector:  # type: ignore[override]
        """Inner joint of the toe link."""
        return np.asarray(self.chassis_joints[-1], float)

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        write_five_link(corners, parameters, i, self)

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        add_five_links(parts, name, self, chassis, struts, i)

    def reach(self, corners: Record, i: int) -> Reach:
        low, high = corners[0]["travel"][:, i]
        return Reach((low, high), (low, high), PAST_STOPS, WITHOUT_STOPS, 0.0)

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        low, high = corners[0]["travel"][:, i]
        return 0.0 if low < inputs[0]["theta"][i] < high else math.inf

    def gaps(self, corners: Record, places: Places, i: int) -> Vector:
        low, high = corners[0]["travel"][:, i]
        theta = places.inputs["theta"][:, i]
        return np.where((low < theta) & (theta < high), 0.0, math.inf)

    def turns_of_steering(self, places: Places, i: int) -> Vector:
        return np.zeros(len(places.inputs))
