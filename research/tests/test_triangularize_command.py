"""Output and errors of `python -m research triangularize`."""

import json
import math
import sys
from importlib.util import find_spec

import pytest
from research_program import call, start

from research.triangular.singular_engine import find_singular
from tests.end_to_end.program import ROOT, finish, refused

pytestmark = pytest.mark.skipif(find_spec("sympy") is None, reason="sympy is not installed")

TRIANGLE = """
name: two rods
angles: [A, B]
unknowns: [sB, cB, sA, cA]
parameters: [x, y]
parameters_are: coefficients
equations:
  - 3*cos(A) + 2*cos(B) = x
  - 3*sin(A) + 2*sin(B) = y
example: {x: 3, y: 2}
"""


@pytest.fixture
def rods(tmp_path):
    file = tmp_path / "rods.yaml"
    file.write_text(TRIANGLE)
    return file


def test_report(capsys, rods):
    code, out, err = call(capsys, "triangularize", rods, "--engine", "sympy")
    assert (code, err) == (0, "")
    assert out.startswith(
        "two rods: lexicographic basis of 4 polynomials (sympy)\norder sB > cB > sA > cA > x > y, parameters as coefficients\n"
    )
    assert "g1  cA             2" in out
    assert out.endswith("2 complex solutions, 2 real at x = 3, y = 2\n")


def test_json(capsys, rods):
    code, out, _ = call(capsys, "triangularize", rods, "--at", "x=6", "--json")
    report = json.loads(out)
    assert code == 0
    assert len(out.splitlines()) == 1
    assert report["solutions"] == {"complex": 2, "at": {"x": 6.0, "y": 2.0}, "real": 0}
    assert [(g["unknown"], g["degree"]) for g in report["triangular"]] == [("cA", 2), ("sA", 1), ("cB", 1), ("sB", 1)]
    assert report["triangular"][0]["polynomial"] == report["basis"][0]


def test_written_kernel_solves(capsys, rods, tmp_path, monkeypatch):
    assert call(capsys, "triangularize", rods, "--write", tmp_path / "two_rods.py", "--basis", tmp_path / "basis.txt")[0] == 0
    assert len((tmp_path / "basis.txt").read_text().splitlines()) == 4
    monkeypatch.syspath_prepend(str(tmp_path))
    import two_rods

    for branch in (1.0, -1.0):
        cA, sA, cB, sB = two_rods.solve(3.0, 2.0, branch)
        assert (3 * cA + 2 * cB, 3 * sA + 2 * sB) == pytest.approx((3.0, 2.0), abs=1e-14)
        assert (math.hypot(sA, cA), math.hypot(sB, cB)) == pytest.approx((1.0, 1.0), abs=1e-14)
    assert math.isnan(two_rods.solve(6.0, 2.0, 1.0)[0])
    del sys.modules["two_rods"]


def test_shipped_files_by_name(capsys):
    code, out, _ = call(capsys, "triangularize", "stewart_leg")
    assert code == 0
    assert "4 complex solutions, 4 real" in out


def test_a_mechanism_file_becomes_a_kernel(capsys, tmp_path, monkeypatch):
    """The slider-crank at a crank angle of 0.3: the rod of 0.15 m reaches from the crank of 0.05 m to the slider."""
    mechanism = ROOT / "configs" / "mechanisms" / "slider_crank.yaml"
    assert call(capsys, "triangularize", mechanism, "--write", tmp_path / "slider_crank_kernel.py")[0] == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    import slider_crank_kernel

    travel, _, _ = slider_crank_kernel.solve(math.sin(0.3), math.cos(0.3), 1.0)
    assert 0.2 + travel == pytest.approx(0.05 * math.cos(0.3) + math.sqrt(0.15**2 - (0.05 * math.sin(0.3)) ** 2), abs=1e-15)
    del sys.modules["slider_crank_kernel"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no_such_mechanism"], "landing_gear"),
        (["nowhere/file.yaml"], "nowhere/file.yaml"),
        ([ROOT / "configs/mechanisms/stewart.yaml"], "--loop NAME"),
        ([ROOT / "configs/mechanisms/bricard.yaml"], "independent: true"),
        (["stewart_leg", "--loop", "C"], "--loop"),
        (["stewart_leg", "--at", "dx"], "NAME=NUMBER"),
        (["stewart_leg", "--at", "q=1"], "dx, dy, dz"),
        (["stewart_leg", "--at", "dx=nan"], "finite"),
        (["stewart_leg", "--at", "dx=0,dy=0,dz=0"], "leading coefficient"),
        (["stewart_leg", "--write", "/no/such/folder/leg.py"], "cannot be written"),
    ],
)
def test_refusals(capsys, arguments, words):
    assert words in refused(call(capsys, "triangularize", *arguments))


def test_a_kernel_needs_an_example(capsys, rods, tmp_path):
    rods.write_text(TRIANGLE.replace("example: {x: 3, y: 2}", ""))
    assert "example" in refused(call(capsys, "triangularize", rods, "--write", tmp_path / "k.py"))
    assert not (tmp_path / "k.py").exists()


@pytest.mark.skipif(find_singular() is not None, reason="Singular is installed")
def test_singular_that_is_missing(capsys):
    assert "passagemath-singular" in refused(call(capsys, "triangularize", "landing_gear", "--engine", "singular"))


def test_sympy_that_is_missing(tmp_path):
    """One line says what to install; nothing else of the program needs it."""
    (tmp_path / "sympy.py").write_text("raise ImportError('hidden')")
    result = finish(start("triangularize", "stewart_leg", cwd=tmp_path, path=(tmp_path,)))
    assert "hint: run " in (line := refused(result))
    assert "sympy" in line
