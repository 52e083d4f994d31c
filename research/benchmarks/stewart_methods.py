"""The Gough-Stewart platform with each method of Table 1 of [Uchida 2012], in compiled loops of explicit Euler steps.

The methods share the attitude and arms of the platform, and (10) and (11) after the leg coordinates. Newton's
methods start from the last position and end when no coordinate changes by more than the tolerance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from research.benchmarks import stewart_leg
from research.benchmarks.platform_on_legs import (
    ANGLES,
    BAUMGARTE,
    GENERATED,
    MAX_ITERATIONS,
    PENALTY,
    SEPARATE,
    TRIANGULAR,
    Dense,
    Redundant,
    dense,
    redundant,
    solve_baumgarte,
    solve_penalty,
    solve_three,
)
from simulator.base.algebra.linear_solve import factor, solve
from simulator.base.algebra.vectors import add, combine, cross, sub, vector
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from simulator.validation.linkages.euler_body import angular_motion, euler_axes, set_body
from simulator.validation.linkages.stewart import (
    ALPHA,
    BETA,
    TRAVEL,
    Stewart,
    leg_axes,
    leg_coordinates,
    make_stewart,
    set_leg_forces,
    solve_accelerations,
    solve_legs,
)
from washout.hexapod import leg_vector, platform_arm, platform_axes

START = np.array([-1.5, 0.0, 1.0, 0.0, 0.0, 0.0])
"""m, rad. Initial pose of the platform at rest; the paper shows its initial pose in a figure only."""

BAUMGARTE_GAINS = (1.0, 18.0)
"""1/s. alpha and beta of the paper."""
PENALTY_GAINS = (1e3, 1.0, 18.0)
"""kg, 1, 1/s. rho, zeta and omega of the paper."""


class StewartTrial(NamedTuple):
    """Run data of the platform.

    pose, rates (6,) : state of the platform
    legs, leg_rates (6, 3) : alpha, beta, s; initial values of Newton's methods, or the state of the stabilizations
    actuators (6,) : forces on s [N]
    all_legs (18) : equations of Newton's method for all legs
    gains (5,) : of the stabilizations, alpha, beta, rho, zeta, omega
    widest (1,) : largest gap so far [m]
    """

    m: Stewart
    pose: Vector
    rates: Vector
    legs: Vector
    leg_rates: Vector
    actuators: Vector
    all_legs: Dense
    r: Redundant
    gains: Vector
    widest: Vector


def stewart_trial(p: Record) -> StewartTrial:
    """Return a trial at rest in the initial pose."""
    gains = np.array([*BAUMGARTE_GAINS, *PENALTY_GAINS])
    zeros = np.zeros
    t = StewartTrial(
        m=make_stewart(p),
        pose=zeros(6),
        rates=zeros(6),
        legs=zeros((6, 3)),
        leg_rates=zeros((6, 3)),
        actuators=zeros(6),
        all_legs=dense(18),
        r=redundant(6, 3),
        gains=gains,
        widest=zeros(1),
    )
    start(t, START)
    return t


@kernel
def start(t, pose):
    """Set a state at rest in a pose, with closed legs."""
    for i in range(6):
        t.pose[i], t.rates[i] = pose[i], 0.0
        for j in range(3):
            t.leg_rates[i, j] = 0.0
    solve_legs(t.m, pose)
    leg_coordinates(t.m, t.legs)
    t.widest[0] = 0.0


# Positions ---------------------------------------------------------------------------------------------------------------------


@kernel
def place(t, pose, method, tolerance):
    """Compute leg coordinates at a pose; return the iterations, summed over the legs if they are solved separately."""
    if method == TRIANGULAR:
        solve_legs(t.m, pose)
        return 0
    set_arms(t.m, pose)
    if method == SEPARATE:
        return newton_by_leg(t, pose, tolerance)
    return newton_for_all(t, pose, tolerance)


@kernel
def solve_generated(m, pose):
    """Compute the same as `solve_legs` by the kernel generated from the Gröbner basis of a leg of 2 m, with the branches of the design
    position.
    """
    set_arms(m, pose)
    legs = m.legs[0]
    for i in range(6):
        arm = legs["arm"][0, i], legs["arm"][1, i], legs["arm"][2, i]
        d = leg_vector((pose[0], pose[1], pose[2]), arm, m.p[0]["base_joints"], i)
        s, cb, sb, ca, sa = stewart_leg.solve(d[0], d[1], d[2], 1.0, 1.0)
        legs["length"][i], legs["cos_beta"][i], legs["sin_beta"][i] = 2.0 + s, cb, sb
        legs["cos_alpha"][i], legs["sin_alpha"][i] = ca, sa


@inline
def set_arms(m, pose):
    """Compute the part of the constraints that depends on the pose."""
    axes = platform_axes(pose[5], pose[4], pose[3])
    for i in range(6):
        arm = platform_arm(axes, m.p[0]["platform_joints"], i)
        for j in range(3):
            m.legs[0]["arm"][j, i] = arm[j]


@inline
def set_axes(t, i):
    """Set sines, cosines and length of leg i from its coordinates."""
    legs = t.m.legs[0]
    legs["sin_alpha"][i], legs["cos_alpha"][i] = math.sin(t.legs[i, ALPHA]), math.cos(t.legs[i, ALPHA])
    legs["sin_beta"][i], legs["cos_beta"][i] = math.sin(t.legs[i, BETA]), math.cos(t.legs[i, BETA])
    legs["length"][i] = t.m.p[0]["rest_length"][i] + t.legs[i, TRAVEL]


@inline
def leg_gap(m, pose, i):
    """Return Phi of leg i, (13), as a vector: from the end of the leg to the platform joint [m]."""
    legs = m.legs[0]
    arm = legs["arm"][0, i], legs["arm"][1, i], legs["arm"][2, i]
    d = leg_vector((pose[0], pose[1], pose[2]), arm, m.p[0]["base_joints"], i)
    _, _, n = leg_axes(legs, i)
    return combine(1.0, d, -legs["length"][i], n)


@inline
def leg_columns(legs, i):
    """Return the derivatives of Phi of leg i with respect to alpha, beta and s."""
    x, y, n = leg_axes(legs, i)
    L, cb = legs["length"][i], legs["cos_beta"][i]
    return (L * cb * y[0], L * cb * y[1], L * cb * y[2]), (-L * x[0], -L * x[1], -L * x[2]), (-n[0], -n[1], -n[2])


@inline
def leg_equations(t, pose, i):
    """Return the equations of Newton's method for leg i: rows of Phi_d and -Phi."""
    set_axes(t, i)
    gap, (a, b, s) = leg_gap(t.m, pose, i), leg_columns(t.m.legs[0], i)
    return (a[0], b[0], s[0], -gap[0]), (a[1], b[1], s[1], -gap[1]), (a[2], b[2], s[2], -gap[2])


