"""Electronic stability control: type `esc` of the list `controllers` of a vehicle file.

The controller compares yaw rate and sideslip with those of a reference vehicle, and brakes single wheels.

Reference: the linear single-track vehicle with mass m, yaw inertia I, distances a and b of the axles from the center of mass, L = a + b, and
cornering stiffness C_f of the first axle. C_r follows from the characteristic speed v_ch [Rajamani 2012, Vehicle Dynamics and Control, ch. 2
and eqs 8.6 to 8.9; std]. Its steering angle is limited to the lateral acceleration that the friction mu allows in a steady turn:

    |delta| <= (mu + MARGIN) g (L / v^2 + L / v_ch^2),      C_r = a / (b / C_f - L^2 / (m v_ch^2))

The brakes that other controllers and the pedal operate cause the yaw moment M_o. The steering angle delta_o holds the car straight against
it [calc]. The reference ignores this part of the steering, from 0 to delta_o, because the driver does not want to turn with it:

    M_o + a F_f - b F_r = 0,      F_f + F_r = 0      =>      delta_o = -M_o / L (1 / C_f + 1 / C_r)

Friction: mu is the friction in use, sqrt(a_x^2 + a_y^2) / g, when that is larger than mu. While the errors or the slip of braked wheels show
saturation, mu falls toward the friction in use. Otherwise mu rises slowly. [std]

Sideslip: a constant sideslip is invisible in the kinematics v_y' = a_y - v r, but not in the forces. The forces of the axles follow from the
equations of motion, their slip angles from the inverse of the tire curve of Fiala, and each slip angle gives the lateral speed [calc]:

    F_f = (b m a_y + I r' - M_b) / L    alpha = 3 mu F_z / C (1 - cbrt(1 - |F| / (mu F_z))) sign(F)
    F_r = (a m a_y - I r' + M_b) / L    v_y = v tan(delta - alpha_f) - a r,      v_y = b r - v tan(alpha_r)

M_b is the moment of all brakes. The axle that slides more counts. The estimate follows the kinematics above CROSSOVER and the forces
below. Beyond SATURATED of the friction a force gives only a minimum of |alpha|; where the estimate already exceeds this minimum, the
kinematics continue alone, so a slide at the limit is not forgotten.

Control: the controller engages when the yaw rate differs by more than yaw_start + YAW_SHARE |r_d|, or the sideslip with its lead by more than
slip_start or atan(0.02 mu g) [Rajamani 2012, eq. 8.13; std]. It ends after both errors have been small for CALM_TIME. In between,

    M = -yaw_gain dead(r - r_d, YAW_END) + slip_gain dead(beta - beta_d + SLIP_LEAD (beta - beta_d)', SLIP_END)

with dead(x, d) = x - clamp(x, -d, d). Against the turn or a sideslip (oversteer) the outer front wheel brakes, in the direction of the turn
(understeer) the inner rear wheel [van Zanten 2000, SAE 2000-01-1633; std]. For a front brake the pressure is

    p = 2 |M| / track wheel_radius / torque_per_pressure

and it decreases where the slip of the wheel exceeds `max_slip`. The throttle closes with the moment. The controller acts only above `min_speed`
and only in forward travel.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind
from vehicles.controllers.vehicle_fields import CHARACTERISTIC_SPEED, STEERING_RATIO, WHEEL_RADIUS, WHEELBASE

FRONT = 0
"""First axle."""
GRAVITY = 9.81
"""m/s2. Standard value: a controller has no map of gravity."""
MARGIN = 0.075
"""1. Margin of the reference above the estimated friction [std: 0.05 to 0.1]."""
MIN_FRICTION, NOMINAL_FRICTION = 0.15, 1.0
"""1. Smallest estimate of the friction [std], and the estimate at the start, to which it rises; assumed."""
FALL_TIME = 0.3
"""s. Time constant with which the estimated friction falls to the friction in use; assumed."""
RISE_RATE = 0.05
"""1/s. Rate at which the estimated friction rises; assumed."""
CROSSOVER = 2.0 * math.pi * 0.5
"""rad/s. Frequency below which the sideslip follows the forces [std]."""
SATURATED = 0.85
"""1. Fraction of the friction beyond which a force gives only a minimum of the slip angle; assumed."""
YAW_SHARE = 0.1
"""1. Part of the reference added to yaw_start [std]."""
YAW_END, SLIP_END, CALM_TIME = math.radians(1.5), math.radians(2.0), 0.2
"""rad/s, rad, s. Errors below which control ends, and for how long [std]."""
SLIP_LEAD = 0.3
"""s. Weight of the rate of the sideslip error [std: 0.5]."""
SPEED_MARGIN = 2.0
"""m/s2. Margin of the rate of the estimated speed beyond the measured acceleration: for slopes of 20 %; assumed."""
SLOW, SLOWEST = 8.0, 1.0
"""m/s. Speed below which the errors may be larger, in inverse proportion to it; assumed. Smallest speed in divisions."""
GRIP = 1.5
"""1. Largest braking force over friction times static load: the outer wheels carry more than their static load; assumed."""

REAR_LEAST = 0.1
"""1. Smallest distance per cornering stiffness of the last axle over that of the first one; a smaller characteristic speed is not possible."""

PARAMETERS = (
    WHEEL_RADIUS,
    WHEELBASE,
    Field("track", Number("m", 0.1, 10.0), "distance between the wheels of an axle"),
    Field("mass", Number("kg", 1.0, 1e6), "mass of the vehicle; default: mid-size car", 1600.0),
    Field("yaw_inertia", Number("kg m2", 1.0, 1e8), "moment of inertia about the vertical axis; default: mid-size car", 2900.0),
    Field("rear_distance", Number("1", 0.05, 0.95), "distance from the center of mass to the last axle over the wheelbase", 0.5),
    Field(
        "front_stiffness",
        Number("N/rad", 1e3, 1e8),
        "lateral force of the first axle per slip angle, with the compliance of the steering; default: mid-size car",
        9e4,
    ),
    Field("sensor_position", Number("m", -50.0, 50.0), "distance of the accelerometers ahead of the center of mass", 0.0),
    STEERING_RATIO,
    CHARACTERISTIC_SPEED,
    Field("torque_per_pressure", Number("m3", 1e-7, 1.0), "torque of a front brake over its pressure"),
    Field("rear_share", Number("1", 0.01, 100.0), "torque per pressure of a rear brake over that of a front brake", 0.6),
    Field("min_speed", Number("m/s", 0.0, 50.0), "minimum speed for control", 2.5),
    Field("filter_time", Number("s", 0.0, 1.0), "time constant of the filters of target yaw rate, speed and acceleration", 0.03),
    Field("yaw_start", Number("rad/s", 0.0, 10.0), "error of the yaw rate above which the controller engages", 0.07),
    Field("yaw_gain", Number("N m s/rad", 0.0, 1e7), "moment per error of the yaw rate", 40000.0),
    Field("slip_start", Number("rad", 0.0, 1.0), "maximum sideslip error above which the controller engages", 0.05),
    Field("slip_gain", Number("N m/rad", 0.0, 1e7), "moment per sideslip error", 60000.0),
    Field("understeer_share", Number("1", 0.0, 1.0), "fraction of the moment that is applied in understeer", 0.3),
    Field("max_slip", Number("1", 0.01, 1.0), "slip of a wheel above which its pressure decreases", 0.15),
    Field("max_pressure", Number("Pa", 0.0, 1e8), "maximum pressure", 1e7),
    Field("throttle_gain", Number("s/rad", 0.0, 1000.0), "reduction of the throttle per moment over yaw_gain", 4.0),
)

STATE = (
    # name            shape      unit     what it is
    ("speed", (), "m/s", "estimated speed of the vehicle from the wheels"),
    ("longitudinal_acceleration", (), "m/s2", "filtered longitudinal acceleration"),
    ("lateral_acceleration", (), "m/s2", "filtered lateral acceleration"),
    ("yaw_rate", (), "rad/s", "filtered yaw rate"),
    ("yaw_acceleration", (), "rad/s2", "rate of the filtered yaw rate"),
    ("model_lateral_speed", (), "m/s", "lateral speed of the reference vehicle"),
    ("model_yaw_rate", (), "rad/s", "yaw rate of the reference vehicle"),
    ("yaw_rate_wanted", (), "rad/s", "target yaw rate"),
    ("sideslip_wanted", (), "rad", "target sideslip"),
    ("lateral_speed", (), "m/s", "estimated lateral speed"),
    ("sideslip", (), "rad", "sideslip estimated from the sensors, + = the vehicle moves to the left of its heading"),
    ("sideslip_error", (), "rad", "sideslip minus its target"),
    ("sideslip_lead", (), "rad", "error of the sideslip with the lead of its rate"),
    ("friction", (), "1", "estimated friction"),
    ("engaged", (), "1", "1 while the errors are controlled"),
    ("calm", (), "s", "time for which the errors have been small"),
    ("moment", (), "N m", "requested yaw moment, + = to the left"),
    ("brake_moment", (), "N m", "yaw moment of the requested pressures"),
    ("other_brake_moment", (), "N m", "yaw moment of the other pressures: pedal, other controllers"),
    ("throttle_limit", (), "1", "maximum throttle"),
    ("active", (), "1", "1 while the controller brakes a wheel"),
    ("slip", (WHEELS,), "1", "slip of the wheel, + = braking"),
    ("pressure", (WHEELS,), "Pa", "requested pressure"),
    ("own_pressure", (WHEELS,), "Pa", "part of the pressure at the brake that this controller requested"),
)

P, S, I, O = dtype_of(rows(PARAMETERS)), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def stability(parameters, state, seen, result, first, count, h):
    """Update the stability control."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    follow_motion(p, s, k, count, h)
    follow_other_brakes(p, s, k, count)
    steering = math.tan(k["steering_wheel_angle"] / p["steering_ratio"])
    follow_reference(p, s, turning_part(p, s, steering), h)
    estimate_sideslip(p, s, steering, h)
    estimate_friction(p, s, k, count, h)
    engage(p, s, k, h)
    request_moment(p, s)
    distribute_moment(p, s, k, count)
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
    """Update speed, accelerations, yaw rate and slip of the wheels."""
    smoothing, total, weights = h / (p["filter_time"] + h), 0.0, 0.0
    for i in range(count):
        weight = 1.0 if s["pressure"][i] == 0.0 else 0.02
        total, weights = total + weight * p["wheel_radius"] * k["wheel_speed"][i], weights + weight
    measured = total / weights
    if k["begins"] == 1:
        s["speed"], s["yaw_rate"], s["model_yaw_rate"], s["yaw_rate_wanted"] = measured, k["yaw_rate"], k["yaw_rate"], k["yaw_rate"]
        s["lateral_acceleration"], s["longitudinal_acceleration"] = k["lateral_acceleration"], k["longitudinal_acceleration"]
        s["friction"], s["calm"] = NOMINAL_FRICTION, CALM_TIME
    change = smoothing * (k["yaw_rate"] - s["yaw_rate"])
    s["yaw_rate"], s["yaw_acceleration"] = s["yaw_rate"] + change, change / h
    # accelerations of the center of mass
    forward = k["longitudinal_acceleration"] + p["sensor_position"] * s["yaw_rate"] ** 2
    s["longitudinal_acceleration"] += smoothing * (forward - s["longitudinal_acceleration"])
    at_sensor = s["lateral_acceleration"] + p["sensor_position"] * s["yaw_acceleration"]
    s["lateral_acceleration"] += smoothing * (k["lateral_acceleration"] - at_sensor)
    most = h * (abs(s["longitudinal_acceleration"]) + SPEED_MARGIN)
    s["speed"] += min(most, max(-most, smoothing * (measured - s["speed"])))
    for i in range(count):
        # in a turn the target speed of a wheel is the ground speed at its side
        local = s["speed"] - 0.5 * k["side"][i] * p["track"] * s["yaw_rate"]
        s["slip"][i] = 1.0 - p["wheel_radius"] * k["wheel_speed"][i] / max(local, SLOWEST)


