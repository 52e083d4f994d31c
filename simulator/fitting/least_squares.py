"""Least squares whose every round is one sweep: the residuals at a point and at its neighbours, one for each parameter, are found at a time.

Parameters are shares u of their range: 0 at `least`, 1 at `most`, of the logarithm where that is how they are scaled. The step is that of
scipy's trust region within bounds (Branch, Coleman and Li, 1999); the neighbours give the Jacobian by one-sided differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError

Array = NDArray[np.float64]

CLOSE = 1e-6
"""1. The search ends where a round makes the sum of squares smaller by less than this share: a few percent of a standard error are left."""

MISSING = "a fit needs scipy: python -m pip install 'jounce[fit]'"


@dataclass(frozen=True)
class Failed:
    """Instead of residuals, why there are none."""

    reason: str


Residuals = Callable[[Sequence[Array]], Sequence[Array | Failed]]
"""Weighted residuals (n,) at each of several points u (p,)."""


@dataclass(frozen=True)
class Round:
    """A point that was looked at."""

    u: Array
    residuals: Array | Failed
    jacobian: Array
    """(n, p) per unit of u; (0, p) where there are no residuals."""

    @property
    def cost(self) -> float:
        """Half the sum of squares; infinite where there is none."""
        return np.inf if isinstance(self.residuals, Failed) else 0.5 * float(self.residuals @ self.residuals)


@dataclass(frozen=True)
class Solution:
    """Where the search has ended."""

    best: Round
    rounds: tuple[Round, ...]
    """In their order."""
    why: str
    """Why it has ended."""
    settled: bool
    """Whether it has come to a point where nothing gets better."""


def need_scipy() -> None:
    """Raises JounceError: scipy is not installed."""
    if find_spec("scipy") is None:
        raise JounceError(MISSING)


def solve(residuals: Residuals, start: Array, difference: float, most: int, told: Callable[[Round], None] = lambda _: None) -> Solution:
    """Look for the least sum of squares of residuals.

    Parameters
    ----------
    start : u (p,) to begin with, each from 0 to 1
    difference : of u, from a point to its neighbours
    most : rounds
    told : called after each of them

    Raises JounceError: scipy is not installed, or there are no residuals at the start or beside a point that has them.
    """
    need_scipy()
    from scipy.optimize import least_squares

    looks = _Looks(residuals, difference, told)
    if isinstance(first := looks.at(np.asarray(start, dtype=float)).residuals, Failed):
        raise JounceError(f"there is nothing to compare at the start: {first.reason}")
    found = least_squares(looks.residuals, start, looks.jacobian, bounds=(0.0, 1.0), x_scale="jac", ftol=CLOSE, xtol=CLOSE, max_nfev=most)
    best = min(looks.rounds, key=lambda one: one.cost)
    return Solution(best, tuple(looks.rounds), _words(found, most), found.status > 0)


def _words(found: Any, most: int) -> str:
    reasons = {
        0: f"given up after {most} rounds: it still got better",
        1: "nothing gets better in any direction",
        2: f"the sum of squares got smaller by less than {CLOSE:g} of itself",
        3: "the parameters hardly moved any more",
        4: "neither the sum of squares nor the parameters moved any more",
    }
    return reasons.get(found.status, str(found.message))


class _Looks:
    """Points that were looked at: each costs one sweep, also where the search asks twice."""

    def __init__(self, residuals: Residuals, difference: float, told: Callable[[Round], None]) -> None:
        self._residuals, self._difference, self._told = residuals, difference, told
        self.rounds: list[Round] = []

    def at(self, u: Array) -> Round:
        """A point with its neighbours. Raises JounceError: beside it there is nothing to compare."""
        for known in self.rounds:
            if np.array_equal(known.u, u):
                return known
        steps = np.where(u + self._difference <= 1.0, self._difference, -self._difference)
        here, *beside = self._residuals([u.copy(), *_moved(u, steps)])
        jacobian = np.empty((0, len(u)))
        if not isinstance(here, Failed):
            self._turn(u, steps, beside)
            jacobian = np.stack([_slope(here, other, step) for other, step in zip(beside, steps, strict=True)], axis=1)
        self.rounds.append(Round(u.copy(), here, jacobian))
        self._told(self.rounds[-1])
        return self.rounds[-1]

    def _turn(self, u: Array, steps: Array, beside: list[Array | Failed]) -> None:
        """Where there is nothing on one side, look on the other one."""
        turned = [n for n, one in enumerate(beside) if isinstance(one, Failed) and 0.0 <= u[n] - steps[n] <= 1.0]
        steps[turned] *= -1.0
        points = _moved(u, steps)
        for n, found in zip(turned, self._residuals([points[n] for n in turned]) if turned else (), strict=True):
            beside[n] = found

    def residuals(self, u: Array) -> Array:
        """Those at a point; infinite where there are none, from which the search draws back."""
        found = self.at(u).residuals
        return np.full_like(self.rounds[0].residuals, np.inf) if isinstance(found, Failed) else found

    def jacobian(self, u: Array) -> Array:
        return self.at(u).jacobian


def _moved(u: Array, steps: Array) -> list[Array]:
    """A point for each parameter, a step away."""
    return list(u + np.diag(steps))


def _slope(here: Array, beside: Array | Failed, step: float) -> Array:
    if isinstance(beside, Failed):
        raise JounceError(f"there is nothing to compare beside a point that has residuals: {beside.reason}")
    return (beside - here) / step
