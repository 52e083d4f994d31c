"""One step of engine, converter, gearbox, driveline, brakes and the wheel spins, solved together.

Unknowns at the end of the step: the wheel spins W, the turbine speed w_t, the engine speed w_e (impeller included). With T_c the
torque of the turbine shaft into the gears, r the gear ratio and n the row of the driveshaft (driveline.py):

    (I + J) W' = moment - brake + n T_c / r      J: half shafts, boxes, shafts (a low rank plus a diagonal)
    J_t w_t'   = T_t(w_e, w_t) - T_c             T_i, T_t: converter
    J_e w_e'   = T_e(w_e, throttle) - T_i(w_e, w_t)

In gear T_c keeps w_t = n.W / r (plus the slip wanted while engaging) at the end of the step, so an instant shift is the plastic
impact that conserves momentum; in neutral T_c is friction that has let go. Smooth torques are linearized about the start of the step
(linearly implicit Euler); the set-valued ones, brakes and the coupling while it is friction, are solved at the end of the
step by an active-set (semi-smooth Newton) iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, Gathered
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from simulator.base.section import Section
from vehicles.axles import AXLES, USUAL_AXLES, WHEELS, Axles, record_for
from vehicles.brakes.friction_brake import brake_deflection, brake_slope
from vehicles.drivetrain.driveline import (
    DRIVELINE,
    axle_inertia,
    box_speed,
    driveline_from_section,
    driveshaft_speed,
    is_driven,
    solve_wheels,
    wheel_share,
)
from vehicles.drivetrain.engine import ENGINE, engine_from_section, engine_torque
from vehicles.drivetrain.gearbox import (
    DRIVE,
    GEARBOX,
    GEARBOX_STATE,
    NEUTRAL,
    advance_gearbox,
    coupling_bounds,
    follow_slip,
    gear_ratio,
    gearbox_from_section,
)
from vehicles.drivetrain.tables import RPM
from vehicles.drivetrain.torque_converter import CONVERTER, converter_from_section, converter_torques
from vehicles.sides import axle_of, sum_on_axle

BLOCK_ROUNDS = 4
"""Rounds in which all guesses are corrected at once. Two are enough nearly always."""

ROUNDS = 60
"""Rounds in all; no case tried needed half of them."""

DRIVETRAIN = (*ENGINE, *CONVERTER, *GEARBOX, *DRIVELINE)

DRIVETRAIN_STATE = (
    *GEARBOX_STATE,
    # name               shape  unit      what it is
    ("engine_speed", (), "rad/s", "crankshaft and impeller"),
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
    ("driveshaft_torque", (), "N m", "torque of the gearbox on the driveshaft"),
    ("gear", (), "1", "gear engaged, -1 reverse, 0 neutral", "i8"),
    ("reaction_x", (), "N m", "torque of engine, gearbox and final-drive housings on the chassis about its x axis"),
    ("reaction_y", (), "N m", "torque of the final-drive housings on the chassis about its y axis"),
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


@kernel
def drivetrain_reset(p, s, spin, gear):
    """Brakes relaxed, `gear` engaged at the wheel speeds `spin` (wheels,), and the engine at the speed it keeps with the throttle closed:
    idling, in gear against the converter (standing if it has no idle governor and the wheels stand)."""
    s[0]["gear"], s[0]["phase"], s[0]["clock"] = gear, DRIVE if gear != 0 else NEUTRAL, 0.0
    s[0]["ratio"] = gear_ratio(p, gear if gear != 0 else 1)
    s[0]["ratio_from"] = s[0]["ratio"]
    s[0]["slip"] = s[0]["slip_from"] = s[0]["coupling_torque"] = s[0]["release_torque"] = 0.0
    s[0]["downshift_throttle"] = -1.0
    s[0]["turbine_speed"] = driveshaft_speed(p, spin) / s[0]["ratio"] if gear != 0 else 0.0
    s[0]["engine_speed"] = balanced_speed(p, s[0]["turbine_speed"], 0.0, gear == 0)
    if gear == 0:
        s[0]["turbine_speed"] = s[0]["engine_speed"]
    for i in range(len(spin)):
        s[0]["brake_angle"][i] = 0.0


@kernel
def drivetrain_cruise(p, s, spin, gear, torque):
    """Forward `gear` engaged at the wheel speeds `spin` (wheels,), and the engine at the speed at which a throttle, which is returned, gives
    the driveshaft a torque [N m]: by bisection, 0 or 1 where none does."""
    drivetrain_reset(p, s, spin, gear)
    wanted, turbine = torque * s[0]["ratio"], s[0]["turbine_speed"]
    low, high = 0.0, 1.0
    for throttle in (low, high):
        s[0]["engine_speed"] = balanced_speed(p, turbine, throttle, False)
        if (converter_torques(p, s[0]["engine_speed"], turbine)[1] - wanted) * (throttle - 0.5) <= 0.0:
            return throttle
    for _ in range(40):
        middle = 0.5 * (low + high)
        s[0]["engine_speed"] = balanced_speed(p, turbine, middle, False)
        if converter_torques(p, s[0]["engine_speed"], turbine)[1] < wanted:
            low = middle
        else:
            high = middle
    return high


@inline
def balanced_speed(p, turbine_speed, throttle, free):
    """Engine speed [rad/s] at which a throttle balances the converter, by bisection; `free` = the turbine runs along."""
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        load = converter_torques(p, middle, middle if free else turbine_speed)[0]
        if engine_torque(p, middle, throttle)[0] > load:
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
    the drivetrain's angular momentum about x (all longitudinal shafts turn about +x), and minus the drive torques and that rate about y.
    """
    spin = hubs.spin
    shaft_speed = driveshaft_speed(p, spin)
    advance_gearbox(p, s, command, shaft_speed, mean_of(spin), h)
    torque, torque_slope = engine_torque(p, s[0]["engine_speed"], command[0]["throttle"])
    e0, e1, push, inertia = turbine_side(p, s, torque, torque_slope, h)

    coupling = solve_spins(p, b, s, hubs, h, push, inertia)

    x, slope = s[0]["change"], brake_slope(b, h)
    for i in range(len(spin)):
        limit = hubs.brake_limit[i]
        brake = min(limit, max(-limit, s[0]["held"][i] + slope * x[i]))
        s[0]["brake_angle"][i] = brake_deflection(b, s[0]["brake_angle"][i], brake, h)
        out[0]["brake_torque"][i] = brake
        out[0]["drive_torque"][i] = hubs.inertia[i] / h * x[i] - hubs.moment[i] + brake
        spin[i] += x[i]
    turbine_change = (push - h * coupling) / inertia
    engine_change = e0 - e1 * turbine_change
    s[0]["turbine_speed"] += turbine_change
    s[0]["engine_speed"] += engine_change
    s[0]["coupling_torque"] = coupling
    follow_slip(s, driveshaft_speed(p, spin))

    out[0]["engine_speed"], out[0]["turbine_speed"] = s[0]["engine_speed"], s[0]["turbine_speed"]
    out[0]["engine_torque"] = torque + torque_slope * engine_change
    out[0]["speed_ratio"] = s[0]["turbine_speed"] / max(s[0]["engine_speed"], 1e-9)
    out[0]["driveshaft_speed"] = driveshaft_speed(p, spin)
    out[0]["driveshaft_torque"] = coupling / s[0]["ratio"]
    out[0]["gear"] = s[0]["gear"]
    reactions(p, s, engine_change, turbine_change, h, out)