@inline
def follow_other_brakes(p, s, k, count):
    """Update the yaw moment of the brakes that this controller does not operate; the left wheels produce a positive moment."""
    s["other_brake_moment"] = 0.0
    for i in range(count):
        present = k["wheel_pressure"][i]
        # after the end of a request the valves need time to release its pressure
        s["own_pressure"][i] = max(s["pressure"][i], min(s["own_pressure"][i], present))
        other = max(0.0, present - s["own_pressure"][i])
        s["other_brake_moment"] += k["side"][i] * moment_per_pressure(p, k["axle"][i]) * other


@inline
def moment_per_pressure(p, axle):
    """Return the yaw moment of a wheel of an axle per brake pressure [m3]."""
    return 0.5 * p["track"] * p["torque_per_pressure"] / p["wheel_radius"] * (1.0 if axle == FRONT else p["rear_share"])


@inline
def turning_part(p, s, steering):
    """Return the steering (tangent of the angle of the front wheels) without the part that balances the moment of the other brakes."""
    balance = -s["other_brake_moment"] / p["wheelbase"] * (1.0 / p["front_stiffness"] + 1.0 / rear_stiffness(p))
    return steering - min(max(steering, min(balance, 0.0)), max(balance, 0.0))


@inline
def follow_reference(p, s, steering, h):
    """Advance the reference vehicle by an implicit step of h seconds, and update the targets; steering : tangent of the angle of the front wheels."""
    v, L, m, inertia = max(s["speed"], SLOWEST), p["wheelbase"], p["mass"], p["yaw_inertia"]
    b = p["rear_distance"] * L
    a = L - b
    slow = L / p["characteristic_speed"] ** 2
    front = p["front_stiffness"]
    rear = rear_stiffness(p)
    limit = (s["friction"] + MARGIN) * GRAVITY * (L / v**2 + slow)
    delta = min(limit, max(-limit, steering))
    turn = a * front - b * rear
    A, B = 1.0 + h * (front + rear) / (m * v), h * (v + turn / (m * v))
    C, D = h * turn / (inertia * v), 1.0 + h * (a * a * front + b * b * rear) / (inertia * v)
    f, g = s["model_lateral_speed"] + h * front / m * delta, s["model_yaw_rate"] + h * a * front / inertia * delta
    determinant = A * D - B * C
    s["model_lateral_speed"], s["model_yaw_rate"] = (D * f - B * g) / determinant, (A * g - C * f) / determinant
    smoothing = h / (p["filter_time"] + h)
    s["yaw_rate_wanted"] += smoothing * (s["model_yaw_rate"] - s["yaw_rate_wanted"])
    s["sideslip_wanted"] += smoothing * (math.atan(s["model_lateral_speed"] / v) - s["sideslip_wanted"])


