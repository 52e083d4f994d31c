"""Do the generated kernels solve their mechanisms, and are they equal to the output of the command?"""

import csv
import itertools
import json
import math
from importlib.util import find_spec
from pathlib import Path

import five_link_loop
import four_bar
import numpy as np
import pytest

from research.benchmarks import stewart_leg
from research.triangular.basis import from_basis, triangularize
from research.triangular.code_generator import module_text
from research.triangular.file_kind import PROBLEMS
from research.triangular.polynomial import from_text
from research.triangular.problem_file import load_problem
from research.triangular.straight_line_program import Program
from simulator.validation.linkages.generated import landing_gear
from simulator.validation.linkages.landing_gear import positions_at
from simulator.validation.linkages.polynomial_roots import real_roots

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "mechanisms"
WRITTEN = (ROOT / "simulator" / "validation" / "linkages" / "generated", ROOT / "research" / "benchmarks", Path(__file__).parent)
"""Folders of the written modules; the last one has examples for this test only."""
SIGNS = (1.0, -1.0)


def rows(name):
    with (DATA / name).open() as file:
        return [{key: float(x) for key, x in row.items()} for row in csv.DictReader(line.removeprefix("# ") for line in file)]


def rotation(phi, theta, psi):
    """3-2-1 angles."""
    (c, s), (d, t), (e, u) = ((math.cos(x), math.sin(x)) for x in (phi, theta, psi))
    z, y, x = [[c, -s, 0], [s, c, 0], [0, 0, 1]], [[d, 0, t], [0, 1, 0], [-t, 0, d]], [[1, 0, 0], [0, e, -u], [0, u, e]]
    return np.array(z) @ np.array(y) @ np.array(x)


@pytest.mark.parametrize("name", ["stewart_leg", "five_link_loop", "four_bar", "landing_gear"])
def test_committed_module_is_what_the_command_writes(name):
    if find_spec("sympy") is None:
        pytest.skip("sympy is not installed")
    problem = load_problem(PROBLEMS / f"{name}.yaml")
    if name == "landing_gear":  # its basis takes ten seconds; another test compares it with the stored one
        lines = (DATA / "landing_gear_basis.txt").read_text().splitlines()
        triangular = from_basis(problem, "stored", [from_text(line, problem.names) for line in lines])
    else:
        triangular = triangularize(problem, "sympy")
    module = next(folder / f"{name}.py" for folder in WRITTEN if (folder / f"{name}.py").is_file())
    assert module.read_text() == module_text(triangular, name)


@pytest.mark.parametrize("module", [stewart_leg, five_link_loop, four_bar, landing_gear])
def test_digest_is_that_of_the_file(module):
    name = module.__name__.rpartition(".")[2]
    assert load_problem(PROBLEMS / f"{name}.yaml").digest == module.SOURCE_DIGEST


def test_stewart_legs_of_the_reference_poses():
    geometry = json.loads((DATA / "stewart_tsai.json").read_text())
    base, platform = np.array(geometry["base_points_m"]), np.array(geometry["platform_points_m"])
    for row in rows("stewart_inverse_kinematics.csv"):
        R = rotation(row["phi"], row["theta"], row["psi"])
        for k, d in enumerate([row["x"], row["y"], row["z"]] + platform @ R.T - base, start=1):
            s, cb, sb, ca, sa = stewart_leg.solve(*d, 1.0, 1.0)
            assert s == pytest.approx(row[f"s{k}"], abs=2e-15)
            assert math.atan2(sa, ca) == pytest.approx(row[f"alpha{k}"], abs=4e-15)
            assert math.atan2(sb, cb) == pytest.approx(row[f"beta{k}"], abs=4e-15)


def test_all_branches_of_a_stewart_leg_end_at_the_same_joint():
    d = (0.79, -0.479, 0.6)
    found = set()
    for signs in itertools.product(SIGNS, SIGNS):
        s, cb, sb, ca, sa = stewart_leg.solve(*d, *signs)
        assert ((2 + s) * sb, -(2 + s) * sa * cb, (2 + s) * ca * cb) == pytest.approx(d, abs=1e-15)
        assert (sa * sa + ca * ca, sb * sb + cb * cb) == pytest.approx((1.0, 1.0), abs=1e-15)
        found.add((round(s, 9), round(cb, 9)))
    assert len(found) == 4


