"""Budget: a motion that lasts beyond what the legs can is shown smaller, before the limiter has to cut it.

What the washout is asked to show is multiplied by one number k, the same for forces and rates, so that directions stay:

    m^2 = largest of (u / STROKE)^2, (v / SPEED)^2, (a / ACCELERATION)^2       u : use of the stroke, v, a : largest speed and acceleration of
                                                                               the legs asked for, as shares of what they can
    E'  = (m^2 - E) / RISES or FALLS,    F' = (E - F) / EVEN                   a mean that is quick to rise and slow to fall, evened out
    k   = 1 where F <= 1,    1 / (1 + (F - 1)^2) beyond

So a drive that stays within the budget is shown as if there were none, to the last bit. What comes out of two means in turn
does not step, whatever is asked for, and it acts before the washout, whose filters smooth it once more. Because it is part of a loop (less shown, less asked for)
it settles where the motion fits.

A single blow is over before k has moved. Of it what counts is how fast it comes: the lead, which makes up for the actuators' lag, asks the legs for
several times the jerk of the force. A limiter that was made to leave the pose asked for by one tick of too much jerk needs some tenths of a second to come
upon a target again that itself shakes, and acts in all of its ticks. So edges are made blunt first (`blunt_edges`): the scaled force changes by
EDGE x leg_jerk in a second at most, on the straight way to where it is wanted. What is slower is not touched, not by a bit.

Source: ours.
"""

from __future__ import annotations

import math

from simulator.base.jit import kernel

STROKE = 1.1
"""1. Use of the stroke, before its end draws the pose in (`procedure.ask_for`), that may last."""
SPEED, ACCELERATION = 0.40, 0.25
"""1, 1. Root mean square of the fastest leg's speed and acceleration, as shares of their limits, that may last: peaks are some three times as large."""

MOST = 6.0
"""1. Of m^2 that counts: a jump of the pose asked for is over in some ticks, and the limiter is there for it."""

EDGE = 0.2
"""1. Change of the scaled force in a second that is shown, in parts of the largest jerk of a leg: by the lead the legs jerk several times as much, and more
than they can."""

RISES, FALLS, EVEN = 0.15, 4.0, 0.15
"""s. Of the means. RISES shorter: single blows make the motion smaller, too."""

BUDGET = (
    # name              shape  unit   what it is
    ("cueing_budget", (), "1", "k: scale of what the washout is asked to show, beside the intensity, so that the legs can"),
    ("budget_mean", (), "1", "E: mean square of the use of the legs, in parts of what may last"),
    ("budget_even", (), "1", "F: the same, evened out"),
    ("budget_legs", (6,), "m", "legs asked for, last tick"),
    ("budget_speed", (6,), "m/s", "and their speed"),
    ("edge_force", (3,), "m/s2", "specific force that the washout was asked to show, last tick"),
)


@kernel
def begin_budget(s):
    """Nothing has been used so far; `s` BUDGET and LIMITER."""
    s[0]["cueing_budget"], s[0]["budget_mean"], s[0]["budget_even"] = 1.0, 0.0, 0.0
    for i in range(6):
        s[0]["budget_legs"][i], s[0]["budget_speed"][i] = s[0]["target_legs"][i], 0.0


@kernel
def blunt_edges(p, s, h):
    """The force that the washout is asked to show comes no faster than in EDGE of the jerk of the legs; `p` HEXAPOD and AIM, `s` BUDGET and INTENSITY, h [s].

    It goes the straight way to what is wanted, so that its direction stays; what is slower is not touched.
    """
    q, change = s[0], 0.0
    for j in range(3):
        change += (p[0]["aim_force_gain"][j] * (q["cue_force"][j] - q["edge_force"][j])) ** 2
    change, most = math.sqrt(change), EDGE * p[0]["leg_jerk"] * h
    for j in range(3):
        if change > most:
            q["cue_force"][j] = q["edge_force"][j] + most / change * (q["cue_force"][j] - q["edge_force"][j])
        q["edge_force"][j] = q["cue_force"][j]


@kernel
def budget_step(p, s, h):
    """One tick, after the limiter has seen the pose asked for; `p` HEXAPOD, `s` BUDGET, PROCEDURE and LIMITER, h [s]."""
    q = s[0]
    fastest, change = 0.0, 0.0
    for i in range(6):
        speed = (q["target_legs"][i] - q["budget_legs"][i]) / h
        fastest, change = max(fastest, abs(speed)), max(change, abs(speed - q["budget_speed"][i]) / h)
        q["budget_legs"][i], q["budget_speed"][i] = q["target_legs"][i], speed
    u, v, a = q["stroke_use"] / STROKE, fastest / (SPEED * p[0]["leg_speed"]), change / (ACCELERATION * p[0]["leg_acceleration"])
    now = min(MOST, max(u * u, v * v, a * a))
    time = RISES if now > q["budget_mean"] else FALLS
    q["budget_mean"] += h / (h + time) * (now - q["budget_mean"])
    q["budget_even"] += h / (h + EVEN) * (q["budget_mean"] - q["budget_even"])
    beyond = max(0.0, q["budget_even"] - 1.0)
    q["cueing_budget"] = 1.0 / (1.0 + beyond * beyond)
