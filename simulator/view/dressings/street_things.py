"""Things beside a road: lamps, posts, barriers, fences, cones, barrels, curbs and rocks. No OpenGL here."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.dressings.pieces import GLOWS, NETTING, ROCK, TINTED, Dressed, Look, Piece, bottoms, boxes, chance
from simulator.view.meshes import Builder
from simulator.view.object_data import ObjectData

ARM = 1.6
"""m. Length of the arm of a lamp, along x of its object"""
MODULE = {"pickets": 2.0, "planks": 2.0, "netting": 2.5, "rail": 2.0, "concrete": 3.0}
"""m. Usual length of a part of a fence or barrier"""
WHITE = (236, 236, 232)


def posts(data: ObjectData, free: NDArray[np.bool_]) -> Dressed:
    """Dress posts: street lamps from 3.5 m, bollards with a band up to 1.6 m, and poles in between."""
    shapes = ("cylinder", "box")
    lamps = free & boxes(data, "post", (0.06, 0.06, 3.5), (0.5, 0.5, 14.0), ("cylinder",))
    low = free & boxes(data, "post", (0.04, 0.04, 0.3), (0.45, 0.45, 1.6), shapes)
    poles = free & boxes(data, "post", (0.04, 0.04, 1.6), (0.5, 0.5, 14.0), shapes) & ~lamps & ~low
    rows = np.flatnonzero(lamps)
    top = bottoms(data, rows) + [0.0, 0.0, 1.0] * (2.0 * data.half_O[rows])
    pieces = [
        Piece("mast", rows, bottoms(data, rows), data.half_O[rows] * [1.0, 1.0, 2.0], data.color[rows]),
        Piece("lamp", rows, top, (1.0, 1.0, 1.0), data.color[rows]),
    ]
    pieces += [_at_foot(data, np.flatnonzero(some), look) for some, look in ((low, "bollard"), (poles, "mast"))]
    return Dressed(lamps | low | poles, pieces)


def _at_foot(data: ObjectData, rows: NDArray[np.int64], look: str) -> Piece:
    """Return pieces of a look whose mesh has half edges 1, 1 and height 1."""
    return Piece(look, rows, bottoms(data, rows), data.half_O[rows] * [1.0, 1.0, 2.0], data.color[rows], chance(rows, 31))


def cones_and_barrels(data: ObjectData, free: NDArray[np.bool_]) -> Dressed:
    """Dress upright cylinders with the labels cone and barrier."""
    cones = free & boxes(data, "cone", (0.1, 0.1, 0.2), (0.8, 0.8, 1.3), ("cylinder",))
    barrels = free & boxes(data, "barrier", (0.3, 0.3, 0.5), (1.2, 1.2, 1.4), ("cylinder",))
    return Dressed(cones | barrels, [_at_foot(data, np.flatnonzero(some), look) for some, look in ((cones, "cone"), (barrels, "barrel"))])


def rocks(data: ObjectData, free: NDArray[np.bool_]) -> Dressed:
    """Dress spheres and boxes with the label rock."""
    chosen = free & boxes(data, "rock", (0.0, 0.0, 0.0), (50.0, 50.0, 50.0), ("sphere", "box"))
    rows = np.flatnonzero(chosen)
    half = data.half_O[rows]
    even = np.ptp(half, axis=1) < 1e-6
    turn = np.where(even, chance(rows, 32) * math.tau, 0.0)
    return Dressed(
        chosen,
        [
            Piece(
                "rock", rows, data.center_O[rows], half * np.where(even, 1.0, 1.12)[:, None], data.color[rows], chance(rows, 33), 0.0, turn
            )
        ],
    )


def fences_and_barriers(data: ObjectData, free: NDArray[np.bool_]) -> Dressed:
    """Dress long boxes: fences, guard rails, concrete barriers and curbs; their parts are about as long as usual."""
    size = 2.0 * data.half_O
    long, thin, high = size[:, :2].max(axis=1), size[:, :2].min(axis=1), size[:, 2]
    everything = (0.0, 0.0, 0.05), (1e3, 1e3, 3.0)
    fence = free & boxes(data, "fence", *everything) & (thin <= 0.35) & (long >= 0.8) & (high >= 0.4)
    gray = np.ptp(data.color, axis=1) < 0.08
    barrier = free & boxes(data, "barrier", *everything) & (long >= 0.5) & (long > thin) & (high >= 0.3)
    rail = barrier & (thin <= 0.25) & (high <= 1.0)
    jersey = barrier & ~rail & (thin <= 0.9) & (high <= 1.4)
    curb = free & boxes(data, "curb", *everything) & (long > thin) & (high <= 0.6)
    chosen = {
        "pickets": fence & ~gray & (high <= 1.5), "planks": fence & ~gray & (high > 1.5), "netting": fence & gray, "rail": rail, "concrete": jersey,
    }  # fmt: skip
    pieces = []
    for name, some in chosen.items():
        pieces += _parts(data, np.flatnonzero(some), name)
    pieces += _parts(data, np.flatnonzero(curb), "curb", whole=True)
    return Dressed(np.logical_or.reduce((*chosen.values(), curb)), pieces)


def _parts(data: ObjectData, rows: NDArray[np.int64], name: str, whole: bool = False) -> list[Piece]:
    """Return the parts of long boxes, each with half edges 1, 1 and height 1, along x of the part."""
    half = data.half_O[rows]
    across = half[:, 1] > half[:, 0]
    long, thin = half[:, :2].max(axis=1), half[:, :2].min(axis=1)
    counts = np.ones(len(rows), int) if whole else np.maximum(np.round(2.0 * long / MODULE[name]), 1.0).astype(int)
    which = np.repeat(np.arange(len(rows)), counts)
    number = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    s = long[which] * ((2.0 * number + 1.0) / counts[which] - 1.0)
    offset = bottoms(data, rows)[which]
    offset[:, 0] += np.where(across[which], 0.0, s)
    offset[:, 1] += np.where(across[which], s, 0.0)
    size = np.column_stack((long[which] / counts[which], thin[which], 2.0 * half[which, 2]))
    turn = np.where(across[which], 0.5 * np.pi, 0.0)
    names = (name, "net") if name == "netting" else (name,)
    return [Piece(one, rows[which], offset, size, data.color[rows][which], chance(rows, 34)[which], 0.0, turn) for one in names]


def looks() -> dict[str, Look]:
    """Return the looks of things beside a road by name."""
    tint = (255, 255, 255)
    panel, block = _panel(0.06, 0.6), _panel(0.0, 1.0)
    net = Builder().paint(tint, TINTED).polygon([(-1, 0, 0.03), (1, 0, 0.03), (1, 0, 0.97), (-1, 0, 0.97)]).mesh()
    back = Builder().paint(tint, TINTED).polygon([(1, 0, 0.03), (-1, 0, 0.03), (-1, 0, 0.97), (1, 0, 0.97)]).mesh()
    return {
        "mast": Look(tuple(_mast(sides) for sides in (4, 6, 10)), (0.06, 0.15), smallest=0.008),
        "lamp": Look((_lamp(4), _lamp(8)), (0.04,), smallest=0.008),
        "bollard": Look((_turned(BOLLARD, 5), _turned(BOLLARD, 14)), (0.03,), smallest=0.002),
        "cone": Look((_cone(5), _cone(10), _cone(20)), (0.012, 0.05)),
        "barrel": Look((_turned(BARREL, 6), _turned(BARREL, 10), _turned(BARREL, 20)), (0.012, 0.05)),
        "rock": Look((_rock(5, 3), _rock(9, 6), _rock(18, 12)), (0.02, 0.08), program=ROCK),
        "pickets": Look((panel, _pickets()), (0.06,), smallest=0.006),
        "planks": Look((block, _planks()), (0.06,), smallest=0.006),
        "netting": Look((_net_posts(4), _net_posts(8)), (0.05,), smallest=0.004),
        "net": Look((np.vstack((net, back)),), program=NETTING, smallest=0.006, casts=False),
        "rail": Look((_rail(False), _rail(True)), (0.03,), smallest=0.003),
        "concrete": Look((_concrete(False), _concrete(True)), (0.03,)),
        "curb": Look((_curb(),)),
    }


def _mast(sides: int) -> Array:
    b = Builder().paint((255, 255, 255), TINTED)
    if sides < 5:
        return b.revolve([(1.0, 0.5), (0.0, 0.9)], sides, axis=2).mesh()
    b.revolve([(1.0, 0.0), (1.0, 0.55), (0.13, 0.8), (0.12, 1.0), (0.0, 1.0)], sides, axis=2)
    return b.mesh()


def _lamp(sides: int) -> Array:
    """Return the arm and the head of a street lamp about the top of its mast; m."""
    b = Builder().paint((255, 255, 255), TINTED)
    if sides < 6:
        b.sheet([[(0.0, -0.04, -0.1), (ARM, -0.04, 0.25)], [(0.0, 0.04, -0.1), (ARM, 0.04, 0.25)]])
        return b.paint((205, 205, 196), GLOWS).box((ARM - 0.1, -0.12, 0.2), (ARM + 0.5, 0.12, 0.3)).mesh()
    s = np.linspace(0.0, 1.0, 6)
    b.tube(np.column_stack((ARM * s, 0.0 * s, -0.08 + 0.55 * (1.0 - (1.0 - s) ** 2) - 0.2 * s)), 0.035, sides)
    b.paint((96, 98, 100), 0.2)
    b.hexahedron([
        (ARM - 0.15, -0.14, 0.24), (ARM + 0.5, -0.10, 0.24), (ARM + 0.5, 0.10, 0.24), (ARM - 0.15, 0.14, 0.24),
        (ARM - 0.15, -0.09, 0.33), (ARM + 0.5, -0.05, 0.29), (ARM + 0.5, 0.05, 0.29), (ARM - 0.15, 0.09, 0.33),
    ])  # fmt: skip
    b.paint((205, 205, 196), GLOWS).hexahedron([
        (ARM, -0.08, 0.20), (ARM + 0.42, -0.06, 0.20), (ARM + 0.42, 0.06, 0.20), (ARM, 0.08, 0.20),
        (ARM - 0.05, -0.12, 0.245), (ARM + 0.46, -0.09, 0.245), (ARM + 0.46, 0.09, 0.245), (ARM - 0.05, 0.12, 0.245),
    ])  # fmt: skip
    return b.mesh()


BOLLARD = ((0.0, 1.0, 0), (0.74, 1.0, 0), (0.74, 1.02, 1), (0.88, 1.02, 1), (0.88, 1.0, 0), (0.95, 0.98, 0), (0.985, 0.7, 0), (1.0, 0.0, 0))
BARREL = (
    (0.0, 0.94, 2), (0.08, 0.94, 2), (0.08, 0.98, 0), (0.3, 0.96, 0), (0.3, 0.96, 1), (0.45, 0.95, 1), (0.45, 1.0, 0), (0.49, 1.0, 0),
    (0.49, 0.95, 0), (0.62, 0.94, 0), (0.62, 0.94, 1), (0.77, 0.93, 1), (0.77, 0.97, 0), (0.81, 0.97, 0), (0.97, 0.92, 0), (1.0, 0.85, 0),
    (0.98, 0.8, 2), (0.98, 0.0, 2),
)  # fmt: skip
"""Profiles: height, radius, and 0 for the color of the object, 1 white, 2 black."""


def _turned(profile: tuple[tuple[float, float, int], ...], sides: int) -> Array:
    """Return a body of revolution with bands; each segment has the color of its upper end."""
    b = Builder()
    for (z, r, _), (z2, r2, kind) in itertools.pairwise(profile):
        b.paint(*(((255, 255, 255), TINTED), (WHITE, 0.1), ((36, 36, 38), 0.0))[kind])
        b.revolve([(z2, r2), (z, r)], sides, axis=2)
    return b.mesh()


def _cone(sides: int) -> Array:
    b = Builder().paint((40, 40, 42)).box((-1, -1, 0), (1, 1, 0.045))
    radius = [(z, 0.83 - 0.68 * z) for z in (0.045, 0.26, 0.42, 0.58, 0.74, 1.0)]
    for k, ((z, r), (z2, r2)) in enumerate(itertools.pairwise(radius)):
        b.paint(*((WHITE, 0.1) if k % 2 else ((255, 255, 255), TINTED))).revolve([(z2, r2), (z, r)], sides, axis=2)
    return b.paint((255, 255, 255), TINTED).revolve([(1.0, 0.0), (1.0, 0.15)], sides, axis=2, smooth=False).mesh()


def _rock(sides: int, rings: int) -> Array:
    """Return a stone in a box of half edges 1: a ball with flats and bumps, the same at all levels."""
    turn, tilt = np.meshgrid(np.linspace(0.0, math.tau, sides + 1), np.linspace(-0.5 * math.pi, 0.5 * math.pi, rings + 1))
    d = np.stack((np.cos(tilt) * np.cos(turn), np.cos(tilt) * np.sin(turn), np.sin(tilt)), axis=2)
    rng = np.random.default_rng(4)
    flats = rng.normal(size=(14, 3))
    flats /= np.linalg.norm(flats, axis=1)[:, None]
    cut = rng.uniform(0.80, 0.98, 14)
    radius = np.minimum(1.0, (cut / np.maximum(d @ flats.T, 1e-3)).min(axis=2))
    radius -= 0.05 * (1.0 + np.sin(7.0 * d[..., 0] + 2.0) * np.sin(6.0 * d[..., 1]) * np.sin(5.0 * d[..., 2] + 1.0))
    mesh = Builder().paint((255, 255, 255), TINTED).sheet((d * radius[..., None])[:, ::-1], smooth=True).mesh()
    low, high = mesh[:, :3].min(axis=0), mesh[:, :3].max(axis=0)
    mesh[:, :3] = (mesh[:, :3] - 0.5 * (low + high)) / (0.5 * (high - low))
    return mesh


def _panel(low: float, half: float) -> Array:
    """Return a fence far away: two sides and the top."""
    b = Builder().paint((255, 255, 255), TINTED)
    for y in (-half, half):
        b.polygon([(-1, y, low), (1, y, low), (1, y, 1), (-1, y, 1)][:: -int(math.copysign(1.0, y))])
    return b.polygon([(-1, -half, 1), (1, -half, 1), (1, half, 1), (-1, half, 1)]).mesh()


def _pickets() -> Array:
    b = Builder().paint((235, 235, 235), TINTED).box((-1, -0.3, 0.22), (1, 0.3, 0.30)).box((-1, -0.3, 0.70), (1, 0.3, 0.78))
    b.paint((255, 255, 255), TINTED)
    for x in np.arange(-1.0 + 1.0 / 14.0, 1.0, 1.0 / 7.0):
        low, high = (x - 0.045, 0.3, 0.05), (x + 0.045, 0.9, 0.93)
        b.hexahedron([(low[0], 0.3, 0.05), (high[0], 0.3, 0.05), (high[0], 0.9, 0.05), (low[0], 0.9, 0.05),
                      (low[0], 0.3, 0.93), (high[0], 0.3, 0.93), (high[0], 0.9, 0.93), (low[0], 0.9, 0.93)])  # fmt: skip
        for y, order in ((0.3, 1), (0.9, -1)):
            b.polygon([(low[0], y, 0.93), (high[0], y, 0.93), (x, y, 1.0)][::order])
    return b.box((-1.0, -0.9, 0.0), (-0.92, 0.3, 0.97)).mesh()


def _planks() -> Array:
    b = Builder()
    for k, x in enumerate(np.linspace(-1.0, 0.875, 16)):
        shade = (255, 232, 245, 222)[k % 4]
        b.paint((shade, shade, shade), TINTED).box((x + 0.004, -0.4, 0.02), (x + 0.121, 0.4, 0.985 + 0.015 * (k % 3) / 2.0))
    return b.paint((200, 200, 200), TINTED).box((-1.0, -1.0, 0.0), (-0.93, 1.0, 1.0)).mesh()


def _net_posts(sides: int) -> Array:
    b = Builder().paint((255, 255, 255), TINTED)
    b.box((-1, -0.3, 0.95), (1, 0.3, 0.98)).box((-1, -0.2, 0.02), (1, 0.2, 0.035))
    return b.box((-1.0, -0.6, 0.0), (-0.96, 0.6, 1.0)).box((0.96, -0.6, 0.0), (1.0, 0.6, 1.0)).mesh() if sides > 4 else b.mesh()


def _rail(fine: bool) -> Array:
    """Return a steel beam on a post."""
    b = Builder().paint((205, 208, 210), TINTED + 0.35)
    if not fine:
        return b.box((-1, -0.7, 0.55), (1, 0.7, 1.0)).mesh()
    profile = [(-0.35, 0.56), (-1.0, 0.62), (-1.0, 0.72), (-0.35, 0.78), (-1.0, 0.84), (-1.0, 0.94), (-0.35, 1.0)]
    for side in (-1.0, 1.0):
        grid = np.array([[(x, -side * y, z) for y, z in profile] for x in (-side, side)])
        b.sheet(grid)
    return b.paint((150, 152, 154), TINTED).box((-0.08, -0.35, 0.0), (0.08, 0.35, 0.95)).mesh()


def _concrete(fine: bool) -> Array:
    """Return a part of a concrete barrier: a wide foot, a steep face, slots at the ends."""
    side = [(1.0, 0.0), (1.0, 0.10), (0.62, 0.33), (0.40, 1.0)] if fine else [(1.0, 0.0), (0.62, 0.33), (0.40, 1.0)]
    outline = [*side, *[(-y, z) for y, z in reversed(side)]]
    end = 0.985 if fine else 1.0
    b = Builder().paint((245, 245, 245), TINTED)
    for (y, z), (y2, z2) in itertools.pairwise(outline):
        b.polygon([(-end, y, z), (-end, y2, z2), (end, y2, z2), (end, y, z)])
    for x in (-end, end):
        points = [(x, y, z) for y, z in outline]
        b.polygon(points if x > 0 else points[::-1])
    return b.mesh()


def _curb() -> Array:
    b = Builder().paint((245, 245, 245), TINTED)
    ring = ((1.0, 0.0), (1.0, 0.8), (0.85, 1.0))
    low = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    for (a, z), (c, z2) in itertools.pairwise(ring):
        b.hexahedron([(x, a * y, z) for x, y, _ in low] + [(x, c * y, z2) for x, y, _ in low])
    return b.mesh()
