"""Does the adaptive washout follow its equations? Sensitivities, bounds, leak, settling tilt, rest with the limiter."""

import math

import numpy as np
import pytest
from cueing_scenes import REST, G, engaged, hard_drive, platform, washout_mapping

from simulator.base.callbacks import address_of
from simulator.base.field_records import filled
from simulator.base.fields import read
from simulator.base.records import record
from washout import adaptive
from washout.adaptive import FILE, SETTINGS, STATE
from washout.contract import WASHOUT_INPUT, WASHOUT_OUTPUT, WashoutContext
from washout.cueing import MotionCueing

H = 2e-3
FIXED = {
    "motion_adaptation": [0.0] * 3,
    "tilt_adaptation": [0.0] * 2,
    "rotation_adaptation": [0.0] * 3,
    "leak": 0.0,
    "foresight_memory": 0.0,
}
FREE = {"tilt_rate_degps": 1000.0, "tilt_acceleration_degps2": 1e6, "tilt_limit_deg": 30.0, "tilt_calm_deg": 0.0}
FILTERS = {
    "high_pass_frequency": [3.0, 1.04, 1.55],
    "high_pass_damping": [0.934, 0.903, 1.0],
    "return_frequency": [0.223, 0.174, 0.155],
    "rotation_frequency": [0.12, 0.1, 0.06],
    "attitude_feedback": 0.789,
}
"""With which no sensitivity that is looked at happens to be near nothing at the end of the waves."""


class Stepped:
    """The kernel alone."""

    def __init__(self, h=H, **changes):
        self.h = h
        mapping = {**washout_mapping("small_hexapod_adaptive")["cueing"], **changes}
        self.parameters = filled(SETTINGS, read(FILE, mapping, "test", "cueing"))
        self.state, self.seen, self.result = record(STATE), record(WASHOUT_INPUT), record(WASHOUT_OUTPUT)
        self.seen[0]["p_PH"], self.seen[0]["gravity"], self.seen[0]["begins"] = (0.0, 0.0, 0.9), G, 1
        adaptive.begin(self.parameters, self.state, WashoutContext(platform(), G, h))

    def step(self, f, w=(0.0, 0.0, 0.0), limited=0):
        self.seen[0]["f_H_B"], self.seen[0]["w_WB_B"], self.seen[0]["limited"] = f, w, limited
        at = [address_of(one) for one in (self.parameters, self.state, self.seen, self.result)]
        KERNEL(*at, 0, 1, self.h)
        self.seen[0]["begins"] = 0
        return self.result[0]["pose"].copy()

    def drive(self, force, rate):
        return np.array([self.step(f, w) for f, w in zip(force, rate, strict=True)])


def _callable():
    import ctypes

    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_size_t] * 4, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)
    return kind(adaptive.adaptive.address)


KERNEL = _callable()


def waves(count, seed=3):
    rng = np.random.default_rng(seed)
    t = np.arange(count) * H
    force, rate = np.tile(REST, (count, 1)), np.zeros((count, 3))
    for axis in range(3):
        for w in rng.uniform(0.5, 6.0, 4):
            force[:, axis] += 0.3 * np.sin(w * t + rng.uniform(0, 6))
            rate[:, axis] += 0.05 * np.sin(w * t + rng.uniform(0, 6))
    return force, rate


@pytest.mark.parametrize(
    ("start", "place", "sensitivity"),
    [
        ("motion_start", 0, lambda x: x["by_motion"][0, 1]),
        ("tilt_start", 1, lambda x: x["by_tilt"][1, 1]),
        ("rotation_start", 1, lambda x: x["by_turn"][0, 1]),
        ("rotation_start", 2, lambda x: x["turned_by_turn"][2, 1]),
    ],
)
def test_sensitivities_match_finite_differences(start, place, sensitivity):
    """While shares stand still, d(position or angle)/dp is that of two washouts whose share differs a little."""
    force, rate = waves(3000)

    def ended(change):
        value = [0.5, 0.5, 0.5] if start != "tilt_start" else [5.0, 5.0]
        value[place] += change
        one = Stepped(**FIXED, **FREE, **FILTERS, **{start: value, start.replace("start", "min"): [0.0] * len(value)})
        one.drive(force, rate)
        return one.state[0]

    step = 1e-3
    more, less, middle = ended(step), ended(-step), ended(0.0)
    what = (lambda x: x["turned"][2, 1]) if place == 2 else (lambda x: x["moved"][1 if start == "tilt_start" else 0, 1])
    assert sensitivity(middle) == pytest.approx((what(more) - what(less)) / (2.0 * step), rel=0.05, abs=2e-5)
    assert abs(sensitivity(middle)) > 1e-4


