"""Accelerations of the vehicle from tables of the reduced quantities: a fidelity level next to `vehicles.dynamics`.

The velocity terms of a corner follow from its kinetic energy (see `vehicles.suspension.tables.reduced_table`) by d/dt of its momentum
about the chassis reference point and by Lagrange's equation for theta, with w the angular velocity of the chassis, S the moment and I
the inertia, subscripts for derivatives by theta (t) and the Pitman angle (d):

    bias, linear   w x (w x S) + 2 w x S' + S_tt theta'^2 + 2 S_td theta' delta' + S_dd delta'^2 + S_d delta''
    bias, angular  I' w + G' theta' + E' delta' + E delta'' + w x (I w + G theta' + E delta')
    bias of theta  1/2 D_t theta'^2 + D_d theta' delta' + (F_d - 1/2 H_t) delta'^2 + F delta'' - 1/2 w . I_t w + delta' w . (G_d - E_t)

The remaining steps are those of `vehicles.dynamics`: gyroscopic couples, struts, bars, wheel loads, elimination of theta, the 6 x 6 solve.
"""

from __future__ import annotations

from typing import NamedTuple

from simulator.base.algebra.vectors import add, add_scaled, column, combine, cross, dot, scale, store, sub, symmetric_times, vector
from simulator.base.jit import inline
from simulator.base.records import Record
from vehicles.corner_layout import sides_of
from vehicles.suspension.anti_roll_bar import apply_anti_roll_bars
from vehicles.suspension.blocks import Blocks
from vehicles.suspension.composite_inertia import add_gyroscopic_couples, apply_struts, prepare_by_call
from vehicles.suspension.tables.reduced_table import (
    AXLE,
    INERTIA,
    MOMENT,
    RATE,
    SHOCK,
    SPRING,
    STEER_RATE,
    D,
    E,
    F,
    G,
    H,
    ReducedTables,
    W,
    interpolate,
)


class TabulatedMechanism(NamedTuple):
    """`MechanismRecords` with tables."""

    chassis: Record
    corners: Record
    struts: Record
    tables: ReducedTables


class TabulatedWorkspace(NamedTuple):
    """Workspace with the additional records of tables, STEERING_STATE and INTERPOLATED."""

    blocks: Blocks
    state: Record
    inputs: Record
    loads: Record
    kinematics: Record
    work: Record
    out: Record
    steering: Record
    reduced: Record


@inline
def prepare_from_tables(m, s, steering_moves):
    """Perform `vehicles.suspension.composite_inertia.prepare` from tables, for angles that the tables cover.

    m, s : as in `prepare`, with `tables` of m, and `steering` and `reduced` of s
    steering_moves : False leaves out the derivatives by the Pitman angle; valid only at rest, and not sufficient for its torque
    """
    x, q, k, r = s.state[0], s.inputs[0], s.kinematics, s.reduced
    steered, turn = m.tables.grid[0]["steered"], s.steering[0]
    w_B = vector(x["w_WB_B"])
    if m.struts[0]["anti_roll_bars"]["turned"]:  # the tables contain only the axle, not the full attitude of the carriers
        prepare_by_call(m, s)
    interpolate(m.tables, x["theta"], turn["angle"], steering_moves, r)
    for i in range(len(x["theta"])):
        q["theta"][i] = x["theta"][i]
        q["theta_dot"][i] = x["theta_dot"][i]
        place_corner(r, i, x["theta_dot"][i], k)
    sum_corners_at_rest(r, x["theta_dot"], w_B, k, s.work)
    if steering_moves:
        for i in range(steered):
            move_carrier(r, i, turn["rate"], k)
        add_steering(r, steered, turn, x["theta_dot"], w_B, k, s.work)
    add_gyroscopic_couples(m, s)
    apply_struts(m, s)
    apply_anti_roll_bars(m, s)


@inline
def three(rows, i, at):
    """Return the vector of corner i that begins at number `at` of its row."""
    return rows[i, at], rows[i, at + 1], rows[i, at + 2]


@inline
def symmetric(rows, i, at):
    """Return the symmetric matrix of corner i that begins at number `at` of its row."""
    return rows[i, at], rows[i, at + 1], rows[i, at + 2], rows[i, at + 3], rows[i, at + 4], rows[i, at + 5]


@inline
def place_corner(r, i, rate, k):
    """Compute wheel, carrier and struts of corner i with the steering at rest."""
    value, by_theta = r[0]["value"], r[0]["by_theta"]
    o = k[0]
    W_1, w = three(by_theta, i, W), three(value, i, RATE)
    store(o["W"], i, three(value, i, W))
    store(o["W_1"], i, W_1)
    store(o["W_dot"], i, scale(rate, W_1))
    store(o["axle"], i, three(value, i, AXLE))
    store(o["w"], i, w)
    store(o["w_rel"], i, scale(rate, w))
    o["spring_length"][i], o["spring_length_1"][i] = value[i, SPRING], by_theta[i, SPRING]
    o["shock_length"][i], o["shock_length_1"][i] = value[i, SHOCK], by_theta[i, SHOCK]


@inline
def move_carrier(r, i, angle_rate, k):
    """Add the velocities due to the moving Pitman arm to carrier i."""
    W_dot, w_rel = k[0]["W_dot"], k[0]["w_rel"]
    store(W_dot, i, add_scaled(column(W_dot, i), angle_rate, three(r[0]["by_angle"], i, W)))
    store(w_rel, i, add_scaled(column(w_rel, i), angle_rate, three(r[0]["value"], i, STEER_RATE)))


