"""Drivetrain of a vehicle: its records, and the calls of its kind.

`advance_kind` is the only place that calls a kind inside the step. The shipped kinds are called directly; the kind of a plugin is called by
its address. All kinds share the rows of the driveline and the solve of the wheel spins (wheel_spins.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.base.jit import inline, kernel
from simulator.base.records import Record, copy_record
from vehicles.axle_layout import AXLES, WHEELS, Axles, record_for
from vehicles.drivetrain.callback_drivetrain import callback_step
from vehicles.drivetrain.contract import CONVENTIONAL, ELECTRIC
from vehicles.drivetrain.conventional.engine import ENGINE
from vehicles.drivetrain.conventional.friction_clutch import CLUTCH
from vehicles.drivetrain.conventional.gear_choice import reset_shift_history
from vehicles.drivetrain.conventional.gearbox import DRIVE, GEARBOX, GEARBOX_STATE, NEUTRAL, gear_ratio
from vehicles.drivetrain.conventional.lockup_clutch import LOCK_UP, LOCK_UP_STATE
from vehicles.drivetrain.conventional.starter import STARTER, STARTER_STATE
from vehicles.drivetrain.conventional.step import balanced_speed, close_clutch, conventional_step, cruise_torque
from vehicles.drivetrain.conventional.torque_converter import CONVERTER
from vehicles.drivetrain.driveline import DRIVELINE, DRIVELINE_STATE, driveshaft_speed
from vehicles.drivetrain.electric.motors import MOTOR_STATE, MOTORS
from vehicles.drivetrain.electric.step import electric_step
from vehicles.drivetrain.losses import no_losses
from vehicles.drivetrain.shaft_twist import set_twist
from vehicles.drivetrain.transfer_case import TRANSFER_CASE_STATE, reset_transfer_case

CRUISE_ERROR = 1e-9
"""N m. Tolerance of the torque into the gears for the throttle that holds a speed."""

DRIVETRAIN = (
    *ENGINE,
    *CONVERTER,
    *LOCK_UP,
    *CLUTCH,
    *STARTER,
    *GEARBOX,
    *DRIVELINE,
    *MOTORS,
    ("kind", (), "1", "kind in the step: CONVENTIONAL, ELECTRIC or CALLBACK", "i8"),
)

DRIVETRAIN_STATE = (
    *GEARBOX_STATE,
    *DRIVELINE_STATE,
    *TRANSFER_CASE_STATE,
    *LOCK_UP_STATE,
    *STARTER_STATE,
    *MOTOR_STATE,
    # name               shape  unit      what it is
    ("engine_speed", (), "rad/s", "speed of crankshaft and impeller"),
    ("output_torque", (), "N m", "torque of the gearbox on the driveshaft, losses not subtracted"),
    ("link_torque", (), "N m", "torque of the lock-up clutch, or of a friction clutch out of gear, at the start of the step"),
    ("link_slope", (), "N m s/rad", "slope of link_torque over the slip"),
    ("wheel_torque", (WHEELS,), "N m", "scratch: torque that motors or a kind of a plugin apply to each wheel"),
    ("wheel_inertia", (WHEELS,), "kg m2", "scratch: inertia that turns with each wheel, with the implicit terms of wheel_torque"),
    ("rolling", (WHEELS,), "rad/s", "scratch: speed of each wheel if it rolled without slip"),
    ("brake_angle", (WHEELS,), "rad", "elastic angle of each brake, + = the wheel has turned forward against it"),
    ("held", (WHEELS,), "N m", "scratch: torque of each brake if it stuck and its wheel kept its speed"),
    ("load_free", (WHEELS,), "N m s", "scratch: impulse on each wheel without brake and driveshaft"),
    ("load", (WHEELS,), "N m s", "scratch: impulse on each wheel"),
    ("diagonal_free", (WHEELS,), "kg m2", "scratch: wheel inertia with the implicit terms, without the brake"),
    ("diagonal", (WHEELS,), "kg m2", "scratch: wheel inertia with the implicit terms and the brake"),
    ("yielding", (WHEELS,), "1/(kg m2)", "scratch: reciprocal of diagonal"),
    ("soft", (AXLES,), "1", "scratch: reduction factor due to the inertia of shaft and box of an axle"),
    ("change", (WHEELS,), "rad/s", "scratch: speed change of each wheel"),
    ("sliding", (WHEELS,), "1", "scratch: 0 = brake sticks, 1 or -1 = it slides forward or backward", "i8"),
)

DRIVETRAIN_OUT = (
    # name                   shape  unit     what it is
    ("drive_torque", (WHEELS,), "N m", "torque of the half shaft on the wheel, mean over the step, + = forward"),
    ("brake_torque", (WHEELS,), "N m", "torque of the brake on the wheel, + = against forward rotation"),
    ("engine_speed", (), "rad/s", "crankshaft speed"),
    ("engine_torque", (), "N m", "torque of the engine on its crankshaft, losses included"),
    ("turbine_speed", (), "rad/s", "speed of the turbine of the converter"),
    ("speed_ratio", (), "1", "turbine speed / impeller speed"),
    ("driveshaft_speed", (), "rad/s", "speed of the driveshaft"),
    ("driveshaft_torque", (), "N m", "torque of the gearbox on the driveshaft, losses not subtracted"),
    ("shaft_torque", (), "N m", "torque of the driveshaft into the final drives, through the half shafts"),
    ("shaft_twist", (), "rad", "twist of the half shafts at the driveshaft"),
    ("gear", (), "1", "gear engaged, -1 reverse, 0 neutral", "i8"),
    ("range", (), "1", "range of the transfer case, 0 high, 1 low", "i8"),
    ("center_locked", (), "1", "1 while the center differential is locked", "i8"),
    ("hub_torque", (WHEELS,), "N m", "torque of a geared hub on its carrier about the axle, + = forward"),
    ("reaction_x", (), "N m", "torque of engine, gearbox and final-drive housings on the chassis about its x axis"),
    ("reaction_y", (), "N m", "torque of the final-drive housings on the chassis about its y axis"),
    ("housing_torque", (AXLES,), "N m", "per axle, part of reaction_y due to its final drive and half shafts"),
    ("pinion_torque", (AXLES,), "N m", "per axle, torque of the shaft on the final drive"),
    ("momentum_x", (), "N m s", "angular momentum of all shafts about the chassis' x axis, if the chassis receives gyroscopic torques"),
    ("momentum_y", (), "N m s", "angular momentum of all shafts about the chassis' y axis, if the chassis receives gyroscopic torques"),
)


@inline
def advance_kind(m, s, command, hubs, h):
    """Advance the drivetrain and the wheel spins by h seconds; m : VehicleModel, s : VehicleData, hubs : Hubs."""
    if m.drivetrain[0]["kind"] == CONVENTIONAL:
        conventional_step(m.drivetrain, m.brakes, s.drivetrain, command, hubs, h, s.axles)
    elif m.drivetrain[0]["kind"] == ELECTRIC:
        electric_step(m.drivetrain, m.brakes, s, command, hubs, h)
    else:
        callback_step(m, s, command, hubs, h)


@kernel
def drivetrain_reset(p, s, spin, gear):
    """Reset the drivetrain: brakes relaxed, `gear` engaged at the wheel speeds `spin` (wheels,), engine at its speed with closed throttle.

    The engine idles, in gear against the converter. It is at rest if it has no idle governor and the wheels are at rest.
    """
    s[0]["gear"], s[0]["phase"], s[0]["clock"] = gear, DRIVE if gear != 0 else NEUTRAL, 0.0
    reset_transfer_case(s)
    s[0]["output_torque"] = 0.0
    for axle in range(len(p[0]["final_ratio"])):
        s[0]["shaft_torque"][axle] = s[0]["box_friction"][axle] = s[0]["box_angle"][axle] = s[0]["side_angle"][axle] = 0.0
    s[0]["center_angle"] = s[0]["shaft_angle"] = 0.0
    s[0]["ratio"] = gear_ratio(p, gear if gear != 0 else 1)
    s[0]["ratio_from"] = s[0]["ratio"]
    s[0]["slip"] = s[0]["slip_from"] = s[0]["coupling_torque"] = s[0]["release_torque"] = 0.0
    s[0]["slip_torque"] = s[0]["relief"] = s[0]["locked"] = s[0]["clutch_heat"] = 0.0
    s[0]["lagged_throttle"] = 0.0
    s[0]["lever"], s[0]["running"], s[0]["grinding"], s[0]["operates_throttle"] = gear, 1, 0, 0
    reset_shift_history(s)
    s[0]["turbine_speed"] = driveshaft_speed(p, spin) / s[0]["ratio"] if gear != 0 else 0.0
    s[0]["engine_speed"] = 0.0 if p[0]["kind"] != CONVENTIONAL else balanced_speed(p, s[0]["turbine_speed"], 0.0, gear == 0)
    if gear == 0:
        s[0]["turbine_speed"] = s[0]["engine_speed"]
    close_clutch(p, s)
    set_twist(p, s, driveshaft_speed(p, spin), 0.0)
    if gear != 0 and p[0]["twist_stiffness"] > 0.0:
        set_twist(p, s, driveshaft_speed(p, spin), cruise_torque(p, s, 0.0) / s[0]["ratio"])
    for i in range(len(spin)):
        s[0]["brake_angle"][i] = 0.0


@kernel
def drivetrain_cruise(p, s, spin, gear, torque):
    """Reset the drivetrain to steady driving and return the throttle that gives the driveshaft a torque [N m].

    The forward `gear` is engaged at the wheel speeds `spin` (wheels,), and the engine has the matching speed. The throttle is computed
    by a bracketing secant method (Illinois); it is 0 or 1 where no throttle gives the torque, and 0 with an open clutch.
    """
    drivetrain_reset(p, s, spin, gear)
    throttle = steady_throttle(p, s, torque)
    s[0]["lagged_throttle"] = throttle
    if p[0]["twist_stiffness"] > 0.0:
        set_twist(p, s, driveshaft_speed(p, spin), cruise_torque(p, s, throttle) / s[0]["ratio"])
    return throttle


@inline
def steady_throttle(p, s, torque):
    """Return the throttle of `drivetrain_cruise` in the engaged gear, and set the engine speed that belongs to it."""
    if p[0]["has_clutch"] != 0 and s[0]["grip"] == 0.0:
        return 0.0  # too slow for a closed clutch: the vehicle coasts, and its driver closes the clutch as for a start from rest
    wanted = torque * s[0]["ratio"]
    low, high, moved, throttle = 0.0, 1.0, 0.0, 0.0
    lack = cruise_torque(p, s, low) - wanted
    if lack >= 0.0:
        return low
    excess = cruise_torque(p, s, high) - wanted
    if excess <= 0.0:
        return high
    for _ in range(40):
        throttle = low + (high - low) * lack / (lack - excess)
        over = cruise_torque(p, s, throttle) - wanted
        if abs(over) < CRUISE_ERROR:
            break
        if over < 0.0:
            low, lack = throttle, over
            excess *= 0.5 if moved < 0.0 else 1.0
        else:
            high, excess = throttle, over
            lack *= 0.5 if moved > 0.0 else 1.0
        moved = over
    return throttle


def direct_drive(kind: int, axles: Axles, driven: Sequence[bool]) -> Record:
    """Return the record DRIVETRAIN of a kind that applies torques to the wheels of the driven axles directly, without engine and gears."""
    out = record_for(DRIVETRAIN, axles.size)
    axles.write(out)
    copy_record(no_losses(), out)
    p = out[0]
    p["kind"], p["driven"], p["hub_ratio"], p["final_ratio"] = kind, sum(driven), 1.0, np.where(driven, 1.0, np.inf)
    p["gears"], p["reverse_ratio"], p["maximum_speed"] = 1, -1.0, np.inf
    p["forward_ratios"][0] = 1.0
    return out
