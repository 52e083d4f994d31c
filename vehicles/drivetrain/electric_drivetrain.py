"""A step of a drivetrain of electric motors: motors, brakes and wheel spins, solved together as `drivetrain_step` does with an engine.

There is no driveshaft and no gear. The rotor of a motor that drives one wheel adds ratio^2 J to its inertia, that of an axle ratio^2 J to what turns with the
mean of its wheels. Motors sit across the chassis, which takes minus the torques on the half shafts and minus the rates of the rotors' momentum.
"""

from __future__ import annotations

from simulator.base.jit import kernel
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.drivetrain import Shafts, solve_spins, turn_hubs
from vehicles.drivetrain.gearbox import NEUTRAL
from vehicles.drivetrain.motors import book_energy, fastest_motor, follow_orders, spare_battery
from vehicles.drivetrain.shaft_momentum import reactions


@kernel
def motor_drive_step(p, b, s, command, hubs, h):
    """As `drivetrain.drivetrain_step`; s : Space. The orders are those in s.actuators, driving is limited as the throttle is in `command`."""
    d, out, spin = s.drivetrain, s.axles, hubs.spin
    d[0]["phase"], d[0]["release_torque"], d[0]["gear"] = NEUTRAL, 0.0, command[0]["selector"]
    limit = 1.0
    for k in range(len(s.control_output)):
        if s.controls[k]["begun"] != 0:
            limit = min(limit, max(0.0, s.control_output[k]["throttle_limit"]))
    follow_orders(p, d, spin, s.actuators[0]["motor_order"], limit, h)
    spare_battery(p, d, spin)
    solve_spins(p, b, d, hubs, h, Shafts(0.0, 1.0, 0.0, 0.0, 0.0))
    turn_hubs(b, d, hubs, h, out)
    x = d[0]["change"]
    for i in range(len(spin)):
        d[0]["load"][i] = spin[i] - 0.5 * x[i]  # mean speed over the step
    book_energy(p, d, d[0]["load"], h)
    reactions(p, d, 0.0, 0.0, h, out)
    for i in range(len(spin)):
        axle = axle_of(p, i)
        ratio, inertia = p[0]["motor_ratio"][axle], p[0]["rotor_inertia"][axle]
        if p[0]["motors_on"][axle] == 1:  # `reactions` has booked ratio^2 J at the speed of the wheels
            out[0]["reaction_y"] += ratio * (ratio - 1.0) * inertia * x[i] / (p[0]["sides"][axle] * h)
        elif p[0]["motors_on"][axle] > 1:
            out[0]["reaction_y"] -= ratio * inertia * x[i] / h
    out[0]["gear"], out[0]["engine_speed"] = command[0]["selector"], fastest_motor(p, spin)
    out[0]["engine_torque"] = 0.0
    for i in range(len(spin)):
        axle = axle_of(p, i)
        if p[0]["motors_on"][axle] > 0:
            out[0]["engine_torque"] += d[0]["motor_torque"][i] / p[0]["motor_ratio"][axle]
