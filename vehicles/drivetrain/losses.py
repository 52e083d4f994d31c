"""Losses of gears that mesh and of boxes in which oil is stirred: dry friction that opposes the turning, never more than it takes to stop it.

    |turning torque lost| <= drag + churning |w| + c |T|        c = 1 - e while the torque T drives, 1 / e - 1 while it is driven

e being the efficiency: of two torques in a mesh the larger one, the one that comes in, loses 1 - e. Sign and size are continuous through
T = 0, and at a standstill the friction holds up to that limit, so that a drivetrain stands still by itself. T is that of the step before.
Meshes that turn together are taken together: gears and transfer case at the driveshaft, final drive and hubs at the box of their axle.
"""

from __future__ import annotations

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.fields import Either, Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, Table, record
from simulator.base.section import Section, checked
from vehicles.drivetrain.shift_schedule import MOST_GEARS

LOSSES: Table = (
    # name               shape  unit        what it is
    ("gear_efficiency", (MOST_GEARS + 1,), "1", "of reverse and of each forward gear"),
    ("range_efficiency", (2,), "1", "of the transfer case in high and low range"),
    ("shaft_drag", (), "N m", "drag of gearbox and transfer case on the driveshaft"),
    ("shaft_churning", (), "N m s/rad", "the same per speed"),
    ("axle_efficiency", (), "1", "of a final drive with the hubs of its axle"),
    ("box_drag", (), "N m", "drag of a final drive on its box"),
    ("box_churning", (), "N m s/rad", "the same per speed"),
    ("hub_drag", (), "N m", "drag of a geared hub on its wheel"),
    ("hub_churning", (), "N m s/rad", "the same per speed"),
)

_EFFICIENCY = Number("1", 0.5, 1.0)
_DRAG = (
    Field("drag_torque", Number("N m", 0.0, 1e4), "drag of bearings, seals and oil at its output, at any speed", 0.0),
    Field("churning", Number("N m s/rad", 0.0, 1e3), "what is added to it per speed of the output", 0.0),
)
_ONE = Field("efficiency", _EFFICIENCY, "torque that comes out over that without loss, drag not counted", 1.0)
_GEARS = (
    Field(
        "efficiency", Either((_EFFICIENCY, Number("1", 0.5, 1.0, shape=((1, MOST_GEARS),)))), "of all forward gears, or a list of them", 1.0
    ),
    Field("reverse_efficiency", _EFFICIENCY, "of reverse; that of first gear when left out", None),
    *_DRAG,
)
LOSSES_FILE = (
    Field("gears", Group(_GEARS), "gearbox", None),
    Field(
        "transfer_case",
        Group((_ONE, Field("low_efficiency", _EFFICIENCY, "in low range; as in high when left out", None), *_DRAG)),
        "transfer case",
        None,
    ),
    Field("final_drives", Group((_ONE, *_DRAG)), "each of them, at its box", None),
    Field("hubs", Group((_ONE, *_DRAG)), "each of the geared hubs, at its wheel", None),
)
"""Of the section `losses` of a drivetrain file."""


@inline
def friction_share(efficiency, torque, speed):
    """Friction per torque that would pass without loss."""
    return 1.0 - efficiency if torque * speed >= 0.0 else 1.0 / efficiency - 1.0


def no_losses() -> Record:
    """Record LOSSES of a drivetrain without any."""
    out = record(LOSSES)
    out[0]["gear_efficiency"] = out[0]["range_efficiency"] = out[0]["axle_efficiency"] = 1.0
    return out


def losses_from_section(s: Section, gears: int) -> Record:
    """Record LOSSES of a gearbox with so many forward gears, from the section `losses`. Raises ConfigError."""
    s = checked(LOSSES_FILE, s.mapping, s.file, s.key)
    out = no_losses()
    p = out[0]
    if "gears" in s.mapping:
        g = s.section("gears")
        efficiency = g.raw("efficiency")
        many = [float(efficiency)] * gears if isinstance(efficiency, float) else [float(one) for one in efficiency]
        if len(many) != gears > 0:
            raise ConfigError(s.file, g.path("efficiency"), many, f"one number, or {gears}: one of each forward gear")
        p["gear_efficiency"][0] = g.raw("reverse_efficiency", many[0])
        p["gear_efficiency"][1 : gears + 1] = many[:gears]
        _add_drag(g, p, "shaft")
    if "transfer_case" in s.mapping:
        case = s.section("transfer_case")
        p["range_efficiency"] = case.number("efficiency"), case.raw("low_efficiency", case.number("efficiency"))
        _add_drag(case, p, "shaft")
    if "final_drives" in s.mapping:
        p["axle_efficiency"] *= s.section("final_drives").number("efficiency")
        _add_drag(s.section("final_drives"), p, "box")
    if "hubs" in s.mapping:
        p["axle_efficiency"] *= s.section("hubs").number("efficiency")
        _add_drag(s.section("hubs"), p, "hub")
    return out


def _add_drag(s: Section, p: np.void, where: str) -> None:
    """Drag of a part on the shaft to whose friction it belongs."""
    p[f"{where}_drag"] += s.number("drag_torque")
    p[f"{where}_churning"] += s.number("churning")
