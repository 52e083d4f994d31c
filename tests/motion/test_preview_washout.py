"""Does the preview washout use a known future, and does no wrong, late, missing or cut preview move the platform beyond its limits?"""

import numpy as np
import pytest
from cueing_scenes import G, platform, washout_mapping, worst_jerk, worst_use

from simulator.tools.cueing.motion_pipeline import CueingPipeline, felt, gains, head_of
from washout.cueing import MotionCueing
from washout.preview.sources import RecordedPreview

H = 2e-3
NEUTRAL = np.array([0.0, 0.0, G])
PLATFORMS = {"small_hexapod": "small_hexapod_preview", "simona": "large_hexapod_preview"}


def mapping(name, **changes):
    """The washout `name` with its base."""
    own = washout_mapping(name)
    base = washout_mapping(own.pop("base")) if "base" in own else own
    procedure = {**base["procedure"], "rise": 1.0, "blend": 0.5}
    return {**base, **own, "cueing": {**base["cueing"], **own["cueing"], **changes}, "procedure": procedure}


def drive(seconds=16.0, seed=4):
    """(n, 3) force and rate of braking, lane changes and road noise, which end at rest."""
    random, t = np.random.default_rng(seed), np.arange(0.0, seconds, H)
    force, rate = np.tile(NEUTRAL, (len(t), 1)), np.zeros((len(t), 3))
    force[:, 0] += 2.0 / (1.0 + np.exp(-(t - 1.0) / 0.1)) - 2.0 / (1.0 + np.exp(-(t - 4.0) / 0.1))
    force[:, 0] -= 5.0 / (1.0 + np.exp(-(t - 9.0) / 0.1)) - 5.0 / (1.0 + np.exp(-(t - 11.5) / 0.1))
    for start, size in ((5.0, 4.0), (7.0, -4.0)):
        inside = (t > start) & (t < start + 2.0)
        force[inside, 1] += size * np.sin(np.pi * (t[inside] - start)) ** 3
        rate[inside, 0] += 0.04 * size * np.sin(2.0 * np.pi * (t[inside] - start)) / 2.0
    for frequency in random.uniform(0.8, 6.0, 8):
        force[:, :2] += 0.1 * np.sin(2.0 * np.pi * frequency * t + random.uniform(0.0, 6.0))[:, None]
    return force, rate


FORCE, RATE = drive()


class Told:
    """Preview of a recording that a function of the time and the numbers changes; `count` may cut it."""

    def __init__(self, change=lambda t, f, w: None, count=lambda t, n: n, horizon=1.0, step=0.02):
        self.step, self._change, self._count = step, change, count
        self._recorded = RecordedPreview(H * np.arange(len(FORCE)), FORCE, RATE, step, round(horizon / step))

    def predict(self, time, f, w):
        n = self._recorded.predict(time, f, w)
        self._change(time, f[:n], w[:n])
        return self._count(time, n)


def scale(f, w, factor):
    f[:] = NEUTRAL + factor * (f - NEUTRAL)
    w *= factor


def scaled(factor):
    return Told(lambda _, f, w: scale(f, w, factor))


def late(seconds):
    told = Told()
    predict = told.predict
    told.predict = lambda time, f, w: predict(max(0.0, time - seconds), f, w)
    return told


def noise(seed, size):
    random = np.random.default_rng(seed)

    def change(_, f, w):
        f[:], w[:] = random.uniform(-size, size, f.shape), random.uniform(-size, size, w.shape)

    return Told(change, lambda t, n: int(random.integers(0, n + 1)))


def flicker(t, n):
    return n if int(t / 0.3) % 2 else 0


def ride(name, preview, force=FORCE, rate=RATE, served=None, **changes):
    """(motion of the platform, cueing) of a drive that a preview announces."""

    def make():
        motion = MotionCueing(
            mapping(PLATFORMS.get(name, name), **changes), name, platform("simona" if name == "simona" else "small_hexapod"), H
        )
        if preview is not None:
            motion.washout.set_preview(preview)
        if served is not None:
            served(motion)
        return motion

    chain = CueingPipeline(make, force[0], rate[0])
    try:
        return chain.follow(force, rate), chain.cueing
    finally:
        chain.close()


