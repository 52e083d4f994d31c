"""State machine of a motion platform: from rest to operation and back, without steps.

    off -> parked -> rise -> neutral -> blend -> engaged <-> paused
     ^                          any of these -> park -> off
     '---- acknowledge ---- fault (latched: fades, returns to neutral, parks) <- any

The requested pose is a slow *base*, which moves the platform between rest and neutral, plus `gain` times the pose of the washout.
Base and gain follow critically damped third-order systems, so that position, speed and acceleration are continuous for any sequence of
goals. A reset of the simulation sets the base to the present pose of the platform and the gain to zero, so nothing steps.
"""

from __future__ import annotations

import math

from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline, kernel
from washout.lead_compensation import rest_lead
from washout.platform import leg_lengths

OFF, PARKED, RISE, NEUTRAL, BLEND, ENGAGED, PAUSED, PARK, FAULT = range(9)
STATE_NAMES = ("off", "parked", "rise", "neutral", "blend", "engaged", "paused", "park", "fault")

_TIME = Number("s", 0.01, 3600.0)
FILE = (
    Field("healthy", _TIME, "time with valid input before the platform leaves its rest position"),
    Field("rise", _TIME, "time from rest to neutral"),
    Field("blend", _TIME, "time to fade in the washout"),
    Field("fade", _TIME, "time to fade out the washout"),
    Field("settle", _TIME, "time to return to neutral after a reset"),
    Field("park", _TIME, "time from neutral to rest"),
    Field("fault", _TIME, "time with input that is not a number before a fault is triggered"),
)
"""Fields of the section `procedure` of a file in ``configs/washouts``."""
SETTINGS = rows(FILE)

PROCEDURE = (
    # name               shape   unit            description
    ("state", (), "1", "index in STATE_NAMES", "i8"),
    ("armed", (), "1", "1 while the user consents to motion", "i8"),
    ("tripped", (), "1", "1 after a fault was reported", "i8"),
    ("bad_inputs", (), "1", "number of ticks with an input that is not a number", "i8"),
    ("bad_time", (), "s", "time since the last valid input"),
    ("good_time", (), "s", "time for which the platform is armed and the input is valid"),
    ("gain", (), "1", "fraction of the washout pose in the requested pose"),
    ("gain_rate", (), "1/s", "rate of the gain"),
    ("gain_acceleration", (), "1/s2", "second derivative of the gain"),
    ("base", (6,), "m, rad", "pose that moves the platform between rest and neutral"),
    ("base_rates", (6,), "m/s, rad/s", "rates of the base"),
    ("base_accelerations", (6,), "m/s2, rad/s2", "accelerations of the base"),
    ("requested_pose", (6,), "m, rad", "requested pose: base + gain x washout"),
    ("requested_legs", (6,), "m", "work: leg lengths of the requested pose"),
    (
        "stroke_use",
        (),
        "1",
        "use of the stroke by base + gain x washout, before the soft limit; 0 while the gain of the washout is zero",
    ),
    ("felt_force", (3,), "m/s2", "specific force for the washout"),
    ("felt_rate", (3,), "rad/s", "angular rate for the washout"),
)

SETTLED = 8.41
"""1. w t at which (1 + w t + (w t)^2 / 2) exp(-w t) = 1 %: a triple pole at w has completed 99 % of its step."""

FADED = 1e-6
"""1. Gain below which the washout counts as faded out."""

KNEE = 0.7
"""1. Fraction of the stroke, from its middle, up to which the pose of the washout is unchanged. Larger: more travel, harder ends."""

TOP = 0.92
"""1. Fraction of the stroke that a scaled pose approaches; the rest covers the nonlinearity of the leg lengths."""

LAST, END = 0.85, 0.96
"""1, 1. Knee and top for the second stage, which also scales yaw."""

NEAR = 1e-3
"""m or rad. Distance from its goal within which the base counts as arrived."""


