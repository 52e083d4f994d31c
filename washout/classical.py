"""Classical washout: specific force and angular rate at the driver's head -> pose of the platform.

    f_H_B --scale, limit--> f ----to N with the platform's own attitude, less gravity---> high-pass (4.7) ----> position
                             '--low-pass (4.8)--> tilt angle --rate and acceleration limit--.
    w_WB_B --scale, limit--> w ----to angle rates, high-pass and integral------------------+--> angles --> own attitude

Frames: the vehicle's axes B are felt as the platform's axes P; N is fixed in the room (see platform.py). Specific force is
acceleration less gravity, (0, 0, +g) at rest. Because the force enters the high-pass in N, with the attitude of the platform
itself, an acceleration that the tilt already shows is not shown a second time by moving.

Source: Haug, Driving simulators, section 4.1.4.1, eqs (4.7) to (4.9), after Reid and Nahon; discrete by the bilinear transform (4.9).
differs: the rotational high-pass is of second order, so that a constant turn ends in neutral; tilt has an acceleration limit too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.fields import fields_of, filled, read
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from washout.contract import CONTRACT, LAYOUT, WashoutKind

G = STANDARD_GRAVITY
"""m/s2. Of the place where the platform stands, whatever world the vehicle is in: what its tilt divides."""

SETTINGS = (
    # name                        shape  unit      what it is
    ("force_gain", (3,), "1", "scale of the specific force less gravity: surge, sway, heave"),
    ("force_limit", (3,), "m/s2", "limit of the scaled force, either way"),
    ("rate_gain", (3,), "1", "scale of the angular rate: roll, pitch, yaw"),
    ("rate_limit", (3,), "rad/s", "limit of the scaled rate, either way"),
    ("motion_gain", (3,), "1", "share of the scaled force that the high-pass shows by moving"),
    ("high_pass_frequency", (3,), "rad/s", "break frequency of the high-pass: surge, sway, heave"),
    ("high_pass_damping", (3,), "1", "its damping ratio"),
    ("return_frequency", (3,), "rad/s", "break frequency of its third pole, which brings the platform back"),
    ("tilt_gain", (2,), "1", "share of the scaled force that tilt shows: surge by pitch, sway by roll"),
    ("tilt_frequency", (2,), "rad/s", "break frequency of the low-pass: surge, sway"),
    ("tilt_damping", (2,), "1", "its damping ratio"),
    ("tilt_limit", (), "rad", "largest tilt"),
    ("tilt_rate", (), "rad/s", "largest rate of tilt"),
    ("tilt_acceleration", (), "rad/s2", "largest angular acceleration of tilt"),
    ("rotation_frequency", (3,), "rad/s", "break frequency of the rotational high-pass: roll, pitch, yaw"),
    ("rotation_damping", (3,), "1", "its damping ratio"),
)

RANGES = {
    **dict.fromkeys(("force_gain", "rate_gain", "motion_gain", "tilt_gain"), (0.0, 2.0)),
    "force_limit": (1e-3, 100.0),
    "rate_limit": (math.radians(1e-3), math.radians(1e3)),
    **dict.fromkeys(("high_pass_frequency", "return_frequency", "tilt_frequency", "rotation_frequency"), (1e-3, 200.0)),
    **dict.fromkeys(("high_pass_damping", "tilt_damping", "rotation_damping"), (0.05, 20.0)),
    "tilt_limit": (math.radians(1e-3), math.radians(30.0)),
    "tilt_rate": (math.radians(1e-3), math.radians(1e3)),
    "tilt_acceleration": (math.radians(1e-3), math.radians(1e6)),
}
"""Least and most of every setting: beyond is a slip of the pen."""

FILE = fields_of(
    SETTINGS,
    RANGES,
    written={"rate_limit": "degps", "tilt_limit": "deg", "tilt_rate": "degps", "tilt_acceleration": "degps2"},
    also={
        "rate_limit": {"rate_limit_deg": "degps"},
        "tilt_rate": {"tilt_rate_deg": "degps"},
        "tilt_acceleration": {"tilt_acceleration_deg": "degps2"},
    },
)
"""Of the section `cueing` of a file in ``configs/washouts``."""

WASHOUT = (
    # name                      shape      unit     what it is
    ("gravity", (), "m/s2", "acceleration of free fall of the vehicle's world"),
    ("h", (), "s", "tick that the filters are made for"),
    ("force_gain", (3,), "1", "as in the settings"),
    ("force_limit", (3,), "m/s2", "as in the settings"),
    ("rate_gain", (3,), "1", "as in the settings"),
    ("rate_limit", (3,), "rad/s", "limit of the scaled rate"),
    ("motion_gain", (3,), "1", "as in the settings"),
    ("tilt_gain", (2,), "1", "as in the settings"),
    ("tilt_limit", (), "rad", "largest tilt"),
    ("tilt_rate", (), "rad/s", "largest rate of tilt"),
    ("tilt_acceleration", (), "rad/s2", "largest angular acceleration of tilt"),
    ("high_pass_A", (3, 3, 3), "mixed", "per axis: states after a tick from states before"),
    ("high_pass_b", (3, 3), "mixed", "per axis: and from the sum of the inputs before and after"),
    ("high_pass_c", (3, 3), "mixed", "per axis: coefficients of the denominator, constant first"),
    ("tilt_A", (2, 2, 2), "mixed", "the same for the low-pass"),
    ("tilt_b", (2, 2), "mixed", "the same for the low-pass"),
    ("rotation_A", (3, 2, 2), "mixed", "the same for the rotational high-pass"),
    ("rotation_b", (3, 2), "mixed", "the same for the rotational high-pass"),
)

KIND = WashoutKind(
    "classical",
    SETTINGS,
    RANGES,
    CONTRACT,
    LAYOUT,
    meaning="high-pass of force and rate, tilt for what is steady (Reid and Nahon); in every tick",
)
"""It is known by name like the others, and called directly."""

HEAD = ("p_PH", (3,), "m", "driver's head from the platform's reference point, in P")
"""Comes from the platform's record; the washout turns about this point."""

