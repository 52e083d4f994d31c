"""Automatic driver of the friction clutch: operates clutch and throttle in a shift and when the vehicle starts to move.

In a shift the driver controls torques, so that the force on the vehicle has no steps:

- Recovery: while a driven wheel spins, the throttle closes until the wheels roll again. The clutch stays closed. Without the recovery the
  force on the vehicle stays at the sliding friction while the torque falls, and then falls in one step.
- Release: the clutch opens to the torque T_0 that it transmits, and the torque falls linearly to zero. The engine torque follows it.
- Gear out: the throttle brings the engine to the speed w_g of the new gear.
- Take-up: the torque of the clutch rises linearly, to the torque of the pedal position in `grip_time`. Until the clutch sticks, the throttle
  controls the slip s = w_e - w_t; T_c is the torque that the clutch can transmit, J_e the inertia of the engine and t_r REV_TIME:

    T_e = +-T_c - J_e s / t_r       + if the engine drives, - if the engine brakes; without slip the engine torque equals that of the clutch

  If the slip has the wrong sign, the clutch closes slowly, and the throttle brings the engine to REV_MARGIN on the other side.

The take-up also closes the clutch at the end of a start.
"""

from __future__ import annotations

from simulator.base.jit import inline
from vehicles.drivetrain.conventional.engine import engine_torque
from vehicles.drivetrain.conventional.friction_clutch import CLOSES_AT, OPENS_IN, advance_grip
from vehicles.drivetrain.conventional.power_shift import DRIVE, NEUTRAL

SYNC, PULL = 5, 6
"""Phases of a manual gearbox, next to DRIVE and NEUTRAL."""

RELEASES_IN = 0.75
"""1. Ratio of the release time of the torque before a shift to the take-up time after it; assumed."""
SPIN, RECOVERED_SPIN = 0.08, 0.04
"""1. Slip of the driven wheels above which the driver lets them recover before a shift, and the slip at which the throttle aims; assumed."""
MAX_RECOVERY = 0.4
"""s. Longest recovery of spinning wheels before a shift: on soft ground the wheels may never roll without slip; assumed."""
REV_TIME = 0.05
"""s. Time constant with which the throttle brings the engine to the speed of the gear; assumed."""
REV_MARGIN = 10.0
"""rad/s. Slip for which the throttle aims with the clutch open, so that the clutch grips in the direction of the torque; assumed."""
MIN_TAKE_UP = 0.15
"""1. Smallest torque to which the take-up time refers, as a fraction of the capacity: without load the clutch must turn the engine; assumed."""
SLOW_CLOSING = 0.25
"""1. Closing speed of the clutch with a slip of the wrong sign, as a fraction of that with the right sign; assumed."""
CLOSED_SLIP = 0.5
"""rad/s. Slip below which the clutch counts as closed."""

SHIFT_DRIVER_STATE = (
    # name               shape  unit  what it is
    ("operates_throttle", (), "1", "1: the automatic driver operates the throttle, not the pedal", "i8"),
    ("driver_throttle", (), "1", "throttle of the automatic driver"),
    ("lagged_throttle", (), "1", "throttle after the response time of the engine"),
)


@inline
def applied_throttle(p, s, pedal, h):
    """Return the throttle of the engine over the next step of h seconds, at a position of the accelerator pedal in [0, 1].

    The torque follows the pedal with a first-order lag. The automatic driver in a shift and the torque reduction of a power shift act
    without it, as ignition does.
    """
    if s[0]["operates_throttle"] != 0:
        s[0]["lagged_throttle"] = s[0]["driver_throttle"]
    elif p[0]["engine_response_time"] == 0.0:
        s[0]["lagged_throttle"] = pedal
    else:
        s[0]["lagged_throttle"] += h / (p[0]["engine_response_time"] + h) * (pedal - s[0]["lagged_throttle"])
    return s[0]["lagged_throttle"] * (1.0 - s[0]["relief"])


@inline
def drive_clutch(p, s, pedal, gear_speed, h):
    """Advance clutch and throttle of the automatic driver by h seconds.

    pedal : accelerator pedal in [0, 1]; gear_speed : rad/s, speed of the input shaft in the gear of the lever
    """
    running = p[0]["stall_speed"] == 0.0 or s[0]["running"] != 0
    if not running or s[0]["lever"] == 0:
        s[0]["operates_throttle"] = 0
        advance_grip(p, s, running and s[0]["phase"] == DRIVE, running and s[0]["phase"] == NEUTRAL, h)
    elif s[0]["phase"] == PULL:
        release_clutch(p, s, pedal, h)
    elif s[0]["phase"] != DRIVE:
        match_speed(p, s, pedal, gear_speed, h)
    elif s[0]["turbine_speed"] > CLOSES_AT * p[0]["grip_speed"][0] and is_slipping(p, s, pedal):
        take_up(p, s, pedal, h)
    else:
        advance_grip(p, s, True, False, h)
        return_throttle(p, s, pedal, h)


