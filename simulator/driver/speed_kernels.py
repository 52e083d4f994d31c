"""Throttle and brake out of a speed that is wanted: the kernel of `simulator.driver.speed`."""

from __future__ import annotations

import math

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import inline, kernel
from simulator.driver.steering.observation import grade_under

STANDSTILL = 1.5
"""m/s. Slower than this with a demand of zero the foot stays on the brake: an automatic gearbox would creep away."""

LEAD = 1.0
"""m/s. The ramped demand goes no further ahead of the speed. Larger: the speed overshoots after a shortage of power."""

STEADY_BRAKE = 0.4
"""Brake pedal that holds a stopped vehicle."""

CRAWL = 1.0
"""m/s. Below this the resistance that is fed forward fades: a vehicle at rest needs nothing to stay there."""

PAUSE = 0.2
"""s between two looks after which the driver begins anew: somebody else has worked the pedals."""

PEDALS = (
    # name                      shape  unit    what it is
    ("throttle_acceleration", (), "m/s2", "acceleration per unit of throttle"),
    ("brake_acceleration", (), "m/s2", "deceleration per unit of brake"),
    ("rolling", (), "m/s2", "deceleration of the coasting vehicle, the part that does not depend on its speed"),
    ("drag", (), "1/m", "and the part that grows with its square"),
    ("proportional", (), "1/s", "acceleration asked for per error of the speed"),
    ("integral", (), "1/s2", "its rate per error of the speed"),
    ("pedal_gap", (), "m/s2", "deceleration left to the engine before the foot moves to the brake"),
    ("pedal_hysteresis", (), "1", "share of a pedal that must be wanted before the foot changes to it"),
    ("pedal_rate", (), "1/s", "largest change of a pedal per second"),
)

PEDALS_STATE = (
    # name        shape  unit    what it is
    ("looks", (), "1", "so far", "i8"),
    ("time", (), "s", "of the last look"),
    ("given", (), "1", "1: demand and slope come from outside", "i8"),
    ("target", (), "m/s", "speed to come to"),
    ("limit", (), "m/s2", "largest change of the speed"),
    ("demand", (), "m/s", "speed wanted now"),
    ("slope", (), "m/s2", "its rate"),
    ("integral", (), "m/s2", "acceleration that the error has added up to"),
    ("asked", (), "m/s2", "acceleration asked of the pedals"),
    ("braking", (), "1", "1: the foot belongs to the brake", "i8"),
    ("throttle", (), "1", "pedal"),
    ("brake", (), "1", "pedal"),
)


@inline
def press(p, s, t, speed, grade):
    """Move the pedals in the state at a time t [s], a speed [m/s], and a rise of the ground ahead per way."""
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
        # whoever cannot follow the demand goes on from where he is
        f["demand"] = speed + min(max(error, -LEAD), LEAD)
    at_rest = (f["given"] == 1 or f["target"] == 0.0) and demand == 0.0
    if at_rest and abs(speed) < STANDSTILL:
        throttle, brake, f["integral"], f["braking"] = 0.0, max(brake, STEADY_BRAKE), 0.0, 1
    move_foot(f, throttle, brake, n["pedal_rate"] * dt)


@inline
def begin(f, t, speed):
    """The feet come to the pedals, which are released, at a speed."""
    f["time"], f["integral"], f["throttle"], f["brake"], f["braking"] = t, 0.0, 0.0, 0.0, 0
    if f["given"] == 0:
        f["demand"] = speed


@inline
def ramp(f, speed, dt):
    """Bring the demand towards the target; it waits while it is LEAD ahead of the speed."""
    step = min(max(f["target"] - f["demand"], -f["limit"] * dt), f["limit"] * dt)
    f["slope"] = step / dt if dt > 0.0 else 0.0
    if abs(f["demand"] + step - speed) < LEAD or step * (f["demand"] - speed) < 0.0:
        f["demand"] += step


@inline
def choose_pedal(n, f, a):
    """The foot changes to a pedal only when a share of it is wanted."""
    if f["braking"] > 0:
        if a > n["pedal_hysteresis"] * n["throttle_acceleration"]:
            f["braking"] = 0
    elif a < -n["pedal_gap"] - n["pedal_hysteresis"] * n["brake_acceleration"]:
        f["braking"] = 1


@inline
def move_foot(f, throttle, brake, most):
    """Move the pedals towards (throttle, brake), by at most `most`, and one only when the other is released."""
    was_throttle, was_brake = f["throttle"], f["brake"]
    if was_brake == 0.0 or throttle < was_throttle:
        f["throttle"] = was_throttle + min(max(throttle - was_throttle, -most), most)
    if was_throttle == 0.0 or brake < was_brake:
        f["brake"] = was_brake + min(max(brake - was_brake, -most), most)


@kernel
def pedals_at(p, s, t, speed, grade):
    """(throttle, brake) in [0, 1]; PEDALS, PEDALS_STATE, time [s], forward speed [m/s], rise of the ground ahead per way."""
    press(p, s, t, speed, grade)
    return s[0]["throttle"], s[0]["brake"]


@kernel
def work_pedals(p, s, t, seen, command):
    """The same for a look of SEEN, into a COMMAND that drives forward."""
    press(p, s, t, seen[0]["v_x"], seen[0]["grade"])
    out = command[0]
    out["throttle"], out["brake"] = s[0]["throttle"], s[0]["brake"]
    out["parking_brake"] = 0.0
    out["selector"] = 1


@kernel
def keep_speed(p, s, t, readout, command):
    """The same out of READOUT, into the pedals of a COMMAND."""
    press(p, s, t, readout[0]["v_WB_B"][0], grade_under(readout[0]))
    command[0]["throttle"], command[0]["brake"] = s[0]["throttle"], s[0]["brake"]
