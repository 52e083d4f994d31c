"""Adaptive force prediction: the coefficients of `washout.force_prediction` adapt to the car and the ground.

Once the platform has arrived, the force at the head at that time is known, so every tick shows how accurate the prediction was. The force that the
washout represents on an axis, y = x'' + g sin a, is felt as W P y. With other coefficients g than the present ones, g1, it would have been

    W P y + m (g - g1).rho      rho: r_0 to r_3 of W P f and of W P w, m: the gain with which they are represented (`force_gain` p1)
                                P = exp(-delay s) B(s T), the actuators behind their lead (`washout.lead_compensation`)
                                W = s / (s + LOWEST) HIGHEST^2 / (s^2 + sqrt(2) HIGHEST s + HIGHEST^2)

This should be close to K W f over the last `foresight_memory` seconds (<> denotes the mean over them), and g close to the coefficients g0 of the file:

    (A + D) (g - g0) = <m rho (K W f - W P y + m g1.rho)> - A g0,      A = <m^2 rho rho^T>,   D = caution diag(A) + floor

This is a least-squares problem with filtered regressors. D keeps every coefficient close to that of the file, relative to its contribution, so that
there is always a solution and noise has no effect. The system is solved every SOLVED seconds by Cholesky decomposition, for surge and sway in turn, and
g moves to the solution within SETTLES. Nothing is adapted while the limiter acts. W removes the part that tilt represents, and attenuates components
above 10 Hz; without their small weight, the platform would shake there.

Source: Widrow and Stearns, Adaptive signal processing, 1985, chapter 11, for the filtered regressors; the rest was developed for Jounce.
"""

from __future__ import annotations

import math
from typing import Any

from simulator.base.fields import Field, Number
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from washout.discrete_filter import discrete
from washout.force_prediction import TERMS, update_history
from washout.lead_compensation import lead

LOWEST, HIGHEST = 6.0, 66.0
"""rad/s. Pass band of the weighting of forces."""

SOLVED, SETTLES = 0.1, 0.5
"""s. Interval between two solutions, and time in which the coefficients approach a solution."""

MIN_INTERVAL = 0.004
"""s. Minimum time between two ticks that are evaluated; relevant components are not faster."""

FLOOR = 2e-2
"""m2/s4. Floor of D for forces; for rates it is divided by LEVER^2. Signals below a hundredth of a m/s2 have no effect."""

LEVER = 20.0
"""m/s. Scale of a coefficient of `foresight_rate` relative to one of `foresight_force`."""

SPAN = 4.0
"""1. Maximum deviation of a coefficient from that of the file; for rates multiplied by LEVER."""

LONGEST = 512
"""Number of stored ticks of delay, plus one."""

NUMBERS = 2 * TERMS

LEARNING_SETTINGS = (
    Field(
        "foresight_memory",
        Number("s", 0.0, 1000.0),
        "time over which the coefficients of the prediction are adapted; 0: no adaptation",
        0.0,
    ),
    Field("foresight_caution", Number("1", 0.001, 1000.0), "weight of the coefficients of the file relative to the adapted ones", 0.1),
)

PREDICTION_NUMBERS = (("foresight_numbers", (2, NUMBERS), "1, m/s", "g: coefficients for the force and for the rate, surge and sway"),)
"""The adapted coefficients."""

