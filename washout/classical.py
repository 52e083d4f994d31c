"""Classical washout: specific force and angular rate at the driver's head -> pose of the platform.

    f_H_B --scale, limit--> f ----to N with the platform's own attitude, less gravity---> high-pass (4.7) ----> position
                             '--low-pass (4.8)--> tilt angle --rate and acceleration limit--.
    w_WB_B --scale, limit--> w ----to angle rates, high-pass and integral------------------+--> angles --> own attitude

Frames: the axes B of the vehicle correspond to the axes P of the platform; N is fixed in the laboratory (see platform.py). Specific force is
acceleration minus gravity, (0, 0, +g) at rest. The force enters the high-pass in N, rotated with the attitude of the platform itself.
Therefore an acceleration that tilt already represents is not represented a second time by translation.

Source: [Deyo 1989, section 4.1.4.1, eqs (4.7) and (4.8)], after Reid and Nahon.
differs: the filters are exact for an input that is linear between two ticks (`washout.discrete_filter`), whereas (4.9) uses the bilinear transform;
the rotational high-pass is of second order unless the file specifies first order, so that a constant turn ends in neutral; tilt also has an
acceleration limit; a scaled force or rate may approach its limit smoothly instead of with a corner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.field_records import filled, rows
from simulator.base.fields import Field, Number, read
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from washout.contract import CONTRACT, LAYOUT, WashoutKind
from washout.discrete_filter import high_pass, low_pass, rotation
from washout.force_prediction import (
    FORESIGHT,
    FORESIGHT_SETTINGS,
    FORESIGHT_STATE,
    foresight_weights,
    prediction,
    update_history,
)
from washout.motion_kernels import (
    SPLIT,
    G,
    about_head,
    attitude_rates,
    fast_weights,
    follow_angle,
    less_fast,
    move_to,
    not_yet_shown,
    scaled,
)

_GAINS = Number("1", 0.0, 2.0, shape=(3,))
_FRACTION = Number("1", 0.0, 1.0)
_FRACTIONS = Number("1", 0.0, 1.0, shape=(3,))
_FREQUENCIES = Number("rad/s", 0.001, 200.0, shape=(3,))
_DAMPINGS = Number("1", 0.05, 20.0, shape=(3,))

FILE = (
    Field("force_gain", _GAINS, "scale of the specific force without gravity: surge, sway, heave"),
    Field("force_limit", Number("m/s2", 0.001, 100.0, shape=(3,)), "limit of the magnitude of the scaled force"),
    Field(
        "force_knee",
        _FRACTIONS,
        "fraction of force_limit up to which the gain applies unchanged; beyond, the scaled force approaches the limit smoothly; 1: a corner",
        (1.0, 1.0, 1.0),
    ),
    Field("rate_gain", _GAINS, "scale of the angular rate: roll, pitch, yaw"),
    Field(
        "rate_limit",
        Number("rad/s", math.radians(1e-3), math.radians(1e3), shape=(3,)),
        "limit of the magnitude of the scaled rate",
        also={"rate_limit_deg": "degps"},
        written="degps",
    ),
    Field(
        "rate_knee",
        _FRACTIONS,
        "fraction of rate_limit up to which the gain applies unchanged; 1: a corner",
        (1.0, 1.0, 1.0),
    ),
    Field(
        "fast_frequency",
        Number("rad/s", 0.001, 200.0),
        "break frequency of the first-order low-pass that separates the fast from the slow part of force and rate",
        30.0,
    ),
    Field("fast_force", _FRACTIONS, "gain of the fast part of the scaled force: surge, sway, heave", (1.0, 1.0, 1.0)),
    Field("fast_rate", _FRACTIONS, "gain of the fast part of the scaled rate: roll, pitch, yaw", (1.0, 1.0, 1.0)),
    *FORESIGHT_SETTINGS,
    Field("motion_gain", _GAINS, "fraction of the scaled force that the high-pass represents by translation"),
    Field(
        "high_pass_order",
        Number("1", 1, 3, shape=(3,), whole=True),
        "order of the high-pass, 1 to 3: surge, sway, heave; below 3 a constant force leaves the platform away from neutral",
        (3, 3, 3),
    ),
    Field("high_pass_frequency", _FREQUENCIES, "break frequency of the high-pass: surge, sway, heave"),
    Field("high_pass_damping", _DAMPINGS, "damping ratio of the high-pass"),
    Field(
        "return_frequency",
        _FREQUENCIES,
        "break frequency of the third pole, which returns the platform to neutral; unused below order 3",
    ),
    Field(
        "heave_by_tilt",
        _FRACTION,
        "fraction of the missing vertical force of a tilted platform, g (1 - cos roll cos pitch), that heave compensates",
        1.0,
    ),
    Field(
        "attitude_feedback",
        _FRACTION,
        "fraction of the platform attitude in the transformation of forces to the laboratory frame; 0: high-pass and tilt in parallel",
        1.0,
    ),
    Field(
        "tilt_gain", Number("1", 0.0, 2.0, shape=(2,)), "fraction of the scaled force that tilt represents: surge by pitch, sway by roll"
    ),
    Field("tilt_frequency", Number("rad/s", 0.001, 200.0, shape=(2,)), "break frequency of the low-pass: surge, sway"),
    Field("tilt_damping", Number("1", 0.05, 20.0, shape=(2,)), "damping ratio of the low-pass"),
    Field(
        "tilt_less_rotation",
        _FRACTION,
        "fraction of the force due to the angles of the rotational channel that is subtracted from tilt; 0: tilt and rotation independent",
        0.0,
    ),
    Field("tilt_limit", Number("rad", math.radians(1e-3), math.radians(30.0)), "maximum tilt", written="deg"),
    Field(
        "tilt_rate",
        Number("rad/s", math.radians(1e-3), math.radians(1e3)),
        "maximum rate of tilt",
        math.radians(3.0),  # a passive rider does not notice a tilt at 3 deg/s (Groen and Bles 2004)
        also={"tilt_rate_deg": "degps"},
        written="degps",
    ),
    Field(
        "tilt_acceleration",
        Number("rad/s2", math.radians(1e-3), math.radians(1e6)),
        "maximum angular acceleration of tilt",
        also={"tilt_acceleration_deg": "degps2"},
        written="degps2",
    ),
    Field(
        "tilt_calm",
        Number("rad", 0.0, math.radians(10.0)),
        "tilt error that may persist for a second: smaller errors are reduced slowly, so that small forces do not rock the rider",
        0.0,
        written="deg",
    ),
    Field(
        "rotation_order",
        Number("1", 1, 2, shape=(3,), whole=True),
        "order of the rotational high-pass, 1 or 2; in first order a constant rate leaves an angle",
        (2, 2, 2),
    ),
    Field("rotation_frequency", _FREQUENCIES, "break frequency of the rotational high-pass: roll, pitch, yaw"),
    Field("rotation_damping", _DAMPINGS, "damping ratio of the rotational high-pass; unused in first order"),
)
"""Fields of the section `cueing` of a file in ``configs/washouts``."""
SETTINGS = rows(FILE)

WASHOUT = (
    # name                      shape      unit     description
    ("gravity", (), "m/s2", "acceleration of free fall of the vehicle's world"),
    ("h", (), "s", "length of a tick for which the filters are computed"),
    ("force_gain", (3,), "1", "as in the settings"),
    ("force_limit", (3,), "m/s2", "as in the settings"),
    ("force_knee", (3,), "1", "as in the settings"),
    ("rate_gain", (3,), "1", "as in the settings"),
    ("rate_limit", (3,), "rad/s", "limit of the scaled rate"),
    ("rate_knee", (3,), "1", "as in the settings"),
    ("fast_force", (3,), "1", "as in the settings"),
    ("fast_rate", (3,), "1", "as in the settings"),
    ("fast_A", (), "1", "low-pass for the slow part: weight of the previous output"),
    ("fast_b", (2,), "1", "low-pass for the slow part: weights of the inputs before and after a tick"),
    ("foresight_force", (2, 4), "1", "as in the settings"),
    ("foresight_rate", (2, 4), "m/s", "as in the settings"),
    *FORESIGHT,
    ("motion_gain", (3,), "1", "as in the settings"),
    ("heave_by_tilt", (), "1", "as in the settings"),
    ("attitude_feedback", (), "1", "as in the settings"),
    ("tilt_gain", (2,), "1", "as in the settings"),
    ("tilt_less_rotation", (), "1", "as in the settings"),
    ("tilt_limit", (), "rad", "maximum tilt"),
    ("tilt_rate", (), "rad/s", "maximum rate of tilt"),
    ("tilt_acceleration", (), "rad/s2", "maximum angular acceleration of tilt"),
    ("tilt_calm", (), "rad", "as in the settings"),
    ("high_pass_A", (3, 3, 3), "mixed", "high-pass per axis: matrix from the states before to the states after a tick"),
    ("high_pass_b", (3, 3, 2), "mixed", "high-pass per axis: weights of the inputs before and after a tick"),
    ("high_pass_c", (3, 3), "mixed", "high-pass per axis: coefficients of the denominator, constant first"),
    ("tilt_A", (2, 2, 2), "mixed", "low-pass for tilt: matrix from the states before to the states after a tick"),
    ("tilt_b", (2, 2, 2), "mixed", "low-pass for tilt: weights of the inputs before and after a tick"),
    ("rotation_A", (3, 2, 2), "mixed", "rotational high-pass: matrix from the states before to the states after a tick"),
    ("rotation_b", (3, 2, 2), "mixed", "rotational high-pass: weights of the inputs before and after a tick"),
)

KIND = WashoutKind(
    "classical",
    FILE,
    CONTRACT,
    LAYOUT,
    meaning="high-pass of force and rate, tilt for sustained force (Reid and Nahon); every tick",
)
"""Registered by name like other washouts, but called directly."""

HEAD = ("p_PH", (3,), "m", "position of the driver's head relative to the reference point of the platform, in P")
"""Field of the platform record; the washout rotates the platform about this point."""

STATE = (
    # name              shape   unit    description
    *SPLIT,
    *FORESIGHT_STATE,
    ("acceleration", (3,), "m/s2", "acceleration in N for translation, previous tick"),
    ("high_pass", (3, 3), "m s, m, m/s", "per axis: integral of the position, position, velocity of the head in N"),
    ("force", (2,), "m/s2", "scaled force of surge and sway, previous tick"),
    ("low_pass", (2, 2), "m/s2, m/s3", "per axis: force for tilt, and its rate"),
    ("tilt", (2,), "rad", "roll and pitch of the tilt"),
    ("tilt_speed", (2,), "rad/s", "rates of roll and pitch of the tilt"),
    ("angle_rates_in", (3,), "rad/s", "scaled rates of roll, pitch, yaw, previous tick"),
    ("rotation", (3, 2), "rad s, rad", "per axis: integral of the angle, angle"),
)


def washout(mapping: Mapping[str, Any], file: object, h: float, p: Record | None = None, gravity: float = STANDARD_GRAVITY) -> Record:
    """Build the record for ticks of h seconds from the section `cueing` of a file in ``configs/washouts``.

    `p` is a record to fill that has the fields of WASHOUT and p_PH; default: a new record with the head at the reference point. `gravity`
    [m/s2] is that of the world of the vehicle.

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


