"""Steering: positions of the inner tie-rod joints of all steered axles from the driver's angle, by the linkage of a kind of steering.

All kinds have one coordinate, the angle of the steering gear (Pitman arm, pinion, actuator), positive where it turns the wheels to the right.
"Arm" means all of them below. `vehicles.steering.free_steering` describes the motion of a free arm.

A vehicle has one STEERING record for each steered axle. The first one also describes gear and column.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import address_in, call, record_at
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, Table, dtype_of
from vehicles.steering.column import COLUMN, COLUMN_STATE
from vehicles.steering.contract import CALLED, MAX_PARAMETERS, MAX_STATE, RACK, STEERING_INPUT, STEERING_OUTPUT, own_record
from vehicles.steering.pitman_arm import FOUR_BAR_ROWS, place_on_link
from vehicles.steering.rack_pinion import RACK_ROWS, place_on_rack

_SEEN, _RESULT = dtype_of(STEERING_INPUT), dtype_of(STEERING_OUTPUT)

STEERING = (
    ("kind", (), "1", "linkage: FOUR_BAR, RACK or CALLED", "i8"),
    ("corner", (), "1", "left one of the two corners that the linkage moves", "i8"),
    ("ratio", (), "1", "angle of this linkage over that of the steering gear"),
    ("place", (), "1", "address of the kernel of a CALLED linkage", "u8"),
    ("move", (), "1", "address of the kernel that moves the gear; 0: the gear follows the input", "u8"),
    ("own", (MAX_PARAMETERS,), "", "own parameters of the kind"),
    ("by_wire", (), "1", "1: no mechanical connection to the steering wheel", "i8"),
    ("location", (3,), "m", "origin of the steering frame, in B"),
    *FOUR_BAR_ROWS,
    *RACK_ROWS,
    (
        "tierod",
        (2, 3),
        "m",
        "inner tie-rod joints left and right at delta = 0, in B; of a FOUR_BAR: steering frame, x, y from the arm joint, z from the origin",
    ),
    ("max_arm_angle", (), "rad", "angle of Pitman arm or pinion at full steering input"),
    ("gear_ratio", (), "1", "steering-wheel angle over that of Pitman arm or pinion"),
    ("max_rate", (), "rad/s", "largest rate of the Pitman arm; 0 = immediate response"),
    ("natural_frequency", (), "rad/s", "natural frequency of the critically damped response of the arm to the input"),
    ("direct", (), "1", "1: direct input, 0: input filtered with `natural_frequency`", "i8"),
    ("input_time", (), "s", "duration over which a change of a direct input is spread evenly; 0 = within a step"),
    *COLUMN,
)

STEERING_STATE = (
    ("angle", (), "rad", "angle delta of Pitman arm or pinion, + turns the wheels to the right"),
    ("rate", (), "rad/s", "rate of the angle"),
    ("acceleration", (), "rad/s2", "acceleration of the angle"),
    ("hand_angle", (), "rad", "steering-wheel angle referred to the arm: angle of the arm without twist of the column"),
    ("hand_rate", (), "rad/s", "rate of hand_angle"),
    ("own", (MAX_STATE,), "", "own state of the kind"),
    ("seen", (_SEEN.itemsize // 8,), "", "STEERING_INPUT of a kernel of the kind"),
    ("result", (_RESULT.itemsize // 8,), "", "STEERING_OUTPUT of a kernel of the kind"),
    ("begun", (), "1", "1 after the first step since the reset: a linkage without a position holds its joints", "i8"),
    ("off", (), "1", "1 after a kernel of the kind has returned a number that is not finite: the gear is fixed", "i8"),
    *COLUMN_STATE,
)

MAX_RATE = 10.0
"""rad/s. Rate of an arm with immediate response: lock to lock in a tenth of a second.

