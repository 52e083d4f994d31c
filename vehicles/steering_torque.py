"""The torque that the Pitman arm needs for its prescribed motion: what the driver feels at the steering wheel."""

from __future__ import annotations

from simulator.base.algebra.vectors import add, column, dot
from simulator.base.jit import inline
from vehicles.sides import sides_of
from vehicles.suspension.blocks import steer_blocks
from vehicles.suspension.tables.tabulated import table_pitman_torque


@inline
def steering_torque(m, s, tabulated):
    """Torque on the Pitman arm into `pitman_torque` of ACCELERATIONS, after `answer`; `tabulated` as in `before_contact`."""
    if tabulated:
        s.out[0]["pitman_torque"] = table_pitman_torque(m, s)
    else:
        s.out[0]["pitman_torque"] = pitman_torque(m, s)


@inline
def pitman_torque(m, s):
    """Torque [N m] about the steering frame's z that the Pitman arm needs for its prescribed motion.

    The row of the inverse dynamics that belongs to the Pitman angle, of the corners of the first axle. Valid after `answer_loads`.
    """
    steer_blocks(s.blocks, s.inputs, s.kinematics)
    torque = 0.0
    first, end = sides_of(m.corners, 0)
    for i in range(first, end):
        torque += steering_row(s.kinematics, s.loads, s.out, s.work, i)
    return torque


@inline
def steering_row(k, loads, out, work, i):
    """Generalized force on the steering arm that corner i needs: inertia forces of its bodies less the applied ones, each times the
    velocity it has per rate of the arm.

        E . x + F theta'' + steer_bias - W_steer . force - w_steer . couple

    with x the acceleration of the chassis relative to free fall; k : KINEMATICS after `steer_blocks`
    """
    c, x = k[0], work[0]["x"]
    row = c["F"][i] * out[0]["theta_ddot"][i] + c["steer_bias"][i]
    for j in range(6):
        row += c["E"][j, i] * x[j]
    turn = column(c["w_steer"], i)
    row += dot(column(work[0]["gyroscopic"], i), turn)
    force = add(column(loads[0]["wheel_force"], i), column(work[0]["bar_force"], i))
    couple = add(column(loads[0]["carrier_couple"], i), column(work[0]["bar_couple"], i))
    return row - dot(force, column(c["W_steer"], i)) - dot(couple, turn)
