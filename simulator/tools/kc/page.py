"""The page of a kinematics-and-compliance test: results side by side, and a plot of everything that an engineer looks at."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simulator.report.html_page import Cells, Column, Page
from simulator.report.svg_plot import Axis, Curve, Panel
from simulator.tools.kc.results import DEG, Result, side
from simulator.tools.kc.rig import Rig, Wheel
from simulator.tools.kc.sweeps import BOUNCE, Sweep, swept


@dataclass(frozen=True)
class Measured:
    """A vehicle that was on the rig; everything by the names of its axles."""

    name: str
    rig: Rig
    sweeps: dict[str, dict[str, Sweep]]
    results: dict[str, list[Result]]


QUANTITIES: dict[str, tuple[str, str, Callable[[Wheel], float]]] = {
    # column: title, unit, number
    "toe": ("toe, + in", "deg", lambda w: DEG * w.toe),
    "steer": ("steer, + left", "deg", lambda w: DEG * w.steer),
    "camber": ("camber, + out", "deg", lambda w: DEG * w.camber),
    "side_view_angle": ("side-view angle, + top back", "deg", lambda w: DEG * w.windup),
    "load": ("wheel load", "kN", lambda w: 1e-3 * w.load),
    "center_x": ("wheel center forward", "mm", lambda w: 1e3 * w.center[0]),
    "center_y": ("wheel center outward", "mm", lambda w: 1e3 * side(w) * w.center[1]),
    "center_z": ("wheel center up", "mm", lambda w: 1e3 * w.center[2]),
    "contact_x": ("contact forward", "mm", lambda w: 1e3 * w.contact[0]),
    "contact_y": ("contact outward", "mm", lambda w: 1e3 * side(w) * w.contact[1]),
    "contact_z": ("contact up", "mm", lambda w: 1e3 * w.contact[2]),
    "spring_force": ("spring force", "kN", lambda w: 1e-3 * w.spring_force),
}
"""What is told of every wheel at every place; positions are plotted from where the vehicle stands."""

PLOTS = {
    "bounce": ("toe", "camber", "side_view_angle", "load", "center_x", "contact_y"),
    "roll": ("steer", "camber", "load", "contact_y"),
    "lateral": ("steer", "camber", "contact_y", "load"),
    "lateral_opposed": ("toe", "camber", "contact_y"),
    "braking": ("toe", "side_view_angle", "center_x", "load"),
    "driving": ("toe", "center_x", "load"),
    "aligning": ("steer", "camber"),
    "aligning_opposed": ("toe",),
    "steering": ("steer", "camber", "load"),
}
"""Of every test."""

TITLES = {
    "bounce": "Bounce: both wheels up and down, no other load",
    "roll": "Roll: pads tilted, the load of the axle constant",
    "lateral": "Lateral force at the contacts, both to the left",
    "lateral_opposed": "Lateral force at the contacts, apart (+) and together",
    "braking": "Longitudinal force at the contacts, wheels held by their brakes",
    "driving": "Longitudinal force on rolling wheels, as by drive",
    "aligning": "Aligning torque, both to the left",
    "aligning_opposed": "Aligning torque, left wheel to the left, right wheel to the right",
    "steering": "Steering from lock to lock, pads as high as standing",
    "standing": "Standing",
}


def measured(name: str, rig: Rig, bounce: float = BOUNCE) -> Measured:
    """Every axle through every test."""
    from simulator.tools.kc.results import results_of

    sweeps = {axle: swept(rig, n, bounce) for n, axle in enumerate(rig.axles.names)}
    return Measured(name, rig, sweeps, {axle: results_of(rig, n, sweeps[axle]) for n, axle in enumerate(rig.axles.names)})


def kc_page(vehicles: Sequence[Measured], command: str) -> Page:
    """The page; `command` is what was typed."""
    page = Page(f"Kinematics and compliance: {', '.join(one.name for one in vehicles)}", f"Made by `{command}`.")
    axles = list(dict.fromkeys(axle for one in vehicles for axle in one.rig.axles.names))
    for axle in axles:
        having = [one for one in vehicles if axle in one.results]
        page.heading(f"{axle} axle".capitalize())
        _table(page, having, axle)
        for test, quantities in PLOTS.items():
            shown = [one for one in having if test in one.sweeps[axle]]
            if shown:
                page.subheading(TITLES[test])
                page.figure([_panel(shown, axle, test, quantity) for quantity in quantities])
    page.heading("How it is measured")
    page.points(METHOD)
    return page


METHOD = (
    "The body is held as the vehicle stands; every wheel stands on a pad that floats in its plane and gives the forces that it is told to.",
    "Nothing moves fast: dampers are idle, brakes and half shafts hold. Springs, stops, anti-roll bars, weights of the parts, tires along their radius, "
    "bushings and the twist of a column that a vehicle file has are in it, friction is not.",
    "Results are slopes between the two places beside the one in which the vehicle stands, means of both sides with the sign of the left one.",
    "Angles are those in the axes of the ground. Toe is + inwards, camber + with the top outwards, steer + to the left, whatever the side.",
    "An anti-roll bar acts in roll and wherever left and right differ. A steering wheel is held; an arm that is led has a rigid column.",
    "Anti-dive and the like are the shares of the change of load by braking or driving that the links bear, at the shares of brakes and drive that this "
    "axle has.",
)


def _table(page: Page, having: Sequence[Measured], axle: str) -> None:
    """A row for each result that any of them has, a column for each vehicle."""
    rows: dict[tuple[str, str], Result] = {}
    for one in having:
        for result in one.results[axle]:
            rows.setdefault((result.test, result.name), result)
    values = [{(r.test, r.name): r.value for r in one.results[axle]} for one in having]
    columns = [Column("test", words=True), Column("result", words=True), *(Column(one.name) for one in having), Column("unit", words=True)]
    body: list[list[Cells]] = [
        [r.test.replace("_", ", "), r.name, *(of.get(key, math.nan) for of in values), r.unit] for key, r in rows.items()
    ]
    page.table(
        [*columns, Column("meaning", words=True, long=True)], [[*row, r.meaning] for row, r in zip(body, rows.values(), strict=True)]
    )


def _panel(having: Sequence[Measured], axle: str, test: str, quantity: str) -> Panel:
    """One quantity of both sides over what is swept; positions from where the vehicle stands."""
    title, unit, number = QUANTITIES[quantity]
    moved = quantity.startswith(("center", "contact"))
    curves = []
    for n, one in enumerate(having):
        s = one.sweeps[axle][test]
        for k, wheel in enumerate(s.middle.wheels):
            y = s.of(lambda place, k=k: number(place.wheels[k])) - (number(wheel) if moved else 0.0)  # type: ignore[misc]
            which = ("left" if wheel.left else "right") if len(s.middle.wheels) == 2 else "wheel"
            name = which if len(having) == 1 else f"{one.name}, {which}"
            curves.append(Curve(name, s.x, y, 1 + (2 * n + k) % 7, "" if k == 0 else "6 4"))
    s = having[0].sweeps[axle][test]
    return Panel(title, Axis(s.along, s.unit), Axis(title, unit), curves)
