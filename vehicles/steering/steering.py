"""The steering of the front axle: what a driver's angle does to the inner joints of the tie rods, by a Pitman arm or by a rack.

Either way there is one coordinate, the angle of the Pitman arm or of the pinion, positive where it turns the wheels to the right; "arm" stands for both
in what follows. How an arm that is free moves is said in `vehicles.steering.free_steering`.
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
from vehicles.steering.column import COLUMN, COLUMN_FILE, COLUMN_STATE, column_from_section
from vehicles.steering.pitman_arm import FOUR_BAR, PITMAN_ARM_FILE, check_four_bar, place_on_link, read_four_bar
from vehicles.steering.rack import RACK, RACK_FILE, place_on_rack, read_rack

SLOWEST = 0.1
"""deg/s. No Pitman arm is slower."""
INPUTS = ("filtered", "direct")
"""How an angle that is asked for counts, the first one if the file does not say."""
PITMAN_ARM, RACK_PINION = KINDS = ("pitman_arm", "rack_pinion")
"""Types of steering, the first one if the file does not say."""

STEERING = (
    ("location", (3,), "m", "origin of the steering frame, in B"),
    *FOUR_BAR,
    *RACK,
    (
        "tierod",
        (2, 3),
        "m",
        "inner tie-rod joints left and right at delta = 0: on a rack in B, else in the steering frame, x, y from the arm joint, z from the origin",
    ),
    ("max_arm_angle", (), "rad", "angle of Pitman arm or pinion at full steering input"),
    ("gear_ratio", (), "1", "steering-wheel angle over that of Pitman arm or pinion"),
    ("max_rate", (), "rad/s", "largest rate of the Pitman arm; 0 = the arm follows the input at once"),
    ("natural_frequency", (), "rad/s", "of the critically damped answer of the arm to the input"),
    ("direct", (), "1", "1: the input counts as it is, 0: it is followed with `natural_frequency`", "i8"),
    ("input_time", (), "s", "of a direct input: over which a change of it is spread evenly; 0 = within a step"),
    *COLUMN,
)

STEERING_FILE = Variants(
    "type",
    {PITMAN_ARM: PITMAN_ARM_FILE, RACK_PINION: RACK_FILE},
    KINDS,
    "kind of steering",
    (
        Field(
            "natural_frequency", Number("rad/s", 0.1, 500.0, above=0.0), "of the arm's critically damped answer, where it has a rate", None
        ),
        Field(
            "input",
            Choice(INPUTS),
            "how a given angle of the steering wheel counts: `filtered` by its largest rate and natural_frequency, or `direct`, at once within that rate",
            INPUTS[0],
        ),
        *COLUMN_FILE,
    ),
    PITMAN_ARM,
)
"""The section `steering` of a vehicle file."""

STEERING_STATE = (
    ("angle", (), "rad", "angle delta of Pitman arm or pinion, + turns the wheels to the right"),
    ("rate", (), "rad/s", "its rate"),
    ("acceleration", (), "rad/s2", "its acceleration"),
    ("hand_angle", (), "rad", "the angle of the arm if the column did not twist: that of the steering wheel"),
    ("hand_rate", (), "rad/s", "its rate"),
    *COLUMN_STATE,
)

FASTEST = 10.0
"""rad/s. Rate of a Pitman arm that "follows the input at once": lock to lock in a tenth of a second. An input that jumps would otherwise
throw the front wheels about with a thousand rad/s for one step."""


def steering_from_section(s: Section, tierod_inner: NDArray[np.float64] | None) -> Record:
    """STEERING record; `tierod_inner` (2, 3) are the inner tie-rod joints left and right at delta = 0, in B. Raises ConfigError.

    None in their place is for checking the section alone, when the front axle cannot be read.
    """
    p = record(STEERING)
    out = p[0]
    rack = s.choice("type", KINDS, PITMAN_ARM) == RACK_PINION
    (read_rack if rack else read_four_bar)(s, p, tierod_inner)
    with ErrorCollector() as faults:
        if 0.0 < out["max_rate"] < math.radians(SLOWEST):
            faults.add(s.wrong("max_rate", "0 (at once), or at least {}", math.radians(SLOWEST)))
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
    """Advance the Pitman arm, or the driver's end of the column of a free one, by h seconds towards -steering * max_arm_angle (+ = left); or
    take the torque of hands that have let go of that end (+ = left)."""
    target = -min(max(command[0]["steering"], -1.0), 1.0) * p[0]["max_arm_angle"]
    arm = s[0]
    if p[0]["free"] > 0:
        arm["acceleration"] = 0.0
        arm["let_go"] = command[0]["steering_free"] if p[0]["hand_wheel_inertia"] > 0.0 else 0
        arm["given"] = -p[0]["gear_ratio"] * command[0]["steering_torque"]
        if arm["let_go"] == 0:
            arm["hand_angle"], arm["hand_rate"], arm["hand_acceleration"] = followed(p, s, arm["hand_angle"], arm["hand_rate"], target, h)
    else:
        arm["angle"], arm["rate"], arm["acceleration"] = followed(p, s, arm["angle"], arm["rate"], target, h)


@inline
def followed(p, s, angle, rate, target, h):
    """(angle, rate, acceleration) after h seconds of what follows the input."""
    limit = p[0]["max_rate"]
    if p[0]["direct"] > 0:
        now = brought(p, s, angle, target, limit if limit > 0.0 else FASTEST, h)
        return angle + h * now, now, (now - rate) / h
    if limit == 0.0:
        way = target - angle
        angle = target if abs(way) <= h * FASTEST else angle + math.copysign(h * FASTEST, way)
        return angle, min(max(way / h, -FASTEST), FASTEST), 0.0
    w = p[0]["natural_frequency"]
    # backward Euler of the critically damped answer: stable at any step
    now = (rate + h * w * w * (target - angle)) / (1.0 + 2.0 * h * w + h * h * w * w)
    now = min(max(now, -limit), limit)
    return angle + h * now, now, (now - rate) / h


@inline
def brought(p, s, angle, target, limit, h):
    """Rate over h seconds of what is brought to where the input asks: evenly over `input_time` after each change of it, never beyond a limit."""
    arm = s[0]
    if target != arm["asked"]:
        arm["asked"], arm["left"] = target, p[0]["input_time"]
    time = max(arm["left"], h)
    arm["left"] = time - h if time > 1.5 * h else 0.0  # what is left is a whole number of steps, but for rounding
    return min(max((target - angle) / time, -limit), limit)


@inline
def place_tierods(p, s, q):
    """Inner tie-rod joints of FL and FR with velocity and acceleration, from the state of the steering.

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
