"""Bodies of trailers, original designs, scaled to the vehicle; in chassis axes B. Nobody sits in them."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.view.bodies.car_wheel import car_wheel
from simulator.view.bodies.contract import Body, Cabin, Pane, Size
from simulator.view.bodies.hmmwv_wheel import wheel
from simulator.view.meshes import STOP_LAMP, Builder

GREEN, WHITE = (98, 96, 74), (206, 208, 206)
FRAME, TIMBER, RED = (60, 60, 58), (122, 104, 76), (170, 26, 20)
NOTHING = np.zeros((0, 10))


class Shape(NamedTuple):
    """Dimensions of a trailer body above the wheel centers; m."""

    floor: float
    """Height of the floor"""
    top: float
    """Height of the upper edge"""
    wall: float
    """Thickness of the walls; 0: a closed box"""
    drawbar: float
    """Length of the drawbar ahead of the body; 0: none"""


CARGO = Shape(0.16, 0.78, 0.05, 0.95)
SEMI = Shape(0.55, 3.50, 0.0, 0.0)


def cargo_trailer(size: Size) -> Body:
    """Return an open cargo trailer with a drawbar."""
    return _trailer(size, CARGO, GREEN, wheel)


def semitrailer(size: Size) -> Body:
    """Return the box of a semitrailer, with landing gear."""
    return _trailer(size, SEMI, WHITE, partial(car_wheel, design="steel"))


def _trailer(size: Size, shape: Shape, paint: tuple[int, int, int], of_wheel: object) -> Body:
    low, top, half = size.center + shape.floor, size.center + shape.top, size.half_width - 0.12 * (shape.wall > 0.0)
    shell, frame = Builder().paint(paint, 0.2), Builder().paint(FRAME)
    if shape.wall > 0.0:
        for side in (-1.0, 1.0):
            y = sorted((side * half, side * (half - shape.wall)))
            shell.box((size.rear, y[0], low), (size.front, y[1], top))
            for x in size.axles:
                arch = sorted((side * (size.half_width - 0.02), side * (half - 0.05)))
                shell.box((x - 0.55, arch[0], low + 0.32), (x + 0.55, arch[1], low + 0.36))
        for x in (size.rear, size.front - shape.wall):
            shell.box((x, -half, low), (x + shape.wall, half, top))
        shell.box((size.rear, -half, low - 0.05), (size.front, half, low))
        frame.paint(TIMBER).box((size.rear + 0.3, -0.6 * half, low), (size.front - 0.4, 0.6 * half, low + 0.42))
    else:
        shell.box((size.rear, -half, low), (size.front, half, top))
        gear = size.front - 0.22 * (size.front - size.axles[0])
        for side in (-1.0, 1.0):
            y = sorted((0.55 * side, 0.67 * side))
            frame.paint(FRAME).box((gear - 0.06, y[0], size.center - 0.15), (gear + 0.06, y[1], low))
    for side in (-1.0, 1.0):
        y = sorted((0.36 * side, 0.46 * side))
        frame.paint(FRAME).box((size.rear + 0.1, y[0], low - 0.16), (size.front - 0.1, y[1], low - 0.05))
        if shape.drawbar > 0.0:
            tip = (size.front + shape.drawbar, 0.0, size.center + 0.08)
            frame.tube([(size.front - 0.1, 0.5 * half * side, low - 0.08), tip], 0.05)
        lamp = sorted((side * (half - 0.08), side * (half - 0.30)))
        shell.paint(RED, STOP_LAMP + 0.5).box((size.rear - 0.02, lamp[0], low + 0.02), (size.rear, lamp[1], low + 0.12))
    for x in size.axles:
        frame.paint(FRAME).tube([(x, -half, size.center), (x, half, size.center)], 0.06)
    eye = np.array([size.front, 0.0, top])
    pane = Pane(eye, np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0]), (0.1, 0.05))
    cabin = Cabin(NOTHING, (), pane, 40.0, ())
    return Body(
        shell.mesh(), NOTHING, NOTHING, frame.mesh(), NOTHING, (float(eye[0]), 0.0, float(eye[2])), 0.5, np.array([eye, eye]), of_wheel,  # type: ignore[arg-type]
        paint, cabin, seats=False,
    )  # fmt: skip
