"""Anti-lock brakes with electronic distribution of the brake force: type `abs` of the list `controllers` of a vehicle file.

Wheel speeds: in a turn with yaw rate r, wheels at y = +-track / 2 roll at v - y r. All wheel speeds below are those at the center line,
v_i + y_i r. Without this correction the inner wheels of a turn would have slip without brakes.

Reference speed: the speed of the fastest wheel. It falls at most with the measured deceleration plus a margin, and rises at most with RISE.
The slope component of the accelerometer is estimated while the driver does not brake. If no wheel has been as fast as the reference for
probe_period, the pressure of the rear wheels is dumped until one of them rolls freely: the deceleration of a stop would otherwise integrate to
a wrong reference, up to locked wheels on ice. Wheels that roll freely and are still slower show an accelerometer that measures a slope.

Slip: s = (v - v_w) / max(v, slow_speed) and its rate, both from filtered speeds (without slow_speed, wheels that vibrate on their bushings
would open the brakes before the vehicle stops). A wheel whose e = s + lead s' exceeds start_slip is controlled until the driver releases
the pedal or the vehicle is slow. Its brake pressure is

    p = p_f + gain max(v, slow_speed) (s_t - e),      gain = J / (torque_per_pressure wheel_radius lead)

with p_f the pressure behind the filter of the speeds, and J the inertia of the wheel. Then the slip approaches its target s_t with the time
constant `lead`, whatever the force of the tire is: the measured s' contains it [calc; incremental inversion of the equation of the wheel].
The target is proportional to the friction in use, because the slip of the maximum force is, for a tire of constant stiffness:

    s_t = slip min(1, max(MIN_USE, share a_x / (full_friction g))),     share = 2 p_i / (p_left + p_right)

- select-low: both wheels of every axle but the first follow the wheel with more slip, with a target of rear_target s_t.
- build-up delay of the yaw moment: as soon as one front wheel is controlled, the other front wheel is controlled too. Its pressure exceeds
  that of the first one by at most `allowed`, which starts at first_excess and grows. The deviation d is the yaw rate beyond that of the
  steering wheel, plus the part of `turned` beyond free_angle over turn_time. The vehicle turns towards the side that brakes more. There, the
  excess is less by yaw_gain d, and the pressure is at least yaw_share of the opposite one. The yaw rate of the steering wheel,
  v delta / (L (1 + v^2 / v_ch^2)), is limited by the measured lateral acceleration. A turn that deviates from it by less than TURN_SHARE has
  no deviation, and `turned` then decays: braking alone turns a car further into its turn.
- driver: a steering wheel that moves by steering_motion shows a driver who corrects the heading. `allowed` then grows faster, and the
  deviation counts less by RELIEF and without `turned`. The belief fades with FORGET after the last movement.
- distribution: if the slip of the wheels of a rear axle exceeds that of the first axle by more than rear_slip, their inlets shut.

Select-low and the delay of the yaw moment follow the textbooks [Robert Bosch GmbH 2014, Brakes, Brake Control and Driver Assistance Systems;
mem]; the numeric values were tuned for Jounce on the shipped vehicles.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.center_line import center_line_speed
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind
from vehicles.controllers.vehicle_fields import CHARACTERISTIC_SPEED, STEERING_RATIO, TRACK, WHEEL_RADIUS, WHEELBASE

OPEN, BUILD, HOLD, DUMP = range(4)
"""Phases of a wheel."""

RISE = 15.0
"""m/s2. Maximum rise rate of the reference speed, for wheels that recover from a large slip."""
LEARNING = 0.5
"""s. Time constant of the slope estimate from the accelerometer."""
AT_REST = 0.3
"""m/s. A vehicle that is slower at the first update is at rest: the accelerometer then measures the slope."""
PROBE_TIME = 0.25
"""s. Length of a probe of the reference speed after which wheels without pressure that gain no more speed roll freely; assumed."""
USE_TIME, MIN_USE, RECOVERY = 0.05, 0.4, 1.0
"""s, 1, 1/s. Time constant of the deceleration and of the friction in use, smallest fraction of the target slip, and rate at which this
fraction rises while the slip is below its target; assumed."""
GRAVITY = 9.81
"""m/s2. Standard value: a controller has no map of gravity."""
TURN_SHARE = 0.5
"""1. Deviation of the yaw rate that counts as none, as a fraction of the yaw rate of the steering wheel. Brakes move load to the first axle:
a car that brakes with 0.4 g in a turn of 0.4 g turns up to 1.4 times as fast as its steering wheel demands [calc]."""
LOAD = 0.2
"""s2/m. Pressure of the outer front wheel of a turn over that of the inner one that counts as none, per lateral acceleration, less 1: twice
the height of the center of mass over the track and g is 0.07 to 0.1 s2/m, and the load of the inner wheel decreases as well [calc]."""
TURN_RATE = 0.04
"""rad/s. Such a deviation below which `turned` remains: straight ahead, the twist of the steering is no turn."""
HELD_TIME, AWARE_TIME, FORGET, RELIEF = 1.0, 0.1, 2.0, 0.9
"""s, s, s, 1. Time constants of the steering angle from which movements count, of the rise and of the decay of the belief in a driver who
corrects the heading, and the part of the deviation that such a driver corrects; assumed."""
HOLD_ZONE = 5e4
"""Pa. Difference from the requested pressure below which both valves stay shut. Larger: the slip oscillates."""
MIN_PRESSURE = 1e4
"""Pa. Smallest pressure in divisions."""
FRONT = 0
"""First axle."""

PARAMETERS = (
    WHEEL_RADIUS,
    Field("pedal", Number("1", 0.0, 1.0), "pedal position above which the driver brakes", 0.02),
    Field("min_speed", Number("m/s", 0.0, 20.0), "minimum speed for control", 1.5),
    Field("slow_speed", Number("m/s", 0.1, 20.0), "speed below which slip and its rate refer to this speed", 8.0),
    Field("margin", Number("m/s2", 0.0, 20.0), "margin of the fall rate of the reference speed above the measured deceleration", 0.97),
    Field("probe_period", Number("s", 0.0, 100.0), "time without a wheel at the reference speed after which rear wheels probe it", 1.0),
    Field("filter_time", Number("s", 0.0, 1.0), "time constant of the filters of wheel speeds and accelerations", 0.01),
    Field("lead", Number("s", 0.001, 1.0), "weight of the rate of slip: time constant with which the slip approaches its target", 0.05),
    Field("start_slip", Number("1", 0.0, 1.0), "slip with its lead above which the control of a wheel starts", 0.12),
    Field("slip", Number("1", 0.0, 1.0), "target slip at full_friction: a little less than that of the maximum force", 0.09),
    Field("full_friction", Number("1", 0.01, 10.0), "friction in use at and above which the target slip is not reduced", 0.8),
    Field("rear_target", Number("1", 0.0, 1.0), "target slip of rear wheels over that of front wheels", 0.8),
    Field(
        "gain",
        Number("Pa s/m", 0.0, 1e9),
        "change of the pressure of a front brake per slip and speed: "
        "inertia of the wheel over (torque per pressure, wheel radius and lead); default: mid-size car",
        2e5,
    ),
    Field("rear_share", Number("1", 0.01, 100.0), "torque per pressure of a rear brake over that of a front brake", 0.6),
    Field("rear_slip", Number("1", 0.0, 1.0), "slip of a rear axle beyond that of the first above which its pressure is held", 0.0216),
    Field("build_time", Number("s", 0.001, 10.0), "time constant of the pressure build-up at a wheel", 0.03),
    Field("release_time", Number("s", 0.001, 10.0), "time constant of the pressure release at a wheel", 0.05),
    Field(
        "first_excess",
        Number("1", 0.0, 1.0),
        "immediately allowed pressure of a front wheel above that of the opposite wheel, over the line pressure",
        0.1,
    ),
    Field("build_excess", Number("1/s", 0.0, 10.0), "growth rate of this allowed excess with a fixed steering wheel", 0.06),
    Field("driver_excess", Number("1/s", 0.0, 10.0), "additional growth rate while the driver corrects the heading", 0.3),
    Field(
        "yaw_gain",
        Number("Pa s/rad", 0.0, 1e10),
        "reduction of the allowed excess of the front wheel of that side per deviation of the yaw rate",
        1.5e8,
    ),
    Field("yaw_share", Number("1", 0.0, 1.0), "fraction of the opposite pressure that the front wheel always gets", 0.2),
    Field("free_angle", Number("rad", 0.0, 1.0), "yaw angle beyond the steering that is not corrected", 0.003),
    Field("turn_time", Number("s", 0.01, 100.0), "time in which the accumulated yaw angle error beyond it is corrected", 0.1),
    Field(
        "steering_motion",
        Number("rad", 1e-6, 1.0),
        "movement of the front wheels by the steering wheel that shows a driver who corrects the heading; more than the twist of the steering",
        0.002,
    ),
    STEERING_RATIO,
    WHEELBASE,
    TRACK,
    CHARACTERISTIC_SPEED,
)

STATE = (
    # name             shape      unit     what it is
    ("reference_speed", (), "m/s", "estimated speed of the vehicle from the wheels"),
    ("slope", (), "m/s2", "estimated slope component of the longitudinal acceleration"),
    ("deceleration", (), "m/s2", "filtered deceleration without this component"),
    ("unconfirmed", (), "s", "time since a wheel was as fast as the reference speed"),
    ("yaw_rate", (), "rad/s", "filtered yaw rate while front wheels are controlled"),
    ("turned", (), "rad", "yaw angle beyond the steering input since front wheels are controlled"),
    ("deviation", (), "rad/s", "deviation of the yaw rate"),
    ("held_steering", (), "rad", "slowly filtered angle of the front wheels by the steering wheel"),
    ("driver", (), "1", "belief in a driver who corrects the heading"),
    ("allowed", (), "1", "allowed excess of the pressure of a front wheel over the line pressure"),
    ("speed", (WHEELS,), "m/s", "filtered speed of the wheel, at the center line of the vehicle"),
    ("rate", (WHEELS,), "m/s2", "filtered rate of this speed"),
    ("slip", (WHEELS,), "1", "slip, + = braking"),
    ("demand", (WHEELS,), "1", "slip with its lead; on rear axles that of the wheel with more slip"),
    ("friction", (WHEELS,), "1", "friction in use while the slip is at its target, over full_friction"),
    ("controlled", (WHEELS,), "1", "1 from the start of the control of the wheel on"),
    ("phase", (WHEELS,), "1", "0 open, 1 build, 2 hold, 3 dump"),
    ("pressure", (WHEELS,), "Pa", "filtered pressure at the brake"),
    ("request", (WHEELS,), "Pa", "requested pressure at the brake of a controlled wheel"),
)

P, S, I, O = dtype_of(rows(PARAMETERS)), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def anti_lock(parameters, state, seen, result, first, count, h):
    """Update the anti-lock brakes."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    braking = k["brake"] > p["pedal"]
    slow_down = follow_reference(p, s, k, braking, count, h)
    over = max(s["reference_speed"], p["slow_speed"])
    controls = braking and s["reference_speed"] > p["min_speed"]
    for i in range(count):
        s["slip"][i] = (s["reference_speed"] - s["speed"][i]) / over
        share = 1.0 - s["slip"][i] if s["reference_speed"] > p["slow_speed"] else 1.0
        rate = -(slow_down * share + s["rate"][i]) / over
        s["demand"][i] = s["slip"][i] + p["lead"] * rate
        s["pressure"][i] += h / (p["filter_time"] + h) * (k["wheel_pressure"][i] - s["pressure"][i])
    select_low(s, k, count)
    for i in range(count):
        request_pressure(p, s, k, controls, i, count, h)
    delay_yaw(p, s, k, count, h)
    for i in range(count):
        operate_valves(p, s, k, out, i, h)
    if controls:
        distribute(p, s, k, out, count)