@inline
def mean_of(spin):
    """Mean speed of the wheels."""
    total = 0.0
    for i in range(len(spin)):
        total += spin[i]
    return total / len(spin)


@inline
def half_shaft_inertia(p, wheel):
    """Inertia of the half shaft of a wheel; none where the axle is not driven."""
    return p[0]["half_shaft_inertia"] if is_driven(p, axle_of(p, wheel)) else 0.0


@inline
def turbine_side(p, s, torque, torque_slope, h):
    """Eliminate the engine: (e0, e1, push, inertia) with, over a step, T_c the coupling torque and d the changes of speed,

    d_e = e0 - e1 d_t,      inertia d_t = push - h T_c
    """
    T_i, T_t, T_i_by_e, T_i_by_t, T_t_by_e, T_t_by_t = converter_torques(p, s[0]["engine_speed"], s[0]["turbine_speed"])
    # slopes that help stability are implicit, the others would only shrink the pivot
    engine = p[0]["engine_inertia"] + p[0]["impeller_inertia"] + h * (max(T_i_by_e, 0.0) - min(torque_slope, 0.0))
    e0 = h * (torque - T_i) / engine
    e1 = h * T_i_by_t / engine
    return e0, e1, h * (T_t + T_t_by_e * e0), p[0]["turbine_inertia"] + h * (T_t_by_e * e1 - T_t_by_t)


