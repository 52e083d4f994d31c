"""Motion platforms with legs: geometry, limits and inverse kinematics (pose -> leg lengths).

The `type` of a file selects the kind of platform. A hexapod has six legs and moves in all six degrees of freedom. A seat with three degrees of freedom
has three legs and a guide that permits heave, roll and pitch only. A seat with two degrees of freedom is mounted on a universal joint, the origin of P,
and two legs move it in roll and pitch. Leg lengths are distances between joints for all kinds. A record has six rows for legs. For seats, rows repeat
the existing legs. Results for six legs, including the proof of the limiter, therefore hold for seats, too.

Frames: N, fixed in the laboratory, is the rest position of the platform frame P in the neutral pose; x forward, y left, z up (ISO 8855).
A pose is (x, y, z, roll, pitch, yaw) of P in N, all zero in neutral, with R_NP = Rz(yaw) Ry(pitch) Rx(roll).
The base joints are given in a frame A on the floor with axes parallel to N; the origin of N is `neutral_height` above that of A.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_records import filled, rows
from simulator.base.fields import Field, Fields, Number, Variants
from simulator.base.jit import kernel
from simulator.base.records import Record
from washout.hexapod import joint_distances, platform_joint_positions

LARGEST_LENGTH = 50.0
"""m. Limit of lengths; larger numbers have a wrong decimal point or unit."""
_POINT = Number("m", -LARGEST_LENGTH, LARGEST_LENGTH, shape=(3,))
_JOINTS = replace(_POINT, shape=(6, 3))
SETTINGS = (
    Field("base_joints", _JOINTS, "lower joints of the legs, in the base frame A"),
    Field("platform_joints", _JOINTS, "upper joints of the legs, in the platform frame P, in the same order"),
    Field("shortest_leg", Number("m", 0.01, LARGEST_LENGTH), "minimum distance of the joints of a leg, fully retracted"),
    Field("longest_leg", Number("m", 0.01, LARGEST_LENGTH), "maximum distance of the joints of a leg, fully extended"),
    Field("neutral_leg", Number("m", 0.01, LARGEST_LENGTH), "mean length of the legs in the neutral position"),
    Field("leg_speed", Number("m/s", 0.01, 20.0), "maximum speed of a leg"),
    Field("leg_acceleration", Number("m/s2", 0.05, 200.0), "maximum acceleration of a leg"),
    Field("stroke_margin", Number("m", 1e-4, LARGEST_LENGTH), "reserved distance at either end of the stroke"),
    Field("seat", _POINT, "reference point of the seat, at the hip of the rider, in P", None),
    Field("head", _POINT, "position of the driver's head (vestibular organs) relative to the seat, in P", None),
    Field("p_PH", _POINT, "point whose motion is cued, in P; default: the head", None),
    Field(
        "actuator_bandwidth",
        Number("rad/s", 0.4 * math.pi, 1000.0 * math.pi),
        "bandwidth of actuators and controller: frequency at which the motion is 1 / sqrt(2) of the command; default: ideal actuators",
        None,
        written="Hz",
    ),
    Field("actuator_damping", Number("1", 0.3, 5.0), "damping ratio of the second-order lag of the actuators", math.sqrt(0.5)),
    Field("actuator_delay", Number("s", 0.0, 0.25), "delay from a command to the start of its motion, of actuators and controller", 0.0),
    Field("leg_jerk", Number("m/s3", 1.0, 1e5), "maximum jerk of a leg; default: unlimited", None),
)

HEXAPOD = (
    *rows(SETTINGS),
    ("neutral_height", (), "m", "height of N above the base frame A"),
    ("park_height", (), "m", "height of the parked platform above neutral, negative"),
    ("reach", (), "m", "maximum distance of a platform joint from the origin of P"),
    ("actuators", (), "1", "number of legs; further rows repeat them", "i8"),
    ("freedoms", (6,), "1", "1 for the degrees of freedom of the platform: x, y, z, roll, pitch, yaw; else 0"),
    ("felt_at", (3,), "m", "position of the driver's head, in P, for the perceived motion"),
)
"""Record for kernels: settings and derived values."""


@dataclass(frozen=True)
class PlatformKind:
    """Kind of platform, selected by the `type` of its file."""

    legs: int
    freedoms: tuple[int, ...]
    """Flags of x, y, z, roll, pitch, yaw."""
    meaning: str

    @property
    def fields(self) -> Fields:
        """Fields of a file of this kind."""
        joints = replace(_JOINTS, shape=(self.legs, 3))
        return tuple(replace(field, kind=joints) if field.kind == _JOINTS else field for field in SETTINGS)


KINDS = {
    "hexapod": PlatformKind(6, (1, 1, 1, 1, 1, 1), "six legs"),
    "seat_3dof": PlatformKind(3, (0, 0, 1, 1, 1, 0), "three legs under a seat with a guide for heave, roll and pitch"),
    "seat_2dof": PlatformKind(2, (0, 0, 0, 1, 1, 0), "two legs for roll and pitch of a seat on a universal joint, the origin of P"),
}

DEFAULT = "hexapod"
"""Type of a file without the key `type`."""

FILE = Variants(
    "type",
    {name: kind.fields for name, kind in KINDS.items()},
    tuple(KINDS),
    "; ".join(f"{name}: {kind.meaning}" for name, kind in KINDS.items()),
    default=DEFAULT,
)
"""Fields of a file in ``configs/platforms``."""

LARGEST_ANGLE = math.radians(60.0)
"""rad. Limit of requested angles; keeps R_NP far from the singularity at a pitch of 90 degrees."""

SMALLEST_DETERMINANT = 1e-3
"""1. Minimum determinant of the leg directions; below it they are nearly dependent and the legs cannot hold the platform."""


def hexapod(mapping: Mapping[str, Any], file: object) -> Record:
    """Build the HEXAPOD record of a platform of any type from the content of a file in ``configs/platforms``.

    Raises
    ------
    ConfigError : a key is unknown, missing or out of range, or the legs cannot hold the platform in its neutral position
    """
    values = FILE.read(mapping, file, "")
    kind = KINDS[values["type"]]
    rows = np.arange(6) % kind.legs
    joints = {name: values[name][rows] for name in ("base_joints", "platform_joints")}
    p = filled(HEXAPOD, {"leg_jerk": math.inf, **values, **joints})
    p[0]["actuators"], p[0]["freedoms"] = kind.legs, kind.freedoms
    _place_head(p, values, file)
    if values["actuator_delay"] > 0.0 and "actuator_bandwidth" not in values:
        raise ConfigError(file, "actuator_bandwidth", "nothing", "a number in Hz, because actuator_delay is set")
    _check_lengths(p, file)
    p[0]["reach"] = np.linalg.norm(p[0]["platform_joints"], axis=1).max()
    p[0]["neutral_height"] = _height(p, float(p[0]["neutral_leg"]), file, "neutral_leg")
    if p[0]["freedoms"][2]:
        p[0]["park_height"] = (
            _height(p, float(p[0]["shortest_leg"] + 2.0 * p[0]["stroke_margin"]), file, "shortest_leg") - p[0]["neutral_height"]
        )
    _check_neutral(p, kind, file)
    return p


def _place_head(p: Record, values: Mapping[str, Any], file: object) -> None:
    """Set the head and the cued point; default of the cued point: the head. Raises ConfigError."""
    sits = {"seat", "head"} & set(values)
    if len(sits) == 1:
        raise ConfigError(file, ({"seat", "head"} - sits).pop(), "nothing", f"3 numbers in m, because {sits.pop()} is set")
    if not sits and "p_PH" not in values:
        raise ConfigError(file, "head", "nothing", "seat and head, or the cued point p_PH, 3 numbers in m each")
    p[0]["felt_at"] = p[0]["seat"] + p[0]["head"] if sits else p[0]["p_PH"]
    if "p_PH" not in values:
        p[0]["p_PH"] = p[0]["felt_at"]


def _check_lengths(p: Record, file: object) -> None:
    """Check the leg lengths. Raises ConfigError."""
    shortest, longest, neutral, stroke_margin = (
        float(p[0][name]) for name in ("shortest_leg", "longest_leg", "neutral_leg", "stroke_margin")
    )
    with ErrorCollector() as faults:
        if float(np.linalg.norm(p[0]["platform_joints"], axis=1).max()) < 0.01:
            joints = p[0]["platform_joints"].tolist()
            faults.add(ConfigError(file, "platform_joints", joints, "joints at least 0.01 m from the origin of the platform"))
        if longest <= shortest:
            raise ConfigError(file, "longest_leg", longest, f"a length in m above shortest_leg = {shortest}")
        if stroke_margin > 0.1 * (longest - shortest):
            raise ConfigError(file, "stroke_margin", stroke_margin, f"at most a tenth of the stroke, {0.1 * (longest - shortest):.4g}")
        if not shortest + 3.0 * stroke_margin < neutral < longest - stroke_margin:
            raise ConfigError(
                file,
                "neutral_leg",
                neutral,
                f"a length in m between {shortest + 3.0 * stroke_margin:.4g} and {longest - stroke_margin:.4g}",
            )


def _height(p: Record, mean: float, file: object, key: str) -> float:
    """Return the height of P above A at which the legs of the level platform have the given mean length [m], by bisection."""
    spread = p[0]["platform_joints"] - p[0]["base_joints"]
    low = -float(spread[:, 2].min())

    def mean_leg(height: float) -> float:
        return float(np.sqrt(spread[:, 0] ** 2 + spread[:, 1] ** 2 + (spread[:, 2] + height) ** 2).mean())

    if mean_leg(low) >= mean:
        raise ConfigError(file, key, mean, f"a length above {mean_leg(low):.4g} m, so that the legs reach from the base to the platform")
    high = low + mean + float(np.ptp(spread[:, 2]))
    for _ in range(100):
        middle = 0.5 * (low + high)
        if mean_leg(middle) < mean:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _check_neutral(p: Record, kind: PlatformKind, file: object) -> None:
    """Check leg lengths and leg directions of the parked and the neutral platform. Raises ConfigError."""
    legs = np.zeros(6)
    pose = np.zeros(6)
    for where, height in (("parked", float(p[0]["park_height"])), ("neutral", 0.0)):
        pose[2] = height
        leg_lengths(p, pose, legs)
        low, high = float(p[0]["shortest_leg"] + p[0]["stroke_margin"]), float(p[0]["longest_leg"] - p[0]["stroke_margin"])
        if legs.min() < low or legs.max() > high:
            raise ConfigError(file, "base_joints", legs.round(4).tolist(), f"{where} leg lengths between {low:.4g} and {high:.4g} m")
    free = p[0]["freedoms"] == 1.0
    if abs(np.linalg.det(leg_directions(p, np.zeros(6))[: kind.legs, free])) < SMALLEST_DETERMINANT:
        expected = f"leg directions that hold the platform in all {kind.legs} degrees of freedom (not singular)"
        raise ConfigError(file, "base_joints", f"{kind.legs} legs", expected)


def leg_directions(p: Record, pose: np.ndarray) -> np.ndarray:
    """Return (6, 6) rows [n, (b x n) / reach]: leg speeds per velocity of P [m/s] and per angular velocity times `reach` [m/s], in N."""
    joints = joint_positions(p, pose)
    legs = joints[1] - joints[0]
    n = legs / np.linalg.norm(legs, axis=1)[:, None]
    arm = joints[1] - np.array([pose[0], pose[1], pose[2] + p[0]["neutral_height"]])
    return np.hstack([n, np.cross(arm, n) / p[0]["reach"]])


def joint_positions(p: Record, pose: np.ndarray) -> np.ndarray:
    """Return (2, 6, 3) lower and upper joints of the legs in the base frame A [m], for drawing."""
    joints = np.stack([p[0]["base_joints"], np.zeros((6, 3))])
    origin = (float(pose[0]), float(pose[1]), float(pose[2] + p[0]["neutral_height"]))
    roll, pitch, yaw = (float(angle) for angle in pose[3:6])
    platform_joint_positions(p[0]["platform_joints"], origin, roll, pitch, yaw, joints[1])
    return joints


@kernel
def leg_lengths(p, pose, legs):
    """Compute the distances of the joints of the six legs (6,) [m] at a pose (6,) [m, rad]: l_i = |p_AP + R_NP p_Pb_i - p_Aa_i|."""
    p_AP = pose[0], pose[1], pose[2] + p[0]["neutral_height"]
    joint_distances(p[0]["base_joints"], p[0]["platform_joints"], p_AP, pose[3], pose[4], pose[5], legs)


@kernel
def leg_bend(p, rates):
    """Return a bound [m/s2] of the second derivative of all leg lengths while the pose moves at constant `rates` (6,) [m/s, rad/s].

        |l''| <= |w'|^2 / l + |w''|,   w' = v + (R b)',   |(R b)'| <= reach s,   |(R b)''| <= reach s^2

    with w from joint to joint and s = |roll'| + |pitch'| + |yaw'|.
    """
    speed = math.sqrt(rates[0] * rates[0] + rates[1] * rates[1] + rates[2] * rates[2])
    turn = abs(rates[3]) + abs(rates[4]) + abs(rates[5])
    reach = p[0]["reach"]
    total = speed + reach * turn
    return total * total / p[0]["shortest_leg"] + reach * turn * turn
