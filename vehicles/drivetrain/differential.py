"""Differential models: open, torque-biasing, limited-slip and locked, described as one friction element between the outputs.

The element transmits a torque t from the faster output to the slower one. The outputs get T / 2 - t and T / 2 + t of the carrier torque T:

    no slip: |t| <= L        slip: |t| = L, against it        L = preload + share |T|

Gears under load vibrate, and vibrating dry friction becomes proportional to a slow sliding speed. With a `blend_speed` v the
torque-dependent part is therefore multiplied by d / sqrt(d^2 + v^2), where d is the speed difference of the outputs. In a wide bend the
axle then behaves nearly as an open one, and a spinning wheel is still braked by the full friction.

The torque bias ratio b is the ratio of the larger to the smaller output torque without preload: share = (b - 1) / (2 (b + 1)).
"""

from __future__ import annotations

import math

from simulator.base.fields import Field, Number, Variants
from simulator.base.jit import inline
from simulator.base.values import Values

LOCKED = 1e12
"""N m. Preload of a locked differential; no torque exceeds it."""

_PRELOAD = Field("preload", Number("N m", 0.0, 1e5), "friction limit without torque on the carrier", 0.0)
_SHARE = Number("1", 0.0, 10.0)
_BLEND = Field(
    "blend_speed",
    Number("rad/s", 0.0, 1e3),
    "output speed difference at which the torque-dependent friction takes effect; 0: dry friction, full at any difference",
    0.0,
)
DIFFERENTIAL = Variants(
    "type",
    {
        "open": (),
        "torque_biasing": (
            _PRELOAD,
            Field("bias_ratio", Number("1", 1.0, 50.0), "ratio of the torques of the slower and the faster output while driving"),
            Field(
                "coast_bias_ratio",
                Number("1", 1.0, 50.0),
                "torque bias ratio while the outputs drive the carrier; default: bias_ratio",
                None,
            ),
            _BLEND,
        ),
        "limited_slip": (
            _PRELOAD,
            Field("drive_share", _SHARE, "friction limit per carrier torque while driving"),
            Field(
                "coast_share", _SHARE, "friction limit per carrier torque while the outputs drive the carrier; default: drive_share", None
            ),
            _BLEND,
        ),
        "locked": (),
    },
    ("open", "torque_biasing", "limited_slip", "locked"),
    "differential model",
    noun="a differential:",
)


@inline
def friction_limit(law, torque, speed, difference):
    """Return the largest torque [N m] between the outputs.

    law : (preload [N m], share driving, share coasting, blend_speed [rad/s])
    torque, speed : torque and speed of the carrier [N m, rad/s]
    difference : speed difference of the outputs [rad/s]
    """
    preload, drive_share, coast_share, blend = law
    share = drive_share if torque * speed >= 0.0 else coast_share
    if blend > 0.0:
        share *= abs(difference) / math.sqrt(difference * difference + blend * blend)
    return preload + share * abs(torque)


def differential_law(values: Values) -> tuple[float, float, float, float]:
    """Return (preload [N m], share driving, share coasting, blend speed [rad/s]) of a section DIFFERENTIAL."""
    if values["type"] == "locked":
        return LOCKED, 0.0, 0.0, 0.0
    if values["type"] == "open":
        return 0.0, 0.0, 0.0, 0.0
    if values["type"] == "torque_biasing":
        drive = values["bias_ratio"]
        shares = [(b - 1.0) / (2.0 * (b + 1.0)) for b in (drive, values.get("coast_bias_ratio", drive))]
    else:
        shares = [values["drive_share"], values.get("coast_share", values["drive_share"])]
    return values["preload"], shares[0], shares[1], values["blend_speed"]
