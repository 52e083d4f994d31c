"""Does the four-bar of Pitman arm, link and idler place the tie rods, with the right rates?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError, ConfigErrors
from simulator.base.records import Record, record
from simulator.builder.builder import vehicle_description
from vehicles.command import COMMAND
from vehicles.steering.contract import SteeredAxle
from vehicles.steering.steering import STEERING_STATE, place_tierods, steering_step
from vehicles.steering.steering_section import STEERING_FILE, steering_from_values
from vehicles.suspension.contract import INPUTS

HMMWV = vehicle_description("hmmwv")
PARALLELOGRAM = {
    "location": [1.24498, 0.0, 0.101322], "rotation_y_deg": 18.5, "arm_pivot": [0.0, 0.249, 0.0], "arm_joint": [0.129, 0.249, 0.0],
    "idler_pivot": [0.0, -0.325, 0.0], "idler_joint": [0.129, -0.325, 0.0], "max_arm_angle_deg": 30.0, "gear_ratio": 26.0,
    "max_rate_deg": 60.0, "natural_frequency": 40.0,
}  # fmt: skip
SKEWED = {**PARALLELOGRAM, "idler_pivot": [0.03, -0.35, 0.0], "idler_joint": [0.17, -0.29, 0.0], "arm_joint": [0.14, 0.22, 0.0]}
TRAPEZOID = {**PARALLELOGRAM, "arm_joint": [0.129, 0.20, 0.0], "idler_joint": [0.129, -0.28, 0.0]}
BEHIND = {**SKEWED, "arm_joint": [-0.14, 0.22, 0.0], "idler_joint": [-0.12, -0.29, 0.0]}
RAISED = {**SKEWED, **{end: [*SKEWED[end][:2], 0.03] for end in ("arm_pivot", "arm_joint", "idler_pivot", "idler_joint")}}
"""The steering frame's origin lies below the plane of the linkage."""
LINKAGES = {"parallelogram": PARALLELOGRAM, "skewed": SKEWED, "trapezoid": TRAPEZOID, "behind": BEHIND, "raised": RAISED}
ANGLES = np.radians(np.linspace(-30.0, 30.0, 25))


def steering(numbers: dict[str, Any]) -> Record:
    return steering_from_values(STEERING_FILE.read(numbers, "steering", ""), (SteeredAxle(tierod_inner=HMMWV.mechanism.Q_design[:, :2].T),))


def place(p: Record, angle: float, rate: float = 0.0, acceleration: float = 0.0) -> Any:
    """INPUTS row."""
    s, q = record(STEERING_STATE), record(INPUTS)
    s[0]["angle"], s[0]["rate"], s[0]["acceleration"] = angle, rate, acceleration
    place_tierods(p, s, q)
    return q[0]


@pytest.mark.parametrize("without", [{"max_rate_deg": 0.0}, {"input": "direct"}])
def test_a_natural_frequency_without_a_filter_is_refused(without: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"natural_frequency: .*needs a largest rate above 0"):
        steering({**PARALLELOGRAM, **without})


def test_errors_of_the_linkage_and_of_the_column_are_reported_at_once() -> None:
    with pytest.raises(ConfigErrors) as refusal:
        steering({**PARALLELOGRAM, "idler_joint": [0.02, -0.325, 0.0], "input": "direct"})
    assert [error.key for error in refusal.value.errors] == ["max_arm_angle_deg", "natural_frequency"]


def test_hmmwv_tie_rods_move_on_the_circle_of_a_parallelogram() -> None:
    tilt = math.radians(18.5)
    R = np.array([[math.cos(tilt), 0.0, math.sin(tilt)], [0.0, 1.0, 0.0], [-math.sin(tilt), 0.0, math.cos(tilt)]])
    for angle in ANGLES:
        c, s = math.cos(angle), math.sin(angle)
        rate, acceleration = 0.7, -2.5
        q = place(HMMWV.steering, angle, rate, acceleration)
        shift = R @ (0.129 * np.array([c - 1.0, s, 0.0]))
        velocity = R @ (0.129 * np.array([-s, c, 0.0]))
        curvature = R @ (0.129 * np.array([-c, -s, 0.0]))
        for i in range(2):
            assert np.abs(q["Q"][:, i] - HMMWV.mechanism.Q_design[:, i] - shift).max() < 1e-15
            assert np.abs(q["Q_1"][:, i] - velocity).max() < 1e-15
            assert np.abs(q["Q_dot"][:, i] - rate * velocity).max() < 1e-15
            assert np.abs(q["Q_ddot"][:, i] - acceleration * velocity - rate**2 * curvature).max() < 2e-15


@pytest.mark.parametrize("name", LINKAGES)
def test_design_position_is_where_the_file_puts_it(name: str) -> None:
    q = place(steering(LINKAGES[name]), 0.0)
    assert np.abs(q["Q"][:, :2] - HMMWV.mechanism.Q_design[:, :2]).max() < 1e-15


