"""The parameters of a vehicle's mechanism: chassis, four corners, springs and dampers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.records import Record, record
from vehicles.axle_layout import USUAL_AXLES, WHEELS, AxleLayout, Axles, record_for, size_of
from vehicles.dynamics import ACCELERATIONS, CHASSIS, LOADS, STATE, WORK
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.anti_roll_bar import ANTI_ROLL_BARS
from vehicles.suspension.blocks import Block, Blocks, new_blocks
from vehicles.suspension.composite_inertia import MechanismRecords, Workspace
from vehicles.suspension.contract import CORNERS, INPUTS, KINEMATICS
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.default_kind import PARAMETERS, pad_default
from vehicles.suspension.hard_stops import no_ends

OneKind = TypeVar("OneKind", bound=CornerDesign)

CORNER_NAMES = USUAL_AXLES.corners
"""Corner names of a vehicle of the default size."""


@dataclass(frozen=True)
class VehicleDesign:
    """A vehicle in its design position: the only source of the closed form (`new_mechanism`) and of all other formulations of its dynamics.

    Parameters
    ----------
    chassis : body including all masses fixed to it
    corners : from the front, left before right: FL, FR, RL, RR
    struts : record of STRUTS
    axles : axle names and corners of each axle
    gravity : acceleration of gravity for a stand-alone evaluation [m/s2]; on a ground, the gravity of the ground applies
    """

    chassis: RigidBody
    corners: tuple[CornerDesign, ...]
    struts: Record
    gravity: float = STANDARD_GRAVITY
    axles: Axles = USUAL_AXLES

    def without_bars(self) -> VehicleDesign:
        """Return the design without anti-roll bars, which have no mass: as bodies of a mechanism only constraint embedding can simulate
        them."""
        struts = self.struts.copy()
        struts[0]["anti_roll_bars"] = record_for(ANTI_ROLL_BARS, self.axles.size)[0]
        return replace(self, struts=struts)

    def corners_of(self, kind: type[OneKind]) -> tuple[OneKind, ...]:
        """Return the corners if all are of this kind. Raises ConfigError."""
        found = []
        for corner in self.corners:
            if not isinstance(corner, kind):
                raise ConfigError(corner.file, corner.key, corner.kind, f"{kind.kind} on both axles")
            found.append(corner)
        return tuple(found)


@dataclass(frozen=True)
class MechanismParameters:
    """Multibody parameters: records of CHASSIS, CORNERS and STRUTS, the parameters of the corner kinds, and the design."""

    records: MechanismRecords
    own: Record
    """Parameters of the corners of the default kind."""
    blocks: tuple[Block, ...]
    """Parameter blocks of the other corner kinds."""
    designs: tuple[CornerDesign, ...]
    axles: Axles

    @property
    def chassis(self) -> Record:
        """Record of CHASSIS."""
        return self.records.chassis

    @property
    def corners(self) -> Record:
        """Record of CORNERS."""
        return self.records.corners

    @property
    def struts(self) -> Record:
        """Record of STRUTS."""
        return self.records.struts

    def with_struts(self, struts: Record) -> MechanismParameters:
        """Return the parameters with other springs and dampers."""
        return replace(self, records=self.records._replace(struts=struts))

    def with_chassis(self, chassis: RigidBody) -> MechanismParameters:
        """Return the parameters with another chassis."""
        return replace(self, records=self.records._replace(chassis=chassis_record(chassis)))

    @property
    def size(self) -> AxleLayout:
        """Numbers of axles and wheels."""
        return self.axles.size

    @property
    def Q_design(self) -> NDArray[np.float64]:
        """(3, wheels) inner tie-rod points in the design position [m]."""
        return np.column_stack([corner.Q for corner in self.designs])

    def write_corner(self, i: int, corner: CornerDesign) -> int:
        """Rewrite corner i, which is not of the default kind, with unchanged bodies, travel limits and bushings, and return the number of
        its block.

        Raises ConfigError, as `CornerDesign.write`.
        """
        n = self.block_of(i)
        block, unchanged = self.blocks[n], {name: self.corners[0][name].copy() for name in ("ends", "compliance")}
        if block.lane == block.first:
            corner.write(self.corners, block.parameters, i)
        else:
            _write_lane(corner, self.corners, block.parameters, i, i - block.first + block.lane)
        for name, value in unchanged.items():
            self.corners[0][name] = value
        return n

    def block_of(self, i: int) -> int:
        """Return the number of the block that contains corner i, which is not of the default kind."""
        return next(n for n, block in enumerate(self.blocks) if block.first <= i < block.first + block.count)

    def new_blocks(self) -> Blocks:
        """Return the blocks of the corners with newly allocated memory."""
        return new_blocks(self.own, self.blocks, self.size)


def new_mechanism(
    chassis: RigidBody, corners: Sequence[CornerDesign], struts: Record, axles: Axles = USUAL_AXLES, steered: Collection[int] = (0,)
) -> MechanismParameters:
    """Return the mechanism parameters of a design; corners from the front, left before right, on these axles. `steered` : axles that the
    steering moves.

    Raises
    ------
    ConfigError : a corner cannot be built (see `CornerDesign.write`), or differs in kind from the opposite corner of its axle
    """
    size = axles.size
    geometry = record_for(CORNERS, size)
    axles.write(geometry)
    geometry[0]["ends"] = no_ends(size)[0]
    own = record_for(PARAMETERS, size)
    blocks: list[Block] = []
    with ErrorCollector() as faults:
        for axle in range(size.axles):
            with faults.part():
                _add_axle(axle, [corners[i] for i in axles.on(axle)], axles.on(axle)[0], geometry, own, blocks)
                if axle in steered and corners[axles.on(axle)[0]].is_default:
                    own[0]["steered"] |= sum(1 << i for i in axles.on(axle))
    pad_default(own)
    return MechanismParameters(MechanismRecords(chassis_record(chassis), geometry, struts), own, tuple(blocks), tuple(corners), axles)


def chassis_record(chassis: RigidBody) -> Record:
    """Return the record of CHASSIS for a body."""
    body, inertia = record(CHASSIS), chassis.I_BBcm
    body[0]["mass"], body[0]["com"] = chassis.mass, chassis.p_BoBcm
    body[0]["inertia"] = inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]
    return body


def _add_axle(axle: int, corners: Sequence[CornerDesign], first: int, geometry: Record, own: Record, blocks: list[Block]) -> None:
    """Write the corners of an axle, starting at corner `first`, into CORNERS and into the records of their kind."""
    kind = corners[0].block
    for corner in corners[1:]:
        if corner.kind != corners[0].kind:
            expected = f"{corners[0].kind}, the kind of the left side of the axle"
            raise ConfigError(corner.file, corner.key, corner.kind, expected)
    if kind is None:
        for i, corner in enumerate(corners, first):
            corner.write(geometry, own, i)
        if corners[0].is_default:
            own[0]["corners"] += len(corners)
        return
    if blocks and blocks[-1].can_add(kind, len(corners)):
        block = blocks.pop()
    else:
        block = Block(kind, record(kind.parameters), first, 0, axle, first if size_of(geometry).is_usual else 0)
    for i, corner in enumerate(corners, first):
        if block.lane == block.first:
            corner.write(geometry, block.parameters, i)
        else:
            _write_lane(corner, geometry, block.parameters, i, i - block.first + block.lane)
    blocks.append(replace(block, count=block.count + len(corners)))


def _write_lane(corner: CornerDesign, geometry: Record, parameters: Record, i: int, lane: int) -> None:
    """Write corner i, whose column in the records of its kind is `lane` instead of i."""
    usual = record(CORNERS)
    usual[0]["ends"] = no_ends()[0]
    corner.write(usual, parameters, lane)
    for name, shape, *_ in CORNERS:
        if shape and shape[-1] is WHEELS and name != "axle":
            geometry[0][name][..., i] = usual[0][name][..., lane]
    for name in ("coupled", "carries_drive"):
        geometry[0][name][geometry[0]["axle"][i]] = usual[0][name][lane // 2]


def new_workspace(mechanism: MechanismParameters, gravity: float = STANDARD_GRAVITY) -> Workspace:
    """Return a workspace in the design position, at rest at the origin of the world, under gravity [m/s2] alone."""
    tables = (STATE, INPUTS, LOADS, KINEMATICS, WORK, ACCELERATIONS)
    space = Workspace(mechanism.new_blocks(), *(record_for(table, mechanism.size) for table in tables))
    space.state[0]["q_WB"][0] = 1.0
    space.inputs[0]["Q"] = mechanism.Q_design
    space.loads[0]["gravity"] = gravity
    return space
