"""Identifiability: directions in parameter space that the data do not determine.

The columns of the Jacobian are divided by their lengths. Its singular values then measure only the similarity of the parameters: along a
direction with singular value s, the data contain s times the information of independent parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array

SILENT = 1e-4
"""Limit of effect. A parameter is unidentifiable if its full range changes the channels by less than this fraction of their noise, or of
their standard deviation if no noise is given (root mean square)."""
HARDLY, NOT = 0.1, 0.01
"""Singular values below which parameters are poorly identifiable (of two: correlation of 0.99), and not identifiable (0.9999)."""
TAKES_PART = 0.2
"""Minimum component of a direction for which a parameter is listed."""
ALIKE = 0.15
"""Relative difference below which two changes count as equal."""


@dataclass(frozen=True)
class Varied:
    """Data about a parameter for the analysis."""

    name: str
    value: float
    slope: float
    """Change of the value per unit of u."""


@dataclass(frozen=True)
class Unidentifiable:
    """Direction that the data do not determine."""

    singular_value: float
    """Singular value; 0 for a parameter without effect."""
    shares: dict[str, float]
    """Unit vector in parameter space by name, without small components."""
    words: str


def unidentifiable(jacobian: Array, varied: Sequence[Varied]) -> list[Unidentifiable]:
    """Return the directions along which parameters can change with almost no effect, the worst first.

    Parameters
    ----------
    jacobian : (n, p) of the weighted residuals per unit of u
    varied : (p,) parameters
    """
    sizes = np.linalg.norm(jacobian, axis=0)
    silent = sizes < SILENT * np.sqrt(len(jacobian))
    weak = [
        Unidentifiable(0.0, {one.name: 1.0}, f"{one.name}: the data contain no information about it")
        for one, none in zip(varied, silent, strict=True)
        if none
    ]
    effective = np.flatnonzero(~silent)
    if len(effective) < 2:
        return weak
    scaled = jacobian[:, effective] / sizes[effective]
    _, values, directions = np.linalg.svd(scaled, full_matrices=False)
    for value, direction in sorted(zip(values, directions, strict=True), key=lambda pair: float(pair[0])):
        if value < HARDLY:
            weak.append(_weak(float(value), direction, sizes[effective], [varied[n] for n in effective.tolist()]))
    return weak


def _weak(value: float, direction: Array, sizes: Array, varied: Sequence[Varied]) -> Unidentifiable:
    part = [n for n in np.argsort(-np.abs(direction)).tolist() if abs(direction[n]) >= TAKES_PART]
    sign = 1.0 if direction[part[0]] > 0.0 else -1.0
    shares = {varied[n].name: sign * float(direction[n]) for n in part}
    moves = [sign * float(direction[n] / sizes[n]) * varied[n].slope for n in part]
    how = "are not identifiable" if value < NOT else "are poorly identifiable"
    names = _listed([varied[n].name for n in part])
    return Unidentifiable(value, shares, f"{names} {how}: the data determine {_known([varied[n] for n in part], moves)}")


def _known(varied: Sequence[Varied], moves: Sequence[float]) -> str:
    """Return the combination of parameters that the data determine."""
    relative = [move / one.value if one.value else 0.0 for one, move in zip(varied, moves, strict=True)]
    if len(varied) == 2 and all(relative):
        a, b = relative
        if abs(a - b) < ALIKE * max(abs(a), abs(b)):
            return "only their ratio"
        if abs(a + b) < ALIKE * max(abs(a), abs(b)):
            return "only their product"
    largest = max(abs(one) for one in relative) if all(relative) else 0.0
    if largest:
        steps = [f"{one.name} {10.0 * part / largest:+.2g} %" for one, part in zip(varied, relative, strict=True)]
    else:
        largest_move = max(abs(move) for move in moves)
        steps = [f"{one.name} {move / largest_move:+.2g}" for one, move in zip(varied, moves, strict=True)]
    return f"only a combination of them; changing {_listed(steps)} together has almost no effect"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
