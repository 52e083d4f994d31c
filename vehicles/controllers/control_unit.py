"""Control unit that runs a controller: its sensors, its clock, and the transfer of its requests to valves and throttle.

A vehicle without controllers runs none of this code.

A tooth sensor measures the time at which an edge of its ring passes. With n the integer number of teeth that have passed and t_n the time
of the last edge, both at the end of a period, the speed is computed from the last edges of two periods. Without a new edge, the speed is at
most one tooth in the time since the last edge:

    w = (n - n0) pitch / (t_n - t_n0)              w <= pitch / (t - t_n0)

The sensor therefore detects a stopped wheel only after a delay. The edges are displaced by `tooth_error` of the pitch (normal distribution,
drawn again at each edge; errors of a ring that repeat in every revolution are not modeled). The time of an edge within a period is computed
from the speed of the wheel at the end of the period.

Random numbers come from the Lehmer generator [Park and Miller 1988], one sequence per controller, started with its `seed` at every reset:
repeated drives are bit-identical.
"""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import column, cross, vector
from simulator.base.callbacks import address_in, call
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline, kernel
from vehicles.brakes.hydraulics import proportioned
from vehicles.controllers.contract import NO_LIMIT, NUMBERS, WHEELS
from vehicles.corner_layout import axle_of

COMMON = (
    Field("rate", Number("Hz", 1.0, 10000.0), "updates per second; an update runs in the step closest to its time", None),
    Field("teeth", Number("1", 1.0, 10000.0, whole=True), "number of teeth of a wheel's sensor ring", 100),
    Field("tooth_error", Number("1", 0.0, 1.0), "standard deviation of the position of a tooth over the pitch", 0.01),
    Field("yaw_rate_noise", Number("rad/s", 0.0, 10.0), "standard deviation of the white noise of a measured yaw rate", 0.003),
    Field("acceleration_noise", Number("m/s2", 0.0, 100.0), "standard deviation of the white noise of the horizontal accelerations", 0.1),
    Field("vertical_noise", Number("m/s2", 0.0, 100.0), "standard deviation of the white noise of the vertical accelerations", 0.0),
    Field("level_noise", Number("m", 0.0, 1.0), "standard deviation of the white noise of the shock absorber lengths", 0.0),
    Field("seed", Number("1", 0.0, 2**31 - 3, whole=True), "seed of the noise", 0),
)
"""Parameters of every controller in a file. Defaults: assumed, in the order of magnitude of data sheets [mem]; the default rate is that of the kind."""

CONTROLLER = (
    # name       shape  unit  what it is
    ("kernel", (), "", "address of the kernel", "u8"),
    ("parameters", (), "", "address of the parameters", "u8"),
    ("active", (), "1", "0: switched off in the file; the vehicle then behaves as without the controller", "i8"),
    ("sides", (WHEELS,), "1", "sides of the wheels, as `side` of CONTROLLER_INPUT", "i8"),
    *rows(COMMON),
)
"""Record of a controller."""

CONTROL_STATE = (
    # name         shape       unit     what it is
    ("numbers", (NUMBERS,), "", "state of the controller, laid out by its own table"),
    ("off", (), "1", "1 after the controller has requested a non-finite number", "i8"),
    ("begun", (), "1", "1 after the first update", "i8"),
    ("clock", (), "s", "time since the last update was due"),
    ("random", (), "1", "last number of the random sequence", "i8"),
    ("sampled", (), "s", "time of the last update"),
    ("teeth", (WHEELS,), "1", "number of teeth that had passed at the last update", "i8"),
    ("edge", (WHEELS,), "s", "time of the last edge of each wheel"),
)

LEHMER, MODULUS = 48271, 2**31 - 1
SLACK = 0.25
"""1. Hysteresis of a tooth sensor as a fraction of the pitch: an edge is lower by this amount in backward rotation, so that a wheel that
oscillates about an edge counts as stopped. The edges of one direction are a pitch apart, so that a steady speed has no error."""
MIN_TIME = 1e-9
"""s. Minimum time between two edges, to avoid a division by zero."""