@inline
def sum_corners_at_rest(r, theta_dot, w_B, k, work):
    """Compute composite inertia, couplings, theta inertias and bias forces of the corners for a Pitman arm at rest."""
    value, by_theta = r[0]["value"], r[0]["by_theta"]
    c, o = k[0], work[0]
    zero = (0.0, 0.0, 0.0)
    S, S_dot, S_ddot, L, L_dot, I_dot_w = zero, zero, zero, zero, zero, zero
    diagonal, products = zero, zero
    for i in range(len(theta_dot)):
        rate = theta_dot[i]
        S_t, coupling = three(by_theta, i, MOMENT), three(value, i, G)
        I_t_w = symmetric_times(symmetric(by_theta, i, INERTIA), w_B)
        S, S_dot = add(S, three(value, i, MOMENT)), add_scaled(S_dot, rate, S_t)
        S_ddot = add_scaled(S_ddot, rate * rate, three(r[0]["curvature"][i], 0, 0))
        L, L_dot = add_scaled(L, rate, coupling), add_scaled(L_dot, rate * rate, three(by_theta, i, G))
        diagonal, products = add(diagonal, three(value, i, INERTIA)), add(products, three(value, i, INERTIA + 3))
        I_dot_w = add_scaled(I_dot_w, rate, I_t_w)
        c["D"][i] = value[i, D]
        c["theta_bias"][i] = 0.5 * (rate * rate * by_theta[i, D] - dot(w_B, I_t_w))
        for j in range(3):
            c["G"][j, i] = coupling[j]
            c["G"][j + 3, i] = S_t[j]
    f = add(S_ddot, cross(w_B, add_scaled(cross(w_B, S), 2.0, S_dot)))
    n = add(add(I_dot_w, L_dot), cross(w_B, add(L, symmetric_times((*diagonal, *products), w_B))))
    for j in range(3):
        o["corners_moment"][j] = S[j]
        o["corners_inertia"][j], o["corners_inertia"][j + 3] = diagonal[j], products[j]
        o["corners_bias"][j], o["corners_bias"][j + 3] = n[j], f[j]


@inline
def add_steering(r, steered, turn, theta_dot, w_B, k, work):
    """Add the contribution of rate and acceleration of the Pitman angle, `turn` of STEERING_STATE, to the bias forces."""
    angle_rate, angle_acceleration = turn["rate"], turn["acceleration"]
    value, by_theta, by_angle, curvature = r[0]["value"], r[0]["by_theta"], r[0]["by_angle"], r[0]["curvature"]
    for i in range(steered):
        rate = theta_dot[i]
        both = 2.0 * rate * angle_rate
        S_d, coupling = three(by_angle, i, MOMENT), three(value, i, E)
        G_d, E_t = three(by_angle, i, G), three(by_theta, i, E)

        f = add_scaled(
            combine(both, three(curvature[i], 1, 0), angle_rate * angle_rate, three(curvature[i], 2, 0)), angle_acceleration, S_d
        )
        f = add_scaled(f, 2.0 * angle_rate, cross(w_B, S_d))
        n = combine(0.5 * both, add(G_d, E_t), angle_rate * angle_rate, three(by_angle, i, E))
        n = add_scaled(add_scaled(n, angle_acceleration, coupling), angle_rate, cross(w_B, coupling))
        n = add_scaled(n, angle_rate, symmetric_times(symmetric(by_angle, i, INERTIA), w_B))
        tau = angle_rate * (angle_rate * (by_angle[i, F] - 0.5 * by_theta[i, H]) + rate * by_angle[i, D] + dot(w_B, sub(G_d, E_t)))
        k[0]["theta_bias"][i] += tau + angle_acceleration * value[i, F]
        for j in range(3):
            work[0]["corners_bias"][j] += n[j]
            work[0]["corners_bias"][j + 3] += f[j]


@inline
def steer_from_tables(m, s):
    """Perform `vehicles.suspension.blocks.steer_blocks` from tables, after `prepare_from_tables` with the derivatives by the Pitman angle.

    The bias of the arm contains the acceleration of the arm:

        H delta'' + (F_t - 1/2 D_d) theta'^2 + H_t theta' delta' + 1/2 H_d delta'^2 + theta' w . (E_t - G_d) - 1/2 w . I_d w
    """
    r, k, turn = s.reduced[0], s.kinematics, s.steering[0]
    value, by_theta, by_angle = r["value"], r["by_theta"], r["by_angle"]
    c, angle_rate = k[0], turn["rate"]
    w_B = vector(s.state[0]["w_WB_B"])
    first, end = sides_of(m.corners, 0)
    for i in range(first, end):
        rate = s.state[0]["theta_dot"][i]
        store(k[0]["W_steer"], i, three(by_angle, i, W))
        store(k[0]["w_steer"], i, three(value, i, STEER_RATE))
        for j in range(3):
            c["E"][j, i], c["E"][j + 3, i] = value[i, E + j], by_angle[i, MOMENT + j]
        c["F"][i], c["H"][i] = value[i, F], value[i, H]
        bias = value[i, H] * turn["acceleration"] + rate * dot(w_B, sub(three(by_theta, i, E), three(by_angle, i, G)))
        bias += rate * rate * (by_theta[i, F] - 0.5 * by_angle[i, D])
        bias += angle_rate * (rate * by_theta[i, H] + 0.5 * angle_rate * by_angle[i, H])
        c["steer_bias"][i] = bias - 0.5 * dot(w_B, symmetric_times(symmetric(by_angle, i, INERTIA), w_B))
