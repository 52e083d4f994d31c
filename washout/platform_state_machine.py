"""Procedure of a motion platform: from its rest to driving and back, never with a step.

    off -> parked -> rise -> neutral -> blend -> engaged <-> paused
     ^                          any of these -> park -> off
     '---- acknowledge ---- fault (latched: fades, returns to neutral, parks) <- any

The pose asked for is a slow *base*, which carries the platform between its rest and neutral, plus `gain` times the washout's pose.
Base and gain move like a critically damped third-order system, so that position, speed and acceleration are continuous however often
the goal changes. A reset of the simulation puts the base where the platform is and the gain to zero: nothing steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.base.fields import fields_of, filled, read
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from washout.lead_compensation import rest_lead
from washout.platform import leg_lengths

OFF, PARKED, RISE, NEUTRAL, BLEND, ENGAGED, PAUSED, PARK, FAULT = range(9)
STATE_NAMES = ("off", "parked", "rise", "neutral", "blend", "engaged", "paused", "park", "fault")

SETTINGS = (
    # name        shape  unit  what it is
    ("healthy", (), "s", "input without a fault before the platform leaves its rest"),
    ("rise", (), "s", "from rest to neutral"),
    ("blend", (), "s", "washout from nothing to full"),
    ("fade", (), "s", "washout from full to nothing"),
    ("settle", (), "s", "back to neutral after a reset"),
    ("park", (), "s", "from neutral to rest"),
    ("fault", (), "s", "input that is not a number before it counts as a fault"),
)

SHORTEST, LONGEST = 0.01, 3600.0
"""s. Times of the procedure lie between these."""

FILE = fields_of(SETTINGS, dict.fromkeys((row[0] for row in SETTINGS), (SHORTEST, LONGEST)))
"""Of the section `procedure` of a file in ``configs/washouts``."""

PROCEDURE = (
    # name               shape   unit            what it is
    ("state", (), "1", "one of STATE_NAMES", "i8"),
    ("armed", (), "1", "1 while somebody consents to motion", "i8"),
    ("tripped", (), "1", "1 when a fault was reported", "i8"),
    ("bad_inputs", (), "1", "ticks with an input that was not a number", "i8"),
    ("bad_time", (), "s", "time since the last good input"),
    ("good_time", (), "s", "time since the platform was armed and the input was good"),
    ("gain", (), "1", "share of the washout's pose in the pose asked for"),
    ("gain_rate", (), "1/s", "its rate"),
    ("gain_acceleration", (), "1/s2", "and the rate of that"),
    ("base", (6,), "m, rad", "pose that carries the platform between rest and neutral"),
    ("base_rates", (6,), "m/s, rad/s", "its rates"),
    ("base_accelerations", (6,), "m/s2, rad/s2", "and the rates of those"),
    ("asked", (6,), "m, rad", "pose asked for: base + gain x washout"),
    ("asked_legs", (6,), "m", "work: its leg lengths"),
    (
        "stroke_use",
        (),
        "1",
        "use of the stroke by base + gain x washout as they are, before the ends draw it in; 0 while the washout has no share",
    ),
    ("felt_force", (3,), "m/s2", "specific force the washout is to use"),
    ("felt_rate", (3,), "rad/s", "angular rate the washout is to use"),
)

SETTLED = 8.41
"""1. w t at which (1 + w t + (w t)^2 / 2) exp(-w t) = 1 %: a triple pole at w has done 99 % of its way."""

FADED = 1e-6
"""1. Below this the gain counts as nothing."""

KNEE = 0.7
"""1. Share of the stroke from its middle up to which the washout's pose is taken as it is. Larger: more travel, harder ends."""

TOP = 0.92
"""1. Share of the stroke that a scaled pose approaches; what is left covers that legs are not proportional to the pose."""

LAST, END = 0.85, 0.96
"""1, 1. The same for a pose drawn in whose yaw has been left alone."""

NEAR = 1e-3
"""m or rad. Closer than this to its goal the base counts as there."""


def procedure_settings(mapping: Mapping[str, Any], file: object) -> Record:
    """SETTINGS record from the section `procedure` of a file in ``configs/washouts``. Raises ConfigError for a time out of SHORTEST to LONGEST."""
    return filled(SETTINGS, read(FILE, mapping, file, "procedure"))


