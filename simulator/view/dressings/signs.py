"""Traffic signs: plates on posts, with faces of flat polygons. No OpenGL here."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.view.dressings.pieces import TINTED, Dressed, Look, Piece, bottoms, boxes, chance
from simulator.view.meshes import Builder, moved
from simulator.view.object_data import ObjectData

RED, WHITE, BLACK, BLUE, YELLOW, GRAY = (186, 24, 30), (240, 240, 236), (22, 22, 24), (24, 74, 150), (240, 190, 30), (150, 152, 154)
OF_COLOR = {(0.7, 0.0, 0.0): "stop", (0.8, 0.0, 0.0): "give_way"}
"""Faces of red signs of exactly these colors; of other red signs, chance decides."""
LIMIT = "50"
PLATE = 0.75
"""m. Side of the plate on a pole that has no plate of its own"""
LETTERS = {
    "S": ((0, 1, 1, 1), (0, 0.5, 1, 0.5), (0, 0, 1, 0), (0, 0.5, 0, 1), (1, 0, 1, 0.5)), "T": ((0, 1, 1, 1), (0.5, 0, 0.5, 1)),
    "O": ((0, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, 1), (1, 0, 1, 1)), "P": ((0, 0, 0, 1), (0, 1, 1, 1), (0, 0.5, 1, 0.5), (1, 0.5, 1, 1)),
    "5": ((0, 1, 1, 1), (0, 0.5, 1, 0.5), (0, 0, 1, 0), (0, 0.5, 0, 1), (1, 0, 1, 0.5)), "0": ((0, 0, 1, 0), (0, 1, 1, 1), (0, 0, 0, 1), (1, 0, 1, 1)),
}  # fmt: skip
"""Strokes of letters and digits: x, y of both ends in a box of unit size"""


def signs(data: ObjectData, free: NDArray[np.bool_]) -> Dressed:
    """Dress thin boxes and poles with the label sign; they face -x and +x, or both sides of a plate across y.

    The color chooses the face: red is a stop sign, a give way sign or a speed limit, by OF_COLOR or by chance; blue a direction, yellow a warning,
    others a plain board.
    """
    plates = (
        free
        & boxes(data, "sign", (0.0, 0.0, 0.25), (2.5, 2.5, 4.0))
        & (data.half_O[:, :2].min(axis=1) < 0.1)
        & (data.half_O[:, :2].max(axis=1) > 0.12)
    )
    poles = free & boxes(data, "sign", (0.02, 0.02, 1.5), (0.3, 0.3, 4.5), ("cylinder", "box")) & ~plates
    chosen = plates | poles
    rows = np.flatnonzero(chosen)
    half, foot = data.half_O[rows], bottoms(data, rows)
    pole = poles[rows]
    across = (half[:, 0] > half[:, 1]) & ~pole
    wide = np.where(pole, PLATE, 2.0 * half[:, :2].max(axis=1))
    high = 2.0 * half[:, 2]
    on_post = pole | (high > 1.6 * wide)
    plate = np.where(on_post, np.minimum(wide, high), np.minimum(high, 2.5))
    name = _faces(data.color[rows].astype(float), chance(rows, 51), on_post | (np.abs(high - wide) < 0.3 * wide))
    board = name == "board"
    size = np.column_stack((np.ones(len(rows)), wide, np.where(board & ~on_post, high, np.where(on_post, plate, np.minimum(wide, high)))))
    size[~board, 1] = size[~board, 2] = np.minimum(size[~board, 1], size[~board, 2])
    offset = foot + np.column_stack((np.zeros(len(rows)), np.zeros(len(rows)), high - 0.5 * size[:, 2]))
    turn = np.where(across, 0.5 * np.pi, 0.0)
    pieces = [
        Piece(
            f"sign_{one}",
            rows[name == one],
            offset[name == one],
            size[name == one],
            data.color[rows][name == one],
            0.0,
            0.0,
            turn[name == one],
        )
        for one in FACES
    ]
    thin = np.full(np.count_nonzero(on_post), 0.035)
    pieces.append(Piece("sign_post", rows[on_post], foot[on_post], np.column_stack((thin, thin, high[on_post] - 0.02)), (0.6, 0.61, 0.62)))
    return Dressed(chosen, pieces)


def _faces(color: Array, luck: Array, square: NDArray[np.bool_]) -> NDArray[np.str_]:
    """Return the name of the face of each sign."""
    red, green, blue = color.T
    of_red = np.array(["stop", "give_way", "limit"])[np.minimum((luck * 3.0).astype(int), 2)]
    for chosen, face in OF_COLOR.items():
        of_red = np.where(np.abs(color - chosen).max(axis=1, initial=0.0) < 1e-3, face, of_red)
    name = np.where((red > 1.6 * green) & (red > 1.6 * blue) & square, of_red, "board")
    name = np.where((blue > 1.4 * red), "direction", name)
    return np.where((red > 1.6 * blue) & (green > 1.4 * blue) & square, "warning", name)


def looks() -> dict[str, Look]:
    """Return the looks of signs by name."""
    found = {f"sign_{name}": Look((_both(face(False)), _both(face(True))), (0.012,)) for name, face in FACES.items()}
    post = Builder().paint((255, 255, 255), TINTED).revolve([(1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], 8, axis=2, smooth=False)
    return found | {"sign_post": Look((post.mesh(),), smallest=0.003)}


def _both(face: Array) -> Array:
    """Return a face towards -x and towards +x."""
    turned = np.diag([-1.0, -1.0, 1.0])
    return np.vstack((face, moved(face, turned)))


class _Face:
    """Flat face towards -x, in a square of unit side about the origin: layers of polygons, each in front of the last."""

    def __init__(self) -> None:
        self.builder = Builder()
        self._layer = -0.02

    def ring(self, points: Array, color: tuple[int, int, int], code: float = 0.0) -> None:
        """Add a convex polygon (n, 2) of y to the right and z, clockwise or not."""
        p = np.asarray(points, float)
        after = np.roll(p, -1, axis=0)
        area = (p[:, 0] * after[:, 1] - p[:, 1] * after[:, 0]).sum()
        p = p if area > 0.0 else p[::-1]
        self._layer -= 0.004
        self.builder.paint(color, code).polygon([(self._layer, -y, z) for y, z in p])

    def regular(self, sides: int, radius: float, color: tuple[int, int, int], turn: float = 0.0, middle: float = 0.0) -> None:
        """Add a regular polygon."""
        angle = turn + np.arange(sides) * math.tau / sides
        self.ring(np.column_stack((radius * np.sin(angle), middle + radius * np.cos(angle))), color)

    def text(self, word: str, width: float, height: float, color: tuple[int, int, int], stroke: float) -> None:
        """Add letters about the middle."""
        step = width / len(word)
        self._layer -= 0.004
        for k, letter in enumerate(word):
            x, w, h = -0.5 * width + (k + 0.12) * step, 0.76 * step, height
            for a, b, c, d in LETTERS[letter]:
                low, high = (
                    (x + a * w - 0.5 * stroke, (b - 0.5) * h - 0.5 * stroke),
                    (x + c * w + 0.5 * stroke, (d - 0.5) * h + 0.5 * stroke),
                )
                self.builder.paint(color).polygon(
                    [(self._layer, -y, z) for y, z in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))]
                )

    def mesh(self) -> Array:
        return self.builder.mesh()


def _stop(fine: bool) -> Array:
    f = _Face()
    f.regular(8, 0.54, WHITE, math.pi / 8)
    f.regular(8, 0.50, RED, math.pi / 8)
    if fine:
        f.text("STOP", 0.78, 0.28, WHITE, 0.045)
    return f.mesh()


def _give_way(_fine: bool) -> Array:
    f = _Face()
    f.regular(3, 0.57, RED, math.pi, 0.07)
    f.regular(3, 0.36, WHITE, math.pi, 0.07)
    return f.mesh()


def _limit(fine: bool) -> Array:
    f = _Face()
    f.regular(20 if fine else 8, 0.5, RED)
    f.regular(20 if fine else 8, 0.38, WHITE)
    if fine:
        f.text(LIMIT, 0.46, 0.30, BLACK, 0.06)
    return f.mesh()


def _warning(fine: bool) -> Array:
    f = _Face()
    f.regular(3, 0.58, RED, 0.0, -0.08)
    f.regular(3, 0.40, WHITE, 0.0, -0.08)
    if fine:
        f.ring(np.array([(-0.035, -0.07), (0.035, -0.07), (0.05, 0.16), (-0.05, 0.16)]), BLACK)
        f.regular(8, 0.045, BLACK, 0.0, -0.16)
    return f.mesh()


def _board(fine: bool) -> Array:
    f = _Face()
    f.ring(np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]), BLACK if fine else (255, 255, 255), 0.0 if fine else TINTED)
    if fine:
        f.ring(0.95 * np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]), (255, 255, 255), TINTED)
        for k in (-0.28, 0.0, 0.28):
            f.ring(np.array([(k - 0.13, -0.34), (k - 0.01, -0.34), (k + 0.13, 0.34), (k + 0.01, 0.34)]), BLACK)
    return f.mesh()


def _direction(fine: bool) -> Array:
    f = _Face()
    f.ring(np.array([(-0.5, -0.4), (0.5, -0.4), (0.5, 0.4), (-0.5, 0.4)]), WHITE)
    f.ring(np.array([(-0.47, -0.37), (0.47, -0.37), (0.47, 0.37), (-0.47, 0.37)]), (255, 255, 255), TINTED)
    if fine:
        f.ring(np.array([(-0.05, -0.28), (0.05, -0.28), (0.05, 0.08), (-0.05, 0.08)]), WHITE)
        f.ring(np.array([(-0.16, 0.06), (0.16, 0.06), (0.0, 0.28)]), WHITE)
    return f.mesh()


FACES = {"stop": _stop, "give_way": _give_way, "limit": _limit, "warning": _warning, "board": _board, "direction": _direction}
"""Faces by name: functions that return a mesh, coarse or fine"""
