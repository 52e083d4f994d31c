"""Losses of gear meshes and of oil churning: dry friction that opposes rotation, at most the torque that stops it.

    |turning torque lost| <= drag + churning |w| + c |T|        c = 1 - e while the torque T drives, 1 / e - 1 while it is driven

e is the efficiency: of the two torques in a mesh the larger one, on the input side, loses the fraction 1 - e. Sign and magnitude are
continuous through T = 0. At rest the friction holds up to the limit, so the drivetrain does not creep. T is the torque of the previous
step. Meshes that turn together are combined: gears and transfer case at the driveshaft, final drive and hubs at the box of their axle.
"""

from __future__ import annotations

import numpy as np

from simulator.base.fields import Either, Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, Table, record
from simulator.base.values import Values
from vehicles.drivetrain.conventional.shift_schedule import MAX_GEARS

LOSSES: Table = (
    # name               shape  unit        what it is
    ("gear_efficiency", (MAX_GEARS + 1,), "1", "efficiency of reverse and of each forward gear"),
    ("range_efficiency", (2,), "1", "efficiency of the transfer case in high and low range"),
    ("shaft_drag", (), "N m", "drag of gearbox and transfer case on the driveshaft"),
    ("shaft_churning", (), "N m s/rad", "drag of gearbox and transfer case per driveshaft speed"),
    ("axle_efficiency", (), "1", "efficiency of a final drive with the hubs of its axle"),
    ("box_drag", (), "N m", "drag of a final drive on its box"),
    ("box_churning", (), "N m s/rad", "drag of a final drive per speed of its box"),
    ("hub_drag", (), "N m", "drag of a geared hub on its wheel"),
    ("hub_churning", (), "N m s/rad", "drag of a geared hub per speed of its wheel"),
)

_EFFICIENCY = Number("1", 0.5, 1.0)
_DRAG = (
    Field("drag_torque", Number("N m", 0.0, 1e4), "drag of bearings, seals and oil at the output, at any speed", 0.0),
    Field("churning", Number("N m s/rad", 0.0, 1e3), "additional drag per speed of the output", 0.0),
)
_ONE = Field("efficiency", _EFFICIENCY, "output torque over the output torque without loss, drag not included", 1.0)
_GEARS = (
    Field(
        "efficiency",
        Either((_EFFICIENCY, Number("1", 0.5, 1.0, shape=((1, MAX_GEARS),)))),
        "efficiency of all forward gears, or a list of one efficiency per gear",
        1.0,
    ),
    Field("reverse_efficiency", _EFFICIENCY, "efficiency of reverse; default: efficiency of first gear", None),
    *_DRAG,
)
LOSSES_FILE = (
    Field("gears", Group(_GEARS), "losses of the gearbox", None),
    Field(
        "transfer_case",
        Group((_ONE, Field("low_efficiency", _EFFICIENCY, "efficiency in low range; default: as in high range", None), *_DRAG)),
        "losses of the transfer case",
        None,
    ),
    Field("final_drives", Group((_ONE, *_DRAG)), "losses of each final drive, at its box", None),
    Field("hubs", Group((_ONE, *_DRAG)), "losses of each geared hub, at its wheel", None),
)
"""Fields of the section `losses` of a drivetrain file."""


@inline
def friction_share(efficiency, torque, speed):
    """Return the friction per torque transmitted without loss."""
    return 1.0 - efficiency if torque * speed >= 0.0 else 1.0 / efficiency - 1.0


def no_losses() -> Record:
    """Return a record LOSSES of a drivetrain without losses."""
    out = record(LOSSES)
    out[0]["gear_efficiency"] = out[0]["range_efficiency"] = out[0]["axle_efficiency"] = 1.0
    return out


def losses_from_values(losses: Values, gears: int) -> Record:
    """Return the record LOSSES of the section `losses`; gears : number of forward gears. Raises ConfigError."""
    out = no_losses()
    p = out[0]
    if "gears" in losses:
        of_gears = losses["gears"]
        efficiency = of_gears["efficiency"]
        efficiencies = [efficiency] * gears if isinstance(efficiency, float) else efficiency.tolist()
        if len(efficiencies) != gears:
            raise of_gears.error("efficiency", f"one number, or {gears} numbers, one per forward gear")
        p["gear_efficiency"][0] = of_gears.get("reverse_efficiency", efficiencies[0])
        p["gear_efficiency"][1 : gears + 1] = efficiencies
        _add_drag(of_gears, p, "shaft")
    if "transfer_case" in losses:
        case = losses["transfer_case"]
        p["range_efficiency"] = case["efficiency"], case.get("low_efficiency", case["efficiency"])
        _add_drag(case, p, "shaft")
    for name, where in (("final_drives", "box"), ("hubs", "hub")):
        if name in losses:
            p["axle_efficiency"] *= losses[name]["efficiency"]
            _add_drag(losses[name], p, where)
    return out


def _add_drag(values: Values, p: np.void, where: str) -> None:
    """Add the drag of a component to the shaft on which its friction acts."""
    p[f"{where}_drag"] += values["drag_torque"]
    p[f"{where}_churning"] += values["churning"]
