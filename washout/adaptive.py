"""Adaptive washout: the channels of the classical washout with gains that adapt in every tick to the benefit and cost of the present motion.

Per axis of force, with its tilt a (as the force that it represents: a = -pitch for surge, roll for sway) and the three gains p1, p2, p3:

    x'' = p1 aN - c.q                   aN: the force that the fraction k of the attitude does not represent (`motion_kernels.not_yet_shown`), c.q the high-pass
    t'  = p2 (s f / g - sin a)          requested tilt, s its fraction of the force, smoothed; the tilt follows within its rate and acceleration
    a   = tilt + high-passed integral of p3 w
    J   = 1/2 [e^2 + Wr (w - a')^2 + Wv x'^2 + Wx X^2 + Wt a^2]
          e = aN - (1 - k) g a - x'' the missing force,   X = x + lever a the travel of the platform
    p'  = -G (dJ/dp) / N - leak (p - p0),                          bounded, and constant while the limiter acts; p2 only leaks while the
                                                                   limits of the tilt are active

The tilt is fed back into the force that it represents, t' = p2 (s f/g - sin a). Equation (4.11) as printed, t' = p2 f, integrates a constant
force and turns over (docs/theory/washouts.md). p2 is therefore the break frequency of the tilt. dJ/dp comes from the sensitivities of x and a, which obey the
same linear equations and are advanced by the same exact matrices (`washout.discrete_filter`). N is the smoothed square of the sensitivities in J:
with it, the gains change with G [1/s] for any magnitude of the motion, whereas the printed gradient grows with its square.

Source: [Deyo 1989, section 4.1.4.1, eqs (4.10) to (4.13)], after Parrish et al. and Reid and Nahon.
differs: feedback of the tilt; e is relative to the perceived force and not to x'' alone; normalized gradient; third-order high-pass; also for yaw and heave.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from simulator.base.callbacks import callback, record_at
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.field_records import rows
from simulator.base.fields import Field, Fields, Number
from simulator.base.jit import inline
from simulator.base.records import Record, dtype_of
from washout import classical
from washout.adaptive_prediction import (
    LEARNING_SETTINGS,
    LEARNING_STATE,
    begin_learning,
    clear_learning,
    learn,
)
from washout.contract import CONTRACT, LAYOUT, WASHOUT_INPUT, WASHOUT_OUTPUT, WashoutContext, WashoutKind
from washout.discrete_filter import discrete, high_pass, rotation
from washout.force_prediction import FORESIGHT, FORESIGHT_STATE, TERMS, foresight_weights, prediction, update_history
from washout.motion_kernels import SPLIT, about_head, attitude_rates, fast_weights, follow_angle, less_fast, not_yet_shown, scaled

G = STANDARD_GRAVITY

SHARED = (
    "force_gain",
    "force_limit",
    "force_knee",
    "rate_gain",
    "rate_limit",
    "rate_knee",
    "fast_frequency",
    "fast_force",
    "fast_rate",
    "foresight_frequency",
    "foresight_force",
    "foresight_rate",
    "high_pass_order",
    "high_pass_frequency",
    "high_pass_damping",
    "return_frequency",
    "heave_by_tilt",
    "attitude_feedback",
    "tilt_gain",
    "tilt_limit",
    "tilt_rate",
    "tilt_acceleration",
    "tilt_calm",
    "rotation_order",
    "rotation_frequency",
    "rotation_damping",
)
"""Settings with the same meaning as in the classical washout."""


def _adopted(field: Field) -> Field:
    """Return the field of a shared setting. The gain of tilt is optional, because p2 adapts the tilt."""
    return replace(field, also={}, default=(1.0, 1.0) if field.name == "tilt_gain" else field.default)


_GAINS = Number("1", 0.0, 2.0, shape=(3,))
_FREQUENCIES = Number("rad/s", 0.0, 200.0, shape=(2,))
_ADAPTATION_RATES = Number("1/s", 0.0, 100.0, shape=(3,))

FILE: Fields = (
    *(_adopted(field) for field in classical.FILE if field.name in SHARED),
    *LEARNING_SETTINGS,
    Field(
        "motion_start",
        _GAINS,
        "p1: fraction of the scaled force that the high-pass represents by translation, at the start: surge, sway, heave",
    ),
    Field("motion_min", _GAINS, "minimum of p1"),
    Field("motion_max", _GAINS, "maximum of p1"),
    Field(
        "tilt_smoothing",
        Number("rad/s", 1.0, 200.0),
        "break frequency of a first-order low-pass before the tilt, so that tilt does not follow ground noise; 200: almost no effect",
        200.0,
    ),
    Field(
        "tilt_start",
        _FREQUENCIES,
        "p2: break frequency with which tilt follows the scaled force, at the start: surge, sway",
    ),
    Field("tilt_min", _FREQUENCIES, "minimum of p2"),
    Field("tilt_max", _FREQUENCIES, "maximum of p2"),
    Field(
        "rotation_start",
        _GAINS,
        "p3: fraction of the scaled rate that the rotational high-pass represents, at the start: roll, pitch, yaw",
    ),
    Field("rotation_min", _GAINS, "minimum of p3"),
    Field("rotation_max", _GAINS, "maximum of p3"),
    Field("motion_adaptation", _ADAPTATION_RATES, "adaptation rate of p1: surge, sway, heave; 0: constant"),
    Field("tilt_adaptation", Number("1/s", 0.0, 100.0, shape=(2,)), "adaptation rate of p2: surge, sway; 0: constant"),
    Field("rotation_adaptation", _ADAPTATION_RATES, "adaptation rate of p3: roll, pitch, yaw; 0: constant"),
    Field("leak", Number("1/s", 0.0, 100.0), "rate at which p1, p2 and p3 return to their start"),
    Field("memory", Number("s", 0.01, 1000.0), "time over which the square of the sensitivities is smoothed"),
    Field(
        "rate_weight",
        Number("m2/(rad2 s2)", 0.0, 1e6, shape=(3,)),
        "Wr: weight of the square of the missing rate relative to that of the missing force: roll, pitch, yaw",
    ),
    Field("speed_weight", Number("1/s2", 0.0, 1e6, shape=(3,)), "Wv: weight of the speed of the head: surge, sway, heave"),
    Field(
        "travel_weight",
        Number("1/s4", 0.0, 1e6, shape=(3,)),
        "Wx: weight of the travel of the reference point of the platform: surge, sway, heave",
    ),
    Field("angle_weight", Number("m2/(rad2 s4)", 0.0, 1e6, shape=(3,)), "Wt: weight of the angle: roll, pitch, yaw"),
)
"""Fields of the section `cueing` of a file of this type."""
SETTINGS = rows(FILE)

ADAPTED = (
    # name         shape  unit     description
    ("motion_share", (3,), "1", "present p1 of the adaptive washout: surge, sway, heave"),
    ("tilt_share", (2,), "rad/s", "present p2: surge, sway"),
    ("turn_share", (3,), "1", "present p3: roll, pitch, yaw"),
)
"""Logged columns."""

STATE = (
    *ADAPTED,
    *SPLIT,
    *FORESIGHT,
    *FORESIGHT_STATE,
    *LEARNING_STATE,
    # name             shape      unit           description
    ("high_pass_A", (3, 3, 3), "mixed", "as in the classical washout"),
    ("high_pass_b", (3, 3, 2), "mixed", "as in the classical washout"),
    ("high_pass_c", (3, 3), "mixed", "as in the classical washout"),
    ("rotation_A", (3, 2, 2), "mixed", "as in the classical washout"),
    ("rotation_b", (3, 2, 2), "mixed", "as in the classical washout"),
    ("fast_A", (), "1", "as in the classical washout"),
    ("fast_b", (2,), "1", "as in the classical washout"),
    ("tilt_smooth_A", (), "1", "low-pass before the tilt: weight of the previous output"),
    ("tilt_smooth_b", (2,), "1", "low-pass before the tilt: weights of the inputs before and after a step"),
    ("tilt_force", (2,), "1", "output of the low-pass before the tilt [g], surge and sway"),
    ("tilt_force_in", (2,), "1", "input of the low-pass before the tilt, previous step"),
    ("smoothing", (), "1", "weight of a new value in the smoothed square of the sensitivities"),
    ("moved", (3, 3), "m s, m, m/s", "per axis: integral of the position, position, velocity of the head in N"),
    ("moved_in", (3,), "m/s2", "input of `moved`, previous step"),
    ("by_motion", (3, 3), "m s, m, m/s", "sensitivities of `moved` to p1"),
    ("by_motion_in", (3,), "m/s2", "input of `by_motion`, previous step"),
    ("by_tilt", (2, 3), "mixed", "sensitivities of `moved` to p2"),
    ("by_tilt_in", (2,), "mixed", "input of `by_tilt`, previous step"),
    ("by_turn", (2, 3), "m s, m, m/s", "sensitivities of `moved` to p3 of pitch, of roll"),
    ("by_turn_in", (2,), "m/s2", "input of `by_turn`, previous step"),
    ("turned", (3, 2), "rad s, rad", "per axis roll, pitch, yaw: integral of the angle, angle of the rotational channel"),
    ("turned_in", (3,), "rad/s", "input of `turned`, previous step"),
    ("turned_by_turn", (3, 2), "rad s, rad", "sensitivity of `turned` to p3"),
    ("turned_by_turn_in", (3,), "rad/s", "input of `turned_by_turn`, previous step"),
    ("tilt_wanted", (2,), "rad", "requested tilt for surge and sway, + for a force to the front and to the left"),
    ("tilt", (2,), "rad", "actual tilt"),
    ("tilt_speed", (2,), "rad/s", "rate of the actual tilt"),
    ("tilt_by_tilt", (2,), "s", "sensitivity of the requested tilt to p2"),
    ("tilt_by_turn", (2,), "rad", "sensitivity of the requested tilt to p3 of pitch, of roll"),
    ("angle", (2,), "rad", "sum of tilt and rotation in the previous step, sign as the tilt"),
    ("size", (8,), "mixed", "smoothed square of the sensitivities: three of translation, two of tilt, three of rotation"),
)

P, X, S, R = dtype_of(SETTINGS), dtype_of(STATE), dtype_of(WASHOUT_INPUT), dtype_of(WASHOUT_OUTPUT)

FLOOR = 1e-3
"""m2/s4. Floor of J per square of the range of a gain: noise has no effect below it."""

FOLLOWS = math.radians(0.2)
"""rad. Maximum error, in addition to the calm, up to which a tilt counts as not limited by its rate or acceleration."""


def begin(parameters: Record, state: Record, world: WashoutContext) -> None:
    """Fill the matrices of the filters for steps of world.period [s]."""
    u, x, h = parameters[0], state[0], world.period
    for i in range(3):
        x["high_pass_A"][i], x["high_pass_b"][i], x["high_pass_c"][i] = high_pass(
            int(u["high_pass_order"][i]), u["high_pass_frequency"][i], u["high_pass_damping"][i], u["return_frequency"][i], h
        )
        x["rotation_A"][i], x["rotation_b"][i] = rotation(
            int(u["rotation_order"][i]), u["rotation_frequency"][i], u["rotation_damping"][i], h
        )
    x["fast_A"], x["fast_b"] = fast_weights(u["fast_frequency"], h)
    x["foresight_A"], x["foresight_b"] = foresight_weights(u["foresight_frequency"], h)
    begin_learning(u, x, world.platform, h)
    x["tilt_smooth_A"], x["tilt_smooth_b"] = fast_weights(u["tilt_smoothing"], h)
    x["smoothing"] = float(np.sum(discrete([[-1.0 / u["memory"]]], [1.0 / u["memory"]], h)[1]))
    x["motion_share"], x["tilt_share"], x["turn_share"] = u["motion_start"], u["tilt_start"], u["rotation_start"]


@inline
def _clear(u, x):
    """Set the state to level and at rest, with the gains of the start."""
    clear_learning(u, x)
    for i in range(6):
        x["slower"][i], x["slower_in"][i] = 0.0, 0.0
    for i in range(4):
        x["past_in"][i] = 0.0
        for k in range(TERMS):
            x["past"][i, k] = 0.0
    for i in range(3):
        x["motion_share"][i], x["turn_share"][i] = u["motion_start"][i], u["rotation_start"][i]
        x["moved_in"][i], x["by_motion_in"][i], x["turned_in"][i], x["turned_by_turn_in"][i] = 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            x["moved"][i, k], x["by_motion"][i, k] = 0.0, 0.0
        for k in range(2):
            x["turned"][i, k], x["turned_by_turn"][i, k] = 0.0, 0.0
    for i in range(2):
        x["tilt_share"][i] = u["tilt_start"][i]
        x["by_tilt_in"][i], x["by_turn_in"][i], x["tilt_wanted"][i], x["tilt"][i], x["tilt_speed"][i] = 0.0, 0.0, 0.0, 0.0, 0.0
        x["tilt_by_tilt"][i], x["tilt_by_turn"][i], x["angle"][i] = 0.0, 0.0, 0.0
        x["tilt_force"][i], x["tilt_force_in"][i] = 0.0, 0.0
        for k in range(3):
            x["by_tilt"][i, k], x["by_turn"][i, k] = 0.0, 0.0
    for k in range(8):
        x["size"][k] = 0.0


@inline
def _step3(A, b, i, q, j, before, now):
    """Advance row j of the states q (n, 3) by one step of the high-pass of axis i."""
    q0, q1, q2 = q[j, 0], q[j, 1], q[j, 2]
    for k in range(3):
        q[j, k] = A[i, k, 0] * q0 + A[i, k, 1] * q1 + A[i, k, 2] * q2 + b[i, k, 0] * before + b[i, k, 1] * now


@inline
def _step2(A, b, i, q, before, now):
    """Advance row i of the states q (3, 2) by one step of the rotational high-pass of axis i."""
    q0, q1 = q[i, 0], q[i, 1]
    for k in range(2):
        q[i, k] = A[i, k, 0] * q0 + A[i, k, 1] * q1 + b[i, k, 0] * before + b[i, k, 1] * now


@inline
def _drag(c, i, q, j):
    """Return c.q of row j of the states q: the part that the high-pass of axis i subtracts from its input."""
    return c[i, 0] * q[j, 0] + c[i, 1] * q[j, 1] + c[i, 2] * q[j, 2]


@inline
def _descend(x, k, share, bounds, slope, speed, h):
    """Return a gain after a step of gradient descent.

    k : its index in `size`
    bounds : start, minimum and maximum
    slope : gradient of J and square of the sensitivities in J
    speed : adaptation rate, leak, and True if the gain is constant
    """
    (start, minimum, maximum), (gradient, square), (adaptation, leak, limited) = bounds, slope, speed
    x["size"][k] += x["smoothing"] * (square - x["size"][k])
    if limited:
        return share
    span = maximum - minimum
    if span <= 0.0:
        return start
    floor = FLOOR / (span * span)
    moved = share - h * (adaptation * gradient / (floor + max(square, x["size"][k])) + leak * (share - start))
    return min(maximum, max(minimum, moved))


@inline
def _learn_motion(u, x, i, slope, limited, h):
    """Advance p1 of surge, sway or heave by one step."""
    bounds = u["motion_start"][i], u["motion_min"][i], u["motion_max"][i]
    x["motion_share"][i] = _descend(x, i, x["motion_share"][i], bounds, slope, (u["motion_adaptation"][i], u["leak"], limited), h)


@inline
def _learn_tilt(u, x, i, slope, limited, h):
    """Advance p2 of surge or sway by one step."""
    bounds = u["tilt_start"][i], u["tilt_min"][i], u["tilt_max"][i]
    x["tilt_share"][i] = _descend(x, 3 + i, x["tilt_share"][i], bounds, slope, (u["tilt_adaptation"][i], u["leak"], limited), h)


@inline
def _learn_turn(u, x, r, slope, limited, h):
    """Advance p3 of roll, pitch or yaw by one step."""
    bounds = u["rotation_start"][r], u["rotation_min"][r], u["rotation_max"][r]
    x["turn_share"][r] = _descend(x, 5 + r, x["turn_share"][r], bounds, slope, (u["rotation_adaptation"][r], u["leak"], limited), h)


@callback
def adaptive(parameters, state, seen, result, first, count, h):
    """Run one step; the records of SETTINGS, STATE, WASHOUT_INPUT and WASHOUT_OUTPUT are at these addresses."""
    u, x, s, out = record_at(parameters, P)[0], record_at(state, X)[0], record_at(seen, S)[0], record_at(result, R)[0]["pose"]
    if s["begins"] == 1:
        _clear(u, x)
    limited = s["limited"] != 0
    f, w = s["f_H_B"], s["w_WB_B"]
    fx, fy = _force(u, x, 0, _predicted_force(x, 0, f[0], w[1])), _force(u, x, 1, _predicted_force(x, 1, f[1], w[0]))
    fz = _force(u, x, 2, f[2] - s["gravity"])
    wx, wy, wz = _rate(u, x, 0, w[0]), _rate(u, x, 1, w[1]), _rate(u, x, 2, w[2])
    roll, pitch, yaw = x["tilt"][1] + x["turned"][0, 1], x["turned"][1, 1] - x["tilt"][0], x["turned"][2, 1]
    k = u["attitude_feedback"]
    accelerations = not_yet_shown(fx, fy, fz, k * roll, k * pitch, k * yaw, u["heave_by_tilt"])
    rates = attitude_rates(wx, wy, wz, roll, pitch)
    lasting = _scaled(u, 0, f[0]), _scaled(u, 1, f[1])
    by_tilt = _smooth(x, 0, u["tilt_gain"][0] * lasting[0] / G), _smooth(x, 1, u["tilt_gain"][1] * lasting[1] / (G * math.cos(pitch)))
    _force_axis(u, x, (0, 1, -1.0), (accelerations[0], rates[1], by_tilt[0], s["p_PH"][2]), limited, h)
    _force_axis(u, x, (1, 0, 1.0), (accelerations[1], rates[0], by_tilt[1], s["p_PH"][2]), limited, h)
    if x["learns"] == 1:
        learn(u, x, (f[0], f[1], w[1], w[0], x["shown"][0], x["shown"][1]), (x["motion_share"][0], x["motion_share"][1]), limited)
    _heave(u, x, accelerations[2], limited, h)
    _yaw(u, x, rates[2], limited, h)
    roll, pitch, yaw = x["tilt"][1] + x["turned"][0, 1], x["turned"][1, 1] - x["tilt"][0], x["turned"][2, 1]
    place = about_head(s["p_PH"], (x["moved"][0, 1], x["moved"][1, 1], x["moved"][2, 1]), roll, pitch, yaw)
    out[0], out[1], out[2] = place
    out[3], out[4], out[5] = roll, pitch, yaw


@inline
def _predicted_force(x, i, force, rate):
    """Predict the force of surge or sway at the arrival time of the platform, from the force and the corresponding rate."""
    A, b, past, past_in, g = x["foresight_A"], x["foresight_b"], x["past"], x["past_in"], x["foresight_numbers"]
    update_history(A, b, past, past_in, i, force)
    update_history(A, b, past, past_in, 2 + i, rate)
    return force + prediction(past, past_in, i, g, i, 0) + prediction(past, past_in, 2 + i, g, i, TERMS)


@inline
def _scaled(u, i, force):
    """Return the scaled force of an axis; tilt represents its slow part."""
    return scaled(force, u["force_gain"][i], u["force_limit"][i], u["force_knee"][i])


@inline
def _force(u, x, i, force):
    """Return the scaled force of an axis for translation."""
    value = _scaled(u, i, force)
    return less_fast(x["slower"], x["slower_in"], i, value, x["fast_A"], x["fast_b"], u["fast_force"][i])


@inline
def _rate(u, x, i, rate):
    """Return the scaled rate of an axis for the rotational channel."""
    value = scaled(rate, u["rate_gain"][i], u["rate_limit"][i], u["rate_knee"][i])
    return less_fast(x["slower"], x["slower_in"], 3 + i, value, x["fast_A"], x["fast_b"], u["fast_rate"][i])


@inline
def _smooth(x, i, force):
    """Return the smoothed force [g] for the tilt of an axis, after a step."""
    b = x["tilt_smooth_b"]
    x["tilt_force"][i] = x["tilt_smooth_A"] * x["tilt_force"][i] + b[0] * x["tilt_force_in"][i] + b[1] * force
    x["tilt_force_in"][i] = force
    return x["tilt_force"][i]


@inline
def _tilt_on(u, x, axis, force, h):
    """Advance the tilt of an axis by one step towards a scaled force [g].

    Returns the error of the requested tilt, the fraction of it that a step corrects, and True if the tilt follows. If its limits are active, the tilt moves
    at its maximum rate regardless of p2, and p2 must not adapt.
    """
    i, r, sign = axis
    top = math.sin(u["tilt_limit"])
    missing_tilt = min(top, max(-top, force)) - math.sin(x["tilt_wanted"][i] + sign * x["turned"][r, 1])
    correction = 1.0 - math.exp(-x["tilt_share"][i] * h)  # of a lag of break frequency p2
    x["tilt_wanted"][i] = min(u["tilt_limit"], max(-u["tilt_limit"], x["tilt_wanted"][i] + correction * missing_tilt))
    x["tilt"][i], x["tilt_speed"][i] = follow_angle(
        x["tilt"][i], x["tilt_speed"][i], x["tilt_wanted"][i], u["tilt_rate"], u["tilt_acceleration"], u["tilt_calm"], h
    )
    return missing_tilt, correction, abs(x["tilt_wanted"][i] - x["tilt"][i]) < FOLLOWS + u["tilt_calm"]


@inline
def _turn_on(x, r, rate):
    """Advance the rotational channel of an axis and its sensitivity to p3 by one step with a requested rate [rad/s]."""
    turned = x["turn_share"][r] * rate
    _step2(x["rotation_A"], x["rotation_b"], r, x["turned"], x["turned_in"][r], turned)
    _step2(x["rotation_A"], x["rotation_b"], r, x["turned_by_turn"], x["turned_by_turn_in"][r], rate)
    x["turned_in"][r], x["turned_by_turn_in"][r] = turned, rate


@inline
def _angle_by_shares(x, axis, before_turn, lag, h):
    """Return the sensitivities of the angle to p2 and p3, and their rates, after a step; before_turn : `turned_by_turn` before it, lag : result of
    `_tilt_on`."""
    i, r, sign = axis
    missing_tilt, correction, follows = lag
    by_tilt, by_turn = x["tilt_by_tilt"][i], x["tilt_by_turn"][i]
    if follows:
        x["tilt_by_tilt"][i] += h * (missing_tilt - x["tilt_share"][i] * by_tilt)
        x["tilt_by_turn"][i] -= correction * (by_turn + sign * before_turn)
    eta2, eta3 = x["tilt_by_tilt"][i], x["tilt_by_turn"][i] + sign * x["turned_by_turn"][r, 1]
    eta3_rate = (x["tilt_by_turn"][i] - by_turn) / h + sign * (x["turned_by_turn"][r, 1] - before_turn) / h
    return eta2, (eta2 - by_tilt) / h, eta3, eta3_rate


@inline
def _move_on(x, i, a):
    """Advance the translational channel of an axis and its sensitivity to p1 by one step with a missing acceleration a [m/s2].

    Returns the force that is still missing [m/s2], and its sensitivity to p1 with those of speed and position.
    """
    A, b, c, moved = x["high_pass_A"], x["high_pass_b"], x["high_pass_c"], x["motion_share"][i] * a
    _step3(A, b, i, x["moved"], i, x["moved_in"][i], moved)
    _step3(A, b, i, x["by_motion"], i, x["by_motion_in"][i], a)
    x["moved_in"][i], x["by_motion_in"][i] = moved, a
    missing = a - (moved - _drag(c, i, x["moved"], i))
    return missing, (a - _drag(c, i, x["by_motion"], i), x["by_motion"][i, 2], x["by_motion"][i, 1])


@inline
def _moved_by_angle(x, i, q, before, angle):
    """Advance the sensitivities q of the position to a gain that rotates the head by eta.

    Returns the input of the filter, and the sensitivities of force, speed and travel; angle : height of the head [m], fraction of the attitude in the
    high-pass, eta.
    """
    lever, feedback, eta = angle
    given = -x["motion_share"][i] * feedback * G * eta
    _step3(x["high_pass_A"], x["high_pass_b"], i, q, i, before, given)
    return given, (given - _drag(x["high_pass_c"], i, q, i) + G * eta, q[i, 2], q[i, 1] + lever * eta)


@inline
def _slope(e, weights, state, by):
    """Return (dJ/dp, square of the sensitivities in J) for force, speed and travel; weights and state of speed and travel, by : sensitivities of all three."""
    (wv, wx), (speed, travel), (f, v, x) = weights, state, by
    return -e * f + wv * speed * v + wx * travel * x, f * f + wv * v * v + wx * x * x


@inline
def _force_axis(u, x, axis, seen, limited, h):
    """Advance surge with pitch, or sway with roll, and their three gains.

    axis : indices of force and rate, sign of the force that a positive angle represents; seen : input of the high-pass [m/s2], requested rate [rad/s]
    of the angle, force for tilt [g], height of the head [m]
    """
    i, r, sign = axis
    a, rate, force, lever = seen
    before_turn = x["turned_by_turn"][r, 1]
    lag = _tilt_on(u, x, axis, force, h)
    _turn_on(x, r, rate)
    eta2, eta2_rate, eta3, eta3_rate = _angle_by_shares(x, axis, before_turn, lag, h)
    angle = x["tilt"][i] + sign * x["turned"][r, 1]
    slow = sign * rate - (angle - x["angle"][i]) / h
    feedback = u["attitude_feedback"]
    unseen = (1.0 - feedback) * G * x["angle"][i]  # force due to the angle that is not in the input of the high-pass
    x["angle"][i] = angle

    e, by_motion = _move_on(x, i, a)
    x["shown"][i] = a - e + G * math.sin(angle)
    e -= unseen
    x["by_tilt_in"][i], by_tilt = _moved_by_angle(x, i, x["by_tilt"], x["by_tilt_in"][i], (lever, feedback, eta2))
    x["by_turn_in"][i], by_turn = _moved_by_angle(x, i, x["by_turn"], x["by_turn_in"][i], (lever, feedback, eta3))
    weights, state = (u["speed_weight"][i], u["travel_weight"][i]), (x["moved"][i, 2], x["moved"][i, 1] + lever * angle)
    wr, wt = u["rate_weight"][r], u["angle_weight"][r]
    g2, n2 = _slope(e, weights, state, by_tilt)
    g3, n3 = _slope(e, weights, state, by_turn)
    slope2 = g2 - wr * slow * eta2_rate + wt * angle * eta2, n2 + wr * eta2_rate * eta2_rate + wt * eta2 * eta2
    slope3 = g3 - wr * slow * eta3_rate + wt * angle * eta3, n3 + wr * eta3_rate * eta3_rate + wt * eta3 * eta3
    _learn_motion(u, x, i, _slope(e, weights, state, by_motion), limited, h)
    _learn_tilt(u, x, i, slope2 if lag[2] else (0.0, slope2[1]), limited, h)
    _learn_turn(u, x, r, slope3, limited, h)


@inline
def _heave(u, x, a, limited, h):
    """Advance heave and its gain; a [m/s2] is the missing acceleration."""
    e, by_motion = _move_on(x, 2, a)
    weights, state = (u["speed_weight"][2], u["travel_weight"][2]), (x["moved"][2, 2], x["moved"][2, 1])
    _learn_motion(u, x, 2, _slope(e, weights, state, by_motion), limited, h)


@inline
def _yaw(u, x, rate, limited, h):
    """Advance yaw and its gain; rate [rad/s] is the requested rate."""
    before, before_turn = x["turned"][2, 1], x["turned_by_turn"][2, 1]
    _turn_on(x, 2, rate)
    eta, wr, wt = x["turned_by_turn"][2, 1], u["rate_weight"][2], u["angle_weight"][2]
    eta_rate = (eta - before_turn) / h
    slow = rate - (x["turned"][2, 1] - before) / h
    slope = -wr * slow * eta_rate + wt * x["turned"][2, 1] * eta, wr * eta_rate * eta_rate + wt * eta * eta
    _learn_turn(u, x, 2, slope, limited, h)


KIND = WashoutKind(
    "adaptive",
    FILE,
    CONTRACT,
    LAYOUT,
    kernel=adaptive,
    state=STATE,
    begin=begin,
    logged=ADAPTED,
    meaning="classical channels with gains that adapt to benefit and cost of the motion (Parrish; Reid and Nahon); every tick",
)
"""The registered washout."""
