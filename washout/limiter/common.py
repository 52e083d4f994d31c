"""Common functions of both stop plans of the limiter: steps of any length, the tick under examination, and the demand limited to the stroke."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from washout.platform import LARGEST_ANGLE, leg_lengths

RELATIVE = 1e-6
"""1. Limits are reduced by this fraction, so that differences of rounded lengths still obey them."""

GRAIN = 1e-12
"""m. Accuracy with which the leg of a scaled demand meets its stroke_margin. Larger: faster, but the resulting steps jolt the legs."""

LARGEST_SEARCH = 60
"""1. Maximum number of iterations of the search; about ten are needed."""


@kernel
def careful_spacing(s, h):
    """Return the time [s] from the middle of the last step to the middle of a step of h seconds; the last step counts at most h."""
    return 0.5 * (h + min(h, s[0]["last_step"]))


@kernel
def middles_apart(s, h):
    """Return the time [s] from the middle of the last step to the middle of a step of h seconds."""
    before = s[0]["last_step"]
    return 0.5 * (h + (before if before < math.inf else h))


@inline
def careful_third(s, h):
    """Return a third [s] of the sum of the last two steps and a step of h seconds; earlier steps count at most h each."""
    return (h + min(h, s[0]["last_step"]) + min(h, s[0]["step_before"])) / 3.0


@inline
def third_of_steps(s, h):
    """Return a third [s] of the sum of the last two steps and a step of h seconds, the time over which accelerations change."""
    before, first = s[0]["last_step"], s[0]["step_before"]
    return (h + (before if before < math.inf else h) + (first if first < math.inf else h)) / 3.0


@kernel
def place(p, s, h):
    """Compute pose and legs after a tick at the velocity s.trial."""
    for i in range(6):
        s[0]["trial_pose"][i] = s[0]["pose"][i] + h * s[0]["trial"][i]
    leg_lengths(p, s[0]["trial_pose"], s[0]["trial_legs"])


@kernel
def place_at_target(s):
    """Set pose and legs of the trial to the target, whose legs are known."""
    for i in range(6):
        s[0]["trial_pose"][i] = s[0]["target"][i]
        s[0]["trial_legs"][i] = s[0]["target_legs"][i]


@kernel
def accept_trial(s, h):
    """Make the trial the commanded pose."""
    middles = middles_apart(s, h)
    third = third_of_steps(s, h)
    s[0]["step_before"] = s[0]["last_step"]
    s[0]["last_step"] = h
    for i in range(6):
        s[0]["accelerations"][i] = (s[0]["trial"][i] - s[0]["rates"][i]) / middles
        s[0]["rates"][i] = s[0]["trial"][i]
        s[0]["pose"][i] = s[0]["trial_pose"][i]
        speed = (s[0]["trial_legs"][i] - s[0]["legs"][i]) / h
        acceleration = (speed - s[0]["leg_speed"][i]) / middles
        s[0]["leg_jerk"][i] = (acceleration - s[0]["leg_acceleration"][i]) / third
        s[0]["leg_acceleration"][i] = acceleration
        s[0]["leg_speed"][i] = speed
        s[0]["legs"][i] = s[0]["trial_legs"][i]


@kernel
def bring_into_stroke(p, s, demand):
    """Compute s.target and s.target_legs: the demand, or the nearest pose on the line to neutral whose legs respect the stroke margins.

    A demand with a number that is not finite is rejected: the target is unchanged. Return True if the target differs from the demand.
    """
    for i in range(6):
        if not abs(demand[i]) < math.inf:
            s[0]["refused"] += 1
            return True
    travel = p[0]["longest_leg"]
    for i in range(6):
        bound = travel if i < 3 else LARGEST_ANGLE
        s[0]["stop_pose"][i] = min(bound, max(-bound, demand[i]))
        s[0]["target"][i] = s[0]["stop_pose"][i]
    if _within_stroke_margins(p, s):
        return not _is_target(s, demand)
    _shrink_into_stroke(p, s)
    return True


@inline
def _is_target(s, demand):
    """Return True if the target equals the demand."""
    same = True
    for i in range(6):
        same = same and s[0]["target"][i] == demand[i]
    return same


@kernel
def _within_stroke_margins(p, s):
    """Compute s.target_legs; return True if the legs of s.target respect the stroke margins."""
    leg_lengths(p, s[0]["target"], s[0]["target_legs"])
    for i in range(6):
        leg = s[0]["target_legs"][i]
        if not p[0]["shortest_leg"] + p[0]["stroke_margin"] <= leg <= p[0]["longest_leg"] - p[0]["stroke_margin"]:
            return False
    return True


@kernel
def _shrink_into_stroke(p, s):
    """Compute s.target: the pose s.stop_pose, which is outside, times the fraction at which the first leg reaches its stroke_margin.

    Uses false position with the Illinois rule (the weight of a repeated end is halved): about ten iterations instead of forty bisections.
    """
    inside, outside = 0.0, 1.0
    neutral, shortest, longest = (
        p[0]["neutral_leg"],
        p[0]["shortest_leg"] + p[0]["stroke_margin"],
        p[0]["longest_leg"] - p[0]["stroke_margin"],
    )
    clearance, excess = min(longest - neutral, neutral - shortest), _excess(p, s)
    repeated = 0
    for k in range(LARGEST_SEARCH):
        share = inside + (outside - inside) * (clearance / (clearance + excess) if k % 4 < 3 else 0.5)
        beyond = _beyond(p, s, share) + 0.5 * GRAIN
        if beyond > 0.0:
            outside, excess = share, beyond
            clearance *= 0.5 if repeated == 1 else 1.0
            repeated = 1
        else:
            if beyond >= -0.5 * GRAIN:
                return
            inside, clearance = share, -beyond
            excess *= 0.5 if repeated == -1 else 1.0
            repeated = -1
    _beyond(p, s, inside)


@kernel
def _beyond(p, s, share):
    """Return the maximum excess [m] of a leg over its stroke_margin, negative if all are within, for `share` times the pose s.stop_pose."""
    for i in range(6):
        s[0]["target"][i] = share * s[0]["stop_pose"][i]
    leg_lengths(p, s[0]["target"], s[0]["target_legs"])
    return _excess(p, s)


@kernel
def _excess(p, s):
    """Return the maximum excess [m] of a leg of s.target over its stroke_margin."""
    shortest, longest = p[0]["shortest_leg"] + p[0]["stroke_margin"], p[0]["longest_leg"] - p[0]["stroke_margin"]
    beyond = -math.inf
    for i in range(6):
        leg = s[0]["target_legs"][i]
        beyond = max(beyond, leg - longest, shortest - leg)
    return beyond
