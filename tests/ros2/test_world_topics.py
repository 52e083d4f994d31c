"""Topics about the world and the session: map, objects, diagnostics, URDF."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.driver.kinds import DRIVER_KINDS, PLANNER
from simulator.outlets.live_topics import LiveTopics, common_groups
from simulator.ros2.robot_description import wheel_joints
from simulator.sensors.messages.cdr import decode
from terrain.objects.world_object import Box, WorldObject

SESSION = {
    "vehicle": "sedan", "terrain": "flat",
    "vehicles": [{"name": "other", "vehicle": "sedan", "position": [30.0, 4.0], "driver": "cruise"}],
    "objects": [{"name": "post", "shape": "cylinder", "radius_m": 0.2, "height_m": 2.0, "position": [12.0, -4.0], "label": "post"}],
}  # fmt: skip


class Stored:
    """Sink that stores the messages."""

    label = "store"

    def __init__(self):
        self.types, self.got = {}, []

    def open(self, topics):
        self.types = {topic.name: topic.type for topic in topics}

    def wants(self, topic):
        return True

    def write(self, topic, time, parts):
        self.got.append((topic, time, decode(self.types[topic], b"".join(parts))))
        return True

    def close(self):
        pass

    def of(self, topic):
        return [(time, message) for name, time, message in self.got if name == topic]


class Rests:
    def read(self, t, readout, command):
        command[0]["brake"], command[0]["selector"] = 0.5, 1


def published(parts, driver, seconds, during=lambda session: None):
    session, sink = parts.session(driver), Stored()
    session.reset()
    groups = common_groups(session, True, 2.0, 10.0)
    notes = []
    outlet = LiveTopics(session, sink, 100.0, "outlets.test", groups, notes.append)
    session.output.outlets.append(outlet)
    session.run(seconds)
    during(session)
    session.run(seconds)
    outlet.close()
    assert not outlet.failure and not notes and not any("topic" in str(one) for one in session.output.failures)
    session.close()
    return sink


@pytest.fixture(scope="module")
def parts():
    return build(configuration(None, changes(SESSION)))


@pytest.fixture(scope="module")
def sink(parts):
    def change(session):
        session.output.note_failure("sensor left: has failed")
        row = [one.name for one in session.objects.objects].index("post")
        session.world.remove(int(session.objects.records[row]["number"]), session.tick)
        session.world.add([WorldObject("crate", Box((1.0, 2.0, 3.0)), (5.0, 6.0, 1.5), yaw=math.pi / 2, label="other")], session.tick)

    return published(parts, Rests(), 1.0, change)


def test_the_map_shows_obstacles_around_the_vehicle(sink):
    maps = sink.of("/map")
    assert np.diff([time for time, _ in maps])[1:] == pytest.approx(0.5, abs=0.02) and len(maps) >= 3
    info, data = maps[0][1]["info"], maps[0][1]["data"].reshape(maps[0][1]["info"]["height"], -1)
    corner = info["origin"]["position"]

    def at(m, x, y):
        return m[int((y - corner["y"]) / info["resolution"]), int((x - corner["x"]) / info["resolution"])]

    assert info["resolution"] == pytest.approx(0.5) and at(data, 12.0, -4.0) == 100 and 0 <= at(data, 8.0, 0.0) < 20
    last = maps[-1][1]["data"].reshape(info["height"], -1)
    assert at(last, 12.0, -4.0) < 20 and at(last, 5.0, 6.0) == 100, "the removed post is gone, the new crate is there"


def test_objects_come_move_and_go(sink):
    rows = [(time, one) for time, message in sink.of("/objects") for one in message["markers"]]
    assert rows[0][1]["action"] == 3
    posts = [(time, one) for time, one in rows if one["ns"] == "post"]
    assert posts[0][1]["type"] == 3 and posts[0][1]["scale"] == pytest.approx({"x": 0.4, "y": 0.4, "z": 2.0})
    assert posts[0][1]["pose"]["position"] == pytest.approx({"x": 12.0, "y": -4.0, "z": 1.0}, abs=1e-6)
    assert [one["action"] for _, one in posts][-1] == 2 and posts[-1][1]["id"] == posts[0][1]["id"]
    assert [one["action"] for _, one in posts].count(2) == 1 and posts[-1][0] == pytest.approx(1.0, abs=0.15)
    moving = [(time, one) for time, one in rows if one["ns"] == "vehicle"]
    assert len({time for time, _ in moving}) >= 18, "other vehicles at every time"
    first = moving[0][1]["id"]
    x = [one["pose"]["position"]["x"] for _, one in moving if one["id"] == first]
    assert abs(x[-1] - x[0]) > 1.0 and all(one["color"]["a"] > 0.0 for _, one in moving)
    crate = next(one for _, one in rows if one["ns"] == "other")
    assert crate["scale"] == {"x": 1.0, "y": 2.0, "z": 3.0} and crate["pose"]["orientation"]["z"] == pytest.approx(math.sqrt(0.5))


def test_diagnostics_name_what_has_failed(sink):
    first, *_, last = [{one["name"]: one for one in message["status"]} for _, message in sink.of("/diagnostics")]
    assert first["jounce: parts"]["level"] == 0 and first["jounce: topics"]["message"] == "no message dropped"
    assert last["jounce: parts"]["level"] == 2 and last["jounce: parts"]["message"] == "sensor left: has failed"
    assert {"jounce: ticks", "jounce: platform", "jounce: driver"} <= set(first) and first["jounce: ticks"]["hardware_id"] == "jounce"


def test_the_description_has_the_joints_of_the_joint_states(sink, parts):
    (_, description), (_, state) = sink.of("/robot_description")[0], sink.of("/joint_states")[0]
    assert state["name"] == wheel_joints(parts.vehicle.description).names
    assert all(f'<joint name="{name}"' in description["data"] for name in state["name"]) and len(sink.of("/robot_description")) == 1


def test_the_map_of_a_planner_is_that_of_its_mapper(parts):
    given = {"goal": {"position": [40.0, 0.0]}, "mapper": {"type": "truth", "cell": 0.25, "extent": 50.0}}
    sink = published(parts, parts.driver(DRIVER_KINDS.need(PLANNER), paced=False, parameters=given), 0.5)
    assert {(m["info"]["width"], m["info"]["resolution"]) for _, m in sink.of("/map")} == {(200, 0.25)}


def test_rates_of_zero_leave_out_a_topic(parts):
    groups = common_groups(parts.session(Rests()), False, 0.0, 0.0)
    assert [topic.name for group in groups for topic in group.topics] == [
        "/tf_static", "/joint_states", "/robot_description", "/diagnostics"
    ]  # fmt: skip
