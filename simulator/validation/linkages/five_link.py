"""Five-link suspension: a wheel carrier on five rods, each with a universal joint on the chassis; the height is the only independent
coordinate.

[Uchida 2012], section 4.2. The carrier has the pose (x, y, z, phi, theta, psi) of its
center of mass, 3-2-1 Euler angles; z is independent. The position is block-triangular:

    (x, y, phi, theta, psi) : Newton's method on the five constant distances (15), 5 x 5, from the last position
    alpha, beta of a link   : in closed form from the lexicographic Groebner basis of its loop (14), Table 2

With d from chassis joint C to carrier joint and L the length, d = -L (cos(beta), sin(alpha) sin(beta), -cos(alpha) sin(beta)):

    cos(beta) = -d_x / L,  sin(beta) = +sqrt(1 - cos^2(beta)),  cos(alpha) = d_z / (L sin(beta)),  sin(alpha) = -d_y / (L sin(beta))

The universal joint rotates the link about x of the world and about the rotated y', so that the link points along its -x''. A link along x
has no alpha. The opposite sign of sin(beta) gives the same position of the link.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.linear_solve import factor, solve
from simulator.base.algebra.vectors import add, cross, dot, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from simulator.validation.linkages.euler_body import angular_motion, euler_axes, set_body
from washout.hexapod import leg_vector, platform_arm, platform_axes

FIVE_LINK = (
    # name                   shape   unit     description
    ("chassis_joints", (5, 3), "m", "universal joints of the links, in the world"),
    ("carrier_joints", (5, 3), "m", "ball joints of the links, in the carrier frame P, whose origin is its center of mass"),
    ("length", (5,), "m", "distance of the joints of a link"),
    ("carrier_mass", (), "kg", "mass of the carrier with the wheel"),
    ("carrier_inertia", (3, 3), "kg m2", "inertia of the carrier about its center of mass, in P"),
    ("link_mass", (5,), "kg", "mass of the links"),
    ("link_center", (5,), "m", "distance of the center of mass of a link from the chassis joint"),
    ("transverse_inertia", (5,), "kg m2", "inertia of a link about its center of mass, perpendicular to the link"),
    ("axial_inertia", (5,), "kg m2", "inertia of a link about its axis"),
    ("gravity", (3,), "m/s2", "acceleration of free fall in the world"),
    ("design_pose", (6,), "m, rad", "design pose of the carrier, initial value of the first position"),
)

STATE = (
    ("pose", (6,), "m, rad", "x, y, z, phi, theta, psi; all but z are dependent, and initial values of the next position"),
    ("rate", (), "m/s", "z'"),
)

ALPHA, BETA = range(2)
"""Indices of the coordinates of a link."""

HEIGHT = 2
"""Index of the independent coordinate of the pose."""

DEPENDENT = (0, 1, 3, 4, 5)
"""Indices of the dependent coordinates of the pose."""

LINKS = (
    ("d", (3, 5), "m", "vector from chassis joint to carrier joint, in the world"),
    ("arm", (3, 5), "m", "vector from the carrier center of mass to the carrier joint, in the world"),
    ("sin_alpha", (5,), "1", "sine of the first angle of the universal joint"),
    ("cos_alpha", (5,), "1", "cosine of the first angle"),
    ("sin_beta", (5,), "1", "sine of the second angle, not negative"),
    ("cos_beta", (5,), "1", "cosine of the second angle"),
)

MOTION = (
    ("pose_map", (6,), "1, rad/m", "derivatives of the pose with respect to z"),
    ("pose_rates", (6,), "m/s, rad/s", "time derivatives of the pose"),
    ("pose_bias", (6,), "m/s2, rad/s2", "second time derivatives of the pose at z'' = 0"),
    ("B", (2, 5), "rad/m", "derivatives of ALPHA, BETA with respect to z"),
    ("rates", (2, 5), "rad/s", "alpha', beta'"),
    ("bias", (2, 5), "rad/s2", "alpha'', beta'' at z'' = 0"),
    ("mass", (2, 5), "kg m2", "mass matrix of the links in their coordinates, which is diagonal"),
    ("force", (2, 5), "N m", "forces on these coordinates, including velocity-dependent forces"),
    ("H", (6, 6), "kg, kg m, kg m2", "mass matrix of the carrier, lower triangle"),
    ("carrier_force", (6,), "N, N m", "forces on the pose, including velocity-dependent forces"),
    ("reduced_mass", (), "kg", "B^T M B, reduced mass of z"),
    ("reduced_force", (), "N", "B^T (F - M B' q_i')"),
    ("acceleration", (), "m/s2", "z''"),
)

MAX_ITERATIONS = 20
"""Maximum iterations of Newton's method; without convergence there is no position near the initial value."""