Without this limit a jump of the input would move the front wheels with a thousand rad/s for one step.
"""


def without_addresses(p: Record) -> Record:
    """Return the STEERING records without addresses, for digests."""
    out = p.copy()
    out["place"], out["move"] = 0, 0
    return out


def logged_steering(state: Record, table: Table) -> tuple[str, Table, Record]:
    """Return the own state of a kind as (prefix, table, record), a view of a STEERING_STATE record."""
    return "steering_", table, own_record(state, table)


@kernel
def steering_step(p, s, command, speed, h):
    """Advance the arm, or the driver's end of the column of a free arm, by h seconds toward -steering * max_arm_angle (+ = left).

    In torque mode, store the torque of the hands on the driver's end of the column (+ = left). speed : m/s, forward speed of the chassis
    """
    target = -min(max(command[0]["steering"], -1.0), 1.0) * p[0]["max_arm_angle"]
    arm = s[0]
    arm["begun"] = 1
    if arm["off"] != 0:
        arm["rate"] = arm["acceleration"] = 0.0
        turn_hands(p, s, target, h)
    elif p[0]["free"] > 0:
        arm["acceleration"] = 0.0
        arm["let_go"] = command[0]["steering_free"] if p[0]["hand_wheel_inertia"] > 0.0 else 0
        arm["given"] = -p[0]["gear_ratio"] * command[0]["steering_torque"]
        if arm["let_go"] == 0:
            arm["hand_angle"], arm["hand_rate"], arm["hand_acceleration"] = follow_input(
                p, s, arm["hand_angle"], arm["hand_rate"], target, h
            )
    elif p[0]["move"] != 0:
        move_by_call(p, s, target, speed, h)
    else:
        arm["angle"], arm["rate"], arm["acceleration"] = follow_input(p, s, arm["angle"], arm["rate"], target, h)


@inline
def follow_input(p, s, angle, rate, target, h):
    """Return (angle, rate, acceleration) after h seconds of a coordinate that follows the input."""
    limit = p[0]["max_rate"]
    if p[0]["direct"] > 0:
        new_rate = direct_rate(p, s, angle, target, limit if limit > 0.0 else MAX_RATE, h)
        return angle + h * new_rate, new_rate, (new_rate - rate) / h
    if limit == 0.0:
        distance = target - angle
        angle = target if abs(distance) <= h * MAX_RATE else angle + math.copysign(h * MAX_RATE, distance)
        return angle, min(max(distance / h, -MAX_RATE), MAX_RATE), 0.0
    w = p[0]["natural_frequency"]
    # backward Euler of the critically damped response: stable at any step
    new_rate = (rate + h * w * w * (target - angle)) / (1.0 + 2.0 * h * w + h * h * w * w)
    new_rate = min(max(new_rate, -limit), limit)
    return angle + h * new_rate, new_rate, (new_rate - rate) / h


@inline
def direct_rate(p, s, angle, target, limit, h):
    """Return the rate over h seconds of a direct input: each change is spread evenly over `input_time`, within a limit."""
    arm = s[0]
    if target != arm["asked"]:
        arm["asked"], arm["left"] = target, p[0]["input_time"]
    time = max(arm["left"], h)
    arm["left"] = time - h if time > 1.5 * h else 0.0  # the time left is an integer number of steps except for rounding
    return min(max((target - angle) / time, -limit), limit)


@kernel
def move_by_call(p, s, target, speed, h):
    """Advance the arm by h seconds by the kernel of its kind. If the kernel returns a number that is not finite, the arm is fixed."""
    arm, seen = s[0], record_at(address_in(s[0]["seen"]), _SEEN)[0]
    seen["angle"], seen["rate"], seen["target"], seen["speed"] = arm["angle"], arm["rate"], target, speed
    call(p[0]["move"], address_in(p[0]["own"]), address_in(arm["own"]), address_in(arm["seen"]), address_in(arm["result"]), 0, 1, h)
    result = record_at(address_in(s[0]["result"]), _RESULT)[0]
    if math.isfinite(result["angle"] + result["rate"] + result["acceleration"]):
        arm["angle"], arm["rate"], arm["acceleration"] = result["angle"], result["rate"], result["acceleration"]
    else:
        fix_gear(s, arm["angle"] + arm["rate"] + target + speed)
    turn_hands(p, s, target, h)


@inline
def turn_hands(p, s, target, h):
    """Turn a steering wheel without a connection to its commanded angle."""
    if p[0]["by_wire"] > 0:
        s[0]["hand_rate"], s[0]["hand_angle"] = (target - s[0]["hand_angle"]) / h, target


@inline
def fix_gear(s, seen):
    """Fix the gear after a kernel of its kind has returned a number that is not finite; seen : sum of the numbers that the kernel read.

    The kind is switched off, unless its input was not finite either.
    """
    s[0]["rate"] = s[0]["acceleration"] = 0.0
    if math.isfinite(seen):
        s[0]["off"] = 1


@inline
def place_tierods(p, s, q):
    """Compute the inner tie-rod joints of all steered axles with velocity and acceleration, from the state of the steering.

    Parameters
    ----------
    p : (n,) records of STEERING
    s : record of STEERING_STATE
    q : record of INPUTS of the corners; Q, Q_1, Q_dot, Q_ddot of the steered corners are written
    """
    for n in range(len(p)):
        if p[n]["kind"] == RACK:
            place_on_rack(p, n, s, q)
        elif p[n]["kind"] == CALLED:
            place_by_call(p, n, s, q)
        else:
            place_on_link(p, n, s, q)


@kernel
def place_by_call(p, n, s, q):
    """Compute the inner tie-rod joints of steered axle n by the kernel of its kind.

    If the kernel returns a number that is not finite in a drive, the joints and the gear are fixed. A scan or the equilibrium, which take no
    steps, get the number.
    """
    g, arm, ratio = p[n], s[0], p[n]["ratio"]
    seen, result = record_at(address_in(s[0]["seen"]), _SEEN)[0], record_at(address_in(s[0]["result"]), _RESULT)[0]
    seen["angle"] = ratio * arm["angle"]
    for j in range(3):
        for side in range(2):
            seen["tierod"][j, side] = g["tierod"][side, j]
            result["Q"][j, side] = result["Q_1"][j, side] = result["Q_2"][j, side] = 0.0
    call(g["place"], address_in(g["own"]), address_in(arm["own"]), address_in(arm["seen"]), address_in(arm["result"]), n, 2, 0.0)
    total = 0.0
    for j in range(3):
        for side in range(2):
            total += result["Q"][j, side] + result["Q_1"][j, side] + result["Q_2"][j, side]
    fixed = arm["begun"] != 0 and not math.isfinite(total)
    if fixed:
        fix_gear(s, arm["angle"])
    rate, acceleration = ratio * arm["rate"], ratio * arm["acceleration"]
    for j in range(3):
        for side in range(2):
            i, Q_1 = g["corner"] + side, result["Q_1"][j, side]
            if fixed:
                q[0]["Q_1"][j, i] = q[0]["Q_dot"][j, i] = q[0]["Q_ddot"][j, i] = 0.0
                continue
            q[0]["Q"][j, i] = result["Q"][j, side]
            q[0]["Q_1"][j, i] = ratio * Q_1
            q[0]["Q_dot"][j, i] = Q_1 * rate
            q[0]["Q_ddot"][j, i] = Q_1 * acceleration + result["Q_2"][j, side] * rate * rate
