"""Ticks of a limiter whose legs have a largest jerk: the way to the pose asked for, and along the stop curve where there is none.

A tick is accepted that keeps all limits in the differences of the legs up to and with it, in which no step counts as longer than the present
one, and that can be continued by a stop curve (`washout.limiter.jerk_limited_stop`) that keeps them. First the pose asked for is tried; then a velocity
on the way to it, whose law does not ask for steps of the acceleration (`_steer`); then velocities between that and the stop curve accepted
last; and when none of them is accepted, the platform goes along that curve.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from washout.limiter.common import (
    RELATIVE,
    bring_into_stroke,
    careful_spacing,
    careful_third,
    middles_apart,
    place,
    place_at_target,
    take,
    third_of_steps,
)
from washout.limiter.jerk_limited_stop import ACCELERATION, JERK, SPEED, STROKE, curve_bend, curve_pose_at, stop_length
from washout.platform import leg_lengths

PLANNED = 0.5
"""1. Share of the leg acceleration used to approach a resting target. Larger: faster, but with less left for corrections."""

QUICK = 0.15
"""1. Share of the last bit of an error that goes in one tick of a platform with jerk. Larger: sooner there, nearer to trembling."""

CRUISE = 0.9
"""1. Share of the leg speed at which such a platform goes to a far target; the rest is for the end of its acceleration."""

BENT = 0.1
"""1. Share of the leg acceleration that the bend of the legs may take on the way to a far target. Larger: faster, with less to brake with."""

PUSH = 0.8
"""1. Share of the leg acceleration that it uses for it, so that there is a stop curve from everywhere."""

RAMP = 0.6
"""1. Share of the leg jerk that it uses to end an acceleration."""

LANDING = 0.3
"""1. Share of the leg jerk that may be left for the ticks after the legs have come to their target."""

NEAR, LONGEST_LANDING = 100.0, 25
"""1, 1. Errors from which the target can be reached within some ticks, in jerk x h^3, and how many ticks that may take."""

SPARED = 0.7
"""1. Share of the leg jerk that the way to a near target may take later on; the rest is for how the target itself moves."""

FOLLOWED = 2.0
"""1. A target whose legs accelerate by up to this multiple of the limit is followed as one that moves."""

HALVINGS = 4
"""1. Trials between a velocity that was refused and the stop curve."""


@kernel
def limit_on_curve(p, s, demand, h):
    """A tick towards `demand`; returns what stands against the pose asked for (STROKE, SPEED, ACCELERATION, JERK), or 0."""
    against = STROKE if _see_target(p, s, demand) else 0
    for i in range(6):
        s[0]["trial"][i] = (s[0]["target"][i] - s[0]["pose"][i]) / h
    place_at_target(s)
    stop_time = _examine(p, s, h) if _is_upon_target(p, s, h) else -float(_differ(p, s, h) or JERK)
    if stop_time < 0.0:
        against = against if against > 0 else int(-stop_time)
        if _land(p, s, h):
            stop_time = _examine(p, s, h)
        if stop_time < 0.0:
            _steer(p, s, h)
            stop_time = _examine(p, s, h)
        if stop_time < 0.0:
            stop_time = _between_curve_and_trial(p, s, h)
    _see_moved(s, h)
    if stop_time < 0.0:
        brake_on_curve(p, s, h)
    else:
        s[0]["limited"] = 1 if against > 0 else 0
        _take_with_curve(s, stop_time, h)
    return against


@kernel
def _is_upon_target(p, s, h):
    """Whether the legs may go to their target now and stay there: the two errors before would else be made up for by jerks after it."""
    allowed = LANDING * p[0]["leg_jerk"] * h * h * h
    good = True
    for i in range(6):
        error = s[0]["target_legs_before"][i] - s[0]["legs"][i]
        good = good and abs(error) <= allowed and abs(3.0 * error - s[0]["leg_errors"][0, i]) <= allowed
    return good


@kernel
def _land(p, s, h):
    """Place the trial on the shortest way that ends upon the target, moving as the target does, when that is a few ticks off; whether it is.

    With e the errors of the last three ticks, numbered 0, -1 and -2, the way that has none from tick n on is

        e(k) = (n - k)(n + 1 - k)(n + 2 - k) q(k),   q the parabola through e(k) / (n - k) / (n + 1 - k) / (n + 2 - k) at the three

    of which only e(1) is used; the next tick has a shorter way from there. Ticks have to be of one length for this.
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
                left = _error_left(1, n, error, s[0]["errors"][0, i], s[0]["errors"][1, i])
                s[0]["trial"][i] = (s[0]["target"][i] - left - s[0]["pose"][i]) / h
            place(p, s, h)
            return True
    return False