@inline
def follow_reference(p, s, k, braking, count, h):
    """Update the filtered wheel speeds and the reference speed; return the deceleration [m/s2], in forward or backward travel."""
    weight, fastest, gains = h / (p["filter_time"] + h), 0.0, False
    for i in range(count):
        v = center_line_speed(p, k, i)
        if k["begins"] == 1:
            s["speed"][i] = v
        change = weight * (v - s["speed"][i])
        s["speed"][i] += change
        s["rate"][i] += weight * (change / h - s["rate"][i])
        if s["speed"][i] >= fastest:
            fastest, gains = s["speed"][i], s["rate"][i] > 0.0
    before = s["reference_speed"]
    if k["begins"] == 1 and fastest < AT_REST:
        s["slope"] = k["longitudinal_acceleration"]
    acceleration = k["longitudinal_acceleration"] - s["slope"]
    if k["begins"] == 1 or not braking:
        s["reference_speed"], s["unconfirmed"] = fastest, 0.0
        if k["begins"] == 0:
            s["slope"] += h / LEARNING * (acceleration - (fastest - before) / h)
    else:
        falling = before - (abs(acceleration) + p["margin"]) * h
        probes = s["unconfirmed"] > p["probe_period"]
        if fastest < falling and not gains and s["unconfirmed"] > p["probe_period"] + PROBE_TIME:
            # wheels that roll freely are not as fast: the accelerometer measures a slope
            s["slope"] -= math.copysign((falling - fastest) / s["unconfirmed"], acceleration)
            falling = fastest
        s["reference_speed"] = max(0.0, min(before + RISE * h, max(fastest, falling)))
        s["unconfirmed"] = 0.0 if fastest >= falling and not (probes and gains) else s["unconfirmed"] + h
    s["deceleration"] += h / (USE_TIME + h) * (abs(acceleration) - s["deceleration"])
    return abs(acceleration)


