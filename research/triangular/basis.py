"""The lexicographic basis of a problem, and its triangular system."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from research.triangular.polynomial import IntegerPolynomial, coefficients_in, digits, magnitude, main_variable, value
from research.triangular.problem_file import Problem
from research.triangular.singular_engine import basis_with_singular, find_singular
from research.triangular.sympy_engine import basis_with_sympy, require_sympy
from simulator.base.errors import JounceError

_DIGITS = 100
"""Decimal digits of the solutions."""


class Step(NamedTuple):
    """One line of a triangular system: the polynomial that determines an unknown from the parameters and the previous unknowns."""

    unknown: int
    polynomial: IntegerPolynomial
    degree: int
    position: int

    @property
    def terms(self) -> int:
        """Number of terms."""
        return len(self.polynomial)

    @property
    def digits(self) -> int:
        """Decimal digits of the longest coefficient."""
        return digits(self.polynomial)


@dataclass(frozen=True)
class Triangular:
    """A problem, its reduced lexicographic basis (smallest leading monomial first), and the triangular system chosen from it, in solving
    order.

    `solutions` is the number of complex solutions at almost all values of the parameters, with multiplicity. With more equations than
    unknowns the number holds at almost all values that satisfy `conditions`, the polynomials of the basis in the parameters alone.
    """

    problem: Problem
    engine: str
    basis: tuple[IntegerPolynomial, ...]
    steps: tuple[Step, ...]
    solutions: int

    @property
    def conditions(self) -> tuple[IntegerPolynomial, ...]:
        """Polynomials of the basis that are conditions on the parameters."""
        return tuple(g for g in self.basis if main_variable(g) >= len(self.problem.unknowns))


def triangularize(problem: Problem, engine: str = "auto") -> Triangular:
    """Return the triangular system of a problem.

    Parameters
    ----------
    engine : sympy, singular, or auto: Singular if it is installed, otherwise sympy. The basis is the same.

    Raises
    ------
    JounceError : a program is missing or fails, or the equations contradict each other or do not determine the unknowns
    """
    program = find_singular() if engine != "sympy" else None
    if program:
        engine, basis = "Singular", basis_with_singular(problem, program)
    elif engine == "singular":
        from simulator.base.installation import install_package

        raise JounceError(f"Singular not found; hint: set SINGULAR to its path, or run {install_package('passagemath-singular')}")
    else:
        engine, basis = "sympy", basis_with_sympy(problem)
    return from_basis(problem, engine, basis)


def from_basis(problem: Problem, engine: str, basis: Sequence[IntegerPolynomial]) -> Triangular:
    """Return the triangular system in the reduced lexicographic basis of a problem, smallest leading monomial first.

    Raises
    ------
    JounceError : the equations contradict each other or do not determine the unknowns
    """
    if not any(next(iter(basis[0]))):
        raise JounceError("the equations contradict each other")
    steps = tuple(_step(basis, k, problem) for k in reversed(range(len(problem.unknowns))))
    return Triangular(problem, engine, tuple(basis), steps, _standard_monomials(basis, len(problem.unknowns)))


def _step(basis: Sequence[IntegerPolynomial], unknown: int, problem: Problem) -> Step:
    """Return the polynomial that determines an unknown with the minimum degree in it, then the fewest terms, then the smallest leading
    monomial.
    """
    choices = [
        Step(unknown, g, len(coefficients_in(g, unknown)) - 1, position)
        for position, g in enumerate(basis, start=1)
        if main_variable(g) == unknown
    ]
    if not choices:
        raise JounceError(f"the equations do not determine {problem.names[unknown]}")
    return min(choices, key=lambda step: (step.degree, step.terms, step.position))


def _standard_monomials(basis: Sequence[IntegerPolynomial], unknowns: int) -> int:
    """Return the number of monomials in the unknowns that no leading monomial, without parameters, divides: the number of solutions."""
    leaders = {next(iter(g))[:unknowns] for g in basis if main_variable(g) < unknowns}
    highest = [min((sum(m) for m in leaders if m[k] and sum(m) == m[k]), default=0) for k in range(unknowns)]
    if not all(highest):
        raise JounceError("infinitely many solutions; hint: use more equations or fewer unknowns")
    candidates = itertools.product(*(range(h) for h in highest))
    return sum(not any(all(i <= j for i, j in zip(m, c, strict=True)) for m in leaders) for c in candidates)


def solutions_at(triangular: Triangular, parameters: Sequence[Fraction]) -> list[tuple[Any, ...]]:
    """Return the complex solutions at given parameters, as tuples of mpmath numbers in the order of the unknowns.

    Solves the triangular system with 100 digits and keeps the solutions of the complete basis, up to the residual of the conditions on the
    parameters.

    Raises
    ------
    JounceError : sympy, which includes mpmath, is missing, or the parameters are special: a leading coefficient is zero
    """
    require_sympy()
    import mpmath

    with mpmath.workdps(_DIGITS):
        known = [mpmath.mpf(x.numerator) / x.denominator for x in parameters]
        points: list[list[Any]] = [[mpmath.mpf(0)] * len(triangular.problem.unknowns) + known]
        for step in triangular.steps:
            points = [
                [*point[: step.unknown], root, *point[step.unknown + 1 :]]
                for point in points
                for root in _roots(step, point, triangular.problem.names)
            ]
        tolerance = max([1e-30, *(1e4 * _size(g, points[0]) for g in triangular.conditions)])
        good = [point for point in points if all(_size(g, point) < tolerance for g in triangular.basis)]
        return [tuple(point[: len(triangular.problem.unknowns)]) for point in good]


def is_real(solution: Sequence[Any]) -> bool:
    """Return whether the imaginary parts of a solution are rounding errors."""
    return all(abs(x.imag) < 1e-30 * max(1.0, abs(x)) for x in solution)


def _roots(step: Step, point: list[Any], names: tuple[str, ...]) -> list[Any]:
    import mpmath

    coefficients = [value(c, point) for c in coefficients_in(step.polynomial, step.unknown)]
    if abs(coefficients[-1]) <= mpmath.mpf(10) ** (-_DIGITS // 2) * max(abs(c) for c in coefficients):
        raise JounceError(f"the leading coefficient of the polynomial for {names[step.unknown]} is zero at these parameters")
    try:
        return mpmath.polyroots(coefficients[::-1], maxsteps=500, extraprec=500)
    except mpmath.NoConvergence:
        raise JounceError(f"multiple solution for {names[step.unknown]} at these parameters") from None


def _size(polynomial: IntegerPolynomial, point: list[Any]) -> float:
    """Return the value of a polynomial relative to the magnitude of its terms."""
    size = magnitude(polynomial, point)
    return float(abs(value(polynomial, point)) / size) if size else 0.0
