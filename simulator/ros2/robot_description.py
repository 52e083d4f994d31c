"""Vehicle as a URDF for `/robot_description`: its joints are those of `/joint_states`, its frames those of `/tf_static`.

    base_link -> chassis                          fixed: mass and box of the body
    base_link -> PLACE_knuckle -> PLACE_wheel     heading of a steered wheel, then rotation of the wheel
    base_link -> steering_wheel
    base_link -> rear_axle                        fixed: on the ground below the middle of the last axle
    base_link -> frames of the sensors            fixed

Wheels are where the design of the vehicle has them: travel, camber and displacement of the suspension have no joint.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.sensors.messages.topic import VEHICLE, Frame
from vehicles.axle_layout import Axles
from vehicles.description import Description
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.tires.tire_file import TireSet

CHASSIS, STEERING_WHEEL, REAR_AXLE = "chassis", "steering_wheel", "rear_axle"
"""Names of links."""
STEERING_WHEEL_JOINT = "steering_wheel_joint"
RIM, RIM_MASS = 0.19, 2.0
"""m, kg. Radius and mass of the steering wheel [assumed]; the mass is part of that of the chassis."""
FROM_HEAD, COLUMN = (0.45, 0.0, -0.4), (-np.cos(0.45), 0.0, np.sin(0.45))
"""m, 1. Center of the steering wheel from the driver's head, and axis of the column toward the driver, in B [assumed]."""
LEAST_INERTIA = 1e-4
"""kg m2. Moment of inertia of a body of which the file has none, for programs that need one."""


class WheelJoints(NamedTuple):
    """Names of the wheels of a vehicle in ROS, corner by corner, and the corners that have a joint for their heading."""

    places: tuple[str, ...]
    steered: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        """Names of all joints: rotations of the wheels, headings of the steered wheels, steering wheel."""
        headings = [f"{self.places[corner]}_steering_joint" for corner in self.steered]
        return [*(f"{one}_wheel_joint" for one in self.places), *headings, STEERING_WHEEL_JOINT]


def wheel_joints(description: Description) -> WheelJoints:
    """Return the joints of the wheels of a vehicle. An axle with one wheel has neither left nor right."""
    axles = description.mechanism.axles
    steered = {axles.of(int(corner)) for corner in description.steering["corner"]}
    if description.actuators[0]["rear_max"] > 0.0:
        steered.add(len(axles.names) - 1)
    return WheelJoints(_places(axles), tuple(corner for axle in sorted(steered) for corner in axles.on(axle)))


def _places(axles: Axles) -> tuple[str, ...]:
    sides = {1: ("",), 2: ("_left", "_right")}
    return tuple(_identifier(name) + side for name, count in zip(axles.names, axles.sides, strict=True) for side in sides[count])


def _identifier(name: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)


def rear_axle(description: Description, tires: TireSet) -> Frame:
    """Return the frame about which a vehicle with an unsteered last axle turns, on level ground in the design position."""
    corners = list(description.mechanism.axles.on(len(description.mechanism.axles.names) - 1))
    center = np.mean([description.design.corners[corner].W for corner in corners], axis=0)
    return Frame(REAR_AXLE, VEHICLE, center - (0.0, 0.0, float(tires.shared["radius"][corners].mean())), np.eye(3))


def robot_description(description: Description, tires: TireSet, frames: Iterable[Frame] = ()) -> str:
    """Return the URDF of a vehicle, with the frames of its sensors. Raises JounceError: a sensor has the name of a link."""
    robot = ET.Element("robot", name=_identifier(description.name) or "vehicle")
    _link(robot, VEHICLE)
    _add_body(robot, description)
    joints = wheel_joints(description)
    for corner, place in enumerate(joints.places):
        _add_wheel(robot, description, tires, (corner, place, corner in joints.steered))
    wheel = _link(robot, STEERING_WHEEL)
    turned = _turned_to(np.array(COLUMN))
    moments = RIM_MASS * RIM**2 * np.array([0.5, 0.5, 1.0])
    _inertial(wheel, RigidBody(STEERING_WHEEL, RIM_MASS, np.zeros(3), turned * moments @ turned.T), np.zeros(3))
    _visual(wheel, "cylinder", {"radius": f"{RIM:g}", "length": "0.03"}, (0.1, 0.1, 0.1), R=turned)
    head = np.array(description.body[0]["drivers_head"])
    _joint(robot, STEERING_WHEEL_JOINT, (VEHICLE, STEERING_WHEEL), head + FROM_HEAD, kind="continuous", axis=COLUMN)
    names = {one.get("name") for one in robot}
    for frame in (rear_axle(description, tires), *frames):
        if frame.name in names:
            raise JounceError(f"sensor {frame.name}: the vehicle has a link of this name in ROS 2; expected another name")
        names.add(frame.name)
        _link(robot, frame.name)
        _joint(robot, f"{frame.name}_frame", (frame.parent, frame.name), frame.p, frame.R)
    ET.indent(robot)
    return '<?xml version="1.0"?>\n' + ET.tostring(robot, encoding="unicode") + "\n"


def _add_body(robot: ET.Element, description: Description) -> None:
    contact = description.object_contact[0]
    parts = contact["parts"][: int(contact["count"])]
    low, high = (parts["center"] - parts["half"]).min(axis=0), (parts["center"] + parts["half"]).max(axis=0)
    chassis = _link(robot, CHASSIS)
    racks = [corner.rack for corner in description.design.corners if corner.rack is not None]
    body = _sum([description.design.chassis, *racks])
    _inertial(chassis, replace(body, mass=body.mass - RIM_MASS), np.zeros(3))
    size, middle = {"size": _numbers(high - low)}, 0.5 * (low + high)
    _visual(chassis, "box", size, (0.30, 0.38, 0.30), middle)
    _visual(chassis, "box", size, None, middle)
    _joint(robot, f"{CHASSIS}_joint", (VEHICLE, CHASSIS), np.zeros(3))


