"""From the hardpoints and bodies of a corner to the constants its closed-form kinematics works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.single_vectors import cross, norm, unit
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.suspension.carrier import carrier_with_wheel
from vehicles.suspension.double_wishbone.kinematics import BODIES
from vehicles.suspension.hinge import Hinge, six_of

if TYPE_CHECKING:
    from vehicles.multibody.description.rigid_body import RigidBody
    from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner

Vector = NDArray[np.float64]


ARM_RANGE = (-0.4, 0.25)
"""rad. Arm angles at which a standing vehicle is looked for."""


def write_corner(corners: Record, parameters: Record, i: int, corner: DoubleWishboneCorner) -> None:
    """Fill column i of a CORNERS record and of one of DOUBLE_WISHBONES.

    Raises
    ------
    ConfigError : the points cannot form the mechanism (coincident joints, a loop on its dead point, a wheel that is no rotor)
    """
    out, common = parameters[0], corners[0]
    e_L, e_U = _jounce_axes(corner)
    lower, upper = Hinge(corner.lower_arm_point, e_L), Hinge(corner.upper_arm_point, e_U)
    out["e_L"][:, i], out["e_U"][:, i] = e_L, e_U
    bodies = corner.bodies

    for name, point in (("D", corner.D), ("B", corner.B), ("S", corner.S), ("lower_arm_com", bodies["lower_arm"].p_BoBcm)):
        out[name][:, :, i] = lower.point(point)
    for name, axis in (("upright_axis", corner.upright_axes[0]), ("shock_axis", corner.shock_axes[0])):
        out[name][:, :, i] = lower.direction(unit(axis))
    for name, point in (("F", corner.F), ("upper_arm_com", bodies["upper_arm"].p_BoBcm)):
        out[name][:, :, i] = upper.point(point)
    out["lower_arm_inertia"][:, :, i] = lower.inertia(bodies["lower_arm"].I_BBcm)
    out["upper_arm_inertia"][:, :, i] = upper.inertia(bodies["upper_arm"].I_BBcm)
    out["J"][:, i], out["U"][:, i] = corner.J, corner.U

    kingpin = corner.F - corner.D
    n = unit(kingpin)
    out["kingpin_length"][i] = _positive(norm(kingpin), corner, "distance of the ball joints")
    out["upper_arm_branch"][i] = _branch(np.dot(kingpin, cross(e_U, corner.F - upper.foot(corner.F))), corner, "upper arm")

    frame, out["upright_branch"][i] = _rod_frame(n, corner.upright_axes, corner, "upright")
    _write_body(out, "upright", i, frame, corner.D, bodies["upright"])
    rod = unit(corner.J - corner.B)
    frame, out["shock_branch"][i] = _rod_frame(rod, corner.shock_axes, corner, "shock absorber")
    _write_body(out, "shock_lower", i, frame, corner.B, bodies["shock_lower"])
    _write_body(out, "shock_upper", i, frame, corner.J, bodies["shock_upper"])
    write_tie_rod(corners, parameters, i, corner)

    for b, name in enumerate(BODIES):
        out["mass"][b, i] = bodies["knuckle"].mass + bodies["wheel"].mass if name == "carrier" else bodies[name].mass
    common["corner_mass"][i] = out["mass"][:, i].sum()
    common["travel"][:, i] = ARM_RANGE


def write_tie_rod(corners: Record, parameters: Record, i: int, corner: DoubleWishboneCorner) -> None:
    """What of `write_corner` depends on the length of the tie rod: the rod itself, and what turns about the kingpin."""
    out, common, bodies = parameters[0], corners[0], corner.bodies
    turned = _write_heading(parameters, i, corner)
    frame, out["tierod_sign"][i] = _rod_frame(unit(corner.Q - corner.K), corner.tierod_axes, corner, "tie rod")
    _write_body(out, "tierod", i, frame, corner.K, bodies["tierod"])
    common["design_frame"][:, :, i] = corner.turned.T @ turned
    common["design_wheel_x"][i], common["design_wheel_z"][i] = corner.W[0], corner.W[2]
    out["tierod_axis"][:, i] = turned.T @ unit(corner.tierod_axes[0])
    common["spin_inertia"][i], carrier = carrier_with_wheel(bodies, corner.W, corner.axle, corner.file, corner.key)
    _write_body(out, "carrier", i, turned, corner.D, carrier)


def write_length(parameters: Record, i: int, length: float) -> None:
    """Another length of the tie rod, its center of mass as far along as it was. All that turns about the kingpin is written in a frame that turns
    with it, and about the universal joints only a rod that moves turns: so the corner stands as one that `write_tie_rod` has written."""
    out = parameters[0]
    out["tierod_com"][0, i] *= length / out["tierod_length"][i]
    out["tierod_length"][i] = length


def _write_heading(parameters: Record, i: int, corner: DoubleWishboneCorner) -> Vector:
    """What the place and heading of the wheel depend on; gives the carrier's frame (3, 3)."""
    out, n = parameters[0], unit(corner.F - corner.D)
    out["tierod_length"][i] = _positive(norm(corner.Q - corner.K), corner, "length of the tie rod")
    arm = corner.K - corner.D
    height = float(np.dot(arm, n))
    across = arm - height * n
    radius = _positive(norm(across), corner, "distance of the outer tie-rod joint from the kingpin")
    k1 = across / radius
    frame = np.column_stack([k1, cross(n, k1), n])
    out["arm_radius"][i], out["arm_height"][i] = radius, height
    out["tierod_branch"][i] = _branch(np.dot(corner.D - corner.Q, frame[:, 1]), corner, "steering arm")
    out["wheel_centre"][:, i] = frame.T @ (corner.W - corner.D)
    out["wheel_axis"][:, i] = frame.T @ unit(corner.axle)
    return frame


