"""Platforms on legs: geometry, limits and inverse kinematics (pose -> leg lengths).

What the `type` of a file says: a hexapod stands on six legs and moves every way. A seat of three degrees of freedom stands on three, and a guide
lets it heave, roll and pitch only; one of two is held in a universal joint, the origin of P, and two legs roll and pitch it. Their legs are
lengths between joints as those of a hexapod are. A record has six rows for legs: those of a seat repeat the legs there are, so that
whatever holds for six holds for them, the limiter's proof too.

Frames: N, fixed in the room, is where the platform frame P rests in the neutral position; x forward, y left, z up (ISO 8855).
A pose is (x, y, z, roll, pitch, yaw) of P in N, all zero in neutral, with R_NP = Rz(yaw) Ry(pitch) Rx(roll).
The base joints are given in a frame A on the floor whose axes are those of N; N lies `neutral_height` above its origin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Fields, Variants, fields_of, filled
from simulator.base.jit import kernel
from simulator.base.records import Record
from washout.hexapod import joint_distances, platform_joint_positions

SETTINGS = (
    # name                   shape   unit    what it is
    ("base_joints", (6, 3), "m", "lower joints of the legs, in the base frame A"),
    ("platform_joints", (6, 3), "m", "upper joints of the legs, in the platform frame P, in the same order"),
    ("shortest_leg", (), "m", "distance of the joints of a leg, fully retracted"),
    ("longest_leg", (), "m", "distance of the joints of a leg, fully extended"),
    ("neutral_leg", (), "m", "mean length of the legs in the neutral position"),
    ("leg_speed", (), "m/s", "highest speed of a leg"),
    ("leg_acceleration", (), "m/s2", "highest acceleration of a leg"),
    ("stroke_margin", (), "m", "end of the stroke that a demand may not ask for, at either end"),
    ("seat", (3,), "m", "reference point of the seat, the hip of who sits in it, in P"),
    ("head", (3,), "m", "driver's head, its organs of balance, from there, in P"),
    ("p_PH", (3,), "m", "point whose motion is cued, in P, where that is not the head; the head where there are no seat and head"),
    (
        "actuator_bandwidth",
        (),
        "rad/s",
        "of actuators and host: motion commanded at this frequency comes out 1 / sqrt(2) as large; none: as commanded",
    ),
    ("actuator_damping", (), "1", "damping ratio of their lag of second order"),
    ("actuator_delay", (), "s", "from a command to the beginning of its motion, of actuators and host"),
    ("leg_jerk", (), "m/s3", "highest jerk of a leg; left out: any"),
)

HEXAPOD = SETTINGS + (
    ("neutral_height", (), "m", "height of N above the base frame A"),
    ("park_height", (), "m", "height of the parked platform above neutral, negative"),
    ("reach", (), "m", "largest distance of a platform joint from the origin of P"),
    ("actuators", (), "1", "legs that there are; the rows beyond repeat them", "i8"),
    ("freedoms", (6,), "1", "1 for what of a pose the platform can take: x, y, z, roll, pitch, yaw; else 0"),
    ("felt_at", (3,), "m", "driver's head, in P: what is felt there is what the rider feels"),
)
"""What kernels read: the settings and what follows from them."""

LARGEST_LENGTH = 50.0
"""m. Nothing of a platform is longer: a number beyond is a slip of the decimal point or of the unit."""

RANGES = {
    **dict.fromkeys(("base_joints", "platform_joints", "seat", "head", "p_PH"), (-LARGEST_LENGTH, LARGEST_LENGTH)),
    **dict.fromkeys(("shortest_leg", "longest_leg", "neutral_leg"), (0.01, LARGEST_LENGTH)),
    "stroke_margin": (1e-4, LARGEST_LENGTH),
    "leg_speed": (0.01, 20.0),
    "leg_acceleration": (0.05, 200.0),
    "leg_jerk": (1.0, 1e5),
    "actuator_bandwidth": (0.4 * math.pi, 1000.0 * math.pi),
    "actuator_damping": (0.3, 5.0),
    "actuator_delay": (0.0, 0.25),
}
"""m, m/s, m/s2, m/s3, rad/s, s. What a platform can be."""

DEFAULTS = {
    **dict.fromkeys(("seat", "head", "p_PH", "actuator_bandwidth", "leg_jerk")),
    "actuator_damping": math.sqrt(0.5),
    "actuator_delay": 0.0,
}


@dataclass(frozen=True)
class PlatformKind:
    """What the `type` of a platform's file stands for."""

    legs: int
    freedoms: tuple[int, ...]
    """Which of x, y, z, roll, pitch, yaw it can take."""
    meaning: str

    @property
    def fields(self) -> Fields:
        """Of its file."""
        joints = ("base_joints", "platform_joints")
        table = tuple((row[0], (self.legs, 3), *row[2:]) if row[0] in joints else row for row in SETTINGS)
        return fields_of(table, RANGES, DEFAULTS, written={"actuator_bandwidth": "Hz"})


