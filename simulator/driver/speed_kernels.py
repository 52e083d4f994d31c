"""Kernels of `simulator.driver.speed`: throttle and brake for a demanded speed."""

from __future__ import annotations

import math

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import inline, kernel
from simulator.driver.steering.observation import grade_under

STANDSTILL = 1.5
"""m/s. Below this speed, with a demand of zero, the brake stays applied, because an automatic transmission would creep."""

LEAD = 1.0
"""m/s. Maximum difference between the ramped demand and the speed. Larger: the speed overshoots after a lack of power."""

STEADY_BRAKE = 0.4
"""1. Brake pedal that holds a stopped vehicle."""

CRAWL = 1.0
"""m/s. Below this speed the feed-forward of the resistance fades, because a vehicle at rest needs none."""

PAUSE = 0.2
"""s between two calls after which the controller restarts, because another driver used the pedals in between."""

PEDALS = (
    # name                      shape  unit    description
    ("throttle_acceleration", (), "m/s2", "acceleration per unit of throttle"),
    ("brake_acceleration", (), "m/s2", "deceleration per unit of brake"),
    ("rolling", (), "m/s2", "deceleration of the coasting vehicle, the part that does not depend on its speed"),
    ("drag", (), "1/m", "deceleration of the coasting vehicle per square of its speed"),
    ("proportional", (), "1/s", "requested acceleration per speed error"),
    ("integral", (), "1/s2", "rate of the requested acceleration per speed error"),
    ("pedal_gap", (), "m/s2", "deceleration by engine braking before the driver uses the brake"),
    ("pedal_hysteresis", (), "1", "minimum requested pedal position for a change to that pedal"),
    ("pedal_rate", (), "1/s", "maximum rate of a pedal"),
)

PEDALS_STATE = (
    # name        shape  unit    description
    ("looks", (), "1", "number of calls", "i8"),
    ("time", (), "s", "time of the last call"),
    ("given", (), "1", "1 = the caller sets demand and slope", "i8"),
    ("target", (), "m/s", "target speed"),
    ("limit", (), "m/s2", "maximum acceleration or deceleration"),
    ("demand", (), "m/s", "present speed demand"),
    ("slope", (), "m/s2", "rate of the speed demand"),
    ("integral", (), "m/s2", "integral part of the requested acceleration"),
    ("asked", (), "m/s2", "requested acceleration"),
    ("braking", (), "1", "1 = the foot is on the brake", "i8"),
    ("throttle", (), "1", "throttle pedal"),
    ("brake", (), "1", "brake pedal"),
)


@inline
def press(p, s, t, speed, grade):
    """Update the pedals in the state for time t [s], speed [m/s] and slope of the ground ahead (rise over distance)."""
    n, f = p[0], s[0]
    if f["looks"] == 0 or t - f["time"] > PAUSE:
        begin(f, t, speed)
    f["looks"] += 1
    dt = t - f["time"]
    f["time"] = t
    if f["given"] == 0:
        ramp(f, speed, dt)
    demand, error = f["demand"], f["demand"] - speed
    resistance = (n["rolling"] + n["drag"] * speed * speed) * min(max(speed / CRAWL, -1.0), 1.0)
    slope = STANDARD_GRAVITY * grade / math.sqrt(1.0 + grade * grade)
    a = f["slope"] + n["proportional"] * error + f["integral"] + resistance + slope
    f["asked"] = a
    choose_pedal(n, f, a)
    throttle = brake = 0.0
    if f["braking"] > 0:
        brake = min(max(-(a + n["pedal_gap"]) / n["brake_acceleration"], 0.0), 1.0)
    else:
        throttle = min(max(a / n["throttle_acceleration"], 0.0), 1.0)
    if not (throttle == 1.0 and error > 0.0) and not (brake == 1.0 and error < 0.0):
        f["integral"] += dt * n["integral"] * error
    elif f["given"] == 0:
        # a vehicle that cannot follow the demand: the demand continues from the present speed
        f["demand"] = speed + min(max(error, -LEAD), LEAD)
    at_rest = (f["given"] == 1 or f["target"] == 0.0) and demand == 0.0
    if at_rest and abs(speed) < STANDSTILL:
        throttle, brake, f["integral"], f["braking"] = 0.0, max(brake, STEADY_BRAKE), 0.0, 1
    move_foot(f, throttle, brake, n["pedal_rate"] * dt)


@inline
def begin(f, t, speed):
    """Start control at a speed, with released pedals."""
    f["time"], f["integral"], f["throttle"], f["brake"], f["braking"] = t, 0.0, 0.0, 0.0, 0
    if f["given"] == 0:
        f["demand"] = speed


@inline
def ramp(f, speed, dt):
    """Move the demand towards the target; it is constant while it is LEAD ahead of the speed."""
    step = min(max(f["target"] - f["demand"], -f["limit"] * dt), f["limit"] * dt)
    f["slope"] = step / dt if dt > 0.0 else 0.0
    if abs(f["demand"] + step - speed) < LEAD or step * (f["demand"] - speed) < 0.0:
        f["demand"] += step


@inline
def choose_pedal(n, f, a):
    """Change the pedal only for a minimum position of the other one."""
    if f["braking"] > 0:
        if a > n["pedal_hysteresis"] * n["throttle_acceleration"]:
            f["braking"] = 0
    elif a < -n["pedal_gap"] - n["pedal_hysteresis"] * n["brake_acceleration"]:
        f["braking"] = 1


@inline
def move_foot(f, throttle, brake, most):
    """Move the pedals towards (throttle, brake) by at most `most`, and press one only when the other is released."""
    was_throttle, was_brake = f["throttle"], f["brake"]
    if was_brake == 0.0 or throttle < was_throttle:
        f["throttle"] = was_throttle + min(max(throttle - was_throttle, -most), most)
    if was_throttle == 0.0 or brake < was_brake:
        f["brake"] = was_brake + min(max(brake - was_brake, -most), most)


@kernel
def pedals_at(p, s, t, speed, grade):
    """Return (throttle, brake) in [0, 1]; inputs: PEDALS, PEDALS_STATE, time [s], forward speed [m/s], slope of the ground ahead."""
    press(p, s, t, speed, grade)
    return s[0]["throttle"], s[0]["brake"]


@kernel
def work_pedals(p, s, t, seen, command):
    """Write the pedals for a SEEN record to COMMAND, which drives forward."""
    press(p, s, t, seen[0]["v_x"], seen[0]["grade"])
    out = command[0]
    out["throttle"], out["brake"] = s[0]["throttle"], s[0]["brake"]
    out["parking_brake"] = 0.0
    out["selector"] = 1


@kernel
def keep_speed(p, s, t, readout, command):
    """Write the pedals for a READOUT record to COMMAND; only the pedals are written."""
    press(p, s, t, readout[0]["v_WB_B"][0], grade_under(readout[0]))
    command[0]["throttle"], command[0]["brake"] = s[0]["throttle"], s[0]["brake"]