@kernel
def control(m, s, command, h):
    """Run the controllers that are due in a step of h seconds; write their orders to the actuators, and the command for the drivetrain into
    s.command.

    m : VehicleModel, s : VehicleData, command : record of COMMAND
    """
    updated = False
    for k in range(len(m.controllers)):
        c, p = s.controls[k], m.controllers[k]
        if p["active"] == 0:
            continue
        c["clock"] += h
        if c["begun"] == 0 or c["clock"] > 1.0 / p["rate"] - 0.5 * h:
            c["clock"] = 0.0 if c["begun"] == 0 else c["clock"] - 1.0 / p["rate"]
            measure(m, s, k, command)
            update_controller(m, s, k)
            updated = True
    if updated:
        command_valves(m, s)
        gather_orders(m, s)
    s.command[0] = command[0]
    for k in range(len(m.controllers)):
        if m.controllers[k]["active"] != 0:
            s.command[0]["throttle"] = min(s.command[0]["throttle"], s.control_output[k]["throttle_limit"])


@inline
def measure(m, s, k, command):
    """Fill the sensor values of controller k."""
    c, p, seen, x = s.controls[k], m.controllers[k], s.control_input[k], s.state[0]
    seen["begins"] = 1 - c["begun"]
    if c["begun"] == 0:
        c["random"] = p["seed"] + 1
    for i in range(len(s.wheels)):
        seen["axle"][i], seen["side"][i] = axle_of(m.corners, i), p["sides"][i]
        read_teeth(c, p, seen, i, x["wheel_angle"][i], abs(x["wheel_spin"][i] - s.out[0]["carrier_spin"][i]), x["time"])
        seen["axle_pressure"][i] = proportioned(m.brakes, s.brakes[0]["line_pressure"], axle_of(m.brakes, i))
        seen["wheel_pressure"][i] = s.brakes[0]["pressure"][i]
        seen["motor_torque"][i] = s.drivetrain[0]["motor_torque"][i]
        seen["drive_torque"][i] = s.axles[0]["drive_torque"][i]
    seen["brake"], seen["throttle"], seen["selector"] = command[0]["brake"], command[0]["throttle"], command[0]["selector"]
    seen["steering_wheel_angle"] = -m.steering[0]["gear_ratio"] * (s.steering[0]["angle"] - s.actuators[0]["front_angle"])
    seen["yaw_rate"] = x["w_WB_B"][2] + p["yaw_rate_noise"] * normal(c)
    R, a, gravity = s.work[0]["R_WB"], s.out[0]["a_WB_B"], s.loads[0]["gravity"]
    seen["longitudinal_acceleration"] = a[0] + gravity * R[2, 0] + p["acceleration_noise"] * normal(c)
    seen["lateral_acceleration"] = a[1] + gravity * R[2, 1] + p["acceleration_noise"] * normal(c)
    measure_level(m, s, k)
    c["begun"], c["sampled"] = 1, x["time"]


@inline
def measure_level(m, s, k):
    """Measure the vertical accelerations of the chassis above the wheels, of a + alpha × r + w × (w × r), and the shock absorber lengths.
    Without noise no random number is drawn, so that the other measurements of a controller do not change."""
    c, p, seen = s.controls[k], m.controllers[k], s.control_input[k]
    w, alpha, a = vector(s.state[0]["w_WB_B"]), vector(s.out[0]["alpha_WB_B"]), s.out[0]["a_WB_B"]
    for i in range(len(s.wheels)):
        r = column(s.kinematics[0]["W"], i)
        up = a[2] + cross(alpha, r)[2] + cross(w, cross(w, r))[2] + s.loads[0]["gravity"] * (s.work[0]["R_WB"][2, 2] - 1.0)
        seen["vertical_acceleration"][i] = up
        seen["shock_length"][i] = s.kinematics[0]["shock_length"][i]
        if p["vertical_noise"] > 0.0:
            seen["vertical_acceleration"][i] += p["vertical_noise"] * normal(c)
        if p["level_noise"] > 0.0:
            seen["shock_length"][i] += p["level_noise"] * normal(c)