def error(motion, cueing):
    """Error of surge and sway at the head relative to the scaled motion of the car, smoothed over 0.1 s."""
    aim, head = gains(cueing)[0][:2] * FORCE[:, :2], felt(motion.pose, head_of(cueing.platform), H).force[:, :2]
    mean = np.ones(round(0.1 / H)) * H / 0.1
    wrong, right = (np.array([np.convolve(column, mean, "valid") for column in each.T]) for each in (head - aim, aim))
    return float(np.sqrt((wrong**2).mean() / (right**2).mean()))


def assert_inside(cueing, motion):
    legs = motion.legs
    assert np.isfinite(legs).all()
    stroke, speed, acceleration = worst_use(cueing.platform, legs, H)
    assert max(stroke, speed, acceleration, worst_jerk(cueing.platform, legs, H)) <= 1.0 + 1e-6


@pytest.fixture(scope="module")
def unknown():
    """Error by platform without a preview: that of the adaptive washout."""
    return {name: error(*ride(name, None)) for name in PLATFORMS}


@pytest.mark.parametrize("name", PLATFORMS)
def test_a_known_second_leaves_a_third_of_the_error(name, unknown):
    motion, cueing = ride(name, Told())
    assert error(motion, cueing) < min(0.2, unknown[name] / 3.0)
    assert_inside(cueing, motion)
    assert not motion.limited.any(), "the plan keeps the limits, not the limiter"
    tilt = np.degrees(np.diff(motion.pose[:, 3:5], axis=0) / H)
    assert np.abs(tilt[:, 1]).max() < 6.0 + 0.5, "the tilt for the brake is as slow as the file says"


def test_without_a_preview_it_is_the_adaptive_washout():
    motion = ride("small_hexapod", None)[0]
    adaptive = ride("small_hexapod_adaptive", None)[0]
    assert motion.pose == pytest.approx(adaptive.pose, abs=1e-12)


def from_the_middle(factor):
    return Told(lambda t, f, w: scale(f, w, factor if t > 6.0 else 1.0))


def fuzzed(seed):
    """Every 0.2 to 2 s another lie: another scale, another time, noise, a cut, numbers that are none."""
    random = np.random.default_rng(seed)
    told, until = {0.0: Told()}, [0.0]

    class Fuzzed(Told):
        def predict(self, time, f, w):
            if time >= until[0]:
                until[0] = time + random.uniform(0.2, 2.0)
                told[0.0] = random.choice([
                    scaled(random.choice([-1.0, 0.0, 0.3, 5.0, 1e9])), late(random.uniform(0.0, 3.0)), noise(int(random.integers(99)), 8.0),
                    Told(count=lambda t, n: int(random.integers(0, n + 1))), scaled(np.nan), scaled(np.inf), Told(),
                ])  # fmt: skip
            return told[0.0].predict(time, f, w)

    return Fuzzed()


