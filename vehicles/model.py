"""The parameters of a vehicle's mechanism: chassis, four corners, springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from vehicles.dynamics import ACCELERATIONS, CHASSIS, LOADS, STATE, WORK
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.corner import CORNERS, INPUTS, KINEMATICS
from vehicles.suspension.corner_design import CornerDesign
from vehicles.suspension.double_wishbone.kinematics import DOUBLE_WISHBONES
from vehicles.suspension.ends import no_ends
from vehicles.suspension.five_link.corner import FiveLinkCorner
from vehicles.suspension.five_link.kinematics import FIRST

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
    """Parameter records of the multibody part: CHASSIS, CORNERS and STRUTS, and the inner tie-rod points in the design position (3, 4)."""

    chassis: Record
    corners: Record
    struts: Record
    Q_design: NDArray[np.float64]


@dataclass(frozen=True)
class Workspace:
    """State and scratch records of one vehicle."""

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
    ConfigError : a corner cannot be built (see `CornerDesign.write`), or a corner has five links and its axle has not
    """
    body = record(CHASSIS)
    body[0]["mass"], body[0]["com"] = chassis.mass, chassis.p_BoBcm
    inertia = chassis.I_BBcm
    body[0]["inertia"] = inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]
    geometry = record(CORNERS)
    geometry[0]["ends"] = no_ends()[0]
    five_links = [isinstance(corner, FiveLinkCorner) for corner in corners]
    if any(five_links) and five_links != [False, False, True, True]:
        at = corners[five_links.index(True)]
        raise ConfigError(at.file, at.key, "five_link", "double wishbones on the front axle, five links on both sides of the rear axle")
    closed = [corner.linkage is None for corner in corners]
    if any(five_links) and not all(closed):
        at = corners[closed.index(False)]
        raise ConfigError(at.file, at.key, at.kind, "double wishbones on the front axle, where the rear axle has five links")
    geometry[0]["double_wishbones"] = FIRST if any(five_links) else len(corners)
    for i, corner in enumerate(corners):
        corner.write(geometry, i)
    for name, *_ in DOUBLE_WISHBONES if any(five_links) else ():  # what the idle vector lanes go along with, see `corner_kinematics`
        geometry[0][name][..., FIRST:] = geometry[0][name][..., :FIRST]
    for name, *_ in DOUBLE_WISHBONES if any(closed) and not all(closed) else ():
        idle, busy = np.flatnonzero(np.logical_not(closed)), np.flatnonzero(closed)
        geometry[0][name][..., idle] = geometry[0][name][..., busy]
    return Mechanism(body, geometry, struts, np.column_stack([corner.Q for corner in corners]))


def new_workspace(mechanism: Mechanism, gravity: float = STANDARD_GRAVITY) -> Workspace:
    """Workspace in the design position at rest at the world's origin, under gravity [m/s2] alone."""
    space = Workspace(record(STATE), record(INPUTS), record(LOADS), record(KINEMATICS), record(WORK), record(ACCELERATIONS))
    space.state[0]["q_WB"][0] = 1.0
    space.inputs[0]["Q"] = mechanism.Q_design
    space.loads[0]["gravity"] = gravity
    return space