@kernel
def _lands_in(s, n, quantum, h):
    """Whether the legs keep their jerk on the way of n ticks: in the first of them, and with a reserve at the end and halfway."""
    half = (n + 3) // 2
    for i in range(6):
        e, d, c = s[0]["target_legs_before"][i] - s[0]["legs"][i], s[0]["leg_errors"][0, i], s[0]["leg_errors"][1, i]
        change = (s[0]["trial_leg_acceleration"][i] - s[0]["leg_acceleration"][i]) * h * h
        if abs(change - _error_left(1, n, e, d, c)) > 0.98 * quantum:
            return False
        end = _error_left(n - 1, n, e, d, c)
        later = _error_left(half, n, e, d, c) - _error_left(half - 3, n, e, d, c)
        later -= 3.0 * (_error_left(half - 1, n, e, d, c) - _error_left(half - 2, n, e, d, c))
        if max(abs(end), abs(later)) > SPARED * quantum:
            return False
    return True


@inline
def _error_left(k, n, e, d, c):
    """e(k) of `_land`; e, d, c: e(0), e(-1), e(-2)."""
    q = e / (n * (n + 1.0) * (n + 2.0))
    before = d / ((n + 1.0) * (n + 2.0) * (n + 3.0))
    first = c / ((n + 2.0) * (n + 3.0) * (n + 4.0))
    q_of_k = q + k * (q - before) + 0.5 * k * (k + 1.0) * (q - 2.0 * before + first)
    return (n - k) * (n + 1.0 - k) * (n + 2.0 - k) * q_of_k


@kernel
def _see_target(p, s, demand):
    """Bring the demand into the stroke and keep where the target was before; whether the target is not the demand."""
    for i in range(6):
        s[0]["target_before"][i] = s[0]["target"][i]
        s[0]["target_legs_before"][i] = s[0]["target_legs"][i]
    return bring_into_stroke(p, s, demand)


@kernel
def _see_moved(s, h):
    """Remember where the target was from the legs, and how it moved in this tick."""
    for i in range(6):
        s[0]["errors"][1, i], s[0]["errors"][0, i] = s[0]["errors"][0, i], s[0]["target_before"][i] - s[0]["pose"][i]
        s[0]["leg_errors"][1, i], s[0]["leg_errors"][0, i] = s[0]["leg_errors"][0, i], s[0]["target_legs_before"][i] - s[0]["legs"][i]
        s[0]["target_rates"][i] = (s[0]["target"][i] - s[0]["target_before"][i]) / h
        s[0]["target_leg_speed"][i] = (s[0]["target_legs"][i] - s[0]["target_legs_before"][i]) / h


@kernel
def _steer(p, s, h):
    """Place the trial that leads to the target within the limits of the legs: the error to it decays, at first as fast as they allow.

    The speed at which the error shall fall follows from the way, the acceleration from the difference in speed (`_speed_for`,
    `_acceleration_for`), and of that as much is taken as jerk, acceleration and speed of the legs allow. A target that moves within the limits
    is followed with its own velocity and acceleration, so that the error really comes to zero; one that does not, after a teleport
    for instance, counts as resting at its new place.
    """
    middles = middles_apart(s, h)
    follow = _moves_within(p, s, middles, h)
    way, gap = 0.0, 0.0
    for i in range(6):
        leg = (s[0]["target_legs_before"][i] if follow else s[0]["target_legs"][i]) - s[0]["legs"][i]
        way = max(way, abs(leg))
    per_second, slope = _speed_for(p, way, h)
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
    """Whether the target moved as legs can, in this tick and up to it."""
    within = True
    for i in range(6):
        speed = (s[0]["target_legs"][i] - s[0]["target_legs_before"][i]) / h
        within = within and abs(speed) <= p[0]["leg_speed"]
        within = within and abs(speed - s[0]["target_leg_speed"][i]) <= FOLLOWED * p[0]["leg_acceleration"] * middles
    return within


@inline
def _speed_for(p, way, h):
    """Speed at which a way [m] to go shall shrink, per way [1/s], and the slope of that law [1/s].

    Where braking at PLANNED of the acceleration, with ramps of the jerk, would take it to zero; nearer, a decay that steps of h can follow.
    """
    jerk, brake = p[0]["leg_jerk"], PLANNED * p[0]["leg_acceleration"]
    quick = QUICK / h
    ramp = brake * brake / jerk
    if way <= jerk / quick**3:
        return quick, quick
    if way <= ramp * brake / jerk:
        per_second = (jerk / way) ** (1.0 / 3.0)
        return per_second, 2.0 / 3.0 * per_second
    speed = math.sqrt(0.25 * ramp * ramp + 2.0 * brake * way) - 0.5 * ramp
    if speed > CRUISE * p[0]["leg_speed"]:
        return CRUISE * p[0]["leg_speed"] / way, 0.0
    return speed / way, brake / (speed + 0.5 * ramp)


