"""Base class of a corner in its design position, independent of its links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import AxleCallbacks, Blocks

CARRIER_NAME = "carrier"
"""Name of the body of every corner to which other parts can be attached."""


@dataclass(frozen=True)
class Reach:
    """Range of the theta of a corner [rad or m, as its theta]."""

    widest: tuple[float, float]
    """Search range of the travel between the stops."""
    closes: tuple[float, float] | None
    """Range in which its loops are known to close, if known."""
    past_stops: float
    """Range of tables beyond the stops."""
    without_stops: tuple[float, float]
    """Range of the tables of a corner without stops."""
    short_of_open: float
    """Distance of the tables from the theta at which a loop opens, where the derivatives grow without bound."""


class TableSource(Protocol):
    """Motion of a corner without a closed form, from which `vehicles.suspension.mechanism.tables` computes its tables."""

    file: str
    key: str
    data_cells: tuple[int, int] | None
    """Least numbers of intervals along theta and along the Pitman angle, of a motion that is itself given by a table: its tables are not
    compared with it between their nodes. None: the numbers follow from the tolerance."""

    @property
    def steered(self) -> bool:
        """True if the Pitman angle moves the corner."""

    def connect(self, steering: Record, column: int) -> None:
        """Let the Pitman angle of a STEERING record move the corner; `column` is 0 on the left side, 1 on the right."""

    def content(self) -> tuple[object, ...]:
        """Return all inputs that determine the rows of the corner."""

    def rows(self, theta: Vector, angle: Vector) -> tuple[Vector, Vector]:
        """Return rows at S positions, see `vehicles.suspension.mechanism.linkage.Linkage.rows`."""


class Places(NamedTuple):
    """Corners at many consecutive positions.

    blocks : blocks of their vehicle
    scratch, memory : data of the blocks at each position, (n,) and (n, bytes)
    inputs, kinematics : (n,) records of INPUTS and KINEMATICS
    """

    blocks: Blocks
    scratch: Record
    memory: NDArray[np.uint8]
    inputs: Record
    kinematics: Record

    def blocks_at(self, n: int) -> Blocks:
        """Return the blocks at one position."""
        return self.blocks._replace(scratch=self.scratch[n : n + 1], memory=self.memory[n])


class CornerDesign(ABC):
    """A corner in the design position, in chassis axes and relative to the chassis reference point [m].

    Attributes
    ----------
    kind : name of its kind in a vehicle file
    block : its kernels; None: those of the default kind
    mounts : bodies to which other parts can be attached: names in a vehicle file, to names in the multibody model after the prefix "FL_"
        etc.: the carrier, and arms that rotate by theta about a hinge on the chassis
    Q : inner joint of tie rod or toe link
    W : wheel center
    axle : of the wheel, pointing left
    turned : attitude (3, 3) of the carrier relative to that between the hardpoints of the file, if a tie rod has another length
    bodies : by name; every corner has a `knuckle` and a `wheel`
    file, key : file and key of its section, for messages
    linkage : source of its tables, if it has no closed form
    rack : body that moves with Q alone, half of a rack; None: massless
    """

    kind: ClassVar[str]
    block: ClassVar[AxleCallbacks | None] = None
    mounts: ClassVar[dict[str, str]] = {CARRIER_NAME: "knuckle"}
    Q: Vector
    W: Vector
    axle: Vector
    turned: Vector = np.eye(3)
    bodies: dict[str, RigidBody]
    file: str
    key: str
    linkage: TableSource | None = None
    rack: RigidBody | None = None

    def hinged_point(self, body: str, point: Vector) -> Vector | None:
        """Return a point (3,) of a body of `mounts` for `hinged` at theta: (3, 3) foot on the hinge, radius, axis x radius.

        None: the carrier.
        """
        return None

    def in_body(self, body: str, point: Vector) -> Vector:
        """Return a point of the design position (3,) in the frame of a body of the multibody model, named as in the values of `mounts`."""
        return point

    @property
    def tierod_length(self) -> float:
        """Return the length of the tie rod between the hardpoints [m]. Raises ConfigError if the corner has no adjustable tie rod."""
        raise ConfigError(self.file, self.key, self.kind, f"a kind of axle with adjustable tie rods, which {self.kind} is not")

    def with_tie_rod(self, length: float) -> Self:
        """Return the corner with another tie-rod length [m].

        The carrier is rotated in its design position. Raises ConfigError if the loop does not close.
        """
        raise NotImplementedError

    def with_rack(self, half: RigidBody) -> Self:
        """Return the corner with half a rack that moves with Q. Raises ConfigError if this kind has no rack."""
        raise ConfigError(self.file, self.key, self.kind, f"a kind of axle that supports a rack with mass, which {self.kind} is not")

    @property
    def is_default(self) -> bool:
        """True for a corner in closed form whose kernels are those of the default kind."""
        return self.block is None and self.linkage is None

    @abstractmethod
    def write(self, corners: Record, parameters: Record, i: int) -> None:
        """Fill column i of a CORNERS record and of one of the kind's own. Raises ConfigError where the corner cannot work."""

    def write_tie_rod(self, corners: Record, parameters: Record, i: int) -> None:
        """Update the part of `write` that depends on the length of the tie rod; the rest is already present. Raises as `write`."""
        self.write(corners, parameters, i)

    def write_length(self, parameters: Record, i: int, length: float) -> bool:
        """Update only the tie-rod length [m] in column i of a record of the kind's own, for a fast evaluation.

        Other results of `write_tie_rod` are not updated. Returns False if this kind does not support it.
        """
        return False

    def kingpin(self, blocks: Blocks, theta: float, i: int) -> tuple[Vector, Vector, Vector] | None:
        """Return the axis of rotation of the carrier during tie-rod adjustment, as two points (3,), and the outer tie-rod joint [m].

        The positions are those of `place_blocks` at theta for corner i. None: the axis does not exist or is unknown.
        """
        return None

    @abstractmethod
    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        """Add the corner to a multibody model. Raises ConfigError.

        Its bodies and joints have names with the prefix `name`. The corner lies between the body `chassis` and the body `inner` that
        carries Q. Linear springs and dampers are those of column i.
        """

    def write_ends(self, i: int, corners: Record, struts: Record, lock: float) -> None:
        """Write the travel limits of a corner with a `linkage` into column i of a CORNERS record; lock: Pitman angle at full lock [rad]."""
        raise NotImplementedError

    @abstractmethod
    def reach(self, corners: Record, i: int) -> Reach:
        """Return the range of theta of column i of a CORNERS record."""

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        """Return the loop gap of corner i at the position of `place_blocks` [m]; infinite beyond its travel."""
        return 0.0

    def turn_of_steering(self, blocks: Blocks, i: int) -> float:
        """Return the rotation of the carrier per displacement of its tie rod [rad/m]; 0 for an unsteered corner."""
        return 0.0

    def gaps(self, corners: Record, places: Places, i: int) -> Vector:
        """Return `gap` at many positions, (n,)."""
        if type(self).gap is CornerDesign.gap:
            return np.zeros(len(places.inputs))
        return np.array([self.gap(corners, places.blocks_at(n), places.inputs[n : n + 1], i) for n in range(len(places.inputs))])

    def turns_of_steering(self, places: Places, i: int) -> Vector:
        """Return `turn_of_steering` at many positions, (n,)."""
        if type(self).turn_of_steering is CornerDesign.turn_of_steering:
            return np.zeros(len(places.inputs))
        return np.array([self.turn_of_steering(places.blocks_at(n), i) for n in range(len(places.inputs))])
