"""Do the filters of canals and otoliths match their published transfer functions for all step sizes?"""

from __future__ import annotations

import numpy as np
import pytest

from washout.vestibular import MODELS, Organ, beyond


def amplitude(signal: np.ndarray, t: np.ndarray, w: float) -> complex:
    """Of exp(j w t) in the last third of a signal."""
    late = t > t[-1] * 2.0 / 3.0
    columns = np.stack([np.cos(w * t[late]), np.sin(w * t[late]), np.ones(late.sum())], axis=1)
    a, b, _ = np.linalg.lstsq(columns, signal[late], rcond=None)[0]
    return complex(a, -b)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("w", [0.05, 0.7, 8.0])
def test_it_answers_as_published(model, w):
    h = 0.02 / w
    t = np.arange(int(max(400.0, 40.0 / w) / h)) * h
    for organ in (*model.canals, *model.otoliths):
        measured = amplitude(organ.perceive(np.sin(w * t), h), t, w) * 1j
        published = organ.response(np.array([w]))[0] / organ.largest_gain
        assert abs(measured - published) < 2e-4 + 2e-4 * abs(published)


def test_it_does_not_depend_on_the_step_where_the_signal_is_straight():
    """A ramp and a rest, in steps of 1 ms and of half a second: the same at the same times, which no formula for small steps would give."""
    fine, coarse = np.arange(0.0, 20.0005, 1e-3), np.arange(0.0, 20.0005, 0.5)
    for organ in (MODELS[0].canals[0], MODELS[2].otoliths[0]):
        signals = [np.interp(t, [0.0, 5.0, 8.0, 20.0], [0.0, 2.0, 2.0, -1.0]) for t in (fine, coarse)]
        one, other = organ.perceive(signals[0], 1e-3), organ.perceive(signals[1], 0.5)
        assert np.abs(one[::500] - other).max() < 1e-8


def test_a_signal_that_was_always_there_is_at_its_steady_value():
    still = np.full(50, 3.0)
    assert MODELS[0].canals[2].perceive(still, 0.01) == pytest.approx(np.zeros(50), abs=1e-9)
    organ = MODELS[2].otoliths[0]
    assert organ.perceive(still, 0.01) == pytest.approx(np.full(50, 3.0 * 0.4 / organ.largest_gain))


def test_partial_fractions_are_the_transfer_function():
    organ = Organ((1.0, 2.0, 0.5), (3.0, 0.2))
    d, poles, residues = organ.fractions
    s = 1j * np.array([0.01, 1.0, 50.0])
    assert d + (residues / (s[:, None] - poles)).sum(axis=1) == pytest.approx(organ.response(s.imag), rel=1e-12)


def test_what_is_within_a_threshold_is_not_noticed():
    assert beyond(np.array([[0.1, -0.5], [-0.4, 0.2]]), (0.2, 0.3)) == pytest.approx(np.array([[0.0, -0.2], [-0.2, 0.0]]))
