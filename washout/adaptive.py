"""Adaptive washout: the channels of the classical one, whose shares follow at every tick what the motion just now needs and costs.

Per axis of force, with its tilt a (as the force that it shows: a = -pitch for surge, roll for sway) and p1, p2, p3 the three shares:

    x'' = p1 aN - c.q                   aN: what the attitude does not show yet (`classical.not_yet_shown`), c.q the high-pass
    t'  = p2 (f / g - sin a)            tilt wanted; the tilt follows it within its rate and acceleration
    a   = tilt + high-passed integral of p3 w
    J   = 1/2 [e^2 + Wr (w - a')^2 + Wv x'^2 + Wx X^2 + Wt a^2],   e = aN - x'',   X the travel of the platform, X = x + lever a
    p'  = -G (dJ/dp) / N - leak (p - p0),                          bounded, and held while the limiter acts

The tilt is fed back into the force that it is to show, t' = p2 (f/g - sin a). Equation (4.11) as printed, t' = p2 f, integrates a lasting
force and turns over (docs/washouts.md). p2 so is the break frequency of the tilt. dJ/dp comes from the sensitivities of x and a, which obey the
same linear equations as these and are stepped by the same exact matrices (`washout.discrete`). N is the square of the sensitivities in J, smoothed:
with it the shares move by G [1/s] however large the motion is, where the printed gradient grows with its square.

Source: Haug, Driving simulators, section 4.1.4.2, eqs (4.10) to (4.13), after Parrish et al. and Reid and Nahon.
differs: tilt fed back; e is held against what is felt and not against x'' alone; normalised gradient; third-order high-pass; yaw and heave likewise.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.fields import Fields, fields_of
from simulator.base.jit import inline
from simulator.base.outside import outside, record_at
from simulator.base.records import Record, dtype_of
from washout import classical
from washout.classical import about_head, attitude_rates, follow_angle, not_yet_shown, scaled
from washout.contract import CONTRACT, LAYOUT, RESULT, SEEN, WashoutKind, WashoutWorld
from washout.discrete import discrete, high_pass, rotation

G = STANDARD_GRAVITY

SHARED = (
    "force_gain",
    "force_limit",
    "force_knee",
    "rate_gain",
    "rate_limit",
    "rate_knee",
    "high_pass_order",
    "high_pass_frequency",
    "high_pass_damping",
    "return_frequency",
    "heave_by_tilt",
    "tilt_limit",
    "tilt_rate",
    "tilt_acceleration",
    "rotation_order",
    "rotation_frequency",
    "rotation_damping",
)
"""Settings that mean what they mean to the classical washout."""

SETTINGS = (
    *(row for row in classical.SETTINGS if row[0] in SHARED),
    ("motion_start", (3,), "1", "p1: share of the scaled force that the high-pass shows by moving, at the start: surge, sway, heave"),
    ("motion_least", (3,), "1", "its least"),
    ("motion_most", (3,), "1", "its most"),
    ("tilt_start", (2,), "rad/s", "p2: break frequency at which tilt follows the scaled force, at the start: surge, sway"),
    ("tilt_least", (2,), "rad/s", "its least"),
    ("tilt_most", (2,), "rad/s", "its most"),
    ("turn_start", (3,), "1", "p3: share of the scaled rate that the rotational high-pass shows, at the start: roll, pitch, yaw"),
    ("turn_least", (3,), "1", "its least"),
    ("turn_most", (3,), "1", "its most"),
    ("motion_adaption", (3,), "1/s", "how fast p1 goes downhill: surge, sway, heave; 0: it stays"),
    ("tilt_adaption", (2,), "1/s", "the same for p2: surge, sway"),
    ("turn_adaption", (3,), "1/s", "the same for p3: roll, pitch, yaw"),
    ("leak", (), "1/s", "how fast all of them return to their start"),
    ("memory", (), "s", "over which the size of the sensitivities is smoothed"),
    (
        "rate_weight",
        (3,),
        "m2/(rad2 s2)",
        "Wr: weight of the square of the missing rate beside that of the missing force: roll, pitch, yaw",
    ),
    ("speed_weight", (3,), "1/s2", "Wv: of the speed of the head: surge, sway, heave"),
    ("travel_weight", (3,), "1/s4", "Wx: of the travel of the platform's reference point: surge, sway, heave"),
    ("angle_weight", (3,), "m2/(rad2 s4)", "Wt: of the angle: roll, pitch, yaw"),
)

_SHARES, _FREQUENCIES, _SPEEDS, _WEIGHTS = (0.0, 2.0), (0.0, 200.0), (0.0, 100.0), (0.0, 1e6)
RANGES = {
    **{name: limits for name, limits in classical.RANGES.items() if name in SHARED},
    **dict.fromkeys(("motion_start", "motion_least", "motion_most", "turn_start", "turn_least", "turn_most"), _SHARES),
    **dict.fromkeys(("tilt_start", "tilt_least", "tilt_most"), _FREQUENCIES),
    **dict.fromkeys(("motion_adaption", "tilt_adaption", "turn_adaption", "leak"), _SPEEDS),
    "memory": (0.01, 1000.0),
    **dict.fromkeys(("rate_weight", "speed_weight", "travel_weight", "angle_weight"), _WEIGHTS),
}
DEFAULTS = {name: value for name, value in classical.DEFAULTS.items() if name in SHARED}

FILE: Fields = fields_of(
    SETTINGS, RANGES, DEFAULTS, written={"rate_limit": "degps", "tilt_limit": "deg", "tilt_rate": "degps", "tilt_acceleration": "degps2"}
)
"""Of the section `cueing` of a file of this type."""

ADAPTED = (
    # name         shape  unit     what it is
    ("motion_share", (3,), "1", "p1 of the adaptive washout now: surge, sway, heave"),
    ("tilt_share", (2,), "rad/s", "p2: surge, sway"),
    ("turn_share", (3,), "1", "p3: roll, pitch, yaw"),
)
"""What a log shows of it."""

STATE = (
    *ADAPTED,
    # name             shape      unit           what it is
    ("high_pass_A", (3, 3, 3), "mixed", "as in the classical washout"),
    ("high_pass_b", (3, 3, 2), "mixed", "likewise"),
    ("high_pass_c", (3, 3), "mixed", "likewise"),
    ("rotation_A", (3, 2, 2), "mixed", "likewise"),
    ("rotation_b", (3, 2, 2), "mixed", "likewise"),
    ("smoothing", (), "1", "part of what is new that enters the smoothed size of the sensitivities in a step"),
    ("moved", (3, 3), "m s, m, m/s", "per axis: integral of the position, position, velocity of the head in N"),
    ("moved_in", (3,), "m/s2", "its input in the last step"),
    ("by_motion", (3, 3), "m s, m, m/s", "their sensitivities to p1"),
    ("by_motion_in", (3,), "m/s2", "likewise"),
    ("by_tilt", (2, 3), "mixed", "to p2"),
    ("by_tilt_in", (2,), "mixed", "likewise"),
    ("by_turn", (2, 3), "m s, m, m/s", "to p3 of pitch, of roll"),
    ("by_turn_in", (2,), "m/s2", "likewise"),
    ("turned", (3, 2), "rad s, rad", "per axis roll, pitch, yaw: integral of the angle, angle of the rotational channel"),
    ("turned_in", (3,), "rad/s", "its input in the last step"),
    ("turned_by_turn", (3, 2), "rad s, rad", "its sensitivity to p3"),
    ("turned_by_turn_in", (3,), "rad/s", "likewise"),
    ("tilt_wanted", (2,), "rad", "tilt for surge and sway, + for a force ahead and to the left"),
    ("tilt", (2,), "rad", "tilt there is"),
    ("tilt_speed", (2,), "rad/s", "its rate"),
    ("tilt_by_tilt", (2,), "s", "sensitivity of the tilt wanted to p2"),
    ("tilt_by_turn", (2,), "rad", "and to p3 of pitch, of roll"),
    ("angle", (2,), "rad", "tilt and rotation together in the last step, + as the tilt"),
    ("size", (8,), "mixed", "smoothed square of the sensitivities: three of motion, two of tilt, three of turn"),
)

P, X, S, R = dtype_of(SETTINGS), dtype_of(STATE), dtype_of(SEEN), dtype_of(RESULT)

FLOOR = 1e-3
"""m2/s4. Of J per square of a share's range: where the sensitivities are smaller, nothing is learnt from noise."""