@kernel
def check_input(p, s, f_H_B, w_WB_B, h):
    """Copy force and rate for the washout if they are numbers and motion is enabled; else keep the last values.

    The last values are kept, because a constant input washes out without a step, whereas a return to rest would step. Input that is not a number for
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
    """Return True if all components are finite."""
    numbers = True
    for i in range(3):
        numbers = numbers and abs(f[i]) < math.inf and abs(w[i]) < math.inf
    return numbers


@kernel
def procedure_step(p, s, run, h):
    """Advance state, base and gain by one tick; return True if the washout may be reset, because its pose has no effect.

    `run`: the simulation runs (not paused). `p` SETTINGS and HEXAPOD, `s` PROCEDURE, h [s].
    """
    park_height = p[0]["park_height"]
    _next_state(p, s, run, park_height, h)
    state = s[0]["state"]
    goal = 1.0 if state in (BLEND, ENGAGED) else 0.0
    _ease_gain(s, goal, SETTLED / (p[0]["blend"] if goal > 0.0 else p[0]["fade"]), h)
    faded = s[0]["gain"] < FADED
    down = state in (OFF, PARKED) or (faded and state in (PARK, FAULT))
    if down:
        _ease_base(s, park_height, SETTLED / p[0]["park"], h)
    else:
        _ease_base(s, 0.0, SETTLED / (p[0]["rise"] if state == RISE else p[0]["settle"]), h)
    return faded and goal == 0.0


@kernel
def _next_state(p, s, run, park_height, h):
    """Update the state; `park_height` [m] relative to neutral."""
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
    """Return True if the base has reached a height relative to neutral."""
    near = True
    for i in range(6):
        near = near and abs(s[0]["base"][i] - (height if i == 2 else 0.0)) <= NEAR
    return near


@kernel
def _ease_base(s, height, w, h):
    """Advance the base by one tick towards a height [m]."""
    decay = math.exp(-w * h)
    for i in range(6):
        goal = height if i == 2 else 0.0
        s[0]["base"][i], s[0]["base_rates"][i], s[0]["base_accelerations"][i] = ease(
            s[0]["base"][i], s[0]["base_rates"][i], s[0]["base_accelerations"][i], goal, w, h, decay
        )


@kernel
def _ease_gain(s, goal, w, h):
    """Advance the gain by one tick towards a goal."""
    s[0]["gain"], s[0]["gain_rate"], s[0]["gain_acceleration"] = ease(
        s[0]["gain"], s[0]["gain_rate"], s[0]["gain_acceleration"], goal, w, h, math.exp(-w * h)
    )


@kernel
def ease(x, v, a, goal, w, h, decay):
    """Return (x, v, a) after h seconds of motion to `goal` with a triple pole at w [rad/s]; decay = exp(-w h). Exact for any h.

    x - goal = (c0 + c1 t + c2 t^2) exp(-w t)
    """
    c0 = x - goal
    c1 = v + w * c0
    c2 = 0.5 * (a + 2.0 * w * v + w * w * c0)
    y = c0 + h * (c1 + h * c2)
    y_t = c1 + 2.0 * h * c2
    return goal + y * decay, (y_t - w * y) * decay, (2.0 * c2 - 2.0 * w * y_t + w * w * y) * decay


@kernel
def compose_request(p, s, washout_pose):
    """Compute s.requested_pose = base + gain x washout pose (POSE record), with a soft limit near the ends of the strokes of the legs.

    With the use u of the stroke, the washout pose except yaw is scaled by soft(u, KNEE, TOP) / u. Then the complete pose is scaled by
    soft(v, LAST, END) / v, where v is the use of the result:

        soft(u, knee, top) = u up to the knee, then knee + (top - knee) tanh((u - knee) / (top - knee))    [smooth, below top]

    The limiter, which stops hard, is therefore rarely active. Yaw needs little stroke; scaling it with sway would rotate the rider at every change of sway.
    """
    gain = s[0]["gain"]
    _compose(p, s, washout_pose, gain, gain)
    s[0]["stroke_use"] = 0.0
    if gain < FADED:
        return
    use = _stroke_use(p, s)
    s[0]["stroke_use"] = use
    if use > KNEE:
        limited = gain * _soft(use, KNEE, TOP) / use
        _compose(p, s, washout_pose, limited, gain)
        remaining_use = _stroke_use(p, s)
        if remaining_use > LAST:
            share = _soft(remaining_use, LAST, END) / remaining_use
            _compose(p, s, washout_pose, share * limited, share * gain)


@inline
def _soft(use, knee, top):
    """Return a use of the stroke above the knee, after the soft limit."""
    return knee + (top - knee) * math.tanh((use - knee) / (top - knee))


@kernel
def _compose(p, s, washout_pose, gain, yaw_gain):
    """Compute s.requested_pose with those components of the washout pose that the platform can move."""
    free = p[0]["freedoms"]
    for i in range(3):
        s[0]["requested_pose"][i] = s[0]["base"][i] + gain * free[i] * washout_pose[0]["position"][i]
        angle_gain = yaw_gain if i == 2 else gain
        s[0]["requested_pose"][i + 3] = s[0]["base"][i + 3] + angle_gain * free[i + 3] * washout_pose[0]["angles"][i]


@kernel
def _stroke_use(p, s):
    """Return the use of the stroke at the requested pose: u = (sum u_i^16)^(1/16), a smooth maximum of u_i = distance from mid-stroke relative to the
    distance at stroke_margin."""
    leg_lengths(p, s[0]["requested_pose"], s[0]["requested_legs"])
    middle = 0.5 * (p[0]["longest_leg"] + p[0]["shortest_leg"])
    half = 0.5 * (p[0]["longest_leg"] - p[0]["shortest_leg"]) - p[0]["stroke_margin"]
    total = 0.0
    for i in range(6):
        total += ((s[0]["requested_legs"][i] - middle) / half) ** 16
    return math.sqrt(math.sqrt(math.sqrt(math.sqrt(total))))


@kernel
def anchor(p, s, pose, rates):
    """Set the base to the present pose and rates (both (6,)) of the platform and the gain of the washout to zero, so that nothing steps.

    The commanded pose leads the base by the lead time, so the base starts behind by this time. `p` LEAD, `s` PROCEDURE and LEAD_STATE.
    """
    s[0]["gain"], s[0]["gain_rate"], s[0]["gain_acceleration"] = 0.0, 0.0, 0.0
    for i in range(6):
        s[0]["base"][i] = pose[i] - p[0]["lead_time"] * rates[i]
        s[0]["base_rates"][i] = rates[i]
        s[0]["base_accelerations"][i] = 0.0
        s[0]["requested_pose"][i] = s[0]["base"][i]
    rest_lead(p, s, s[0]["base"], s[0]["base_rates"])
