"""Envelope limiter: the last word before the legs. Whatever is asked, the legs stay within stroke, speed,
acceleration and jerk.

It knows nothing of the washout. Each tick it is asked for a pose and answers with the pose the platform is to take one tick later:
the pose asked for whenever all six legs can follow, otherwise the nearest one on the way to it, so that the platform always moves
as a rigid body and the legs are the inverse kinematics of a pose.

Why it cannot fail: a new pose velocity is accepted only together with a *stop plan*, a motion in pose space on which the velocity falls to
zero and on which every leg is shown to stay within its limits. If nothing better is accepted in the next tick, the platform goes one step
further along the plan. So there is always a next step. Steps may differ in length, as those of a servo that goes by the wall clock do.

There are two such plans, each with its proof and its law of aim:

    `washout.limiter.acceleration_limited_stop`    a straight line at constant deceleration, for legs without a largest jerk
    `washout.limiter.jerk_limited_stop`   a curve on which the acceleration does not step either, for those that have one (`leg_jerk` of the platform's file);
                           `washout.limiter.jerk_limited_tick` has what is done with it
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
    ("limit_ticks", (), "1", "steps towards a demand, so far", "i8"),
    ("interventions", (4,), "1", "of these, steps that did not take the pose asked for: for its stroke, speed, acceleration, jerk", "i8"),
    ("target_rates", (6,), "m/s, rad/s", "backward difference of the target"),
    ("target_leg_speed", (6,), "m/s", "backward difference of its legs"),
    ("errors", (2, 6), "m, rad", "what the pose lacked of its target before the last tick, and before the one before"),
    ("leg_errors", (2, 6), "m", "the same of the legs"),
    ("target_before", (6,), "m, rad", "work: the target of the tick before"),
    ("target_legs_before", (6,), "m", "work: its leg lengths"),
    ("kept_legs", (6,), "m", "work: leg lengths after a tick without jerk"),
    *CURVE,
)

KINDS = ("stroke", "speed", "acceleration", "jerk")
"""What `interventions` counts, in its order."""


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
    s[0]["curve_pose"] = s[0]["pose"]
    s[0]["last_step"] = s[0]["step_before"] = math.inf
    return s


@kernel
def limit_step(p, s, demand, h):
    """One tick of h seconds towards the pose `demand` (6,) [m, rad]; `p` HEXAPOD, `s` LIMITER. Any numbers are allowed in `demand`."""
    s[0]["limit_ticks"] += 1
    against = limit_on_curve(p, s, demand, h) if p[0]["leg_jerk"] < math.inf else limit_on_line(p, s, demand, h)
    if against > 0:
        s[0]["interventions"][against - 1] += 1


@kernel
def brake_step(p, s, h):
    """One tick of h seconds along the stop plan accepted last: the platform comes to rest where it can, and stays there."""
    if p[0]["leg_jerk"] < math.inf:
        brake_on_curve(p, s, h)
    else:
        brake_on_line(p, s, h)


def interventions(s: Record) -> dict[str, int]:
    """Of the LIMITER record `s`: its ticks, and of them those that did not take the pose asked for, by AXLE_KINDS."""
    return {"ticks": int(s[0]["limit_ticks"]), **dict(zip(KINDS, s[0]["interventions"].tolist(), strict=True))}


def interventions_text(counts: Mapping[str, int]) -> str:
    """The same in words."""
    acted = {kind: counts[kind] for kind in KINDS if counts[kind]}
    if not acted:
        return "the limiter of the legs never acted"
    share = 100.0 * sum(acted.values()) / counts["ticks"]
    return f"the limiter of the legs acted in {share:.2g} % of the ticks: " + ", ".join(
        f"{count} for {kind}" for kind, count in acted.items()
    )
