"""Does a steering that moves two axles of three turn all wheels about one point, to both sides alike, and turn the vehicle?"""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.builder.builder import build_vehicle
from tests.laws.vehicle_rig import command, drive, ground
from tests.plugins.wheels import MIDDLE_RATIO, car, drivetrain
from vehicles.description import Description, read_description
from vehicles.mechanism_parameters import new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.composite_inertia import prepare

NAME = "two steered axles"


@cache
def described() -> Description:
    return read_description(car(NAME), NAME)


def headings(angle: float) -> NDArray[np.float64]:
    """Headings of all wheels [rad], + = left, in the design position."""
    d, arm = described(), record(STEERING_STATE)
    w = new_workspace(d.mechanism)
    arm[0]["angle"] = angle
    place_tierods(d.steering, arm, w.inputs)
    prepare(d.mechanism.records, w)
    axle = w.kinematics[0]["axle"]
    return np.asarray(np.arctan2(-axle[0], axle[1]))


def test_records_of_the_steered_axles() -> None:
    d = described()
    assert d.steering["corner"].tolist() == [0, 2] and d.steering["ratio"].tolist() == [1.0, MIDDLE_RATIO]
    assert d.mechanism.own[0]["steered"] == 0b1111


def test_the_linkage_of_the_middle_axle_is_that_of_the_front_axle() -> None:
    d, arm, w = described(), record(STEERING_STATE), new_workspace(described().mechanism)
    arm[0]["angle"], arm[0]["rate"], arm[0]["acceleration"] = 0.3, 0.7, -2.0
    place_tierods(d.steering, arm, w.inputs)
    middle = copy.deepcopy(w.inputs[0])
    arm[0]["angle"], arm[0]["rate"], arm[0]["acceleration"] = 0.3 * MIDDLE_RATIO, 0.7 * MIDDLE_RATIO, -2.0 * MIDDLE_RATIO
    place_tierods(d.steering, arm, w.inputs)
    moved = d.mechanism.Q_design[:, 2:4] - d.mechanism.Q_design[:, :2]
    assert np.abs(middle["Q"][:, 2:4] - w.inputs[0]["Q"][:, :2] - moved).max() < 1e-14
    for name in ("Q_dot", "Q_ddot"):
        assert np.abs(middle[name][:, 2:4] - w.inputs[0][name][:, :2]).max() < 1e-14
    assert np.abs(middle["Q_1"][:, 2:4] - MIDDLE_RATIO * w.inputs[0]["Q_1"][:, :2]).max() < 1e-14


def test_the_wheels_turn_about_a_point_on_the_line_of_the_rear_axle() -> None:
    x = described().mechanism.corners[0]["design_wheel_x"]
    straight, turned = headings(0.0), headings(0.15)
    angles = np.tan(turned - straight)
    front, middle = angles[:2].mean(), angles[2:4].mean()
    assert angles[4:] == pytest.approx(0.0, abs=1e-12)
    assert front < middle < 0.0
    assert middle / front == pytest.approx((x[2] - x[4]) / (x[0] - x[4]), rel=0.1)


def test_left_and_right_are_mirror_images() -> None:
    straight = headings(0.0)
    for angle in (0.05, 0.3):
        left, right = headings(-angle) - straight, headings(angle) - straight
        assert left[[0, 2]] == pytest.approx(-right[[1, 3]], abs=1e-12)
        assert left[[1, 3]] == pytest.approx(-right[[0, 2]], abs=1e-12)


@pytest.mark.parametrize(
    ("axles", "key"),
    [
        ({"front": 0.5}, "steering.axles"),
        ({"middle": 0.0}, "steering.axles.middle"),
        ({"middle": 2.0}, "steering.axles.middle"),
        ({"fourth": 0.5}, "steering.axles"),
    ],
)
def test_refused(axles: dict[str, Any], key: str) -> None:
    mapping = car(NAME)
    mapping["steering"]["axles"] = axles
    with pytest.raises(ConfigError) as refusal:
        read_description(mapping, NAME)
    assert key in str(refusal.value)


def test_a_further_steered_axle_must_be_steerable_even_if_the_rear_axle_steers() -> None:
    mapping = car("five links")
    mapping["steering"]["axles"] = {"middle": 0.5}
    mapping["actuators"] = {"rear_steering": {"max_angle": 0.1, "max_rate": 1.0, "time": 0.1}}
    with pytest.raises(ConfigError, match=r"axles\.middle\.suspension: .*`steering\.axles` names it"):
        read_description(mapping, NAME)


def test_a_negative_ratio_steers_to_the_other_side() -> None:
    mapping = car(NAME)
    mapping["steering"]["axles"] = {"middle": -MIDDLE_RATIO}
    assert read_description(mapping, NAME).steering[1]["ratio"] == -MIDDLE_RATIO


def test_yaw_response_to_both_sides(tmp_path: Path) -> None:
    rates = {}
    for name, ratio in (("with", MIDDLE_RATIO), ("without", None)):
        mapping = car(NAME)
        mapping["steering"]["axles"] = None if ratio is None else {"middle": ratio}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(mapping, sort_keys=False), encoding="utf-8")
        (tmp_path / "drivetrain.yaml").write_text(yaml.safe_dump(drivetrain(NAME)), encoding="utf-8")
        vehicle = build_vehicle(str(tmp_path / f"{name}.yaml"), check_step=False)
        for side in (1.0, -1.0):
            vehicle.reset(ground("flat"), speed=5.0)
            drive(vehicle, "flat", command(selector=1, throttle=0.1, steering=0.3 * side), 3.0)
            rates[name, side] = float(vehicle.space.state[0]["w_WB_B"][2])
    assert rates["with", 1.0] > 1.1 * rates["without", 1.0] > 0.0
    for name in ("with", "without"):
        assert rates[name, 1.0] == pytest.approx(-rates[name, -1.0], rel=1e-3)
