"""Five-link axle: a wheel carrier on five rods per side, six bodies per corner, five distances, one degree of freedom.

The independent coordinate theta of such a corner is the height of the wheel center above its design position [m], as in
[Uchida 2012, section 4.2]. This choice prefers no link, is smooth from stop to stop for any geometry of
a suspension, and equals the jounce. (An angle of one link would leave four unknowns instead of five, but is singular where that link
does not move.) The chassis ends of all links are fixed to the chassis, including that of the toe link: the axle is not steered.

No closed form of the position is known, so Newton's method computes the five dependent coordinates from the five constant distances. It
starts from the last position, stored in FOUND, and its first two derivatives, and iterates to rounding accuracy. A drive usually needs
one iteration. Long displacements, and those from the design position, are divided into steps that keep the solution on its branch. The
velocity map and the velocity-squared terms are exact: they use the same 5 x 5 matrix with other right-hand sides.

A rod has a universal joint on the chassis, with the chassis' x as first axis, and a ball joint on the carrier. The universal joint
determines its spin about itself. A rod must not lie along x.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.algebra.linear_solve import factor, solve, solve_both
from simulator.base.algebra.vectors import (
    add,
    add_scaled,
    column,
    combine,
    cross,
    dot,
    in_frame,
    scale,
    store,
    sub,
    symmetric_in_frame,
    symmetric_matrix_at,
)
from simulator.base.callbacks import callback, record_at
from simulator.base.jit import inline, kernel
from simulator.base.records import dtype_of
from vehicles.suspension.contract import INPUTS, KINEMATICS, POINTS
from vehicles.suspension.corner_bodies import (
    ThetaMotion,
    aggregate_of,
    motion_of,
    put_inertia,
    put_theta_body,
    sum_bodies,
    take_sums,
    turning,
)
from vehicles.suspension.rod import rod_inertia

LINKS = ("upper_front", "upper_rear", "lower_front", "lower_rear", "toe_link")
UPPER_FRONT, UPPER_REAR, LOWER_FRONT, LOWER_REAR, TOE_LINK = range(5)
"""Indices of the links."""

BODIES = (*LINKS, "carrier")
"""Bodies of a corner; `carrier` is the knuckle with the wheel as a rotor that does not spin."""

CARRIER = BODIES.index("carrier")

LANES = 4
"""Number of bodies of a corner computed in parallel vector lanes: body b has the group b // LANES and the lane b % LANES."""
GROUPS = -(-len(BODIES) // LANES)

FIVE_LINKS = (
    # name                   shape      unit     what it is (last index: corner; the first one of what stands in the lanes)
    ("mass", (4, GROUPS, LANES), "kg", "masses of BODIES, in the lanes"),
    ("J", (3, 4), "m", "upper end of the shock absorber, on the chassis"),
    ("U", (3, 4), "m", "upper end of the spring, on the chassis"),
    ("anchor", (5, 3, 4), "m", "chassis joints of the links relative to the wheel center in the design position"),
    ("joint", (5, 3, 4), "m", "carrier joints of the links relative to the wheel center, in the carrier frame"),
    ("length", (5, 4), "m", "lengths of the links"),
    ("per_length", (4, GROUPS, LANES), "1/m", "reciprocals of the link lengths, in the lanes"),
    ("link_anchor", (4, GROUPS, 3, LANES), "m", "chassis joints of the links relative to the chassis reference point, in the lanes"),
    ("design_wheel", (3, 4), "m", "wheel center in the design position, where the carrier frame has the axes of the chassis"),
    ("wheel_axis", (3, 4), "1", "wheel axle, pointing left, in the carrier frame"),
    ("carrier_com", (3, 4), "m", "center of mass of the carrier relative to the wheel center, in its frame"),
    ("carrier_inertia", (6, 4), "kg m2", "inertia of the carrier about its center of mass, in its frame"),
    ("rod_com", (4, GROUPS, LANES), "m", "center of mass of a link, distance from its chassis joint along the link, in the lanes"),
    ("rod_axial_inertia", (4, GROUPS, LANES), "kg m2", "inertia of a link about its own axis, in the lanes"),
    ("rod_transverse_inertia", (4, GROUPS, LANES), "kg m2", "inertia of a link about its center of mass, across its axis, in the lanes"),
    ("spring_body", (4,), "1", "index in BODIES of the body with the lower end of the spring", "i8"),
    (
        "spring_end",
        (3, 4),
        "m",
        "lower end of the spring: relative to the wheel center in the carrier frame, or to the chassis joint in the rod's frame",
    ),
    ("shock_body", (4,), "1", "index in BODIES of the body with the lower end of the shock absorber", "i8"),
    ("shock_end", (3, 4), "m", "lower end of the shock absorber: relative to the wheel center or the chassis joint, as spring_end"),
    ("travel", (2, 4), "m", "smallest and largest theta; beyond these the corner is extrapolated linearly"),
)
"""The frame of a rod: along the rod from the chassis joint, second axis of its universal joint, their product."""

FOUND = (
    ("offset", (3, 4), "m", "displacement of the wheel center from its design position; its height is the theta of the last solution"),
    ("attitude", (3, 4), "1", "Rodrigues vector of the carrier: axis times tangent of half the angle; zero in the design position"),
    ("v", (3, 4), "1", "derivative of the offset by theta"),
    ("w", (3, 4), "1/m", "angular velocity of the carrier per theta_dot"),
    ("v_1", (3, 4), "1/m", "derivative of v by theta"),
    ("w_1", (3, 4), "1/m2", "derivative of w by theta"),
    ("d", (GROUPS, 3, LANES), "m", "scratch: links from chassis to carrier joint"),
    ("r", (GROUPS, 3, LANES), "m", "scratch: carrier joints relative to the wheel center"),
    ("J", (5, 5), "m, m2", "scratch: derivatives of |d|^2 / 2 by wheel center x, y and rotation of the carrier, then their factors"),
    ("exchanges", (5,), "1", "scratch: row exchanges of the factorization of J", "i8"),
    ("step", (5,), "m, rad", "scratch: right-hand side and solution"),
    (
        "slope",
        (5,),
        "1, 1/m",
        "scratch: derivatives of wheel center x, y and rotation of the carrier by theta, at the start of the last iteration",
    ),
)
"""Last position of every corner, the start of the next solution. All zeros are the design position."""

MEMORY = (
    ("found", (), "", "record of FOUND", dtype_of(FOUND)),
    ("B", (3, 4), "m", "scratch: lower end of the shock absorber"),
    ("S", (3, 4), "m", "scratch: lower end of the spring"),
    ("sums", (), "", "record of `aggregate_of`: scratch of all lanes", dtype_of(aggregate_of(LANES))),
    ("bodies", (4,), "", "per corner, record of `motion_of`: bodies of the corner in the lanes", dtype_of(motion_of(GROUPS, LANES))),
)
"""Memory of the block: the last position, and the bodies in that position."""

CLOSED = 1e-13
"""m, rad. Largest final step of Newton's method; the remaining error is of the order of its square."""

MAX_ITERATIONS = 12
"""Largest number of Newton iterations; a position not reached by then does not exist near the start."""

MAX_STRIDE = 0.02
"""m. Longest distance of the wheel center from one solution to the next."""

MAX_DISTANCE = 10.0
"""m. Plausibility limit of the travel; also excludes NaN."""


PARAMETERS_TYPE, MEMORY_TYPE = dtype_of(FIVE_LINKS), dtype_of(MEMORY)
INPUTS_TYPE, KINEMATICS_TYPE, POINTS_TYPE = dtype_of(INPUTS), dtype_of(KINEMATICS), dtype_of(POINTS)


@callback
def place(parameters, state, seen, result, first, count, h):
    """Compute position, velocity map, acceleration bias and sums of the corners of the block, see `vehicles.suspension.blocks`."""
    f, o = record_at(parameters, PARAMETERS_TYPE)[0], record_at(state, MEMORY_TYPE)[0]
    q, k = record_at(seen, INPUTS_TYPE)[0], record_at(result, KINEMATICS_TYPE)[0]
    for i in range(first, first + count):
        place_corner(f, o, i, q["theta"][i], q["theta_dot"][i], k)
        sum_bodies(f["mass"][i], o["bodies"][i], q["w_WB_B"], o["sums"], o["sums"]["D"])
        take_sums(o["sums"], i, k)


@callback
def show(parameters, state, seen, result, first, count, h):
    """Write joints and struts of the corners of the block for the view."""
    o, points = record_at(state, MEMORY_TYPE)[0], record_at(result, POINTS_TYPE)[0]
    f, s = record_at(parameters, PARAMETERS_TYPE)[0], o["found"]
    for i in range(first, first + count):
        W = add(column(f["design_wheel"], i), column(s["offset"], i))
        store(points["lower_ball"], i, add(W, middle(f, s, i, LOWER_FRONT, LOWER_REAR)))
        store(points["upper_ball"], i, add(W, middle(f, s, i, UPPER_FRONT, UPPER_REAR)))
        store(points["tierod_outer"], i, add(W, carrier_joint(f, s, i, TOE_LINK)))
        store(points["shock_lower"], i, column(o["B"], i))
        store(points["spring_lower"], i, column(o["S"], i))


@inline
def place_corner(f, o, i, theta, rate, k):
    """Compute position, velocity map and acceleration bias of corner i.

    f : record of FIVE_LINKS, o : record of MEMORY with the last position, k : record of KINEMATICS, overwritten except the sums
    """
    s = o["found"]
    find_position(f, s, i, min(max(theta, f["travel"][0, i]), f["travel"][1, i]))
    place_carrier(f, s, i, rate, theta - s["offset"][2, i], o, k)
    place_rods(f, s, i, rate, o["bodies"][i], o["sums"]["D"])
    place_struts(f, s, i, theta - s["offset"][2, i], o, k)


# Position ----------------------------------------------------------------------------------------------------------------------


@inline
def find_position(f, s, j, height):
    """Compute the position of corner j at a height of its wheel center [m] and its derivatives, in the FOUND record s.

    f : record of FIVE_LINKS. Returns False, and leaves the design position, if there is no position on its branch.
    """
    if move_to_height(f, s, j, height):
        return True
    return_to_design(f, s, j)
    if move_to_height(f, s, j, height):
        return True
    return_to_design(f, s, j)
    return False


@inline
def return_to_design(f, s, j):
    """Return to the design position."""
    for n in range(3):
        s["offset"][n, j], s["attitude"][n, j] = 0.0, 0.0
    close_loops(f, s, j)
    set_derivatives(s, j)


@inline
def move_to_height(f, s, j, height):
    """Move from the last position to a height, in steps of limited length."""
    distance = height - s["offset"][2, j]
    if not abs(distance) < MAX_DISTANCE:
        return False
    strides = 1 + int(abs(distance) / MAX_STRIDE)
    for n in range(strides):
        extrapolate(s, j, (height - s["offset"][2, j]) / (strides - n))
        if not close_loops(f, s, j):
            return False
        set_derivatives(s, j)
    s["offset"][2, j] = height
    return True


@inline
def extrapolate(s, j, distance):
    """Extrapolate by a small distance with first and second derivatives."""
    half = 0.5 * distance * distance
    v, v_1 = column(s["v"], j), column(s["v_1"], j)
    s["offset"][0, j] += distance * v[0] + half * v_1[0]
    s["offset"][1, j] += distance * v[1] + half * v_1[1]
    s["offset"][2, j] += distance
    turn(s, j, combine(distance, column(s["w"], j), half, column(s["w_1"], j)))


@inline
def turn(s, j, angle):
    """Rotate the carrier by a small rotation vector in chassis axes: the product of the two rotations, as Rodrigues vectors."""
    e, g = scale(0.5, angle), column(s["attitude"], j)
    store(s["attitude"], j, scale(1.0 / (1.0 - dot(e, g)), add(add(e, g), cross(e, g))))


@inline
def close_loops(f, s, j):
    """Solve the five distances by Newton's method at a given height of the wheel center.

    Afterward J holds the factors of the last iteration, and `slope` the derivatives by the height, computed with these factors.
    """
    step = s["step"]
    for _ in range(MAX_ITERATIONS):
        set_distances(f, s, j)
        if not factor(s["J"], s["exchanges"]):
            return False
        solve_both(s["J"], s["exchanges"], step, s["slope"])
        s["offset"][0, j] += step[0]
        s["offset"][1, j] += step[1]
        turn(s, j, (step[2], step[3], step[4]))
        largest = 0.0
        for n in range(5):
            largest = max(largest, abs(step[n]))
        if largest <= CLOSED:
            return True
        if not largest < 1.0:
            return False
    return False


@inline
def set_distances(f, s, j):
    """Compute links and carrier joints, the gaps of |d|^2 / 2 and their derivatives."""
    x, y, z = carrier_axes(s, j)
    offset = column(s["offset"], j)
    for n in range(5):
        r = in_frame(x, y, z, column(f["joint"][n], j))
        d = add(offset, sub(r, column(f["anchor"][n], j)))
        lever = cross(r, d)
        for m in range(3):
            s["d"][n // LANES, m, n % LANES], s["r"][n // LANES, m, n % LANES], s["J"][n, m + 2] = d[m], r[m], lever[m]
        s["J"][n, 0], s["J"][n, 1] = d[0], d[1]
        s["step"][n] = 0.5 * (f["length"][n, j] * f["length"][n, j] - dot(d, d))
        s["slope"][n] = -d[2]


@inline
def carrier_axes(s, j):
    """Return the axes of the carrier frame, in chassis axes: rotation by the Rodrigues vector."""
    g = column(s["attitude"], j)
    per = 2.0 / (1.0 + dot(g, g))
    return rotated(g, per, (1.0, 0.0, 0.0)), rotated(g, per, (0.0, 1.0, 0.0)), rotated(g, per, (0.0, 0.0, 1.0))


@inline
def rotated(g, per, a):
    """Return a + per (g x a + g x (g x a))."""
    b = cross(g, a)
    return add_scaled(a, per, add(b, cross(g, b)))


# Derivatives by theta ----------------------------------------------------------------------------------------------------------


@inline
def link(s, n):
    """Return the vector of link n from chassis to carrier joint, and the carrier joint relative to the wheel center."""
    return column(s["d"][n // LANES], n % LANES), column(s["r"][n // LANES], n % LANES)


@inline
def set_derivatives(s, j):
    """Compute first and second derivatives of wheel center and carrier by theta, with the factors of the last iteration."""
    step, slope = s["step"], s["slope"]
    v, w = (slope[0], slope[1], 1.0), (slope[2], slope[3], slope[4])
    for n in range(5):
        d, r = link(s, n)
        d_1 = add(v, cross(w, r))
        step[n] = -dot(d_1, d_1) - dot(d, cross(w, cross(w, r)))
    solve(s["J"], s["exchanges"], step)
    store(s["v"], j, v)
    store(s["w"], j, w)
    store(s["v_1"], j, (step[0], step[1], 0.0))
    store(s["w_1"], j, (step[2], step[3], step[4]))


# Bodies ------------------------------------------------------------------------------------------------------------------------


@inline
def place_carrier(f, s, j, rate, beyond, o, k):
    """Compute carrier and wheel; `beyond` [m] is the part of theta outside the travel."""
    x, y, z = carrier_axes(s, j)
    v, w, v_1, w_1 = column(s["v"], j), column(s["w"], j), column(s["v_1"], j), column(s["w_1"], j)
    W = add(column(f["design_wheel"], j), column(s["offset"], j))
    r = in_frame(x, y, z, column(f["carrier_com"], j))
    motion = ThetaMotion(add(W, r), add(v, cross(w, r)), add(v_1, turning(w, w_1, r)), w, w_1)
    put_theta_body(o["bodies"][j], CARRIER // LANES, CARRIER % LANES, rate, motion)
    put_inertia(
        o["bodies"][j], CARRIER // LANES, CARRIER % LANES, symmetric_in_frame(x, y, z, symmetric_matrix_at(f["carrier_inertia"], j))
    )
    store(k["W"], j, add_scaled(W, beyond, v))
    store(k["W_1"], j, v)
    store(k["W_dot"], j, scale(rate, v))
    store(k["axle"], j, in_frame(x, y, z, column(f["wheel_axis"], j)))
    store(k["w"], j, w)
    store(k["w_rel"], j, scale(rate, w))
    store(k["carrier_x"], j, x)
    store(k["carrier_z"], j, z)


@inline
def carrier_joint(f, s, j, n):
    """Return the carrier joint of link n relative to the wheel center."""
    x, y, z = carrier_axes(s, j)
    return in_frame(x, y, z, column(f["joint"][n], j))


@inline
def middle(f, s, j, one, other):
    """Return the point midway between the carrier joints of two links, relative to the wheel center."""
    return combine(0.5, carrier_joint(f, s, j, one), 0.5, carrier_joint(f, s, j, other))


@kernel
def place_rods(f, s, j, rate, o, lanes):
    """Compute the five links of corner j: first as many as there are lanes in parallel, then the others.

    f : record of FIVE_LINKS; s : FOUND with the present position; o : record of `motion_of`, written
    lanes : (LANES,), used only for its length: the compiler uses the vector lanes if the length is unknown at compile time and unsigned
    """
    carrier = (column(s["v"], j), column(s["w"], j), column(s["v_1"], j), column(s["w_1"], j))
    for n in range(np.uint64(lanes.shape[0])):
        place_rod(f, s, j, o, 0, n, rate, carrier)
    for n in range(LANES, len(LINKS)):
        place_rod(f, s, j, o, n // LANES, n % LANES, rate, carrier)


@inline
def place_rod(f, s, j, o, b, n, rate, carrier):
    """Compute the link in group b and lane n of corner j; `carrier` are v, w, v_1 and w_1 of FOUND."""
    v, w, v_1, w_1 = carrier
    r, per = column(s["r"][b], n), f["per_length"][j, b, n]
    x, x_1 = scale(per, column(s["d"][b], n)), scale(per, add(v, cross(w, r)))
    x_2 = scale(per, add(v_1, turning(w, w_1, r)))
    w, w_1 = rod_turning(x, x_1, x_2)
    length = f["rod_com"][j, b, n]
    c = add(column(f["link_anchor"][j, b], n), scale(length, x))
    put_theta_body(o, b, n, rate, ThetaMotion(c, scale(length, x_1), scale(length, x_2), w, w_1))
    put_inertia(o, b, n, rod_inertia(x, f["rod_axial_inertia"][j, b, n], f["rod_transverse_inertia"][j, b, n]))


@inline
def rod_turning(n, n_1, n_2):
    """Return the angular velocity of a rod along n, and its derivative, by theta.

    Its universal joint rotates about the chassis' x, by alpha, and about the axis across both: the component along n is n_x alpha_1.
    """
    per = 1.0 / (n[1] * n[1] + n[2] * n[2])
    alpha_1 = per * (n[1] * n_1[2] - n[2] * n_1[1])
    alpha_2 = per * (n[1] * n_2[2] - n[2] * n_2[1] - 2.0 * alpha_1 * (n[1] * n_1[1] + n[2] * n_1[2]))
    spin, spin_1 = n[0] * alpha_1, n_1[0] * alpha_1 + n[0] * alpha_2
    return add_scaled(cross(n, n_1), spin, n), add(cross(n, n_2), combine(spin, n_1, spin_1, n))


# Struts ------------------------------------------------------------------------------------------------------------------------


@inline
def place_struts(f, s, j, beyond, o, k):
    """Compute lower ends and lengths of spring and shock absorber, after the bodies."""
    S, S_1 = strut_end(f, o, s, j, f["spring_body"][j], column(f["spring_end"], j))
    L, L_1 = strut_length(sub(S, column(f["U"], j)), S_1)
    k["spring_length"][j], k["spring_length_1"][j] = L + beyond * L_1, L_1
    store(o["S"], j, S)
    B, B_1 = strut_end(f, o, s, j, f["shock_body"][j], column(f["shock_end"], j))
    L, L_1 = strut_length(sub(B, column(f["J"], j)), B_1)
    k["shock_length"][j], k["shock_length_1"][j] = L + beyond * L_1, L_1
    store(o["B"], j, B)


@inline
def strut_end(f, o, s, j, body, at):
    """Return a point of a body, with its first derivative by theta."""
    if body == CARRIER:
        x, y, z = carrier_axes(s, j)
        r = in_frame(x, y, z, at)
        W = add(column(f["design_wheel"], j), column(s["offset"], j))
        return add(W, r), add(column(s["v"], j), cross(column(s["w"], j), r))
    b, n = body // LANES, body % LANES
    x = scale(f["per_length"][j, b, n], column(s["d"][b], n))
    across = 1.0 / math.sqrt(x[1] * x[1] + x[2] * x[2])
    y = (0.0, across * x[2], -across * x[1])
    r = in_frame(x, y, cross(x, y), at)
    return add(column(f["link_anchor"][j, b], n), r), cross(column(o["bodies"][j]["w"][b], n), r)


@inline
def strut_length(a, a_1):
    """Return the length of a vector with its first derivative."""
    length = math.sqrt(dot(a, a))
    return length, dot(a, a_1) / length
