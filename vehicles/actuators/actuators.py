"""Actuators that the controllers of a vehicle operate: an angle added to the front steering, a steered last axle, adjustable dampers.

Section `actuators` of the vehicle file. For a missing actuator, requests of a controller have no effect and no kernel runs. Orders stay
constant between the updates of the controllers. An actuator follows its order with a first-order lag; an angle is limited in rate, too:

    x' = clamp((clamp(order, -max, max) - x) / time, -max_rate, max_rate)            backward Euler
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Fields, Group, Number
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, Table, dtype_of, labeled, record, view_as
from simulator.base.values import Values
from vehicles.controllers.contract import WHEELS
from vehicles.mechanism_parameters import MechanismParameters, new_workspace
from vehicles.suspension.composite_inertia import prepare

ACTUATORS = (
    # name               shape  unit     what it is
    ("front_max", (), "rad", "maximum angle added at Pitman arm or pinion; 0: no added angle"),
    ("front_rate", (), "rad/s", "maximum rate of the added angle"),
    ("front_time", (), "s", "time constant of the lag of the added angle"),
    ("rear_max", (), "rad", "maximum angle of the wheels of the last axle; 0: not steered"),
    ("rear_rate", (), "rad/s", "maximum rate of the angle of the last axle"),
    ("rear_time", (), "s", "time constant of the lag of the last axle"),
    (
        "rear_travel",
        (),
        "m/rad",
        "travel to the left of the inner tie-rod joints of the last axle per wheel angle, about the design position",
    ),
    ("rear_first", (), "1", "left corner of the last axle", "i8"),
    ("rear_rest", (2,), "m", "y of the inner tie-rod joints of the last axle, straight ahead, in B"),
    ("least_damping", (), "1", "minimum force of a shock absorber over that of its file"),
    ("most_damping", (), "1", "maximum force of a shock absorber over that of its file; 0: not adjustable"),
    ("damping_time", (), "s", "time constant of the lag of the shock absorbers"),
)

ACTUATOR_STATE = (
    # name             shape            unit     what it is
    ("front_order", (), "rad", "angle to be added to that of the steering wheel, + = left"),
    ("rear_order", (), "rad", "requested angle of the wheels of the last axle, + = left"),
    ("damping_order", (WHEELS,), "1", "requested damping factor, minus 1"),
    ("motor_order", (WHEELS,), "N m", "requested torque of the motors on the wheels, + = forward"),
    ("front_angle", (), "rad", "angle added at Pitman arm or pinion, + turns the wheels to the right"),
    ("front_speed", (), "rad/s", "rate of the added angle"),
    ("rear_angle", (), "rad", "angle of the wheels of the last axle, + = left"),
    ("rear_speed", (), "rad/s", "rate of the angle of the last axle"),
    ("damping", (WHEELS,), "1", "force of the shock absorber over that of its file, minus 1"),
)

LOGGED: Table = tuple(row for row in ACTUATOR_STATE if row[0] in ("front_angle", "rear_angle", "damping"))

_ANGLES = (
    Field("max_angle", Number("rad", 0.0, 30.0, above=0.0), "maximum angle to either side"),
    Field("max_rate", Number("rad/s", 1e-3, 100.0), "maximum rate of the angle"),
    Field("time", Number("s", 0.0, 10.0), "time constant of the lag"),
)
ACTUATOR_FILE: Fields = (
    Field(
        "front_steering",
        Group(_ANGLES),
        "angle added to that of the steering wheel by a planetary gear, measured at the steering wheel",
        None,
    ),
    Field("rear_steering", Group(_ANGLES), "rack that steers the last axle by its tie rods; angles of its wheels", None),
    Field(
        "dampers",
        Group(
            (
                Field("least", Number("1", 0.0, 1.0), "minimum force of a shock absorber over that of its file"),
                Field("most", Number("1", 1.0, 100.0), "maximum force of a shock absorber over that of its file"),
                Field("time", Number("s", 0.0, 10.0), "time constant of the damper valves"),
            )
        ),
        "shock absorbers with damping adjusted by controllers",
        None,
    ),
)
"""Fields of the section `actuators` of a vehicle file."""

NUDGE = 1e-4
"""m. Displacement of the tie rods to measure the response of their wheels."""


def read_actuators(vehicle: Values, mechanism: MechanismParameters, steering: Record) -> Record:
    """Return the record of ACTUATORS of a vehicle file.

    Raises
    ------
    ConfigError : the file defines a steered last axle without tie rods
    """
    out = record(ACTUATORS)
    p, actuators = out[0], vehicle.get("actuators", {})
    if "front_steering" in actuators:
        front, ratio = actuators["front_steering"], float(steering[0]["gear_ratio"])
        p["front_max"], p["front_rate"], p["front_time"] = front["max_angle"] / ratio, front["max_rate"] / ratio, front["time"]
    if "rear_steering" in actuators:
        rear = actuators["rear_steering"]
        p["rear_max"], p["rear_rate"], p["rear_time"] = rear["max_angle"], rear["max_rate"], rear["time"]
        _find_lever(rear, p, mechanism)
    if "dampers" in actuators:
        dampers = actuators["dampers"]
        p["least_damping"], p["most_damping"], p["damping_time"] = dampers["least"], dampers["most"], dampers["time"]
    return out


def _find_lever(rear: Values, p: np.void, mechanism: MechanismParameters) -> None:
    """Compute the ratio of tie-rod travel to wheel angle of the last axle. Raises ConfigError if the tie rods do not turn the wheels."""
    on = mechanism.axles.on(len(mechanism.axles.names) - 1)
    if len(on) != 2 or len(mechanism.axles.names) < 2:
        raise ConfigError(rear.file, rear.key, "a steered last axle", "an axle with two wheels behind the first one")
    w = new_workspace(mechanism)
    headings = []
    for moved in (-NUDGE, NUDGE):
        w.inputs[0]["Q"] = mechanism.Q_design
        w.inputs[0]["Q"][1, list(on)] += moved
        prepare(mechanism.records, w)
        axle = w.kinematics[0]["axle"][:, list(on)]
        headings.append(np.arctan2(-axle[0], axle[1]))
    turned = float(np.mean(headings[1] - headings[0]))
    if abs(turned) < 1e-6:
        raise ConfigError(rear.file, rear.key, "a steered last axle", f"an axle with tie rods; {mechanism.designs[on[0]].kind} has none")
    p["rear_travel"], p["rear_first"], p["rear_rest"] = 2.0 * NUDGE / turned, on[0], mechanism.Q_design[1, list(on)]


def logged_actuators(state: Record, corners: Sequence[str]) -> tuple[str, Table, Record]:
    """Return the loggable part of ACTUATOR_STATE as (prefix, table, record), a view of the state."""
    table = labeled(LOGGED, WHEELS.name, corners)
    return "actuator_", table, view_as(state, table, dtype_of(ACTUATOR_STATE))


@inline
def followed_angle(angle, order, limit, rate, time, h):
    """Return (angle, rate) after h seconds of an actuator that follows its order."""
    wanted = min(limit, max(-limit, order))
    speed = min(rate, max(-rate, (wanted - angle) / (time + h)))
    return angle + h * speed, speed


@kernel
def lift_front_angle(m, s):
    """Subtract the added angle from Pitman arm, pinion or the upper end of a free column, which gives the angle of the driver's hands."""
    to, arm = s.actuators[0], s.steering[0]
    if m.steering[0]["free"] > 0:
        arm["hand_angle"] -= to["front_angle"]
        arm["hand_rate"] -= to["front_speed"]
    else:
        arm["angle"] -= to["front_angle"]
        arm["rate"] -= to["front_speed"]


