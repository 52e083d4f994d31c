"""Generic passenger car and pickup truck, an original design, scaled to the vehicle; in chassis axes B."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.view.bodies.cabin import cabin, fittings, steering_wheel
from simulator.view.bodies.car_wheel import car_wheel
from simulator.view.bodies.contract import Body, Size
from simulator.view.bodies.lines import ARCH, Lines
from simulator.view.meshes import REVERSE_LAMP, STOP_LAMP, Builder, mirrored

BLACK, TRIM, METAL, FRAME, LAMP, RED, AMBER = (
    (24, 24, 26),
    (40, 41, 44),
    (120, 122, 124),
    (66, 67, 70),
    (236, 238, 240),
    (168, 22, 24),
    (224, 130, 34),
)
GLASS, INSIDE, LIGHT_INSIDE, PLATE = (26, 34, 42), (46, 46, 50), (120, 118, 112), (226, 226, 218)
HOOD, LID = 0.05, 0.04
"""m. Height of the middle of hood and trunk lid above their edges."""


def car(size: Size) -> Body:
    """Return a sedan."""
    return _body(Lines(size, (134, 146, 160), bed=False))


def pickup(size: Size) -> Body:
    """Return a light truck with an open bed."""
    return _body(Lines(size, (58, 84, 116), bed=True))


def _body(g: Lines) -> Body:
    head = g.size.head
    place = (float(head[0]) + 0.46, float(head[1]), float(head[2]) - 0.33)
    cab = np.array([head - 0.25, head + 0.25])
    return Body(
        _shell(g), fittings(g, place), _glass(g), _frame(g), steering_wheel(g.bed), place, 0.42, cab, car_wheel, g.paint, cabin(g, place)
    )


def _both(half: Builder) -> Builder:
    return Builder().add(half.mesh()).add(mirrored(half.mesh()))


def _shell(g: Lines) -> Array:
    half = Builder()
    _flank(half, g)
    _pillars(half, g)
    whole = _both(half)
    _decks(whole, g)
    _ends(whole, g)
    _roof(whole, g)
    return whole.mesh()


def _columns(g: Lines) -> Array:
    """Return the positions along the side with vertices: close together at the ends of the arches."""
    s = g.size
    radius, places = ARCH * s.radius, [np.linspace(g.corners(False), g.corners(True), 46)]
    for axle in s.axles:
        places.append(axle + radius * np.cos(np.linspace(0.0, math.pi, 17)))
    x = np.unique(np.concatenate(places))
    return x[(x >= g.corners(False)) & (x <= g.corners(True))]


def _flank(b: Builder, g: Lines) -> None:
    """Add the left side with its arches, and the dark wheel wells behind it."""
    x, share = _columns(g), np.linspace(0.0, 1.0, 8)[:, None]
    low, high = g.low(x), g.shoulder(x)
    z = low + share * (high - low)
    near_front, near_rear = (np.clip(1.0 - np.abs(x - end) / 0.25, 0.0, 1.0) ** 2 for end in (g.corners(True), g.corners(False)))
    half = g.side(x, z)
    along = x + near_front * (g.end(z, half, True) - (g.corners(True))) + near_rear * (g.end(z, half, False) - (g.corners(False)))
    b.paint(g.paint, 0.45).sheet(np.stack((along, half, z), axis=2)[:, ::-1], smooth=True)
    b.paint(BLACK)
    for axle in g.size.axles:
        angle = np.linspace(0.0, math.pi, 17)
        edge = np.column_stack(
            (axle + ARCH * g.size.radius * np.cos(angle), 0.0 * angle, g.size.center + ARCH * g.size.radius * np.sin(angle))
        )
        y = g.side(edge[:, 0], edge[:, 2])
        rim, inner = edge + np.outer(y - 0.004, [0, 1, 0]), edge + np.outer(np.full(17, 0.50 * g.size.half_width), [0, 1, 0])
        b.sheet(np.stack((rim, inner))).sheet(np.stack((inner, inner * [1.0, 1.0, 0.0] + [0.0, 0.0, g.size.center])))
    _side_details(b, g)


def _patch(g: Lines, b: Builder, x: tuple[float, float], z: tuple[Any, Any], out: float = 0.004) -> None:
    """Add a patch of the side's surface, `out` in front of it; z of its edges in B, numbers or one value per column."""
    columns = np.linspace(*x, 7)
    rows = np.stack([np.broadcast_to(z[0], 7), np.broadcast_to(z[1], 7)])
    b.sheet(np.stack((np.broadcast_to(columns, (2, 7)), g.side(columns, rows) + out, rows), axis=2)[:, ::-1], smooth=True)


