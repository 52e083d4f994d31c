"""Drive control of a vehicle with electric motors: type `electric_drive` of the list `controllers` of a vehicle file.

The accelerator requests a fraction of `front_torque` or `rear_torque` per wheel, in the direction of the selector; the motors have limits
of their own. With the accelerator released the motors brake by `coast_share` of their maximum braking torque, `front_regeneration`,
`rear_regeneration`, faded in over `pedal_zone`. This request changes by `torque_rate` at most, which limits the jerk; the brake pedal ends
driving at once.

The brake pedal requests the torque of its pressure, T_b = pressure x torque_per_pressure. The motors supply it up to their maximum, and the
friction brakes supply the rest of the present demand:

    order = -min(T_b, regeneration) fade,       limit of the pressure = (T_b - torque of the motors against the motion) / torque_per_pressure

fade rises from 0 at `min_speed` to 1 at `full_speed`. The motors brake less from a slip of `max_slip` on, and no longer from twice this slip
on, so that anti-lock brakes can control the friction brake. The slip is the difference of the slowest wheel of the axle to the fastest wheel
over max(v, slow_speed): a differential gives both wheels the same torque, so the motor would turn a wheel without grip backward; the
vibration of the wheels at walking pace is no slip. While a brake has less pressure than pedal and motors leave to it, anti-lock brakes act.
The motors then stop braking within STOP_TIME, and return within RETURN_TIME.
"""

from __future__ import annotations

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind
from vehicles.controllers.vehicle_fields import WHEEL_RADIUS

HELD, HYDRAULIC_TIME = 0.7, 0.06
"""1, s. Part of the expected pressure of a brake below which anti-lock brakes act, and time constant with which an expected pressure rises.
Larger, smaller: the delay of the hydraulics counts as well."""
MIN_PRESSURE = 3e5
"""Pa. Smallest expected pressure that counts."""
STOP_TIME, RETURN_TIME = 0.1, 0.5
"""s, s. Times in which the motors stop braking under anti-lock control and return afterwards; assumed."""

PARAMETERS = (
    WHEEL_RADIUS,
    Field("front_torque", Number("N m", 0.0, 1e6), "torque on a wheel of the first axle at the full pedal", 0.0),
    Field("rear_torque", Number("N m", 0.0, 1e6), "torque on a wheel of the other axles at the full pedal", 0.0),
    Field("front_regeneration", Number("N m", 0.0, 1e6), "maximum braking torque of the motors on a wheel of the first axle", 0.0),
    Field("rear_regeneration", Number("N m", 0.0, 1e6), "maximum braking torque of the motors on a wheel of the other axles", 0.0),
    Field("coast_share", Number("1", 0.0, 1.0), "fraction of this torque without pedals", 0.25),
    Field("pedal_zone", Number("1", 0.001, 1.0), "accelerator travel over which coasting torque fades out", 0.08),
    Field("torque_rate", Number("N m/s", 1.0, 1e9), "maximum rate of the torque on a wheel that the accelerator requests", 1e9),
    Field("front_torque_per_pressure", Number("m3", 1e-7, 1.0), "torque of a brake of the first axle over its pressure"),
    Field("rear_torque_per_pressure", Number("m3", 1e-7, 1.0), "torque of a brake of the other axles over its pressure"),
    Field("min_speed", Number("m/s", 0.0, 100.0), "minimum speed for motor braking", 1.0),
    Field("full_speed", Number("m/s", 0.01, 100.0), "speed above which motors brake with their full torque", 3.0),
    Field("max_slip", Number("1", 0.0, 1.0), "slip of a wheel above which motors brake it less; from twice this slip on, not at all", 0.1),
    Field("slow_speed", Number("m/s", 0.1, 20.0), "speed below which this slip refers to this speed", 8.0),
)
STATE = (
    # name          shape      unit     what it is
    ("speed", (), "m/s", "speed of the fastest wheel"),
    ("stopped", (), "1", "part of the motor braking that has stopped because anti-lock brakes act"),
    ("accelerator", (WHEELS,), "N m", "torque requested by the accelerator, + = forward in the direction of the selector"),
    ("torque", (WHEELS,), "N m", "requested torque of the motors, + = forward"),
    ("braking", (WHEELS,), "N m", "torque requested by the brake pedal"),
    ("friction", (WHEELS,), "N m", "part of this torque supplied by the friction brakes"),
    ("expected", (WHEELS,), "Pa", "pressure that pedal and motors leave to the brake, with the delay of the hydraulics"),
)

