"""Electronic stability control: type `esc` of the list `controllers` of a vehicle file.

The speed is that of the wheels that are not braked by it, their mean. The yaw rate that the driver wants is that of the linear single-track vehicle in a
steady turn, as far as the lateral acceleration bears it out [Rajamani 2012, Vehicle Dynamics and Control, eqs 8.6 and 8.8]:

    r_d = v delta / (L (1 + (v / v_ch)^2)),     |r_d| <= (|a_y| + reserve) / v,     both after a lag of `filter_time`

Its sideslip is integrated from what the sensors say and leaks, as they have errors [van Zanten 2000, SAE 2000-01-1633]:

    beta' = a_y / v - r - beta / leak

With the error e = r - r_d, a moment is asked for beyond a dead zone d

    M = -yaw_gain dead(e, yaw_start) + slip_gain dead(beta, slip_start)          dead(x, d) = x - clamp(x, -d, d)

and made by the brakes of one side: where it is against the turn (oversteer) by the outer wheels, of the rear one with REAR of the pressure; else
(understeer) by the inner rear wheel. Of a front brake a moment is the pressure

    p = 2 |M| / track wheel_radius / torque_per_pressure

and it falls where the wheel slips by more than `max_slip`. The throttle closes with the error. Above `min_speed` only, and forward only.
"""

from __future__ import annotations

from simulator.base.callbacks import callback, record_at
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind

FRONT = 0
"""First axle."""
REAR = 0.3
"""Torque of the outer rear brake over that of the front one."""

PARAMETERS = (
    # name            shape  unit    what it is
    ("wheel_radius", (), "m", "rolling radius of the wheels"),
    ("wheelbase", (), "m", "from the first axle to the last"),
    ("track", (), "m", "between the wheels of an axle"),
    ("steering_ratio", (), "1", "angle of the steering wheel over that of the front wheels"),
    ("characteristic_speed", (), "m/s", "speed at which the vehicle answers half as much as a neutral one"),
    ("torque_per_pressure", (), "m3", "torque of a front brake over its pressure"),
    ("rear_share", (), "1", "the same of a rear brake over that of a front one"),
    ("min_speed", (), "m/s", "below it nothing is done"),
    ("filter_time", (), "s", "time constant of the filters of yaw rate wanted, speed and acceleration"),
    ("reserve", (), "m/s2", "by which the yaw rate wanted may go beyond the lateral acceleration measured"),
    ("leak", (), "s", "time in which the sideslip is forgotten"),
    ("yaw_start", (), "rad/s", "error of the yaw rate from which on it acts"),
    ("yaw_gain", (), "N m s/rad", "moment per error beyond it"),
    ("slip_start", (), "rad", "sideslip from which on it acts"),
    ("slip_gain", (), "N m/rad", "moment per sideslip beyond it"),
    ("understeer_share", (), "1", "share of the moment that is asked for where the vehicle turns too little"),
    ("max_slip", (), "1", "slip of a wheel from which on its pressure falls"),
    ("max_pressure", (), "Pa", "largest pressure"),
    ("throttle_gain", (), "s/rad", "throttle that is closed per error beyond yaw_start"),
)
RANGES = {
    "wheel_radius": (0.05, 5.0),
    "wheelbase": (0.1, 100.0),
    "track": (0.1, 10.0),
    "steering_ratio": (1.0, 100.0),
    "characteristic_speed": (1.0, 1e3),
    "torque_per_pressure": (1e-7, 1.0),
    "rear_share": (0.01, 100.0),
    "min_speed": (0.0, 50.0),
    "filter_time": (0.0, 1.0),
    "reserve": (0.0, 20.0),
    "leak": (0.01, 100.0),
    "yaw_start": (0.0, 10.0),
    "yaw_gain": (0.0, 1e7),
    "slip_start": (0.0, 1.0),
    "slip_gain": (0.0, 1e7),
    "understeer_share": (0.0, 1.0),
    "max_slip": (0.01, 1.0),
    "max_pressure": (0.0, 1e8),
    "throttle_gain": (0.0, 1e3),
}
DEFAULTS = {
    "rear_share": 0.6,
    "min_speed": 4.0,
    "filter_time": 0.03,
    "reserve": 2.0,
    "leak": 1.5,
    "yaw_start": 0.06,
    "yaw_gain": 4e4,
    "slip_start": 0.05,
    "slip_gain": 6e4,
    "understeer_share": 0.3,
    "max_slip": 0.15,
    "max_pressure": 1e7,
    "throttle_gain": 4.0,
}

