"""Anti-lock brakes with electronic distribution of the brake force: type `abs` of the list `controllers` of a vehicle file.

Wheel speeds: in a turn with yaw rate r, wheels at y = +-track / 2 roll at v - y r. All wheel speeds below are those at the center line,
v_i + y_i r. Without this correction the inner wheels of a turn would have slip without brakes.

Reference speed: the speed of the fastest wheel. It falls at most with the measured deceleration plus a margin, and rises at most with RISE.
The slope component of the accelerometer is estimated while the driver does not brake. With the slip s = (v - v_w) / max(v, slow_speed) and
its rate, both from filtered speeds (without slow_speed, wheels that vibrate on their bushings would open the brakes before the vehicle stops),

    e = s + lead s'          > dump_slip: DUMP (outlet open)     > hold_slip: HOLD (both shut)     else BUILD (inlet open for a fraction of
                                                                                                   the time that grows in each build)

A wheel starts in OPEN, as without a controller. Its first DUMP makes it controlled until the driver releases the pedal or the vehicle is
slow.

- select-low: both wheels of every axle but the first follow the wheel with more slip.
- build-up delay of the yaw moment: as soon as one front wheel is controlled, the other front wheel is controlled too. Its pressure exceeds
  that of the first one by at most first_excess + build_excess t. The deviation d is the yaw rate beyond that of the steering wheel, plus
  `turned` / turn_time. The vehicle turns towards the side that brakes more. There, the front wheel gets at most the pressure of the
  opposite wheel from yaw_hold on, and a fraction of it from yaw_dump on. Pressures are estimated from the valve commands, relative to the
  line pressure. The yaw rate of the steering wheel, v delta / (L (1 + v^2 / v_ch^2)), is limited by the measured lateral acceleration.
  A turn that deviates from it by less than TURN_SHARE has no deviation, and `turned` then decays: braking alone turns a car further into
  its turn.
- distribution: if the slip of the wheels of a rear axle exceeds that of the first axle by more than rear_slip, their inlets shut.

Thresholds on slip and deceleration, select-low and the delay of the yaw moment follow the textbooks [Robert Bosch GmbH 2014, Brakes, Brake
Control and Driver Assistance Systems; mem]; the numeric values were tuned for Jounce on the shipped vehicle.
"""

from __future__ import annotations

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
TURN_SHARE = 0.5
"""1. Deviation of the yaw rate that counts as none, as a fraction of the yaw rate of the steering wheel. Brakes move load to the first axle:
a car that brakes with 0.4 g in a turn of 0.4 g turns up to 1.4 times as fast as its steering wheel demands [calc]."""
FRONT = 0
"""First axle."""

PARAMETERS = (
    WHEEL_RADIUS,
    Field("pedal", Number("1", 0.0, 1.0), "pedal position above which the driver brakes", 0.02),
    Field("min_speed", Number("m/s", 0.0, 20.0), "minimum speed for control", 1.5),
    Field("slow_speed", Number("m/s", 0.1, 20.0), "speed below which slip and its rate refer to this speed", 8.0),
    Field("margin", Number("m/s2", 0.0, 20.0), "margin of the fall rate of the reference speed above the measured deceleration", 0.97),
    Field("filter_time", Number("s", 0.0, 1.0), "time constant of the filters of wheel speeds and accelerations", 0.0144),
    Field("lead", Number("s", 0.0, 1.0), "weight of the rate of slip", 0.0554),
    Field("dump_slip", Number("1", 0.0, 1.0), "slip with its lead above which pressure is dumped", 0.1427),
    Field("hold_slip", Number("1", 0.0, 1.0), "slip with its lead above which pressure is held", 0.0771),
    Field("build_share", Number("1", 0.0, 1.0), "duty cycle of the inlet at the start of a build", 0.2515),
    Field("build_growth", Number("1/s", 0.0, 100.0), "growth rate of this duty cycle", 1.0),
    Field("rear_slip", Number("1", 0.0, 1.0), "slip of a rear axle beyond that of the first above which its pressure is held", 0.0216),
    Field("build_time", Number("s", 0.001, 10.0), "time constant of the pressure build-up at a wheel, for the pressure estimate", 0.03),
    Field("release_time", Number("s", 0.001, 10.0), "time constant of the pressure release at a wheel, for the pressure estimate", 0.05),
    Field(
        "first_excess",
        Number("1", 0.0, 1.0),
        "immediately allowed pressure of a front wheel above that of the opposite wheel, over the line pressure",
        0.155,
    ),
    Field("build_excess", Number("1/s", 0.0, 10.0), "growth rate of this allowed excess", 0.0485),
    Field(
        "yaw_hold",
        Number("rad/s", 0.0, 10.0),
        "deviation above which the front wheel of that side gets at most the pressure of the opposite wheel",
        0.0187,
    ),
    Field(
        "yaw_dump",
        Number("rad/s", 0.0, 10.0),
        "deviation above which the front wheel of that side gets a fraction of this pressure",
        0.0406,
    ),
    Field("yaw_share", Number("1", 0.0, 1.0), "fraction of the opposite pressure above yaw_dump", 0.179),
    Field("turn_time", Number("s", 0.01, 100.0), "time in which the accumulated yaw angle error is corrected", 0.104),
    STEERING_RATIO,
    WHEELBASE,
    TRACK,
    CHARACTERISTIC_SPEED,
)

