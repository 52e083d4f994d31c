"""Axles written as mechanism files: those of the shipped vehicle, out of its own description, and others that have no kernels."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.builder.builder import data_folder, read_yaml, vehicle_description
from vehicles.description import read_description
from vehicles.multibody.description.mechanism import WORLD, Mechanism, Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody_vehicle import linear_struts
from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner
from vehicles.suspension.mechanism.section import MechanismFile
from vehicles.tires.tire_file import tire, tire_set
from vehicles.vehicle import Vehicle

Mapping = dict[str, Any]


@cache
def _shipped() -> Mapping:
    return read_yaml(data_folder("configs") / "vehicles" / "hmmwv.yaml")


def shipped() -> Mapping:
    """Content of the shipped vehicle file, to be changed."""
    return copy.deepcopy(_shipped())


def corner_mechanism(axle: str) -> Mechanism:
    """The left double wishbone of an axle of the shipped vehicle as a mechanism in chassis axes; its damper is a spring element."""
    i = {"front": 0, "rear": 2}[axle]
    design = vehicle_description("hmmwv").design
    corner = design.corners[i]
    assert isinstance(corner, DoubleWishboneCorner)
    parts = Parts()
    corner.add_to(parts, "L", WORLD, WORLD, linear_struts(design.struts), i)
    parts.joint_springs.clear()
    parts.springs.append(Spring("L_damper", WORLD, corner.J, "L_lca", corner.B, 0.0, 0.0, 1000.0))
    return parts.mechanism(f"{axle} double wishbone", 9.81, "corner")


def as_mapping(m: Mechanism, away: Array) -> Mapping:
    """A mechanism whose bodies have no frames of their own as the content of a file, everything moved by -away."""

    def at(point: Array) -> list[float]:
        return [float(x) for x in point - away]

    def named(items: Any) -> Mapping:
        return {item.name: item for item in items}

    bodies = {b.name: {"mass": b.mass, "com": at(b.p_BoBcm), "inertia": b.I_BBcm.tolist()} for b in m.bodies}
    joints: Mapping = {}
    for name, joint in named(m.joints).items():
        joints[name] = {"type": joint.kind, "parent": joint.parent, "child": joint.child, "point": at(joint.p_PF)}
        if len(joint.axes):
            joints[name] |= {"axes": joint.axes.tolist()} if len(joint.axes) == 2 else {"axis": joint.axes[0].tolist()}
    loops: Mapping = {}
    for name, loop in named(m.loops).items():
        ends = {"predecessor": loop.predecessor, "successor": loop.successor}
        points = {"predecessor": loop.p_predecessor, "successor": loop.p_successor}
        loops[name] = {"type": loop.kind} | {end: {"body": ends[end], "point": at(points[end])} for end in ends}
    springs = {
        name: {
            "from": {"body": one.body_a, "point": at(one.point_a)},
            "to": {"body": one.body_b, "point": at(one.point_b)},
            "rate": one.rate,
            "free_length": one.free_length,
            "damping": one.damping,
        }
        for name, one in named(m.springs).items()
    }
    return {"name": m.name, "bodies": bodies, "joints": joints, "loops": loops, "springs": springs}


def wishbones_as_file(mapping: Mapping, *axles: str) -> Mapping:
    """A vehicle like the shipped one with these axles as mechanism files."""
    for axle in axles:
        given = mapping["axles"][axle]
        content = as_mapping(corner_mechanism(axle), np.array(given["location"]))
        mapping["axles"][axle] = {
            "suspension": "mechanism",
            "file": MechanismFile(f"{axle}.yaml", content),
            "location": given["location"],
            "coordinate": "L_lca",
            "wheel": "L_wheel",
            "spring": {"name": "L_spring", **given["spring"]},
            "shock": {"name": "L_damper", **given["shock"]},
        }
        if "anti_roll_bar" in given:
            mapping["axles"][axle]["anti_roll_bar"] = given["anti_roll_bar"]
        if axle == "front":
            mapping["axles"][axle]["steering"] = "L_L"
    return mapping


MOUNT, SEAT, FOOT = [-0.03, 0.68, 0.55], [-0.0112, 0.7426, 0.22], [-0.001, 0.777, 0.04]


def strut_front() -> Mapping:
    """A MacPherson strut with a massless tie rod, left, in the suspension frame."""
    wheel = _shipped()["axles"]["front"]["bodies"]["wheel"]
    return {
        "name": "strut",
        "bodies": {
            "arm": {"mass": 12.0, "com": [0.0, 0.58, -0.12], "inertia": [0.25, 0.12, 0.35]},
            "knuckle": {"mass": 22.0, "com": [-0.01, 0.8, 0.05], "inertia": [0.6, 0.55, 0.15]},
            "rod": {"mass": 3.0, "rod": [SEAT, MOUNT], "radius": 0.012},
            "wheel": {"mass": wheel["mass"], "com": [0.0, 0.9097, -0.026], "inertia": wheel["inertia"]},
        },
        "joints": {
            "arm": {"type": "revolute", "parent": "world", "child": "arm", "point": [0.0, 0.35, -0.12], "axis": [1, 0.05, 0]},
            "ball joint": {"type": "spherical", "parent": "arm", "child": "knuckle", "point": [0.0, 0.82, -0.13]},
            "strut": {"type": "prismatic", "parent": "knuckle", "child": "rod", "axis": [m - f for m, f in zip(MOUNT, FOOT, strict=True)]},
            "bearing": {"type": "revolute", "parent": "knuckle", "child": "wheel", "point": [0.0, 0.9097, -0.026], "axis": [0, 1, 0]},
        },
        "loops": {
            "mount": {"type": "ball", "predecessor": "rod", "successor": "world", "point": MOUNT},
            "tie rod": {
                "type": "distance",
                "predecessor": {"body": "knuckle", "point": [-0.18, 0.79, -0.1]},
                "successor": {"body": "world", "point": [-0.18, 0.36, -0.09]},
            },
        },
        "springs": {
            "coil": {"from": {"body": "world", "point": MOUNT}, "to": {"body": "knuckle", "point": SEAT}, "rate": 6e4, "free_length": 0.48},
            "damper": {"from": {"body": "world", "point": MOUNT}, "to": {"body": "knuckle", "point": FOOT}, "damping": 5000.0},
        },
    }


def trailing_rear() -> Mapping:
    """A trailing arm that carries the wheel itself, left, in the suspension frame."""
    wheel = _shipped()["axles"]["rear"]["bodies"]["wheel"]
    low = {"body": "arm", "point": [0.15, 0.6, -0.05]}
    return {
        "name": "trailing arm",
        "bodies": {
            "arm": {"mass": 40.0, "com": [0.25, 0.65, 0.0], "inertia": [1.0, 2.0, 2.5]},
            "wheel": {"mass": wheel["mass"], "com": [0.0356, 0.9097, -0.0263], "inertia": wheel["inertia"]},
        },
        "joints": {
            "swing": {"type": "revolute", "parent": "world", "child": "arm", "point": [0.55, 0.5, 0.02], "axis": [0, 1, 0]},
            "bearing": {"type": "revolute", "parent": "arm", "child": "wheel", "point": [0.0356, 0.9097, -0.0263], "axis": [0, 1, 0]},
        },
        "springs": {
            "coil": {"from": {"body": "world", "point": [0.15, 0.6, 0.35]}, "to": low, "rate": 9e4, "free_length": 0.515},
            "damper": {"from": {"body": "world", "point": [0.1, 0.55, 0.4]}, "to": low, "damping": 9000.0},
        },
    }


def struts_and_arms(mapping: Mapping) -> Mapping:
    """A vehicle like the shipped one on MacPherson struts and trailing arms, both from files."""
    axles = mapping["axles"]
    common = {"suspension": "mechanism", "wheel": "wheel", "spring": "coil", "shock": "damper"}
    axles["front"] = {
        **common,
        "file": MechanismFile("strut.yaml", strut_front()),
        "location": axles["front"]["location"],
        "coordinate": "arm",
        "steering": "tie rod",
    }
    axles["rear"] = {
        **common,
        "file": MechanismFile("arm.yaml", trailing_rear()),
        "location": axles["rear"]["location"],
        "coordinate": "swing",
    }
    mapping["suspension_table_tolerance"] = 1e-5
    return mapping


def vehicle_of(mapping: Mapping) -> Vehicle:
    """A vehicle with tires and drivetrain of the shipped one."""
    configs = data_folder("configs")
    four = tire_set([tire(read_yaml(configs / "tires" / "tmeasy_hmmwv.yaml"), "t.yaml")] * 4)
    parts = read_yaml(configs / "drivetrains" / "drivetrain_hmmwv.yaml")
    return Vehicle(read_description(mapping, "v.yaml"), four, parts, "p.yaml")