@kernel
def check_input(p, s, f_H_B, w_WB_B, h):
    """Copy force and rate for the washout, unless they are not numbers or no motion is wanted: then the last ones are held.

    Held, because a constant input washes out without a step, which going back to rest would be. Input that is not a number for
    longer than p.fault trips the platform.
    """
    good = _are_numbers(f_H_B, w_WB_B)
    if good:
        s[0]["bad_time"] = 0.0
    else:
        s[0]["bad_inputs"] += 1
        s[0]["bad_time"] += h
        if s[0]["bad_time"] > p[0]["fault"]:
            s[0]["tripped"] = 1
    if good and s[0]["state"] in (BLEND, ENGAGED):
        for i in range(3):
            s[0]["felt_force"][i] = f_H_B[i]
            s[0]["felt_rate"][i] = w_WB_B[i]


@kernel
def _are_numbers(f, w):
    numbers = True
    for i in range(3):
        numbers = numbers and abs(f[i]) < math.inf and abs(w[i]) < math.inf
    return numbers


@kernel
def procedure_step(p, s, run, h):
    """Next state and one tick of base and gain; returns whether the washout may be set to rest, its pose being of no effect.

    `run`: the simulation runs (not paused). `p` SETTINGS and HEXAPOD, `s` PROCEDURE, h [s].
    """
    park_height = p[0]["park_height"]
    _next_state(p, s, run, park_height, h)
    state = s[0]["state"]
    wanted = 1.0 if state in (BLEND, ENGAGED) else 0.0
    _ease_gain(s, wanted, SETTLED / (p[0]["blend"] if wanted > 0.0 else p[0]["fade"]), h)
    faded = s[0]["gain"] < FADED
    down = state in (OFF, PARKED) or (faded and state in (PARK, FAULT))
    if down:
        _ease_base(s, park_height, SETTLED / p[0]["park"], h)
    else:
        _ease_base(s, 0.0, SETTLED / (p[0]["rise"] if state == RISE else p[0]["settle"]), h)
    return faded and wanted == 0.0


@kernel
def _next_state(p, s, run, park_height, h):
    state = s[0]["state"]
    armed = s[0]["armed"] == 1
    s[0]["good_time"] = s[0]["good_time"] + h if armed and s[0]["bad_time"] == 0.0 else 0.0
    if s[0]["tripped"] == 1:
        s[0]["state"] = FAULT
        s[0]["armed"] = 0
    elif not armed and state != OFF:
        s[0]["state"] = OFF if _near(s, park_height) and s[0]["gain"] < FADED else PARK
    elif armed and state == OFF:
        s[0]["state"] = PARKED
    elif (state == PARKED and s[0]["good_time"] > p[0]["healthy"]) or (armed and state == PARK):
        s[0]["state"] = RISE
    elif state == RISE and _near(s, 0.0):
        s[0]["state"] = NEUTRAL
    elif run and (state in (NEUTRAL, PAUSED)):
        s[0]["state"] = BLEND
    elif state in (BLEND, ENGAGED):
        if not run:
            s[0]["state"] = PAUSED
        elif s[0]["gain"] > 0.99:
            s[0]["state"] = ENGAGED
        else:
            s[0]["state"] = BLEND


@kernel
def _near(s, height):
    """Whether the base has come to a height above neutral."""
    near = True
    for i in range(6):
        near = near and abs(s[0]["base"][i] - (height if i == 2 else 0.0)) <= NEAR
    return near


@kernel
def _ease_base(s, height, w, h):
    decay = math.exp(-w * h)
    for i in range(6):
        goal = height if i == 2 else 0.0
        s[0]["base"][i], s[0]["base_rates"][i], s[0]["base_accelerations"][i] = ease(
            s[0]["base"][i], s[0]["base_rates"][i], s[0]["base_accelerations"][i], goal, w, h, decay
        )


@kernel
def _ease_gain(s, goal, w, h):
    s[0]["gain"], s[0]["gain_rate"], s[0]["gain_acceleration"] = ease(
        s[0]["gain"], s[0]["gain_rate"], s[0]["gain_acceleration"], goal, w, h, math.exp(-w * h)
    )


