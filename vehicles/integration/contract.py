"""Interface of the integrators: a system, a step, and the characteristic factors of the step for y' = lambda y."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.base.arrays import Matrix, Vector

Rates = Callable[[float, Vector], Vector]
"""y' (n,) at the time t [s] and the state y (n,), as a new vector that later calls do not change; y is not changed."""
Project = Callable[[Vector], None]
"""Projects a state (n,) to its manifold, in place."""


class Integrator(ABC):
    """An integration method with its system.

    Parameters
    ----------
    rates : f(t, y)
    project : called with each new state, see the package docstring
    """

    order: int
    """Order of convergence: power of h in the error at a fixed time."""
    evaluations: int
    """Evaluations of f per step."""

    def __init__(self, rates: Rates, project: Project | None = None) -> None:
        self.rates = rates
        self.project = project

    def step(self, t: float, y: Vector, h: float) -> Vector:
        """Return the state at t + h [s] from the state y (n,) at t, as a new vector."""
        new = self.advance(t, y, h)
        if self.project is not None:
            self.project(new)
        return new

    @abstractmethod
    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """Return the state after the step, before the projection."""


class UniformIntegrator(Integrator):
    """A method with the same formula for all of y: its factors for y' = lambda y depend only on z = h lambda."""

    @staticmethod
    @abstractmethod
    def characteristic(z: Any) -> list[Any]:
        """Return the coefficients, highest power first, of the polynomial whose roots are the factors of a step at z, a complex number or
        an array.
        """


class PartitionedIntegrator(Integrator):
    """A method that treats parts of y differently."""

    @abstractmethod
    def amplification_matrix(self, A: Matrix, h: float) -> Matrix:
        """Return the matrix (n, n) of one step of h seconds for y' = A y."""


def unit_quaternions(*starts: int) -> Project:
    """Return the projection for states with unit quaternions: four numbers each, at these start indices."""

    def normalize(y: Vector) -> None:
        for start in starts:
            y[start : start + 4] /= np.linalg.norm(y[start : start + 4])

    return normalize


def integrate(method: Integrator, t: float, y: Vector, h: float, steps: int) -> Vector:
    """Return the state (n,) after `steps` steps of h seconds from the state y at the time t."""
    for n in range(steps):
        y = method.step(t + n * h, y, h)
    return y
