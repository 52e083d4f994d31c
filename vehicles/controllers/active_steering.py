"""Active front steering and four-wheel steering: types `front_steering` and `rear_steering` of the list `controllers` of a vehicle file.

Both use the linear single-track vehicle: mass m, wheelbase L with the center of mass a behind the front axle and b = L - a before the rear
one, cornering stiffness C_f and C_r of the axles. The speed v is the mean of the wheel speeds, delta_f the angle of the front wheels,
delta_r that of the rear wheels.

**Rear steering** keeps the sideslip of a steady turn at zero, at all speeds, by the ratio [Furukawa, Yuhara, Sano, Takeda and Matsushita
1989, A review of four-wheel steering studies; Sano, Furukawa and Shiraishi 1986, SAE 860625]

    k(v) = (-b + m a v^2 / (C_r L)) / (a + m b v^2 / (C_f L)),      delta_r = share k(v) delta_f

opposite to the front wheels at low speed, in the same direction at high speed. `yaw_gain` T adds T r: the rear wheels follow the yaw rate,
which damps the yaw motion. [Deyo 1989] names four-wheel steering as a case that needs its complete equations, and gives no control law.

**Front steering** adds an angle to the steering wheel angle delta_s. The angle changes the steering ratio with speed, and is increased in
proportion to the error of the yaw rate

    delta_add = (g(v) - 1) delta_s + steering_ratio yaw_gain (r_d - r)         g linear from slow_factor at 0 to fast_factor at fast_speed

with r_d the steady yaw rate for the steering wheel angle, limited by the measured lateral acceleration. The added angle pushes a released
steering wheel back. With 0.15 s as yaw_gain, `sedan_active_steering` weaves without end after a release; with 0.08 s it comes to rest.
"""

from __future__ import annotations

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, ControllerKind
from vehicles.controllers.vehicle_fields import CHARACTERISTIC_SPEED, STEERING_RATIO, WHEEL_RADIUS, WHEELBASE

REAR_PARAMETERS = (
    WHEEL_RADIUS,
    STEERING_RATIO,
    WHEELBASE,
    Field("front_to_center", Number("m", 0.0, 100.0), "distance from the first axle back to the center of mass"),
    Field("mass", Number("kg", 1.0, 1e6), "mass of the vehicle"),
    Field("front_stiffness", Number("N/rad", 1.0, 1e8), "cornering stiffness of the first axle"),
    Field("rear_stiffness", Number("N/rad", 1.0, 1e8), "cornering stiffness of the last axle"),
    Field("share", Number("1", 0.0, 2.0), "fraction of the rear angle that makes the sideslip zero", 1.0),
    Field("yaw_gain", Number("s", -10.0, 10.0), "angle of the rear wheels per yaw rate", 0.0),
    Field("filter_time", Number("s", 0.0, 10.0), "time constant of the speed filter", 0.2),
)
REAR_STATE = (
    ("speed", (), "m/s", "filtered speed of the vehicle"),
    ("ratio", (), "1", "angle of the rear wheels over that of the front ones"),
    ("angle", (), "rad", "requested angle of the rear wheels, + = left"),
)

FRONT_PARAMETERS = (
    WHEEL_RADIUS,
    STEERING_RATIO,
    WHEELBASE,
    CHARACTERISTIC_SPEED,
    Field("slow_factor", Number("1", 0.1, 10.0), "wheel angle at rest over the angle without the controller", 1.5),
    Field("fast_factor", Number("1", 0.1, 10.0), "wheel angle at fast_speed and above over the angle without the controller", 0.8),
    Field("fast_speed", Number("m/s", 0.1, 100.0), "speed at which fast_factor is reached", 35.0),
    Field("yaw_gain", Number("s", 0.0, 10.0), "angle of the front wheels per error of the yaw rate", 0.05),
    Field("reserve", Number("m/s2", 0.0, 20.0), "margin of the target yaw rate above the measured lateral acceleration", 2.0),
    Field("filter_time", Number("s", 0.0, 10.0), "time constant of the filters", 0.03),
)
FRONT_STATE = (
    ("speed", (), "m/s", "filtered speed of the vehicle"),
    ("factor", (), "1", "wheel angle over the angle without the controller"),
    ("yaw_rate", (), "rad/s", "filtered yaw rate"),
    ("yaw_rate_wanted", (), "rad/s", "target yaw rate"),
    ("angle", (), "rad", "angle added to that of the steering wheel, + = left"),
)

RP, RS, FP, FS = dtype_of(rows(REAR_PARAMETERS)), dtype_of(REAR_STATE), dtype_of(rows(FRONT_PARAMETERS)), dtype_of(FRONT_STATE)
I, O = dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@inline
def follow_speed(p, s, k, count, h):
    """Update the filtered mean speed of the wheels in the state; return the speed, at least 1 m/s."""
    v = 0.0
    for i in range(count):
        v += p["wheel_radius"] * k["wheel_speed"][i] / count
    s["speed"] = v if k["begins"] == 1 else s["speed"] + h / (p["filter_time"] + h) * (v - s["speed"])
    return max(s["speed"], 1.0)


@callback
def steer_rear(parameters, state, seen, result, first, count, h):
    """Update the rear steering."""
    p, s = record_at(parameters, RP)[0], record_at(state, RS)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    v = follow_speed(p, s, k, count, h)
    L, a, m = p["wheelbase"], p["front_to_center"], p["mass"]
    b = L - a
    s["ratio"] = p["share"] * (m * a * v * v / (p["rear_stiffness"] * L) - b) / (a + m * b * v * v / (p["front_stiffness"] * L))
    s["angle"] = s["ratio"] * k["steering_wheel_angle"] / p["steering_ratio"] + p["yaw_gain"] * k["yaw_rate"]
    out["rear_angle"] = s["angle"]


@callback
def steer_front(parameters, state, seen, result, first, count, h):
    """Update the front steering."""
    p, s = record_at(parameters, FP)[0], record_at(state, FS)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    weight, hands = h / (p["filter_time"] + h), k["steering_wheel_angle"]
    v = follow_speed(p, s, k, count, h)
    s["factor"] = p["slow_factor"] + min(1.0, s["speed"] / p["fast_speed"]) * (p["fast_factor"] - p["slow_factor"])
    s["yaw_rate"] += weight * (k["yaw_rate"] - s["yaw_rate"])
    wanted = v * s["factor"] * hands / (p["steering_ratio"] * p["wheelbase"] * (1.0 + (v / p["characteristic_speed"]) ** 2))
    limit = (abs(k["lateral_acceleration"]) + p["reserve"]) / v
    s["yaw_rate_wanted"] += weight * (min(limit, max(-limit, wanted)) - s["yaw_rate_wanted"])
    fade = min(1.0, s["speed"] / 5.0)  # at very low speed the yaw rate is negligible
    error = fade * (s["yaw_rate_wanted"] - s["yaw_rate"])
    s["angle"] = (s["factor"] - 1.0) * hands + p["steering_ratio"] * p["yaw_gain"] * error
    out["front_angle"] = s["angle"]


REAR = ControllerKind(
    "rear_steering",
    REAR_PARAMETERS,
    REAR_STATE,
    steer_rear,
    CONTRACT,
    LAYOUT,
    rate=200.0,
    meaning="four-wheel steering: steers the last axle so that the sideslip of a steady turn is zero",
)
FRONT = ControllerKind(
    "front_steering",
    FRONT_PARAMETERS,
    FRONT_STATE,
    steer_front,
    CONTRACT,
    LAYOUT,
    rate=200.0,
    meaning="active front steering: speed-dependent steering ratio and yaw rate control",
)
