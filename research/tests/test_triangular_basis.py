"""Do both programs compute exactly the published lexicographic bases, with all solutions?"""

import json
import math
import os
import stat
from decimal import Decimal, localcontext
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest

from research.triangular import singular_engine
from research.triangular.basis import is_real, solutions_at, triangularize
from research.triangular.file_kind import PROBLEMS
from research.triangular.polynomial import add, digits, from_text, magnitude, multiply, primitive, value
from research.triangular.problem_file import load_problem, problem_from_mapping
from simulator.base.errors import JounceError

DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "mechanisms"
FACTS = json.loads((DATA / "landing_gear.json").read_text())
symbolic = pytest.mark.skipif(find_spec("sympy") is None, reason="sympy is not installed")
singular = pytest.mark.skipif(singular_engine.find_singular() is None, reason="Singular is not installed")


def problem(name):
    return load_problem(PROBLEMS / f"{name}.yaml")


def table(triangular):
    """(unknown, degree, terms, digits) of the triangular system."""
    return [(triangular.problem.names[s.unknown], s.degree, s.terms, s.digits) for s in triangular.steps]


GEAR = problem("landing_gear")
STORED = [from_text(line, GEAR.names) for line in (DATA / "landing_gear_basis.txt").read_text().splitlines()]


@pytest.fixture(scope="module")
def gear():
    return triangularize(GEAR, "sympy")


@symbolic
def test_table_4_of_the_paper(gear):
    """Degrees, terms and digits of the landing gear; polynomials 1, 2, 5, 9 to 13 of 13."""
    assert table(gear) == [
        ("sB", 6, 28, 62), ("cB", 1, 40, 132), ("sD", 1, 37, 245), ("cD", 1, 6, 9),
        ("sA", 1, 37, 264), ("cA", 1, 37, 264), ("sF", 1, 37, 252), ("cF", 1, 37, 254),
    ]  # fmt: skip
    assert [step.position for step in gear.steps] == [1, 2, 5, 9, 10, 11, 12, 13]
    assert gear.solutions == 6


@symbolic
def test_sympy_finds_the_basis_that_singular_found(gear):
    assert list(gear.basis) == STORED


def test_stored_basis_has_the_facts_of_the_reference():
    for polynomial, fact in zip(STORED, FACTS["table4"], strict=True):
        leading = dict(zip(GEAR.names, next(iter(polynomial)), strict=True))
        assert {name: e for name, e in leading.items() if e} == fact["leading_monomial"]
        assert (len(polynomial), digits(polynomial)) == (fact["terms"], fact["longest_integer_digits"])


def closed_form(t, side):
    """The gear at tan(theta_A / 2) = t to 90 digits, from circles in the plane: no angle and no polynomial is needed."""
    a, e = Decimal("178.4"), Decimal("164.4")
    sA, cA = 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)
    k = (-25 * cA - 212 * sA + 231, 25 * sA - 212 * cA - 62)
    square = k[0] ** 2 + k[1] ** 2
    along = (square + e * e - a * a) / 2
    across = side * (square * e * e - along * along).sqrt()
    cD, sD = ((along * k[0] - across * k[1]) / (square * e), (along * k[1] + across * k[0]) / (square * e))
    link = ((e * cD - k[0]) / a, (e * sD - k[1]) / a)  # -(cos, -sin)(A + F)
    cF, sF = -(cA * link[0] - sA * link[1]), cA * link[1] + sA * link[0]
    v = (
        62 * sA - 42 * cA + Decimal("16.97") * sD + Decimal("6.08") * cD + 231,
        42 * sA + 62 * cA + Decimal("6.08") * sD - Decimal("16.97") * cD - 62,
    )
    p = (v[0] ** 2 + v[1] ** 2).sqrt()
    u = (v[0] / p, -v[1] / p)  # (cos, sin)(A + B)
    cB, sB = cA * u[0] + sA * u[1], cA * u[1] - sA * u[0]
    return {"cF": cF, "sF": sF, "cA": cA, "sA": sA, "cD": cD, "sD": sD, "cB": cB, "sB": sB, "p": p}


@pytest.mark.parametrize("t", ["0.1", "0.3", "0.5", "0.9", "1.7", "5", "-8"])
@pytest.mark.parametrize("side", [1, -1])
def test_stored_basis_vanishes_on_the_closed_form(t, side):
    with localcontext() as context:
        context.prec = 90
        point = closed_form(Decimal(t), side)
        exact = [point[name] for name in GEAR.names]
        for polynomial in (*map(primitive, GEAR.equations), *STORED):
            assert abs(value(polynomial, exact)) < Decimal("1e-80") * magnitude(polynomial, exact)
        # and on nothing else: with one sine off by 1e-20 the polynomials that lead in it do not vanish
        exact[GEAR.names.index("sB")] += Decimal("1e-20")
        assert abs(value(STORED[0], exact)) > Decimal("1e-40") * magnitude(STORED[0], exact)


def test_stored_basis_generates_the_equations():
    """Every equation is divided by the basis without a remainder, so the basis has no solution too many."""
    for equation in GEAR.equations:
        rest = dict(equation)
        while rest:
            lead = max(rest)
            divisor = next(g for g in STORED if all(i >= j for i, j in zip(lead, next(iter(g)), strict=True)))
            top = next(iter(divisor))
            factor = {tuple(i - j for i, j in zip(lead, top, strict=True)): Fraction(rest[lead]) / divisor[top]}
            rest = add(rest, multiply(factor, divisor), -1)


