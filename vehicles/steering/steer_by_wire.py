"""Steer by wire: an actuator moves a rack to the position that the steering wheel commands. Nothing connects the two mechanically.

The coordinate is the angle of the steering wheel at which a ratio of 1 commands the position of the rack. The rack follows the command as a
damped oscillator within its largest speed. The ratio may depend on the speed of the vehicle.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Group, Number
from simulator.base.records import Record, dtype_of
from simulator.base.values import Values
from vehicles.steering.contract import CONTRACT, LAYOUT, STEERING_INPUT, STEERING_OUTPUT, SteeredAxle, SteeringKind, own_record
from vehicles.steering.pitman_arm import LOCATION
from vehicles.steering.rack_pinion import RACK_BODY_FILE, rack_body, write_rack

RATIO_POINTS = 8
"""Largest number of points of the ratio over speed."""

RATIO_FILE = (
    Field("speed", Number("m/s", 0.0, 200.0, shape=((2, RATIO_POINTS),), rising=True), "forward speeds"),
    Field("ratio", Number("1", 0.0, 1.0, shape=((2, RATIO_POINTS),)), "rack displacement over that at ratio 1; constant beyond the ends"),
)

STEER_BY_WIRE_FILE = (
    LOCATION,
    Field(
        "max_wheel_angle",
        Number("rad", math.radians(10.0), math.radians(2000.0)),
        "angle of the steering wheel that commands the largest displacement of the rack at ratio 1",
        written="deg",
    ),
    Field(
        "rack_sign", Number("1", -1, 1, whole=True), "1: a steering wheel turned to the left moves the rack to the left; -1: to the right"
    ),
    *RACK_BODY_FILE,
    Field("actuator_frequency", Number("rad/s", 1.0, 500.0), "natural frequency of the actuator that follows the commanded position"),
    Field("actuator_damping", Number("1", 0.1, 5.0), "damping ratio of the actuator", 1.0),
    Field("ratio", Group(RATIO_FILE), "ratio over speed; default: 1", None),
)
"""Keys of `type: steer_by_wire`."""

PARAMETERS = (
    *rows(STEER_BY_WIRE_FILE, "actuator_frequency", "actuator_damping"),
    ("max_rate", (), "rad/s", "largest rate of the coordinate"),
    ("max_angle", (), "rad", "largest angle of the coordinate, at the end of the travel of the rack"),
    ("points", (), "1", "number of points of the ratio over speed; 0: the ratio is 1", "i8"),
    *rows(RATIO_FILE),
)

STATE = (
    ("ratio", (), "1", "present ratio"),
    ("command", (), "rad", "commanded angle of the coordinate, + turns the wheels to the right"),
)

_P, _S, _IN, _OUT = dtype_of(PARAMETERS), dtype_of(STATE), dtype_of(STEERING_INPUT), dtype_of(STEERING_OUTPUT)


@callback
def follow_command(parameters, state, seen, result, first, count, h):
    """Advance the actuator by h seconds toward the commanded position, by backward Euler. The rack stops at the end of its travel."""
    p, s, i, out = record_at(parameters, _P)[0], record_at(state, _S)[0], record_at(seen, _IN)[0], record_at(result, _OUT)[0]
    ratio, last = 1.0, p["points"] - 1
    if last > 0:
        speed, n = min(max(abs(i["speed"]), p["speed"][0]), p["speed"][last]), 0
        while n < last - 1 and speed >= p["speed"][n + 1]:
            n += 1
        part = (speed - p["speed"][n]) / (p["speed"][n + 1] - p["speed"][n])
        ratio = p["ratio"][n] + part * (p["ratio"][n + 1] - p["ratio"][n])
    s["ratio"], s["command"] = ratio, ratio * i["target"]
    w, damping = p["actuator_frequency"], 2.0 * p["actuator_damping"] * p["actuator_frequency"]
    rate = (i["rate"] + h * w * w * (s["command"] - i["angle"])) / (1.0 + h * damping + h * h * w * w)
    rate = min(max(rate, -p["max_rate"]), p["max_rate"])
    angle = i["angle"] + h * rate
    if abs(angle) > p["max_angle"]:
        angle = math.copysign(p["max_angle"], angle)
        rate = (angle - i["angle"]) / h
    out["angle"], out["rate"], out["acceleration"] = angle, rate, (rate - i["rate"]) / h


def _write(values: Values, p: Record, axle: SteeredAxle) -> None:
    """Fill the STEERING record of a rack without a pinion, and the parameters of its actuator. Raises ConfigError."""
    write_rack(values, p, axle, values["max_rack_travel"] / values["max_wheel_angle"], "rack_sign")
    own = own_record(p, PARAMETERS)[0]
    own["actuator_frequency"], own["actuator_damping"] = values["actuator_frequency"], values["actuator_damping"]
    own["max_rate"], own["max_angle"] = p[0]["max_rate"], p[0]["max_arm_angle"]
    if "ratio" in values:
        speed, ratio = values["ratio"].curve_of("speed", "ratio")
        own["points"] = count = len(speed)
        own["speed"][:count], own["ratio"][:count] = speed, ratio


KIND = SteeringKind(
    "steer_by_wire",
    STEER_BY_WIRE_FILE,
    PARAMETERS,
    STATE,
    move=follow_command,
    contract=CONTRACT,
    layout=LAYOUT,
    by_wire=True,
    write=_write,
    body=rack_body,
    meaning="a rack that an actuator moves, without a mechanical connection to the steering wheel",
)
