"""Are true parameters found, do the intervals have their coverage, and are unidentifiable parameters reported?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.fitting.confidence import confidence_of_fit, correlations
from simulator.fitting.identifiability import Varied, unidentifiable
from simulator.fitting.least_squares import Failed, solve

TIMES = np.linspace(0.0, 3.0, 300)
TRUTH = np.array([0.4, 0.55])
GROUPS = [slice(0, 300), slice(300, 600)]
SIGMA = np.array([0.05, 0.02])


def stub(u: np.ndarray) -> np.ndarray:
    """(600,) two channels of a model with an amplitude and a frequency."""
    a, b = 0.5 + u[0], 1.0 + 2.0 * u[1]
    return np.concatenate([a * np.sin(b * TIMES), a * np.exp(-b * TIMES)])


def noise(seed: int, memory: float) -> np.ndarray:
    """(600,) noise of which each row remembers so much of the one before."""
    drawn = np.random.default_rng(seed).normal(size=(2, 300)) * SIGMA[:, None]
    for k in range(1, 300):
        drawn[:, k] = memory * drawn[:, k - 1] + np.sqrt(1.0 - memory**2) * drawn[:, k]
    return drawn.ravel()


def held(seed: int, memory: float) -> tuple[np.ndarray, bool]:
    """Whether the interval of each parameter holds the truth, and those of all at once."""
    data = stub(TRUTH) + noise(seed, memory)

    def residuals(points: Sequence[np.ndarray]) -> list[np.ndarray | Failed]:
        return [(stub(u) - data) / 0.05 for u in points]

    best = solve(residuals, np.array([0.5, 0.5]), 1e-3, 30).best
    how_well = confidence_of_fit(best.jacobian, best.residuals, GROUPS, np.ones(2, bool))
    away = np.abs(best.u - TRUTH)
    return away <= how_well.half, bool(np.all(away <= how_well.half_together))


@pytest.mark.parametrize(("memory", "least"), [(0.0, 0.87), (0.7, 0.82)], ids=["noise without memory", "noise with memory"])
def test_intervals_hold_the_truth_as_often_as_they_say(memory, least):
    cases = [held(seed, memory) for seed in range(1000, 1080)]
    alone = np.mean([one for one, _ in cases], axis=0)
    # of 80 cases chance takes 0.025 of 0.95 either way; an autoregression found from 300 rows is a little short of the truth
    assert (alone >= least).all()
    assert np.mean([together for _, together in cases]) >= least


def test_correlated_rows_count_less():
    def times(memory: float) -> list[float]:
        return [1.0 + 2.0 * correlations(noise(seed, memory)[:300]).sum() for seed in range(40)]

    assert np.median(times(0.0)) == 1.0 and max(times(0.0)) < 2.0
    assert 6.0 < np.median(times(0.8)) < 11.0  # of such noise 9


def test_a_point_without_a_run_is_drawn_back_from():
    seen = []

    def residuals(points: Sequence[np.ndarray]) -> list[np.ndarray | Failed]:
        seen.append(len(points))
        return [Failed("it rolls over") if u[0] > 0.62 else stub(u) - stub(np.array([0.6, 0.5])) for u in points]

    found = solve(residuals, np.array([0.1, 0.1]), 1e-3, 50)
    assert found.settled and np.allclose(found.best.u, [0.6, 0.5], atol=1e-4)
    assert set(seen) == {3}  # a round is one call: the point and a neighbor for each parameter
    with pytest.raises(JounceError, match="it rolls over"):
        solve(residuals, np.array([0.9, 0.1]), 1e-3, 50)
    seen.clear()
    found = solve(residuals, np.array([0.6195, 0.1]), 1e-3, 50)
    assert found.settled and np.allclose(found.best.u, [0.6, 0.5], atol=1e-4)
    assert 1 in seen  # beside it on one side there is none, so it looks on the other


def test_a_parameter_at_its_bound_has_no_interval_and_the_other_one_has():
    def residuals(points: Sequence[np.ndarray]) -> list[np.ndarray | Failed]:
        return [(stub(u) - stub(np.array([1.2, 0.5])) - noise(3, 0.0)) / 0.05 for u in points]

    best = solve(residuals, np.array([0.5, 0.4]), 1e-3, 50).best
    assert best.u[0] > 0.9999
    how_well = confidence_of_fit(best.jacobian, best.residuals, GROUPS, np.array([False, True]))
    assert np.isnan(how_well.half[0]) and 0.0 < how_well.half[1] < 0.1


def jacobian(*columns: np.ndarray) -> np.ndarray:
    return np.stack(columns, axis=1)


def test_unidentifiable_parameters_are_described():
    one, other = np.sin(TIMES), np.cos(3.0 * TIMES)
    mass, inertia = Varied("mass", 2000.0, 1000.0), Varied("yaw inertia", 3000.0, 6000.0)
    # a relative change of the mass does what the opposite one of the inertia does: only their ratio counts
    ratio = jacobian(1000.0 / 2000.0 * one, -6000.0 / 3000.0 * one + 1e-5 * other)
    assert "only their ratio" in unidentifiable(ratio, [mass, inertia])[0].words
    product = jacobian(1000.0 / 2000.0 * one, 6000.0 / 3000.0 * one + 1e-5 * other)
    assert "only their product" in unidentifiable(product, [mass, inertia])[0].words
    assert unidentifiable(jacobian(one, other), [mass, inertia]) == []
    (silent,) = unidentifiable(jacobian(one, 1e-9 * other), [mass, inertia])
    assert silent.words == "yaw inertia: the data contain no information about it"
    friction = Varied("friction", 0.8, 1.0)
    (of_three,) = unidentifiable(jacobian(one, other, one + other + 1e-6 * TIMES), [mass, inertia, friction])
    assert set(of_three.shares) == {"mass", "yaw inertia", "friction"} and "combination" in of_three.words
