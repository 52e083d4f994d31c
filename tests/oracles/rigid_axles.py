"""Trucks with all kinds of rigid rear axles, for tests."""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from simulator.base.errors import InertiaWarning
from tests.shipped_files import shipped_content
from vehicles.description import read_description
from vehicles.mechanism_parameters import MechanismParameters, VehicleDesign, new_mechanism
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody_vehicle import linear_struts, vehicle_mechanism

SHIPPED: dict[str, Any] = shipped_content("vehicles", "hmmwv")
COMMON: dict[str, Any] = {
    "location": [-1.688965, 0.0, -0.02],
    "bodies": {
        "axle": {"mass": 120.0, "inertia": [[14.0, 0.2, 0.1], [0.2, 2.0, -0.1], [0.1, -0.1, 14.5]]},
        "wheel": {"mass": 60.0, "inertia": [3.0, 5.0, 3.0]},
    },
    "shock": {name: value for name, value in SHIPPED["axles"]["rear"]["shock"].items() if name != "mounted_on"},
}
POINTS = {"SPINDLE": [0.0, 0.8, 0.0], "AXLE_CM": [0.03, -0.04, 0.01], "SHOCK_C": [-0.1, 0.5, 0.45], "SHOCK_A": [-0.1, 0.62, -0.03]}
SPRING = {"SPRING_C": [0.05, 0.5, 0.35], "SPRING_A": [0.03, 0.52, 0.05], "LOWER_C": [0.6, 0.55, 0.02], "LOWER_A": [0.02, 0.6, -0.08]}
PANHARD = {"UPPER_C": [0.5, 0.1, 0.2], "UPPER_A": [0.0, 0.12, 0.2], "PANHARD_C": [-0.1, 0.5, 0.12], "PANHARD_A": [-0.12, -0.5, 0.08]}
SLANTING = {"UPPER_C": [0.45, 0.5, 0.22], "UPPER_A": [0.05, 0.1, 0.2]}
LEAVES = {"FRONT_EYE": [0.62, 0.52, 0.06], "REAR_EYE": [-0.78, 0.54, 0.05], "SEAT": [0.0, 0.53, 0.07], "STOP_C": [0.0, 0.53, 0.27]}

AXLES: dict[str, dict[str, Any]] = {
    "panhard": {
        "suspension": "link_axle",
        "hardpoints_left": POINTS | SPRING | PANHARD,
        "spring": {"free_length": 0.42, "rate": 120e3},
    },
    "four_link": {
        "suspension": "link_axle",
        "hardpoints_left": POINTS | SPRING | SLANTING,
        "spring": {"free_length": 0.42, "rate": 120e3},
    },
    "leaf": {
        "suspension": "leaf_axle",
        "hardpoints_left": POINTS | LEAVES,
        "eye_offset": 0.02,
        "spring": {"free_length": 0.32, "rate": 90e3},
    },
}


def mapping_with(axle: dict[str, Any]) -> dict[str, Any]:
    """The shipped truck on another rear axle."""
    mapping = copy.deepcopy(SHIPPED)
    mapping["axles"]["rear"] = copy.deepcopy(COMMON | axle)
    return mapping


class Truck(NamedTuple):
    """Design with linear struts, the same in the equations of the step and in the general engine."""

    design: VehicleDesign
    mechanism: MechanismParameters
    system: System


def mirror_image(axle: dict[str, Any]) -> dict[str, Any]:
    """The axle with the right side left: what is there in pairs stays, the rest changes sides."""
    axle = copy.deepcopy(COMMON | axle)
    points = axle["hardpoints_left"]
    single = ("PANHARD_C", "PANHARD_A", "UPPER_C", "UPPER_A") if "PANHARD_C" in points else ()
    for name in ("AXLE_CM", *single):
        points[name][1] *= -1.0
    axle["bodies"]["axle"]["inertia"] = (np.array(axle["bodies"]["axle"]["inertia"]) * np.outer(*2 * ([1.0, -1.0, 1.0],))).tolist()
    return axle


@cache
def truck(kind: str, mirrored: bool = False) -> Truck:
    """One of AXLES at the rear, or its mirror image."""
    return truck_on(mirror_image(AXLES[kind]) if mirrored else AXLES[kind])


def truck_on(axle: dict[str, Any]) -> Truck:
    """The shipped truck on this rear axle."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        design = read_description(mapping_with(axle), "truck").design
    design = replace(design, struts=linear_struts(design.struts))
    return Truck(design, new_mechanism(design.chassis, design.corners, design.struts), build_system(vehicle_mechanism(design)))
