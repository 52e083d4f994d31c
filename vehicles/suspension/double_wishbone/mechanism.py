"""Multibody model of a double-wishbone corner."""

from __future__ import annotations

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.multibody.description.mechanism import JointSpring, Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.suspension.double_wishbone.design_points import DoubleWishbonePoints

BODY_NAMES = {
    "lower_arm": "lca",
    "upright": "upright",
    "knuckle": "knuckle",
    "tierod": "tierod",
    "wheel": "wheel",
    "shock_lower": "shock_lower",
    "shock_upper": "shock_upper",
    "upper_arm": "uca",
}
"""Bodies of a `DoubleWishboneCorner`, and the names of bodies and joints in the multibody model after the prefix "FL_" etc.

lca: lower control arm, uca: upper control arm.
"""


def jounce_sign(corner: DoubleWishbonePoints) -> float:
    """Return +1 if a positive angle of the joint `lca`, right-handed about its axis, is jounce; -1 if it is rebound."""
    return float(np.sign(np.cross(corner.lower_arm_axis, corner.D - corner.lower_arm_point)[2]))


def add_double_wishbone(parts: Parts, name: str, corner: DoubleWishbonePoints, chassis: str, inner: str, struts: Record, i: int) -> None:
    """Implement `CornerDesign.add_to`."""
    names = {ours: f"{name}_{short}" for ours, short in BODY_NAMES.items()}
    massless = {ours for ours, body in corner.bodies.items() if body.mass == 0.0}
    kingpin = _unit(corner.F - corner.D)

    def body(ours: str) -> str:
        parts.add_body(names[ours], corner.bodies[ours])
        return names[ours]

    lower = body("lower_arm")
    parts.add_joint("revolute", chassis, lower, corner.lower_arm_point, corner.lower_arm_axis, independent=True)
    if "upright" in massless:
        upright = knuckle = body("knuckle")
        parts.add_joint("spherical", lower, knuckle, corner.D)
    else:
        upright = body("upright")
        parts.add_joint("universal", lower, upright, corner.D, corner.upright_axes)
        knuckle = body("knuckle")
        parts.add_joint("revolute", upright, knuckle, corner.D, kingpin)
    driven = i < 2 and inner == chassis
    if "tierod" in massless:
        length = float(np.linalg.norm(corner.Q - corner.K))
        parts.add_loop(f"{name}_L", "distance", (knuckle, inner), corner.K, corner.Q, length=length, driven=driven)
    else:
        tierod = body("tierod")
        parts.add_joint("universal", knuckle, tierod, corner.K, corner.tierod_axes)
        parts.add_loop(f"{name}_L", "ball", (tierod, inner), corner.Q, driven=driven)
    wheel = body("wheel")
    parts.add_joint("revolute", knuckle, wheel, corner.W, corner.axle, independent=True)
    _add_shock(parts, name, corner, chassis, float(struts[0]["rebound_damping"][i]))
    upper = body("upper_arm")
    parts.add_joint("revolute", chassis, upper, corner.upper_arm_point, corner.upper_arm_axis)
    parts.add_loop(f"{name}_F", "ball", (upper, upright), corner.F)
    rate, free_length = float(struts[0]["spring_rate"][i]), float(struts[0]["spring_free_length"][i])
    parts.springs.append(Spring(f"{name}_spring", chassis, corner.U, lower, corner.S, rate, free_length))


def _add_shock(parts: Parts, name: str, corner: DoubleWishbonePoints, chassis: str, damping: float) -> None:
    """Add the shock absorber on the lower arm: two bodies that slide on each other, or only the damper if massless."""
    lower = f"{name}_{BODY_NAMES['lower_arm']}"
    massless = [half for half in ("shock_lower", "shock_upper") if corner.bodies[half].mass == 0.0]
    if len(massless) == 2:
        parts.springs.append(Spring(f"{name}_damper", chassis, corner.J, lower, corner.B, 0.0, 0.0, damping))
        return
    if massless:
        raise ConfigError(
            corner.file, f"{corner.key}.bodies.{massless[0]}", "nothing", "a mass for both halves of the shock absorber, or for none"
        )
    halves = [f"{name}_{BODY_NAMES[half]}" for half in ("shock_lower", "shock_upper")]
    for half in ("shock_lower", "shock_upper"):
        parts.add_body(f"{name}_{BODY_NAMES[half]}", corner.bodies[half])
    parts.add_joint("universal", lower, halves[0], corner.B, corner.shock_axes)
    parts.add_joint("prismatic", halves[0], halves[1], corner.B, _unit(corner.J - corner.B))
    parts.add_loop(f"{name}_J", "ball", (halves[1], chassis), corner.J)
    parts.joint_springs.append(JointSpring(halves[1], damping=damping))


def _unit(a: Vector) -> Vector:
    return np.asarray(a, float) / np.linalg.norm(a)
