"""Nonlinear least squares. Every iteration is one sweep: the residuals at a point and at one neighbor for each parameter.

Parameters are normalized to u in their range: 0 at `least`, 1 at `most`, linear or logarithmic. The step is that of scipy's trust region
within bounds (Branch, Coleman and Li, 1999). The neighbors give the Jacobian by one-sided differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import JounceError

CLOSE = 1e-6
"""Relative change of the sum of squares below which the search ends; the remaining error is a few percent of a standard error."""


@dataclass(frozen=True)
class Failed:
    """Reason why a run has no residuals."""

    reason: str


Residuals = Callable[[Sequence[Array]], Sequence[Array | Failed]]
"""Function that returns the weighted residuals (n,) at each of several points u (p,)."""


@dataclass(frozen=True)
class Round:
    """An evaluated point."""

    u: Array
    residuals: Array | Failed
    jacobian: Array
    """(n, p) per unit of u; (0, p) without residuals."""

    @property
    def cost(self) -> float:
        """Half the sum of squares; infinite without residuals."""
        return np.inf if isinstance(self.residuals, Failed) else 0.5 * float(self.residuals @ self.residuals)


@dataclass(frozen=True)
class Solution:
    """Result of a search."""

    best: Round
    rounds: tuple[Round, ...]
    """Evaluated points in order."""
    why: str
    """Reason for the end of the search."""
    settled: bool
    """True if the search has converged."""


def solve(residuals: Residuals, start: Array, difference: float, most: int, progress: Callable[[Round], None] = lambda _: None) -> Solution:
    """Minimize the sum of squares of residuals.

    Parameters
    ----------
    start : u (p,) at the start, each from 0 to 1
    difference : distance in u from a point to its neighbors
    most : maximum number of iterations
    progress : called after each iteration

    Raises JounceError: residuals are missing at the start or at a neighbor of a valid point.
    """
    from scipy.optimize import least_squares

    evaluated = _EvaluatedPoints(residuals, difference, progress)
    if isinstance(first := evaluated.at(np.asarray(start, dtype=float)).residuals, Failed):
        raise JounceError(f"no residuals at the start: {first.reason}")
    found = least_squares(
        evaluated.residuals, start, evaluated.jacobian, bounds=(0.0, 1.0), x_scale="jac", ftol=CLOSE, xtol=CLOSE, max_nfev=most
    )
    best = min(evaluated.rounds, key=lambda one: one.cost)
    return Solution(best, tuple(evaluated.rounds), _words(found, most), found.status > 0)


def _words(found: Any, most: int) -> str:
    reasons = {
        0: f"stopped after {most} iterations without convergence",
        1: "the gradient is zero",
        2: f"the relative change of the sum of squares is below {CLOSE:g}",
        3: "the parameters no longer change",
        4: "neither the sum of squares nor the parameters change",
    }
    return reasons.get(found.status, str(found.message))


class _EvaluatedPoints:
    """Cache of evaluated points. Each point costs one sweep, even if the search requests it twice."""

    def __init__(self, residuals: Residuals, difference: float, progress: Callable[[Round], None]) -> None:
        self._residuals, self._difference, self._progress = residuals, difference, progress
        self.rounds: list[Round] = []

    def at(self, u: Array) -> Round:
        """Return a point with its neighbors. Raises JounceError: a neighbor has no residuals."""
        for known in self.rounds:
            if np.array_equal(known.u, u):
                return known
        steps = np.where(u + self._difference <= 1.0, self._difference, -self._difference)
        here, *neighbors = self._residuals([u.copy(), *_moved(u, steps)])
        jacobian = np.empty((0, len(u)))
        if not isinstance(here, Failed):
            self._turn(u, steps, neighbors)
            jacobian = np.stack([_slope(here, other, step) for other, step in zip(neighbors, steps, strict=True)], axis=1)
        self.rounds.append(Round(u.copy(), here, jacobian))
        self._progress(self.rounds[-1])
        return self.rounds[-1]

    def _turn(self, u: Array, steps: Array, neighbors: list[Array | Failed]) -> None:
        """Replace neighbors without residuals by points on the opposite side."""
        turned = [n for n, one in enumerate(neighbors) if isinstance(one, Failed) and 0.0 <= u[n] - steps[n] <= 1.0]
        steps[turned] *= -1.0
        points = _moved(u, steps)
        for n, found in zip(turned, self._residuals([points[n] for n in turned]) if turned else (), strict=True):
            neighbors[n] = found

    def residuals(self, u: Array) -> Array:
        """Return the residuals at a point. Missing residuals are infinite, so the search reduces its step."""
        found = self.at(u).residuals
        return np.full_like(self.rounds[0].residuals, np.inf) if isinstance(found, Failed) else found

    def jacobian(self, u: Array) -> Array:
        return self.at(u).jacobian


def _moved(u: Array, steps: Array) -> list[Array]:
    """Return a point for each parameter, displaced by its step."""
    return list(u + np.diag(steps))


def _slope(here: Array, neighbors: Array | Failed, step: float) -> Array:
    if isinstance(neighbors, Failed):
        raise JounceError(f"no residuals at a neighbor of a valid point: {neighbors.reason}")
    return (neighbors - here) / step