@inline
def solve_spins(p, b, s, hubs, h, push, inertia):
    """Speed changes of the wheels into s.change; returns the coupling torque [N m].

    Guess which brakes and whether the coupling slide, solve the linear system, correct the guess, until it stands.
    """
    low, high = coupling_bounds(p, s)
    gain = 1.0 / s[0]["ratio"]
    slope = brake_slope(b, h)
    x, held, limit = s[0]["change"], s[0]["held"], hubs.brake_limit
    # what the coupling (impulse) and the brakes (torque) need in order to hold, for zero change of the spins
    hold = push + inertia * (s[0]["turbine_speed"] - s[0]["slip"] - gain * driveshaft_speed(p, hubs.spin))
    for i in range(len(x)):
        x[i] = 0.0
        held[i] = slope * (hubs.spin[i] - hubs.carrier_spin[i]) + b[0]["stiffness"] * s[0]["brake_angle"][i]
        s[0]["load_free"][i] = h * hubs.moment[i]
        s[0]["diagonal_free"][i] = hubs.inertia[i] + half_shaft_inertia(p, i)

    coupled = side(hold, h * low, h * high)
    for i in range(len(x)):
        s[0]["sliding"][i] = side(held[i], -limit[i], limit[i])
    for round_ in range(ROUNDS):
        if coupled == 0:
            solve_linear(p, s, limit, p[0]["driveshaft_inertia"] + inertia * gain * gain, gain * hold, slope, h)
        else:
            solve_linear(p, s, limit, p[0]["driveshaft_inertia"], gain * h * (high if coupled > 0 else low), slope, h)
        coupled, settled = corrected(coupled, side(hold - inertia * gain * driveshaft_speed(p, x), h * low, h * high), round_, True)
        for i in range(len(x)):
            if limit[i] > 0.0:
                now = side(held[i] + slope * x[i], -limit[i], limit[i])
                s[0]["sliding"][i], settled = corrected(s[0]["sliding"][i], now, round_, settled)
        if settled:
            break
    return min(high, max(low, (hold - inertia * gain * driveshaft_speed(p, x)) / h))


@inline
def side(value, low, high):
    """0 between low and high: the element holds; 1 or -1 at or beyond them: it slides that way."""
    return 1 if value >= high else (-1 if value <= low else 0)


@inline
def corrected(guess, found, round_, settled):
    """(next guess, still settled). In the first rounds every wrong guess is corrected; should that go round in circles, only the first
    wrong one per round is, and a sliding element first tries to hold: least-index pivoting, which ends for a positive definite
    matrix [Murty 1974; Judice and Pires 1994]."""
    if found == guess:
        return guess, settled
    if round_ < BLOCK_ROUNDS:
        return found, False
    if not settled:
        return guess, False
    return (0 if guess != 0 else found), False