def _side_details(b: Builder, g: Lines) -> None:
    front, rear, radius = g.size.axles[0], g.size.axles[-1], ARCH * g.size.radius
    sill = float(g.z(0.135))
    b.paint(TRIM)
    _patch(g, b, (rear + radius, front - radius), (sill - 0.03, sill + 0.035))
    doors = [g.cowl - 0.06, g.pillar] + ([] if g.bed else [max(g.pillar - 0.85, rear + 0.55 * radius)])
    for x in doors:
        _patch(g, b, (x - 0.004, x + 0.004), (max(sill + 0.04, float(g.low(x))), g.shoulder(x)), 0.002)
    for x in doors[1:]:
        b.paint(g.paint, 0.5)
        _patch(g, b, (x + 0.07, x + 0.25), (g.z(0.565), g.z(0.588)), 0.022)
        b.paint(TRIM)
    b.paint(AMBER, 0.5)
    _patch(g, b, (g.cowl + 0.05, g.cowl + 0.13), (g.z(0.49), g.z(0.51)), 0.006)


def _pillars(b: Builder, g: Lines) -> None:
    """Add the left side of the cabin around its windows."""
    b.paint(g.paint, 0.45)
    at = g.cabin_side
    top, end = 0.90, g.roof_end
    _facing(b, [at(g.cowl, 0.0), at(g.shield_top, 1.0), at(g.shield_top - 0.07, top), at(g.cowl - 0.10, 0.05), at(g.cowl - 0.12, 0.0)])
    strip = np.linspace(g.shield_top, end, 6)
    b.sheet([[at(x, top) for x in strip], [at(x, 1.0) for x in strip]])
    last = end + (0.04 if g.bed else 0.10)
    foot = g.back if g.bed else g.back + 0.34
    _facing(b, [at(last, top), at(end, 1.0), at(g.back, 0.0), at(foot, 0.0)])
    b.paint(TRIM)
    _facing(
        b,
        [
            at(g.pillar + 0.04, 0.0, 0.003),
            at(g.pillar + 0.04, top, 0.003),
            at(g.pillar - 0.04, top, 0.003),
            at(g.pillar - 0.04, 0.0, 0.003),
        ],
    )
    line = np.linspace(foot, g.cowl - 0.06, 8)
    b.sheet([[at(x, -0.01, 0.004) for x in line], [at(x, 0.05, 0.004) for x in line]][::-1])


def _facing(b: Builder, points: Any, outward: Any = (0.0, 1.0, 0.2)) -> None:
    """Add a flat polygon with its outside towards `outward`."""
    p = np.asarray(points, float)
    n = np.cross(p[1] - p[0], p[2] - p[0])
    b.polygon(p if n @ np.asarray(outward, float) > 0.0 else p[::-1])


def _deck(g: Lines, x: Array, crown: float, edge: float = 1.0) -> Array:
    """Return a lid (columns across, along x) from shoulder to shoulder, higher by `crown` in the middle."""
    across = np.array([-1.0, -0.9, -0.55, 0.0, 0.55, 0.9, 1.0])[:, None]
    z = g.shoulder(x)
    y = edge * across * g.side(x, z)
    return np.stack((np.broadcast_to(x, y.shape), y, z + crown * (1.0 - across**4)), axis=2)


