"""Ticks of a session as one kernel: steps of the vehicles, check of their states, motion cueing.

The kernel discards a state that is not finite or exceeds the limits. From the first such tick on, the cueing gets the last valid values
and fades, and the session puts the vehicle back.

The first vehicle, number 0, is that of the driver's seat. The others move after it in the order of their numbers. A vehicle meets those with
higher numbers as objects, at their poses of the begin of the tick, and leaves impulses there, which move them in the same tick. Each pair is
therefore computed once, and its forces are equal and opposite.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.base.callbacks import record_at, records_at
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import inline, kernel
from simulator.base.record_tree import tree_at
from simulator.base.records import Record, dtype_of, record
from terrain.objects.broken import move_broken
from terrain.objects.records import OBJECT_TYPE, RIGID_BODY_TYPE, STATE_TYPE
from vehicles.axle_layout import USUAL, WHEELS, AxleLayout, record_for
from vehicles.command import COMMAND
from vehicles.contact.vehicle_objects import halt_parts, place_parts, place_wheel, take_impulses
from vehicles.step import vehicle_step
from washout.cueing import cueing_step

FORCE = 1000.0
"""m/s2. Limit of the specific force at the driver's head: about a hundred times gravity."""
SPEED = 300.0
"""m/s. Limit of the speed; no ground vehicle drives or falls faster."""
TURN = 200.0
"""rad/s. Limit of the angular velocity of the chassis."""
DISTANCE = 1e6
"""m. Limit of the distance from the origin of the map."""
CORNER_RATE = 1e3
"""rad/s or m/s. Limit of the rate of a suspension coordinate."""
SPIN = 1e4
"""rad/s. Limit of the angular velocity of wheels and engine."""

VALID, NOT_FINITE, TOO_MUCH_FORCE, TOO_FAST, TURNS_TOO_FAST, TOO_FAR, CORNER_TOO_FAST, SPINS_TOO_FAST, UNDER_GROUND = range(9)

"""Verdicts about a state. Only the session detects UNDER_GROUND, because the kernel would have to compute the ground height every tick."""

REMEMBERED = 1000
"""Ticks stored for the report of an incident: the last second. A session with a slower sensor stores more."""

WATCH = (
    # name    shape  unit  description
    ("f_H_B", (3,), "m/s2", "last valid specific force at the driver's head, in B"),
    ("w_WB_B", (3,), "rad/s", "last valid angular velocity of the chassis, in B"),
    ("verdict", (), "1", "verdict about the state, VALID if no check failed", "i8"),
    ("size", (), "", "value that exceeded its limit, in its unit"),
    ("ticks", (), "1", "ticks of the vehicle so far; the last one went to row (ticks - 1) % (number of rows) of the history", "i8"),
)

HISTORY = (
    # name          shape  unit        description
    ("time", (), "s", "simulated time"),
    ("p_WB", (3,), "m", "chassis reference point, in W"),
    ("q_WB", (4,), "1", "attitude of the chassis, quaternion w, x, y, z"),
    ("v_WB_B", (3,), "m/s", "velocity of the chassis reference point, in B"),
    ("w_WB_B", (3,), "rad/s", "angular velocity of the chassis, in B"),
    ("f_H_B", (3,), "m/s2", "specific force at the driver's head, in B"),
    (
        "theta",
        (WHEELS,),
        "rad",
        "+ = jounce: angle of the lower arm, height of a five-link wheel [m], joint of an axle from a file [rad, m]",
    ),
    ("theta_dot", (WHEELS,), "rad/s", "rate of theta"),
    ("wheel_spin", (WHEELS,), "rad/s", "angular velocity of the wheel about its axle"),
    ("engine_speed", (), "rad/s", "crankshaft speed"),
)
"""One row per tick of the vehicle, for the report of an incident."""


class StateMonitor(NamedTuple):
    """State and history that are stored from tick to tick; see `WATCH` and `HISTORY`. A row of `commands` is the command of a row of
    `history`."""

    state: Record
    history: Record
    commands: Record


def new_watch(gravity: float = STANDARD_GRAVITY, size: AxleLayout = USUAL, rows: int = REMEMBERED) -> StateMonitor:
    """Return an empty monitor of `rows` ticks for a vehicle with `size`; its force is that of a vehicle at rest under gravity [m/s2]."""
    watch = StateMonitor(record(WATCH), record_for(HISTORY, size, rows), record(COMMAND, rows))
    watch.state[0]["f_H_B"] = (0.0, 0.0, gravity)
    return watch


