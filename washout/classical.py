"""Classical washout: specific force and angular rate at the driver's head -> pose of the platform.

    f_H_B --scale, limit--> f ----to N with the platform's own attitude, less gravity---> high-pass (4.7) ----> position
                             '--low-pass (4.8)--> tilt angle --rate and acceleration limit--.
    w_WB_B --scale, limit--> w ----to angle rates, high-pass and integral------------------+--> angles --> own attitude

Frames: the vehicle's axes B are felt as the platform's axes P; N is fixed in the room (see platform.py). Specific force is
acceleration less gravity, (0, 0, +g) at rest. Because the force enters the high-pass in N, with the attitude of the platform
itself, an acceleration that the tilt already shows is not shown a second time by moving.

Source: Haug, Driving simulators, section 4.1.4.1, eqs (4.7) and (4.8), after Reid and Nahon.
differs: the filters are exact for an input that is straight between two ticks (`washout.discrete_filter`), where (4.9) has the bilinear transform;
the rotational high-pass is of second order unless the file says first, so that a constant turn ends in neutral; tilt has an acceleration
limit too; a scaled force or rate may bend into its limit instead of meeting it at a corner.
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
from washout.discrete_filter import discrete, high_pass, low_pass, rotation
from washout.force_prediction import (
    FORESIGHT,
    FORESIGHT_DEFAULTS,
    FORESIGHT_RANGES,
    FORESIGHT_SETTINGS,
    FORESIGHT_STATE,
    foresight_weights,
    foretold,
    hear,
)

G = STANDARD_GRAVITY
"""m/s2. Of the place where the platform stands, whatever world the vehicle is in: what its tilt divides."""

NEARLY = 0.04
"""s. By which a tilt is late that neither its rate nor its acceleration holds back; shorter: legs are asked for more jerk."""
SOFT = 0.4
"""1. Share of the time in which it comes to its largest rate, that this is at most."""
BRAKE = 0.8
"""1. Share of its acceleration with which it plans to brake; with the rest it does not overshoot."""

UNHURRIED = 1.0
"""s. By which a tilt is late that nothing hurries for. Shorter: it follows more of what is small."""

SETTINGS = (
    # name                        shape  unit      what it is
    ("force_gain", (3,), "1", "scale of the specific force less gravity: surge, sway, heave"),
    ("force_limit", (3,), "m/s2", "limit of the scaled force, either way"),
    (
        "force_knee",
        (3,),
        "1",
        "share of that limit up to which the gain is whole; beyond, the scaled force bends into the limit; 1: a corner",
    ),
    ("rate_gain", (3,), "1", "scale of the angular rate: roll, pitch, yaw"),
    ("rate_limit", (3,), "rad/s", "limit of the scaled rate, either way"),
    ("rate_knee", (3,), "1", "the same share for the rate"),
    (
        "fast_frequency",
        (),
        "rad/s",
        "from which on force and rate count as fast: the break frequency of a low-pass of first order; what it lets through is not",
    ),
    ("fast_force", (3,), "1", "share of what is fast of the scaled force that is shown: surge, sway, heave"),
    ("fast_rate", (3,), "1", "the same of the scaled rate: roll, pitch, yaw"),
    *FORESIGHT_SETTINGS,
    ("motion_gain", (3,), "1", "share of the scaled force that the high-pass shows by moving"),
    (
        "high_pass_order",
        (3,),
        "1",
        "order of the high-pass, 1 to 3: surge, sway, heave; below 3 a lasting force leaves the platform off neutral",
        "i8",
    ),
    ("high_pass_frequency", (3,), "rad/s", "break frequency of the high-pass: surge, sway, heave"),
    ("high_pass_damping", (3,), "1", "its damping ratio"),
    ("return_frequency", (3,), "rad/s", "break frequency of its third pole, which brings the platform back; of no effect below order 3"),
    ("heave_by_tilt", (), "1", "share of the force down that a tilted platform lacks, g (1 - cos roll cos pitch), that heave makes up for"),
    (
        "attitude_feedback",
        (),
        "1",
        "share of the platform's own attitude in the way from its axes to those of the room; 0: high-pass and tilt in parallel",
    ),
    ("tilt_gain", (2,), "1", "share of the scaled force that tilt shows: surge by pitch, sway by roll"),
    ("tilt_frequency", (2,), "rad/s", "break frequency of the low-pass: surge, sway"),
    ("tilt_damping", (2,), "1", "its damping ratio"),
    (
        "tilt_less_rotation",
        (),
        "1",
        "share of what the angles of the rotational channel show of force that tilt need not show; 0: tilt and rotation side by side",
    ),
    ("tilt_limit", (), "rad", "largest tilt"),
    ("tilt_rate", (), "rad/s", "largest rate of tilt"),
    ("tilt_acceleration", (), "rad/s2", "largest angular acceleration of tilt"),
    (
        "tilt_calm",
        (),
        "rad",
        "tilt that may lack for a second: what is less is turned to without haste, so that small forces do not rock the rider",
    ),
    ("rotation_order", (3,), "1", "order of the rotational high-pass, 1 or 2; in first order a lasting rate leaves an angle", "i8"),
    ("rotation_frequency", (3,), "rad/s", "break frequency of the rotational high-pass: roll, pitch, yaw"),
    ("rotation_damping", (3,), "1", "its damping ratio; of no effect in first order"),
)

RANGES = {
    **dict.fromkeys(("force_gain", "rate_gain", "motion_gain", "tilt_gain"), (0.0, 2.0)),
    "force_limit": (1e-3, 100.0),
    "rate_limit": (math.radians(1e-3), math.radians(1e3)),
    **dict.fromkeys(("fast_frequency", "high_pass_frequency", "return_frequency", "tilt_frequency", "rotation_frequency"), (1e-3, 200.0)),
    **dict.fromkeys(("fast_force", "fast_rate"), (0.0, 1.0)),
    **FORESIGHT_RANGES,
    **dict.fromkeys(("high_pass_damping", "tilt_damping", "rotation_damping"), (0.05, 20.0)),
    **dict.fromkeys(("force_knee", "rate_knee", "heave_by_tilt", "attitude_feedback", "tilt_less_rotation"), (0.0, 1.0)),
    "high_pass_order": (1, 3),
    "rotation_order": (1, 2),
    "tilt_limit": (math.radians(1e-3), math.radians(30.0)),
    "tilt_rate": (math.radians(1e-3), math.radians(1e3)),
    "tilt_acceleration": (math.radians(1e-3), math.radians(1e6)),
    "tilt_calm": (0.0, math.radians(10.0)),
}
"""Least and most of every setting: beyond is a slip of the pen."""

DEFAULTS = {
    "force_knee": (1.0, 1.0, 1.0),
    "rate_knee": (1.0, 1.0, 1.0),
    "fast_frequency": 30.0,
    "fast_force": (1.0, 1.0, 1.0),
    "fast_rate": (1.0, 1.0, 1.0),
    **FORESIGHT_DEFAULTS,
    "high_pass_order": (3, 3, 3),
    "rotation_order": (2, 2, 2),
    "heave_by_tilt": 1.0,
    "attitude_feedback": 1.0,
    "tilt_less_rotation": 0.0,
    "tilt_rate": math.radians(3.0),
    "tilt_calm": 0.0,
}
"""Of settings that may be left out. A tilt of 3 deg/s is what a passive rider does not notice (Groen and Bles 2004)."""

FILE = fields_of(
    SETTINGS,
    RANGES,
    DEFAULTS,
    written={"rate_limit": "degps", "tilt_limit": "deg", "tilt_rate": "degps", "tilt_acceleration": "degps2", "tilt_calm": "deg"},
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
    ("force_knee", (3,), "1", "as in the settings"),
    ("rate_gain", (3,), "1", "as in the settings"),
    ("rate_limit", (3,), "rad/s", "limit of the scaled rate"),
    ("rate_knee", (3,), "1", "as in the settings"),
    ("fast_force", (3,), "1", "as in the settings"),
    ("fast_rate", (3,), "1", "as in the settings"),
    ("fast_A", (), "1", "low-pass that tells what is fast: its output after a tick from that before"),
    ("fast_b", (2,), "1", "and from the inputs before and after"),
    ("foresight_force", (2, 4), "1", "as in the settings"),
    ("foresight_rate", (2, 4), "m/s", "as in the settings"),
    *FORESIGHT,
    ("motion_gain", (3,), "1", "as in the settings"),
    ("heave_by_tilt", (), "1", "as in the settings"),
    ("attitude_feedback", (), "1", "as in the settings"),
    ("tilt_gain", (2,), "1", "as in the settings"),
    ("tilt_less_rotation", (), "1", "as in the settings"),
    ("tilt_limit", (), "rad", "largest tilt"),
    ("tilt_rate", (), "rad/s", "largest rate of tilt"),
    ("tilt_acceleration", (), "rad/s2", "largest angular acceleration of tilt"),
    ("tilt_calm", (), "rad", "as in the settings"),
    ("high_pass_A", (3, 3, 3), "mixed", "per axis: states after a tick from states before"),
    ("high_pass_b", (3, 3, 2), "mixed", "per axis: and from the inputs before and after"),
    ("high_pass_c", (3, 3), "mixed", "per axis: coefficients of the denominator, constant first"),
    ("tilt_A", (2, 2, 2), "mixed", "the same for the low-pass"),
    ("tilt_b", (2, 2, 2), "mixed", "the same for the low-pass"),
    ("rotation_A", (3, 2, 2), "mixed", "the same for the rotational high-pass"),
    ("rotation_b", (3, 2, 2), "mixed", "the same for the rotational high-pass"),
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

SPLIT = (
    # name          shape   unit            what it is
    ("slower", (6,), "m/s2, rad/s", "part of the scaled force and rate that is not fast"),
    ("slower_in", (6,), "m/s2, rad/s", "scaled force and rate, last tick"),
)
"""What tells fast from slow."""

STATE = (
    # name              shape   unit    what it is
    *SPLIT,
    *FORESIGHT_STATE,
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
    for name, *_ in SETTINGS:
        if name in (p.dtype.names or ()):
            p[0][name] = u[0][name]
    A, b = fast_weights(u[0]["fast_frequency"], h)
    p[0]["fast_A"], p[0]["fast_b"] = A, b
    p[0]["foresight_A"], p[0]["foresight_b"] = foresight_weights(u[0]["foresight_frequency"], h)
    for i in range(3):
        w, z = u[0]["high_pass_frequency"][i], u[0]["high_pass_damping"][i]
        p[0]["high_pass_A"][i], p[0]["high_pass_b"][i], p[0]["high_pass_c"][i] = high_pass(
            int(u[0]["high_pass_order"][i]), w, z, u[0]["return_frequency"][i], h
        )
        p[0]["rotation_A"][i], p[0]["rotation_b"][i] = rotation(
            int(u[0]["rotation_order"][i]), u[0]["rotation_frequency"][i], u[0]["rotation_damping"][i], h
        )
    for i in range(2):
        p[0]["tilt_A"][i], p[0]["tilt_b"][i] = low_pass(u[0]["tilt_frequency"][i], u[0]["tilt_damping"][i], h)
    return p


def fast_weights(frequency: float, h: float) -> tuple[float, np.ndarray]:
    """(A, b (2,)) of the low-pass of first order that tells what is fast, for ticks of h [s]."""
    A, b = discrete([[-frequency]], [frequency], h)
    return float(A[0, 0]), b[0]


@kernel
def rest(s, out):
    """Filters `s` (STATE) and pose `out` (POSE) as if level and still for ever."""
    for i in range(6):
        s[0]["slower"][i], s[0]["slower_in"][i] = 0.0, 0.0
    for i in range(4):
        s[0]["past_in"][i] = 0.0
        for k in range(4):
            s[0]["past"][i, k] = 0.0
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
    fx, fy = _force(p, s, 0, _foresee(p, s, 0, f_H_B[0], w_WB_B[1])), _force(p, s, 1, _foresee(p, s, 1, f_H_B[1], w_WB_B[0]))
    fz = _force(p, s, 2, f_H_B[2] - p[0]["gravity"])
    _move(p, s, fx, fy, fz, roll, pitch, yaw)
    _tilt(p, s, _scaled(p, 0, f_H_B[0]), _scaled(p, 1, f_H_B[1]), h)
    _turn(p, s, w_WB_B, roll, pitch)
    _compose(p, s, h, out)


@inline
def _foresee(p, s, i, force, rate):
    """Force of surge or sway when the platform has come, by the force and the rate that goes with it now."""
    q, A, b, past, past_in = p[0], p[0]["foresight_A"], p[0]["foresight_b"], s[0]["past"], s[0]["past_in"]
    hear(A, b, past, past_in, i, force)
    hear(A, b, past, past_in, 2 + i, rate)
    return force + foretold(past, past_in, i, q["foresight_force"], i, 0) + foretold(past, past_in, 2 + i, q["foresight_rate"], i, 0)


@inline
def _force(p, s, i, force):
    """Scaled force of an axis that is to be shown by moving."""
    q, f = p[0], _scaled(p, i, force)
    return less_fast(s[0]["slower"], s[0]["slower_in"], i, f, q["fast_A"], q["fast_b"], q["fast_force"][i])


@inline
def _scaled(p, i, force):
    """Scaled force of an axis, of which tilt shows what lasts."""
    return scaled(force, p[0]["force_gain"][i], p[0]["force_limit"][i], p[0]["force_knee"][i])


@inline
def _rate(p, s, i, rate):
    """Scaled rate of an axis that is to be shown."""
    q = p[0]
    w = scaled(rate, q["rate_gain"][i], q["rate_limit"][i], q["rate_knee"][i])
    return less_fast(s[0]["slower"], s[0]["slower_in"], 3 + i, w, q["fast_A"], q["fast_b"], q["fast_rate"][i])


@inline
def less_fast(slower, slower_in, k, value, A, b, share):
    """A value after a tick with that share of what of it is fast; slower, slower_in : of SPLIT, in whose row k it is; A, b : of `fast_weights`."""
    slower[k] = A * slower[k] + b[0] * slower_in[k] + b[1] * value
    slower_in[k] = value
    return value - (1.0 - share) * (value - slower[k])


@inline
def scaled(value, gain, limit, knee):
    """gain x value up to the share `knee` of the limit, from there on bent into it: y = k + (L - k) tanh((gain |value| - k) / (L - k))."""
    wanted = gain * value
    free = knee * limit
    if abs(wanted) <= free:
        return wanted
    room = limit - free
    if room <= 0.0:
        return math.copysign(limit, wanted)
    return math.copysign(free + room * math.tanh((abs(wanted) - free) / room), wanted)


@kernel
def _move(p, s, fx, fy, fz, roll, pitch, yaw):
    """High-pass (4.7) of what the tilt does not show, per axis with states q1' = q2, q2' = q3, q3' = a - c.q."""
    k = p[0]["attitude_feedback"]
    ax, ay, az = not_yet_shown(fx, fy, fz, k * roll, k * pitch, k * yaw, p[0]["heave_by_tilt"])
    _move_axis(p, s, 0, ax)
    _move_axis(p, s, 1, ay)
    _move_axis(p, s, 2, az)


