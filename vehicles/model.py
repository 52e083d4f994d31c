"""The parameters of a vehicle's mechanism: chassis, four corners, springs and dampers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, InertiaWarning
from simulator.base.records import Record, join, record
from vehicles.dynamics import ACCELERATIONS, CHASSIS, LOADS, STATE, WORK
from vehicles.suspension.corner import CORNERS, INPUTS, KINEMATICS
from vehicles.suspension.corner_model import Body, Corner, write_corner
from vehicles.suspension.double_wishbone import DOUBLE_WISHBONES
from vehicles.suspension.ends import no_ends
from vehicles.suspension.five_link import FIRST
from vehicles.suspension.five_link_model import FiveLinkCorner, write_five_link

CORNER_NAMES = ("FL", "FR", "RL", "RR")

THINNEST = 1e-4
"""m. No body has a smaller radius of gyration; less is a slip of the pen."""


@dataclass(frozen=True)
class Design:
    """A vehicle in its design position: the one source of the closed form (`new_mechanism`) and of every other formulation of its dynamics.

    Parameters
    ----------
    chassis : body with everything fixed to it
    corners : FL, FR, RL, RR
    struts : record of STRUTS
    gravity : acceleration of free fall [m/s2]
    """

    chassis: Body
    corners: tuple[Corner | FiveLinkCorner, ...]
    struts: Record
    gravity: float

    @property
    def double_wishbones(self) -> tuple[Corner, ...]:
        """The corners, if all are double wishbones. Raises ConfigError."""
        found = []
        for corner in self.corners:
            if isinstance(corner, FiveLinkCorner):
                raise ConfigError(corner.file, corner.key, "five_link", "double wishbones on both axles")
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


def new_mechanism(chassis: Body, corners: Sequence[Corner | FiveLinkCorner], struts: Record, gravity: float = 9.81) -> Mechanism:
    """Mechanism out of its design description; corners in the order FL, FR, RL, RR.

    Raises
    ------
    ConfigError : a corner cannot be built (see `write_corner`, `write_five_link`), or a corner has five links and its axle has not
    """
    body = record(CHASSIS)
    body[0]["mass"], body[0]["com"], body[0]["gravity"] = chassis.mass, chassis.com, gravity
    inertia = chassis.inertia
    body[0]["inertia"] = inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]
    geometry = record(CORNERS)
    geometry[0]["ends"] = no_ends()[0]
    five_links = [isinstance(corner, FiveLinkCorner) for corner in corners]
    if any(five_links) and five_links != [False, False, True, True]:
        at = corners[five_links.index(True)]
        raise ConfigError(at.file, at.key, "five_link", "double wishbones on the front axle, five links on both sides of the rear axle")
    geometry[0]["double_wishbones"] = FIRST if any(five_links) else len(corners)
    for i, corner in enumerate(corners):
        if isinstance(corner, FiveLinkCorner):
            write_five_link(geometry, i, corner)
        else:
            write_corner(geometry, i, corner)
    for name, *_ in DOUBLE_WISHBONES if any(five_links) else ():  # what the idle vector lanes go along with, see `corner_kinematics`
        geometry[0][name][..., FIRST:] = geometry[0][name][..., :FIRST]
    return Mechanism(body, geometry, struts, np.column_stack([corner.Q for corner in corners]))


def new_workspace(mechanism: Mechanism) -> Workspace:
    """Workspace in the design position at rest at the world's origin."""
    space = Workspace(record(STATE), record(INPUTS), record(LOADS), record(KINEMATICS), record(WORK), record(ACCELERATIONS))
    space.state[0]["q_WB"][0] = 1.0
    space.inputs[0]["Q"] = mechanism.Q_design
    return space


def checked_body(
    mass: float,
    com: NDArray[np.float64],
    inertia: NDArray[np.float64],
    file: str,
    key: str,
    inertia_key: str = "inertia",
    warn: bool = True,
) -> Body:
    """Body after checks that a rigid body must pass; `key` and `inertia_key` name its place and that of its inertia in messages.

    Raises
    ------
    ConfigError : mass not above zero, inertia not symmetric, not positive definite, or of a body smaller than THINNEST

    A broken triangle inequality (a moment larger than the sum of the two others) only warns, unless `warn` is False: published vehicle
    data have it.
    """
    if not mass > 0.0:
        raise ConfigError(file, join(key, "mass"), mass, "a mass above 0 kg")
    if not np.allclose(inertia, inertia.T, rtol=0.0, atol=1e-9 * max(1.0, np.abs(inertia).max())):
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), "a symmetric inertia matrix")
    moments = np.linalg.eigvalsh(inertia)
    if not moments[0] > 0.0:
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), "a positive definite inertia matrix")
    if moments[0] < mass * THINNEST**2:
        expected = (
            f"moments of a body of {mass:g} kg: at least {mass * THINNEST**2:.2g} kg m2, a radius of gyration of {1e3 * THINNEST:g} mm"
        )
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), expected)
    if warn and moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
        warnings.warn(
            f"{file}: {join(key, inertia_key)}: largest principal moment above the sum of the others", InertiaWarning, stacklevel=2
        )
    return Body(float(mass), np.asarray(com, float), np.asarray(inertia, float))