@pytest.mark.parametrize("name", LINKAGES)
def test_arm_link_and_idler_keep_their_lengths(name: str) -> None:
    numbers = LINKAGES[name]
    p = steering(numbers)
    arm_pivot, arm, idler_pivot, idler = (np.array(numbers[key]) for key in ("arm_pivot", "arm_joint", "idler_pivot", "idler_joint"))
    X = p[0]["rotation"]
    design = (HMMWV.mechanism.Q_design[:, :2].T - p[0]["location"]) @ X
    for angle in ANGLES:
        found = (place(p, angle)["Q"][:, :2].T - p[0]["location"]) @ X
        c, s = math.cos(angle), math.sin(angle)
        joint = arm_pivot + np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ (arm - arm_pivot)
        # both tie-rod joints sit on the link, which carries the arm's joint
        assert np.linalg.norm(found[0] - found[1]) == pytest.approx(np.linalg.norm(design[0] - design[1]), rel=1e-14)
        for i in range(2):
            assert np.linalg.norm(found[i] - joint) == pytest.approx(np.linalg.norm(design[i] - arm), rel=1e-14)
            assert found[i, 2] == pytest.approx(design[i, 2], abs=1e-15)
        # the link's turn from its two tie-rod joints puts the idler's joint on the idler's circle
        before, after = design[1] - design[0], found[1] - found[0]
        turn = math.atan2(after[1], after[0]) - math.atan2(before[1], before[0])
        c, s = math.cos(turn), math.sin(turn)
        end = joint + np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ (idler - arm)
        assert np.linalg.norm(end - idler_pivot) == pytest.approx(np.linalg.norm(idler - idler_pivot), rel=1e-13)


@pytest.mark.parametrize("name", LINKAGES)
def test_rates_and_accelerations_are_derivatives_of_the_positions(name: str) -> None:
    p = steering(LINKAGES[name])
    h = 0.005
    for angle in ANGLES[4:-4]:
        for rate, acceleration in ((1.0, 0.0), (-0.8, 3.0)):
            at = [place(p, angle + rate * t + 0.5 * acceleration * t * t)["Q"][:, :2] for t in h * np.arange(-4, 5)]
            first = np.tensordot([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280], at, 1) / h
            second = np.tensordot([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560], at, 1) / h**2
            q = place(p, angle, rate, acceleration)
            assert np.abs(q["Q_dot"][:, :2] - first).max() < 1e-11
            assert np.abs(q["Q_ddot"][:, :2] - second).max() < 2e-10
            assert np.abs(rate * q["Q_1"][:, :2] - first).max() < 1e-11


def asking(value: float) -> Record:
    """A command."""
    out = record(COMMAND)
    out[0]["steering"] = value
    return out


def test_the_arm_follows_the_input_within_its_rate_and_without_overshoot() -> None:
    p, s = steering(PARALLELOGRAM), record(STEERING_STATE)
    target, limit = -p[0]["max_arm_angle"], p[0]["max_rate"]
    angles, rates = [0.0], [0.0]
    for _ in range(2000):
        steering_step(p, s, asking(1.0), 0.0, 1e-3)
        angles.append(float(s[0]["angle"]))
        rates.append(float(s[0]["rate"]))
    assert np.abs(rates).max() <= limit
    assert np.diff(angles) == pytest.approx(1e-3 * np.array(rates[1:]), abs=1e-15)
    assert (np.diff(angles) <= 0.0).all()
    assert angles[-1] == pytest.approx(target, abs=1e-9)


@pytest.fixture
def led_arm() -> Record:
    """Steering of the HMMWV whose arm follows the input: a free arm is moved by its column in the step of the vehicle."""
    p = HMMWV.steering.copy()
    p[0]["free"] = 0
    return p


def test_input_beyond_full_lock_counts_as_full_lock(led_arm: Record) -> None:
    for value in (1.0, 5.0, math.inf):
        s = record(STEERING_STATE)
        for _ in range(3000):
            steering_step(led_arm, s, asking(value), 0.0, 1e-3)
        assert s[0]["angle"] == pytest.approx(-led_arm[0]["max_arm_angle"], rel=1e-9)


def test_positive_input_turns_the_wheels_to_the_left(led_arm: Record) -> None:
    """The tie rods lie behind the wheel centers: to steer left they move to the right."""
    s, q = record(STEERING_STATE), record(INPUTS)
    for _ in range(1000):
        steering_step(led_arm, s, asking(0.5), 0.0, 1e-3)
    place_tierods(led_arm, s, q)
    assert (q[0]["Q"][1, :2] < HMMWV.mechanism.Q_design[1, :2] - 0.02).all()


def test_a_linkage_that_locks_before_full_lock_is_refused() -> None:
    with pytest.raises(ConfigError, match="max_arm_angle_deg") as refusal:
        steering({**SKEWED, "idler_joint": [0.12, -0.29, 0.0]})
    assert "close" in str(refusal.value)
    steering({**SKEWED, "idler_joint": [0.12, -0.29, 0.0], "max_arm_angle_deg": 15.0})
