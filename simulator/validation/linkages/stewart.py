"""Gough-Stewart platform: legs of a universal joint, a slider and a ball joint; accelerations by embedding.

Source: [Uchida 2012, section 4.1]. The independent coordinates q_i are the platform pose (x, y, z, phi, theta, psi):
position of the center of mass in the world and 3-2-1 Euler angles, R_WP = Rz(phi) Ry(theta) Rx(psi). The dependent coordinates of each leg
are

    alpha, beta : angles of its universal joint about x of the world and about the rotated y'
    s           : travel of its slider

They follow one after the other from the lexicographic Groebner basis of equation (13) of the leg, which is elementary geometry. With
d = (d_x, d_y, d_z) from base joint to platform joint, L = |d| and L_0 the length at zero travel,

    s = L - L_0,  sin(beta) = d_x / L,  cos(beta) = +sqrt(1 - sin^2(beta)),  cos(alpha) = d_z / (L cos(beta)),  sin(alpha) = -d_y / (L
    cos(beta))

No angle is computed explicitly. The axes x', y', n of the leg are the columns of Rx(alpha) Ry(beta); in them
d' = (L beta', -L cos(beta) alpha', s'). A leg along the x axis of the world has no alpha: the universal joint is singular there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.base.algebra.linear_solve import solve_positive
from simulator.base.algebra.vectors import add, cross, dot, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from simulator.validation.linkages.euler_body import angular_motion, euler_axes, set_body
from washout.hexapod import leg_vector, platform_arm, platform_axes

STEWART = (
    # name                   shape   unit     description
    ("base_joints", (6, 3), "m", "universal joints of the legs, in the world"),
    ("platform_joints", (6, 3), "m", "ball joints of the legs, in the platform frame P, whose origin is its center of mass"),
    ("rest_length", (6,), "m", "distance of the joints of a leg at zero travel"),
    ("platform_mass", (), "kg", "mass of the platform"),
    ("platform_inertia", (3, 3), "kg m2", "inertia of the platform about its center of mass, in P"),
    ("lower_mass", (6,), "kg", "mass of the leg half on the universal joint"),
    ("upper_mass", (6,), "kg", "mass of the leg half on the slider"),
    ("lower_center", (6,), "m", "distance of the center of mass of the lower half from the base joint"),
    ("upper_center", (6,), "m", "distance of the center of mass of the upper half from the platform joint"),
    ("transverse_inertia", (6,), "kg m2", "sum of the inertias of both halves about their centers of mass, perpendicular to the leg"),
    ("axial_inertia", (6,), "kg m2", "sum of the inertias of both halves about the leg"),
    ("gravity", (3,), "m/s2", "acceleration of free fall in the world"),
)

STATE = (
    ("pose", (6,), "m, rad", "x, y, z, phi, theta, psi"),
    ("rates", (6,), "m/s, rad/s", "time derivatives of the pose"),
)

ALPHA, BETA, TRAVEL = range(3)
"""Indices of the coordinates of a leg."""

LEGS = (
    ("arm", (3, 6), "m", "vector from the platform center of mass to the platform joint, in the world"),
    ("length", (6,), "m", "L"),
    ("sin_alpha", (6,), "1", "sine of the first angle of the universal joint"),
    ("cos_alpha", (6,), "1", "cosine of the first angle"),
    ("sin_beta", (6,), "1", "sine of the second angle"),
    ("cos_beta", (6,), "1", "cosine of the second angle, not negative"),
)
"""Dependent coordinates and derived values. The legs are the last index, so that loops over legs use vector instructions."""

MOTION = (
    ("B", (3, 6, 6), "1/m, 1", "derivatives of ALPHA, BETA, TRAVEL with respect to the pose: the dependent rows of B in (11), by leg"),
    ("rates", (3, 6), "rad/s, m/s", "q_d' = B q_i'"),
    ("bias", (3, 6), "rad/s2, m/s2", "B' q_i'"),
    ("mass", (3, 6), "kg m2, kg", "mass matrix of the legs in their coordinates, which is diagonal"),
    ("force", (3, 6), "N m, N", "forces on these coordinates, including velocity-dependent forces"),
    ("H", (6, 6), "kg, kg m, kg m2", "B^T M B, lower triangle; overwritten by its factor"),
    ("accelerations", (6,), "m/s2, rad/s2", "q_i''"),
)


class Stewart(NamedTuple):
    """A platform with the workspace of the kernels.

    p (STEWART,), legs (LEGS,), motion (MOTION,) : records of length 1
    """

    p: Record
    legs: Record
    motion: Record


def make_stewart(p: Record) -> Stewart:
    """Return a workspace for the platform of a STEWART record."""
    return Stewart(p, record(LEGS), record(MOTION))


# Positions ---------------------------------------------------------------------------------------------------------------------


@kernel
def solve_legs(m, pose):
    """Compute the dependent coordinates of all legs from the pose (6,) [m, rad], in closed form."""
    p, legs = m.p[0], m.legs[0]
    axes = platform_axes(pose[5], pose[4], pose[3])
    origin = pose[0], pose[1], pose[2]
    for i in range(6):
        arm = platform_arm(axes, p["platform_joints"], i)
        d = leg_vector(origin, arm, p["base_joints"], i)
        L = math.sqrt(dot(d, d))
        sb = d[0] / L
        cb = math.sqrt(1.0 - sb * sb)
        per = 1.0 / (L * cb)
        for j in range(3):
            legs["arm"][j, i] = arm[j]
        legs["length"][i], legs["sin_beta"][i], legs["cos_beta"][i] = L, sb, cb
        legs["cos_alpha"][i], legs["sin_alpha"][i] = per * d[2], -per * d[1]


@kernel
def leg_coordinates(m, out):
    """Store (6, 3) alpha, beta [rad] and s [m] of each leg in `out`, after `solve_legs`."""
    legs = m.legs[0]
    for i in range(6):
        out[i, ALPHA] = math.atan2(legs["sin_alpha"][i], legs["cos_alpha"][i])
        out[i, BETA] = math.atan2(legs["sin_beta"][i], legs["cos_beta"][i])
        out[i, TRAVEL] = legs["length"][i] - m.p[0]["rest_length"][i]


@inline
def leg_axes(legs, i):
    """Return the axes x', y', n of a leg in the world: the columns of Rx(alpha) Ry(beta)."""
    sa, ca, sb, cb = legs["sin_alpha"][i], legs["cos_alpha"][i], legs["sin_beta"][i], legs["cos_beta"][i]
    return (cb, sa * sb, -ca * sb), (0.0, ca, sa), (sb, -sa * cb, ca * cb)


# Velocities --------------------------------------------------------------------------------------------------------------------


@inline
def in_leg_coordinates(axes, L, cb, u):
    """Return (alpha', beta', s') of a leg whose platform joint moves with u [m/s]; also valid for accelerations at rest."""
    return -dot(axes[1], u) / (L * cb), dot(axes[0], u) / L, dot(axes[2], u)


@kernel
def solve_leg_rates(m, pose, rates):
    """Compute B of (11) in closed form, q_d' = B q_i' and B' q_i', after `solve_legs`.

    B' q_i' is q_d'' at q_i'' = 0. The platform joint then has its centripetal acceleration and the acceleration from the rotation of the
    Euler axes. The centripetal and Coriolis accelerations of the leg are subtracted.
    """
    legs, motion = m.legs[0], m.motion[0]
    z, y, x = euler_axes(pose)
    w, w_bias = angular_motion((z, y, x), rates)
    for i in range(6):
        r = legs["arm"][0, i], legs["arm"][1, i], legs["arm"][2, i]
        L, sb, cb = legs["length"][i], legs["sin_beta"][i], legs["cos_beta"][i]
        axes = leg_axes(legs, i)
        # a leg depends on the pose only through its platform joint
        set_columns(motion, i, 0, in_leg_coordinates(axes, L, cb, (1.0, 0.0, 0.0)))
        set_columns(motion, i, 1, in_leg_coordinates(axes, L, cb, (0.0, 1.0, 0.0)))
        set_columns(motion, i, 2, in_leg_coordinates(axes, L, cb, (0.0, 0.0, 1.0)))
        set_columns(motion, i, 3, in_leg_coordinates(axes, L, cb, cross(z, r)))
        set_columns(motion, i, 4, in_leg_coordinates(axes, L, cb, cross(y, r)))
        set_columns(motion, i, 5, in_leg_coordinates(axes, L, cb, cross(x, r)))
        wr = cross(w, r)
        a1, b1, s1 = in_leg_coordinates(axes, L, cb, (rates[0] + wr[0], rates[1] + wr[1], rates[2] + wr[2]))
        a2, b2, s2 = in_leg_coordinates(axes, L, cb, add(cross(w_bias, r), cross(w, wr)))
        motion["rates"][ALPHA, i], motion["rates"][BETA, i], motion["rates"][TRAVEL, i] = a1, b1, s1
        motion["bias"][ALPHA, i] = a2 - 2.0 * a1 * (s1 / L - b1 * sb / cb)
        motion["bias"][BETA, i] = b2 - 2.0 * s1 * b1 / L - a1 * a1 * sb * cb
        motion["bias"][TRAVEL, i] = s2 + L * (a1 * a1 * cb * cb + b1 * b1)


@inline
def set_columns(motion, i, j, column):
    """Store the derivatives of the coordinates of leg i with respect to coordinate j of the pose."""
    motion["B"][ALPHA, j, i], motion["B"][BETA, j, i], motion["B"][TRAVEL, j, i] = column[0], column[1], column[2]


# Accelerations -----------------------------------------------------------------------------------------------------------------


@kernel
def set_leg_forces(m, actuators):
    """Compute mass matrix and forces of the legs in their coordinates, from Lagrange's equations; `actuators` (6,) act on s [N].

        2 T = (J cos^2(beta) + J_n sin^2(beta)) alpha'^2 + J beta'^2 + m_u s'^2,   J = J_t + m_l e_1^2 + m_u (L - e_2)^2

    The universal joint spins the leg about its own axis with alpha' sin(beta); J_n is the axial inertia.
    """
    p, legs, motion = m.p[0], m.legs[0], m.motion[0]
    g = vector(p["gravity"])
    for i in range(6):
        sb, cb = legs["sin_beta"][i], legs["cos_beta"][i]
        a1, b1, s1 = motion["rates"][ALPHA, i], motion["rates"][BETA, i], motion["rates"][TRAVEL, i]
        lower, upper = p["lower_center"][i], legs["length"][i] - p["upper_center"][i]
        J = p["transverse_inertia"][i] + p["lower_mass"][i] * lower * lower + p["upper_mass"][i] * upper * upper
        Jn = p["axial_inertia"][i]
        J1 = 2.0 * p["upper_mass"][i] * upper * s1
        moment = p["lower_mass"][i] * lower + p["upper_mass"][i] * upper
        axes = leg_axes(legs, i)
        motion["mass"][ALPHA, i] = J * cb * cb + Jn * sb * sb
        motion["mass"][BETA, i] = J
        motion["mass"][TRAVEL, i] = p["upper_mass"][i]
        motion["force"][ALPHA, i] = -moment * cb * dot(axes[1], g) - a1 * (J1 * cb * cb + 2.0 * (Jn - J) * sb * cb * b1)
        motion["force"][BETA, i] = moment * dot(axes[0], g) - J1 * b1 + (Jn - J) * sb * cb * a1 * a1
        motion["force"][TRAVEL, i] = (
            actuators[i] + p["upper_mass"][i] * dot(axes[2], g) + p["upper_mass"][i] * upper * (a1 * a1 * cb * cb + b1 * b1)
        )


@kernel
def solve_accelerations(m, pose, rates, actuators):
    """Store q_i'' = (B^T M B)^-1 B^T (F - M B' q_i') in `motion.accelerations`, (10), for legs solved by any method.

    Returns False when B^T M B is singular (a leg along x, or no inertia).
    """
    p, motion = m.p[0], m.motion[0]
    solve_leg_rates(m, pose, rates)
    set_leg_forces(m, actuators)
    set_body(p["platform_mass"], p["platform_inertia"], p["gravity"], pose, rates, motion["H"], motion["accelerations"])
    B, H, f = motion["B"], motion["H"], motion["accelerations"]
    for k in range(3):
        for i in range(6):
            for j in range(i + 1):
                total = 0.0
                for n in range(6):
                    total += motion["mass"][k, n] * B[k, i, n] * B[k, j, n]
                H[i, j] += total
            total = 0.0
            for n in range(6):
                total += B[k, i, n] * (motion["force"][k, n] - motion["mass"][k, n] * motion["bias"][k, n])
            f[i] += total
    return solve_positive(H, f)


@kernel
def evaluate(m, pose, rates, actuators):
    """Compute the accelerations (6,) of the pose and store them in `motion.accelerations`.

    Parameters
    ----------
    m : Stewart
    pose, rates : (6,) x, y, z, phi, theta, psi and their derivatives [m, rad, 1/s]
    actuators : (6,) forces that lengthen the legs [N]

    Returns False when the platform has no acceleration (singular). Kernel.
    """
    solve_legs(m, pose)
    return solve_accelerations(m, pose, rates, actuators)


@kernel
def euler_step(m, s, actuators, h):
    """Advance a STATE record by an explicit Euler step over h [s]."""
    pose, rates = s[0]["pose"], s[0]["rates"]
    solved = evaluate(m, pose, rates, actuators)
    accelerations = m.motion[0]["accelerations"]
    for i in range(6):
        pose[i] += h * rates[i]
        rates[i] += h * accelerations[i]
    return solved