@inline
def select_low(s, k, count):
    """Give both wheels of every axle behind the first the larger demand of the two."""
    for i in range(count - 1):
        if k["axle"][i] != FRONT and k["axle"][i] == k["axle"][i + 1]:
            worse = max(s["demand"][i], s["demand"][i + 1])
            s["demand"][i], s["demand"][i + 1] = worse, worse


@inline
def request_pressure(p, s, k, controls, i, count, h):
    """Compute the pressure of wheel i with which its slip approaches the target."""
    if not controls:
        s["controlled"][i] = 0.0
        return
    if s["demand"][i] > p["start_slip"]:
        s["controlled"][i] = 1.0
    is_front = k["axle"][i] == FRONT
    gain = p["gain"] if is_front else p["gain"] / p["rear_share"]
    follow_friction(p, s, is_front, i, opposite(k, i, count), h)
    target = p["slip"] * s["friction"][i]
    if not is_front:
        target *= p["rear_target"]
    change = gain * max(s["reference_speed"], p["slow_speed"]) * (target - s["demand"][i])
    s["request"][i] = min(k["axle_pressure"][i], max(0.0, s["pressure"][i] + change))
    if not is_front and s["unconfirmed"] > p["probe_period"]:
        s["request"][i] = 0.0


@inline
def follow_friction(p, s, is_front, i, other, h):
    """Update the friction of wheel i over full_friction; on rear axles, that of the wheel with less pressure."""
    total = s["pressure"][i] + s["pressure"][other]
    pressure = s["pressure"][i] if is_front else min(s["pressure"][i], s["pressure"][other])
    part = 2.0 * pressure / total if total > MIN_PRESSURE else 1.0
    used = min(1.0, max(MIN_USE, part * s["deceleration"] / (GRAVITY * p["full_friction"])))
    if s["controlled"][i] == 0.0:
        s["friction"][i] = 1.0
    elif s["demand"][i] > p["slip"] * s["friction"][i] or used > s["friction"][i]:
        s["friction"][i] += h / (USE_TIME + h) * (used - s["friction"][i])
    else:
        s["friction"][i] = min(1.0, s["friction"][i] + RECOVERY * h)


