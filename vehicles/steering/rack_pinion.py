"""Rack and pinion: the inner tie-rod joints slide along the y axis of the chassis.

The coordinate of the steering is the angle of the pinion, + turns the wheels to the right. The displacement of the rack from the center is
travel x angle, + to the left. The sign of the travel describes a pinion behind or in front of the axle, above or below the rack.
"""

from __future__ import annotations

import numpy as np

from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.body_fields import BODY, read_body
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.steering.contract import RACK, SteeredAxle, SteeringKind
from vehicles.steering.pitman_arm import LOCATION

RACK_ROWS = (("rack_travel", (), "m/rad", "displacement of a rack to the left per angle of its pinion"),)
"""Rows of a STEERING record."""

_LENGTH = Number("m", 1e-3, 1.0, above=0.0)
RACK_BODY_FILE = (
    Field("max_rack_travel", _LENGTH, "displacement of the rack from the center to its end"),
    Field("max_rack_rate", Number("m/s", 1e-3, 100.0, above=0.0), "largest speed of the rack"),
    Field("rack", Group(BODY), "rack with its center of mass at `location`; default: massless", None),
)
RACK_FILE = (
    LOCATION,
    Field("pinion_radius", _LENGTH, "displacement of the rack per angle of the steering wheel"),
    Field(
        "pinion_sign", Number("1", -1, 1, whole=True), "1: a steering wheel turned to the left moves the rack to the left; -1: to the right"
    ),
    *RACK_BODY_FILE,
)
"""Keys of `type: rack_pinion`."""


def write_rack(values: Values, p: Record, axle: SteeredAxle, radius: float, sign: str) -> None:
    """Fill the rack parameters of a STEERING record.

    Parameters
    ----------
    radius : displacement of the rack per angle of the gear [m/rad]
    sign : key of the sign of the displacement

    Raises
    ------
    ConfigError : the sign is 0
    """
    out = p[0]
    out["kind"], out["location"], out["rotation"] = RACK, values["location"] + axle.offset, np.eye(3)
    out["rack_travel"], out["gear_ratio"] = -values[sign] * radius, 1.0
    out["max_arm_angle"], out["max_rate"] = values["max_rack_travel"] / radius, values["max_rack_rate"] / radius
    if axle.tierod_inner is not None:
        out["tierod"] = axle.tierod_inner
    if values[sign] == 0:
        raise values.error(sign, "1 or -1")


def rack_body(values: Values) -> RigidBody | None:
    """Return the rack in the middle of its travel, in B; None: massless. Raises ConfigError."""
    return read_body("rack", values["rack"], values["location"]) if "rack" in values else None


def _write(values: Values, p: Record, axle: SteeredAxle) -> None:
    """Fill the STEERING record of a rack with a pinion. Raises ConfigError."""
    write_rack(values, p, axle, values["pinion_radius"], "pinion_sign")


KIND = SteeringKind("rack_pinion", RACK_FILE, write=_write, body=rack_body, meaning="a rack that a pinion on the steering column moves")


@inline
def place_on_rack(p, n, s, q):
    """Compute the inner tie-rod joints of steered axle n with velocity and acceleration, from the angle of the pinion."""
    g, travel = p[n], p[n]["ratio"] * p[n]["rack_travel"]
    for side in range(2):
        i = g["corner"] + side
        for j in range(3):
            q[0]["Q"][j, i] = g["tierod"][side, j]
            q[0]["Q_1"][j, i] = q[0]["Q_dot"][j, i] = q[0]["Q_ddot"][j, i] = 0.0
        q[0]["Q"][1, i] += travel * s[0]["angle"]
        q[0]["Q_1"][1, i] = travel
        q[0]["Q_dot"][1, i] = travel * s[0]["rate"]
        q[0]["Q_ddot"][1, i] = travel * s[0]["acceleration"]