class FiveLink(NamedTuple):
    """A suspension with the workspace of the kernels.

    p (FIVE_LINK,), links (LINKS,), motion (MOTION,) : records of length 1
    J (5, 5), exchanges (5,), step (5,) : Jacobian of the distances with respect to the dependent pose, its factors, and right-hand side
    """

    p: Record
    links: Record
    motion: Record
    J: NDArray[np.float64]
    exchanges: NDArray[np.int64]
    step: NDArray[np.float64]


def make_five_link(p: Record) -> FiveLink:
    """Return a workspace for the suspension of a FIVE_LINK record."""
    return FiveLink(p, record(LINKS), record(MOTION), np.zeros((5, 5)), np.zeros(5, np.int64), np.zeros(5))


# Positions ---------------------------------------------------------------------------------------------------------------------


@kernel
def solve_pose(m, pose, tolerance):
    """Solve for the dependent coordinates of the pose (6,) at its z, by Newton's method from the present values.

    The iteration ends when no coordinate changes by more than `tolerance` [m, rad]; the remaining error is of the order of its square.
    Returns the number of iterations, or 0 without a position near the initial values.
    """
    for iteration in range(MAX_ITERATIONS):
        set_link_vectors(m, pose)
        set_distance_rows(m, pose)
        for i in range(5):
            d = m.links[0]["d"][0, i], m.links[0]["d"][1, i], m.links[0]["d"][2, i]
            m.step[i] = 0.5 * (m.p[0]["length"][i] * m.p[0]["length"][i] - dot(d, d))
        if not factor(m.J, m.exchanges):
            return 0
        solve(m.J, m.exchanges, m.step)
        largest = 0.0
        for i in range(5):
            pose[DEPENDENT[i]] += m.step[i]
            largest = max(largest, abs(m.step[i]))
        if largest <= tolerance:
            return iteration + 1
        if not largest < 1e3:
            return 0
    return 0


@kernel
def set_link_vectors(m, pose):
    """Set d and arm of each link at a pose."""
    p, links = m.p[0], m.links[0]
    axes = platform_axes(pose[5], pose[4], pose[3])
    origin = pose[0], pose[1], pose[2]
    for i in range(5):
        arm = platform_arm(axes, p["carrier_joints"], i)
        d = leg_vector(origin, arm, p["chassis_joints"], i)
        for j in range(3):
            links["arm"][j, i], links["d"][j, i] = arm[j], d[j]


@inline
def set_distance_rows(m, pose):
    """Store the derivatives of |d|^2 / 2 with respect to the dependent pose in J."""
    z, y, x = euler_axes(pose)
    for i in range(5):
        d, r = link_vectors(m.links[0], i)
        m.J[i, 0], m.J[i, 1] = d[0], d[1]
        m.J[i, 2], m.J[i, 3], m.J[i, 4] = dot(d, cross(z, r)), dot(d, cross(y, r)), dot(d, cross(x, r))


@inline
def link_vectors(links, i):
    """Return d and arm of link i."""
    return (links["d"][0, i], links["d"][1, i], links["d"][2, i]), (links["arm"][0, i], links["arm"][1, i], links["arm"][2, i])


