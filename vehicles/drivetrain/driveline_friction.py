"""Dry friction of the driveline in one step: torque-biasing differentials, the center lock, and the losses of the gear meshes.

Each element is an elastic link in series with friction of a known limit (`driveline`), solved with the brakes in one active set. The limits
follow from the torques of the previous step.
"""

from __future__ import annotations

from simulator.base.jit import inline
from vehicles.corner_layout import sides_of
from vehicles.drivetrain.active_set import clip_friction, side
from vehicles.drivetrain.differential import LOCKED, friction_limit
from vehicles.drivetrain.driveline import (
    LINK_STIFFNESS,
    axle_speed,
    center_difference,
    driveshaft_speed,
    is_driven,
    link_angle,
    link_slope,
    side_difference,
)
from vehicles.drivetrain.losses import friction_share


@inline
def prepare_friction(p, s, spin, h):
    """Compute the friction limits of the driveline from the torques of the previous step, and guess the states for unchanged spins."""
    w, total, slope = s[0], 0.0, link_slope(h)
    for axle in range(len(p[0]["final_ratio"])):
        total += w["shaft_torque"][axle]
        hub, (first, end) = p[0]["hub_ratio"][axle], sides_of(p, axle)
        if is_driven(p, axle):
            torque, speed = w["shaft_torque"][axle] * hub / p[0]["final_ratio"][axle], axle_speed(p, spin, axle) / hub
            drag = p[0]["box_drag"] + (end - first) * hub * p[0]["hub_drag"]
            drag += (p[0]["box_churning"] + (end - first) * hub * hub * p[0]["hub_churning"]) * abs(speed)
            w["box_limit"][axle] = drag + friction_share(p[0]["axle_efficiency"], torque, speed) * abs(torque)
            w["box_held"][axle] = slope * speed + LINK_STIFFNESS * w["box_angle"][axle]
            carrier = torque - w["box_friction"][axle]
            law = p[0]["preload"][axle], p[0]["drive_share"][axle], p[0]["coast_share"][axle], p[0]["blend_speed"][axle]
            difference = side_difference(p, spin, axle)
            w["side_limit"][axle] = friction_limit(law, carrier, speed, difference)
            w["side_held"][axle] = slope * difference + LINK_STIFFNESS * w["side_angle"][axle]
        w["box_sliding"][axle] = side(w["box_held"][axle], -w["box_limit"][axle], w["box_limit"][axle])
        w["side_sliding"][axle] = side(w["side_held"][axle], -w["side_limit"][axle], w["side_limit"][axle])

    speed = driveshaft_speed(p, spin)
    torque = w["output_torque"]
    efficiency = p[0]["gear_efficiency"][max(w["gear"], 0)] * p[0]["range_efficiency"][w["range"]]
    drag = p[0]["shaft_drag"] + p[0]["shaft_churning"] * abs(speed)
    w["shaft_limit"] = drag + friction_share(efficiency, torque, speed) * abs(torque)
    w["shaft_held"] = slope * speed + LINK_STIFFNESS * w["shaft_angle"]
    w["shaft_sliding"] = side(w["shaft_held"], -w["shaft_limit"], w["shaft_limit"])
    law = p[0]["center_preload"], p[0]["center_drive_share"], p[0]["center_coast_share"], p[0]["center_blend_speed"]
    difference = center_difference(p, spin)
    w["center_limit"] = friction_limit(law, total, speed, difference)
    if w["center_locked"] > 0:
        w["center_limit"] = LOCKED
    w["center_held"] = slope * difference + LINK_STIFFNESS * w["center_angle"]
    w["center_sliding"] = side(w["center_held"], -w["center_limit"], w["center_limit"])


@inline
def correct_friction(p, s, h, iteration, settled):
    """Compute the friction torques for the present speed changes and correct the guess; return whether the iteration is still settled."""
    w, x, slope = s[0], s[0]["change"], link_slope(h)
    for axle in range(len(p[0]["final_ratio"])):
        held = w["box_held"][axle] + slope * axle_speed(p, x, axle) / p[0]["hub_ratio"][axle]
        w["box_friction"][axle], w["box_sliding"][axle], settled = clip_friction(
            held, w["box_limit"][axle], w["box_sliding"][axle], iteration, settled
        )
        held = w["side_held"][axle] + slope * side_difference(p, x, axle)
        w["side_friction"][axle], w["side_sliding"][axle], settled = clip_friction(
            held, w["side_limit"][axle], w["side_sliding"][axle], iteration, settled
        )
    held = w["center_held"] + slope * center_difference(p, x)
    w["center_friction"], w["center_sliding"], settled = clip_friction(held, w["center_limit"], w["center_sliding"], iteration, settled)
    held = w["shaft_held"] + slope * driveshaft_speed(p, x)
    w["shaft_friction"], w["shaft_sliding"], settled = clip_friction(held, w["shaft_limit"], w["shaft_sliding"], iteration, settled)
    return settled


@inline
def update_links(s, h):
    """Update the link angles of the friction elements after a step."""
    w = s[0]
    for axle in range(len(w["box_angle"])):
        w["box_angle"][axle] = link_angle(w["box_angle"][axle], w["box_friction"][axle], h)
        w["side_angle"][axle] = link_angle(w["side_angle"][axle], w["side_friction"][axle], h)
    w["center_angle"] = link_angle(w["center_angle"], w["center_friction"], h)
    w["shaft_angle"] = link_angle(w["shaft_angle"], w["shaft_friction"], h)
