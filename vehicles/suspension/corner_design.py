"""What the vehicle asks of a corner in its design position, whatever links are in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import AxleCallbacks, Blocks

if TYPE_CHECKING:
    from vehicles.suspension.mechanism.linkage import Linkage

Vector = NDArray[np.float64]

CARRIER_NAME = "carrier"
"""The body of every corner on which other parts may stand."""


@dataclass(frozen=True)
class Reach:
    """How far the theta of a corner may go [rad or m, as its theta]."""

    widest: tuple[float, float]
    """Among these the travel between the stops is looked for."""
    closes: tuple[float, float] | None
    """Where its loops are known to close, if that is known beforehand."""
    past_stops: float
    """By so much tables go beyond the stops."""
    without_stops: tuple[float, float]
    """Tables of a corner that has no stops."""
    short_of_open: float
    """By so much tables keep away from the theta at which a loop opens: the derivatives grow without bound there."""


class Places(NamedTuple):
    """Corners at many positions, one after the other.

    blocks : of their vehicle
    scratch, memory : what those are at each position, (n,) and (n, bytes)
    inputs, kinematics : (n,) records of INPUTS and KINEMATICS
    """

    blocks: Blocks
    scratch: Record
    memory: NDArray[np.uint8]
    inputs: Record
    kinematics: Record

    def blocks_at(self, n: int) -> Blocks:
        """Those of one position."""
        return self.blocks._replace(scratch=self.scratch[n : n + 1], memory=self.memory[n])


class CornerDesign(ABC):
    """A corner in the design position, in chassis axes and from the chassis reference point [m].

    Attributes
    ----------
    kind : name of its kind in a vehicle file
    block : its kernels; None: they are those of the default kind
    mounts : bodies on which other parts may stand, by their names in a vehicle file, and what the general engine calls them after "FL_"
        and so on: the carrier, and arms that turn by theta about a hinge on the chassis
    Q : inner joint of tie rod or toe link
    W : wheel centre
    axle : of the wheel, pointing left
    turned : attitude (3, 3) of the carrier against that between the hardpoints of the file, where a tie rod is set otherwise
    bodies : by name; every corner has a `knuckle` and a `wheel`
    file, key : where it stands in its file, for messages
    linkage : the corner in the general engine, where it has no closed form
    rack : what moves with Q alone, the half of a rack; None: nothing that has a mass
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
    linkage: Linkage | None = None
    rack: RigidBody | None = None

    def hinged_point(self, body: str, point: Vector) -> Vector | None:
        """A point (3,) of a body of `mounts` for `hinged` at theta: (3, 3) foot on the hinge, radius, axis x radius. None: no arm, the carrier."""
        return None

    def in_body(self, body: str, point: Vector) -> Vector:
        """A point of the design position (3,) in the frame that a body, called as in the values of `mounts`, has in the general engine."""
        return point

    @property
    def tierod_length(self) -> float:
        """Length of the tie rod between the hardpoints [m]. Raises ConfigError: the corner has none that can be set."""
        raise ConfigError(self.file, self.key, self.kind, f"a kind of axle whose tie rods can be set, which {self.kind} is not")

    def with_tie_rod(self, length: float) -> Self:
        """The same corner with its tie rod set to another length [m]: in its design position the carrier has turned. Raises ConfigError: the
        loop does not close with it."""
        raise NotImplementedError

    def with_rack(self, half: RigidBody) -> Self:
        """The same corner with half a rack that moves with Q. Raises ConfigError: this kind carries none."""
        raise ConfigError(self.file, self.key, self.kind, f"a kind of axle that carries a rack with a mass, which {self.kind} does not")

    @abstractmethod
    def write(self, corners: Record, parameters: Record, i: int) -> None:
        """Fill column i of a CORNERS record and of one of the kind's own. Raises ConfigError where the corner cannot work."""

    def write_tie_rod(self, corners: Record, parameters: Record, i: int) -> None:
        """What of that depends on the length of the tie rod; all else stands there already. Raises as `write`."""
        self.write(corners, parameters, i)

    def write_length(self, parameters: Record, i: int, length: float) -> bool:
        """Have the corner that is written in column i of a record of the kind's own stand as with a tie rod of that length [m], whatever else
        of `write_tie_rod` that leaves out. False: this kind knows no quick way."""
        return False

    def kingpin(self, blocks: Blocks, theta: float, i: int) -> tuple[Vector, Vector, Vector] | None:
        """Two points (3,) of the line about which the carrier of corner i turns while its tie rod is set, and the rod's outer joint [m], where
        `place_blocks` has put them at theta; None: there is no such line, or nobody knows it."""
        return None

    @abstractmethod
    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        """Put the corner into a mechanism, its bodies and joints called after `name`, between the body `chassis` and the body `inner`
        that holds Q; linear springs and dampers are those of column i. Raises ConfigError."""

    @abstractmethod
    def reach(self, corners: Record, i: int) -> Reach:
        """How far theta of column i of a CORNERS record may go."""

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        """By how much the loops of corner i are open where `place_blocks` has put it [m]; infinite where it is beyond its travel."""
        return 0.0

    def turn_of_steering(self, blocks: Blocks, i: int) -> float:
        """By how much the carrier turns per way of its tie rod there [rad/m]; 0 where nothing is steered."""
        return 0.0

    def gaps(self, corners: Record, places: Places, i: int) -> Vector:
        """The same at many positions, (n,)."""
        if type(self).gap is CornerDesign.gap:
            return np.zeros(len(places.inputs))
        return np.array([self.gap(corners, places.blocks_at(n), places.inputs[n : n + 1], i) for n in range(len(places.inputs))])

    def turns_of_steering(self, places: Places, i: int) -> Vector:
        """The same at many positions, (n,)."""
        if type(self).turn_of_steering is CornerDesign.turn_of_steering:
            return np.zeros(len(places.inputs))
        return np.array([self.turn_of_steering(places.blocks_at(n), i) for n in range(len(places.inputs))])
