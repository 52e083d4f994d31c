"""Envelope limiter, the final stage before the legs. For any demand, the legs stay within the limits of stroke, speed,
acceleration and jerk.

The limiter does not depend on the washout. In each tick it gets a demanded pose and returns the pose that the platform takes one tick later:
the demanded pose if all six legs can follow, otherwise the nearest pose on the path to it. The platform therefore always moves
as a rigid body, and the legs are the inverse kinematics of a pose.

Proof of feasibility: a new pose velocity is accepted only together with a *stop plan*, a motion in pose space on which the velocity falls to
zero and on which all legs are shown to stay within their limits. If nothing better is accepted in the next tick, the platform advances one step
along the plan. There is therefore always a feasible next step. Steps may have different lengths, such as those of a servo driven by the wall clock.

There are two stop plans, each with its proof and its control law:

    `washout.limiter.acceleration_limited_stop`    a straight line with constant deceleration, for legs without a jerk limit
    `washout.limiter.jerk_limited_stop`            a curve with continuous acceleration, for legs with a jerk limit (`leg_jerk` of the
                                                   platform file); `washout.limiter.jerk_limited_tick` applies it
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from washout.limiter.acceleration_limited_stop import brake_on_line, limit_on_line
from washout.limiter.jerk_limited_stop import CURVE
from washout.limiter.jerk_limited_tick import brake_on_curve, limit_on_curve
from washout.platform import leg_lengths

LIMITER = (
    # name                  shape  unit            description
    ("pose", (6,), "m, rad", "commanded pose: x, y, z, roll, pitch, yaw of P in N"),
    ("rates", (6,), "m/s, rad/s", "backward difference of the pose"),
    ("legs", (6,), "m", "commanded leg lengths, inverse kinematics of the pose"),
    ("leg_speed", (6,), "m/s", "backward difference of the legs"),
    (
        "leg_acceleration",
        (6,),
        "m/s2",
        "change of the leg speeds over the time from the middle of the last step to the middle of this step",
    ),
    ("stop_time", (), "s", "remaining time of the stop plan"),
    ("last_step", (), "s", "length of the last step; infinite before the first step, which then counts as one of equal steps"),
    ("limited", (), "1", "0 the requested pose, 1 on the path to it, 2 braking along the stop plan", "i8"),
    ("refused", (), "1", "number of demands that were not finite", "i8"),
    ("target", (6,), "m, rad", "requested pose, limited to the stroke"),
    ("target_legs", (6,), "m", "leg lengths of the target"),
    ("wanted", (6,), "m/s, rad/s", "work: pose velocity that leads to the target"),
    ("trial", (6,), "m/s, rad/s", "work: pose velocity under examination"),
    ("trial_pose", (6,), "m, rad", "work: pose one tick later"),
    ("trial_legs", (6,), "m", "work: leg lengths of trial_pose"),
    ("stop_pose", (6,), "m, rad", "work: end of a stop plan"),
    ("stop_legs", (6,), "m", "work: leg lengths of stop_pose"),
    ("limit_ticks", (), "1", "number of steps towards a demand", "i8"),
    ("interventions", (4,), "1", "number of steps that did not take the requested pose, due to stroke, speed, acceleration, jerk", "i8"),
    ("target_rates", (6,), "m/s, rad/s", "backward difference of the target"),
    ("target_leg_speed", (6,), "m/s", "backward difference of the legs of the target"),
    ("errors", (2, 6), "m, rad", "errors of the pose relative to its target before the last two ticks"),
    ("leg_errors", (2, 6), "m", "errors of the legs relative to their target before the last two ticks"),
    ("target_before", (6,), "m, rad", "work: target of the previous tick"),
    ("target_legs_before", (6,), "m", "work: leg lengths of the previous target"),
    ("kept_legs", (6,), "m", "work: leg lengths after a tick without jerk"),
    *CURVE,
)

KINDS = ("stroke", "speed", "acceleration", "jerk")
"""Kinds of `interventions`, in their order."""


def limiter(p: Record, pose: np.ndarray | None = None) -> Record:
    """Return the LIMITER state at rest at `pose` (6,) [m, rad] (default: parked), for the HEXAPOD record `p`."""
    s = record(LIMITER)
    if pose is None:
        s[0]["pose"][2] = p[0]["park_height"]
    else:
        s[0]["pose"] = pose
    s[0]["target"] = s[0]["pose"]
    leg_lengths(p, s[0]["pose"], s[0]["legs"])
    s[0]["target_legs"] = s[0]["legs"]
    s[0]["curve_pose"] = s[0]["pose"]
    s[0]["last_step"] = s[0]["step_before"] = math.inf
    return s


@kernel
def limit_step(p, s, demand, h):
    """Run one tick of h seconds towards the pose `demand` (6,) [m, rad]; `p` HEXAPOD, `s` LIMITER. Any numbers are permitted in `demand`."""
    s[0]["limit_ticks"] += 1
    cause = limit_on_curve(p, s, demand, h) if p[0]["leg_jerk"] < math.inf else limit_on_line(p, s, demand, h)
    if cause > 0:
        s[0]["interventions"][cause - 1] += 1


@kernel
def brake_step(p, s, h):
    """Run one tick of h seconds along the last accepted stop plan: the platform comes to rest and stays there."""
    if p[0]["leg_jerk"] < math.inf:
        brake_on_curve(p, s, h)
    else:
        brake_on_line(p, s, h)


def interventions(s: Record) -> dict[str, int]:
    """Return the number of ticks in the LIMITER record `s`, and the numbers of ticks that did not take the requested pose, by KINDS."""
    return {"ticks": int(s[0]["limit_ticks"]), **dict(zip(KINDS, s[0]["interventions"].tolist(), strict=True))}


def interventions_text(counts: Mapping[str, int]) -> str:
    """Return the counts of `interventions` as a sentence."""
    active = {kind: counts[kind] for kind in KINDS if counts[kind]}
    if not active:
        return "the leg limiter never acted"
    percentage = 100.0 * sum(active.values()) / counts["ticks"]
    return f"the leg limiter acted in {percentage:.2g} % of the ticks: " + ", ".join(
        f"{count} for {kind}" for kind, count in active.items()
    )
