"""The unit that a controller lives in: its sensors, its clock, and how what it asks for comes to valves and throttle.

Nothing of this runs in a vehicle without controllers.

A tooth sensor gives the time at which an edge of its ring passes. With n the whole number of teeth that have passed and t_n the time of
the last edge, both at the end of a period, the speed is that between the last edges of two periods; without a new edge it can at most be
one tooth in the time since the last one:

    w = (n - n0) pitch / (t_n - t_n0)              w <= pitch / (t - t_n0)

A wheel that stands is thus known to stand only after a while. The edges sit wrong by `tooth_error` of the pitch (normal distribution, drawn
anew at each edge: errors of a ring that come again with every turn are not kept). The time of an edge within a period follows from the
speed of the wheel at its end.

Random numbers are those of Lehmer [Park and Miller 1988], one sequence per controller, begun by its `seed` at every reset: the same drive
is the same to the last bit.
"""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import column, cross, vector
from simulator.base.callbacks import address_in, call
from simulator.base.jit import inline, kernel
from vehicles.brakes.hydraulics import proportioned
from vehicles.controllers.contract import NO_LIMIT, NUMBERS, WHEELS
from vehicles.corner_layout import axle_of

COMMON = (
    # name                 shape  unit     what it is
    ("rate", (), "Hz", "turns per second; a turn comes at the step nearest to its time"),
    ("teeth", (), "1", "of the ring of a wheel's sensor", "i8"),
    ("tooth_error", (), "1", "standard deviation of the place of a tooth over the pitch"),
    ("yaw_rate_noise", (), "rad/s", "standard deviation of the white noise of a measured yaw rate"),
    ("acceleration_noise", (), "m/s2", "the same of the accelerations"),
    ("vertical_noise", (), "m/s2", "the same of the vertical accelerations"),
    ("level_noise", (), "m", "the same of the lengths of the shock absorbers"),
    ("seed", (), "1", "of the noise", "i8"),
)
"""What the file may say of every controller."""

COMMON_RANGES = {
    "rate": (1.0, 10_000.0),
    "teeth": (1.0, 10_000.0),
    "tooth_error": (0.0, 1.0),
    "yaw_rate_noise": (0.0, 10.0),
    "acceleration_noise": (0.0, 100.0),
    "vertical_noise": (0.0, 100.0),
    "level_noise": (0.0, 1.0),
    "seed": (0.0, 2.0**31 - 3.0),
}
COMMON_DEFAULTS = {
    "rate": None,
    "teeth": 100,
    "tooth_error": 0.01,
    "yaw_rate_noise": 0.003,
    "acceleration_noise": 0.1,
    "vertical_noise": 0.0,
    "level_noise": 0.0,
    "seed": 0,
}
"""Assumed, of the order of data sheets [mem]; the rate is that of the kind."""

CONTROLLER = (
    # name       shape  unit  what it is
    ("kernel", (), "", "address of the kernel", "u8"),
    ("parameters", (), "", "address of its parameters", "u8"),
    ("active", (), "1", "0: it is switched off by the file, and the vehicle is as without it", "i8"),
    ("sides", (WHEELS,), "1", "as `side` of SEEN", "i8"),
    *COMMON,
)
"""One record per controller."""

CONTROL_STATE = (
    # name         shape       unit     what it is
    ("numbers", (NUMBERS,), "", "state of the controller, laid out by its own table"),
    ("off", (), "1", "1 from the moment on when it asked for something that was no finite number", "i8"),
    ("begun", (), "1", "1 once it had its first turn", "i8"),
    ("clock", (), "s", "time since its last turn was due"),
    ("random", (), "1", "last number of its sequence", "i8"),
    ("sampled", (), "s", "time of its last turn"),
    ("teeth", (WHEELS,), "1", "teeth that had passed by then", "i8"),
    ("edge", (WHEELS,), "s", "time of the last edge of each wheel"),
)

LEHMER, MODULUS = 48271, 2147483647
SLACK = 0.25
"""1. Share of the pitch by which a wheel has to go beyond an edge before it counts, so that one that trembles on an edge stands."""
LEAST_TIME = 1e-9
"""s. Between two edges, against a division by zero."""


@kernel
def control(m, s, command, h):
    """Turns of the controllers that are due in a step of h seconds; their orders to the actuators, and the command that the drivetrain gets,
    into s.command.

    m : Model, s : Space, command : record of COMMAND
    """
    worked = False
    for k in range(len(m.controllers)):
        c, p = s.controls[k], m.controllers[k]
        if p["active"] == 0:
            continue
        c["clock"] += h
        if c["begun"] == 0 or c["clock"] > 1.0 / p["rate"] - 0.5 * h:
            c["clock"] = 0.0 if c["begun"] == 0 else c["clock"] - 1.0 / p["rate"]
            measure(m, s, k, command)
            take_turn(m, s, k)
            worked = True
    if worked:
        work_valves(m, s)
        gather_orders(m, s)
    s.command[0] = command[0]
    for k in range(len(m.controllers)):
        if m.controllers[k]["active"] != 0:
            s.command[0]["throttle"] = min(s.command[0]["throttle"], s.control_asked[k]["throttle_limit"])


