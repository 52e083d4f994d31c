"""Which parameters the data cannot tell apart, in numbers and in words.

The columns of the Jacobian are divided by their lengths. What its singular values say is then only how much the parameters resemble each
other: in a direction of a singular value s the data know s times as much as they would of parameters that do different things.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SILENT = 1e-4
"""1. A parameter that on its way from least to most changes the channels by less than this share of their noise, or of their own deviation
where no noise is given (root of the mean square), says nothing."""
HARDLY, NOT = 0.1, 0.01
"""1. Singular values below which parameters are hardly told apart (of two: correlation of 0.99), and not at all (0.9999)."""
TAKES_PART = 0.2
"""1. Share in a direction from which on a parameter is named."""
ALIKE = 0.15
"""1. Two changes that differ by less than this share are called the same."""


@dataclass(frozen=True)
class Varied:
    """What is to be known here of a parameter."""

    name: str
    value: float
    slope: float
    """Change of the value per unit of u."""


@dataclass(frozen=True)
class Unidentifiable:
    """What the data do not tell."""

    singular_value: float
    """0 where one parameter changes nothing."""
    shares: dict[str, float]
    """Direction in the space of the parameters, of length 1, by name; those that take part."""
    words: str


def untold(jacobian: Array, varied: Sequence[Varied]) -> list[Unidentifiable]:
    """Directions in which the parameters may move and hardly anything changes, the worst first; none where the data tell all.

    Parameters
    ----------
    jacobian : (n, p) of the weighted residuals per unit of u
    varied : (p,)
    """
    sizes = np.linalg.norm(jacobian, axis=0)
    silent = sizes < SILENT * np.sqrt(len(jacobian))
    weak = [
        Unidentifiable(0.0, {one.name: 1.0}, f"{one.name}: the data say nothing of it")
        for one, none in zip(varied, silent, strict=True)
        if none
    ]
    loud = np.flatnonzero(~silent)
    if len(loud) < 2:
        return weak
    scaled = jacobian[:, loud] / sizes[loud]
    _, values, directions = np.linalg.svd(scaled, full_matrices=False)
    for value, direction in sorted(zip(values, directions, strict=True), key=lambda pair: float(pair[0])):
        if value < HARDLY:
            weak.append(_weak(float(value), direction, sizes[loud], [varied[n] for n in loud.tolist()]))
    return weak


def _weak(value: float, direction: Array, sizes: Array, varied: Sequence[Varied]) -> Unidentifiable:
    part = [n for n in np.argsort(-np.abs(direction)).tolist() if abs(direction[n]) >= TAKES_PART]
    sign = 1.0 if direction[part[0]] > 0.0 else -1.0
    shares = {varied[n].name: sign * float(direction[n]) for n in part}
    moves = [sign * float(direction[n] / sizes[n]) * varied[n].slope for n in part]
    how = "cannot be told apart" if value < NOT else "can hardly be told apart"
    names = _listed([varied[n].name for n in part])
    return Unidentifiable(value, shares, f"{names} {how}: the data know {_what([varied[n] for n in part], moves)}")


def _what(varied: Sequence[Varied], moves: Sequence[float]) -> str:
    """What of some parameters is known when they may move together."""
    relative = [move / one.value if one.value else 0.0 for one, move in zip(varied, moves, strict=True)]
    if len(varied) == 2 and all(relative):
        a, b = relative
        if abs(a - b) < ALIKE * max(abs(a), abs(b)):
            return "only their ratio"
        if abs(a + b) < ALIKE * max(abs(a), abs(b)):
            return "only their product"
    largest = max(abs(one) for one in relative) if all(relative) else 0.0
    if largest:
        steps = [f"{one.name} {10.0 * share / largest:+.2g} %" for one, share in zip(varied, relative, strict=True)]
    else:
        most = max(abs(move) for move in moves)
        steps = [f"{one.name} {move / most:+.2g}" for one, move in zip(varied, moves, strict=True)]
    return f"only a combination of them; together {_listed(steps)} change next to nothing"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
