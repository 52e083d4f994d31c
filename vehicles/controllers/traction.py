"""Traction control: type `traction` of the list `controllers` of a vehicle file.

All speeds of wheels are those at the center line, v_i + y_i r with the yaw rate r and y_i = +-track / 2: the wheels of a turn roll at
different speeds. The speed of the vehicle is that of its wheels that are not driven (`driven_first`, `driven_last`: first and last driven
axle). If all wheels are driven, it is that of the slowest wheel. At the vehicle speed v, a driven wheel may be faster by

    v_s = max(min_excess, slip v, start_speed - v)

`start_speed` is for a friction clutch. While the vehicle is slow, wheels that roll without slip turn the engine below the speed at which the
driver opens the clutch, and the torque is lost until the clutch has closed again. The wheels need this speed to keep the clutch closed.

The engine or the motors are controlled by a limited integrator with a proportional part:

    x = v_d - v,     e = (x + lead x' - v_s) / max(v_s, min_scale) in [-1, 2]
    I' = -integral_gain e,     limit = I - gain max(e, 0)

I and limit stay in [min_throttle, 1]. `min_scale` bounds the reduction per speed. Half shafts twist, the torque of the engine follows the
throttle late, and the wheel speeds are filtered: an integrator that acts on a small v_s at once would make the torque oscillate, and each
return of the torque would come too late for the clutch. The rate x' lets the torque return while spinning wheels slow down, before the excess is lost: the
inertia of the engine turns the wheels on after the throttle has closed, and the torque returns slowly. v_d is the speed of the slower
driven wheels, because the brakes control the faster ones. If the driven wheels spin up in spite of the brakes, v_d is their mean speed
minus `brake_spare`. Of two driven wheels of an axle the faster one is braked, so that the differential passes the same torque to the
opposite wheel as a partly locked one:

    y = v_i - v_other,     p = brake_gain (y + brake_lead y' - v_s)     up to max_pressure

`brake_spare` and p fade out from fade_speed to a quarter above it.

The controller is active only while the driver opens the throttle and does not brake. The thresholds and the two control paths follow the
textbooks [Robert Bosch GmbH 2014, Brakes, Brake Control and Driver Assistance Systems; mem]; the numeric values were tuned for Jounce.
"""

from __future__ import annotations

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.center_line import center_line_speed
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind
from vehicles.controllers.vehicle_fields import TRACK, WHEEL_RADIUS

PARAMETERS = (
    WHEEL_RADIUS,
    TRACK,
    Field("driven_first", Number("1", 0.0, 15.0), "first driven axle, counted from 0"),
    Field("driven_last", Number("1", 0.0, 15.0), "last driven axle"),
    Field("slip", Number("1", 0.0, 1.0), "allowed slip of a driven wheel", 0.1),
    Field("min_excess", Number("m/s", 0.01, 10.0), "minimum allowed speed of a driven wheel above the vehicle speed", 0.6),
    Field("min_scale", Number("m/s", 0.0, 100.0), "minimum of the speed by which the excess is divided for the throttle control", 0.0),
    Field("start_speed", Number("m/s", 0.0, 100.0), "allowed speed of a driven wheel while the vehicle starts, for a friction clutch", 0.0),
    Field("filter_time", Number("s", 0.0, 1.0), "time constant of the filter of the wheel speeds", 0.02),
    Field("lead", Number("s", 0.0, 1.0), "weight of the rate of the excess for the throttle control", 0.1),
    Field("gain", Number("1", 0.0, 100.0), "reduction of the throttle per excess over max(v_s, min_scale)", 0.15),
    Field("integral_gain", Number("1/s", 0.0, 1000.0), "rate of the further reduction of the throttle", 0.7),
    Field("min_throttle", Number("1", 0.0, 1.0), "minimum throttle", 0.1),
    Field(
        "brake_spare", Number("m/s", 0.0, 100.0), "allowed mean speed of the driven wheels above the vehicle speed while brakes act", 1.5
    ),
    Field("brake_gain", Number("Pa s/m", 0.0), "pressure per speed above that of the opposite wheel", 4e6),
    Field("brake_lead", Number("s", 0.0, 1.0), "weight of the rate of the speed difference of opposite wheels for the brakes", 0.1),
    Field("max_pressure", Number("Pa", 0.0, 1e8), "maximum pressure", 6e6),
    Field("fade_speed", Number("m/s", 0.0, 100.0), "speed above which the brake control fades out", 14.0),
)
STATE = (
    # name            shape      unit     what it is
    ("speed", (), "m/s", "estimated speed of the vehicle from the wheels"),
    ("driven_speed", (), "m/s", "speed of the driven wheels for the throttle control"),
    ("excess", (), "m/s", "driven_speed above speed"),
    ("excess_rate", (), "m/s2", "filtered rate of excess"),
    ("fade", (), "1", "fade factor of the brake control at this speed"),
    ("integral", (), "1", "throttle reduction by the integrator: 1 minus I"),
    ("throttle_limit", (), "1", "maximum throttle"),
    ("active", (), "1", "1 while the controller closes the throttle or brakes a wheel"),
    ("wheel_speed", (WHEELS,), "m/s", "filtered speed of the wheel, at the center line of the vehicle"),
    ("wheel_rate", (WHEELS,), "m/s2", "filtered rate of this speed"),
    ("pressure", (WHEELS,), "Pa", "requested pressure"),
)

