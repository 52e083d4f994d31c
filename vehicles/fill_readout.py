"""Copy the vehicle records into the READOUT record that the rest of the program reads."""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import column, cross, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import dtype_of
from simulator.base.rotations import euler_angles, rotation_of_quaternion
from vehicles.suspension.blocks import place_blocks, show_blocks
from vehicles.suspension.composite_inertia import shock_rate
from vehicles.suspension.tables.reduced_table import PLACES, interpolate_places
from vehicles.suspension.tables.tabulated import place_corner
from vehicles.tires.standstill import V_SHOW

CARRIER_X, CARRIER_Z, LOWER, UPPER, OUTER, SHOCK, SPRING, INNER = (dtype_of(PLACES).fields[row[0]][1] // 8 for row in PLACES)  # type: ignore[index]
"""First indices of the fields of PLACES, read as a flat row of numbers."""


@kernel
def read_vehicle(m, s, out):
    """Fill a READOUT record. Positions and velocities are those after the last step. Forces, accelerations and suspension points are those
    of that step (one step, 1 ms, older than the chassis).

    m : VehicleModel, s : VehicleData, out : record of READOUT; its `p_BG` is not changed
    """
    o, x, R = out[0], s.state[0], s.work[0]["R_WB"]
    rotation_of_quaternion(x["q_WB"], R)
    o["time"] = x["time"]
    for j in range(3):
        o["p_WB"][j] = x["p_WB"][j]
        o["v_WB_B"][j] = x["v_WB_B"][j]
        o["w_WB_B"][j] = x["w_WB_B"][j]
        o["a_WB_B"][j] = s.out[0]["a_WB_B"][j]
        o["alpha_WB_B"][j] = s.out[0]["alpha_WB_B"][j]
        o["f_H_B"][j] = s.out[0]["f_H_B"][j]
    for j in range(4):
        o["q_WB"][j] = x["q_WB"][j]
    o["roll"], o["pitch"], o["yaw"] = euler_angles(R)
    read_center_of_mass(R, o)
    for i in range(len(s.wheels)):
        read_corner(m, s, i, o)
        read_wheel(m, s, i, o)
    a = s.axles[0]
    o["engine_speed"], o["engine_torque"], o["gear"] = a["engine_speed"], a["engine_torque"], a["gear"]
    o["shaft_torque"], o["shaft_twist"] = a["shaft_torque"], a["shaft_twist"]
    o["low_range"], o["center_locked"] = a["range"], a["center_locked"]
    ratio = m.steering[0]["gear_ratio"]
    o["steering_gear_angle"] = s.steering[0]["angle"]
    arm = s.steering[0]
    angle, rate = arm["angle"], arm["rate"]
    twists = m.steering[0]["free"] > 0 and m.steering[0]["column_stiffness"] > 0.0
    if twists or m.steering[0]["by_wire"] > 0:
        angle, rate = arm["hand_angle"], arm["hand_rate"]
    added = s.actuators[0]
    o["steering_wheel_angle"], o["steering_wheel_rate"] = (
        -ratio * (angle - added["front_angle"]),
        -ratio * (rate - added["front_speed"]),
    )
    o["steering_wheel_torque"] = -arm["hand_torque"] / ratio
    o["steering_column_torque"] = -arm["column_torque"] / ratio
    o["steering_assist_torque"] = -arm["assist_torque"]


@inline
def read_center_of_mass(R, o):
    """Compute the motion of the point p_BG of the chassis from that of the reference point, all other quantities in B:

    p_WG = p_WB + R_WB p_BG,   v_WG = v_WB + w x p_BG,   a_WG = a_WB + alpha x p_BG + w x (w x p_BG)
    """
    p, w = vector(o["p_BG"]), vector(o["w_WB_B"])
    by_turning, by_alpha = cross(w, p), cross(vector(o["alpha_WB_B"]), p)
    inward = cross(w, by_turning)
    for j in range(3):
        o["p_WG"][j] = o["p_WB"][j] + R[j, 0] * p[0] + R[j, 1] * p[1] + R[j, 2] * p[2]
        o["v_WG_B"][j] = o["v_WB_B"][j] + by_turning[j]
        o["a_WG_B"][j] = o["a_WB_B"][j] + by_alpha[j] + inward[j]


@kernel
def show_points(m, s):
    """Compute the suspension points after the last step, before `read_vehicle`."""
    show_blocks(s.blocks, s.inputs, s.points)


@kernel
def find_points(m, s):
    """Compute the suspension points of a vehicle with tables, which contain only the wheel: in closed form, or from tables of the points.

    A separate kernel, so that vehicles without tables do not compile it.
    """
    place_blocks(m.corners, s.blocks, s.inputs, s.kinematics)
    show_blocks(s.blocks, s.inputs, s.points)
    show_tabulated(m, s)


@inline
def show_tabulated(m, s):
    """Interpolate wheel and points of corners without a closed form from tables."""
    k, points, row = s.kinematics[0], s.points[0], s.reduced[0]["rows"][0]
    for i in range(len(s.wheels)):
        if m.tables.grid[0]["placed"][i] > 0:
            place_corner(s.reduced, i, s.inputs[0]["theta_dot"][i], s.kinematics)
            interpolate_places(m.tables, i, s.inputs[0]["theta"][i], s.steering[0]["angle"], s.reduced)
            for j in range(3):
                k["carrier_x"][j, i], k["carrier_z"][j, i] = row[CARRIER_X + j], row[CARRIER_Z + j]
                points["lower_ball"][j, i], points["upper_ball"][j, i] = row[LOWER + j], row[UPPER + j]
                points["tierod_outer"][j, i] = row[OUTER + j]
                points["shock_lower"][j, i], points["spring_lower"][j, i] = row[SHOCK + j], row[SPRING + j]
                s.inputs[0]["Q"][j, i] = row[INNER + j]


@kernel
def read_corner(m, s, i, o):
    """Fill the suspension channels of corner i."""
    k, x, points = s.kinematics[0], s.state[0], s.points[0]
    g = m.corners[0]
    side = cross(column(k["carrier_z"], i), column(k["carrier_x"], i))
    o["theta"][i], o["theta_dot"][i] = x["theta"][i], x["theta_dot"][i]
    o["wheel_angle"][i], o["wheel_spin"][i] = x["wheel_angle"][i], x["wheel_spin"][i]
    axle = column(k["axle"], i)
    for j in range(3):
        o["p_BK"][i, j] = k["W"][j, i]
        for n in range(3):
            o["R_BK"][i, j, n] = (
                k["carrier_x"][j, i] * g["design_frame"][n, 0, i]
                + side[j] * g["design_frame"][n, 1, i]
                + k["carrier_z"][j, i] * g["design_frame"][n, 2, i]
            )
        o["lower_ball_B"][i, j] = points["lower_ball"][j, i]
        o["upper_ball_B"][i, j] = points["upper_ball"][j, i]
        o["tierod_outer_B"][i, j] = points["tierod_outer"][j, i]
        o["tierod_inner_B"][i, j] = s.inputs[0]["Q"][j, i]
        o["shock_lower_B"][i, j] = points["shock_lower"][j, i]
        o["spring_lower_B"][i, j] = points["spring_lower"][j, i]
    o["jounce"][i] = k["W"][2, i] - g["design_wheel_z"][i]
    o["road_wheel_angle"][i] = math.atan2(-axle[0], axle[1])
    outward = 1.0 if k["W"][1, i] > 0.0 else -1.0
    o["camber"][i] = -outward * math.asin(axle[2])
    o["spring_length"][i], o["spring_force"][i] = k["spring_length"][i], s.out[0]["spring_force"][i]
    o["shock_length"][i], o["shock_force"][i] = k["shock_length"][i], s.out[0]["shock_force"][i]
    o["shock_rate"][i] = shock_rate(m, s, i)
    o["anti_roll_bar_force"][i] = s.out[0]["bar_force"][i]


@kernel
def read_wheel(m, s, i, o):
    """Fill the tire, brake and half-shaft channels of wheel i."""
    c = s.contacts[i]
    for j in range(3):
        o["p_WC"][i, j] = c["p_WC"][j]
        o["F_C"][i, j] = c["F_C"][j]
        o["M_C"][i, j] = c["M_C"][j]
    o["slip_ratio"][i], o["slip_angle"][i] = c["slip_ratio"], math.atan2(c["v_y"], max(abs(c["v_x"]), V_SHOW))
    o["tire_deflection"][i], o["sinkage"][i], o["hardness"][i] = c["tire_deflection"], c["sinkage"], c["hardness"]
    o["brake_pressure"][i] = s.brakes[0]["pressure"][i]
    o["brake_temperature"][i] = m.brakes[0]["surroundings"] + s.brakes[0]["heat"][i]
    o["brake_torque"][i], o["drive_torque"][i] = s.axles[0]["brake_torque"][i], s.axles[0]["drive_torque"][i]
