"""One step of engine, converter, gearbox, driveline, brakes and wheel spins, solved together.

Unknowns at the end of the step: the wheel spins W, the turbine speed w_t, the engine speed w_e (impeller included). With T_c the
torque of the turbine shaft into the gears, r the gear ratio and n the row of the driveshaft (driveline.py):

    (I + J) W' = moment - brake - friction + n T_c / r      J: half shafts, boxes, shafts (a low rank plus a diagonal)
    J_t w_t'   = T_t(w_e, w_t) - T_c             T_i, T_t: converter
    J_e w_e'   = T_e(w_e, throttle) - T_i(w_e, w_t)

In gear, T_c keeps w_t = n.W / r (plus the target slip while engaging) at the end of the step. An instant shift is therefore a plastic
impact that conserves momentum. In neutral, T_c is the friction of a released element. In a power shift, T_c is the friction of the
clutch of the new gear, and the clutch of the other gear slips with a known torque. With a manual transmission in gear the turbine (its
input shaft) is always geared to the driveshaft, and T_c is the friction clutch between engine and input shaft. r is the ratio of the
gear times the ratio of the transfer case's range.

Smooth torques are linearized about the start of the step (linearly implicit Euler). The set-valued torques are brakes, the coupling
while it is friction, differentials that bias the torque, and losses. An active-set (semi-smooth Newton) iteration solves them at the end
of the step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from vehicles.axle_layout import AXLES, WHEELS
from vehicles.brakes.friction_brake import brake_deflection, brake_slope
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.active_set import correct_guess, side
from vehicles.drivetrain.driveline import (
    DRIVELINE,
    DRIVELINE_STATE,
    center_difference,
    driveshaft_speed,
    solve_wheels,
    solve_wheels_with_friction,
    wheel_share,
)
from vehicles.drivetrain.driveline_friction import correct_friction, prepare_friction, update_links
from vehicles.drivetrain.engine import ENGINE, engine_torque
from vehicles.drivetrain.friction_clutch import CLOSES_AT, CLUTCH
from vehicles.drivetrain.gear_choice import reset_shift_history
from vehicles.drivetrain.gearbox import (
    DRIVE,
    GEARBOX,
    GEARBOX_STATE,
    INERTIA_PHASE,
    NEUTRAL,
    TORQUE_PHASE,
    advance_gearbox,
    coupling_bounds,
    finish_gearbox_step,
    gear_ratio,
    is_clutch_coupling,
)
from vehicles.drivetrain.lockup_clutch import LOCK_UP, LOCK_UP_STATE, advance_lock_up
from vehicles.drivetrain.motors import MOTOR_STATE, MOTORS
from vehicles.drivetrain.shaft_momentum import half_shaft_inertia, reactions, shaft_momentum
from vehicles.drivetrain.starter import STARTER, STARTER_STATE, crankshaft_torque, update_engine_running
from vehicles.drivetrain.stiff_friction import stiff_friction
from vehicles.drivetrain.torque_converter import CONVERTER, converter_torques
from vehicles.drivetrain.transfer_case import (
    TRANSFER_CASE_STATE,
    advance_transfer_case,
    reset_transfer_case,
)

MAX_ITERATIONS = 60
"""Largest number of active-set iterations; no tested case needed half of them."""

CRUISE_ERROR = 1e-9
"""N m. Tolerance of the torque into the gears for the throttle that holds a speed."""

DRIVETRAIN = (*ENGINE, *CONVERTER, *LOCK_UP, *CLUTCH, *STARTER, *GEARBOX, *DRIVELINE, *MOTORS)

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


class Hubs(NamedTuple):
    """Wheels as seen by the drivetrain; arrays (wheels,)."""

    spin: NDArray[np.float64]
    """rad/s, absolute speed of each wheel about its axle, + = rolling forward; updated in place"""
    carrier_spin: NDArray[np.float64]
    """rad/s, speed of the body that carries each brake about the same axle, taken as constant over the step"""
    moment: NDArray[np.float64]
    """N m, moment of the ground on the wheel about its axle, at the speeds before the step"""
    inertia: NDArray[np.float64]
    """kg m2, inertia of wheel, tire and hub about the axle, half shafts not included"""
    brake_limit: NDArray[np.float64]
    """N m, friction limit of the brake of each wheel"""
    rolling: NDArray[np.float64]
    """rad/s, speed that each wheel would have if it rolled without slip"""


class Shafts(NamedTuple):
    """Inertias and impulses of the coupling and the driveshaft over a step."""

    push: float
    """N m s, impulse on the shaft before the coupling, without that of the coupling"""
    inertia: float
    """kg m2, inertia of the shaft before the coupling"""
    speed: float
    """rad/s, speed of the shaft before the coupling at the start of the step"""
    geared: float
    """kg m2, inertia of the driveshaft and of all parts that are always geared to it"""
    given: float
    """N m s, known impulse on the driveshaft"""


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
    s[0]["lever"], s[0]["running"], s[0]["grinding"] = gear, 1, 0
    reset_shift_history(s)
    s[0]["turbine_speed"] = driveshaft_speed(p, spin) / s[0]["ratio"] if gear != 0 else 0.0
    s[0]["engine_speed"] = 0.0 if p[0]["motors"] > 0 else balanced_speed(p, s[0]["turbine_speed"], 0.0, gear == 0)
    if gear == 0:
        s[0]["turbine_speed"] = s[0]["engine_speed"]
    close_clutch(p, s)
    for i in range(len(spin)):
        s[0]["brake_angle"][i] = 0.0


@kernel
def drivetrain_cruise(p, s, spin, gear, torque):
    """Reset the drivetrain to steady driving and return the throttle that gives the driveshaft a torque [N m].

    The forward `gear` is engaged at the wheel speeds `spin` (wheels,), and the engine has the matching speed. The throttle is computed
    by a bracketing secant method (Illinois); it is 0 or 1 where no throttle gives the torque.
    """
    drivetrain_reset(p, s, spin, gear)
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


@inline
def close_clutch(p, s):
    """Set the friction clutch at a reset: closed out of gear and where the input shaft turns fast enough, else open."""
    if p[0]["has_clutch"] != 0:
        closed = s[0]["gear"] == 0 or s[0]["turbine_speed"] > CLOSES_AT * p[0]["grip_speed"][0]
        s[0]["grip"] = 1.0 if closed else 0.0
        s[0]["clutch_capacity"] = s[0]["grip"] * p[0]["friction_capacity"]
        if closed:
            s[0]["engine_speed"] = s[0]["turbine_speed"]


@inline
def cruise_torque(p, s, throttle):
    """Return the steady torque [N m] into the gears at a throttle; set the engine speed that belongs to it."""
    turbine = s[0]["turbine_speed"]
    if p[0]["has_clutch"] != 0:
        return engine_torque(p, turbine, throttle)[0] if s[0]["grip"] > 0.0 else 0.0
    s[0]["engine_speed"] = balanced_speed(p, turbine, throttle, False)
    return converter_torques(p, s[0]["engine_speed"], turbine)[1]


@inline
def balanced_speed(p, turbine_speed, throttle, free):
    """Return the engine speed [rad/s] at which engine and converter torque balance, by bisection.

    `free`: the turbine turns with the engine.
    """
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        load = 0.0 if p[0]["has_clutch"] != 0 else converter_torques(p, middle, middle if free else turbine_speed)[0]
        pulls = engine_torque(p, middle, throttle)[0] > load
        if middle == (low if pulls else high):
            break  # no floating-point number between low and high
        if pulls:
            low = middle
        else:
            high = middle
    return low


@inline
def drivetrain_step(p, b, s, command, hubs, h, out):
    """Advance the drivetrain and the wheel spins by h seconds.

    p : DRIVETRAIN, b : BRAKES (vehicles/brakes/brakes.py), s : DRIVETRAIN_STATE, command : COMMAND, out : DRIVETRAIN_OUT; records
    hubs : Hubs; their `spin` is updated in place
    h : step [s], meant for 0.1 to 5 ms

    `drive_torque`, `brake_torque` and the applied moment satisfy I (spin after - spin before) / h = moment + drive - brake exactly. The
    chassis receives -brake through the carriers, and `reaction_x`, `reaction_y` from the housings. `reaction_x` is minus the rate of the
    drivetrain's angular momentum about x (all longitudinal shafts turn about +x). `reaction_y` is minus the torques of the half shafts
    and the rate of the angular momentum about y. Geared hubs apply the difference between the torques of half shaft and wheel to their
    carriers, `hub_torque`.
    """
    spin = hubs.spin
    advance_transfer_case(p, s, command, mean_of(spin), center_difference(p, spin))
    output_speed = driveshaft_speed(p, spin) / s[0]["range_ratio"]
    s[0]["road_speed"] = driveshaft_speed(p, hubs.rolling) / s[0]["range_ratio"]
    update_engine_running(p, s)
    advance_gearbox(p, s, command, shifted_torque(p, s), output_speed, mean_of(spin), h)
    advance_lock_up(p, s, s[0]["phase"] == DRIVE and s[0]["clock"] > p[0]["shift_latency"], command[0]["brake"] > 0.0, output_speed, h)
    key = command[0]["starter"] != 0 or (p[0]["has_clutch"] != 0 and command[0]["manual_clutch"] == 0)
    torque, torque_slope = crankshaft_torque(p, s, command[0]["throttle"] * (1.0 - s[0]["relief"]), key)
    in_gear = is_clutch_coupling(p, s)
    geared, given = p[0]["driveshaft_inertia"], 0.0
    if in_gear:
        inertia = p[0]["engine_inertia"] + p[0]["impeller_inertia"] - h * min(torque_slope, 0.0)
        e0, e1, push, speed = 0.0, 0.0, h * torque, s[0]["engine_speed"]
        geared += p[0]["turbine_inertia"] / (s[0]["ratio"] * s[0]["range_ratio"]) ** 2
    else:
        e0, e1, push, inertia = turbine_side(p, s, torque, torque_slope, h)
        speed = s[0]["turbine_speed"]
        if s[0]["slip_torque"] != 0.0:
            push -= h * s[0]["slip_torque"]
            given = h * s[0]["slip_torque"] / (s[0]["slip_ratio"] * s[0]["range_ratio"])

    coupling = solve_spins(p, b, s, hubs, h, Shafts(push, inertia, speed, geared, given))

    update_hubs(b, s, hubs, h, out)
    turbine_change = (push - h * coupling) / inertia
    engine_change = e0 - e1 * turbine_change
    output_torque = coupling / (s[0]["ratio"] * s[0]["range_ratio"]) + given / h
    if in_gear:
        geared_speed = driveshaft_speed(p, spin) / (s[0]["ratio"] * s[0]["range_ratio"])
        engine_change, turbine_change = turbine_change, geared_speed - s[0]["turbine_speed"]
        output_torque = (coupling - p[0]["turbine_inertia"] * turbine_change / h) / (s[0]["ratio"] * s[0]["range_ratio"])
    s[0]["turbine_speed"] += turbine_change
    s[0]["engine_speed"] += engine_change
    s[0]["coupling_torque"] = coupling
    output_speed = driveshaft_speed(p, spin) / s[0]["range_ratio"]
    add_clutch_heat(p, s, in_gear, output_speed, engine_change - turbine_change, h)
    finish_gearbox_step(p, s, output_speed)

    out[0]["engine_speed"], out[0]["turbine_speed"] = s[0]["engine_speed"], s[0]["turbine_speed"]
    out[0]["engine_torque"] = torque + torque_slope * engine_change
    out[0]["speed_ratio"] = s[0]["turbine_speed"] / max(s[0]["engine_speed"], 1e-9)
    out[0]["driveshaft_speed"] = driveshaft_speed(p, spin)
    out[0]["driveshaft_torque"] = s[0]["output_torque"] = output_torque
    out[0]["gear"], out[0]["range"], out[0]["center_locked"] = s[0]["gear"], s[0]["range"], s[0]["center_locked"]
    reactions(p, s, engine_change, turbine_change, h, out)
    if p[0]["joint_couples"] > 0:
        engine = (p[0]["engine_inertia"] + p[0]["impeller_inertia"]) * s[0]["engine_speed"]
        shaft_momentum(p, spin, engine + p[0]["turbine_inertia"] * s[0]["turbine_speed"], out)


@inline
def update_hubs(b, s, hubs, h, out):
    """Update the wheel spins after `solve_spins`, and compute the torques of brakes and half shafts that caused the changes."""
    x, slope = s[0]["change"], brake_slope(b, h)
    for i in range(len(hubs.spin)):
        limit = hubs.brake_limit[i]
        brake = min(limit, max(-limit, s[0]["held"][i] + slope * x[i]))
        s[0]["brake_angle"][i] = brake_deflection(b, s[0]["brake_angle"][i], brake, h)
        out[0]["brake_torque"][i] = brake
        out[0]["drive_torque"][i] = hubs.inertia[i] / h * x[i] - hubs.moment[i] + brake
        hubs.spin[i] += x[i]


@inline
def mean_of(spin):
    """Return the mean speed of the wheels."""
    total = 0.0
    for i in range(len(spin)):
        total += spin[i]
    return total / len(spin)


@inline
def turbine_side(p, s, torque, torque_slope, h):
    """Eliminate the engine. Return (e0, e1, push, inertia); over a step, with the coupling torque T_c and the speed changes d,

    d_e = e0 - e1 d_t,      inertia d_t = push - h T_c
    """
    T_i, T_t, T_i_by_e, T_i_by_t, T_t_by_e, T_t_by_t = input_torques(p, s, h)
    # Slopes that increase stability are implicit; the others would only reduce the pivot.
    engine = p[0]["engine_inertia"] + p[0]["impeller_inertia"] + h * (max(T_i_by_e, 0.0) - min(torque_slope, 0.0))
    e0 = h * (torque - T_i) / engine
    e1 = h * T_i_by_t / engine
    return e0, e1, h * (T_t + T_t_by_e * e0), p[0]["turbine_inertia"] + h * (T_t_by_e * e1 - T_t_by_t)


@inline
def input_torques(p, s, h):
    """Return the torques between engine and turbine and their slopes, in the order of `converter_torques`.

    The torques are those of the converter with its lock-up clutch, or of a friction clutch out of gear with oil drag on its input shaft.
    """
    engine, turbine = s[0]["engine_speed"], s[0]["turbine_speed"]
    if p[0]["has_clutch"] == 0 and s[0]["locked"] == 0.0:
        s[0]["link_torque"] = s[0]["link_slope"] = 0.0
        return converter_torques(p, engine, turbine)
    crank = p[0]["engine_inertia"] + p[0]["impeller_inertia"]
    if p[0]["has_clutch"] != 0:
        T, k = stiff_friction(
            engine - turbine, s[0]["clutch_capacity"], crank * p[0]["turbine_inertia"] / (crank + p[0]["turbine_inertia"]), h
        )
        T_i, T_t, T_i_by_e, T_i_by_t, T_t_by_e, T_t_by_t = 0.0, -p[0]["input_drag"] * turbine, 0.0, 0.0, 0.0, -p[0]["input_drag"]
    else:  # in gear the turbine moves with the mass of the vehicle
        T, k = stiff_friction(engine - turbine, s[0]["locked"] * p[0]["lock_capacity"], crank, h)
        T_i, T_t, T_i_by_e, T_i_by_t, T_t_by_e, T_t_by_t = converter_torques(p, engine, turbine)
    s[0]["link_torque"], s[0]["link_slope"] = T, k
    return T_i + T, T_t + T, T_i_by_e + k, T_i_by_t - k, T_t_by_e + k, T_t_by_t - k


@inline
def shifted_torque(p, s):
    """Return the turbine torque [N m] during a power shift, for the clutch controller; 0 outside of shifts."""
    if s[0]["phase"] != TORQUE_PHASE and s[0]["phase"] != INERTIA_PHASE:
        return 0.0
    return converter_torques(p, s[0]["engine_speed"], s[0]["turbine_speed"])[1]


@inline
def add_clutch_heat(p, s, in_gear, shaft_speed, slip_change, h):
    """Add the energy dissipated in slipping clutches during a step: torques times the slips at its end, as solved.

    slip_change : rad/s, change of the engine speed relative to the turbine
    """
    link = s[0]["engine_speed"] - s[0]["turbine_speed"]
    if in_gear:
        s[0]["clutch_heat"] += h * s[0]["coupling_torque"] * link
    elif s[0]["phase"] != DRIVE:
        s[0]["clutch_heat"] += h * s[0]["coupling_torque"] * (s[0]["turbine_speed"] - shaft_speed / s[0]["ratio"])
    if s[0]["slip_torque"] != 0.0:
        s[0]["clutch_heat"] += h * s[0]["slip_torque"] * (s[0]["turbine_speed"] - shaft_speed / s[0]["slip_ratio"])
    if not in_gear and s[0]["link_torque"] != 0.0:
        s[0]["clutch_heat"] += h * (s[0]["link_torque"] + s[0]["link_slope"] * slip_change) * link


@inline
def solve_spins(p, b, s, hubs, h, shafts):
    """Compute the speed changes of the wheels into s.change; return the coupling torque [N m].

    Guess which brakes slide and whether the coupling slides, solve the linear system, and correct the guess until it no longer changes.
    """
    push, inertia, speed, geared, given = shafts
    low, high = coupling_bounds(p, s)
    gain = 1.0 / (s[0]["ratio"] * s[0]["range_ratio"])
    slope = brake_slope(b, h)
    x, held, limit = s[0]["change"], s[0]["held"], hubs.brake_limit
    # impulse of the coupling and torques of the brakes that would hold the speeds constant
    hold = push + inertia * (speed - s[0]["slip"] - gain * driveshaft_speed(p, hubs.spin))
    for i in range(len(x)):
        x[i] = 0.0
        held[i] = slope * (hubs.spin[i] - hubs.carrier_spin[i]) + b[0]["stiffness"] * s[0]["brake_angle"][i]
        s[0]["load_free"][i] = h * hubs.moment[i]
        s[0]["diagonal_free"][i] = hubs.inertia[i] + half_shaft_inertia(p, i)
        if p[0]["motors"] > 0:
            add_motor(p, s, i, h)

    coupled = side(hold, h * low, h * high)
    for i in range(len(x)):
        s[0]["sliding"][i] = side(held[i], -limit[i], limit[i])
    if p[0]["has_friction"] > 0:
        prepare_friction(p, s, hubs.spin, h)
    for iteration in range(MAX_ITERATIONS):
        if coupled == 0:
            solve_linear(p, s, limit, geared + inertia * gain * gain, given + gain * hold, slope, h)
        else:
            solve_linear(p, s, limit, geared, given + gain * h * (high if coupled > 0 else low), slope, h)
        coupled, settled = correct_guess(coupled, side(hold - inertia * gain * driveshaft_speed(p, x), h * low, h * high), iteration, True)
        for i in range(len(x)):
            if limit[i] > 0.0:
                now = side(held[i] + slope * x[i], -limit[i], limit[i])
                s[0]["sliding"][i], settled = correct_guess(s[0]["sliding"][i], now, iteration, settled)
        if p[0]["has_friction"] > 0:
            settled = correct_friction(p, s, h, iteration, settled)
        if settled:
            break
    if p[0]["has_friction"] > 0:
        update_links(s, h)
    return min(high, max(low, (hold - inertia * gain * driveshaft_speed(p, x)) / h))


@inline
def add_motor(p, s, i, h):
    """Add the motor torque on wheel i, and the rotor inertia of a motor that drives this wheel alone."""
    axle = axle_of(p, i)
    s[0]["load_free"][i] += h * s[0]["motor_torque"][i]
    if p[0]["motors_on"][axle] > 1:
        s[0]["diagonal_free"][i] += p[0]["rotor_inertia"][axle] * p[0]["motor_ratio"][axle] ** 2


@inline
def solve_linear(p, s, limit, shaft_inertia, shaft_impulse, slope, h):
    """Compute the speed changes s.change for the present guess s.sliding.

    limit : (wheels,) friction limits of the brakes [N m]; shaft_inertia [kg m2], shaft_impulse [N m s] : on the driveshaft
    """
    for i in range(len(s[0]["load"])):
        # with friction, the friction solver distributes the impulse of the driveshaft
        share = wheel_share(p, axle_of(p, i)) if p[0]["has_friction"] == 0 else 0.0
        sliding = s[0]["sliding"][i]
        brake = s[0]["held"][i] if sliding == 0 else sliding * limit[i]
        s[0]["load"][i] = s[0]["load_free"][i] - h * brake + share * shaft_impulse
        s[0]["diagonal"][i] = s[0]["diagonal_free"][i] + (h * slope if sliding == 0 else 0.0)
        s[0]["yielding"][i] = 1.0 / s[0]["diagonal"][i]
    if p[0]["has_friction"] > 0:
        solve_wheels_with_friction(p, s, shaft_inertia, shaft_impulse, h)
    else:
        solve_wheels(p, s, shaft_inertia)
