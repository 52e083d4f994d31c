"""Does the actuator model have its lag and delay, does the lead speed it up, and are the limits satisfied?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from cueing_scenes import REST, STILL, H, engaged, hard_drive, platform, platform_mapping, washout_mapping, worst_use

from simulator.base.records import record
from washout.actuators import actual, actuate, actuators, lag, natural_frequency
from washout.cueing import MotionCueing
from washout.hexapod import platform_axes
from washout.lead_compensation import BEHIND, BESSEL, LEAD_STATE, lead, lead_step, rest_lead
from washout.platform import hexapod

BANDWIDTH, DAMPING, DELAY = 2.0 * math.pi * 6.0, 0.8, 0.0163


def answer_of(frequency: float) -> complex:
    """Of the platform: exp(-delay s) w^2 / (s^2 + 2 z w s + w^2)."""
    s, w = 1j * frequency, natural_frequency(BANDWIDTH, DAMPING)
    return complex(np.exp(-DELAY * s) * w * w / (s * s + 2.0 * DAMPING * w * s + w * w))


def test_the_gain_at_the_bandwidth_is_half_in_power():
    assert abs(answer_of(BANDWIDTH)) == pytest.approx(math.sqrt(0.5), rel=1e-12)


@pytest.mark.parametrize("damping", [0.4, 1.0, 3.0])
def test_the_lag_is_exact_for_a_ramp(damping):
    """Against the same ramp in a thousand steps of Heun's method."""
    w, h, n = 40.0, 0.02, 1000
    A, b = lag(w, damping, h)
    e, v = 0.3, -2.0
    wanted = A @ [e, v] + b * 0.7
    x, u, rise = e, 0.0, 0.7 / n
    for _ in range(n):
        a0 = w * w * (u - x) - 2.0 * damping * w * v
        x1, v1 = x + h / n * v, v + h / n * a0
        a1 = w * w * (u + rise - x1) - 2.0 * damping * w * v1
        x, v, u = x + 0.5 * h / n * (v + v1), v + 0.5 * h / n * (a0 + a1), u + rise
    assert [x - u, v] == pytest.approx(wanted, rel=2e-6)


@pytest.mark.parametrize("h", [1e-3, 4e-3])
@pytest.mark.parametrize("frequency", [2.0, 15.0, 60.0])
def test_a_sine_has_the_analytic_lag(h, frequency):
    p, s = actuators(BANDWIDTH, DAMPING, DELAY, h), actual(np.zeros(6))
    size = np.array([0.1, -0.2, 0.05, 0.1, -0.1, 0.3])
    answer = answer_of(frequency)
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


@pytest.mark.parametrize("frequency", [2.0, 15.0, 60.0])
def test_a_platform_that_is_led_answers_as_the_smooth_lag_with_the_same_delay(frequency):
    p, s = actuators(BANDWIDTH, DAMPING, DELAY, H), actual(np.zeros(6))
    ahead, state = lead(BANDWIDTH, DAMPING, H), record(LEAD_STATE)
    w = natural_frequency(BANDWIDTH, DAMPING)
    i = 1j * frequency
    answer = np.exp(-DELAY * i) * BESSEL[0] / np.polyval([1.0, *BESSEL[::-1]], i * BEHIND / w)
    assert abs(answer) <= 1.0
    size, asked, worst = np.array([0.1, -0.2, 0.05, 0.1, -0.1, 0.3]), np.zeros(6), 0.0
    for k in range(1, 1501):
        turn = np.exp(1j * frequency * k * H)
        asked[:] = size * turn.imag
        lead_step(ahead, state, asked)
        actuate(p, s, asked)
        if k > 1200:
            worst = max(worst, float(np.abs(s[0]["actual"] - size * (answer * turn).imag).max()))
    assert worst < 0.3 * 0.13 * H * H * (frequency**2 + (2.5 * w) ** 2)


def test_a_lead_that_begins_at_a_pose_in_motion_goes_on_steadily():
    ahead, s = lead(BANDWIDTH, DAMPING, H), record(LEAD_STATE)
    pose, rates = np.array([0.1, 0.0, -0.1, 0.0, 0.2, 0.0]), np.array([0.3, -0.1, 0.0, 0.2, 0.0, 0.1])
    base = pose - ahead[0]["lead_time"] * rates
    rest_lead(ahead, s, base, rates)
    for k in range(1, 100):
        asked = base + k * H * rates
        lead_step(ahead, s, asked)
        assert asked == pytest.approx(pose + k * H * rates, abs=1e-12)


def test_what_is_felt_is_the_head_of_the_platform_behind_its_actuators():
    motion = engaged()
    felt_at = platform()[0]["felt_at"]
    heads, felt, late = [], [], []
    for f in hard_drive(3000):
        motion.step(f, STILL, True, H)
        x, y, z, roll, pitch, yaw = motion.readout[0]["actual"]
        R = np.array(platform_axes(roll, pitch, yaw)).T
        heads.append(np.array([x, y, z]) + R @ felt_at)
        felt.append(R @ motion.monitor.update(f, STILL)[0]["cab_f_H_P"])
        late.append(np.abs(motion.readout[0]["actual"] - motion.pose).max())
    second = np.diff(heads, 2, axis=0)[1000:] / H**2 + REST
    assert np.abs(second - np.array(felt)[1001:-1]).max() < 0.01
    assert max(late) > 1e-3


def test_the_limiter_has_the_last_word_over_the_lead():
    """A drive twice as hard as any, ahead of actuators as slow as files allow: legs keep to their limits, also through a reset."""
    slow = hexapod({**platform_mapping(), "actuator_bandwidth_Hz": 2.0}, "slow.yaml")
    motion = MotionCueing(washout_mapping(), "washout", slow, H)
    motion.procedure.arm()
    while motion.procedure.state != "engaged":
        motion.step(REST, STILL, True, H)
    legs, limited = [], 0
    for k, f in enumerate(2.0 * (hard_drive(12000) - REST) + REST):
        if k == 9000:
            motion.reset()
        motion.step(f, STILL, True, H)
        legs.append(motion.legs.copy())
        limited += motion.readout[0]["limited"] != 0
    assert limited > 0
    assert max(worst_use(slow, np.array(legs))) <= 1.0 + 1e-9
