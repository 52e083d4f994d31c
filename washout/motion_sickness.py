"""Motion sickness dose of the driver in the vehicle and of the rider on the platform.

    MSDV_z = (integral of a_w^2 dt)^(1/2)      [ISO 2631-1:1997, 9.2.1, in m/s^1.5]

with the vertical specific force minus gravity, weighted by Wf, a series of four second-order sections (annex A, p = s):

    s^2 / (s^2 + sqrt(2) w1 s + w1^2)                                       high-pass
    1 / (1 + sqrt(2) s / w2 + (s / w2)^2)                                   low-pass
    1 / (1 + s / (Q4 w4) + (s / w4)^2)                                      transition (w3 is infinite)
    (1 + s / (Q5 w5) + (s / w5)^2) / (1 + s / (Q6 w6) + (s / w6)^2) (w5 / w6)^2      upward step

Each section is exact for an input that is linear between two ticks (`washout.discrete_filter`). The standard defines the dose for seated or standing
passengers of boats and ships, from 0.1 to 0.5 Hz, and for vertical motion only. Effects of rotation and of the visual scene are not included.

`full_dose` uses the same weighting for all three axes of specific force, tilt included, and adds the squares:

    MSDV = (MSDV_x^2 + MSDV_y^2 + MSDV_z^2)^(1/2)

differs: the standard has no weighting for horizontal motion. Fore-and-aft and lateral oscillation make equally sick at 0.315 Hz [Griffin and Mills 2002],
fore-and-aft most at 0.2 Hz [Golding, Mueller and Gresty 2001], which is close to the maximum of Wf.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from washout.discrete_filter import discrete

HIGH_PASS, LOW_PASS = 0.08, 0.63
"""Hz. f1, f2 of Wf."""
TRANSITION, TRANSITION_QUALITY = 0.25, 0.86
"""Hz, 1. f4, Q4."""
STEP_ZERO, STEP_POLE, STEP_QUALITY = 0.0625, 0.1, 0.80
"""Hz, Hz, 1. f5, f6 and Q5 = Q6."""

SECTIONS = 4
CAR, CAB = 0, 1
"""Indices of the driver in the vehicle and of the rider on the platform."""

LARGEST = 1000.0
"""m/s2. Limit of accelerations; larger values belong to a vehicle state that `simulator.tick` rejects."""

WEIGHTING = (
    # name         shape            unit     description
    ("wf_A", (SECTIONS, 2, 2), "mixed", "per section: matrix from the states before to the states after a tick"),
    ("wf_b", (SECTIONS, 2, 2), "mixed", "per section: weights of the inputs before and after a tick"),
    ("wf_c", (SECTIONS, 2), "mixed", "per section: weights of the states in the output"),
    ("wf_d", (SECTIONS,), "1", "per section: weight of the input in the output"),
)

SICKNESS = (
    # name         shape            unit      description
    ("wf_states", (2, SECTIONS, 2), "mixed", "states of the sections, per person"),
    ("wf_inputs", (2, SECTIONS), "m/s2", "inputs of the sections, previous tick"),
    ("wf_begun", (2,), "1", "0: the next tick initializes the filter to the steady state of its input", "i8"),
    ("wf_dose", (2,), "m2/s3", "integral of the square of the weighted acceleration"),
)

DOSE = (
    # name                  shape  unit     description                                                           type, frame
    ("car_sickness_dose", (), "m/s1.5", "motion sickness dose MSDV_z of the driver in the vehicle since the start, ISO 2631-1", "f8", ""),
    (
        "cab_sickness_dose",
        (),
        "m/s1.5",
        "motion sickness dose MSDV_z of the rider on the platform since the start, due to platform motion",
        "f8",
        "",
    ),
)
"""Log columns of the dose."""


def weighting(p: Record, h: float) -> None:
    """Fill WEIGHTING of `p` for ticks of h seconds."""
    w1, w2, w4, w5, w6 = (2.0 * math.pi * f for f in (HIGH_PASS, LOW_PASS, TRANSITION, STEP_ZERO, STEP_POLE))
    r, Q4, Q = math.sqrt(0.5), TRANSITION_QUALITY, STEP_QUALITY
    sections = (
        # numerator, constant first; pole frequency and quality
        ((0.0, 0.0, 1.0), w1, r),
        ((w2 * w2, 0.0, 0.0), w2, r),
        ((w4 * w4, 0.0, 0.0), w4, Q4),
        ((w5 * w5, w5 / Q, 1.0), w6, Q),
    )
    for k, (b, w, quality) in enumerate(sections):
        a = np.array([w * w, w / quality])
        p[0]["wf_A"][k], p[0]["wf_b"][k] = discrete([[0.0, 1.0], -a], [0.0, 1.0], h)
        p[0]["wf_c"][k], p[0]["wf_d"][k] = np.array(b[:2]) - b[2] * a, b[2]


def full_dose(force: Array, h: float) -> dict[str, float]:
    """Return the dose [m/s1.5] of surge, sway, heave and all, of specific force less gravity (n, 3) [m/s2] in rows of h [s]."""
    p, squares = record(WEIGHTING), {}
    weighting(p, h)
    for axis, column in zip(("surge", "sway", "heave"), np.ascontiguousarray(force.T), strict=True):
        s = record(SICKNESS)
        _run_dose(p, s, column, h)
        squares[axis] = float(s[0]["wf_dose"][CAR])
    return {axis: math.sqrt(one) for axis, one in squares.items()} | {"all": math.sqrt(sum(squares.values()))}


@kernel
def _run_dose(p, s, column, h):
    """Run a specific force less gravity (n,) [m/s2] through the dose of the first person."""
    for a in column:
        _dose(p, s, CAR, a, h)


@kernel
def dose_step(p, s, f_H_B, f_H_P, h):
    """Run one tick: specific force at the head in the vehicle and on the platform (3,) [m/s2]; `p` with WEIGHTING and gravity, `s` with SICKNESS."""
    _dose(p, s, CAR, f_H_B[2] - p[0]["gravity"], h)
    _dose(p, s, CAB, f_H_P[2] - STANDARD_GRAVITY, h)


@inline
def _settle(p, s, person, u):
    """Set the filter to the steady state for the input u, which the high-pass blocks: on a slope, gravity alone is no motion."""
    for k in range(SECTIONS):
        s[0]["wf_states"][person, k, 0], s[0]["wf_states"][person, k, 1], s[0]["wf_inputs"][person, k] = 0.0, 0.0, 0.0
    s[0]["wf_states"][person, 0, 0], s[0]["wf_inputs"][person, 0] = -u / p[0]["wf_c"][0, 0], u
    s[0]["wf_begun"][person] = 1


@inline
def _dose(p, s, person, a, h):
    """Advance the dose of one person by one tick; an input that is not a number counts as rest."""
    u = min(LARGEST, max(-LARGEST, a)) if abs(a) < math.inf else 0.0
    if s[0]["wf_begun"][person] == 0:
        _settle(p, s, person, u)
    for k in range(SECTIONS):
        x0, x1 = s[0]["wf_states"][person, k, 0], s[0]["wf_states"][person, k, 1]
        before = s[0]["wf_inputs"][person, k]
        A, b = p[0]["wf_A"], p[0]["wf_b"]
        y0 = A[k, 0, 0] * x0 + A[k, 0, 1] * x1 + b[k, 0, 0] * before + b[k, 0, 1] * u
        y1 = A[k, 1, 0] * x0 + A[k, 1, 1] * x1 + b[k, 1, 0] * before + b[k, 1, 1] * u
        s[0]["wf_states"][person, k, 0], s[0]["wf_states"][person, k, 1], s[0]["wf_inputs"][person, k] = y0, y1, u
        u = p[0]["wf_c"][k, 0] * y0 + p[0]["wf_c"][k, 1] * y1 + p[0]["wf_d"][k] * u
    s[0]["wf_dose"][person] += u * u * h
