"""Polynomials with exact coefficients: mappings from exponents to numbers, in the order of elimination of the unknowns.

The exponents belong to `names`: the unknown eliminated first is first, the parameters are last. The comparison of two tuples of exponents
is then the pure lexicographic order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Monomial = tuple[int, ...]
Polynomial = dict[Monomial, Fraction]
"""Rational coefficients of the monomials, all nonzero."""
IntegerPolynomial = dict[Monomial, int]
"""Primitive: the coefficients have no common divisor, the leading one is positive, and comes first."""

_TERM = re.compile(r"([+-]?)([^+-]+)")


def add(a: Mapping[Monomial, Any], b: Mapping[Monomial, Any], factor: Any = 1) -> dict[Monomial, Any]:
    """Return a + factor b."""
    total = dict(a)
    for monomial, coefficient in b.items():
        value = total.get(monomial, 0) + factor * coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)
    return total


def multiply(a: Mapping[Monomial, Any], b: Mapping[Monomial, Any]) -> dict[Monomial, Any]:
    """Return a b."""
    product: dict[Monomial, Any] = {}
    for m, x in a.items():
        for n, y in b.items():
            monomial = tuple(i + j for i, j in zip(m, n, strict=True))
            product[monomial] = product.get(monomial, 0) + x * y
    return {monomial: value for monomial, value in product.items() if value}


def primitive(polynomial: Mapping[Monomial, Any]) -> IntegerPolynomial:
    """Return the multiple with integer coefficients without common divisor, the leading one positive; leading term first."""
    exact = {monomial: Fraction(int(c.numerator), int(c.denominator)) for monomial, c in polynomial.items()}
    scale = math.lcm(*(c.denominator for c in exact.values()))
    whole = {monomial: int(c * scale) for monomial, c in sorted(exact.items(), reverse=True)}
    divisor = math.gcd(*whole.values())
    if next(iter(whole.values())) < 0:
        divisor = -divisor
    return {monomial: c // divisor for monomial, c in whole.items()}


def main_variable(polynomial: Mapping[Monomial, Any]) -> int:
    """Return the index of the first name that occurs, in the order of elimination; the number of names for a constant."""
    length = len(next(iter(polynomial)))
    return min((k for m in polynomial for k in range(length) if m[k]), default=length)


def coefficients_in(polynomial: Mapping[Monomial, Any], k: int) -> list[dict[Monomial, Any]]:
    """Return the coefficients of the powers 0, 1, 2, ... of the k-th name, polynomials without this name (empty: zero)."""
    powers: list[dict[Monomial, Any]] = [{} for _ in range(1 + max(m[k] for m in polynomial))]
    for m, c in polynomial.items():
        powers[m[k]][(*m[:k], 0, *m[k + 1 :])] = c
    return powers


def digits(polynomial: IntegerPolynomial) -> int:
    """Return the number of decimal digits of the longest coefficient."""
    return max(len(str(abs(c))) for c in polynomial.values())


def value(polynomial: Mapping[Monomial, Any], point: Sequence[Any]) -> Any:
    """Return the value at a point, one number of any type for each name."""
    total: Any = 0
    for monomial, coefficient in polynomial.items():
        term: Any = coefficient
        for x, exponent in zip(point, monomial, strict=True):
            if exponent:
                term = term * x**exponent
        total = total + term
    return total


def magnitude(polynomial: Mapping[Monomial, Any], point: Sequence[Any]) -> Any:
    """Return the sum of the magnitudes of the terms at a point, the scale of the value."""
    return value({monomial: abs(c) for monomial, c in polynomial.items()}, [abs(x) for x in point])


def to_text(polynomial: IntegerPolynomial, names: Sequence[str]) -> str:
    """Return the polynomial as text, such as ``3*x^2*y-5*y+1``."""
    terms = []
    for monomial, coefficient in polynomial.items():
        powers = [name if e == 1 else f"{name}^{e}" for name, e in zip(names, monomial, strict=True) if e]
        size = [] if abs(coefficient) == 1 and powers else [str(abs(coefficient))]
        terms.append(("-" if coefficient < 0 else "+") + "*".join(size + powers))
    return "".join(terms).removeprefix("+")


def from_text(text: str, names: Sequence[str]) -> IntegerPolynomial:
    """Parse the output of `to_text` (integer coefficients, no brackets). Raises ValueError for other text."""
    index = {name: k for k, name in enumerate(names)}
    polynomial: IntegerPolynomial = {}
    for sign, term in _TERM.findall(text):
        coefficient, exponents = 1, [0] * len(names)
        for factor in term.split("*"):
            name, _, power = factor.strip().partition("^")
            if name in index:
                exponents[index[name]] += int(power or 1)
            else:
                coefficient *= int(factor)
        polynomial[tuple(exponents)] = -coefficient if sign == "-" else coefficient
    return polynomial
