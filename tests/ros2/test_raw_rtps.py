"""Bytes on the wire, and hostile ones: the other process has plain sockets and no package for DDS."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.driver.kinds import DRIVER_KINDS, ROS2
from simulator.ros2.dds import Node, Quality
from simulator.ros2.vehicle_messages import odometry
from simulator.sensors.messages.cdr import encode_parts
from simulator.sensors.messages.definitions import CLOCK, ODOMETRY

pytest.importorskip("cyclonedds", reason="the extra ros2 is not installed")
OTHER = Path(__file__).with_name("raw_rtps.py")
DOMAIN = 1 + (os.getpid() + 100) % 200


def received(topic: str, kind: str, message: dict) -> bytes:
    """Return the payload that the raw reader receives."""
    package, _, name = kind.partition("/msg/")
    publisher = Node(DOMAIN).publisher(topic, kind, Quality())
    command = [sys.executable, str(OTHER), "read", str(DOMAIN), f"rt{topic}", f"{package}::msg::dds_::{name}_"]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with reader:  # it ends by itself, with a sample or without one
        while reader.poll() is None:
            publisher.write(encode_parts(kind, message))
            time.sleep(0.01)
        return bytes.fromhex(reader.stdout.read())


def test_a_clock_is_12_bytes_of_cdr():
    payload = received("/clock", CLOCK, {"clock": {"sec": 3, "nanosec": 7}})
    assert payload == b"\0\x01\0\0" + b"\x03\0\0\0\x07\0\0\0"


def test_odometry_has_its_fields_where_cdr_puts_them():
    message = odometry(12.5, [1.0, 2.0, 3.0], [0.5, -0.5, 0.5, -0.5], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0])
    payload = received("/odom", ODOMETRY, message)
    assert payload[:4] == b"\0\x01\0\0"
    data = payload[4:]
    assert struct.unpack_from("<iI", data) == (12, 500_000_000)
    assert struct.unpack_from("<I5s", data, 8) == (5, b"odom\0") and struct.unpack_from("<I10s", data, 20) == (10, b"base_link\0")
    numbers = struct.unpack_from("<85d", data, 40)  # the next multiple of 8 after 34 bytes
    assert numbers[:7] == (1.0, 2.0, 3.0, -0.5, 0.5, -0.5, 0.5) and numbers[43:49] == (4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    assert len(data) == 40 + 85 * 8


@pytest.mark.slow
def test_hostile_datagrams_do_nothing():
    parts = build(configuration(None, changes({"vehicle": "sedan", "terrain": "flat"})))
    driver = parts.driver(DRIVER_KINDS.need(ROS2), paced=False, parameters={"domain": DOMAIN})
    session = parts.session(driver)
    session.reset()
    taken, take = [], driver._twists.take
    driver._twists.take = lambda: [taken.append(one) or one for one in take()]
    command = [sys.executable, str(OTHER), "attack", str(DOMAIN)]
    attacker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    seen, end = [], time.monotonic() + 120.0
    try:
        while abs(float(session.readout[0]["v_WB_B"][0]) - 3.0) > 0.1 and time.monotonic() < end:
            time.sleep(0.01)
            session.run(0.01)
            seen.append((driver._speed, float(session.readout[0]["v_WB_B"][0])))
            assert attacker.poll() is None, "the attacker has ended"
    finally:
        attacker.kill()
        attacker.communicate()
        session.close()
    speeds = np.array(seen)
    assert any(not np.isfinite([one["linear"]["x"], one["angular"]["z"]]).all() for one in taken), "samples that are no numbers have come"
    assert abs(speeds[-1, 1] - 3.0) <= 0.1, "the valid command arrives in the end"
    assert np.isfinite(speeds).all() and set(speeds[:, 0]) <= {0.0, 3.0}
