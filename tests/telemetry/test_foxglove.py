"""Does a client with a WebSocket package alone receive topics, scene, log and parameters? No Foxglove app was at hand."""

from __future__ import annotations

import json
import re
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import jounce
from simulator.base.errors import DeviceError, JounceError
from simulator.builder.builder import build
from simulator.cli.main import main
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.driver.kinds import DRIVER_KINDS
from simulator.events.event import Event
from simulator.outlets.foxglove.log import LogTopic
from simulator.outlets.foxglove.options import FoxgloveOptions
from simulator.outlets.foxglove.outlet import foxglove_outlet
from simulator.outlets.foxglove.scene import MOVING, STATIC, SceneTopics
from simulator.outlets.live_topics import VehicleTopics, common_groups

pytest.importorskip("foxglove", reason="the extra foxglove is not installed")
pytest.importorskip("websockets", reason="the extra console is not installed")
CLIENT = Path(__file__).with_name("foxglove_client.py")
ABOUT = {"vehicle": "sedan", "terrain": "flat"}


def protobuf(data: bytes) -> dict[int, list]:
    """Return the fields of a message by their numbers: integers, doubles, bytes."""
    out: dict[int, list] = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        else:
            assert key & 7 == 2
            size = varint()
            value, at = data[at : at + size], at + size
        out.setdefault(key >> 3, []).append(value)
    return out


def vector(data: bytes, count: int = 3) -> list[float]:
    fields = protobuf(data)
    return [fields.get(n, [0.0])[0] for n in range(1, count + 1)]


def entities(data: bytes) -> dict[str, dict[int, list]]:
    """Return the entities of a SceneUpdate by their ids; 8 cubes, 9 spheres, 10 cylinders, 11 lines, 12 triangles."""
    made = [protobuf(one) for one in protobuf(data)[2]]
    return {one[3][0].decode(): one for one in made}


def session_of(**settings):
    parts = build(configuration(None, changes({"vehicle": "sedan", "terrain": "flat", **settings})))
    return parts, parts.session(parts.driver(DRIVER_KINDS.need("cruise"), paced=False))


def test_a_client_receives_topics_scene_log_and_parameters(tmp_path):
    settings = {
        "outlets.foxglove": {"port": 0},
        "sensors": [{"type": "imu", "rate": 100}, {"type": "lidar", "preset": "vlp_16", "mount": {"position": [0, 0, 1.6]}}],
        "seed": 7,
    }
    parts, session = session_of(**settings)
    notes = []
    parts.add_live_outlets(session, notes.append)
    port = notes[0].split("127.0.0.1:")[1].split()[0]
    session.reset()
    session.run(0.2)  # the static messages are out before the client comes
    wanted = {"/clock": 60, "/odom": 20, "/tf": 1, "/tf_static": 1, "/joint_states": 1, "/lidar/points": 2, "/imu/data": 5}
    wanted |= {"/scene/static": 1, "/scene/moving": 5, "/log": 2}
    with open(tmp_path / "got.json", "wb") as out:  # no pipe, which nobody would empty during the drive
        client = subprocess.Popen([sys.executable, str(CLIENT), port, *(f"{topic}={count}" for topic, count in wanted.items())], stdout=out)
    try:
        rounds = 0
        while client.poll() is None and rounds < 2000:
            session.run(0.1)
            session.announce(Event("horn", True))
            time.sleep(0.02)  # without it, the drive is faster than the client
            rounds += 1
        assert client.wait(60) == 0
    finally:
        client.kill()
        client.wait()
        session.close()
    got = json.loads((tmp_path / "got.json").read_text())
    assert got["server"]["name"] == "Jounce: sedan on flat" and set(got["server"]["capabilities"]) >= {"time", "parameters"}
    assert got["parameters"]["vehicle"] == "sedan" and got["parameters"]["seed"] == 7 and got["parameters"]["step_s"] == 1e-3
    assert 1000 < got["parameters"]["vehicle.mass_kg"] < 2000 and 2.5 < got["parameters"]["vehicle.wheelbase_m"] < 3.0
    assert got["after_set"] == {"seed": 7}  # refused
    check_messages(got)


