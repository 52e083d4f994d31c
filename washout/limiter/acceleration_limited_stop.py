"""Stop line: stop plan of a platform without a jerk limit, and the proof that all legs respect stroke, speed and acceleration limits.

Proof of feasibility: a new pose velocity is accepted only together with a *stop plan*, a straight line in pose space on which the
velocity falls to zero at a constant rate, and on which all legs are shown to stay within their limits. With `c` the bound of the
second derivative of the leg lengths along that line (`leg_bend`), `g` the highest leg speed and `T` the time to stop, every leg obeys

    |acceleration| <= (g + c h) / T + 2.5 c       -> T from 0.95 of the limit
    |speed|        <= g                           if c <= A / 4
    stroke         within c (T / 2)^2 / 8 of the straight line between the lengths at the two ends, which are evaluated

If nothing better is accepted in the next tick, the platform advances one step along the plan. There is therefore always a feasible next step.

Steps may have different lengths, such as those of a servo driven by the wall clock. Speeds are means over a step. Their change is
compared with the time from middle to middle, in which the previous step counts at most as much as the present one:

    d = (h + min(h, h_before)) / 2     |speed - speed before| <= A d     for every speed that is chosen
    m = (h + h_before) / 2             v (1 - m / T) is next on the stop plan, or 0 when m > T, for any h

On the plan, the speeds are the means, over steps of any length, of a velocity that falls linearly to zero within T from the
middle of the step at v. The sum of all future steps is therefore at most v T / 2, the end of the plan that was shown to be within the
stroke. (A value less than m, such as d after a long step, would brake too little.) The curvature of the leg lengths adds c times the distance
of the middles, so the plan respects A over that distance.
"""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from washout.limiter.common import RELATIVE, accept_trial, bring_into_stroke, careful_spacing, middles_apart, place, place_at_target
from washout.limiter.jerk_limited_stop import ACCELERATION, SPEED, STROKE
from washout.platform import leg_bend, leg_lengths

PLANNED = 0.5
"""1. Fraction of the leg acceleration used to approach a target at rest. Larger: faster, but with less reserve for corrections."""

BRAKE = 0.95
"""1. Fraction of the leg acceleration that a stop plan may use; the rest covers rounding."""

BEND = 0.25
"""1. Maximum fraction of the leg acceleration for the curvature of the leg lengths (see the module docstring: T stays finite)."""


@kernel
def limit_on_line(p, s, demand, h):
    """Run a tick towards `demand`; return the limit that prevents the requested pose (STROKE, SPEED, ACCELERATION), or 0."""
    cut, arrives = _aim(p, s, demand, h)
    cause = STROKE if cut else 0
    for i in range(6):
        s[0]["trial"][i] = s[0]["wanted"][i]
    if arrives:
        place_at_target(s)
    else:
        cause = cause if cut else _blocking_limit(p, s, h)
        place(p, s, h)
    stop_time = _stop_time(p, s, h)
    if stop_time < 0.0:
        cause = cause if cause > 0 else int(-stop_time)
        stop_time = _turn_towards(p, s, h)
    if stop_time < 0.0:
        stop_time = _between_brake_and_trial(p, s, h)
    if stop_time < 0.0:
        brake_on_line(p, s, h)
    else:
        s[0]["stop_time"] = stop_time
        s[0]["limited"] = 1 if cause > 0 else 0
        accept_trial(s, h)
    return cause


@kernel
def brake_on_line(p, s, h):
    """Run a tick along the last accepted stop line."""
    s[0]["limited"] = 2
    share = _brake_share(s, h)
    for i in range(6):
        s[0]["trial"][i] = share * s[0]["rates"][i]
    place(p, s, h)
    s[0]["stop_time"] = max(0.0, s[0]["stop_time"] - middles_apart(s, h))
    accept_trial(s, h)


@kernel
def _blocking_limit(p, s, h):
    """Return the limit that prevents the platform from reaching the target in one tick."""
    for i in range(6):
        if not abs(s[0]["target_legs"][i] - s[0]["legs"][i]) <= p[0]["leg_speed"] * h:
            return SPEED
    return ACCELERATION


@kernel
def _brake_share(s, h):
    """Return the fraction of the present velocity that remains after one more tick of the stop plan."""
    passes = middles_apart(s, h)
    if s[0]["stop_time"] <= passes:
        return 0.0
    return (s[0]["stop_time"] - passes) / s[0]["stop_time"]


@kernel
def _stop_time(p, s, h):
    """Return the duration [s] of the stop plan after the tick that was placed, or the violated limit (-STROKE, -SPEED, -ACCELERATION)."""
    bend = leg_bend(p, s[0]["trial"])
    largest = p[0]["leg_acceleration"]
    change = (1.0 - RELATIVE) * largest * careful_spacing(s, h)
    if not bend <= BEND * largest:
        return -float(ACCELERATION)
    fastest, low, high = 0.0, math.inf, 0.0
    for i in range(6):
        speed = (s[0]["trial_legs"][i] - s[0]["legs"][i]) / h
        if not abs(speed) <= (1.0 - RELATIVE) * p[0]["leg_speed"]:
            return -float(SPEED)
        if not abs(speed - s[0]["leg_speed"][i]) <= change:
            return -float(ACCELERATION)
        fastest = max(fastest, abs(speed))
        low = min(low, s[0]["trial_legs"][i])
        high = max(high, s[0]["trial_legs"][i])
    stop_time = (fastest + bend * h) / (BRAKE * largest - 2.5 * bend)
    # far from the ends of the stroke, a bound of the distance is sufficient; here leg speeds change by at most bend x time
    distance = 0.5 * stop_time * (fastest + bend * (h + 0.5 * stop_time))
    if p[0]["shortest_leg"] <= low - distance and high + distance <= p[0]["longest_leg"]:
        return stop_time
    return stop_time if _stops_in_stroke(p, s, stop_time, bend * stop_time * stop_time / 32.0) else -float(STROKE)