FOLLOWS = math.radians(0.2)
"""rad. A tilt that is closer than this to the one wanted is not held back by its rate or acceleration."""


def begin(parameters: Record, state: Record, world: WashoutWorld) -> None:
    """Fill the matrices of the filters for steps of world.period [s]."""
    u, x, h = parameters[0], state[0], world.period
    for i in range(3):
        x["high_pass_A"][i], x["high_pass_b"][i], x["high_pass_c"][i] = high_pass(
            int(u["high_pass_order"][i]), u["high_pass_frequency"][i], u["high_pass_damping"][i], u["return_frequency"][i], h
        )
        x["rotation_A"][i], x["rotation_b"][i] = rotation(
            int(u["rotation_order"][i]), u["rotation_frequency"][i], u["rotation_damping"][i], h
        )
    x["smoothing"] = float(np.sum(discrete([[-1.0 / u["memory"]]], [1.0 / u["memory"]], h)[1]))
    x["motion_share"], x["tilt_share"], x["turn_share"] = u["motion_start"], u["tilt_start"], u["turn_start"]


@inline
def _clear(u, x):
    """Level and still for ever, with the shares of the start."""
    for i in range(3):
        x["motion_share"][i], x["turn_share"][i] = u["motion_start"][i], u["turn_start"][i]
        x["moved_in"][i], x["by_motion_in"][i], x["turned_in"][i], x["turned_by_turn_in"][i] = 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            x["moved"][i, k], x["by_motion"][i, k] = 0.0, 0.0
        for k in range(2):
            x["turned"][i, k], x["turned_by_turn"][i, k] = 0.0, 0.0
    for i in range(2):
        x["tilt_share"][i] = u["tilt_start"][i]
        x["by_tilt_in"][i], x["by_turn_in"][i], x["tilt_wanted"][i], x["tilt"][i], x["tilt_speed"][i] = 0.0, 0.0, 0.0, 0.0, 0.0
        x["tilt_by_tilt"][i], x["tilt_by_turn"][i], x["angle"][i] = 0.0, 0.0, 0.0
        for k in range(3):
            x["by_tilt"][i, k], x["by_turn"][i, k] = 0.0, 0.0
    for k in range(8):
        x["size"][k] = 0.0