@kernel
def ease(x, v, a, goal, w, h, decay):
    """(x, v, a) after h seconds on the way to `goal` with a triple pole at w [rad/s]; decay = exp(-w h). Exact for any h.

    x - goal = (c0 + c1 t + c2 t^2) exp(-w t)
    """
    c0 = x - goal
    c1 = v + w * c0
    c2 = 0.5 * (a + 2.0 * w * v + w * w * c0)
    y = c0 + h * (c1 + h * c2)
    y_t = c1 + 2.0 * h * c2
    return goal + y * decay, (y_t - w * y) * decay, (2.0 * c2 - 2.0 * w * y_t + w * w * y) * decay


@kernel
def ask_for(p, s, washed):
    """s.asked = base + gain x the washout's pose (POSE record), drawn in smoothly where a leg would come near the ends of its stroke.

    With u the use of the stroke, the washout's pose but for its yaw is scaled by soft(u, KNEE, TOP) / u, and all of it by soft(v, LAST, END) / v, v the use of
    what has come out:

        soft(u, knee, top) = u up to the knee, then knee + (top - knee) tanh((u - knee) / (top - knee))    [smooth, never the top]

    so that the limiter, which stops hard, is seldom met. Yaw takes little of the stroke, and would turn the rider whenever a sway comes and goes that it is scaled with.
    """
    gain = s[0]["gain"]
    _ask(p, s, washed, gain, gain)
    s[0]["stroke_use"] = 0.0
    if gain < FADED:
        return
    use = _stroke_use(p, s)
    s[0]["stroke_use"] = use
    if use > KNEE:
        drawn = gain * _soft(use, KNEE, TOP) / use
        _ask(p, s, washed, drawn, gain)
        again = _stroke_use(p, s)
        if again > LAST:
            share = _soft(again, LAST, END) / again
            _ask(p, s, washed, share * drawn, share * gain)


@inline
def _soft(use, knee, top):
    """A use of the stroke beyond the knee, drawn in."""
    return knee + (top - knee) * math.tanh((use - knee) / (top - knee))


@kernel
def _ask(p, s, washed, gain, yaw_gain):
    """s.asked with the part of the washout's pose that the platform can take."""
    free = p[0]["freedoms"]
    for i in range(3):
        s[0]["asked"][i] = s[0]["base"][i] + gain * free[i] * washed[0]["position"][i]
        turned = yaw_gain if i == 2 else gain
        s[0]["asked"][i + 3] = s[0]["base"][i + 3] + turned * free[i + 3] * washed[0]["angles"][i]


@kernel
def _stroke_use(p, s):
    """Use of the stroke at the pose asked for: u = (sum u_i^16)^(1/16), a smooth largest of u_i = way from mid-stroke / way to the stroke_margin."""
    leg_lengths(p, s[0]["asked"], s[0]["asked_legs"])
    middle = 0.5 * (p[0]["longest_leg"] + p[0]["shortest_leg"])
    half = 0.5 * (p[0]["longest_leg"] - p[0]["shortest_leg"]) - p[0]["stroke_margin"]
    total = 0.0
    for i in range(6):
        total += ((s[0]["asked_legs"][i] - middle) / half) ** 16
    return math.sqrt(math.sqrt(math.sqrt(math.sqrt(total))))


@kernel
def anchor(p, s, pose, rates):
    """The base takes over where the platform is, at the speed it has (both (6,)), and the washout has no share: nothing steps.

    What is commanded runs ahead of the base by the lead, so the base begins behind by as much. `p` LEAD, `s` PROCEDURE and LEAD_STATE.
    """
    s[0]["gain"], s[0]["gain_rate"], s[0]["gain_acceleration"] = 0.0, 0.0, 0.0
    for i in range(6):
        s[0]["base"][i] = pose[i] - p[0]["lead_time"] * rates[i]
        s[0]["base_rates"][i] = rates[i]
        s[0]["base_accelerations"][i] = 0.0
        s[0]["asked"][i] = s[0]["base"][i]
    rest_lead(p, s, s[0]["base"], s[0]["base_rates"])
