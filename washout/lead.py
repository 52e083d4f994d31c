"""Lead: the pose is commanded ahead, so that the platform behind its actuators is nearer to where it was asked to be.

The poles of the actuators' lag (`washout.actuators`), with w and z of the file, are replaced by faster ones:

    commanded / asked = (s^2 + 2 z w s + w^2) / (s^2 + 2 d c s + c^2)  c^2 / w^2        c = FASTER w
    platform / asked  = exp(-delay s) c^2 / (s^2 + 2 d c s + c^2)

so the platform never moves more than it was asked to. The delay stays: foretelling a motion by its rates makes the fast ones too large, and
over 0 to 10 Hz the rider would be further from the car for most platforms. The limiter comes after the lead and has the last word: where the legs cannot
follow, the platform stays late.
"""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from washout.actuators import lag, natural_frequency

FASTER = 2.5
"""1. Its square is how much larger than asked the fastest motion is commanded. Larger: less late, but more of noise, and of limits met."""

DAMPING = math.sqrt(0.5)
"""1. Of the faster lag: the least at which nothing is commanded so that the platform overshoots (gain at most 1)."""

LEAD = (
    # name           shape   unit     what it is
    ("leads", (), "1", "1 when the pose is commanded ahead", "i8"),
    ("lead_time", (), "s", "by which a pose that moves steadily is commanded ahead"),
    ("lead_behind", (), "s", "by which the filter's own pose is late then"),
    ("lead_weights", (2,), "1, s", "of the filter's way to what is asked for and of its rate, beside what is asked for"),
    ("lead_A", (2, 2), "mixed", "the filter's way to what is asked for, and its rate, after a tick from those before"),
    ("lead_b", (2,), "mixed", "and from the change of what is asked for"),
)

LEAD_STATE = (
    # name          shape   unit            what it is
    ("lead_off", (6,), "m, rad", "the filter's pose less what is asked for"),
    ("lead_rates", (6,), "m/s, rad/s", "its rates"),
    ("lead_asked", (6,), "m, rad", "pose asked for, last tick"),
)


def lead(bandwidth: float, damping: float, h: float, p: Record | None = None) -> Record:
    """Record for ticks of h [s] and actuators of a bandwidth [rad/s], 0: none; `p` is one to fill that has the fields of LEAD."""
    p = record(LEAD) if p is None else p
    if bandwidth == 0.0:
        return p
    w = natural_frequency(bandwidth, damping)
    c = FASTER * w
    p[0]["leads"] = 1
    p[0]["lead_behind"] = 2.0 * DAMPING / c
    p[0]["lead_time"] = 2.0 * damping / w - 2.0 * DAMPING / c
    # x + (2 z / w) x' + x'' / w^2 of the filter's pose x, where x'' = -c^2 off - 2 d c x'
    p[0]["lead_weights"] = (1.0 - FASTER * FASTER, 2.0 * damping / w - 2.0 * DAMPING * c / (w * w))
    p[0]["lead_A"], p[0]["lead_b"] = lag(c, DAMPING, h)
    return p


@kernel
def rest_lead(p, s, pose, rates):
    """The filter as if `pose` (6,) had come steadily at `rates` (6,) for ever; `p` LEAD, `s` LEAD_STATE."""
    for j in range(6):
        s[0]["lead_asked"][j] = pose[j]
        s[0]["lead_rates"][j] = rates[j]
        s[0]["lead_off"][j] = -p[0]["lead_behind"] * rates[j]


@kernel
def lead_step(p, s, asked):
    """One tick: `asked` (6,) [m, rad] becomes what is to be commanded; `p` LEAD, `s` LEAD_STATE."""
    A, b, weights, q = p[0]["lead_A"], p[0]["lead_b"], p[0]["lead_weights"], s[0]
    for j in range(6):
        off, v, change = q["lead_off"][j], q["lead_rates"][j], asked[j] - q["lead_asked"][j]
        q["lead_off"][j] = A[0, 0] * off + A[0, 1] * v + b[0] * change
        q["lead_rates"][j] = A[1, 0] * off + A[1, 1] * v + b[1] * change
        q["lead_asked"][j] = asked[j]
        asked[j] += weights[0] * q["lead_off"][j] + weights[1] * q["lead_rates"][j]