@inline
def not_yet_shown(fx, fy, fz, roll, pitch, yaw, heave_by_tilt):
    """Acceleration (3,) [m/s2] in N that a platform of this attitude lacks: R_NP f - (0, 0, g), f = (fx, fy, fz + g).

    Of its vertical part that of fz counts whole. The rest is of tilt alone: the g (1 - cos roll cos pitch) along its own axis that any
    tilted platform lacks, and, while a tilt comes late, the slope of the way along which fx and fy are wanted. The share `heave_by_tilt` of it counts;
    all of it has a large platform heave by 0.15 m through corners and braking on a level road, and what is felt along the axis is no nearer.
    """
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    y1 = cr * fy - sr * (fz + G)
    z1 = sr * fy + cr * (fz + G)
    x2 = cp * fx + sp * z1
    up = cr * cp * fz
    return cy * x2 - sy * y1, sy * x2 + cy * y1, up + heave_by_tilt * (cp * z1 - sp * fx - G - up)


@kernel
def _move_axis(p, s, i, a):
    u0, u1 = p[0]["motion_gain"][i] * s[0]["acceleration"][i], p[0]["motion_gain"][i] * a
    b = p[0]["high_pass_b"]
    q0, q1, q2 = s[0]["high_pass"][i, 0], s[0]["high_pass"][i, 1], s[0]["high_pass"][i, 2]
    for k in range(3):
        A = p[0]["high_pass_A"]
        s[0]["high_pass"][i, k] = A[i, k, 0] * q0 + A[i, k, 1] * q1 + A[i, k, 2] * q2 + b[i, k, 0] * u0 + b[i, k, 1] * u1
    s[0]["acceleration"][i] = a


