"""Semi-trailing arm in closed form: one rigid body per side on a hinge of any direction.

theta is the angle of the arm, + = jounce. With the hinge through P along e a point r relative to P in the design position is at P +
R(theta) r, its derivative by theta is e x (R r), the second one e x (e x (R r)). The corner is not steered; toe and camber change with
the sweep and inclination of the hinge.
"""

from __future__ import annotations

import math

from simulator.base.algebra.circle import hinged
from simulator.base.algebra.trigonometry import sine_cosine
from simulator.base.algebra.vectors import add_scaled, column, combine, cross, dot, scale, store, sub, vector
from simulator.base.callbacks import callback, record_at
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.suspension.contract import INPUTS, KINEMATICS, POINTS
from vehicles.suspension.corner_bodies import ThetaMotion, add_body, motion_of, put_inertia, put_theta_body, start_sums
from vehicles.suspension.hinge import hinged_inertia

SEMI_TRAILING_ARMS = (
    # name       shape      unit     what it is (last index: corner; first index of 3: foot on the hinge axis, radius, axis x radius)
    ("e", (3, 4), "1", "hinge axis; turning about it by theta > 0 is jounce"),
    ("mass", (4,), "kg", "mass of arm and wheel"),
    ("com", (3, 3, 4), "m", "center of mass of arm and wheel"),
    (
        "inertia",
        (5, 6, 4),
        "kg m2",
        "inertia of arm and non-spinning wheel as 1, cos, sin, cos 2, sin 2 of theta (xx, yy, zz, xy, xz, yz)",
    ),
    ("wheel", (3, 3, 4), "m", "wheel center"),
    ("axle", (3, 4), "1", "wheel axle, pointing left, in the design position"),
    ("shock", (3, 3, 4), "m", "lower end of the shock absorber"),
    ("spring", (3, 3, 4), "m", "lower end of the spring"),
    ("J", (3, 4), "m", "upper end of the shock absorber, on the chassis"),
    ("U", (3, 4), "m", "upper end of the spring, on the chassis"),
)
MEMORY = (
    ("shock", (3, 4), "m", "lower end of the shock absorber"),
    ("spring", (3, 4), "m", "lower end of the spring"),
    *motion_of(1),
)

P_TYPE, M_TYPE, Q_TYPE, K_TYPE, S_TYPE = (dtype_of(table) for table in (SEMI_TRAILING_ARMS, MEMORY, INPUTS, KINEMATICS, POINTS))


@callback
def place(parameters, state, seen, result, first, count, h):
    """Compute position, velocity map, acceleration bias and sums of the corners of the block, see `vehicles.suspension.blocks`."""
    p, o = record_at(parameters, P_TYPE)[0], record_at(state, M_TYPE)[0]
    q, k = record_at(seen, Q_TYPE)[0], record_at(result, K_TYPE)[0]
    w_B = vector(q["w_WB_B"])
    for i in range(first, first + count):
        rate, e = q["theta_dot"][i], column(p["e"], i)
        s, c = sine_cosine(q["theta"][i])
        com, com_1, com_2 = hinged(p["com"], c, s, i)
        put_theta_body(o, 0, i, rate, ThetaMotion(com, com_1, com_2, e, (0.0, 0.0, 0.0)))
        put_inertia(o, 0, i, hinged_inertia(p["inertia"], c, s, i))
        start_sums(k, i)
        add_body(o, 0, i, p["mass"][i], w_B, k)

        W, W_1, _ = hinged(p["wheel"], c, s, i)
        store(k["W"], i, W)
        store(k["W_1"], i, W_1)
        store(k["W_dot"], i, scale(rate, W_1))
        store(k["axle"], i, turned(e, c, s, column(p["axle"], i)))
        store(k["carrier_x"], i, turned(e, c, s, (1.0, 0.0, 0.0)))
        store(k["carrier_z"], i, turned(e, c, s, (0.0, 0.0, 1.0)))
        store(k["w"], i, e)
        store(k["w_rel"], i, scale(rate, e))
        S, S_1, _ = hinged(p["spring"], c, s, i)
        k["spring_length"][i], k["spring_length_1"][i] = length_and_slope(sub(S, column(p["U"], i)), S_1)
        B, B_1, _ = hinged(p["shock"], c, s, i)
        k["shock_length"][i], k["shock_length_1"][i] = length_and_slope(sub(B, column(p["J"], i)), B_1)
        store(o["spring"], i, S)
        store(o["shock"], i, B)


@callback
def show(parameters, state, seen, result, first, count, h):
    """Write joints and struts of the corners of the block for the view: the arm is drawn from its hinge to its struts."""
    o, points = record_at(state, M_TYPE)[0], record_at(result, S_TYPE)[0]
    for i in range(first, first + count):
        shock, spring = column(o["shock"], i), column(o["spring"], i)
        store(points["lower_ball"], i, shock)
        store(points["upper_ball"], i, shock)
        store(points["tierod_outer"], i, shock)
        store(points["shock_lower"], i, shock)
        store(points["spring_lower"], i, spring)


@inline
def turned(e, c, s, a):
    """Return a rotated about the unit vector e by the angle with cosine c and sine s (Rodrigues)."""
    return add_scaled(combine(c, a, s, cross(e, a)), (1.0 - c) * dot(e, a), e)


@inline
def length_and_slope(a, a_1):
    """Return the length of a vector and its derivative."""
    length = math.sqrt(dot(a, a))
    return length, dot(a, a_1) / length
