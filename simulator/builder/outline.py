"""Outline of a vehicle from above."""

from __future__ import annotations

from vehicles.description import Description


def outline(vehicle: Description) -> dict[str, float]:
    """Return the section `body` of a maneuver for a vehicle: length, width, and distance of the front from the reference point [m]."""
    length, width, overhang = vehicle.outline
    return {"length": length, "width": width, "front": float(vehicle.mechanism.corners[0]["design_wheel_x"][0]) + overhang}
