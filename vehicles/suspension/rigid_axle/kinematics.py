"""Rigid axle on four rods: a beam with both wheels, two coordinates, exact maps.

The coordinates theta_L, theta_R are the heights of the wheel centers above their design positions [m]. C is midway between the wheel
centers, 2 t their distance, and the beam, whose axes are those of the chassis in the design position, has its center at C and the
attitude Rz(psi) Rx(phi) Ry(chi):

    z = (theta_L + theta_R) / 2,    sin phi = (theta_L - theta_R) / (2 t)                                            (1)

are the height of C and the roll of the beam for any psi and chi: the y axis of the beam does not depend on chi, and its slope not on
psi. The remaining unknowns u = (x, y, psi, chi) follow from four rods. A rod keeps the point r of the beam (relative to C, in chassis
axes) at d from a point A of the chassis by

    f = bend/2 d . d + normal . d - offset = 0,    d = C + r - A,    g = bend d + normal = df/dd                     (2)

with bend = 1/length, normal = 0 and offset = length/2 for a rod; bend = 0 is an infinitely long rod: the point stays in a plane
perpendicular to `normal`. With e_z, n = Rz x and y the axes of psi, phi and chi, and L = r x g, the rows of J = df/du and the
derivatives of f by height and roll are

    J = (g_x, g_y, L_z, y . L),    df/dz = g_z,    df/dphi = n . L                                                   (3)

Newton's method computes u from a polynomial of z and sin phi, fitted at the construction of the axle, to rounding accuracy in two or
three iterations. No data are stored from one evaluation to the next. The velocity map is exact, and so are the accelerations at theta''
= 0, where phi'' = phi'^2 tan phi:

    J u_z = -df/dz,    J u_phi = -df/dphi,    phi_L = 1 / (2 t cos phi) = -phi_R                                     (4)
    J u'' = -(bend v . v + g . (alpha0 x r + w x (w x r)))    v of r; w and alpha0 of the beam at u'' = 0            (5)

Rods are massless. The body of a side is half of the axle with the wheel of that side; both halves are one rigid body.
"""

from __future__ import annotations

import math

from simulator.base.algebra.linear_solve import factor, solve, solve_both
from simulator.base.algebra.trigonometry import sine_cosine
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
    symmetric_times,
    vector,
)
from simulator.base.callbacks import callback, record_at
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.suspension.contract import INPUTS, KINEMATICS, POINTS
from vehicles.suspension.corner_bodies import add_body, inertia_force, motion_of, put_body, put_inertia, put_motion, start_sums, turning

RODS = 4
TERMS = ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
"""Powers of z and of sin phi in the polynomial that starts Newton's method."""

RIGID_AXLES = (
    # name         shape       unit     what it is (last index: corner; of an axle the same numbers on both sides)
    ("C", (3, 4), "m", "point midway between the wheel centers in the design position"),
    ("half_track", (4,), "m", "half the distance of the wheel centers"),
    ("anchor", (RODS, 3, 4), "m", "chassis ends of the rods, relative to C in the design position"),
    ("joint", (RODS, 3, 4), "m", "beam ends of the rods, relative to C in the beam's frame"),
    ("bend", (RODS, 4), "1/m", "reciprocals of the rod lengths; 0: a plane"),
    ("normal", (RODS, 3, 4), "1", "normal of a plane; 0 for a rod"),
    ("offset", (RODS, 4), "m", "constant of (2)"),
    ("guess", (len(TERMS), RODS, 4), "m, rad", "coefficients of TERMS for x, y, psi, chi"),
    ("upper", (4,), "1", "index of the rod that is drawn as the upper link of the side", "i8"),
    ("side", (4,), "m", "wheel center relative to C along the beam's y"),
    ("mass", (4,), "kg", "mass of half the axle with its wheel"),
    ("com", (3, 4), "m", "center of mass of half the axle relative to C, in the beam's frame"),
    ("inertia", (6, 4), "kg m2", "inertia of half the axle about its center of mass, the wheel without spin (xx, yy, zz, xy, xz, yz)"),
    ("shock", (3, 4), "m", "lower end of the shock absorber relative to C, in the beam's frame"),
    ("spring", (3, 4), "m", "lower end of the spring, or seat of a leaf spring, relative to C, in the beam's frame"),
    ("J", (3, 4), "m", "upper end of the shock absorber, on the chassis"),
    ("U", (3, 4), "m", "upper end of the spring, on the chassis"),
    (
        "upright",
        (4,),
        "1",
        "1: spring length along the chassis' z, for a leaf spring; 0: between its ends",
        "i8",
    ),
)
MEMORY = (
    ("at", (RODS, 4), "m, rad", "u, that is x, y, psi, chi, of the axle"),
    ("gap", (4,), "m", "gap of the rods of the axle; NaN: no position"),
    ("C", (3, 4), "m", "position of C"),
    ("x", (3, 4), "1", "x axis of the beam"),
    ("y", (3, 4), "1", "y axis of the beam"),
    ("z", (3, 4), "1", "z axis of the beam"),
    ("r", (RODS, 3), "m", "scratch: ends of the rods on the beam relative to C"),
    ("g", (RODS, 3), "1", "scratch: gradients of (2)"),
    ("LU", (RODS, RODS), "1, m", "scratch: J, then its factors"),
    ("exchanges", (RODS,), "1", "scratch: row exchanges of the factorization of LU", "i8"),
    ("step", (RODS,), "m, rad", "scratch: right-hand side and solution"),
    ("by_height", (RODS,), "1, 1/m", "scratch: u_z"),
    ("by_roll", (RODS,), "m, 1", "scratch: u_phi"),
    *motion_of(1),
)

