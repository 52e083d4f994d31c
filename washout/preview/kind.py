"""Preview washout: the platform carries out a plan for the motion of the vehicle that is known, and the adaptive washout reproduces the rest.

    pose = plan(known) + adaptive(measured - known)

The plan (`washout.preview.planner`) is exact for the time of the preview: the platform moves to the other side, tilts before a force begins, and is back
in time, all within the limits of the platform. Beside the ticks, a thread computes a new plan `rate` times a second. Without a new plan the present one
continues. As the sum shows, an unknown force never gets lost, and nothing steps if the preview ends.

A preview may be wrong. Per axis, the fraction of it that is trusted follows from the measured force f and the told force t, both smooth over SMOOTHS,

    trust = (<f t> + n^2 prior) / (<t t> + n^2)  S(<f t>^2 / (<f f> <t t>)),  from 0 to 1,  < > : mean over a time

The quotient is the regression of f on t, so a preview of twice the force is halved. S is 0 for a preview that explains less than LEAST of the force and 1
from FULL on, so one of another drive is ignored. The trust is the smaller one of two times: the long one remembers lies, the short one notices them.
Time counts while there is a force, because silence proves nothing. The n of the short time follows from the usual difference of f and t: a preview that
was exact is contradicted by less. The prior of the long time is the trust in surge and sway together, before any force UNPROVEN.
If the trust falls, the plan holds the present force in place of the lost part, and gives it to the adaptive washout within HOLDS.

Source: developed for Jounce.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Fields, Number
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, Table, dtype_of
from washout import adaptive
from washout.adaptive import adaptive as adaptive_step
from washout.contract import CONTRACT, LAYOUT, WASHOUT_INPUT, WASHOUT_OUTPUT, WashoutContext, WashoutKind
from washout.motion_kernels import about_head
from washout.preview.plan_thread import PlanThread, arrival
from washout.preview.planner import CHANNELS, HEAVE, PLAN, motion_at, told_at

_COST = Number("m2/(rad2 s2)", 0.0, 1e4, shape=(2,))
FILE: Fields = (
    *adaptive.FILE,
    Field(
        "plan_rotation_cost",
        _COST,
        "weight of the square of the wrong rate relative to that of the wrong force: surge with pitch, sway with roll",
        (1.0, 1.0),
    ),
    Field(
        "plan_smoothness",
        Number("s2", 0.0, 1.0, shape=(2,)),
        "weight of the square of the jerk relative to that of the wrong force: surge, sway; larger: less vibration, less of the fast forces",
        (2e-5, 2e-5),
    ),
    Field(
        "plan_fade", Number("s", 0.05, 100.0), "time constant with which the force beyond the end of the preview is expected to end", 1.0
    ),
    Field(
        "plan_iterations",
        Number("1", 1, 10000, whole=True),
        "maximum number of iterations of a plan, per axis; beyond, the last plan continues",
        200,
    ),
)
"""Fields of the section `cueing` of a file of this type: those of the adaptive washout and of the plan."""
SETTINGS = rows(FILE)

LOGGED: Table = (
    *adaptive.ADAPTED,
    # name         shape  unit  description
    ("trust", (3,), "1", "fraction of the preview that the plan uses: surge, sway, heave"),
    ("plan_age", (), "s", "time since the start of the present plan"),
)
"""Logged columns."""

STATE: Table = (
    *adaptive.STATE,  # first, so that the adaptive washout finds its state at the same address
    *LOGGED[len(adaptive.ADAPTED) :],
    *PLAN,
    # name         shape        unit       description
    ("plan_ticks", (), "1", "number of ticks since the start of the present plan", "i8"),
    ("restarts", (), "1", "number of restarts; plans of before are ignored", "i8"),
    ("present", (CHANNELS,), "m/s2, rad/s", "motion of the vehicle in this tick, in the order of a plan"),
    ("told_square", (2, 3), "m2/s4", "<t t>, over MEMORIES"),
    ("told_force", (2, 3), "m2/s4", "<f t>"),
    ("force_square", (2, 3), "m2/s4", "<f f>"),
    ("compared", (2, 3), "m/s2", "told and present force, smooth over SMOOTHS"),
    ("slow_trust", (3,), "1", "trust, falls within HOLDS"),
    ("arrives", (), "s", "time from a pose to the motion of the platform"),
)

P, X, S, R = dtype_of(SETTINGS), dtype_of(STATE), dtype_of(WASHOUT_INPUT), dtype_of(WASHOUT_OUTPUT)
A, AX = adaptive.P, adaptive.X

MEMORIES = np.array([10.0, 0.25])
"""s. Times over which the preview is compared with the motion."""
NOISES = np.array([0.15, 0.3])
"""m/s2. n of the long time, largest n of the short time: smaller forces do not change the trust."""
FINEST, SURPRISE = 0.05, 2.0
"""m/s2, 1. Smallest n of the short time, and n relative to the rms of the usual difference. Larger: a preview that turns wrong is noticed later."""
SMOOTHS = 0.05
"""s. Time over which both forces are smoothed before the comparison: no preview knows each shock."""
QUIET = 0.02
"""m/s2. n of surge and sway together."""
UNPROVEN = 0.5
"""1. Trust before any force. Larger: the first motion of a true preview is better, and that of a wrong one worse (docs/preview_washout.md)."""
HOLDS = 0.3
"""s. Time constant of the held force in place of a lost trust."""
LEAST, FULL = 0.3, 0.7
"""1. Part of the square of the force that the preview explains, up to which it is ignored and from which it is trusted."""
SMALLEST = 0.01
"""1. Bound of the divisor: the workspace management never goes below."""
STEEPEST = 0.9
"""1. Largest sine of an angle: a bound of the arc sine, far beyond any platform."""

_adapt = kernel(adaptive_step.function)


def begin(parameters: Record, state: Record, world: WashoutContext) -> None:
    """Fill the matrices of the adaptive washout; no plan, a preview is unproven."""
    adaptive.begin(parameters, state, world)
    state[0]["trust"], state[0]["slow_trust"], state[0]["arrives"] = UNPROVEN, UNPROVEN, arrival(world)


@inline
def _clear_plan(x):
    """Set the plan to rest without a known motion."""
    x["restarts"] += 1
    x["plan_ticks"] = 0
    for i in range(len(x["told"])):
        for channel in range(CHANNELS):
            x["told"][i, channel] = x["trusted"][i, channel] = 0.0
    for axis in range(3):
        x["trust"][axis], x["compared"][0, axis], x["compared"][1, axis], x["slow_trust"][axis] = UNPROVEN, 0.0, 0.0, UNPROVEN
        for k in range(2):
            x["told_square"][k, axis] = x["told_force"][k, axis] = x["force_square"][k, axis] = 0.0
    for axis in range(2):
        for k in range(2):
            x["felt"][axis, k] = 0.0
        for i in range(len(x["knots"][0])):
            for k in range(6):
                x["knots"][axis, i, k] = 0.0


@inline
def _compare(x, t, fades, h):
    """Update the trust in the preview by the told and the present force."""
    for axis in range(3):
        channel = HEAVE if axis == 2 else axis
        x["compared"][0, axis] += h / (SMOOTHS + h) * (told_at(x["told"], channel, t, fades) - x["compared"][0, axis])
        x["compared"][1, axis] += h / (SMOOTHS + h) * (x["present"][channel] - x["compared"][1, axis])
        told, force = x["compared"][0, axis], x["compared"][1, axis]
        square = told * told + force * force
        counts = square / (square + FINEST * FINEST)
        for k in range(2):
            part = counts * h / MEMORIES[k]
            x["told_square"][k, axis] += part * (told * told - x["told_square"][k, axis])
            x["told_force"][k, axis] += part * (told * force - x["told_force"][k, axis])
            x["force_square"][k, axis] += part * (force * force - x["force_square"][k, axis])
    tt = ff = ft = 0.0
    for axis in range(2):
        tt, ff, ft = tt + x["told_square"][0, axis], ff + x["force_square"][0, axis], ft + x["told_force"][0, axis]
    known = _trust(tt, ff, ft, QUIET, UNPROVEN)
    for axis in range(3):
        tt, ff, ft = x["told_square"][0, axis], x["force_square"][0, axis], x["told_force"][0, axis]
        usual = math.sqrt(max(0.0, tt + ff - 2.0 * ft))
        trust = _trust(tt, ff, ft, NOISES[0], known)
        tt, ff, ft = x["told_square"][1, axis], x["force_square"][1, axis], x["told_force"][1, axis]
        trust = min(trust, _trust(tt, ff, ft, min(NOISES[1], max(FINEST, SURPRISE * usual)), 1.0))
        x["trust"][axis] = trust
        x["slow_trust"][axis] = max(trust, x["slow_trust"][axis] + h / (HOLDS + h) * (trust - x["slow_trust"][axis]))


@inline
def _trust(tt, ff, ft, noise, prior):
    """Return the fraction of a preview that is trusted, by its means <t t>, <f f> and <f t>; for forces below `noise` [m/s2] the prior fraction."""
    floor = noise * noise
    common, square = max(0.0, ft + floor), tt + floor
    u = min(1.0, max(0.0, (common * common / (square * (ff + floor)) - LEAST) / (FULL - LEAST)))
    return min(1.0, max(0.0, ft + prior * floor) / square) * u * u * (3.0 - 2.0 * u)


@inline
def _angle(attitude):
    """Return the angle [rad] of an attitude, its sine."""
    return math.asin(min(STEEPEST, max(-STEEPEST, attitude)))


@callback
def preview(parameters, state, seen, result, first, count, h):
    """Run one step; the records of SETTINGS, STATE, WASHOUT_INPUT and WASHOUT_OUTPUT are at these addresses."""
    u, x, s, out = record_at(parameters, P)[0], record_at(state, X)[0], record_at(seen, S)[0], record_at(result, R)[0]["pose"]
    if s["begins"] == 1:
        _clear_plan(x)
    x["plan_ticks"] += 1
    t, fades, f, w = x["plan_ticks"] * h, u["plan_fade"], s["f_H_B"], s["w_WB_B"]
    x["plan_age"] = t
    budget = max(SMALLEST, s["budget"])
    x["present"][0], x["present"][1], x["present"][2], x["present"][3] = f[0] / budget, f[1] / budget, -w[1] / budget, w[0] / budget
    x["present"][HEAVE] = (f[2] - s["gravity"]) / budget
    if s["preview_count"] > 0:
        _compare(x, t, fades, h)
    f[0] -= budget * told_at(x["trusted"], 0, t, fades)
    f[1] -= budget * told_at(x["trusted"], 1, t, fades)
    w[1] += budget * told_at(x["trusted"], 2, t, fades)
    w[0] -= budget * told_at(x["trusted"], 3, t, fades)
    f[2] += budget * (
        told_at(x["trusted"], HEAVE, t + x["arrives"], fades) - told_at(x["trusted"], HEAVE, t, fades)
    )  # as the platform will be there
    _adapt(parameters, state, seen, result, first, count, h)
    surge, sway = motion_at(x["knots"], 0, t), motion_at(x["knots"], 1, t)
    roll, pitch = out[3] + _angle(sway[2]), out[4] - _angle(surge[2])
    place = about_head(s["p_PH"], (x["moved"][0, 1] + surge[0], x["moved"][1, 1] + sway[0], x["moved"][2, 1]), roll, pitch, out[5])
    out[0], out[1], out[2] = place
    out[3], out[4] = roll, pitch


def planner(parameters: Record, state: Record, world: WashoutContext, every: int) -> PlanThread:
    """Return the planner of the washout."""
    return PlanThread(parameters, state, world, every)


KIND = WashoutKind(
    "preview",
    FILE,
    CONTRACT,
    LAYOUT,
    kernel=preview,
    state=STATE,
    begin=begin,
    rate=50.0,
    planner=planner,
    logged=LOGGED,
    meaning="plan for the known motion (quadratic program over the preview) plus the adaptive washout for the rest",
)
"""The registered washout."""
