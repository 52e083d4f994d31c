"""Are the scores of a drive correct on signals with known results?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.tools.cueing.scores import Head, correlation_of, delay_of, error_of, false_cue_of, gain_of, mean_scores, rms, scores, up_to

H = 0.004
T = np.arange(5000) * H
CAR = np.sin(1.3 * T) + 0.5 * np.sin(4.1 * T + 1.0)


def test_the_error_is_that_of_the_scaled_motion():
    assert error_of(0.4 * CAR, CAR, 0.4) == pytest.approx(0.0, abs=1e-15)
    assert error_of(np.zeros(5000), CAR, 0.4) == pytest.approx(1.0)
    assert error_of(-0.4 * CAR, CAR, 0.4) == pytest.approx(2.0)
    both = np.stack([CAR, 3.0 * CAR], axis=1)
    assert error_of(both * [0.4, 0.0], both, np.array([0.4, 0.4])) == pytest.approx(3.0 / np.sqrt(10.0))


def test_gain_and_correlation_of_a_share_and_something_else():
    other = np.random.default_rng(1).normal(size=5000)
    other -= CAR * np.dot(other, CAR) / np.dot(CAR, CAR)
    assert gain_of(0.3 * CAR + other, CAR) == pytest.approx(0.3)
    assert correlation_of(-2.0 * CAR + 1.0, CAR) == pytest.approx(-1.0)
    assert correlation_of(np.zeros(5000), CAR) == 0.0


@pytest.mark.parametrize("late", [0.25, -0.1, 0.0137])
def test_a_delay_is_found_between_samples_too(late):
    noise = up_to(np.random.default_rng(2).normal(size=5000), H, 3.0) * np.hanning(5000)
    shifted = np.interp(T - late, T, noise)
    assert delay_of(shifted, noise, H) == pytest.approx(late, abs=2e-4)


def test_only_what_opposes_the_car_is_a_false_cue():
    car, cab = np.array([1.0, 1.0, -1.0, -1.0]), np.array([0.5, -0.2, -0.3, 0.4])
    assert false_cue_of(cab, car) == pytest.approx(np.sqrt((0.04 + 0.16) / 4.0))


def test_what_is_faster_than_ten_hertz_does_not_count():
    slow, fast = np.sin(2 * np.pi * 4.0 * T), np.sin(2 * np.pi * 30.0 * T)
    assert rms(up_to(slow + fast, H) - slow) < 0.02


def test_a_platform_that_gives_its_share_has_no_error_anywhere():
    car = np.stack([CAR, 0.7 * CAR[::-1], 0.2 * CAR], axis=1)
    there, aim = Head(car, 0.1 * car), Head(np.full(3, 0.4), np.full(3, 0.3))
    found = scores(there, Head(0.4 * car, 0.03 * car), aim, H)
    assert found["force_error"] == pytest.approx(0.0, abs=1e-12)
    for axes in (found["axes"], *found["perceived"].values()):
        assert [axes[name]["gain"] for name in ("surge", "sway", "heave", "roll", "pitch", "yaw")] == pytest.approx([0.4] * 3 + [0.3] * 3)
        assert max(one["error"] for one in axes.values()) < 1e-12
    assert found["perceived"]["haug"]["surge"]["noticed_share"] == 0.0
    still = scores(there, Head(0.0 * car, 0.0 * car), aim, H)
    assert still["perceived"]["telban_cardullo"]["surge"]["noticed_share"] > 0.3


def test_the_mean_over_drives_leaves_out_what_is_no_number():
    one, other = {"a": 1.0, "b": {"c": np.nan}}, {"a": 3.0, "b": {"c": 2.0}}
    assert mean_scores([one, other]) == {"a": 2.0, "b": {"c": 2.0}}