def lower_arm_point(corner: DoubleWishboneCorner, point: Vector) -> Vector:
    """(3, 3): a point fixed to the lower arm, see `Hinge.point`."""
    return Hinge(corner.lower_arm_point, _jounce_axes(corner)[0]).point(point)


def _jounce_axes(corner: DoubleWishboneCorner) -> tuple[Vector, Vector]:
    """Hinge axes turned so that a positive angle raises the outer ball joints."""
    axes = []
    for on, axis, ball in (
        (corner.lower_arm_point, corner.lower_arm_axis, corner.D),
        (corner.upper_arm_point, corner.upper_arm_axis, corner.F),
    ):
        e = unit(axis)
        axes.append(e if cross(e, ball - on)[2] > 0.0 else -e)
    return axes[0], axes[1]


def universal_axes(rod: Vector, parent_axis: Vector) -> Vector:
    """(2, 3) axes of a universal joint that carries a rod: the parent's axis made perpendicular to the rod, and rod x that axis."""
    n = unit(rod)
    first = unit(parent_axis - n * np.dot(n, parent_axis))
    return np.array([first, cross(n, first)])


def _rod_frame(rod: Vector, axes: Vector, corner: DoubleWishboneCorner, name: str) -> tuple[Vector, float]:
    """Frame (columns: rod, second joint axis, their product) of a rod, and the sign of its second axis along rod x first axis."""
    y = cross(rod, unit(axes[0]))
    if norm(y) < 0.1:
        raise ConfigError(
            corner.file, corner.key, axes[0].tolist(), f"the first universal-joint axis of the {name} across the rod, not along it"
        )
    sign = 1.0 if np.dot(y, axes[1]) > 0.0 else -1.0
    y = sign * unit(y)
    return np.column_stack([rod, y, cross(rod, y)]), sign


def _write_body(out: Any, name: str, i: int, frame: Vector, origin: Vector, body: RigidBody) -> None:
    out[f"{name}_com"][:, i] = frame.T @ (body.p_BoBcm - origin)
    out[f"{name}_inertia"][:, i] = six_of(frame.T @ body.I_BBcm @ frame)


def _branch(value: float, corner: DoubleWishboneCorner, name: str) -> float:
    """Sign of the square root in `circle` that belongs to the design position.

    With A cos x + B sin x = C solved by `circle`, B cos x - A sin x = -branch * root; `value` is the left side in the design
    position up to a positive factor. Where it vanishes the loop stands on a dead point.
    """
    if abs(value) < 1e-9:
        raise ConfigError(corner.file, corner.key, value, f"a design position in which the {name} is not on a dead point")
    return -1.0 if value > 0.0 else 1.0


def _positive(value: Any, corner: DoubleWishboneCorner, name: str) -> float:
    if not value > 1e-6:
        raise ConfigError(corner.file, corner.key, float(value), f"a {name} above zero")
    return float(value)
