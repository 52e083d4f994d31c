"""Lexicographic bases with sympy alone.

The Buchberger algorithm of sympy computes some lexicographic bases at once (a loop of a five-link suspension) and never finishes others
(the landing gear of [Uchida 2012]), but needs about a second for the bases in the graded order. So this module converts a graded basis.
With the parameters as coefficients the number of solutions is finite, and FGLM of sympy converts the basis. With the parameters as
variables the number is infinite. Then `_convert` collects the members of the ideal up to a degree, and Buchberger's criterion checks
whether they are a basis.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from itertools import combinations
from typing import Any

from research.triangular.polynomial import IntegerPolynomial, Monomial, add, primitive
from research.triangular.problem_file import Problem
from simulator.base.errors import JounceError

_HIGHEST_DEGREE = 40
_MAX_ROWS = 1000
_MAX_COMPARISONS = 2_000_000
_PRIME = 2147483647
"""Prime for the search of the required degree; modular arithmetic is faster."""


def require_sympy() -> None:
    """Raise JounceError when sympy cannot be imported."""
    try:
        import sympy  # noqa: F401
    except ImportError:
        from simulator.base.installation import install_extra

        raise JounceError(f"this command needs sympy; hint: run {install_extra('symbolic')}") from None


def basis_with_sympy(problem: Problem) -> list[IntegerPolynomial]:
    """Return the reduced lexicographic basis of a problem, smallest leading monomial first. Raises JounceError."""
    require_sympy()
    from sympy.polys.domains import QQ
    from sympy.polys.groebnertools import groebner
    from sympy.polys.orderings import grevlex
    from sympy.polys.rings import PolyRing

    if problem.as_coefficients and problem.parameters:
        return _over_field(problem)
    equations = [{m: QQ(c.numerator, c.denominator) for m, c in equation.items()} for equation in problem.equations]
    ring = PolyRing(problem.names, QQ, _counted_order(_MAX_COMPARISONS))
    try:
        return [primitive(g) for g in reversed(groebner([ring.from_dict(e) for e in equations], ring))]
    except _TooLongError:
        ring = PolyRing(problem.names, QQ, grevlex)
        return _convert([ring.from_dict(e) for e in equations], ring, len(problem.unknowns))


class _TooLongError(Exception):
    """The number of monomial comparisons exceeds the limit."""


def _counted_order(most: int) -> Any:
    """Return the lexicographic order of sympy with a limit of `most` monomials, which unlike a time limit is equal on all machines."""
    from sympy.polys.orderings import LexOrder

    class Counted(LexOrder):
        used = 0

        def __call__(self, monomial: Monomial) -> Monomial:
            self.used += 1
            if self.used > most:
                raise _TooLongError
            return monomial

        def __eq__(self, other: object) -> bool:
            return self is other

        __hash__ = object.__hash__

    return Counted()


def _over_field(problem: Problem) -> list[IntegerPolynomial]:
    """Return the basis over the rational functions of the parameters, by FGLM, with denominators cleared."""
    from sympy.polys.domains import QQ
    from sympy.polys.fglmtools import matrix_fglm
    from sympy.polys.groebnertools import groebner
    from sympy.polys.orderings import grevlex, lex
    from sympy.polys.rings import PolyRing

    inner = PolyRing(problem.parameters, QQ, lex)
    field = inner.to_field().to_domain()
    ring = PolyRing(problem.unknowns, field, grevlex)
    count = len(problem.unknowns)
    equations = []
    for equation in problem.equations:
        split: dict[Monomial, Any] = {}
        for m, c in equation.items():
            part = inner.from_dict({m[count:]: QQ(c.numerator, c.denominator)})
            split[m[:count]] = split.get(m[:count], inner.zero) + part
        equations.append(ring.from_dict({m: field.from_PolynomialRing(part, inner.to_domain()) for m, part in split.items()}))
    graded = groebner(equations, ring)
    if graded == [ring.one]:
        return [{(0,) * len(problem.names): 1}]
    if not _determined([g.LM for g in graded], count):
        raise JounceError("infinitely many solutions; hint: use more equations or fewer unknowns")
    converted = matrix_fglm(graded, ring, lex)
    return sorted((_cleared(g) for g in converted), key=lambda g: next(iter(g)))


def _cleared(polynomial: Any) -> IntegerPolynomial:
    """Multiply a polynomial with rational functions as coefficients by their common denominator."""
    common = next(iter(polynomial.values())).denom
    for fraction in polynomial.values():
        common = common.lcm(fraction.denom)
    flat = {}
    for m, fraction in polynomial.items():
        for n, c in (fraction.numer * common.exquo(fraction.denom)).items():
            flat[(*m, *n)] = c
    return primitive(flat)


def _convert(equations: list[Any], ring: Any, unknowns: int) -> list[IntegerPolynomial]:
    """Convert the basis in the graded order of `ring` to a lexicographic basis, for any number of solutions.

    A division in a graded order never raises degrees, so the members of the ideal up to a degree are exactly the relations among the
    remainders of the monomials up to this degree. The loop raises the degree until the relations determine the unknowns and satisfy
    Buchberger's criterion.
    """
    from sympy.polys.domains import GF
    from sympy.polys.groebnertools import groebner

    graded = groebner(equations, ring)
    _check_dimension(graded, ring.ngens, unknowns)
    modular = ring.clone(domain=GF(_PRIME))
    images = [_image(g, modular) for g in equations]
    quick, exact = _Remainders([_image(g, modular) for g in graded], modular), _Remainders(graded, ring)
    for degree in range(max(sum(g.LM) for g in graded), _HIGHEST_DEGREE + 1):
        found = quick.relations(degree)
        if _determined(found, unknowns) and _is_basis(list(found.values()), images, modular):
            basis = [primitive(relation) for relation in exact.relations(degree).values()]
            if _is_basis(basis, equations, ring):
                return basis
    raise JounceError(
        f"no lexicographic basis with polynomials up to degree {_HIGHEST_DEGREE}; hint: use fewer unknowns, or declare more of them as "
        "parameters"
    )


def _check_dimension(graded: list[Any], names: int, unknowns: int) -> None:
    """Raise JounceError when more names than the parameters are free.

    A set of names is free when no leading monomial consists of these names alone.
    """
    used = [frozenset(k for k, e in enumerate(g.LM) if e) for g in graded]
    for chosen in combinations(range(names), names - unknowns + 1):
        if not any(leader <= set(chosen) for leader in used):
            raise JounceError("infinitely many solutions; hint: use more equations or fewer unknowns")


def _image(polynomial: Any, ring: Any) -> Any:
    """Map a polynomial with rational coefficients to a ring over another field."""
    return ring.from_dict({m: ring.domain(int(c.numerator)) / ring.domain(int(c.denominator)) for m, c in polynomial.items()})


class _Remainders:
    """Remainders of monomials modulo a graded basis, and the linear relations among them."""

    def __init__(self, graded: list[Any], ring: Any) -> None:
        self.ring = ring
        self.leaders = [(g.LM, g) for g in graded]
        self.known: dict[Monomial, dict[Monomial, Any]] = {}

    def remainder(self, monomial: Monomial) -> dict[Monomial, Any]:
        """Return the remainder of a monomial, computed from a congruent sum of smaller monomials."""
        if monomial not in self.known:
            k = next((k for k in reversed(range(len(monomial))) if monomial[k] and self._leader(_lowered(monomial, k)) is not None), None)
            if (leader := self._leader(monomial)) is None:
                self.known[monomial] = {monomial: self.ring.domain.one}
            elif k is not None:
                smaller = self.remainder(_lowered(monomial, k))
                self.known[monomial] = self._sum((_raised(m, k), c) for m, c in smaller.items())
            else:
                cofactor = tuple(i - j for i, j in zip(monomial, leader.LM, strict=True))
                tail = ((tuple(map(sum, zip(m, cofactor, strict=True))), -c / leader.LC) for m, c in leader.items() if m != leader.LM)
                self.known[monomial] = self._sum(tail)
        return self.known[monomial]

    def _leader(self, monomial: Monomial) -> Any:
        """Return the member of the graded basis whose leading monomial divides a monomial, or None."""
        return next((g for leader, g in self.leaders if _divides(leader, monomial)), None)

    def _sum(self, terms: Iterable[tuple[Monomial, Any]]) -> dict[Monomial, Any]:
        """Return the sum of the remainders of terms."""
        total: dict[Monomial, Any] = {}
        for monomial, coefficient in terms:
            total = add(total, self.remainder(monomial), coefficient)
        return total

    def relations(self, degree: int) -> dict[Monomial, dict[Monomial, Any]]:
        """Return the reduced members of the ideal up to a degree, by leading monomial, smallest first; each is zero modulo the graded
        basis.

        The loop visits monomials in lexicographic order. A monomial whose remainder depends linearly on the remainders of smaller ones
        leads a new relation; its multiples are skipped.
        """
        found: dict[Monomial, dict[Monomial, Any]] = {}
        rows: list[tuple[Monomial, dict[Monomial, Any], dict[Monomial, Any]]] = []
        one = (0,) * self.ring.ngens
        waiting, seen = [one], {one}
        while waiting:
            monomial = heapq.heappop(waiting)
            if any(_divides(leader, monomial) for leader in found):
                continue
            rest, relation = self.remainder(monomial), {monomial: self.ring.domain.one}
            for pivot, row, combination in rows:
                if pivot in rest:
                    factor = -rest[pivot]
                    rest, relation = add(rest, row, factor), add(relation, combination, factor)
            if not rest:
                found[monomial] = relation
                continue
            if len(rows) == _MAX_ROWS:
                raise JounceError(
                    "too many equations for sympy; hint: install Singular, or declare more names as parameters, as coefficients"
                )
            pivot = max(rest)
            rows.append((pivot, _divided(rest, rest[pivot]), _divided(relation, rest[pivot])))
            if sum(monomial) < degree:
                for larger in (_raised(monomial, k) for k in range(len(monomial))):
                    if larger not in seen:
                        seen.add(larger)
                        heapq.heappush(waiting, larger)
        return found


def _divided(row: dict[Monomial, Any], divisor: Any) -> dict[Monomial, Any]:
    return {m: c / divisor for m, c in row.items()}


def _raised(monomial: Monomial, k: int) -> Monomial:
    return (*monomial[:k], monomial[k] + 1, *monomial[k + 1 :])


def _lowered(monomial: Monomial, k: int) -> Monomial:
    return (*monomial[:k], monomial[k] - 1, *monomial[k + 1 :])


def _divides(a: Monomial, b: Monomial) -> bool:
    return all(i <= j for i, j in zip(a, b, strict=True))


def _determined(leaders: Any, unknowns: int) -> bool:
    """Return whether for each unknown a power of it alone (times parameters) leads a relation: then the number of values is finite."""
    powers = {k for m in leaders for k in range(unknowns) if m[k] and not any(m[:k]) and not any(m[k + 1 : unknowns])}
    return len(powers) == unknowns


def _is_basis(members: list[Any], equations: list[Any], graded_ring: Any) -> bool:
    """Return whether members of the ideal are a basis of the ideal.

    The members generate the ideal if the equations have remainder zero. Buchberger's criterion requires remainder zero for the
    S-polynomials of all pairs; pairs whose leading monomials share no factor always satisfy it.
    """
    from sympy.polys.groebnertools import spoly
    from sympy.polys.orderings import lex

    ring = graded_ring.clone(order=lex)
    basis = [ring.from_dict({m: ring.domain.convert(c) for m, c in g.items()}) for g in members]
    pairs = ((f, g) for f, g in combinations(basis, 2) if any(i and j for i, j in zip(f.LM, g.LM, strict=True)))
    return all(not e.set_ring(ring).rem(basis) for e in equations) and all(not spoly(f, g, ring).rem(basis) for f, g in pairs)
