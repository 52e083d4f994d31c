"""Goals of the planner that come by a topic."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from simulator.autonomy.contract import Pose
from simulator.autonomy.topic_goal_driver import GoalError, TopicGoalDriver, goal_of
from simulator.base.errors import ConfigError
from simulator.builder.builder import build, build_ground
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.driver.kinds import DRIVER_KINDS, PLANNER
from simulator.ros2.dds import Node, Quality
from simulator.sensors.messages.cdr import encode_parts
from simulator.sensors.messages.definitions import POSE_STAMPED

pytest.importorskip("cyclonedds", reason="the extra ros2 is not installed")
DOMAIN = 1 + os.getpid() % 200


def goal(x: float, y: float, frame: str = "map", w: float = 1.0) -> dict:
    pose = {"position": {"x": x, "y": y, "z": 0.0}, "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": w}}
    return {"header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": frame}, "pose": pose}


@pytest.fixture(scope="module")
def parts():
    return build(configuration(None, changes({"vehicle": "sedan", "terrain": "flat"})))


def test_goals_come_one_after_the_other(parts):
    given = {"goal": {"topic": "/goal_pose", "radius": 2.0}, "domain": DOMAIN, "mapper": {"type": "truth", "extent": 60.0, "cell": 0.5}}
    driver = parts.driver(DRIVER_KINDS.need(PLANNER), paced=False, parameters=given)
    assert isinstance(driver, TopicGoalDriver)
    send = Node(DOMAIN).publisher("/goal_pose", POSE_STAMPED, Quality())
    session = parts.session(driver)
    session.reset()

    def place() -> tuple[float, float]:
        return tuple(session.readout[0]["p_WB"][:2])

    session.run(1.0)
    start = place()
    assert driver.rests and driver.map is not None and abs(float(session.readout[0]["v_WB_B"][0])) < 0.02, "it waits, and maps"
    for wrong in (goal(math.nan, 0.0), goal(1e30, 0.0), goal(5.0, 0.0, "moon"), goal(5.0, 0.0, w=math.inf)):
        send.write(encode_parts(POSE_STAMPED, wrong))
        session.run(0.05)
    assert driver.rests and [one.split(": ", 1)[1] for one in driver.reports] == [
        "goal ignored: not finite", "goal ignored: farther than 100000 m", "goal ignored: frame 'moon'; expected map, odom or base_link",
        "goal ignored: not finite",
    ]  # fmt: skip
    send.write(encode_parts(POSE_STAMPED, goal(60.0, 0.0, "base_link")))
    session.run(3.0)
    assert not driver.rests and driver.goal.x == pytest.approx(start[0] + 60.0, abs=0.1) and place()[0] > start[0] + 2.0
    send.write(encode_parts(POSE_STAMPED, goal(start[0] + 18.0, start[1] + 6.0, "odom")))
    session.run(15.0)
    assert driver.rests and driver.outcome.word == "reached" and driver.ended == "", (
        "the new goal replaces the old one, and the drive goes on"
    )
    assert np.hypot(place()[0] - start[0] - 18.0, place()[1] - start[1] - 6.0) < 2.5
    session.run(3.0)
    assert abs(float(session.readout[0]["v_WB_B"][0])) < 0.02
    send.write(encode_parts(POSE_STAMPED, goal(start[0] + 40.0, start[1] + 6.0)))
    session.run(15.0)
    assert np.hypot(place()[0] - start[0] - 40.0, place()[1] - start[1] - 6.0) < 2.5
    assert sum("reached" in one for one in driver.reports) == 2
    session.close()


def test_a_mapper_that_fails_ends_the_drive_at_rest(parts, monkeypatch):
    driver = parts.driver(DRIVER_KINDS.need(PLANNER), paced=False, parameters={"goal": {"topic": "/goal_pose"}, "domain": DOMAIN})
    session = parts.session(driver)
    session.reset()
    session.run(0.5)
    monkeypatch.setattr(driver._mapper, "_function", lambda *_: 1 / 0)
    session.run(5.0)
    assert driver.outcome.word == "error" and "ZeroDivisionError" in driver.ended
    session.close()


def test_a_goal_outside_the_terrain_is_refused():
    with pytest.raises(GoalError, match="outside the terrain"):
        goal_of(goal(9e4, 0.0), Pose(0.0, 0.0, 0.0), build_ground("hills"), 3.0)


@pytest.mark.parametrize("given", [{}, {"topic": "/goal_pose", "position": [1.0, 2.0]}, {"topic": "goal"}])
def test_a_goal_is_one_of_position_route_and_topic(parts, given):
    with pytest.raises(ConfigError, match="goal"):
        parts.driver(DRIVER_KINDS.need(PLANNER), paced=False, parameters={"goal": given})
