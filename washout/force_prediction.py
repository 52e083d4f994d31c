"""Foresight: the force that the head will feel when the platform has come, foretold from what it feels now.

A platform is late by its actuators' delay and by the filter of its lead, some 30 ms in all. Of what is faster than 3 Hz that is a tenth of a period and more, and
on rough ground half of the force is as fast. A body on springs does not feel at random, though: where it turns, the force at the head changes next. So

    f+ = f + sum_k a_k r_k(f) + sum_k b_k r_k(w)        f: force along an axis of the head, w: the rate of the rotation that goes with it

with surge and pitch, sway and roll (a car is alike on both sides, so there is nothing else in first order but heave and yaw, which add little), and

    r_0 = s / (s + c) u,    r_k = a / (s + a) ((a - s) / (s + a))^(k - 1) r_0,   k = 1 to 3        c = SLOW, a: `foresight_frequency`

r_0 is nothing of what lasts, so that what is slow is shown as without, and the others are Laguerre's functions: with more of them any stable filter can be
made, and few make a predictor of some tens of milliseconds. How the numbers a_k and b_k are found stands in docs/washouts.md.

Source: Wiener, Extrapolation, interpolation, and smoothing of stationary time series, 1949; Wahlberg, System identification using Laguerre models,
IEEE Trans. Automatic Control 36, 1991.
"""

from __future__ import annotations

import numpy as np

from simulator.base.jit import inline
from washout.discrete_filter import discrete

TERMS = 4
"""1. r_0 to r_3."""

SLOW = 10.0
"""rad/s. What is slower is not foretold: it is hardly late."""

FORESIGHT_SETTINGS = (
    # name                  shape       unit    what it is
    ("foresight_frequency", (), "rad/s", "frequency of the filters that foretell the force"),
    ("foresight_force", (2, TERMS), "1", "what is added to the force of surge, of sway, of its own r_0 to r_3"),
    ("foresight_rate", (2, TERMS), "m/s", "and of those of the rate of pitch, of roll"),
)

FORESIGHT_RANGES = {"foresight_frequency": (1.0, 200.0), "foresight_force": (-10.0, 10.0), "foresight_rate": (-100.0, 100.0)}

FORESIGHT_DEFAULTS = {"foresight_frequency": 40.0, "foresight_force": ((0.0,) * TERMS,) * 2, "foresight_rate": ((0.0,) * TERMS,) * 2}

FORESIGHT = (
    # name            shape           unit   what it is
    ("foresight_A", (TERMS, TERMS), "1", "slow part and r_1 to r_3 after a tick from those before"),
    ("foresight_b", (TERMS, 2), "1", "and from the inputs before and after"),
)

FORESIGHT_STATE = (
    # name          shape        unit               what it is
    ("past", (4, TERMS), "m/s2, rad/s", "slow part and r_1 to r_3 of the forces of surge and sway and of the rates of pitch and roll"),
    ("past_in", (4,), "m/s2, rad/s", "these themselves, last tick"),
)


def foresight_weights(frequency: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """(A, b) of FORESIGHT for ticks of h [s]: with u0 the slow part of u, and a the frequency [rad/s],

    u0' = SLOW (u - u0),  r_1' = a (r_0 - r_1),  r_2' = a (2 r_1 - r_2 - r_0),  r_3' = a (2 r_2 - r_3 - 2 r_1 + r_0),   r_0 = u - u0
    """
    a = frequency
    A = np.array(
        [
            [-SLOW, 0.0, 0.0, 0.0],
            [-a, -a, 0.0, 0.0],
            [a, 2.0 * a, -a, 0.0],
            [-a, -2.0 * a, 2.0 * a, -a],
        ]
    )
    return discrete(A, [SLOW, a, -a, a], h)


@inline
def hear(A, b, past, past_in, k, value):
    """Row k of the filters after a tick with a value."""
    before, b0, b1, b2, b3 = past_in[k], past[k, 0], past[k, 1], past[k, 2], past[k, 3]
    past[k, 0] = A[0, 0] * b0 + b[0, 0] * before + b[0, 1] * value
    past[k, 1] = A[1, 0] * b0 + A[1, 1] * b1 + b[1, 0] * before + b[1, 1] * value
    past[k, 2] = A[2, 0] * b0 + A[2, 1] * b1 + A[2, 2] * b2 + b[2, 0] * before + b[2, 1] * value
    past[k, 3] = A[3, 0] * b0 + A[3, 1] * b1 + A[3, 2] * b2 + A[3, 3] * b3 + b[3, 0] * before + b[3, 1] * value
    past_in[k] = value


@inline
def foretold(past, past_in, k, numbers, i, j):
    """r_0 to r_3 of row k of the filters times four of the numbers of row i, from column j on."""
    return (
        numbers[i, j] * (past_in[k] - past[k, 0])
        + numbers[i, j + 1] * past[k, 1]
        + numbers[i, j + 2] * past[k, 2]
        + numbers[i, j + 3] * past[k, 3]
    )