LEARNING_STATE = (
    # name               shape                unit     description
    *PREDICTION_NUMBERS,
    ("learns", (), "1", "1 if the coefficients adapt", "i8"),
    ("learn_every", (), "1", "number of ticks between two evaluated ticks", "i8"),
    ("learn_count", (), "1", "number of ticks so far", "i8"),
    ("solve_every", (), "1", "number of evaluated ticks between two solutions", "i8"),
    ("forgets", (), "1", "weight of a new tick in the means"),
    ("settles", (), "1", "fraction of the distance to a solution that is applied at once"),
    ("shown", (2,), "m/s2", "y of surge and sway"),
    ("weigh_A", (3, 3), "mixed", "matrix of W: low-pass, its rate, and its part slower than LOWEST, from before to after a tick"),
    ("weigh_b", (3, 2), "mixed", "W: weights of the inputs before and after a tick"),
    (
        "weighed",
        (6, 3),
        "mixed",
        "states of W for the forces of surge and sway, the rates of pitch and roll, and the represented forces of surge and sway",
    ),
    ("weighed_in", (6,), "m/s2, rad/s", "inputs of W, previous tick"),
    ("counts", (6,), "m/s2, rad/s", "outputs of W"),
    ("delay_ticks", (), "1", "integer number of ticks of the delay of the actuators", "i8"),
    ("delay_part", (), "1", "remaining fraction of a tick of the delay"),
    ("sent_counts", (LONGEST, 6), "m/s2, rad/s", "ring buffer of the outputs of W"),
    ("sent_counts_at", (), "1", "row of the last output of W", "i8"),
    ("behind_A", (4, 4), "mixed", "as `lead_A`"),
    ("behind_b", (4,), "mixed", "as `lead_b`"),
    ("behind", (6, 4), "mixed", "as `lead_states`"),
    ("behind_in", (6,), "m/s2, rad/s", "input of `behind`, previous tick"),
    ("late", (4, TERMS), "m/s2, rad/s", "as `past`, at the arrival time of the platform"),
    ("late_in", (4,), "m/s2, rad/s", "as `past_in`"),
    ("regressors", (NUMBERS,), "m/s2", "m rho of an axis"),
    ("products", (2, NUMBERS, NUMBERS), "m2/s4", "A"),
    ("wanted", (2, NUMBERS), "m2/s4", "<m rho (W f - m y)>"),
    ("factor", (NUMBERS, NUMBERS), "m/s2", "Cholesky factor of A + D"),
    ("solution", (NUMBERS,), "1, m/s", "g - g0"),
)


def begin_learning(u: Any, x: Any, platform: Record, h: float) -> None:
    """Fill the matrices in the state `x` of a washout with LEARNING_STATE and FORESIGHT_STATE, from its settings `u`, for steps of h [s]."""
    at = platform[0]
    bandwidth, damping, delay = float(at["actuator_bandwidth"]), float(at["actuator_damping"]), float(at["actuator_delay"])
    ticks = math.floor(delay / h + 1e-9)
    memory = float(u["foresight_memory"])
    x["foresight_numbers"][:, :TERMS], x["foresight_numbers"][:, TERMS:] = u["foresight_force"], u["foresight_rate"]
    x["learns"] = 1 if memory > 0.0 and bandwidth > 0.0 and ticks < LONGEST - 1 else 0
    x["learn_every"] = every = max(1, round(MIN_INTERVAL / h))
    x["solve_every"] = max(1, round(SOLVED / (every * h)))
    x["forgets"] = -math.expm1(-every * h / memory) if memory > 0.0 else 0.0
    x["settles"] = -math.expm1(-2.0 * SOLVED / SETTLES)
    w = HIGHEST
    x["weigh_A"], x["weigh_b"] = discrete(
        [[0.0, 1.0, 0.0], [-w * w, -math.sqrt(2.0) * w, 0.0], [LOWEST, 0.0, -LOWEST]], [0.0, w * w, 0.0], h
    )
    x["delay_ticks"], x["delay_part"] = ticks, max(0.0, delay / h - ticks)
    if bandwidth > 0.0:
        p = lead(bandwidth, damping, h)[0]
        x["behind_A"], x["behind_b"] = p["lead_A"], p["lead_b"]


@inline
def clear_learning(u, x):
    """Reset the adaptation to its initial state."""
    x["learn_count"], x["sent_counts_at"] = 0, 0
    for i in range(2):
        for j in range(TERMS):
            x["foresight_numbers"][i, j], x["foresight_numbers"][i, TERMS + j] = u["foresight_force"][i, j], u["foresight_rate"][i, j]
        for j in range(NUMBERS):
            x["wanted"][i, j] = 0.0
            for k in range(NUMBERS):
                x["products"][i, j, k] = 0.0
    for k in range(6):
        x["behind_in"][k], x["weighed_in"][k] = 0.0, 0.0
        for j in range(3):
            x["weighed"][k, j] = 0.0
        for j in range(4):
            x["behind"][k, j] = 0.0
        for j in range(LONGEST):
            x["sent_counts"][j, k] = 0.0
    for k in range(4):
        x["late_in"][k] = 0.0
        for j in range(TERMS):
            x["late"][k, j] = 0.0


