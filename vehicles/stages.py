"""Stages of an evaluation of the vehicle, shared by the step, the trim and the equilibrium.

A stage reads and writes records of one `VehicleData`. The callers (`vehicles.step`, `vehicles.ode_system`, `vehicles.equilibrium`) define
the order of the stages and contain no physics of their own.
"""

from __future__ import annotations

from simulator.base.algebra.spatial import unrotated
from simulator.base.algebra.vectors import add, add_scaled, column, cross, dot, scale, vector
from simulator.base.callbacks import address_in, call
from simulator.base.jit import inline, kernel
from simulator.base.rotations import advance_quaternion, rotation_of_quaternion
from terrain.objects.broken import move_broken
from vehicles.actuators.actuators import add_front_angle, adjust_dampers, lift_front_angle, steer_last_axle
from vehicles.aerodynamics import air_forces
from vehicles.body_contact import touch_ground
from vehicles.brakes.brakes import add_brake_reactions, heat_brakes, hold_against, press_brakes
from vehicles.compliance.wheel_displacements import displace_wheels, has_compliance
from vehicles.contact.records import MAX_WHEELS
from vehicles.controllers.control_unit import control
from vehicles.corner_layout import axle_of, sides_of
from vehicles.drivetrain.drivetrain import advance_kind
from vehicles.drivetrain.wheel_spins import Hubs
from vehicles.dynamics import answer_loads, assemble_loads, solve_loads
from vehicles.steering.free_steering import answer_with_arm, is_free, turn_arm
from vehicles.steering.steering import place_tierods, steering_step
from vehicles.steering.steering_torque import steering_torque
from vehicles.suspension.composite_inertia import prepare_by_call, prepare_here
from vehicles.suspension.hard_stops import apply_hard_stops, keep_loops_closed
from vehicles.suspension.tables.tabulated import prepare_from_tables
from vehicles.tires.radial import effective_radius
from vehicles.towing.coupling import eliminate_trailers


@inline
def advance_steering(m, s, command, h):
    """Advance the steering by h seconds, under the driver's command and the controllers."""
    if m.actuators[0]["front_max"] > 0.0:
        lift_front_angle(m, s)
    steering_step(m.steering, s.steering, command, s.state[0]["v_WB_B"][0], h)
    if m.actuators[0]["front_max"] > 0.0:
        add_front_angle(m, s, h)
    if m.actuators[0]["rear_max"] > 0.0:
        steer_last_axle(m, s, h)


@inline
def update_suspension(m, s, tabulated, h):
    """Update inner tie-rod joints, suspension and wheels at the present state; h: step size of the implicit step, 0 for an ODE.

    `tabulated` True takes the suspension from the tables, which must cover the state (`covers`).
    """
    place_tierods(m.steering, s.steering, s.inputs)
    move_suspension(m, s, tabulated)
    if m.actuators[0]["most_damping"] > 0.0:
        adjust_dampers(m, s, h)
    apply_hard_stops(m, s, h)
    if has_compliance(m):
        displace_wheels(m, s)
    move_wheels(s)


@inline
def move_suspension(m, s, tabulated):
    """Compute kinematics, sums and strut forces of the corners at the present state, from tables or in closed form."""
    if tabulated:
        prepare_from_tables(m, s, True)
    else:
        prepare_here(m, s)


@inline
def update_suspension_exact(m, s, h):
    """Run `update_suspension` in closed form where one exists: for trim and equilibrium, which share one suspension kernel."""
    place_tierods(m.steering, s.steering, s.inputs)
    present_suspension(m, s)
    apply_hard_stops(m, s, h)
    if has_compliance(m):
        displace_wheels(m, s)
    move_wheels(s)


@kernel
def present_suspension(m, s):
    """Compute the corners at the present state, in closed form where one exists."""
    if m.tables.grid[0]["endless"] > 0:
        prepare_from_tables(m, s, True)
    else:
        prepare_by_call(m, s)


@inline
def move_wheels(s):
    """Compute position, axle and velocities of the wheels in the world, from chassis state and corner kinematics."""
    k = s.kinematics[0]
    R = s.work[0]["R_WB"]
    rotation_of_quaternion(s.state[0]["q_WB"], R)
    v_B = vector(s.state[0]["v_WB_B"])
    w_B = vector(s.state[0]["w_WB_B"])
    for i in range(len(s.wheels)):
        W = column(k["W"], i)
        w_rel = column(k["w_rel"], i)
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
    """Transform tire forces and moments from world to chassis axes; the component about the axle acts on the wheel spin."""
    R = s.work[0]["R_WB"]
    loads = s.loads[0]
    for i in range(len(s.contacts)):
        force = unrotated(R, vector(s.contacts[i]["F_W"]))
        couple = unrotated(R, vector(s.contacts[i]["M_W"]))
        axle = column(s.kinematics[0]["axle"], i)
        axial = dot(couple, axle)
        loads["axle_moment"][i] = axial
        across = add_scaled(couple, -axial, axle)
        for j in range(3):
            loads["wheel_force"][j, i] = force[j]
            loads["carrier_couple"][j, i] = across[j]


