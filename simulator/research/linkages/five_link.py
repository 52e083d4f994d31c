"""Five-link suspension: a wheel carrier on five rods, each with a universal joint on the chassis; its height is the only coordinate left.

T. Uchida, J. McPhee, Mechanism and Machine Theory 52 (2012), section 4.2. The carrier has the pose (x, y, z, phi, theta, psi) of its
center of mass, 3-2-1 Euler angles; z is independent. The position is block-triangular:

    (x, y, phi, theta, psi) : Newton's method on the five constant distances (15), 5 x 5, from the last position
    alpha, beta of a link   : in closed form from the lexicographic Groebner basis of its loop (14), Table 2

With d from chassis joint C to carrier joint and L the length, d = -L (cos(beta), sin(alpha) sin(beta), -cos(alpha) sin(beta)):

    cos(beta) = -d_x / L,  sin(beta) = +sqrt(1 - cos^2(beta)),  cos(alpha) = d_z / (L sin(beta)),  sin(alpha) = -d_y / (L sin(beta))

The universal joint turns the link about the world's x and about the turned y', so that the link lies along its own -x''. A link along x
has no alpha. The other sign of sin(beta) is the same position of the link.
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
from simulator.research.linkages.euler_body import set_body, turning, turning_axes
from washout.hexapod import leg_vector, platform_arm, platform_axes

FIVE_LINK = (
    # name                   shape   unit     what it is
    ("chassis_joints", (5, 3), "m", "universal joints of the links, in the world"),
    ("carrier_joints", (5, 3), "m", "ball joints of the links, in the carrier frame P, whose origin is its center of mass"),
    ("length", (5,), "m", "distance of the joints of a link"),
    ("carrier_mass", (), "kg", "mass of the carrier, wheel included"),
    ("carrier_inertia", (3, 3), "kg m2", "its inertia about its center of mass, in P"),
    ("link_mass", (5,), "kg", "mass of the links"),
    ("link_center", (5,), "m", "center of mass of a link, from the chassis joint along the link"),
    ("transverse_inertia", (5,), "kg m2", "of a link about its center of mass, square to it"),
    ("axial_inertia", (5,), "kg m2", "of a link about itself"),
    ("gravity", (3,), "m/s2", "acceleration of free fall in the world"),
    ("design_pose", (6,), "m, rad", "pose of the carrier as drawn, from which the first position is sought"),
)

STATE = (
    ("pose", (6,), "m, rad", "x, y, z, phi, theta, psi; all but z are dependent, and the guess for the next position"),
    ("rate", (), "m/s", "z'"),
)

ALPHA, BETA = range(2)
"""The coordinates of a link."""

HEIGHT = 2
"""Which coordinate of the pose is independent."""

DEPENDENT = (0, 1, 3, 4, 5)
"""The others."""

LINKS = (
    ("d", (3, 5), "m", "from chassis joint to carrier joint, in the world"),
    ("arm", (3, 5), "m", "from the carrier's center of mass to the carrier joint, in the world"),
    ("sin_alpha", (5,), "1", "of the first angle of the universal joint"),
    ("cos_alpha", (5,), "1", "the same"),
    ("sin_beta", (5,), "1", "of the second, not negative"),
    ("cos_beta", (5,), "1", "the same"),
)

MOTION = (
    ("pose_map", (6,), "1, rad/m", "derivatives of the pose by z"),
    ("pose_rates", (6,), "m/s, rad/s", "derivatives of the pose by time"),
    ("pose_bias", (6,), "m/s2, rad/s2", "the second ones at z'' = 0"),
    ("B", (2, 5), "rad/m", "derivatives of ALPHA, BETA by z"),
    ("rates", (2, 5), "rad/s", "alpha', beta'"),
    ("bias", (2, 5), "rad/s2", "alpha'', beta'' at z'' = 0"),
    ("mass", (2, 5), "kg m2", "mass matrix of the links in their coordinates, which is diagonal"),
    ("force", (2, 5), "N m", "forces on these coordinates, velocity-dependent ones included"),
    ("H", (6, 6), "kg, kg m, kg m2", "mass matrix of the carrier, lower triangle"),
    ("carrier_force", (6,), "N, N m", "forces on the pose, velocity-dependent ones included"),
    ("reduced_mass", (), "kg", "B^T M B: what z'' moves"),
    ("reduced_force", (), "N", "B^T (F - M B' q_i')"),
    ("acceleration", (), "m/s2", "z''"),
)

MOST_ITERATIONS = 20
"""Of Newton's method; a position not found by then does not exist near the guess."""


