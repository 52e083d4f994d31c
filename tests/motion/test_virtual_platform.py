"""Does the virtual platform hold, return and park if the stream is silent, and is the report of its process correct?"""

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from cueing_scenes import REST, STILL, H, engaged, hard_drive, platform, worst_use
from test_stream import packets_of_a_drive

import simulator.virtual_platform.process
from simulator.base.errors import ConfigError, OutputError, StreamError
from simulator.motion.protocols.native_packet import MotionPacket, encode
from simulator.motion.watchdog import FADE, LIVE, NEUTRAL, PARK, FollowingPlatform, stage_of
from simulator.virtual_platform.platform import VirtualPlatformOptions, report, run_platform
from simulator.virtual_platform.process import add_platform_arguments, main_platform, start_virtual_platform
from tests.motion.still_packet import still_packet

SERVO = 0.004


def test_stages_of_silence():
    assert [stage_of(s) for s in (0.0, 0.099, 0.1, 0.49, 0.5, 1.99, 2.0, 1e9)] == [LIVE, LIVE, FADE, FADE, NEUTRAL, NEUTRAL, PARK, PARK]
    assert stage_of(0.0, stopped=True) == NEUTRAL


class Watched:
    """A platform with a clock of its own: each packet comes in time, and the platform steps as often as packets come."""

    def __init__(self):
        self.p = platform()
        self.body = FollowingPlatform(self.p)
        self.now = 0.0
        self.legs = [self.body.limits[0]["legs"].copy()]

    def step(self):
        self.now += SERVO
        self.body.step(self.now, SERVO)
        self.legs.append(self.body.limits[0]["legs"].copy())

    def follow(self, packets):
        """Stages it went through."""
        stages = []
        for packet in packets:
            self.body.follow(packet, self.now)
            self.step()
            stages.append(self.body.stage)
        return list(dict.fromkeys(stages))

    def silence(self, seconds):
        """Likewise."""
        stages = []
        for _ in range(round(seconds / SERVO)):
            self.step()
            stages.append(self.body.stage)
        return list(dict.fromkeys(stages))

    def error(self, packet):
        """Distance of the pose from that of a packet."""
        return float(np.abs(self.body.limits[0]["pose"] - packet.pose).max())


@pytest.fixture(scope="module")
def drive():
    return packets_of_a_drive(1200)


def test_silence_in_the_middle_of_a_drive(drive):
    """Hold, neutral, parked; never outside the limits; and when the stream comes back, no step."""
    w = Watched()
    w.follow(drive[:700])
    assert w.body.stage == LIVE
    assert w.error(drive[698]) < 3e-4
    before = len(w.legs)
    assert w.silence(15.0) == [LIVE, FADE, NEUTRAL, PARK]
    assert w.body.parked
    held = np.array(w.legs[before + round(0.4 / SERVO) : before + round(0.48 / SERVO)])
    assert np.ptp(held, axis=0).max() < 1e-4
    assert worst_use(w.p, np.array(w.legs[before - 50 :]), SERVO)[2] < 0.4
    w.follow(drive[700:])
    assert w.error(drive[-2]) < 5e-3
    stroke, speed, acceleration = worst_use(w.p, np.array(w.legs), SERVO)
    assert stroke <= 1.0
    assert speed <= 1.0
    assert acceleration <= 1.0


def test_an_announced_stop_returns_at_once(drive):
    w = Watched()
    last = MotionPacket(**{**drive[599].__dict__, "sequence": 600, "stop": True})
    w.follow([*drive[:600], last])
    assert w.silence(1.0) == [NEUTRAL]
    assert worst_use(w.p, np.array(w.legs[-300:]), SERVO)[2] < 0.4, "gently"


def test_lost_packets_are_bridged_within_the_limits(drive):
    w = Watched()
    rng = random.Random(3)
    errors = []
    for packet in drive:
        if rng.random() > 0.3:
            w.body.follow(packet, w.now)
        w.step()
        errors.append(w.error(packet))
    stroke, speed, acceleration = worst_use(w.p, np.array(w.legs), SERVO)
    assert max(stroke, speed, acceleration) <= 1.0
    assert errors[-1] < 5e-3
    assert worst_use(w.p, np.array(w.legs[700:]), SERVO)[2] < 0.5, "smoothly"


def send(port, datagrams, pause=0.001):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for data in datagrams:
            s.sendto(data, ("127.0.0.1", port))
            time.sleep(pause)