VEHICLE_ROW = (
    # name     shape  unit  description
    ("model", (), "", "address of the addresses of its VehicleModel", "u8"),
    ("data", (), "", "address of the addresses of its VehicleData", "u8"),
    ("command", (), "", "address of its record of COMMAND", "u8"),
    ("watch", (), "", "address of its record of WATCH", "u8"),
    ("number", (), "1", "number of the vehicle, from 1", "i8"),
    ("first_state", (), "1", "row of `states` of the first of its objects", "i8"),
    ("first_object", (), "1", "row of `objects` of the same", "i8"),
    ("objects", (), "1", "number of its objects", "i8"),
)
"""A vehicle but the first one, for `ticks`."""

COMMAND_TYPE, WATCH_TYPE = dtype_of(COMMAND), dtype_of(WATCH)


@kernel
def ticks(vehicle, space, ground, cueing, watch, command, others, run, count):
    """Run `count` ticks under one command: the vehicles (while `run` and the state of the first one is valid), then the cueing with the motion
    of the driver's head.

    vehicle : VehicleModel, space : VehicleData, ground : GroundArrays, cueing : CueingRecords, watch : StateMonitor,
    command : record of COMMAND, others : records of VEHICLE_ROW

    A tick has the length of a cueing tick. An invalid state stops the vehicle, but not the platform; verdict and size in `watch` describe
    the state.
    """
    w, h = watch.state[0], cueing.p[0]["h"]
    for _ in range(count):
        if run:
            vehicle_step(vehicle, space, ground, command, h)
            save_valid_state(space, watch, command)
            w["verdict"] = check_state(space, watch)
            if len(others) > 0:
                step_others(others, vehicle, space, ground, watch, h)
            if w["verdict"] == VALID:
                for j in range(3):
                    w["f_H_B"][j] = space.out[0]["f_H_B"][j]
                    w["w_WB_B"][j] = space.state[0]["w_WB_B"][j]
            else:
                run = False
        cueing_step(cueing.p, cueing.s, cueing.washout_pose, w["f_H_B"], w["w_WB_B"], run)


@kernel
def step_others(rows, model, data, ground, watch, h):
    """Advance all other vehicles by a tick of h seconds, then the broken objects; arguments: see `step_group`."""
    step_group(rows, model, data, ground, watch, h)
    end_step(data, ground, h)
    place_others(rows, model, data, ground, True)


@kernel
def step_group(rows, model, data, ground, watch, h):
    """Advance vehicles with one layout of axles by a tick of h seconds. A vehicle with an invalid state stops alone.

    rows : records of VEHICLE_ROW in the order of their numbers; model, data, watch : those of any vehicle of this layout, for their types
    """
    g = ground.objects[0]
    for k in range(len(rows)):
        r = rows[k]
        s, state = tree_at(r["data"], data), record_at(r["watch"], WATCH_TYPE)
        s.object_contact[0]["vehicle"] = r["number"]
        states = records_at(g["states"], STATE_TYPE, r["first_state"] + r["objects"])
        take_impulses(states, r["first_state"], s.object_contact[0])
        if state[0]["verdict"] == VALID:
            vehicle_step(tree_at(r["model"], model), s, ground, record_at(r["command"], COMMAND_TYPE), h)
            state[0]["verdict"] = check_state(s, StateMonitor(state, watch.history, watch.commands))


@kernel
def step_towed(rows, model, data, ground, watch, h):
    """Check the states of trailers, which the step of the first vehicle has moved, and let others push them from the next tick on; arguments:
    see `step_group`."""
    g = ground.objects[0]
    for k in range(len(rows)):
        r = rows[k]
        s, state = tree_at(r["data"], data), record_at(r["watch"], WATCH_TYPE)
        states = records_at(g["states"], STATE_TYPE, r["first_state"] + r["objects"])
        take_impulses(states, r["first_state"], s.object_contact[0])
        state[0]["verdict"] = check_state(s, StateMonitor(state, watch.history, watch.commands))


@kernel
def end_step(data, ground, h):
    """Advance the broken objects after all vehicles; data : VehicleData of any vehicle."""
    if ground.objects[0]["broken"] > 0:
        move_broken(ground, data.body_contact[0]["n_W"], h)
    ground.objects[0]["fastest_vehicle"] = 0.0


