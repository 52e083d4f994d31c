"""The lexicographic basis of a problem, and the triangular system in it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from simulator.base.errors import JounceError
from simulator.research.triangular.polynomial import IntegerPolynomial, coefficients_in, digits, magnitude, main_variable, value
from simulator.research.triangular.problem_file import Problem
from simulator.research.triangular.singular_engine import basis_with_singular, find_singular
from simulator.research.triangular.sympy_engine import basis_with_sympy, require_sympy

ENGINES = ("auto", "sympy", "singular")
_DIGITS = 100
"""Decimal digits with which solutions are looked for."""


class Step(NamedTuple):
    """One line of a triangular system: the polynomial that gives an unknown from the parameters and the unknowns solved before it."""

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
    """A problem, its reduced lexicographic basis (least leading monomial first), and the triangular system chosen from it, in solving order.

    `solutions` is the number of complex solutions at almost all values of the parameters, counted with multiplicity; when the equations are more than
    the unknowns, at almost all values that obey `conditions`, the polynomials of the basis in the parameters alone.
    """

    problem: Problem
    engine: str
    basis: tuple[IntegerPolynomial, ...]
    steps: tuple[Step, ...]
    solutions: int

    @property
    def conditions(self) -> tuple[IntegerPolynomial, ...]:
        """Polynomials of the basis that only say what the parameters must obey."""
        return tuple(g for g in self.basis if main_variable(g) >= len(self.problem.unknowns))


def triangularize(problem: Problem, engine: str = "auto") -> Triangular:
    """Triangular system of a problem.

    Parameters
    ----------
    engine : sympy, singular, or auto: Singular if it is installed, otherwise sympy. The basis is the same.

    Raises
    ------
    JounceError : a program is missing or fails, the equations contradict each other or do not determine the unknowns
    """
    program = find_singular() if engine != "sympy" else None
    if program:
        engine, basis = "Singular", basis_with_singular(problem, program)
    elif engine == "singular":
        raise JounceError("Singular was not found: install it, or python -m pip install passagemath-singular, or name it in SINGULAR")
    else:
        engine, basis = "sympy", basis_with_sympy(problem)
    return from_basis(problem, engine, basis)


def from_basis(problem: Problem, engine: str, basis: Sequence[IntegerPolynomial]) -> Triangular:
    """Triangular system in the reduced lexicographic basis of a problem, which is given least leading monomial first.

    Raises
    ------
    JounceError : the equations contradict each other or do not determine the unknowns
    """
    if not any(next(iter(basis[0]))):
        raise JounceError("the equations contradict each other")
    steps = tuple(_step(basis, k, problem) for k in reversed(range(len(problem.unknowns))))
    return Triangular(problem, engine, tuple(basis), steps, _standard_monomials(basis, len(problem.unknowns)))


def _step(basis: Sequence[IntegerPolynomial], unknown: int, problem: Problem) -> Step:
    """Among the polynomials that introduce an unknown, the one of least degree in it, then of fewest terms, then with the least leading monomial."""
    choices = [
        Step(unknown, g, len(coefficients_in(g, unknown)) - 1, position)
        for position, g in enumerate(basis, start=1)
        if main_variable(g) == unknown
    ]
    if not choices:
        raise JounceError(f"the equations do not determine {problem.names[unknown]}")
    return min(choices, key=lambda step: (step.degree, step.terms, step.position))


def _standard_monomials(basis: Sequence[IntegerPolynomial], unknowns: int) -> int:
    """Number of monomials in the unknowns that no leading monomial divides, its parameters left out: the number of solutions."""
    leaders = {next(iter(g))[:unknowns] for g in basis if main_variable(g) < unknowns}
    highest = [min((sum(m) for m in leaders if m[k] and sum(m) == m[k]), default=0) for k in range(unknowns)]
    if not all(highest):
        raise JounceError("the unknowns are not determined up to finitely many solutions: give more equations, or fewer unknowns")
    candidates = itertools.product(*(range(h) for h in highest))
    return sum(not any(all(i <= j for i, j in zip(m, c, strict=True)) for m in leaders) for c in candidates)


def solutions_at(triangular: Triangular, parameters: Sequence[Fraction]) -> list[tuple[Any, ...]]:
    """Complex solutions at given parameters, as tuples of mpmath numbers in the order of the unknowns.

    Solves the triangular system with 100 digits and keeps what makes the whole basis vanish, as far as the parameters obey their conditions.

    Raises
    ------
    JounceError : sympy, which brings mpmath, is missing, or the parameters are special: a leading coefficient vanishes
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
    """True when the imaginary parts of a solution are rounding."""
    return all(abs(x.imag) < 1e-30 * max(1.0, abs(x)) for x in solution)


def _roots(step: Step, point: list[Any], names: tuple[str, ...]) -> list[Any]:
    import mpmath

    coefficients = [value(c, point) for c in coefficients_in(step.polynomial, step.unknown)]
    if abs(coefficients[-1]) <= mpmath.mpf(10) ** (-_DIGITS // 2) * max(abs(c) for c in coefficients):
        raise JounceError(f"at these parameters the leading coefficient of the polynomial for {names[step.unknown]} vanishes")
    try:
        return mpmath.polyroots(coefficients[::-1], maxsteps=500, extraprec=500)
    except mpmath.NoConvergence:
        raise JounceError(f"at these parameters several solutions for {names[step.unknown]} are one") from None


def _size(polynomial: IntegerPolynomial, point: list[Any]) -> float:
    """Value of a polynomial relative to the size of its terms."""
    size = magnitude(polynomial, point)
    return float(abs(value(polynomial, point)) / size) if size else 0.0
