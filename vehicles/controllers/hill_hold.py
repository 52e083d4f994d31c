"""Hill-start assist: type `hill_hold` of the list `controllers` of a vehicle file.

A vehicle that the driver has stopped with the pedal on a slope, in the gear that drives it uphill, keeps the pressure of the pedal at each
wheel after the release until

- the drive can hold it: sum of the drive torques >= margin mass |a_x| wheel_radius, with the specific force a_x that the standing vehicle
  measures along its x axis, g times the sine of the slope,
- or `hold_time` is over.

Then the pressure falls to 0 over `fade_time`. Neutral ends the hold at once. On a slope below `min_slope`, or downhill in the selected gear,
nothing is held. Published: the brakes stay on for up to 2 s after the release, fall gradually as the torque rises, and the function starts
at slopes of 3 % to about 4 degrees (7 %) [workshop manual of a Ford Edge 2013; owner's manual of a Volkswagen Golf 2019; the article
"Hill-start assist" of Wikipedia]; one manufacturer states 3 s.
"""

from __future__ import annotations

from simulator.base.callbacks import callback, record_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.controllers.contract import CONTRACT, CONTROLLER_INPUT, CONTROLLER_OUTPUT, LAYOUT, WHEELS, ControllerKind
from vehicles.controllers.vehicle_fields import WHEEL_RADIUS

PEDAL = 0.02
"""1. Pedal position above which the driver brakes."""
STILL, SETTLED = 0.1, 0.3
"""m/s, s. A vehicle whose wheels have been slower for this time stands."""
SLOPE_TIME = 0.2
"""s. Time constant of the measured slope while the vehicle stands."""
GRAVITY = 9.81
"""m/s2. Standard value: a controller has no map of gravity."""

PARAMETERS = (
    WHEEL_RADIUS,
    Field("mass", Number("kg", 1.0, 1e6), "mass of the vehicle"),
    Field("min_slope", Number("1", 0.0, 1.0), "minimum slope, as the sine of its angle", 0.03),
    Field("hold_time", Number("s", 0.0, 60.0), "maximum time of the hold after the release of the pedal", 2.0),
    Field("fade_time", Number("s", 0.01, 10.0), "time over which the held pressure falls at the end", 0.3),
    Field("margin", Number("1", 0.0, 10.0), "drive torque that ends the hold, over that which balances the weight on the slope", 1.0),
)
STATE = (
    # name       shape      unit    what it is
    ("still", (), "s", "time since which the wheels stand"),
    ("slope", (), "m/s2", "specific force along the chassis x axis of the standing vehicle, + = nose up"),
    ("drive", (), "N m", "sum of the drive torques on the wheels, + = in the direction of the gear"),
    ("since", (), "s", "time since the release of the pedal in the present hold"),
    ("share", (), "1", "fraction of the held pressures that is requested; 0: no hold"),
    ("held", (WHEELS,), "Pa", "pressure of the pedal at each wheel, to be held"),
)

P, S, I, O = dtype_of(rows(PARAMETERS)), dtype_of(STATE), dtype_of(CONTROLLER_INPUT), dtype_of(CONTROLLER_OUTPUT)


@callback
def hill_hold(parameters, state, seen, result, first, count, h):
    """Update the hill-start assist."""
    p, s = record_at(parameters, P)[0], record_at(state, S)[0]
    k, out = record_at(seen, I)[0], record_at(result, O)[0]
    _measure(p, s, k, count, h)
    braking, uphill = k["brake"] > PEDAL, k["selector"] * s["slope"] > GRAVITY * p["min_slope"]
    if k["selector"] == 0 or not uphill:
        s["share"] = 0.0
    elif braking and s["still"] >= SETTLED:
        for i in range(count):
            s["held"][i] = max(s["held"][i] if s["share"] > 0.0 else 0.0, k["wheel_pressure"][i])
        s["share"], s["since"] = 1.0, 0.0
    elif not braking and s["share"] > 0.0:
        s["since"] += h
        enough = s["drive"] >= p["margin"] * p["mass"] * abs(s["slope"]) * p["wheel_radius"]
        if enough or s["since"] > p["hold_time"] or s["share"] < 1.0:
            s["share"] = max(s["share"] - h / p["fade_time"], 0.0)
    for i in range(count):
        out["pressure"][i] = s["share"] * s["held"][i]


@inline
def _measure(p, s, k, count, h):
    """Update standstill, slope and drive torque."""
    fastest, drive = 0.0, 0.0
    for i in range(count):
        fastest, drive = max(fastest, p["wheel_radius"] * k["wheel_speed"][i]), drive + k["drive_torque"][i]
    s["drive"] = k["selector"] * drive
    s["still"] = s["still"] + h if fastest < STILL else 0.0
    if s["still"] > 0.0:
        s["slope"] += h / (SLOPE_TIME + h) * (k["longitudinal_acceleration"] - s["slope"])


KIND = ControllerKind(
    "hill_hold",
    PARAMETERS,
    STATE,
    hill_hold,
    CONTRACT,
    LAYOUT,
    rate=100.0,
    meaning="hill-start assist: keeps the brakes on a slope after the release of the pedal",
)