class FiveLink(NamedTuple):
    """A suspension with its workspace: what the kernels take.

    p (FIVE_LINK,), links (LINKS,), motion (MOTION,) : records of length 1
    J (5, 5), exchanges (5,), step (5,) : Jacobian of the distances by the dependent pose, its factors, and right-hand side
    """

    p: Record
    links: Record
    motion: Record
    J: NDArray[np.float64]
    exchanges: NDArray[np.int64]
    step: NDArray[np.float64]


def make_five_link(p: Record) -> FiveLink:
    """A workspace for the suspension of a FIVE_LINK record."""
    return FiveLink(p, record(LINKS), record(MOTION), np.zeros((5, 5)), np.zeros(5, np.int64), np.zeros(5))


# Positions ---------------------------------------------------------------------------------------------------------------------


@kernel
def solve_pose(m, pose, tolerance):
    """Dependent coordinates of the pose (6,) from its z, by Newton's method from those it has.

    It ends once no coordinate changes by more than `tolerance` [m, rad]: the error left is of the order of its square.
    Returns the number of iterations, or 0 when there is no position near the guess.
    """
    for iteration in range(MOST_ITERATIONS):
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
    """d and arm of every link at a pose."""
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
    """Derivatives of |d|^2 / 2 by the dependent pose into J."""
    z, y, x = turning_axes(pose)
    for i in range(5):
        d, r = link_vectors(m.links[0], i)
        m.J[i, 0], m.J[i, 1] = d[0], d[1]
        m.J[i, 2], m.J[i, 3], m.J[i, 4] = dot(d, cross(z, r)), dot(d, cross(y, r)), dot(d, cross(x, r))


@inline
def link_vectors(links, i):
    """d and arm of link i."""
    return (links["d"][0, i], links["d"][1, i], links["d"][2, i]), (links["arm"][0, i], links["arm"][1, i], links["arm"][2, i])


@kernel
def solve_links(m, pose):
    """Angles of all links from the pose, in closed form."""
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
    """(5, 2) alpha, beta of every link [rad], after `solve_links`."""
    links = m.links[0]
    for i in range(5):
        out[i, ALPHA] = math.atan2(links["sin_alpha"][i], links["cos_alpha"][i])
        out[i, BETA] = math.atan2(links["sin_beta"][i], links["cos_beta"][i])


# Velocities --------------------------------------------------------------------------------------------------------------------


@kernel
def solve_rates(m, pose, rate):
    """B of (11), velocities and B' q_i' of pose and links from z' [m/s], after `solve_links`. Returns False when singular."""
    links, motion = m.links[0], m.motion[0]
    axes = turning_axes(pose)
    set_distance_rows(m, pose)
    if not factor(m.J, m.exchanges):
        return False
    for i in range(5):
        m.step[i] = -links["d"][2, i]
    take_pose(m, motion["pose_map"], 1.0)
    for i in range(6):
        motion["pose_rates"][i] = rate * motion["pose_map"][i]
    unit = pure_turning(axes, motion["pose_map"])
    w, w_bias = turning(axes, motion["pose_rates"])
    v = vector(motion["pose_rates"])
    for i in range(5):
        d, r = link_vectors(links, i)
        u = add(v, cross(w, r))
        m.step[i] = -dot(u, u) - dot(d, add(cross(w_bias, r), cross(w, cross(w, r))))
    take_pose(m, motion["pose_bias"], 0.0)
    w_bias = add(w_bias, pure_turning(axes, motion["pose_bias"]))
    for i in range(5):
        _, r = link_vectors(links, i)
        set_link_rates(m, i, add(vector(motion["pose_map"]), cross(unit, r)), rate)
        set_link_bias(m, i, add(vector(motion["pose_bias"]), add(cross(w_bias, r), cross(w, cross(w, r)))))
    return True