STATE = (
    # name              shape   unit    what it is
    ("acceleration", (3,), "m/s2", "acceleration in N to be shown by moving, last tick"),
    ("high_pass", (3, 3), "m s, m, m/s", "per axis: integral of the position, position, velocity of the head in N"),
    ("force", (2,), "m/s2", "scaled force, surge and sway, last tick"),
    ("low_pass", (2, 2), "m/s2, m/s3", "per axis: force to be shown by tilt, and its rate"),
    ("tilt", (2,), "rad", "roll and pitch of the tilt"),
    ("tilt_speed", (2,), "rad/s", "their rates"),
    ("angle_rates_in", (3,), "rad/s", "scaled rates of roll, pitch, yaw, last tick"),
    ("rotation", (3, 2), "rad s, rad", "per axis: integral of the angle, angle"),
)

POSE = (
    # name                    shape   unit      what it is
    ("position", (3,), "m", "platform reference point from neutral, in N"),
    ("angles", (3,), "rad", "roll, pitch, yaw of the platform, R_NP = Rz(yaw) Ry(pitch) Rx(roll)"),
    ("velocity", (3,), "m/s", "backward difference of the position"),
    ("angle_rates", (3,), "rad/s", "backward difference of the angles"),
    ("acceleration", (3,), "m/s2", "backward difference of the velocity"),
    ("angle_accelerations", (3,), "rad/s2", "backward difference of the angle rates"),
)


def washout(mapping: Mapping[str, Any], file: object, h: float, p: Record | None = None, gravity: float = STANDARD_GRAVITY) -> Record:
    """Record for ticks of h seconds from the section `cueing` of a file in ``configs/washouts``.

    `p` is a record to fill that has the fields of WASHOUT and p_PH, by default a new one with the head at the reference point; `gravity`
    [m/s2] is that of the vehicle's world.

    Raises
    ------
    ConfigError : a key is unknown or missing, or a number out of its range
    """
    u = filled(SETTINGS, read(FILE, mapping, file, "cueing"))
    p = record((*WASHOUT, HEAD)) if p is None else p
    p[0]["h"], p[0]["gravity"] = h, gravity
    for name in (
        "force_gain",
        "force_limit",
        "rate_gain",
        "rate_limit",
        "motion_gain",
        "tilt_gain",
        "tilt_limit",
        "tilt_rate",
        "tilt_acceleration",
    ):
        p[0][name] = u[0][name]
    for i in range(3):
        c = _high_pass_denominator(u[0]["high_pass_frequency"][i], u[0]["high_pass_damping"][i], u[0]["return_frequency"][i])
        p[0]["high_pass_c"][i] = c
        p[0]["high_pass_A"][i], p[0]["high_pass_b"][i] = bilinear([[0, 1, 0], [0, 0, 1], -c], [0, 0, 1], h)
        w, z = u[0]["rotation_frequency"][i], u[0]["rotation_damping"][i]
        p[0]["rotation_A"][i], p[0]["rotation_b"][i] = bilinear([[0, 1], [-w * w, -2 * z * w]], [0, 1], h)
    for i in range(2):
        w, z = u[0]["tilt_frequency"][i], u[0]["tilt_damping"][i]
        p[0]["tilt_A"][i], p[0]["tilt_b"][i] = bilinear([[0, 1], [-w * w, -2 * z * w]], [0, w * w], h)
    return p