def test_five_link_loop_of_the_reference_curves():
    """To the length of the link, which is rounded to 1e-6 m in the equations."""
    for row in rows("five_link_curves.csv"):
        angles = [f(row[a]) for a in ("psi", "theta", "phi") for f in (math.sin, math.cos)]
        inputs = five_link_loop.Inputs(row["z"], row["y"], row["x"], *angles, branch_sb=1.0)
        cb, sb, ca, sa = five_link_loop.solve(inputs)
        assert math.atan2(sb, cb) == pytest.approx(row["beta1"], abs=3e-6)
        assert math.atan2(sa, ca) == pytest.approx(row["alpha1"], abs=3e-6)
        other = five_link_loop.solve(inputs._replace(branch_sb=-1.0))
        assert other == pytest.approx((cb, -sb, -ca, -sa), abs=1e-14)


@pytest.mark.parametrize("branch", SIGNS)
def test_four_bars_of_random_lengths_close(branch):
    rng = np.random.default_rng(4)
    closed = 0
    for _ in range(200):
        q, (a, b, r, f) = rng.uniform(-math.pi, math.pi), rng.uniform(0.3, 1.0, 4)
        cw, sw, cu, su = four_bar.solve(math.sin(q), math.cos(q), a, b, r, f, branch)
        diagonal = math.hypot(a * math.cos(q) - f, a * math.sin(q))
        assert math.isfinite(cw) == (abs(b - r) < diagonal < b + r)
        if math.isfinite(cw):
            closed += 1
            x, y = a * math.cos(q) + b * cu - f - r * cw, a * math.sin(q) + b * su - r * sw
            assert (x, y, cw * cw + sw * sw, cu * cu + su * su) == pytest.approx((0, 0, 1, 1), abs=1e-11)
    assert 50 < closed < 200


def test_landing_gear_loses_six_to_twelve_digits():
    """What the paper calls exact is not in double precision: coefficients of 264 digits cancel."""
    coefficients, roots, residuals = np.zeros(7), np.zeros(6), []
    for p in np.linspace(182.0, 300.0, 60):
        landing_gear.polynomial_of_sB(p, coefficients)
        count = real_roots(coefficients, -1.0, 1.0, np.zeros((2, 7)), roots)
        for position in positions_at(p):
            sine = math.sin(position["theta_B"])
            nearest = min(roots[:count], key=lambda root, sine=sine: abs(root - sine))
            sB, cB, sD, cD, sA, cA, sF, cF = landing_gear.solve(p, nearest)
            upper = (
                (sA * sB - cA * cB) * p + 62 * sA - 42 * cA + 16.97 * sD + 6.08 * cD + 231,
                (sA * cB + cA * sB) * p + 42 * sA + 62 * cA + 6.08 * sD - 16.97 * cD - 62,
            )
            lower = (
                178.4 * (sA * sF - cA * cF) - 212 * sA - 25 * cA - 164.4 * cD + 231,
                178.4 * (sA * cF + cA * sF) + 25 * sA - 212 * cA - 164.4 * sD - 62,
            )
            residuals.append(math.hypot(*upper, *lower) / p)
    assert 1e-11 < np.median(residuals) < 1e-8
    assert 1e-6 < max(residuals) < 1e-3


@pytest.mark.parametrize("degree", range(1, 8))
def test_real_roots_of_polynomials_with_known_ones(degree):
    rng = np.random.default_rng(degree)
    for _ in range(100):
        pairs = rng.integers(0, degree // 2 + 1)
        real = np.sort(rng.uniform(-1.4, 1.4, degree - 2 * pairs))
        if (np.diff(real) < 1e-3).any():
            continue
        halves = rng.uniform(-1, 1, pairs) + 1j * rng.uniform(0.1, 1, pairs)
        coefficients = np.ascontiguousarray(np.poly([*real, *halves, *halves.conj()]).real[::-1])
        roots = np.zeros(degree)
        count = real_roots(coefficients, -1.0, 1.0, np.zeros((2, degree + 1)), roots)
        assert roots[:count] == pytest.approx(real[abs(real) < 1.0], abs=1e-9)


def test_an_operation_is_done_once():
    """x^2 y + x^2 - 3 y in four operations, and none for the same again."""
    program = Program(["x", "y"])
    first = program.polynomial({(2, 1): 1, (2, 0): 1, (0, 1): -3})
    assert program.polynomial({(2, 1): 1, (2, 0): 1, (0, 1): -3}) == first
    assert program.run({"x": 3.0, "y": 5.0})[first] == 39.0
    assert len(program.operations) <= 5
