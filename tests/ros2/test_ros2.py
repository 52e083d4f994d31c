"""Topics of ROS 2, received and sent by a process that has only cyclonedds. No ROS installation was at hand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError, DeviceError, JounceError
from simulator.base.fields import read
from simulator.builder.builder import build
from simulator.cli.main import main
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.driver.kinds import DRIVER_KINDS, ROS2
from simulator.driver.ros2_driver import PARAMETERS
from simulator.outlets.live_topics import LiveTopics, common_groups
from simulator.outlets.ros2 import Ros2Sink
from simulator.ros2.dds import Node, Quality, is_topic, usual_domain
from simulator.ros2.options import FIELDS, INTERFACE, Ros2Options
from simulator.sensors.messages.cdr import HEADER, decode, encode_parts
from simulator.sensors.messages.definitions import ACKERMANN, CLOCK, TWIST_PLAIN

pytest.importorskip("cyclonedds", reason="the extra ros2 is not installed")
OTHER = Path(__file__).with_name("other_node.py")


@pytest.fixture
def domain() -> int:
    """Domain of this process, so that tests in parallel do not hear each other."""
    return 1 + os.getpid() % 200


@pytest.mark.slow
def test_another_node_drives_and_receives(domain, tmp_path):
    settings = {
        "vehicle": "sedan", "terrain": "flat", "maneuver": "acceleration", "duration": 8.0, "outlets.ros2": {"domain": domain},
        "driver": {"type": "ros2", "domain": domain, "lock_step": 0.05}, "sensors": [{"type": "imu", "rate": 100}],
    }  # fmt: skip
    node = subprocess.Popen([sys.executable, str(OTHER), str(domain), "100", "6.0", "0.2"], stdout=subprocess.PIPE, text=True)
    try:
        command = [sys.executable, "-m", "simulator", "run", "--out", str(tmp_path / "run")]
        for key, value in settings.items():
            command += ["--set", f"{key}={json.dumps(value)}"]
        ran = subprocess.run(command, check=False, cwd=OTHER.parents[2], capture_output=True, text=True, timeout=400)
        out, _ = node.communicate(timeout=120)
    finally:
        node.kill()
        node.wait()
    assert ran.returncode in (0, 1) and "ended early" not in ran.stdout, ran.stdout + ran.stderr  # 1: the maneuver is not passed
    got = json.loads(out)
    assert got["counts"]["odom"] >= 450 and got["counts"]["imu"] > 100 and got["counts"]["clock"] > 50 and got["clock_rises"]
    assert ["map", "odom"] in got["frames"] and ["base_link", "imu"] in got["frames"]
    frame, child, speed, yaw_rate = got["odom"]
    assert (frame, child) == ("odom", "base_link")
    assert speed == pytest.approx(6.0, abs=0.3) and yaw_rate == pytest.approx(0.2, abs=0.03)
    assert got["imu"][0] == "imu" and 8.0 < got["imu"][1] < 12.0


def driver_in(domain: int, **keys):
    parts = build(configuration(None, changes({"vehicle": "sedan", "terrain": "flat"})))
    return parts, parts.driver(DRIVER_KINDS.need(ROS2), paced=False, parameters={"domain": domain, **keys})


def drive(parts, driver, seconds: float, start: float = 0.0, each=lambda t: None):
    session = parts.session(driver)
    session.reset()
    speeds = []
    while session.time < seconds:
        each(session.time)
        session.run(0.05)
        speeds.append(float(session.readout[0]["v_WB_B"][0]))
    return np.array(speeds), session


def test_the_driver_brakes_when_the_commands_stop(domain):
    parts, driver = driver_in(domain)
    node = Node(domain)
    send = node.publisher("/cmd_vel", TWIST_PLAIN, Quality())

    def command(t: float) -> None:
        if t < 4.0:
            send.write(encode_parts(TWIST_PLAIN, twist(5.0)))

    speeds, session = drive(parts, driver, 8.0, each=command)
    assert speeds[78] == pytest.approx(5.0, abs=0.4)
    assert abs(speeds[-1]) < 0.05 and float(session.command[0]["brake"]) > 0.2


def test_negative_speeds_drive_backward(domain):
    parts, driver = driver_in(domain)
    send = Node(domain).publisher("/cmd_vel", TWIST_PLAIN, Quality())
    speeds, _ = drive(parts, driver, 6.0, each=lambda t: send.write(encode_parts(TWIST_PLAIN, twist(-2.0))))
    assert speeds[-1] == pytest.approx(-2.0, abs=0.3)


def test_ackermann_commands_and_values_that_are_no_numbers(domain):
    parts, driver = driver_in(domain)
    send = Node(domain).publisher("/ackermann_cmd", ACKERMANN, Quality())

    def command(t: float) -> None:
        good = t < 3.0 or round(t / 0.05) % 2 == 0
        send.write(encode_parts(ACKERMANN, ackermann(4.0 if good else np.nan, 0.1)))

    speeds, session = drive(parts, driver, 6.0, each=command)
    assert speeds[-1] == pytest.approx(4.0, abs=0.3) and np.isfinite(speeds).all()
    assert session.readout[0]["road_wheel_angle"][:2].mean() == pytest.approx(0.1, abs=0.02)


def twist(speed: float, yaw_rate: float = 0.0) -> dict:
    nothing = {"x": 0.0, "y": 0.0, "z": 0.0}
    return {"linear": nothing | {"x": speed}, "angular": nothing | {"z": yaw_rate}}


def ackermann(speed: float, angle: float) -> dict:
    drive = {"steering_angle": angle, "steering_angle_velocity": 0.0, "speed": speed, "acceleration": 0.0, "jerk": 0.0}
    return {"header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}, "drive": drive}


def test_data_on_the_wire_are_plain_cdr(domain):
    node = Node(domain)
    reader = node.subscription("/clock", CLOCK, Quality())
    node.publisher("/clock", CLOCK, Quality()).write(encode_parts(CLOCK, {"clock": {"sec": 3, "nanosec": 7}}))
    samples = []
    for _ in range(200):
        samples = reader._reader.take(N=4)
        if samples:
            break
        time.sleep(0.01)
    assert samples[0].encoded == HEADER + b"\x03\0\0\0\x07\0\0\0"


def outlet_of(session, options: Ros2Options, note=print) -> LiveTopics:
    return LiveTopics(session, Ros2Sink(options), options.rate, "outlets.ros2", common_groups(session, options.truth), note)


def test_a_failed_network_ends_the_outlet_and_not_the_drive(domain):
    parts, driver = driver_in(domain)
    session = parts.session(driver)
    outlet = outlet_of(session, Ros2Options(domain=domain))
    session.output.outlets.append(outlet)
    session.reset()
    session.run(0.1)
    outlet._sink._publishers["/clock"]._writer = None
    session.run(2.0)
    assert any("ROS 2" in str(one) for one in session.output.failures) and outlet not in session.output.outlets
    session.close()


@pytest.mark.parametrize(
    "topics",
    [{"/clock": "clock"}, {"/clock": "/a b"}, {"clock": "/clock"}, {"/clock": "/__x"}, {"/clock": "/\u00f6"}, {"/tf": "/x", "/odom": "/x"}],
)
def test_names_that_ros_does_not_accept(topics):
    values = {one.name: one.default for one in FIELDS if one.default is not None} | {"topics": topics}
    with pytest.raises(ConfigError, match="topics"):
        Ros2Options.of(values, "session.yaml")
    assert is_topic("/lidar/points") and not is_topic("/1x")


def test_an_interface_that_does_not_exist(capfd):
    for name in ("no_such_interface", "203.0.113.9"):
        said = rf"^key: {re.escape(name)}: no such network interface; expected one of .*\blo\b.*, or an address"
        with pytest.raises(DeviceError, match=said):
            Node(231, name, "key")
    Node(231).close()
    assert capfd.readouterr() == ("", ""), "the library prints nothing of its own"


@pytest.mark.parametrize("text", ["x", "-1", "233", "\u00b2", "\u0663", " 1"])
def test_the_domain_of_the_environment_is_checked(monkeypatch, text):
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    with pytest.raises(JounceError, match="ROS_DOMAIN_ID"):
        usual_domain()


def test_a_negative_domain_of_the_command_line_is_refused(capsys):
    assert main(["run", "acceleration", "--ros2", "-1"]) == 2
    assert capsys.readouterr().err == "jounce: --ros2: invalid value; expected a number, from 0 to 232; got -1\n"


def test_the_option_needs_no_number(monkeypatch, capsys):
    monkeypatch.setenv("ROS_DOMAIN_ID", "233")
    assert main(["run", "acceleration", "--ros2"]) == 2
    assert capsys.readouterr().err == "jounce: ROS_DOMAIN_ID: '233'; expected a number from 0 to 232\n"


def test_an_empty_variable_is_no_domain(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "")
    assert usual_domain() == 0


def test_unknown_topics_are_named(domain):
    parts, driver = driver_in(domain)
    with pytest.raises(JounceError, match=r"/clok: no such topic \(did you mean /clock\?\)"):
        outlet_of(parts.session(driver), Ros2Options(domain=domain, topics={"/clok": "/time"}))
    with pytest.raises(JounceError, match=r"topics\./odom: another topic has this name"):
        outlet_of(parts.session(driver), Ros2Options(domain=domain, topics={"/odom": "/tf"}))


@pytest.mark.parametrize("key", ["cmd_vel", "ackermann"])
@pytest.mark.parametrize("name", ["no_slash", "/a b", "/\u00f6", "/a\0", "/", "/a\n"])
def test_the_driver_refuses_names_of_no_topic(key, name):
    with pytest.raises(ConfigError, match=key):
        read([one for one in PARAMETERS if one.name == key], {key: name}, "session.yaml")


@pytest.mark.parametrize("name", ["", 'lo"/>', "\u00e9", "lo\0"])
def test_the_name_of_an_interface_is_no_configuration(name):
    with pytest.raises(ConfigError, match="interface"):
        read([INTERFACE], {"interface": name}, "session.yaml")


def test_a_package_that_cannot_be_loaded_gives_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "cyclonedds.core", None)
    with pytest.raises(JounceError, match="cyclonedds cannot be loaded"):
        Node(230)


def test_options_of_the_encoding_do_not_matter():
    data = bytearray(b"".join(encode_parts(CLOCK, {"clock": {"sec": 3, "nanosec": 7}})))
    data[3] = 2
    assert decode(CLOCK, bytes(data))["clock"]["sec"] == 3


def test_a_reader_that_leaves_no_room_costs_the_message(domain):
    from cyclonedds.core import DDSException

    publisher = Node(domain).publisher("/clock", CLOCK, Quality())
    for code, kept in ((DDSException.DDS_RETCODE_TIMEOUT, False), (DDSException.DDS_RETCODE_ERROR, True)):

        class Full:
            def write(self, sample, code=code):
                raise DDSException(code)

        publisher._writer = Full()
        message = encode_parts(CLOCK, {"clock": {"sec": 1, "nanosec": 0}})
        if kept:
            with pytest.raises(DDSException):
                publisher.write(message)
        else:
            assert publisher.write(message) is False