@kernel
def _tilt(p, s, fx, fy, h):
    """Tilt coordination: low-pass (4.8), then the attitude in which gravity alone gives that force:

    fx = -g sin(pitch),  fy = +g sin(roll) cos(pitch)    [body force of a tilted platform at rest]
    """
    by_rotation = p[0]["tilt_less_rotation"] * G
    _low_pass(p, s, 0, fx + by_rotation * math.sin(s[0]["rotation"][1, 1]))
    _low_pass(p, s, 1, fy - by_rotation * math.sin(s[0]["rotation"][0, 1]))
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
    before, A, b = s[0]["force"][i], p[0]["tilt_A"], p[0]["tilt_b"]
    for k in range(2):
        s[0]["low_pass"][i, k] = A[i, k, 0] * x0 + A[i, k, 1] * x1 + b[i, k, 0] * before + b[i, k, 1] * f
    s[0]["force"][i] = f


@inline
def _follow_tilt(p, s, i, wanted, h):
    q = s[0]
    q["tilt"][i], q["tilt_speed"][i] = follow_angle(
        q["tilt"][i], q["tilt_speed"][i], wanted, p[0]["tilt_rate"], p[0]["tilt_acceleration"], p[0]["tilt_calm"], h
    )


@inline
def follow_angle(angle, speed, wanted, most, a, calm, h):
    """(angle, speed) after h seconds of following an angle at a speed of at most `most` [rad/s] and an acceleration of at most a [rad/s2].

    Far off it turns as fast as it can still brake. Nearer than where that asks for more than error / T the error decays, with both poles at 2 / T: the
    acceleration bends and does not step, whatever the angle wanted does, so that the legs are not asked for kicks. T is NEARLY, or less where
    the acceleration is large: one that may be any has the angle wanted after a tick.

    Of an error, sqrt(error^2 + calm^2) - calm is hurried for: error^2 / (2 calm) of one that is small beside `calm` [rad], all but `calm` of one that
    is large. The rest goes within UNHURRIED.
    """
    error = wanted - angle
    time = max(h, min(NEARLY, SOFT * most / a))
    brake = BRAKE * a
    bend = brake * time * time
    off, part = abs(error), h / time
    need = math.sqrt(off * off + calm * calm) - calm
    rate = need / time if need <= bend else math.sqrt(brake * (2.0 * need - bend))
    rate = min(most, rate + (off - need) / UNHURRIED)
    change = (math.copysign(rate, error) - speed) * 4.0 * part / ((1.0 + part) * (1.0 + part))  # poles are equal at any tick
    speed += min(a * h, max(-a * h, change))
    return angle + h * speed, speed


