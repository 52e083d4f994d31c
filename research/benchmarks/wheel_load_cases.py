"""Load case of `python -m research bench formulations`: wheel forces over time, and fixed steps.

A periodic force with two continuous derivatives acts on the wheels. The steps use semi-implicit Euler or the
classical Runge-Kutta method, which is accurate enough to show the errors of a formulation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import add_scaled, cross, dot, scale, sub, vector
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from vehicles.dynamics import STATE
from vehicles.multibody.tree.tree import FREE, SPHERICAL, Tree, advance_positions, position_rates

HOLD, SEMI_IMPLICIT_EULER, RUNGE_KUTTA = range(3)
"""Methods; HOLD does not advance, for timing of repeated evaluations."""

PERIOD = 0.64
"""s. Period of the force on the wheels: an integer number of steps, so that its kinks are at step boundaries of fourth-order methods."""

WHEELS = (
    # name        shape  unit   description
    ("node", (), "1", "node of the wheel in the tree", "i8"),
    ("load", (3,), "N", "steady force on the wheel center, in the world"),
    ("amplitude", (3,), "N", "amplitude of the periodic force: half the difference of maximum and minimum"),
    ("delay", (), "s", "delay of the periodic force relative to the first wheel"),
    ("anchor", (3,), "m", "world anchor of the spring that carries the wheel"),
    ("rate", (), "N/m", "rate of the anchor spring; 0: no spring"),
    ("free_length", (), "m", "length of the anchor spring without force"),
)

CLOCK = (
    ("t", (), "s", "time"),
    ("h", (), "s", "length of a step"),
    ("method", (), "1", "one of the methods above", "i8"),
    ("stage", (), "1", "present stage of the Runge-Kutta step", "i8"),
    ("gap_frequency", (), "rad/s", "natural frequency of Baumgarte's feedback, critically damped; 0: none"),
    ("projects", (), "1", "1: projection on the loop closures after each step", "i8"),
)


class Course(NamedTuple):
    """State of one formulation during a run.

    y (n,) : coordinates and velocities of the next evaluation of the accelerations; q (n_q,) and v (n_v,) are its two parts
    start (n,) : y at the start of the step, with closed loops if the formulation closes them
    rates, total (n,) : y' and the weighted sum of the stages; accel (n_v,) is the second part of `rates`
    quaternions (m,) : start indices of quaternions in y
    """

    clock: Record
    wheels: Record
    y: Vector
    q: Vector
    v: Vector
    start: Vector
    rates: Vector
    accel: Vector
    total: Vector
    quaternions: NDArray[np.int64]


def tree_course(tree: Tree, n_q: int, n_v: int, wheels: Record) -> Course:
    """Return a course over the coordinates of a tree."""
    quaternions = [int(node["q"]) + (3 if node["kind"] == FREE else 0) for node in tree.nodes if node["kind"] in (SPHERICAL, FREE)]
    return _course(np.zeros(n_q + n_v), np.zeros(n_q + n_v), n_q, quaternions, wheels)


def body_course(n: int, wheels: Record) -> Course:
    """Return a course over n bodies: n poses (position, quaternion), then n velocities."""
    return _course(np.zeros(13 * n), np.zeros(13 * n), 7 * n, [7 * b + 3 for b in range(n)], wheels)


def state_course(state: Record, rate: Record, wheels: Record) -> Course:
    """Return a course over a record of STATE and another of its rates, both used in place; `q` is the complete state, `v` and `accel` are
    empty.
    """
    y = state.view(np.float64)
    return _course(y, rate.view(np.float64), y.size, [state.dtype.fields["q_WB"][1] // 8], wheels)  # type: ignore[index]


def _course(y: Vector, rates: Vector, n_q: int, quaternions: list[int], wheels: Record) -> Course:
    at = np.array(quaternions, np.int64)
    return Course(
        clock=record(CLOCK),
        wheels=wheels,
        y=y,
        q=y[:n_q],
        v=y[n_q:],
        start=y.copy(),
        rates=rates,
        accel=rates[n_q:],
        total=np.zeros(y.size),
        quaternions=at,
    )


VELOCITIES = np.concatenate([np.full(math.prod(row[1]), row[0] in ("v_WB_B", "w_WB_B", "theta_dot", "wheel_spin")) for row in STATE])
"""True for the numbers of STATE that are velocities."""


@inline
def wave(t):
    """Return a periodic function of time between -1 and 1."""
    x = t / PERIOD
    x -= math.floor(x)
    bump = 4.0 * x * (1.0 - x)
    return 2.0 * bump * bump * bump - 1.0


@inline
def wheel_force(wheel, t):
    """Return the force on a wheel at its center [N], in the world, without the anchor spring."""
    return add_scaled(vector(wheel["load"]), wave(t - wheel["delay"]), vector(wheel["amplitude"]))


@kernel
def apply_wheel_forces(c, wrenches):
    """Add the wheel forces at the present time, as wrenches (n_nodes, 6) on the nodes."""
    for i in range(c.wheels.shape[0]):
        wheel = c.wheels[i]
        F = wheel_force(wheel, c.clock[0]["t"])
        wrenches[wheel["node"], 3], wrenches[wheel["node"], 4], wrenches[wheel["node"], 5] = F[0], F[1], F[2]


@kernel
def apply_corner_forces(c, state, k, loads):
    """Add the wheel forces as LOADS of the closed form, and the anchor springs, after the kinematics k of the present state."""
    p, q = vector(state[0]["p_WB"]), state[0]["q_WB"]
    w, u = q[0], (q[1], q[2], q[3])
    for i in range(c.wheels.shape[0]):
        wheel = c.wheels[i]
        F = wheel_force(wheel, c.clock[0]["t"])
        if wheel["rate"] > 0.0:
            W = vector((k[0]["W"][0, i], k[0]["W"][1, i], k[0]["W"][2, i]))
            d = sub(vector(wheel["anchor"]), add_scaled(rotated_vector(w, u, W), 1.0, p))
            length = math.sqrt(dot(d, d))
            F = add_scaled(F, wheel["rate"] * (length - wheel["free_length"]) / length, d)
        F = rotated_vector(w, scale(-1.0, u), F)
        for j in range(3):
            loads[0]["wheel_force"][j, i] = F[j]


@inline
def rotated_vector(w, u, a):
    """Return vector a rotated by the unit quaternion (w, u)."""
    t = cross(u, a)
    return add_scaled(add_scaled(a, 2.0 * w, t), 2.0, cross(u, t))


@kernel
def step_tree(tree, c):
    """Advance from the evaluated state of a tree: c.accel belongs to c.q, c.v."""
    if c.clock[0]["method"] == SEMI_IMPLICIT_EULER:
        h = begin_step(c)
        for i in range(c.v.shape[0]):
            c.v[i] += h * c.accel[i]
        advance_positions(tree, c.q, c.v, h, c.q)
    elif c.clock[0]["method"] == RUNGE_KUTTA:
        position_rates(tree, c.q, c.v, c.rates)
        next_stage(c)


@kernel
def step_state(state, out, rate, is_velocity, c):
    """Advance from the evaluated state of the closed form.

    Parameters
    ----------
    state, out : records of STATE (the numbers c.y) and ACCELERATIONS
    rate : STATE record of length 1, the numbers c.rates
    is_velocity : (n,) True for velocities
    """
    if c.clock[0]["method"] == SEMI_IMPLICIT_EULER:
        h = begin_step(c)
        state_rates(state, out, rate[0])
        for i in range(c.y.shape[0]):
            if is_velocity[i]:
                c.y[i] += h * c.rates[i]
        state_rates(state, out, rate[0])
        for i in range(c.y.shape[0]):
            if not is_velocity[i]:
                c.y[i] += h * c.rates[i]
        normalize(c)
    elif c.clock[0]["method"] == RUNGE_KUTTA:
        state_rates(state, out, rate[0])
        next_stage(c)


@inline
def begin_step(c):
    """Store the state at the start of the step; return the step length."""
    h = c.clock[0]["h"]
    for i in range(c.y.shape[0]):
        c.start[i] = c.y[i]
    c.clock[0]["t"] += h
    return h


@inline
def ends_step(c):
    """Return whether a step has just ended; never for HOLD."""
    return c.clock[0]["method"] != HOLD and c.clock[0]["stage"] == 0


@inline
def next_stage(c):
    """Run one of the four stages of the Runge-Kutta method [Kutta 1901]: from y' in c.rates to the next y."""
    clock = c.clock[0]
    stage, h = clock["stage"], clock["h"]
    if stage == 0:
        for i in range(c.y.shape[0]):
            c.start[i], c.total[i] = c.y[i], 0.0
    weight = 1.0 if stage in (0, 3) else 2.0
    ahead = h if stage == 2 else 0.5 * h
    for i in range(c.y.shape[0]):
        c.total[i] += weight * c.rates[i]
        c.y[i] = c.start[i] + (h / 6.0 * c.total[i] if stage == 3 else ahead * c.rates[i])
    if stage in (0, 2):
        clock["t"] += 0.5 * h
    clock["stage"] = (stage + 1) % 4
    if stage == 3:
        normalize(c)


