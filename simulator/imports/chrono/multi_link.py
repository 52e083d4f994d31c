"""Multi-link suspension of Project Chrono as a mechanism of its left side: arm, lateral link, trailing link and tie rod."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Matrix, Vector
from simulator.imports.chrono.geometry import arm_axes, inertia_of, is_possible, plain, rod_axes, tidy, written
from simulator.imports.chrono.source import Part, Report


def multi_link_mechanism(part: Part, struts: dict[str, Vector], wheel: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the content of a mechanism file; `world` is the chassis.

    Parameters
    ----------
    struts : ends of spring and shock absorber, SPRING_C, SPRING_A, SHOCK_C, SHOCK_A
    wheel : body of the wheel, without its place
    """
    arm, lateral, trailing, rod = (part.part(key) for key in ("Upper Arm", "Lateral", "Trailing Link", "Tierod"))
    front, back, ball = (arm.numbers(f"Location {word}", 3) for word in ("Chassis Front", "Chassis Back", "Upright"))
    ends = {
        name: [link.numbers(f"Location {word}", 3) for word in ("Chassis", "Upright")]
        for name, link in (("lateral", lateral), ("trailing", trailing))
    }
    upright, hub = part.part("Upright"), part.part("Spindle").numbers("COM", 3)
    bodies = {
        "upper arm": _body(arm, arm_axes(front, back, ball), report),
        "knuckle": _body(upright, np.eye(3), report),
        "lateral link": _body(lateral, rod_axes(*ends["lateral"]), report),
        "trailing link": _body(trailing, rod_axes(*ends["trailing"]), report),
        "wheel": {**wheel, "com": plain(hub)},
    }
    joints = {
        "upper arm": {"type": "revolute", "parent": "world", "child": "upper arm", "point": plain(front), "axis": plain(front - back)},
        "upper ball": {"type": "spherical", "parent": "upper arm", "child": "knuckle", "point": plain(ball)},
        **{
            f"{name} link": _universal(link, f"{name} link", ends[name][0], report)
            for name, link in (("lateral", lateral), ("trailing", trailing))
        },
        "bearing": {"type": "revolute", "parent": "knuckle", "child": "wheel", "point": plain(hub), "axis": [0, 1, 0]},
    }
    loops: dict[str, dict[str, Any]] = {
        f"{name} ball": {"type": "ball", "predecessor": f"{name} link", "successor": "knuckle", "point": plain(ends[name][1])}
        for name in ("lateral", "trailing")
    }
    inner, outer = (rod.numbers(f"Location {word}", 3) for word in ("Chassis", "Upright"))
    loops["tie rod"] = {"type": "distance", "predecessor": _at("world", inner), "successor": _at("knuckle", outer)}
    if "Mass" in rod:
        rod.used |= {"Mass", "Inertia"}
        report.add(rod, "Mass", "a tie rod with mass", "a massless tie rod")
    springs = {
        name: {"from": _at("world", struts[f"{key}_C"]), "to": _at("trailing link", struts[f"{key}_A"])}
        for name, key in (("coil", "SPRING"), ("damper", "SHOCK"))
    }
    return {"name": "multi-link axle", "bodies": bodies, "joints": joints, "loops": loops, "springs": springs}


def _at(body: str, point: Vector) -> dict[str, Any]:
    return {"body": body, "point": plain(point)}


def _body(part: Part, axes: Matrix, report: Report) -> dict[str, Any]:
    inertia = inertia_of(part)
    if not is_possible(inertia):
        report.add(part, "Inertia", "an inertia that no rigid body can have", "the same numbers")
    return {"mass": tidy(part.mass()), "com": plain(part.numbers("COM", 3)), "inertia": written(axes @ inertia @ axes.T)}


def _universal(part: Part, child: str, point: Vector, report: Report) -> dict[str, Any]:
    """Return a universal joint of the chassis and a link. The axis of the link is made square to that of the chassis."""
    chassis, link = (part.numbers(f"Universal Joint Axis {word}", 3) for word in ("Chassis", "Link"))
    for key, axis in (("Chassis", chassis), ("Link", link)):
        if not np.linalg.norm(axis) > 1e-6:
            part.refuse(f"Universal Joint Axis {key}", plain(axis), "a direction")
    cosine = float(chassis @ link / np.linalg.norm(chassis) / np.linalg.norm(link))
    if abs(cosine) > 0.999:
        part.refuse("Universal Joint Axis Link", plain(link), "a direction across that of the chassis")
    if abs(cosine) > 1e-4:
        report.add(
            part,
            "Universal Joint Axis Link",
            f"{90 - np.degrees(np.arccos(cosine)):.1f} deg off the square to the chassis axis",
            "the closest square direction",
        )
        link = link - chassis * (chassis @ link) / (chassis @ chassis)
    return {"type": "universal", "parent": "world", "child": child, "point": plain(point), "axes": [plain(chassis), plain(link)]}
