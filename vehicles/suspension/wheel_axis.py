"""Axis of a wheel in its carrier: toe and camber between the hardpoints, as built."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.field_classes import entry, group_of
from simulator.base.fields import Field, Number
from vehicles.multibody.description.rigid_body import RigidBody

MAX_ANGLE = math.radians(10.0)
"""rad. Limit of toe and camber."""

_ANGLE = Number("rad", -MAX_ANGLE, MAX_ANGLE)


@dataclass(frozen=True)
class WheelAxis:
    """Toe-in and camber (+ = top outward) of a wheel in the design position [rad]."""

    toe: float = entry(_ANGLE, "toe in the design position, + = toe-in", 0.0, written="deg")
    camber: float = entry(_ANGLE, "camber in the design position, + = top outward", 0.0, written="deg")

    def axle(self, mirror: bool) -> Vector:
        """Return the unit vector (3,) along the axis, pointing left, of the left wheel or of its mirror image."""
        across = math.cos(self.camber)
        outward = np.array([across * math.sin(self.toe), across * math.cos(self.toe), -math.sin(self.camber)])
        return outward * (-1.0, 1.0, -1.0) if mirror else outward

    def turned(self, wheel: RigidBody) -> RigidBody:
        """Return a wheel described with its axis along y, rotated to this axis.

        The wheel is a rotor with equal inertias across its axis.
        """
        axle = self.axle(mirror=False)
        y = np.array([0.0, 1.0, 0.0])
        v, c = np.cross(y, axle), float(y @ axle)
        K = np.cross(v, np.eye(3)).T
        R = np.eye(3) + K + K @ K / (1.0 + c)
        return RigidBody(wheel.name, wheel.mass, wheel.p_BoBcm, R @ wheel.I_BBcm @ R.T)


WHEEL_AXIS = Field("wheel_axis", group_of(WheelAxis), "orientation of the wheel axis in its carrier; default: along y", None)
