"""What lies between the driver's hands and the Pitman arm: hand wheel, torsion bar of the column, assist, dry and viscous friction.

Everything is referred to the arm: angles of the steering wheel over the gear ratio, torques on it times the gear ratio; + as the arm's angle.
With phi and J the angle and inertia of the hand wheel, delta and I those of the arm, x = phi - delta the twist of the torsion bar:

    J phi''   = hands - S - d phi' - f_hand            S = k x + c x'        torque of the torsion bar
    I delta'' = rest + S + A(k x) - D delta' - f_gear  A                     assist: an odd, rising curve of the valve's torque, limited

f is dry friction, an elastic element in series with a friction element of a known limit (the Prandtl element, as in
`vehicles.brakes.friction_brake`): k_f g up to the limit L, where g' is the rate of what it rubs on until it slides. It holds a load for ever.

An arm that is free (`solve_column`) has all of this at the end of the step. Both accelerations follow from the rate w = phi' - delta' at that end
alone, each in closed form, and w is the zero of a function that rises at least as fast as w itself: Newton's method within brackets ends on
the right straight piece of it. An arm that is led (`share_torque`) has a rigid column: what the arm needs is shared by friction, assist and hands.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.section import Section

ASSIST_POINTS = 12
"""Points of the assist's curve at most."""

ROUNDS = 40
"""Newton rounds for the column; more than three are rare."""

COLUMN = (
    # name                shape  unit     what it is
    ("free", (), "1", "1: the arm hangs on the column and moves by itself, 0: it is led", "i8"),
    ("column_stiffness", (), "N m/rad", "of the column between the hand wheel and a free arm, per angle of the arm; 0 = there is none"),
    ("column_damping", (), "N m s/rad", "of the same"),
    ("hand_wheel_inertia", (), "kg m2", "of the hand wheel with the upper column, per angle of the arm; 0 = there is none"),
    ("hand_wheel_damping", (), "N m s/rad", "of its bearings, likewise"),
    ("hand_wheel_friction", (), "N m", "dry friction of the same, at the arm"),
    ("hand_wheel_stiffness", (), "N m/rad", "of the elastic part of that friction, per angle of the arm"),
    ("gear_damping", (), "N m s/rad", "of steering gear and linkage, at the arm"),
    ("gear_friction", (), "N m", "dry friction of the same"),
    ("gear_stiffness", (), "N m/rad", "of the elastic part of that friction"),
    ("assist_points", (), "1", "points of the assist's curve; 0 = no assist", "i8"),
    ("assist_valve", (ASSIST_POINTS,), "N m", "torque of the torsion bar's spring at the arm, rising from 0"),
    ("assist_torque", (ASSIST_POINTS,), "N m", "torque of the assist on the arm, never falling, from 0"),
)
"""Of a STEERING record."""

_FRICTION = Number("N m/rad", 0.1, 1e8, above=0.0)
COLUMN_FILE = (
    Field(
        "column",
        Group(
            (
                Field("stiffness", Number("N m/rad", 0.1, 1e6, above=0.0), "of the column, per angle of the steering wheel"),
                Field("damping", Number("N m s/rad", 0.0, 1e6), "of the same"),
            )
        ),
        "column (its torsion bar) that turns a free arm; without it the arm goes where it is told",
        None,
    ),
    Field(
        "hand_wheel",
        Group(
            (
                Field("inertia", Number("kg m2", 1e-4, 10.0, above=0.0), "of steering wheel and upper column"),
                Field("damping", Number("N m s/rad", 0.0, 100.0), "of its bearings"),
                Field("friction", Number("N m", 0.0, 100.0), "dry friction of its bearings", 0.0),
                Field("friction_stiffness", _FRICTION, "of the elastic part of that friction", None),
            )
        ),
        "steering wheel; with it the column is rigid, and the arm free only where a session asks for `steering: torque`",
        None,
    ),
    Field(
        "gear",
        Group(
            (
                Field("damping", Number("N m s/rad", 0.0, 1e5), "viscous friction per rate of the Pitman arm", 0.0),
                Field("friction", Number("N m", 0.0, 1e4), "dry friction, at the Pitman arm", 0.0),
                Field("friction_stiffness", _FRICTION, "of the elastic part of that friction", None),
            )
        ),
        "friction of steering gear and linkage",
        None,
    ),
    Field(
        "assist",
        Group(
            (
                Field(
                    "valve_torque",
                    Number("N m", 0.0, 1e3, shape=((2, ASSIST_POINTS),), rising=True),
                    "torque of the torsion bar, at the steering wheel, rising from 0",
                ),
                Field(
                    "torque",
                    Number("N m", 0.0, 1e5, shape=((2, ASSIST_POINTS),)),
                    "torque of the assist on the Pitman arm, from 0, never falling; constant beyond the last point",
                ),
            )
        ),
        "power assistance; the same to both sides",
        None,
    ),
)
"""Of the section `steering` of a vehicle file."""

