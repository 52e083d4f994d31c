"""Cabin of a car or pickup truck: seats, dashboard, mirrors, steering wheel, scaled to its body; in chassis axes B."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.base.arrays import Array
from simulator.view.meshes import Builder, mirrored

if TYPE_CHECKING:
    from simulator.view.bodies.car import Lines

BLACK, TRIM, GLASS, INSIDE, SEAT, DIAL = (24, 24, 26), (40, 41, 44), (26, 34, 42), (46, 46, 50), (58, 56, 54), (206, 208, 206)


def fittings(g: Lines, wheel: tuple[float, float, float]) -> Array:
    """Return the mounted parts: mirrors, seats, dashboard with the steering wheel's center at `wheel`."""
    half = Builder()
    head, side = g.size.head, max(abs(float(g.size.head[1])), 0.30)
    seat = float(head[2]) - 0.66
    rows = [float(head[0])] + ([] if g.bed else [float(head[0]) - 0.88])
    for k, x in enumerate(rows):
        half.paint(SEAT).box((x - 0.12, side - 0.25, seat - 0.18), (x + 0.42, side + 0.25, seat))
        _slab(half, (x - 0.22, x - 0.06, side, 0.24, seat - 0.08), (x - 0.40, x - 0.30, side, 0.21, seat + 0.58))
        if k == 0:
            half.box((x - 0.40, side - 0.12, seat + 0.60), (x - 0.31, side + 0.12, seat + 0.76))
    _mirror_and_door(half, g)
    whole = Builder().add(half.mesh()).add(mirrored(half.mesh()))
    floor = float(g.z(0.16))
    whole.paint(BLACK).box((g.back + 0.1, -0.86 * g.size.half_width, floor - 0.02), (g.cowl, 0.86 * g.size.half_width, floor + 0.02))
    whole.paint(INSIDE).box((rows[-1] - 0.2, -0.11, floor), (g.cowl - 0.1, 0.11, seat + 0.04))
    _dashboard(whole, g, wheel)
    return whole.mesh()


def _slab(b: Builder, low: tuple[float, ...], high: tuple[float, ...]) -> None:
    """Add a solid between two level rectangles: x of rear and front, y of the middle, half width, z."""
    b.hexahedron(
        [
            (x, y + s * half, z)
            for rear, front, y, half, z in (low, high)
            for x, s in ((rear, -1.0), (front, -1.0), (front, 1.0), (rear, 1.0))
        ]
    )


def _mirror_and_door(b: Builder, g: Lines) -> None:
    x, y, z = g.cabin_side(g.cowl - 0.24, 0.06)
    b.paint(g.paint, 0.4).box((x - 0.03, y + 0.06, z), (x + 0.07, y + 0.26, z + 0.13))
    b.paint(GLASS, 0.9).box((x - 0.036, y + 0.07, z + 0.01), (x - 0.03, y + 0.25, z + 0.12))
    b.paint(BLACK).box((x, y - 0.02, z), (x + 0.04, y + 0.07, z + 0.04))
    low, columns = float(g.z(0.16)), np.linspace(g.back + 0.2, g.cowl, 6)
    belt = g.shoulder(columns)
    y = g.belt_in * g.side(columns, belt)
    wall = np.stack((np.column_stack((columns, y - 0.02, np.full(6, low))), np.column_stack((columns, y - 0.01, belt))))
    b.paint(INSIDE).sheet(wall)


def _dashboard(b: Builder, g: Lines, wheel: tuple[float, float, float]) -> None:
    half, top, near = 0.86 * g.size.half_width, float(g.shoulder(g.cowl)) + 0.02, wheel[0] + 0.14
    _slab(b.paint(INSIDE), (near + 0.06, g.cowl, 0.0, half, top - 0.42), (near, g.cowl, 0.0, half, top - 0.03))
    y = wheel[1]
    _slab(b.paint(BLACK), (near - 0.03, near + 0.16, y, 0.19, top - 0.10), (near - 0.01, near + 0.16, y, 0.16, top + 0.05))
    for at, r in ((y + 0.075, 0.058), (y - 0.075, 0.058)):
        for depth, share, color in ((-0.036, 1.0, DIAL), (-0.039, 0.9, BLACK)):
            b.paint(color, 0.3).revolve(
                [(depth, 0.0), (depth, share * r), (depth + 0.03, share * r)], 22, axis=0, center=(near, at, top - 0.02), smooth=False
            )
    b.paint(TRIM).box((near - 0.01, -0.13, top - 0.24), (near + 0.05, 0.13, top - 0.08))
    b.paint(INSIDE).tube([(wheel[0], y, wheel[2]), (near + 0.05, y, wheel[2] - 0.09)], 0.035, 8)
    mirror = g.cabin_side(g.shield_top, 1.0)[2] - 0.10
    b.paint(BLACK).box((g.shield_top + 0.06, -0.12, mirror - 0.035), (g.shield_top + 0.09, 0.12, mirror + 0.035))


def steering_wheel() -> Array:
    """Return the steering wheel: rim, three spokes and hub."""
    b = Builder().paint(BLACK, 0.2)
    angle = np.linspace(0.0, 2.0 * math.pi, 41)
    b.tube(np.column_stack((0.0 * angle, 0.185 * np.cos(angle), 0.185 * np.sin(angle))), 0.015, 8)
    b.revolve([(-0.02, 0.0), (-0.02, 0.065), (0.03, 0.075), (0.09, 0.03)][::-1], 16, axis=0)
    b.paint(TRIM, 0.3)
    for turn in (0.12, math.pi - 0.12, -0.5 * math.pi):
        tip = np.array([0.0, 0.18 * math.cos(turn), 0.18 * math.sin(turn)])
        b.tube([0.25 * tip, tip], 0.014, 6)
    return b.mesh()