P_TYPE, M_TYPE, Q_TYPE, K_TYPE, S_TYPE = (dtype_of(table) for table in (RIGID_AXLES, MEMORY, INPUTS, KINEMATICS, POINTS))

MAX_ITERATIONS = 12
"""Largest number of Newton iterations; a position not reached by then does not exist near the start."""
CLOSED = 1e-8
"""m, rad. Largest final step of Newton's method; the remaining error is its square, below rounding."""
MAX_SINE_ROLL = 0.9
"""Largest sine of the roll of a beam."""
UP = (0.0, 0.0, 1.0)


@callback
def place(parameters, state, seen, result, first, count, h):
    """Compute position, velocity map, acceleration bias and sums of the axles of the block, see `vehicles.suspension.blocks`."""
    p, o = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0]
    q, k = record_at(seen, Q_TYPE)[0], record_at(result, K_TYPE)[0]
    for left in range(first, first + count, 2):
        place_axle(p, o, left, q, k)


@callback
def show(parameters, state, seen, result, first, count, h):
    """Write rods and struts of the axles of the block for the view.

    `tierod_outer` is the end of the fourth rod on the beam. For leaf springs the seats are written.
    """
    p, o, points = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0], record_at(result, S_TYPE)[0]
    for i in range(first, first + count):
        seat = on_beam(o, i, column(p["spring"], i))
        lower, upper, last = seat, seat, seat
        if p["upright"][i] == 0:
            lower = on_beam(o, i, column(p["joint"][(i - first) % 2], i))
            upper, last = on_beam(o, i, column(p["joint"][p["upper"][i]], i)), on_beam(o, i, column(p["joint"][RODS - 1], i))
        store(points["lower_ball"], i, lower)
        store(points["upper_ball"], i, upper)
        store(points["tierod_outer"], i, last)
        store(points["shock_lower"], i, on_beam(o, i, column(p["shock"], i)))
        store(points["spring_lower"], i, seat)


@inline
def on_beam(o, i, r):
    """Return the position of a point of the beam."""
    return add(column(o["C"], i), in_frame(column(o["x"], i), column(o["y"], i), column(o["z"], i), r))


