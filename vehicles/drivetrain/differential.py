"""Differentials that hold their outputs back from turning at different speeds: laws of a friction element between them, as data.

The element carries a torque t from the faster output to the slower one, which get T / 2 - t and T / 2 + t of the torque T of the carrier:

    no slip: |t| <= L        slip: |t| = L, against it        L = preload + share |T|

A torque bias ratio b, that of the larger to the smaller torque of the outputs without preload, is share = (b - 1) / (2 (b + 1)).
"""

from __future__ import annotations

from simulator.base.fields import Field, Number, Variants
from simulator.base.jit import inline
from simulator.base.section import Section, checked

LOCKED = 1e12
"""N m. Preload of a differential that is locked: no torque reaches it."""

_PRELOAD = Field("preload", Number("N m", 0.0, 1e5), "limit without torque on the carrier", 0.0)
_SHARE = Number("1", 0.0, 10.0)
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
        ),
        "limited_slip": (
            _PRELOAD,
            Field("drive_share", _SHARE, "limit per torque of the carrier, driving"),
            Field("coast_share", _SHARE, "the same while the outputs drive the carrier; as driving when left out", None),
        ),
        "locked": (),
    },
    ("open", "torque_biasing", "limited_slip", "locked"),
    "law of a differential",
    noun="a differential:",
)


@inline
def friction_limit(preload, drive_share, coast_share, torque, speed):
    """Largest torque [N m] between the outputs, for the torque of the carrier [N m] and its speed [rad/s]."""
    return preload + (drive_share if torque * speed >= 0.0 else coast_share) * abs(torque)


def differential_law(s: Section) -> tuple[float, float, float]:
    """(preload [N m], share driving, share coasting) out of a section DIFFERENTIAL. Raises ConfigError."""
    s = checked(DIFFERENTIAL, s.mapping, s.file, s.key)
    law = s.text("type")
    if law == "locked":
        return LOCKED, 0.0, 0.0
    if law == "torque_biasing":
        drive, coast = s.number("bias_ratio"), s.raw("coast_bias_ratio", None)
        shares = [(b - 1.0) / (2.0 * (b + 1.0)) for b in (drive, drive if coast is None else float(coast))]
        return s.number("preload"), shares[0], shares[1]
    if law == "limited_slip":
        drive, coast = s.number("drive_share"), s.raw("coast_share", None)
        return s.number("preload"), drive, drive if coast is None else float(coast)
    return 0.0, 0.0, 0.0
