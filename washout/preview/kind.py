"""Preview washout: the platform carries out a plan for the motion of the vehicle that is known, and the adaptive washout reproduces the rest.

    pose = plan(known) + adaptive(measured - known)

The plan (`washout.preview.planner`) is exact for the time of the preview: the platform moves to the other side, tilts before a force begins, and is back
in time, all within the limits of the platform. Beside the ticks, a thread computes a new plan `rate` times a second. Without a new plan the present one
continues. As the sum shows, an unknown force never gets lost, and nothing steps if the preview ends.

A preview may be wrong. Per axis, the fraction of it that is trusted is the regression of the measured force f on the told force t,

    trust = (<f t> + n^2) / (<t t> + n^2),  from 0 to 1,  < > : mean over TRUSTS

so a preview of twice the force is halved, and one of another drive is ignored.

Source: developed for Jounce.
"""

from __future__ import annotations

import math

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
    ("told_square", (3,), "m2/s4", "<t t>"),
    ("told_force", (3,), "m2/s4", "<f t>"),
    ("arrives", (), "s", "time from a pose to the motion of the platform"),
)

P, X, S, R = dtype_of(SETTINGS), dtype_of(STATE), dtype_of(WASHOUT_INPUT), dtype_of(WASHOUT_OUTPUT)
A, AX = adaptive.P, adaptive.X

TRUSTS = 10.0
"""s. Time over which the preview is compared with the motion."""
NOISE = 0.15
"""m/s2. n: smaller told forces do not change the trust."""
SMALLEST = 0.01
"""1. Bound of the divisor: the workspace management never goes below."""
STEEPEST = 0.9
"""1. Largest sine of an angle: a bound of the arc sine, far beyond any platform."""

_adapt = kernel(adaptive_step.function)


def begin(parameters: Record, state: Record, world: WashoutContext) -> None:
    """Fill the matrices of the adaptive washout; no plan, full trust."""
    adaptive.begin(parameters, state, world)
    state[0]["trust"], state[0]["arrives"] = 1.0, arrival(world)


@inline
def _clear_plan(x):
    """Set the plan to rest without a known motion."""
    x["restarts"] += 1
    x["plan_ticks"] = 0
    for i in range(len(x["told"])):
        for channel in range(CHANNELS):
            x["told"][i, channel] = x["trusted"][i, channel] = 0.0
    for axis in range(3):
        x["trust"][axis], x["told_square"][axis], x["told_force"][axis] = 1.0, 0.0, 0.0
    for axis in range(2):
        for k in range(2):
            x["felt"][axis, k] = 0.0
        for i in range(len(x["knots"][0])):
            for k in range(6):
                x["knots"][axis, i, k] = 0.0


@inline
def _compare(x, t, fades, h):
    """Update the trust in the preview by the told and the present force."""
    part = h / TRUSTS
    for axis in range(3):
        channel = HEAVE if axis == 2 else axis
        told = told_at(x["told"], channel, t, fades)
        x["told_square"][axis] += part * (told * told - x["told_square"][axis])
        x["told_force"][axis] += part * (told * x["present"][channel] - x["told_force"][axis])
        trust = (x["told_force"][axis] + NOISE * NOISE) / (x["told_square"][axis] + NOISE * NOISE)
        x["trust"][axis] = min(1.0, max(0.0, trust))


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
