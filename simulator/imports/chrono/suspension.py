"""Suspensions of Project Chrono as axles: double wishbones, MacPherson struts, semi-trailing arms, multi-link and rigid axles.

All points are those of the left side, in a frame parallel to the chassis (x forward, y left, z up), as in a vehicle file.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.base.arrays import Matrix, Vector
from simulator.imports.chrono.geometry import arm_axes, body_of, inertia_of, is_possible, plain, rod_axes, separate, tidy
from simulator.imports.chrono.source import Part, Report
from simulator.imports.chrono.springs import shock_section, spring_section

GUIDE = 2.0
"""m. Length of the links of an axle that its source guides by a joint: 2.5 mm of bow per 0.1 m of travel."""


@dataclass
class Suspension:
    """An axle of a vehicle file.

    Attributes
    ----------
    section : its section
    wheel : place of the wheel center in the suspension frame [m]
    arm : body that an anti-roll bar is attached to
    mechanism : content of a mechanism file
    """

    section: dict[str, Any]
    wheel: Vector
    arm: str = ""
    mechanism: dict[str, Any] = field(default_factory=dict)


@dataclass
class Wheel:
    """Mass and inertia that rotate with a wheel besides the spindle: rim and tire; on an axle without drive also its shaft."""

    mass: float
    inertia: Vector


def read_suspension(part: Part, wheel: Wheel, report: Report) -> Suspension:
    """Return the axle of a suspension. Raises ConfigError: a template without counterpart, an unusable value."""
    template = part.text("Template")
    if template not in TEMPLATES:
        part.refuse("Template", template, f"one of {', '.join(TEMPLATES)}; hint: Jounce has no axle like it")
    suspension = TEMPLATES[template](part, wheel, report)
    for kind in ("Toe", "Camber"):
        key = part.first(f"{kind} Angle (deg)", f"{kind} Angle")
        angle = part.number(key, 0.0, -10.0, 10.0)
        if angle and template in ("MacPhersonStrut", "SemiTrailingArm"):
            suspension.section.setdefault("wheel_axis", {})[f"{kind.lower()}_deg"] = angle
            report.add(part, key, "sign by the convention of Project Chrono", "the same number: + = toe-in, + = top outward")
        elif angle:
            report.add(part, key, f"a wheel axis at {angle:g} deg", "a wheel axis along y")
    return suspension


def _points(part: Part, places: dict[str, tuple[str, str]]) -> dict[str, Vector]:
    """Return hardpoints by name from the sections and keys where they are."""
    return {name: part.part(section).numbers(key, 3) for name, (section, key) in places.items()}


def _wheel_body(part: Part, wheel: Wheel, report: Report) -> dict[str, Any]:
    """Return the body of a wheel: spindle, rim and tire."""
    spindle = part.part("Spindle")
    moments = spindle.numbers("Inertia", 3, 0.0) + wheel.inertia
    across, least = 0.5 * float(moments[0] + moments[2]), 0.5 * float(moments[1]) * (1.0 + 1e-6)
    if across < least:
        used = f"{least:.4g} kg m2, that of a thin ring"
        report.add(spindle, "Inertia", f"with wheel and tire {across:.4g} kg m2 about the diameter, impossible for a wheel", used)
    elif abs(moments[0] - across) > 0.01 * across:
        report.add(spindle, "Inertia", "different moments about the diameters", "their mean: a balanced wheel")
    moments[[0, 2]] = max(across, least)
    return {"mass": tidy(spindle.mass() + wheel.mass), "inertia": plain(moments)}


def _arm(part: Part, section: str, points: dict[str, Vector], names: tuple[str, str, str], report: Report) -> dict[str, Any]:
    """Return the body of an arm with its moments in arm axes. `names` are its front, rear and outer points."""
    body = part.part(section)
    inertia = inertia_of(body)
    if part.data.get("Vehicle-Frame Inertia") is True:
        axes = arm_axes(*(points[name] for name in names))
        inertia = axes.T @ inertia @ axes
    moments = np.diag(inertia)
    if np.abs(inertia - np.diag(moments)).max() > 1e-3 * moments.max():
        report.add(body, "Products of Inertia", "products in the axes of the arm", "the moments alone")
    arm: dict[str, Any] = {"mass": tidy(body.mass()), "arm_inertia": plain(moments)}
    if not is_possible(np.diag(moments)):
        report.add(body, "", "an inertia that no rigid body can have", "the same numbers")
        arm["as_published"] = True
    return arm


def _struts(part: Part, points: dict[str, Vector], foot: str, report: Report) -> dict[str, Any]:
    """Return the sections `spring` and `shock`. `foot` is the last letter of the names of their lower ends."""
    spring, shock = part.part("Spring"), part.part("Shock")
    for name in ("SPRING", "SHOCK"):
        separate(spring if name == "SPRING" else shock, points, f"{name}_C", f"{name}_{foot}")
    ends = ("C", foot)
    coaxial = all(math.dist(points[f"SPRING_{end}"], points[f"SHOCK_{end}"]) < 2e-3 for end in ends)
    length = math.dist(points["SHOCK_C"], points[f"SHOCK_{foot}"])
    part.used |= {"Vehicle-Frame Inertia"}
    return {
        "spring": spring_section(spring, shock, coaxial, report),
        "shock": shock_section(shock, spring, length, coaxial, report),
    }


def _rods(part: Part, report: Report) -> None:
    """Report the mass of tie rods, which are massless here."""
    tierod = part.part("Tierod")
    if "Mass" in tierod:
        tierod.used |= {"Mass", "Inertia"}
        report.add(tierod, "Mass", f"a tie rod with a mass of {tierod.mass():g} kg", "a massless tie rod")


def _axle(kind: str, points: dict[str, Vector], bodies: dict[str, Any], struts: dict[str, Any]) -> dict[str, Any]:
    return {"suspension": kind, "hardpoints_left": {name: plain(point) for name, point in points.items()}, "bodies": bodies, **struts}


def _double_wishbone(part: Part, wheel: Wheel, report: Report) -> Suspension:
    places = {"SPINDLE": ("Spindle", "COM"), "UPRIGHT": ("Upright", "COM")}
    for arm, section in (("UCA", "Upper Control Arm"), ("LCA", "Lower Control Arm")):
        places |= {f"{arm}_F": (section, "Location Chassis Front"), f"{arm}_B": (section, "Location Chassis Back")}
        places |= {f"{arm}_U": (section, "Location Upright"), f"{arm}_CM": (section, "COM")}
    for name, section in (("SHOCK", "Shock"), ("SPRING", "Spring")):
        places |= {f"{name}_C": (section, "Location Chassis"), f"{name}_A": (section, "Location Arm")}
    places |= {"TIEROD_C": ("Tierod", "Location Chassis"), "TIEROD_U": ("Tierod", "Location Upright")}
    points = _points(part, places)
    upright = part.part("Upright")
    bodies = {
        "lower_arm": _arm(part, "Lower Control Arm", points, ("LCA_F", "LCA_B", "LCA_U"), report),
        "upper_arm": _arm(part, "Upper Control Arm", points, ("UCA_F", "UCA_B", "UCA_U"), report),
        "knuckle": body_of(upright, "", upright.mass(), inertia_of(upright), report),
        "wheel": _wheel_body(part, wheel, report),
    }
    _rods(part, report)
    return Suspension(_axle("double_wishbone", points, bodies, _struts(part, points, "A", report)), points["SPINDLE"], "lower_arm")


def _macpherson(part: Part, wheel: Wheel, report: Report) -> Suspension:
    places = {
        "SPINDLE": ("Spindle", "COM"),
        "UPRIGHT": ("Upright", "COM"),
        "LCA_F": ("Control Arm", "Location Chassis Front"),
        "LCA_B": ("Control Arm", "Location Chassis Back"),
        "LCA_U": ("Control Arm", "Location Upright"),
        "LCA_CM": ("Control Arm", "COM"),
        "SHOCK_C": ("Shock", "Location Chassis"),
        "SHOCK_U": ("Shock", "Location Upright"),
        "SPRING_C": ("Spring", "Location Chassis"),
        "SPRING_U": ("Spring", "Location Upright"),
        "TIEROD_C": ("Tierod", "Location Chassis"),
        "TIEROD_U": ("Tierod", "Location Upright"),
    }
    points = _points(part, places)
    separate(part.part("Shock"), points, "SHOCK_C", "SHOCK_U")
    axes = rod_axes(points["SHOCK_U"], points["SHOCK_C"])
    for name in ("SPRING_C", "SPRING_U"):
        on_axis = points["SHOCK_C"] + axes[:, 2] * ((points[name] - points["SHOCK_C"]) @ axes[:, 2])
        if (distance := math.dist(on_axis, points[name])) > 1e-3:
            report.add(
                part.part("Spring"),
                places[name][1],
                f"{distance * 1e3:.0f} mm beside the axis of the strut",
                "the closest point of the axis",
            )
        points[name] = on_axis
    points = {**points, "STRUT_CM": points["SHOCK_C"]}
    strut, upright = part.part("Strut"), part.part("Upright")
    report.add(strut, "Mass", "no center of mass", "the top of the strut, as in Project Chrono")
    bodies = {
        "lower_arm": _arm(part, "Control Arm", points, ("LCA_F", "LCA_B", "LCA_U"), report),
        "strut": body_of(strut, "", strut.mass(), axes @ inertia_of(strut) @ axes.T, report),
        "knuckle": body_of(upright, "", upright.mass(), inertia_of(upright), report),
        "wheel": _wheel_body(part, wheel, report),
    }
    _rods(part, report)
    return Suspension(_axle("macpherson", points, bodies, _struts(part, points, "U", report)), points["SPINDLE"], "lower_arm")


def _semi_trailing_arm(part: Part, wheel: Wheel, report: Report) -> Suspension:
    places = {
        "SPINDLE": ("Spindle", "COM"),
        "TA_CM": ("Trailing Arm", "COM"),
        "TA_O": ("Trailing Arm", "Location Chassis Outer"),
        "TA_I": ("Trailing Arm", "Location Chassis Inner"),
        "SHOCK_C": ("Shock", "Location Chassis"),
        "SHOCK_A": ("Shock", "Location Arm"),
        "SPRING_C": ("Spring", "Location Chassis"),
        "SPRING_A": ("Spring", "Location Arm"),
    }
    points = _points(part, places)
    arm = part.part("Trailing Arm")
    arm.used.add("Location Spindle")  # a shape for drawing; the bearing is at the spindle
    bodies = {"trailing_arm": body_of(arm, "", arm.mass(), inertia_of(arm), report), "wheel": _wheel_body(part, wheel, report)}
    return Suspension(_axle("semi_trailing_arm", points, bodies, _struts(part, points, "A", report)), points["SPINDLE"], "trailing_arm")


def _solid_axle(part: Part, wheel: Wheel, report: Report) -> Suspension:
    """Return a rigid axle on four links. Its knuckles do not turn: Jounce has no steered rigid axle."""
    places = {
        "SPINDLE": ("Spindle", "COM"),
        "LOWER_C": ("Lower Link", "Location Chassis"),
        "LOWER_A": ("Lower Link", "Location Axle"),
        "UPPER_C": ("Upper Link", "Location Chassis"),
        "UPPER_A": ("Upper Link", "Location Axle"),
        "SHOCK_C": ("Shock", "Location Chassis"),
        "SHOCK_A": ("Shock", "Location Axle"),
        "SPRING_C": ("Spring", "Location Chassis"),
        "SPRING_A": ("Spring", "Location Axle"),
    }
    points = _points(part, places)
    tube, knuckle = part.part("Axle Tube"), part.part("Knuckle")
    place, side = tube.numbers("COM", 3), knuckle.numbers("COM", 3)
    links = [part.part(name) for name in ("Upper Link", "Lower Link")]
    carried = [(tube.mass(), place, inertia_of(tube))]
    for sign in (1.0, -1.0):
        mirror = np.array([1.0, sign, 1.0])
        carried.append((knuckle.mass(), side * mirror, inertia_of(knuckle)))
        for link, name in zip(links, ("UPPER_A", "LOWER_A"), strict=True):
            carried.append((0.5 * link.mass(), points[name] * mirror, np.zeros((3, 3))))
    mass, center, inertia = composite(carried)
    for key in ("Tierod", "Draglink", "Bell Crank"):
        if key in part:
            part.used.add(key)
            report.add(part, key, "a part of the steering of a rigid axle", "nothing: the knuckles do not turn")
    for link in links:
        link.used |= {"COM", "Inertia"}
        report.add(
            link, "Mass", "a link with a mass", "half of it on the axle; the other half counts as part of the chassis and is not added"
        )
    knuckle.used |= {"Location Lower", "Location Upper"}
    points = {"SPINDLE": points["SPINDLE"], "AXLE_CM": center, **points}
    bodies = {"axle": body_of(tube, "", mass, inertia, report), "wheel": _wheel_body(part, wheel, report)}
    return Suspension(_axle("link_axle", points, bodies, _struts(part, points, "A", report)), points["SPINDLE"], "axle")


def _leafspring_axle(part: Part, wheel: Wheel, report: Report) -> Suspension:
    """Return a rigid axle that moves up and down and rolls: Project Chrono guides it by a joint, here long links do."""
    places = {
        "SPINDLE": ("Spindle", "COM"),
        "AXLE_CM": ("Axle Tube", "COM"),
        "SHOCK_C": ("Shock", "Location Chassis"),
        "SHOCK_A": ("Shock", "Location Axle"),
        "SPRING_C": ("Spring", "Location Chassis"),
        "SPRING_A": ("Spring", "Location Axle"),
    }
    points = _points(part, places)
    x, _, z = points["SPINDLE"]
    ahead = np.array([GUIDE, 0.0, 0.0])
    ends = {
        "LOWER": np.array([x, points["SPRING_A"][1], z - 0.1]),
        "UPPER": np.array([x, 0.0, z + 0.15]),
        "PANHARD": np.array([x - 0.05, -0.5 * GUIDE, z]),
    }
    for name, end in ends.items():
        points |= {f"{name}_C": end + (ahead if name != "PANHARD" else np.array([0.0, GUIDE, 0.0])), f"{name}_A": end}
    report.add(part, "Template", "an axle on a vertical guide", f"two lower links, an upper link and a Panhard rod of {GUIDE:g} m")
    tube = part.part("Axle Tube")
    bodies = {"axle": body_of(tube, "", tube.mass(), inertia_of(tube), report), "wheel": _wheel_body(part, wheel, report)}
    return Suspension(_axle("link_axle", points, bodies, _struts(part, points, "A", report)), points["SPINDLE"], "axle")


def composite(parts: list[tuple[float, Vector, Matrix]]) -> tuple[float, Vector, Matrix]:
    """Return mass, center of mass and inertia about it of bodies given by the same three."""
    mass = sum(m for m, _, _ in parts)
    center = sum((m * p for m, p, _ in parts), np.zeros(3)) / mass if mass > 0.0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for m, p, own in parts:
        d = p - center
        inertia += own + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, center, inertia


def _multi_link(part: Part, wheel: Wheel, report: Report) -> Suspension:
    from simulator.imports.chrono.multi_link import multi_link_mechanism

    places = {
        f"{key.upper()}_{end}": (key, f"Location {word}") for key in ("Spring", "Shock") for end, word in (("C", "Chassis"), ("A", "Link"))
    }
    ends = _points(part, places)
    struts = _struts(part, ends, "A", report)
    content = multi_link_mechanism(part, ends, _wheel_body(part, wheel, report), report)
    section: dict[str, Any] = {"suspension": "mechanism", "coordinate": "upper arm", "wheel": "wheel"}
    section |= {key: {"name": name, **struts[key]} for key, name in (("spring", "coil"), ("shock", "damper"))}
    return Suspension(section, part.part("Spindle").numbers("COM", 3), "", content)


TEMPLATES: dict[str, Callable[[Part, Wheel, Report], Suspension]] = {
    "DoubleWishbone": _double_wishbone,
    "MacPhersonStrut": _macpherson,
    "SemiTrailingArm": _semi_trailing_arm,
    "MultiLink": _multi_link,
    "SolidAxle": _solid_axle,
    "LeafspringAxle": _leafspring_axle,
}
"""Templates of Project Chrono with a counterpart."""
STEERED = ("DoubleWishbone", "MacPhersonStrut")
"""Templates that can be steered."""
