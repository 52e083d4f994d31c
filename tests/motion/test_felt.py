"""Is the perceived motion that of the commanded platform motion in closed form, and is the cueing error the difference?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from cueing_scenes import REST, STILL, G, H, cueing, engaged, hard_drive, platform, washout_mapping

from simulator.base.records import record
from simulator.base.rotations import rotation_of_euler
from simulator.virtual_platform.platform import Rider
from tests.motion.still_packet import still_packet
from washout.cueing import PARAMETERS, STATES
from washout.limiter.limiter import limiter
from washout.perceived_motion import FELT, feel


def rotation(angles: np.ndarray) -> np.ndarray:
    R = np.empty((3, 3))
    rotation_of_euler(*(float(angle) for angle in angles), R)
    return R


def felt(pose, t: float, h: float, head) -> np.ndarray:
    """cab_f_H_P and cab_w_NP_P of a platform whose pose is a function of time."""
    p, s, out = record(PARAMETERS), record(STATES), record(FELT)
    p[0]["h"], p[0]["felt_at"], p[0]["gravity"] = h, head, G
    s[0]["pose"], s[0]["rates"], s[0]["rates_before"] = pose(t), (pose(t) - pose(t - h)) / h, (pose(t - h) - pose(t - 2 * h)) / h
    feel(p, s, REST, STILL, out)
    return np.hstack([out[0]["cab_f_H_P"], out[0]["cab_w_NP_P"]])


def test_a_tilted_platform_at_rest_shows_a_share_of_gravity():
    angles = np.array([0.1, -0.2, 0.3])
    seen = felt(lambda t: np.hstack([0.0, 0.0, 0.1, angles]), 0.0, H, (0.3, 0.2, 1.1))
    assert seen == pytest.approx(np.hstack([rotation(angles).T @ [0.0, 0.0, G], np.zeros(3)]), abs=1e-12)


def test_a_platform_that_swings_every_way_is_felt_as_the_second_derivative_of_the_head():
    head = np.array([0.3, -0.2, 1.1])
    size, speed = np.array([0.1, 0.08, 0.05, 0.2, 0.15, 0.3]), np.array([2.0, 3.0, 5.0, 2.5, 3.5, 1.5])

    def pose(t: float) -> np.ndarray:
        return size * np.sin(speed * t + 0.4)

    def p_NH(t: float) -> np.ndarray:
        return pose(t)[:3] + rotation(pose(t)[3:]) @ head

    t, e = 0.9, 1e-4
    R, R_dot = rotation(pose(t)[3:]), (rotation(pose(t + e)[3:]) - rotation(pose(t - e)[3:])) / (2 * e)
    skew = R.T @ R_dot
    a = (p_NH(t + e) - 2 * p_NH(t) + p_NH(t - e)) / e**2
    exact = np.hstack([R.T @ (a + [0.0, 0.0, G]), skew[2, 1], skew[0, 2], skew[1, 0]])
    coarse, fine = (np.abs(felt(pose, t, h, head) - exact).max() for h in (2e-3, 1e-3))
    assert fine < 0.02
    assert 1.8 < coarse / fine < 2.2  # of first order in the tick: the rates are those of the last two


def test_standing_in_neutral_nothing_is_missed():
    motion = engaged()
    seen = motion.monitor.update(REST, STILL)[0]
    assert seen["cab_f_H_P"] == pytest.approx(REST, abs=1e-4)
    assert seen["cueing_force_error"] == pytest.approx(np.zeros(3), abs=1e-4)
    assert seen["cueing_rate_error"] == pytest.approx(np.zeros(3), abs=1e-6)


def test_the_error_is_what_is_felt_less_the_scaled_demand():
    motion = engaged()
    gain = np.array(washout_mapping()["cueing"]["force_gain"])
    w = np.array([0.1, -0.2, 0.05])
    for f in hard_drive(3000):
        motion.step(f, w, True, H)
    seen = motion.monitor.update(f, w)[0]
    assert seen["cueing_force_error"] == pytest.approx(seen["cab_f_H_P"] - REST - gain * (f - REST), abs=1e-12)
    shown = seen["cab_w_NP_P"] - seen["cueing_rate_error"]
    assert shown / w == pytest.approx(motion.records[0][0]["rate_gain"])


def test_a_steady_acceleration_ends_as_tilt():
    """After some seconds the platform stands tilted: the share of the demand that tilt shows is felt, and hardly anything is missed."""
    motion = engaged()
    f = REST + [1.5, 0.0, 0.0]
    for _ in range(15000):
        motion.step(f, STILL, True, H)
    seen = motion.monitor.update(f, STILL)[0]
    assert seen["cab_f_H_P"][0] == pytest.approx(0.4 * 1.5, abs=0.02)
    assert math.sin(-motion.pose[4]) * G == pytest.approx(seen["cab_f_H_P"][0], abs=0.02)


def test_the_virtual_platform_computes_the_motion_of_rider_and_driver():
    p = platform()
    rider, limits = Rider(p), limiter(p, np.array([0.0, 0.0, 0.0, 0.0, -0.1, 0.0]))
    rider.hear(still_packet(force=(2.0, -1.0, G + 0.5), rates=(0.1, 0.0, 1e300)))
    for _ in range(200):
        rider.step(limits, 0.004)
    assert rider.car[:5] == pytest.approx([2.0, -1.0, 0.5, 0.1, 0.0], abs=1e-5) and np.isfinite(rider.car).all()
    assert rider.cab == pytest.approx([G * math.sin(0.1), 0.0, G * (math.cos(0.1) - 1.0), 0.0, 0.0, 0.0], abs=1e-5)
    for k in range(50):
        limits[0]["rates"][0] = 0.5 * 0.004 * k
        rider.step(limits, 0.004)
    assert rider.cab[0] - G * math.sin(0.1) == pytest.approx(0.5 * math.cos(0.1), rel=0.03), "0.5 m/s2 forwards"


def test_every_shipped_washout_file_has_a_type(recwarn):
    for name in ("small_hexapod", "large_hexapod"):
        cueing(name)
    assert not recwarn.list