P, S, I, O = dtype_of(rows(PARAMETERS)), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def electric_drive(parameters, state, seen, result, first, count, h):
    """Update the drive control."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    s["speed"] = 0.0
    for i in range(count):
        s["speed"] = max(s["speed"], p["wheel_radius"] * k["wheel_speed"][i])
    fade = min(1.0, max(0.0, (s["speed"] - p["min_speed"]) / max(p["full_speed"] - p["min_speed"], 1e-3)))
    change = h / STOP_TIME if anti_lock_acts(p, s, k, count, h) else -h / RETURN_TIME
    s["stopped"] = min(1.0, max(0.0, s["stopped"] + change))
    for i in range(count):
        drive_wheel(p, s, k, out, i, count, fade, h)


@inline
def anti_lock_acts(p, s, k, count, h):
    """Return True if a brake has less pressure than the pedal and the motors left to it at the last update."""
    acts = False
    for i in range(count):
        per_pressure = p["front_torque_per_pressure"] if k["axle"][i] == 0 else p["rear_torque_per_pressure"]
        left = min(k["axle_pressure"][i], s["friction"][i] / per_pressure)
        s["expected"][i] = min(left, s["expected"][i] + h / (HYDRAULIC_TIME + h) * (left - s["expected"][i]))
        acts = acts or (s["expected"][i] > MIN_PRESSURE and k["wheel_pressure"][i] < HELD * s["expected"][i])
    return acts


@inline
def slowest_of_axle(k, i, count):
    """Return the speed [rad/s] of the slowest wheel on the axle of wheel i: a differential gives both wheels of an axle the same torque."""
    slowest = k["wheel_speed"][i]
    for j in range(count):
        if k["axle"][j] == k["axle"][i]:
            slowest = min(slowest, k["wheel_speed"][j])
    return slowest


@inline
def accelerator_torque(p, s, k, i, fade, h):
    """Update the torque that the accelerator requests on wheel i, and return its driving and its coasting part."""
    drive, maximum = (p["front_torque"], p["front_regeneration"]) if k["axle"][i] == 0 else (p["rear_torque"], p["rear_regeneration"])
    pressed = k["throttle"] if k["brake"] <= 0.0 else 0.0
    coast = fade * p["coast_share"] * maximum * max(0.0, 1.0 - k["throttle"] / p["pedal_zone"])
    last = s["accelerator"][i] if k["brake"] <= 0.0 else min(0.0, s["accelerator"][i])
    step = h * p["torque_rate"]
    s["accelerator"][i] = min(last + step, max(last - step, drive * pressed - coast))
    return max(0.0, s["accelerator"][i]), max(0.0, -s["accelerator"][i])


@inline
def drive_wheel(p, s, k, out, i, count, fade, h):
    """Compute the motor torque on wheel i, and the remaining torque of its friction brake."""
    front = k["axle"][i] == 0
    maximum = p["front_regeneration"] if front else p["rear_regeneration"]
    per_pressure = p["front_torque_per_pressure"] if front else p["rear_torque_per_pressure"]
    slip = (s["speed"] - p["wheel_radius"] * slowest_of_axle(k, i, count)) / max(s["speed"], p["slow_speed"])
    share = (1.0 - s["stopped"]) * min(1.0, max(0.0, 2.0 - slip / max(p["max_slip"], 1e-9)))
    braking = k["axle_pressure"][i] * per_pressure
    driving, coasting = accelerator_torque(p, s, k, i, fade, h)
    s["torque"][i] = k["selector"] * (driving - share * min(fade * maximum, fade * braking + coasting))
    # motor torque beyond coasting counts as braking
    done = max(0.0, -k["selector"] * k["motor_torque"][i] - coasting)
    s["braking"][i], s["friction"][i] = braking, max(0.0, braking - done)
    out["motor_torque"][i] = s["torque"][i]
    if done > 0.0 and braking > 0.0:
        out["pressure_limit"][i] = s["friction"][i] / per_pressure


KIND = ControllerKind(
    "electric_drive",
    PARAMETERS,
    STATE,
    electric_drive,
    CONTRACT,
    LAYOUT,
    rate=200.0,
    meaning="electric motors controlled by the pedals: driving, regeneration, and friction brakes for the rest",
)
