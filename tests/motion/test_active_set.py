"""Does the solver of the plans find the same optimum as another solver (DAQP), and does it report what it could not solve?"""

import numpy as np
import pytest
from cueing_scenes import platform

from simulator.base.records import dtype_of
from washout.preview.active_set import solve_program, work_table
from washout.preview.model import AxisSettings, axis_model

daqp = pytest.importorskip("daqp")
SETTINGS = AxisSettings(tilt_rate=0.105, tilt_acceleration=0.7, rotation_cost=1.0, smoothness=2e-5)


def work(rows, active):
    return np.zeros(1, dtype_of(work_table(rows, active)))[0]


def ours(w, M, softness, low, high, limit=1000):
    """v of the program by the kernel, and whether it is exact."""
    exact = solve_program(w, M @ M.T, softness, low, high, len(M), limit)
    count = w["active_count"]
    return -(M[w["active"][:count]] * w["side"][:count, None]).T @ w["multiplier"][:count], exact


def theirs(M, softness, low, high):
    """v of the program by DAQP, with the slacks as further variables e = sqrt(r) s."""
    m, n = M.shape
    H, A = np.eye(n + m), np.hstack([M, np.diag(np.sqrt(softness))])
    x, _, flag, _ = daqp.solve(H, np.zeros(n + m), np.ascontiguousarray(A), high.copy(), low.copy(), np.zeros(m, dtype=np.int32))
    assert flag == 1
    return x[:n]


@pytest.mark.parametrize("seed", range(8))
def test_random_programs_have_the_optimum_of_another_solver(seed):
    random = np.random.default_rng(seed)
    n, m = 12, 40
    M = random.normal(size=(m, n))
    M /= np.linalg.norm(M, axis=1)[:, None]
    softness = np.where(np.arange(m) < 8, 0.0, 1e-3)
    w = work(m, m)
    for _ in range(5):  # the later ones start with the active set of the one before
        middle = random.normal(size=m)
        width = random.uniform(0.1, 2.0, m)
        v, exact = ours(w, M, softness, middle - width, middle + width)
        assert exact and w["active_count"] > 0
        assert v == pytest.approx(theirs(M, softness, middle - width, middle + width), abs=1e-7)


def test_a_plan_at_its_limits_has_the_optimum_of_another_solver():
    one = axis_model(platform("small_hexapod"), 0, SETTINGS)[0]
    rows, n = int(one["rows"]), int(one["variables"])
    gram = one["gram"][:rows, :rows]
    values, vectors = np.linalg.eigh(gram)
    M = vectors[:, -n:] * np.sqrt(np.maximum(values[-n:], 0.0))  # any M with this Gram matrix has the same distances
    random = np.random.default_rng(3)
    w = work(rows, 2 * n)
    for size in (0.3, 1.0, 2.0):
        p = np.zeros(one["by_parameters"].shape[1])
        p[8 : 8 + 27] = size * np.cumsum(random.normal(size=27)) / 2.0
        part = one["by_parameters"][:rows] @ p
        low, high = one["low"][:rows] - part, one["high"][:rows] - part
        v, exact = ours(w, M, one["softness"][:rows], low, high)
        assert exact
        assert M @ v == pytest.approx(M @ theirs(M, one["softness"][:rows], low, high), abs=1e-6)
    assert w["active_count"] > 5, "the limits of the platform act"


def test_too_few_iterations_are_reported_and_leave_an_empty_set():
    random = np.random.default_rng(1)
    M = random.normal(size=(30, 10))
    w = work(40, 40)
    middle = 3.0 * random.normal(size=30)
    for limit, solved in ((2, False), (500, True), (500, True)):
        _, exact = ours(w, M, np.full(30, 1e-3), middle - 0.1, middle + 0.1, limit)
        assert exact is solved
        assert (w["active_count"] == 0) is not solved
        assert w["is_active"].sum() == w["active_count"]
    assert w["iterations"] == 1, "the last start is the optimum"
