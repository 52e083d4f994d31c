"""Fields that every log of a run contains, whatever channels are requested: replay, ghost and sound need them."""

from __future__ import annotations

from collections.abc import Collection

POSE = ("time", "p_WB", "q_WB", "yaw", "v_WB_B", "w_WB_B", "a_WB_B")
WHEELS = ("p_BK", "R_BK", "wheel_angle", "wheel_spin", "jounce", "drive_torque", "spring_length")
CONTACT = ("p_WC", "F_C", "slip_ratio", "slip_angle", "tire_deflection", "sinkage", "hardness", "spring_force")
ENGINE = ("engine_speed", "engine_torque", "gear", "low_range", "center_locked")
DRIVER = ("steering_wheel_angle", "steering", "throttle", "brake")
COMMANDS = ("command_*",)
SESSION = ("resets", "paused", "incident", "turn_signals")
COLLISIONS = ("body_contact_*", "collision_*")
"""Those with objects only in a drive with objects."""

DRAWN = (*POSE[:5], *WHEELS[:3], *ENGINE[:1], *ENGINE[2:], *DRIVER)
"""Fields of the readout without which a replay cannot draw the vehicle and its instruments."""
DRAWN_COMMANDS = ("command_selector", "command_parking_brake")
VEHICLE = ("p_WB", "q_WB", "wheel_angle", "p_BK", "R_BK", "brake", "gear")
"""Fields of the readout of another vehicle without which a replay cannot draw it."""
LINKS = ("lower_ball_B", "upper_ball_B", "tierod_outer_B", "tierod_inner_B", "shock_lower_B", "spring_lower_B")
"""Fields without which a replay leaves out the links of the suspension; logged only if requested."""
LOGGED = (*POSE, *WHEELS, *CONTACT, *ENGINE, *DRIVER, *COMMANDS, *SESSION, *COLLISIONS)
"""Fields and patterns that are always logged."""


def always_logged(offered: Collection[str]) -> tuple[str, ...]:
    """Return the fields and patterns of LOGGED that a run with these fields has, and the fields that draw its other vehicles."""
    own = [one for one in LOGGED if one in offered or (one.endswith("*") and any(name.startswith(one[:-1]) for name in offered))]
    others = [name.removesuffix("R_BK") for name in offered if name.endswith("_R_BK")]
    return (*own, *(f"{prefix}{field}" for prefix in others for field in VEHICLE))


def is_always_logged(column: str) -> bool:
    """Return whether a column belongs to a field that is always logged."""
    return any(column == one or column.startswith(f"{one.rstrip('*').rstrip('_')}_") for one in LOGGED)