@inline
def take_step(t, i, step):
    """Add a step to the coordinates of leg i; return the largest change."""
    t.legs[i, ALPHA] += step[0]
    t.legs[i, BETA] += step[1]
    t.legs[i, TRAVEL] += step[2]
    return max(abs(step[0]), abs(step[1]), abs(step[2]))


@kernel
def newton_by_leg(t, pose, tolerance):
    """Solve six systems of 3 equations."""
    iterations = 0
    for i in range(6):
        for _ in range(MAX_ITERATIONS):
            p, q, r = leg_equations(t, pose, i)
            iterations += 1
            if take_step(t, i, solve_three(p, q, r)) < tolerance:
                break
    return iterations


@kernel
def newton_for_all(t, pose, tolerance):
    """Solve one system of 18 equations."""
    A, b = t.all_legs.A, t.all_legs.b
    iterations = 0
    for _ in range(MAX_ITERATIONS):
        iterations += 1
        for i in range(18):
            for j in range(18):
                A[i, j] = 0.0
        for i in range(6):
            rows = leg_equations(t, pose, i)
            for j in range(3):
                A[3 * i + j, 3 * i], A[3 * i + j, 3 * i + 1], A[3 * i + j, 3 * i + 2] = rows[j][0], rows[j][1], rows[j][2]
                b[3 * i + j] = rows[j][3]
        factor(A, t.all_legs.exchanges)
        solve(A, t.all_legs.exchanges, b)
        largest = 0.0
        for i in range(6):
            largest = max(largest, take_step(t, i, (b[3 * i], b[3 * i + 1], b[3 * i + 2])))
        if largest < tolerance:
            break
    return iterations


@inline
def watch_gaps(t):
    """Update the largest component of Phi."""
    for i in range(6):
        gap = leg_gap(t.m, t.pose, i)
        t.widest[0] = max(t.widest[0], abs(gap[0]), abs(gap[1]), abs(gap[2]))


# Stabilized accelerations ------------------------------------------------------------------------------------------------------


