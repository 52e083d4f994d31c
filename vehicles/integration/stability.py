"""Stability of integrators on a linear system y' = A y: the factor of each mode per step, and the maximum stable step."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Matrix
from vehicles.integration.contract import Integrator, PartitionedIntegrator, UniformIntegrator

ComplexVector = NDArray[np.complex128]

ROUNDING = 1e-9
"""Tolerance of a factor above 1: a mode that neither grows nor decays exceeds 1 by rounding."""

SHORTEST_STEP, LONGEST_STEP = 1e-5, 1.0
"""s. Search range of the maximum stable step."""

RATIO = 1.05
"""Ratio of successive steps in the search; unstable intervals shorter than this ratio between stable steps are not detected."""

START = 0.01
"""Product of the fastest eigenvalue and the step at which the tracking of eigenvalues starts."""

ROUNDS = 40
"""Number of steps of the tracking."""


def factors(method: Integrator, A: Matrix, eigenvalues: ComplexVector, h: float) -> ComplexVector:
    """Return the factor (n,) of each mode of y' = A y in a step of h seconds; the largest one if a multistep method has several.

    Parameters
    ----------
    A : (n, n)
    eigenvalues : (n,) of A, which define the order of the result
    """
    if isinstance(method, PartitionedIntegrator):
        return tracked_eigenvalues(partial(method.amplification_matrix, A), eigenvalues, h)
    assert isinstance(method, UniformIntegrator)
    return largest_roots(method.characteristic(h * eigenvalues))


def spectral_radius(method: Integrator, A: Matrix, eigenvalues: ComplexVector, h: float) -> float:
    """Return the maximum absolute value of the `factors`."""
    if isinstance(method, PartitionedIntegrator):
        return float(np.abs(np.linalg.eigvals(method.amplification_matrix(A, h))).max())
    return float(np.abs(factors(method, A, eigenvalues, h)).max())


def largest_roots(coefficients: list[NDArray[np.complex128]]) -> ComplexVector:
    """Return the root (n,) of largest absolute value of each of n polynomials, given by arrays of coefficients, highest power first."""
    first, *others = np.broadcast_arrays(*(np.asarray(c, complex) for c in coefficients))
    companion = np.zeros((len(first), len(others), len(others)), complex)
    companion[:, 1:, :-1] = np.eye(len(others) - 1)
    companion[:, 0, :] = -np.stack(others, axis=1) / first[:, None]
    roots = np.linalg.eigvals(companion)
    return roots[np.arange(len(roots)), np.abs(roots).argmax(axis=1)]


def tracked_eigenvalues(matrix: Callable[[float], Matrix], eigenvalues: ComplexVector, h: float) -> ComplexVector:
    """Return the eigenvalues (n,) of the matrix (n, n) of one step of h seconds, in the order of their modes.

    The eigenvalues are tracked from a step so short that they are 1 + h lambda, by extrapolation to longer steps. A pair that meets on the
    real axis and leaves it (or vice versa) has an arbitrary order.
    """
    steps = np.geomspace(min(0.1 * h, START / np.abs(eigenvalues).max()), h, ROUNDS)
    before = np.ones(len(eigenvalues), complex)
    now, last = before, 0.0
    target = 1.0 + steps[0] * eigenvalues
    for step, after in zip(steps, [*steps[1:], steps[-1]], strict=True):
        before, now = now, matched_order(np.linalg.eigvals(matrix(step)).astype(complex), target)
        target = now + (now - before) * (after - step) / (step - last)
        last = step
    return now


def matched_order(values: ComplexVector, targets: ComplexVector) -> ComplexVector:
    """Return the values (n,) in the order of the targets (n,), each assigned to its nearest target, the nearest pair first."""
    distance = np.abs(values[:, None] - targets[None, :])
    order = np.empty(len(targets), int)
    for _ in targets:
        i, j = np.unravel_index(distance.argmin(), distance.shape)
        order[j] = i
        distance[i, :] = distance[:, j] = math.inf
    return values[order]


def largest_stable_step(radius: Callable[[float], float]) -> float:
    """Return the longest step [s] up to which each step is stable, inf beyond LONGEST_STEP, 0 below SHORTEST_STEP; `radius` is the largest factor at
    a step.
    """
    h = SHORTEST_STEP
    while radius(h) <= 1.0 + ROUNDING:
        h *= RATIO
        if h > LONGEST_STEP:
            return math.inf
    if h == SHORTEST_STEP:
        return 0.0
    low, high = h / RATIO, h
    while high - low > 1e-6 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if radius(middle) <= 1.0 + ROUNDING else (low, middle)
    return low
