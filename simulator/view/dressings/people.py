"""People and animals, whose legs swing with the distance along their path. No OpenGL here."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.dressings.pieces import LIMB, TINTED, Dressed, Look, Piece, bottoms, boxes, chance
from simulator.view.meshes import Builder, mirrored, simplified
from simulator.view.object_culling import ObjectItems
from simulator.view.object_data import ObjectData

STEP, GAIT = 0.75, 0.55
"""m, 1. Length of a step of a person, and of an animal divided by the length of its body"""
TALL = 1.8
"""m. Height of the mesh of a person before it is scaled"""
OFF_PATH = 0.4
"""m. A person farther from its path has left it."""
LIMP = 0.7
"""rad. Phase of the walk of a person that is not upright: arms and legs are spread."""
SKIN, HAIR, SHOE = ((224, 184, 154), (150, 104, 76), (198, 150, 118)), ((60, 44, 34), (32, 28, 26), (120, 86, 52)), (40, 38, 38)
TROUSERS = ((52, 60, 84), (58, 56, 54), (96, 88, 74))
SHIRTS = np.array([(0.20, 0.34, 0.58), (0.78, 0.76, 0.70), (0.55, 0.16, 0.17), (0.25, 0.42, 0.30), (0.86, 0.62, 0.20), (0.24, 0.24, 0.27)])
"""sRGB colors of the clothes of people whose object has the usual color"""
USUAL = np.array((0.85, 0.45, 0.25), np.float32)
UPPER_LEG, LOWER_LEG, ARM, FORE, HIND = 1, 3, 5, 7, 9
"""Numbers of limbs of the left side in the shader `dressed`; + 1 for the right side"""


def people(data: ObjectData, free: NDArray[np.bool_]) -> Dressed:
    """Dress upright shapes with the labels person and animal, which look along +x."""
    persons = free & boxes(data, "person", (0.1, 0.1, 0.8), (1.2, 1.2, 2.3), ("box", "cylinder", "capsule"))
    animals = free & boxes(data, "animal", (0.3, 0.1, 0.2), (3.0, 1.5, 2.5), ("box",))
    rows = np.flatnonzero(persons)
    high = 2.0 * data.half_O[rows, 2]
    usual = (np.abs(data.color[rows] - USUAL) < 1e-3).all(axis=1)
    shirt = np.where(usual[:, None], SHIRTS[(chance(rows, 41) * len(SHIRTS)).astype(int)], data.color[rows])
    who = (chance(rows, 42) * len(SKIN)).astype(int)
    size = np.repeat((high / TALL)[:, None], 3, axis=1)
    pieces = [
        Piece(f"walks_person_{k}", rows[who == k], bottoms(data, rows[who == k]), size[who == k] * TALL, shirt[who == k])
        for k in range(len(SKIN))
    ]
    beasts = np.flatnonzero(animals)
    deer = data.half_O[beasts, 2] > 0.45
    for name, some in (("walks_deer", beasts[deer]), ("walks_dog", beasts[~deer])):
        pieces.append(Piece(name, some, bottoms(data, some), data.half_O[some] * 2.0, data.color[some]))
    return Dressed(persons | animals, pieces)


def walk_phases(items: ObjectItems, owner: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the phase of the walk (n,) [rad] of objects at their present places: 0 without motion and at both ends of a path.

    A person that leaves its path, as a pedestrian of the traffic does, walks with its distance along its heading.
    """
    data, places = items.data, items.instances[owner, :12].reshape(-1, 3, 4).astype(float)
    size = 2.0 * data.half_O[owner]
    step = np.where(size[:, 0] > 0.8, GAIT * size[:, 0], STEP * size[:, 2] / TALL)
    out = np.pi / step * np.einsum("ni,ni->n", places[:, :2, 0], places[:, :2, 3] - data.p_WO[owner, :2])
    out[data.path[owner, 1] == 0] = 0.0
    for k in np.flatnonzero(data.path[owner, 1] > 0):
        first, count = data.path[owner[k], :2]
        s, away, total = along_path(data.segments["p_WO"][first : first + count].astype(float), places[k, :, 3])
        if away < OFF_PATH and total > step[k]:
            out[k] = np.pi * s * round(total / step[k]) / total
    return np.where(places[:, 2, 2] < 0.9, LIMP, out)


