"""Steering of the front axle: positions of the inner tie-rod joints from the driver's angle, by a Pitman arm or by a rack.

Both types have one coordinate, the angle of the Pitman arm or of the pinion, positive where it turns the wheels to the right. "Arm"
means both below. `vehicles.steering.free_steering` describes the motion of a free arm.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ErrorCollector
from simulator.base.fields import Choice, Field, Number, Variants
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from simulator.base.section import Section
from simulator.base.values import Values
from vehicles.steering.column import COLUMN, COLUMN_FILE, COLUMN_STATE, column_from_section
from vehicles.steering.pitman_arm import FOUR_BAR, PITMAN_ARM_FILE, check_four_bar, place_on_link, read_four_bar
from vehicles.steering.rack import RACK, RACK_FILE, place_on_rack, read_rack

MIN_RATE = 0.1
"""deg/s. Lower limit of the rate of a Pitman arm."""
INPUTS = ("filtered", "direct")
"""Treatment of the input angle; the first one is the default."""
PITMAN_ARM, RACK_PINION = KINDS = ("pitman_arm", "rack_pinion")
"""Types of steering; the first one is the default."""

STEERING = (
    ("location", (3,), "m", "origin of the steering frame, in B"),
    *FOUR_BAR,
    *RACK,
    (
        "tierod",
        (2, 3),
        "m",
        "inner tie-rod joints left and right at delta = 0: rack: in B; else: steering frame, x, y from the arm joint, z from the origin",
    ),
    ("max_arm_angle", (), "rad", "angle of Pitman arm or pinion at full steering input"),
    ("gear_ratio", (), "1", "steering-wheel angle over that of Pitman arm or pinion"),
    ("max_rate", (), "rad/s", "largest rate of the Pitman arm; 0 = immediate response"),
    ("natural_frequency", (), "rad/s", "natural frequency of the critically damped response of the arm to the input"),
    ("direct", (), "1", "1: direct input, 0: input filtered with `natural_frequency`", "i8"),
    ("input_time", (), "s", "duration over which a change of a direct input is spread evenly; 0 = within a step"),
    *COLUMN,
)

STEERING_FILE = Variants(
    "type",
    {PITMAN_ARM: PITMAN_ARM_FILE, RACK_PINION: RACK_FILE},
    KINDS,
    "kind of steering",
    (
        Field(
            "natural_frequency",
            Number("rad/s", 0.1, 500.0, above=0.0),
            "natural frequency of the critically damped response of an arm with a maximum rate",
            None,
        ),
        Field(
            "input",
            Choice(INPUTS),
            "treatment of the steering-wheel angle: `filtered` by the largest rate and natural_frequency, or `direct` within that rate",
            INPUTS[0],
        ),
        *COLUMN_FILE,
    ),
    PITMAN_ARM,
)
"""Fields of the section `steering` of a vehicle file."""

STEERING_STATE = (
    ("angle", (), "rad", "angle delta of Pitman arm or pinion, + turns the wheels to the right"),
    ("rate", (), "rad/s", "rate of the angle"),
    ("acceleration", (), "rad/s2", "acceleration of the angle"),
    ("hand_angle", (), "rad", "steering-wheel angle referred to the arm: angle of the arm without twist of the column"),
    ("hand_rate", (), "rad/s", "rate of hand_angle"),
    *COLUMN_STATE,
)

MAX_RATE = 10.0
"""rad/s. Rate of an arm with immediate response: lock to lock in a tenth of a second.

Without this limit a jump of the input would move the front wheels with a thousand rad/s for one step.
"""


def steering_from_section(values: Values | Section, tierod_inner: NDArray[np.float64] | None) -> Record:
    """Return the STEERING record. Raises ConfigError.

    tierod_inner : (2, 3) inner tie-rod joints left and right at delta = 0, in B; None: check only the section, if the front axle is not
        readable
    """
    s = values if isinstance(values, Section) else Section(values, values.file, values.key)
    p = record(STEERING)
    out = p[0]
    rack = s.choice("type", KINDS, PITMAN_ARM) == RACK_PINION
    (read_rack if rack else read_four_bar)(s, p, tierod_inner)
    with ErrorCollector() as faults:
        if 0.0 < out["max_rate"] < math.radians(MIN_RATE):
            faults.add(s.wrong("max_rate", "0 (immediate response), or at least {}", math.radians(MIN_RATE)))
        with faults.part():
            if out["max_rate"] > 0.0 and s.choice("input", INPUTS, INPUTS[0]) == INPUTS[0]:
                out["natural_frequency"] = s.number("natural_frequency")
        out["direct"] = s.choice("input", INPUTS, INPUTS[0]) == INPUTS[1]
        with faults.part():
            column_from_section(s, p)
        if not rack:
            with faults.part():
                check_four_bar(s, p)
    return p


@kernel
def steering_step(p, s, command, h):
    """Advance the arm, or the driver's end of the column of a free arm, by h seconds toward -steering * max_arm_angle (+ = left).

    In torque mode, store the torque of the hands on the driver's end of the column (+ = left).
    """
    target = -min(max(command[0]["steering"], -1.0), 1.0) * p[0]["max_arm_angle"]
    arm = s[0]
    if p[0]["free"] > 0:
        arm["acceleration"] = 0.0
        arm["let_go"] = command[0]["steering_free"] if p[0]["hand_wheel_inertia"] > 0.0 else 0
        arm["given"] = -p[0]["gear_ratio"] * command[0]["steering_torque"]
        if arm["let_go"] == 0:
            arm["hand_angle"], arm["hand_rate"], arm["hand_acceleration"] = follow_input(
                p, s, arm["hand_angle"], arm["hand_rate"], target, h
            )
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


@inline
def place_tierods(p, s, q):
    """Compute the inner tie-rod joints of FL and FR with velocity and acceleration, from the state of the steering.

    Parameters
    ----------
    p : record of STEERING
    s : record of STEERING_STATE
    q : record of INPUTS of the corners; Q, Q_1, Q_dot, Q_ddot of the first two columns are written
    """
    if p[0]["rack_travel"] != 0.0:
        place_on_rack(p, s, q)
    else:
        place_on_link(p, s, q)
