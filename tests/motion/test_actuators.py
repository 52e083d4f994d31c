"""Does the model of the actuators answer as the lag and the delay that it stands for, at any tick?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from washout.actuators import actual, actuate, actuators, natural_frequency

BANDWIDTH, DAMPING, DELAY = 2.0 * math.pi * 6.0, 0.8, 0.0163


def lag(frequency: float) -> complex:
    """Of the platform: exp(-delay s) w^2 / (s^2 + 2 z w s + w^2)."""
    s, w = 1j * frequency, natural_frequency(BANDWIDTH, DAMPING)
    return complex(np.exp(-DELAY * s) * w * w / (s * s + 2.0 * DAMPING * w * s + w * w))


def test_the_gain_at_the_bandwidth_is_half_in_power():
    assert abs(lag(BANDWIDTH)) == pytest.approx(math.sqrt(0.5), rel=1e-12)


@pytest.mark.parametrize("h", [1e-3, 4e-3])
@pytest.mark.parametrize("frequency", [2.0, 15.0, 60.0])
def test_a_sine_comes_out_as_the_analytic_lag_says(h, frequency):
    p, s = actuators(BANDWIDTH, DAMPING, DELAY, h), actual(np.zeros(6))
    size = np.array([0.1, -0.2, 0.05, 0.1, -0.1, 0.3])
    answer = lag(frequency)
    count = round(1.5 / h)
    worst = 0.0
    for k in range(1, count + 1):
        turn = np.exp(1j * frequency * k * h)
        actuate(p, s, size * turn.imag)
        if k * h > 1.2:  # the lag has forgotten how it began
            for name, power in (("actual", 0), ("actual_rates", 1), ("actual_accelerations", 2)):
                wanted = size * ((1j * frequency) ** power * answer * turn).imag
                worst = max(worst, float(np.abs(s[0][name] - wanted).max()) / frequency**power)
    assert worst < 0.3 * 0.13 * h * h * (frequency**2 + natural_frequency(BANDWIDTH, DAMPING) ** 2)  # a sine is taken for its chords


def test_a_platform_at_rest_stays_there():
    pose = np.array([0.1, 0.0, -0.2, 0.0, 0.3, 0.0])
    p, s = actuators(BANDWIDTH, DAMPING, DELAY, 1e-3), actual(pose)
    for _ in range(2000):
        actuate(p, s, pose)
    assert s[0]["actual"] == pytest.approx(pose, abs=1e-12)


def test_a_delay_beyond_what_is_remembered_is_refused():
    with pytest.raises(ValueError, match="510 ticks"):
        actuators(BANDWIDTH, DAMPING, 0.3, 1e-4)