KINDS = {
    "hexapod": PlatformKind(6, (1, 1, 1, 1, 1, 1), "six legs"),
    "seat_3dof": PlatformKind(3, (0, 0, 1, 1, 1, 0), "three legs under a seat that a guide lets heave, roll and pitch"),
    "seat_2dof": PlatformKind(2, (0, 0, 0, 1, 1, 0), "two legs that roll and pitch a seat in a universal joint, the origin of P"),
}

DEFAULT = "hexapod"
"""Of a file that does not say its `type`."""

FILE = Variants(
    "type",
    {name: kind.fields for name, kind in KINDS.items()},
    tuple(KINDS),
    "; ".join(f"{name}: {kind.meaning}" for name, kind in KINDS.items()),
    default=DEFAULT,
)
"""Of a file in ``configs/platforms``."""

LARGEST_ANGLE = math.radians(60.0)
"""rad. No demand may ask for more; keeps R_NP far from the pitch of 90 degrees at which roll and yaw coincide."""

SMALLEST_DETERMINANT = 1e-3
"""1. Below this the six leg directions nearly depend on each other and the legs cannot hold the platform."""


def hexapod(mapping: Mapping[str, Any], file: object) -> Record:
    """HEXAPOD record of a platform of any type from the content of a file in ``configs/platforms``.

    Raises
    ------
    ConfigError : a key is unknown, missing or out of range, or the legs cannot carry the platform in its neutral position
    """
    values = FILE.read(mapping, file, "")
    kind = KINDS[values["type"]]
    rows = np.arange(6) % kind.legs
    joints = {name: values[name][rows] for name in ("base_joints", "platform_joints")}
    p = filled(HEXAPOD, {"leg_jerk": math.inf, **values, **joints})
    p[0]["actuators"], p[0]["freedoms"] = kind.legs, kind.freedoms
    _place_head(p, values, file)
    if values["actuator_delay"] > 0.0 and "actuator_bandwidth" not in values:
        raise ConfigError(file, "actuator_bandwidth", "nothing", "a number in Hz, because there is an actuator_delay")
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
    """Where the head is, and which point is cued: the head, unless p_PH says another. Raises ConfigError."""
    sits = {"seat", "head"} & set(values)
    if len(sits) == 1:
        raise ConfigError(file, ({"seat", "head"} - sits).pop(), "nothing", f"3 numbers in m, because {sits.pop()} is said")
    if not sits and "p_PH" not in values:
        raise ConfigError(file, "head", "nothing", "seat and head, or the cued point p_PH, 3 numbers in m each")
    p[0]["felt_at"] = p[0]["seat"] + p[0]["head"] if sits else p[0]["p_PH"]
    if "p_PH" not in values:
        p[0]["p_PH"] = p[0]["felt_at"]


def _check_lengths(p: Record, file: object) -> None:
    shortest, longest, neutral, stroke_margin = (
        float(p[0][name]) for name in ("shortest_leg", "longest_leg", "neutral_leg", "stroke_margin")
    )
    with ErrorCollector() as faults:
        if float(np.linalg.norm(p[0]["platform_joints"], axis=1).max()) < 0.01:
            joints = p[0]["platform_joints"].tolist()
            faults.add(ConfigError(file, "platform_joints", joints, "joints away from the origin of the platform"))
        if longest <= shortest:
            raise ConfigError(file, "longest_leg", longest, f"more than shortest_leg = {shortest}")
        if stroke_margin > 0.1 * (longest - shortest):
            raise ConfigError(file, "stroke_margin", stroke_margin, f"at most a tenth of the stroke, {0.1 * (longest - shortest):.4g}")
        if not shortest + 3.0 * stroke_margin < neutral < longest - stroke_margin:
            raise ConfigError(
                file, "neutral_leg", neutral, f"between {shortest + 3.0 * stroke_margin:.4g} and {longest - stroke_margin:.4g}"
            )


