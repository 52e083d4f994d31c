"""Steering column between the driver's hands and the Pitman arm: steering wheel, torsion bar, assist, dry and viscous friction.

All quantities are referred to the arm: steering-wheel angles over the gear ratio, steering-wheel torques times the gear ratio; + as the
arm's angle. With phi and J the angle and inertia of the steering wheel, delta and I those of the arm, x = phi - delta the twist of the
torsion bar:

    J phi''   = hands - S - d phi' - f_hand            S = k x + c x'        torque of the torsion bar
    I delta'' = rest + S + A(k x) - D delta' - f_gear  A                     assist: an odd, rising curve of the valve's torque, limited

f is dry friction, an elastic element in series with a friction element of a known limit (the Prandtl element, as in
`vehicles.brakes.friction_brake`): k_f g up to the limit L, where g' is the sliding speed until the element slides. It holds a constant
load permanently.

For a free arm (`solve_column`) all these torques are implicit. Both accelerations follow from the rate w = phi' - delta' at the end of
the step, each in closed form, and w is the zero of a function whose slope is at least 1. Newton's method with a bracket terminates on
the right linear segment. Where the driver steers by angle, phi is prescribed: inertia and friction of the steering
wheel then change only the torque of the hands. Without a column the arm is prescribed (`share_torque`): friction, assist and hands
share the torque that the arm needs.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.fields import Choice, Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.values import Values

ASSIST_POINTS = 12
"""Largest number of points of the assist curve."""

MAX_ITERATIONS = 40
"""Largest number of Newton iterations for the column; more than three are rare."""

COLUMN = (
    # name                shape  unit     what it is
    ("free", (), "1", "1: the column moves the arm, which has its own dynamics; 0: the motion of the arm is prescribed", "i8"),
    (
        "column_stiffness",
        (),
        "N m/rad",
        "stiffness of the column between the steering wheel and a free arm, per angle of the arm; 0 = no column",
    ),
    ("column_damping", (), "N m s/rad", "damping of the column, per rate of the arm"),
    ("hand_wheel_inertia", (), "kg m2", "inertia of the steering wheel with the upper column, per angle of the arm; 0 = not modeled"),
    ("hand_wheel_damping", (), "N m s/rad", "damping of the steering-wheel bearings, per rate of the arm"),
    ("hand_wheel_friction", (), "N m", "dry friction of the steering-wheel bearings, at the arm"),
    ("hand_wheel_stiffness", (), "N m/rad", "stiffness of the elastic part of hand_wheel_friction, per angle of the arm"),
    ("gear_damping", (), "N m s/rad", "damping of steering gear and linkage, at the arm"),
    ("gear_friction", (), "N m", "dry friction of steering gear and linkage, at the arm"),
    ("gear_stiffness", (), "N m/rad", "stiffness of the elastic part of gear_friction"),
    ("assist_points", (), "1", "number of points of the assist curve; 0 = no assist", "i8"),
    ("assist_valve", (ASSIST_POINTS,), "N m", "torque of the torsion bar's spring at the arm, rising from 0"),
    ("assist_torque", (ASSIST_POINTS,), "N m", "torque of the assist on the arm, never falling, starting at 0"),
)
"""Rows of a STEERING record."""

_FRICTION = Number("N m/rad", 0.1, 1e8, above=0.0)
COLUMN_FILE = (
    Field(
        "column",
        Group(
            (
                Field("stiffness", Number("N m/rad", 0.1, 1e6, above=0.0), "stiffness of the column, per angle of the steering wheel"),
                Field("damping", Number("N m s/rad", 0.0, 1e6), "damping of the column, per rate of the steering wheel"),
            )
        ),
        "column (torsion bar) that moves a free arm; default: the arm follows the steering input",
        None,
    ),
    Field(
        "hand_wheel",
        Group(
            (
                Field("inertia", Number("kg m2", 1e-4, 10.0, above=0.0), "inertia of steering wheel and upper column"),
                Field("damping", Number("N m s/rad", 0.0, 100.0), "damping of the steering-wheel bearings"),
                Field("friction", Number("N m", 0.0, 100.0), "dry friction of the steering-wheel bearings", 0.0),
                Field("friction_stiffness", _FRICTION, "stiffness of the elastic part of the friction", None),
            )
        ),
        "steering wheel, with which the driver can also steer by torque (`steering: torque` in a session)",
        None,
    ),
    Field(
        "gear",
        Group(
            (
                Field("damping", Number("N m s/rad", 0.0, 1e5), "viscous friction per rate of the Pitman arm", 0.0),
                Field("friction", Number("N m", 0.0, 1e4), "dry friction, at the Pitman arm", 0.0),
                Field("friction_stiffness", _FRICTION, "stiffness of the elastic part of the friction", None),
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
        "power assistance, symmetric in both directions",
        None,
    ),
)
"""Keys of column, steering wheel, gear and assist."""

INPUTS = ("filtered", "direct")
"""Treatment of the input angle; the first one is the default."""
FILTERED = INPUTS[0]

MECHANICAL_FILE = (
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
        FILTERED,
    ),
    *COLUMN_FILE,
)
"""Keys of every kind with a mechanical connection of steering wheel and gear."""

COLUMN_STATE = (
    # name                shape  unit   what it is
    ("hand_acceleration", (), "rad/s2", "acceleration of the driver's end of the column, in both steering modes"),
    ("let_go", (), "1", "1: the hands apply the torque `given` to a free column, 0: they prescribe the angle of its end", "i8"),
    ("given", (), "N m", "torque of the hands in torque mode"),
    ("asked", (), "rad", "last angle of the input"),
    ("left", (), "s", "time left to reach the last input angle at a constant rate"),
    ("hand_stretch", (), "rad", "elastic angle of the steering-wheel friction"),
    ("gear_stretch", (), "rad", "elastic angle of the gear friction"),
    ("hand_torque", (), "N m", "torque of the hands"),
    ("column_torque", (), "N m", "torque of the torsion bar on the arm"),
    ("assist_torque", (), "N m", "torque of the assist on the arm"),
)
"""Rows of a STEERING_STATE record; all quantities at the arm, + as its angle."""


def write_column(values: Values, out: Record) -> None:
    """Fill a STEERING record, which has its gear ratio, from the keys of COLUMN_FILE. Raises ConfigError."""
    p = out[0]
    ratio = float(p["gear_ratio"])
    if "column" in values:
        column = values["column"]
        p["column_stiffness"], p["column_damping"] = ratio**2 * column["stiffness"], ratio**2 * column["damping"]
    if "hand_wheel" in values:
        values.needed("column", "a column between the steering wheel and the arm")
        wheel = values["hand_wheel"]
        p["hand_wheel_inertia"], p["hand_wheel_damping"] = ratio**2 * wheel["inertia"], ratio**2 * wheel["damping"]
        limit, stiffness = _friction(wheel)
        p["hand_wheel_friction"], p["hand_wheel_stiffness"] = ratio * limit, ratio**2 * stiffness
    if "gear" in values:
        p["gear_damping"] = values["gear"]["damping"]
        p["gear_friction"], p["gear_stiffness"] = _friction(values["gear"])
    if "assist" in values:
        assist = values["assist"]
        valve, torque = assist.curve_of("valve_torque", "torque")
        if valve[0] != 0.0 or torque[0] != 0.0 or (np.diff(torque) < 0.0).any():
            raise assist.error("torque", "a curve through 0, 0 that never falls")
        p["assist_points"] = len(valve)
        p["assist_valve"][: len(valve)], p["assist_torque"][: len(valve)] = ratio * valve, torque
    p["free"] = p["column_stiffness"] > 0.0


def _friction(values: Values) -> tuple[float, float]:
    """Return limit and stiffness of dry friction. Raises ConfigError if the stiffness is missing."""
    limit: float = values["friction"]
    if limit == 0.0:
        return 0.0, 0.0
    return limit, values.needed("friction_stiffness", "the stiffness of the friction's elastic part, in N m/rad")


@inline
def clip_stretch(limit, stiffness, stretch):
    """Return the elastic angle of a friction element, limited to the angle at its torque limit."""
    return min(max(stretch, -limit / stiffness), limit / stiffness) if limit > 0.0 else 0.0


@inline
def assist_torque(p, torque):
    """Return (torque of the assist on the arm, its slope) at a torque of the torsion bar's spring."""
    g = p[0]
    last = g["assist_points"] - 1
    x = abs(torque)
    if last < 1:
        return 0.0, 0.0
    i, fraction, slope = cell(g["assist_valve"], g["assist_points"], x)
    rise = g["assist_torque"][i + 1] - g["assist_torque"][i]
    return math.copysign(g["assist_torque"][i] + fraction * rise, torque), slope * rise


