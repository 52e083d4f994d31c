"""Linearly implicit Euler, for all of a system or for its fast part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vehicles.integration.contract import Matrix, PartitionedIntegrator, Project, Rates, UniformIntegrator, Vector


class LinearlyImplicitEuler(UniformIntegrator):
    """(1 - h J) (y1 - y0) = h f(t1, y0), J = df/dy at y0 by central differences: Rosenbrock's method of one stage; order 1, with any J.

    Stable for |1 - z| >= 1, everywhere but in a disc about +1, and stiff modes die at once: L-stable; it also damps what nothing damps.
    The rates are those of t1, which is the implicit Euler step of an input that depends on time alone. [Rosenbrock 1963]
    """

    order = 1

    def __init__(self, rates: Rates, size: int, project: Project | None = None) -> None:
        super().__init__(rates, project)
        self.all = np.arange(size)
        self.evaluations = 1 + 2 * size

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        return linearly_implicit_step(self.rates, t, y, h, self.all)

    @staticmethod
    def characteristic(z: Any) -> list[Any]:
        """R = 1 / (1 - z)."""
        return [1.0 - z, -1.0]


class HybridEuler(PartitionedIntegrator):
    """The hybrid of [Deyo 1989]: slow components explicit, fast ones (suspension, wheels) linearly implicit among themselves; order 1.

        (1 - h P J P) (y1 - y0) = h f(t1, y0),    P: ones on the diagonal for the fast components

    It costs a Jacobian of the fast components only, and is stable as long as the slow modes and their coupling to the fast ones are so
    for explicit Euler: no better than that for a slow mode without damping.

    Parameters
    ----------
    rates, project : as everywhere
    fast : indices of the fast components in y
    """

    order = 1

    def __init__(self, rates: Rates, fast: Sequence[int] | NDArray[np.int_], project: Project | None = None) -> None:
        super().__init__(rates, project)
        self.fast = np.asarray(fast, int)
        self.evaluations = 1 + 2 * len(self.fast)

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        return linearly_implicit_step(self.rates, t, y, h, self.fast)

    def amplification_matrix(self, A: Matrix, h: float) -> Matrix:
        """1 + (1 - h P A P)^-1 h A."""
        one = np.eye(len(A))
        W = one.copy()
        W[np.ix_(self.fast, self.fast)] -= h * A[np.ix_(self.fast, self.fast)]
        return one + np.linalg.solve(W, h * A)


def linearly_implicit_step(rates: Rates, t: float, y: Vector, h: float, rows: NDArray[np.int_]) -> Vector:
    """Euler's step, linearly implicit in the given components and explicit in the others."""
    change = h * rates(t + h, y)
    J = differences(lambda x: rates(t + h, x)[rows], y, rows)
    change[rows] = np.linalg.solve(np.eye(len(rows)) - h * J, change[rows])
    return y + change


def differences(f: Callable[[Vector], Vector], y: Vector, columns: NDArray[np.int_], width: float = 6e-6) -> Matrix:
    """Derivatives (m, n) of f by the n components `columns` of y, by central differences of half width `width` max(1, |y_j|).

    The default width, the cube root of the smallest number that changes 1, balances rounding and curvature.
    """
    J = []
    for j in columns:
        step = width * max(1.0, abs(y[j]))
        up, down = y.copy(), y.copy()
        up[j] += step
        down[j] -= step
        J.append((f(up) - f(down)) / (2.0 * step))
    return np.array(J).T
