"""Does the report of a sweep reproduce known results: the indices of the Ishigami function, the slopes of a plane?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.sweep.effects import effects, regression
from simulator.sweep.metric_section import MIN_PAIRS, sobol_indices
from simulator.sweep.results import key_of
from simulator.sweep.sampling import unit_points

A, B = 7.0, 0.1


def ishigami(pairs: int) -> np.ndarray:
    """(pairs, 5) values over a design of Saltelli."""
    x = np.pi * (2.0 * unit_points("saltelli", pairs, 3, np.random.default_rng(1)) - 1.0)
    return (np.sin(x[:, 0]) + A * np.sin(x[:, 1]) ** 2 + B * x[:, 2] ** 4 * np.sin(x[:, 0])).reshape(pairs, 5)


def test_sobol_indices_of_ishigami():
    """First order (0.3139, 0.4424, 0), total order (0.5576, 0.4424, 0.2437) [Ishigami and Homma 1990]."""
    v1, v2, v13 = 0.5 * (1.0 + B * np.pi**4 / 5.0) ** 2, A**2 / 8.0, 8.0 * B**2 * np.pi**8 / 225.0
    first, total = np.array([v1, v2, 0.0]) / (v1 + v2 + v13), np.array([v1 + v13, v2, v13]) / (v1 + v2 + v13)
    found = sobol_indices("abc", ishigami(2048))
    assert found.first == pytest.approx(first, abs=0.03) and found.total == pytest.approx(total, abs=0.03)
    for ends, true in ((found.first_range, first), (found.total_range, total)):
        assert ((ends[0] < true) & (true < ends[1])).all() and (ends[1] - ends[0] < 0.15).all()


def test_they_are_those_of_scipy_and_take_any_number_of_pairs():
    from scipy.stats import sobol_indices as by_scipy

    runs = ishigami(256)
    theirs = by_scipy(func={"f_A": runs[:, 0], "f_B": runs[:, 1], "f_AB": runs[:, 2:].T[:, None]}, n=256)
    ours = sobol_indices("abc", runs)
    assert ours.first == pytest.approx(theirs.first_order, abs=1e-12) and ours.total == pytest.approx(theirs.total_order, abs=1e-12)
    runs[100:103, 2] = np.nan  # runs that failed
    without = sobol_indices("abc", runs)
    assert (without.pairs, without.of) == (253, 256)
    assert without.first == pytest.approx(ours.first, abs=0.1) and without.first_range[1][1] > without.first[1] > without.first_range[0][1]


def test_what_has_no_indices_has_none():
    assert sobol_indices("abc", np.full((64, 5), 2.5)) is None
    assert sobol_indices("abc", ishigami(64)[: MIN_PAIRS - 1]) is None
    assert sobol_indices("abc", np.full((64, 5), np.nan)) is None


def plane(points: list[dict]) -> np.ndarray:
    return np.array([3.0 * one["a"] - 0.5 * one["b"] + (4.0 if one["car"] == "heavy" else 0.0) for one in points])


def keys_of(points: list[dict]):
    return [key_of(name, [one.get(name) for one in points]) for name in ("a", "b", "car")]


def test_effects_of_a_plane_on_a_grid_are_its_slopes_times_the_ranges():
    points = [{"a": a, "b": b, "car": car} for a in (0.0, 1.0, 2.0) for b in (10.0, 20.0) for car in ("light", "heavy")]
    found = effects(keys_of(points), plane(points))
    by_key = {one.key: one for one in found}
    assert {name: one.at_high - one.at_low for name, one in by_key.items()} == pytest.approx({"a": 6.0, "b": -5.0, "car": 4.0})
    assert [one.key for one in found] == ["a", "b", "car"]  # the largest first
    assert (by_key["car"].low, by_key["car"].high, by_key["a"].low, by_key["a"].high) == ("light", "heavy", "0", "2")
    assert by_key["a"].at_low == pytest.approx(-0.5 * 15.0 + 2.0)


def sample(count: int) -> list[dict]:
    rng = np.random.default_rng(4)
    return [{"a": rng.uniform(0, 1), "b": rng.normal(5, 2), "car": ("light", "heavy")[int(rng.integers(2))]} for _ in range(count)]


def test_effects_of_a_sample_are_those_between_its_fifths():
    points = [{"a": share, "b": 0.0, "car": "light"} for share in (np.arange(1000) + 0.5) / 1000]
    (one,) = effects(keys_of(points), plane(points))
    assert one.at_high - one.at_low == pytest.approx(3.0 * 0.8, rel=1e-3)
    assert (one.low, one.high) == ("up to 0.2003", "from 0.7997")


def test_regression_gives_the_slopes_of_a_plane_in_standard_deviations():
    points = sample(400)
    metric = plane(points)
    metric[7], points[9]["b"] = np.nan, None  # a run that failed, one that does not say all
    keep = [n for n in range(400) if n not in (7, 9)]
    a, b = (np.array([points[n][name] for n in keep]) for name in "ab")
    found = regression(keys_of(points), metric)
    spread = metric[keep].std()
    assert found.coefficients == pytest.approx(
        {"a": 3.0 * a.std() / spread, "b": -0.5 * b.std() / spread}
    ) and found.explained == pytest.approx(1.0)


def test_keys_that_vary_together_have_no_coefficients():
    points = sample(100)
    metric = plane(points)
    twin = key_of("twin", [2.0 * one["a"] + 1.0 for one in points])
    found = regression([*keys_of(points), twin], metric)
    assert set(found.coefficients) == {"b"} and found.explained == pytest.approx(1.0)


def test_a_metric_that_is_the_same_everywhere_has_no_regression():
    points = sample(50)
    assert regression(keys_of(points), np.full(50, 2.0)).coefficients == {}
    assert regression([], np.arange(50.0)).coefficients == {} and effects(keys_of(points), np.full(50, np.nan)) == []