def check_messages(got) -> None:
    """Unpack messages by hand."""
    assert got["channels"]["/odom"][:3] == ["cdr", "nav_msgs/msg/Odometry", "ros2msg"]
    assert "MSG: geometry_msgs/PoseWithCovariance\n" in got["channels"]["/odom"][3]
    assert got["channels"]["/scene/moving"][:3] == ["protobuf", "foxglove.SceneUpdate", "protobuf"]
    messages = {topic: [(bytes.fromhex(text), size) for text, size in rows] for topic, rows in got["got"].items()}
    times = [struct.unpack("<4xiI", data) for data, _ in messages["/clock"]]
    assert any(time[0] * 10**9 + time[1] in got["times"] for time in times)
    sec, nanosec, length, frame = struct.unpack("<4xiII4s", messages["/odom"][-1][0][:20])
    assert (length, frame) == (5, b"odom") and sec + 1e-9 * nanosec == pytest.approx(max(got["times"]) * 1e-9, abs=1.0)
    assert b"base_link\0" in messages["/odom"][-1][0][:64]
    size = messages["/lidar/points"][-1][1]
    _, _, length, name, height, width = struct.unpack("<4xiII6s2xII", messages["/lidar/points"][-1][0][:32])
    assert (length, name) == (6, b"lidar\0") and 1 <= height * width < size / 8
    assert b"base_link\0" in messages["/tf_static"][0][0] and b"lidar\0" in messages["/tf_static"][0][0]
    log = protobuf(messages["/log"][0][0])
    assert log[3] == [b"horn: True"] and log[2] == [2]


