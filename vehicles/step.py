"""One step of the vehicle: the order of its parts, on one screen. Read `vehicle_step` first.

Semi-implicit Euler for the bodies (velocities first, positions with the new velocities), with implicit blocks inside where something is
stiff: tires in their own deflections, brakes, converter and coupling with the wheel spins.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.base.frames import advance_quaternion, rotation_of_quaternion
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from vehicles.body_contact import touch_ground
from vehicles.drivetrain.drivetrain import drivetrain_step
from vehicles.dynamics import answer_loads, prepare
from vehicles.multibody.spatial import unrotated
from vehicles.multibody.vectors import add, add_scaled, column, cross, dot, scale, six, sub, symmetric_times, vector
from vehicles.steering import place_tierods, steering_step
from vehicles.suspension.corner_bodies import CARRIER
from vehicles.suspension.double_wishbone import TIEROD
from vehicles.suspension.ends import hold_ends, stay_closed
from vehicles.suspension.reduced_table import ReducedTables, covers
from vehicles.tabulated import prepare_from_tables, table_pitman_torque
from vehicles.tires.contact import touch
from vehicles.tires.tire import tire_advance, tire_forces


class Model(NamedTuple):
    """Parameter records of one vehicle."""

    chassis: Record
    corners: Record
    struts: Record
    steering: Record
    body: Record
    body_contact: Record
    tire: Record
    drivetrain: Record
    brakes: Record
    tables: ReducedTables


class Space(NamedTuple):
    """State, scratch and results of one vehicle; nothing else is written during a step."""

    state: Record
    inputs: Record
    loads: Record
    kinematics: Record
    work: Record
    out: Record
    steering: Record
    tires: Record
    wheels: Record
    contacts: Record
    under: Record
    drivetrain: Record
    axles: Record
    motion: Record
    reduced: Record
    body_contact: Record


MOTION = (
    ("time", (), "s", "simulated time"),
    ("R_WB", (3, 3), "1", "attitude of the chassis at the start of the step, then at its end"),
    ("f_H_B", (3,), "m/s2", "specific force at the driver's head, in B"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B"),
    ("moment", (4,), "N m", "moment of the ground on each wheel about its axle"),
    ("moment_slope", (4,), "N m s/rad", "its derivative by the wheel's spin, left to the tire's own implicit step"),
    ("pitman_torque", (), "N m", "torque on the Pitman arm, about the steering frame's z, that gives it its motion"),
)
"""What a step leaves for the motion cueing and the steering wheel, and the hand-over between tires and drivetrain."""


@kernel
def vehicle_step(m, s, ground, command, h):
    """Advance the vehicle by h seconds under a driver's command.

    Parameters
    ----------
    m : Model
    s : Space, changed in place
    ground : (p, heights, hardness, soil_ids, soils), see `terrain.surface`
    command : record of COMMAND
    """
    steering_step(m.steering, s.steering, command[0]["steering"], h)
    place_tierods(m.steering, s.steering, s.inputs)
    tabulated = covers(m.tables, s.state[0]["theta"], s.steering[0]["angle"])
    if tabulated:
        prepare_from_tables(m.tables, m.corners, m.struts, s.steering, True, s.state, s.inputs, s.kinematics, s.reduced, s.work, s.out)
    else:
        prepare(m.corners, m.struts, s.state, s.inputs, s.kinematics, s.work, s.out)
    hold_ends(m.corners, s.state, s.work, h)
    move_wheels(s)
    for i in range(4):
        touch(m.tire, s.tires, i, ground, s.under, s.wheels, s.contacts)
        tire_forces(m.tire, s.tires, i, s.under, h, s.wheels, s.contacts)
        tire_advance(s.tires, i, h, s.contacts)
    gather_tire_loads(s)
    spin = s.state[0]["wheel_spin"]
    moment, slope = s.motion[0]["moment"], s.motion[0]["moment_slope"]
    drivetrain_step(
        m.drivetrain,
        m.brakes,
        s.drivetrain,
        command,
        spin,
        s.out[0]["carrier_spin"],
        moment,
        slope,
        m.corners[0]["spin_inertia"],
        h,
        s.axles,
    )
    add_reactions(m, s)
    add_body_contact(m, s, ground, h)
    answer_loads(m.chassis, m.corners, s.state, s.loads, s.kinematics, s.work, s.out)
    if tabulated:
        s.motion[0]["pitman_torque"] = table_pitman_torque(s.steering, s.state, s.loads, s.reduced, s.work, s.out)
    else:
        s.motion[0]["pitman_torque"] = pitman_torque(m, s)
    integrate(s, h)
    stay_closed(m.corners, s.state)
    feel(m, s)
    s.motion[0]["time"] += h


@inline
def move_wheels(s):
    """Position, axle and velocities of the wheels in the world, from chassis state and corner kinematics."""
    k = s.kinematics[0]
    R = s.motion[0]["R_WB"]
    rotation_of_quaternion(s.state[0]["q_WB"], R)
    v_B = vector(s.state[0]["v_WB_B"])
    w_B = vector(s.state[0]["w_WB_B"])
    for i in range(4):
        W = column(k["W"], i)
        w_rel = column(k["w_rel"][CARRIER], i)
        v = add(add(v_B, cross(w_B, W)), column(k["W_dot"], i))
        w = add(w_B, w_rel)
        a = column(k["axle"], i)
        wheel = s.wheels[i]
        for j in range(3):
            wheel["p_WK"][j] = s.state[0]["p_WB"][j] + R[j, 0] * W[0] + R[j, 1] * W[1] + R[j, 2] * W[2]
            wheel["a_W"][j] = R[j, 0] * a[0] + R[j, 1] * a[1] + R[j, 2] * a[2]
            wheel["v_WK_W"][j] = R[j, 0] * v[0] + R[j, 1] * v[1] + R[j, 2] * v[2]
            wheel["w_WK_W"][j] = R[j, 0] * w[0] + R[j, 1] * w[1] + R[j, 2] * w[2]
        wheel["spin"] = s.state[0]["wheel_spin"][i]


@inline
def gather_tire_loads(s):
    """Tire forces and moments from world to chassis axes; the part about the axle goes to the wheel spin."""
    R = s.motion[0]["R_WB"]
    loads = s.loads[0]
    for i in range(4):
        force = unrotated(R, vector(s.contacts[i]["F_W"]))
        couple = unrotated(R, vector(s.contacts[i]["M_W"]))
        axle = column(s.kinematics[0]["axle"], i)
        axial = dot(couple, axle)
        s.motion[0]["moment"][i] = axial
        across = add_scaled(couple, -axial, axle)
        for j in range(3):
            loads["wheel_force"][j, i] = force[j]
            loads["carrier_couple"][j, i] = across[j]


@inline
def add_reactions(m, s):
    """Brakes push their carriers, half shafts and engine twist the chassis, and the air holds it back."""
    loads = s.loads[0]
    for i in range(4):
        for j in range(3):
            loads["carrier_couple"][j, i] += s.axles[0]["brake_torque"][i] * s.kinematics[0]["axle"][j, i]
    v = vector(s.state[0]["v_WB_B"])
    drag = scale(-0.5 * m.body[0]["air_density"] * m.body[0]["drag_area"] * math.sqrt(dot(v, v)), v)
    couple = cross(vector(m.body[0]["drag_point"]), drag)
    loads["chassis_couple"][0] = couple[0] + s.axles[0]["reaction_x"]
    loads["chassis_couple"][1] = couple[1] + s.axles[0]["reaction_y"]
    loads["chassis_couple"][2] = couple[2]
    for j in range(3):
        loads["chassis_force"][j] = drag[j]


@inline
def add_body_contact(m, s, ground, h):
    """The ground under the body."""
    touch_ground(m.body_contact, s.body_contact, s.state, s.motion[0]["R_WB"], ground, h)
    for j in range(3):
        s.loads[0]["chassis_force"][j] += s.body_contact[0]["force_B"][j]
        s.loads[0]["chassis_couple"][j] += s.body_contact[0]["couple_B"][j]


@inline
def integrate(s, h):
    """Velocities by h, then positions with the new velocities. Translation is integrated in world axes, where it has no inertia terms."""
    x = s.state[0]
    R = s.motion[0]["R_WB"]
    v, a = vector(x["v_WB_B"]), vector(s.out[0]["a_WB_B"])
    dv = add_scaled(v, h, a)
    V = (
        R[0, 0] * dv[0] + R[0, 1] * dv[1] + R[0, 2] * dv[2],
        R[1, 0] * dv[0] + R[1, 1] * dv[1] + R[1, 2] * dv[2],
        R[2, 0] * dv[0] + R[2, 1] * dv[1] + R[2, 2] * dv[2],
    )
    for j in range(3):
        x["w_WB_B"][j] += h * s.out[0]["alpha_WB_B"][j]
        x["p_WB"][j] += h * V[j]
    advance_quaternion(x["q_WB"], x["w_WB_B"], h)
    rotation_of_quaternion(x["q_WB"], R)
    v = unrotated(R, V)
    for j in range(3):
        x["v_WB_B"][j] = v[j]
    for i in range(4):
        x["theta_dot"][i] += h * s.out[0]["theta_ddot"][i]
        x["theta"][i] += h * x["theta_dot"][i]
        x["wheel_angle"][i] += h * (x["wheel_spin"][i] - s.out[0]["carrier_spin"][i])


@inline
def feel(m, s):
    """Specific force at the driver's head and angular velocity, in B: f = a_WH - g."""
    R = s.motion[0]["R_WB"]
    r = vector(m.body[0]["drivers_head"])
    w = vector(s.state[0]["w_WB_B"])
    a = add(vector(s.out[0]["a_WB_B"]), add(cross(vector(s.out[0]["alpha_WB_B"]), r), cross(w, cross(w, r))))
    g = m.chassis[0]["gravity"]
    for j in range(3):
        s.motion[0]["f_H_B"][j] = a[j] + g * R[2, j]
        s.motion[0]["w_WB_B"][j] = w[j]


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
    force = column(loads[0]["wheel_force"], i)
    arm_W = cross(turn, sub(column(k["W"], i), D))
    c = add(c, column(work[0]["gyroscopic"], i))
    row = dot(f, cross(turn, sub(column(k["c"][CARRIER], i), D))) + dot(c, turn)
    row -= dot(force, arm_W) + dot(column(loads[0]["carrier_couple"], i), turn)

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
