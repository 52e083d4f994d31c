"""Leg budget: motion within it is unchanged, longer motion is reduced and recovers, and nothing steps."""

import numpy as np
import pytest
from cueing_scenes import REST, H, engaged, hard_drive

from washout.workspace_management import EDGE


def ride(motion, force, rate):
    """(n,) the budget's scale and whether the limiter acted, tick by tick."""
    scale, limited = np.empty(len(force)), np.empty(len(force), dtype=bool)
    for i in range(len(force)):
        motion.step(force[i], rate[i], True, H)
        scale[i], limited[i] = motion.readout[0]["cueing_budget"], motion.readout[0]["limited"] > 0
    return scale, limited


def thrown_about(count, seed=3):
    """(count, 3) force and rate of a car at full throttle across hills: heave of 4.4 m/s2 and sway of 4 m/s2 rms, pitch of 17 and roll of 10 deg/s rms."""
    rng, t = np.random.default_rng(seed), H * np.arange(count)

    def noise(size, low, high):
        waves = sum(np.sin(2.0 * np.pi * f * t + rng.uniform(0.0, 6.3)) for f in rng.uniform(low, high, 8))
        return size * waves / np.sqrt(4.0)

    force = np.stack([noise(1.5, 0.1, 1.0), noise(4.0, 0.15, 0.6), noise(4.4, 0.8, 2.0)], axis=1) + REST
    return force, np.radians(np.stack([noise(10.0, 0.5, 1.5), noise(17.0, 0.6, 1.6), noise(18.0, 0.15, 0.6)], axis=1))


def test_within_it_nothing_is_touched():
    motion = engaged()
    force = REST + 0.4 * (hard_drive(12000) - REST)
    for i, f in enumerate(force):
        motion.step(f, np.zeros(3), True, H)
        assert i < 20 or (motion.readout[0]["cue_force"] == motion.readout[0]["felt_force"]).all(), "it begins with an edge"
    assert motion.readout[0]["cueing_budget"] == 1.0
    assert motion.readout[0]["budget_mean"] > 0.1, "a drive that moves"


def test_what_lasts_is_shown_smaller_without_a_step_and_comes_back():
    motion = engaged()
    scale, limited = ride(motion, *thrown_about(20000))
    assert 0.05 < scale.min() < 0.7
    assert limited[2000:].mean() < 0.05
    assert np.abs(np.diff(scale)).max() < 0.01, "of 1, in a millisecond"
    assert np.abs(np.diff(scale, 2)).max() < 2e-4, "and it bends instead of kinking"
    motion.monitor.update(REST, np.zeros(3))
    assert motion.monitor.live[0]["cueing_budget"] == scale[-1]
    after, _ = ride(motion, np.tile(REST, (15000, 1)), np.zeros((15000, 3)))
    assert after[-1] == 1.0


def test_edges_are_smoothed_and_slower_motion_is_not():
    """A blow of 4 g within a millisecond goes the straight way to where it is wanted, as fast as the legs' jerk allows, and does not throw the limiter off."""
    motion = engaged()
    force = np.tile(REST, (700, 1))
    force[100:160] += (16.0, -30.0, 20.0)
    shown, limited = np.empty_like(force), np.empty(len(force), dtype=bool)
    for i, f in enumerate(force):
        motion.step(f, np.zeros(3), True, H)
        shown[i], limited[i] = motion.readout[0]["cue_force"], motion.readout[0]["limited"] > 0
    scaled = 0.4 * np.diff(shown, axis=0, prepend=[REST])
    assert np.linalg.norm(scaled, axis=1).max() == pytest.approx(EDGE * motion.platform[0]["leg_jerk"] * H)
    assert np.cross(shown[100:150] - REST, (16.0, -30.0, 20.0)) == pytest.approx(0.0, abs=1e-9)
    assert (shown[:100] == force[:100]).all()
    assert (shown[300:] == force[300:]).all()
    assert limited.sum() <= 40


def test_a_single_blow_is_none_of_its_business():
    motion = engaged()
    force = np.tile(REST, (3000, 1))
    force[500:560, 2] += 25.0
    scale, _ = ride(motion, force, np.zeros((3000, 3)))
    assert scale.min() > 0.9
