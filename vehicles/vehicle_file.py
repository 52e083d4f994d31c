"""The table of a vehicle file."""

from __future__ import annotations

from simulator.base.fields import Choice, Either, Field, Fields, Group, ListOf, Named, Number, Text, Variants
from vehicles.actuators.actuators import ACTUATOR_FILE
from vehicles.aerodynamics import AERODYNAMICS_FILE
from vehicles.appearance import DRAWN_AS
from vehicles.body_contact import BODY_FILE
from vehicles.controllers.controller_section import CONTROLLER_FILE
from vehicles.steering.steering import STEERING_FILE
from vehicles.suspension.axle_section import FAR
from vehicles.suspension.axle_table import AS_PUBLISHED, BODY, INERTIA, MASS, POINT
from vehicles.suspension.kinds import AXLE_KINDS, SHIPPED
from vehicles.suspension.tables.build_tables import COARSEST_TOLERANCE, FINEST_TOLERANCE
from vehicles.tires.tire_file import CONTACTS

CHASSIS = "the chassis frame"
KINEMATICS = ("closed_form", "table")
"""How the motion of the suspension is found, the first one if the file does not say."""

_COM = Field("com", POINT, "center of mass", frame=CHASSIS)


def _axle_fields(name: str) -> Fields | None:
    """Table of a kind of axle; None of a tenant from outside that has none."""
    kind = AXLE_KINDS.get(name)
    return None if kind is None else kind.fields


AXLE = Variants("suspension", _axle_fields, AXLE_KINDS.names, "kind of axle", default=SHIPPED[0])
_TIRE = Text("the name of a tire file")
_CHASSIS = (
    MASS,
    _COM,
    INERTIA,
    AS_PUBLISHED,
    Field("drivers_head", POINT, "driver's head", frame=CHASSIS),
    Field("fixed_masses", Named(Group((MASS, _COM, *BODY[1:]))), "further bodies fixed to it, by name", None),
)
_BODY = (
    Field("length", Number("m", 0.1, FAR, above=0.0), "length"),
    Field("width", Number("m", 0.1, FAR, above=0.0), "width"),
    Field("front_overhang", Number("m", 0.0, FAR), "ahead of the front wheels"),
    Field("drawn_as", Choice(DRAWN_AS), "body of the picture, built to this size", None),
    Field("hitch", POINT, "tow hook; from the outline, at the height of the rear wheels", None, frame=CHASSIS),
    *BODY_FILE,
)
VEHICLE_FILE = (
    Field("name", Text(), "name of the vehicle"),
    Field("chassis", Group(_CHASSIS), "the body that everything hangs on"),
    Field("axles", Named(AXLE, "axles by name, from front to rear"), "axles by name, `front`, `rear` and others between, in any order"),
    Field("steering", STEERING_FILE, "steering of the front axle"),
    Field("tires", Either((_TIRE, Named(_TIRE, "a tire file by axle or by wheel"))), "tire file: for all, or by name of the axle or wheel"),
    Field("contact", Choice(CONTACTS), "how the tires touch the ground: all of it inside their disc, or one point of it", None),
    Field("drivetrain", Text("the name of a drivetrain file"), "drivetrain and brakes, a file in configs/drivetrains"),
    Field("controllers", ListOf(CONTROLLER_FILE), "control units that work its brakes, throttle and actuators; none when left out", None),
    Field("actuators", Group(ACTUATOR_FILE), "what else they work: added steering angles, adjustable dampers; none when left out", None),
    Field("aerodynamics", Group(AERODYNAMICS_FILE), "drag, side force, yaw moment and lift; none when left out", None),
    Field("body", Group(_BODY), "outline of the body, and what of it may touch the ground"),
    Field("suspension_kinematics", Choice(KINEMATICS), "how the motion of the suspension is found", None),
    Field("suspension_table_tolerance", Number("", FINEST_TOLERANCE, COARSEST_TOLERANCE), "error of the tables of the suspension", None),
    Field("gravity", Number("m/s2", 0.0, 100.0), "not used any more: that of the terrain counts", None),
)
"""Of a file in ``configs/vehicles``."""