HOSTILE = {
    "10 % more": (scaled(1.1), 0.5),
    "half": (scaled(0.5), 0.7),
    "half more": (scaled(1.5), 0.6),
    "twice": (scaled(2.0), 0.7),
    "nothing comes": (scaled(0.0), 1.0),
    "opposite": (scaled(-1.0), 1.05),
    "0.1 s late": (late(0.1), 0.7),
    "1 s late": (late(1.0), 1.1),
    "nothing from the middle on": (from_the_middle(0.0), 1.1),
    "opposite from the middle on": (from_the_middle(-1.0), 1.05),
    "cut midway": (Told(count=lambda t, n: n if t < 6.0 else 0), 1.0),
    "missing every other moment": (Told(count=flicker), 1.1),
    "noise of a car": (noise(1, 5.0), 1.05),
    "noise of an explosion": (noise(2, 1e9), 1.1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_wrong_preview_makes_a_jerk_or_ruins_the_motion(name, unknown):
    preview, worst = HOSTILE[name]
    motion, cueing = ride("small_hexapod", preview)
    assert_inside(cueing, motion)
    assert motion.limited.mean() < 0.05
    assert error(motion, cueing) <= worst * unknown["small_hexapod"]


@pytest.mark.parametrize("end", [4.5, 9.0])
def test_an_exact_preview_that_turns_wrong_is_noticed_by_small_forces_and_not_forgiven_in_silence(end):
    """A lane change that was announced, then 0.1 m/s2 with the wrong sign until 4.5 s, then nothing."""
    t = np.arange(0.0, end, H)
    force = np.tile(NEUTRAL, (len(t), 1))
    force[:, 1] += 2.0 * np.sin(2.0 * np.pi * t) * (t < 1.0) + 0.1 * np.sin(2.0 * np.pi * t) * ((t > 2.0) & (t < 4.5))
    told = force * np.where(t < 3.0, 1.0, -1.0)[:, None] + np.outer(t >= 3.0, 2.0 * NEUTRAL)
    preview = RecordedPreview(t, told, np.zeros_like(force), 0.02, 50)
    _, cueing = ride("small_hexapod", preview, force, np.zeros_like(force))
    assert cueing.washout._state[0]["trust"][1] < 0.1
    preview = RecordedPreview(t, force, np.zeros_like(force), 0.02, 50)
    _, cueing = ride("small_hexapod", preview, force, np.zeros_like(force))
    assert cueing.washout._state[0]["trust"][1] > 0.9


@pytest.mark.parametrize("seed", range(6))
def test_changing_lies_stay_inside_the_limits(seed, unknown):
    motion, cueing = ride("small_hexapod", fuzzed(seed))
    assert_inside(cueing, motion)
    assert motion.limited.mean() < 0.1
    assert error(motion, cueing) <= 1.2 * unknown["small_hexapod"]


def test_hostile_motion_with_a_hostile_preview_stays_inside_the_limits():
    random = np.random.default_rng(7)
    force, rate = random.uniform(-60.0, 60.0, FORCE.shape), random.uniform(-5.0, 5.0, RATE.shape)
    hold = random.integers(1, 400, len(force)).cumsum()
    rows = np.repeat(np.arange(len(hold)), np.diff(np.concatenate([[0], hold])))[: len(force)]
    motion, cueing = ride("small_hexapod", noise(3, 100.0), force[rows], rate[rows])
    assert_inside(cueing, motion)


def test_the_same_drive_gives_the_same_bits():
    first, second = (ride("small_hexapod", Told())[0] for _ in range(2))
    assert np.array_equal(first.pose, second.pose)


def test_the_last_plan_continues_while_no_plan_is_ready():
    def lose(motion):
        """Every plan is late from the middle of the drive on."""
        thread, calls = motion.washout._planner._thread, iter(range(10**9))
        result = thread.result
        thread.result = lambda wait: None if next(calls) > 700 else result(wait)

    motion, cueing = ride("small_hexapod", Told(), served=lose)
    assert cueing.washout._planner.late > 100
    assert not motion.limited.any()
    assert_inside(cueing, motion)
    x = cueing.washout._state[0]
    assert x["plan_age"] > 3.0 and abs(motion.pose[-1]).max() < 0.1, "beyond its end, the plan returns to the center"


def test_a_plan_that_is_not_solved_is_not_carried_out(unknown):
    motion, cueing = ride("small_hexapod", Told(), plan_iterations=1)
    assert cueing.washout._planner.inexact > 100
    assert_inside(cueing, motion)
    assert not motion.limited.any()
    assert error(motion, cueing) <= 1.1 * unknown["small_hexapod"]


def test_the_drive_that_waits_announces_nothing():
    _, cueing = ride("small_hexapod", Told(), FORCE[:1], RATE[:1])
    assert cueing.washout._state[0]["plan_age"] < 0.03
    assert np.abs(cueing.washout._state[0]["told"]).max() < 0.5, "only the road noise of the first moment"
