"""What every formulation is put through in `jounce bench formulations`: forces on the wheels over time, and steps of fixed length.

The wheels are pushed by a periodic force with two continuous derivatives. Steps are those of the semi-implicit Euler method, or of the
classical Runge-Kutta method, which follows the equations closely enough to see what a formulation adds of its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import add_scaled, cross, dot, scale, sub, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from vehicles.dynamics import STATE
from vehicles.multibody.tree.tree import FREE, SPHERICAL, Tree, advance_positions, position_rates

Vector = NDArray[np.float64]

HOLD, SEMI_IMPLICIT_EULER, RUNGE_KUTTA = range(3)
"""Methods; HOLD stays where it is, to time one evaluation after the other."""

PERIOD = 0.64
"""s. Period of the force on the wheels: a whole number of steps, so that no step of a fourth-order method meets its kinks."""

WHEELS = (
    # name        shape  unit   what it is
    ("node", (), "1", "node of the wheel in the tree", "i8"),
    ("load", (3,), "N", "steady force on the wheel's center, in the world"),
    ("amplitude", (3,), "N", "periodic force: half the difference of its largest and its smallest value"),
    ("delay", (), "s", "how much later than the first wheel it begins"),
    ("anchor", (3,), "m", "point of the world on which the wheel hangs by a spring"),
    ("rate", (), "N/m", "rate of that spring; 0: it does not hang"),
    ("free_length", (), "m", "length without force"),
)

CLOCK = (
    ("t", (), "s", "time"),
    ("h", (), "s", "length of a step"),
    ("method", (), "1", "one of the methods above", "i8"),
    ("stage", (), "1", "stage of the Runge-Kutta step at hand", "i8"),
    ("gap_frequency", (), "rad/s", "Baumgarte's feedback: what a gap closes with, critically damped; 0: none"),
    ("projects", (), "1", "1: the state is projected onto the loops after every step", "i8"),
)


class Course(NamedTuple):
    """One formulation on its way.

    y (n,) : coordinates and velocities at which the accelerations are evaluated next; q (n_q,) and v (n_v,) are its two parts
    start (n,) : those of the step's beginning, with the loops closed if the formulation closes them
    rates, total (n,) : y' and the weighted sum of the stages; accel (n_v,) is the second part of `rates`
    quaternions (m,) : where quaternions begin in y
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
    """A course over the coordinates of a tree."""
    quaternions = [int(node["q"]) + (3 if node["kind"] == FREE else 0) for node in tree.nodes if node["kind"] in (SPHERICAL, FREE)]
    return _course(np.zeros(n_q + n_v), np.zeros(n_q + n_v), n_q, quaternions, wheels)


def body_course(n: int, wheels: Record) -> Course:
    """A course over n bodies: n poses (position, quaternion), then n velocities."""
    return _course(np.zeros(13 * n), np.zeros(13 * n), 7 * n, [7 * b + 3 for b in range(n)], wheels)


def state_course(state: Record, rate: Record, wheels: Record) -> Course:
    """A course over a record of STATE and another of its rates, both used in place; `q` is the whole of it, `v` and `accel` are empty."""
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
"""Which numbers of STATE are velocities."""


@inline
def wave(t):
    """Periodic function of time between -1 and 1."""
    x = t / PERIOD
    x -= math.floor(x)
    bump = 4.0 * x * (1.0 - x)
    return 2.0 * bump * bump * bump - 1.0


@inline
def push(wheel, t):
    """Force on a wheel at its center [N], in the world, but for the spring it hangs on."""
    return add_scaled(vector(wheel["load"]), wave(t - wheel["delay"]), vector(wheel["amplitude"]))


@kernel
def push_nodes(c, wrenches):
    """Forces of the wheels at the present time, as wrenches (n_nodes, 6) of the nodes."""
    for i in range(c.wheels.shape[0]):
        wheel = c.wheels[i]
        F = push(wheel, c.clock[0]["t"])
        wrenches[wheel["node"], 3], wrenches[wheel["node"], 4], wrenches[wheel["node"], 5] = F[0], F[1], F[2]


