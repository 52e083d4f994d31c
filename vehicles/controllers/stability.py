"""Electronic stability control: type `esc` of the list `controllers` of a vehicle file.

The speed is the mean of the wheels that this controller does not brake. The target yaw rate is that of the linear single-track vehicle in a
steady turn, limited by the lateral acceleration [Rajamani 2012, Vehicle Dynamics and Control, eqs 8.6 and 8.8]:

    r_d = v delta / (L (1 + (v / v_ch)^2)),     |r_d| <= (|a_y| + reserve) / v,     both after a lag of `filter_time`

The sideslip is integrated from the sensor values; it decays because the sensors have errors [van Zanten 2000, SAE 2000-01-1633]:

    beta' = a_y / v - r - beta / leak

With the error e = r - r_d, the controller requests a moment beyond a dead zone d

    M = -yaw_gain dead(e, yaw_start) + slip_gain dead(beta, slip_start)          dead(x, d) = x - clamp(x, -d, d)

The brakes of one side produce this moment. Against the turn (oversteer) the outer wheels brake, the rear one with REAR of the pressure. In
the direction of the turn (understeer) the inner rear wheel brakes. For a front brake the pressure of a moment is

    p = 2 |M| / track wheel_radius / torque_per_pressure

and it decreases where the slip of the wheel exceeds `max_slip`. The throttle closes with the error. The controller acts only above
`min_speed` and only in forward travel.
"""

from __future__ import annotations

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind

FRONT = 0
"""First axle."""
REAR = 0.3
"""Torque of the outer rear brake over that of the outer front brake."""

PARAMETERS = (
    Field("wheel_radius", Number("m", 0.05, 5.0), "rolling radius of the wheels"),
    Field("wheelbase", Number("m", 0.1, 100.0), "distance from the first axle to the last"),
    Field("track", Number("m", 0.1, 10.0), "distance between the wheels of an axle"),
    Field("steering_ratio", Number("1", 1.0, 100.0), "angle of the steering wheel over that of the front wheels"),
    Field("characteristic_speed", Number("m/s", 1.0, 1000.0), "speed at which the yaw response is half that of a neutral vehicle"),
    Field("torque_per_pressure", Number("m3", 1e-7, 1.0), "torque of a front brake over its pressure"),
    Field("rear_share", Number("1", 0.01, 100.0), "torque per pressure of a rear brake over that of a front brake", 0.6),
    Field("min_speed", Number("m/s", 0.0, 50.0), "minimum speed for control", 4.0),
    Field("filter_time", Number("s", 0.0, 1.0), "time constant of the filters of target yaw rate, speed and acceleration", 0.03),
    Field("reserve", Number("m/s2", 0.0, 20.0), "margin of the target yaw rate above the measured lateral acceleration", 2.0),
    Field("leak", Number("s", 0.01, 100.0), "time constant of the decay of the sideslip", 1.5),
    Field("yaw_start", Number("rad/s", 0.0, 10.0), "error of the yaw rate above which the controller acts", 0.06),
    Field("yaw_gain", Number("N m s/rad", 0.0, 1e7), "moment per error beyond yaw_start", 40000.0),
    Field("slip_start", Number("rad", 0.0, 1.0), "sideslip above which the controller acts", 0.05),
    Field("slip_gain", Number("N m/rad", 0.0, 1e7), "moment per sideslip beyond slip_start", 60000.0),
    Field("understeer_share", Number("1", 0.0, 1.0), "fraction of the moment that is applied in understeer", 0.3),
    Field("max_slip", Number("1", 0.01, 1.0), "slip of a wheel above which its pressure decreases", 0.15),
    Field("max_pressure", Number("Pa", 0.0, 1e8), "maximum pressure", 1e7),
    Field("throttle_gain", Number("s/rad", 0.0, 1000.0), "reduction of the throttle per error beyond yaw_start", 4.0),
)

STATE = (
    # name            shape      unit     what it is
    ("speed", (), "m/s", "estimated speed of the vehicle from the wheels"),
    ("lateral_acceleration", (), "m/s2", "filtered lateral acceleration"),
    ("yaw_rate", (), "rad/s", "filtered yaw rate"),
    ("yaw_rate_wanted", (), "rad/s", "target yaw rate"),
    ("sideslip", (), "rad", "sideslip estimated from the sensors, + = the vehicle moves to the left of its heading"),
    ("moment", (), "N m", "requested yaw moment, + = to the left"),
    ("throttle_limit", (), "1", "maximum throttle"),
    ("active", (), "1", "1 while the controller brakes a wheel"),
    ("slip", (WHEELS,), "1", "slip of the wheel, + = braking"),
    ("pressure", (WHEELS,), "Pa", "requested pressure"),
)

