"""Drivetrain of a plugin, which is called by its address: its records, and a step of it with the brakes and the wheel spins."""

from __future__ import annotations

import math

from simulator.base.callbacks import address_in, call
from simulator.base.jit import inline, kernel
from vehicles.corner_layout import axle_of, sides_of
from vehicles.drivetrain.contract import MAX_STATE, WHEELS
from vehicles.drivetrain.wheel_spins import NO_SHAFT, solve_spins, update_hubs

CALLBACK_DRIVETRAIN = (
    ("kernel", (), "", "address of the kernel", "u8"),
    ("parameters", (), "", "address of the parameters", "u8"),
)
"""Record of the drivetrain of a plugin; a vehicle with a shipped kind has none."""

CALLBACK_STATE = (
    # name       shape       unit  what it is
    ("numbers", (MAX_STATE,), "", "state of the kind, laid out by its own table"),
    ("begun", (), "1", "1 after the first call", "i8"),
    ("off", (), "1", "1 after the kind has returned a number that is not finite", "i8"),
)


@kernel
def callback_step(m, s, command, hubs, h):
    """Advance the drivetrain of a plugin and the wheel spins by h seconds; m : VehicleModel, s : VehicleData."""
    d, out, x = s.drivetrain, s.axles, s.drivetrain[0]["change"]
    d[0]["gear"] = command[0]["selector"]
    fill_input(m.drivetrain, s, command, hubs)
    call_kind(m, s, command, h)
    result = s.drive_output[0]
    for i in range(len(x)):
        d[0]["wheel_torque"][i] = result["torque"][i]
        d[0]["wheel_inertia"][i] = max(0.0, result["inertia"][i]) - h * min(0.0, result["slope"][i])
    solve_spins(m.drivetrain, m.brakes, d, hubs, h, NO_SHAFT)
    update_hubs(m.brakes, d, hubs, h, out)
    out[0]["reaction_x"], out[0]["reaction_y"] = result["reaction_x"], 0.0
    for axle in range(len(out[0]["housing_torque"])):
        out[0]["housing_torque"][axle] = 0.0
    for i in range(len(x)):
        torque, share = result["torque"][i] + min(0.0, result["slope"][i]) * x[i], result["carrier_share"][i]
        out[0]["hub_torque"][i] = -share * torque
        out[0]["reaction_y"] -= (1.0 - share) * torque
        out[0]["housing_torque"][axle_of(m.drivetrain, i)] -= (1.0 - share) * torque
    out[0]["engine_speed"], out[0]["engine_torque"], out[0]["gear"] = result["engine_speed"], result["engine_torque"], result["gear"]


@inline
def fill_input(p, s, command, hubs):
    """Fill the input of the kind."""
    seen, state = s.drive_input[0], s.drive_state[0]
    seen["begins"] = 1 - state["begun"]
    state["begun"] = 1
    for i in range(len(hubs.spin)):
        first, end = sides_of(p, axle_of(p, i))
        seen["axle"][i], seen["side"][i] = axle_of(p, i), 0 if end - first == 1 else (1 if i == first else -1)
        seen["wheel_speed"][i], seen["rolling_speed"][i] = hubs.spin[i], hubs.rolling[i]
        seen["motor_request"][i] = s.actuators[0]["motor_order"][i]
    seen["throttle"], seen["brake"], seen["clutch"] = command[0]["throttle"], command[0]["brake"], command[0]["clutch"]
    seen["selector"], seen["gear"], seen["starter"] = command[0]["selector"], command[0]["gear"], command[0]["starter"]
    seen["low_range"], seen["center_lock"] = command[0]["low_range"], command[0]["center_lock"]


@inline
def call_kind(m, s, command, h):
    """Run the kind, if it is not switched off. A number that is not finite switches it off, unless its input was not finite either."""
    reset_output(s.drive_output[0], command)
    if s.drive_state[0]["off"] != 0:
        return
    state, seen, result = address_in(s.drive_state), address_in(s.drive_input), address_in(s.drive_output)
    wheels = len(s.axles[0]["drive_torque"])
    call(m.drive[0]["kernel"], m.drive[0]["parameters"], state, seen, result, 0, wheels, h)
    if not is_finite(s.drive_output[0], wheels):
        if is_input_finite(s.drive_input[0], wheels):
            s.drive_state[0]["off"] = 1
        reset_output(s.drive_output[0], command)


@inline
def reset_output(result, command):
    """Reset the output of the kind to neutral values."""
    for i in range(WHEELS):
        result["torque"][i], result["slope"][i], result["inertia"][i], result["carrier_share"][i] = 0.0, 0.0, 0.0, 0.0
    result["reaction_x"], result["engine_speed"], result["engine_torque"] = 0.0, 0.0, 0.0
    result["gear"] = command[0]["selector"]


@inline
def is_input_finite(seen, wheels):
    """Return True if all numbers of the input are finite."""
    total = 0.0
    for i in range(wheels):
        total += seen["wheel_speed"][i] + seen["rolling_speed"][i] + seen["motor_request"][i]
    return math.isfinite(total)


@inline
def is_finite(result, wheels):
    """Return True if all numbers of the output are finite."""
    total = result["reaction_x"] + result["engine_speed"] + result["engine_torque"]
    for i in range(wheels):
        total += result["torque"][i] + result["slope"][i] + result["inertia"][i] + result["carrier_share"][i]
    return math.isfinite(total)