@inline
def normalize(c):
    """Normalize the quaternions; the correction is of the order of the error of the method."""
    for n in range(c.quaternions.shape[0]):
        i = c.quaternions[n]
        length = math.sqrt(c.y[i] * c.y[i] + c.y[i + 1] * c.y[i + 1] + c.y[i + 2] * c.y[i + 2] + c.y[i + 3] * c.y[i + 3])
        for j in range(i, i + 4):
            c.y[j] /= length


@kernel
def state_rates(state, accelerated, rate):
    """Set the time derivative `rate` of a record of STATE from its record of ACCELERATIONS; the wheel spins are constant."""
    x, out = state[0], accelerated[0]
    q = x["q_WB"]
    v, w = vector(x["v_WB_B"]), vector(x["w_WB_B"])
    u = (q[1], q[2], q[3])
    t = cross(u, v)
    rotated_vector = cross(u, t)  # v_W = v + 2 w t + 2 u x t
    w_v, w_u = cross(w, v), cross(u, w)
    rate["q_WB"][0] = -0.5 * (u[0] * w[0] + u[1] * w[1] + u[2] * w[2])
    for j in range(3):
        rate["p_WB"][j] = v[j] + 2.0 * (q[0] * t[j] + rotated_vector[j])
        rate["q_WB"][j + 1] = 0.5 * (q[0] * w[j] + w_u[j])
        rate["v_WB_B"][j] = out["a_WB_B"][j] - w_v[j]
        rate["w_WB_B"][j] = out["alpha_WB_B"][j]
    for i in range(4):
        rate["theta"][i] = x["theta_dot"][i]
        rate["theta_dot"][i] = out["theta_ddot"][i]
        rate["wheel_angle"][i] = x["wheel_spin"][i] - out["carrier_spin"][i]
        rate["wheel_spin"][i] = 0.0