def along_path(ends: Array, place: Array) -> tuple[float, float, float]:
    """Return the distance along a path of segments with these ends (n, 2, 3) to its point next to a place (3,), how far that is, and its length; m."""
    chord = (ends[:, 1] - ends[:, 0])[:, :2]
    length = np.linalg.norm(chord, axis=1)
    before = np.concatenate(([0.0], np.cumsum(length)))
    away = place[:2] - ends[:, 0, :2]
    s = np.clip((away * chord).sum(axis=1) / np.maximum(length, 1e-9), 0.0, length)
    gap = np.linalg.norm(away - chord * (s / np.maximum(length, 1e-9))[:, None], axis=1)
    k = int(np.argmin(gap))
    return float(before[k] + s[k]), float(gap[k]), float(before[-1])


def looks() -> dict[str, Look]:
    """Return the looks of people and animals by name."""
    limits = (0.012, 0.05)
    found = {}
    for k in range(len(SKIN)):
        mesh = _person(k, 8)
        found[f"walks_person_{k}"] = Look((_scaled(simplified(_person(k, 5), 0.16)), _scaled(_person(k, 5)), _scaled(mesh)), limits)
    for name, long in (("deer", True), ("dog", False)):
        found[f"walks_{name}"] = Look((simplified(_animal(long, 5), 0.12), _animal(long, 5), _animal(long, 9)), limits)
    return found


def _scaled(mesh: Array) -> Array:
    out = mesh.copy()
    out[:, :3] /= TALL
    return out


def _limb(mesh: Array, number: int) -> Array:
    """Return a part of the left side and its mirror image on the right, as limbs `number` and `number` + 1."""
    left, right = mesh.copy(), mirrored(mesh)
    left[:, 9] += LIMB * number
    right[:, 9] += LIMB * (number + 1)
    return np.vstack((left, right))


def _bar(b: Builder, stations: list[tuple[float, float, float, float, float]], sides: int) -> Builder:
    """Add an upright body through ellipses: z, middle x, middle y, half width along x and y; closed at both ends, smooth around."""
    q = np.array(stations)
    turn = np.linspace(0.0, math.tau, sides + 1)
    grid = np.stack((
        q[:, 1, None] + q[:, 3, None] * np.cos(turn), q[:, 2, None] + q[:, 4, None] * np.sin(turn), np.broadcast_to(q[:, :1], (len(q), sides + 1))
    ), axis=2)  # fmt: skip
    return b.sheet(grid[::-1], smooth=True)


