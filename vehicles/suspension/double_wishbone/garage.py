"""A double-wishbone corner whose tie rod is set to another length.

The knuckle turns about the kingpin, from the lower ball joint D to the upper one F, until its outer tie-rod joint K is at that distance from
the inner one Q. With f the foot of K on the kingpin, r from there to K and k = n x r (n along the kingpin)

    |Q - K|^2 = |Q - f|^2 + r^2 - 2 (Q - f) . (r cos x + k sin x)                                                    (1)

so x follows from a circle. The arms, the struts and their joints stay where they are: the result is a design position like any other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.single_vectors import norm, unit
from simulator.base.errors import ConfigError
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.double_wishbone.constants import universal_axes
from vehicles.suspension.hinge import Hinge, rotation, turn_to_distance

if TYPE_CHECKING:
    from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner

Vector = NDArray[np.float64]


def set_tie_rod(corner: DoubleWishboneCorner, length: float) -> DoubleWishboneCorner:
    """See `CornerDesign.with_tie_rod`."""
    R = _rotation_for(corner, length)

    def turned(point: Vector) -> Vector:
        return corner.D + R @ (point - corner.D)

    def turned_body(body: RigidBody) -> RigidBody:
        return RigidBody(body.name, body.mass, turned(body.p_BoBcm), R @ body.I_BBcm @ R.T)

    K, lower = turned(corner.K), corner.lower_arm_axis
    moved = {name: turned_body(corner.bodies[name]) for name in ("knuckle", "wheel")}
    return replace(
        corner,
        K=K,
        W=turned(corner.W),
        axle=R @ corner.axle,
        turned=R @ corner.turned,
        tierod_axes=universal_axes(corner.Q - K, lower),
        bodies={**corner.bodies, **moved, "tierod": _along(corner.bodies["tierod"], corner.K, K, corner.Q)},
    )


def _rotation_for(corner: DoubleWishboneCorner, length: float) -> Vector:
    """Rotation (3, 3) of the knuckle by which a tie rod of that length fits. Raises ConfigError."""
    kingpin = Hinge(corner.D, unit(corner.F - corner.D))
    turn = turn_to_distance(kingpin, corner.K, corner.Q, length)
    if turn is None:
        raise ConfigError(corner.file, corner.key, length, "a tie rod with which the steering arm closes")
    return rotation(kingpin.axis, turn)


def _along(rod: RigidBody, old: Vector, new: Vector, inner: Vector) -> RigidBody:
    """A straight rod between an outer joint and `inner`, its outer joint moved: as far along as it was, with the moments it had."""
    before, after = inner - old, inner - new
    n, m = unit(before), unit(after)
    share = float((rod.p_BoBcm - old) @ n / norm(before))
    axial = float(n @ rod.I_BBcm @ n)
    across = 0.5 * (float(np.trace(rod.I_BBcm)) - axial)
    inertia = across * (np.eye(3) - np.outer(m, m)) + axial * np.outer(m, m)
    return RigidBody(rod.name, rod.mass, new + share * after, inertia)
