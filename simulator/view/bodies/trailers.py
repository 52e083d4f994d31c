"""Bodies of trailers and of a tractor, original designs, scaled to the vehicle; in chassis axes B. Nobody sits in a trailer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from simulator.view.bodies.car import car
from simulator.view.bodies.car_wheel import car_wheel
from simulator.view.bodies.contract import Body, Cabin, Pane, Size
from simulator.view.bodies.hmmwv_wheel import wheel
from simulator.view.meshes import HEAD_LAMP, STOP_LAMP, Builder

GREEN, WHITE = (98, 96, 74), (206, 208, 206)
FRAME, TIMBER, RED = (60, 60, 58), (122, 104, 76), (170, 26, 20)
LIGHT, DARK = (240, 238, 228), (30, 40, 46)
CAB, ROOF = (1.30, 2.80), 2.95
"""m. Begin and end of the cab behind the foremost point; height of its roof above the ground."""
PAINT = (34, 74, 120)
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


def tractor(size: Size) -> Body:
    """Return a tractor: hood, cab, frame with tanks and fifth wheel. Who sits in it sees the cabin of a pickup, and the hood."""
    base = car(size, "pickup")
    begin, end = size.front - CAB[0], size.front - CAB[1]
    low, roof, half, belt = size.center - 0.1, size.ground + ROOF, size.half_width - 0.04, size.ground + 1.75
    hood = Builder().paint(PAINT, 0.3).box((begin, -half + 0.12, low), (size.front, half - 0.12, size.ground + 1.45)).mesh()
    shell = (
        Builder().add(hood).paint(PAINT, 0.3).box((end, -half, low), (begin, half, belt)).box((end, -half, belt), (end + 0.3, half, roof))
    )
    shell.box((end, -half, roof - 0.35), (begin, half, roof))
    for side in (-1.0, 1.0):
        y = sorted((side * (half - 0.08), side * half))
        shell.box((begin - 0.08, y[0], belt), (begin, y[1], roof - 0.35)).box((end + 0.3, y[0], belt), (end + 0.45, y[1], roof - 0.35))
        lamp = sorted((side * 0.62, side * 0.86))
        shell.paint(LIGHT, HEAD_LAMP + 0.5).box((size.front, lamp[0], low + 0.35), (size.front + 0.02, lamp[1], low + 0.55)).paint(
            PAINT, 0.3
        )
    glass = Builder().paint(DARK, 1.0).box((begin - 0.03, -half + 0.08, belt), (begin - 0.01, half - 0.08, roof - 0.35))
    for side in (-1.0, 1.0):
        y = sorted((side * (half - 0.03), side * (half - 0.01)))
        glass.box((end + 0.45, y[0], belt), (begin - 0.08, y[1], roof - 0.35))
    frame, rail = Builder().paint(FRAME), size.center + 0.30
    for side in (-1.0, 1.0):
        y = sorted((0.34 * side, 0.44 * side))
        frame.paint(FRAME).box((size.rear, y[0], rail - 0.13), (begin, y[1], rail + 0.13))
        tank = sorted((0.62 * side, 1.12 * side))
        frame.paint(WHITE, 0.4).box((end - 0.5, tank[0], rail - 0.35), (end + 1.0, tank[1], rail + 0.15))
        lamp = sorted((0.30 * side, 0.46 * side))
        frame.paint(RED, STOP_LAMP + 0.5).box((size.rear - 0.02, lamp[0], rail - 0.05), (size.rear, lamp[1], rail + 0.08))
    middle = 0.5 * (size.axles[1] + size.axles[-1])
    frame.paint(FRAME).box((middle - 0.20, -0.5, rail + 0.13), (middle + 0.70, 0.5, rail + 0.36))
    for x in size.axles[1:]:
        frame.tube([(x, -half + 0.3, size.center), (x, half - 0.3, size.center)], 0.09)
    steel = partial(car_wheel, design="steel")
    return replace(
        base,
        shell=shell.mesh(),
        glass=glass.mesh(),
        frame=frame.mesh(),
        paint=PAINT,
        wheel=steel,
        lining=None,
        inner_shell=hood,
        caliper=None,
    )
