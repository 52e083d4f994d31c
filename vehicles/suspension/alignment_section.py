"""Section `alignment` of an axle: static alignment of the vehicle at rest, and documented exceptions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulator.base.fields import Choice, Field, Group, ListOf, Number, Text
from simulator.base.values import Values

CHECKS = ("toe", "camber", "rebound_travel")
"""Checks of a vehicle at rest (docs/own_vehicle.md): alignment targets, and minimum rebound travel."""

MAX_ANGLE = math.radians(5.0)
"""rad. Largest target."""

_FIELDS = (
    Field("toe", Number("rad", -MAX_ANGLE, MAX_ANGLE), "toe per wheel to which the tie rods are set, + = toe-in", None, written="deg"),
    Field("camber", Number("rad", -MAX_ANGLE, MAX_ANGLE), "expected camber per wheel, + = top outward; not adjusted", 0.0, written="deg"),
    Field("exceptions", ListOf(Choice(CHECKS), least=1), "checks of the vehicle at rest that this axle does not satisfy", None),
    Field("reason", Text(), "reason of the exceptions", None),
)

ALIGNMENT = Field("alignment", Group(_FIELDS), "static alignment of the vehicle at rest on level ground with its fixed masses", None)


@dataclass(frozen=True)
class Alignment:
    """Static alignment of an axle. Without a toe target the tie rods have the length between the hardpoints, and the expected toe is 0."""

    toe: float | None = None
    """rad, per wheel, + = toe-in"""
    camber: float = 0.0
    """rad, per wheel, + = top outward"""
    exceptions: tuple[str, ...] = ()
    """Elements of CHECKS"""
    reason: str = ""
    key: str = ""
    """Key path of `toe`, for messages"""


def read_alignment(axle: Values, sides: int) -> Alignment:
    """Return the optional section `alignment` of an axle. Raises ConfigError."""
    if "alignment" not in axle:
        return Alignment()
    values: Values = axle["alignment"]
    if "toe" in values and sides != 2:
        raise values.error("toe", "no toe on an axle with one wheel")
    if "exceptions" in values or "reason" in values:
        values.needed("exceptions", "the exceptions that have this reason")
        values.needed("reason", "the reason of the exceptions")
    return Alignment(values.get("toe"), values["camber"], values.get("exceptions", ()), values.get("reason", ""), values.path("toe"))
