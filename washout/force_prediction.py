"""Force prediction: the force at the head at the arrival time of the platform, predicted from the present force and rate.

A platform is late by the delay of its actuators and by the filter of its lead, about 30 ms in total. For components above 3 Hz this is a tenth of a
period or more, and on rough ground half of the force is in this range. The force at the head of a sprung body is not random, however: a rotation
precedes a change of the force. Therefore

    f+ = f + sum_k a_k r_k(f) + sum_k b_k r_k(w)        f: force along an axis of the head, w: corresponding angular rate

with the pairs surge and pitch, sway and roll (a car is symmetric, so to first order only heave and yaw could be added, which contribute little), and

    r_0 = s / (s + c) u,    r_k = a / (s + a) ((a - s) / (s + a))^(k - 1) r_0,   k = 1 to 3        c = SLOW, a: `foresight_frequency`

r_0 has no constant part, so slow forces are unchanged. The others are Laguerre functions: with enough of them any stable filter can be
approximated, and a few are sufficient for a predictor of some tens of milliseconds. docs/theory/washouts.md describes how a_k and b_k are determined.

Source: Wiener, Extrapolation, interpolation, and smoothing of stationary time series, 1949; Wahlberg, System identification using Laguerre models,
IEEE Trans. Automatic Control 36, 1991.
"""

from __future__ import annotations

import numpy as np

from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from washout.discrete_filter import discrete

TERMS = 4
"""1. Number of functions r_0 to r_3."""

SLOW = 10.0
"""rad/s. Slower components are not predicted, because their delay is negligible."""

FORESIGHT_SETTINGS = (
    Field("foresight_frequency", Number("rad/s", 1.0, 200.0), "frequency of the filters that predict the force", 40.0),
    Field(
        "foresight_force",
        Number("1", -10.0, 10.0, shape=(2, TERMS)),
        "coefficients of r_0 to r_3 of the force in the predicted force: surge, sway",
        ((0.0,) * TERMS,) * 2,
    ),
    Field(
        "foresight_rate",
        Number("m/s", -100.0, 100.0, shape=(2, TERMS)),
        "coefficients of r_0 to r_3 of the rate in the predicted force: surge by pitch, sway by roll",
        ((0.0,) * TERMS,) * 2,
    ),
)

FORESIGHT = (
    # name            shape           unit   description
    ("foresight_A", (TERMS, TERMS), "1", "matrix from slow part and r_1 to r_3 before to those after a tick"),
    ("foresight_b", (TERMS, 2), "1", "weights of the inputs before and after a tick"),
)

FORESIGHT_STATE = (
    # name          shape        unit               description
    ("past", (4, TERMS), "m/s2, rad/s", "slow part and r_1 to r_3 of the forces of surge and sway and of the rates of pitch and roll"),
    ("past_in", (4,), "m/s2, rad/s", "forces of surge and sway and rates of pitch and roll, previous tick"),
)


def foresight_weights(frequency: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (A, b) of FORESIGHT for ticks of h [s]; with the slow part u0 of u and the frequency a [rad/s]:

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
def update_history(A, b, past, past_in, k, value):
    """Advance row k of the filters by one tick with an input value."""
    before, b0, b1, b2, b3 = past_in[k], past[k, 0], past[k, 1], past[k, 2], past[k, 3]
    past[k, 0] = A[0, 0] * b0 + b[0, 0] * before + b[0, 1] * value
    past[k, 1] = A[1, 0] * b0 + A[1, 1] * b1 + b[1, 0] * before + b[1, 1] * value
    past[k, 2] = A[2, 0] * b0 + A[2, 1] * b1 + A[2, 2] * b2 + b[2, 0] * before + b[2, 1] * value
    past[k, 3] = A[3, 0] * b0 + A[3, 1] * b1 + A[3, 2] * b2 + A[3, 3] * b3 + b[3, 0] * before + b[3, 1] * value
    past_in[k] = value


@inline
def prediction(past, past_in, k, numbers, i, j):
    """Return the sum of r_0 to r_3 of row k of the filters, weighted with four of the numbers of row i, starting at column j."""
    return (
        numbers[i, j] * (past_in[k] - past[k, 0])
        + numbers[i, j + 1] * past[k, 1]
        + numbers[i, j + 2] * past[k, 2]
        + numbers[i, j + 3] * past[k, 3]
    )
