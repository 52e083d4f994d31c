"""Steps across positions in which branches of a motion cross: flat parallelograms, folded linkages.

At a crossing the rows lose rank. Near a crossing the inverse of the distance magnifies the rounding error of the gaps twice: in the
tangent and again in the velocity products. The motion itself is smooth. So the steps are planned such that the integrator evaluates no
accelerations near a crossing; positions in between are interpolated.

The distance is the length of the last row after orthonormalization of the rows, relative to the first row: near a crossing it is
proportional to the remaining angle. Lengths are scaled by the size of the
mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.loops.analysis import mobility
from vehicles.multibody.motion.unweighted_projection import allocate_plain, smallest_part
from vehicles.multibody.tree.coordinates import coordinate_units, row_units
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import advance_positions

NEAR_DISTANCE = 0.2
"""Distance below which the planner looks ahead."""
CLEAR = 1e-3
"""Minimum distance of evaluations: here the magnified rounding error is 1e-10."""
DIFFERENCE_FRACTION = 0.1
"""Fraction of a step for the finite difference of the distance."""
LARGEST_TURN = 0.03
"""rad. Maximum joint rotation of a step over several time steps: the error of the Runge-Kutta method and of interpolation is 1e-9."""
LARGEST_CHANGE = 0.3
"""Maximum relative change of the velocities in such a step: at the turning point of an oscillation the rotation alone does not limit the
step.
"""
MANY_STEPS = 5
"""Number of combined steps above which a tenth of CLEAR is sufficient: in a slow motion rounding errors are smaller than the errors of
long steps.
"""
SPLITS = (1.0, 0.6, 0.4, 0.7, 0.3)
"""Fractions at which a step may be divided in two; 1: no division."""


class ChangePoints:
    """Step planner of a mechanism near crossings.

    Parameters
    ----------
    system : mechanism as flat records
    q : (n_q,) closed configuration that defines the rank of its rows
    """

    def __init__(self, system: System, q: Vector) -> None:
        self.system = system
        self._rank = mobility(system, q).rank
        self._unit = coordinate_units(system, q)
        plain = allocate_plain(system, self._rank)
        self._rows = plain._replace(unit=plain.unit * self._unit, row_unit=row_units(system, q))

    def is_away_from(self, q: Vector) -> bool:
        """Return whether q (n_q,) is far enough from a crossing for a projection on the loops."""
        return smallest_part(self._rows, q) > 0.01 * CLEAR

    def plan(self, q: Vector, v: Vector, change: Vector, h: float, most: int) -> tuple[int, tuple[float, ...]]:
        """Return the number of the next steps of h seconds, at most `most`, to combine from the state q, v, and the parts [s] of the
        combined step.

        There are one or two parts. `change` (n_v,) is the change of v in the last step.
        """
        usual: tuple[int, tuple[float, ...]] = (1, (h,))
        if self._rank == 0:
            return usual
        here = smallest_part(self._rows, q)
        if not here < NEAR_DISTANCE:
            return usual
        ahead = np.zeros_like(q)
        advance_positions(self.system.parts.tree, q, v, DIFFERENCE_FRACTION * h, ahead)
        rate = (smallest_part(self._rows, ahead) - here) / (DIFFERENCE_FRACTION * h)
        if not rate < 0.0:
            return usual
        left, clear = -here / rate, -CLEAR / rate
        if left - h >= clear and abs(left - 0.5 * h) >= clear:
            return usual
        best, spare_found = usual, 0.0
        turn, bend = (float(np.abs(x / self._unit).max()) for x in (v * h, change))
        fit = min(LARGEST_TURN / turn, LARGEST_CHANGE * turn / max(h * bend, 1e-6 * turn))
        for count, parts in _step_options(h, max(1, min(most, int(fit)))):
            spare = min(abs(left - at) for at in _stages(parts))
            if spare > spare_found and left < count * h:
                best, spare_found = (count, parts), spare
            if spare_found >= (clear if count <= MANY_STEPS else 0.1 * clear):
                break
        return best


def _step_options(h: float, most: int) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Yield numbers of steps to combine, with their parts, the shortest first."""
    for count, split in product(range(1, most + 1), SPLITS):
        whole = count * h
        yield count, (whole,) if split == 1.0 else (split * whole, (1.0 - split) * whole)


def _stages(parts: tuple[float, ...]) -> Iterator[float]:
    """Yield the times of the evaluations, from the start of the first part."""
    start = 0.0
    for part in parts:
        yield from (start, start + 0.5 * part, start + part)
        start += part


def interpolated(t: float, ends: tuple[float, float], states: tuple[Vector, Vector], rates: tuple[Vector, Vector]) -> Vector:
    """Return the state (n,) at the time t between the times `ends` of two states with their rates, by Hermite's cubic."""
    h = ends[1] - ends[0]
    s = (t - ends[0]) / h
    r = 1.0 - s
    a, b = states
    f, g = rates
    return r * r * (1.0 + 2.0 * s) * a + s * s * (1.0 + 2.0 * r) * b + h * s * r * (r * f - s * g)