P, S, I, O = dtype_of(rows(PARAMETERS)), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def stability(parameters, state, seen, result, first, count, h):
    """Update the stability control."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    follow_motion(p, s, k, count, h)
    acts = s["speed"] > p["min_speed"] and k["selector"] >= 0
    error = s["yaw_rate"] - s["yaw_rate_wanted"]
    beyond = beyond_zone(error, p["yaw_start"])
    # a positive error turns the vehicle to the left of the target; in a left turn with the tail out the sideslip is negative
    moment = -p["yaw_gain"] * beyond + p["slip_gain"] * beyond_zone(s["sideslip"], p["slip_start"])
    s["moment"] = moment if acts else 0.0
    distribute_moment(p, s, k, count)
    s["throttle_limit"] = max(0.0, 1.0 - p["throttle_gain"] * abs(beyond)) if acts else 1.0
    out["throttle_limit"] = s["throttle_limit"]
    s["active"] = 0.0
    for i in range(count):
        out["pressure"][i] = s["pressure"][i]
        if s["pressure"][i] > 0.0:
            s["active"] = 1.0


@inline
def beyond_zone(x, zone):
    """Return the part of x outside a dead zone around zero."""
    return x - min(zone, max(-zone, x))


@inline
def follow_motion(p, s, k, count, h):
    """Update speed, yaw rates and sideslip."""
    smoothing, total, weights = h / (p["filter_time"] + h), 0.0, 0.0
    for i in range(count):
        weight = 1.0 if s["pressure"][i] == 0.0 else 0.02
        total, weights = total + weight * p["wheel_radius"] * k["wheel_speed"][i], weights + weight
    measured = total / weights
    if k["begins"] == 1:
        s["speed"], s["yaw_rate"], s["lateral_acceleration"] = measured, k["yaw_rate"], k["lateral_acceleration"]
    s["speed"] += smoothing * (measured - s["speed"])
    s["yaw_rate"] += smoothing * (k["yaw_rate"] - s["yaw_rate"])
    s["lateral_acceleration"] += smoothing * (k["lateral_acceleration"] - s["lateral_acceleration"])
    v = max(s["speed"], 1.0)
    wanted = v * k["steering_wheel_angle"] / (p["steering_ratio"] * p["wheelbase"] * (1.0 + (v / p["characteristic_speed"]) ** 2))
    limit = (abs(s["lateral_acceleration"]) + p["reserve"]) / v
    s["yaw_rate_wanted"] += smoothing * (min(limit, max(-limit, wanted)) - s["yaw_rate_wanted"])
    change = s["lateral_acceleration"] / v - s["yaw_rate"]
    s["sideslip"] = (s["sideslip"] + h * change) / (1.0 + h / p["leak"]) if s["speed"] > p["min_speed"] else 0.0
    for i in range(count):
        # in a turn the target speed of a wheel is the ground speed at its side
        local = v - 0.5 * k["side"][i] * p["track"] * s["yaw_rate"]
        s["slip"][i] = 1.0 - p["wheel_radius"] * k["wheel_speed"][i] / max(local, 1.0)


@inline
def distribute_moment(p, s, k, count):
    """Compute the pressures for the moment; the left wheels produce a positive moment."""
    against = s["moment"] * s["yaw_rate"] < 0.0
    magnitude = abs(s["moment"]) if against else p["understeer_share"] * abs(s["moment"])
    pressure = 2.0 * magnitude * p["wheel_radius"] / (p["track"] * p["torque_per_pressure"])
    for i in range(count):
        factor = 0.0
        if k["side"][i] * s["moment"] > 0.0:
            if k["axle"][i] == FRONT:
                factor = 1.0 if against else 0.0
            else:
                factor = (REAR if against else 1.0) / p["rear_share"]
        excess = max(0.0, s["slip"][i] - p["max_slip"]) / p["max_slip"]
        s["pressure"][i] = min(factor * pressure, p["max_pressure"]) * max(0.0, 1.0 - excess)


KIND = ControllerKind(
    "esc",
    PARAMETERS,
    STATE,
    stability,
    CONTRACT,
    LAYOUT,
    rate=100.0,
    meaning="electronic stability control by the brakes of single wheels and the throttle",
)
