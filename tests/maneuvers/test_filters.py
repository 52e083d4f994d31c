"""Are the filters those of the standards? The reference is scipy, and the values of the standard for the weightings."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.maneuvers import signal_processing

KINDS = {"low": "lowpass", "high": "highpass", "band": "bandpass"}


def noise(n=3000, seed=3):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.normal(size=n)) + 5.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("poles", [1, 2, 3, 6])
@pytest.mark.parametrize("dt", [0.01, 0.002])
def test_sections_are_those_of_scipy(kind, poles, dt):
    hertz = (0.4, 12.0) if kind == "band" else 6.0
    ours = signal_processing.butterworth(poles, hertz, dt, kind)
    theirs = scipy.signal.butter(poles, hertz, KINDS[kind], fs=1.0 / dt, output="sos")
    _, got = scipy.signal.sosfreqz(ours, 1000)
    _, expected = scipy.signal.sosfreqz(theirs, 1000)
    np.testing.assert_allclose(got, expected, atol=1e-10)
    x = noise()
    scale = np.abs(x).max()
    np.testing.assert_allclose(signal_processing.filtered_forward(ours, x), scipy.signal.sosfilt(theirs, x), atol=1e-9 * scale)
    np.testing.assert_allclose(signal_processing.phaseless_by(ours, x), scipy.signal.sosfiltfilt(theirs, x), atol=1e-8 * scale)


@given(st.integers(30, 700), st.floats(1.0, 40.0))
@settings(max_examples=40, deadline=None)
def test_low_pass_of_any_length_is_that_of_scipy(n, hertz):
    """Shorter than a block, a block, between two: the ends of the blocks are not seen."""
    x = noise(n, n)
    sections = scipy.signal.butter(6, hertz, fs=100.0, output="sos")
    expected = scipy.signal.sosfiltfilt(sections, x)
    np.testing.assert_allclose(signal_processing.phaseless(x, 0.01, hertz), expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("n", [1, 5, 128, 300])
def test_records_side_by_side_are_filtered_as_each_by_itself(n):
    x = np.stack([noise(n, n), 3.0 + noise(n, n + 1)])
    together = signal_processing.phaseless(x, 0.01, 6.0)
    for one, alone in zip(together, x, strict=True):
        assert one.tobytes() == signal_processing.phaseless(alone, 0.01, 6.0).tobytes()


@pytest.mark.parametrize("n", [1, 2, 3, 10, 22])
def test_a_record_too_short_for_its_ends_stays_constant(n):
    np.testing.assert_allclose(signal_processing.phaseless(np.full(n, 3.0), 0.01, 6.0), 3.0)


def test_a_corner_beyond_the_rate_is_no_filter():
    x = noise(100)
    assert (signal_processing.phaseless(x, 0.01, 60.0) == x).all()
    with pytest.raises(ValueError, match="60"):
        signal_processing.butterworth(2, 60.0, 0.01)


@pytest.mark.parametrize(
    ("hertz", "gain"), [(1.0, 0.482), (2.0, 0.531), (4.0, 0.967), (6.3, 1.054), (8.0, 1.036), (12.5, 0.902), (20.0, 0.636)]
)
def test_vertical_weighting(hertz, gain):
    assert abs(signal_processing.weighting_response("Wk")(np.array([2j * math.pi * hertz])))[0] == pytest.approx(gain, abs=5e-4)
    time = np.arange(0.0, 60.0, 0.002)
    wave = signal_processing.weighted(math.sqrt(2.0) * np.sin(2.0 * math.pi * hertz * time), 0.002, "Wk")
    assert math.sqrt(np.mean(wave[5000:] ** 2)) == pytest.approx(gain, rel=2e-3)


def test_horizontal_weighting_and_motion_sickness_are_largest_where_they_should_be():
    frequency = np.geomspace(0.02, 50.0, 4000)
    for name, low, high in (("Wd", 0.6, 1.5), ("Wf", 0.125, 0.25), ("Wk", 4.0, 8.0)):
        gain = np.abs(signal_processing.weighting_response(name)(2j * math.pi * frequency))
        assert low < frequency[np.argmax(gain)] < high and 0.9 < gain.max() < 1.1


@pytest.mark.parametrize(("hertz", "rms_g"), [(4.5, 0.167), (2.0, 0.39), (1.0, 0.87), (10.0, 0.34)])
def test_six_watts(hertz, rms_g):
    time = np.arange(0.0, 40.0, 0.002)
    wave = math.sqrt(2.0) * rms_g * 9.80665 * np.sin(2.0 * math.pi * hertz * time)
    assert signal_processing.absorbed_power(wave, 0.002) == pytest.approx(6.0, rel=0.03)


def test_crossings_lie_between_the_rows():
    time = np.arange(0.0, 2.0, 0.01)
    wave = np.sin(2.0 * math.pi * (time - 0.123))
    assert signal_processing.first_crossing(time, wave, 0.0, "rising") == pytest.approx(0.123, abs=1e-5)
    assert signal_processing.first_crossing(time, wave, 0.0, "falling") == pytest.approx(0.623, abs=1e-5)
    assert signal_processing.first_crossing(time, wave, 0.0, "rising", after=0.2) == pytest.approx(1.123, abs=1e-5)
    assert len(signal_processing.crossings(time, wave, 0.5)) == 4
    assert math.isnan(signal_processing.first_crossing(time, wave, 1.5))


def test_rates_and_integrals_of_a_parabola():
    time = np.arange(0.0, 5.0, 0.01)
    np.testing.assert_allclose(signal_processing.derivative(time**2, 0.01)[1:-1], 2.0 * time[1:-1])
    np.testing.assert_allclose(signal_processing.integral(2.0 * time, 0.01), time**2, atol=1e-12)


def test_running_mean_of_a_ramp_is_the_ramp():
    ramp = np.linspace(0.0, 1.0, 101)
    mean = signal_processing.running_mean(ramp, 0.01, 0.1)
    np.testing.assert_allclose(mean[5:-5], ramp[5:-5])
    assert mean[0] == pytest.approx(ramp[:6].mean())


def test_what_is_held_long_enough():
    time = np.arange(0.0, 1.0, 0.01)
    true = ((time > 0.1) & (time < 0.15)) | ((time > 0.4) & (time < 0.7))
    assert signal_processing.held(time, true, 0.2) == pytest.approx(0.41)
    assert math.isnan(signal_processing.held(time, true, 0.4))


def test_zeroing_takes_off_the_mean_of_a_window():
    assert signal_processing.zeroed(np.array([1.0, 3.0, 10.0]), slice(0, 2)).tolist() == [-1.0, 1.0, 8.0]
