"""Straight-line programs of floating-point operations: polynomials by Horner's rule, without repeated operations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from research.triangular.polynomial import Monomial, coefficients_in

_OPERATIONS = {"*": float.__mul__, "+": float.__add__, "-": float.__sub__, "/": float.__truediv__}


class Operation(NamedTuple):
    """`target` = `left` `sign` `right`; the sign "sqrt" uses `left` only, "=" copies it. Operands are names, or numbers as Python text."""

    target: str
    sign: str
    left: str
    right: str

    @property
    def line(self) -> str:
        """Python text of the operation."""
        if self.sign == "sqrt":
            return f"{self.target} = np.sqrt({self.left})"
        return f"{self.target} = {self.left}" if self.sign == "=" else f"{self.target} = {self.left} {self.sign} {self.right}"


class Program:
    """Operations in order of execution. A repeated operation returns the name of the existing result."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.operations: list[Operation] = []
        self.done: dict[tuple[str, str, str], str] = {}

    def polynomial(self, polynomial: Mapping[Monomial, Fraction]) -> str:
        """Add the evaluation of a polynomial: Horner's rule in the name that occurs in most terms, recursively for the coefficients."""
        occurrences = Counter(k for m in polynomial for k, e in enumerate(m) if e)
        if not occurrences:
            return repr(float(sum(polynomial.values(), Fraction(0))))
        k = min(occurrences, key=lambda k: (-occurrences[k], k))
        powers = coefficients_in(polynomial, k)
        total, gap = self.polynomial(powers[-1]), 0
        for coefficient in reversed(powers[:-1]):
            gap += 1
            if coefficient:
                total, gap = self.sum(self.product(total, self.power(k, gap)), self.polynomial(coefficient)), 0
        return self.product(total, self.power(k, gap)) if gap else total

    def power(self, k: int, exponent: int) -> str:
        """Add the k-th name to a power of at least 1."""
        if exponent == 1:
            return self.names[k]
        return self.product(self.power(k, exponent // 2), self.power(k, exponent - exponent // 2))

    def product(self, a: str, b: str) -> str:
        """Add a b."""
        if "1.0" in (a, b):
            return b if a == "1.0" else a
        for one, other in ((a, b), (b, a)):
            if one == "-1.0":
                return self._do("-", "0.0", other)
        return self._do("*", *sorted((a, b)))

    def sum(self, a: str, b: str) -> str:
        """Add a + b."""
        for one, other in ((a, b), (b, a)):
            if other.startswith("-"):
                return self._do("-", one, other[1:])
        return self._do("+", *sorted((a, b)))

    def difference(self, a: str, b: str) -> str:
        """Add a - b."""
        return self._do("-", a, b)

    def quotient(self, a: str, b: str) -> str:
        """Add a / b."""
        return a if b == "1.0" else self._do("/", a, b)

    def root(self, a: str) -> str:
        """Add the square root, NaN below zero."""
        return self._do("sqrt", a, "")

    def assign(self, target: str, value: str) -> None:
        """Assign the name of an unknown to a result."""
        last = self.operations[-1] if self.operations else None
        if last and last.target == value and value not in self.names:
            self.operations[-1] = last._replace(target=target)
            self.done[last[1:]] = target
        else:
            self.operations.append(Operation(target, "=", value, ""))

    def run(self, values: dict[str, float]) -> dict[str, float]:
        """Evaluate the program in floating point and return all values."""
        known = dict(values)
        for operation in self.operations:
            left, right = (known[x] if x in known else float(x or "nan") for x in operation[2:])
            if operation.sign == "sqrt":
                known[operation.target] = math.sqrt(left) if left >= 0.0 else math.nan
            else:
                known[operation.target] = left if operation.sign == "=" else _OPERATIONS[operation.sign](left, right)
        return known

    def _do(self, sign: str, left: str, right: str) -> str:
        key = (sign, left, right)
        if key not in self.done:
            self.done[key] = f"_{len(self.done) + 1}"
            self.operations.append(Operation(self.done[key], *key))
        return self.done[key]


def scaled(polynomial: Mapping[Monomial, int]) -> dict[Monomial, Fraction]:
    """Return the polynomial unchanged if doubles represent its coefficients, else divided by the maximum coefficient."""
    largest = max(abs(c) for c in polynomial.values())
    divisor = 1 if largest < 2**53 else largest
    return {m: Fraction(c, divisor) for m, c in polynomial.items()}


def quotient_by_constant(polynomial: Mapping[Monomial, Any], divisor: Mapping[Monomial, Any]) -> dict[Monomial, Any] | None:
    """Return the quotient if the divisor is a number, else None."""
    if len(divisor) == 1 and not any(next(iter(divisor))):
        number = next(iter(divisor.values()))
        return {m: c / number for m, c in polynomial.items()}
    return None