STATE = (
    # name            shape      unit     what it is
    ("speed", (), "m/s", "speed of the vehicle as the wheels tell it"),
    ("lateral_acceleration", (), "m/s2", "filtered"),
    ("yaw_rate", (), "rad/s", "filtered"),
    ("yaw_rate_wanted", (), "rad/s", "what the driver wants"),
    ("sideslip", (), "rad", "reckoned from the sensors, + = the vehicle moves to the left of its heading"),
    ("moment", (), "N m", "yaw moment asked for, + = to the left"),
    ("throttle_limit", (), "1", "throttle that is let"),
    ("active", (), "1", "1 while it brakes a wheel"),
    ("slip", (WHEELS,), "1", "slip of the wheel, + = braking"),
    ("pressure", (WHEELS,), "Pa", "pressure asked for"),
)

P, S, I, O = dtype_of(PARAMETERS), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def stability(parameters, state, seen, result, first, count, h):
    """One turn."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, asked = record_at(seen, I)[0], record_at(result, O)[0]
    follow_motion(p, s, k, count, h)
    acts = s["speed"] > p["min_speed"] and k["selector"] >= 0
    error = s["yaw_rate"] - s["yaw_rate_wanted"]
    beyond = beyond_zone(error, p["yaw_start"])
    # a positive error turns the vehicle to the left of what is wanted; a negative sideslip is the tail out of a left turn
    moment = -p["yaw_gain"] * beyond + p["slip_gain"] * beyond_zone(s["sideslip"], p["slip_start"])
    s["moment"] = moment if acts else 0.0
    share_moment(p, s, k, count)
    s["throttle_limit"] = max(0.0, 1.0 - p["throttle_gain"] * abs(beyond)) if acts else 1.0
    asked["throttle_limit"] = s["throttle_limit"]
    s["active"] = 0.0
    for i in range(count):
        asked["pressure"][i] = s["pressure"][i]
        if s["pressure"][i] > 0.0:
            s["active"] = 1.0


@inline
def beyond_zone(x, zone):
    """What of x is beyond a dead zone on either side of zero."""
    return x - min(zone, max(-zone, x))


@inline
def follow_motion(p, s, k, count, h):
    """Speed, yaw rates and sideslip."""
    share, total, weights = h / (p["filter_time"] + h), 0.0, 0.0
    for i in range(count):
        weight = 1.0 if s["pressure"][i] == 0.0 else 0.02
        total, weights = total + weight * p["wheel_radius"] * k["wheel_speed"][i], weights + weight
    measured = total / weights
    if k["begins"] == 1:
        s["speed"], s["yaw_rate"], s["lateral_acceleration"] = measured, k["yaw_rate"], k["lateral_acceleration"]
    s["speed"] += share * (measured - s["speed"])
    s["yaw_rate"] += share * (k["yaw_rate"] - s["yaw_rate"])
    s["lateral_acceleration"] += share * (k["lateral_acceleration"] - s["lateral_acceleration"])
    v = max(s["speed"], 1.0)
    wanted = v * k["steering_wheel_angle"] / (p["steering_ratio"] * p["wheelbase"] * (1.0 + (v / p["characteristic_speed"]) ** 2))
    most = (abs(s["lateral_acceleration"]) + p["reserve"]) / v
    s["yaw_rate_wanted"] += share * (min(most, max(-most, wanted)) - s["yaw_rate_wanted"])
    change = s["lateral_acceleration"] / v - s["yaw_rate"]
    s["sideslip"] = (s["sideslip"] + h * change) / (1.0 + h / p["leak"]) if s["speed"] > p["min_speed"] else 0.0
    for i in range(count):
        # a wheel in a turn is as fast as the ground under its side
        there = v - 0.5 * k["side"][i] * p["track"] * s["yaw_rate"]
        s["slip"][i] = 1.0 - p["wheel_radius"] * k["wheel_speed"][i] / max(there, 1.0)


@inline
def share_moment(p, s, k, count):
    """Pressures by the moment: + to the left, by wheels on the left."""
    against = s["moment"] * s["yaw_rate"] < 0.0
    size = abs(s["moment"]) if against else p["understeer_share"] * abs(s["moment"])
    whole = 2.0 * size * p["wheel_radius"] / (p["track"] * p["torque_per_pressure"])
    for i in range(count):
        share = 0.0
        if k["side"][i] * s["moment"] > 0.0:
            if k["axle"][i] == FRONT:
                share = 1.0 if against else 0.0
            else:
                share = (REAR if against else 1.0) / p["rear_share"]
        excess = max(0.0, s["slip"][i] - p["max_slip"]) / p["max_slip"]
        s["pressure"][i] = min(share * whole, p["max_pressure"]) * max(0.0, 1.0 - excess)


KIND = ControllerKind(
    "esc",
    PARAMETERS,
    RANGES,
    STATE,
    stability,
    CONTRACT,
    LAYOUT,
    rate=100.0,
    defaults=DEFAULTS,
    meaning="electronic stability control by the brakes of single wheels and the throttle",
)
