"""The page docs/ros2.md names topics, keys and files that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.driver.kinds import DRIVER_KINDS, ROS2
from simulator.outlets.live_topics import common_groups
from simulator.telemetry.sensor_file.recorder import recorded_sensors

PAGE = Path(__file__).parents[2] / "docs" / "ros2.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
SESSIONS = [text for kind, text in BLOCKS if kind == "yaml" and re.search("^vehicle:", text, re.MULTILINE)]


class Nobody:
    def read(self, t, readout, command):
        pass


@pytest.fixture(scope="module")
def topics(tmp_path_factory) -> dict[str, str]:
    """Names and types of all topics of the sessions of the page."""
    found = {"/clock": "rosgraph_msgs/msg/Clock"}
    for number, text in enumerate(SESSIONS):
        file = tmp_path_factory.mktemp("page") / f"session_{number}.yaml"
        file.write_text(text)
        parts = build(configuration(str(file)), check_step=False)
        session = parts.session(Nobody())
        for group in common_groups(session, True):
            found |= {topic.name: topic.type for topic in group.topics}
        recorded, _ = recorded_sensors(session.measuring.sensors)
        found |= {one.topic_name(topic): topic.type for one in recorded for topic in one.topics}
        session.close()
    return found


def test_the_topics_of_the_page_are_published(topics):
    rows = re.findall(r"^\| ((?:`/\w+`(?:, )?)+) \| `(\w+)/(\w+)`", PAGE.read_text(), re.MULTILINE)
    named = {name: f"{package}/msg/{kind}" for names, package, kind in rows for name in re.findall(r"`(/\w+)`", names)}
    received = {one.default for one in DRIVER_KINDS.need(ROS2).parameters if isinstance(one.default, str)}
    assert received >= {"/cmd_vel", "/ackermann_cmd"} and {
        "/map",
        "/objects",
        "/diagnostics",
        "/robot_description",
        "/tf",
        "/tf_static",
    } <= set(named)
    assert {name: kind for name, kind in named.items() if name not in received} == {
        name: kind for name, kind in topics.items() if name.count("/") == 1
    }, "each topic of the vehicle and the world has a row, and each row a topic"
    for name in re.findall(r"(/(?:lidar|imu)/\w+)", PAGE.read_text()):
        assert name in topics, name


def test_the_files_of_the_page_can_be_read():
    assert len(SESSIONS) == 3
    for kind, text in BLOCKS:
        if kind == "yaml":
            assert yaml.safe_load(text)
        if kind == "python":
            ast.parse(text)
