"""Adjustment of the tie rod of a double-wishbone corner to another length.

The knuckle rotates about the kingpin, from the lower ball joint D to the upper one F, until its outer tie-rod joint K has that distance
from the inner one Q. With f the foot of K on the kingpin, r from f to K and k = n x r (n along the kingpin)

    |Q - K|^2 = |Q - f|^2 + r^2 - 2 (Q - f) . (r cos x + k sin x)                                                    (1)

so x follows from a circle. The arms, the struts and their joints do not move: the result is a regular design position.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.base.errors import ConfigError
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.double_wishbone.geometry_kernels import DESIGN_BODIES, KNUCKLE, WHEEL, turn_to_rod
from vehicles.suspension.double_wishbone.kinematics import TIEROD

if TYPE_CHECKING:
    from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner


def set_tie_rod(corner: DoubleWishboneCorner, length: float) -> DoubleWishboneCorner:
    """Implement `CornerDesign.with_tie_rod`."""
    design = corner.designed.copy()
    if not turn_to_rod(design, length):
        raise ConfigError(corner.file, corner.key, length, "a tie-rod length for which the loop of the steering arm closes")
    d = design[0]
    moved = {
        DESIGN_BODIES[b]: RigidBody(DESIGN_BODIES[b], float(d["mass"][b]), d["com"][b], d["inertia"][b]) for b in (KNUCKLE, WHEEL, TIEROD)
    }
    points = {name: d[name] for name in ("K", "W", "axle", "turned", "tierod_axes")}
    adjusted = replace(corner, bodies={**corner.bodies, **moved}, **points)
    adjusted.__dict__["designed"] = design  # recomputing the design would change its last digits
    return adjusted
