"""Workspace management: reduce a sustained motion that exceeds the capability of the legs, before the limiter has to intervene.

The input of the washout is multiplied by one number k, equal for forces and rates, so that directions are preserved:

    m^2 = largest of (u / STROKE)^2, (v / SPEED)^2, (a / ACCELERATION)^2       u : use of the stroke, v, a : maximum speed and acceleration of
                                                                               the requested legs, relative to their limits
    E'  = (m^2 - E) / RISES or FALLS,    F' = (E - F) / EVEN                   mean with fast rise and slow decay, smoothed
    k   = 1 where F <= 1,    1 / (1 + (F - 1)^2) beyond

A drive within the budget is therefore unchanged to the last bit. The output of two means in series has no steps for any input. It
acts before the washout, whose filters smooth it once more. It is part of a feedback loop (smaller input, smaller request), so
it settles at a motion that fits.

A single shock is over before k changes. Its rise time matters: the lead, which compensates for the lag of the actuators, demands several times the jerk of
the force from the legs. After one tick with too much jerk, a limiter needs some tenths of a second to return to a target that itself shakes, and
intervenes in all of these ticks. Therefore edges are blunted first (`blunt_edges`): the scaled force changes by at most EDGE x leg_jerk per second, on a
straight line to its target. Slower changes pass unchanged to the last bit.

Source: developed for Jounce.
"""

from __future__ import annotations

import math

from simulator.base.jit import kernel

STROKE = 1.1
"""1. Sustainable use of the stroke, before the soft limit near its ends (`platform_state_machine.compose_request`)."""
SPEED, ACCELERATION = 0.40, 0.25
"""1, 1. Sustainable root mean square of the speed and acceleration of the fastest leg, relative to the limits; peaks are about three times as large."""

MAX_USE = 6.0
"""1. Upper bound of m^2: a jump of the requested pose is over after some ticks, and the limiter handles it."""

EDGE = 0.2
"""1. Maximum change of the scaled force per second, relative to the maximum jerk of a leg. Because of the lead, the jerk of the legs is several times as
large, and exceeds the limit."""

RISES, FALLS, EVEN = 0.15, 4.0, 0.15
"""s. Time constants of the means. Shorter RISES: single shocks also reduce the motion."""

BUDGET = (
    # name              shape  unit   description
    (
        "cueing_budget",
        (),
        "1",
        "k: scale of the washout input that keeps the motion within the capability of the legs, in addition to the intensity",
    ),
    ("budget_mean", (), "1", "E: mean square of the use of the legs, relative to the sustainable use"),
    ("budget_even", (), "1", "F: smoothed E"),
    ("budget_legs", (6,), "m", "requested leg lengths, previous tick"),
    ("budget_speed", (6,), "m/s", "requested leg speeds, previous tick"),
)


@kernel
def begin_budget(s):
    """Reset the budget; `s` BUDGET and LIMITER."""
    s[0]["cueing_budget"], s[0]["budget_mean"], s[0]["budget_even"] = 1.0, 0.0, 0.0
    for i in range(6):
        s[0]["budget_legs"][i], s[0]["budget_speed"][i] = s[0]["target_legs"][i], 0.0


@kernel
def blunt_edges(p, s, force, h):
    """Move the washout input to a force (three numbers) by at most EDGE x leg_jerk per second; `p` HEXAPOD and AIM, `s` INTENSITY, h [s].

    The force changes along a straight line to its target, so that the direction is preserved. Slower changes pass unchanged.
    """
    q, change = s[0], 0.0
    for j in range(3):
        change += (p[0]["aim_force_gain"][j] * (force[j] - q["cue_force"][j])) ** 2
    change, most = math.sqrt(change), EDGE * p[0]["leg_jerk"] * h
    for j in range(3):
        if change > most:
            q["cue_force"][j] += most / change * (force[j] - q["cue_force"][j])
        else:
            q["cue_force"][j] = force[j]


@kernel
def budget_step(p, s, h):
    """Advance the budget by one tick, after the limiter has processed the requested pose; `p` HEXAPOD, `s` BUDGET, PROCEDURE and LIMITER, h [s]."""
    q = s[0]
    fastest, change = 0.0, 0.0
    for i in range(6):
        speed = (q["target_legs"][i] - q["budget_legs"][i]) / h
        fastest, change = max(fastest, abs(speed)), max(change, abs(speed - q["budget_speed"][i]) / h)
        q["budget_legs"][i], q["budget_speed"][i] = q["target_legs"][i], speed
    u, v, a = q["stroke_use"] / STROKE, fastest / (SPEED * p[0]["leg_speed"]), change / (ACCELERATION * p[0]["leg_acceleration"])
    now = min(MAX_USE, max(u * u, v * v, a * a))
    time = RISES if now > q["budget_mean"] else FALLS
    q["budget_mean"] += h / (h + time) * (now - q["budget_mean"])
    q["budget_even"] += h / (h + EVEN) * (q["budget_mean"] - q["budget_even"])
    beyond = max(0.0, q["budget_even"] - 1.0)
    q["cueing_budget"] = 1.0 / (1.0 + beyond * beyond)