@inline
def solve_linear(p, s, limit, shaft_inertia, shaft_impulse, slope, h):
    """Speed changes s.change for the present guess s.sliding; friction `limit` (wheels,) [N m] of the brakes, inertia [kg m2] and impulse
    [N m s] on the driveshaft given."""
    for i in range(len(s[0]["load"])):
        share = wheel_share(p, axle_of(p, i))
        sliding = s[0]["sliding"][i]
        brake = s[0]["held"][i] if sliding == 0 else sliding * limit[i]
        s[0]["load"][i] = s[0]["load_free"][i] - h * brake + share * shaft_impulse
        s[0]["diagonal"][i] = s[0]["diagonal_free"][i] + (h * slope if sliding == 0 else 0.0)
        s[0]["yielding"][i] = 1.0 / s[0]["diagonal"][i]
    solve_wheels(p, s, shaft_inertia)


@inline
def reactions(p, s, engine_change, turbine_change, h, out):
    """Torque of the housings on the chassis: minus the rate of angular momentum of all shafts, and minus what the wheels receive."""
    x = s[0]["change"]
    along_x = (p[0]["engine_inertia"] + p[0]["impeller_inertia"]) * engine_change + p[0]["turbine_inertia"] * turbine_change
    along_x += p[0]["driveshaft_inertia"] * driveshaft_speed(p, x)
    boxes, half_shafts, drive = 0.0, 0.0, 0.0
    for axle in range(len(p[0]["final_ratio"])):
        box = box_speed(p, x, axle)
        along_x += p[0]["shaft_inertia"][axle] * box / p[0]["final_ratio"][axle]
        boxes += p[0]["box_inertia"][axle] * box
        if is_driven(p, axle):
            half_shafts += sum_on_axle(p, axle, x)
    for i in range(len(x)):
        drive += out[0]["drive_torque"][i]
    out[0]["reaction_x"] = -along_x / h
    out[0]["reaction_y"] = -(boxes + p[0]["half_shaft_inertia"] * half_shafts) / h - drive


@kernel
def kinetic_energy(p, s, spin):
    """Kinetic energy [J] of all shafts from the crankshaft to the half shafts; the wheels themselves not included."""
    twice = (p[0]["engine_inertia"] + p[0]["impeller_inertia"]) * s[0]["engine_speed"] ** 2
    twice += p[0]["turbine_inertia"] * s[0]["turbine_speed"] ** 2 + p[0]["driveshaft_inertia"] * driveshaft_speed(p, spin) ** 2
    for axle in range(len(p[0]["final_ratio"])):
        twice += axle_inertia(p, axle) * sum_on_axle(p, axle, spin) ** 2
    for i in range(len(spin)):
        twice += half_shaft_inertia(p, i) * spin[i] ** 2
    return 0.5 * twice


def drivetrain_from_mapping(mapping: Any, file: object, key: str = "drivetrain", axles: Axles = USUAL_AXLES) -> Record:
    """Record DRIVETRAIN of a vehicle with these axles, from a mapping with the sections `engine`, `torque_converter`, `gearbox`, `driveline`.

    Raises
    ------
    ConfigError : a key is unknown or missing, the gearbox waits for a speed that the engine does not reach; see also the readers of the
        sections
    """
    readers: dict[str, Callable[[Section], Record]] = {
        "engine": engine_from_section,
        "torque_converter": converter_from_section,
        "gearbox": gearbox_from_section,
        "driveline": partial(driveline_from_section, axles=axles),
    }
    out = record_for(DRIVETRAIN, axles.size)
    s = Section(mapping, file, key)
    s.only(readers)
    with Gathered() as faults:
        for name, read in readers.items():
            with faults.part():
                part = read(s.section(name))
                for field in part.dtype.names or ():
                    out[0][field] = part[0][field]
    highest = float(out[0]["engine_map_speed"][int(out[0]["engine_points"]) - 1])
    if out[0]["upshift_speed"].max() > highest:
        found = (out[0]["upshift_speed"] / RPM).round(3).tolist()
        raise ConfigError(
            s.file, s.path("gearbox.upshift_rpm"), found, f"speeds that the engine reaches: its map ends at {highest / RPM:g} rpm"
        )
    return out