@inline
def rear_stiffness(p):
    """Return the cornering stiffness of the last axle [N/rad] that gives the characteristic speed."""
    L, b = p["wheelbase"], p["rear_distance"] * p["wheelbase"]
    front = b / p["front_stiffness"]
    return (L - b) / max(front - L**2 / (p["mass"] * p["characteristic_speed"] ** 2), REAR_LEAST * front)


@inline
def slip_angle(force, stiffness, most):
    """Return (slip angle [rad], 1 if it is a minimum because the axle is saturated), by the inverse of the curve of Fiala.

    force, most : N, lateral force and its maximum; stiffness : N/rad
    """
    used = min(SATURATED, abs(force) / most)
    slip = 3.0 * most / stiffness * (1.0 - (1.0 - used) ** (1.0 / 3.0))
    return math.copysign(slip, force), 1.0 if used == SATURATED else 0.0


@inline
def estimate_sideslip(p, s, steering, h):
    """Update lateral speed and sideslip from accelerations, yaw rate and steering."""
    v, L, m = max(s["speed"], SLOWEST), p["wheelbase"], p["mass"]
    b = p["rear_distance"] * L
    a, grip = L - b, s["friction"] * m * GRAVITY / L
    lateral, turning = m * s["lateral_acceleration"], p["yaw_inertia"] * s["yaw_acceleration"] - s["brake_moment"] - s["other_brake_moment"]
    side = math.copysign(1.0, lateral)
    front, front_full = slip_angle((b * lateral + turning) / L, p["front_stiffness"], grip * b)
    rear, rear_full = slip_angle((a * lateral - turning) / L, rear_stiffness(p), grip * a)
    by_front = v * math.tan(math.atan(steering) - front) - a * s["yaw_rate"]
    by_rear = b * s["yaw_rate"] - v * math.tan(rear)
    # the axle that slides more determines the sideslip: a saturated axle may slide more than its force shows, never less
    apart, full = (by_front, front_full) if side * by_front < side * by_rear else (by_rear, rear_full)
    apart -= s["lateral_speed"]
    if full == 1.0 and side * apart > 0.0:
        apart = 0.0
    s["lateral_speed"] += h * (s["lateral_acceleration"] - v * s["yaw_rate"] + CROSSOVER * apart)
    if s["speed"] < p["min_speed"]:
        s["lateral_speed"] = v * math.tan(s["sideslip_wanted"])
    s["sideslip"] = math.atan(s["lateral_speed"] / v)
    error = s["sideslip"] - s["sideslip_wanted"]
    s["sideslip_lead"] = error + SLIP_LEAD * (error - s["sideslip_error"]) / h
    s["sideslip_error"] = error