def _decks(b: Builder, g: Lines) -> None:
    """Add the hood, and the lid of the trunk or the bed."""
    x = np.linspace(g.corners(True), g.cowl - 0.06, 12)
    hood = _deck(g, x, HOOD)
    front = np.clip(1.0 - np.abs(x - x[0]) / 0.25, 0.0, 1.0) ** 2
    hood[..., 0] += front * (g.end(hood[..., 2], hood[..., 1], True) - x[0])
    b.paint(g.paint, 0.45).sheet(hood, smooth=True)
    b.paint(BLACK).box(
        (g.cowl - 0.10, -0.80 * g.size.half_width, g.shoulder(g.cowl) - 0.02),
        (g.cowl + 0.03, 0.80 * g.size.half_width, g.shoulder(g.cowl) + 0.05),
    )
    if g.bed:
        _bed(b, g)
        return
    x = np.linspace(g.back + 0.02, g.corners(False), 8)
    lid = _deck(g, x, LID)
    rear = np.clip(1.0 - np.abs(x - x[-1]) / 0.25, 0.0, 1.0) ** 2
    lid[..., 0] += rear * (g.end(lid[..., 2], lid[..., 1], False) - x[-1])
    b.paint(g.paint, 0.45).sheet(lid, smooth=True)


def _bed(b: Builder, g: Lines) -> None:
    """Add an open bed: floor, inner walls, rails, tailgate, and the rear wall of the cab."""
    s = g.size
    rear, front = g.corners(False) + 0.03, g.back - 0.02
    rail = float(g.shoulder(0.5 * (rear + front)))
    floor, y = min(s.center + 0.9 * ARCH * s.radius, rail - 0.3), 0.80 * s.half_width
    b.paint(INSIDE).box((rear, -y, floor - 0.04), (front, y, floor))
    for side in (1.0, -1.0):
        b.paint(TRIM).box((rear, min(side * y, side * (y + 0.02)), floor), (front, max(side * y, side * (y + 0.02)), rail))
        edge = 0.96 * float(g.side(0.5 * (rear + front), rail))
        b.paint(g.paint, 0.3).box((rear, min(side * y, side * edge), rail - 0.02), (front, max(side * y, side * edge), rail + 0.012))
    b.paint(g.paint, 0.3).box((rear - 0.03, -y - 0.05, floor - 0.04), (rear + 0.03, y + 0.05, rail))
    at = [g.cabin_side(g.back, 0.0), g.cabin_side(g.roof_end, 1.0)]
    (x0, y0, z0), (x1, y1, z1) = at
    b.paint(g.paint, 0.3)
    _facing(b, [(x0, y0, floor), (x0, -y0, floor), (x0, -y0, z0), (x0, y0, z0)], (-1, 0, 0))
    _facing(b, [(x1, y1, z1), (x1, -y1, z1), (x1 - 0.02, -y1, z1 - 0.08), (x1 - 0.02, y1, z1 - 0.08)], (-1, 0, 0))


def _roof(b: Builder, g: Lines) -> None:
    across = np.array([-1.0, -0.93, -0.6, 0.0, 0.6, 0.93, 1.0])[:, None]
    x = np.linspace(g.shield_top, g.roof_end, 7)
    middle = 0.5 * (x[0] + x[-1])
    edge = np.array([g.cabin_side(v, 1.0)[2] for v in x])
    along = 1.0 - ((x - middle) / (0.5 * (x[0] - x[-1]))) ** 4
    rise = (float(g.z(1.0)) - edge) * (0.35 + 0.65 * along)
    z = edge + rise * (1.0 - across**4)
    grid = np.stack((np.broadcast_to(x, z.shape), np.broadcast_to(across * g.roof_half, z.shape), z), axis=2)
    b.paint(g.paint, 0.45).sheet(grid, smooth=True)
    b.paint(LIGHT_INSIDE).sheet((grid - [0.0, 0.0, 0.03])[::-1], smooth=True)


