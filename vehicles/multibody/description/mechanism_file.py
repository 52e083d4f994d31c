"""Mechanisms from YAML files; `docs/mechanisms.md` describes the format.

All entries of a file are in world coordinates at the design position, where all joint coordinates are zero. A body may have its own
`frame`; then entries under the name of the body are in this frame. `p_PF` and `p_BM` of a joint are its point relative to both bodies, and
its axes are parallel to the world axes at the design position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Either, Field, Fields, Flag, Group, Named, Number, Text, Variants
from simulator.base.rotations import quaternion_of_rotation
from simulator.base.section import REQUIRED, Section, checked
from vehicles.multibody.description.attitude import direction, rotation_of_angles
from vehicles.multibody.description.initial_state import STATE, InitialState, read_state
from vehicles.multibody.description.mechanism import (
    JOINTS,
    LOOPS,
    WORLD,
    Coupling,
    Force,
    Joint,
    JointForce,
    JointSpring,
    Loop,
    Mechanism,
    Spring,
)
from vehicles.multibody.description.rigid_body import RigidBody

Vector = NDArray[np.float64]
PERPENDICULAR = 1e-5
"""Cosine below which two axes written with six digits are taken as perpendicular; the second axis is corrected."""

_POINT = Number("m", shape=(3,))
_DIRECTION = Number("1", shape=(3,))
_BODY_NAME = Text("the name of a body")
_FRAME = (
    Field("position", _POINT, "origin of the frame (default: zero)", None, "world"),
    Field("rotation", Number("rad", shape=(3,)), "roll, pitch and yaw of the axes of the frame", None, "world", written="deg"),
    Field("axes", Number("1", shape=(3, 3)), "rows x, y, z of the axes of the frame, instead of the rotation", None, "world"),
)
_BODY = (
    Field("mass", Number("kg", 0.0), "mass"),
    Field("frame", Group(_FRAME), "frame of the body (default: frame of the world)", None),
    Field("rod", Number("m", shape=(2, 3)), "end points of a uniform rod, instead of com and inertia", None, "body"),
    Field("radius", Number("m", 0.0), "radius of the rod (default: thin rod)", None),
    Field("com", _POINT, "center of mass; optional for a body with its own frame or without mass", None, "body"),
    Field(
        "inertia",
        Either((Number("kg m2", shape=(3,)), Number("kg m2", shape=(3, 3))), "3 numbers or 3 x 3 numbers in kg m2"),
        "three moments or the full matrix about the center of mass (default: point mass)",
        None,
        "body",
    ),
)
_PARENTS = (Field("parent", _BODY_NAME, "parent body of the joint"), Field("child", _BODY_NAME, "child body of the joint"))
_MOVES = (
    Field("independent", Flag(), "true: independent coordinates; default: chosen by the program", None),
    Field("prescribed", Flag(), "true: prescribed motion", None),
)
_JOINT_POINT = Field("point", _POINT, "point of the joint; optional for a child with its own frame, default: its origin", None, "world")
_JOINTS: dict[str, Fields] = {
    "fixed": (*_PARENTS, _JOINT_POINT),
    "revolute": (*_PARENTS, *_MOVES, _JOINT_POINT, Field("axis", _DIRECTION, "axis of rotation", frame="world")),
    "prismatic": (*_PARENTS, *_MOVES, _JOINT_POINT, Field("axis", _DIRECTION, "direction of sliding", frame="world")),
    "universal": (
        *_PARENTS, *_MOVES, _JOINT_POINT, Field("axes", Number("1", shape=(2, 3)), "both axes, the axis in the parent "
            "first", frame="world"),
    ),
    "spherical": (*_PARENTS, *_MOVES, _JOINT_POINT),
    "free": (*_PARENTS, *_MOVES),
}  # fmt: skip
_END_OWN = (
    Field("body", _BODY_NAME, "name of the body"),
    Field("point", _POINT, "point of the closure", None, "body"),
    Field("axis", _DIRECTION, "axis of the closure", None, "body"),
)
_END = Either((_BODY_NAME, Group(_END_OWN)), "a body, or a mapping with body and point")
_LOOP = (
    Field("predecessor", _END, "first end: a body, or a mapping of body, point and axis"),
    Field("successor", _END, "second end"),
    Field("point", _POINT, "common point of both ends", None, "world"),
    Field("axis", _DIRECTION, "common axis or line of both ends", None, "world"),
    Field("driven", Flag(), "true: moved by a prescribed joint", None),
)
_LOOPS: dict[str, Fields] = dict.fromkeys(LOOPS, _LOOP) | {
    "distance": (
        *_LOOP,
        Field("length", Number("m", 0.0, above=0.0), "distance of the ends (default: distance in the design position)", None),
    ),
}
_COUPLING = (
    Field("terms", Named(Number(), "names of joints, each with its coefficient"), "coefficients of the joint coordinates"),
    Field("offset", Number(), "value of the sum (default: 0)", None),
)
_SPRING_END = Group((Field("body", _BODY_NAME, "name of the body"), Field("point", _POINT, "point of the spring end", frame="body")))
_SPRING = (
    Field("from", _SPRING_END, "first end"),
    Field("to", _SPRING_END, "second end"),
    Field("rate", Number("N/m", 0.0), "stiffness", None),
    Field("free_length", Number("m", 0.0), "length without load; required with a rate", None),
    Field("damping", Number("N s/m", 0.0), "damping", None),
)
_JOINT_SPRING = (
    Field("rate", Number("", 0.0), "stiffness [N m/rad, N/m for a prismatic joint]", None),
    Field("damping", Number("", 0.0), "damping [N m s/rad, N s/m]", None),
    Field("rest", Number("rad"), "coordinate without load [m for a prismatic joint]", None),
)
_FORCE = (
    Field("body", _BODY_NAME, "body on which the force acts"),
    Field("point", _POINT, "point of action (default: center of mass)", None, "body"),
    Field("force", Number("N", shape=(3,)), "force", None, "world, or the body when it follows"),
    Field("couple", Number("N m", shape=(3,)), "couple", None, "world, or the body when it follows"),
    Field("follows", Flag(), "true: directions rotate with the body", None),
)


def _of(fields: Fields) -> Named:
    return Named(Group(fields), "a mapping of names")


_JOINT_KINDS = Variants("type", _JOINTS, tuple(JOINTS), "kind of joint")
_LOOP_KINDS = Variants("type", _LOOPS, tuple(LOOPS), "kind of closure")
FILE = (
    Field("name", Text(), "name of the mechanism"),
    Field("bodies", _of(_BODY), "bodies by name; `world` always exists", None),
    Field("joints", Named(_JOINT_KINDS, "a mapping of names"), "joints of the tree by name", None),
    Field("loops", Named(_LOOP_KINDS, "a mapping of names"), "closures of loops by name", None),
    Field("couplings", _of(_COUPLING), "linear relations of coordinates by name", None),
    Field("springs", _of(_SPRING), "springs and dampers between points by name", None),
    Field("joint_springs", _of(_JOINT_SPRING), "springs and dampers of joints by joint name", None),
    Field("forces", _of(_FORCE), "constant forces and couples by name", None),
    Field("joint_forces", Named(Number(), "a mapping of names"), "constant forces [N] or torques [N m] by joint name", None),
    Field("gravity", Number("m/s2", shape=(3,)), "acceleration of free fall (default: 9.81 downwards)", None, "world"),
    Field("state", STATE, "initial state by joint name (default: at rest in the design position)", None),
)
"""Fields of a file in ``configs/mechanisms``."""


@dataclass(frozen=True)
class Place:
    """Pose of a body frame B in the world at the design position, and the center of mass in B.

    `own` is True for a body with its own frame; otherwise B coincides with the world.
    """

    p_WB: Vector
    R_WB: Vector
    own: bool = False
    p_BoBcm: Vector | None = None

    def point(self, p_W: Vector) -> Vector:
        """Transform a world point to B."""
        return self.R_WB.T @ (p_W - self.p_WB)

    def in_world(self, p_B: Vector) -> Vector:
        """Transform a point of B to the world."""
        return self.p_WB + self.R_WB @ p_B


Places = dict[str, Place]


def mechanism_from_mapping(mapping: Any, file: object) -> tuple[Mechanism, InitialState]:
    """Return a mechanism and its initial state from the content of a file.

    Raises ConfigError : an unknown or missing key, an invalid value, or inconsistent elements (the checks of `Mechanism`).
    """
    with checked(FILE, mapping, file) as s:
        places: Places = {WORLD: Place(np.zeros(3), np.eye(3))}
        bodies = tuple(_body(name, b, places) for name, b in _named(s, "bodies"))
        mechanism = Mechanism(
            name=s.text("name"),
            bodies=bodies,
            joints=tuple(_joint(name, j, places) for name, j in _named(s, "joints")),
            loops=tuple(_loop(name, l, places) for name, l in _named(s, "loops")),
            couplings=tuple(_coupling(name, c) for name, c in _named(s, "couplings")),
            springs=tuple(_spring(name, p, places) for name, p in _named(s, "springs")),
            joint_springs=tuple(_joint_spring(name, p) for name, p in _named(s, "joint_springs")),
            forces=tuple(_force(name, f, places) for name, f in _named(s, "forces")),
            joint_forces=_joint_forces(s),
            gravity=s.array("gravity", (3,), [0.0, 0.0, -9.81]),
            file=str(file),
        )
        state = Section(s.raw("state", {}), file, "state")
        return mechanism, read_state(state, mechanism, _free_joint_positions(mechanism, places))


def _named(s: Section, group: str) -> list[tuple[str, Section]]:
    """Return the mappings of an optional group of free names."""
    names = _free_names(s, group, {})
    return [(name, names.section(name)) for name in names.mapping]


def _free_names(s: Section, group: str, default: Any = REQUIRED) -> Section:
    """Return a mapping whose keys are free names."""
    return Section(s.raw(group, default, "a mapping of names"), s.file, s.path(group))


def _flag(s: Section, name: str, default: bool | None) -> Any:
    return s.raw(name, default)


def _unit(s: Section, name: str, axis: Vector) -> Vector:
    unit = direction(axis)
    if unit is None:
        raise ConfigError(s.file, s.path(name), axis, "numbers of a direction, not all zero")
    return unit


def _known(s: Section, name: str, places: Places) -> str:
    """Return the name of a known body under a key."""
    body = s.text(name, expected="the name of a body")
    if body not in places:
        raise ConfigError(s.file, s.path(name), body, "one of the bodies: " + ", ".join(places))
    return body


# Bodies ------------------------------------------------------------------------------------------------------------------------


def _body(name: str, s: Section, places: Places) -> RigidBody:
    """Read a body, either a uniform `rod` between two points or with `com` and `inertia`; add its frame to `places`."""
    with s:
        place = _frame(s)
        mass = s.number("mass")
        if s.has("rod"):
            s.only(("mass", "frame", "rod", "radius"))
            com, inertia = _rod(s, mass)
        else:
            com = s.array("com", (3,), np.zeros(3) if place.own or mass == 0.0 else REQUIRED)
            inertia = _inertia(s)
    places[name] = Place(place.p_WB, place.R_WB, place.own, com)
    return RigidBody(name, mass, com, inertia)


def _frame(s: Section) -> Place:
    """Read the frame of a body, given by `position` and either `rotation` (roll, pitch, yaw) or `axes` (rows x, y, z)."""
    if not s.has("frame"):
        return Place(np.zeros(3), np.eye(3))
    with s.section("frame") as f:
        position = f.array("position", (3,), np.zeros(3))
        if f.has("rotation"):
            return Place(position, rotation_of_angles(*f.array("rotation", (3,)).tolist()), True)
        axes = f.array("axes", (3, 3), np.eye(3))
        if np.abs(axes @ axes.T - np.eye(3)).max() > 1e-6 or np.linalg.det(axes) < 0.0:
            raise ConfigError(f.file, f.path("axes"), axes, "3 perpendicular unit vectors x, y, z, right-handed, of 3 numbers each")
        x = axes[0] / np.linalg.norm(axes[0])
        y = axes[1] - (axes[1] @ x) * x
        y /= np.linalg.norm(y)
        return Place(position, np.column_stack([x, y, np.cross(x, y)]), True)


def _rod(s: Section, mass: float) -> tuple[Vector, Vector]:
    """Return center of mass and inertia m (l.l 1 - l l^T) / 12 + m r^2 (1 + n n^T) / 4, n = l / |l|, of a uniform round rod; default
    radius 0.
    """
    start, end = s.array("rod", (2, 3))
    along = end - start
    if not along @ along > 0.0:
        raise ConfigError(s.file, s.path("rod"), [start.tolist(), end.tolist()], "2 x 3 numbers, two different end points")
    n, radius = along / np.linalg.norm(along), s.number("radius", 0.0)
    thin = mass * (along @ along * np.eye(3) - np.outer(along, along)) / 12.0
    return (start + end) / 2.0, thin + mass * radius**2 * (np.eye(3) + np.outer(n, n)) / 4.0


def _inertia(s: Section) -> Vector:
    """Return the matrix of three moments about the axes or of the full matrix; default: a point mass."""
    value = np.asarray(s.raw("inertia", np.zeros(3)))
    return np.diag(value) if value.ndim == 1 else value


# Joints, loops and couplings ---------------------------------------------------------------------------------------------------


def _joint(name: str, s: Section, places: Places) -> Joint:
    """Read a joint; its point and axes are in the world at the design position, also between bodies with their own frames."""
    with s:
        kind = s.choice("type", tuple(JOINTS))
        parent, child = _known(s, "parent", places), _known(s, "child", places)
        P, B = places[parent], places[child]
        if kind == "free":
            # relative to the world axes, so that the coordinates are the pose of the body frame
            return Joint(name, kind, parent, child, independent=_flag(s, "independent", None), prescribed=_flag(s, "prescribed", False))
        needed = kind in ("revolute", "universal", "spherical") and not B.own
        point = s.array("point", (3,), REQUIRED if needed else B.p_WB)
        return Joint(
            name,
            kind,
            parent,
            child,
            p_PF=P.point(point),
            R_PF=P.R_WB.T,
            axes=_axes(s, kind),
            p_BM=B.point(point),
            R_BM=B.R_WB.T,
            independent=_flag(s, "independent", None) if JOINTS[kind] else None,
            prescribed=_flag(s, "prescribed", False) if JOINTS[kind] else False,
        )


def _axes(s: Section, kind: str) -> Vector:
    if kind == "universal":
        first, second = (_unit(s, "axes", axis) for axis in s.array("axes", (2, 3)))
        if 0.0 < abs(first @ second) < PERPENDICULAR:
            second = _unit(s, "axes", second - (second @ first) * first)
        return np.array([first, second])
    if kind in ("revolute", "prismatic"):
        return _unit(s, "axis", s.array("axis", (3,)))[None, :]
    return np.zeros((0, 3))


def _loop(name: str, s: Section, places: Places) -> Loop:
    """Read a closure. The common point at the design position is given once in the world, or for each end in the frame of its body."""
    with s:
        kind = s.choice("type", tuple(LOOPS))
        x = np.array([1.0, 0.0, 0.0])
        body_1, point_1, axis_1 = _end(s, "predecessor", places, kind == "revolute")
        body_2, point_2, axis_2 = _end(s, "successor", places, kind in ("revolute", "point_on_line"))
        length = 0.0
        if kind == "distance":
            designed = float(np.linalg.norm(places[body_1].in_world(point_1) - places[body_2].in_world(point_2)))
            length = s.number("length", designed)
        return Loop(
            name=name,
            kind=kind,
            predecessor=body_1,
            successor=body_2,
            p_predecessor=point_1,
            p_successor=point_2,
            axis_predecessor=x if axis_1 is None else axis_1,
            axis_successor=x if axis_2 is None else axis_2,
            length=length,
            driven=_flag(s, "driven", False),
        )


def _end(s: Section, end: str, places: Places, with_axis: bool) -> tuple[str, Vector, Vector | None]:
    """Read body, point and axis of one end of a loop: the name of the body, or a mapping with `body`, `point` and `axis` in the body frame."""
    if not isinstance(s.raw(end, expected="a body, or a mapping with body and point"), Mapping):
        body = _known(s, end, places)
        return body, _shared_point(s, places[body]), _shared_axis(s, places[body]) if with_axis else None
    with s.section(end) as own:
        body = _known(own, "body", places)
        place, axis = places[body], None
        point = own.array("point", (3,)) if own.has("point") else _shared_point(s, place)
        if with_axis:
            given = own.has("axis")
            axis = _unit(own, "axis", own.array("axis", (3,))) if given else _shared_axis(s, place)
        return body, point, axis


def _shared_point(s: Section, place: Place) -> Vector:
    return place.point(s.array("point", (3,)))


def _shared_axis(s: Section, place: Place) -> Vector:
    return place.R_WB.T @ _unit(s, "axis", s.array("axis", (3,)))


def _coupling(name: str, s: Section) -> Coupling:
    with s:
        terms = _free_names(s, "terms")
        coefficients = tuple((joint, terms.number(joint)) for joint in terms.mapping)
        return Coupling(name, coefficients, s.number("offset", 0.0))


# Forces ------------------------------------------------------------------------------------------------------------------------


def _spring(name: str, s: Section, places: Places) -> Spring:
    """Read a spring and damper between a point of one body and a point of another."""
    with s:
        (body_a, point_a), (body_b, point_b) = (_spring_end(s, end, places) for end in ("from", "to"))
        rate = s.number("rate", 0.0)
        free_length = s.number("free_length", 0.0 if rate == 0.0 else REQUIRED)
        damping = s.number("damping", 0.0)
        return Spring(name, body_a, point_a, body_b, point_b, rate, free_length, damping)


def _spring_end(s: Section, end: str, places: Places) -> tuple[str, Vector]:
    with s.section(end) as own:
        return _known(own, "body", places), own.array("point", (3,))


def _joint_spring(joint: str, s: Section) -> JointSpring:
    with s:
        rate, damping = s.number("rate", 0.0), s.number("damping", 0.0)
        return JointSpring(joint, rate, s.number("rest", 0.0), damping)


def _force(name: str, s: Section, places: Places) -> Force:
    """Read a constant force and couple; default point: the center of mass."""
    with s:
        body = _known(s, "body", places)
        com = places[body].p_BoBcm
        point = s.array("point", (3,), np.zeros(3) if com is None else com)
        force, couple = (s.array(key, (3,), np.zeros(3)) for key in ("force", "couple"))
        return Force(name, body, force, couple, point, _flag(s, "follows", False))


def _joint_forces(s: Section) -> tuple[JointForce, ...]:
    forces = _free_names(s, "joint_forces", {})
    return tuple(JointForce(joint, forces.number(joint)) for joint in forces.mapping)


def _free_joint_positions(mechanism: Mechanism, places: Places) -> dict[str, Vector]:
    """Return the coordinates of the free joints at which the body frames have their poses of the file."""
    positions = {}
    for joint in mechanism.joints:
        if joint.kind == "free":
            q = np.zeros(7)
            q[:3] = places[joint.child].p_WB
            quaternion_of_rotation(places[joint.child].R_WB, q[3:])
            positions[joint.name] = q
    return positions
