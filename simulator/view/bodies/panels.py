"""Sheet metal and panes of a generic car: lofted panels along the curves of `Lines`."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.view.bodies.colors import BLACK, GLASS, INSIDE, LIGHT_INSIDE, METAL, TRIM
from simulator.view.bodies.lines import ARCH, ARCH_COUNT, ROUND_UP, SILL, Lines, arch_points, blended, crown
from simulator.view.meshes import Builder, mirrored

PAINTWORK = 0.7
"""Gloss of paint"""
HOOD, LID, ROOF = 0.030, 0.020, 0.030
"""m. Height of the middle of the panels above the surface between their edges"""
GAP = 0.004
"""m. Half width of the gaps around doors and lids"""
STEP = 1e-4
"""m. Distance of the two columns at each end of an arch, between which its edge rises from the sill"""
_LEVELS = (0.0, 0.06, 0.14, 0.30, 0.46, 0.60, 0.68, 0.71, 0.85, 1.0)
"""Rows of the sides, as in `Lines.level`"""
_ROUND = (0.35, 0.7, 0.92, 1.0)
"""Rows of the rounding above the shoulder, as fractions of its height"""
_UP = (0.0, 0.055, 0.2, 0.45, 0.7, 0.9, 1.0)
"""Rows of the cabin; the second to the last but one bound the windows"""
_FAN = np.linspace(0.0, np.pi, ARCH_COUNT)
"""rad. Directions of the points of an arch"""
_BODY, _PANE, _PILLAR = range(3)


def both_sides(half: Builder) -> Builder:
    """Return a left half with its mirror image."""
    return Builder().add(half.mesh()).add(mirrored(half.mesh()))


def shell(g: Lines) -> tuple[Array, Array, Array]:
    """Return the sheet metal, the panes and the lining."""
    half, panes, inside = Builder(), Builder().paint(GLASS, 1.0), Builder().paint(LIGHT_INSIDE)
    _sides(half, g)
    _arches(half, g)
    _cabin(half, panes, inside, g)
    whole = both_sides(half)
    _hood(whole, g)
    lining = both_sides(inside).paint(LIGHT_INSIDE)
    _roof(whole, lining, g)
    if g.bed:
        _bed(whole, g)
    else:
        _lid(whole, g)
    _cowl(whole, g)
    return whole.mesh(), both_sides(panes).mesh(), lining.mesh()


def patch(b: Builder, g: Lines, t: Any, z: tuple[Any, Any], out: float = 0.004, rows: int = 2) -> Builder:
    """Add a patch of the body below the shoulder, `out` in front of it: t of its columns, z of its lower and upper edge in B."""
    t = np.asarray(t, float)
    level = np.linspace(0.0, 1.0, rows)[:, None]
    height = (1.0 - level) * np.broadcast_to(z[0], t.shape) + level * np.broadcast_to(z[1], t.shape)
    at = np.broadcast_to(t, height.shape)
    return b.sheet(g.surface(at, height, out)[::-1], normals=g.normals(at, height)[::-1])


def door_lines(g: Lines) -> list[float]:
    """Return x of the gaps of the doors on a side, from the front."""
    rear = max(g.pillar - 0.85, g.size.axles[-1] + 0.55 * ARCH * g.size.radius)
    return [g.cowl - 0.10, g.pillar] + ([rear] if g.style.doors == 2 else [])


def _columns(g: Lines) -> Array:
    """Return t of the columns of the sides: close together at the ends of the arches, around gaps and at the corners."""
    s, radius = g.size, ARCH * g.size.radius
    x = [line + side * GAP for line in door_lines(g) for side in (1.0, -1.0)]
    for axle in s.axles:
        x += [*(axle + radius * np.cos(np.linspace(0.0, np.pi, ARCH_COUNT))), axle + radius + STEP, axle - radius - STEP]
    ends = [g.t_of_y(np.linspace(0.0, 0.94, 10), front) for front in (True, False)]
    middle = np.arange(float(g.t_of_x(s.front - 0.3)), float(g.t_of_x(s.rear + 0.3)), 0.2)
    return np.unique(np.round(np.concatenate((*ends, middle, g.t_of_x(x))), 7))


def _sides(b: Builder, g: Lines) -> None:
    """Add the left half of the body below the lids, around nose, side and tail."""
    t = _columns(g)
    x = g.plan(t)[:, 0]
    z = np.vstack((g.level(t, np.array(_LEVELS)[:, None]), g.shoulder(x) + ROUND_UP * np.array(_ROUND)[:, None]))
    z = np.maximum(z, g.low(x))
    at = np.broadcast_to(t, z.shape)
    points, normals = g.surface(at, z), g.normals(at, z)
    gaps = np.zeros(z[1:, 1:].shape, bool)
    for line in door_lines(g):
        gaps |= (np.abs(0.5 * (x[1:] + x[:-1]) - line) < GAP) & (np.arange(len(z) - 1) >= 1)[:, None] & (np.abs(np.diff(x)) < 3.0 * GAP)
    skirt = np.zeros_like(gaps)
    skirt[0] = True
    solid = (np.diff(x) < -1.5 * STEP) | (np.minimum(z[1:, 1:], z[1:, :-1]) > g.size.center + 1e-6)
    for color, gloss, keep in ((g.paint, PAINTWORK, ~gaps & ~skirt & solid), (TRIM, 0.1, skirt & solid), (BLACK, 0.0, gaps)):
        b.paint(color, gloss).sheet(points[::-1], normals=normals[::-1], keep=keep[::-1])
    lower = points[0] * [1.0, 0.0, 1.0] + points[0] * [0.0, 0.85, 0.0]
    under = (x < g.size.axles[0] - ARCH * g.size.radius) & (x > g.size.axles[-1] + ARCH * g.size.radius)
    b.paint(BLACK).sheet(np.stack((lower[under], points[0][under])))


def _arches(b: Builder, g: Lines) -> None:
    """Add the lips of the left arches, and the dark wheel wells behind them."""
    for axle in g.size.axles:
        edge = arch_points(axle, g.size)
        t = g.t_of_x(edge[:, 0])
        rim = g.surface(t, edge[:, 1])
        rim[:, 0] = edge[:, 0]
        if g.style.clad:
            outer = arch_points(axle, g.size)
            outer = (outer - [axle, g.size.center]) * (1.0 + 0.05 / (ARCH * g.size.radius)) + [axle, g.size.center]
            wide = g.surface(g.t_of_x(outer[:, 0]), outer[:, 1], 0.006)
            b.paint(TRIM, 0.05).sheet(np.stack((rim + [0.0, 0.022, 0.0], wide)))
            b.sheet(np.stack((rim, rim + [0.0, 0.022, 0.0])))
        else:
            lip = rim + [0.0, -0.003, 0.0] + 0.008 * np.column_stack((np.cos(_FAN), 0.0 * _FAN, np.sin(_FAN)))
            b.paint(g.paint, PAINTWORK).tube(lip, 0.008, 4)
        inner = rim * [1.0, 0.0, 1.0] + [0.0, 0.50 * g.size.half_width, 0.0]
        b.paint(BLACK).sheet(np.stack((rim - [0.0, 0.004, 0.0], inner))[::-1])
        b.sheet(np.stack((inner, inner * [1.0, 1.0, 0.0] + [0.0, 0.0, g.size.center]))[::-1])


def _cabin(b: Builder, panes: Builder, inside: Builder, g: Lines) -> None:
    """Add the left half of the cabin above the belt with openings for its windows, the panes in them, and the lining."""
    low, high, kind = _posts(g)
    up = np.array(_UP)[:, None, None]
    points = low + up * (high - low)
    side = np.clip(np.abs(low[:, 1]) / low[:, 1].max(), 0.0, 1.0) ** 2
    bulge = 4.0 * up[..., 0] * (1.0 - up[..., 0])
    points[..., 1] += bulge * 0.0875 * (low[:, 1] - high[:, 1]) * side
    points[..., 0] += bulge * np.where(low[:, 0] > g.pillar, 0.02, -0.02) * (1.0 - side)
    normals = np.cross(np.gradient(points, axis=1), np.gradient(points, axis=0))
    normals[:, [0, -1], 1] = 0.0
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    points, normals = points[::-1], normals[::-1]
    window = np.zeros((len(_UP) - 1, 1), bool)
    window[1:-1] = True
    window = window[::-1]
    glass, pillar = window & (kind == _PANE), window & (kind == _PILLAR)
    belt = np.zeros_like(window)
    belt[-1] = True
    belt = belt & (low[1:, 1] > 0.99 * low[:-1, 1].max() * 0.9)
    b.paint(g.paint, PAINTWORK).sheet(points, normals=normals, keep=~glass & ~pillar & ~belt)
    b.paint(BLACK, 0.6).sheet(points, normals=normals, keep=(pillar | belt) & ~glass)
    panes.sheet(points - 0.004 * normals, normals=normals, keep=glass)
    lining = (points - 0.025 * normals)[:, ::-1]
    inside.sheet(lining, normals=-normals[:, ::-1], keep=(~glass & ~belt)[:, ::-1])


def _posts(g: Lines) -> tuple[Array, Array, Array]:
    """Return the lower and the upper ends (n, 3) of the columns of the cabin, from the middle of the windshield around the left side to the
    middle of the rear window, and the kind (n - 1,) of the sheets between them."""
    rear_side = _BODY if g.style.panel_van else _PANE
    corner, last = (0.08, 0.07), (0.05 if g.bed else 0.10)
    foot = g.back + (0.06 if g.style.rear_upright or g.bed else 0.30)
    side: list[tuple[float, float, int, int]] = [
        (g.cowl - corner[0], g.shield_top - corner[1], _BODY, 1),
        (g.pillar + 0.045, g.pillar + 0.045, _PANE, 6),
        (g.pillar - 0.045, g.pillar - 0.045, _PILLAR, 1),
    ]
    if not g.bed:
        middle = door_lines(g)[-1] if g.style.doors == 2 else g.pillar - 0.9
        if g.style.rear_upright and middle - 0.45 > foot:
            side += [(middle, middle, rear_side, 4), (middle - 0.07, middle - 0.07, _PILLAR if rear_side == _PANE else _BODY, 1)]
        side += [(foot, g.roof_end + last, rear_side, 4)]
    side += [(g.back, g.roof_end, _BODY, 2)]
    x, kind = [(g.cowl, g.shield_top)], []
    for low_x, high_x, what, steps in side:
        start = x[-1]
        x += [(start[0] + k / steps * (low_x - start[0]), start[1] + k / steps * (high_x - start[1])) for k in range(1, steps + 1)]
        kind += [what] * steps
    pairs = np.array(x)
    low, high = g.cabin(pairs[:, 0], pairs[:, 1], 0.0), g.cabin(pairs[:, 0], pairs[:, 1], 1.0)
    share = np.array([0.0, 0.2, 0.4, 0.6, 0.78, 0.95])
    shield = _shield_edges(g, share, True)
    tail = _shield_edges(g, share[::-1], False)
    rear_kind = [_BODY, *([_BODY if g.style.panel_van else _PANE] * 5)]
    kinds = np.array([*([_PANE] * 5), _BODY, *kind, *rear_kind])
    return np.vstack((shield[0], low, tail[0])), np.vstack((shield[1], high, tail[1])), kinds


def _shield_edges(g: Lines, share: Any, front: bool) -> tuple[Array, Array]:
    """Return the lower and the upper edge (n, 3) of windshield or rear window at fractions of their half width."""
    a = np.asarray(share, float)
    out = []
    ends = ((g.cowl, 0.0, 0.14, 0.035), (g.shield_top, 1.0, 0.06, 0.030)) if front else (
        (g.back, 0.0, -0.05 if g.style.rear_upright or g.bed else -0.12, 0.022), (g.roof_end, 1.0, -0.04, 0.030))  # fmt: skip
    for x, up, bow, rise in ends:
        corner = g.cabin(x, x, up)
        out.append(np.stack((corner[0] + bow * (1.0 - a**2), a * corner[1], corner[2] + rise * (1.0 - a**2)), axis=-1))
    return out[0], out[1]


_ACROSS = np.array([-1.0, -0.93, -0.78, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.78, 0.93, 1.0])


def _hood(b: Builder, g: Lines) -> None:
    """Add the hood between windshield, fenders and nose."""
    corner = float(g.t_of_y(0.74, True))
    t = np.linspace(float(g.t_of_x(g.cowl)), corner, 14)
    left = g.rail(t)
    front = g.rail(np.interp(np.abs(_ACROSS), [0.0, 1.0], [0.0, corner]))
    front[:, 1] *= np.sign(_ACROSS)
    grid = crown(blended(front, _shield_edges(g, _ACROSS, True)[0], left, left * [1.0, -1.0, 1.0]), HOOD)
    u = np.linspace(0.0, 1.0, 14)[:, None]
    grid[..., 2] += 0.012 * np.exp(-(((np.abs(_ACROSS) - 0.6) / 0.14) ** 2)) * np.sin(np.pi * np.minimum(u * 1.2, 1.0))
    _lid_with_gaps(b, g, grid)


def _lid(b: Builder, g: Lines) -> None:
    """Add the lid of the trunk, or the sill below the window of a tailgate."""
    corner = float(g.t_of_y(0.74, False))
    rows = 3 if g.style.rear_upright else 9
    t = np.linspace(corner, float(g.t_of_x(g.back)), rows)
    left = g.rail(t)
    rear = g.rail(np.interp(np.abs(_ACROSS), [0.0, 1.0], [g.end_of_plan, corner]))
    rear[:, 1] *= np.sign(_ACROSS)
    grid = blended(_shield_edges(g, _ACROSS, False)[0], rear, left, left * [1.0, -1.0, 1.0])
    _lid_with_gaps(b, g, grid if g.style.rear_upright else crown(grid, LID), gaps=not g.style.rear_upright)


def _lid_with_gaps(b: Builder, g: Lines, grid: Array, gaps: bool = True) -> None:
    """Add a lid with a smooth surface; its gaps are dark strips along its sides."""
    b.paint(g.paint, PAINTWORK).sheet(grid, smooth=True)
    if not gaps:
        return
    b.paint(BLACK)
    for k, inward in ((-2, -1), (1, 1)):
        line = grid[:, k] + [0.0, 0.0, 0.0015]
        strip = 2.0 * GAP * np.array([0.0, inward, 0.0])
        edges = (line, line + strip) if inward > 0 else (line + strip, line)
        b.sheet(np.stack(edges, axis=1))


def _roof(b: Builder, lining: Builder, g: Lines) -> None:
    """Add the roof with its lining, and the antenna."""
    u = np.linspace(0.0, 1.0, 11)
    left = g.roof_edge(g.roof_end + u * (g.shield_top - g.roof_end))
    grid = blended(_shield_edges(g, _ACROSS, True)[1], _shield_edges(g, _ACROSS, False)[1], left, left * [1.0, -1.0, 1.0])
    missing = float(g.z(1.0)) - float(grid[5, 6, 2])
    grid = crown(grid, max(missing, ROOF), 2.6)
    b.paint(g.paint, PAINTWORK).sheet(grid, smooth=True)
    lining.sheet((grid - [0.0, 0.0, 0.03])[::-1], smooth=True)
    x, _, z = grid[1, 6]
    b.paint(g.paint, PAINTWORK).hexahedron([
        (x - 0.07, -0.022, z - 0.01), (x + 0.09, -0.012, z - 0.01), (x + 0.09, 0.012, z - 0.01), (x - 0.07, 0.022, z - 0.01),
        (x - 0.07, -0.006, z + 0.055), (x - 0.03, -0.004, z + 0.045), (x - 0.03, 0.004, z + 0.045), (x - 0.07, 0.006, z + 0.055),
    ])  # fmt: skip
    if g.style.clad or (g.style.rear_upright and not g.style.panel_van):
        for side in (1.0, -1.0):
            rail = left[2:-2] * [1.0, 0.86 * side, 1.0] + [0.0, 0.0, 0.055]
            ends = [rail[0] - [0.06, 0.0, 0.05], rail[-1] + [0.06, 0.0, -0.05]]
            b.paint(METAL, 0.5).tube(np.vstack((ends[0], rail, ends[1])), 0.014, 6)


def _cowl(b: Builder, g: Lines) -> None:
    """Add wipers, the dark firewall below the windshield, and the engine bay."""
    edge, top = _shield_edges(g, np.linspace(-1.0, 1.0, 9), True)
    up = 0.03
    b.paint(BLACK).sheet(np.stack((edge - [0.06, 0.0, 0.35], edge - [0.06, 0.0, 0.02])))
    s, low = g.size, float(g.z(SILL))
    b.box((g.cowl - 0.2, -0.5 * s.half_width, low), (s.front - 0.22, 0.5 * s.half_width, float(g.z(0.40))))
    b.box((s.front - 0.42, -0.74 * s.half_width, low), (s.front - 0.22, 0.74 * s.half_width, low + 0.02))
    for start, end in ((2, 6), (5, 8)):
        foot, tip = edge[start], edge[end - 1] + up * (top[end - 1] - edge[end - 1])
        line = np.array([foot + [0.05, 0.0, 0.012], 0.5 * (foot + tip) + [0.065, 0.0, 0.02], tip + [0.03, 0.0, 0.012]])
        b.tube(line, 0.007, 5)


def _bed(b: Builder, g: Lines) -> None:
    """Add an open bed: inner walls below the rails, floor, wheel boxes, and the rear wall of the cab."""
    s = g.size
    t = np.linspace(float(g.t_of_x(g.back)), g.end_of_plan, 24)
    rail = g.rail(t)
    floor = min(s.center + ARCH * s.radius + 0.01, float(rail[0, 2]) - 0.3)
    inner = rail * [1.0, 0.96, 1.0] + [0.03, 0.0, 0.0] * (t[:, None] > float(g.t_of_x(g.tail + 0.12)))
    walls = Builder().paint(TRIM, 0.05).sheet(np.stack((rail + [0.0, 0.0, 0.003], inner + [0.0, 0.0, 0.003]))[:, ::-1])
    walls.paint(g.paint, 0.2).sheet(np.stack((inner, inner * [1.0, 1.0, 0.0] + [0.0, 0.0, floor]))[:, ::-1])
    b.add(both_sides(walls).mesh())
    y = 0.80 * s.half_width
    b.paint(INSIDE).box((g.tail + 0.06, -y, floor - 0.04), (g.back, y, floor))
    b.paint(TRIM)
    for at in np.linspace(-0.8 * y, 0.8 * y, 9):
        b.box((g.tail + 0.08, at - 0.02, floor), (g.back - 0.03, at + 0.02, floor + 0.012))
    x0, y0, z0 = g.cabin_side(g.back, 0.0)
    b.paint(g.paint, 0.3).polygon([(x0, y0, floor), (x0, y0, z0 + 0.01), (x0, -y0, z0 + 0.01), (x0, -y0, floor)])
    edge = _shield_edges(g, np.linspace(1.0, -1.0, 9), False)[0]
    b.sheet(np.stack((edge, edge * [0.0, 1.0, 0.0] + [x0, 0.0, z0 - 0.02]), axis=0)[::-1])