@inline
def measure(m, s, k, command):
    """What controller k sees."""
    c, p, seen, x = s.controls[k], m.controllers[k], s.control_seen[k], s.state[0]
    seen["begins"] = 1 - c["begun"]
    if c["begun"] == 0:
        c["random"] = p["seed"] + 1
    for i in range(len(s.wheels)):
        seen["axle"][i], seen["side"][i] = axle_of(m.corners, i), p["sides"][i]
        read_teeth(c, p, seen, i, x["wheel_angle"][i], abs(x["wheel_spin"][i] - s.out[0]["carrier_spin"][i]), x["time"])
        seen["axle_pressure"][i] = proportioned(m.brakes, s.brakes[0]["line_pressure"], axle_of(m.brakes, i))
        seen["motor_torque"][i] = s.drivetrain[0]["motor_torque"][i]
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
    """Vertical accelerations of the chassis above the wheels, of a + alpha × r + w × (w × r), and lengths of the shock absorbers. Without noise no
    random number is drawn, so that what else a controller measures does not depend on it."""
    c, p, seen = s.controls[k], m.controllers[k], s.control_seen[k]
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
    """Speed of wheel i by its teeth; angle [rad] of the wheel on its carrier, speed [rad/s] of that, time [s]."""
    pitch = 2.0 * math.pi / p["teeth"]
    place = angle / pitch
    teeth = math.floor(place)
    if c["begun"] == 0:
        seen["wheel_speed"][i], c["teeth"][i], c["edge"][i] = speed, teeth, time
        return
    if -SLACK <= place - c["teeth"][i] < 1.0 + SLACK:
        seen["wheel_speed"][i] = min(seen["wheel_speed"][i], pitch / max(time - c["edge"][i], LEAST_TIME))
        return
    since = place - teeth if teeth > c["teeth"][i] else teeth + 1 - place
    ago = max(0.0, since + p["tooth_error"] * normal(c)) * pitch / max(speed, LEAST_TIME)
    edge = max(time - ago, c["sampled"])
    seen["wheel_speed"][i] = abs(teeth - c["teeth"][i]) * pitch / max(edge - c["edge"][i], LEAST_TIME)
    c["teeth"][i], c["edge"][i] = teeth, edge


@inline
def normal(c):
    """A random number of the normal distribution, mean 0 and standard deviation 1 [Box and Muller 1958]."""
    u = uniform(c)
    return math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * uniform(c))


@inline
def uniform(c):
    """A random number between 0 and 1, neither of them included."""
    c["random"] = (LEHMER * c["random"]) % MODULUS
    return c["random"] / MODULUS


@inline
def take_turn(m, s, k):
    """Ask controller k, if it is not switched off."""
    c, asked, wheels = s.controls[k], s.control_asked[k], len(s.wheels)
    ask_nothing(asked)
    if c["off"] != 0:
        return
    state, seen, result = address_in(s.controls[k : k + 1]), address_in(s.control_seen[k : k + 1]), address_in(s.control_asked[k : k + 1])
    call(m.controllers[k]["kernel"], m.controllers[k]["parameters"], state, seen, result, 0, wheels, 1.0 / m.controllers[k]["rate"])
    total = asked["throttle_limit"] + asked["front_angle"] + asked["rear_angle"]
    for i in range(wheels):
        total += asked["inlet"][i] + asked["outlet"][i] + asked["pressure_limit"][i]
        total += asked["pressure"][i] + asked["damping"][i] + asked["motor_torque"][i]
    if not math.isfinite(total):
        c["off"] = 1
        ask_nothing(asked)


@inline
def ask_nothing(asked):
    """What a vehicle without a controller would do."""
    asked["throttle_limit"], asked["front_angle"], asked["rear_angle"] = 1.0, 0.0, 0.0
    for i in range(WHEELS):
        asked["inlet"][i], asked["outlet"][i], asked["pressure_limit"][i] = 1.0, 0.0, NO_LIMIT
        asked["pressure"][i], asked["damping"][i], asked["motor_torque"][i] = 0.0, 1.0, 0.0


@inline
def work_valves(m, s):
    """Orders of all controllers to the valves and the pump."""
    b = s.brakes[0]
    b["valves"] = 1
    for i in range(len(s.wheels)):
        inlet, outlet, limit, pumped = 1.0, 0.0, NO_LIMIT, 0.0
        for k in range(len(s.controls)):
            if m.controllers[k]["active"] != 0:
                asked = s.control_asked[k]
                inlet, outlet = min(inlet, asked["inlet"][i]), max(outlet, asked["outlet"][i])
                limit, pumped = min(limit, asked["pressure_limit"][i]), max(pumped, asked["pressure"][i])
        b["inlet"][i], b["outlet"][i], b["pressure_limit"][i] = max(0.0, inlet), min(1.0, outlet), max(0.0, limit)
        b["pumped"][i] = pumped


@inline
def gather_orders(m, s):
    """Orders of all controllers to steering, dampers and motors."""
    to = s.actuators[0]
    to["front_order"] = to["rear_order"] = 0.0
    for k in range(len(s.controls)):
        if m.controllers[k]["active"] != 0:
            to["front_order"] += s.control_asked[k]["front_angle"]
            to["rear_order"] += s.control_asked[k]["rear_angle"]
    for i in range(len(s.wheels)):
        damping, torque = 1.0, 0.0
        for k in range(len(s.controls)):
            if m.controllers[k]["active"] != 0:
                damping, torque = damping * s.control_asked[k]["damping"][i], torque + s.control_asked[k]["motor_torque"][i]
        to["damping_order"][i], to["motor_order"][i] = damping - 1.0, torque