@inline
def _step3(A, b, i, q, j, before, now):
    """Row j of the states q (n, 3) after a step of the high-pass of axis i."""
    q0, q1, q2 = q[j, 0], q[j, 1], q[j, 2]
    for k in range(3):
        q[j, k] = A[i, k, 0] * q0 + A[i, k, 1] * q1 + A[i, k, 2] * q2 + b[i, k, 0] * before + b[i, k, 1] * now


@inline
def _step2(A, b, i, q, before, now):
    """Row i of the states q (3, 2) after a step of the rotational high-pass of axis i."""
    q0, q1 = q[i, 0], q[i, 1]
    for k in range(2):
        q[i, k] = A[i, k, 0] * q0 + A[i, k, 1] * q1 + b[i, k, 0] * before + b[i, k, 1] * now


@inline
def _drag(c, i, q, j):
    """c.q of row j of the states q: what the high-pass of axis i takes off its input."""
    return c[i, 0] * q[j, 0] + c[i, 1] * q[j, 1] + c[i, 2] * q[j, 2]


@inline
def _downhill(x, k, share, start, least, most, gradient, square, adaption, leak, held, h):
    """A share after a step; `square` of the sensitivities, k its place in `size`."""
    x["size"][k] += x["smoothing"] * (square - x["size"][k])
    if held:
        return share
    span = most - least
    if span <= 0.0:
        return start
    floor = FLOOR / (span * span)
    moved = share - h * (adaption * gradient / (floor + max(square, x["size"][k])) + leak * (share - start))
    return min(most, max(least, moved))


@outside
def adaptive(parameters, state, seen, result, first, count, h):
    """One step; the records of SETTINGS, STATE, SEEN and RESULT at these addresses."""
    u, x, s, out = record_at(parameters, P)[0], record_at(state, X)[0], record_at(seen, S)[0], record_at(result, R)[0]["pose"]
    if s["begins"] == 1:
        _clear(u, x)
    held = s["limited"] != 0
    f, w = s["f_H_B"], s["w_WB_B"]
    fx = scaled(f[0], u["force_gain"][0], u["force_limit"][0], u["force_knee"][0])
    fy = scaled(f[1], u["force_gain"][1], u["force_limit"][1], u["force_knee"][1])
    fz = scaled(f[2] - s["gravity"], u["force_gain"][2], u["force_limit"][2], u["force_knee"][2])
    wx = scaled(w[0], u["rate_gain"][0], u["rate_limit"][0], u["rate_knee"][0])
    wy = scaled(w[1], u["rate_gain"][1], u["rate_limit"][1], u["rate_knee"][1])
    wz = scaled(w[2], u["rate_gain"][2], u["rate_limit"][2], u["rate_knee"][2])
    roll, pitch, yaw = x["tilt"][1] + x["turned"][0, 1], x["turned"][1, 1] - x["tilt"][0], x["turned"][2, 1]
    accelerations = not_yet_shown(fx, fy, fz, roll, pitch, yaw, u["heave_by_tilt"])
    rates = attitude_rates(wx, wy, wz, roll, pitch)
    _force_axis(u, x, 0, 1, -1.0, accelerations[0], rates[1], fx / G, s["p_PH"][2], held, h)
    _force_axis(u, x, 1, 0, 1.0, accelerations[1], rates[0], fy / (G * math.cos(pitch)), s["p_PH"][2], held, h)
    _heave(u, x, accelerations[2], held, h)
    _yaw(u, x, rates[2], held, h)
    roll, pitch, yaw = x["tilt"][1] + x["turned"][0, 1], x["turned"][1, 1] - x["tilt"][0], x["turned"][2, 1]
    place = about_head(s["p_PH"], (x["moved"][0, 1], x["moved"][1, 1], x["moved"][2, 1]), roll, pitch, yaw)
    out[0], out[1], out[2] = place
    out[3], out[4], out[5] = roll, pitch, yaw


