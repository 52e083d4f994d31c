"""Torque that the Pitman arm needs for its prescribed motion; the driver feels it at the steering wheel."""

from __future__ import annotations

from simulator.base.algebra.vectors import add, column, dot
from simulator.base.jit import inline
from vehicles.steering.column import share_torque
from vehicles.suspension.blocks import steer_blocks
from vehicles.suspension.tables.tabulated import steer_from_tables


@inline
def steering_torque(m, s, tabulated, h):
    """Compute the torque on the Pitman arm into `pitman_torque` of ACCELERATIONS, and the hand torque over a step of h seconds.

    Call it after `answer`; `tabulated` as in `update_suspension`.
    """
    s.out[0]["pitman_torque"] = pitman_torque(m, s, tabulated)
    if m.steering[0]["by_wire"] > 0:
        s.steering[0]["assist_torque"] = s.out[0]["pitman_torque"]
    else:
        share_torque(m.steering, s.steering, s.out[0]["pitman_torque"], h)


@inline
def steer_corners(m, s, tabulated):
    """Compute the effect of the steering arm on the steered corners, from tables or in closed form, as `update_suspension` before."""
    if tabulated:
        steer_from_tables(m, s)
    else:
        steer_blocks(s.blocks, s.inputs, s.kinematics)


@inline
def pitman_torque(m, s, tabulated):
    """Return the torque [N m] about the steering frame's z that the Pitman arm needs for its prescribed motion.

    This is the row of the Pitman angle in the inverse dynamics of the steered corners. Valid after `answer_loads`; `tabulated` as in
    `update_suspension`.
    """
    steer_corners(m, s, tabulated)
    torque = 0.0
    for n in range(len(m.steering)):
        for i in range(m.steering[n]["corner"], m.steering[n]["corner"] + 2):
            torque += steering_row(s, i)
    return torque


@inline
def steering_row(s, i):
    """Return the generalized force on the steering arm that corner i needs.

    The force is the inertia forces of the bodies minus the applied forces, each times its velocity per rate of the arm:

        E . x + F theta'' + steer_bias - W_steer . force - w_steer . couple

    with x the acceleration of the chassis relative to free fall. Call it after `steer_corners`.
    """
    c, x = s.kinematics[0], s.work[0]["x"]
    row = c["F"][i] * s.out[0]["theta_ddot"][i]
    for j in range(6):
        row += c["E"][j, i] * x[j]
    return row + steering_force(s, i)


@inline
def steering_force(s, i):
    """Return the generalized force of corner i on the arm at zero acceleration: steer_bias - W_steer . force - w_steer . couple."""
    c, loads, work = s.kinematics[0], s.loads[0], s.work[0]
    turn = column(c["w_steer"], i)
    rest = c["steer_bias"][i] + dot(column(work["gyroscopic"], i), turn)
    force = add(column(loads["wheel_force"], i), column(work["bar_force"], i))
    couple = add(column(loads["carrier_couple"], i), column(work["bar_couple"], i))
    return rest - dot(force, column(c["W_steer"], i)) - dot(couple, turn)
