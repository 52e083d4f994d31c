"""Adjustment of the tie rod of a MacPherson corner to another length.

Knuckle and strut rotate about the line from the strut's top J to the lower ball joint D until the outer tie-rod joint K has that distance
from the inner one Q. The arm does not move, and the length of the strut does not change. The result is a regular design position.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.hinge import Hinge, rotation, turn_to_distance

if TYPE_CHECKING:
    from vehicles.suspension.macpherson.corner import MacPhersonCorner

Vector = NDArray[np.float64]


def set_tie_rod(corner: MacPhersonCorner, length: float) -> MacPhersonCorner:
    """Implement `CornerDesign.with_tie_rod`."""
    b = corner.D - corner.J
    axis = Hinge(corner.J, b / np.linalg.norm(b))
    turn = turn_to_distance(axis, corner.K, corner.Q, length)
    if turn is None:
        raise ConfigError(corner.file, corner.key, length, "a tie-rod length for which the loop of the steering arm closes")
    R = rotation(axis.axis, turn)

    def turned(point: Vector) -> Vector:
        return np.asarray(corner.J + R @ (point - corner.J))

    def turned_body(body: RigidBody) -> RigidBody:
        return RigidBody(body.name, body.mass, turned(body.p_BoBcm), R @ body.I_BBcm @ R.T)

    moved = {name: turned_body(corner.bodies[name]) for name in ("strut", "knuckle", "wheel")}
    return replace(
        corner,
        V=turned(corner.V),
        K=turned(corner.K),
        S=turned(corner.S),
        B=turned(corner.B),
        W=turned(corner.W),
        axle=R @ corner.axle,
        turned=R @ corner.turned,
        bodies={**corner.bodies, **moved},
    )
