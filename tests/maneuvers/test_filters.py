"""Are the filters those of the standards? The reference is the gain of a Butterworth filter, and the values of the standard for the weightings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.maneuvers import signal_processing


def noise(n=3000, seed=3):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.normal(size=n)) + 5.0


@pytest.mark.parametrize("kind", ["low", "high"])
@pytest.mark.parametrize("poles", [2, 4, 6, 12])
@pytest.mark.parametrize(("dt", "hertz"), [(0.01, 6.0), (0.01, 0.9), (0.002, 6.0), (0.01, 40.0)])
def test_the_gain_is_that_of_butterworth_without_delay(kind, poles, dt, hertz):
    """An impulse in the middle of a record has the response of the prewarped bilinear filter, real at every frequency."""
    impulse = np.zeros(8192)
    impulse[4096] = 1.0
    response = np.fft.rfft(np.roll(signal_processing.phaseless(impulse, dt, hertz, poles, kind), -4096))
    warped = np.tan(math.pi * np.fft.rfftfreq(8192, dt)[1:-1] * dt) / math.tan(math.pi * hertz * dt)
    gain = 1.0 / (1.0 + warped ** (poles if kind == "low" else -poles))
    np.testing.assert_allclose(response[1:-1], gain, atol=1e-9)


@pytest.mark.parametrize("n", [40, 128, 700])
def test_a_record_continues_as_its_reflection(n):
    """A straight line is its own point reflection at both ends, so a low pass does not change it there."""
    ramp = 3.0 + 0.2 * np.arange(n)
    np.testing.assert_allclose(signal_processing.phaseless(ramp, 0.01, 20.0), ramp, atol=1e-3)


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
