"""Fields of a vehicle file."""

from __future__ import annotations

import math

from simulator.base.fields import Choice, Either, Field, FileName, Group, ListOf, Named, Number, Text, Variants
from vehicles.actuators.actuators import ACTUATOR_FILE
from vehicles.aerodynamics import AERODYNAMICS_FILE
from vehicles.appearance import DRAWN_AS
from vehicles.body_contact import BODY_FILE
from vehicles.body_fields import AS_PUBLISHED, BODY, INERTIA, MASS, POINT
from vehicles.contact.part_section import PART_FIELDS
from vehicles.controllers.controller_section import CONTROLLER_FILE
from vehicles.sound_section import SOUND_FILE
from vehicles.steering.steering_section import STEERING_FILE
from vehicles.suspension.axle_limits import FAR
from vehicles.suspension.kinds import AXLE_KINDS, SHIPPED, axle_fields_of
from vehicles.suspension.tables.build_tables import COARSEST_TOLERANCE, DEFAULT_TOLERANCE, FINEST_TOLERANCE
from vehicles.tires.tire_file import CONTACTS
from vehicles.towing.coupling_section import COUPLING_FILE, TRAILERS

CHASSIS = "the chassis frame"
KINEMATICS = ("closed_form", "table")
"""Computation of the suspension motion; the first one is the default."""

_COM = Field("com", POINT, "center of mass", frame=CHASSIS)


AXLE = Variants("suspension", axle_fields_of, AXLE_KINDS.names, "kind of axle", default=SHIPPED[0])
_TIRE = Text("the name of a tire file")
_CHASSIS = (
    MASS,
    _COM,
    INERTIA,
    AS_PUBLISHED,
    Field("drivers_head", POINT, "driver's head; a trailer has none", None, frame=CHASSIS),
    Field("fixed_masses", Named(Group((MASS, _COM, *BODY[1:]))), "further bodies fixed to the chassis, by name", None),
)
_BODY = (
    Field("length", Number("m", 0.1, FAR, above=0.0), "length of the body"),
    Field("width", Number("m", 0.1, FAR, above=0.0), "width of the body"),
    Field("front_overhang", Number("m", 0.0, FAR), "length of the body ahead of the front wheel centers"),
    Field("drawn_as", Choice(DRAWN_AS), "body shape in the view, scaled to this size", DRAWN_AS[0]),
    Field(
        "mesh", FileName("the path of a glTF file, relative to this file or in the assets"), "glTF file, drawn in place of that shape", None
    ),
    Field("mesh_position", POINT, "place of the origin of the mesh", (0.0, 0.0, 0.0), frame=CHASSIS),
    Field("mesh_yaw", Number("rad", -math.tau, math.tau), "turn of the mesh about z, + = to the left", 0.0, written="deg"),
    Field("hitch", POINT, "tow hook; default: at the rear of the outline, at the height of the rear wheels", None, frame=CHASSIS),
    *BODY_FILE,
    *PART_FIELDS,
)
VEHICLE_FILE = (
    Field("name", Text(), "name of the vehicle"),
    Field("chassis", Group(_CHASSIS), "chassis body, which carries all other bodies"),
    Field(
        "axles", Named(AXLE, "axles by name, from front to rear"), "axles by name, `front`, `rear` and further axles between, in any order"
    ),
    Field("coupling", Group(COUPLING_FILE), "coupling to the vehicle ahead; a vehicle with this section is a trailer", None),
    TRAILERS,
    Field("steering", STEERING_FILE, "steering: linkage, gear and column; a trailer has none", None),
    Field("tires", Either((_TIRE, Named(_TIRE, "a tire file by axle or by wheel"))), "tire file: for all, or by name of the axle or wheel"),
    Field("contact", Choice(CONTACTS), "contact of the tires with the ground: over their full disc, or at one point", CONTACTS[0]),
    Field("drivetrain", Text("the name of a drivetrain file"), "drivetrain and brakes, a file in configs/drivetrains"),
    Field("controllers", ListOf(CONTROLLER_FILE), "control units of brakes, throttle and actuators; default: none", None),
    Field("actuators", Group(ACTUATOR_FILE), "further actuators: added steering angles, adjustable dampers; default: none", None),
    Field("aerodynamics", Group(AERODYNAMICS_FILE), "drag, side force, yaw moment and lift; default: none", None),
    Field("body", Group(_BODY), "outline of the body, and its contact with the ground and with objects"),
    Field("sound", Group(SOUND_FILE), "sound of the vehicle, which the physics does not read (default: by the kind of drivetrain)", None),
    Field("suspension_kinematics", Choice(KINEMATICS), "computation of the suspension motion", None),
    Field(
        "suspension_table_tolerance",
        Number("", FINEST_TOLERANCE, COARSEST_TOLERANCE),
        "error tolerance of the suspension tables",
        DEFAULT_TOLERANCE,
    ),
)
"""Fields of a file in ``configs/vehicles``."""