def bilinear(A: Any, b: Any, h: float) -> tuple[np.ndarray, np.ndarray]:
    """(Ad, bd) with x1 = Ad x0 + bd (u0 + u1): trapezoidal rule for x' = A x + b u, which is s = (2/h)(z - 1)/(z + 1) (eq 4.9)."""
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    left = np.eye(len(A)) - 0.5 * h * A
    return np.linalg.solve(left, np.eye(len(A)) + 0.5 * h * A), np.linalg.solve(left, 0.5 * h * b)


def _high_pass_denominator(w: float, z: float, w_return: float) -> np.ndarray:
    """Coefficients of (s^2 + 2 z w s + w^2)(s + w_return), constant first, without the leading one."""
    return np.array([w * w * w_return, w * w + 2.0 * z * w * w_return, 2.0 * z * w + w_return])


@kernel
def rest(s, out):
    """Filters `s` (STATE) and pose `out` (POSE) as if level and still for ever."""
    for i in range(3):
        s[0]["acceleration"][i], s[0]["angle_rates_in"][i] = 0.0, 0.0
        for k in range(3):
            s[0]["high_pass"][i, k] = 0.0
        for k in range(2):
            s[0]["rotation"][i, k] = 0.0
        out[0]["position"][i], out[0]["velocity"][i], out[0]["acceleration"][i] = 0.0, 0.0, 0.0
        out[0]["angles"][i], out[0]["angle_rates"][i], out[0]["angle_accelerations"][i] = 0.0, 0.0, 0.0
    for i in range(2):
        s[0]["force"][i], s[0]["tilt"][i], s[0]["tilt_speed"][i] = 0.0, 0.0, 0.0
        for k in range(2):
            s[0]["low_pass"][i, k] = 0.0


@kernel
def washout_step(p, s, f_H_B, w_WB_B, h, out):
    """One tick: f_H_B (3,) [m/s2] and w_WB_B (3,) [rad/s] in vehicle axes -> `out` (POSE) of the platform.

    `p` WASHOUT and HEAD, made for ticks of this h [s]; `s` STATE.
    """
    roll = s[0]["tilt"][0] + s[0]["rotation"][0, 1]
    pitch = s[0]["tilt"][1] + s[0]["rotation"][1, 1]
    yaw = s[0]["rotation"][2, 1]
    fx = _scaled(f_H_B[0], p[0]["force_gain"][0], p[0]["force_limit"][0])
    fy = _scaled(f_H_B[1], p[0]["force_gain"][1], p[0]["force_limit"][1])
    fz = _scaled(f_H_B[2] - p[0]["gravity"], p[0]["force_gain"][2], p[0]["force_limit"][2])
    _move(p, s, fx, fy, fz, roll, pitch, yaw)
    _tilt(p, s, fx, fy, h)
    _turn(p, s, w_WB_B, roll, pitch)
    _compose(p, s, h, out)


@kernel
def _scaled(value, gain, limit):
    return min(limit, max(-limit, gain * value))