@inline
def delay_yaw(p, s, k, count, h):
    """Control both front wheels together, and delay the pressure of the front wheel on the side to which the vehicle turns."""
    controlled = False
    for i in range(count):
        controlled = controlled or (k["axle"][i] == FRONT and s["controlled"][i] != 0.0)
    if not controlled:
        s["turned"], s["yaw_rate"], s["deviation"] = 0.0, k["yaw_rate"], 0.0
        s["held_steering"], s["driver"], s["allowed"] = k["steering_wheel_angle"] / p["steering_ratio"], 0.0, p["first_excess"]
        return
    follow_deviation(p, s, k, h)
    s["allowed"] = min(1.0, s["allowed"] + h * (p["build_excess"] + p["driver_excess"] * s["driver"]))
    gain = p["yaw_gain"] * (1.0 - RELIEF * s["driver"])
    for i in range(count):
        if k["axle"][i] == FRONT:
            s["controlled"][i] = 1.0
            # the outer wheel of a turn carries more load
            other = s["pressure"][opposite(k, i, count)] * (1.0 + LOAD * max(0.0, -k["side"][i] * k["lateral_acceleration"]))
            excess = s["allowed"] * k["axle_pressure"][i] - gain * max(0.0, k["side"][i] * s["deviation"])
            s["request"][i] = min(s["request"][i], max(other + excess, p["yaw_share"] * other))


