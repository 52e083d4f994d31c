"""Linearly implicit Euler, for a complete system or for its fast part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Matrix, Vector
from vehicles.integration.contract import PartitionedIntegrator, Project, Rates, UniformIntegrator


class LinearlyImplicitEuler(UniformIntegrator):
    """(1 - h J) (y1 - y0) = h f(t1, y0), J = df/dy at y0 by central differences: Rosenbrock's method of one stage; order 1, with any J.

    Stable for |1 - z| >= 1, everywhere outside a disc around +1. L-stable: stiff modes decay within one step. Undamped modes are damped,
    too. The rates are evaluated at t1, which is the implicit Euler step of an input that depends only on time. [Rosenbrock 1963]
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
        """Return R = 1 / (1 - z)."""
        return [1.0 - z, -1.0]


class HybridEuler(PartitionedIntegrator):
    """Hybrid method of [Deyo 1989]: slow components explicit, fast ones (suspension, wheels) linearly implicit among themselves; order 1.

        (1 - h P J P) (y1 - y0) = h f(t1, y0),    P: ones on the diagonal for the fast components

    The method needs a Jacobian of the fast components only. It is stable as long as explicit Euler is stable for the slow modes and their
    coupling to the fast ones, with the same limit for a slow mode without damping.

    Parameters
    ----------
    rates, project : as in `Integrator`
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
        """Return 1 + (1 - h P A P)^-1 h A."""
        one = np.eye(len(A))
        W = one.copy()
        W[np.ix_(self.fast, self.fast)] -= h * A[np.ix_(self.fast, self.fast)]
        return one + np.linalg.solve(W, h * A)


def linearly_implicit_step(rates: Rates, t: float, y: Vector, h: float, rows: NDArray[np.int_]) -> Vector:
    """Return the state after an Euler step, linearly implicit in the given components and explicit in the others."""
    change = h * rates(t + h, y)
    J = differences(lambda x: rates(t + h, x)[rows], y, rows)
    change[rows] = np.linalg.solve(np.eye(len(rows)) - h * J, change[rows])
    return y + change


def differences(f: Callable[[Vector], Vector], y: Vector, columns: NDArray[np.int_], width: float = 6e-6) -> Matrix:
    """Return the derivatives (m, n) of f with respect to the n components `columns` of y, by central differences of half width `width`
    max(1, |y_j|).

    The default width, the cube root of the machine epsilon, balances rounding and curvature.
    """
    J = []
    for j in columns:
        step = width * max(1.0, abs(y[j]))
        up, down = y.copy(), y.copy()
        up[j] += step
        down[j] -= step
        J.append((f(up) - f(down)) / (2.0 * step))
    return np.array(J).T