def _ends(b: Builder, g: Lines) -> None:
    """Add front and rear with lamps, grille, plates and bumpers."""
    for front in (True, False):
        x = g.corners(front)
        b.paint(g.paint, 0.45)
        crown = HOOD if front else 0.0 if g.bed else LID
        _on_end(b, g, front, (-1.0, 1.0), (float(g.low(x)), float(g.shoulder(x))), 0.0, crown)
        b.paint(TRIM)
        _on_end(b, g, front, (-0.92, 0.92), (g.z(0.125), g.z(0.20)), 0.012)
        b.paint(PLATE)
        _on_end(b, g, front, (-0.29, 0.29), (g.z(0.265), g.z(0.335)) if front else (g.z(0.47), g.z(0.54)), 0.014)
    top = float(g.shoulder(g.corners(True)))
    b.paint(BLACK)
    _on_end(b, g, True, (-0.80, 0.80), (g.z(0.205), g.z(0.262)), 0.006)
    for side in (1.0, -1.0):
        b.paint(BLACK)
        _on_end(b, g, True, _ordered(0.06 * side, 0.26 * side), (top - 0.115, top - 0.03), 0.010)
        b.paint(METAL, 0.6)
        for y in np.linspace(0.09, 0.23, 4):
            _on_end(b, g, True, _ordered((y - 0.006) * side, (y + 0.006) * side), (top - 0.112, top - 0.033), 0.016)
        b.paint(BLACK, 0.4)
        _on_end(b, g, True, _ordered(0.42 * side, 0.93 * side), (top - 0.13, top - 0.03), 0.008)
        for y in (0.54, 0.72):
            b.paint(LAMP, 0.9)
            _on_end(b, g, True, _ordered((y - 0.065) * side, (y + 0.065) * side), (top - 0.122, top - 0.042), 0.014)
        b.paint(AMBER, 0.6)
        _on_end(b, g, True, _ordered(0.85 * side, 0.92 * side), (top - 0.12, top - 0.04), 0.014)
        b.paint(RED, STOP_LAMP + 0.6)
        inner, lower = (0.87, 0.47) if g.bed else (0.56, 0.545)
        _on_end(b, g, False, _ordered(inner * side, 0.985 * side), (g.z(lower), g.z(0.635)), 0.010)
        b.paint(AMBER, 0.5)
        _on_end(b, g, False, _ordered(max(inner + 0.02, 0.80) * side, 0.97 * side), (g.z(0.595), g.z(0.628)), 0.016)
        b.paint(LAMP, REVERSE_LAMP + 0.6)
        left, right, level = (0.89, 0.97, 0.50) if g.bed else (0.60, 0.76, 0.595)
        _on_end(b, g, False, _ordered(left * side, right * side), (g.z(level), g.z(level + 0.033)), 0.016)
    b.paint(METAL, 0.5).tube(
        [(g.size.rear + 0.18, 0.55 * g.size.half_width, g.z(0.13)), (g.size.rear - 0.02, 0.55 * g.size.half_width, g.z(0.13))], 0.03, 10
    )


def _ordered(a: float, b: float) -> tuple[float, float]:
    return (a, b) if a < b else (b, a)


def _on_end(b: Builder, g: Lines, front: bool, across: tuple[float, float], z: tuple[Any, Any], out: float, crown: float = 0.0) -> None:
    """Add a patch of the front or rear surface, `out` in front of it; `across` in fractions of the half width there, z in B. Its upper edge
    is
    higher by `crown` in the middle."""
    share, level = np.linspace(*across, 15)[:, None], np.linspace(0.0, 1.0, 6)
    rows = float(z[0]) + level * (float(z[1]) - float(z[0]) + crown * (1.0 - share**4))
    corner = g.corners(front)
    y = share * g.side(corner, rows)
    x = g.end(rows, y, front) + (out if front else -out)
    grid = np.stack((x, y, rows), axis=2)
    b.sheet(grid if front else grid[::-1], smooth=True)