COLUMN_STATE = (
    # name                shape  unit   what it is
    ("hand_acceleration", (), "rad/s2", "of the driver's end of the column, held or free"),
    ("let_go", (), "1", "1: the hands turn a free column with `given`, 0: they hold its end", "i8"),
    ("given", (), "N m", "torque of these hands"),
    ("asked", (), "rad", "angle that the input asked for last"),
    ("left", (), "s", "time left to come there evenly"),
    ("hand_stretch", (), "rad", "elastic angle of the hand wheel's friction"),
    ("gear_stretch", (), "rad", "elastic angle of the gear's friction"),
    ("hand_torque", (), "N m", "torque of the hands"),
    ("column_torque", (), "N m", "torque of the torsion bar on the arm"),
    ("assist_torque", (), "N m", "torque of the assist on the arm"),
)
"""Of a STEERING_STATE record; everything at the arm, + as its angle."""


def column_from_section(s: Section, out: Record) -> None:
    """Into a STEERING record what the keys of COLUMN_FILE say; its gear ratio stands in it. Raises ConfigError."""
    p = out[0]
    ratio = float(p["gear_ratio"])
    if s.has("column"):
        with s.section("column") as column:
            p["column_stiffness"], p["column_damping"] = ratio**2 * column.number("stiffness"), ratio**2 * column.number("damping")
    if s.has("hand_wheel"):
        with s.section("hand_wheel") as wheel:
            p["hand_wheel_inertia"], p["hand_wheel_damping"] = ratio**2 * wheel.number("inertia"), ratio**2 * wheel.number("damping")
            limit, stiffness = _friction(wheel)
            p["hand_wheel_friction"], p["hand_wheel_stiffness"] = ratio * limit, ratio**2 * stiffness
        if not s.has("column"):
            raise ConfigError(s.file, s.path("column"), "nothing", "a column between the hand wheel and the arm")
    if s.has("gear"):
        with s.section("gear") as gear:
            p["gear_damping"] = gear.number("damping", 0.0)
            p["gear_friction"], p["gear_stiffness"] = _friction(gear)
    if s.has("assist"):
        with s.section("assist") as assist:
            valve, torque = assist.curve("valve_torque", "torque", ASSIST_POINTS)
            if valve[0] != 0.0 or torque[0] != 0.0 or (np.diff(torque) < 0.0).any():
                raise assist.wrong("torque", "a curve through 0, 0 that never falls")
            p["assist_points"] = len(valve)
            p["assist_valve"][: len(valve)], p["assist_torque"][: len(valve)] = ratio * valve, torque
    p["free"] = p["column_stiffness"] > 0.0 and p["hand_wheel_inertia"] == 0.0


