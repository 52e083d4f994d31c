"""Brake hydraulics from the pedal to the pressure at the wheels: booster, master cylinder, proportioning valves, controller valves.

    F   = pedal * pedal_force * pedal_ratio              force on the rod of the booster
    p_0 = (F + assist * min(F, assist_knee)) / cylinder_area          beyond its knee the booster adds nothing more
    p'  = (p_0 - p) / lag                                              pressure of the line
    p_a = p  up to the knee of the axle's valve, knee + slope (p - knee) beyond      [Limpert 2011, Brake Design and Safety, ch. 7]

Without a controller the pressure at a wheel is p_a. With a controller every wheel has an inlet and an outlet valve. Each valve is open
for the commanded fraction of the time (1, 0: equivalent to no valves), and

    p_w' = inlet (min(p_a, limit) - p_w) / build_time - outlet p_w / release_time

Fluid flows back to the line through a check valve: p_w never stays above p_a. If a controller commands a pump pressure p_p > p_a, the
wheel is separated from the line and

    p_w' = inlet pump_rate up to p_p, and back to p_p in release_time from above, less outlet p_w / release_time
"""

from __future__ import annotations

from simulator.base.jit import inline
from vehicles.axle_layout import AXLES

HYDRAULICS = (
    # name          shape  unit  what it is
    ("pedal_force", (), "N", "force on the pedal at full travel"),
    ("pedal_ratio", (), "1", "force on the booster's rod over that on the pedal"),
    ("assist", (), "1", "force added by the booster over the force on its rod"),
    ("assist_knee", (), "N", "force on the rod beyond which the booster adds nothing more"),
    ("cylinder_area", (), "m2", "area of the master cylinder"),
    ("lag", (), "s", "time constant of the line pressure"),
    ("valve_knee", (AXLES,), "Pa", "line pressure at which the proportioning valve of an axle starts to act"),
    ("valve_slope", (AXLES,), "1", "pressure of the axle over that of the line beyond the knee"),
    ("build_time", (), "s", "time constant of the wheel pressure through an open inlet valve of a controller"),
    ("release_time", (), "s", "time constant of the wheel pressure through an open outlet valve"),
    ("pump_rate", (), "Pa/s", "rate at which the pump of a controller raises the wheel pressure"),
)

HYDRAULIC_RANGES = {
    "pedal_force": (1.0, 1e4),
    "pedal_ratio": (0.1, 100.0),
    "assist": (0.0, 100.0),
    "assist_knee": (0.0, 1e6),
    "cylinder_area": (1e-6, 0.1),
    "lag": (0.0, 10.0),
    "valve_knee": (0.0, 1e9),
    "valve_slope": (0.0, 1.0),
    "build_time": (1e-4, 10.0),
    "release_time": (1e-4, 10.0),
    "pump_rate": (0.0, 1e12),
}

HYDRAULIC_DEFAULTS = {"build_time": 0.03, "release_time": 0.05, "pump_rate": 4e7}
"""Assumed: 100 bar/s and more through either valve near 4 MPa, 400 bar/s by the pump [mem]."""


@inline
def pressed(b, pedal):
    """Return the steady line pressure [Pa] for a pedal position in [0, 1]."""
    q = b[0]
    force = pedal * q["pedal_force"] * q["pedal_ratio"]
    return (force + q["assist"] * min(force, q["assist_knee"])) / q["cylinder_area"]


@inline
def follow_pedal(b, s, pedal, h):
    """Advance the line pressure by h seconds, implicitly; s : BRAKE_STATE."""
    s[0]["line_pressure"] += (pressed(b, pedal) - s[0]["line_pressure"]) * h / (b[0]["lag"] + h)


@inline
def proportioned(b, line, axle):
    """Return the pressure [Pa] behind the proportioning valve of an axle."""
    knee = b[0]["valve_knee"][axle]
    return line if line <= knee else knee + b[0]["valve_slope"][axle] * (line - knee)


@inline
def valve_pressure(b, s, i, source, h):
    """Return the pressure [Pa] at wheel i after h seconds behind the controller valves, implicitly.

    source : pressure before the valves [Pa]
    """
    q, w = b[0], s[0]
    if w["pumped"][i] > source:
        return pump_pressure(b, s, i, source, h)
    build, release = w["inlet"][i] * h / q["build_time"], w["outlet"][i] * h / q["release_time"]
    requested = min(source, w["pressure_limit"][i])
    return min(source, (w["pressure"][i] + build * requested) / (1.0 + build + release))


@inline
def pump_pressure(b, s, i, source, h):
    """Return the pressure [Pa] at wheel i after h seconds when the pump is to build more than `source`."""
    q, w, pressure = b[0], s[0], max(s[0]["pressure"][i], source)
    if pressure > w["pumped"][i]:
        pressure = w["pumped"][i] + (pressure - w["pumped"][i]) * q["release_time"] / (q["release_time"] + h)
    else:
        pressure = min(w["pumped"][i], pressure + w["inlet"][i] * q["pump_rate"] * h)
    return pressure / (1.0 + w["outlet"][i] * h / q["release_time"])