def _glass(g: Lines) -> Array:
    half = Builder().paint(GLASS, 1.0)
    at, top = g.cabin_side, 0.90
    _facing(
        half,
        [
            at(g.cowl - 0.14, 0.05, 0.002),
            at(g.shield_top - 0.08, top, 0.002),
            at(g.pillar + 0.04, top, 0.002),
            at(g.pillar + 0.04, 0.05, 0.002),
        ],
    )
    if not g.bed:
        last, foot = g.roof_end + 0.10, g.back + 0.34
        _facing(half, [at(g.pillar - 0.04, 0.05, 0.002), at(g.pillar - 0.04, top, 0.002), at(last, top, 0.002), at(foot, 0.05, 0.002)])
    whole = _both(half).paint(GLASS, 1.0)
    whole.sheet(_pane(g, g.cowl, g.shield_top, 0.10), smooth=True)
    whole.sheet(_pane(g, g.back, g.roof_end, 0.04 if g.bed else -0.10)[::-1], smooth=True)
    return whole.mesh()


def _pane(g: Lines, foot: float, head: float, bow: float) -> Array:
    """Return a curved pane across the car from the belt at x = foot to the roof at x = head."""
    across, up = np.linspace(-1.0, 1.0, 9)[:, None], np.linspace(0.02, 1.0, 5)
    low, high = np.array(g.cabin_side(foot, 0.0)), np.array(g.cabin_side(head, 1.0))
    y = across * (low[1] + up * (high[1] - low[1])) * 0.985
    x = low[0] + up * (high[0] - low[0]) + bow * (1.0 - across**2) * (1.0 - 0.6 * up)
    z = low[2] + up * (high[2] - low[2]) + 0.5 * (float(g.z(1.0)) - high[2]) * up * (1.0 - across**2)
    return np.stack((x, y, z), axis=2)


def _frame(g: Lines) -> Array:
    """Return the parts visible without the body: rails, cross members at the axles, engine sump, exhaust, final drives and shafts."""
    s, low = g.size, float(g.z(0.14))
    half = Builder().paint(FRAME)
    half.box((s.axles[-1] - 0.3, 0.36, low), (s.axles[0] + 0.45, 0.43, low + 0.09))
    for x in (s.axles[0], s.axles[-1]):
        half.box((x - 0.22, 0.20, low + 0.02), (x + 0.22, 0.36, low + 0.07))
    whole = _both(half).paint(FRAME)
    for x in (*s.axles, 0.5 * (s.axles[0] + s.axles[-1]), s.axles[0] + 0.40):
        whole.box((x - 0.05, -0.36, low + 0.01), (x + 0.05, 0.36, low + 0.08))
    rear, front = s.axles[-1], s.axles[0]
    for x in s.driven:
        whole.paint(METAL, 0.2).revolve(
            [(-0.16, 0.0), (-0.16, 0.06), (-0.07, 0.11), (0.07, 0.11), (0.16, 0.06), (0.16, 0.0)], 14, center=(x, 0.0, s.center + 0.03)
        )
    whole.paint(METAL, 0.1).box((front - 0.30, -0.14, s.center + 0.02), (front + 0.18, 0.14, s.center + 0.22))
    whole.paint(FRAME).box((front - 0.28, -0.09, s.center + 0.22), (front + 0.16, 0.09, s.center + 0.30))
    for x in s.driven:
        if x < front:
            whole.paint(METAL, 0.2).tube([(front - 0.35, 0.0, s.center + 0.08), (x, 0.0, s.center + 0.03)], 0.035)
    whole.paint(TRIM).tube([(front - 0.2, -0.16, low + 0.06), (rear - 0.25, -0.24, low + 0.06), (s.rear + 0.3, -0.3, low + 0.08)], 0.03)
    return whole.mesh()
