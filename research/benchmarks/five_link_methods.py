"""The five-link suspension with each method of Table 3 of [Uchida 2012], in compiled loops of explicit Euler steps.

The first three methods solve for the pose by Newton's method on the constant distances (15) and differ in the links; the fourth solves
(14) at once. The methods share (10) and (11). Newton's methods start from the last position and end when no coordinate changes by more
than the tolerance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from research.benchmarks.platform_on_legs import (
    ANGLES,
    BAUMGARTE,
    MAX_ITERATIONS,
    PENALTY,
    SEPARATE,
    TRIANGULAR,
    WHOLE,
    Dense,
    Redundant,
    dense,
    redundant,
    solve_baumgarte,
    solve_penalty,
    solve_two,
)
from simulator.base.algebra.linear_solve import factor, solve
from simulator.base.algebra.vectors import add, add_scaled, combine, cross, scale, vector
from simulator.base.arrays import Vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from simulator.validation.linkages.euler_body import angular_motion, euler_axes, set_body
from simulator.validation.linkages.five_link import (
    ALPHA,
    BETA,
    DEPENDENT,
    HEIGHT,
    FiveLink,
    link_angles,
    link_axes,
    link_vectors,
    make_five_link,
    set_link_forces,
    set_link_vectors,
    solve_acceleration,
    solve_links,
    solve_pose,
)

START = -0.045
"""m. Initial height of the wheel."""
SWING = 20.0
"""N. Amplitude of the force in addition to the static one, once per second."""

BAUMGARTE_GAINS = (7.0, 17.0)
"""1/s. alpha and beta of the paper."""
PENALTY_GAINS = (1e3, 7.0, 17.0)
"""kg, 1, 1/s. rho, zeta and omega of the paper."""

TIGHT = 1e-10
"""m, rad. Tolerance of Newton's method at the closed initial position."""


class FiveLinkTrial(NamedTuple):
    """Run data of the suspension.

    pose (6,) : of the carrier; all but z are initial values of Newton's method, or the state of the stabilizations
    rates (6,) : only z' unless stabilized
    links, link_rates (5, 2) : alpha, beta; initial values or state as for the pose
    force (3,) : on the carrier [N];  static (1,) : force in equilibrium at the design position [N]
    all_links (10), everything (15) : equations of Newton's methods
    gains (5,) : of the stabilizations, alpha, beta, rho, zeta, omega
    widest (1,) : largest gap so far [m]
    """

    m: FiveLink
    pose: Vector
    rates: Vector
    links: Vector
    link_rates: Vector
    force: Vector
    static: Vector
    all_links: Dense
    everything: Dense
    r: Redundant
    gains: Vector
    widest: Vector


def five_link_trial(p: Record) -> FiveLinkTrial:
    """Return a trial at rest at the initial height."""
    m, zeros = make_five_link(p), np.zeros
    pose = p[0]["design_pose"].copy()
    solve_pose(m, pose, TIGHT)
    solve_links(m, pose)
    solve_acceleration(m, pose, 0.0, zeros(3))
    static = np.array([-m.motion[0]["reduced_force"]])
    gains = np.array([*BAUMGARTE_GAINS, *PENALTY_GAINS])
    states = zeros(6), zeros(6), zeros((5, 2)), zeros((5, 2)), zeros(3)
    t = FiveLinkTrial(m, *states, static, dense(10), dense(15), redundant(5, 2), gains, zeros(1))
    start(t, START)
    return t


@kernel
def start(t, height):
    """Set a closed state at rest at a height."""
    for i in range(6):
        t.pose[i], t.rates[i] = t.m.p[0]["design_pose"][i], 0.0
    t.pose[HEIGHT] += height
    solve_pose(t.m, t.pose, TIGHT)
    solve_links(t.m, t.pose)
    link_angles(t.m, t.links)
    for i in range(5):
        t.link_rates[i, ALPHA] = t.link_rates[i, BETA] = 0.0
    t.widest[0] = 0.0


# Positions ---------------------------------------------------------------------------------------------------------------------


@kernel
def place(t, method, tolerance):
    """Compute pose and links at the height t.pose[HEIGHT]; return the Newton iterations after the pose, summed over the links."""
    if method == WHOLE:
        return newton_for_everything(t, tolerance)
    solve_pose(t.m, t.pose, tolerance)
    if method in (TRIANGULAR, ANGLES):
        solve_links(t.m, t.pose)
        if method == ANGLES:
            link_angles(t.m, t.links)
        return 0
    set_link_vectors(t.m, t.pose)
    if method == SEPARATE:
        return newton_by_link(t, tolerance)
    return newton_for_links(t, tolerance)