@inline
def torsion_bar_torque(p, torque):
    """Return the torsion-bar torque that together with its assist gives a torque on the arm."""
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
    """Compute the hand torque for a prescribed arm over a step of h seconds; the arm has its end-of-step rate.

    Friction and assist carry a part of the torques that the arm and the steering wheel need; the hands carry the rest.
    """
    g, arm = p[0], s[0]
    rate, acceleration = arm["rate"], arm["acceleration"]
    arm["gear_stretch"] = clip_stretch(g["gear_friction"], g["gear_stiffness"], arm["gear_stretch"] + h * rate)
    arm["hand_stretch"] = clip_stretch(g["hand_wheel_friction"], g["hand_wheel_stiffness"], arm["hand_stretch"] + h * rate)
    torque = torsion_bar_torque(p, needed + g["gear_damping"] * rate + g["gear_stiffness"] * arm["gear_stretch"])
    arm["column_torque"], arm["assist_torque"] = torque, assist_torque(p, torque)[0]
    friction_torque = g["hand_wheel_stiffness"] * arm["hand_stretch"]
    arm["hand_torque"] = torque + g["hand_wheel_damping"] * rate + friction_torque + g["hand_wheel_inertia"] * acceleration
    arm["hand_angle"], arm["hand_rate"], arm["hand_acceleration"] = arm["angle"], rate, acceleration


