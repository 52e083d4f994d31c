"""Pieces: what a dressing draws. A piece is one copy of a look, placed at an object. No OpenGL here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.object_data import ObjectData
from terrain.objects.labels import LABELS
from terrain.objects.shapes import SIMPLE

PLAIN, ROOF, ROCK, NETTING, PANES, WALL, FRONT = range(7)
"""Programs that draw a look."""
TINTED, GLOWS, LIMB = 8.0, 16.0, 32.0
"""Added to the gloss of a vertex: has the color of its piece; lit at night; times the number of the limb it belongs to."""


class Look(NamedTuple):
    """Meshes (n, 10) of `simulator.view.meshes` in units of the size of a piece, from coarse to fine."""

    levels: tuple[Array, ...]
    limits: tuple[float, ...] = ()
    """rad. Radii, as angles at the camera, from which the next finer mesh is drawn"""
    program: int = PLAIN
    smallest: float = 0.0015
    """rad. Radius, as an angle at the camera, below which the piece is left out"""
    casts: bool = True
    """Whether it has a shadow"""


class Piece(NamedTuple):
    """Copies of one look. Numbers are for one copy or for all."""

    look: str
    owner: NDArray[np.int64]
    """(n,) rows of the objects"""
    offset: Any
    """(n, 3) m, origin of the copy in O"""
    size: Any
    """(n, 3) factors of the mesh"""
    color: Any = (1.0, 1.0, 1.0)
    """(n, 3) sRGB, 0 to 1"""
    seed: Any = 0.0
    """(n,) number from 0 to 1 for what differs between copies"""
    extra: Any = 0.0
    """(n,) number for the shader: kind of a house, or phase of the walk"""
    turn: Any = 0.0
    """(n,) rad, yaw of the copy in O"""


class Dressed(NamedTuple):
    """Result of a `Wardrobe`."""

    rows: NDArray[np.bool_]
    """(n,) which objects it draws"""
    pieces: Sequence[Piece]


@dataclass
class Stack:
    """Pieces of all looks as arrays."""

    names: list[str] = field(default_factory=list)
    look: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    owner: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    numbers: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 12)))
    """(n, 12) offset (3), size (3), color (3), seed, extra, turn"""

    @staticmethod
    def of(pieces: Sequence[Piece]) -> Stack:
        """Return the stack of some pieces."""
        used = [one for one in pieces if len(one.owner)]
        names = sorted({one.look for one in used})
        if not used:
            return Stack()
        rows = []
        for one in used:
            row = np.empty((len(one.owner), 12))
            row[:, :3], row[:, 3:6], row[:, 6:9], row[:, 9], row[:, 10], row[:, 11] = one[2:]
            rows.append(row)
        look = np.concatenate([np.full(len(one.owner), names.index(one.look)) for one in used])
        return Stack(names, look, np.concatenate([one.owner for one in used]).astype(np.int64), np.vstack(rows))


def boxes(data: ObjectData, label: str, low: Sequence[float], high: Sequence[float], shapes: Sequence[str] = ("box",)) -> NDArray[np.bool_]:
    """Return which objects of a label and of these shapes have a bounding box between two sizes x, y, z [m]."""
    found = (data.label == LABELS[label]) & np.isin(data.shape, [SIMPLE[name].code for name in shapes])
    size = 2.0 * data.half_O
    inside: NDArray[np.bool_] = found & (size >= np.asarray(low) - 1e-6).all(axis=1) & (size <= np.asarray(high) + 1e-6).all(axis=1)
    return inside


def chance(rows: NDArray[np.int64], salt: int) -> NDArray[np.float64]:
    """Return a number from 0 to 1 for each row, the same for the same row and salt. [integer hash of Mueller]"""
    x = (np.asarray(rows, np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt * 0x2545F4914F6CDD1D % 2**64)
    for _ in range(2):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    out: NDArray[np.float64] = (x >> np.uint64(11)).astype(float) / 2.0**53
    return out


def bottoms(data: ObjectData, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the middle of the lower side of the bounding box of each row (n, 3), in O [m]."""
    return data.center_O[rows] - data.half_O[rows] * [0.0, 0.0, 1.0]
