"""The section `alignment` of an axle: how the standing vehicle is set up, and what it is excused from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Field, Group, ListOf, Number, Text
from simulator.base.section import Section, checked

LAWS = ("toe", "camber", "rebound_travel")
"""What a standing vehicle keeps to, see docs/own_vehicle.md: its targets, and travel left in rebound."""

MOST = math.radians(5.0)
"""rad. Largest target."""

_FIELDS = (
    Field("toe", Number("rad", -MOST, MOST), "of each wheel, + = toe-in, to which the tie rods are set", None, written="deg"),
    Field("camber", Number("rad", -MOST, MOST), "of each wheel, + = top outwards, that is expected; nothing is set", 0.0, written="deg"),
    Field("exceptions", ListOf(Choice(LAWS), least=1), "laws of standing vehicles that this axle does not keep", None),
    Field("reason", Text(), "why it does not", None),
)

ALIGNMENT = Field("alignment", Group(_FIELDS), "static alignment, of the vehicle as it stands on level ground with its fixed masses", None)


@dataclass(frozen=True)
class Alignment:
    """What is said of an axle. Without a target of its toe, the tie rods are as long as between the hardpoints, and 0 is expected."""

    toe: float | None = None
    """rad, per wheel, + = toe-in"""
    camber: float = 0.0
    """rad, per wheel, + = top outwards"""
    exceptions: tuple[str, ...] = ()
    """Of TIRE_MODEL_KINDS"""
    reason: str = ""
    key: str = ""
    """Key path of `toe`, for messages"""


def read_alignment(s: Section, sides: int) -> Alignment:
    """The section `alignment` of the axle `s`, which may be left out. Raises ConfigError."""
    if not s.has("alignment"):
        return Alignment()
    # checked here too: a kind from outside may have no table, and its file says the same in the same units
    with checked(_FIELDS, s.raw("alignment"), s.file, s.path("alignment")) as a:
        toe = a.number("toe", least=-MOST, most=MOST) if a.has("toe") else None
        if toe is not None and sides != 2:
            raise ConfigError(a.file, a.path("toe"), a.mapping["toe"], "nothing: an axle of one wheel has no toe")
        exceptions = tuple(a.raw("exceptions", ()))
        reason = a.text("reason", expected="why the axle does not keep them") if exceptions else ""
        return Alignment(toe, a.number("camber", 0.0, least=-MOST, most=MOST), exceptions, reason, a.path("toe"))
