"""Comparison of what the controllers of a vehicle know of their vehicle (`vehicle_fields`, `stability`) with the vehicle itself."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from vehicles.controllers.controller_section import Unit
from vehicles.controllers.stability import KIND as STABILITY
from vehicles.controllers.stability import REAR_LEAST
from vehicles.vehicle import Vehicle

TOLERANCE = {"wheelbase": 0.1, "track": 0.15, "wheel_radius": 0.15, "mass": 0.3}
"""Relative differences above which a value of a controller is a probable mistake [assumed]. The mass includes a usual load."""
UNITS = {"wheelbase": "m", "track": "m", "wheel_radius": "m", "mass": "kg"}


def controller_remarks(vehicle: Vehicle) -> list[str]:
    """Return probable mistakes in the controllers of a vehicle, one line each."""
    if not vehicle.description.controllers.units:
        return []
    own, remarks = _values_of(vehicle), []
    for n, unit in enumerate(vehicle.description.controllers.units):
        known = unit.parameters[0]
        for name, tolerance in TOLERANCE.items():
            if name in (known.dtype.names or ()) and abs(known[name] - own[name]) > tolerance * own[name]:
                unlike = f"{known[name]:.4g} {UNITS[name]}, but the vehicle has {own[name]:.4g} {UNITS[name]}"
                remarks.append(f"controllers[{n}].{name}: {unlike}")
        remarks += [f"controllers[{n}].{text}" for text in _contradictions(unit)]
    return remarks


def _values_of(vehicle: Vehicle) -> dict[str, float]:
    """Return the values of a vehicle by the keys of TOLERANCE."""
    model, design = vehicle.model, vehicle.new_instance()
    design.place(np.zeros(3), 0.0, 0.0, 0.0)
    wheels = design.space.kinematics[0]["W"]
    axles = vehicle.description.mechanism.axles
    first, last = axles.on(0), axles.on(len(axles.names) - 1)
    return {
        "wheelbase": float(wheels[0, first].mean() - wheels[0, last].mean()),
        "track": float(max(abs(wheels[1, list(axle)]).sum() for axle in (first, last))),
        "wheel_radius": float(model.tires["radius"].mean()),
        "mass": float(model.chassis[0]["mass"] + model.corners[0]["corner_mass"].sum()),
    }


def _contradictions(unit: Unit) -> Iterator[str]:
    """Yield the contradictions between the parameters of a stability control: `rear_stiffness` has a minimum characteristic speed."""
    if unit.kind.name != STABILITY.name:
        return
    p = unit.parameters[0]
    rear = p["rear_distance"] * p["wheelbase"] / p["front_stiffness"]
    slowest = p["wheelbase"] / math.sqrt((1.0 - REAR_LEAST) * p["mass"] * rear)
    if p["characteristic_speed"] < slowest:
        text = (
            f"{p['characteristic_speed']:.4g} m/s, but mass, wheelbase, rear_distance and front_stiffness give at least {slowest:.4g} m/s"
        )
        yield f"characteristic_speed: {text}"
