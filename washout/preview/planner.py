"""Kernel that computes a plan: known motion, program of both axes, motion of the platform at the knots.

A plan contains the motion of the vehicle that it knows (*told*), the trusted part of it (*trusted*), and the motion of the platform that
reproduces the trusted part. The washout gets the rest of the motion of the vehicle. Where a new preview differs from the told motion, the
told motion moves to it within ADMITS, so that neither the plan nor the rest steps, whatever the preview contains. Beyond the end
of the preview, the told motion fades, as does the held force in place of a preview that lost its trust.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import callback, record_at, records_at
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import inline, kernel
from simulator.base.records import Table, dtype_of
from washout.contract import PREVIEW_POINTS
from washout.platform_state_machine import ease
from washout.preview.active_set import solve_program, work_table
from washout.preview.model import FADES, KNOTS, LASTS, LEGS, MODEL, PARAMETERS, ROWS, STATES, TIMES, VARIABLES

G = STANDARD_GRAVITY

TOLD_STEP = 0.02
"""s between two points of the told motion."""
TOLD = 160
"""Points of the told motion."""
ADMITS = 0.1
"""s. Time from the start of a plan over which a contradicting preview is admitted. Shorter: a wrong preview moves the platform more."""
SHORT, LONG = 0.15, 0.6
"""s. Times of a preview from which, and with which a plan is better than the adaptive washout (docs/preview_washout.md); the trust rises between them."""
SLOW = 20
"""Points of the told motion before its end whose mean continues; the rest of the last value ends within QUICK."""
QUICK = 0.1
"""s"""
LARGEST = 30.0
"""m/s2 or rad/s. Bound of the told motion: no vehicle on its wheels exceeds it, and a plan of it must not overflow."""
RETURNS = 3.0
"""1/s. Triple pole with which the platform returns to the center after the end of a plan."""
CHANNELS = 5
"""Force of surge and sway, rate of pitch up and of roll (signs as those of the attitude that represents the force), force of heave without gravity."""
HEAVE = 4

PLAN: Table = (
    # name         shape               unit            description
    ("told", (TOLD, CHANNELS), "m/s2, rad/s", "motion of the vehicle that the preview has told, from the start of the plan"),
    ("trusted", (TOLD, CHANNELS), "m/s2, rad/s", "trusted part of it, which the plan reproduces"),
    ("knots", (2, KNOTS + 1, STATES), "mixed", "per axis and knot: x, x', a, a', x'', a''"),
    ("felt", (2, 2), "m/s2, rad/s", "per axis: q and c at the start"),
    ("exact", (), "1", "1 if the programs of both axes were solved", "i8"),
    ("tried", (), "1", "iterations of both programs", "i8"),
)

TASK: Table = (
    *PLAN,
    # name            shape                 unit     description
    ("elapsed", (), "s", "time from the start of the present plan to that of the new plan"),
    ("ahead", (), "s", "time from now to the start of the new plan"),
    ("arrives", (), "s", "time from a pose to the motion of the platform"),
    ("now", (CHANNELS,), "m/s2, rad/s", "motion of the vehicle now"),
    ("gains", (4,), "1", "scales of force and rate"),
    ("gravity", (), "m/s2", "acceleration of free fall of the vehicle's world"),
    ("trust", (3,), "1", "fraction of the preview of each axis that is trusted"),
    ("slow_trust", (2,), "1", "as in the state of the washout"),
    ("smooth", (2,), "m/s2", "present force of surge and sway, smooth"),
    ("fades", (), "s", "time constant of the told motion beyond the end of the preview"),
    ("limit", (), "1", "largest number of iterations of an axis", "i8"),
    ("preview_count", (), "1", "as in WASHOUT_INPUT", "i8"),
    ("preview_step", (), "s", "as in WASHOUT_INPUT"),
    ("preview_f", (PREVIEW_POINTS, 3), "m/s2", "as in WASHOUT_INPUT"),
    ("preview_w", (PREVIEW_POINTS, 3), "rad/s", "as in WASHOUT_INPUT"),
)
"""Present plan and the data for a new one."""

MEMORY: Table = (
    *work_table(ROWS, 2 * VARIABLES),  # soft constraints may be more than the variables
    # name          shape          unit     description
    ("parameters", (PARAMETERS,), "mixed", "p"),
    ("low_now", (ROWS,), "1", "lower bounds of this plan"),
    ("high_now", (ROWS,), "1", "upper bounds of this plan"),
    ("found", (VARIABLES,), "mixed", "accelerations at the knots"),
    ("legs", (LEGS, KNOTS), "m", "motion of the legs in the plan of this axis"),
)
"""Work space of an axis, which keeps its active set and the motion of the legs."""

P, X, S, R = dtype_of(MODEL), dtype_of(MEMORY), dtype_of(TASK), dtype_of(PLAN)


@inline
def motion_at(knots, axis, t):
    """Return (x, x', a, a', x'', a'') of an axis at t [s] after the start of a plan; the platform returns to the center after its end."""
    q, i = knots[axis], 0
    while i < KNOTS and t >= TIMES[i + 1]:
        i += 1
    d = t - TIMES[i]
    if i == KNOTS:
        decay = math.exp(-RETURNS * d)
        x, v, u1 = ease(q[i, 0], q[i, 1], q[i, 4], 0.0, RETURNS, d, decay)
        a, b, u2 = ease(q[i, 2], q[i, 3], q[i, 5], 0.0, RETURNS, d, decay)
        return x, v, a, b, u1, u2
    j1, j2 = (q[i + 1, 4] - q[i, 4]) / STEPS_OF[i], (q[i + 1, 5] - q[i, 5]) / STEPS_OF[i]
    x = q[i, 0] + d * (q[i, 1] + d * (q[i, 4] / 2.0 + d * j1 / 6.0))
    a = q[i, 2] + d * (q[i, 3] + d * (q[i, 5] / 2.0 + d * j2 / 6.0))
    return x, q[i, 1] + d * (q[i, 4] + d * j1 / 2.0), a, q[i, 3] + d * (q[i, 5] + d * j2 / 2.0), q[i, 4] + d * j1, q[i, 5] + d * j2


STEPS_OF = TIMES[1:] - TIMES[:-1]
"""s. STEPS as an array."""


@inline
def told_at(table, channel, t, fades):
    """Return a channel of a told motion (TOLD, CHANNELS) at t [s] after the start of a plan; it fades beyond the end."""
    place = t / TOLD_STEP
    if place >= TOLD - 1:
        return table[TOLD - 1, channel] * math.exp(-(place - (TOLD - 1)) * TOLD_STEP / fades)
    i = int(place)
    return table[i, channel] + (place - i) * (table[i + 1, channel] - table[i, channel])


@inline
def _previewed(s, channel, point):
    """Return a channel of a point of the preview, from 1; point 0 is the present motion."""
    if point == 0:
        return s["now"][channel]
    k = point - 1
    if channel == 0:
        value = s["preview_f"][k, 0]
    elif channel == 1:
        value = s["preview_f"][k, 1]
    elif channel == 2:
        value = -s["preview_w"][k, 1]
    elif channel == 3:
        value = s["preview_w"][k, 0]
    else:
        value = s["preview_f"][k, 2] - s["gravity"]
    return min(LARGEST, max(-LARGEST, value))


@inline
def _admit(s, out):
    """Fill the told motion of a new plan from the present one and the preview."""
    count, step = s["preview_count"], s["preview_step"]
    u = min(1.0, max(0.0, (count * step - SHORT) / (LONG - SHORT)))
    useful = u * u * (3.0 - 2.0 * u)
    for channel in range(CHANNELS):
        end, trust, held = -1, s["trust"][2] if channel == HEAVE else useful * s["trust"][channel % 2], 0.0
        if channel < 2:
            held = useful * (s["slow_trust"][channel] - s["trust"][channel]) * s["smooth"][channel]
        for i in range(TOLD):
            t = i * TOLD_STEP
            old, kept = (
                told_at(s["told"], channel, s["elapsed"] + t, s["fades"]),
                told_at(s["trusted"], channel, s["elapsed"] + t, s["fades"]),
            )
            place = (s["ahead"] + t) / step if count > 0 else 1.0
            if place <= count:
                k = min(int(place), count - 1)
                new = _previewed(s, channel, k)
                new += (place - k) * (_previewed(s, channel, k + 1) - new)
                end = i
                u = min(1.0, t / ADMITS)
                part = u * u * (3.0 - 2.0 * u)
                old += part * (new - old)
                kept += part * (trust * new + held * math.exp(-t / s["fades"]) - kept)
            out["told"][i, channel], out["trusted"][i, channel] = old, kept
        if end >= 0:
            _fade(out["told"], channel, end, s["fades"])
            _fade(out["trusted"], channel, end, s["fades"])


@inline
def _fade(table, channel, end, fades):
    """Continue a channel beyond point `end`: the mean of the last points fades slowly, the rest quickly."""
    mean, first = 0.0, max(0, end - SLOW + 1)
    for i in range(first, end + 1):
        mean += table[i, channel] / (end + 1 - first)
    last = table[end, channel]
    for i in range(end + 1, TOLD):
        t = (i - end) * TOLD_STEP
        table[i, channel] = mean * math.exp(-t / fades) + (last - mean) * math.exp(-t / QUICK)


@inline
def _mean_told(table, channel, t, before, after, fades):
    """Return a told motion around t [s], weighted by a triangle from t - before to t + after: the part that a knot can reproduce."""
    if before <= 1.001 * TOLD_STEP:
        return told_at(table, channel, t, fades)
    total = weight = 0.0
    count = int(before / TOLD_STEP + 0.5)
    for k in range(-count + 1, int(after / TOLD_STEP + 0.5)):
        share = 1.0 - (-k * TOLD_STEP / before if k < 0 else k * TOLD_STEP / after)
        total += share * told_at(table, channel, t + k * TOLD_STEP, fades)
        weight += share
    return total / weight


@inline
def _fill_parameters(p, x, s, out, axis):
    """Fill the parameters of the program of an axis, and the first knot of its plan."""
    q, first = x["parameters"], out["knots"][axis, 0]
    state = motion_at(s["knots"], axis, s["elapsed"])
    for k in range(STATES):
        first[k] = state[k]
    for k in range(4):
        q[k] = state[k]
    q[6], q[7] = state[4], state[5]
    for part in range(2):
        channel = axis + 2 * part
        for i in range(KNOTS + 1):
            before = STEPS_OF[i - 1] if i > 0 else TOLD_STEP
            after = STEPS_OF[i] if i < KNOTS else before
            if part == 1:
                before, after = max(before, TURNS), max(after, TURNS)
            told = _mean_told(out["trusted"], channel, s["arrives"] + TIMES[i], before, after, s["fades"])
            q[8 + part * (KNOTS + 1) + i] = s["gains"][channel] * told
    # the felt errors move on from the start of the present plan to that of the new one
    wrong = state[4] + G * state[2] - q[8]
    turning = state[3] - q[8 + KNOTS + 1]
    out["felt"][axis, 0] = wrong + (s["felt"][axis, 0] - wrong) * math.exp(-s["elapsed"] / LASTS)
    out["felt"][axis, 1] = turning + (s["felt"][axis, 1] - turning) * math.exp(-s["elapsed"] / FADES)
    q[4], q[5] = out["felt"][axis, 0], out["felt"][axis, 1]


@inline
def _fill_bounds(p, x, other, rows):
    """Fill the bounds of the program of an axis; the plan of the other axis takes its part of the stroke."""
    for row in range(rows):
        part = 0.0
        for k in range(PARAMETERS):
            part += p["by_parameters"][row, k] * x["parameters"][k]
        x["low_now"][row], x["high_now"][row] = p["low"][row] - part, p["high"][row] - part
    for i in range(KNOTS):  # the platform may turn as the vehicle does, or not at all
        row, rate = p["variables"] + 2 * i, x["parameters"][PARAMETERS - KNOTS + i]
        x["low_now"][row] -= p["scale"][row] * max(0.0, rate)
        x["high_now"][row] += p["scale"][row] * max(0.0, -rate)
    groups = p["leg_rows"]
    first = rows - groups * KNOTS
    for i in range(KNOTS):
        for group in range(groups):
            row, taken = first + i * groups + group, 0.0
            for leg in range(LEGS):
                if p["group"][leg] == group:
                    taken = max(taken, abs(other["legs"][leg, i]))
            taken = min(p["scale"][row] * taken, TAKEN * p["high"][row])
            x["low_now"][row] += taken
            x["high_now"][row] -= taken


TURNS = 0.1
"""s. Half of the time over which the rate is averaged: fast rotation takes most of the leg acceleration, because the head is far above the legs."""
TAKEN = 0.7
"""1. Largest part of the stroke that the plan of the other axis takes."""


@kernel
def _plan_axis(p, x, other, s, out, axis):
    """Compute the plan of an axis: MODEL `p`, MEMORY `x`, that of the other axis, TASK `s`, PLAN `out`; return True if it is exact."""
    rows, n = p["rows"], p["variables"]
    _fill_parameters(p, x, s, out, axis)
    _fill_bounds(p, x, other, rows)
    exact = solve_program(x, p["gram"], p["softness"], x["low_now"], x["high_now"], rows, s["limit"])
    out["tried"] += x["iterations"]
    if not exact:
        return False
    for j in range(n):
        total = 0.0
        for k in range(PARAMETERS):
            total -= p["free"][j, k] * x["parameters"][k]
        for k in range(x["active_count"]):
            total -= p["by_multipliers"][j, x["active"][k]] * x["side"][k] * x["multiplier"][k]
        x["found"][j] = total
    q = out["knots"][axis]
    for i in range(KNOTS):
        h = STEPS_OF[i]
        u2 = x["found"][n - KNOTS + i]
        u1 = x["found"][i] if p["translates"] == 1 else -p["lever"] * u2
        q[i + 1, 4], q[i + 1, 5] = u1, u2
        for k in range(2):
            first, last = q[i, 4 + k], q[i + 1, 4 + k]
            q[i + 1, 2 * k] = q[i, 2 * k] + h * (q[i, 2 * k + 1] + h * (2.0 * first + last) / 6.0)
            q[i + 1, 2 * k + 1] = q[i, 2 * k + 1] + 0.5 * h * (first + last)
        for leg in range(LEGS):
            moved = q[i + 1, 0] + p["lever"] * q[i + 1, 2]
            x["legs"][leg, i] = p["leg_position"][leg] * moved + p["leg_angle"][leg] * q[i + 1, 2]
    return True


@callback
def plan(parameters, state, seen, result, first, count, h):
    """Compute a plan; two MODEL, two MEMORY, one TASK and one PLAN record are at these addresses."""
    p, x, s, out = records_at(parameters, P, 2), records_at(state, X, 2), record_at(seen, S)[0], record_at(result, R)[0]
    out["tried"] = 0
    _admit(s, out)
    surge = _plan_axis(p[0], x[0], x[1], s, out, 0)
    sway = _plan_axis(p[1], x[1], x[0], s, out, 1)
    out["exact"] = 1 if surge and sway else 0
