"""Houses: walls with windows, roofs, balconies, chimneys. No OpenGL here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.dressings.pieces import FRONT, PANES, ROOF, TINTED, WALL, Dressed, Look, Piece, bottoms, boxes, chance
from simulator.view.meshes import Builder
from simulator.view.object_data import ObjectData

BRICK, PLASTER, CONCRETE, GLASS = range(4)
"""Styles of a wall, as in the shader `dressed`."""
CELL = np.array([2.2, 2.7, 3.2, 1.6])
"""m. Width of a wall with one window, by style; less than 10"""
FLOOR = 3.0
"""m. Height of a floor"""
LOWEST, NARROWEST = 2.4, 3.0
"""m. Lower or narrower boxes are walls or grandstands, not houses."""
EAVES, FOOT = 0.35, 0.6
"""m. Roof beyond the walls, and wall below the box, for ground that falls"""
THICK, BALCONY = 0.16, 0.38
"""m. Thickness of a roof, and depth of a balcony in front of its wall"""
TILES = np.array([(0.58, 0.29, 0.20), (0.50, 0.24, 0.18), (0.33, 0.33, 0.36), (0.42, 0.30, 0.24)])
"""sRGB colors of pitched roofs"""
TILED, MASONRY, BOARD, BITUMEN, RIDGE = 1.0, 2.0, 3.0, 4.0, 10.0
"""Kinds of surfaces of a roof; + RIDGE for the ridge of a hip roof"""


def houses(data: ObjectData, free: NDArray[np.bool_]) -> Dressed:
    """Dress upright boxes with the label building."""
    chosen = free & boxes(data, "building", (NARROWEST, NARROWEST, LOWEST), (1e3, 1e3, 1e3)) & (data.R_WO[:, 2, 2] > 0.99)
    rows = np.flatnonzero(chosen)
    size, color, foot = data.half_O[rows], data.color[rows].astype(float), bottoms(data, rows)
    floors = np.maximum(np.round(2.0 * size[:, 2] / FLOOR), 1.0)
    style, seed = _styles(rows, color, floors), chance(rows, 1)
    walls = size * [1.0, 1.0, 2.0]
    extra, glass = style + CELL[style] / 10.0, style == GLASS
    pieces = [
        Piece(look, rows[some], foot[some], walls[some], color[some], seed[some], extra[some])
        for look, some in (("panes", glass), ("front", ~glass), ("walls", ~glass))
    ]
    pitched = (floors <= 3) & (size[:, :2].min(axis=1) < 8.0) & (style != GLASS) & (seed < 0.8)
    pieces += _pitched_roofs(rows[pitched], size[pitched], foot[pitched], color[pitched])
    pieces += _flat_roofs(rows[~pitched], size[~pitched], foot[~pitched], color[~pitched])
    pieces += _balconies(rows, walls, foot, style, floors)
    return Dressed(chosen, pieces)


def _styles(rows: NDArray[np.int64], color: Array, floors: Array) -> NDArray[np.int64]:
    """Return the style of each house: red is brick, gray is concrete, others are plaster; some high ones are of glass."""
    red = color[:, 0] > 1.35 * color[:, 2]
    gray = (np.ptp(color, axis=1) < 0.12) & (color.mean(axis=1) < 0.7)
    style = np.where(red & (color[:, 1] < 0.75 * color[:, 0]), BRICK, np.where(gray, CONCRETE, PLASTER))
    return np.where((floors >= 5) & (chance(rows, 2) < 0.45) & (style != BRICK), GLASS, style)


def _pitched_roofs(rows: NDArray[np.int64], size: Array, foot: Array, color: Array) -> list[Piece]:
    """Return gable and hip roofs along the longer side, and chimneys."""
    across = size[:, 1] > size[:, 0]
    long, short = size[:, :2].max(axis=1), size[:, :2].min(axis=1)
    rise = (short + EAVES) * (0.55 + 0.25 * chance(rows, 3))
    factors = np.column_stack((long + EAVES, short + EAVES, rise))
    top = foot + np.column_stack((0.0 * rise, 0.0 * rise, 2.0 * size[:, 2] - EAVES * rise / (short + EAVES)))
    tiles = TILES[(chance(rows, 4) * len(TILES)).astype(int)]
    hip = chance(rows, 5) < 0.4
    turn = np.where(across, 0.5 * np.pi, 0.0)
    pieces = [
        Piece(look, rows[some], top[some], factors[some], tint[some], chance(rows[some], 6), 0.0, turn[some])
        for look, some, tint in (("hip", hip, tiles), ("gable", ~hip, tiles), ("gable_walls", ~hip, color))
    ]
    side = np.where(chance(rows, 7) < 0.5, -0.45, 0.45)
    along = np.where(across[:, None], [0.0, 1.0], [1.0, 0.0]) * (side * (long - 0.8 * short))[:, None]
    place = top + np.column_stack((along, rise - 0.7))
    return [*pieces, Piece("chimney", rows, place, (0.3, 0.3, 1.5), (0.50, 0.30, 0.24))]


def _flat_roofs(rows: NDArray[np.int64], size: Array, foot: Array, color: Array) -> list[Piece]:
    """Return parapets, and a box or two on each roof."""
    top = foot + 2.0 * size * [0.0, 0.0, 1.0]
    pieces = [Piece("flat", rows, top, np.column_stack((size[:, :2], np.ones(len(rows)))), color, chance(rows, 6))]
    for k, (wide, high) in enumerate(((1.3, 2.2), (0.7, 1.0))):
        place = (np.column_stack((chance(rows, 8 + k), chance(rows, 10 + k))) - 0.5) * 1.2 * np.maximum(size[:, :2] - wide - 0.4, 0.0)
        pieces.append(
            Piece("roof_box", rows, top + np.column_stack((place, np.full(len(rows), 0.05))), (wide, wide, high), (0.62, 0.62, 0.61))
        )
    return pieces


def _balconies(rows: NDArray[np.int64], walls: Array, foot: Array, style: NDArray[np.int64], floors: Array) -> list[Piece]:
    """Return balconies at the front and rear of some houses, each below a window of the shader."""
    pieces = []
    for k in np.flatnonzero((floors >= 3) & ((style == PLASTER) | (style == CONCRETE)) & (chance(rows, 12) < 0.6)):
        wide = 2.0 * walls[k, 0]
        count = max(int((wide - 0.5) / CELL[style[k]]), 1)
        cell, high = wide / count, walls[k, 2] / floors[k]
        column, floor = (
            a.ravel() for a in np.meshgrid(np.arange(chance(rows[k : k + 1], 13)[0] > 0.5, count, 2), np.arange(1, int(floors[k])))
        )
        x, z = (column + 0.5) * cell - walls[k, 0], floor * high + 0.05
        for side in (-1.0, 1.0):
            place = foot[k] + np.column_stack((x, np.full(len(x), side * walls[k, 1]), z))
            pieces.append(Piece("balcony", np.full(len(x), rows[k]), place, (0.42 * cell, BALCONY, 1.0), (0.8, 0.8, 0.78)))
    return pieces


def looks() -> dict[str, Look]:
    """Return the looks of houses by name."""
    ring = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    walls = [
        _face(MASONRY, (0.5 * (a + c), 0.5 * (b + d), 0), [(a, b, 0, 0, 0, -FOOT), (c, d, 0, 0, 0, -FOOT), (c, d, 1), (a, b, 1)])
        for (a, b), (c, d) in zip(ring, ring[1:] + ring[:1], strict=True)
    ]
    box = Builder().paint((255, 255, 255), TINTED).box((-1.0, -1.0, 0.0), (1.0, 1.0, 1.0)).mesh()
    return {
        "walls": Look((np.vstack(walls[1:]),), program=WALL),
        "front": Look((walls[0],), program=FRONT),
        "panes": Look((np.vstack(walls),), program=PANES),
        "gable": Look((_gable(),), program=ROOF),
        "gable_walls": Look((_gables(),), program=ROOF),
        "hip": Look((_hip(),), program=ROOF),
        "flat": Look((_parapet(False), _parapet(True)), (0.12,), program=ROOF, smallest=0.01),
        "chimney": Look((_chimney(),), smallest=0.01),
        "roof_box": Look((box,), smallest=0.012),
        "balcony": Look((_balcony(False), _balcony(True)), (0.04,), smallest=0.02),
    }


def _face(kind: float, normal: Sequence[float], corners: Sequence[Sequence[float]]) -> Array:
    """Return a convex polygon of a roof, counterclockwise from the outside.

    normal : direction in which it faces, in units of the mesh
    corners : (n, 3) in units of the mesh, or (n, 6) with a shift [m]
    """
    points = np.array([[*one, 0.0, 0.0, 0.0][:6] for one in corners], float)
    order = [k for n in range(1, len(points) - 1) for k in (0, n, n + 1)]
    out = np.zeros((len(order), 10))
    out[:, :3], out[:, 3:6], out[:, 6:9], out[:, 9] = points[order, :3], normal, points[order, 3:], kind
    return out


def _eaves(kind: float) -> Array:
    """Return the boards along the lower edges of a roof, and what is below the eaves."""
    ring = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    faces = [_face(BOARD, (0, 0, -1), [(x, y, 0, 0, 0, -THICK) for x, y in reversed(ring)])]
    for (a, b), (c, d) in zip(ring, ring[1:] + ring[:1], strict=True):
        normal = (0.5 * (a + c), 0.5 * (b + d), 0)
        faces.append(_face(kind, normal, [(a, b, 0, 0, 0, -THICK), (c, d, 0, 0, 0, -THICK), (c, d, 0), (a, b, 0)]))
    return np.vstack(faces)


def _gable() -> Array:
    """Return a gable roof with its ridge along x."""
    slopes = [_face(TILED, (0, s, 1), [(-s, s, 0), (-s, 0, 1), (s, 0, 1), (s, s, 0)]) for s in (-1, 1)]
    verges = [
        _face(BOARD, (x, 0, 0), [(x, -s, 0, 0, 0, -THICK), (x, -s, 0), (x, 0, 1), (x, 0, 1, 0, 0, -THICK)][:: -s * x])
        for x in (-1, 1) for s in (-1, 1)
    ]  # fmt: skip
    return np.vstack((*slopes, *verges, _eaves(BOARD)))


def _gables() -> Array:
    """Return the walls below the ends of a gable roof, set back by the eaves."""
    return np.vstack([
        _face(MASONRY, (x, 0, 0), [(x, -x, 0, -EAVES * x, 0, -0.05), (x, x, 0, -EAVES * x, 0, -0.05), (x, 0, 1, -EAVES * x, 0, -0.05)]) for x in (-1, 1)
    ])  # fmt: skip


def _hip() -> Array:
    """Return a hip roof with its ridge along x."""
    r = RIDGE + TILED
    parts = []
    for s in (-1, 1):
        long = _face(TILED, (0, s, 1), [(-s, s, 0), (-s, 0, 1), (s, 0, 1), (s, s, 0)])
        end = _face(TILED, (s, 0, 1), [(s, -s, 0), (s, s, 0), (s, 0, 1)])
        for mesh in (long, end):
            mesh[mesh[:, 2] > 0.5, 9] = r
        parts += [long, end]
    return np.vstack((*parts, _eaves(BOARD)))


def _parapet(fine: bool) -> Array:
    """Return the parapet and the top of a flat roof."""
    ring, high, wide = [(-1, -1), (1, -1), (1, 1), (-1, 1)], 0.5, 0.25
    faces = [_face(BITUMEN, (0, 0, 1), [(x, y, 0, 0, 0, 0.05 if fine else high) for x, y in ring])]
    for (a, b), (c, d) in zip(ring, ring[1:] + ring[:1], strict=True):
        out, back = (0.5 * (a + c), 0.5 * (b + d), 0), (-0.5 * (a + c), -0.5 * (b + d), 0)
        inner = [(c, d, 0, -c * wide, -d * wide, 0.0), (a, b, 0, -a * wide, -b * wide, 0.0)]
        faces.append(_face(MASONRY, out, [(a, b, 0), (c, d, 0), (c, d, 0, 0, 0, high), (a, b, 0, 0, 0, high)]))
        if not fine:
            continue
        faces.append(_face(MASONRY, back, [*inner, (a, b, 0, -a * wide, -b * wide, high), (c, d, 0, -c * wide, -d * wide, high)]))
        over = [(x, y, 0, 0.05 * x, 0.05 * y, z) for x, y, z in ((a, b, high), (c, d, high))]
        faces.append(_face(BOARD, (0, 0, 1), [*over, (c, d, 0, -c * wide, -d * wide, high), (a, b, 0, -a * wide, -b * wide, high)]))
        faces.append(_face(BOARD, out, [*[(*one[:5], high - 0.08) for one in over], *over[::-1]]))
    return np.vstack(faces)


def _chimney() -> Array:
    b = Builder().paint((255, 255, 255), TINTED).box((-1, -1, 0), (1, 1, 0.9))
    b.paint((150, 148, 144)).box((-1.2, -1.2, 0.9), (1.2, 1.2, 0.96))
    return b.paint((110, 60, 45)).box((-0.5, -0.5, 0.96), (0.5, 0.5, 1.12)).mesh()


def _balcony(fine: bool) -> Array:
    """Return a shallow balcony about the plane of the wall."""
    b = Builder().paint((255, 255, 255), TINTED).box((-1, -1, -0.12), (1, 1, 0.0))
    if not fine:
        return b.paint((70, 72, 75)).box((-1, -1, 0.0), (1, 1, 0.95)).mesh()
    b.paint((62, 64, 66), 0.3).box((-1, -1, 0.92), (1, 1, 0.97))
    for x in np.linspace(-0.97, 0.97, 15):
        b.box((x - 0.012, -1.0, 0.0), (x + 0.012, 1.0, 0.92))
    return b.mesh()
