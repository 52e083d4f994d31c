"""Initial state of a mechanism, by the names of its joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Either, Field, Group, Named, Number
from simulator.base.records import LARGEST, join, numbers
from simulator.base.rotations import quaternion_of_rotation
from simulator.base.section import Section
from vehicles.multibody.description.attitude import rotation_of_angles
from vehicles.multibody.description.mechanism import JOINTS, Joint, Mechanism

Vector = NDArray[np.float64]

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


def read_state(s: Section, mechanism: Mechanism, defaults: Mapping[str, Vector]) -> InitialState:
    """Read the state section of a file; unnamed joints are at rest at zero, or at `defaults` (joint to positions).

    Raises ConfigError : unknown joint or wrong coordinates.
    """
    rest = resting_state(mechanism)
    state = InitialState({**rest.positions, **defaults}, dict(rest.rates), dict(rest.accelerations))
    joints = {joint.name: joint for joint in mechanism.joints if joint.name in rest.positions}
    for name in s.mapping:
        if name not in joints:
            raise ConfigError(s.file, s.path(str(name)), s.mapping[name], "a joint with coordinates: " + ", ".join(joints))
        _read_joint(s, joints[name], state)
    return state


def _no_displacement(kind: str) -> Vector:
    if kind == "spherical":
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]) if kind == "free" else np.zeros(JOINTS[kind])


def _read_joint(s: Section, joint: Joint, state: InitialState) -> None:
    """Read one entry: a mapping, or in short form the position, [position, rate] or, prescribed, [position, rate, acceleration]."""
    n, name = JOINTS[joint.kind], joint.name
    parts = [state.positions, state.rates] + [state.accelerations] * joint.prescribed
    value = s.raw(name)
    if isinstance(value, Mapping):
        with s.section(name) as given:
            _read_mapping(given, joint, parts)
    elif n == 1 and np.ndim(value) == 1 and 1 < len(value) <= len(parts):
        for part, number in zip(parts, value, strict=False):
            part[name][:] = number
    elif n == 1 and np.ndim(value) == 0:
        state.positions[name][:] = s.number(name)
    else:
        short = "[position, rate], " if n == 1 else ""
        raise ConfigError(s.file, s.path(name), value, f"{short}or a mapping with the coordinates of a {joint.kind} joint")


def _read_mapping(s: Section, joint: Joint, parts: list[Mapping[str, Vector]]) -> None:
    n = JOINTS[joint.kind]
    q, v = parts[0][joint.name], parts[1][joint.name]
    if joint.kind == "spherical":
        q[:] = _quaternion(s, q)
        v[:] = s.array("angular_velocity", (3,), v)
    elif joint.kind == "free":
        q[:3] = s.array("position", (3,), q[:3])
        q[3:] = _quaternion(s, q[3:])
        v[:3] = s.array("angular_velocity", (3,), v[:3])
        v[3:] = s.array("velocity", (3,), v[3:])
    else:
        for values, key in ((q, "position"), (v, "rate")):
            values[:] = _amounts(s, key, n, values, angle=joint.kind != "prismatic")
    if joint.prescribed:
        a = parts[2][joint.name]
        a[:] = _amounts(s, "acceleration", n, a, angle=joint.kind in ("revolute", "universal"))


def _amounts(s: Section, key: str, n: int, default: Vector, angle: bool) -> Vector:
    """Return n numbers under `key`, or a plain number for n = 1; only an angle may have an angle unit."""
    if not s.has(key):
        return default
    if not angle and s.path(key) != join(s.key, key):
        raise ConfigError(s.file, s.path(key), s.mapping[key], f"{key} without a unit, because the coordinate is no angle")
    if n == 1:
        return np.array([s.number(key)])
    return s.array(key, (n,))


def _quaternion(s: Section, default: Vector) -> Vector:
    """Return the attitude under `quaternion` (w, x, y, z, of any length) or `rotation` (roll, pitch, yaw)."""
    if s.has("rotation"):
        q = np.zeros(4)
        quaternion_of_rotation(rotation_of_angles(*s.array("rotation", (3,)).tolist()), q)
        return q
    q = numbers(s.raw("quaternion", default), (4,), s.file, s.path("quaternion"))
    length = float(np.linalg.norm(q))
    if not 1e-6 < length < LARGEST:
        raise ConfigError(s.file, s.path("quaternion"), q, "4 numbers (w, x, y, z), not all of them zero")
    return q / length