@kernel
def _stops_in_stroke(p, s, stop_time, margin):
    """Return True if all legs are at least `margin` [m] from the ends of the stroke at the start and at the end of the stop plan."""
    for i in range(6):
        s[0]["stop_pose"][i] = s[0]["trial_pose"][i] + 0.5 * stop_time * s[0]["trial"][i]
    leg_lengths(p, s[0]["stop_pose"], s[0]["stop_legs"])
    shortest = p[0]["shortest_leg"] + margin
    longest = p[0]["longest_leg"] - margin
    inside = True
    for i in range(6):
        inside = inside and shortest <= s[0]["trial_legs"][i] <= longest and shortest <= s[0]["stop_legs"][i] <= longest
    return inside


@kernel
def _turn_towards(p, s, h):
    """Change the present velocity towards the desired one as far as accelerations and speeds of the legs permit; returns as `_stop_time`."""
    for i in range(6):
        s[0]["trial_pose"][i] = s[0]["pose"][i] + h * s[0]["wanted"][i]
        s[0]["stop_pose"][i] = s[0]["pose"][i] + h * s[0]["rates"][i]
    leg_lengths(p, s[0]["trial_pose"], s[0]["trial_legs"])
    leg_lengths(p, s[0]["stop_pose"], s[0]["stop_legs"])
    margin = 0.99 * p[0]["leg_acceleration"] * careful_spacing(s, h)
    share = 1.0
    for i in range(6):
        now = s[0]["leg_speed"][i]
        kept = (s[0]["stop_legs"][i] - s[0]["legs"][i]) / h
        change = (s[0]["trial_legs"][i] - s[0]["stop_legs"][i]) / h
        if change > 0.0:
            share = min(share, (min(now + margin, 0.999 * p[0]["leg_speed"]) - kept) / change)
        elif change < 0.0:
            share = min(share, (max(now - margin, -0.999 * p[0]["leg_speed"]) - kept) / change)
    share = max(0.0, share)
    for i in range(6):
        s[0]["trial"][i] = s[0]["rates"][i] + share * (s[0]["wanted"][i] - s[0]["rates"][i])
    place(p, s, h)
    return _stop_time(p, s, h)


@kernel
def _between_brake_and_trial(p, s, h):
    """Bisect a few times between the rejected trial and the next velocity of the stop plan; returns as `_stop_time`."""
    share = _brake_share(s, h)
    for _ in range(4):
        for i in range(6):
            s[0]["trial"][i] = 0.5 * (s[0]["trial"][i] + share * s[0]["rates"][i])
        place(p, s, h)
        stop_time = _stop_time(p, s, h)
        if stop_time >= 0.0:
            return stop_time
    return -1.0


@kernel
def _aim(p, s, demand, h):
    """Compute the pose velocity s.wanted towards the demand: its own velocity, plus a correction of the error at a speed from which the legs can brake.

    A demand that moves faster than the legs can, for example after a teleport, counts as at rest at its new pose.
    Returns two flags: the demand had to be limited to the stroke; one tick at that velocity ends at the target.
    """
    speed = p[0]["leg_speed"]
    for i in range(6):
        s[0]["wanted"][i] = s[0]["target"][i]
        s[0]["trial_legs"][i] = s[0]["target_legs"][i]
    cut = bring_into_stroke(p, s, demand)
    jump = 0.0
    for i in range(6):
        jump = max(jump, abs(s[0]["target_legs"][i] - s[0]["trial_legs"][i]))
    follow = 1.0 if jump <= speed * h else 0.0
    distance = 0.0
    for i in range(6):
        from_here = (s[0]["trial_legs"][i] if follow == 1.0 else s[0]["target_legs"][i]) - s[0]["legs"][i]
        distance = max(distance, abs(from_here))
    approach = _approach(distance, PLANNED * p[0]["leg_acceleration"], speed, h)
    for i in range(6):
        before = s[0]["wanted"][i] if follow == 1.0 else s[0]["target"][i]
        s[0]["wanted"][i] = follow * (s[0]["target"][i] - before) / h + approach * (before - s[0]["pose"][i])
    bend = leg_bend(p, s[0]["wanted"])
    allowed = 0.99 * BEND * p[0]["leg_acceleration"]
    if bend > allowed:
        for i in range(6):
            s[0]["wanted"][i] *= math.sqrt(allowed / bend)
        return cut, False
    return cut, approach * h == 1.0


@kernel
def _approach(distance, deceleration, speed, h):
    """Return the fraction of the remaining distance per second [1/s]: as fast as braking at `deceleration` in steps of h permits, at most all of it."""
    step = 0.5 * deceleration * h
    allowed = min(0.99 * speed, math.sqrt(step * step + 2.0 * deceleration * distance) - step)
    if allowed * h >= distance:
        return 1.0 / h
    return allowed / distance