@kernel
def _turn(p, s, w, roll, pitch):
    """Rotational channel: rates of roll, pitch, yaw of the attitude of the platform, high-passed s^2 / (s^2 + 2 z w s + w^2), integrated."""
    rates = attitude_rates(_rate(p, s, 0, w[0]), _rate(p, s, 1, w[1]), _rate(p, s, 2, w[2]), roll, pitch)
    _turn_axis(p, s, 0, rates[0])
    _turn_axis(p, s, 1, rates[1])
    _turn_axis(p, s, 2, rates[2])


@inline
def attitude_rates(wx, wy, wz, roll, pitch):
    """Rates of roll, pitch and yaw of a platform that turns by (wx, wy, wz) [rad/s] in its own axes."""
    cr, sr = math.cos(roll), math.sin(roll)
    yaw_rate = (sr * wy + cr * wz) / max(0.2, math.cos(pitch))
    return wx + math.sin(pitch) * yaw_rate, cr * wy - sr * wz, yaw_rate


@kernel
def _turn_axis(p, s, i, rate):
    x0, x1 = s[0]["rotation"][i, 0], s[0]["rotation"][i, 1]
    before, A, b = s[0]["angle_rates_in"][i], p[0]["rotation_A"], p[0]["rotation_b"]
    for k in range(2):
        s[0]["rotation"][i, k] = A[i, k, 0] * x0 + A[i, k, 1] * x1 + b[i, k, 0] * before + b[i, k, 1] * rate
    s[0]["angle_rates_in"][i] = rate


