"""Fields of the axles of a vehicle file, from which the kinds of axles assemble their tables."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.base.fields import Field, Fields, Group, Number, Text
from vehicles.body_fields import AS_PUBLISHED, BODY, MASS, POINT
from vehicles.compliance.section import COMPLIANCE_FILE
from vehicles.suspension.alignment_section import ALIGNMENT
from vehicles.suspension.axle_limits import FAR, HEAVY, SHORT, SLENDER, STIFF
from vehicles.suspension.springs_and_dampers import SPRING_POINTS, STOP_POINTS
from vehicles.suspension.table_file import CSV_NAME

FRAME = "the suspension frame"
LENGTH = Number("m", 0.0, FAR)
_LONG = Number("m", SHORT, FAR, above=0.0)
_FORCE = Number("N", -STIFF, STIFF, shape=((2, SPRING_POINTS),))

LOCATION = Field("location", POINT, "origin of the suspension frame", frame="the chassis frame")
WHEELS = Field("wheels", Number("1", 1, 2, whole=True), "2: a left and a right wheel; 1: one wheel in the middle", 2)
ARM = (
    MASS,
    Field(
        "arm_inertia", Number("kg m2", -HEAVY, HEAVY, shape=(3,)), "moments of inertia: x along the hinge, z normal to the plane of the arm"
    ),
    AS_PUBLISHED,
)
ROD = (
    MASS,
    Field("from", Number("1", -1.0, 2.0), "start of the rod on the line between its joints, 0 to 1"),
    Field("to", Number("1", -1.0, 2.0), "end of the rod on the line between its joints, 0 to 1"),
    Field("axial_inertia", Number("kg m2", SLENDER, HEAVY, above=0.0), "inertia about its length"),
    Field(
        "transverse_inertia", Number("kg m2", SLENDER, HEAVY, above=0.0), "inertia across its length; default: that of a uniform rod", None
    ),
)
SPRING = (
    Field("free_length", _LONG, "length without load"),
    Field("file", CSV_NAME, "CSV file travel_mm, force_N, + = shorter, from free_length; replaces rate, deformation and pull", None),
    Field("rate", Number("N/m", 0.0, STIFF), "stiffness; or a table of deformation and pull", 0.0),
    Field("deformation", Number("m", -FAR, FAR, shape=((2, SPRING_POINTS),), rising=True), "length minus free length, rising", None),
    Field("pull", _FORCE, "tensile force at each deformation, never falling", None),
    Field("stop_file", CSV_NAME, "CSV file travel_mm, force_N of a stop; replaces stop_penetration and stop_force", None),
    Field(
        "stop_penetration",
        Number("m", -FAR, FAR, shape=((2, STOP_POINTS),), rising=True),
        "penetration of a bump or rebound stop, rising",
        None,
    ),
    Field(
        "stop_force",
        Number("N", -STIFF, STIFF, shape=((2, STOP_POINTS),)),
        "force of the stop at each penetration, from 0, never falling",
        None,
    ),
    Field("bump_stop_length", _LONG, "length of the spring at contact with the bump stop", None),
    Field("rebound_stop_length", _LONG, "length of the spring at contact with the rebound stop", None),
    Field("stop_end_rate", Number("N/m", 0.0, STIFF), "stiffness of the stops beyond their tables", None),
)


class FieldUnlessFile(Field):
    """Key that is required unless its section has the key `file`."""


_DAMPING = Number("N s/m", 0.0, STIFF)
SHOCK = (
    Field(
        "file", CSV_NAME, "CSV file velocity_mm_s, force_N, + = compression; replaces all other keys, which are required without it", None
    ),
    FieldUnlessFile("compression_damping", _DAMPING, "damping in compression, in the middle of the stroke", None),
    FieldUnlessFile("rebound_damping", _DAMPING, "damping in rebound, in the middle of the stroke", None),
    FieldUnlessFile("compression_damping_end", _DAMPING, "damping in compression, at the ends of the stroke", None),
    FieldUnlessFile("rebound_damping_end", _DAMPING, "damping in rebound, at the ends of the stroke", None),
    Field("degressivity", Number("s/m", 0.0, 1e3), "d of a force -c v / (1 + d |v|)", 0.0),
    FieldUnlessFile("midstroke_min", LENGTH, "length at the start of the middle of the stroke", None),
    FieldUnlessFile("midstroke_max", Number("m", 0.0, FAR, above=0.0), "length at the end of the middle of the stroke", None),
    FieldUnlessFile("midstroke_blend", Number("m", 1e-6, FAR, above=0.0), "length of the transition between the two dampings", None),
)
ANTI_ROLL_BAR = Field(
    "anti_roll_bar",
    Group(
        (
            Field(
                "rate",
                Number("N/m", -STIFF, STIFF),
                "stiffness between the heights of both sides, below 0: less roll stiffness, as of springs inside the wheels; "
                "alternative to torsional_stiffness",
                None,
            ),
            Field("torsional_stiffness", Number("N m/rad", 0.0, STIFF), "stiffness of a bar with levers and drop links", None),
            Field("drop_link", POINT, "lower end of the left drop link", None, FRAME),
            Field("mounted_on", Text("the name of a body"), "body to which the drop link is attached", None),
            Field("axis", Number("m", -FAR, FAR, shape=(2,)), "x and z of the bar", None, FRAME),
            Field("lever_end", POINT, "upper end of the left drop link, on the lever", None, FRAME),
        )
    ),
    "anti-roll bar",
    None,
)


def hardpoints(points: Mapping[str, str]) -> Field:
    """Return the field of the points of the left side, each with its meaning."""
    return Field(
        "hardpoints_left",
        Group(tuple(Field(name, POINT, meaning, frame=FRAME) for name, meaning in points.items())),
        "hardpoints of the left side; the right side is the mirror image",
    )


KNUCKLE = Field("knuckle", Group(BODY), "knuckle, its center of mass at UPRIGHT")


def axle_fields(points: Mapping[str, str], bodies: Fields = (), struts: Fields = (), knuckle: Field = KNUCKLE) -> Fields:
    """Return the table of a kind of axle.

    points : hardpoints, name to meaning; bodies : in addition to `knuckle` and wheel; struts : further keys of both struts
    """
    carrier = (knuckle, Field("wheel", Group(BODY), "wheel with tire, at SPINDLE; y is its axle"))
    return (
        LOCATION,
        WHEELS,
        hardpoints(points),
        Field("bodies", Group((*carrier, *bodies)), "bodies of the left side"),
        Field("spring", Group((*SPRING, *struts)), "spring and stops"),
        Field("shock", Group((*SHOCK, *struts)), "shock absorber"),
        ANTI_ROLL_BAR,
        COMPLIANCE_FILE,
        ALIGNMENT,
    )
