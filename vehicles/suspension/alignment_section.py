"""Section `alignment` of an axle: static alignment of the vehicle at rest, and documented exceptions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Field, Group, ListOf, Number, Text
from simulator.base.section import Section, checked

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
    """Elements of LAWS"""
    reason: str = ""
    key: str = ""
    """Key path of `toe`, for messages"""


def read_alignment(s: Section, sides: int) -> Alignment:
    """Return the optional section `alignment` of the axle `s`. Raises ConfigError."""
    if not s.has("alignment"):
        return Alignment()
    # also checked here, since a third-party kind can have no table
    with checked(_FIELDS, s.raw("alignment"), s.file, s.path("alignment")) as a:
        toe = a.number("toe", least=-MAX_ANGLE, most=MAX_ANGLE) if a.has("toe") else None
        if toe is not None and sides != 2:
            raise ConfigError(a.file, a.path("toe"), a.mapping["toe"], "no toe on an axle with one wheel")
        exceptions = tuple(a.raw("exceptions", ()))
        reason = a.text("reason", expected="the reason of the exceptions") if exceptions else ""
        return Alignment(toe, a.number("camber", 0.0, least=-MAX_ANGLE, most=MAX_ANGLE), exceptions, reason, a.path("toe"))
