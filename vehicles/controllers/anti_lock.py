"""Anti-lock brakes with electronic distribution of the brake force: type `abs` of the list `controllers` of a vehicle file.

Reference speed: the fastest wheel, which may fall no faster than the measured deceleration and a margin, and rise no faster than RISE. What
the accelerometer shows of a slope is learnt while nobody brakes. With the slip s = 1 - v_w / v and its rate, both of filtered speeds,

    e = s + lead s'          > dump_slip: DUMP (outlet open)     > hold_slip: HOLD (both shut)     else BUILD (inlet open for a share of
                                                                                                   the time that grows in each build)

A wheel begins OPEN, as if there were no controller, and its first DUMP makes it controlled until the pedal is left or the vehicle is slow.

- select-low: both wheels of every axle but the first follow the one that slips more.
- build-up delay of the yaw moment: as soon as one front wheel is controlled the other is too, and has at most first_excess + build_excess t more
  pressure than that one. The vehicle turns by d, its yaw rate beyond that of the steering wheel and `turned` / turn_time, towards the side that
  brakes more: there the front wheel gets no more pressure than the other one from yaw_hold on, and a share of it from yaw_dump on. Pressures
  are reckoned from what the valves did, over that of the line. The rate of the steering wheel, v delta / (L (1 + v^2 / v_ch^2)), counts as
  far as the lateral acceleration bears it out.
- distribution: where the wheels of a rear axle slip more than those of the first by more than rear_slip, their inlets shut.

Thresholds on slip and deceleration, select-low and the delay of the yaw moment are those of the books [Robert Bosch GmbH 2014, Brakes, Brake
Control and Driver Assistance Systems; mem]; the numbers are ours, tuned on the shipped vehicle.
"""

from __future__ import annotations

from simulator.base.callbacks import callback, record_at
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind

OPEN, BUILD, HOLD, DUMP = range(4)
"""Phases of a wheel."""

RISE = 15.0
"""m/s2. Fastest rise of the reference speed: wheels that come out of a deep slip."""
LEARNING = 0.5
"""s. Time constant in which the accelerometer's share of the slope is learnt."""
STANDS = 0.3
"""m/s. A vehicle that is slower at the first turn stands: what the accelerometer shows is the slope."""
FRONT = 0
"""First axle."""

PARAMETERS = (
    # name            shape  unit    what it is
    ("wheel_radius", (), "m", "rolling radius of the wheels"),
    ("pedal", (), "1", "pedal from which on somebody brakes"),
    ("min_speed", (), "m/s", "below it nothing is controlled"),
    ("margin", (), "m/s2", "by which the reference speed may fall faster than the deceleration measured"),
    ("filter_time", (), "s", "time constant of the filters of wheel speeds and accelerations"),
    ("lead", (), "s", "weight of the rate of slip"),
    ("dump_slip", (), "1", "slip with its lead from which on pressure is dumped"),
    ("hold_slip", (), "1", "slip with its lead from which on pressure is held"),
    ("build_share", (), "1", "share of the time in which the inlet is open when a build begins"),
    ("build_growth", (), "1/s", "rate at which that share grows"),
    ("rear_slip", (), "1", "slip of a rear axle beyond that of the first from which on its pressure is held"),
    ("build_time", (), "s", "in which the pressure at a wheel follows the line, to reckon it"),
    ("release_time", (), "s", "in which it falls, likewise"),
    ("first_excess", (), "1", "pressure of a front wheel beyond that of the other one, over that of the line, that is let be at once"),
    ("build_excess", (), "1/s", "rate at which that may grow"),
    ("yaw_hold", (), "rad/s", "deviation from which on the front wheel of that side gets no more pressure than the other one"),
    ("yaw_dump", (), "rad/s", "deviation from which on it gets a share of it"),
    ("yaw_share", (), "1", "that share"),
    ("turn_time", (), "s", "time in which an angle that the vehicle has turned is to be taken back"),
    ("steering_ratio", (), "1", "angle of the steering wheel over that of the front wheels"),
    ("wheelbase", (), "m", "from the first axle to the last"),
    ("characteristic_speed", (), "m/s", "speed at which the vehicle answers half as much as a neutral one"),
)
RANGES = {
    "wheel_radius": (0.05, 5.0),
    "pedal": (0.0, 1.0),
    "min_speed": (0.0, 20.0),
    "margin": (0.0, 20.0),
    "filter_time": (0.0, 1.0),
    "lead": (0.0, 1.0),
    "dump_slip": (0.0, 1.0),
    "hold_slip": (0.0, 1.0),
    "build_share": (0.0, 1.0),
    "build_growth": (0.0, 100.0),
    "rear_slip": (0.0, 1.0),
    "build_time": (1e-3, 10.0),
    "release_time": (1e-3, 10.0),
    "first_excess": (0.0, 1.0),
    "build_excess": (0.0, 10.0),
    "yaw_share": (0.0, 1.0),
    "yaw_hold": (0.0, 10.0),
    "yaw_dump": (0.0, 10.0),
    "turn_time": (0.01, 100.0),
    "steering_ratio": (1.0, 100.0),
    "wheelbase": (0.1, 100.0),
    "characteristic_speed": (1.0, 1e3),
}
DEFAULTS = {
    "pedal": 0.02,
    "min_speed": 1.5,
    "margin": 0.97,
    "filter_time": 0.0144,
    "lead": 0.0554,
    "dump_slip": 0.1427,
    "hold_slip": 0.0771,
    "build_share": 0.2515,
    "build_growth": 1.0,
    "rear_slip": 0.0216,
    "build_time": 0.03,
    "release_time": 0.05,
    "first_excess": 0.155,
    "build_excess": 0.0485,
    "yaw_hold": 0.0187,
    "yaw_dump": 0.0406,
    "yaw_share": 0.179,
    "turn_time": 0.104,
}