@inline
def solve_column(p, s, rest, inertia, h):
    """Compute the acceleration of a free arm over a step of h seconds into `acceleration`, and return the torque on the arm.

    The function also computes the acceleration of a free steering wheel, the torques of hands, column and assist, and the elastic angles
    of the friction. The returned torque is the sum of all torques in this module, full lock included.

    rest : torque [N m] of the rest of the vehicle on the arm at zero acceleration
    inertia : kg m2, effective inertia of the arm and the parts that move with it
    """
    g, arm = p[0], s[0]
    rate = arm["rate"]
    let_go = arm["let_go"] > 0
    hand = arm["hand_rate"]
    # the prescribed angle of the hands is already the one at the end of the step
    twist = arm["hand_angle"] - arm["angle"] - (0.0 if let_go else h * hand)
    low, high = -math.inf, math.inf
    w = hand - rate
    torque = support = arm_acceleration = arm_slope = hand_acceleration = 0.0
    for _ in range(MAX_ITERATIONS):
        spring = g["column_stiffness"] * (twist + h * w)
        torque = spring + g["column_damping"] * w
        support, assist_slope = assist_torque(p, spring)
        arm_acceleration, arm_slope = arm_step(g, arm, rest + torque + support, inertia, h)
        hand_acceleration, hand_slope = hand_step(g, arm, torque, let_go, h)
        over = w - (hand + h * hand_acceleration) + (rate + h * arm_acceleration)
        if over == 0.0:
            break
        low, high = (low, w) if over > 0.0 else (w, high)
        stiffening = h * g["column_stiffness"]
        slope = 1.0 + h * arm_slope * (stiffening * (1.0 + assist_slope) + g["column_damping"])
        slope += h * hand_slope * (stiffening + g["column_damping"])
        next_w = w - over / slope
        if not low <= next_w <= high:
            next_w = 0.5 * (low + high)
        if h * abs(next_w - w) <= 1e-15 * (abs(twist) + h * (abs(hand) + abs(rate) + abs(w))):
            break
        w = next_w
    arm["acceleration"] = arm_acceleration
    if let_go:
        arm["hand_acceleration"] = hand_acceleration
        arm["hand_torque"] = arm["given"]
    arm["column_torque"], arm["assist_torque"] = torque, support
    hand += h * hand_acceleration
    arm["hand_stretch"] = clip_stretch(g["hand_wheel_friction"], g["hand_wheel_stiffness"], arm["hand_stretch"] + h * hand)
    rate += h * arm_acceleration
    arm["gear_stretch"] = clip_stretch(g["gear_friction"], g["gear_stiffness"], arm["gear_stretch"] + h * rate)
    if not let_go:
        friction_torque = g["hand_wheel_stiffness"] * arm["hand_stretch"]
        arm["hand_torque"] = torque + g["hand_wheel_damping"] * hand + friction_torque + g["hand_wheel_inertia"] * arm["hand_acceleration"]
    if arm_slope == 0.0:
        return inertia * arm_acceleration - rest
    return torque + support - g["gear_damping"] * rate - g["gear_stiffness"] * arm["gear_stretch"]


@inline
def friction_step(torque, mass, friction, motion, h):
    """Return (acceleration under a torque, its slope over the torque) of a mass on a dry-friction element, implicit in the friction.

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
def arm_step(g, arm, torque, inertia, h):
    """Return (acceleration of a free arm under a torque, its slope over the torque); gear friction and stop are implicit."""
    rate, stretch = arm["rate"], arm["gear_stretch"]
    mass, friction = inertia + h * g["gear_damping"], (g["gear_friction"], g["gear_stiffness"])
    accel, slope = friction_step(torque - g["gear_damping"] * rate, mass, friction, (stretch, rate), h)
    if h > 0.0:
        end = arm["angle"] + h * (rate + h * accel)
        if abs(end) > g["max_arm_angle"]:  # full lock carries all torque that would move the arm beyond the limit
            return ((math.copysign(g["max_arm_angle"], end) - arm["angle"]) / h - rate) / h, 0.0
    return accel, slope


@inline
def hand_step(g, arm, torque, let_go, h):
    """Return (acceleration of a free steering wheel against the column torque, its slope over that torque); 0, 0 in angle mode."""
    if not let_go:
        return 0.0, 0.0
    rate, mass = arm["hand_rate"], g["hand_wheel_inertia"] + h * g["hand_wheel_damping"]
    push = arm["given"] - torque - g["hand_wheel_damping"] * rate
    return friction_step(push, mass, (g["hand_wheel_friction"], g["hand_wheel_stiffness"]), (arm["hand_stretch"], rate), h)