@kernel
def push_corners(c, state, k, loads):
    """The same as LOADS of the closed form, and the springs the wheels hang on, after the kinematics k of the present state."""
    p, q = vector(state[0]["p_WB"]), state[0]["q_WB"]
    w, u = q[0], (q[1], q[2], q[3])
    for i in range(c.wheels.shape[0]):
        wheel = c.wheels[i]
        F = push(wheel, c.clock[0]["t"])
        if wheel["rate"] > 0.0:
            W = vector((k[0]["W"][0, i], k[0]["W"][1, i], k[0]["W"][2, i]))
            d = sub(vector(wheel["anchor"]), add_scaled(turned(w, u, W), 1.0, p))
            length = math.sqrt(dot(d, d))
            F = add_scaled(F, wheel["rate"] * (length - wheel["free_length"]) / length, d)
        F = turned(w, scale(-1.0, u), F)
        for j in range(3):
            loads[0]["wheel_force"][j, i] = F[j]


@inline
def turned(w, u, a):
    """Vector a turned by the unit quaternion (w, u)."""
    t = cross(u, a)
    return add_scaled(add_scaled(a, 2.0 * w, t), 2.0, cross(u, t))


@kernel
def step_tree(tree, c):
    """Go on from the evaluated state of a tree: c.accel belongs to c.q, c.v."""
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
    """Go on from the evaluated state of the closed form.

    Parameters
    ----------
    state, out : records of STATE (the numbers c.y) and ACCELERATIONS
    rate : STATE record of length 1, the numbers c.rates
    is_velocity : (n,) which of them are velocities
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
    """Note the state the step begins with; returns its length."""
    h = c.clock[0]["h"]
    for i in range(c.y.shape[0]):
        c.start[i] = c.y[i]
    c.clock[0]["t"] += h
    return h


@inline
def ends_step(c):
    """A step has just ended; without a method there are none."""
    return c.clock[0]["method"] != HOLD and c.clock[0]["stage"] == 0


@inline
def next_stage(c):
    """One of the four stages of the Runge-Kutta method [Kutta 1901]: from y' in c.rates to the next y."""
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
    """Quaternions to unit length; what a step has taken from it is of the order of the method's error."""
    for n in range(c.quaternions.shape[0]):
        i = c.quaternions[n]
        length = math.sqrt(c.y[i] * c.y[i] + c.y[i + 1] * c.y[i + 1] + c.y[i + 2] * c.y[i + 2] + c.y[i + 3] * c.y[i + 3])
        for j in range(i, i + 4):
            c.y[j] /= length


@kernel
def state_rates(state, accelerated, rate):
    """Time derivative `rate` of a record of STATE from its record of ACCELERATIONS; the wheels keep their spin."""
    x, out = state[0], accelerated[0]
    q = x["q_WB"]
    v, w = vector(x["v_WB_B"]), vector(x["w_WB_B"])
    u = (q[1], q[2], q[3])
    t = cross(u, v)
    turned = cross(u, t)  # v_W = v + 2 w t + 2 u x t
    w_v, w_u = cross(w, v), cross(u, w)
    rate["q_WB"][0] = -0.5 * (u[0] * w[0] + u[1] * w[1] + u[2] * w[2])
    for j in range(3):
        rate["p_WB"][j] = v[j] + 2.0 * (q[0] * t[j] + turned[j])
        rate["q_WB"][j + 1] = 0.5 * (q[0] * w[j] + w_u[j])
        rate["v_WB_B"][j] = out["a_WB_B"][j] - w_v[j]
        rate["w_WB_B"][j] = out["alpha_WB_B"][j]
    for i in range(4):
        rate["theta"][i] = x["theta_dot"][i]
        rate["theta_dot"][i] = out["theta_ddot"][i]
        rate["wheel_angle"][i] = x["wheel_spin"][i] - out["carrier_spin"][i]
        rate["wheel_spin"][i] = 0.0