@kernel
def _compose(p, s, h, out):
    """Pose of the reference point from the motion of the head: p_NP = p_NH - (R_NP p_PH - p_PH), and its differences."""
    roll = s[0]["tilt"][0] + s[0]["rotation"][0, 1]
    pitch = s[0]["tilt"][1] + s[0]["rotation"][1, 1]
    yaw = s[0]["rotation"][2, 1]
    q = s[0]["high_pass"]
    move_to(out, about_head(p[0]["p_PH"], (q[0, 1], q[1, 1], q[2, 1]), roll, pitch, yaw), (roll, pitch, yaw), h)


@inline
def about_head(p_PH, p_NH, roll, pitch, yaw):
    """Where the reference point is (x, y, z) [m] when the head (3,) from it has moved by p_NH, a tuple [m]: p_NH - (R_NP p_PH - p_PH)."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    hx, hy, hz = p_PH[0], p_PH[1], p_PH[2]
    y1 = cr * hy - sr * hz
    z1 = sr * hy + cr * hz
    x2 = cp * hx + sp * z1
    return (
        p_NH[0] - (cy * x2 - sy * y1 - hx),
        p_NH[1] - (sy * x2 + cy * y1 - hy),
        p_NH[2] - (cp * z1 - sp * hx - hz),
    )


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
