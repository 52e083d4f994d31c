"""Envelope limiter: the last word before the legs. Whatever is asked, the legs stay within stroke, speed and acceleration.

It knows nothing of the washout. Each tick it is asked for a pose and answers with the pose the platform is to take one tick later:
the pose asked for whenever all six legs can follow, otherwise the nearest one on the way to it, so that the platform always moves
as a rigid body and the legs are the inverse kinematics of a pose.

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

import numpy as np

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from washout.platform import LARGEST_ANGLE, leg_bend, leg_lengths

LIMITER = (
    # name                  shape  unit            what it is
    ("pose", (6,), "m, rad", "pose commanded: x, y, z, roll, pitch, yaw of P in N"),
    ("rates", (6,), "m/s, rad/s", "backward difference of the pose"),
    ("legs", (6,), "m", "leg lengths commanded, inverse kinematics of the pose"),
    ("leg_speed", (6,), "m/s", "backward difference of the legs"),
    ("leg_acceleration", (6,), "m/s2", "change of the leg speeds over the time from the middle of the last step to that of this one"),
    ("stop_time", (), "s", "time that the stop plan still takes"),
    ("last_step", (), "s", "length of the last step; infinite before the first, which then counts as one among equals"),
    ("limited", (), "1", "0 the pose asked for, 1 on the way to it, 2 braking along the stop plan", "i8"),
    ("refused", (), "1", "demands that were not finite numbers, so far", "i8"),
    ("target", (6,), "m, rad", "pose asked for, brought into the stroke"),
    ("target_legs", (6,), "m", "its leg lengths"),
    ("wanted", (6,), "m/s, rad/s", "work: pose velocity that leads to the target"),
    ("trial", (6,), "m/s, rad/s", "work: pose velocity under examination"),
    ("trial_pose", (6,), "m, rad", "work: pose one tick later"),
    ("trial_legs", (6,), "m", "work: its leg lengths"),
    ("stop_pose", (6,), "m, rad", "work: end of a stop plan"),
    ("stop_legs", (6,), "m", "work: its leg lengths"),
)

PLANNED = 0.5
"""1. Share of the leg acceleration used to approach a resting target. Larger: faster, but with less left for corrections."""

BRAKE = 0.95
"""1. Share of the leg acceleration that a stop plan may use; the rest covers rounding."""

BEND = 0.25
"""1. Largest share of the leg acceleration that the curvature of the leg lengths may take (see the module's text: T stays finite)."""

BISECTIONS = 36
"""1. Halvings to find where a demand meets the cushions. Fewer: faster, but the pose there moves in grains that legs feel as jolts."""

RELATIVE = 1e-6
"""1. Limits are kept this much smaller, so that differences of rounded lengths still obey them."""


def limiter(p: Record, pose: np.ndarray | None = None) -> Record:
    """LIMITER state at rest at `pose` (6,) [m, rad], by default parked, on the HEXAPOD record `p`."""
    s = record(LIMITER)
    if pose is None:
        s[0]["pose"][2] = p[0]["park_height"]
    else:
        s[0]["pose"] = pose
    s[0]["target"] = s[0]["pose"]
    leg_lengths(p, s[0]["pose"], s[0]["legs"])
    s[0]["target_legs"] = s[0]["legs"]
    s[0]["last_step"] = math.inf
    return s


@kernel
def limit_step(p, s, demand, h):
    """One tick of h seconds towards the pose `demand` (6,) [m, rad]; `p` HEXAPOD, `s` LIMITER. Any numbers are allowed in `demand`."""
    arrives = _aim(p, s, demand, h)
    for i in range(6):
        s[0]["trial"][i] = s[0]["wanted"][i]
    if arrives:
        _place_at_target(s)
    else:
        _place(p, s, h)
    stop_time = _stop_time(p, s, h)
    s[0]["limited"] = 0
    if stop_time < 0.0:
        s[0]["limited"] = 1
        stop_time = _turn_towards(p, s, h)
    if stop_time < 0.0:
        stop_time = _between_brake_and_trial(p, s, h)
    if stop_time < 0.0:
        brake_step(p, s, h)
    else:
        s[0]["stop_time"] = stop_time
        _take(s, h)


@kernel
def brake_step(p, s, h):
    """One tick of h seconds along the stop plan accepted last: the platform comes to rest where it can, and stays there."""
    share = _brake_share(s, h)
    for i in range(6):
        s[0]["trial"][i] = share * s[0]["rates"][i]
    _place(p, s, h)
    s[0]["stop_time"] = max(0.0, s[0]["stop_time"] - _middles(s, h))
    s[0]["limited"] = 2
    _take(s, h)


@kernel
def _spacing(s, h):
    """Time [s] from the middle of the last step to the middle of one of h seconds, of which the last counts as no longer than this one."""
    return 0.5 * (h + min(h, s[0]["last_step"]))


@kernel
def _middles(s, h):
    """Time [s] from the middle of the last step to the middle of one of h seconds."""
    before = s[0]["last_step"]
    return 0.5 * (h + (before if before < math.inf else h))


@kernel
def _brake_share(s, h):
    """Part of the present velocity that is left after one more tick of the stop plan."""
    passes = _middles(s, h)
    if s[0]["stop_time"] <= passes:
        return 0.0
    return (s[0]["stop_time"] - passes) / s[0]["stop_time"]


@kernel
def _place(p, s, h):
    """Pose and legs after a tick at the velocity s.trial."""
    for i in range(6):
        s[0]["trial_pose"][i] = s[0]["pose"][i] + h * s[0]["trial"][i]
    leg_lengths(p, s[0]["trial_pose"], s[0]["trial_legs"])


@kernel
def _place_at_target(s):
    """The same when that tick ends at the target, whose legs are known."""
    for i in range(6):
        s[0]["trial_pose"][i] = s[0]["target"][i]
        s[0]["trial_legs"][i] = s[0]["target_legs"][i]


@kernel
def _take(s, h):
    """Make the trial the pose commanded."""
    middles = _middles(s, h)
    s[0]["last_step"] = h
    for i in range(6):
        s[0]["rates"][i] = s[0]["trial"][i]
        s[0]["pose"][i] = s[0]["trial_pose"][i]
        speed = (s[0]["trial_legs"][i] - s[0]["legs"][i]) / h
        s[0]["leg_acceleration"][i] = (speed - s[0]["leg_speed"][i]) / middles
        s[0]["leg_speed"][i] = speed
        s[0]["legs"][i] = s[0]["trial_legs"][i]


@kernel
def _stop_time(p, s, h):
    """Length [s] of the stop plan after the tick that was placed, or -1 when a leg would leave its limits."""
    bend = leg_bend(p, s[0]["trial"])
    largest = p[0]["leg_acceleration"]
    change = (1.0 - RELATIVE) * largest * _spacing(s, h)
    if not bend <= BEND * largest:
        return -1.0
    fastest, low, high = 0.0, math.inf, 0.0
    for i in range(6):
        speed = (s[0]["trial_legs"][i] - s[0]["legs"][i]) / h
        if not abs(speed) <= (1.0 - RELATIVE) * p[0]["leg_speed"]:
            return -1.0
        if not abs(speed - s[0]["leg_speed"][i]) <= change:
            return -1.0
        fastest = max(fastest, abs(speed))
        low = min(low, s[0]["trial_legs"][i])
        high = max(high, s[0]["trial_legs"][i])
    stop_time = (fastest + bend * h) / (BRAKE * largest - 2.5 * bend)
    # far from the ends of the stroke a bound of the way to go is enough; here leg speeds change by at most bend x time
    way = 0.5 * stop_time * (fastest + bend * (h + 0.5 * stop_time))
    if p[0]["shortest_leg"] <= low - way and high + way <= p[0]["longest_leg"]:
        return stop_time
    return stop_time if _stops_in_stroke(p, s, stop_time, bend * stop_time * stop_time / 32.0) else -1.0


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
    room = 0.99 * p[0]["leg_acceleration"] * _spacing(s, h)
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
    _place(p, s, h)
    return _stop_time(p, s, h)


@kernel
def _between_brake_and_trial(p, s, h):
    """Halve the way from the refused trial to the stop plan's next velocity a few times; as `_stop_time`."""
    share = _brake_share(s, h)
    for _ in range(4):
        for i in range(6):
            s[0]["trial"][i] = 0.5 * (s[0]["trial"][i] + share * s[0]["rates"][i])
        _place(p, s, h)
        stop_time = _stop_time(p, s, h)
        if stop_time >= 0.0:
            return stop_time
    return -1.0


@kernel
def _aim(p, s, demand, h):
    """Pose velocity s.wanted that leads to the demand: its own velocity, plus the error at a speed from which the legs can still brake.

    A demand that moves faster than the legs can, a teleport for instance, counts as resting at its new place.
    Returns whether one tick at that velocity ends at the target.
    """
    speed = p[0]["leg_speed"]
    for i in range(6):
        s[0]["wanted"][i] = s[0]["target"][i]
        s[0]["trial_legs"][i] = s[0]["target_legs"][i]
    _bring_into_stroke(p, s, demand)
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
        return False
    return approach * h == 1.0


@kernel
def _approach(distance, deceleration, speed, h):
    """Share of the remaining way to go per second [1/s]: as fast as braking at `deceleration` in steps of h allows, at most all of it."""
    step = 0.5 * deceleration * h
    allowed = min(0.99 * speed, math.sqrt(step * step + 2.0 * deceleration * distance) - step)
    if allowed * h >= distance:
        return 1.0 / h
    return allowed / distance


@kernel
def _bring_into_stroke(p, s, demand):
    """s.target and s.target_legs: the demand, or the pose nearest to it on the line to neutral whose legs stay off the cushions.

    A demand with a number that is not finite is refused: the target stays as it was.
    """
    for i in range(6):
        if not abs(demand[i]) < math.inf:
            s[0]["refused"] += 1
            return
    travel = p[0]["longest_leg"]
    for i in range(6):
        bound = travel if i < 3 else LARGEST_ANGLE
        s[0]["stop_pose"][i] = min(bound, max(-bound, demand[i]))
        s[0]["target"][i] = s[0]["stop_pose"][i]
    if _off_cushions(p, s):
        return
    inside, outside = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (inside + outside)
        for i in range(6):
            s[0]["target"][i] = middle * s[0]["stop_pose"][i]
        if _off_cushions(p, s):
            inside = middle
        else:
            outside = middle
    for i in range(6):
        s[0]["target"][i] = inside * s[0]["stop_pose"][i]
    leg_lengths(p, s[0]["target"], s[0]["target_legs"])


@kernel
def _off_cushions(p, s):
    """Whether the legs of s.target, written to s.target_legs, keep off the ends of the stroke."""
    leg_lengths(p, s[0]["target"], s[0]["target_legs"])
    for i in range(6):
        leg = s[0]["target_legs"][i]
        if not p[0]["shortest_leg"] + p[0]["cushion"] <= leg <= p[0]["longest_leg"] - p[0]["cushion"]:
            return False
    return True
