"""One step of an electric drivetrain: motors, brakes and wheel spins, solved together as in `conventional_step`.

An electric drivetrain has no driveshaft and no gears. The rotor of a motor that drives one wheel adds ratio^2 J to the inertia of the
wheel. The rotor of an axle motor adds ratio^2 J to the inertia that turns with the mean of the wheels. Motors are mounted transversely
on the chassis. The chassis receives minus the torques on the half shafts and minus the rates of the rotors' momentum.
"""

from __future__ import annotations

from simulator.base.jit import kernel
from vehicles.corner_layout import axle_of
from vehicles.drivetrain.electric.motors import apply_torque_commands, fastest_motor, integrate_energy, limit_battery_power
from vehicles.drivetrain.shaft_momentum import reactions
from vehicles.drivetrain.wheel_spins import NO_SHAFT, solve_spins, update_hubs


@kernel
def electric_step(p, b, s, command, hubs, h):
    """Advance an electric drivetrain by h seconds, as `conventional_step` does; s : VehicleData.

    The torque commands are those in s.actuators. The throttle limit of the controllers limits the driving torques.
    """
    d, out, spin = s.drivetrain, s.axles, hubs.spin
    d[0]["gear"] = command[0]["selector"]
    limit = 1.0
    for k in range(len(s.control_output)):
        if s.controls[k]["begun"] != 0:
            limit = min(limit, max(0.0, s.control_output[k]["throttle_limit"]))
    apply_torque_commands(p, d, spin, s.actuators[0]["motor_order"], limit, h)
    limit_battery_power(p, d, spin)
    for i in range(len(spin)):
        axle = axle_of(p, i)
        d[0]["wheel_torque"][i] = d[0]["motor_torque"][i]
        d[0]["wheel_inertia"][i] = p[0]["rotor_inertia"][axle] * p[0]["motor_ratio"][axle] ** 2 if p[0]["motors_on"][axle] > 1 else 0.0
    solve_spins(p, b, d, hubs, h, NO_SHAFT)
    update_hubs(b, d, hubs, h, out)
    x = d[0]["change"]
    for i in range(len(spin)):
        d[0]["load"][i] = spin[i] - 0.5 * x[i]  # mean speed over the step
    integrate_energy(p, d, d[0]["load"], h)
    reactions(p, d, 0.0, 0.0, h, out)
    for i in range(len(spin)):
        axle = axle_of(p, i)
        ratio, inertia = p[0]["motor_ratio"][axle], p[0]["rotor_inertia"][axle]
        if p[0]["motors_on"][axle] == 1:  # `reactions` includes ratio^2 J at the speed of the wheels
            out[0]["reaction_y"] += ratio * (ratio - 1.0) * inertia * x[i] / (p[0]["sides"][axle] * h)
        elif p[0]["motors_on"][axle] > 1:
            out[0]["reaction_y"] -= ratio * inertia * x[i] / h
    out[0]["gear"], out[0]["engine_speed"] = command[0]["selector"], fastest_motor(p, spin)
    out[0]["engine_torque"] = 0.0
    for i in range(len(spin)):
        axle = axle_of(p, i)
        if p[0]["motors_on"][axle] > 0:
            out[0]["engine_torque"] += d[0]["motor_torque"][i] / p[0]["motor_ratio"][axle]