def _height(p: Record, mean: float, file: object, key: str) -> float:
    """Height of P above A at which the legs of the level platform have the given mean length [m], by bisection."""
    spread = p[0]["platform_joints"] - p[0]["base_joints"]
    low = -float(spread[:, 2].min())

    def mean_leg(height: float) -> float:
        return float(np.sqrt(spread[:, 0] ** 2 + spread[:, 1] ** 2 + (spread[:, 2] + height) ** 2).mean())

    if mean_leg(low) >= mean:
        raise ConfigError(file, key, mean, f"legs longer than {mean_leg(low):.4g}, so that they reach from the base to the platform")
    high = low + mean + float(np.ptp(spread[:, 2]))
    for _ in range(100):
        middle = 0.5 * (low + high)
        if mean_leg(middle) < mean:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _check_neutral(p: Record, kind: PlatformKind, file: object) -> None:
    legs = np.zeros(6)
    pose = np.zeros(6)
    for where, height in (("parked", float(p[0]["park_height"])), ("neutral", 0.0)):
        pose[2] = height
        leg_lengths(p, pose, legs)
        low, high = float(p[0]["shortest_leg"] + p[0]["stroke_margin"]), float(p[0]["longest_leg"] - p[0]["stroke_margin"])
        if legs.min() < low or legs.max() > high:
            raise ConfigError(file, "base_joints", legs.round(4).tolist(), f"{where} legs between {low:.4g} and {high:.4g} m")
    free = p[0]["freedoms"] == 1.0
    if abs(np.linalg.det(leg_directions(p, np.zeros(6))[: kind.legs, free])) < SMALLEST_DETERMINANT:
        expected = f"legs whose directions hold the platform in all {kind.legs} ways that it moves (not singular)"
        raise ConfigError(file, "base_joints", f"{kind.legs} legs", expected)


def leg_directions(p: Record, pose: np.ndarray) -> np.ndarray:
    """(6, 6) rows [n, (b x n) / reach]: leg speeds per velocity of P [m/s] and per angular velocity times `reach` [m/s], in N."""
    joints = joint_positions(p, pose)
    legs = joints[1] - joints[0]
    n = legs / np.linalg.norm(legs, axis=1)[:, None]
    arm = joints[1] - np.array([pose[0], pose[1], pose[2] + p[0]["neutral_height"]])
    return np.hstack([n, np.cross(arm, n) / p[0]["reach"]])


def joint_positions(p: Record, pose: np.ndarray) -> np.ndarray:
    """(2, 6, 3) lower and upper joints of the legs in the base frame A [m], for drawing."""
    joints = np.stack([p[0]["base_joints"], np.zeros((6, 3))])
    origin = (float(pose[0]), float(pose[1]), float(pose[2] + p[0]["neutral_height"]))
    roll, pitch, yaw = (float(angle) for angle in pose[3:6])
    platform_joint_positions(p[0]["platform_joints"], origin, roll, pitch, yaw, joints[1])
    return joints


@kernel
def leg_lengths(p, pose, legs):
    """Distances of the joints of the six legs (6,) [m] at a pose (6,) [m, rad]: l_i = |p_AP + R_NP p_Pb_i - p_Aa_i|."""
    p_AP = pose[0], pose[1], pose[2] + p[0]["neutral_height"]
    joint_distances(p[0]["base_joints"], p[0]["platform_joints"], p_AP, pose[3], pose[4], pose[5], legs)


@kernel
def leg_bend(p, rates):
    """Bound [m/s2] of the second derivative of every leg length while the pose moves at constant `rates` (6,) [m/s, rad/s].

        |l''| <= |w'|^2 / l + |w''|,   w' = v + (R b)',   |(R b)'| <= reach s,   |(R b)''| <= reach s^2

    with w from joint to joint and s = |roll'| + |pitch'| + |yaw'|.
    """
    speed = math.sqrt(rates[0] * rates[0] + rates[1] * rates[1] + rates[2] * rates[2])
    turn = abs(rates[3]) + abs(rates[4]) + abs(rates[5])
    reach = p[0]["reach"]
    total = speed + reach * turn
    return total * total / p[0]["shortest_leg"] + reach * turn * turn