@kernel
def place_others(rows, model, data, ground, moved):
    """Write the poses of the vehicles of a group to the states of their objects; arguments: see `step_group`.

    moved : whether a step has computed where their wheels are
    """
    g = ground.objects[0]
    fastest = g["fastest_vehicle"]
    for k in range(len(rows)):
        r = rows[k]
        first, end = r["first_state"], r["first_state"] + r["objects"]
        states = records_at(g["states"], STATE_TYPE, end)
        if record_at(r["watch"], WATCH_TYPE)[0]["verdict"] == VALID:
            s, p = tree_at(r["data"], data), tree_at(r["model"], model).object_contact[0]
            fastest = max(fastest, place_parts(states, first, s.state[0], p["reach"]))
            if moved:
                bodies = records_at(g["bodies"], RIGID_BODY_TYPE, end)
                objects = records_at(g["objects"], OBJECT_TYPE, r["first_object"] + r["objects"])
                for i in range(min(len(s.wheels), r["objects"] - p["count"])):
                    at = p["count"] + i
                    o = objects[r["first_object"] + at]
                    place_wheel(states[first + at], bodies[first + at], o["center_O"], p, s.object_contact[0], s.wheels[i])
        else:
            halt_parts(states, first)
    g["fastest_vehicle"] = fastest


@kernel
def platform_ticks(cueing, watch, count):
    """Run `count` ticks in which the vehicle rests and the platform moves as in a drive."""
    w = watch.state[0]
    for _ in range(count):
        cueing_step(cueing.p, cueing.s, cueing.washout_pose, w["f_H_B"], w["w_WB_B"], True)


@inline
def save_valid_state(space, watch, command):
    """Write one row of the history."""
    w, x = watch.state[0], space.state[0]
    at = w["ticks"] % len(watch.history)
    row = watch.history[at]
    watch.commands[at] = command[0]
    w["ticks"] += 1
    row["time"] = space.state[0]["time"]
    row["engine_speed"] = space.drivetrain[0]["engine_speed"]
    for j in range(3):
        row["p_WB"][j] = x["p_WB"][j]
        row["v_WB_B"][j] = x["v_WB_B"][j]
        row["w_WB_B"][j] = x["w_WB_B"][j]
        row["f_H_B"][j] = space.out[0]["f_H_B"][j]
    for i in range(4):
        row["q_WB"][i] = x["q_WB"][i]
    for i in range(len(x["theta"])):
        row["theta"][i] = x["theta"][i]
        row["theta_dot"][i] = x["theta_dot"][i]
        row["wheel_spin"][i] = x["wheel_spin"][i]


@inline
def check_state(space, watch):
    """Return VALID or the verdict about the state after a step; write a value that exceeds its limit to the watch."""
    x, d, f = space.state[0], space.drivetrain[0], space.out[0]["f_H_B"]
    force = speed = turn = distance = 0.0
    for j in range(3):
        force += f[j] * f[j]
        speed += x["v_WB_B"][j] * x["v_WB_B"][j]
        turn += x["w_WB_B"][j] * x["w_WB_B"][j]
        distance += x["p_WB"][j] * x["p_WB"][j]
    corner, spin, total = 0.0, abs(d["engine_speed"]), 0.0
    # max() ignores a NaN, a sum does not
    for i in range(4):
        total += x["q_WB"][i]
    for i in range(len(x["theta"])):
        corner = max(corner, abs(x["theta_dot"][i]))
        spin = max(spin, abs(x["wheel_spin"][i]))
        total += x["theta"][i] + x["theta_dot"][i] + x["wheel_spin"][i] + x["wheel_angle"][i]
    if not abs(force + speed + turn + distance + total + d["engine_speed"]) < math.inf:
        return NOT_FINITE
    if force > FORCE * FORCE:
        return record_verdict(watch, TOO_MUCH_FORCE, math.sqrt(force))
    if speed > SPEED * SPEED:
        return record_verdict(watch, TOO_FAST, math.sqrt(speed))
    if turn > TURN * TURN:
        return record_verdict(watch, TURNS_TOO_FAST, math.sqrt(turn))
    if distance > DISTANCE * DISTANCE:
        return record_verdict(watch, TOO_FAR, math.sqrt(distance))
    if corner > CORNER_RATE:
        return record_verdict(watch, CORNER_TOO_FAST, corner)
    if spin > SPIN:
        return record_verdict(watch, SPINS_TOO_FAST, spin)
    return VALID


@inline
def record_verdict(watch, verdict, size):
    """Return the verdict, and write the value that caused it to the watch."""
    watch.state[0]["size"] = size
    return verdict