@inline
def place_axle(p, o, left, q, k):
    """Compute the axle whose left corner is `left`.

    p : record of RIGID_AXLES, o : of MEMORY, q : of INPUTS, k : of KINEMATICS, overwritten
    """
    right, rates = left + 1, (q["theta_dot"][left], q["theta_dot"][left + 1])
    height, rise = 0.5 * (q["theta"][left] + q["theta"][right]), 0.5 * (rates[0] + rates[1])
    per_track = 0.5 / p["half_track"][left]
    s = min(max(per_track * (q["theta"][left] - q["theta"][right]), -MAX_SINE_ROLL), MAX_SINE_ROLL)  # (1)
    c = math.sqrt(1.0 - s * s)
    find_position(p, o, left, height, s, c)
    n, y, z = axes_of_roll(o, left, s, c)
    set_maps(o, n, y)

    turn = per_track / c  # (4)
    roll = turn * (rates[0] - rates[1])
    v_L, w_L = velocities(o, n, y, 0.5, turn)
    v_R, w_R = velocities(o, n, y, 0.5, -turn)
    v, w = velocities(o, n, y, rise, roll)
    yaw, pitch = by_rates(o, 2, rise, roll), by_rates(o, 3, rise, roll)
    alpha = scale(roll * roll * s / c, n)
    alpha = add(alpha, add(scale(roll * yaw, cross(UP, n)), scale(pitch, cross(add_scaled(scale(yaw, UP), roll, n), y))))
    for rod in range(RODS):  # (5)
        r, g = vector(o["r"][rod]), vector(o["g"][rod])
        moving = add(v, cross(w, r))
        o["step"][rod] = -p["bend"][rod, left] * dot(moving, moving) - dot(g, turning(w, alpha, r))
    solve(o["LU"], o["exchanges"], o["step"])
    alpha = add(alpha, combine(o["step"][2], UP, o["step"][3], y))
    a = (o["step"][0], o["step"][1], 0.0)

    place_beam(p, o, left, height, n, y, z)
    k["D_across"][left // 2] = 0.0
    for i in range(left, left + 2):
        start_sums(k, i)
    w_B = vector(q["w_WB_B"])
    for i in range(left, left + 2):
        if i == left:
            put_side(p, o, k, i, v_L, w_L, v_R, w_R)
        else:
            put_side(p, o, k, i, v_R, w_R, v_L, w_L)
        r = sub(column(o["c"][0], i), column(o["C"], i))
        put_motion(o, 0, i, w, add(v, cross(w, r)), alpha, add(a, turning(w, alpha, r)))
        store(k["W_dot"], i, add(v, cross(w, sub(column(k["W"], i), column(o["C"], i)))))
        store(k["w_rel"], i, w)
        add_body(o, 0, i, p["mass"][i], w_B, k)
        if i == left:
            add_across(o, i, right, p["mass"][i], w_B, v_R, w_R, k)
        else:
            add_across(o, i, left, p["mass"][i], w_B, v_L, w_L, k)


@inline
def find_position(p, o, i, height, s, c):
    """Compute u of the axle of corner i by Newton's method, and factor J there; s and c : sine and cosine of the roll."""
    guess_position(p, o, i, height, s)
    iterating = True
    for _ in range(MAX_ITERATIONS):
        if iterating:
            set_rods(p, o, i, height, s, c)
            factor(o["LU"], o["exchanges"])
            solve(o["LU"], o["exchanges"], o["step"])
            largest = 0.0
            for n in range(RODS):
                o["at"][n, i] += o["step"][n]
                largest = max(largest, abs(o["step"][n]))
            iterating = largest > CLOSED
    set_rods(p, o, i, height, s, c)
    gap = 0.0
    for n in range(RODS):
        gap += abs(o["step"][n])
    o["gap"][i], o["gap"][i + 1] = gap, gap
    factor(o["LU"], o["exchanges"])


@inline
def guess_position(p, o, i, height, s):
    """Compute the start values of u by the polynomial."""
    for n in range(RODS):
        g = p["guess"]
        o["at"][n, i] = (
            height * (g[0, n, i] + height * (g[2, n, i] + height * g[5, n, i]))
            + s * (g[1, n, i] + s * (g[4, n, i] + s * g[8, n, i]))
            + height * s * (g[3, n, i] + height * g[6, n, i] + s * g[7, n, i])
        )


@inline
def axes_of_roll(o, i, s, c):
    """Return n, y and the third axis of the beam before its rotation by chi."""
    sine, cosine = sine_cosine(o["at"][2, i])
    return (cosine, sine, 0.0), (-sine * c, cosine * c, s), (sine * s, -cosine * s, c)


@inline
def turned_axes(o, i, n, z):
    """Return the first and third axis of the beam."""
    sine, cosine = sine_cosine(o["at"][3, i])
    return combine(cosine, n, -sine, z), combine(sine, n, cosine, z)


@inline
def set_rods(p, o, i, height, s, c):
    """Compute the rods at the present u: the negative of (2) into `step`, (3) into `LU`."""
    n, y, z = axes_of_roll(o, i, s, c)
    x_b, z_b = turned_axes(o, i, n, z)
    C = (o["at"][0, i], o["at"][1, i], height)
    for rod in range(RODS):
        r = in_frame(x_b, y, z_b, column(p["joint"][rod], i))
        d, normal, bend = sub(add(C, r), column(p["anchor"][rod], i)), column(p["normal"][rod], i), p["bend"][rod, i]
        g = add_scaled(normal, bend, d)
        L = cross(r, g)
        o["step"][rod] = p["offset"][rod, i] - 0.5 * bend * dot(d, d) - dot(normal, d)
        o["LU"][rod, 0], o["LU"][rod, 1], o["LU"][rod, 2], o["LU"][rod, 3] = g[0], g[1], L[2], dot(y, L)
        for j in range(3):
            o["r"][rod, j], o["g"][rod, j] = r[j], g[j]


@inline
def set_maps(o, n, y):
    """Compute u_z and u_phi with the factors of J (4)."""
    for rod in range(RODS):
        g = vector(o["g"][rod])
        o["by_height"][rod] = -g[2]
        o["by_roll"][rod] = -dot(n, cross(vector(o["r"][rod]), g))
    solve_both(o["LU"], o["exchanges"], o["by_height"], o["by_roll"])


@inline
def by_rates(o, n, rise, roll):
    """Return the rate of u_n for the given rates of rise and roll."""
    return rise * o["by_height"][n] + roll * o["by_roll"][n]


@inline
def velocities(o, n, y, rise, roll):
    """Return velocity of C and angular velocity of the beam for the given rates of rise and roll."""
    v = (by_rates(o, 0, rise, roll), by_rates(o, 1, rise, roll), rise)
    w = add(scale(roll, n), combine(by_rates(o, 2, rise, roll), UP, by_rates(o, 3, rise, roll), y))
    return v, w


@inline
def place_beam(p, o, left, height, n, y, z):
    """Store the position of the beam for both sides."""
    x_b, z_b = turned_axes(o, left, n, z)
    C = add(column(p["C"], left), (o["at"][0, left], o["at"][1, left], height))
    for i in range(left, left + 2):
        store(o["C"], i, C)
        store(o["x"], i, x_b)
        store(o["y"], i, y)
        store(o["z"], i, z_b)


@inline
def put_side(p, o, k, i, v, w, v_across, w_across):
    """Store body, wheel and struts of side i.

    v, w and v_across, w_across : motion of C and beam per theta_dot of the own and the other side
    """
    C, x, y, z = column(o["C"], i), column(o["x"], i), column(o["y"], i), column(o["z"], i)
    r = in_frame(x, y, z, column(p["com"], i))
    put_body(o, 0, i, add(C, r), w, add(v, cross(w, r)))
    put_inertia(o, 0, i, symmetric_in_frame(x, y, z, symmetric_matrix_at(p["inertia"], i)))
    r = scale(p["side"][i], y)
    store(k["W"], i, add(C, r))
    store(k["W_1"], i, add(v, cross(w, r)))
    store(k["W_across"], i, add(v_across, cross(w_across, r)))
    store(k["axle"], i, y)
    store(k["carrier_x"], i, x)
    store(k["carrier_z"], i, z)
    store(k["w"], i, w)
    store(k["w_across"], i, w_across)
    r = in_frame(x, y, z, column(p["spring"], i))
    a, one, other = sub(add(C, r), column(p["U"], i)), add(v, cross(w, r)), add(v_across, cross(w_across, r))
    if p["upright"][i] != 0:
        k["spring_length"][i], k["spring_length_1"][i], k["spring_length_across"][i] = -a[2], -one[2], -other[2]
    else:
        k["spring_length"][i], k["spring_length_1"][i], k["spring_length_across"][i] = length_and_slopes(a, one, other)
    r = in_frame(x, y, z, column(p["shock"], i))
    a, one, other = sub(add(C, r), column(p["J"], i)), add(v, cross(w, r)), add(v_across, cross(w_across, r))
    k["shock_length"][i], k["shock_length_1"][i], k["shock_length_across"][i] = length_and_slopes(a, one, other)


@inline
def length_and_slopes(a, one, other):
    """Return the length of a vector and its derivatives by both coordinates."""
    length = math.sqrt(dot(a, a))
    return length, dot(a, one) / length, dot(a, other) / length


@inline
def add_across(o, i, other, mass, w_B, v, w, k):
    """Add the contribution of the body of side i to the coordinate of the other side, which moves C with v and the beam with w."""
    c, I = column(o["c"][0], i), symmetric_matrix_at(o["inertia"][0], i)
    u = add(v, cross(w, sub(c, column(o["C"], i))))
    I_w, mass_u = symmetric_times(I, w), scale(mass, u)
    G = add(I_w, cross(c, mass_u))
    for j in range(3):
        k["G"][j, other] += G[j]
        k["G"][j + 3, other] += mass_u[j]
    k["D"][other] += dot(u, mass_u) + dot(w, I_w)
    k["D_across"][i // 2] += dot(column(o["u"][0], i), mass_u) + dot(column(o["w"][0], i), I_w)
    f, n = inertia_force(o, 0, i, mass, w_B)
    k["theta_bias"][other] += dot(u, f) + dot(w, n)
