"""Differentials that hold their outputs back from turning at different speeds: laws of a friction element between them, as data.

The element carries a torque t from the faster output to the slower one, which get T / 2 - t and T / 2 + t of the torque T of the carrier:

    no slip: |t| <= L        slip: |t| = L, against it        L = preload + share |T|

Gears under load shake, and shaken dry friction follows the speed at which it is slowly moved: with a `blend_speed` v the share acts in the
measure d / sqrt(d^2 + v^2) of the difference d of the outputs' speeds, so that an axle in a wide bend turns nearly as an open one and a wheel
that spins is held back by it all.

A torque bias ratio b, that of the larger to the smaller torque of the outputs without preload, is share = (b - 1) / (2 (b + 1)).
"""

from __future__ import annotations

import math

from simulator.base.fields import Field, Number, Variants
from simulator.base.jit import inline
from simulator.base.section import Section, checked

LOCKED = 1e12
"""N m. Preload of a differential that is locked: no torque reaches it."""

_PRELOAD = Field("preload", Number("N m", 0.0, 1e5), "limit without torque on the carrier", 0.0)
_SHARE = Number("1", 0.0, 10.0)
_BLEND = Field(
    "blend_speed",
    Number("rad/s", 0.0, 1e3),
    "difference of the outputs' speeds about which the friction by torque comes to act; 0: dry, whole at once",
    0.0,
)
DIFFERENTIAL = Variants(
    "type",
    {
        "open": (),
        "torque_biasing": (
            _PRELOAD,
            Field("bias_ratio", Number("1", 1.0, 50.0), "torque of the slower output over that of the faster one, driving"),
            Field(
                "coast_bias_ratio", Number("1", 1.0, 50.0), "the same while the outputs drive the carrier; as driving when left out", None
            ),
            _BLEND,
        ),
        "limited_slip": (
            _PRELOAD,
            Field("drive_share", _SHARE, "limit per torque of the carrier, driving"),
            Field("coast_share", _SHARE, "the same while the outputs drive the carrier; as driving when left out", None),
            _BLEND,
        ),
        "locked": (),
    },
    ("open", "torque_biasing", "limited_slip", "locked"),
    "law of a differential",
    noun="a differential:",
)


@inline
def friction_limit(law, torque, speed, difference):
    """Largest torque [N m] between the outputs.

    law : (preload [N m], share driving, share coasting, blend_speed [rad/s])
    torque, speed : of the carrier [N m, rad/s]
    difference : of the outputs' speeds [rad/s]
    """
    preload, drive_share, coast_share, blend = law
    share = drive_share if torque * speed >= 0.0 else coast_share
    if blend > 0.0:
        share *= abs(difference) / math.sqrt(difference * difference + blend * blend)
    return preload + share * abs(torque)


def differential_law(s: Section) -> tuple[float, float, float, float]:
    """(preload [N m], share driving, share coasting, blend speed [rad/s]) out of a section DIFFERENTIAL. Raises ConfigError."""
    s = checked(DIFFERENTIAL, s.mapping, s.file, s.key)
    law = s.text("type")
    if law == "locked":
        return LOCKED, 0.0, 0.0, 0.0
    if law == "torque_biasing":
        drive, coast = s.number("bias_ratio"), s.raw("coast_bias_ratio", None)
        shares = [(b - 1.0) / (2.0 * (b + 1.0)) for b in (drive, drive if coast is None else float(coast))]
        return s.number("preload"), shares[0], shares[1], s.number("blend_speed")
    if law == "limited_slip":
        drive, coast = s.number("drive_share"), s.raw("coast_share", None)
        return s.number("preload"), drive, drive if coast is None else float(coast), s.number("blend_speed")
    return 0.0, 0.0, 0.0, 0.0
