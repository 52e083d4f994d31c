"""One step of engine, converter, gearbox, driveline, brakes and the wheel spins, solved together.

Unknowns at the end of the step: the wheel spins W, the turbine speed w_t, the engine speed w_e (impeller included). With T_c the
torque of the turbine shaft into the gears, r the gear ratio and n the row of the driveshaft (driveline.py):

    (I + J) W' = moment - brake - friction + n T_c / r      J: half shafts, boxes, shafts (a low rank plus a diagonal)
    J_t w_t'   = T_t(w_e, w_t) - T_c             T_i, T_t: converter
    J_e w_e'   = T_e(w_e, throttle) - T_i(w_e, w_t)

In gear T_c keeps w_t = n.W / r (plus the slip wanted while engaging) at the end of the step, so an instant shift is the plastic
impact that conserves momentum; in neutral T_c is friction that has let go; in a shift by clutches it is friction of the gear that is met, and
that of the other gear slips with a known torque. With a hand gearbox in gear the turbine (its input shaft) is always geared to the driveshaft,
and T_c is the friction clutch between engine and it. r is that of the gear times that of the transfer case's range. Smooth torques are
linearized about the start of the step (linearly implicit Euler); the set-valued ones, brakes, the coupling while it is friction, differentials
that bias the torque and losses, are solved at the end of the step by an active-set (semi-smooth Newton) iteration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from vehicles.axle_layout import AXLES, WHEELS
from vehicles.brakes.friction_brake import brake_deflection, brake_slope
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.active_set import corrected, side
from vehicles.drivetrain.driveline import (
    DRIVELINE,
    DRIVELINE_STATE,
    center_difference,
    driveshaft_speed,
    solve_wheels,
    solve_wheels_with_friction,
    wheel_share,
)
from vehicles.drivetrain.driveline_friction import correct_friction, prepare_friction, wind_links
from vehicles.drivetrain.engine import ENGINE, engine_torque
from vehicles.drivetrain.friction_clutch import CLOSES_AT, CLUTCH
from vehicles.drivetrain.gear_choice import forget_shifts
from vehicles.drivetrain.gearbox import (
    DRIVE,
    GEARBOX,
    GEARBOX_STATE,
    HAND_OVER,
    MEET,
    NEUTRAL,
    advance_gearbox,
    clutch_in_step,
    coupling_bounds,
    follow_slip,
    gear_ratio,
)
from vehicles.drivetrain.lockup_clutch import LOCK_UP, LOCK_UP_STATE, work_lock_up
from vehicles.drivetrain.motors import MOTOR_STATE, MOTORS
from vehicles.drivetrain.shaft_momentum import half_shaft_inertia, reactions, shaft_momentum
from vehicles.drivetrain.starter import STARTER, STARTER_STATE, crankshaft_torque, run_or_die
from vehicles.drivetrain.stiff_friction import stiff_friction
from vehicles.drivetrain.torque_converter import CONVERTER, converter_torques
from vehicles.drivetrain.transfer_case import (
    TRANSFER_CASE_STATE,
    advance_transfer_case,
    reset_transfer_case,
)

ROUNDS = 60
"""Rounds in all; no case tried needed half of them."""

CRUISE_ERROR = 1e-9
"""N m into the gears by which a throttle that holds a speed may miss."""

DRIVETRAIN = (*ENGINE, *CONVERTER, *LOCK_UP, *CLUTCH, *STARTER, *GEARBOX, *DRIVELINE, *MOTORS)

DRIVETRAIN_STATE = (
    *GEARBOX_STATE,
    *DRIVELINE_STATE,
    *TRANSFER_CASE_STATE,
    *LOCK_UP_STATE,
    *STARTER_STATE,
    *MOTOR_STATE,
    # name               shape  unit      what it is
    ("engine_speed", (), "rad/s", "crankshaft and impeller"),
    ("output_torque", (), "N m", "torque of the gearbox on the driveshaft, losses not taken off"),
    ("link_torque", (), "N m", "torque at the start of the step of the lock-up clutch, or of a friction clutch out of gear"),
    ("link_slope", (), "N m s/rad", "the slope of it over the slip"),
    ("rolling", (WHEELS,), "rad/s", "scratch: speed of each wheel if it rolled without slip"),
    ("brake_angle", (WHEELS,), "rad", "elastic angle of each brake, + = the wheel has turned forward against it"),
    ("held", (WHEELS,), "N m", "scratch: torque of each brake if it held and its wheel kept its speed"),
    ("load_free", (WHEELS,), "N m s", "scratch: impulse on each wheel without brake and driveshaft"),
    ("load", (WHEELS,), "N m s", "scratch: impulse on each wheel"),
    ("diagonal_free", (WHEELS,), "kg m2", "scratch: wheel inertia with the implicit terms, without the brake"),
    ("diagonal", (WHEELS,), "kg m2", "scratch: the same with the brake"),
    ("yielding", (WHEELS,), "1/(kg m2)", "scratch: one over diagonal"),
    ("soft", (AXLES,), "1", "scratch: how much the inertia of shaft and box of an axle takes off"),
    ("change", (WHEELS,), "rad/s", "scratch: speed change of each wheel"),
    ("sliding", (WHEELS,), "1", "scratch: 0 = brake holds, 1 or -1 = it slides forward or backward", "i8"),
)

DRIVETRAIN_OUT = (
    # name                   shape  unit     what it is
    ("drive_torque", (WHEELS,), "N m", "torque of the half shaft on the wheel, mean over the step, + = forward"),
    ("brake_torque", (WHEELS,), "N m", "torque of the brake on the wheel, + = against forward rotation"),
    ("engine_speed", (), "rad/s", "crankshaft speed"),
    ("engine_torque", (), "N m", "torque of the engine on its crankshaft, losses included"),
    ("turbine_speed", (), "rad/s", "turbine of the converter"),
    ("speed_ratio", (), "1", "turbine speed / impeller speed"),
    ("driveshaft_speed", (), "rad/s", "driveshaft"),
    ("driveshaft_torque", (), "N m", "torque of the gearbox on the driveshaft, losses not taken off"),
    ("gear", (), "1", "gear engaged, -1 reverse, 0 neutral", "i8"),
    ("range", (), "1", "range of the transfer case, 0 high, 1 low", "i8"),
    ("center_locked", (), "1", "1 while the center differential is locked", "i8"),
    ("hub_torque", (WHEELS,), "N m", "torque of a geared hub on its carrier about the axle, + = forward"),
    ("reaction_x", (), "N m", "torque of engine, gearbox and final-drive housings on the chassis about its x axis"),
    ("reaction_y", (), "N m", "torque of the final-drive housings on the chassis about its y axis"),
    ("housing_torque", (AXLES,), "N m", "per axle, the share of reaction_y of its final drive and half shafts"),
    ("pinion_torque", (AXLES,), "N m", "per axle, torque of its shaft on the final drive"),
    ("momentum_x", (), "N m s", "angular momentum of all shafts about the chassis' x axis, where the chassis feels its turning"),
    ("momentum_y", (), "N m s", "the same about its y axis"),
)


class Hubs(NamedTuple):
    """What the wheels are to the drivetrain; arrays (wheels,)."""

    spin: NDArray[np.float64]
    """rad/s, absolute speed of each wheel about its axle, + = rolling forward; updated in place"""
    carrier_spin: NDArray[np.float64]
    """rad/s, speed of what the brake of each wheel sits on about the same axle, taken as constant over the step"""
    moment: NDArray[np.float64]
    """N m, moment of the ground on the wheel about its axle, at the speeds before the step"""
    inertia: NDArray[np.float64]
    """kg m2, of wheel, tire and hub about the axle, half shafts not included"""
    brake_limit: NDArray[np.float64]
    """N m, friction limit of the brake of each wheel"""
    rolling: NDArray[np.float64]
    """rad/s, speed that each wheel would have if it rolled without slip"""


class Shafts(NamedTuple):
    """What turns with the coupling and the driveshaft over a step."""

    push: float
    """N m s, impulse on the shaft before the coupling, without that of the coupling"""
    inertia: float
    """kg m2, of that shaft"""
    speed: float
    """rad/s, of that shaft before the step"""
    geared: float
    """kg m2, of the driveshaft and what is always geared to it"""
    given: float
    """N m s, known impulse on the driveshaft"""


@kernel
def drivetrain_reset(p, s, spin, gear):
    """Brakes relaxed, `gear` engaged at the wheel speeds `spin` (wheels,), and the engine at the speed it keeps with the throttle closed:
    idling, in gear against the converter (standing if it has no idle governor and the wheels stand)."""
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
    forget_shifts(s)
    s[0]["turbine_speed"] = driveshaft_speed(p, spin) / s[0]["ratio"] if gear != 0 else 0.0
    s[0]["engine_speed"] = 0.0 if p[0]["motors"] > 0 else balanced_speed(p, s[0]["turbine_speed"], 0.0, gear == 0)
    if gear == 0:
        s[0]["turbine_speed"] = s[0]["engine_speed"]
    close_clutch(p, s)
    for i in range(len(spin)):
        s[0]["brake_angle"][i] = 0.0


@kernel
def drivetrain_cruise(p, s, spin, gear, torque):
    """Forward `gear` engaged at the wheel speeds `spin` (wheels,), and the engine at the speed at which a throttle, which is returned, gives
    the driveshaft a torque [N m]: by secants that keep it between them (Illinois), 0 or 1 where none does."""
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
    """At a start: the friction clutch is closed out of gear and where the input shaft turns fast enough, else open."""
    if p[0]["has_clutch"] != 0:
        closed = s[0]["gear"] == 0 or s[0]["turbine_speed"] > CLOSES_AT * p[0]["grip_speed"][0]
        s[0]["grip"] = 1.0 if closed else 0.0
        s[0]["clutch_capacity"] = s[0]["grip"] * p[0]["friction_capacity"]
        if closed:
            s[0]["engine_speed"] = s[0]["turbine_speed"]


@inline
def cruise_torque(p, s, throttle):
    """Steady torque [N m] into the gears at a throttle; brings the engine to its speed."""
    turbine = s[0]["turbine_speed"]
    if p[0]["has_clutch"] != 0:
        return engine_torque(p, turbine, throttle)[0] if s[0]["grip"] > 0.0 else 0.0
    s[0]["engine_speed"] = balanced_speed(p, turbine, throttle, False)
    return converter_torques(p, s[0]["engine_speed"], turbine)[1]


@inline
def balanced_speed(p, turbine_speed, throttle, free):
    """Engine speed [rad/s] at which a throttle balances the converter, or nothing, by bisection; `free` = the turbine runs along."""
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        load = 0.0 if p[0]["has_clutch"] != 0 else converter_torques(p, middle, middle if free else turbine_speed)[0]
        pulls = engine_torque(p, middle, throttle)[0] > load
        if middle == (low if pulls else high):
            break  # no number lies between them
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

    `drive_torque`, `brake_torque` and the moment that acts satisfy I (spin after - spin before) / h = moment + drive - brake
    exactly. The chassis is due -brake through the carriers, and `reaction_x`, `reaction_y` from the housings: minus the rate of
    the drivetrain's angular momentum about x (all longitudinal shafts turn about +x), and minus the torques of the half shafts and that rate
    about y. Geared hubs put the difference between the torques of half shaft and wheel on their carriers, `hub_torque`.
    """
    spin = hubs.spin
    advance_transfer_case(p, s, command, mean_of(spin), center_difference(p, spin))
    output_speed = driveshaft_speed(p, spin) / s[0]["range_ratio"]
    s[0]["road_speed"] = driveshaft_speed(p, hubs.rolling) / s[0]["range_ratio"]
    run_or_die(p, s)
    advance_gearbox(p, s, command, shifted_torque(p, s), output_speed, mean_of(spin), h)
    work_lock_up(p, s, s[0]["phase"] == DRIVE and s[0]["clock"] > p[0]["shift_latency"], command[0]["brake"] > 0.0, output_speed, h)
    key = command[0]["starter"] != 0 or (p[0]["has_clutch"] != 0 and command[0]["manual_clutch"] == 0)
    torque, torque_slope = crankshaft_torque(p, s, command[0]["throttle"] * (1.0 - s[0]["relief"]), key)
    in_gear = clutch_in_step(p, s)
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

    turn_hubs(b, s, hubs, h, out)
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
    book_heat(p, s, in_gear, output_speed, engine_change - turbine_change, h)
    follow_slip(p, s, output_speed)

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
def turn_hubs(b, s, hubs, h, out):
    """Wheel spins at the end of the step after `solve_spins`, and the torques of brakes and half shafts that made them so."""
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
    """Mean speed of the wheels."""
    total = 0.0
    for i in range(len(spin)):
        total += spin[i]
    return total / len(spin)


