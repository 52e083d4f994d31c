"""Prediction: are the filters those of the page, is sustained motion unchanged, and is learning least squares?"""

import numpy as np
import pytest
from cueing_scenes import REST
from test_adaptive_washout import FIXED, Stepped, waves

from washout.adaptive_prediction import LEVER, SPAN
from washout.force_prediction import SLOW, TERMS, foresight_weights

H = 2e-3
BLIND = {"foresight_force": [[0.0] * TERMS] * 2, "foresight_rate": [[0.0] * TERMS] * 2, "foresight_memory": 0.0}
BY_FORCE = [[0.9, -1.4, 0.7, -0.3], [0.5, 0.2, -0.6, 0.1]]


def response(w, frequency):
    """(4,) r_0 to r_3 of a wave of w [rad/s], as the page has them."""
    s, a = 1j * w, frequency
    first = s / (s + SLOW)
    return first * np.array([1.0, *(a / (s + a) * ((a - s) / (s + a)) ** k for k in range(TERMS - 1))])


@pytest.mark.parametrize("w", [2.0, 15.0, 60.0])
def test_the_filters_are_laguerres(w):
    """At a tick of 1 ms; the states that come of the matrices beside the functions they stand for."""
    A, b = foresight_weights(40.0, 1e-3)
    z, hold = np.exp(1j * w * 1e-3), 1e-3
    states = np.linalg.solve(z * np.eye(TERMS) - A, b[:, 0] + b[:, 1] * z)
    found = np.array([1.0 - states[0], *states[1:]])
    assert found == pytest.approx(response(w, 40.0), rel=(w * hold) ** 2, abs=1e-9)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_wave_is_reproduced_with_its_prediction(axis):
    """The head's acceleration without tilt, with the foresight beside without: 1 + a.r of the wave."""
    w, count = 12.0, 4000
    force = np.tile(REST, (count, 1))
    force[:, axis] += 0.3 * np.sin(w * H * np.arange(count))
    still = {**FIXED, **BLIND, "tilt_gain": [0.0, 0.0], "force_knee": [1.0, 1.0, 1.0]}
    wave = np.exp(-1j * w * H * np.arange(count))[-3142:]  # six whole waves

    def moved(**changes):
        place = Stepped(**(still | changes)).drive(force, np.zeros((count, 3)))[:, axis]
        return np.diff(place, 2, prepend=[0.0, 0.0])[-3142:] @ wave

    expected = 1.0 + np.dot(BY_FORCE[axis], response(w, 40.0))
    assert moved(foresight_force=BY_FORCE) / moved() == pytest.approx(expected, rel=0.02)


def test_the_rate_that_goes_with_a_force_foretells_it():
    """Pitch for surge, roll for sway, and not the other way."""
    force, rate = np.tile(REST, (1500, 1)), np.zeros((1500, 3))
    rate[:, 1] = 0.02 * np.sin(12.0 * H * np.arange(1500))
    numbers = [[10.0, 0.0, 0.0, 0.0], [10.0, 0.0, 0.0, 0.0]]
    unmoved = {**FIXED, **BLIND, "rotation_start": [0.0] * 3, "rotation_min": [0.0] * 3, "rate_gain": [0.0] * 3}
    pose = Stepped(**(unmoved | {"foresight_rate": numbers})).drive(force, rate)
    assert np.ptp(pose[500:, 0]) > 1e-4
    assert np.ptp(pose[500:, 1]) < 1e-12


def test_what_lasts_is_left_alone():
    force = REST + [0.5, 0.5, 0.0]
    foreseeing, blind = Stepped(**FIXED), Stepped(**{**FIXED, **BLIND})
    for _ in range(round(120.0 / 0.02)):
        one, other = foreseeing.step(force), blind.step(force)
    assert one[3:] == pytest.approx(other[3:], abs=1e-4)


def rough(count, seed=2):
    """Force of surge and rate of pitch of a body on springs over rough ground, and the same of sway and roll."""
    rng = np.random.default_rng(seed)
    force, rate = np.tile(REST, (count, 1)), np.zeros((count, 3))
    for i, r in ((0, 1), (1, 0)):
        angle, speed = 0.0, 0.0
        for k, push in enumerate(rng.normal(0.0, 8.0, count)):
            turned = -400.0 * angle - 8.0 * speed + push
            speed += H * turned
            angle += H * speed
            force[k, i] += 0.9 * turned * 0.3
            rate[k, r] = speed
    return force, rate


def test_learning_finds_what_least_squares_find():
    """Of the regressors it forms, over its memory: the numbers beside numpy's, and within their bounds."""
    one = Stepped(**(FIXED | {"foresight_caution": 1e-3, "foresight_memory": 4.0}))
    x, first = one.state[0], one.state[0]["foresight_numbers"].copy()
    force, rate = rough(6000)
    one.drive(force, rate)
    g0 = np.concatenate([one.parameters[0]["foresight_force"], one.parameters[0]["foresight_rate"]], axis=1)
    assert np.abs(x["foresight_numbers"] - first).max() > 0.1, "something was learnt"
    unit = np.repeat([1.0, LEVER], TERMS)
    assert (np.abs(x["foresight_numbers"] - g0) <= SPAN * unit + 1e-9).all()
    before = x["foresight_numbers"].copy()
    for i in range(2):
        A = np.tril(x["products"][i]) + np.tril(x["products"][i], -1).T
        D = np.diag(1e-3 * np.diag(A) + 2e-2 / unit**2)
        goal = g0[i] + np.clip(np.linalg.solve(A + D, x["wanted"][i] - A @ g0[i]), -SPAN * unit, SPAN * unit)
        one_goal = goal - before[i]
        assert np.abs(one_goal / unit).max() < 1.0, "it has all but gone there"


def test_nothing_is_learnt_while_the_limiter_acts():
    one = Stepped(foresight_memory=4.0)
    force, rate = rough(2500)
    one.drive(force[:1500], rate[:1500])
    before = {name: one.state[0][name].copy() for name in ("foresight_numbers", "products", "wanted")}
    for f, w in zip(force[1500:], rate[1500:], strict=True):
        one.step(f, w, limited=1)
    assert all((one.state[0][name] == was).all() for name, was in before.items())
    one.drive(force[:200], rate[:200])
    assert (one.state[0]["products"] != before["products"]).any()


def test_nothing_is_learnt_from_next_to_nothing():
    """A hundredth of a m/s2: the numbers stay those of the file to within a hundredth of them."""
    one = Stepped(foresight_memory=4.0)
    force, rate = waves(3000)
    one.drive(REST + 0.02 * (force - REST), 0.02 * rate)
    first = np.concatenate([one.parameters[0]["foresight_force"], one.parameters[0]["foresight_rate"]], axis=1)
    assert np.abs((one.state[0]["foresight_numbers"] - first) / np.repeat([1.0, LEVER], TERMS)).max() < 0.02
