"""Wheel spins over a step: the implicit solve of brakes, coupling and driveline that all kinds of drivetrains share.

Unknowns at the end of the step are the wheel spins W. With T_c the torque of a shaft that the coupling joins to the driveshaft through the
ratio r, and n the row of the driveshaft (driveline.py):

    (I + J) W' = moment + drive - brake - friction + n T_c / r      J: half shafts, boxes, shafts (a low rank plus a diagonal)

`drive` are the torques that a kind applies to the wheels directly, such as those of motors. The set-valued torques are brakes, the coupling
while it is friction, differentials that bias the torque, and losses. An active-set (semi-smooth Newton) iteration solves them at the end
of the step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline
from vehicles.brakes.friction_brake import brake_deflection, brake_slope
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.active_set import correct_guess, side
from vehicles.drivetrain.contract import CONVENTIONAL
from vehicles.drivetrain.driveline import driveshaft_speed, solve_wheels, solve_wheels_with_friction, wheel_share
from vehicles.drivetrain.driveline_friction import correct_friction, prepare_friction, update_links
from vehicles.drivetrain.shaft_momentum import half_shaft_inertia
from vehicles.drivetrain.shaft_twist import shaft_end_change, shaft_end_speed, through_twist

MAX_ITERATIONS = 60
"""Largest number of active-set iterations; no tested case needed half of them."""


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
    """Inertias and impulses of the coupling and the driveshaft over a step, and the range of the torque of the coupling."""

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
    low: float
    """N m, lowest torque of the coupling"""
    high: float
    """N m, highest torque of the coupling"""


NO_SHAFT = Shafts(0.0, 1.0, 0.0, 0.0, 0.0, -0.0, 0.0)
"""Shafts of a drivetrain without coupling and driveshaft."""


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
def solve_spins(p, b, s, hubs, h, shafts):
    """Compute the speed changes of the wheels into s.change; return the coupling torque [N m].

    Guess which brakes slide and whether the coupling slides, solve the linear system, and correct the guess until it no longer changes.
    """
    push, inertia, speed, geared, given, low, high = shafts
    gain = 1.0 / (s[0]["ratio"] * s[0]["range_ratio"])
    slope = brake_slope(b, h)
    x, held, limit = s[0]["change"], s[0]["held"], hubs.brake_limit
    turned = driveshaft_speed(p, hubs.spin)
    # impulse of the coupling and torques of the brakes that would hold the speeds constant
    hold = push + inertia * (speed - s[0]["slip"] - gain * shaft_end_speed(p, s, turned))
    for i in range(len(x)):
        x[i] = 0.0
        held[i] = slope * (hubs.spin[i] - hubs.carrier_spin[i]) + b[0]["stiffness"] * s[0]["brake_angle"][i]
        s[0]["load_free"][i] = h * hubs.moment[i]
        s[0]["diagonal_free"][i] = hubs.inertia[i] + half_shaft_inertia(p, i)
        if p[0]["kind"] != CONVENTIONAL:
            add_wheel_drive(s, i, h)

    coupled, change = side(hold, h * low, h * high), 0.0
    for i in range(len(x)):
        s[0]["sliding"][i] = side(held[i], -limit[i], limit[i])
    if p[0]["has_friction"] > 0:
        prepare_friction(p, s, hubs.spin, h)
    for iteration in range(MAX_ITERATIONS):
        turning, impulse = geared + inertia * gain * gain, given + gain * hold
        if coupled != 0:
            turning, impulse = geared, given + gain * h * (high if coupled > 0 else low)
        seen, seen_impulse = through_twist(p, s, turning, impulse, turned, h)
        solve_linear(p, s, limit, seen, seen_impulse, slope, h)
        change = shaft_end_change(p, s, turning, impulse, turned, driveshaft_speed(p, x), h)
        coupled, settled = correct_guess(coupled, side(hold - inertia * gain * change, h * low, h * high), iteration, True)
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
    s[0]["shaft_end_change"] = change
    return min(high, max(low, (hold - inertia * gain * change) / h))


@inline
def add_wheel_drive(s, i, h):
    """Add the torque and the inertia that the drivetrain applies to wheel i directly."""
    s[0]["load_free"][i] += h * s[0]["wheel_torque"][i]
    s[0]["diagonal_free"][i] += s[0]["wheel_inertia"][i]


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