@inline
def set_axes(t, i):
    """Set sines and cosines of link i from its angles."""
    links = t.m.links[0]
    links["sin_alpha"][i], links["cos_alpha"][i] = math.sin(t.links[i, ALPHA]), math.cos(t.links[i, ALPHA])
    links["sin_beta"][i], links["cos_beta"][i] = math.sin(t.links[i, BETA]), math.cos(t.links[i, BETA])


@inline
def link_gap(m, i):
    """Return Phi of link i, (14), as a vector: from the end of the link to the carrier joint [m]."""
    links = m.links[0]
    d, _ = link_vectors(links, i)
    y, z = link_axes(links, i)
    return add_scaled(d, m.p[0]["length"][i], cross(y, z))


@inline
def link_columns(m, i):
    """Return the derivatives of Phi of link i with respect to alpha and beta."""
    y, z = link_axes(m.links[0], i)
    L = m.p[0]["length"][i]
    return scale(L * m.links[0]["sin_beta"][i], y), scale(-L, z)


@inline
def link_equations(t, i):
    """Return the equations of Newton's method for link i: its rows x and z of Phi_d and -Phi."""
    set_axes(t, i)
    gap, (a, b) = link_gap(t.m, i), link_columns(t.m, i)
    return (a[0], b[0], -gap[0]), (a[2], b[2], -gap[2])


@inline
def take_step(t, i, step):
    """Add a step to the angles of link i; return the larger change."""
    t.links[i, ALPHA] += step[0]
    t.links[i, BETA] += step[1]
    return max(abs(step[0]), abs(step[1]))


@kernel
def newton_by_link(t, tolerance):
    """Solve five systems of 2 equations."""
    iterations = 0
    for i in range(5):
        for _ in range(MAX_ITERATIONS):
            p, q = link_equations(t, i)
            iterations += 1
            if take_step(t, i, solve_two(p, q)) < tolerance:
                break
    return iterations


@kernel
def newton_for_links(t, tolerance):
    """Solve one system of 10 equations."""
    A, b = t.all_links.A, t.all_links.b
    iterations = 0
    for _ in range(MAX_ITERATIONS):
        iterations += 1
        clear(A)
        for i in range(5):
            rows = link_equations(t, i)
            for j in range(2):
                A[2 * i + j, 2 * i], A[2 * i + j, 2 * i + 1], b[2 * i + j] = rows[j]
        factor(A, t.all_links.exchanges)
        solve(A, t.all_links.exchanges, b)
        largest = 0.0
        for i in range(5):
            largest = max(largest, take_step(t, i, (b[2 * i], b[2 * i + 1])))
        if largest < tolerance:
            break
    return iterations


@kernel
def newton_for_everything(t, tolerance):
    """Solve one system of 15 equations: (14) for the dependent pose and the angles."""
    A, b = t.everything.A, t.everything.b
    iterations = 0
    for _ in range(MAX_ITERATIONS):
        iterations += 1
        clear(A)
        set_link_vectors(t.m, t.pose)
        axes = euler_axes(t.pose)
        for i in range(5):
            set_axes(t, i)
            _, r = link_vectors(t.m.links[0], i)
            gap, columns, turned = link_gap(t.m, i), link_columns(t.m, i), (cross(axes[0], r), cross(axes[1], r), cross(axes[2], r))
            A[3 * i, 0] = A[3 * i + 1, 1] = 1.0
            for j in range(3):
                row = 3 * i + j
                b[row] = -gap[j]
                A[row, 2], A[row, 3], A[row, 4] = turned[0][j], turned[1][j], turned[2][j]
                A[row, 5 + 2 * i], A[row, 6 + 2 * i] = columns[0][j], columns[1][j]
        factor(A, t.everything.exchanges)
        solve(A, t.everything.exchanges, b)
        largest = 0.0
        for i in range(5):
            t.pose[DEPENDENT[i]] += b[i]
            largest = max(largest, abs(b[i]), take_step(t, i, (b[5 + 2 * i], b[6 + 2 * i])))
        if largest < tolerance:
            break
    set_link_vectors(t.m, t.pose)
    return iterations