@inline
def estimate_friction(p, s, k, count, h):
    """Update the estimated friction."""
    use = math.hypot(s["longitudinal_acceleration"], s["lateral_acceleration"]) / GRAVITY
    saturated = are_large(p, s)
    for i in range(count):
        saturated = saturated or (k["brake"] > 0.0 and s["slip"][i] > p["max_slip"])
    if use > s["friction"]:
        s["friction"] = use
    elif saturated:
        s["friction"] = max(MIN_FRICTION, s["friction"] + h / FALL_TIME * (use - s["friction"]))
    else:
        s["friction"] = max(s["friction"], min(NOMINAL_FRICTION, s["friction"] + RISE_RATE * h))


@inline
def are_large(p, s):
    """Return True if the errors are large enough to start control; errors of the angles weigh more at low speed."""
    slow, wanted = max(1.0, SLOW / max(s["speed"], SLOWEST)), abs(s["yaw_rate_wanted"])
    limit = min(p["slip_start"], math.atan(0.02 * s["friction"] * GRAVITY))
    error = abs(s["yaw_rate"] - s["yaw_rate_wanted"])
    return error > p["yaw_start"] * slow + YAW_SHARE * wanted or abs(s["sideslip_lead"]) > limit * slow


@inline
def engage(p, s, k, h):
    """Start and end the control of the errors."""
    if are_large(p, s):
        s["engaged"] = 1.0
    error = abs(s["yaw_rate"] - s["yaw_rate_wanted"])
    s["calm"] = s["calm"] + h if error < YAW_END and abs(s["sideslip_error"]) < SLIP_END else 0.0
    if s["calm"] >= CALM_TIME or s["speed"] < p["min_speed"] or k["selector"] < 0:
        s["engaged"] = 0.0


