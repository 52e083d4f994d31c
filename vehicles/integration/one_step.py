"""One-step methods: explicit Euler, the partitioned semi-implicit Euler, Runge-Kutta of order 2 and 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Matrix, Vector
from vehicles.integration.contract import PartitionedIntegrator, Project, Rates, UniformIntegrator


class ExplicitEuler(UniformIntegrator):
    """y1 = y0 + h f(t0, y0); order 1 [Euler 1768]. Stable for |1 + z| <= 1: a disc around -1, no undamped oscillation."""

    order = 1
    evaluations = 1

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        return y + h * self.rates(t, y)

    @staticmethod
    def characteristic(z: Any) -> list[Any]:
        """Return R = 1 + z."""
        return [1.0, -(1.0 + z)]


class SemiImplicitEuler(PartitionedIntegrator):
    """Velocities first, then positions with the new velocities; order 1, symplectic for f without damping [de Vogelaere 1956].

        u1 = u0 + h f_u(t0, q0, u0),    q1 = q0 + h f_q(t1, q0, u1)

    An undamped oscillation is stable to h omega = 2 with constant amplitude; a damped one (natural frequency omega, damping
    ratio zeta) to h omega = 2 (sqrt(1 + zeta^2) - zeta); a velocity that only decays to -2. f is evaluated twice, but the second
    evaluation uses only the velocities, so a separate function for them would be cheap.

    Parameters
    ----------
    rates, project : as in `Integrator`
    positions : indices of q in y; all others are u
    """

    order = 1
    evaluations = 2

    def __init__(self, rates: Rates, positions: Sequence[int] | NDArray[np.int_], project: Project | None = None) -> None:
        super().__init__(rates, project)
        self.positions = np.asarray(positions, int)

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        q = self.positions
        new = y + h * self.rates(t, y)
        new[q] = y[q]
        new[q] += h * self.rates(t + h, new)[q]
        return new

    def amplification_matrix(self, A: Matrix, h: float) -> Matrix:
        """Return (1 + h Q A) (1 + h U A), with Q and U ones on the diagonal for positions and velocities."""
        one = np.eye(len(A))
        velocities, positions = one + h * A, one.copy()
        velocities[self.positions] = one[self.positions]
        positions[self.positions] += h * A[self.positions]
        return positions @ velocities


class RungeKutta2(UniformIntegrator):
    """Heun's method, Euler's step corrected by the trapezoidal rule; order 2 [Heun 1900].

    Stable for |1 + z + z^2 / 2| <= 1 (the region of all methods of order 2 with two evaluations): to -2 on the real axis, not on the
    imaginary axis, where an undamped oscillation grows only with (h omega)^4 / 8.
    """

    order = 2
    evaluations = 2

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        return heun_step(self.rates, t, y, h, self.rates(t, y))

    @staticmethod
    def characteristic(z: Any) -> list[Any]:
        """Return R = 1 + z + z^2 / 2."""
        return [1.0, -(1.0 + z + z * z / 2.0)]


def heun_step(rates: Rates, t: float, y: Vector, h: float, f: Vector) -> Vector:
    """Return y + h (f + f(t + h, y + h f)) / 2, for f = f(t, y)."""
    return y + 0.5 * h * (f + rates(t + h, y + h * f))


class RungeKutta4(UniformIntegrator):
    """The classical method of four evaluations; order 4 [Kutta 1901]. Stable to -2.79 on the real axis, to 2.83 i on the imaginary axis."""

    order = 4
    evaluations = 4

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        k1 = self.rates(t, y)
        k2 = self.rates(t + 0.5 * h, y + 0.5 * h * k1)
        k3 = self.rates(t + 0.5 * h, y + 0.5 * h * k2)
        k4 = self.rates(t + h, y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    @staticmethod
    def characteristic(z: Any) -> list[Any]:
        """Return R = 1 + z + z^2 / 2 + z^3 / 6 + z^4 / 24."""
        return [1.0, -(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))))]