def _person(who: int, sides: int) -> Array:
    """Return a standing person of 1.8 m that looks along +x; the clothes on the chest have the color of the piece."""
    b = Builder()
    body = [(0.90, 0.0, 0.0, 0.09, 0.15), (1.00, 0.0, 0.0, 0.11, 0.165), (1.13, 0.0, 0.0, 0.10, 0.15), (1.30, 0.01, 0.0, 0.12, 0.185),
            (1.43, 0.0, 0.0, 0.10, 0.20), (1.50, 0.0, 0.0, 0.06, 0.10), (1.52, 0.0, 0.0, 0.0, 0.0)]  # fmt: skip
    _bar(b.paint((255, 255, 255), TINTED), [(0.88, 0.0, 0.0, 0.0, 0.0), *body], sides)
    _bar(b.paint(SKIN[who]), [(1.46, 0.0, 0.0, 0.05, 0.05), (1.58, 0.01, 0.0, 0.055, 0.055), (1.63, 0.015, 0.0, 0.085, 0.07),
                              (1.72, 0.012, 0.0, 0.095, 0.076), (1.78, 0.0, 0.0, 0.07, 0.06), (1.79, 0.0, 0.0, 0.0, 0.0)], sides)  # fmt: skip
    _bar(b.paint(HAIR[who]), [(1.62, -0.055, 0.0, 0.045, 0.066), (1.72, -0.03, 0.0, 0.085, 0.084), (1.78, -0.012, 0.0, 0.085, 0.078),
                              (1.80, -0.01, 0.0, 0.0, 0.0)], sides)  # fmt: skip
    thigh = _bar(
        Builder().paint(TROUSERS[who]),
        [(0.46, 0.0, 0.095, 0.062, 0.06), (0.70, 0.0, 0.095, 0.078, 0.074), (0.95, 0.0, 0.085, 0.09, 0.085)],
        sides,
    )
    shank = _bar(
        Builder().paint(TROUSERS[who]),
        [(0.09, -0.01, 0.095, 0.05, 0.048), (0.30, -0.01, 0.095, 0.06, 0.055), (0.50, 0.0, 0.095, 0.062, 0.06)],
        sides,
    )
    shank.paint(SHOE).box((-0.08, 0.05, 0.0), (0.17, 0.14, 0.09))
    arm = _bar(Builder().paint((240, 240, 240), TINTED), [(1.13, -0.015, 0.235, 0.042, 0.04), (1.30, -0.01, 0.225, 0.048, 0.045), (1.44, 0.0, 0.19, 0.055, 0.05),
                                                         (1.47, 0.0, 0.17, 0.0, 0.0)], sides)  # fmt: skip
    _bar(arm, [(0.90, 0.04, 0.245, 0.032, 0.03), (1.14, -0.012, 0.235, 0.042, 0.04)], sides)
    _bar(
        arm.paint(SKIN[who]), [(0.79, 0.06, 0.245, 0.0, 0.0), (0.82, 0.058, 0.245, 0.035, 0.022), (0.91, 0.04, 0.245, 0.032, 0.028)], sides
    )
    parts = (b.mesh(), _limb(thigh.mesh(), UPPER_LEG), _limb(shank.mesh(), LOWER_LEG), _limb(arm.mesh(), ARM))
    return np.vstack(parts)


def _animal(deer: bool, sides: int) -> Array:
    """Return an animal in a box of unit size, its length along x."""
    b = Builder().paint((255, 255, 255), TINTED)
    top, neck = (0.76, 0.96) if deer else (0.80, 0.95)
    x, r = np.array([-0.46, -0.42, -0.25, 0.0, 0.2, 0.32, 0.36]), np.array([0.0, 0.10, 0.155, 0.15, 0.17, 0.12, 0.0])
    turn = np.linspace(0.0, math.tau, sides + 1)
    grid = np.stack(
        (np.broadcast_to(x[:, None], (len(x), sides + 1)), 1.9 * r[:, None] * np.cos(turn), top - 0.15 + r[:, None] * np.sin(turn)), axis=2
    )
    b.sheet(grid[::-1], smooth=True)
    _bar(
        b,
        [
            (top - 0.14, 0.24, 0.0, 0.10, 0.17),
            (0.5 * (top + neck), 0.34, 0.0, 0.06, 0.11),
            (neck, 0.38, 0.0, 0.05, 0.10),
            (neck + 0.04, 0.38, 0.0, 0.0, 0.0),
        ],
        sides,
    )
    b.hexahedron([(0.34, -0.09, neck - 0.09), (0.50, -0.05, neck - 0.11), (0.50, 0.05, neck - 0.11), (0.34, 0.09, neck - 0.09),
                  (0.34, -0.09, neck + 0.03), (0.50, -0.05, neck - 0.04), (0.50, 0.05, neck - 0.04), (0.34, 0.09, neck + 0.03)])  # fmt: skip
    for y in (-0.07, 0.07):
        b.box((0.35, y - 0.04, neck), (0.38, y + 0.04, 1.0))
    if not deer:
        b.tube([(-0.44, 0.0, top - 0.10), (-0.50, 0.0, top + 0.05)], 0.02, 5)
    parts = [b.mesh()]
    for place, number in ((0.28, FORE), (-0.32, HIND)):
        leg = _bar(
            Builder().paint((225, 225, 225), TINTED),
            [(0.04, place, 0.2, 0.018, 0.05), (0.3, place - 0.01, 0.2, 0.022, 0.06), (0.6, place, 0.18, 0.055, 0.12)],
            sides,
        )
        parts.append(_limb(leg.paint((45, 40, 38)).box((place - 0.025, 0.14, 0.0), (place + 0.035, 0.26, 0.05)).mesh(), number))
    return np.vstack(parts)