@inline
def advance_drivetrain(m, s, command, h):
    """Run the controllers, then advance drivetrain and brakes with the wheel spins, under the moments of the ground."""
    x, brakes = s.state[0], s.brakes[0]
    if len(m.controllers) > 0:
        control(m, s, command, h)
        command = s.command
    press_brakes(m.brakes, s.brakes, command, h)
    hold_against(m.brakes, s.brakes, s.out[0]["carrier_spin"], x["w_WB_B"][1])
    rolling = s.drivetrain[0]["rolling"]
    for i in range(len(rolling)):
        rolling[i] = s.contacts[i]["v_x"] / effective_radius(m.tires[i]["radius"], s.contacts[i]["tire_deflection"])
    hubs = Hubs(
        x["wheel_spin"], brakes["reference_spin"], s.loads[0]["axle_moment"], m.corners[0]["spin_inertia"], brakes["limit"], rolling
    )
    advance_kind(m, s, command, hubs, h)
    heat_brakes(m.brakes, s.brakes, x["wheel_spin"], s.axles[0]["brake_torque"], x["v_WB_B"], h)


@inline
def add_drive_reactions(m, s, ground):
    """Add the reactions of geared hubs on their carriers, of brakes on their mounts, of half shafts and engine on the chassis, and the air
    forces."""
    loads = s.loads[0]
    for i in range(len(s.wheels)):
        for j in range(3):
            loads["carrier_couple"][j, i] += s.axles[0]["hub_torque"][i] * s.kinematics[0]["axle"][j, i]
    force, couple = air_forces(m.body, ground.air, s.work[0]["R_WB"], s.state)
    loads["chassis_couple"][0] = couple[0] + s.axles[0]["reaction_x"]
    loads["chassis_couple"][1] = couple[1] + s.axles[0]["reaction_y"]
    loads["chassis_couple"][2] = couple[2]
    for j in range(3):
        loads["chassis_force"][j] = force[j]
    brake_torque, axles = s.axles[0]["brake_torque"], s.kinematics[0]["axle"]
    add_brake_reactions(m.brakes, brake_torque, axles, loads["carrier_couple"], loads["chassis_couple"])
    for axle in range(len(m.corners[0]["carries_drive"])):
        if m.corners[0]["carries_drive"][axle] > 0:
            apply_drive_reaction(m, s, axle)
    if m.drivetrain[0]["joint_couples"] > 0:
        add_shaft_couples(m, s)


@inline
def apply_drive_reaction(m, s, axle):
    """Move the reactions of a final drive on the beam of its axle from the chassis to the beam: the half-shaft torques about the axle, and
    the propeller-shaft torque, whose counterpart acts on the gearbox in the chassis."""
    loads, a = s.loads[0], s.axles[0]
    loads["chassis_couple"][0] -= a["pinion_torque"][axle]
    loads["chassis_couple"][1] -= a["housing_torque"][axle]
    left = sides_of(m.corners, axle)[0]
    for i in range(left, left + 2):
        loads["carrier_couple"][0, i] += 0.5 * a["pinion_torque"][axle]
        for j in range(3):
            loads["carrier_couple"][j, i] += 0.5 * a["housing_torque"][axle] * s.kinematics[0]["axle"][j, i]


@inline
def add_shaft_couples(m, s):
    """Add the couples that conserve the total angular momentum: spinning shafts turn with the chassis, and half shafts bend at the wheels.

    A half shaft carries one couple from the chassis to the hub. Its joints have constant velocity, so its components along the output axis
    y of the final drive and along the wheel axle a both equal its torque T: T (y + a) / (1 + a . y). Wheel and hub already have T a of it,
    the chassis -T y.
    """
    loads, k = s.loads[0], s.kinematics[0]
    momentum = (s.axles[0]["momentum_x"], s.axles[0]["momentum_y"], 0.0)
    turned = cross(vector(s.state[0]["w_WB_B"]), momentum)
    for j in range(3):
        loads["chassis_couple"][j] -= turned[j]
    for i in range(len(s.wheels)):
        axle = axle_of(m.drivetrain, i)
        if m.corners[0]["carries_drive"][axle] > 0:
            continue
        torque = m.drivetrain[0]["hub_ratio"][axle] * s.axles[0]["drive_torque"][i]
        torque -= (1.0 - m.brakes[0]["carrier_share"][axle]) * s.axles[0]["brake_torque"][i]
        a = column(k["axle"], i)
        factor = torque / (1.0 + a[1])
        couple = (factor * a[0], factor * (1.0 + a[1]), factor * a[2])
        for j in range(3):
            loads["carrier_couple"][j, i] += couple[j] - torque * a[j]
            loads["chassis_couple"][j] -= couple[j]
        loads["chassis_couple"][1] += torque


