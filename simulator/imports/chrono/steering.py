"""Steering gears and anti-roll bars of Project Chrono."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.arrays import Matrix, Vector
from simulator.imports.chrono.geometry import inertia_of, is_possible, plain, rotation_of, tidy, written
from simulator.imports.chrono.source import Part, Report

LOCK_DEG = {"PitmanArm": 780.0, "RackPinion": 540.0}
"""deg. Assumed angle of the steering wheel from the center to full lock: Project Chrono steers without one."""
MAX_RACK_RATE = 0.3
"""m/s. Assumed largest speed of a rack; Project Chrono has none."""


def read_steering(mount: Part, part: Part, report: Report) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the section of the steering, and its bodies as masses fixed to the chassis. Raises ConfigError: another template."""
    template = part.text("Template")
    if template not in ("PitmanArm", "RackPinion"):
        part.refuse("Template", template, "PitmanArm or RackPinion; hint: Jounce has no steering like it")
    place, axes = mount.numbers("Location", 3), rotation_of(mount, "Orientation")
    part.used.add("Vehicle-Frame Inertia")
    read = _pitman_arm if template == "PitmanArm" else _rack
    section, bodies = read(part, place, axes, report)
    masses = {}
    for name, (body, at, inertia) in bodies.items():
        if body.mass() < 0.001:
            continue
        masses[name] = {"mass": tidy(body.mass()), "com": plain(place + axes @ at), "inertia": written(inertia)}
        if not is_possible(inertia):
            masses[name]["as_published"] = True
        report.add(body, "Mass", "a moving body of the steering", "a mass fixed to the chassis")
    return section, masses


Bodies = dict[str, tuple[Part, Vector, Matrix]]


def _pitman_arm(part: Part, place: Vector, axes: Matrix, report: Report) -> tuple[dict[str, Any], Bodies]:
    angle = math.degrees(math.atan2(axes[0, 2], axes[0, 0]))
    if abs(axes[1, 1] - 1.0) > 1e-6:
        part.refuse("Orientation", plain(axes), "a steering frame that is rotated about the y axis of the chassis")
    revolute, universal, idler = (part.part(f"{name} Joint") for name in ("Revolute", "Universal", "Revolute-Spherical"))
    for joint, key in ((revolute, "Direction"), (idler, "Direction")):
        direction = joint.numbers(key, 3)
        if np.abs(np.cross(direction, [0.0, 0.0, 1.0])).max() > 1e-3 * np.abs(direction).max():
            report.add(joint, key, "a pivot that is not along z of the steering frame", "a pivot along z")
    universal.used |= {"Direction Arm", "Direction Link"}
    part.used.add("Tierod Locations")  # shapes for drawing: the tie rods join the link at the points of the suspension
    key = revolute.first("Maximum Angle (deg)", "Maximum Angle")
    most = revolute.number(key, low=0.1, high=60.0)
    ratio = LOCK_DEG["PitmanArm"] / most
    report.add(part, "", "no steering wheel", f"{LOCK_DEG['PitmanArm']:g} deg from the center to full lock, a gear ratio of {ratio:.3g}")
    section = {
        "location": plain(place),
        "rotation_y_deg": round(angle, 6),
        "arm_pivot": plain(revolute.numbers("Location", 3)),
        "arm_joint": plain(universal.numbers("Location", 3)),
        "idler_pivot": plain(idler.numbers("Location Chassis", 3)),
        "idler_joint": plain(idler.numbers("Location Link", 3)),
        "max_arm_angle_deg": most,
        "gear_ratio": tidy(ratio),
        "max_rate_deg": 0,
    }
    bodies = {name: part.part(key) for name, key in (("steering_link", "Steering Link"), ("pitman_arm", "Pitman Arm"))}
    return section, {name: (body, body.numbers("COM", 3), inertia_of(body)) for name, body in bodies.items()}


def _rack(part: Part, place: Vector, axes: Matrix, report: Report) -> tuple[dict[str, Any], Bodies]:
    if np.abs(axes - np.eye(3)).max() > 1e-3:
        part.refuse("Orientation", plain(axes), "a rack along the y axis of the chassis")
    pinion, link = part.part("Pinion"), part.part("Steering Link")
    if "Maximum Angle (deg)" in pinion:
        angle = math.radians(pinion.number("Maximum Angle (deg)", low=0.01, high=3600.0))
    else:
        angle = pinion.number("Maximum Angle", low=0.001, high=60.0)
    travel = pinion.number("Radius", low=1e-4, high=10.0) * angle
    radius = travel / math.radians(LOCK_DEG["RackPinion"])
    report.add(pinion, "Radius", "no steering wheel", f"{LOCK_DEG['RackPinion']:g} deg from the center to full lock, the same rack travel")
    report.add(part, "", "no largest speed of the rack", f"{MAX_RACK_RATE:g} m/s, assumed")
    section = {
        "type": "rack_pinion",
        "location": plain(place),
        "pinion_radius": tidy(round(radius, 6)),
        "pinion_sign": -1,
        "max_rack_travel": tidy(travel),
        "max_rack_rate": MAX_RACK_RATE,
        "input": "direct",
    }
    return section, {"rack": (link, np.array([0.0, link.number("COM", 0.0), 0.0]), inertia_of(link))}


def read_anti_roll_bar(axle: Part, part: Part, location: Vector, arm: str, report: Report) -> dict[str, Any]:
    """Return the section of an anti-roll bar. The suspension frame is at `location`; `arm` carries the drop link.

    The levers of the source often cannot follow the whole travel of a wheel, so that the bar acts between the heights of the arms.
    """
    if (template := part.text("Template")) != "AntirollBarRSD":
        part.refuse("Template", template, "AntirollBarRSD")
    place = axle.numbers("Antirollbar Location", 3) - location
    lever, link, spring = part.part("Arm"), part.part("Droplink"), part.part("RSD")
    half, width = lever.number("Length", low=0.01, high=10.0), lever.number("Width", low=-10.0, high=10.0)
    if abs(width) < 0.01:
        lever.refuse("Width", width, "a lever of at least 0.01 m")
    lever.used |= {"Inertia", "Mass"}
    report.add(
        lever, "", "a bar with levers, a mass and drop links", "a massless bar between the heights of the arms, of the same stiffness"
    )
    if spring.number("Damping Coefficient", 0.0):
        report.add(spring, "Damping Coefficient", "a damper in an anti-roll bar", "no damping")
    return {
        "rate": tidy(spring.number("Spring Coefficient", low=0.0) / width**2),
        "drop_link": plain(place + [width, half, link.number("Height", low=-10.0, high=10.0)]),
        "mounted_on": arm,
    }