@inline
def clear(A):
    """Set A = 0."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.0


@inline
def watch_gaps(t):
    """Update the largest component of Phi."""
    set_link_vectors(t.m, t.pose)
    for i in range(5):
        gap = link_gap(t.m, i)
        t.widest[0] = max(t.widest[0], abs(gap[0]), abs(gap[1]), abs(gap[2]))


# Stabilized accelerations ------------------------------------------------------------------------------------------------------


@kernel
def set_redundant(t):
    """Compute constraints and equations of motion at the state of all 16 coordinates."""
    m, r = t.m, t.r
    p, links, motion = m.p[0], m.links[0], m.motion[0]
    set_link_vectors(m, t.pose)
    z, y, x = euler_axes(t.pose)
    w, w_bias = angular_motion((z, y, x), t.rates)
    v = vector(t.rates)
    for i in range(5):
        set_axes(t, i)
        a1, b1 = t.link_rates[i, ALPHA], t.link_rates[i, BETA]
        motion["rates"][ALPHA, i], motion["rates"][BETA, i] = a1, b1
        _, arm = link_vectors(links, i)
        sb, cb, L = links["sin_beta"][i], links["cos_beta"][i], p["length"][i]
        gap, columns, turned = link_gap(m, i), link_columns(m, i), (cross(z, arm), cross(y, arm), cross(x, arm))
        ey, ez = link_axes(links, i)
        u = add(v, cross(w, arm))
        # second derivative of L x'' at constant rates, in link axes
        bias = add(scale(-L * (b1 * b1 + a1 * a1 * sb * sb), cross(ey, ez)), combine(2.0 * L * a1 * b1 * cb, ey, L * a1 * a1 * sb * cb, ez))
        gamma = scale(-1.0, add(bias, add(cross(w_bias, arm), cross(w, cross(w, arm)))))
        for j in range(3):
            row = 3 * i + j
            r.gap[row], r.gamma[row] = gap[j], gamma[j]
            r.gap_rate[row] = u[j] + columns[0][j] * a1 + columns[1][j] * b1
            r.D[i, j, 0], r.D[i, j, 1] = columns[0][j], columns[1][j]
            for k in range(3):
                r.P[row, k] = 1.0 if k == j else 0.0
                r.P[row, 3 + k] = turned[k][j]
    set_body(p["carrier_mass"], p["carrier_inertia"], p["gravity"], t.pose, t.rates, r.H, r.f)
    set_link_forces(m)
    for i in range(3):
        r.f[i] += t.force[i]
    for i in range(5):
        for k in range(2):
            r.mass[i, k], r.force[i, k] = motion["mass"][k, i], motion["force"][k, i]


# Runs --------------------------------------------------------------------------------------------------------------------------


@kernel
def kinematic_run(t, poses, method, tolerance):
    """Compute positions at the height of each pose (n, 6); return the total iterations of `place`."""
    iterations = 0
    for k in range(poses.shape[0]):
        t.pose[HEIGHT] = poses[k, HEIGHT]
        iterations += place(t, method, tolerance)
    return iterations


@kernel
def dynamic_run(t, method, tolerance, h, poses, watched):
    """Run explicit Euler steps of h [s] over the rows of `poses` (n, 6), overwritten with the motion; `watched`: update the largest gap."""
    for k in range(poses.shape[0]):
        t.force[2] = t.static[0] + SWING * math.cos(2.0 * math.pi * (k * h))
        if method in (BAUMGARTE, PENALTY):
            set_redundant(t)
        else:
            place(t, method, tolerance)
            if method not in (TRIANGULAR, ANGLES):
                for i in range(5):
                    set_axes(t, i)
        for i in range(6):
            poses[k, i] = t.pose[i]
        if watched:
            watch_gaps(t)
        if method in (BAUMGARTE, PENALTY):
            stabilized_step(t, method, h)
        else:
            embedded_step(t, h)


@inline
def embedded_step(t, h):
    """Compute the acceleration by (10), and advance the height."""
    solve_acceleration(t.m, t.pose, t.rates[HEIGHT], t.force)
    t.pose[HEIGHT] += h * t.rates[HEIGHT]
    t.rates[HEIGHT] += h * t.m.motion[0]["acceleration"]


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
    for i in range(5):
        for j in range(2):
            t.links[i, j] += h * t.link_rates[i, j]
            t.link_rates[i, j] += h * t.r.leg_accelerations[i, j]
