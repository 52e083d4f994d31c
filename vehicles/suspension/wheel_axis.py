"""Axis of a wheel in its carrier: toe and camber between the hardpoints, as built."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Field, Group, Number
from simulator.base.section import Section, checked
from vehicles.multibody.description.rigid_body import RigidBody

Vector = NDArray[np.float64]

MAX_ANGLE = math.radians(10.0)
"""rad. Limit of toe and camber."""

_ANGLE = Number("rad", -MAX_ANGLE, MAX_ANGLE)
_FIELDS = (
    Field("toe", _ANGLE, "toe in the design position, + = toe-in", 0.0, written="deg"),
    Field("camber", _ANGLE, "camber in the design position, + = top outward", 0.0, written="deg"),
)
WHEEL_AXIS = Field("wheel_axis", Group(_FIELDS), "orientation of the wheel axis in its carrier; default: along y", None)


@dataclass(frozen=True)
class WheelAxis:
    """Toe-in and camber (+ = top outward) of a wheel in the design position [rad]."""

    toe: float = 0.0
    camber: float = 0.0

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


def read_wheel_axis(s: Section) -> WheelAxis:
    """Return the optional wheel axis of the section of an axle. Raises ConfigError."""
    if not s.has("wheel_axis"):
        return WheelAxis()
    with checked(_FIELDS, s.raw("wheel_axis"), s.file, s.path("wheel_axis")) as a:
        return WheelAxis(a.number("toe", 0.0), a.number("camber", 0.0))