def test_the_scene_shows_wheels_objects_and_what_breaks_off():
    sim = jounce.Simulation("sedan", "flat", platform=None, others=[{"name": "lead", "position": [25, 6]}])
    box = {"shape": "box", "size": [1.0, 2.0, 3.0], "position": [40.0, 5.0], "label": "barrier"}
    cone = {"shape": "cylinder", "radius": 0.2, "height": 0.8, "position": [60.0, -5.0], "label": "cone"}
    numbers = sim.add_objects([box, cone])
    scene, got = SceneTopics(sim.session), {}

    def publish(begins: bool) -> dict[str, dict[str, dict[int, list]]]:
        got.clear()
        work = scene.take(sim.session, begins)
        work(lambda topic, make: got.__setitem__(topic, entities(make())))
        return got

    first = dict(publish(True))
    static, moving = first[STATIC], first[MOVING]
    assert static["body"][2] == [b"base_link"] and static["objects"][2] == [b"map"]
    cube = protobuf(static["objects"][8][0])
    assert vector(cube[2][0]) == [1.0, 2.0, 3.0] and vector(protobuf(cube[1][0])[1][0]) == pytest.approx([40.0, 5.0, 1.5])
    cylinder = protobuf(static["objects"][10][0])
    assert vector(cylinder[2][0]) == pytest.approx([0.4, 0.4, 0.8]) and vector(protobuf(cylinder[1][0])[1][0])[2] == pytest.approx(0.4)
    wheel = protobuf(moving["wheels"][10][0])
    assert vector(protobuf(wheel[1][0])[1][0]) == pytest.approx(sim.session.readout[0]["p_BK"][0])
    x, y, z, w = vector(protobuf(wheel[1][0])[2][0], 4)
    axis = np.array((2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))  # of the cylinder, in B
    assert abs(axis[1]) > 0.99
    assert len(moving["moving"][12]) == len(static["body"][12]) + 4  # the other vehicle, of the same kind
    assert 11 not in moving["plan"]
    sim.session.driver.plan = SimpleNamespace(points=np.array([[0.0, 0.0], [3.0, 4.0]]))
    sim.advance(0.1)
    now = publish(False)
    assert STATIC not in now
    assert [vector(one) for one in protobuf(now[MOVING]["plan"][11][0])[5]] == [[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]
    assert publish(True)[STATIC]["objects"][8]  # a restart
    vehicle, published = VehicleTopics(sim.session, truth=True), []
    for begins in (True, False):
        vehicle.take(sim.session, begins)(lambda topic, _: published.append(topic))
    assert published.count("/tf_static") == 1 and published.count("/odom") == 2
    sim.remove_object(numbers[0])
    sim.advance(0.1)
    assert 8 not in publish(False)[STATIC]["objects"]


def test_the_log_tells_failures_and_events():
    sim = jounce.Simulation("sedan", "flat", platform=None)
    log, lines = LogTopic(), []
    sim.session.output.failures.append(JounceError("sensor lidar was dropped"))

    def publish(topic, make):
        fields = protobuf(make())
        lines.append((fields[2][0], fields[3][0].decode()))

    log.take(sim.session, False)(publish)
    assert log.take(sim.session, False) is None
    log.hear(sim.session, Event("incident", {"number": 1, "time_s": 0.5, "reason": "the state is not finite"}))(publish)
    log.hear(sim.session, Event("pause", True))(publish)
    assert lines == [
        (4, "sensor lidar was dropped"),
        (3, "incident: number 1, time_s 0.5, reason the state is not finite"),
        (2, "pause: True"),
    ]


def test_a_port_in_use_gives_one_line(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["run", "acceleration", "--vehicle", "sedan", "--foxglove", str(port), "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err.strip().split("\n")
    assert said[-1].startswith(f"jounce: Foxglove: 127.0.0.1:{port} cannot be used: Address already in use; expected a free port")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_ports_that_do_not_exist(capsys, port):
    assert main(["run", "acceleration", "--foxglove", port]) == 2
    assert capsys.readouterr().err == f"jounce: --foxglove: invalid value; expected a number, from 0 to 65535; got {port}\n"


def test_other_machines_are_a_warning_and_an_unknown_address_is_an_error():
    sim, notes = jounce.Simulation("sedan", "flat", platform=None), []
    outlet = foxglove_outlet(sim.session, FoxgloveOptions("0.0.0.0", 0), ABOUT, notes.append)
    outlet.close()
    assert notes[0].startswith("warning: Foxglove: every program that reaches 0.0.0.0:")
    with pytest.raises(DeviceError, match=r"192\.0\.2\.1:0 cannot be used"):
        foxglove_outlet(sim.session, FoxgloveOptions("192.0.2.1", 0), ABOUT, notes.append)


def test_a_missing_package_gives_one_line(monkeypatch):
    monkeypatch.setattr("simulator.outlets.foxglove.server.find_spec", lambda name: None)
    sim = jounce.Simulation("sedan", "flat", platform=None)
    with pytest.raises(JounceError, match=r"hint: .*pip.* install .*foxglove"):
        foxglove_outlet(sim.session, FoxgloveOptions(port=0), ABOUT, print)


def test_the_layout_is_complete_and_names_topics_that_exist():
    layout = json.loads((Path(jounce.__file__).parent / "configs/foxglove/jounce.json").read_text())
    panels = []

    def walk(node) -> None:
        if isinstance(node, str):
            panels.append(node)
        else:
            assert node["direction"] in ("row", "column") and 0 < node["splitPercentage"] < 100
            walk(node["first"]), walk(node["second"])

    walk(layout["layout"])
    assert sorted(panels) == sorted(layout["configById"])
    sim = jounce.Simulation("sedan", "flat", platform=None)
    groups = [*common_groups(sim.session, truth=True), SceneTopics(sim.session), LogTopic()]
    topics = {topic.name for group in groups for topic in group.topics} | {"/camera/image_raw", "/camera/camera_info", "/lidar/points"}
    named = {part.split(".")[0] for part in re.findall(r'"(/[^"]*)"', json.dumps(layout))}
    assert named <= topics and {"/odom", "/log", "/scene/static"} <= named