def test_another_process_counts_what_the_network_does(drive, tmp_path):
    """400 packets: some dropped, some reordered, some sent twice, some corrupted, and noise from elsewhere; then silence."""
    data = [encode(packet) for packet in drive[:400]]
    for k in (50, 51, 52, 200):
        data[k] = b""
    for k in (100, 300):
        data[k], data[k + 1] = data[k + 1], data[k]
    data[250] += b""
    broken = bytearray(data[150])
    broken[90] ^= 4
    data[150] = bytes(broken)
    data.insert(260, data[255])
    data.insert(10, b"hello")
    picture, summary_file = tmp_path / "platform.png", tmp_path / "platform.json"
    rig = start_virtual_platform(picture=str(picture), json_file=str(summary_file))
    assert rig.alive
    send(rig.port, [d for d in data if d])
    summary = rig.stop()
    assert not rig.alive
    assert summary is not None
    assert summary["received"] == 400 - 4 - 1
    assert summary["lost"] == 5
    assert summary["reordered"] == 2
    assert summary["duplicate"] == 1
    assert summary["corrupt"] == 2
    assert summary["stage"] == "park"
    assert summary["parked"]
    assert summary["legs"]["within"]
    assert summary["motion"]["within"]
    assert json.loads(summary_file.read_text()) == summary
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert "lost 5, reordered 2, duplicate 1, corrupt 2" in report(summary)


def test_a_platform_that_is_not_at_rest_in_time_still_reports(drive, tmp_path):
    rig = start_virtual_platform(picture=str(tmp_path / "platform.png"), json_file=str(tmp_path / "platform.json"))
    send(rig.port, [encode(packet) for packet in drive[:400]])
    summary = rig.stop(0.05)
    assert not rig.alive
    assert not summary["parked"]
    assert json.loads((tmp_path / "platform.json").read_text()) == summary
    assert not (tmp_path / "platform.png").exists()


def test_a_port_in_use_is_one_clear_line():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(StreamError) as error:
            start_virtual_platform(port=port)
    assert str(port) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (VirtualPlatformOptions(port=70000), StreamError),
        (VirtualPlatformOptions(host="no.such.host.invalid", port=0), StreamError),
        (VirtualPlatformOptions(platform="no_such_platform"), ConfigError),
        (VirtualPlatformOptions(port=0, picture="/no/such/folder/a.png"), OutputError),
    ],
)
def test_invalid_options_are_reported_before_listening(options, kind):
    with pytest.raises(kind):
        run_platform(options)


def test_it_leaves_by_itself_when_the_stream_has_ended():
    """A stream that never left the rest, then the stop flag: the platform is parked already."""
    body = FollowingPlatform(platform())
    pose, legs = tuple(body.limits[0]["pose"]), tuple(body.limits[0]["legs"])
    bound: list[int] = []
    result: list[dict] = []
    worker = threading.Thread(target=lambda: result.append(run_platform(VirtualPlatformOptions(port=0, duration=20.0), bound.append)))
    worker.start()
    while not bound:
        time.sleep(0.01)
    packets = [
        still_packet(sequence=k, stream=5, state=1, force=tuple(REST), rates=tuple(STILL), pose=pose, legs=legs, stop=k == 49)
        for k in range(50)
    ]
    send(bound[0], [encode(p) for p in packets])
    worker.join(15.0)
    assert not worker.is_alive()
    assert result[0]["received"] == 50
    assert result[0]["parked"]
    assert max(result[0]["legs"]["stroke_high"]) < 0.1


def test_command_line_of_the_platform(capsys):
    parser = argparse.ArgumentParser()
    add_platform_arguments(parser)
    assert main_platform(parser.parse_args(["--port", "0", "--duration", "0.1", "--json"])) == 0
    assert json.loads(capsys.readouterr().out)["received"] == 0
    assert main_platform(parser.parse_args(["--port", "0", "--duration", "0.1"])) == 0
    assert "0 packets" in capsys.readouterr().out
    with pytest.raises(ConfigError, match="duration"):
        main_platform(parser.parse_args(["--duration", "-1"]))


def test_a_hard_drive_is_followed_with_the_reported_lag():
    """Two packets behind, the margin for those that come unevenly, and as smoothly as the packets."""
    motion, w = engaged(), Watched()
    asked, taken = [], []
    for k, force in enumerate(hard_drive(12000)):
        motion.step(force, STILL, True, H)
        if k % 4 == 3:
            w.follow([still_packet(sequence=k // 4, force=tuple(force), pose=tuple(motion.pose), legs=tuple(motion.legs))])
            asked.append(motion.pose.copy())
            taken.append(w.body.limits[0]["pose"].copy())
    assert w.body.lag == pytest.approx(0.008)
    behind = round(w.body.lag / SERVO) - 1  # a step follows each packet
    assert np.abs(np.array(taken)[1500:] - np.array(asked)[1500 - behind : -behind]).max() < 1e-4


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_a_window_without_a_display_is_one_clear_line():
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    root = Path(simulator.virtual_platform.process.__file__).parents[2]
    command = [sys.executable, "-m", "simulator.virtual_platform.process", "--window", "--port", "0", "--duration", "5"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("jounce: platform window: ")
    assert len(done.stderr.splitlines()) == 1
