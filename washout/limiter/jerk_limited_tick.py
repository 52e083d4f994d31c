"""Ticks of a limiter for legs with a jerk limit: motion to the requested pose, or along the stop curve.

A tick is accepted if it respects all limits in the differences of the legs up to and including it, in which no step counts longer than the present
one, and if a stop curve (`washout.limiter.jerk_limited_stop`) can continue it within the limits. The candidates are, in this order: the requested pose;
a velocity towards it, from a control law with continuous acceleration (`_steer`); velocities between this one and the last accepted stop
curve. If none of them is accepted, the platform moves along that curve.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from washout.limiter.common import (
    RELATIVE,
    accept_trial,
    bring_into_stroke,
    careful_spacing,
    careful_third,
    middles_apart,
    place,
    place_at_target,
    third_of_steps,
)
from washout.limiter.jerk_limited_stop import ACCELERATION, JERK, SPEED, STROKE, curve_bend, curve_pose_at, stop_length
from washout.platform import leg_lengths

PLANNED = 0.5
"""1. Fraction of the leg acceleration used to approach a target at rest. Larger: faster, but with less reserve for corrections."""

QUICK = 0.15
"""1. Fraction of a small remaining error that is removed in one tick. Larger: faster, but closer to oscillation."""

CRUISE = 0.9
"""1. Fraction of the leg speed for the motion to a far target; the rest is for the end of its acceleration."""

BENT = 0.1
"""1. Fraction of the leg acceleration for the curvature of the leg lengths on the path to a far target. Larger: faster, with less reserve for braking."""

PUSH = 0.8
"""1. Fraction of the leg acceleration for reducing a difference in speed, so that there is always a stop curve."""

RAMP = 0.6
"""1. Fraction of the leg jerk used to end an acceleration."""

LANDING = 0.3
"""1. Fraction of the leg jerk that may remain for the ticks after the legs have reached their target."""

NEAR, LONGEST_LANDING = 100.0, 25
"""1, 1. Errors from which the target can be reached within some ticks, in units of jerk x h^3, and the maximum number of these ticks."""

SPARED = 0.7
"""1. Fraction of the leg jerk for the later part of the path to a near target; the rest is for the motion of the target itself."""

FOLLOWED = 2.0
"""1. Limit of the leg accelerations of a target that is followed as a moving one, as a multiple of the leg acceleration."""

HALVINGS = 4
"""1. Number of trials between a rejected velocity and the stop curve."""


@kernel
def limit_on_curve(p, s, demand, h):
    """Run a tick towards `demand`; return the limit that prevents the requested pose (STROKE, SPEED, ACCELERATION, JERK), or 0."""
    cause = STROKE if _update_target(p, s, demand) else 0
    for i in range(6):
        s[0]["trial"][i] = (s[0]["target"][i] - s[0]["pose"][i]) / h
    place_at_target(s)
    stop_time = _examine(p, s, h) if _is_upon_target(p, s, h) else -float(_differ(p, s, h) or JERK)
    if stop_time < 0.0:
        cause = cause if cause > 0 else int(-stop_time)
        if _land(p, s, h):
            stop_time = _examine(p, s, h)
        if stop_time < 0.0:
            _steer(p, s, h)
            stop_time = _examine(p, s, h)
        if stop_time < 0.0:
            stop_time = _between_curve_and_trial(p, s, h)
    _store_errors(s, h)
    if stop_time < 0.0:
        brake_on_curve(p, s, h)
    else:
        s[0]["limited"] = 1 if cause > 0 else 0
        _take_with_curve(s, stop_time, h)
    return cause


@kernel
def _is_upon_target(p, s, h):
    """Return True if the legs may move to their target now and stay there, without jerk after it due to the two previous errors."""
    allowed = LANDING * p[0]["leg_jerk"] * h * h * h
    good = True
    for i in range(6):
        error = s[0]["target_legs_before"][i] - s[0]["legs"][i]
        good = good and abs(error) <= allowed and abs(3.0 * error - s[0]["leg_errors"][0, i]) <= allowed
    return good


@kernel
def _land(p, s, h):
    """Place the trial on the shortest path that ends on the target and moves like it, if the target is a few ticks away; return True if so.

    With e the errors of the last three ticks, numbered 0, -1 and -2, the path without an error from tick n is

        e(k) = (n - k)(n + 1 - k)(n + 2 - k) q(k),   q the parabola through e(k) / (n - k) / (n + 1 - k) / (n + 2 - k) at the three

    of which only e(1) is used; the next tick computes a shorter path from there. This requires ticks of equal length.
    """
    quantum = p[0]["leg_jerk"] * h * h * h
    near = abs(s[0]["last_step"] - h) <= RELATIVE * h and abs(s[0]["step_before"] - h) <= RELATIVE * h
    for i in range(6):
        near = near and abs(s[0]["target_legs_before"][i] - s[0]["legs"][i]) <= NEAR * quantum
    if not near:
        return False
    for n in range(2, LONGEST_LANDING):
        if _lands_in(s, n, quantum, h):
            for i in range(6):
                error = s[0]["target_before"][i] - s[0]["pose"][i]
                left = _remaining_error(1, n, error, s[0]["errors"][0, i], s[0]["errors"][1, i])
                s[0]["trial"][i] = (s[0]["target"][i] - left - s[0]["pose"][i]) / h
            place(p, s, h)
            return True
    return False


@kernel
def _lands_in(s, n, quantum, h):
    """Return True if the legs respect their jerk limit on the path of n ticks: in the first tick, and with a reserve at the end and halfway."""
    half = (n + 3) // 2
    for i in range(6):
        e, d, c = s[0]["target_legs_before"][i] - s[0]["legs"][i], s[0]["leg_errors"][0, i], s[0]["leg_errors"][1, i]
        change = (s[0]["trial_leg_acceleration"][i] - s[0]["leg_acceleration"][i]) * h * h
        if abs(change - _remaining_error(1, n, e, d, c)) > 0.98 * quantum:
            return False
        end = _remaining_error(n - 1, n, e, d, c)
        later = _remaining_error(half, n, e, d, c) - _remaining_error(half - 3, n, e, d, c)
        later -= 3.0 * (_remaining_error(half - 1, n, e, d, c) - _remaining_error(half - 2, n, e, d, c))
        if max(abs(end), abs(later)) > SPARED * quantum:
            return False
    return True


@inline
def _remaining_error(k, n, e, d, c):
    """Return e(k) of `_land`; e, d, c: e(0), e(-1), e(-2)."""
    q = e / (n * (n + 1.0) * (n + 2.0))
    before = d / ((n + 1.0) * (n + 2.0) * (n + 3.0))
    first = c / ((n + 2.0) * (n + 3.0) * (n + 4.0))
    q_of_k = q + k * (q - before) + 0.5 * k * (k + 1.0) * (q - 2.0 * before + first)
    return (n - k) * (n + 1.0 - k) * (n + 2.0 - k) * q_of_k


@kernel
def _update_target(p, s, demand):
    """Limit the demand to the stroke and store the previous target; return True if the target differs from the demand."""
    for i in range(6):
        s[0]["target_before"][i] = s[0]["target"][i]
        s[0]["target_legs_before"][i] = s[0]["target_legs"][i]
    return bring_into_stroke(p, s, demand)


@kernel
def _store_errors(s, h):
    """Store the errors of the legs relative to the target, and the motion of the target in this tick."""
    for i in range(6):
        s[0]["errors"][1, i], s[0]["errors"][0, i] = s[0]["errors"][0, i], s[0]["target_before"][i] - s[0]["pose"][i]
        s[0]["leg_errors"][1, i], s[0]["leg_errors"][0, i] = s[0]["leg_errors"][0, i], s[0]["target_legs_before"][i] - s[0]["legs"][i]
        s[0]["target_rates"][i] = (s[0]["target"][i] - s[0]["target_before"][i]) / h
        s[0]["target_leg_speed"][i] = (s[0]["target_legs"][i] - s[0]["target_legs_before"][i]) / h


@kernel
def _steer(p, s, h):
    """Place the trial that leads to the target within the limits of the legs: the error decays, initially as fast as the limits permit.

    The distance determines the speed at which the error decreases, and the difference in speed determines the acceleration (`_speed_for`,
    `_acceleration_for`). The acceleration is then limited by jerk, acceleration and speed of the legs. A target that moves within the limits
    is followed with its own velocity and acceleration, so that the error becomes zero. A target that does not, for example after a
    teleport, counts as at rest at its new pose.
    """
    middles = middles_apart(s, h)
    follow = _moves_within(p, s, middles, h)
    distance, gap = 0.0, 0.0
    for i in range(6):
        leg = (s[0]["target_legs_before"][i] if follow else s[0]["target_legs"][i]) - s[0]["legs"][i]
        distance = max(distance, abs(leg))
    per_second, slope = _speed_for(p, distance, h)
    for i in range(6):
        s[0]["kept"][i] = per_second * ((s[0]["target_before"][i] if follow else s[0]["target"][i]) - s[0]["pose"][i])
    bend = curve_bend(p, s[0]["kept"])
    if bend > BENT * p[0]["leg_acceleration"]:
        per_second, slope = per_second * math.sqrt(BENT * p[0]["leg_acceleration"] / bend), 0.0
    for i in range(6):
        leg = (s[0]["target_legs_before"][i] if follow else s[0]["target_legs"][i]) - s[0]["legs"][i]
        rate = (s[0]["target_leg_speed"][i] if follow else 0.0) - s[0]["leg_speed"][i]
        gap = max(gap, abs(per_second * leg + rate))
    answer = _acceleration_for(p, gap, h)
    for i in range(6):
        error = (s[0]["target_before"][i] if follow else s[0]["target"][i]) - s[0]["pose"][i]
        rate = (s[0]["target_rates"][i] if follow else 0.0) - s[0]["rates"][i]
        push = answer * (per_second * error + rate) + slope * rate
        if follow:
            push += ((s[0]["target"][i] - s[0]["target_before"][i]) / h - s[0]["target_rates"][i]) / middles
        s[0]["trial"][i] = s[0]["rates"][i] + middles * push
    _clip(p, s, middles, h)


@inline
def _moves_within(p, s, middles, h):
    """Return True if the target moved within the limits of the legs, in this tick and up to it."""
    within = True
    for i in range(6):
        speed = (s[0]["target_legs"][i] - s[0]["target_legs_before"][i]) / h
        within = within and abs(speed) <= p[0]["leg_speed"]
        within = within and abs(speed - s[0]["target_leg_speed"][i]) <= FOLLOWED * p[0]["leg_acceleration"] * middles
    return within


@inline
def _speed_for(p, distance, h):
    """Return the speed at which a distance [m] decreases, per distance [1/s], and the slope of that law [1/s].

    The speed is that from which braking with PLANNED of the acceleration, with ramps of the jerk, ends at zero; close to the target, a decay that
    steps of h can follow.
    """
    jerk, brake = p[0]["leg_jerk"], PLANNED * p[0]["leg_acceleration"]
    quick = QUICK / h
    ramp = brake * brake / jerk
    if distance <= jerk / quick**3:
        return quick, quick
    if distance <= ramp * brake / jerk:
        per_second = (jerk / distance) ** (1.0 / 3.0)
        return per_second, 2.0 / 3.0 * per_second
    speed = math.sqrt(0.25 * ramp * ramp + 2.0 * brake * distance) - 0.5 * ramp
    if speed > CRUISE * p[0]["leg_speed"]:
        return CRUISE * p[0]["leg_speed"] / distance, 0.0
    return speed / distance, brake / (speed + 0.5 * ramp)


@inline
def _acceleration_for(p, gap, h):
    """Return the acceleration with which a difference in speed [m/s] decreases, per difference [1/s]."""
    if gap <= 0.0:
        return 0.0
    quick = 3.0 * QUICK / h
    jerk = RAMP * p[0]["leg_jerk"]
    return min(quick, math.sqrt(2.0 * jerk / gap), PUSH * p[0]["leg_acceleration"] / gap)


@kernel
def _clip(p, s, middles, h):
    """Place the trial velocity, limited by jerk, acceleration and speed of the legs, on the line from the velocity without jerk."""
    spacing, third = careful_spacing(s, h), careful_third(s, h)
    for i in range(6):
        s[0]["kept"][i] = s[0]["rates"][i] + middles * s[0]["accelerations"][i]
        s[0]["stop_pose"][i] = s[0]["pose"][i] + h * s[0]["kept"][i]
    place(p, s, h)
    leg_lengths(p, s[0]["stop_pose"], s[0]["kept_legs"])
    speed_limit = 0.999 * p[0]["leg_speed"]
    change_limit = 0.99 * p[0]["leg_acceleration"] * spacing
    jerk_limit = 0.99 * p[0]["leg_jerk"] * third * middles
    share = 1.0
    for i in range(6):
        now, same = s[0]["leg_speed"][i], s[0]["leg_acceleration"][i] * middles
        kept = (s[0]["kept_legs"][i] - s[0]["legs"][i]) / h
        change = (s[0]["trial_legs"][i] - s[0]["kept_legs"][i]) / h
        if change > 0.0:
            share = min(share, (min(now + min(same + jerk_limit, change_limit), speed_limit) - kept) / change)
        elif change < 0.0:
            share = min(share, (max(now + max(same - jerk_limit, -change_limit), -speed_limit) - kept) / change)
    share = max(0.0, share)
    if share < 1.0:
        for i in range(6):
            s[0]["trial"][i] = s[0]["kept"][i] + share * (s[0]["trial"][i] - s[0]["kept"][i])
        place(p, s, h)


@kernel
def _examine(p, s, h):
    """Return the length [s] of the stop curve after the tick that was placed, or the violated limit (-STROKE to -JERK); see the module docstring."""
    cause = _differ(p, s, h)
    if cause > 0:
        return -float(cause)
    middles, before = middles_apart(s, h), s[0]["last_step"]
    for i in range(6):
        acceleration = (s[0]["trial"][i] - s[0]["rates"][i]) / middles
        s[0]["trial_accelerations"][i] = acceleration
        s[0]["trial_rates"][i] = s[0]["trial"][i] + 0.5 * h * acceleration
    return stop_length(p, s, h, h + (before if before < math.inf else h))


@kernel
def _differ(p, s, h):
    """Return the limit (SPEED, ACCELERATION, JERK) that the differences of the legs up to the trial violate, or 0; set s.trial_leg_speed and
    s.trial_leg_acceleration."""
    middles, spacing, third = middles_apart(s, h), careful_spacing(s, h), careful_third(s, h)
    fastest, change, jerk = 0.0, 0.0, 0.0
    for i in range(6):
        speed, before = (s[0]["trial_legs"][i] - s[0]["legs"][i]) / h, s[0]["leg_acceleration"][i]
        more = speed - s[0]["leg_speed"][i]
        acceleration = more / middles
        fastest = max(fastest, abs(speed))
        change = max(change, abs(more))
        jerk = max(jerk, abs(acceleration - before), abs(more / spacing - before))
        s[0]["trial_leg_speed"][i] = speed + 0.5 * h * acceleration
        s[0]["trial_leg_acceleration"][i] = acceleration
    if not fastest <= (1.0 - RELATIVE) * p[0]["leg_speed"]:
        return SPEED
    if not change <= (1.0 - RELATIVE) * p[0]["leg_acceleration"] * spacing:
        return ACCELERATION
    return 0 if jerk <= (1.0 - RELATIVE) * p[0]["leg_jerk"] * third else JERK


@kernel
def _between_curve_and_trial(p, s, h):
    """Bisect a few times between the rejected trial and the stop curve; returns as `_examine`."""
    _advance_on_curve(s, h)
    for _ in range(HALVINGS):
        for i in range(6):
            s[0]["trial"][i] = 0.5 * (s[0]["trial"][i] + s[0]["kept"][i])
        place(p, s, h)
        length = _examine(p, s, h)
        if length >= 0.0:
            return length
    return -1.0


@kernel
def _take_with_curve(s, length, h):
    """Make the trial the commanded pose, and its stop curve the present stop curve."""
    accept_trial(s, h)
    for i in range(6):
        s[0]["curve_pose"][i] = s[0]["pose"][i]
        s[0]["curve_rates"][i] = s[0]["trial_rates"][i]
        s[0]["curve_accelerations"][i] = s[0]["trial_accelerations"][i]
    s[0]["curve_length"] = length
    s[0]["stop_time"] = length


@kernel
def _advance_on_curve(s, h):
    """Compute s.trial_pose and s.kept: the pose on the stop curve after h seconds, and the mean velocity to it."""
    curve_pose_at(s, s[0]["curve_length"] - s[0]["stop_time"] + h, s[0]["trial_pose"])
    for i in range(6):
        s[0]["kept"][i] = (s[0]["trial_pose"][i] - s[0]["pose"][i]) / h


@kernel
def brake_on_curve(p, s, h):
    """Run one tick along the stop curve; after a tick so long that an immediate stop is gentler than the curve, the platform stops at its pose."""
    s[0]["limited"] = 2
    _advance_on_curve(s, h)
    if h > s[0]["stop_time"] > 0.0 and _may_stop(p, s, h):
        _stop(s, h)
        return
    leg_lengths(p, s[0]["trial_pose"], s[0]["trial_legs"])
    for i in range(6):
        s[0]["trial"][i] = s[0]["kept"][i]
    s[0]["stop_time"] = max(0.0, s[0]["stop_time"] - h)
    accept_trial(s, h)


@kernel
def _may_stop(p, s, h):
    """Return True if h seconds at rest, and following ones, respect half the limits, as changes from middle to middle."""
    middles, third = middles_apart(s, h), third_of_steps(s, h)
    good = True
    for i in range(6):
        acceleration = -s[0]["leg_speed"][i] / middles
        good = good and abs(acceleration) <= 0.5 * min(p[0]["leg_acceleration"], p[0]["leg_jerk"] * h / 3.0)
        good = good and abs(acceleration - s[0]["leg_acceleration"][i]) <= 0.5 * p[0]["leg_jerk"] * third
    return good


@kernel
def _stop(s, h):
    """Stop the platform at its present pose for h seconds; the stop curve becomes this pose."""
    s[0]["stop_time"] = s[0]["curve_length"] = 0.0
    for i in range(6):
        s[0]["trial"][i] = s[0]["curve_rates"][i] = s[0]["curve_accelerations"][i] = 0.0
        s[0]["trial_pose"][i] = s[0]["curve_pose"][i] = s[0]["pose"][i]
        s[0]["trial_legs"][i] = s[0]["legs"][i]
    accept_trial(s, h)