@symbolic
@pytest.mark.parametrize("length", sorted(FACTS["real_sB_roots_of_g1"], key=float))
def test_real_positions_of_the_landing_gear(gear, length):
    found = solutions_at(gear, (Fraction(length),))
    assert len(found) == 6
    sB = sorted(float(s[GEAR.names.index("sB")].real) for s in found if is_real(s))
    assert sB == pytest.approx(sorted(map(float, FACTS["real_sB_roots_of_g1"][length])), abs=1e-15)


@symbolic
def test_six_real_positions_near_full_extension(gear):
    counts = {p: sum(map(is_real, solutions_at(gear, (Fraction(p),)))) for p in (170, 250, 305, 313, 318, 323, 326)}
    assert counts == {170: 0, 250: 2, 305: 4, 313: 6, 318: 4, 323: 2, 326: 0}


@symbolic
def test_table_2_of_the_paper():
    """Degrees and terms of a loop of a five-link suspension; the digits are of other hardpoints. The rest is the constant distance (15)."""
    loop = triangularize(problem("five_link_loop"), "sympy")
    assert [row[:3] for row in table(loop)] == [("cb", 1, 8), ("sb", 2, 28), ("ca", 1, 6), ("sa", 1, 8)]
    assert (len(loop.basis), loop.solutions, len(loop.conditions)) == (10, 2, 1)
    assert len(loop.conditions[0]) == 57
    assert len([s for s in solutions_at(loop, loop.problem.example) if is_real(s)]) == 2


@symbolic
def test_leg_of_a_stewart_platform():
    """Two leg lengths times two universal joint angles."""
    leg = triangularize(problem("stewart_leg"), "sympy")
    assert (len(leg.basis), leg.solutions) == (5, 4)
    assert [row[:2] for row in table(leg)] == [("s", 2), ("cb", 2), ("sb", 1), ("ca", 1), ("sa", 1)]
    found = solutions_at(leg, leg.problem.example)
    length = math.hypot(*map(float, leg.problem.example))
    assert sorted({round(float(s[4].real), 12) for s in found}) == pytest.approx([-2 - length, -2 + length], abs=1e-11)
    assert len(found) == 4
    assert all(map(is_real, found))


@symbolic
def test_four_bar_of_any_lengths():
    four_bar = triangularize(problem("four_bar"), "sympy")
    assert (four_bar.solutions, [row[:2] for row in table(four_bar)]) == (2, [("cw", 2), ("sw", 1), ("cu", 1), ("su", 1)])


@singular
@pytest.mark.parametrize("name", ["landing_gear", "stewart_leg", "five_link_loop", "four_bar"])
def test_singular_gives_the_same_basis(name, request):
    by_singular = triangularize(problem(name), "singular")
    by_sympy = STORED if name == "landing_gear" else triangularize(problem(name), "sympy").basis
    assert list(by_singular.basis) == list(by_sympy)


@singular
def test_leg_from_the_pose_has_35_polynomials():
    leg = triangularize(problem("stewart_leg_pose"), "singular")
    assert (len(leg.basis), leg.solutions) == (35, 4)
    assert [row[:3] for row in table(leg)] == [("s", 2, 55), ("cb", 2, 90), ("sb", 1, 9), ("ca", 1, 6), ("sa", 1, 9)]


@symbolic
@pytest.mark.parametrize(
    ("unknowns", "equations", "words"),
    [
        (["x"], ["x - 1", "x - 2"], "contradict"),
        (["x", "y"], ["x - y"], "infinitely many solutions|do not determine y"),
        (["x", "y"], ["x*y - x", "y^2 - 1"], "infinitely many solutions"),
    ],
)
@pytest.mark.parametrize("kind", ["variables", "coefficients"])
def test_equations_that_cannot_be_solved(unknowns, equations, words, kind):
    mapping = {"name": "n", "unknowns": unknowns, "parameters": ["p"], "parameters_are": kind, "equations": equations}
    with pytest.raises(JounceError, match=words):
        triangularize(problem_from_mapping(mapping, "f"), "sympy")


@symbolic
@pytest.mark.parametrize("kind", ["variables", "coefficients"])
def test_small_system_by_hand(kind):
    """x^2 + y^2 = p, x = y + 1: y from 2 y^2 + 2 y + 1 - p = 0."""
    mapping = {
        "name": "n",
        "unknowns": ["x", "y"],
        "parameters": ["p"],
        "parameters_are": kind,
        "equations": ["x^2 + y^2 = p", "x = y + 1"],
    }
    found = triangularize(problem_from_mapping(mapping, "f"), "sympy")
    assert list(found.basis) == [from_text("2*y^2+2*y-p+1", ["x", "y", "p"]), from_text("x-y-1", ["x", "y", "p"])]


def fake_singular(folder, body):
    program = folder / "Singular"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\n{body}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


@pytest.mark.skipif(os.name == "nt", reason="needs a shell script")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "failed"),
        ("echo '? error'", "failed"),
        ("echo BASIS; echo hello; echo END", "unexpected output"),
        ("sleep 5", "did not finish"),
    ],
)
def test_singular_that_misbehaves(tmp_path, body, words):
    with pytest.raises(JounceError, match=words):
        singular_engine.basis_with_singular(problem("stewart_leg"), fake_singular(tmp_path, body), time_limit=0.5)


def test_programs_that_are_missing(monkeypatch):
    monkeypatch.setenv("SINGULAR", "/no/such/Singular")
    with pytest.raises(JounceError, match="cannot start"):
        triangularize(problem("stewart_leg"), "singular")
    monkeypatch.setattr("research.triangular.basis.find_singular", lambda: None)
    with pytest.raises(JounceError, match="not found"):
        triangularize(problem("stewart_leg"), "singular")
    monkeypatch.setitem(__import__("sys").modules, "sympy", None)
    with pytest.raises(JounceError, match=r"needs sympy; hint: run .* install"):
        triangularize(problem("stewart_leg"), "sympy")
