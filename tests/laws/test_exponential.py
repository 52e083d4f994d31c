"""Jounce's own exponential function and logarithm against higher-precision numbers."""

import numpy as np
import pytest

from simulator.base.algebra.exponential import LARGEST, SMALLEST, exponential, logarithm
from simulator.base.jit import kernel

pytestmark = pytest.mark.fast


@kernel
def all_of(x, powers, logarithms):
    for i in range(len(x)):
        powers[i] = exponential(x[i])
    for i in range(len(x)):
        logarithms[i] = logarithm(x[i])


def found(x):
    powers, logarithms = np.empty_like(x), np.empty_like(x)
    all_of(x, powers, logarithms)
    return powers, logarithms


def is_accurate(ours, exact):
    return (np.abs(ours - exact) <= 2.0 * np.spacing(np.abs(exact.astype(float)))).all()


def test_they_are_accurate_to_two_units_in_the_last_place():
    rng = np.random.default_rng(1)
    x = np.concatenate(
        [rng.uniform(-50.0, 2.0, 50_000), rng.uniform(SMALLEST, LARGEST, 50_000), np.arange(-40, 41) * (np.log(2.0) / 2.0), [-1e-300]]
    )
    assert is_accurate(found(x)[0], np.exp(x.astype(np.longdouble)))
    y = np.concatenate(
        [10.0 ** rng.uniform(-300.0, 300.0, 50_000), rng.uniform(0.4, 2.5, 50_000), 2.0 ** np.arange(-40, 41), [np.sqrt(0.5)]]
    )
    assert is_accurate(found(y)[1], np.log(y.astype(np.longdouble)))


def test_a_power_beyond_the_range_has_the_value_at_its_end():
    ends, _ = found(np.array([SMALLEST, LARGEST]))
    assert (found(np.array([-np.inf, -1e300, 1e300, np.inf]))[0] == np.repeat(ends, 2)).all()
    assert 0.0 < ends[0] < 1e-300
    assert 1e300 < ends[1] < np.inf


def test_an_invalid_number_stays_invalid():
    powers, logarithms = found(np.array([np.nan, np.inf]))
    assert np.isnan(powers[0]) and np.isnan(logarithms[0]) and logarithms[1] == np.inf
