"""Mechanisms from YAML files; `docs/mechanisms.md` describes the format.

All entries of a file are in world coordinates at the design position, where all joint coordinates are zero. A body may have its own
`frame`; then entries under the name of the body are in this frame. `p_PF` and `p_BM` of a joint are its point relative to both bodies, and
its axes are parallel to the world axes at the design position.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import raise_all
from simulator.base.fields import Either, Field, Fields, Flag, Group, Named, Number, Text, Variants, read
from simulator.base.rotations import quaternion_of_rotation
from simulator.base.values import Values
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
_END_AT = (Field("body", _BODY_NAME, "name of the body"), Field("point", _POINT, "point of the closure", None, "body"))
_END_ALONG = (*_END_AT, Field("axis", _DIRECTION, "axis of the closure", None, "body"))


def _loop_fields(first: Fields, second: Fields) -> Fields:
    """Return the table of a loop whose predecessor and successor have these fields."""
    predecessor, successor = (Either((_BODY_NAME, Group(end)), "a body, or a mapping with body and point") for end in (first, second))
    axis = Field("axis", _DIRECTION, "common axis or line of both ends", None, "world")
    return (
        Field("predecessor", predecessor, "first end: a body, or a mapping of its body, point and, if the loop has one, axis"),
        Field("successor", successor, "second end"),
        Field("point", _POINT, "common point of both ends", None, "world"),
        *((axis,) if _END_ALONG in (first, second) else ()),
        Field("driven", Flag(), "true: moved by a prescribed joint", False),
    )


_LENGTH = Field("length", Number("m", 0.0, above=0.0), "distance of the ends (default: distance in the design position)", None)
_LOOPS: dict[str, Fields] = {
    "ball": _loop_fields(_END_AT, _END_AT),
    "revolute": _loop_fields(_END_ALONG, _END_ALONG),
    "point_on_line": _loop_fields(_END_AT, _END_ALONG),
    "distance": (*_loop_fields(_END_AT, _END_AT), _LENGTH),
}
_ENDS_WITH_AXIS: dict[str, tuple[str, ...]] = {"revolute": ("predecessor", "successor"), "point_on_line": ("successor",)}
"""Ends that have an axis, by the type of the loop."""
_COUPLING = (
    Field("terms", Named(Number(), "names of joints, each with its coefficient"), "coefficients of the joint coordinates"),
    Field("offset", Number(), "value of the sum", 0.0),
)
_SPRING_END = Group((Field("body", _BODY_NAME, "name of the body"), Field("point", _POINT, "point of the spring end", frame="body")))
_SPRING = (
    Field("from", _SPRING_END, "first end"),
    Field("to", _SPRING_END, "second end"),
    Field("rate", Number("N/m", 0.0), "stiffness", 0.0),
    Field("free_length", Number("m", 0.0), "length without load; required with a rate", None),
    Field("damping", Number("N s/m", 0.0), "damping", 0.0),
)
_JOINT_SPRING = (
    Field("rate", Number("", 0.0), "stiffness [N m/rad, N/m for a prismatic joint]", 0.0),
    Field("damping", Number("", 0.0), "damping [N m s/rad, N s/m]", 0.0),
    Field("rest", Number("rad"), "coordinate without load [m for a prismatic joint]", 0.0),
)
_FORCE = (
    Field("body", _BODY_NAME, "body on which the force acts"),
    Field("point", _POINT, "point of action (default: center of mass)", None, "body"),
    Field("force", Number("N", shape=(3,)), "force", (0.0, 0.0, 0.0), "world, or the body when it follows"),
    Field("couple", Number("N m", shape=(3,)), "couple", (0.0, 0.0, 0.0), "world, or the body when it follows"),
    Field("follows", Flag(), "true: directions rotate with the body", False),
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
    Field("gravity", Number("m/s2", shape=(3,)), "acceleration of free fall", (0.0, 0.0, -9.81), "world"),
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
    values = read(FILE, mapping, file)
    places: Places = {WORLD: Place(np.zeros(3), np.eye(3))}
    bodies = tuple(_body(name, one, places) for name, one in _named(values, "bodies"))
    mechanism = Mechanism(
        name=values["name"],
        bodies=bodies,
        joints=tuple(_joint(name, one, places) for name, one in _named(values, "joints")),
        loops=tuple(_loop(name, one, places) for name, one in _named(values, "loops")),
        couplings=tuple(Coupling(name, tuple(one["terms"].items()), one["offset"]) for name, one in _named(values, "couplings")),
        springs=tuple(_spring(name, one, places) for name, one in _named(values, "springs")),
        joint_springs=tuple(JointSpring(name, one["rate"], one["rest"], one["damping"]) for name, one in _named(values, "joint_springs")),
        forces=tuple(_force(name, one, places) for name, one in _named(values, "forces")),
        joint_forces=tuple(JointForce(name, one) for name, one in _named(values, "joint_forces")),
        gravity=np.array(values["gravity"]),
        file=str(file),
    )
    state = values.get("state", Values(file, "state"))
    return mechanism, read_state(state, mechanism, _free_joint_positions(mechanism, places))


def _named(values: Values, group: str) -> Iterable[tuple[str, Any]]:
    """Return the names and values of an optional group."""
    return values.get(group, {}).items()  # type: ignore[no-any-return]


def _unit(values: Values, name: str, axis: Vector) -> Vector:
    unit = direction(axis)
    if unit is None:
        raise values.error(name, "numbers of a direction, not all zero")
    return unit


def _known(values: Values, name: str, places: Places) -> str:
    """Return the name of a known body under a key."""
    body: str = values[name]
    if body not in places:
        raise values.error(name, "one of the bodies: " + ", ".join(places))
    return body


# Bodies ------------------------------------------------------------------------------------------------------------------------


def _body(name: str, body: Values, places: Places) -> RigidBody:
    """Read a body, either a uniform `rod` between two points or with `com` and `inertia`; add its frame to `places`."""
    place, mass = _frame(body), body["mass"]
    if "rod" in body:
        raise_all([body.error(key, f"no {key} of a rod") for key in ("com", "inertia") if key in body])
        com, inertia = _rod(body, mass)
    else:
        if "radius" in body:
            body.needed("rod", "2 x 3 numbers in m: end points of the rod with this radius")
        com = body.get("com", np.zeros(3)) if place.own or mass == 0.0 else body.needed("com", "3 numbers in m: center of mass")
        inertia = body.get("inertia", np.zeros(3))
        inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
    places[name] = Place(place.p_WB, place.R_WB, place.own, com)
    return RigidBody(name, mass, com, inertia)


def _frame(body: Values) -> Place:
    """Read the frame of a body, given by `position` and either `rotation` (roll, pitch, yaw) or `axes` (rows x, y, z)."""
    if "frame" not in body:
        return Place(np.zeros(3), np.eye(3))
    frame: Values = body["frame"]
    position = frame.get("position", np.zeros(3))
    if "rotation" in frame:
        if "axes" in frame:
            raise frame.error("axes", "either rotation or axes")
        return Place(position, rotation_of_angles(*frame["rotation"].tolist()), True)
    axes = frame.get("axes", np.eye(3))
    if np.abs(axes @ axes.T - np.eye(3)).max() > 1e-6 or np.linalg.det(axes) < 0.0:
        raise frame.error("axes", "3 perpendicular unit vectors x, y, z, right-handed, of 3 numbers each")
    x = axes[0] / np.linalg.norm(axes[0])
    y = axes[1] - (axes[1] @ x) * x
    y /= np.linalg.norm(y)
    return Place(position, np.column_stack([x, y, np.cross(x, y)]), True)


def _rod(body: Values, mass: float) -> tuple[Vector, Vector]:
    """Return center of mass and inertia m (l.l 1 - l l^T) / 12 + m r^2 (1 + n n^T) / 4, n = l / |l|, of a uniform round rod; default
    radius 0.
    """
    start, end = body["rod"]
    along = end - start
    if not along @ along > 0.0:
        raise body.error("rod", "2 x 3 numbers, two different end points")
    n, radius = along / np.linalg.norm(along), body.get("radius", 0.0)
    thin = mass * (along @ along * np.eye(3) - np.outer(along, along)) / 12.0
    return (start + end) / 2.0, thin + mass * radius**2 * (np.eye(3) + np.outer(n, n)) / 4.0


# Joints and loops --------------------------------------------------------------------------------------------------------------


def _joint(name: str, joint: Values, places: Places) -> Joint:
    """Read a joint; its point and axes are in the world at the design position, also between bodies with their own frames."""
    kind = joint["type"]
    parent, child = _known(joint, "parent", places), _known(joint, "child", places)
    independent, prescribed = joint.get("independent"), joint.get("prescribed", False)
    P, B = places[parent], places[child]
    if kind == "free":
        # relative to the world axes, so that the coordinates are the pose of the body frame
        return Joint(name, kind, parent, child, independent=independent, prescribed=prescribed)
    needed = kind in ("revolute", "universal", "spherical") and not B.own
    point = joint.needed("point", "3 numbers in m: point of the joint") if needed else joint.get("point", B.p_WB)
    return Joint(
        name,
        kind,
        parent,
        child,
        p_PF=P.point(point),
        R_PF=P.R_WB.T,
        axes=_axes(joint, kind),
        p_BM=B.point(point),
        R_BM=B.R_WB.T,
        independent=independent,
        prescribed=prescribed,
    )


def _axes(joint: Values, kind: str) -> Vector:
    if kind == "universal":
        first, second = (_unit(joint, "axes", axis) for axis in joint["axes"])
        if 0.0 < abs(first @ second) < PERPENDICULAR:
            second = _unit(joint, "axes", second - (second @ first) * first)
        return np.array([first, second])
    if kind in ("revolute", "prismatic"):
        return _unit(joint, "axis", joint["axis"])[None, :]
    return np.zeros((0, 3))


def _loop(name: str, loop: Values, places: Places) -> Loop:
    """Read a closure. The common point at the design position is given once in the world, or for each end in the frame of its body."""
    kind = loop["type"]
    x = np.array([1.0, 0.0, 0.0])
    with_axis = _ENDS_WITH_AXIS.get(kind, ())
    for key, ends in (("point", ("predecessor", "successor")), ("axis", with_axis)):
        if key in loop and all(isinstance(loop[end], Values) and key in loop[end] for end in ends):
            raise loop.error(key, f"no common {key} of ends with their own")
    body_1, point_1, axis_1 = _end(loop, "predecessor", places, "predecessor" in with_axis)
    body_2, point_2, axis_2 = _end(loop, "successor", places, "successor" in with_axis)
    designed = float(np.linalg.norm(places[body_1].in_world(point_1) - places[body_2].in_world(point_2)))
    return Loop(
        name=name,
        kind=kind,
        predecessor=body_1,
        successor=body_2,
        p_predecessor=point_1,
        p_successor=point_2,
        axis_predecessor=x if axis_1 is None else axis_1,
        axis_successor=x if axis_2 is None else axis_2,
        length=loop.get("length", designed) if kind == "distance" else 0.0,
        driven=loop["driven"],
    )


def _end(loop: Values, end: str, places: Places, with_axis: bool) -> tuple[str, Vector, Vector | None]:
    """Read body, point and axis of one end of a loop: the name of the body, or a mapping with `body`, `point` and `axis` in the body frame."""
    own = loop[end]
    has_keys = isinstance(own, Values)
    body = _known(own, "body", places) if has_keys else _known(loop, end, places)
    place, axis = places[body], None
    has_point = has_keys and "point" in own
    point = own["point"] if has_point else place.point(loop.needed("point", "3 numbers in m: common point of both ends"))
    if with_axis and has_keys and "axis" in own:
        axis = _unit(own, "axis", own["axis"])
    elif with_axis:
        axis = place.R_WB.T @ _unit(loop, "axis", loop.needed("axis", "3 numbers: common axis or line of both ends"))
    return body, point, axis


# Forces ------------------------------------------------------------------------------------------------------------------------


def _spring(name: str, spring: Values, places: Places) -> Spring:
    """Read a spring and damper between a point of one body and a point of another."""
    (body_a, point_a), (body_b, point_b) = ((_known(spring[end], "body", places), spring[end]["point"]) for end in ("from", "to"))
    if spring["rate"] != 0.0:
        spring.needed("free_length", "a number in m: length without load")
    return Spring(name, body_a, point_a, body_b, point_b, spring["rate"], spring.get("free_length", 0.0), spring["damping"])


def _force(name: str, force: Values, places: Places) -> Force:
    """Read a constant force and couple; default point: the center of mass."""
    body = _known(force, "body", places)
    com = places[body].p_BoBcm
    point = force.get("point", np.zeros(3) if com is None else com)
    return Force(name, body, np.array(force["force"]), np.array(force["couple"]), point, force["follows"])


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
