"""Process of the virtual platform in real time: other hosts, a spoofer and a flood next to its stream, suspended and continued,
abandoned by its host during a drive, requested to leave. It reaches its rest pose within its limits and reports correctly.

The scenes run in parallel, because most of their time is waiting.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from test_hostile_streams import Sender

import simulator.virtual_platform.process
from simulator.motion.protocols.native_packet import encode
from simulator.virtual_platform.process import start_virtual_platform

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are stopped by signals here")

ROOT = Path(simulator.virtual_platform.process.__file__).parents[2]

HOST = """
import json, sys, time
from test_platform_process import stream
from simulator.virtual_platform.process import start_virtual_platform
rig = start_virtual_platform(json_file=sys.argv[1])
print(json.dumps({"port": rig.port, "pid": rig._process.pid}), flush=True)
stream(rig.port, 60.0)
"""


def stream(port, seconds, beside=None, **sender):
    """A host in real time; `beside(k, socket)` is called with every packet."""
    host = Sender(**sender)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        began = time.monotonic()
        for k in range(round(seconds / host.interval)):
            time.sleep(max(0.0, began + k * host.interval - time.monotonic()))
            s.sendto(host.datagram(), ("127.0.0.1", port))
            if beside is not None:
                beside(k, s, host)


def platform_process(folder):
    """`jounce platform` as a person starts it, and its port."""
    command = [sys.executable, "-u", "-m", "simulator.virtual_platform.process", "--port", "0", "--json", "report.json"]
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline().split()[-1])


def harassed(folder, found):
    """A second host and a spoofer all the time, a flood, and the platform stopped for a second."""
    rig = start_virtual_platform(json_file=str(folder / "report.json"))
    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def beside(k, _, host):
        packet = host.packet()
        host.sequence -= 1
        stranger.sendto(encode(replace(packet, stream=7, pose=(0.1, 0.1, 0.1, 0.2, 0.2, 0.2))), ("127.0.0.1", rig.port))
        if k % 50 == 0:
            stranger.sendto(encode(replace(packet, sequence=2**63)), ("127.0.0.1", rig.port))
        if k == 700:
            for _ in range(3000):
                stranger.sendto(b"noise", ("127.0.0.1", rig.port))
        if k == 1000:
            os.kill(rig._process.pid, signal.SIGSTOP)
        if k == 1250:
            os.kill(rig._process.pid, signal.SIGCONT)

    stream(rig.port, 6.0, beside)
    found["harassed"] = rig.stop()


def killed(folder, found):
    """A host that is killed in mid-drive."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(__file__).parent)])}
    host = subprocess.Popen([sys.executable, "-c", HOST, str(folder / "host.json")], stdout=subprocess.PIPE, text=True, env=environment)
    said = json.loads(host.stdout.readline())
    time.sleep(4.0)
    host.kill()
    host.wait()
    began = time.monotonic()
    while Path(f"/proc/{said['pid']}/stat").exists() and time.monotonic() - began < 40.0 and not _is_dead(said["pid"]):
        time.sleep(0.05)
    took = time.monotonic() - began
    found["killed"] = json.loads((folder / "host.json").read_text()), took


def _is_dead(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def told(folder, found, again):
    """A platform that gets a signal while it moves, and if `again` another one; on a busy machine two may count as one."""
    process, port = platform_process(folder)
    worker = threading.Thread(target=stream, args=(port, 5.0))
    worker.start()
    time.sleep(3.0)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    while again and process.poll() is None:
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
    out = process.communicate(timeout=60.0)[0]
    took = time.monotonic() - began
    worker.join()
    found["told", again] = json.loads((folder / "report.json").read_text()), took, process.returncode, out


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    found = {}
    started = simulator.virtual_platform.process.start_virtual_platform()  # compiled once, instead of by each
    started.kill()
    scenes = [(harassed, ()), (killed, ()), (told, (False,)), (told, (True,))]
    workers = [threading.Thread(target=scene, args=(tmp_path_factory.mktemp(scene.__name__), found, *more)) for scene, more in scenes]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return found


def test_strangers_a_flood_and_a_stop_do_not_move_it_beyond_its_limits(scenes):
    summary = scenes["harassed"]
    assert summary is not None
    assert summary["motion"]["within"]
    assert summary["motion"]["stroke_high"] > [0.1] * 6, "it has moved"
    assert summary["strangers"] >= 1000
    assert summary["streams"] == 1
    assert summary["held_up"]["times"] >= 1
    assert summary["held_up"]["longest_s"] > 0.9
    assert summary["parked"]


def test_a_host_that_is_gone_leaves_a_platform_that_parks_and_reports(scenes):
    summary, took = scenes["killed"]
    assert summary["received"] > 300
    assert summary["lost"] == 0
    assert summary["parked"]
    assert summary["stage"] == "park"
    assert summary["motion"]["within"]
    assert took > 3.0


def test_a_request_to_leave_parks_first(scenes):
    summary, took, _, out = scenes["told", False]
    assert summary["parked"]
    assert summary["motion"]["within"]
    assert "final state parked" in out
    assert took > 3.0


def test_a_second_request_ends_at_once(scenes):
    summary, _, _, out = scenes["told", True]
    assert not summary["parked"], "it went where it was"
    assert "final state live" in out or "final state fade" in out or "final state neutral" in out