@kernel
def solve_links(m, pose):
    """Compute the angles of all links from the pose, in closed form."""
    set_link_vectors(m, pose)
    p, links = m.p[0], m.links[0]
    for i in range(5):
        L = p["length"][i]
        cb = -links["d"][0, i] / L
        sb = math.sqrt(1.0 - cb * cb)
        per = 1.0 / (L * sb)
        links["cos_beta"][i], links["sin_beta"][i] = cb, sb
        links["cos_alpha"][i], links["sin_alpha"][i] = per * links["d"][2, i], -per * links["d"][1, i]


@kernel
def link_angles(m, out):
    """Store (5, 2) alpha, beta of each link [rad] in `out`, after `solve_links`."""
    links = m.links[0]
    for i in range(5):
        out[i, ALPHA] = math.atan2(links["sin_alpha"][i], links["cos_alpha"][i])
        out[i, BETA] = math.atan2(links["sin_beta"][i], links["cos_beta"][i])


# Velocities --------------------------------------------------------------------------------------------------------------------


@kernel
def solve_rates(m, pose, rate):
    """Compute B of (11), velocities and B' q_i' of pose and links from z' [m/s], after `solve_links`. Returns False when singular."""
    links, motion = m.links[0], m.motion[0]
    axes = euler_axes(pose)
    set_distance_rows(m, pose)
    if not factor(m.J, m.exchanges):
        return False
    for i in range(5):
        m.step[i] = -links["d"][2, i]
    take_pose(m, motion["pose_map"], 1.0)
    for i in range(6):
        motion["pose_rates"][i] = rate * motion["pose_map"][i]
    unit = angular_velocity(axes, motion["pose_map"])
    w, w_bias = angular_motion(axes, motion["pose_rates"])
    v = vector(motion["pose_rates"])
    for i in range(5):
        d, r = link_vectors(links, i)
        u = add(v, cross(w, r))
        m.step[i] = -dot(u, u) - dot(d, add(cross(w_bias, r), cross(w, cross(w, r))))
    take_pose(m, motion["pose_bias"], 0.0)
    w_bias = add(w_bias, angular_velocity(axes, motion["pose_bias"]))
    for i in range(5):
        _, r = link_vectors(links, i)
        set_link_rates(m, i, add(vector(motion["pose_map"]), cross(unit, r)), rate)
        set_link_bias(m, i, add(vector(motion["pose_bias"]), add(cross(w_bias, r), cross(w, cross(w, r)))))
    return True


@inline
def take_pose(m, out, height):
    """Solve J for the dependent part of a derivative of the pose (6,), with `height` as the derivative of z."""
    solve(m.J, m.exchanges, m.step)
    out[HEIGHT] = height
    for i in range(5):
        out[DEPENDENT[i]] = m.step[i]


@inline
def angular_velocity(axes, rates):
    """Return the angular velocity of Euler rates, or the angular acceleration of second derivatives at rest."""
    w, _ = angular_motion(axes, rates)
    return w


@inline
def link_axes(links, i):
    """Return y' and z'' of a link in the world: the last two columns of Rx(alpha) Ry(beta)."""
    sa, ca, sb, cb = links["sin_alpha"][i], links["cos_alpha"][i], links["sin_beta"][i], links["cos_beta"][i]
    return (0.0, ca, sa), (sb, -sa * cb, ca * cb)


@inline
def set_link_rates(m, i, u, rate):
    """Set B and rates of link i whose carrier joint moves by u per z."""
    y, z = link_axes(m.links[0], i)
    L, motion = m.p[0]["length"][i], m.motion[0]
    motion["B"][ALPHA, i] = -dot(y, u) / (L * m.links[0]["sin_beta"][i])
    motion["B"][BETA, i] = dot(z, u) / L
    motion["rates"][ALPHA, i] = rate * motion["B"][ALPHA, i]
    motion["rates"][BETA, i] = rate * motion["B"][BETA, i]


