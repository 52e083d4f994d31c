"""Does a peer drive in real time by UDP or TCP, and does the drive go on however the peer behaves?"""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import pairwise

import pytest
from port_peer import LIDAR, Peer, Served, command_body

import jounce
from simulator.port.messages import Kind


@pytest.fixture
def served(tmp_path, request):
    """A server that ends the run after a silence of 20 s, which no other work of the machine causes, or of the parameter [s]."""
    one = Served(tmp_path / "run", udp=True, rate=50.0, timeout=getattr(request, "param", 20.0))
    yield one
    one.stop()


@pytest.fixture
def peer(served):
    one = Peer(served.address, udp=True)
    one.hello()
    yield one
    one.close()


def drive(peer, seconds, **parts):
    """Command at about the rate of the states until a simulated time; return the states."""
    states, began = [], time.monotonic()
    while not states or states[-1]["time"] < seconds:
        assert time.monotonic() - began < 60.0
        message = peer.receive()
        if message.kind == Kind.STATE:
            states.append(peer.values(message))
            peer.send(Kind.COMMAND, command_body(**parts))
    return states


def test_a_peer_drives_in_real_time_and_ends_the_run(served, peer):
    began = time.monotonic()
    states = drive(peer, 2.0, throttle=0.8)
    assert time.monotonic() - began > 2.0 - states[0]["time"] - 0.1, "not faster than real time; a busy machine is slower"
    steps = [after["time"] - before["time"] for before, after in pairwise(states)]
    assert min(steps) > 0.0 and sum(step < 0.0195 for step in steps) == 0, "50 states a second; a busy machine leaves some out"
    assert states[-1]["v_WB_B_x"] > 1.0
    assert 0 < peer.sequence - states[-1]["command"] < 20
    peer.request("quit")
    assert peer.until(Kind.END)[-1].body == b"the peer has ended it"
    summary = served.end()
    assert not summary.failed
    assert jounce.read_log(summary.folder)["time"][-1] == pytest.approx(summary.time, abs=0.011)


def test_a_peer_that_ends_the_run_need_not_wait_for_it(served, peer):
    drive(peer, 0.3)
    peer.request("quit")
    peer.close()
    summary = served.end()
    assert not summary.failed
    assert [event.kind for event in jounce.read_log(summary.folder).events] == ["quit", "end"]


@pytest.mark.parametrize("served", [1.0], indirect=True)
def test_a_peer_that_falls_silent_ends_the_run(served, peer):
    peer.send(Kind.COMMAND, command_body())
    assert peer.until(Kind.END)[-1].body.startswith(b"the peer was silent for 1 s; hint")
    summary = served.end()
    assert summary.failed
    assert jounce.read_log(summary.folder).about["ended"].startswith("the peer was silent for 1 s; hint")


FLOOD = """
import socket, sys, time
stranger, end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), time.monotonic() + 6.5
while time.monotonic() < end:
    for size in (0, 4, 32, 8192):
        stranger.sendto(b"JNCP" * (size // 4), ("127.0.0.1", int(sys.argv[1])))
    time.sleep(0.001)
"""


def test_a_drive_goes_on_in_floods_of_a_stranger_and_of_the_peer(served, peer):
    """The work in a period is bounded, see test_port_links.py; here both floods meet a drive."""
    stranger = subprocess.Popen([sys.executable, "-c", FLOOD, served.address.split(":")[1]])
    end = time.monotonic() + 6.0
    while time.monotonic() < end:  # never reads
        for _ in range(40):
            peer.raw(b"JNCP" * 20)
        peer.send(Kind.COMMAND, command_body(throttle=0.5))
        time.sleep(0.01)
    peer.close()
    assert stranger.wait(20.0) == 0
    log = jounce.read_log(served.end().folder)
    assert log["time"][-1] > 1.0, "in 6 s, because the machine may have other work"
    assert log["command_throttle"].max() == 0.5, "commands come through"


@pytest.fixture
def served_by_tcp(tmp_path):
    one = Served(tmp_path / "run", [("sensors", [LIDAR])], real_time=True, timeout=20.0, state=("v_WB_B", "roof.points"))
    yield one
    one.stop()


def test_a_client_drives_in_real_time_by_tcp_and_gets_scans(served_by_tcp):
    with jounce.Client(served_by_tcp.address) as car:
        began, times = time.monotonic() - car.state.time, set()
        while car.state.time < 1.5:
            car.step(throttle=0.8)
            times.add(car["roof"].time)
        assert time.monotonic() - began > 1.4, "not faster than real time"
        assert car.state.v_WB_B_x > 0.5 and len(times) > 3 and car["roof"]["points"].shape == (36, 16)
    assert not served_by_tcp.end().failed


def test_a_peer_by_tcp_that_never_reads_does_not_stop_the_drive(served_by_tcp):
    peer, end = Peer(served_by_tcp.address), time.monotonic() + 3.0
    peer.hello()
    while time.monotonic() < end:
        peer.send(Kind.COMMAND, command_body(throttle=0.5))
        time.sleep(0.01)
    peer.close()
    log = jounce.read_log(served_by_tcp.end().folder)
    assert log["time"][-1] > 0.5 and log["command_throttle"].max() == 0.5