def test_shares_go_downhill_stay_in_bounds_and_leak_to_their_start():
    one = Stepped(motion_adaptation=[0.1, 0.1, 0.0])
    u, x = one.parameters[0], one.state[0]
    seen = []
    for f in hard_drive(8000, H) * [1.0, 2.0, 1.0]:
        one.step(f)
        seen.append(np.concatenate([x["motion_share"], x["tilt_share"], x["turn_share"]]))
    seen = np.array(seen)
    least = np.concatenate([u["motion_min"], u["tilt_min"], u["rotation_min"]])
    most = np.concatenate([u["motion_max"], u["tilt_max"], u["rotation_max"]])
    start = np.concatenate([u["motion_start"], u["tilt_start"], u["rotation_start"]])
    assert (seen >= least - 1e-12).all() and (seen <= most + 1e-12).all()
    assert np.ptp(seen[:, 1]) > 0.05
    away = abs(seen[-1, 1] - start[1])
    for _ in range(round(60.0 / H)):
        one.step(REST)
    now = np.concatenate([x["motion_share"], x["tilt_share"], x["turn_share"]])
    assert abs(now[1] - start[1]) < 0.7 * away + 1e-3


def test_shares_stand_still_while_the_limiter_acts():
    one = Stepped()
    force, rate = waves(2500)
    one.drive(force[:1500] * [2.0, 2.0, 1.0], rate[:1500])
    before = one.state[0]["motion_share"].copy(), one.state[0]["turn_share"].copy()
    for f, w in zip(force[1500:] * [2.0, 2.0, 1.0], rate[1500:], strict=True):
        one.step(f, w, limited=1)
    assert (one.state[0]["motion_share"] == before[0]).all() and (one.state[0]["turn_share"] == before[1]).all()
    one.drive(force[:200] * [2.0, 2.0, 1.0], rate[:200])
    assert (one.state[0]["motion_share"] != before[0]).any()


def test_nothing_is_learnt_about_a_tilt_that_its_rate_holds_back():
    """A force that steps has the tilt turn as fast as it may for seconds, whatever p2 is; a stale gradient would drive p2 from bound to bound."""
    one = Stepped(tilt_calm_deg=0.0)
    x, start = one.state[0], one.parameters[0]["tilt_start"][1]
    force, rate = waves(1500)
    one.drive(force, rate)
    assert abs(x["tilt_share"][1] - start) > 0.1, "while it follows it learns"
    before, late = x["tilt_share"][1], 0
    for _ in range(250):
        one.step(REST + [0.0, 5.0, 0.0])
        if abs(x["tilt_wanted"][1] - x["tilt"][1]) > 2.0 * adaptive.FOLLOWS:
            assert abs(x["tilt_share"][1] - start) <= abs(before - start), "it only leaks"
            late += 1
        before = x["tilt_share"][1]
    assert late > 200


@pytest.mark.parametrize(("axis", "angle", "sign"), [(0, 4, -1.0), (1, 3, 1.0)])
def test_a_lasting_force_settles_as_tilt_and_does_not_turn_over(axis, angle, sign):
    """Equation (4.11) as printed integrates it: 112 degrees after 40 s. With the tilt fed back it is asin(s K a / g), and the position goes home."""
    one = Stepped(h=0.02)
    force = REST.copy()
    force[axis] += 1.0
    for _ in range(round(200.0 / 0.02)):
        pose = one.step(force)
    assert pose[angle] == pytest.approx(sign * math.asin(one.parameters[0]["tilt_gain"][axis] * 0.4 / G), rel=1e-3)
    assert abs(one.state[0]["moved"][axis, 1]) < 2e-3


def test_of_what_is_fast_the_share_of_the_file_is_shown():
    """As in the classical washout: a roll of 8 Hz."""
    w, count = 50.0, 1500
    rate = 0.05 * np.outer(np.sin(w * H * np.arange(count)), [1.0, 0.0, 0.0])
    force = np.tile(REST, (count, 1))
    rolls = [Stepped(**FIXED, fast_frequency=28.0, fast_rate=[share, 1.0, 1.0]).drive(force, rate)[-500:, 3] for share in (0.1, 1.0)]
    assert np.std(rolls[0]) / np.std(rolls[1]) == pytest.approx(abs((28.0 + 0.1j * w) / (28.0 + 1j * w)), rel=0.03)


def test_left_and_right_are_alike():
    force, rate = waves(2000)
    pose = Stepped().drive(force, rate)
    mirrored = Stepped().drive(force * [1, -1, 1], rate * [-1, 1, -1])
    assert mirrored * [1, -1, 1, -1, 1, -1] == pytest.approx(pose, abs=1e-12)


def test_it_moves_a_platform_and_a_log_has_its_shares():
    motion = engaged("small_hexapod_adaptive")
    assert isinstance(motion, MotionCueing)
    prefix, table, state = next(one for one in motion.washout.logged if one[0])
    before = state[0]["motion_share"].copy()
    for f in hard_drive(3000):
        motion.step(f, np.zeros(3), True, 1e-3)
    assert np.abs(motion.pose).max() > 0.01
    assert prefix == "washout_" and {row[0] for row in table} == {"motion_share", "tilt_share", "turn_share"}
    assert (state[0]["motion_share"] != before).any()
