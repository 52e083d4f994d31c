"""Jounce's own sine and cosine against higher-precision numbers."""

import numpy as np
import pytest

from simulator.base.algebra.trigonometry import sine_cosine
from simulator.base.jit import kernel

pytestmark = pytest.mark.fast

NOTHING = 1e-30
"""Remainder of some hundred multiples of pi / 2 when pi / 2 is split into two numbers."""


@kernel
def all_of(x, sine, cosine):
    for i in range(len(x)):
        sine[i], cosine[i] = sine_cosine(x[i])


def found(x):
    sine, cosine = np.empty_like(x), np.empty_like(x)
    all_of(x, sine, cosine)
    return sine, cosine


def test_they_are_accurate_to_two_units_in_the_last_place():
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(-1.6, 1.6, 50_000), rng.uniform(-1e3, 1e3, 50_000), np.arange(-60, 61) * (np.pi / 4.0), [0.0, 1e-300]])
    for ours, function in zip(found(x), (np.sin, np.cos), strict=True):
        exact = function(x.astype(np.longdouble))
        assert (np.abs(ours - exact) <= np.maximum(2.0 * np.spacing(np.abs(exact.astype(float))), NOTHING)).all()


def test_an_invalid_angle_gives_nan():
    assert np.isnan(found(np.array([np.nan, np.inf, -np.inf]))).all()


def test_they_are_odd_and_even_to_the_last_bit():
    x = np.random.default_rng(2).uniform(-4.0, 4.0, 10_000)
    for ours, mirrored, sign in zip(found(x), found(-x), (-1.0, 1.0), strict=True):
        assert (mirrored == sign * ours).all()
