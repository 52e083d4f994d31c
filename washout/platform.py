"""Hexapod: a platform on six legs. Geometry, limits and inverse kinematics (pose -> leg lengths).

Frames: N, fixed in the room, is where the platform frame P rests in the neutral position; x forward, y left, z up (ISO 8855).
A pose is (x, y, z, roll, pitch, yaw) of P in N, all zero in neutral, with R_NP = Rz(yaw) Ry(pitch) Rx(roll).
The base joints are given in a frame A on the floor whose axes are those of N; N lies `neutral_height` above its origin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError, Gathered
from simulator.base.fields import fields_of, filled, read
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
    ("cushion", (), "m", "end of the stroke that a demand may not ask for, at either end"),
    ("p_PH", (3,), "m", "driver's head, in P"),
    ("leg_jerk", (), "m/s3", "highest jerk of a leg; left out: any"),
)

HEXAPOD = SETTINGS + (
    ("neutral_height", (), "m", "height of N above the base frame A"),
    ("park_height", (), "m", "height of the parked platform above neutral, negative"),
    ("reach", (), "m", "largest distance of a platform joint from the origin of P"),
)
"""What kernels read: the settings and what follows from them."""

LARGEST_LENGTH = 50.0
"""m. Nothing of a platform is longer: a number beyond is a slip of the decimal point or of the unit."""

RANGES = {
    **dict.fromkeys(("base_joints", "platform_joints", "p_PH"), (-LARGEST_LENGTH, LARGEST_LENGTH)),
    **dict.fromkeys(("shortest_leg", "longest_leg", "neutral_leg"), (0.01, LARGEST_LENGTH)),
    "cushion": (1e-4, LARGEST_LENGTH),
    "leg_speed": (0.01, 20.0),
    "leg_acceleration": (0.05, 200.0),
    "leg_jerk": (1.0, 1e5),
}
"""m, m/s, m/s2, m/s3. What a platform can be."""

FILE = fields_of(SETTINGS, RANGES, {"leg_jerk": None})
"""Of a file in ``configs/platforms``."""

LARGEST_ANGLE = math.radians(60.0)
"""rad. No demand may ask for more; keeps R_NP far from the pitch of 90 degrees at which roll and yaw coincide."""

SMALLEST_DETERMINANT = 1e-3
"""1. Below this the six leg directions nearly depend on each other and the legs cannot hold the platform."""


def hexapod(mapping: Mapping[str, Any], file: object) -> Record:
    """HEXAPOD record from the content of a file in ``configs/platforms``.

    Raises
    ------
    ConfigError : a key is unknown, missing or out of range, or the legs cannot carry the platform in its neutral position
    """
    values = read(FILE, mapping, file)
    p = filled(HEXAPOD, {"leg_jerk": math.inf, **values})
    _check_lengths(p, file)
    p[0]["reach"] = np.linalg.norm(p[0]["platform_joints"], axis=1).max()
    p[0]["neutral_height"] = _height(p, float(p[0]["neutral_leg"]), file, "neutral_leg")
    p[0]["park_height"] = _height(p, float(p[0]["shortest_leg"] + 2.0 * p[0]["cushion"]), file, "shortest_leg") - p[0]["neutral_height"]
    _check_neutral(p, file)
    return p


def _check_lengths(p: Record, file: object) -> None:
    shortest, longest, neutral, cushion = (float(p[0][name]) for name in ("shortest_leg", "longest_leg", "neutral_leg", "cushion"))
    with Gathered() as faults:
        if float(np.linalg.norm(p[0]["platform_joints"], axis=1).max()) < 0.01:
            joints = p[0]["platform_joints"].tolist()
            faults.add(ConfigError(file, "platform_joints", joints, "joints away from the origin of the platform"))
        if longest <= shortest:
            raise ConfigError(file, "longest_leg", longest, f"more than shortest_leg = {shortest}")
        if cushion > 0.1 * (longest - shortest):
            raise ConfigError(file, "cushion", cushion, f"at most a tenth of the stroke, {0.1 * (longest - shortest):.4g}")
        if not shortest + 3.0 * cushion < neutral < longest - cushion:
            raise ConfigError(file, "neutral_leg", neutral, f"between {shortest + 3.0 * cushion:.4g} and {longest - cushion:.4g}")


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


def _check_neutral(p: Record, file: object) -> None:
    legs = np.zeros(6)
    pose = np.zeros(6)
    for where, height in (("parked", float(p[0]["park_height"])), ("neutral", 0.0)):
        pose[2] = height
        leg_lengths(p, pose, legs)
        low, high = float(p[0]["shortest_leg"] + p[0]["cushion"]), float(p[0]["longest_leg"] - p[0]["cushion"])
        if legs.min() < low or legs.max() > high:
            raise ConfigError(file, "base_joints", legs.round(4).tolist(), f"{where} legs between {low:.4g} and {high:.4g} m")
    if abs(np.linalg.det(leg_directions(p, np.zeros(6)))) < SMALLEST_DETERMINANT:
        raise ConfigError(file, "base_joints", "six legs", "legs whose directions hold the platform in all six ways (not singular)")


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
