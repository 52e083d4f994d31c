"""What every integrator is: a system, a step, and what the step does to y' = lambda y."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Rates = Callable[[float, Vector], Vector]
"""y' (n,) at the time t [s] and the state y (n,), as a vector that later calls leave alone; y itself is not changed."""
Project = Callable[[Vector], None]
"""Brings a state (n,) back to where it has to be, in place."""


class Integrator(ABC):
    """A method with its system.

    Parameters
    ----------
    rates : f(t, y)
    project : called with every new state, see the module
    """

    order: int
    """Power of h with which the error after a fixed time falls."""
    evaluations: int
    """Evaluations of f per step."""

    def __init__(self, rates: Rates, project: Project | None = None) -> None:
        self.rates = rates
        self.project = project

    def step(self, t: float, y: Vector, h: float) -> Vector:
        """State at t + h [s] from the state y (n,) at t, as a new vector."""
        new = self.advance(t, y, h)
        if self.project is not None:
            self.project(new)
        return new

    @abstractmethod
    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """The step before the projection."""


class UniformIntegrator(Integrator):
    """A method that treats all of y alike: what it makes of y' = lambda y depends on z = h lambda alone."""

    @staticmethod
    @abstractmethod
    def characteristic(z: Any) -> list[Any]:
        """Coefficients, highest power first, of the polynomial whose roots are the factors of a step at z, a complex number or an array."""


class PartitionedIntegrator(Integrator):
    """A method that treats parts of y differently."""

    @abstractmethod
    def amplification_matrix(self, A: Matrix, h: float) -> Matrix:
        """Matrix (n, n) that one step of h seconds multiplies y with when y' = A y."""


def unit_quaternions(*starts: int) -> Project:
    """Projection for states with unit quaternions: four numbers each, beginning at these indices."""

    def normalize(y: Vector) -> None:
        for start in starts:
            y[start : start + 4] /= np.linalg.norm(y[start : start + 4])

    return normalize


def integrate(method: Integrator, t: float, y: Vector, h: float, steps: int) -> Vector:
    """State (n,) after so many steps of h seconds from the state y at the time t."""
    for n in range(steps):
        y = method.step(t + n * h, y, h)
    return y