@inline
def turbine_side(p, s, torque, torque_slope, h):
    """Eliminate the engine: (e0, e1, push, inertia) with, over a step, T_c the coupling torque and d the changes of speed,

    d_e = e0 - e1 d_t,      inertia d_t = push - h T_c
    """
    T_i, T_t, T_i_by_e, T_i_by_t, T_t_by_e, T_t_by_t = input_torques(p, s, h)
    # slopes that help stability are implicit, the others would only shrink the pivot
    engine = p[0]["engine_inertia"] + p[0]["impeller_inertia"] + h * (max(T_i_by_e, 0.0) - min(torque_slope, 0.0))
    e0 = h * (torque - T_i) / engine
    e1 = h * T_i_by_t / engine
    return e0, e1, h * (T_t + T_t_by_e * e0), p[0]["turbine_inertia"] + h * (T_t_by_e * e1 - T_t_by_t)


@inline
def input_torques(p, s, h):
    """Torques between engine and turbine and their slopes, as `converter_torques` has them: of the converter with its lock-up clutch, or of a
    friction clutch out of gear, whose input shaft drags in its oil."""
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
    else:  # in gear the turbine is as heavy as the vehicle
        T, k = stiff_friction(engine - turbine, s[0]["locked"] * p[0]["lock_capacity"], crank, h)
        T_i, T_t, T_i_by_e, T_i_by_t, T_t_by_e, T_t_by_t = converter_torques(p, engine, turbine)
    s[0]["link_torque"], s[0]["link_slope"] = T, k
    return T_i + T, T_t + T, T_i_by_e + k, T_i_by_t - k, T_t_by_e + k, T_t_by_t - k


