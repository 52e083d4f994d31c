"""What the vehicle asks of a corner in its design position, whatever links are in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from vehicles.multibody.description.parts import Parts
from vehicles.multibody.description.rigid_body import RigidBody

if TYPE_CHECKING:
    from vehicles.suspension.mechanism.linkage import Linkage

Vector = NDArray[np.float64]


class CornerDesign(ABC):
    """A corner in the design position, in chassis axes and from the chassis reference point [m].

    Attributes
    ----------
    kind : name of its kind in a vehicle file
    Q : inner joint of tie rod or toe link
    W : wheel centre
    axle : of the wheel, pointing left
    bodies : by name; every corner has a `knuckle` and a `wheel`
    file, key : where it stands in its file, for messages
    linkage : the corner in the general engine, where it has no closed form
    """

    kind: ClassVar[str]
    Q: Vector
    W: Vector
    axle: Vector
    bodies: dict[str, RigidBody]
    file: str
    key: str
    linkage: Linkage | None = None

    @abstractmethod
    def write(self, corners: Record, i: int) -> None:
        """Fill column i of a CORNERS record. Raises ConfigError where the corner cannot work."""

    @abstractmethod
    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        """Put the corner into a mechanism, its bodies and joints called after `name`, between the body `chassis` and the body `inner`
        that holds Q; linear springs and dampers are those of column i. Raises ConfigError."""