@inline
def _force_axis(u, x, i, r, sign, a, rate, force, lever, held, h):
    """Surge with pitch (i = 0, r = 1) or sway with roll (i = 1, r = 0), and their three shares.

    sign : of a force that a positive angle shows; a [m/s2] what is not shown yet; rate [rad/s] of the angle that is wanted; force : scaled, in g;
    lever : height of the head [m]
    """
    p1, p2, p3 = x["motion_share"][i], x["tilt_share"][i], x["turn_share"][r]
    A, b, c = x["high_pass_A"], x["high_pass_b"], x["high_pass_c"]
    top = math.sin(u["tilt_limit"])
    lacks = min(top, max(-top, force)) - math.sin(x["tilt_wanted"][i] + sign * x["turned"][r, 1])
    grows = 1.0 - math.exp(-p2 * h)  # of a lag of break frequency p2
    x["tilt_wanted"][i] = min(u["tilt_limit"], max(-u["tilt_limit"], x["tilt_wanted"][i] + grows * lacks))
    x["tilt"][i], x["tilt_speed"][i] = follow_angle(
        x["tilt"][i], x["tilt_speed"][i], x["tilt_wanted"][i], u["tilt_rate"], u["tilt_acceleration"], h
    )
    _step2(x["rotation_A"], x["rotation_b"], r, x["turned"], x["turned_in"][r], p3 * rate)
    before_turn = x["turned_by_turn"][r, 1]
    _step2(x["rotation_A"], x["rotation_b"], r, x["turned_by_turn"], x["turned_by_turn_in"][r], rate)
    x["turned_in"][r], x["turned_by_turn_in"][r] = p3 * rate, rate
    by_tilt, by_turn, by_turn_before = x["tilt_by_tilt"][i], x["tilt_by_turn"][i], x["tilt_by_turn"][i] + sign * before_turn
    if abs(x["tilt_wanted"][i] - x["tilt"][i]) < FOLLOWS:
        x["tilt_by_tilt"][i] += h * (lacks - p2 * by_tilt)
        x["tilt_by_turn"][i] -= grows * by_turn_before
    eta2, eta3 = x["tilt_by_tilt"][i], x["tilt_by_turn"][i] + sign * x["turned_by_turn"][r, 1]
    eta2_rate, eta3_rate = (eta2 - by_tilt) / h, (x["tilt_by_turn"][i] - by_turn) / h + sign * (x["turned_by_turn"][r, 1] - before_turn) / h
    angle = x["tilt"][i] + sign * x["turned"][r, 1]
    angle_rate = (angle - x["angle"][i]) / h
    x["angle"][i] = angle

    _step3(A, b, i, x["moved"], i, x["moved_in"][i], p1 * a)
    _step3(A, b, i, x["by_motion"], i, x["by_motion_in"][i], a)
    _step3(A, b, i, x["by_tilt"], i, x["by_tilt_in"][i], -p1 * G * eta2)
    _step3(A, b, i, x["by_turn"], i, x["by_turn_in"][i], -p1 * G * eta3)
    x["moved_in"][i], x["by_motion_in"][i], x["by_tilt_in"][i], x["by_turn_in"][i] = p1 * a, a, -p1 * G * eta2, -p1 * G * eta3

    e = a - (p1 * a - _drag(c, i, x["moved"], i))
    travel, speed = x["moved"][i, 1] + lever * angle, x["moved"][i, 2]
    slow = sign * rate - angle_rate
    wr, wv, wx, wt = u["rate_weight"][r], u["speed_weight"][i], u["travel_weight"][i], u["angle_weight"][r]
    f1, v1, x1 = a - _drag(c, i, x["by_motion"], i), x["by_motion"][i, 2], x["by_motion"][i, 1]
    f2, v2, x2 = -p1 * G * eta2 - _drag(c, i, x["by_tilt"], i) + G * eta2, x["by_tilt"][i, 2], x["by_tilt"][i, 1] + lever * eta2
    f3, v3, x3 = -p1 * G * eta3 - _drag(c, i, x["by_turn"], i) + G * eta3, x["by_turn"][i, 2], x["by_turn"][i, 1] + lever * eta3
    g1 = -e * f1 + wv * speed * v1 + wx * travel * x1
    g2 = -e * f2 + wv * speed * v2 + wx * travel * x2 - wr * slow * eta2_rate + wt * angle * eta2
    g3 = -e * f3 + wv * speed * v3 + wx * travel * x3 - wr * slow * eta3_rate + wt * angle * eta3
    n1 = f1 * f1 + wv * v1 * v1 + wx * x1 * x1
    n2 = f2 * f2 + wv * v2 * v2 + wx * x2 * x2 + wr * eta2_rate * eta2_rate + wt * eta2 * eta2
    n3 = f3 * f3 + wv * v3 * v3 + wx * x3 * x3 + wr * eta3_rate * eta3_rate + wt * eta3 * eta3
    leak = u["leak"]
    x["motion_share"][i] = _downhill(
        x, i, p1, u["motion_start"][i], u["motion_least"][i], u["motion_most"][i], g1, n1, u["motion_adaption"][i], leak, held, h
    )
    x["tilt_share"][i] = _downhill(
        x, 3 + i, p2, u["tilt_start"][i], u["tilt_least"][i], u["tilt_most"][i], g2, n2, u["tilt_adaption"][i], leak, held, h
    )
    x["turn_share"][r] = _downhill(
        x, 5 + r, p3, u["turn_start"][r], u["turn_least"][r], u["turn_most"][r], g3, n3, u["turn_adaption"][r], leak, held, h
    )