@kernel
def rest(s, out):
    """Set filters `s` (STATE) and pose `out` (POSE) to a steady state: level and without motion."""
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
    """Run one tick: f_H_B (3,) [m/s2] and w_WB_B (3,) [rad/s] in vehicle axes -> `out` (POSE) of the platform.

    `p` WASHOUT and HEAD, computed for ticks of this h [s]; `s` STATE.
    """
    roll = s[0]["tilt"][0] + s[0]["rotation"][0, 1]
    pitch = s[0]["tilt"][1] + s[0]["rotation"][1, 1]
    yaw = s[0]["rotation"][2, 1]
    fx, fy = (
        _force(p, s, 0, _predicted_force(p, s, 0, f_H_B[0], w_WB_B[1])),
        _force(p, s, 1, _predicted_force(p, s, 1, f_H_B[1], w_WB_B[0])),
    )
    fz = _force(p, s, 2, f_H_B[2] - p[0]["gravity"])
    _move(p, s, fx, fy, fz, roll, pitch, yaw)
    _tilt(p, s, _scaled(p, 0, f_H_B[0]), _scaled(p, 1, f_H_B[1]), h)
    _turn(p, s, w_WB_B, roll, pitch)
    _compose(p, s, h, out)


@inline
def _predicted_force(p, s, i, force, rate):
    """Predict the force of surge or sway at the arrival time of the platform, from the force and the corresponding rate."""
    q, A, b, past, past_in = p[0], p[0]["foresight_A"], p[0]["foresight_b"], s[0]["past"], s[0]["past_in"]
    update_history(A, b, past, past_in, i, force)
    update_history(A, b, past, past_in, 2 + i, rate)
    return force + prediction(past, past_in, i, q["foresight_force"], i, 0) + prediction(past, past_in, 2 + i, q["foresight_rate"], i, 0)


