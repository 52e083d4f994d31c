"""Sections `coupling` and `trailers` of a vehicle file: the coupling of a trailer, and the trailers that a vehicle pulls."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.fields import Choice, Field, Group, ListOf, Number, Text
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.body_fields import POINT
from vehicles.towing.coupling import BALL, COUPLING, FIFTH_WHEEL, OVERRUN, PEDAL, UNBRAKED

MAX_TRAILERS = 4
"""Largest number of trailers behind a vehicle."""
JOINTS = {"ball": BALL, "pintle": BALL, "fifth_wheel": FIFTH_WHEEL}
BRAKES = {"pedal": PEDAL, "overrun": OVERRUN, "none": UNBRAKED}
LIMITS = {"ball": (25.0, 20.0, 100.0), "pintle": (180.0, 40.0, 100.0), "fifth_wheel": (180.0, 15.0, 110.0)}
"""Default limits of roll, pitch and yaw [deg]: a ball coupling, a lunette that turns in its mount, a fifth wheel [assumed]."""
STOP_RATE = 60.0
"""rad/s. Natural frequency of the smaller yaw inertia on the stops of a joint; a step of 1 ms resolves it."""

_ANGLE = Number("rad", 0.0, math.pi, above=0.0)
COUPLING_FILE = (
    Field("type", Choice(tuple(JOINTS)), "joint: a ball or a pintle turns about all axes; a fifth wheel yaws and pitches, and carries roll"),
    Field("point", POINT, "coupling point of the trailer: middle of the ball or lunette, or kingpin at the height of the plate", frame="the chassis frame"),
    Field("friction", Number("N m", 0.0, 1e5), "friction torque of the joint against yaw", 0.0),
    Field("friction_rate", Number("rad/s", 1e-3, 1.0), "yaw rate of the joint at which 0.76 of the friction acts", 0.02),
    Field("damping", Number("N m s/rad", 0.0, 1e6), "damping of the joint against yaw", 0.0),
    Field("roll_stiffness", Number("N m/rad", 1e4, 1e9), "stiffness of a fifth wheel and its mounts in roll; default: rigid", None),
    Field("roll_damping", Number("N m s/rad", 100.0, 1e7), "damping of a fifth wheel in roll", 2e4),
    Field("roll_lash", Number("rad", 0.0, 0.2), "free roll on either side, once the trailer tips over the edge of the plate", 0.0, written="deg"),
    Field("plate_width", Number("m", 0.1, 2.0), "width of the plate, over whose edge the trailer tips", 0.9),
    Field("max_roll", _ANGLE, "largest roll between trailer and vehicle ahead, not of a fifth wheel; default: by type", None, written="deg"),
    Field("max_pitch", _ANGLE, "largest pitch; default: by type", None, written="deg"),
    Field("max_yaw", _ANGLE, "largest yaw, at which drawbar or trailer touch the vehicle ahead; default: by type", None, written="deg"),
    Field(
        "brakes",
        Choice(tuple(BRAKES)),
        "what applies the service brakes: the pedal of the towing vehicle, or the push of the coupling on an overrun device",
        "pedal",
    ),
    Field("brake_lag", Number("s", 0.0, 10.0), "time constant of the service brakes", 0.1),
    Field("overrun_start", Number("N", 0.0, 1e6), "push of the coupling at which an overrun brake begins", None),
    Field("overrun_full", Number("N", 0.0, 1e6, above=0.0), "push at which it is fully applied", None),
)  # fmt: skip
"""Keys of the section `coupling` of a trailer."""

TRAILER_FILE = (
    Field("vehicle", Text("the name of a vehicle file with a section `coupling`"), "trailer"),
    Field("hitch", POINT, "coupling point on the vehicle ahead; default: its tow hook", None, frame="its chassis frame"),
)
TRAILERS = Field("trailers", ListOf(Group(TRAILER_FILE), 1, MAX_TRAILERS), "trailers, each behind the one before; default: none", None)


class Coupled(NamedTuple):
    """Coupling of a trailer.

    parameters : (1,) of COUPLING, without what depends on the vehicle ahead
    """

    parameters: Record
    kind: str


class Towed(NamedTuple):
    """A trailer of a vehicle file: its name, and the coupling point on the vehicle ahead; None: the tow hook."""

    name: str
    hitch: Vector | None


def read_coupling(values: Values) -> Coupled:
    """Return the coupling of a trailer from its section. Raises ConfigError."""
    out, kind = record(COUPLING), values["type"]
    c = out[0]
    c["joint"], c["p_TH"] = JOINTS[kind], values["point"]
    for key in ("friction", "friction_rate", "damping", "brake_lag"):
        c[key] = values[key]
    for n, key in enumerate(("max_roll", "max_pitch", "max_yaw")):
        c["limits"][n] = values.get(key, math.radians(LIMITS[kind][n]))
    if "roll_stiffness" in values:
        if kind != "fifth_wheel":
            raise values.error("roll_stiffness", "no roll stiffness of a joint that turns about all axes")
        c["plate"] = 0.5 * values["plate_width"]
        for key in ("roll_stiffness", "roll_damping", "roll_lash"):
            c[key] = values[key]
    c["braked_by"] = BRAKES[values["brakes"]]
    if c["braked_by"] == OVERRUN:
        c["overrun_start"] = values.needed("overrun_start", "a push in N, because `brakes: overrun`")
        c["overrun_full"] = values.needed("overrun_full", "a push in N, because `brakes: overrun`")
        if c["overrun_full"] <= c["overrun_start"]:
            raise values.error("overrun_full", f"a push above overrun_start, {c['overrun_start']:g} N")
    return Coupled(out, kind)


def read_trailers(values: Values) -> tuple[Towed, ...]:
    """Return the trailers of a vehicle file."""
    return tuple(Towed(one["vehicle"], None if "hitch" not in one else np.asarray(one["hitch"])) for one in values.get("trailers", ()))
