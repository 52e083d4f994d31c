"""Objects of a world that are the parts of a vehicle: contact and rays meet these objects, the window draws the vehicle in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from simulator.base.records import Record
from simulator.view.bodies.body_mesh import text_of
from simulator.view.vehicle_geometry import MESH
from terrain.objects.world_object import WorldObject
from vehicles.contact.vehicle_objects import vehicle_objects
from vehicles.corner_layout import axle_of
from vehicles.sound_section import sound_parameters
from vehicles.vehicle import Vehicle


@dataclass(frozen=True, eq=False)
class DrawnVehicle:
    """Vehicle that the window draws in place of its parts."""

    name: str
    geometry: Mapping[str, Any]
    """Rows of `simulator.view.vehicle_geometry.GEOMETRY`"""
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m, origin of its parts in B"""
    paint: tuple[float, float, float] | None = None
    """sRGB color of the body, 0 to 1; None: that of the drawn body"""


@dataclass(frozen=True)
class VehiclePart(WorldObject):
    """Part of a vehicle; the origin of all parts is the same."""

    vehicle: DrawnVehicle | None = None


def vehicle_parts(
    name: str,
    vehicle: Vehicle,
    position: Sequence[float] = (0.0, 0.0, 0.0),
    yaw: float = 0.0,
    paint: tuple[float, float, float] | None = None,
) -> list[VehiclePart]:
    """Return the parts of a vehicle, whose origin is B, see `vehicles.contact.vehicle_objects.vehicle_objects`."""
    drawn = DrawnVehicle(name, view_geometry(vehicle), paint=paint)
    parts = vehicle_objects(name, vehicle.model.object_contact, vehicle.wheel_centers, position, yaw)
    return [VehiclePart(**{one.name: getattr(part, one.name) for one in fields(part)}, vehicle=drawn) for part in parts]


def view_geometry(vehicle: Vehicle, platform: Record | None = None) -> dict[str, Any]:
    """Return the rows of `simulator.view.vehicle_geometry.GEOMETRY` for a vehicle, and for the motion platform (HEXAPOD) of its drive."""
    joints = np.zeros((2, 6, 3)) if platform is None else np.stack((platform[0]["base_joints"], platform[0]["platform_joints"]))
    sound = sound_parameters(vehicle)[0]
    tires, driveline = vehicle.model.tires, vehicle.model.drivetrain[0]
    axles = [axle_of(vehicle.model.drivetrain, wheel) for wheel in range(len(tires))]
    return {
        **vehicle.description.bushes,
        "driven": np.isfinite(driveline["final_ratio"])[axles].astype(float),
        "geared_hub": (driveline["hub_ratio"] < 1.0)[axles].astype(float),
        "drawn_as": vehicle.description.drawn_as,
        MESH: text_of(vehicle.description.mesh),
        "links_as": vehicle.description.links_as,
        "outline": vehicle.description.outline,
        "behind": _length_behind(vehicle),
        "wheel_x": vehicle.model.corners[0]["design_wheel_x"],
        "wheel_z": vehicle.model.corners[0]["design_wheel_z"],
        "governed_speed": vehicle.drivetrain.governed_speed,
        "by_hand": float(vehicle.hand_gears > 0),
        "motor_power": float(np.sum(driveline["motors_on"] * driveline["motor_power_most"])),
        "platform_joints": joints.tolist(),
        "platform_height": 0.0 if platform is None else float(platform[0]["neutral_height"]),
        "exhaust": float(sound["cylinders"] > 0) + float(sound["knocks"]),
        "p_BH": vehicle.model.body[0]["drivers_head"],
        "tire_radius": tires["radius"],
        "tire_width": tires["width"],
    }


def _length_behind(vehicle: Vehicle) -> float:
    """Return the length [m] of the trailers behind the body of a vehicle, in line."""
    if vehicle.train is None:
        return 0.0
    length, _, overhang = vehicle.description.outline
    rear = length - overhang - float(vehicle.model.corners[0]["design_wheel_x"][0])
    return max(0.0, vehicle.train.length_behind - rear)