def _friction(s: Section) -> tuple[float, float]:
    """Limit and stiffness of dry friction. Raises ConfigError: it has no stiffness."""
    limit = s.number("friction", 0.0)
    if limit > 0.0 and not s.has("friction_stiffness"):
        raise ConfigError(s.file, s.path("friction_stiffness"), "nothing", "the stiffness of the friction's elastic part, in N m/rad")
    return limit, s.number("friction_stiffness") if limit > 0.0 else 0.0


@inline
def slid(limit, stiffness, stretch):
    """Elastic angle of a friction element, slid back to what its limit allows."""
    return min(max(stretch, -limit / stiffness), limit / stiffness) if limit > 0.0 else 0.0


@inline
def assisted(p, torque):
    """(torque of the assist on the arm, its slope) at a torque of the torsion bar's spring."""
    g = p[0]
    last = g["assist_points"] - 1
    x = abs(torque)
    if last < 1:
        return 0.0, 0.0
    i, fraction, slope = cell(g["assist_valve"], g["assist_points"], x)
    rise = g["assist_torque"][i + 1] - g["assist_torque"][i]
    return math.copysign(g["assist_torque"][i] + fraction * rise, torque), slope * rise


@inline
def unassisted(p, torque):
    """Torque of the torsion bar which together with its assist makes a torque on the arm."""
    g = p[0]
    last = g["assist_points"] - 1
    x = abs(torque)
    if last < 1:
        return torque
    if x >= g["assist_valve"][last] + g["assist_torque"][last]:
        return math.copysign(x - g["assist_torque"][last], torque)
    i = 0
    while x >= g["assist_valve"][i + 1] + g["assist_torque"][i + 1]:
        i += 1
    slope = (g["assist_torque"][i + 1] - g["assist_torque"][i]) / (g["assist_valve"][i + 1] - g["assist_valve"][i])
    return math.copysign(g["assist_valve"][i] + (x - g["assist_valve"][i] - g["assist_torque"][i]) / (1.0 + slope), torque)


@inline
def share_torque(p, s, needed, h):
    """Of an arm that is led: what of the torque that it needs, and of what the hand wheel needs, is left to the hands. Over a step of h
    seconds, at whose end it has its rate."""
    g, arm = p[0], s[0]
    rate, acceleration = arm["rate"], arm["acceleration"]
    arm["gear_stretch"] = slid(g["gear_friction"], g["gear_stiffness"], arm["gear_stretch"] + h * rate)
    arm["hand_stretch"] = slid(g["hand_wheel_friction"], g["hand_wheel_stiffness"], arm["hand_stretch"] + h * rate)
    torque = unassisted(p, needed + g["gear_damping"] * rate + g["gear_stiffness"] * arm["gear_stretch"])
    arm["column_torque"], arm["assist_torque"] = torque, assisted(p, torque)[0]
    rubbing = g["hand_wheel_stiffness"] * arm["hand_stretch"]
    arm["hand_torque"] = torque + g["hand_wheel_damping"] * rate + rubbing + g["hand_wheel_inertia"] * acceleration
    arm["hand_angle"], arm["hand_rate"], arm["hand_acceleration"] = arm["angle"], rate, acceleration


