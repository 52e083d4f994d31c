"""Points, directions and bodies of a double-wishbone corner in its design position."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.description.rigid_body import RigidBody


@dataclass(frozen=True)
class DoubleWishbonePoints:
    """Data of a double-wishbone corner in the design position, in chassis axes and relative to the chassis reference point [m].

    The letters are those of `vehicles.suspension.double_wishbone.kinematics`. The `*_axes` (2, 3) of upright, tie rod and shock are the
    two axes of their universal joints. The first one is fixed in the lower arm, the carrier and the lower arm, respectively, the second
    one in the rod. `bodies` holds lower_arm, upright, knuckle, tierod, shock_lower, shock_upper, upper_arm and wheel.
    """

    lower_arm_point: Vector
    lower_arm_axis: Vector
    upper_arm_point: Vector
    upper_arm_axis: Vector
    D: Vector
    F: Vector
    K: Vector
    Q: Vector
    B: Vector
    J: Vector
    S: Vector
    U: Vector
    W: Vector
    axle: Vector
    upright_axes: Vector
    tierod_axes: Vector
    shock_axes: Vector
    bodies: dict[str, RigidBody]
    file: str = "model"
    key: str = ""
    turned: Vector = field(default_factory=lambda: np.eye(3))