@inline
def _acceleration_for(p, gap, h):
    """Acceleration with which a difference in speed [m/s] shall shrink, per difference [1/s]."""
    if gap <= 0.0:
        return 0.0
    quick = 3.0 * QUICK / h
    jerk = RAMP * p[0]["leg_jerk"]
    return min(quick, math.sqrt(2.0 * jerk / gap), PUSH * p[0]["leg_acceleration"] / gap)


@kernel
def _clip(p, s, middles, h):
    """Place the trial velocity, or as much of it, from the velocity without jerk on, as the legs' jerk, acceleration and speed allow."""
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
    """Length [s] of the stop curve after the tick that was placed, or what stands against it (-STROKE to -JERK); see the module's text."""
    against = _differ(p, s, h)
    if against > 0:
        return -float(against)
    middles, before = middles_apart(s, h), s[0]["last_step"]
    for i in range(6):
        acceleration = (s[0]["trial"][i] - s[0]["rates"][i]) / middles
        s[0]["trial_accelerations"][i] = acceleration
        s[0]["trial_rates"][i] = s[0]["trial"][i] + 0.5 * h * acceleration
    return stop_length(p, s, h, h + (before if before < math.inf else h))


@kernel
def _differ(p, s, h):
    """Which limit (SPEED, ACCELERATION, JERK) the differences of the legs up to the trial go beyond, or 0; s.trial_leg_speed and so on."""
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
    """Halve the way from the refused trial to the stop curve a few times; as `_examine`."""
    _keep_to_curve(s, h)
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
    """Make the trial the pose commanded, and the curve that was shown to end there the one to stop on."""
    take(s, h)
    for i in range(6):
        s[0]["curve_pose"][i] = s[0]["pose"][i]
        s[0]["curve_rates"][i] = s[0]["trial_rates"][i]
        s[0]["curve_accelerations"][i] = s[0]["trial_accelerations"][i]
    s[0]["curve_length"] = length
    s[0]["stop_time"] = length


@kernel
def _keep_to_curve(s, h):
    """s.trial_pose and s.kept: where the stop curve leads in h seconds, and the mean velocity on the way there."""
    curve_pose_at(s, s[0]["curve_length"] - s[0]["stop_time"] + h, s[0]["trial_pose"])
    for i in range(6):
        s[0]["kept"][i] = (s[0]["trial_pose"][i] - s[0]["pose"][i]) / h


@kernel
def brake_on_curve(p, s, h):
    """One tick along the stop curve; after a tick so long that standing still is gentler than the curve, the platform stands where it is."""
    s[0]["limited"] = 2
    _keep_to_curve(s, h)
    if h > s[0]["stop_time"] > 0.0 and _may_stand(p, s, h):
        _stand(s, h)
        return
    leg_lengths(p, s[0]["trial_pose"], s[0]["trial_legs"])
    for i in range(6):
        s[0]["trial"][i] = s[0]["kept"][i]
    s[0]["stop_time"] = max(0.0, s[0]["stop_time"] - h)
    take(s, h)


@kernel
def _may_stand(p, s, h):
    """Whether h seconds without any motion, and more of them, keep to half the limits, as changes from middle to middle."""
    middles, third = middles_apart(s, h), third_of_steps(s, h)
    good = True
    for i in range(6):
        acceleration = -s[0]["leg_speed"][i] / middles
        good = good and abs(acceleration) <= 0.5 * min(p[0]["leg_acceleration"], p[0]["leg_jerk"] * h / 3.0)
        good = good and abs(acceleration - s[0]["leg_acceleration"][i]) <= 0.5 * p[0]["leg_jerk"] * third
    return good


@kernel
def _stand(s, h):
    """The platform has stood for h seconds, and its stop curve is where it stands."""
    s[0]["stop_time"] = s[0]["curve_length"] = 0.0
    for i in range(6):
        s[0]["trial"][i] = s[0]["curve_rates"][i] = s[0]["curve_accelerations"][i] = 0.0
        s[0]["trial_pose"][i] = s[0]["curve_pose"][i] = s[0]["pose"][i]
        s[0]["trial_legs"][i] = s[0]["legs"][i]
    take(s, h)