@kernel
def add_front_angle(m, s, h):
    """Advance the added angle by h seconds and add it to the angle of the hands; the sum stays within the steering limits."""
    p, to, arm, lock = m.actuators[0], s.actuators[0], s.steering[0], m.steering[0]["max_arm_angle"]
    free = m.steering[0]["free"] > 0
    hands = arm["hand_angle"] if free else arm["angle"]
    order = min(lock - hands, max(-lock - hands, -to["front_order"] / m.steering[0]["gear_ratio"]))
    before = to["front_speed"]
    to["front_angle"], to["front_speed"] = followed_angle(to["front_angle"], order, p["front_max"], p["front_rate"], p["front_time"], h)
    if free:
        arm["hand_angle"] += to["front_angle"]
        arm["hand_rate"] += to["front_speed"]
    else:
        arm["angle"] += to["front_angle"]
        arm["rate"] += to["front_speed"]
        arm["acceleration"] += (to["front_speed"] - before) / h


@kernel
def steer_last_axle(m, s, h):
    """Advance the inner tie-rod joints of the last axle by h seconds."""
    p, to, q = m.actuators[0], s.actuators[0], s.inputs[0]
    before = to["rear_speed"]
    to["rear_angle"], to["rear_speed"] = followed_angle(
        to["rear_angle"], to["rear_order"], p["rear_max"], p["rear_rate"], p["rear_time"], h
    )
    for n in range(2):
        i = p["rear_first"] + n
        q["Q"][1, i] = p["rear_rest"][n] + p["rear_travel"] * to["rear_angle"]
        q["Q_dot"][1, i] = p["rear_travel"] * to["rear_speed"]
        q["Q_ddot"][1, i] = p["rear_travel"] * (to["rear_speed"] - before) / h


def straighten_last_axle(m: Any, s: Any) -> None:
    """Set the inner tie-rod joints of the last axle straight ahead; m : VehicleModel, s : VehicleData."""
    p = m.actuators[0]
    if p["rear_max"] > 0.0:
        on, q = slice(p["rear_first"], p["rear_first"] + 2), s.inputs[0]
        q["Q"][1, on], q["Q_dot"][1, on], q["Q_ddot"][1, on] = p["rear_rest"], 0.0, 0.0


@kernel
def adjust_dampers(m, s, h):
    """Advance the damper valves by h seconds and add the difference to the forces of the file, also on theta; runs after
    `move_suspension`."""
    p, to = m.actuators[0], s.actuators[0]
    for i in range(len(s.wheels)):
        wanted = min(p["most_damping"] - 1.0, max(p["least_damping"] - 1.0, to["damping_order"][i]))
        to["damping"][i] += (wanted - to["damping"][i]) * h / (p["damping_time"] + h)
        more = to["damping"][i] * s.out[0]["shock_force"][i]
        s.out[0]["shock_force"][i] += more
        s.work[0]["theta_force"][i] += more * s.kinematics[0]["shock_length_1"][i]