@kernel
def set_redundant(t):
    """Compute constraints and equations of motion at the state of all 24 coordinates."""
    m, r = t.m, t.r
    p, legs, motion = m.p[0], m.legs[0], m.motion[0]
    set_arms(m, t.pose)
    z, y, x = euler_axes(t.pose)
    w, w_bias = angular_motion((z, y, x), t.rates)
    v = vector(t.rates)
    for i in range(6):
        set_axes(t, i)
        a1, b1, s1 = t.leg_rates[i, ALPHA], t.leg_rates[i, BETA], t.leg_rates[i, TRAVEL]
        motion["rates"][ALPHA, i], motion["rates"][BETA, i], motion["rates"][TRAVEL, i] = a1, b1, s1
        arm = legs["arm"][0, i], legs["arm"][1, i], legs["arm"][2, i]
        L, sb, cb = legs["length"][i], legs["sin_beta"][i], legs["cos_beta"][i]
        gap, columns, turned = leg_gap(m, t.pose, i), leg_columns(legs, i), (cross(z, arm), cross(y, arm), cross(x, arm))
        ex, ey, n = leg_axes(legs, i)
        u = add(v, cross(w, arm))
        # second derivative of L n at constant rates, in leg axes
        bx, by = 2.0 * s1 * b1 + L * a1 * a1 * sb * cb, -2.0 * s1 * a1 * cb + 2.0 * L * a1 * b1 * sb
        bias = add(combine(bx, ex, by, ey), combine(-L * (a1 * a1 * cb * cb + b1 * b1), n, 0.0, n))
        gamma = sub(bias, add(cross(w_bias, arm), cross(w, cross(w, arm))))
        for j in range(3):
            row = 3 * i + j
            r.gap[row], r.gamma[row] = gap[j], gamma[j]
            r.gap_rate[row] = u[j] + columns[0][j] * a1 + columns[1][j] * b1 + columns[2][j] * s1
            for k in range(3):
                r.P[row, k] = 1.0 if k == j else 0.0
                r.P[row, 3 + k] = turned[k][j]
                r.D[i, j, k] = columns[k][j]
    set_body(p["platform_mass"], p["platform_inertia"], p["gravity"], t.pose, t.rates, r.H, r.f)
    set_leg_forces(m, t.actuators)
    for i in range(6):
        for k in range(3):
            r.mass[i, k], r.force[i, k] = motion["mass"][k, i], motion["force"][k, i]


# Runs --------------------------------------------------------------------------------------------------------------------------


@kernel
def kinematic_run(t, poses, method, tolerance):
    """Compute leg coordinates at each pose (n, 6); return the total iterations.

    The closed form has its own loop: in a common loop with the other methods the compiler does not vectorize its legs.
    """
    iterations = 0
    if method == TRIANGULAR:
        for k in range(poses.shape[0]):
            solve_legs(t.m, poses[k])
        return iterations
    if method == GENERATED:
        for k in range(poses.shape[0]):
            solve_generated(t.m, poses[k])
        return iterations
    if method == ANGLES:
        for k in range(poses.shape[0]):
            solve_legs(t.m, poses[k])
            leg_coordinates(t.m, t.legs)
        return iterations
    for k in range(poses.shape[0]):
        iterations += place(t, poses[k], method, tolerance)
    return iterations


@kernel
def dynamic_run(t, method, tolerance, h, poses, watched):
    """Run explicit Euler steps of h [s] over the rows of `poses` (n, 6), overwritten with the motion; `watched`: update the largest gap."""
    for k in range(poses.shape[0]):
        push = 0.1 * math.sin(2.0 * math.pi * (k * h) / 3.0)
        for i in range(6):
            t.actuators[i] = push if i % 2 == 1 else -push
            poses[k, i] = t.pose[i]
        if method in (BAUMGARTE, PENALTY):
            set_redundant(t)
        else:
            place(t, t.pose, method, tolerance)
            if method != TRIANGULAR:
                for i in range(6):
                    set_axes(t, i)
        if watched:
            watch_gaps(t)
        if method in (BAUMGARTE, PENALTY):
            stabilized_step(t, method, h)
        else:
            embedded_step(t, h)


@inline
def embedded_step(t, h):
    """Compute the accelerations by (10), and advance the pose."""
    solve_accelerations(t.m, t.pose, t.rates, t.actuators)
    for i in range(6):
        t.pose[i] += h * t.rates[i]
        t.rates[i] += h * t.m.motion[0]["accelerations"][i]


@inline
def stabilized_step(t, method, h):
    """Compute the accelerations of all coordinates, and advance them."""
    if method == BAUMGARTE:
        solve_baumgarte(t.r, t.gains[0], t.gains[1])
    else:
        solve_penalty(t.r, t.gains[2], t.gains[3], t.gains[4])
    for i in range(6):
        t.pose[i] += h * t.rates[i]
        t.rates[i] += h * t.r.accelerations[i]
        for j in range(3):
            t.legs[i, j] += h * t.leg_rates[i, j]
            t.leg_rates[i, j] += h * t.r.leg_accelerations[i, j]