@kernel
def _move(p, s, fx, fy, fz, roll, pitch, yaw):
    """High-pass (4.7) of a_N = R_NP f - (0, 0, g), f = (fx, fy, fz + g), per axis with states q1' = q2, q2' = q3, q3' = a - c.q."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    y1 = cr * fy - sr * (fz + G)
    z1 = sr * fy + cr * (fz + G)
    x2 = cp * fx + sp * z1
    _move_axis(p, s, 0, cy * x2 - sy * y1)
    _move_axis(p, s, 1, sy * x2 + cy * y1)
    _move_axis(p, s, 2, cp * z1 - sp * fx - G)


@kernel
def _move_axis(p, s, i, a):
    u = p[0]["motion_gain"][i] * (s[0]["acceleration"][i] + a)
    q0, q1, q2 = s[0]["high_pass"][i, 0], s[0]["high_pass"][i, 1], s[0]["high_pass"][i, 2]
    for k in range(3):
        A = p[0]["high_pass_A"]
        s[0]["high_pass"][i, k] = A[i, k, 0] * q0 + A[i, k, 1] * q1 + A[i, k, 2] * q2 + p[0]["high_pass_b"][i, k] * u
    s[0]["acceleration"][i] = a


@kernel
def _tilt(p, s, fx, fy, h):
    """Tilt coordination: low-pass (4.8), then the attitude in which gravity alone gives that force:

    fx = -g sin(pitch),  fy = +g sin(roll) cos(pitch)    [body force of a tilted platform at rest]
    """
    _low_pass(p, s, 0, fx)
    _low_pass(p, s, 1, fy)
    top = math.sin(p[0]["tilt_limit"])
    share_x = min(top, max(-top, p[0]["tilt_gain"][0] * s[0]["low_pass"][0, 0] / G))
    pitch = -math.asin(share_x)
    pitch_cos = math.sqrt(1.0 - share_x * share_x)
    share_y = min(top, max(-top, p[0]["tilt_gain"][1] * s[0]["low_pass"][1, 0] / (G * pitch_cos)))
    roll = math.asin(share_y)
    _follow_tilt(p, s, 0, roll, h)
    _follow_tilt(p, s, 1, pitch, h)


@kernel
def _low_pass(p, s, i, f):
    x0, x1 = s[0]["low_pass"][i, 0], s[0]["low_pass"][i, 1]
    u = s[0]["force"][i] + f
    for k in range(2):
        s[0]["low_pass"][i, k] = p[0]["tilt_A"][i, k, 0] * x0 + p[0]["tilt_A"][i, k, 1] * x1 + p[0]["tilt_b"][i, k] * u
    s[0]["force"][i] = f


@kernel
def _follow_tilt(p, s, i, wanted, h):
    """Follow an angle under a rate and an acceleration limit; as fast as it can still brake, so it does not overshoot a resting angle."""
    a = p[0]["tilt_acceleration"]
    error = wanted - s[0]["tilt"][i]
    step = 0.5 * a * h
    rate = min(abs(error) / h, math.sqrt(step * step + 2.0 * a * abs(error)) - step, p[0]["tilt_rate"])
    rate = math.copysign(rate, error)
    before = s[0]["tilt_speed"][i]
    s[0]["tilt_speed"][i] = min(before + a * h, max(before - a * h, rate))
    s[0]["tilt"][i] += h * s[0]["tilt_speed"][i]


@kernel
def _turn(p, s, w, roll, pitch):
    """Rotational channel: rates of roll, pitch, yaw of the attitude of the platform, high-passed s^2 / (s^2 + 2 z w s + w^2), integrated."""
    wx = _scaled(w[0], p[0]["rate_gain"][0], p[0]["rate_limit"][0])
    wy = _scaled(w[1], p[0]["rate_gain"][1], p[0]["rate_limit"][1])
    wz = _scaled(w[2], p[0]["rate_gain"][2], p[0]["rate_limit"][2])
    cr, sr = math.cos(roll), math.sin(roll)
    yaw_rate = (sr * wy + cr * wz) / max(0.2, math.cos(pitch))
    _turn_axis(p, s, 0, wx + math.sin(pitch) * yaw_rate)
    _turn_axis(p, s, 1, cr * wy - sr * wz)
    _turn_axis(p, s, 2, yaw_rate)


@kernel
def _turn_axis(p, s, i, rate):
    x0, x1 = s[0]["rotation"][i, 0], s[0]["rotation"][i, 1]
    u = s[0]["angle_rates_in"][i] + rate
    for k in range(2):
        s[0]["rotation"][i, k] = p[0]["rotation_A"][i, k, 0] * x0 + p[0]["rotation_A"][i, k, 1] * x1 + p[0]["rotation_b"][i, k] * u
    s[0]["angle_rates_in"][i] = rate


@kernel
def _compose(p, s, h, out):
    """Pose of the reference point from the motion of the head: p_NP = p_NH - (R_NP p_PH - p_PH), and its differences."""
    roll = s[0]["tilt"][0] + s[0]["rotation"][0, 1]
    pitch = s[0]["tilt"][1] + s[0]["rotation"][1, 1]
    yaw = s[0]["rotation"][2, 1]
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    hx, hy, hz = p[0]["p_PH"][0], p[0]["p_PH"][1], p[0]["p_PH"][2]
    y1 = cr * hy - sr * hz
    z1 = sr * hy + cr * hz
    x2 = cp * hx + sp * z1
    position = (
        s[0]["high_pass"][0, 1] - (cy * x2 - sy * y1 - hx),
        s[0]["high_pass"][1, 1] - (sy * x2 + cy * y1 - hy),
        s[0]["high_pass"][2, 1] - (cp * z1 - sp * hx - hz),
    )
    angles = (roll, pitch, yaw)
    move_to(out, position, angles, h)


@inline
def move_to(out, position, angles, h):
    """Fill a POSE record with the pose h seconds after the one it holds."""
    for i in range(3):
        velocity = (position[i] - out[0]["position"][i]) / h
        rate = (angles[i] - out[0]["angles"][i]) / h
        out[0]["acceleration"][i] = (velocity - out[0]["velocity"][i]) / h
        out[0]["angle_accelerations"][i] = (rate - out[0]["angle_rates"][i]) / h
        out[0]["velocity"][i] = velocity
        out[0]["angle_rates"][i] = rate
        out[0]["position"][i] = position[i]
        out[0]["angles"][i] = angles[i]
