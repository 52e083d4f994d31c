"""Lead compensation: the pose is commanded ahead of time, so that the platform behind its actuators is closer to the requested pose.

The poles of the lag of the actuators (`washout.actuators`), with w and z of the file, are replaced by those of a smoother and faster lag:

    commanded / requested = (s^2 + 2 z w s + w^2) / w^2 B(s T)          B(x) = 105 / (x^4 + 10 x^3 + 45 x^2 + 105 x + 105)
    platform / requested  = exp(-delay s) B(s T),    T = BEHIND / w     Bessel filter: delay T with equal shape, gain at most 1

so the platform never moves more than requested. B is of fourth order, because the lead differentiates twice. If the requested acceleration steps, as that
of a tilt that reaches its rate, or of a tire at an edge, the commanded acceleration is still continuous. Its jerk is finite: at most
4 w per m/s2 of the step, which actuators of this bandwidth can follow. With a second-order lag, 2.5 times as fast
as the actuators, the commanded acceleration stepped by 6.25 times the step, and the legs needed 8 to 14 km/s3.

The delay remains: a prediction of the motion from its rates makes fast motions too large, and over 0 to 10 Hz the rider's motion would differ more from
that of the car for most platforms. The limiter acts after the lead: where the legs cannot follow, the platform stays late.
"""

from __future__ import annotations

import numpy as np

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from washout.actuators import natural_frequency
from washout.discrete_filter import discrete

BEHIND = 1.2
"""1. Delay of the filter times w. Less: less delay, but the commanded jerk grows with its third power: at 1.0 the limiter acts in 3 to 8 % of the ticks
across country, at 1.2 in 0.1 to 1 %."""

BESSEL = np.array([105.0, 105.0, 45.0, 10.0])
"""Coefficients of the Bessel polynomial of fourth order, constant first, with 1 for s^4: Thomson, Delay networks having maximally flat frequency
characteristics, 1949."""

LEAD = (
    # name           shape   unit     description
    ("leads", (), "1", "1 if the pose is commanded ahead", "i8"),
    ("lead_time", (), "s", "lead of the commanded pose in steady motion"),
    ("lead_behind", (), "s", "delay of the pose of the filter"),
    ("lead_weights", (2,), "s, s2", "weights of the rate and acceleration of the filter, in addition to its pose"),
    ("lead_A", (4, 4), "mixed", "matrix from error, rate, acceleration and jerk of the filter before to those after a tick"),
    ("lead_b", (4,), "mixed", "weights of the change of the requested pose"),
)

LEAD_STATE = (
    # name          shape   unit            description
    ("lead_states", (6, 4), "mixed", "per axis: filter pose minus requested pose, rate, acceleration and jerk"),
    ("lead_request", (6,), "m, rad", "requested pose, previous tick"),
)


def lead(bandwidth: float, damping: float, h: float, p: Record | None = None) -> Record:
    """Build the record for ticks of h [s] and actuators of a bandwidth [rad/s], 0: none; `p` is a record to fill that has the fields of LEAD."""
    p = record(LEAD) if p is None else p
    if bandwidth == 0.0:
        return p
    w = natural_frequency(bandwidth, damping)
    behind = BEHIND / w
    p[0]["leads"] = 1
    p[0]["lead_behind"] = behind
    p[0]["lead_time"] = 2.0 * damping / w - behind
    p[0]["lead_weights"] = (2.0 * damping / w, 1.0 / (w * w))
    # (e, v, a, j)' = M (e, v, a, j) - (u', 0, 0, 0) with e = x - u and u' constant during a tick: at rest, the state is constant to the last bit
    M = np.eye(4, k=1)
    M[3] = -BESSEL / behind ** np.arange(4, 0, -1)
    p[0]["lead_A"], weights = discrete(M, [-1.0, 0.0, 0.0, 0.0], h)
    p[0]["lead_b"] = weights.sum(axis=1) / h
    return p


@kernel
def rest_lead(p, s, pose, rates):
    """Set the filter to a steady motion to `pose` (6,) with `rates` (6,); `p` LEAD, `s` LEAD_STATE."""
    for j in range(6):
        s[0]["lead_request"][j] = pose[j]
        s[0]["lead_states"][j, 0] = -p[0]["lead_behind"] * rates[j]
        s[0]["lead_states"][j, 1] = rates[j]
        s[0]["lead_states"][j, 2] = s[0]["lead_states"][j, 3] = 0.0


@kernel
def lead_step(p, s, requested):
    """Run one tick: replace the requested pose `requested` (6,) [m, rad] by the pose to command; `p` LEAD, `s` LEAD_STATE."""
    A, b, weights, q = p[0]["lead_A"], p[0]["lead_b"], p[0]["lead_weights"], s[0]["lead_states"]
    for j in range(6):
        e, v, a, jerk = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
        change = requested[j] - s[0]["lead_request"][j]
        for k in range(4):
            q[j, k] = A[k, 0] * e + A[k, 1] * v + A[k, 2] * a + A[k, 3] * jerk + b[k] * change
        s[0]["lead_request"][j] = requested[j]
        requested[j] += q[j, 0] + weights[0] * q[j, 1] + weights[1] * q[j, 2]
