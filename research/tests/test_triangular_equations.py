"""Are problem files of equations parsed correctly?"""

from fractions import Fraction

import pytest

from research.triangular.expression_parser import ExpressionError, parse_equation
from research.triangular.polynomial import from_text, primitive, to_text
from research.triangular.problem_file import load_problem, problem_from_mapping
from simulator.base.errors import ConfigError

NAMES = {"x": 0, "y": 1, "sA": 2, "cA": 3}
ANGLES = {"A": ("sA", "cA")}


def parsed(text):
    return parse_equation(text, NAMES, ANGLES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("16.97*x", {(1, 0, 0, 0): Fraction(1697, 100)}),
        ("x - 1e-3", {(1, 0, 0, 0): 1, (0, 0, 0, 0): Fraction(-1, 1000)}),
        ("-x^2 + 2*x*y/3", {(2, 0, 0, 0): -1, (1, 1, 0, 0): Fraction(2, 3)}),
        ("(x + y)**2 = x^2 + y^2", {(1, 1, 0, 0): 2}),
        ("x*sin(A) - -y*cos(A)", {(1, 0, 1, 0): 1, (0, 1, 0, 1): 1}),
        ("2*-x + 3*(x - 0)*x^0", {(1, 0, 0, 0): 1}),
        ("0*x + y", {(0, 1, 0, 0): 1}),
        ("x/(1/2 + 0.5)", {(1, 0, 0, 0): 1}),
    ],
)
def test_polynomials_are_exact(text, expected):
    assert parsed(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "x +", "x y", "x = y = 1", "x / y", "x / 0", "x ^ 1.5", "x ^ y", "x ^ 31", "x ^ -1", "(x", "x)", "z", "sin(x)", "sin A", "sin(A", "x; y", "tan(A)",
        "__import__('os')", "x.real", "x[0]", "lambda: x", "1e999", "1" * 41, "(" * 60 + "x" + ")" * 60, "-" * 60 + "x", "(x+y+sA+cA+1)^30*(x+y+sA+cA+2)^30",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text):
    with pytest.raises(ExpressionError):
        parsed(text)


def test_text_of_polynomials_is_read_back():
    polynomial = primitive({(2, 1, 0, 0): Fraction(-3, 4), (0, 0, 1, 0): Fraction(1, 6), (0, 0, 0, 0): Fraction(5)})
    assert to_text(polynomial, list(NAMES)) == "9*x^2*y-2*sA-60"
    assert from_text("9*x^2*y-2*sA-60", list(NAMES)) == polynomial


def mapping(**changes):
    base = {"name": "slider", "angles": ["A"], "unknowns": ["sA", "cA"], "parameters": ["x"], "equations": ["x - 2*cA = 0"]}
    return {**base, **changes}


def test_circles_are_added_for_unknown_angles_only():
    problem = problem_from_mapping(mapping(), "f")
    assert problem.equations == ({(0, 0, 1): 1, (0, 1, 0): -2}, {(2, 0, 0): 1, (0, 2, 0): 1, (0, 0, 0): -1})
    known = problem_from_mapping(mapping(unknowns=["x"], parameters=["sA", "cA"], example={"A": 0.5}), "f")
    assert len(known.equations) == 1
    assert [float(v) for v in known.example] == pytest.approx([0.479425538604203, 0.8775825618903728], abs=1e-15)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"unknowns": ["sA"]}, "angles"),
        ({"unknowns": ["sA", "cA", "cA"]}, "unknowns"),
        ({"unknowns": ["sA", "cA", "lambda"]}, "unknowns"),
        ({"unknowns": ["sA", "cA", "a b"]}, "unknowns"),
        ({"unknowns": []}, "unknowns"),
        ({"parameters": ["x", "cA"]}, "parameters"),
        ({"parameters": [f"x{k}" for k in range(50)]}, "parameters"),
        ({"equations": ["x - 2*cB"]}, "equations[0]"),
        ({"equations": ["x - 2*cA", "1 = 1"]}, "equations[1]"),
        ({"equations": "x"}, "equations"),
        ({"equations": [3]}, "equations[0]"),
        ({"example": {"x": 1.0, "y": 1.0}}, "example.y"),
        ({"example": {}}, "example.x"),
        ({"parameters_are": "numbers"}, "parameters_are"),
        ({"order": []}, "order"),
    ],
)
def test_faults_of_a_file_are_named(changes, key):
    with pytest.raises(ConfigError) as caught:
        problem_from_mapping(mapping(**changes), "f.yaml")
    assert (caught.value.file, caught.value.key) == ("f.yaml", key)


def test_digest_does_not_depend_on_line_ends(tmp_path):
    unix, windows = tmp_path / "unix.yaml", tmp_path / "windows.yaml"
    text = "name: a\nunknowns: [x]\nequations: [x - 1]\n"
    unix.write_bytes(text.encode())
    windows.write_bytes(text.replace("\n", "\r\n").encode())
    assert load_problem(unix) == load_problem(windows)
