"""Lead: the pose is commanded ahead, so that the platform behind its actuators is nearer to where it was asked to be.

The poles of the actuators' lag (`washout.actuators`), with w and z of the file, are replaced by those of a smoother and faster lag:

    commanded / asked = (s^2 + 2 z w s + w^2) / w^2 B(s T)          B(x) = 105 / (x^4 + 10 x^3 + 45 x^2 + 105 x + 105)
    platform / asked  = exp(-delay s) B(s T),    T = BEHIND / w     Bessel's filter: late by T and of the same shape, gain at most 1

so the platform never moves more than it was asked to. B is of fourth order because the lead differentiates twice: where the acceleration asked for steps, as
that of a tilt does when it reaches its rate, or where a tire meets an edge, the acceleration commanded still bends, and its jerk is finite:
4 w per m/s2 of the step at most, of the size with which actuators of this bandwidth build up force. With a lag of second order, 2.5 times as fast
as the actuators, the acceleration commanded stepped by 6.25 of it, and legs were asked for 8 to 14 km/s3.

The delay stays: foretelling a motion by its rates makes the fast ones too large, and over 0 to 10 Hz the rider would be further from the car for most
platforms. The limiter comes after the lead and has the last word: where the legs cannot follow, the platform stays late.
"""

from __future__ import annotations

import numpy as np

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from washout.actuators import natural_frequency
from washout.discrete_filter import discrete

BEHIND = 1.2
"""1. Delay of the filter times w. Less: less late, but the jerk commanded grows with its third power: at 1.0 the limiter acts in 3 to 8 % of the ticks
across country, at 1.2 in 0.1 to 1 %."""

BESSEL = np.array([105.0, 105.0, 45.0, 10.0])
"""Coefficients of Bessel's polynomial of fourth order, constant first, that of s^4 being 1: Thomson, Delay networks having maximally flat frequency
characteristics, 1949."""

LEAD = (
    # name           shape   unit     what it is
    ("leads", (), "1", "1 when the pose is commanded ahead", "i8"),
    ("lead_time", (), "s", "by which a pose that moves steadily is commanded ahead"),
    ("lead_behind", (), "s", "by which the filter's own pose is late then"),
    ("lead_weights", (2,), "s, s2", "of the filter's rate and acceleration, beside its pose"),
    ("lead_A", (4, 4), "mixed", "the filter's way to what is asked for, its rate, acceleration and jerk, after a tick from those before"),
    ("lead_b", (4,), "mixed", "and from the change of what is asked for"),
)

LEAD_STATE = (
    # name          shape   unit            what it is
    ("lead_states", (6, 4), "mixed", "per axis: the filter's pose less what is asked for, its rate, acceleration and jerk"),
    ("lead_asked", (6,), "m, rad", "pose asked for, last tick"),
)


def lead(bandwidth: float, damping: float, h: float, p: Record | None = None) -> Record:
    """Record for ticks of h [s] and actuators of a bandwidth [rad/s], 0: none; `p` is one to fill that has the fields of LEAD."""
    p = record(LEAD) if p is None else p
    if bandwidth == 0.0:
        return p
    w = natural_frequency(bandwidth, damping)
    behind = BEHIND / w
    p[0]["leads"] = 1
    p[0]["lead_behind"] = behind
    p[0]["lead_time"] = 2.0 * damping / w - behind
    p[0]["lead_weights"] = (2.0 * damping / w, 1.0 / (w * w))
    # (e, v, a, j)' = M (e, v, a, j) - (u', 0, 0, 0) with e = x - u and u' the same all through a tick: at rest still to the last bit
    M = np.eye(4, k=1)
    M[3] = -BESSEL / behind ** np.arange(4, 0, -1)
    p[0]["lead_A"], weights = discrete(M, [-1.0, 0.0, 0.0, 0.0], h)
    p[0]["lead_b"] = weights.sum(axis=1) / h
    return p


@kernel
def rest_lead(p, s, pose, rates):
    """The filter as if `pose` (6,) had come steadily at `rates` (6,) for ever; `p` LEAD, `s` LEAD_STATE."""
    for j in range(6):
        s[0]["lead_asked"][j] = pose[j]
        s[0]["lead_states"][j, 0] = -p[0]["lead_behind"] * rates[j]
        s[0]["lead_states"][j, 1] = rates[j]
        s[0]["lead_states"][j, 2] = s[0]["lead_states"][j, 3] = 0.0


@kernel
def lead_step(p, s, asked):
    """One tick: `asked` (6,) [m, rad] becomes what is to be commanded; `p` LEAD, `s` LEAD_STATE."""
    A, b, weights, q = p[0]["lead_A"], p[0]["lead_b"], p[0]["lead_weights"], s[0]["lead_states"]
    for j in range(6):
        e, v, a, jerk = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
        change = asked[j] - s[0]["lead_asked"][j]
        for k in range(4):
            q[j, k] = A[k, 0] * e + A[k, 1] * v + A[k, 2] * a + A[k, 3] * jerk + b[k] * change
        s[0]["lead_asked"][j] = asked[j]
        asked[j] += q[j, 0] + weights[0] * q[j, 1] + weights[1] * q[j, 2]