P, S, I, O = dtype_of(rows(PARAMETERS)), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def traction(parameters, state, seen, result, first, count, h):
    """Update the traction control."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    follow_wheels(p, s, k, count, h)
    follow_excess(p, s, k, h)
    allowed = max(p["min_excess"], p["slip"] * s["speed"], p["start_speed"] - s["speed"])
    wakes = k["throttle"] > 0.02 and k["brake"] < 0.02
    excess = min(2.0, max(-1.0, (s["excess"] + p["lead"] * s["excess_rate"] - allowed) / max(allowed, p["min_scale"])))
    s["integral"] = min(1.0 - p["min_throttle"], max(0.0, s["integral"] + h * p["integral_gain"] * excess)) if wakes else 0.0
    s["throttle_limit"] = max(p["min_throttle"], 1.0 - s["integral"] - p["gain"] * max(0.0, excess)) if wakes else 1.0
    out["throttle_limit"] = s["throttle_limit"]
    s["active"] = 1.0 if s["throttle_limit"] < 1.0 else 0.0
    for i in range(count):
        s["pressure"][i] = 0.0
        if wakes and is_driven(p, k, i):
            faster = beyond_opposite(p, s, i, opposite(k, i, count))
            s["pressure"][i] = s["fade"] * min(p["max_pressure"], p["brake_gain"] * max(0.0, faster - allowed))
        out["pressure"][i] = s["pressure"][i]
        if s["pressure"][i] > 0.0:
            s["active"] = 1.0


@inline
def is_driven(p, k, i):
    """Return True if wheel i belongs to a driven axle."""
    return p["driven_first"] <= k["axle"][i] <= p["driven_last"]


@inline
def opposite(k, i, count):
    """Return the wheel opposite to wheel i on its axle, or i if there is none."""
    for j in range(max(0, i - 1), min(count, i + 2)):
        if k["axle"][j] == k["axle"][i] and j != i:
            return j
    return i


@inline
def beyond_opposite(p, s, i, other):
    """Return the speed [m/s] of wheel i above that of the opposite wheel, with its lead."""
    rate = s["wheel_rate"][i] - s["wheel_rate"][other]
    return s["wheel_speed"][i] - s["wheel_speed"][other] + p["brake_lead"] * rate


@inline
def follow_excess(p, s, k, h):
    """Update the excess speed of the driven wheels and its rate."""
    before = s["excess"]
    s["excess"] = s["driven_speed"] - s["speed"]
    if k["begins"] == 0:
        s["excess_rate"] += h / (p["filter_time"] + h) * ((s["excess"] - before) / h - s["excess_rate"])


@inline
def follow_wheels(p, s, k, count, h):
    """Update the speeds of the wheels, of the driven wheels and of the vehicle."""
    weight, free, free_wheels, driven, slower, driven_wheels, slowest = h / (p["filter_time"] + h), 0.0, 0, 0.0, 0.0, 0, 1e9
    for i in range(count):
        v = center_line_speed(p, k, i)
        if k["begins"] == 1:
            s["wheel_speed"][i] = v
        change = weight * (v - s["wheel_speed"][i])
        s["wheel_speed"][i] += change
        s["wheel_rate"][i] += weight * (change / h - s["wheel_rate"][i])
    for i in range(count):
        slowest = min(slowest, s["wheel_speed"][i])
        if is_driven(p, k, i):
            driven, driven_wheels = driven + s["wheel_speed"][i], driven_wheels + 1
            slower += min(s["wheel_speed"][i], s["wheel_speed"][opposite(k, i, count)])
        else:
            free, free_wheels = free + s["wheel_speed"][i], free_wheels + 1
    s["speed"] = free / free_wheels if free_wheels > 0 else slowest
    s["fade"] = min(1.0, max(0.0, 1.0 - (s["speed"] - p["fade_speed"]) / (0.25 * p["fade_speed"] + 0.01)))
    s["driven_speed"] = max(slower, driven - s["fade"] * p["brake_spare"] * driven_wheels) / max(driven_wheels, 1)


KIND = ControllerKind(
    "traction",
    PARAMETERS,
    STATE,
    traction,
    CONTRACT,
    LAYOUT,
    rate=100.0,
    meaning="traction control by the throttle or the motors, and by the brakes of driven wheels",
)