def _add_wheel(robot: ET.Element, description: Description, tires: TireSet, wheel: tuple[int, str, bool]) -> None:
    """Add a wheel, by its corner, its place and whether it is steered."""
    corner, place, steered = wheel
    design, tire = description.design.corners[corner], tires.shared[corner]
    center, link = np.array(design.W, float), f"{place}_wheel"
    others, knuckle = [body for name, body in design.bodies.items() if name != "wheel"], f"{place}_knuckle"
    _inertial(_link(robot, knuckle), _sum(others, center if design.linkage is not None else None), center)
    name, kind = ("steering_joint", "revolute") if steered else ("knuckle_joint", "fixed")
    _joint(robot, f"{place}_{name}", (VEHICLE, knuckle), center, kind=kind, axis=(0.0, 0.0, 1.0))
    body = design.bodies["wheel"]
    one = _link(robot, link)
    _inertial(one, RigidBody("wheel", body.mass, np.zeros(3), body.I_BBcm), np.zeros(3))
    across = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    shape = {"radius": f"{float(tire['radius']):.6g}", "length": f"{float(tire['width']):.6g}"}
    _visual(one, "cylinder", shape, (0.08, 0.08, 0.08), R=across)
    _visual(one, "cylinder", shape, None, R=across)
    _joint(robot, f"{link}_joint", (knuckle, link), np.zeros(3), kind="continuous", axis=(0.0, 1.0, 0.0))


def _sum(bodies: list[RigidBody], place: Vector | None = None) -> RigidBody:
    """Return bodies as one; place: center of mass of all of them, if their frames are not that of the chassis."""
    mass = sum(one.mass for one in bodies)
    centers = [one.p_BoBcm if place is None else place for one in bodies]
    center = sum((one.mass * p for one, p in zip(bodies, centers, strict=True)), np.zeros(3)) / max(mass, 1e-9)
    inertia = np.zeros((3, 3))
    for one, p in zip(bodies, centers, strict=True):
        r = p - center
        inertia += one.I_BBcm + one.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return RigidBody("sum", mass, center, inertia)


def _link(robot: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(robot, "link", name=name)


def _joint(
    robot: ET.Element,
    name: str,
    links: tuple[str, str],
    p: Vector,
    R: Vector | None = None,
    kind: str = "fixed",
    axis: Iterable[float] = (),
) -> None:
    one = ET.SubElement(robot, "joint", name=name, type=kind)
    ET.SubElement(one, "parent", link=links[0])
    ET.SubElement(one, "child", link=links[1])
    _origin(one, p, R)
    if kind != "fixed":
        ET.SubElement(one, "axis", xyz=_numbers(axis))
    if kind == "revolute":
        ET.SubElement(one, "limit", lower="-1.2", upper="1.2", effort="10000", velocity="10")


def _origin(one: ET.Element, p: Vector, R: Vector | None) -> None:
    ET.SubElement(one, "origin", xyz=_numbers(p), rpy=_numbers((0.0, 0.0, 0.0) if R is None else _angles(R)))


def _angles(R: Vector) -> tuple[float, float, float]:
    """Return roll, pitch, yaw [rad] of axes R = Rz(yaw) Ry(pitch) Rx(roll); with the x axis upright, no roll."""
    if abs(R[2, 0]) > 1.0 - 1e-12:
        return 0.0, math.copysign(0.5 * math.pi, -R[2, 0]), math.atan2(-R[0, 1], R[1, 1])
    return math.atan2(R[2, 1], R[2, 2]), -math.asin(R[2, 0]), math.atan2(R[1, 0], R[0, 0])


def _inertial(link: ET.Element, body: RigidBody, origin: Vector) -> None:
    """Add the mass of a body in axes of the chassis to a link at `origin`; a massless body adds nothing."""
    if not body.mass > 0.0:
        return
    one = ET.SubElement(link, "inertial")
    _origin(one, body.p_BoBcm - origin, None)
    ET.SubElement(one, "mass", value=f"{body.mass:.9g}")
    inertia = body.I_BBcm + LEAST_INERTIA * np.eye(3) * (np.linalg.eigvalsh(body.I_BBcm)[0] < LEAST_INERTIA)
    places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    ET.SubElement(one, "inertia", {name: f"{inertia[at]:.9g}" for name, at in places.items()})


def _visual(
    link: ET.Element,
    shape: str,
    size: dict[str, str],
    color: tuple[float, float, float] | None,
    p: Vector | None = None,
    R: Vector | None = None,
) -> None:
    """Add a shape that is drawn, or without a color one for collisions."""
    one = ET.SubElement(link, "collision" if color is None else "visual")
    _origin(one, np.zeros(3) if p is None else p, R)
    ET.SubElement(ET.SubElement(one, "geometry"), shape, size)
    if color is not None:
        material = ET.SubElement(one, "material", name=f"{link.get('name')}_color")
        ET.SubElement(material, "color", rgba=_numbers((*color, 1.0)))


def _turned_to(axis: Vector) -> Vector:
    """Return axes with z along a unit vector in the x-z plane."""
    y = np.array([0.0, 1.0, 0.0])
    return np.column_stack((np.cross(y, axis), y, axis))


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{float(one) + 0.0:.9g}" for one in values)
