"""Adjustment of the tie rod of a steered trailing arm: the knuckle rotates about its kingpin, the arm does not move.

The result is a regular design position.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.hinge import rotation, turn_to_distance

if TYPE_CHECKING:
    from vehicles.suspension.steered_trailing_arm.corner import SteeredTrailingArmCorner

Vector = NDArray[np.float64]


def set_tie_rod(corner: SteeredTrailingArmCorner, length: float) -> SteeredTrailingArmCorner:
    """Implement `CornerDesign.with_tie_rod`."""
    axis = corner.pin
    turn = turn_to_distance(axis, corner.K, corner.Q, length)
    if turn is None:
        raise ConfigError(corner.file, corner.key, length, "a tie-rod length for which the loop of the steering arm closes")
    R = rotation(axis.axis, turn)

    def turned(point: Vector) -> Vector:
        return np.asarray(corner.A + R @ (point - corner.A))

    def turned_body(body: RigidBody) -> RigidBody:
        return RigidBody(body.name, body.mass, turned(body.p_BoBcm), R @ body.I_BBcm @ R.T)

    moved = {name: turned_body(corner.bodies[name]) for name in ("knuckle", "wheel")}
    return replace(
        corner,
        K=turned(corner.K),
        W=turned(corner.W),
        axle=R @ corner.axle,
        turned=R @ corner.turned,
        bodies={**corner.bodies, **moved},
    )
