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
gear times the ratio of the transfer case's range. With elastic half shafts (shaft_twist.py), the driveshaft turns by itself at w_d, and T_c
keeps w_t = w_d / r.

Smooth torques are linearized about the start of the step (linearly implicit Euler). wheel_spins.py solves for the set-valued torques.
"""

from __future__ import annotations

from simulator.base.jit import inline
from vehicles.drivetrain.conventional.engine import engine_torque
from vehicles.drivetrain.conventional.friction_clutch import CLOSES_AT
from vehicles.drivetrain.conventional.gearbox import (
    DRIVE,
    INERTIA_PHASE,
    TORQUE_PHASE,
    advance_gearbox,
    coupling_bounds,
    finish_gearbox_step,
    is_clutch_coupling,
)
from vehicles.drivetrain.conventional.lockup_clutch import advance_lock_up
from vehicles.drivetrain.conventional.shift_driver import applied_throttle
from vehicles.drivetrain.conventional.starter import crankshaft_torque, update_engine_running
from vehicles.drivetrain.conventional.torque_converter import converter_torques
from vehicles.drivetrain.driveline import center_difference, driveshaft_speed
from vehicles.drivetrain.shaft_momentum import reactions, shaft_momentum
from vehicles.drivetrain.shaft_twist import advance_twist, shaft_end_speed
from vehicles.drivetrain.transfer_case import advance_transfer_case
from vehicles.drivetrain.wheel_spins import Shafts, solve_spins, update_hubs

# Friction clutch as a stiff damper, saturated at its capacity, for a step that is linearly implicit in the torque.
#
# This element replaces the exact friction where the coupling of the step is used by another element (a gear next to a lock-up clutch, a
# synchronizer next to a friction clutch). It holds with a slip of at most BAND at full capacity.
BAND = 1.0
"""rad/s. Slip at which the clutch carries its full capacity."""


@inline
def stiff_friction(slip, capacity, inertia, h):
    """Return (torque [N m] at the start of a step, slope [N m s/rad] of the torque over the slip, 0 where the clutch slips).

    slip : rad/s; inertia : kg m2, reduced inertia between both sides, used to predict whether the clutch will stick at the end of the step
    """
    stiffness = capacity / BAND
    if abs(stiffness * slip) < capacity * (1.0 + h * stiffness / inertia):
        return stiffness * slip, stiffness
    return (capacity if slip > 0.0 else -capacity), 0.0


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
def conventional_step(p, b, s, command, hubs, h, out):
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
    output_speed = shaft_end_speed(p, s, driveshaft_speed(p, spin)) / s[0]["range_ratio"]
    s[0]["road_speed"] = driveshaft_speed(p, hubs.rolling) / s[0]["range_ratio"]
    update_engine_running(p, s)
    advance_gearbox(p, s, command, shifted_torque(p, s), output_speed, mean_of(spin), h)
    advance_lock_up(p, s, s[0]["phase"] == DRIVE and s[0]["clock"] > p[0]["shift_latency"], command[0]["brake"] > 0.0, output_speed, h)
    key = command[0]["starter"] != 0 or (p[0]["has_clutch"] != 0 and command[0]["manual_clutch"] == 0)
    torque, torque_slope = crankshaft_torque(p, s, applied_throttle(p, s, command[0]["throttle"], h), key)
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

    low, high = coupling_bounds(p, s)
    coupling = solve_spins(p, b, s, hubs, h, Shafts(push, inertia, speed, geared, given, low, high))

    update_hubs(b, s, hubs, h, out)
    advance_twist(p, s, driveshaft_speed(p, spin), h)
    end_speed = shaft_end_speed(p, s, driveshaft_speed(p, spin))
    turbine_change = (push - h * coupling) / inertia
    engine_change = e0 - e1 * turbine_change
    output_torque = coupling / (s[0]["ratio"] * s[0]["range_ratio"]) + given / h
    if in_gear:
        geared_speed = end_speed / (s[0]["ratio"] * s[0]["range_ratio"])
        engine_change, turbine_change = turbine_change, geared_speed - s[0]["turbine_speed"]
        output_torque = (coupling - p[0]["turbine_inertia"] * turbine_change / h) / (s[0]["ratio"] * s[0]["range_ratio"])
    s[0]["turbine_speed"] += turbine_change
    s[0]["engine_speed"] += engine_change
    s[0]["coupling_torque"] = coupling
    output_speed = end_speed / s[0]["range_ratio"]
    add_clutch_heat(p, s, in_gear, output_speed, engine_change - turbine_change, h)
    finish_gearbox_step(p, s, output_speed)

    s[0]["output_torque"] = output_torque
    out[0]["engine_torque"], out[0]["driveshaft_speed"] = torque + torque_slope * engine_change, end_speed
    show_state(p, s, h, out)
    reactions(p, s, engine_change, turbine_change, h, out)
    if p[0]["joint_couples"] > 0:
        engine = (p[0]["engine_inertia"] + p[0]["impeller_inertia"]) * s[0]["engine_speed"]
        shaft_momentum(p, s, spin, engine + p[0]["turbine_inertia"] * s[0]["turbine_speed"], out)


@inline
def show_state(p, s, h, out):
    """Write speeds, shaft torques and positions of the state to the output."""
    out[0]["engine_speed"], out[0]["turbine_speed"] = s[0]["engine_speed"], s[0]["turbine_speed"]
    out[0]["speed_ratio"] = s[0]["turbine_speed"] / max(s[0]["engine_speed"], 1e-9)
    out[0]["driveshaft_torque"] = s[0]["output_torque"]
    out[0]["shaft_torque"] = s[0]["output_torque"] - p[0]["driveshaft_inertia"] * s[0]["shaft_end_change"] / h
    out[0]["shaft_twist"] = s[0]["twist"]
    out[0]["gear"], out[0]["range"], out[0]["center_locked"] = s[0]["gear"], s[0]["range"], s[0]["center_locked"]


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