STATE = (
    # name             shape      unit     what it is
    ("reference_speed", (), "m/s", "speed of the vehicle as the wheels tell it"),
    ("slope", (), "m/s2", "share of the slope in the longitudinal acceleration"),
    ("yaw_rate", (), "rad/s", "filtered yaw rate while front wheels are controlled"),
    ("delayed", (), "s", "time since then"),
    ("turned", (), "rad", "angle by which the vehicle has turned beyond what the steering wheel asks since wheels are controlled"),
    ("speed", (WHEELS,), "m/s", "filtered speed of the wheel"),
    ("rate", (WHEELS,), "m/s2", "its rate"),
    ("slip", (WHEELS,), "1", "slip, + = braking"),
    ("demand", (WHEELS,), "1", "slip with its lead, on rear axles that of the worse wheel"),
    ("phase", (WHEELS,), "1", "0 open, 1 build, 2 hold, 3 dump"),
    ("build", (WHEELS,), "s", "time in the present build"),
    ("pressure", (WHEELS,), "1", "pressure over that of the line, reckoned from what the valves did"),
)

P, S, I, O = dtype_of(PARAMETERS), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def anti_lock(parameters, state, seen, result, first, count, h):
    """One turn."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, asked = record_at(seen, I)[0], record_at(result, O)[0]
    braking = k["brake"] > p["pedal"]
    slow_down = follow_reference(p, s, k, braking, count, h)
    for i in range(count):
        s["slip"][i] = 1.0 - s["speed"][i] / max(s["reference_speed"], 1.0)
        rate = -(slow_down * (1.0 - s["slip"][i]) + s["rate"][i]) / max(s["reference_speed"], 1.0)
        s["demand"][i] = s["slip"][i] + p["lead"] * rate
    select_low(s, k, count)
    choose_phases(p, s, braking and s["reference_speed"] > p["min_speed"], count)
    delay_yaw(p, s, k, count, h)
    distribute(p, s, k, braking and s["reference_speed"] > p["min_speed"], count)
    for i in range(count):
        work(p, s, asked, i, h)


@inline
def follow_reference(p, s, k, braking, count, h):
    """Filtered wheel speeds and the reference speed; returns by how much the vehicle slows down [m/s2], forward or backward."""
    share, fastest = h / (p["filter_time"] + h), 0.0
    for i in range(count):
        v = p["wheel_radius"] * k["wheel_speed"][i]
        if k["begins"] == 1:
            s["speed"][i] = v
        change = share * (v - s["speed"][i])
        s["speed"][i] += change
        s["rate"][i] += share * (change / h - s["rate"][i])
        fastest = max(fastest, s["speed"][i])
    before = s["reference_speed"]
    if k["begins"] == 1 and fastest < STANDS:
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
    """Every wheel behind the first axle takes the demand of the worse one of its axle."""
    for i in range(count - 1):
        if k["axle"][i] != FRONT and k["axle"][i] == k["axle"][i + 1]:
            worse = max(s["demand"][i], s["demand"][i + 1])
            s["demand"][i], s["demand"][i + 1] = worse, worse


@inline
def choose_phases(p, s, controls, count):
    """The phase of every wheel by its demand."""
    for i in range(count):
        if not controls:
            s["phase"][i] = OPEN
        elif s["demand"][i] > p["dump_slip"]:
            s["phase"][i] = DUMP
        elif s["phase"][i] != OPEN:
            s["phase"][i] = HOLD if s["demand"][i] > p["hold_slip"] else BUILD


@inline
def delay_yaw(p, s, k, count, h):
    """Front wheels are controlled together, and the one towards whose side the vehicle turns waits."""
    controlled = False
    for i in range(count):
        controlled = controlled or (k["axle"][i] == FRONT and s["phase"][i] != OPEN)
    if not controlled:
        s["turned"], s["delayed"], s["yaw_rate"] = 0.0, 0.0, k["yaw_rate"]
        return
    s["delayed"] += h
    v = s["reference_speed"]
    wanted = v * k["steering_wheel_angle"] / (p["steering_ratio"] * p["wheelbase"] * (1.0 + (v / p["characteristic_speed"]) ** 2))
    borne = (abs(k["lateral_acceleration"]) + 0.5) / max(v, 1.0)
    s["yaw_rate"] += h / (p["filter_time"] + h) * (k["yaw_rate"] - s["yaw_rate"])
    beyond = s["yaw_rate"] - min(borne, max(-borne, wanted))
    s["turned"] += h * beyond
    deviation = beyond + s["turned"] / p["turn_time"]
    for i in range(count):
        if k["axle"][i] == FRONT:
            if s["phase"][i] == OPEN:
                s["phase"][i] = HOLD
            excess, other = k["side"][i] * deviation, s["pressure"][opposite(k, i, count)]
            most = other + p["first_excess"] + p["build_excess"] * s["delayed"]
            if excess > p["yaw_hold"]:
                most = other * (1.0 if excess < p["yaw_dump"] else p["yaw_share"])
            if s["pressure"][i] > most:
                s["phase"][i] = DUMP
            elif excess > p["yaw_hold"] and s["phase"][i] != DUMP:
                s["phase"][i] = HOLD


@inline
def opposite(k, i, count):
    """The wheel on the other side of the axle of wheel i, or itself if there is none."""
    for j in range(max(0, i - 1), min(count, i + 2)):
        if k["axle"][j] == k["axle"][i] and j != i:
            return j
    return i


@inline
def distribute(p, s, k, controls, count):
    """A rear axle that slips more than the first one holds its pressure."""
    front, wheels = 0.0, 0
    for i in range(count):
        if k["axle"][i] == FRONT:
            front, wheels = front + s["slip"][i], wheels + 1
    for i in range(count):
        slip = max(s["slip"][i], s["slip"][opposite(k, i, count)])
        if controls and k["axle"][i] != FRONT and s["phase"][i] != DUMP and slip > front / wheels + p["rear_slip"]:
            s["phase"][i] = HOLD


@inline
def work(p, s, asked, i, h):
    """Valves of wheel i by its phase, and what they make of its pressure."""
    phase = s["phase"][i]
    s["build"][i] = s["build"][i] + h if phase == BUILD else 0.0
    if phase == BUILD:
        asked["inlet"][i] = min(1.0, p["build_share"] + p["build_growth"] * s["build"][i])
    elif phase != OPEN:
        asked["inlet"][i], asked["outlet"][i] = 0.0, 1.0 if phase == DUMP else 0.0
    build, release = asked["inlet"][i] * h / p["build_time"], asked["outlet"][i] * h / p["release_time"]
    s["pressure"][i] = (s["pressure"][i] + build) / (1.0 + build + release)


KIND = ControllerKind(
    "abs",
    PARAMETERS,
    RANGES,
    STATE,
    anti_lock,
    CONTRACT,
    LAYOUT,
    rate=200.0,
    defaults=DEFAULTS,
    meaning="anti-lock brakes with electronic distribution of the brake force",
)