STATE = (
    # name             shape      unit     what it is
    ("reference_speed", (), "m/s", "estimated speed of the vehicle from the wheels"),
    ("slope", (), "m/s2", "estimated slope component of the longitudinal acceleration"),
    ("yaw_rate", (), "rad/s", "filtered yaw rate while front wheels are controlled"),
    ("delayed", (), "s", "time since front wheels are controlled"),
    ("turned", (), "rad", "yaw angle beyond the steering input since front wheels are controlled"),
    ("speed", (WHEELS,), "m/s", "filtered speed of the wheel, at the center line of the vehicle"),
    ("rate", (WHEELS,), "m/s2", "filtered rate of this speed"),
    ("slip", (WHEELS,), "1", "slip, + = braking"),
    ("demand", (WHEELS,), "1", "slip with its lead; on rear axles that of the wheel with more slip"),
    ("phase", (WHEELS,), "1", "0 open, 1 build, 2 hold, 3 dump"),
    ("build", (WHEELS,), "s", "time in the present build"),
    ("pressure", (WHEELS,), "1", "pressure over the line pressure, estimated from the valve commands"),
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
    for i in range(count):
        s["slip"][i] = (s["reference_speed"] - s["speed"][i]) / over
        share = 1.0 - s["slip"][i] if s["reference_speed"] > p["slow_speed"] else 1.0
        rate = -(slow_down * share + s["rate"][i]) / over
        s["demand"][i] = s["slip"][i] + p["lead"] * rate
    select_low(s, k, count)
    choose_phases(p, s, braking and s["reference_speed"] > p["min_speed"], count)
    delay_yaw(p, s, k, count, h)
    distribute(p, s, k, braking and s["reference_speed"] > p["min_speed"], count)
    for i in range(count):
        operate_valves(p, s, out, i, h)


@inline
def follow_reference(p, s, k, braking, count, h):
    """Update the filtered wheel speeds and the reference speed; return the deceleration [m/s2], in forward or backward travel."""
    weight, fastest = h / (p["filter_time"] + h), 0.0
    for i in range(count):
        v = center_line_speed(p, k, i)
        if k["begins"] == 1:
            s["speed"][i] = v
        change = weight * (v - s["speed"][i])
        s["speed"][i] += change
        s["rate"][i] += weight * (change / h - s["rate"][i])
        fastest = max(fastest, s["speed"][i])
    before = s["reference_speed"]
    if k["begins"] == 1 and fastest < AT_REST:
        s["slope"] = k["longitudinal_acceleration"]
    acceleration = k["longitudinal_acceleration"] - s["slope"]
    if k["begins"] == 1 or not braking:
        s["reference_speed"] = fastest
        if k["begins"] == 0:
            s["slope"] += h / LEARNING * (acceleration - (fastest - before) / h)
    else:
        s["reference_speed"] = max(0.0, min(before + RISE * h, max(fastest, before - (abs(acceleration) + p["margin"]) * h)))
    return abs(acceleration)


@inline
def select_low(s, k, count):
    """Give both wheels of every axle behind the first the larger demand of the two."""
    for i in range(count - 1):
        if k["axle"][i] != FRONT and k["axle"][i] == k["axle"][i + 1]:
            worse = max(s["demand"][i], s["demand"][i + 1])
            s["demand"][i], s["demand"][i + 1] = worse, worse


@inline
def choose_phases(p, s, controls, count):
    """Select the phase of every wheel by its demand."""
    for i in range(count):
        if not controls:
            s["phase"][i] = OPEN
        elif s["demand"][i] > p["dump_slip"]:
            s["phase"][i] = DUMP
        elif s["phase"][i] != OPEN:
            s["phase"][i] = HOLD if s["demand"][i] > p["hold_slip"] else BUILD


@inline
def delay_yaw(p, s, k, count, h):
    """Control both front wheels together, and delay the pressure of the front wheel on the side to which the vehicle turns."""
    controlled = False
    for i in range(count):
        controlled = controlled or (k["axle"][i] == FRONT and s["phase"][i] != OPEN)
    if not controlled:
        s["turned"], s["delayed"], s["yaw_rate"] = 0.0, 0.0, k["yaw_rate"]
        return
    s["delayed"] += h
    v = s["reference_speed"]
    wanted = v * k["steering_wheel_angle"] / (p["steering_ratio"] * p["wheelbase"] * (1.0 + (v / p["characteristic_speed"]) ** 2))
    available = (abs(k["lateral_acceleration"]) + 0.5) / max(v, 1.0)
    s["yaw_rate"] += h / (p["filter_time"] + h) * (k["yaw_rate"] - s["yaw_rate"])
    wanted = min(available, max(-available, wanted))
    expected = TURN_SHARE * abs(wanted)
    beyond = s["yaw_rate"] - wanted
    beyond -= min(expected, max(-expected, beyond))
    # a turn that goes as expected ends the correction of an earlier error; straight ahead, the twist of the steering is no turn
    s["turned"] += h * (-s["turned"] / p["turn_time"] if beyond == 0.0 and expected > p["yaw_dump"] else beyond)
    deviation = beyond + s["turned"] / p["turn_time"]
    for i in range(count):
        if k["axle"][i] == FRONT:
            if s["phase"][i] == OPEN:
                s["phase"][i] = HOLD
            excess, other = k["side"][i] * deviation, s["pressure"][opposite(k, i, count)]
            limit = other + p["first_excess"] + p["build_excess"] * s["delayed"]
            if excess > p["yaw_hold"]:
                limit = other * (1.0 if excess < p["yaw_dump"] else p["yaw_share"])
            if s["pressure"][i] > limit:
                s["phase"][i] = DUMP
            elif excess > p["yaw_hold"] and s["phase"][i] != DUMP:
                s["phase"][i] = HOLD


@inline
def opposite(k, i, count):
    """Return the wheel opposite to wheel i on its axle, or i if there is none."""
    for j in range(max(0, i - 1), min(count, i + 2)):
        if k["axle"][j] == k["axle"][i] and j != i:
            return j
    return i


@inline
def distribute(p, s, k, controls, count):
    """Hold the pressure of a rear axle with more slip than the first axle."""
    front, wheels = 0.0, 0
    for i in range(count):
        if k["axle"][i] == FRONT:
            front, wheels = front + s["slip"][i], wheels + 1
    for i in range(count):
        slip = max(s["slip"][i], s["slip"][opposite(k, i, count)])
        if controls and k["axle"][i] != FRONT and s["phase"][i] != DUMP and slip > front / wheels + p["rear_slip"]:
            s["phase"][i] = HOLD


@inline
def operate_valves(p, s, out, i, h):
    """Set the valves of wheel i by its phase, and update the pressure estimate."""
    phase = s["phase"][i]
    s["build"][i] = s["build"][i] + h if phase == BUILD else 0.0
    if phase == BUILD:
        out["inlet"][i] = min(1.0, p["build_share"] + p["build_growth"] * s["build"][i])
    elif phase != OPEN:
        out["inlet"][i], out["outlet"][i] = 0.0, 1.0 if phase == DUMP else 0.0
    build, release = out["inlet"][i] * h / p["build_time"], out["outlet"][i] * h / p["release_time"]
    s["pressure"][i] = (s["pressure"][i] + build) / (1.0 + build + release)


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