@inline
def _force(p, s, i, force):
    """Return the scaled force of an axis for translation."""
    q, f = p[0], _scaled(p, i, force)
    return less_fast(s[0]["slower"], s[0]["slower_in"], i, f, q["fast_A"], q["fast_b"], q["fast_force"][i])


@inline
def _scaled(p, i, force):
    """Return the scaled force of an axis; tilt represents its slow part."""
    return scaled(force, p[0]["force_gain"][i], p[0]["force_limit"][i], p[0]["force_knee"][i])


@inline
def _rate(p, s, i, rate):
    """Return the scaled rate of an axis for the rotational channel."""
    q = p[0]
    w = scaled(rate, q["rate_gain"][i], q["rate_limit"][i], q["rate_knee"][i])
    return less_fast(s[0]["slower"], s[0]["slower_in"], 3 + i, w, q["fast_A"], q["fast_b"], q["fast_rate"][i])


@kernel
def _move(p, s, fx, fy, fz, roll, pitch, yaw):
    """Apply the high-pass (4.7) to the force that tilt does not represent, per axis with states q1' = q2, q2' = q3, q3' = a - c.q."""
    k = p[0]["attitude_feedback"]
    ax, ay, az = not_yet_shown(fx, fy, fz, k * roll, k * pitch, k * yaw, p[0]["heave_by_tilt"])
    _move_axis(p, s, 0, ax)
    _move_axis(p, s, 1, ay)
    _move_axis(p, s, 2, az)