@inline
def add_body_contact(m, s, ground, h):
    """Add the forces of the ground on the body."""
    touch_ground(m.body_contact, s.body_contact, s.state, s.work[0]["R_WB"], ground, h)
    for j in range(3):
        s.loads[0]["chassis_force"][j] += s.body_contact[0]["force_B"][j]
        s.loads[0]["chassis_couple"][j] += s.body_contact[0]["couple_B"][j]


@kernel
def add_object_contact(m, s, ground, h):
    """Add the forces of the objects on body and wheels, and move broken objects; with several vehicles, their caller moves them."""
    p, q = m.object_contact[0], s.object_contact[0]
    if p["kernel"] == 0:
        return
    x, R = s.state[0], s.work[0]["R_WB"]
    for i in range(3):
        q["p_WB"][i], q["v_WB_B"][i], q["w_WB_B"][i] = x["p_WB"][i], x["v_WB_B"][i], x["w_WB_B"][i]
        for j in range(3):
            q["R_WB"][i, j] = R[i, j]
    q["time"] = x["time"]
    wheels = min(len(s.wheels), MAX_WHEELS)
    parameters, state, wheel_states = address_in(m.object_contact), address_in(s.object_contact), address_in(s.wheels)
    call(p["kernel"], parameters, state, address_in(ground.objects), wheel_states, 0, wheels, h)
    for j in range(3):
        s.loads[0]["chassis_force"][j] += q["force_B"][j]
        s.loads[0]["chassis_couple"][j] += q["couple_B"][j]
    if ground.objects[0]["vehicles"] > 0:
        add_push(m, s, h)
    elif ground.objects[0]["broken"] > 0:
        move_broken(ground, s.body_contact[0]["n_W"], h)


@inline
def add_push(m, s, h):
    """Add the impulses of other vehicles in this step as forces."""
    q = s.object_contact[0]
    R, arm = s.work[0]["R_WB"], vector(m.object_contact[0]["com"])
    force = scale(1.0 / h, unrotated(R, vector(q["impulse_W"])))
    couple = add_scaled(cross(arm, force), 1.0 / h, unrotated(R, vector(q["angular_impulse_W"])))
    for j in range(3):
        s.loads[0]["chassis_force"][j] += force[j]
        s.loads[0]["chassis_couple"][j] += couple[j]


@inline
def add_drawbar(m, s, pull):
    """Add a pull [N] on the tow hook against the chassis x axis: force (-pull, 0, 0) at the hitch, in B."""
    r = vector(m.body[0]["hitch"])
    s.loads[0]["chassis_force"][0] -= pull
    s.loads[0]["chassis_couple"][1] -= r[2] * pull
    s.loads[0]["chassis_couple"][2] += r[1] * pull


@inline
def solve_accelerations(m, s, ground):
    """Compute the accelerations under the loads and the gravity of the ground, at the state of the last `update_suspension`."""
    s.loads[0]["gravity"] = ground.p[0]["gravity"]
    answer_loads(m, s)


@inline
def solve_accelerations_implicit(m, s, ground, h, tabulated):
    """Compute the accelerations over a step of h seconds, including a free steering arm, and the torque of the arm."""
    if is_free(m, s):
        s.loads[0]["gravity"] = ground.p[0]["gravity"]
        answer_with_arm(m, s, tabulated, h)
        turn_arm(m, s, h)
    elif len(m.towed) > 0:
        s.loads[0]["gravity"] = ground.p[0]["gravity"]
        assemble_loads(m, s)
        eliminate_trailers(m, s, h)
        solve_loads(m, s)
        steering_torque(m, s, tabulated, h)
    else:
        solve_accelerations(m, s, ground)
        steering_torque(m, s, tabulated, h)


@inline
def integrate(m, s, h):
    """Advance velocities by h, then positions with the new velocities. Translation is integrated in world axes, which have no inertia
    terms."""
    x = s.state[0]
    R = s.work[0]["R_WB"]
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
    for i in range(len(x["theta"])):
        x["theta_dot"][i] += h * s.out[0]["theta_ddot"][i]
        x["theta"][i] += h * x["theta_dot"][i]
        x["wheel_angle"][i] += h * (x["wheel_spin"][i] - s.out[0]["carrier_spin"][i])
    keep_loops_closed(m.corners, s.state)
    x["time"] += h


@inline
def compute_head_motion(m, s):
    """Compute the specific force at the driver's head, in B: f = a_WH - g."""
    R = s.work[0]["R_WB"]
    r = vector(m.body[0]["drivers_head"])
    w = vector(s.state[0]["w_WB_B"])
    a = add(vector(s.out[0]["a_WB_B"]), add(cross(vector(s.out[0]["alpha_WB_B"]), r), cross(w, cross(w, r))))
    g = s.loads[0]["gravity"]
    for j in range(3):
        s.out[0]["f_H_B"][j] = a[j] + g * R[2, j]
