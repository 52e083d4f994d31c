"""Geometry constants of a double-wishbone corner from its hardpoints and bodies."""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.array_vectors import cross, unit
from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record, record
from vehicles.suspension.double_wishbone.design_points import DoubleWishbonePoints
from vehicles.suspension.double_wishbone.geometry_kernels import DESIGN, DESIGN_BODIES, DIRECTIONS, JOINTS, POINTS, write_arms, write_rod
from vehicles.suspension.double_wishbone.kinematics import BODIES
from vehicles.suspension.hinge import Hinge
from vehicles.suspension.wheel_carrier import carrier_with_wheel

ARM_RANGE = (-0.4, 0.25)
"""rad. Range of arm angles in the search for the equilibrium."""

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
"""Possible faults of a corner and their subjects, in the order of the fault numbers of `write_arms` and `write_rod`."""


def write_corner(corners: Record, parameters: Record, i: int, corner: DoubleWishbonePoints, design: Record) -> None:
    """Fill column i of a CORNERS record and of one of DOUBLE_WISHBONES; `design` is the record of DESIGN of the corner, read-only.

    Raises
    ------
    ConfigError : the points cannot form the mechanism (coincident joints, a loop on its dead point, a wheel that is not a rotor)
    """
    design = design.copy()
    write_arms(design, parameters, i)
    _write_rod(design, corners, parameters, i, corner)
    common = corners[0]
    common["corner_mass"][i] = design[0]["mass"][: len(BODIES)].sum()
    common["travel"][:, i] = ARM_RANGE


def write_tie_rod(corners: Record, parameters: Record, i: int, corner: DoubleWishbonePoints, design: Record) -> None:
    """Update the part of `write_corner` that depends on the length of the tie rod: the rod, and the parts that rotate about the kingpin."""
    _write_rod(design.copy(), corners, parameters, i, corner)


def write_length(parameters: Record, i: int, length: float) -> None:
    """Set another length of the tie rod, with its center of mass at the same relative position.

    All parts that rotate about the kingpin are described in a frame that rotates with it, and the universal joints affect only a moving
    rod. The corner is therefore in the same position as after `write_tie_rod`.
    """
    out = parameters[0]
    out["tierod_com"][0, i] *= length / out["tierod_length"][i]
    out["tierod_length"][i] = length


def lower_arm_point(corner: DoubleWishbonePoints, point: Vector) -> Vector:
    """Return a point fixed to the lower arm as (3, 3), see `Hinge.point`."""
    e, on = unit(corner.lower_arm_axis), corner.lower_arm_point
    return Hinge(on, e if cross(e, corner.D - on)[2] > 0.0 else -e).point(point)


def universal_axes(rod: Vector, parent_axis: Vector) -> Vector:
    """Return the (2, 3) axes of the universal joint of a rod: the parent's axis made perpendicular to the rod, and rod x that axis."""
    n = unit(rod)
    first = unit(parent_axis - n * np.dot(n, parent_axis))
    return np.array([first, cross(n, first)])


def designed(corner: DoubleWishbonePoints) -> Record:
    """Return a record of DESIGN. Raises ConfigError if the wheel is not a rotor."""
    design = record(DESIGN)
    d = design[0]
    for name in (*POINTS, *DIRECTIONS, *JOINTS, "turned"):
        d[name] = getattr(corner, name)
    d["spin_inertia"], carrier = carrier_with_wheel(corner.bodies, corner.W, corner.axle, corner.file, corner.key)
    mass, com, inertia = d["mass"], d["com"], d["inertia"]
    for b, name in enumerate(DESIGN_BODIES):
        body = carrier if name == "carrier" else corner.bodies[name]
        mass[b], com[b], inertia[b] = body.mass, body.p_BoBcm, body.I_BBcm
    return design


def _write_rod(design: Record, corners: Record, parameters: Record, i: int, corner: DoubleWishbonePoints) -> None:
    """Write the part that depends on the tie rod, and raise ConfigError for a fault of the corner."""
    write_rod(design, corners, parameters, i)
    if design[0]["fault"] > 0:
        (kind, name), value = FAULTS[design[0]["fault"] - 1], float(design[0]["value"])
        if kind == ALONG:
            axes = {"upright": corner.upright_axes, "shock absorber": corner.shock_axes, "tie rod": corner.tierod_axes}[name]
            expected = f"the first universal-joint axis of the {name} across the rod, not along it"
            raise ConfigError(corner.file, corner.key, axes[0].tolist(), expected)
        expected = f"a {name} above zero" if kind == SHORT else f"a design position in which the {name} is not on a dead point"
        raise ConfigError(corner.file, corner.key, value, expected)
