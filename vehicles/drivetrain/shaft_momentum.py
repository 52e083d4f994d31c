"""Angular momentum and energy of the shafts, from the crankshaft to the half shafts, and the reactions of their housings on the chassis."""

from __future__ import annotations

from simulator.base.jit import inline, kernel
from vehicles.corner_layout import axle_of, sides_of, sum_on_axle
from vehicles.drivetrain.driveline import axle_inertia, axle_speed, driveshaft_speed, is_driven, shaft_speed
from vehicles.drivetrain.shaft_twist import shaft_end_speed


@inline
def half_shaft_inertia(p, wheel):
    """Return the inertia of the half shaft of a wheel, referred to the wheel; 0 for an axle that is not driven."""
    axle = axle_of(p, wheel)
    return p[0]["half_shaft_inertia"] / p[0]["hub_ratio"][axle] ** 2 if is_driven(p, axle) else 0.0


@inline
def reactions(p, s, engine_change, turbine_change, h, out):
    """Compute the torque of the housings on the chassis and of the hubs on their carriers.

    The torque on the chassis is minus the rate of angular momentum of all shafts, minus the torque that the hubs receive. The torque of
    a hub on its carrier is the difference between half shaft and wheel torque.
    """
    x = s[0]["change"]
    along_x = (p[0]["engine_inertia"] + p[0]["impeller_inertia"]) * engine_change + p[0]["turbine_inertia"] * turbine_change
    along_x += p[0]["driveshaft_inertia"] * s[0]["shaft_end_change"]
    boxes, half_shafts, drive = 0.0, 0.0, 0.0
    for axle in range(len(p[0]["final_ratio"])):
        hub = p[0]["hub_ratio"][axle]
        along_x += p[0]["shaft_inertia"][axle] * shaft_speed(p, x, axle)
        boxes += p[0]["box_inertia"][axle] * (axle_speed(p, x, axle) / hub)
        if is_driven(p, axle):
            half_shafts += sum_on_axle(p, axle, x) / hub
        first, end = sides_of(p, axle)
        for i in range(first, end):
            drive += hub * out[0]["drive_torque"][i]
            out[0]["hub_torque"][i] = (hub - 1.0) * out[0]["drive_torque"][i]
        final_drive_torques(p, s, axle, h, out)
    out[0]["reaction_x"] = -along_x / h
    out[0]["reaction_y"] = -(boxes + p[0]["half_shaft_inertia"] * half_shafts) / h - drive


@inline
def final_drive_torques(p, s, axle, h, out):
    """Compute the torques of the final drive of an axle: on its housing about y, and from its shaft about x.

    For a housing mounted on the chassis both torques are internal to the chassis.
    """
    x, hub = s[0]["change"], p[0]["hub_ratio"][axle]
    box = p[0]["box_inertia"][axle] * axle_speed(p, x, axle) / hub
    if is_driven(p, axle):
        box += p[0]["half_shaft_inertia"] * sum_on_axle(p, axle, x) / hub
    torque = box / h + hub * sum_on_axle(p, axle, out[0]["drive_torque"])
    out[0]["housing_torque"][axle] = -torque
    out[0]["pinion_torque"][axle] = 0.0
    if is_driven(p, axle):
        out[0]["pinion_torque"][axle] = (torque + s[0]["box_friction"][axle]) * p[0]["final_ratio"][axle] / hub


@inline
def shaft_momentum(p, s, spin, engine, out):
    """Compute the angular momentum of all shafts about the chassis' axes x and y; engine : of crankshaft, impeller and turbine [N m s]."""
    along_x, along_y = engine + p[0]["driveshaft_inertia"] * shaft_end_speed(p, s, driveshaft_speed(p, spin)), 0.0
    for axle in range(len(p[0]["final_ratio"])):
        hub = p[0]["hub_ratio"][axle]
        along_x += p[0]["shaft_inertia"][axle] * shaft_speed(p, spin, axle)
        along_y += p[0]["box_inertia"][axle] * axle_speed(p, spin, axle) / hub
        if is_driven(p, axle):
            along_y += p[0]["half_shaft_inertia"] * sum_on_axle(p, axle, spin) / hub
    out[0]["momentum_x"], out[0]["momentum_y"] = along_x, along_y


@kernel
def kinetic_energy(p, s, spin):
    """Return the kinetic energy [J] of all shafts from the crankshaft to the half shafts, without the wheels."""
    end_speed = shaft_end_speed(p, s, driveshaft_speed(p, spin))
    twice = (p[0]["engine_inertia"] + p[0]["impeller_inertia"]) * s[0]["engine_speed"] ** 2
    twice += p[0]["turbine_inertia"] * s[0]["turbine_speed"] ** 2 + p[0]["driveshaft_inertia"] * end_speed**2
    for axle in range(len(p[0]["final_ratio"])):
        twice += axle_inertia(p, axle) * sum_on_axle(p, axle, spin) ** 2
    for i in range(len(spin)):
        twice += half_shaft_inertia(p, i) * spin[i] ** 2
    return 0.5 * twice