@inline
def learn(u, x, felt, shares, limited):
    """Advance the adaptation by one tick.

    felt : forces of surge and sway [m/s2], rates of pitch and roll [rad/s], represented forces of surge and sway [m/s2]
    shares : p1 of surge and sway
    limited : True if the limiter acts
    """
    _delay_inputs(x, felt)
    x["learn_count"] += 1
    if limited or x["learn_count"] % x["learn_every"] != 0:
        return
    for i in range(2):
        _compare(x, i, u["force_gain"][i], shares[i])
    turn = x["learn_count"] // x["learn_every"]
    if turn % x["solve_every"] == 0:
        _solve(u, x, (turn // x["solve_every"]) % 2)


@inline
def _delay_inputs(x, felt):
    """Compute the weighted inputs of this tick, and their value at the arrival time of the platform."""
    now = (x["sent_counts_at"] + 1) % LONGEST
    x["sent_counts_at"] = now
    first = (now - x["delay_ticks"] + LONGEST) % LONGEST
    second = (first - 1 + LONGEST) % LONGEST
    A, b, q, part = x["behind_A"], x["behind_b"], x["behind"], x["delay_part"]
    for k in range(6):
        _apply_weighting(x, k, felt[k])
        x["sent_counts"][now, k] = x["counts"][k]
        fed = x["sent_counts"][first, k] + part * (x["sent_counts"][second, k] - x["sent_counts"][first, k])
        change, e, v, a, jerk = fed - x["behind_in"][k], q[k, 0], q[k, 1], q[k, 2], q[k, 3]
        for j in range(4):
            q[k, j] = A[j, 0] * e + A[j, 1] * v + A[j, 2] * a + A[j, 3] * jerk + b[j] * change
        x["behind_in"][k] = fed
        if k < 4:
            update_history(x["foresight_A"], x["foresight_b"], x["late"], x["late_in"], k, fed + q[k, 0])


@inline
def _apply_weighting(x, k, value):
    """Apply W to a value and store the output in `counts`."""
    A, b, q, before = x["weigh_A"], x["weigh_b"], x["weighed"], x["weighed_in"][k]
    q0, q1, q2 = q[k, 0], q[k, 1], q[k, 2]
    for j in range(3):
        q[k, j] = A[j, 0] * q0 + A[j, 1] * q1 + A[j, 2] * q2 + b[j, 0] * before + b[j, 1] * value
    x["weighed_in"][k] = value
    x["counts"][k] = q[k, 0] - q[k, 2]


@inline
def _compare(x, i, gain, share):
    """Add the data of this tick for surge or sway to the means."""
    late, late_in, r, forgets, m = x["late"], x["late_in"], x["regressors"], x["forgets"], gain * share
    for half in range(2):
        k = i + 2 * half
        r[TERMS * half] = m * (late_in[k] - late[k, 0])
        for j in range(1, TERMS):
            r[TERMS * half + j] = m * late[k, j]
    missing = gain * x["counts"][i] - x["behind_in"][4 + i] - x["behind"][4 + i, 0]
    for j in range(NUMBERS):
        missing += x["foresight_numbers"][i, j] * r[j]
    A, b = x["products"], x["wanted"]
    for j in range(NUMBERS):
        b[i, j] += forgets * (r[j] * missing - b[i, j])
        for k in range(j + 1):
            A[i, j, k] += forgets * (r[j] * r[k] - A[i, j, k])


@kernel
def _solve(u, x, i):
    """Solve (A + D) (g - g0) = b - A g0 for surge or sway, and move the coefficients towards the solution."""
    A, L, y, g = x["products"], x["factor"], x["solution"], x["foresight_numbers"]
    for j in range(NUMBERS):
        total = x["wanted"][i, j]
        for k in range(NUMBERS):
            first = u["foresight_force"][i, k] if k < TERMS else u["foresight_rate"][i, k - TERMS]
            total -= (A[i, j, k] if k <= j else A[i, k, j]) * first
        y[j] = total
    for j in range(NUMBERS):
        unit = 1.0 if j < TERMS else LEVER
        for k in range(j + 1):
            total = A[i, j, k]
            if k == j:
                total += u["foresight_caution"] * A[i, j, j] + FLOOR / (unit * unit)
            for n in range(k):
                total -= L[j, n] * L[k, n]
            L[j, k] = total / L[k, k] if k < j else math.sqrt(max(total, FLOOR / (unit * unit)))
        for n in range(j):
            y[j] -= L[j, n] * y[n]
        y[j] /= L[j, j]
    for back in range(NUMBERS):
        j = NUMBERS - 1 - back
        for n in range(j + 1, NUMBERS):
            y[j] -= L[n, j] * y[n]
        y[j] /= L[j, j]
    for j in range(NUMBERS):
        first, most = (u["foresight_force"][i, j], SPAN) if j < TERMS else (u["foresight_rate"][i, j - TERMS], SPAN * LEVER)
        goal = first + min(most, max(-most, y[j]))
        g[i, j] += x["settles"] * (goal - g[i, j])