@inline
def set_link_bias(m, i, a):
    """Set B' q_i' of link i: a is the acceleration of its carrier joint at z'' = 0, minus its centripetal and Coriolis accelerations."""
    y, z = link_axes(m.links[0], i)
    L, motion = m.p[0]["length"][i], m.motion[0]
    sb, cb = m.links[0]["sin_beta"][i], m.links[0]["cos_beta"][i]
    a1, b1 = motion["rates"][ALPHA, i], motion["rates"][BETA, i]
    motion["bias"][ALPHA, i] = -dot(y, a) / (L * sb) - 2.0 * a1 * b1 * cb / sb
    motion["bias"][BETA, i] = dot(z, a) / L + a1 * a1 * sb * cb


# Accelerations -----------------------------------------------------------------------------------------------------------------


@kernel
def set_link_forces(m):
    """Compute mass matrix and forces of the links in their coordinates, from Lagrange's equations.

    2 T = (J sin^2(beta) + J_x cos^2(beta)) alpha'^2 + J beta'^2,   J = J_t + m c^2
    """
    p, links, motion = m.p[0], m.links[0], m.motion[0]
    g = vector(p["gravity"])
    for i in range(5):
        y, z = link_axes(links, i)
        sb, cb = links["sin_beta"][i], links["cos_beta"][i]
        a1, b1 = motion["rates"][ALPHA, i], motion["rates"][BETA, i]
        moment = p["link_mass"][i] * p["link_center"][i]
        J, Jx = p["transverse_inertia"][i] + moment * p["link_center"][i], p["axial_inertia"][i]
        motion["mass"][ALPHA, i] = J * sb * sb + Jx * cb * cb
        motion["mass"][BETA, i] = J
        motion["force"][ALPHA, i] = -moment * sb * dot(y, g) - 2.0 * (J - Jx) * sb * cb * a1 * b1
        motion["force"][BETA, i] = moment * dot(z, g) + (J - Jx) * sb * cb * a1 * a1


@kernel
def solve_acceleration(m, pose, rate, force):
    """Store z'' in `motion.acceleration` by (10), for pose and links solved by any method; `force` (3,) as in `evaluate`."""
    p, motion = m.p[0], m.motion[0]
    if not solve_rates(m, pose, rate):
        return False
    set_link_forces(m)
    B, H, f = motion["pose_map"], motion["H"], motion["carrier_force"]
    set_body(p["carrier_mass"], p["carrier_inertia"], p["gravity"], pose, motion["pose_rates"], H, f)
    mass, total = 0.0, 0.0
    for i in range(6):
        along, bias = 0.0, 0.0
        for j in range(6):
            h = H[max(i, j), min(i, j)]
            along += h * B[j]
            bias += h * motion["pose_bias"][j]
        mass += B[i] * along
        total += B[i] * (f[i] - bias)
    for i in range(3):
        f[i] += force[i]
        total += B[i] * force[i]
    for k in range(2):
        for i in range(5):
            b = motion["B"][k, i]
            mass += b * motion["mass"][k, i] * b
            total += b * (motion["force"][k, i] - motion["mass"][k, i] * motion["bias"][k, i])
    motion["reduced_mass"], motion["reduced_force"] = mass, total
    motion["acceleration"] = total / mass
    return mass > 0.0


@kernel
def evaluate(m, pose, rate, force, tolerance):
    """Compute position and acceleration at a height.

    Parameters
    ----------
    m : FiveLink
    pose : (6,) z is read, the others are initial values and are overwritten
    rate : z' [m/s]
    force : (3,) on the center of mass of the carrier, in the world [N]
    tolerance : see `solve_pose`

    Returns False without a position near the initial values, or for a singular position. Kernel.
    """
    if solve_pose(m, pose, tolerance) == 0:
        return False
    solve_links(m, pose)
    return solve_acceleration(m, pose, rate, force)


@kernel
def euler_step(m, s, force, h, tolerance):
    """Advance a STATE record by an explicit Euler step over h [s]."""
    pose, rate = s[0]["pose"], s[0]["rate"]
    solved = evaluate(m, pose, rate, force, tolerance)
    pose[HEIGHT] += h * rate
    s[0]["rate"] = rate + h * m.motion[0]["acceleration"]
    return solved
