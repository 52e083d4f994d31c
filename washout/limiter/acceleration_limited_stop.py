"""Stop line: how a platform without a largest jerk comes to rest, and the proof that all legs keep stroke, speed and acceleration.

Why it cannot fail: a new pose velocity is accepted only together with a *stop plan*, a straight line in pose space on which the
velocity falls to zero at a constant rate, and on which every leg is shown to stay within its limits. With `c` the bound of the
second derivative of the leg lengths along that line (`leg_bend`), `g` the highest leg speed and `T` the time to stop, every leg obeys

    |acceleration| <= (g + c h) / T + 2.5 c       -> T from 0.95 of the limit
    |speed|        <= g                           if c <= A / 4
    stroke         within c (T / 2)^2 / 8 of the straight line between the lengths at the two ends, which are evaluated

If nothing better is accepted in the next tick, the platform goes one step further along the plan. So there is always a next step.

Steps may differ in length, as those of a servo that goes by the wall clock do. Speeds are means over a step, and their change is
held against the time from middle to middle, counting no more of the step before than the present one is long:

    d = (h + min(h, h_before)) / 2     |speed - speed before| <= A d     for every speed that is chosen
    m = (h + h_before) / 2             v (1 - m / T) is next on the stop plan, or 0 when m > T, whatever h is

On the plan the speeds are the means, over steps of any length, of a velocity that falls to zero on a straight line within T from the
middle of the step at v. So the sum of all steps to come is at most v T / 2, the end of the plan that was shown to be within the
stroke. (Counting less than m there, as d does after a long step, would brake too little.) The bend of the legs adds c times the distance
of the middles, so that the plan keeps to A over that distance.
"""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from washout.limiter.common import RELATIVE, bring_into_stroke, careful_spacing, middles_apart, place, place_at_target, take
from washout.limiter.jerk_limited_stop import ACCELERATION, SPEED, STROKE
from washout.platform import leg_bend, leg_lengths

PLANNED = 0.5
"""1. Share of the leg acceleration used to approach a resting target. Larger: faster, but with less left for corrections."""

BRAKE = 0.95
"""1. Share of the leg acceleration that a stop plan may use; the rest covers rounding."""

BEND = 0.25
"""1. Largest share of the leg acceleration that the curvature of the leg lengths may take (see the module's text: T stays finite)."""


@kernel
def limit_on_line(p, s, demand, h):
    """A tick towards `demand`; returns what stands against the pose asked for (STROKE, SPEED, ACCELERATION), or 0."""
    cut, arrives = _aim(p, s, demand, h)
    against = STROKE if cut else 0
    for i in range(6):
        s[0]["trial"][i] = s[0]["wanted"][i]
    if arrives:
        place_at_target(s)
    else:
        against = against if cut else _in_the_way(p, s, h)
        place(p, s, h)
    stop_time = _stop_time(p, s, h)
    if stop_time < 0.0:
        against = against if against > 0 else int(-stop_time)
        stop_time = _turn_towards(p, s, h)
    if stop_time < 0.0:
        stop_time = _between_brake_and_trial(p, s, h)
    if stop_time < 0.0:
        brake_on_line(p, s, h)
    else:
        s[0]["stop_time"] = stop_time
        s[0]["limited"] = 1 if against > 0 else 0
        take(s, h)
    return against


@kernel
def brake_on_line(p, s, h):
    """A tick along the stop line accepted last."""
    s[0]["limited"] = 2
    share = _brake_share(s, h)
    for i in range(6):
        s[0]["trial"][i] = share * s[0]["rates"][i]
    place(p, s, h)
    s[0]["stop_time"] = max(0.0, s[0]["stop_time"] - middles_apart(s, h))
    take(s, h)


@kernel
def _in_the_way(p, s, h):
    """What keeps the platform from the target, to which one tick was not enough."""
    for i in range(6):
        if not abs(s[0]["target_legs"][i] - s[0]["legs"][i]) <= p[0]["leg_speed"] * h:
            return SPEED
    return ACCELERATION


@kernel
def _brake_share(s, h):
    """Part of the present velocity that is left after one more tick of the stop plan."""
    passes = middles_apart(s, h)
    if s[0]["stop_time"] <= passes:
        return 0.0
    return (s[0]["stop_time"] - passes) / s[0]["stop_time"]


@kernel
def _stop_time(p, s, h):
    """Length [s] of the stop plan after the tick that was placed, or what stands against it (-STROKE, -SPEED, -ACCELERATION)."""
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
    # far from the ends of the stroke a bound of the way to go is enough; here leg speeds change by at most bend x time
    way = 0.5 * stop_time * (fastest + bend * (h + 0.5 * stop_time))
    if p[0]["shortest_leg"] <= low - way and high + way <= p[0]["longest_leg"]:
        return stop_time
    return stop_time if _stops_in_stroke(p, s, stop_time, bend * stop_time * stop_time / 32.0) else -float(STROKE)


@kernel
def _stops_in_stroke(p, s, stop_time, margin):
    """Whether all legs keep `margin` [m] off the ends of the stroke where the stop plan begins and where it ends."""
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
    """Change the present velocity towards the wanted one as far as the legs' accelerations and speeds allow; as `_stop_time`."""
    for i in range(6):
        s[0]["trial_pose"][i] = s[0]["pose"][i] + h * s[0]["wanted"][i]
        s[0]["stop_pose"][i] = s[0]["pose"][i] + h * s[0]["rates"][i]
    leg_lengths(p, s[0]["trial_pose"], s[0]["trial_legs"])
    leg_lengths(p, s[0]["stop_pose"], s[0]["stop_legs"])
    room = 0.99 * p[0]["leg_acceleration"] * careful_spacing(s, h)
    share = 1.0
    for i in range(6):
        now = s[0]["leg_speed"][i]
        kept = (s[0]["stop_legs"][i] - s[0]["legs"][i]) / h
        change = (s[0]["trial_legs"][i] - s[0]["stop_legs"][i]) / h
        if change > 0.0:
            share = min(share, (min(now + room, 0.999 * p[0]["leg_speed"]) - kept) / change)
        elif change < 0.0:
            share = min(share, (max(now - room, -0.999 * p[0]["leg_speed"]) - kept) / change)
    share = max(0.0, share)
    for i in range(6):
        s[0]["trial"][i] = s[0]["rates"][i] + share * (s[0]["wanted"][i] - s[0]["rates"][i])
    place(p, s, h)
    return _stop_time(p, s, h)


@kernel
def _between_brake_and_trial(p, s, h):
    """Halve the way from the refused trial to the stop plan's next velocity a few times; as `_stop_time`."""
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
    """Pose velocity s.wanted that leads to the demand: its own velocity, plus the error at a speed from which the legs can still brake.

    A demand that moves faster than the legs can, a teleport for instance, counts as resting at its new place.
    Returns whether the demand had to be brought into the stroke, and whether one tick at that velocity ends at the target.
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
    """Share of the remaining way to go per second [1/s]: as fast as braking at `deceleration` in steps of h allows, at most all of it."""
    step = 0.5 * deceleration * h
    allowed = min(0.99 * speed, math.sqrt(step * step + 2.0 * deceleration * distance) - step)
    if allowed * h >= distance:
        return 1.0 / h
    return allowed / distance