@inline
def solve_column(p, s, rest, inertia, h):
    """Acceleration of a free arm over a step of h seconds, into `acceleration`, with that of a hand wheel which was let go, the torques of hands,
    column and assist, and the friction's elastic angles. Returns the torque on the arm of all that is here, full lock included.

    rest : torque [N m] that the rest of the vehicle has for the arm if it does not accelerate
    inertia : kg m2, what the arm moves with it
    """
    g, arm = p[0], s[0]
    rate = arm["rate"]
    let_go = arm["let_go"] > 0
    hand = arm["hand_rate"]
    twist = arm["hand_angle"] - arm["angle"] - (0.0 if let_go else h * hand)  # a hand that is held is already where it will be
    low, high = -math.inf, math.inf
    w = hand - rate
    torque = support = ahead = ahead_slope = turning = 0.0
    for _ in range(ROUNDS):
        spring = g["column_stiffness"] * (twist + h * w)
        torque = spring + g["column_damping"] * w
        support, assist_slope = assisted(p, spring)
        ahead, ahead_slope = arm_answer(g, arm, rest + torque + support, inertia, h)
        turning, turning_slope = hand_answer(g, arm, torque, let_go, h)
        over = w - (hand + h * turning) + (rate + h * ahead)
        if over == 0.0:
            break
        low, high = (low, w) if over > 0.0 else (w, high)
        stiffening = h * g["column_stiffness"]
        slope = 1.0 + h * ahead_slope * (stiffening * (1.0 + assist_slope) + g["column_damping"])
        slope += h * turning_slope * (stiffening + g["column_damping"])
        following = w - over / slope
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if h * abs(following - w) <= 1e-15 * (abs(twist) + h * (abs(hand) + abs(rate) + abs(w))):
            break
        w = following
    arm["acceleration"] = ahead
    if let_go:
        arm["hand_acceleration"] = turning
        arm["hand_torque"] = arm["given"]
    arm["column_torque"], arm["assist_torque"] = torque, support
    hand += h * turning
    arm["hand_stretch"] = slid(g["hand_wheel_friction"], g["hand_wheel_stiffness"], arm["hand_stretch"] + h * hand)
    rate += h * ahead
    arm["gear_stretch"] = slid(g["gear_friction"], g["gear_stiffness"], arm["gear_stretch"] + h * rate)
    if not let_go:
        rubbing = g["hand_wheel_stiffness"] * arm["hand_stretch"]
        arm["hand_torque"] = torque + g["hand_wheel_damping"] * hand + rubbing + g["hand_wheel_inertia"] * arm["hand_acceleration"]
    if ahead_slope == 0.0:
        return inertia * ahead - rest
    return torque + support - g["gear_damping"] * rate - g["gear_stiffness"] * arm["gear_stretch"]


@inline
def rubbed(torque, mass, friction, motion, h):
    """(acceleration under a torque, what it changes with that) of a mass on an element of dry friction, held or slid at the end of the step.

    friction : (limit, stiffness) of the element; motion : its elastic angle and the rate of the mass
    """
    (limit, stiffness), (stretch, rate) = friction, motion
    if limit > 0.0:
        holding = mass + h * h * stiffness
        accel = (torque - stiffness * (stretch + h * rate)) / holding
        stretched = stiffness * (stretch + h * (rate + h * accel))
        if abs(stretched) <= limit:
            return accel, 1.0 / holding
        torque -= math.copysign(limit, stretched)
    return torque / mass, 1.0 / mass


@inline
def arm_answer(g, arm, torque, inertia, h):
    """(acceleration of a free arm under a torque, what it changes with that): gear and stop have their torques at the end of the step."""
    rate, stretch = arm["rate"], arm["gear_stretch"]
    mass, friction = inertia + h * g["gear_damping"], (g["gear_friction"], g["gear_stiffness"])
    accel, slope = rubbed(torque - g["gear_damping"] * rate, mass, friction, (stretch, rate), h)
    if h > 0.0:
        end = arm["angle"] + h * (rate + h * accel)
        if abs(end) > g["max_arm_angle"]:  # full lock takes all that would lead beyond
            return ((math.copysign(g["max_arm_angle"], end) - arm["angle"]) / h - rate) / h, 0.0
    return accel, slope


@inline
def hand_answer(g, arm, torque, let_go, h):
    """(acceleration of a hand wheel that was let go, against the torque of the column; what it loses with that); 0, 0 for one that is held."""
    if not let_go:
        return 0.0, 0.0
    rate, mass = arm["hand_rate"], g["hand_wheel_inertia"] + h * g["hand_wheel_damping"]
    push = arm["given"] - torque - g["hand_wheel_damping"] * rate
    return rubbed(push, mass, (g["hand_wheel_friction"], g["hand_wheel_stiffness"]), (arm["hand_stretch"], rate), h)