@kernel
def _move_axis(p, s, i, a):
    """Advance the high-pass of axis i by one tick with the acceleration a [m/s2]."""
    u0, u1 = p[0]["motion_gain"][i] * s[0]["acceleration"][i], p[0]["motion_gain"][i] * a
    b = p[0]["high_pass_b"]
    q0, q1, q2 = s[0]["high_pass"][i, 0], s[0]["high_pass"][i, 1], s[0]["high_pass"][i, 2]
    for k in range(3):
        A = p[0]["high_pass_A"]
        s[0]["high_pass"][i, k] = A[i, k, 0] * q0 + A[i, k, 1] * q1 + A[i, k, 2] * q2 + b[i, k, 0] * u0 + b[i, k, 1] * u1
    s[0]["acceleration"][i] = a


@kernel
def _tilt(p, s, fx, fy, h):
    """Tilt coordination: low-pass (4.8), then the attitude in which gravity alone produces the force:

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
    """Advance the low-pass of axis i by one tick with the force f [m/s2]."""
    x0, x1 = s[0]["low_pass"][i, 0], s[0]["low_pass"][i, 1]
    before, A, b = s[0]["force"][i], p[0]["tilt_A"], p[0]["tilt_b"]
    for k in range(2):
        s[0]["low_pass"][i, k] = A[i, k, 0] * x0 + A[i, k, 1] * x1 + b[i, k, 0] * before + b[i, k, 1] * f
    s[0]["force"][i] = f


@inline
def _follow_tilt(p, s, i, target, h):
    """Advance the tilt of axis i by one tick towards a target angle [rad]."""
    q = s[0]
    q["tilt"][i], q["tilt_speed"][i] = follow_angle(
        q["tilt"][i], q["tilt_speed"][i], target, p[0]["tilt_rate"], p[0]["tilt_acceleration"], p[0]["tilt_calm"], h
    )


@kernel
def _turn(p, s, w, roll, pitch):
    """Rotational channel: roll, pitch and yaw rates of the platform attitude, high-passed with s^2 / (s^2 + 2 z w s + w^2) and integrated."""
    rates = attitude_rates(_rate(p, s, 0, w[0]), _rate(p, s, 1, w[1]), _rate(p, s, 2, w[2]), roll, pitch)
    _turn_axis(p, s, 0, rates[0])
    _turn_axis(p, s, 1, rates[1])
    _turn_axis(p, s, 2, rates[2])


@kernel
def _turn_axis(p, s, i, rate):
    """Advance the rotational high-pass of axis i by one tick with a rate [rad/s]."""
    x0, x1 = s[0]["rotation"][i, 0], s[0]["rotation"][i, 1]
    before, A, b = s[0]["angle_rates_in"][i], p[0]["rotation_A"], p[0]["rotation_b"]
    for k in range(2):
        s[0]["rotation"][i, k] = A[i, k, 0] * x0 + A[i, k, 1] * x1 + b[i, k, 0] * before + b[i, k, 1] * rate
    s[0]["angle_rates_in"][i] = rate


@kernel
def _compose(p, s, h, out):
    """Compute the pose of the reference point from the motion of the head, p_NP = p_NH - (R_NP p_PH - p_PH), and its differences."""
    roll = s[0]["tilt"][0] + s[0]["rotation"][0, 1]
    pitch = s[0]["tilt"][1] + s[0]["rotation"][1, 1]
    yaw = s[0]["rotation"][2, 1]
    q = s[0]["high_pass"]
    move_to(out, about_head(p[0]["p_PH"], (q[0, 1], q[1, 1], q[2, 1]), roll, pitch, yaw), (roll, pitch, yaw), h)
