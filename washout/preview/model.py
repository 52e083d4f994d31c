"""Quadratic program of a plan for one axis of force and its tilt, condensed to the accelerations at the knots of a growing grid.

Per axis, with x the head along the axis, a the attitude as the sine of the angle that represents a force, y the scaled force of the vehicle that is
known, and r the scaled rate of the vehicle about the axis of the tilt, all at the time at which the platform arrives:

    x'' = u1,  a'' = u2,  u linear between the knots
    e = u1 + g a - y,  q' = (e - q) / T_L       force that is wrong; felt by the otoliths: e - (1 - T_L / T_a) q
    c' = (a' - r - c) / T_C                     rate that is wrong; felt by the canals: a' - r - c

    minimize   integral of felt force^2 + w_r felt rate^2 + jerk, and rest at the end
    subject to |u1|, |u2| within their limits, a' within the tilt rate of 0 to r, |x'| <= speed, legs l = J_x (x + lever a) + J_a a within their share of the stroke

The matrices depend on the grid, the platform and the settings only. For a plan, they are multiplied by the parameters p = (x, x', a, a', q, c, u1, u2 at
the start, y and r at the knots). A platform that cannot move along the axis tilts about its own point: u1 = -lever u2.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import Record, Table, record
from washout.discrete_filter import discrete
from washout.platform import leg_directions
from washout.platform_state_machine import KNEE
from washout.vestibular import MODELS

STEPS = (0.02,) * 6 + (0.04,) * 6 + (0.08,) * 6 + (0.16,) * 5 + (0.32,) * 3
"""s. Distances of the knots: fine where the plan is carried out, coarse where only its slow part matters."""
KNOTS = len(STEPS)
TIMES = np.concatenate([[0.0], np.cumsum(STEPS)])
"""Times (KNOTS + 1,) of the knots from the start of a plan [s]."""

STATES = 6
"""x, x', a, a', q, c."""
PARAMETERS = STATES + 2 + 2 * (KNOTS + 1)
VARIABLES = 2 * KNOTS
LEGS = 6
ROWS = VARIABLES + 2 * KNOTS + LEGS * KNOTS

SOFT = 1e-6
"""1. Slack of the constraints of states relative to their multiplier: a start outside of them must not make a plan impossible. Larger: more violation."""
SPEED_SHARE = 0.8
"""1. Share of the leg speed for the speed of one axis; the limiter covers the sum of the axes."""
ACCELERATION_SHARE = 0.8
"""1. Share of the leg acceleration for the acceleration along one axis."""
STROKE_SHARE = 0.97
"""1. Share of the stroke up to which a pose is not drawn in, for the sum of the axes; the rest is for heave and yaw."""

_OTOLITH, _CANAL = MODELS[2].otoliths[0], MODELS[2].canals[0]
LASTS, LEADS, FADES = _OTOLITH.times[0], _OTOLITH.numerator[1] / _OTOLITH.numerator[0], _CANAL.times[0]
"""s. T_L and T_a of the otoliths and T_C of the canals, of Telban and Cardullo (`washout.vestibular`)."""

MODEL: Table = (
    # name           shape                     unit     description
    ("variables", (), "1", "number of accelerations to find", "i8"),
    ("rows", (), "1", "number of constraints", "i8"),
    ("leg_rows", (), "1", "number of groups of legs with equal motion", "i8"),
    ("group", (LEGS,), "1", "group of each leg", "i8"),
    ("leg_position", (LEGS,), "1", "J_x: leg length per displacement of the platform along the axis"),
    ("leg_angle", (LEGS,), "m", "J_a: leg length per attitude"),
    ("lever", (), "m", "height of the head above the platform point"),
    ("gram", (ROWS, ROWS), "1", "M M^T"),
    ("softness", (ROWS,), "1", "r"),
    ("low", (ROWS,), "mixed", "lower bounds of the scaled rows"),
    ("high", (ROWS,), "mixed", "upper bounds of the scaled rows"),
    ("scale", (ROWS,), "mixed", "factors of the rows"),
    ("by_parameters", (ROWS, PARAMETERS), "mixed", "part of the rows that the parameters cause"),
    ("by_multipliers", (VARIABLES, ROWS), "mixed", "accelerations per multiplier, negative"),
    ("free", (VARIABLES, PARAMETERS), "mixed", "accelerations without constraints per parameter, negative"),
    ("translates", (), "1", "1 if the platform moves along the axis", "i8"),
)
"""Matrices of one axis."""


class AxisSettings(NamedTuple):
    """Settings of a plan for one axis."""

    tilt_rate: float
    """rad/s"""
    tilt_acceleration: float
    """rad/s2"""
    rotation_cost: float
    """m2/(rad2 s2). w_r: weight of the square of the wrong rate relative to that of the wrong force."""
    smoothness: float
    """s2. Weight of the square of the jerk relative to that of the wrong force. Larger: less vibration, and later."""


def axis_model(platform: Record, axis: int, s: AxisSettings) -> Record:
    """Return the MODEL of surge with pitch (axis 0) or sway with roll (axis 1) on a platform, a HEXAPOD record."""
    lever = float(platform[0]["p_PH"][2])
    translates = bool(platform[0]["freedoms"][axis])
    states, inputs = _condensed()
    if translates:
        basis = np.eye(2 * KNOTS)
    else:  # x = -lever a
        basis = np.vstack([-lever * np.eye(KNOTS), np.eye(KNOTS)])
    spread = np.zeros((2 * KNOTS + PARAMETERS, basis.shape[1] + PARAMETERS))
    spread[: 2 * KNOTS, : basis.shape[1]], spread[2 * KNOTS :, basis.shape[1] :] = basis, np.eye(PARAMETERS)
    n = basis.shape[1]
    cost = _cost(states, inputs, s) @ spread
    H, F = cost[:, :n].T @ cost[:, :n], cost[:, :n].T @ cost[:, n:]
    position, angle = _leg_rows(platform, axis)
    groups, group = _grouped(position, angle)
    half = 0.5 * float(platform[0]["longest_leg"] - platform[0]["shortest_leg"]) - float(platform[0]["stroke_margin"])
    C, high, hard = _constraints(states, inputs, s, platform, (groups, lever, half, translates))
    C = C @ spread
    upper = np.linalg.cholesky(H).T
    M = np.linalg.solve(upper.T, C[:, :n].T).T
    scale = 1.0 / np.maximum(np.linalg.norm(M, axis=1), 1e-12)
    M *= scale[:, None]
    reach = np.linalg.solve(upper.T, F)
    out = record(MODEL)
    one, rows = out[0], len(C)
    one["variables"], one["rows"], one["leg_rows"], one["group"] = n, rows, len(groups), group
    one["leg_position"], one["leg_angle"], one["lever"], one["translates"] = position, angle, lever, translates
    one["gram"][:rows, :rows], one["scale"][:rows] = M @ M.T, scale
    one["softness"][:rows] = np.where(hard, 0.0, SOFT)
    one["low"][:rows], one["high"][:rows] = -high * scale, high * scale
    one["by_parameters"][:rows] = C[:, n:] * scale[:, None] - M @ reach
    one["by_multipliers"][:n, :rows], one["free"][:n] = np.linalg.solve(upper, M.T), np.linalg.solve(upper, reach)
    return out


def _condensed() -> tuple[list[Array], list[Array]]:
    """Return states (STATES, all) and inputs (u1, u2, y, r) (4, all) at each knot as functions of all accelerations and parameters."""
    width = 2 * KNOTS + PARAMETERS
    A = np.zeros((STATES, STATES))
    A[0, 1] = A[2, 3] = 1.0
    A[4, 2], A[4, 4] = STANDARD_GRAVITY / LASTS, -1.0 / LASTS
    A[5, 3], A[5, 5] = 1.0 / FADES, -1.0 / FADES
    effects = np.array([[0, 1, 0, 0, 1 / LASTS, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, -1 / LASTS, 0], [0, 0, 0, 0, 0, -1 / FADES]])
    inputs = []
    for i in range(KNOTS + 1):
        u = np.zeros((4, width))
        for k in range(2):
            u[k, 2 * KNOTS + STATES + k if i == 0 else k * KNOTS + i - 1] = 1.0
            u[2 + k, 2 * KNOTS + STATES + 2 + k * (KNOTS + 1) + i] = 1.0
        inputs.append(u)
    z = np.zeros((STATES, width))
    z[:, 2 * KNOTS : 2 * KNOTS + STATES] = np.eye(STATES)
    states = [z]
    for i, h in enumerate(STEPS):
        z = discrete(A, effects[0], h)[0] @ z
        for k in range(4):
            weights = discrete(A, effects[k], h)[1]
            z = z + np.outer(weights[:, 0], inputs[i][k]) + np.outer(weights[:, 1], inputs[i + 1][k])
        states.append(z)
    return states, inputs


def _cost(states: list[Array], inputs: list[Array], s: AxisSettings) -> Array:
    """Return the rows whose sum of squares is the cost."""
    rows = []
    for i in range(1, KNOTS + 1):
        z, (u1, _, y, r) = states[i], inputs[i]
        share = math.sqrt(0.5 * (STEPS[i - 1] + (STEPS[i] if i < KNOTS else 0.0)))
        e = u1 + STANDARD_GRAVITY * z[2] - y
        rows.append(share * (e - (1.0 - LASTS / LEADS) * z[4]))
        rows.append(share * math.sqrt(s.rotation_cost) * (z[3] - r - z[5]))
        rows.append(share * TRAVEL_COST * z[0])
        for k, weight in ((0, 1.0), (1, STANDARD_GRAVITY * TILT_JERK)):
            rows.append(math.sqrt(s.smoothness / STEPS[i - 1]) * weight * (inputs[i][k] - inputs[i - 1][k]))
    end = states[-1]
    rows += [END_COST * (end[0] + END_TIME * end[1]), END_COST * END_TIME * end[1], END_COST * STANDARD_GRAVITY * END_TIME * end[3]]
    return np.array(rows)


TRAVEL_COST = 0.05
"""1/s2. Weight of the travel: returns the head to the center where the force does not matter."""
TILT_JERK = 0.1
"""s2. Weight of the jerk of the tilt relative to that of the translation."""
END_COST, END_TIME = 0.7, 1.0
"""1/s2, s. Weight of the state at the end of a plan, and the time in which it is to come to rest."""


def _leg_rows(platform: Record, axis: int) -> tuple[Array, Array]:
    """Return J_x and J_a (LEGS,) at the neutral pose."""
    directions = leg_directions(platform, np.zeros(6))
    turn = directions[:, 4 - axis] * float(platform[0]["reach"])
    return directions[:, axis], -turn if axis == 0 else turn


def _grouped(position: Array, angle: Array) -> tuple[Array, Array]:
    """Return the different rows (n, 2) of legs up to their sign, and the row of each leg."""
    rows: list[Array] = []
    group = np.zeros(LEGS, dtype=int)
    for leg, row in enumerate(np.stack([position, angle], axis=1)):
        same = [k for k, known in enumerate(rows) if min(np.abs(known - row).max(), np.abs(known + row).max()) < 1e-4]
        group[leg] = same[0] if same else len(rows)
        if not same:
            rows.append(row)
    return np.array(rows), group


def _constraints(states: list[Array], inputs: list[Array], s: AxisSettings, platform: Record, legs: Any) -> tuple[Array, Array, Array]:
    """Return the rows, their largest values, and True for hard ones; legs of a knot follow each other, after all other rows."""
    groups, lever, half, translates = legs
    at, rows, high, hard = platform[0], [], [], []
    limits = [(1, s.tilt_acceleration)]
    if translates:
        limits.insert(0, (0, ACCELERATION_SHARE * float(at["leg_acceleration"])))
    for k, limit in limits:
        for i in range(1, KNOTS + 1):
            rows.append(inputs[i][k])
            high.append(limit)
            hard.append(True)
    for i in range(1, KNOTS + 1):
        rows += [states[i][3] - inputs[i][3], states[i][1]]
        high += [s.tilt_rate, SPEED_SHARE * float(at["leg_speed"])]
        hard += [False, False]
    for i in range(1, KNOTS + 1):
        for position, angle in groups:
            rows.append(position * states[i][0] + (position * lever + angle) * states[i][2])
            high.append(STROKE_SHARE * KNEE * half)
            hard.append(False)
    return np.array(rows), np.array(high), np.array(hard)
