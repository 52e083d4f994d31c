"""Rack and pinion: the inner tie-rod joints slide along the chassis' y.

The coordinate of the steering is the angle of the pinion, + turns the wheels to the right. The displacement of the rack from the center is
travel x angle, + to the left. The sign of the travel describes a pinion behind or in front of the axle, above or below the rack.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.section import Section
from simulator.base.values import Values
from vehicles.body_fields import BODY, read_body
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.steering.pitman_arm import LOCATION

RACK = (("rack_travel", (), "m/rad", "displacement of a rack to the left per angle of its pinion; 0 = no rack"),)
"""Rows of a STEERING record."""

_LENGTH = Number("m", 1e-3, 1.0, above=0.0)
RACK_FILE = (
    LOCATION,
    Field("pinion_radius", _LENGTH, "displacement of the rack per angle of the steering wheel"),
    Field(
        "pinion_sign", Number("1", -1, 1, whole=True), "1: a steering wheel turned to the left moves the rack to the left; -1: to the right"
    ),
    Field("max_rack_travel", _LENGTH, "displacement of the rack from the center to its end"),
    Field("max_rack_rate", Number("m/s", 1e-3, 100.0, above=0.0), "largest speed of the rack"),
    Field("rack", Group(BODY), "rack with its center of mass at `location`; default: massless", None),
)
"""Keys of `type: rack_pinion`."""


def read_rack(s: Section, p: Record, tierod_inner: NDArray[np.float64] | None) -> None:
    """Fill the rack parameters of a STEERING record. Raises ConfigError.

    tierod_inner : (2, 3) inner tie-rod joints in B; None: unknown
    """
    out = p[0]
    radius, sign = s.number("pinion_radius"), s.number("pinion_sign")
    if sign == 0.0:
        raise ConfigError(s.file, s.path("pinion_sign"), 0, "1 or -1")
    out["location"], out["rotation"] = s.array("location", (3,)), np.eye(3)
    out["rack_travel"], out["gear_ratio"] = -sign * radius, 1.0
    out["max_arm_angle"], out["max_rate"] = s.number("max_rack_travel") / radius, s.number("max_rack_rate") / radius
    if tierod_inner is not None:
        out["tierod"] = tierod_inner


def read_rack_body(steering: Values) -> RigidBody | None:
    """Return the rack in the middle of its travel, in B; None: massless. Raises ConfigError."""
    return read_body("rack", steering["rack"], steering["location"]) if "rack" in steering else None


@inline
def place_on_rack(p, s, q):
    """Compute the inner tie-rod joints of FL and FR with velocity and acceleration, from the angle of the pinion."""
    g, travel = p[0], p[0]["rack_travel"]
    for i in range(2):
        for j in range(3):
            q[0]["Q"][j, i] = g["tierod"][i, j]
            q[0]["Q_1"][j, i] = q[0]["Q_dot"][j, i] = q[0]["Q_ddot"][j, i] = 0.0
        q[0]["Q"][1, i] += travel * s[0]["angle"]
        q[0]["Q_1"][1, i] = travel
        q[0]["Q_dot"][1, i] = travel * s[0]["rate"]
        q[0]["Q_ddot"][1, i] = travel * s[0]["acceleration"]
