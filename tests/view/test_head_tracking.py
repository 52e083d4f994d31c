"""Head tracking by UDP."""

from __future__ import annotations

import math
import socket
import struct
import subprocess
import sys

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.view.head_tracking import MOST, RETURN, SILENCE, HeadTracker, HeadTracking, pose_of, turned_shot
from simulator.view.shot import Shot, look_at


@pytest.fixture
def tracker():
    one = HeadTracker(HeadTracking(port=0))
    yield one
    one.close()


def send(tracker: HeadTracker, *packets: bytes) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for packet in packets:
            out.sendto(packet, ("127.0.0.1", tracker.port))


def packet(*values: float) -> bytes:
    return struct.pack("<6d", *values)


def test_a_packet_of_another_process_moves_the_head(tracker):
    code = (
        "import socket, struct, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        "s.sendto(struct.pack('<6d', 10.0, 5.0, -20.0, 30.0, 10.0, 5.0), ('127.0.0.1', int(sys.argv[1])))"
    )
    subprocess.run([sys.executable, "-c", code, str(tracker.port)], check=True)
    for _ in range(40):
        pose = tracker.update(0.01)
    np.testing.assert_allclose(pose, (0.20, -0.10, 0.05, *np.radians((5.0, -10.0, -30.0))), rtol=1e-3)


def test_the_view_turns_right_and_up_as_the_head_does():
    shot = Shot(np.zeros(3), look_at(np.zeros(3), np.array((1.0, 0.0, 0.0))), 1.0, 0.1)
    right = turned_shot(shot, pose_of(packet(0.0, 0.0, 0.0, 90.0, 0.0, 0.0)))
    np.testing.assert_allclose(-right.R_WC[:, 2], (0.0, -1.0, 0.0), atol=1e-12)
    up = turned_shot(shot, pose_of(packet(3.0, 0.0, 0.0, 0.0, 45.0, 0.0)))
    np.testing.assert_allclose(-up.R_WC[:, 2], (math.sqrt(0.5), 0.0, math.sqrt(0.5)), atol=1e-12)
    np.testing.assert_allclose(up.eye, (0.0, -0.03, 0.0))
    rolled = turned_shot(shot, pose_of(packet(0.0, 0.0, 0.0, 0.0, 0.0, 30.0)))
    assert rolled.R_WC[1, 1] < -0.4  # the top of the head is to the right
    np.testing.assert_allclose(rolled.R_WC.T @ rolled.R_WC, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    "bad", [b"", b"hello", packet(math.nan, 0, 0, 0, 0, 0), packet(0, 0, 0, math.inf, 0, 0), packet(0, 1e300, 0, 0, 0, 0)]
)
def test_bad_packets_are_ignored(tracker, bad):
    send(tracker, packet(0.0, 10.0, 0.0, 0.0, 0.0, 0.0), bad)
    for _ in range(40):
        pose = tracker.update(0.01)
    np.testing.assert_allclose(pose, (0.0, 0.0, 0.10, 0.0, 0.0, 0.0), atol=1e-4)


def test_the_head_stays_in_the_cab(tracker):
    send(tracker, packet(500.0, 500.0, 500.0, 179.0, 89.0, 179.0))
    for _ in range(200):
        pose = tracker.update(0.002)
    assert (np.abs(pose) <= MOST).all() and np.abs(pose).min() > 0.1


def test_after_a_silence_the_head_returns_smoothly(tracker):
    send(tracker, packet(0.0, 10.0, 0.0, 0.0, 0.0, 0.0))
    heights = [float(tracker.update(0.01)[2]) for _ in range(int((SILENCE + 6.0 * RETURN) / 0.01))]
    assert max(heights) > 0.099 and heights[-1] < 1e-3
    assert max(np.abs(np.diff(heights[20:]))) < 0.10 * 0.011 / RETURN


def test_a_flood_does_not_hold_the_frame(tracker):
    send(tracker, *[packet(0.0, 0.1 * k, 0.0, 0.0, 0.0, 0.0) for k in range(100)])
    for _ in range(40):
        pose = tracker.update(0.01)
    assert pose[2] == pytest.approx(0.099, rel=1e-3)


def test_a_port_in_use_is_refused(tracker):
    with pytest.raises(DeviceError, match=f"127.0.0.1:{tracker.port}"):
        HeadTracker(HeadTracking(port=tracker.port))
