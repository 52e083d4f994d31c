"""Semi-active damping: type `skyhook` of the list `controllers` of a vehicle file.

The target is a damper between body and sky. A damper between body and wheel can produce this force only while it takes energy from both
[Karnopp, Crosby and Harwood 1974; Savaresi et al. 2010, Semi-Active Suspension Control Design for Vehicles, ch. 6]. With the speed z' of
the body above the wheel and the rate x' of the shock absorber, + = extension, its coefficient is

    continuous    c = clamp(sky_damping z' / x', min_ratio, max_ratio)     where z' x' > 0,    c = min_ratio else          (skyhook 1)
    on-off        c = max_ratio                                where z' x' > 0,    c = min_ratio else          (0)

z' is the integral of the vertical acceleration of the body; it decays with the time constant `leak`, which removes sensor offsets. x' is
the rate of the length from the level sensor. Both are filtered by a lag. The controller requests c over `coefficient`, that of the
uncontrolled shock absorber.
"""

from __future__ import annotations

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind

PARAMETERS = (
    Field("continuous", Number("1", 0.0, 1.0), "1: continuous, 0: on and off", 1.0),
    Field("sky_damping", Number("N s/m", 0.0, 1e6), "coefficient of the damper to the sky"),
    Field(
        "front_coefficient",
        Number("N s/m", 1.0, 1e6),
        "coefficient of an uncontrolled shock absorber of the first axle, about the middle of its curve",
    ),
    Field("rear_coefficient", Number("N s/m", 1.0, 1e6), "coefficient of an uncontrolled shock absorber of the other axles"),
    Field("min_ratio", Number("1", 0.0, 1.0), "minimum coefficient over that of the uncontrolled shock absorber", 0.3),
    Field("max_ratio", Number("1", 1.0, 100.0), "maximum coefficient over that of the uncontrolled shock absorber", 2.0),
    Field("leak", Number("s", 0.01, 100.0), "time constant of the decay of the body speed", 0.8),
    Field("filter_time", Number("s", 0.0, 1.0), "time constant of the filter of the shock absorber's rate", 0.003),
    Field("min_rate", Number("m/s", 0.0001, 1.0), "minimum shock absorber rate used in the division", 0.01),
)
STATE = (
    # name        shape      unit     what it is
    ("body_speed", (WHEELS,), "m/s", "vertical speed of the body above the wheel, + = up"),
    ("rate", (WHEELS,), "m/s", "rate of the shock absorber, + = extension"),
    ("length", (WHEELS,), "m", "length of the shock absorber at the last update"),
    ("factor", (WHEELS,), "1", "requested damping over that of the uncontrolled shock absorber"),
)

P, S, I, O = dtype_of(rows(PARAMETERS)), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def skyhook(parameters, state, seen, result, first, count, h):
    """Update the dampers."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    for i in range(count):
        if k["begins"] == 1:
            s["length"][i] = k["shock_length"][i]
        change = (k["shock_length"][i] - s["length"][i]) / h
        s["length"][i] = k["shock_length"][i]
        s["rate"][i] += h / (p["filter_time"] + h) * (change - s["rate"][i])
        s["body_speed"][i] = (s["body_speed"][i] + h * k["vertical_acceleration"][i]) / (1.0 + h / p["leak"])
        body, rate = s["body_speed"][i], s["rate"][i]
        s["factor"][i] = p["min_ratio"]
        if body * rate > 0.0:
            own = p["front_coefficient"] if k["axle"][i] == 0 else p["rear_coefficient"]
            wanted = p["sky_damping"] * abs(body) / (own * max(abs(rate), p["min_rate"]))
            s["factor"][i] = min(p["max_ratio"], max(p["min_ratio"], wanted)) if p["continuous"] > 0.5 else p["max_ratio"]
        out["damping"][i] = s["factor"][i]


KIND = ControllerKind(
    "skyhook",
    PARAMETERS,
    STATE,
    skyhook,
    CONTRACT,
    LAYOUT,
    rate=500.0,
    meaning="semi-active skyhook damping, continuous or on-off",
)
