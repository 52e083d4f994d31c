"""Steps over the positions in which branches of a motion cross: parallelograms that lie flat, folded linkages.

There the rows lose rank for an instant, and near them what rounding leaves of the gaps is magnified by the distance twice: once to the
tangent, once more to the velocity products. The motion itself goes through smoothly. So a step is laid in such a way that no state at which
the integrator asks for accelerations is near; positions in between are interpolated.

The distance is measured by what is left of the last row when the rows are made orthonormal, as a part of the first: near a crossing it is
proportional to the angle that is left. Lengths count in sizes of the
mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from vehicles.multibody.loops.analysis import mobility
from vehicles.multibody.motion.unweighted_projection import lay_out_plain, smallest_part
from vehicles.multibody.tree.coordinates import coordinate_units, row_units
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import advance_positions

Vector = NDArray[np.float64]

NEAR = 0.2
"""Distance below which one looks ahead."""
CLEAR = 1e-3
"""Distance that is kept: rounding is magnified to 1e-10 there."""
AHEAD = 0.1
"""Part of a step by which the state is moved to see how the distance changes."""
LARGEST_TURN = 0.03
"""rad. Turn of any joint up to which steps are taken at once: the error of Runge and Kutta's method, and of interpolation, is 1e-9 there."""
LARGEST_CHANGE = 0.3
"""Change of the velocities, as a part of them, up to which steps are taken at once: at the end of a swing the turn alone allows any time."""
MANY = 5
"""Steps at once above which a tenth of CLEAR will do: a slow motion is harmed less by rounding, and more by long steps."""
SPLITS = (1.0, 0.6, 0.4, 0.7, 0.3)
"""Where a step may be divided in two; 1: not at all."""


class ChangePoints:
    """Looks out for crossings ahead of a mechanism.

    Parameters
    ----------
    system : laid-out mechanism
    q : (n_q,) closed configuration at which the rank of its rows is found
    """

    def __init__(self, system: System, q: Vector) -> None:
        self.system = system
        self._rank = mobility(system, q).rank
        self._unit = coordinate_units(system, q)
        plain = lay_out_plain(system, self._rank)
        self._rows = plain._replace(unit=plain.unit * self._unit, row_unit=row_units(system, q))

    def is_beside(self, q: Vector) -> bool:
        """Whether q (n_q,) is far enough from a crossing to be brought onto the loops."""
        return smallest_part(self._rows, q) > 0.01 * CLEAR

    def plan(self, q: Vector, v: Vector, change: Vector, h: float, most: int) -> tuple[int, tuple[float, ...]]:
        """How many of the coming steps of h seconds, `most` at most, are taken at once from the state q, v, and its parts [s]: one or two.
        `change` (n_v,) is what v became other by in the last step."""
        usual: tuple[int, tuple[float, ...]] = (1, (h,))
        if self._rank == 0:
            return usual
        here = smallest_part(self._rows, q)
        if not here < NEAR:
            return usual
        ahead = np.zeros_like(q)
        advance_positions(self.system.parts.tree, q, v, AHEAD * h, ahead)
        rate = (smallest_part(self._rows, ahead) - here) / (AHEAD * h)
        if not rate < 0.0:
            return usual
        left, clear = -here / rate, -CLEAR / rate
        if left - h >= clear and abs(left - 0.5 * h) >= clear:
            return usual
        best, found = usual, 0.0
        turn, bend = (float(np.abs(x / self._unit).max()) for x in (v * h, change))
        fit = min(LARGEST_TURN / turn, LARGEST_CHANGE * turn / max(h * bend, 1e-6 * turn))
        for count, parts in _ways(h, max(1, min(most, int(fit)))):
            spare = min(abs(left - at) for at in _stages(parts))
            if spare > found and left < count * h:
                best, found = (count, parts), spare
            if found >= (clear if count <= MANY else 0.1 * clear):
                break
        return best


def _ways(h: float, most: int) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Steps that may be taken at once, with their parts, the shortest first."""
    for count, split in product(range(1, most + 1), SPLITS):
        whole = count * h
        yield count, (whole,) if split == 1.0 else (split * whole, (1.0 - split) * whole)


def _stages(parts: tuple[float, ...]) -> Iterator[float]:
    """Times of the evaluations, from the beginning of the first part."""
    start = 0.0
    for part in parts:
        yield from (start, start + 0.5 * part, start + part)
        start += part


def interpolated(t: float, ends: tuple[float, float], states: tuple[Vector, Vector], rates: tuple[Vector, Vector]) -> Vector:
    """State (n,) at the time t between the times `ends` of two states with their rates, by Hermite's cubic."""
    h = ends[1] - ends[0]
    s = (t - ends[0]) / h
    r = 1.0 - s
    a, b = states
    f, g = rates
    return r * r * (1.0 + 2.0 * s) * a + s * s * (1.0 + 2.0 * r) * b + h * s * r * (r * f - s * g)