@inline
def take_pose(m, out, height):
    """Solve J for the dependent part of a derivative of the pose (6,), whose part along z is `height`."""
    solve(m.J, m.exchanges, m.step)
    out[HEIGHT] = height
    for i in range(5):
        out[DEPENDENT[i]] = m.step[i]


@inline
def pure_turning(axes, rates):
    """Angular velocity of Euler rates, or angular acceleration of second derivatives at rest."""
    w, _ = turning(axes, rates)
    return w


@inline
def link_axes(links, i):
    """y' and z'' of a link in the world: the last two columns of Rx(alpha) Ry(beta)."""
    sa, ca, sb, cb = links["sin_alpha"][i], links["cos_alpha"][i], links["sin_beta"][i], links["cos_beta"][i]
    return (0.0, ca, sa), (sb, -sa * cb, ca * cb)


@inline
def set_link_rates(m, i, u, rate):
    """B and rates of link i whose carrier joint moves by u per z."""
    y, z = link_axes(m.links[0], i)
    L, motion = m.p[0]["length"][i], m.motion[0]
    motion["B"][ALPHA, i] = -dot(y, u) / (L * m.links[0]["sin_beta"][i])
    motion["B"][BETA, i] = dot(z, u) / L
    motion["rates"][ALPHA, i] = rate * motion["B"][ALPHA, i]
    motion["rates"][BETA, i] = rate * motion["B"][BETA, i]


@inline
def set_link_bias(m, i, a):
    """B' q_i' of link i whose carrier joint accelerates with a at z'' = 0, less its own centripetal and Coriolis accelerations."""
    y, z = link_axes(m.links[0], i)
    L, motion = m.p[0]["length"][i], m.motion[0]
    sb, cb = m.links[0]["sin_beta"][i], m.links[0]["cos_beta"][i]
    a1, b1 = motion["rates"][ALPHA, i], motion["rates"][BETA, i]
    motion["bias"][ALPHA, i] = -dot(y, a) / (L * sb) - 2.0 * a1 * b1 * cb / sb
    motion["bias"][BETA, i] = dot(z, a) / L + a1 * a1 * sb * cb


# Accelerations -----------------------------------------------------------------------------------------------------------------


@kernel
def set_link_forces(m):
    """Mass matrix and forces of the links in their own coordinates, from Lagrange's equations.

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
    """z'' into `motion.acceleration` by (10), once pose and links are solved by whatever method; `force` (3,) as in `evaluate`."""
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
    """Position and acceleration at a height.

    Parameters
    ----------
    m : FiveLink
    pose : (6,) z is read, the others are the guess and are overwritten
    rate : z' [m/s]
    force : (3,) on the carrier's center of mass, in the world [N]
    tolerance : see `solve_pose`

    Returns False when the position does not exist near the guess, or is singular. Kernel.
    """
    if solve_pose(m, pose, tolerance) == 0:
        return False
    solve_links(m, pose)
    return solve_acceleration(m, pose, rate, force)


@kernel
def euler_step(m, s, force, h, tolerance):
    """Explicit Euler step of a STATE record over h [s]."""
    pose, rate = s[0]["pose"], s[0]["rate"]
    solved = evaluate(m, pose, rate, force, tolerance)
    pose[HEIGHT] += h * rate
    s[0]["rate"] = rate + h * m.motion[0]["acceleration"]
    return solved
