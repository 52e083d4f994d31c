"""Initial state of a mechanism, by the names of its joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.fields import Either, Field, Group, Named, Number
from simulator.base.records import LARGEST
from simulator.base.rotations import quaternion_of_rotation
from simulator.base.suggestions import no_such_key
from simulator.base.values import Values
from vehicles.multibody.description.attitude import rotation_of_angles
from vehicles.multibody.description.mechanism import JOINTS, Joint, Mechanism

_ENTRY = (
    Field(
        "position",
        Either((Number("rad"), Number("rad", shape=(2,)), Number("m", shape=(3,)))),
        "coordinate, both coordinates of a universal joint, or position of a free joint [m; m for a prismatic joint]",
        None,
    ),
    Field(
        "rate",
        Either((Number("rad/s"), Number("rad/s", shape=(2,)))),
        "rate of the coordinate [m/s for a prismatic joint]",
        None,
        also={"rate_deg": "degps"},
    ),
    Field(
        "acceleration",
        Either((Number("rad/s2"), Number("rad/s2", shape=((2, 6),)))),
        "acceleration of a prescribed joint [m/s2 for a prismatic joint]",
        None,
        also={"acceleration_deg": "degps2"},
    ),
    Field("quaternion", Number("1", shape=(4,)), "attitude of a spherical or free joint: w, x, y, z", None),
    Field("rotation", Number("rad", shape=(3,)), "attitude of a spherical or free joint as roll, pitch, yaw", None, written="deg"),
    Field("angular_velocity", Number("rad/s", shape=(3,)), "angular velocity of a spherical or free joint", None, "child"),
    Field("velocity", Number("m/s", shape=(3,)), "velocity of a free joint", None, "child"),
)
STATE = Named(
    Either(
        (Number(), Number("", shape=((2, 3),)), Group(_ENTRY)),
        "a number, [position, rate] or, prescribed, [position, rate, acceleration], or a mapping with the coordinates of the joint",
    ),
    "a mapping of joints to their coordinates",
)
"""Fields of the state section of a file."""


@dataclass(frozen=True)
class InitialState:
    """Coordinates of each joint that has coordinates, as defined by `Joint` (a free joint: position, quaternion; angular velocity,
    velocity).

    Parameters
    ----------
    positions : joint to (1,), (2,), (4,) or (7,) [rad, m, 1]
    rates : joint to (1,), (2,), (3,) or (6,) [rad/s, m/s]
    accelerations : prescribed joint to (1,), (2,), (3,) or (6,) [rad/s2, m/s2]
    """

    positions: Mapping[str, Vector]
    rates: Mapping[str, Vector]
    accelerations: Mapping[str, Vector]


def resting_state(mechanism: Mechanism) -> InitialState:
    """Return the state with zero coordinates (identity quaternions), rates and accelerations."""
    moving = [joint for joint in mechanism.joints if JOINTS[joint.kind]]
    return InitialState(
        {joint.name: _no_displacement(joint.kind) for joint in moving},
        {joint.name: np.zeros(JOINTS[joint.kind]) for joint in moving},
        {joint.name: np.zeros(JOINTS[joint.kind]) for joint in moving if joint.prescribed},
    )


def read_state(values: Values, mechanism: Mechanism, defaults: Mapping[str, Vector]) -> InitialState:
    """Read the state section of a file; unnamed joints are at rest at zero, or at `defaults` (joint to positions).

    Raises ConfigError : unknown joint or wrong coordinates.
    """
    rest = resting_state(mechanism)
    state = InitialState({**rest.positions, **defaults}, dict(rest.rates), dict(rest.accelerations))
    joints = {joint.name: joint for joint in mechanism.joints if joint.name in rest.positions}
    for name in values:
        if name not in joints:
            raise values.error(name, "a joint with coordinates: " + ", ".join(joints))
        _read_joint(values, joints[name], state)
    return state


def _no_displacement(kind: str) -> Vector:
    if kind == "spherical":
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]) if kind == "free" else np.zeros(JOINTS[kind])


def _read_joint(values: Values, joint: Joint, state: InitialState) -> None:
    """Read one entry: a mapping, or in short form the position, [position, rate] or, prescribed, [position, rate, acceleration]."""
    n, name = JOINTS[joint.kind], joint.name
    parts = [state.positions, state.rates] + [state.accelerations] * joint.prescribed
    given = values[name]
    if isinstance(given, Values):
        _read_mapping(given, joint, parts)
    elif n == 1 and np.size(given) <= len(parts):
        for part, number in zip(parts, np.atleast_1d(given), strict=False):
            part[name][:] = number
    else:
        short = "[position, rate], " if n == 1 else ""
        raise values.error(name, f"{short}or a mapping with the coordinates of a {joint.kind} joint")


_KEYS = {
    "spherical": ("quaternion", "rotation", "angular_velocity"),
    "free": ("position", "quaternion", "rotation", "angular_velocity", "velocity"),
}
"""Keys of the joints with an attitude; the others have a position and a rate."""


def _read_mapping(values: Values, joint: Joint, parts: list[Mapping[str, Vector]]) -> None:
    n = JOINTS[joint.kind]
    known = (*_KEYS.get(joint.kind, ("position", "rate")), *("acceleration",) * joint.prescribed)
    for key in values:
        if key not in known:
            raise values.error(key, no_such_key(key, known))
    q, v = parts[0][joint.name], parts[1][joint.name]
    if joint.kind == "spherical":
        q[:] = _quaternion(values, q)
        v[:] = values.get("angular_velocity", v)
    elif joint.kind == "free":
        q[:3] = _amounts(values, "position", 3, q[:3])
        q[3:] = _quaternion(values, q[3:])
        v[:3] = values.get("angular_velocity", v[:3])
        v[3:] = values.get("velocity", v[3:])
    else:
        for out, key in ((q, "position"), (v, "rate")):
            out[:] = _amounts(values, key, n, out, angle=joint.kind != "prismatic")
    if joint.prescribed:
        a = parts[2][joint.name]
        a[:] = _amounts(values, "acceleration", n, a, angle=joint.kind in ("revolute", "universal"))


def _amounts(values: Values, key: str, n: int, default: Vector, angle: bool = False) -> Vector:
    """Return n numbers under `key`, or a plain number for n = 1; only an angle may have an angle unit."""
    if key not in values:
        return default
    if not angle and values.spelled[key] != key:
        raise values.error(key, f"{key} without a unit, because the coordinate is no angle")
    if np.shape(values[key]) != (() if n == 1 else (n,)):
        raise values.error(key, "a number" if n == 1 else f"{n} numbers")
    return np.atleast_1d(values[key])


def _quaternion(values: Values, default: Vector) -> Vector:
    """Return the attitude under `quaternion` (w, x, y, z, of any length) or `rotation` (roll, pitch, yaw)."""
    if "rotation" in values:
        if "quaternion" in values:
            raise values.error("quaternion", "either quaternion or rotation")
        q = np.zeros(4)
        quaternion_of_rotation(rotation_of_angles(*values["rotation"].tolist()), q)
        return q
    q = values.get("quaternion", default)
    length = float(np.linalg.norm(q))
    if not 1e-6 < length < LARGEST:
        raise values.error("quaternion", "4 numbers (w, x, y, z), not all of them zero")
    return np.asarray(q / length)