@inline
def shifted_torque(p, s):
    """Torque [N m] on the turbine in a shift by clutches, for their controller."""
    if s[0]["phase"] != HAND_OVER and s[0]["phase"] != MEET:
        return 0.0
    return converter_torques(p, s[0]["engine_speed"], s[0]["turbine_speed"])[1]


@inline
def book_heat(p, s, in_gear, shaft_speed, slip_change, h):
    """Add to the heat what clutches that slip have dissipated in a step: their torques times the slips at its end, as they were solved.

    slip_change : rad/s, of the engine against the turbine
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
    """Speed changes of the wheels into s.change; returns the coupling torque [N m].

    Guess which brakes and whether the coupling slide, solve the linear system, correct the guess, until it stands.
    """
    push, inertia, speed, geared, given = shafts
    low, high = coupling_bounds(p, s)
    gain = 1.0 / (s[0]["ratio"] * s[0]["range_ratio"])
    slope = brake_slope(b, h)
    x, held, limit = s[0]["change"], s[0]["held"], hubs.brake_limit
    # what the coupling (impulse) and the brakes (torque) need in order to hold, for zero change of the spins
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
    for round_ in range(ROUNDS):
        if coupled == 0:
            solve_linear(p, s, limit, geared + inertia * gain * gain, given + gain * hold, slope, h)
        else:
            solve_linear(p, s, limit, geared, given + gain * h * (high if coupled > 0 else low), slope, h)
        coupled, settled = corrected(coupled, side(hold - inertia * gain * driveshaft_speed(p, x), h * low, h * high), round_, True)
        for i in range(len(x)):
            if limit[i] > 0.0:
                now = side(held[i] + slope * x[i], -limit[i], limit[i])
                s[0]["sliding"][i], settled = corrected(s[0]["sliding"][i], now, round_, settled)
        if p[0]["has_friction"] > 0:
            settled = correct_friction(p, s, h, round_, settled)
        if settled:
            break
    if p[0]["has_friction"] > 0:
        wind_links(s, h)
    return min(high, max(low, (hold - inertia * gain * driveshaft_speed(p, x)) / h))


@inline
def add_motor(p, s, i, h):
    """Torque of the motors on wheel i, and the inertia of the rotor of its own."""
    axle = axle_of(p, i)
    s[0]["load_free"][i] += h * s[0]["motor_torque"][i]
    if p[0]["motors_on"][axle] > 1:
        s[0]["diagonal_free"][i] += p[0]["rotor_inertia"][axle] * p[0]["motor_ratio"][axle] ** 2


@inline
def solve_linear(p, s, limit, shaft_inertia, shaft_impulse, slope, h):
    """Speed changes s.change for the present guess s.sliding; friction `limit` (wheels,) [N m] of the brakes, inertia [kg m2] and impulse
    [N m s] on the driveshaft given."""
    for i in range(len(s[0]["load"])):
        # with friction, what comes through the driveshaft is shared as the friction has it
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
