"""The parameters of a vehicle's mechanism: chassis, four corners, springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from vehicles.dynamics import ACCELERATIONS, CHASSIS, LOADS, STATE, WORK
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import Block, Blocks, new_blocks
from vehicles.suspension.corner import CORNERS, INPUTS, KINEMATICS
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.default_kind import PARAMETERS, pad_default
from vehicles.suspension.ends import no_ends

OneKind = TypeVar("OneKind", bound=CornerDesign)

CORNER_NAMES = ("FL", "FR", "RL", "RR")


@dataclass(frozen=True)
class Design:
    """A vehicle in its design position: the one source of the closed form (`new_mechanism`) and of every other formulation of its dynamics.

    Parameters
    ----------
    chassis : body with everything fixed to it
    corners : FL, FR, RL, RR
    struts : record of STRUTS
    gravity : acceleration of free fall under which it is evaluated by itself [m/s2]; on a ground, that of the ground counts
    """

    chassis: RigidBody
    corners: tuple[CornerDesign, ...]
    struts: Record
    gravity: float = STANDARD_GRAVITY

    def corners_of(self, kind: type[OneKind]) -> tuple[OneKind, ...]:
        """The corners, if all are of that kind. Raises ConfigError."""
        found = []
        for corner in self.corners:
            if not isinstance(corner, kind):
                raise ConfigError(corner.file, corner.key, corner.kind, f"{kind.kind} on both axles")
            found.append(corner)
        return tuple(found)


@dataclass(frozen=True)
class Mechanism:
    """The multibody part: records of CHASSIS, CORNERS and STRUTS, what the kinds of its corners have of their own, and the design."""

    chassis: Record
    corners: Record
    struts: Record
    own: Record
    """Parameters of the corners of the default kind."""
    blocks: tuple[Block, ...]
    """Those of the other kinds."""
    designs: tuple[CornerDesign, ...]

    @property
    def Q_design(self) -> NDArray[np.float64]:
        """(3, 4) inner tie-rod points in the design position [m]."""
        return np.column_stack([corner.Q for corner in self.designs])

    def new_blocks(self) -> Blocks:
        """The blocks of its corners with memory of their own."""
        return new_blocks(self.own, self.blocks)


@dataclass(frozen=True)
class Workspace:
    """State and scratch records of one vehicle."""

    blocks: Blocks
    state: Record
    inputs: Record
    loads: Record
    kinematics: Record
    work: Record
    out: Record


def new_mechanism(chassis: RigidBody, corners: Sequence[CornerDesign], struts: Record) -> Mechanism:
    """Mechanism out of its design description; corners in the order FL, FR, RL, RR.

    Raises
    ------
    ConfigError : a corner cannot be built (see `CornerDesign.write`), or is of another kind than the other side of its axle
    """
    body = record(CHASSIS)
    body[0]["mass"], body[0]["com"] = chassis.mass, chassis.p_BoBcm
    inertia = chassis.I_BBcm
    body[0]["inertia"] = inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]
    geometry = record(CORNERS)
    geometry[0]["ends"] = no_ends()[0]
    for left, right in ((corners[0], corners[1]), (corners[2], corners[3])):
        if right.kind != left.kind:
            raise ConfigError(right.file, right.key, right.kind, f"{left.kind} as on the left side: the sides of an axle are of one kind")
    own = record(PARAMETERS)
    ours = [corner.block is None and corner.linkage is None for corner in corners]
    own[0]["corners"] = sum(ours)
    own[0]["steered"] = 2 if ours[0] else 0
    blocks: list[Block] = []
    for i, corner in enumerate(corners):
        if corner.block is None:
            corner.write(geometry, own, i)
            continue
        if not blocks or blocks[-1].kind is not corner.block:
            blocks.append(Block(corner.block, record(corner.block.parameters), i, 0))
        corner.write(geometry, blocks[-1].parameters, i)
        blocks[-1] = replace(blocks[-1], count=blocks[-1].count + 1)
    pad_default(own)
    return Mechanism(body, geometry, struts, own, tuple(blocks), tuple(corners))


def new_workspace(mechanism: Mechanism, gravity: float = STANDARD_GRAVITY) -> Workspace:
    """Workspace in the design position at rest at the world's origin, under gravity [m/s2] alone."""
    space = Workspace(
        mechanism.new_blocks(), record(STATE), record(INPUTS), record(LOADS), record(KINEMATICS), record(WORK), record(ACCELERATIONS)
    )
    space.state[0]["q_WB"][0] = 1.0
    space.inputs[0]["Q"] = mechanism.Q_design
    space.loads[0]["gravity"] = gravity
    return space