@inline
def begin_release(s):
    """Start to release the clutch for a shift."""
    s[0]["phase"], s[0]["clock"], s[0]["release_torque"] = PULL, 0.0, abs(s[0]["coupling_torque"])


@inline
def release_clutch(p, s, pedal, h):
    """Reduce the torque of the clutch linearly to zero, once the driven wheels do not spin; the engine torque follows."""
    full = s[0]["release_torque"] / p[0]["friction_capacity"]
    spin = s[0]["turbine_speed"] - s[0]["road_speed"] / s[0]["ratio"]
    if s[0]["grip"] >= full and spin > SPIN * s[0]["engine_speed"] and s[0]["clock"] < MAX_RECOVERY:
        excess = spin - RECOVERED_SPIN * s[0]["engine_speed"]
        torque = s[0]["release_torque"] - crank_inertia(p) * excess / REV_TIME
    else:
        s[0]["grip"] = max(0.0, min(s[0]["grip"], full) - h / (RELEASES_IN * p[0]["grip_time"]) * full)
        torque = s[0]["grip"] * p[0]["friction_capacity"]
    s[0]["operates_throttle"] = 1
    s[0]["driver_throttle"] = throttle_for(p, s, torque, pedal)


@inline
def match_speed(p, s, pedal, gear_speed, h):
    """Bring the engine to the speed of the gear while the clutch is open."""
    s[0]["grip"] = max(0.0, s[0]["grip"] - h / (OPENS_IN * p[0]["grip_time"]))
    target = gear_speed + torque_sign(p, s, pedal) * REV_MARGIN
    s[0]["operates_throttle"] = 1
    s[0]["driver_throttle"] = throttle_for(p, s, crank_inertia(p) * (target - s[0]["engine_speed"]) / REV_TIME, 1.0)


@inline
def is_slipping(p, s, pedal):
    """Return True while the clutch slips, or transmits less than the torque of the pedal position after a shift."""
    if abs(s[0]["engine_speed"] - s[0]["turbine_speed"]) > CLOSED_SLIP:
        return True
    if s[0]["operates_throttle"] == 0:
        return False
    return s[0]["grip"] * p[0]["friction_capacity"] < abs(engine_torque(p, s[0]["engine_speed"], pedal)[0])


@inline
def take_up(p, s, pedal, h):
    """Close the clutch in gear: its torque rises linearly, and the throttle controls the slip."""
    capacity, slip = p[0]["friction_capacity"], s[0]["engine_speed"] - s[0]["turbine_speed"]
    sign = torque_sign(p, s, pedal)
    full = max(abs(engine_torque(p, s[0]["engine_speed"], pedal)[0]), MIN_TAKE_UP * capacity)
    matched = sign * slip > -CLOSED_SLIP
    step = h / p[0]["grip_time"] * full / capacity
    s[0]["grip"] = min(1.0, s[0]["grip"] + (step if matched else SLOW_CLOSING * step))
    aim = 0.0 if matched else sign * REV_MARGIN
    torque = sign * s[0]["grip"] * capacity - crank_inertia(p) * (slip - aim) / REV_TIME
    s[0]["operates_throttle"] = 1
    s[0]["driver_throttle"] = throttle_for(p, s, torque, pedal if matched else 1.0)


@inline
def return_throttle(p, s, pedal, h):
    """Bring the throttle back to the pedal after a shift, in at most the take-up time."""
    if s[0]["operates_throttle"] != 0:
        step = h / p[0]["grip_time"]
        s[0]["driver_throttle"] += min(step, max(-step, pedal - s[0]["driver_throttle"]))
        if s[0]["driver_throttle"] == pedal:
            s[0]["operates_throttle"] = 0


@inline
def torque_sign(p, s, pedal):
    """Return 1 if the engine drives at this position of the accelerator pedal, -1 if it brakes."""
    return 1.0 if engine_torque(p, s[0]["engine_speed"], pedal)[0] > 0.0 else -1.0


@inline
def throttle_for(p, s, torque, limit):
    """Return the throttle in [0, limit] for an engine torque [N m], by the chord of the torque map."""
    closed, opened = engine_torque(p, s[0]["engine_speed"], 0.0)[0], engine_torque(p, s[0]["engine_speed"], limit)[0]
    if opened <= closed:
        return limit
    return limit * min(1.0, max(0.0, (torque - closed) / (opened - closed)))


@inline
def crank_inertia(p):
    """Return the inertia of the engine [kg m2] before the clutch."""
    return p[0]["engine_inertia"] + p[0]["impeller_inertia"]