@inline
def _heave(u, x, a, held, h):
    """Heave and its share, a [m/s2] what is not shown yet."""
    p1, A, b, c = x["motion_share"][2], x["high_pass_A"], x["high_pass_b"], x["high_pass_c"]
    _step3(A, b, 2, x["moved"], 2, x["moved_in"][2], p1 * a)
    _step3(A, b, 2, x["by_motion"], 2, x["by_motion_in"][2], a)
    x["moved_in"][2], x["by_motion_in"][2] = p1 * a, a
    e = a - (p1 * a - _drag(c, 2, x["moved"], 2))
    wv, wx = u["speed_weight"][2], u["travel_weight"][2]
    f1, v1, x1 = a - _drag(c, 2, x["by_motion"], 2), x["by_motion"][2, 2], x["by_motion"][2, 1]
    g1 = -e * f1 + wv * x["moved"][2, 2] * v1 + wx * x["moved"][2, 1] * x1
    n1 = f1 * f1 + wv * v1 * v1 + wx * x1 * x1
    x["motion_share"][2] = _downhill(
        x, 2, p1, u["motion_start"][2], u["motion_least"][2], u["motion_most"][2], g1, n1, u["motion_adaption"][2], u["leak"], held, h
    )


@inline
def _yaw(u, x, rate, held, h):
    """Yaw and its share, rate [rad/s] wanted."""
    p3 = x["turn_share"][2]
    before, before_turn = x["turned"][2, 1], x["turned_by_turn"][2, 1]
    _step2(x["rotation_A"], x["rotation_b"], 2, x["turned"], x["turned_in"][2], p3 * rate)
    _step2(x["rotation_A"], x["rotation_b"], 2, x["turned_by_turn"], x["turned_by_turn_in"][2], rate)
    x["turned_in"][2], x["turned_by_turn_in"][2] = p3 * rate, rate
    eta, wr, wt = x["turned_by_turn"][2, 1], u["rate_weight"][2], u["angle_weight"][2]
    eta_rate = (eta - before_turn) / h
    slow = rate - (x["turned"][2, 1] - before) / h
    g3 = -wr * slow * eta_rate + wt * x["turned"][2, 1] * eta
    n3 = wr * eta_rate * eta_rate + wt * eta * eta
    x["turn_share"][2] = _downhill(
        x, 7, p3, u["turn_start"][2], u["turn_least"][2], u["turn_most"][2], g3, n3, u["turn_adaption"][2], u["leak"], held, h
    )


KIND = WashoutKind(
    "adaptive",
    SETTINGS,
    RANGES,
    CONTRACT,
    LAYOUT,
    kernel=adaptive,
    state=STATE,
    begin=begin,
    defaults=DEFAULTS,
    logged=ADAPTED,
    meaning="the classical channels, whose shares adapt to what the motion needs and costs (Parrish; Reid and Nahon); in every tick",
)
"""As it is registered."""