@inline
def read_teeth(c, p, seen, i, angle, speed, time):
    """Compute the speed of wheel i from its teeth; angle [rad] and speed [rad/s] of the wheel relative to its carrier, time [s]."""
    pitch = 2.0 * math.pi / p["teeth"]
    place = angle / pitch
    if c["begun"] == 0:
        seen["wheel_speed"][i], c["teeth"][i], c["edge"][i] = speed, math.floor(place), time
        return
    if -SLACK <= place - c["teeth"][i] < 1.0:
        seen["wheel_speed"][i] = min(seen["wheel_speed"][i], pitch / max(time - c["edge"][i], MIN_TIME))
        return
    forward = place > c["teeth"][i]
    teeth = math.floor(place if forward else place + SLACK)
    since = place - teeth if forward else teeth + 1 - SLACK - place
    ago = max(0.0, since + p["tooth_error"] * normal(c)) * pitch / max(speed, MIN_TIME)
    edge = max(time - ago, c["sampled"])
    seen["wheel_speed"][i] = abs(teeth - c["teeth"][i]) * pitch / max(edge - c["edge"][i], MIN_TIME)
    c["teeth"][i], c["edge"][i] = teeth, edge


@inline
def normal(c):
    """Return a normally distributed random number, mean 0 and standard deviation 1 [Box and Muller 1958]."""
    u = uniform(c)
    return math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * uniform(c))


@inline
def uniform(c):
    """Return a random number between 0 and 1, both excluded."""
    c["random"] = (LEHMER * c["random"]) % MODULUS
    return c["random"] / MODULUS


@inline
def update_controller(m, s, k):
    """Run controller k, if it is not switched off."""
    c, out, wheels = s.controls[k], s.control_output[k], len(s.wheels)
    reset_requests(out)
    if c["off"] != 0:
        return
    state, seen, result = address_in(s.controls[k : k + 1]), address_in(s.control_input[k : k + 1]), address_in(s.control_output[k : k + 1])
    call(m.controllers[k]["kernel"], m.controllers[k]["parameters"], state, seen, result, 0, wheels, 1.0 / m.controllers[k]["rate"])
    total = out["throttle_limit"] + out["front_angle"] + out["rear_angle"]
    for i in range(wheels):
        total += out["inlet"][i] + out["outlet"][i] + out["pressure_limit"][i]
        total += out["pressure"][i] + out["damping"][i] + out["motor_torque"][i]
    if not math.isfinite(total):
        c["off"] = 1
        reset_requests(out)


@inline
def reset_requests(out):
    """Reset the output of a controller to neutral requests."""
    out["throttle_limit"], out["front_angle"], out["rear_angle"] = 1.0, 0.0, 0.0
    for i in range(WHEELS):
        out["inlet"][i], out["outlet"][i], out["pressure_limit"][i] = 1.0, 0.0, NO_LIMIT
        out["pressure"][i], out["damping"][i], out["motor_torque"][i] = 0.0, 1.0, 0.0


@inline
def command_valves(m, s):
    """Combine the requests of all controllers to the valves and the pump."""
    b = s.brakes[0]
    b["valves"] = 1
    for i in range(len(s.wheels)):
        inlet, outlet, limit, pumped = 1.0, 0.0, NO_LIMIT, 0.0
        for k in range(len(s.controls)):
            if m.controllers[k]["active"] != 0:
                out = s.control_output[k]
                inlet, outlet = min(inlet, out["inlet"][i]), max(outlet, out["outlet"][i])
                limit, pumped = min(limit, out["pressure_limit"][i]), max(pumped, out["pressure"][i])
        b["inlet"][i], b["outlet"][i], b["pressure_limit"][i] = max(0.0, inlet), min(1.0, outlet), max(0.0, limit)
        b["pumped"][i] = pumped


@inline
def gather_orders(m, s):
    """Combine the requests of all controllers to steering, dampers and motors."""
    to = s.actuators[0]
    to["front_order"] = to["rear_order"] = 0.0
    for k in range(len(s.controls)):
        if m.controllers[k]["active"] != 0:
            to["front_order"] += s.control_output[k]["front_angle"]
            to["rear_order"] += s.control_output[k]["rear_angle"]
    for i in range(len(s.wheels)):
        damping, torque = 1.0, 0.0
        for k in range(len(s.controls)):
            if m.controllers[k]["active"] != 0:
                damping, torque = damping * s.control_output[k]["damping"][i], torque + s.control_output[k]["motor_torque"][i]
        to["damping_order"][i], to["motor_order"][i] = damping - 1.0, torque
