"""From the hardpoints and bodies of a corner to the constants its closed-form kinematics works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.array_vectors import cross, unit
from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from vehicles.suspension.double_wishbone.geometry_kernels import DESIGN, DIRECTIONS, JOINTS, KEPT, POINTS, write_arms, write_rod
from vehicles.suspension.double_wishbone.kinematics import BODIES
from vehicles.suspension.hinge import Hinge
from vehicles.suspension.wheel_carrier import carrier_with_wheel

if TYPE_CHECKING:
    from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner

Vector = NDArray[np.float64]


ARM_RANGE = (-0.4, 0.25)
"""rad. Arm angles at which a standing vehicle is looked for."""

ALONG, SHORT, DEAD = "along", "short", "dead"
FAULTS = (
    (SHORT, "distance of the ball joints"),
    (DEAD, "upper arm"),
    (ALONG, "upright"),
    (ALONG, "shock absorber"),
    (SHORT, "length of the tie rod"),
    (SHORT, "distance of the outer tie-rod joint from the kingpin"),
    (DEAD, "steering arm"),
    (ALONG, "tie rod"),
)
"""What may be wrong with a corner, and with what, in the order of the numbers of `write_design`."""


def write_corner(corners: Record, parameters: Record, i: int, corner: DoubleWishboneCorner) -> None:
    """Fill column i of a CORNERS record and of one of DOUBLE_WISHBONES.

    Raises
    ------
    ConfigError : the points cannot form the mechanism (coincident joints, a loop on its dead point, a wheel that is no rotor)
    """
    design = corner.designed.copy()
    write_arms(design, parameters, i)
    _write_rod(design, corners, parameters, i, corner)
    common = corners[0]
    common["corner_mass"][i] = design[0]["mass"][: len(BODIES)].sum()
    common["travel"][:, i] = ARM_RANGE


def write_tie_rod(corners: Record, parameters: Record, i: int, corner: DoubleWishboneCorner) -> None:
    """What of `write_corner` depends on the length of the tie rod: the rod itself, and what turns about the kingpin."""
    _write_rod(corner.designed.copy(), corners, parameters, i, corner)


def write_length(parameters: Record, i: int, length: float) -> None:
    """Another length of the tie rod, its center of mass as far along as it was. All that turns about the kingpin is written in a frame that turns
    with it, and about the universal joints only a rod that moves turns: so the corner stands as one that `write_tie_rod` has written."""
    out = parameters[0]
    out["tierod_com"][0, i] *= length / out["tierod_length"][i]
    out["tierod_length"][i] = length


def lower_arm_point(corner: DoubleWishboneCorner, point: Vector) -> Vector:
    """(3, 3): a point fixed to the lower arm, see `Hinge.point`."""
    e, on = unit(corner.lower_arm_axis), corner.lower_arm_point
    return Hinge(on, e if cross(e, corner.D - on)[2] > 0.0 else -e).point(point)


def universal_axes(rod: Vector, parent_axis: Vector) -> Vector:
    """(2, 3) axes of a universal joint that carries a rod: the parent's axis made perpendicular to the rod, and rod x that axis."""
    n = unit(rod)
    first = unit(parent_axis - n * np.dot(n, parent_axis))
    return np.array([first, cross(n, first)])


def designed(corner: DoubleWishboneCorner) -> Record:
    """Record of DESIGN. Raises ConfigError: a wheel that is no rotor."""
    made = record(DESIGN)
    d = made[0]
    for name in (*POINTS, *DIRECTIONS, *JOINTS, "turned"):
        d[name] = getattr(corner, name)
    d["spin_inertia"], carrier = carrier_with_wheel(corner.bodies, corner.W, corner.axle, corner.file, corner.key)
    mass, com, inertia = d["mass"], d["com"], d["inertia"]
    for b, name in enumerate(KEPT):
        body = carrier if name == "carrier" else corner.bodies[name]
        mass[b], com[b], inertia[b] = body.mass, body.p_BoBcm, body.I_BBcm
    return made


def _write_rod(design: Record, corners: Record, parameters: Record, i: int, corner: DoubleWishboneCorner) -> None:
    """Write what depends on the tie rod, and raise what was found to be wrong with the corner."""
    write_rod(design, corners, parameters, i)
    if design[0]["fault"] > 0:
        (kind, name), value = FAULTS[design[0]["fault"] - 1], float(design[0]["value"])
        if kind == ALONG:
            axes = {"upright": corner.upright_axes, "shock absorber": corner.shock_axes, "tie rod": corner.tierod_axes}[name]
            expected = f"the first universal-joint axis of the {name} across the rod, not along it"
            raise ConfigError(corner.file, corner.key, axes[0].tolist(), expected)
        expected = f"a {name} above zero" if kind == SHORT else f"a design position in which the {name} is not on a dead point"
        raise ConfigError(corner.file, corner.key, value, expected)
