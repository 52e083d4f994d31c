"""Parser of equations to polynomials with exact coefficients, by recursive descent. Nothing is evaluated; the grammar contains only
polynomials.

    equation    sum [ "=" sum ]
    sum         [ "+" | "-" ] product { ( "+" | "-" ) product }
    product     power { ( "*" | "/" ) power }               the divisor must be a number
    power       atom [ ( "^" | "**" ) integer ]
    atom        number | name | ( "sin" | "cos" ) "(" angle ")" | "(" sum ")" | "-" atom

Numbers are decimal and exact: 16.97 is 1697/100.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from research.triangular.polynomial import Polynomial, add, multiply
from simulator.base.errors import JounceError

_TOKEN = re.compile(r"\s*(?:(\d{1,40}(?:\.\d{0,40})?(?:[eE][+-]?\d\d?)?)|([A-Za-z_]\w*)|(\*\*|[-+*/^()=]))")
_MAX_TERMS = 20_000
_MAX_POWER = 30
_MAX_DEPTH = 50


class ExpressionError(JounceError):
    """A text is not an equation between polynomials in the known names."""


def parse_equation(text: str, names: Mapping[str, int], angles: Mapping[str, tuple[str, str]]) -> Polynomial:
    """Return the left side minus the right side of an equation; the default right side is 0.

    Parameters
    ----------
    names : index of the exponent of each name
    angles : names of the sine and the cosine of each angle, for ``sin(A)`` and ``cos(A)``

    Raises
    ------
    ExpressionError : a text outside the grammar of this module, an unknown name, or a polynomial beyond the size limits
    """
    parser = _Parser(text, names, angles)
    left = parser.sum(0)
    if parser.take("="):
        left = add(left, parser.sum(0), Fraction(-1))
    if parser.kind != "end":
        raise ExpressionError(f"{parser.token!r} is unexpected after {parser.before()!r}")
    return left


class _Parser:
    """Tokens of a text."""

    def __init__(self, text: str, names: Mapping[str, int], angles: Mapping[str, tuple[str, str]]) -> None:
        self.text, self.names, self.angles = text, names, angles
        self.one = (0,) * len(names)
        self.end = self.start = 0
        self.kind = self.token = ""
        self.advance()

    def advance(self) -> None:
        """Read the next token."""
        self.start = self.end
        if not self.text[self.end :].strip():
            self.kind, self.token = "end", "the end"
            return
        match = _TOKEN.match(self.text, self.end)
        if match is None:
            raise ExpressionError(f"{self.text[self.end :].strip()[0]!r} is unexpected after {self.before()!r}")
        self.end = match.end()
        number, name, sign = match.groups()
        self.kind, self.token = ("number", number) if number else ("name", name) if name else ("sign", sign)

    def before(self) -> str:
        """Return the end of the text before the token, for messages."""
        return self.text[: self.start].strip()[-30:]

    def take(self, *signs: str) -> str:
        """Consume and return the next token if it is one of the signs; else return an empty string."""
        token = self.token
        if self.kind != "sign" or token not in signs:
            return ""
        self.advance()
        return token

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise ExpressionError(f"{sign!r} is missing after {self.before()!r}")

    def sum(self, depth: int) -> Polynomial:
        if depth > _MAX_DEPTH:
            raise ExpressionError(f"more than {_MAX_DEPTH} nested brackets")
        sign = self.take("+", "-") or "+"
        total: Polynomial = {}
        while sign:
            total = add(total, self.product(depth), Fraction(-1 if sign == "-" else 1))
            sign = self.take("+", "-")
        return total

    def product(self, depth: int) -> Polynomial:
        result = self.power(depth)
        while sign := self.take("*", "/"):
            factor = self.power(depth)
            if sign == "/":
                factor = {self.one: 1 / self._constant(factor)}
            result = self._product(result, factor)
        return result

    def power(self, depth: int) -> Polynomial:
        base = self.atom(depth)
        if not self.take("^", "**"):
            return base
        if self.kind != "number" or not self.token.isdigit() or int(self.token) > _MAX_POWER:
            raise ExpressionError(f"the exponent {self.token!r} is not an integer up to {_MAX_POWER}")
        exponent = int(self.token)
        self.advance()
        result: Polynomial = {self.one: Fraction(1)}
        for _ in range(exponent):
            result = self._product(result, base)
        return result

    def atom(self, depth: int) -> Polynomial:
        kind, token = self.kind, self.token
        if self.take("-"):
            if depth > _MAX_DEPTH:
                raise ExpressionError(f"more than {_MAX_DEPTH} nested signs")
            return add({}, self.atom(depth + 1), Fraction(-1))
        if self.take("("):
            inside = self.sum(depth + 1)
            self.expect(")")
            return inside
        if kind not in ("number", "name"):
            raise ExpressionError(f"a number or a name is missing after {self.before()!r}")
        self.advance()
        if kind == "number":
            return {self.one: Fraction(token)} if Fraction(token) else {}
        if token in ("sin", "cos") and self.take("("):
            return self._variable(self._of_angle(token))
        return self._variable(token)

    def _of_angle(self, function: str) -> str:
        angle = self.token
        if angle not in self.angles:
            raise ExpressionError(f"{function}({angle}): {angle!r} is not one of the angles {', '.join(self.angles) or '(none)'}")
        self.advance()
        self.expect(")")
        return self.angles[angle][function == "cos"]

    def _variable(self, name: str) -> Polynomial:
        if name not in self.names:
            raise ExpressionError(f"{name!r} is not one of the names {', '.join(self.names)}")
        k = self.names[name]
        return {(*self.one[:k], 1, *self.one[k + 1 :]): Fraction(1)}

    def _constant(self, polynomial: Polynomial) -> Fraction:
        if list(polynomial) != [self.one]:
            raise ExpressionError(f"the divisor before {self.token!r} must be a nonzero number")
        return polynomial[self.one]

    def _product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if len(a) * len(b) > _MAX_TERMS:
            raise ExpressionError(f"a product has more than {_MAX_TERMS} terms")
        return multiply(a, b)
