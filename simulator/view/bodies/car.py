"""Generic passenger cars and light trucks, original designs, scaled to the vehicle; in chassis axes B: interior, frame, and their assembly."""

from __future__ import annotations

from functools import partial

import numpy as np

from simulator.base.arrays import Array
from simulator.view.bodies.cabin import cabin, fittings, steering_wheel
from simulator.view.bodies.car_wheel import caliper, car_wheel
from simulator.view.bodies.colors import FRAME, METAL, TRIM
from simulator.view.bodies.contract import Body, Size
from simulator.view.bodies.lamps import details
from simulator.view.bodies.lines import Lines
from simulator.view.bodies.panels import both_sides, shell
from simulator.view.bodies.styles import STYLES
from simulator.view.meshes import Builder


def car(size: Size, style: str = "car") -> Body:
    """Return a body of a style of `STYLES`."""
    g = Lines(size, STYLES[style])
    head = g.size.head
    place = (float(head[0]) + 0.46, float(head[1]), float(head[2]) - 0.33)
    cab = np.array([head - 0.25, head + 0.25])
    wheel = partial(car_wheel, design=g.style.spokes)
    brake = None if g.style.spokes == "steel" else caliper
    metal, panes, lining = shell(g)
    metal = np.vstack((metal, details(g).mesh()))
    return Body(
        metal, fittings(g, place), panes, _frame(g), steering_wheel(g.bed), place, 0.42, cab, wheel, g.paint, cabin(g, place), brake, lining
    )


def _frame(g: Lines) -> Array:
    """Return the parts visible without the body: rails, cross members at the axles, engine sump, exhaust, final drives and shafts."""
    s, low = g.size, float(g.z(0.14))
    half = Builder().paint(FRAME)
    half.box((s.axles[-1] - 0.3, 0.36, low), (s.axles[0] + 0.45, 0.43, low + 0.09))
    for x in (s.axles[0], s.axles[-1]):
        half.box((x - 0.22, 0.20, low + 0.02), (x + 0.22, 0.36, low + 0.07))
    whole = both_sides(half).paint(FRAME)
    for x in (*s.axles, 0.5 * (s.axles[0] + s.axles[-1]), s.axles[0] + 0.40):
        whole.box((x - 0.05, -0.36, low + 0.01), (x + 0.05, 0.36, low + 0.08))
    rear, front = s.axles[-1], s.axles[0]
    for x in s.driven:
        whole.paint(METAL, 0.2).revolve(
            [(-0.16, 0.0), (-0.16, 0.06), (-0.07, 0.11), (0.07, 0.11), (0.16, 0.06), (0.16, 0.0)], 14, center=(x, 0.0, s.center + 0.03)
        )
    if g.style.grille == "none":
        whole.paint(METAL, 0.1).box((rear + 0.45, -0.62, low), (front - 0.45, 0.62, low + 0.13))  # battery
        return whole.mesh()
    whole.paint(METAL, 0.1).box((front - 0.30, -0.14, s.center + 0.02), (front + 0.18, 0.14, s.center + 0.22))
    whole.paint(FRAME).box((front - 0.28, -0.09, s.center + 0.22), (front + 0.16, 0.09, s.center + 0.30))
    for x in s.driven:
        if x < front:
            whole.paint(METAL, 0.2).tube([(front - 0.35, 0.0, s.center + 0.08), (x, 0.0, s.center + 0.03)], 0.035)
    whole.paint(TRIM).tube([(front - 0.2, -0.16, low + 0.06), (rear - 0.25, -0.24, low + 0.06), (s.rear + 0.3, -0.3, low + 0.08)], 0.03)
    return whole.mesh()
