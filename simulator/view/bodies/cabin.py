"""Cabin of a car or pickup truck, scaled to its body, in chassis axes B: what the driver sees, and the coarse inside that others see."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.view.bodies.cabin_parts import add_gear_lever, add_seat, gauge_hood, gauge_pane, pedals
from simulator.view.bodies.contract import Cabin, Mirror
from simulator.view.bodies.lines import Lines
from simulator.view.bodies.mirrors import add_housing, door_mirror, inside_mirror
from simulator.view.meshes import Builder, mirrored

BLACK, TRIM, INSIDE, PANEL, LINING = (24, 24, 26), (40, 41, 44), (46, 46, 50), (74, 72, 71), (132, 129, 122)
CLOTH, METAL, SCREEN = (82, 82, 86), (84, 86, 90), (14, 18, 22)
TOP_SPEED, TOP_SPEED_OF_TRUCK = 240.0 / 3.6, 180.0 / 3.6
"""m/s. Ends of the scales of the speedometers, assumed."""
BEHIND_PILLAR = 0.10
"""m. The right mirror is so much behind the left one, so that the driver sees it beside the pillar."""
GAUGES = 0.162, 0.063
"""m. Half width and half height of the gauges."""


def cabin(g: Lines, wheel: tuple[float, float, float]) -> Cabin:
    """Return the cabin around the center of the steering wheel."""
    mirrors = _mirrors(g)
    gauges = gauge_pane(g.size.head, wheel, 0.42, 0.10, GAUGES)
    half = Builder()
    _door(half, g)
    _visor(half, g)
    seat = float(g.size.head[2]) - 0.66
    for x in _rows(g):
        add_seat(half.paint(CLOTH), (x, max(abs(float(g.size.head[1])), 0.30), seat), CLOTH, METAL)
    whole = Builder().add(half.mesh()).add(mirrored(half.mesh()))
    _across(whole, g)
    _dashboard(whole, g, wheel)
    _console(whole, g, wheel)
    _housings(whole, g, mirrors)
    gauge_hood(whole.paint(BLACK), gauges, 0.035, 0.12)
    whole.paint(BLACK).tube([wheel, (wheel[0] + 0.22, wheel[1], wheel[2] - 0.10)], 0.034, 10)
    lever = add_gear_lever((wheel[0] - 0.10, 0.0, seat + 0.13), BLACK, METAL)
    floor = float(g.z(0.16)) + 0.02
    levers = (*pedals((wheel[0] + 0.22, wheel[1], floor + 0.34), METAL, BLACK), lever)
    return Cabin(whole.mesh(), levers, gauges, TOP_SPEED_OF_TRUCK if g.bed else TOP_SPEED, mirrors)


def fittings(g: Lines, wheel: tuple[float, float, float]) -> Array:
    """Return the mounted parts as they are seen from outside: mirrors, coarse seats and dashboard."""
    half = Builder()
    side, seat = max(abs(float(g.size.head[1])), 0.30), float(g.size.head[2]) - 0.66
    for k, x in enumerate(_rows(g)):
        half.paint(CLOTH).box((x - 0.12, side - 0.25, seat - 0.18), (x + 0.42, side + 0.25, seat))
        _slab(half, (x - 0.22, x - 0.06, side, 0.24, seat - 0.08), (x - 0.40, x - 0.30, side, 0.21, seat + 0.58))
        if k == 0:
            half.box((x - 0.40, side - 0.12, seat + 0.60), (x - 0.31, side + 0.12, seat + 0.76))
    low, columns = float(g.z(0.16)), np.linspace(g.back + 0.2, g.cowl, 6)
    belt = g.shoulder(columns)
    y = g.belt_in * g.side(columns, belt)
    half.paint(INSIDE).sheet(np.stack((np.column_stack((columns, y - 0.02, np.full(6, low))), np.column_stack((columns, y - 0.01, belt)))))
    whole = Builder().add(half.mesh()).add(mirrored(half.mesh()))
    _housings(whole, g, _mirrors(g))
    whole.paint(BLACK).box((g.back + 0.1, -0.86 * g.size.half_width, low - 0.02), (g.cowl, 0.86 * g.size.half_width, low + 0.02))
    across, top, near = 0.86 * g.size.half_width, float(g.shoulder(g.cowl)) + 0.02, wheel[0] + 0.14
    _slab(whole.paint(INSIDE), (near + 0.06, g.cowl, 0.0, across, top - 0.42), (near, g.cowl, 0.0, across, top - 0.03))
    _slab(
        whole.paint(BLACK), (near - 0.03, near + 0.16, wheel[1], 0.19, top - 0.10), (near - 0.01, near + 0.16, wheel[1], 0.16, top + 0.05)
    )
    return whole.mesh()


def _rows(g: Lines) -> list[float]:
    """Return the positions of the rows of seats."""
    head = float(g.size.head[0])
    return [head] if g.bed else [head, head - 0.88]


def _slab(b: Builder, low: tuple[float, ...], high: tuple[float, ...]) -> None:
    """Add a solid between two level rectangles: x of rear and front, y of the middle, half width, z."""
    b.hexahedron(
        [
            (x, y + s * half, z)
            for rear, front, y, half, z in (low, high)
            for x, s in ((rear, -1.0), (front, -1.0), (front, 1.0), (rear, 1.0))
        ]
    )


def _mirrors(g: Lines) -> tuple[Mirror, ...]:
    eye = g.size.head
    x, y, z = g.cabin_side(g.cowl - 0.24, 0.06)
    out, half = (0.20, (0.105, 0.075)) if g.bed else (0.17, (0.10, 0.058))
    ahead = min(float(eye[0]) + 0.39, 0.5 * (g.cowl + g.shield_top))
    (low, high), window = (np.array(g.cabin_side(at, up)) for at, up in ((g.cowl, 0.0), (g.shield_top, 1.0))), _rear_window(g)
    pane = low[2] + (high[2] - low[2]) * (g.cowl - ahead) / (g.cowl - g.shield_top)
    return (
        door_mirror((x, y + out, z + half[1] + 0.02), eye, half),
        inside_mirror((ahead, 0.03, pane - 0.048), eye, window, (0.115, 0.034)),
        door_mirror((x - BEHIND_PILLAR, -y - out, z + half[1] + 0.02), eye, half),
    )


def _rear_window(g: Lines) -> Array:
    """Return the middle of the rear window."""
    low, high = np.array(g.cabin_side(g.back, 0.0)), np.array(g.cabin_side(g.roof_end, 1.0))
    return 0.5 * (low + high) * [1.0, 0.0, 1.0]


def _housings(b: Builder, g: Lines, mirrors: tuple[Mirror, ...]) -> None:
    left, inside, right = mirrors
    _, y, z = g.cabin_side(g.cowl - 0.24, 0.02)
    for mirror, side in ((left, 1.0), (right, -1.0)):
        add_housing(b, mirror, g.paint, 0.09)
        end = mirror.glass.center
        b.paint(BLACK).tube(
            [(end[0] + 0.055, side * (y - 0.03), z + 0.01), (end[0] + 0.045, end[1] - side * 0.05, end[2] - 0.6 * mirror.glass.half[1])],
            0.016,
            8,
        )
    add_housing(b, inside, BLACK, 0.035, 0.005)
    end = inside.glass.center
    b.paint(BLACK).tube([end + (0.025, 0.0, 0.0), end + (0.055, 0.0, 0.045)], 0.009, 6)


def _door(b: Builder, g: Lines) -> None:
    """Add the trim of the left side: ledge below the windows, insert, arm rest, pocket; handle, loudspeaker."""
    end = g.back + (0.02 if g.bed else 0.30)
    x = np.linspace(end, g.cowl + 0.04, 9)
    skin = np.array([g.cabin_side(v, 0.0)[1:] for v in x])
    floor = float(g.z(0.16))

    def line(inset: float, drop: float) -> Array:
        return np.column_stack((x, skin[:, 0] - inset, np.maximum(skin[:, 1] - drop, floor)))

    profile = (
        (TRIM, ((0.0, -0.012), (0.035, -0.016), (0.07, -0.004), (0.082, 0.03))),
        (CLOTH, ((0.082, 0.03), (0.066, 0.06), (0.062, 0.12), (0.068, 0.19))),
        (TRIM, ((0.068, 0.19), (0.125, 0.196), (0.132, 0.21), (0.128, 0.25), (0.07, 0.275))),
        (PANEL, ((0.07, 0.275), (0.062, 0.36), (0.075, 0.60))),
    )
    for color, points in profile:
        b.paint(color).sheet(np.stack([line(*point) for point in points]), smooth=len(points) > 3)
    front = g.cowl - 0.30
    y, z = g.cabin_side(front, 0.0)[1:]
    b.paint(METAL, 0.5).tube(
        [(front, y - 0.066, z - 0.09), (front - 0.03, y - 0.085, z - 0.09), (front - 0.13, y - 0.085, z - 0.092)], 0.008, 6
    )
    b.paint(BLACK, 0.2).box((front - 0.22, y - 0.125, z - 0.199), (front - 0.06, y - 0.08, z - 0.190))
    disk = [(-0.012, 0.0), (-0.012, 0.065), (0.0, 0.075)]
    b.paint(BLACK).revolve(disk, 18, axis=1, center=(front - 0.02, y - 0.068, z - 0.42), smooth=False)


def _visor(b: Builder, g: Lines) -> None:
    """Add the left sun visor."""
    x, y, z = g.cabin_side(g.shield_top, 1.0)
    places = ((-0.16, -1.0), (0.015, -1.0), (0.015, 1.0), (-0.16, 1.0))
    b.paint(LINING).hexahedron([(x + dx, 0.48 * y + s * 0.17, z + dz) for dz in (-0.024, -0.010) for dx, s in places])


def _across(b: Builder, g: Lines) -> None:
    """Add floor, front wall, frame of the windshield, and what is behind the last seats."""
    half, floor = 0.86 * g.size.half_width, float(g.z(0.16))
    b.paint(BLACK).box((g.back + 0.1, -half, floor - 0.02), (g.cowl, half, floor + 0.02))
    top = float(g.shoulder(g.cowl)) - 0.1
    b.sheet([[(g.cowl - 0.02, half, top), (g.cowl - 0.02, half, floor)], [(g.cowl - 0.02, -half, top), (g.cowl - 0.02, -half, floor)]])
    x, y, z = g.cabin_side(g.shield_top, 1.0)
    rise = float(g.z(1.0)) - z
    across = np.linspace(-1.0, 1.0, 9)
    crown = 0.35 * rise * (1.0 - across**4)
    edge = np.column_stack((np.full(9, x + 0.03), across * y, z + crown - 0.012))
    b.paint(LINING).sheet(np.stack((edge, edge + (-0.02, 0.0, -0.026), edge + (-0.09, 0.0, -0.022))), smooth=True)
    belt = float(g.shoulder(g.back))
    if g.bed:
        foot = wall = g.back + 0.03
    else:  # a shelf, and a wall inside the backs of the last seats
        wall, foot = _rows(g)[-1] - 0.34, _rows(g)[-1] - 0.16
        b.paint(PANEL).box((g.back + 0.05, -0.80 * half, belt - 0.06), (wall + 0.04, 0.80 * half, belt - 0.02))
        belt -= 0.03
    b.paint(PANEL).sheet([[(foot, -half, floor), (wall, -half, belt)], [(foot, half, floor), (wall, half, belt)]])


def _dashboard(b: Builder, g: Lines, wheel: tuple[float, float, float]) -> None:
    """Add the dashboard with vents, display and glove box."""
    top, near = float(g.shoulder(g.cowl)) + 0.02, wheel[0] + 0.14
    half = g.cabin_side(g.cowl - 0.25, 0.0)[1] - 0.03
    share = np.linspace(1.0, -1.0, 15)
    bend = 0.07 * np.abs(share) ** 3

    def line(x: float, z: float) -> Array:
        return np.column_stack((np.minimum(x + bend, g.cowl), half * share, np.full(15, z)))

    upper = ((g.cowl, top - 0.005), (near + 0.14, top + 0.012), (near + 0.05, top + 0.004), (near, top - 0.02), (near - 0.008, top - 0.045))
    lower = (
        (near + 0.006, top - 0.06),
        (near + 0.002, top - 0.12),
        (near + 0.02, top - 0.24),
        (near + 0.08, top - 0.32),
        (near + 0.2, top - 0.42),
    )
    b.paint(BLACK).sheet(np.stack([line(*p) for p in upper]), smooth=True)
    b.paint(TRIM).sheet(np.stack([line(near - 0.008, top - 0.045), line(near + 0.006, top - 0.06)]))
    b.paint(PANEL).sheet(np.stack([line(*p) for p in lower]), smooth=True)
    face = near - 0.010
    b.paint(METAL, 0.5).box((face, -0.135, top - 0.068), (face + 0.05, 0.135, top - 0.06))
    b.paint(SCREEN, 0.2).box((face + 0.012, -0.105, top - 0.05), (face + 0.05, 0.105, top + 0.05))
    for y in (-0.085, 0.085):
        _vent(b, face + 0.006, y, top - 0.10, 0.045)
    ends = half - 0.11
    for y in (ends, -ends):
        _vent(b, near + 0.042, y, top - 0.10, 0.045)
    b.paint(BLACK).box((face - 0.004, -0.12, top - 0.225), (face + 0.06, 0.12, top - 0.145))
    for y in (-0.08, 0.0, 0.08):
        b.paint(METAL, 0.6).revolve(
            [(-0.022, 0.0), (-0.022, 0.017), (0.0, 0.020)], 14, axis=0, center=(face - 0.004, y, top - 0.185), smooth=False
        )
    side = -math.copysign(1.0, wheel[1])
    b.paint(TRIM).box((near + 0.012, min(side * 0.20, side * 0.58), top - 0.135), (near + 0.03, max(side * 0.20, side * 0.58), top - 0.130))


def _vent(b: Builder, x: float, y: float, z: float, half: float) -> None:
    b.paint(METAL, 0.4).box((x - 0.006, y - half - 0.004, z - 0.024), (x + 0.05, y + half + 0.004, z + 0.024))
    b.paint(BLACK).box((x - 0.008, y - half, z - 0.020), (x + 0.05, y + half, z + 0.020))
    b.paint(TRIM)
    for level in (-0.01, 0.0, 0.01):
        b.box((x - 0.011, y - half, z + level - 0.002), (x, y + half, z + level + 0.002))


def _console(b: Builder, g: Lines, wheel: tuple[float, float, float]) -> None:
    """Add the console between the seats, with arm rest and cup holders."""
    head, seat, floor = float(g.size.head[0]), float(g.size.head[2]) - 0.66, float(g.z(0.16))
    front, top = wheel[0] + 0.20, float(g.shoulder(g.cowl)) + 0.02
    profile = (
        (front, top - 0.22, 0.13),
        (wheel[0] + 0.08, seat + 0.20, 0.115),
        (wheel[0] - 0.04, seat + 0.13, 0.10),
        (head - 0.02, seat + 0.11, 0.10),
    )
    rows = [
        [(x, h, floor), (x, h, z - 0.015), (x, h - 0.015, z), (x, 0.015 - h, z), (x, -h, z - 0.015), (x, -h, floor)] for x, z, h in profile
    ]
    b.paint(PANEL).sheet(np.array(rows))
    _slab(b.paint(BLACK), (head - 0.42, head - 0.02, 0.0, 0.10, floor), (head - 0.42, head - 0.02, 0.0, 0.10, seat + 0.11))
    _slab(b.paint(CLOTH), (head - 0.40, head - 0.06, 0.0, 0.095, seat + 0.11), (head - 0.39, head - 0.07, 0.0, 0.085, seat + 0.17))
    for y in (-0.045, 0.045):
        b.paint(BLACK).revolve(
            [(0.0, 0.036), (0.006, 0.036), (0.006, 0.0)], 16, axis=2, center=(head + 0.10, y, seat + 0.118), smooth=False
        )


def steering_wheel(bed: bool) -> Array:
    """Return the steering wheel: rim, spokes and hub; that of a pickup truck has four spokes and a larger hub."""
    b = Builder().paint(BLACK, 0.2)
    angle = np.linspace(0.0, 2.0 * math.pi, 41)
    b.tube(np.column_stack((0.0 * angle, 0.185 * np.cos(angle), 0.185 * np.sin(angle))), 0.015, 8)
    hub = 0.075 if bed else 0.062
    b.revolve([(-0.028, 0.0), (-0.022, 0.75 * hub), (-0.005, hub), (0.03, hub + 0.008), (0.09, 0.03)][::-1], 20, axis=0)
    b.paint(METAL, 0.4).revolve([(-0.031, 0.0), (-0.030, 0.014), (-0.02, 0.016)][::-1], 14, axis=0)
    b.paint(TRIM, 0.3)
    turns = (0.30, math.pi - 0.30, -1.1, math.pi + 1.1) if bed else (0.06, math.pi - 0.06, -0.5 * math.pi)
    for turn in turns:
        _spoke(b, turn, hub)
    return b.mesh()


def _spoke(b: Builder, turn: float, hub: float) -> None:
    """Add a flat spoke from the hub to the rim."""
    along, across = np.array((0.0, math.cos(turn), math.sin(turn))), np.array((0.0, -math.sin(turn), math.cos(turn)))
    points: list[Any] = []
    for depth in (0.008, -0.008):
        inner, outer = 0.8 * hub * along, 0.178 * along
        points += [
            p + (depth, 0.0, 0.0) for p in (inner - 0.026 * across, outer - 0.015 * across, outer + 0.015 * across, inner + 0.026 * across)
        ]
    b.hexahedron(points)
