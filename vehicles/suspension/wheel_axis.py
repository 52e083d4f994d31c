"""The axis of a wheel against its carrier, as it is built: toe and camber between the hardpoints."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Field, Group, Number
from simulator.base.section import Section, checked
from vehicles.multibody.description.rigid_body import RigidBody

Vector = NDArray[np.float64]

MOST = math.radians(10.0)
"""rad. Largest of both."""

_ANGLE = Number("rad", -MOST, MOST)
_FIELDS = (
    Field("toe", _ANGLE, "in the design position, + = toe-in", 0.0, written="deg"),
    Field("camber", _ANGLE, "likewise, + = top outwards", 0.0, written="deg"),
)
WHEEL_AXIS = Field("wheel_axis", Group(_FIELDS), "how the axis of a wheel lies in its carrier; along y when left out", None)


@dataclass(frozen=True)
class WheelAxis:
    """Toe-in and camber (+ = top outwards) of a wheel in the design position [rad]."""

    toe: float = 0.0
    camber: float = 0.0

    def axle(self, mirror: bool) -> Vector:
        """Unit vector (3,) along the axis, pointing left, of the left wheel or of its mirror image."""
        across = math.cos(self.camber)
        outward = np.array([across * math.sin(self.toe), across * math.cos(self.toe), -math.sin(self.camber)])
        return outward * (-1.0, 1.0, -1.0) if mirror else outward

    def turned(self, wheel: RigidBody) -> RigidBody:
        """A wheel that was described with its axis along y, turned into this one; a rotor is what it is about its axis and across."""
        axle = self.axle(mirror=False)
        y = np.array([0.0, 1.0, 0.0])
        v, c = np.cross(y, axle), float(y @ axle)
        K = np.cross(v, np.eye(3)).T
        R = np.eye(3) + K + K @ K / (1.0 + c)
        return RigidBody(wheel.name, wheel.mass, wheel.p_BoBcm, R @ wheel.I_BBcm @ R.T)


def read_wheel_axis(s: Section) -> WheelAxis:
    """Of the section of an axle, which may leave it out. Raises ConfigError."""
    if not s.has("wheel_axis"):
        return WheelAxis()
    with checked(_FIELDS, s.raw("wheel_axis"), s.file, s.path("wheel_axis")) as a:
        return WheelAxis(a.number("toe", 0.0), a.number("camber", 0.0))