@inline
def follow_deviation(p, s, k, h):
    """Update the deviation of the yaw rate, and the belief in a driver who corrects the heading."""
    v, steering = s["reference_speed"], k["steering_wheel_angle"] / p["steering_ratio"]
    s["held_steering"] += h / (HELD_TIME + h) * (steering - s["held_steering"])
    moves = min(1.0, ((steering - s["held_steering"]) / p["steering_motion"]) ** 2)
    s["driver"] += h / ((AWARE_TIME if moves > s["driver"] else FORGET) + h) * (moves - s["driver"])
    wanted = v * steering / (p["wheelbase"] * (1.0 + (v / p["characteristic_speed"]) ** 2))
    available = (abs(k["lateral_acceleration"]) + 0.5) / max(v, 1.0)
    s["yaw_rate"] += h / (p["filter_time"] + h) * (k["yaw_rate"] - s["yaw_rate"])
    wanted = min(available, max(-available, wanted))
    expected = TURN_SHARE * abs(wanted)
    beyond = s["yaw_rate"] - wanted
    beyond -= min(expected, max(-expected, beyond))
    # a turn that goes as expected ends the correction of an earlier error
    s["turned"] += h * (-s["turned"] / p["turn_time"] if beyond == 0.0 and expected > TURN_RATE else beyond)
    far = s["turned"] - min(p["free_angle"], max(-p["free_angle"], s["turned"]))
    s["deviation"] = beyond + (1.0 - s["driver"]) * far / p["turn_time"]


@inline
def opposite(k, i, count):
    """Return the wheel opposite to wheel i on its axle, or i if there is none."""
    for j in range(max(0, i - 1), min(count, i + 2)):
        if k["axle"][j] == k["axle"][i] and j != i:
            return j
    return i


@inline
def operate_valves(p, s, k, out, i, h):
    """Set the valves of wheel i, if it is controlled, so that the brake has the requested pressure at the next update."""
    if s["controlled"][i] == 0.0:
        s["phase"][i] = OPEN
        return
    present = k["wheel_pressure"][i]
    change = s["request"][i] - present
    s["phase"][i], out["inlet"][i] = HOLD, 0.0
    if change > HOLD_ZONE:
        s["phase"][i] = BUILD
        out["inlet"][i] = min(1.0, change / max(k["axle_pressure"][i] - present, MIN_PRESSURE) * p["build_time"] / h)
    elif change < -HOLD_ZONE:
        s["phase"][i] = DUMP
        out["outlet"][i] = min(1.0, -change / max(present, MIN_PRESSURE) * p["release_time"] / h)


@inline
def distribute(p, s, k, out, count):
    """Hold the pressure of a rear axle with more slip than the first axle."""
    front, wheels = 0.0, 0
    for i in range(count):
        if k["axle"][i] == FRONT:
            front, wheels = front + s["slip"][i], wheels + 1
    for i in range(count):
        slip = max(s["slip"][i], s["slip"][opposite(k, i, count)])
        if k["axle"][i] != FRONT and s["phase"][i] != DUMP and slip > front / wheels + p["rear_slip"]:
            s["phase"][i], out["inlet"][i] = HOLD, 0.0


KIND = ControllerKind(
    "abs",
    PARAMETERS,
    STATE,
    anti_lock,
    CONTRACT,
    LAYOUT,
    rate=200.0,
    meaning="anti-lock brakes with electronic distribution of the brake force",
)