@inline
def request_moment(p, s):
    """Compute the yaw moment and the limit of the throttle."""
    if s["engaged"] == 0.0:
        s["moment"], s["throttle_limit"] = 0.0, 1.0
        return
    # a positive error turns the vehicle to the left of the target; in a left turn with the tail out the sideslip is negative
    error = s["yaw_rate"] - s["yaw_rate_wanted"]
    s["moment"] = p["slip_gain"] * beyond_zone(s["sideslip_lead"], SLIP_END) - p["yaw_gain"] * beyond_zone(error, YAW_END)
    s["throttle_limit"] = max(0.0, 1.0 - p["throttle_gain"] * abs(s["moment"]) / max(p["yaw_gain"], 1.0))


@inline
def distribute_moment(p, s, k, count):
    """Compute the pressures for the moment; the left wheels produce a positive moment."""
    # oversteer: against the turn, or against a sideslip
    against = s["moment"] * s["yaw_rate"] < 0.0 or s["moment"] * beyond_zone(s["sideslip_error"], SLIP_END) > 0.0
    magnitude = abs(s["moment"]) if against else p["understeer_share"] * abs(s["moment"])
    pressure = 2.0 * magnitude * p["wheel_radius"] / (p["track"] * p["torque_per_pressure"])
    load = 0.5 * p["mass"] * GRAVITY * (p["rear_distance"] if against else 1.0 - p["rear_distance"])
    grip = GRIP * s["friction"] * load * p["wheel_radius"] / p["torque_per_pressure"]
    s["brake_moment"] = 0.0
    for i in range(count):
        factor = 0.0
        if k["side"][i] * s["moment"] > 0.0 and (k["axle"][i] == FRONT) == against:
            factor = 1.0 if against else 1.0 / p["rear_share"]
        excess = max(0.0, s["slip"][i] - p["max_slip"]) / p["max_slip"]
        s["pressure"][i] = min(factor * min(pressure, grip), p["max_pressure"]) * max(0.0, 1.0 - excess)
        s["brake_moment"] += k["side"][i] * moment_per_pressure(p, k["axle"][i]) * s["pressure"][i]


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
