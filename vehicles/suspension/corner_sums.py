"""From the blocks of corners to what the chassis sees of them all: composite inertia, couplings, bias and strut forces.

Every corner is one aggregated body [Jain 2016, section 3]: its bodies move with V_i = V_B + J_i theta' + K_i Q' relative to the chassis, so
it enters the equations of motion only through M = sum M_i, G = sum M_i J_i, D = sum J_i^T M_i J_i and the bias forces.
J_i theta' is (w, u) theta_dot, K_i Q' the rest of (w_rel, v_rel). Equations are numbered as on the page of the closed form in the docs;
(24)-(27) are in `corner_bodies`.
"""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.vectors import add, column, cross, dot, scale, vector
from simulator.base.jit import inline, kernel
from vehicles.suspension.anti_roll_bar import apply_anti_roll_bars
from vehicles.suspension.blocks import place_blocks
from vehicles.suspension.struts import damper_force, spring_force

SUMS = (
    ("gyroscopic", (3, 4), "N m", "couple that turns the axle of the spinning wheel, in B"),
    ("theta_force", (4,), "N m, N", "applied force on theta, per corner"),
    ("bar_force", (3, 4), "N", "force of the anti-roll bar on the carriers, in B; of bars that hold carriers"),
    ("bar_couple", (3, 4), "N m", "its couple about the wheel centres, in B"),
    ("corners_moment", (3,), "kg m", "sum of mass times position of all corners"),
    ("corners_inertia", (6,), "kg m2", "inertia of all corners about the reference point"),
    ("corners_bias", (6,), "N m, N", "inertia forces of all corners at zero acceleration (angular, linear)"),
)
"""Of all corners together; scratch of one evaluation."""


@kernel
def prepare(corners, blocks, struts, state, q, k, work, out):
    """Kinematics, sums, strut and bar forces of the corners at the present state."""
    prepare_here(corners, blocks, struts, state, q, k, work, out)


@inline
def prepare_here(corners, blocks, struts, state, q, k, work, out):
    """`prepare` as part of the caller: handing so many records over takes longer than it looks."""
    move_corners(corners, blocks, state, q, k)
    add_up_corners(k, work)
    add_gyroscopic_couples(corners, k, state[0]["w_WB_B"], state[0]["wheel_spin"], work, out[0]["carrier_spin"])
    apply_struts(corners, struts, k, q, work, out)
    apply_anti_roll_bars(corners, struts, k, q, work, out)


@inline
def move_corners(corners, blocks, state, q, k):
    """Kinematics and sums of the corners at the present state."""
    for i in range(4):
        q[0]["theta"][i] = state[0]["theta"][i]
        q[0]["theta_dot"][i] = state[0]["theta_dot"][i]
    for j in range(3):
        q[0]["w_WB_B"][j] = state[0]["w_WB_B"][j]
    place_blocks(corners, blocks, q, k)


@inline
def add_up_corners(k, work):
    """What the chassis carries of all four corners together."""
    c, w = k[0], work[0]
    for j in range(3):
        w["corners_moment"][j] = (c["moment"][j, 0] + c["moment"][j, 1]) + (c["moment"][j, 2] + c["moment"][j, 3])
    for j in range(6):
        w["corners_inertia"][j] = (c["inertia"][j, 0] + c["inertia"][j, 1]) + (c["inertia"][j, 2] + c["inertia"][j, 3])
        w["corners_bias"][j] = (c["bias"][j, 0] + c["bias"][j, 1]) + (c["bias"][j, 2] + c["bias"][j, 3])


@inline
def add_gyroscopic_couples(corners, k, w_WB_B, wheel_spin, work, carrier_spin):
    """Add the couples w_abs × (I_spin Omega axle) of the spinning wheels to the bias (28); note the spin of the carriers about the axles."""
    w_B = vector(w_WB_B)
    for i in range(np.uint64(wheel_spin.shape[0])):
        axle = column(k[0]["axle"], i)
        w = column(k[0]["w"], i)
        w_abs = add(w_B, column(k[0]["w_rel"], i))
        carrier_spin[i] = dot(w_abs, axle)
        n = cross(w_abs, scale(corners[0]["spin_inertia"][i] * wheel_spin[i], axle))
        for j in range(3):
            work[0]["gyroscopic"][j, i] = n[j]
            work[0]["corners_bias"][j] += n[j]
        k[0]["theta_bias"][i] += dot(w, n)


@inline
def apply_struts(corners, struts, k, q, work, out):
    """Forces of springs, stops and dampers, and their sum on theta: the virtual work of a strut is force times change of length.

    theta_force = spring force x spring_length_1 + shock force x shock_length_1          (29)
    """
    for i in range(4):
        spring = spring_force(struts, i, k[0]["spring_length"][i])
        shock = damper_force(struts, i, k[0]["shock_length"][i], shock_rate(corners, k, q, i))
        out[0]["spring_force"][i] = spring
        out[0]["shock_force"][i] = shock
        work[0]["theta_force"][i] = spring * k[0]["spring_length_1"][i] + shock * k[0]["shock_length_1"][i]


@inline
def shock_rate(corners, k, q, i):
    """Rate of the length of shock absorber i [m/s]."""
    rate = k[0]["shock_length_1"][i] * q[0]["theta_dot"][i]
    if corners[0]["coupled"][i // 2]:
        rate += k[0]["shock_length_across"][i] * q[0]["theta_dot"][i + 1 - 2 * (i % 2)]
    return rate
