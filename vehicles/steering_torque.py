"""The torque that the Pitman arm needs for its prescribed motion: what the driver feels at the steering wheel."""

from __future__ import annotations

from simulator.base.algebra.vectors import add, add_scaled, column, cross, dot, scale, six, sub, symmetric_times, vector
from simulator.base.jit import inline
from vehicles.suspension.corner_bodies import CARRIER
from vehicles.suspension.double_wishbone.kinematics import TIEROD
from vehicles.suspension.tables.tabulated import table_pitman_torque


@inline
def steering_torque(m, s, tabulated):
    """Torque on the Pitman arm into `pitman_torque` of ACCELERATIONS, after `answer`; `tabulated` as in `before_contact`."""
    if tabulated:
        s.out[0]["pitman_torque"] = table_pitman_torque(s.steering, s.state, s.loads, s.reduced, s.work, s.out)
    else:
        s.out[0]["pitman_torque"] = pitman_torque(m, s)


@inline
def pitman_torque(m, s):
    """Torque [N m] about the steering frame's z that the Pitman arm needs for its prescribed motion.

    The row of the inverse dynamics that belongs to the Pitman angle: inertia forces minus applied forces on carrier, wheel and tie
    rod of both front corners, each times the velocity it has per unit rate of the arm. Valid after `answer_loads`.
    """
    torque = 0.0
    for i in range(2):
        torque += steering_row(m.corners, s.kinematics, s.state, s.loads, s.out, s.work, i, column(s.steering[0]["Q_1"], i))
    return torque


@inline
def steering_row(corners, kinematics, state, loads, out, work, i, Q_1):
    """Generalized force on the inner tie-rod joint of corner i for its unit velocity Q_1 (chassis axes)."""
    k = kinematics[0]
    g = corners[0]
    n, arm = column(k["kingpin"], i), column(k["arm"], i)
    D, K = column(k["D"], i), column(k["K"], i)
    turn = scale(dot(column(k["steer_gain"], i), Q_1), n)

    # carrier with wheel: turns about the kingpin
    f, c = inertia_force(corners, k, state, out, work, CARRIER, i)
    force = add(column(loads[0]["wheel_force"], i), column(work[0]["bar_force"], i))
    couple = add(column(loads[0]["carrier_couple"], i), column(work[0]["bar_couple"], i))
    arm_W = cross(turn, sub(column(k["W"], i), D))
    c = add(c, column(work[0]["gyroscopic"], i))
    row = dot(f, cross(turn, sub(column(k["c"][CARRIER], i), D))) + dot(c, turn)
    row -= dot(force, arm_W) + dot(couple, turn)

    # tie rod: one end with the carrier, the other with Q
    b = sub(K, D)
    h, y = column(k["tierod"], i), column(k["tierod_axis"], i)
    x = column(g["tierod_axis"], i)
    side = cross(n, arm)
    x = add(add(scale(x[0], arm), scale(x[1], side)), scale(x[2], n))
    e = cross(y, x)
    v_K = cross(turn, b)
    t = cross(h, scale(1.0 / g["tierod_length"][i], sub(Q_1, v_K)))
    t = add_scaled(t, dot(sub(turn, t), e) / dot(h, e), h)
    f, c = inertia_force(corners, k, state, out, work, TIEROD, i)
    return row + dot(f, add(v_K, cross(t, sub(column(k["c"][TIEROD], i), K)))) + dot(c, t)


@inline
def inertia_force(corners, k, state, out, work, b, i):
    """Force and couple about its centre of mass that body b of corner i needs for its acceleration relative to free fall."""
    mass = corners[0]["mass"][b, i]
    x = work[0]["x"]
    w_B = vector(state[0]["w_WB_B"])
    accel = out[0]["theta_ddot"][i]
    c = column(k["c"][b], i)
    w_rel, v_rel = column(k["w_rel"][b], i), column(k["v_rel"][b], i)
    a = add((x[3], x[4], x[5]), cross((x[0], x[1], x[2]), c))
    a = add(a, cross(w_B, add_scaled(cross(w_B, c), 2.0, v_rel)))
    a = add(a, add_scaled(column(k["a_rel"][b], i), accel, column(k["u"][b], i)))
    alpha = add(add((x[0], x[1], x[2]), cross(w_B, w_rel)), add_scaled(column(k["alpha_rel"][b], i), accel, column(k["w"][b], i)))
    w = add(w_B, w_rel)
    I = six(k["inertia"][b], i)
    return scale(mass, a), add(symmetric_times(I, alpha), cross(w, symmetric_times(I, w)))
