"""`jounce stream`, `jounce platform` and `jounce drive` in real time, each in a process of its own: that they work together, and what
is left of one when another one ends, politely or not.

The scenes run side by side, since most of their time is waiting.
"""

import contextlib
import json
import os
import signal
import socket
import time
from pathlib import Path

import numpy as np
import pytest
from program import finish, start

from simulator.builder.warm_up import compile_kernels
from simulator.telemetry.writer import read_telemetry

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are ended by signals here")

DRIVE = ("--maneuver", "avtp_lane_change", "--terrain", "flat")
AT_ONCE = ("--set", "outlets.motion.wait=false")
"""Does not wait for the platform."""


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start_platform(folder):
    """A platform that listens: (process, port)."""
    port = free_port()
    process = start("platform", "--port", port, "--json", "report.json", "--plot", "legs.png", cwd=folder)
    assert str(port) in process.stdout.readline()
    return process, port


def wait_until(condition, process, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            pytest.fail(f"{process.args}: {finish(process)}")
        time.sleep(0.02)


def driving(folder):
    """True once the log of a drive has begun."""
    return (folder / "telemetry.rows").exists


def children(pid):
    """Command lines of the child processes, by process id."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid:
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
    return found


def platform_listens(host):
    """Return True once the built-in platform of a host has opened its socket: a busy machine starts it after the drive."""
    for pid, command in children(host.pid).items():
        if "--spawned" in command:
            with contextlib.suppress(OSError):
                return any(os.readlink(fd).startswith("socket:") for fd in Path(f"/proc/{pid}/fd").iterdir())
    return False


def all_of(rig):
    """Datagrams that wait in a socket."""
    found = []
    with contextlib.suppress(TimeoutError):
        while True:
            found.append(rig.recv(2048))
    return found


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    """What came of the scenes: {name: (folder, (exit code, stdout, stderr) of the host, the same of the platform or None)}.

    At most three hosts at once: they move platforms in real time.
    """
    compile_kernels(print)  # once, instead of in every process
    found = streamed({name: tmp_path_factory.mktemp(name) for name in ("whole", "killed", "codemasters")})
    found |= interrupted({name: tmp_path_factory.mktemp(name) for name in ("interrupted", "pushed")})
    return found


def streamed(folders):
    """A whole stream, one of a host that is killed, and one in other protocols."""
    platforms = {name: start_platform(folders[name]) for name in ("whole", "killed")}
    hosts = {
        name: start("stream", *DRIVE, *more, "--out", "out", "--to", f"127.0.0.1:{platforms[name][1]}", cwd=folders[name])
        for name, more in (("whole", ("--duration", 6)), ("killed", (*AT_ONCE, "--duration", 300)))  # who is killed still drives then
    }
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rig, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        rig.bind(("127.0.0.1", 0))
        rig.settimeout(60.0)
        other.bind(("127.0.0.1", 0))
        other.settimeout(0.5)
        address, further = f"127.0.0.1:{rig.getsockname()[1]}", f"forza@127.0.0.1:{other.getsockname()[1]}"
        begins = ("--protocol", "codemasters", "--duration", 0.5, "--out", "out", "--to", address, "--stream", further)
        hosts["codemasters"] = start("stream", *DRIVE, *begins, cwd=folders["codemasters"])
        wait_until(driving(folders["killed"] / "out"), hosts["killed"])
        time.sleep(6.0)
        hosts["killed"].kill()
        results = {name: [folders[name], finish(host), None] for name, host in hosts.items()}
        results["codemasters"][2] = rig.recv(2048), all_of(other)
    for name, (process, _) in platforms.items():
        results[name][2] = finish(process)
    return results


def interrupted(folders):
    """A drive that is interrupted once, and one that is interrupted three times."""
    hosts = {name: start("drive", *DRIVE, *AT_ONCE, "--no-view", "--out", "out", cwd=folder) for name, folder in folders.items()}
    for name, host in hosts.items():
        wait_until(driving(folders[name] / "out"), host)
        wait_until(lambda host=host: platform_listens(host), host)
    time.sleep(3.0)
    for host in hosts.values():
        host.send_signal(signal.SIGINT)
    for _ in range(2):
        time.sleep(0.5)
        hosts["pushed"].send_signal(signal.SIGINT)
    return {name: (folders[name], finish(host), None) for name, host in hosts.items()}


def report_of(folder):
    return json.loads((folder / "report.json").read_text())


def test_a_stream_is_received_completely_and_the_platform_stays_within_its_limits(scenes):
    folder, (code, out, err), (rig_code, rig_out, rig_err) = scenes["whole"]
    assert (code, rig_code) == (0, 0), (out, err, rig_out, rig_err)
    report = report_of(folder)
    assert (report["lost"], report["corrupt"], report["duplicate"], report["reordered"]) == (0, 0, 0, 0)
    assert report["received"] > 1500
    assert report["legs"]["within"]
    assert max(report["legs"]["stroke_high"]) > 0.2, "it has risen from its rest"
    assert 0.0 < report["legs"]["acceleration"] < 0.5, "gently"
    assert report["parked"]
    assert "lost 0" in rig_out
    assert (folder / "legs.png").read_bytes()[:4] == b"\x89PNG"


def test_what_the_host_commanded_starts_and_ends_smoothly_at_rest(scenes):
    """The log begins and ends with the drive, the platform up; how it came down, its own report says."""
    log = read_telemetry(scenes["whole"][0] / "out" / "telemetry.parquet")
    legs = np.stack([log[f"platform_legs_{i}"] for i in range(6)], axis=1)
    speed = np.diff(legs, axis=0) / 0.01
    assert log["platform_state"][0] == 5
    assert np.abs(speed[0]).max() < 0.02, "the launch is felt from its first tick"
    assert report_of(scenes["whole"][0])["parked"]
    assert np.abs(np.diff(speed, axis=0) / 0.01).max() < 0.5 * 5.9
    assert log["time"].max() == pytest.approx(6.0, abs=0.02)


def test_a_host_that_is_killed_leaves_a_platform_that_returns_by_itself(scenes):
    folder, (code, _, _), (rig_code, rig_out, rig_err) = scenes["killed"]
    assert code == -signal.SIGKILL
    assert rig_code == 0, (rig_out, rig_err)
    report = report_of(folder)
    assert report["parked"]
    assert report["lost"] == 0
    assert report["legs"]["within"]
    assert max(report["legs"]["stroke_high"]) > 0.1, "it was on its way up"


@pytest.mark.parametrize("name", ["interrupted", "pushed"])
def test_ctrl_c_ends_a_drive_with_its_log_complete(scenes, name):
    folder, (code, out, err), _ = scenes[name]
    assert (code, err) == (130, "jounce: interrupted\n"), out
    assert "log in out" in out
    assert ("please wait" in out) == (name == "pushed")
    files = sorted(p.name for p in (folder / "out").iterdir())
    # the picture of the platform takes a while, and who presses Ctrl-C does not wait for it, who presses it thrice not for the report
    # either
    left = ["telemetry.parquet"] if name == "pushed" else ["platform.json", "telemetry.parquet"]
    assert [file for file in files if file != "platform.png" and file in left] == left
    assert set(files) <= {"configuration.yaml", "events.jsonl", "platform.png", "platform.json", "telemetry.parquet"}
    log = read_telemetry(folder / "out" / "telemetry.parquet")
    assert 0.5 < log["time"].max() < 60.0  # beside other tests a drive may come late, and wait for the others of its scene
    assert np.diff(log["time"]).min() >= 0.0
    assert len(log["time"]) >= round(log["time"].max() / 0.01)
    if "platform.json" in files:
        platform = json.loads((folder / "out" / "platform.json").read_text())
        assert platform["lost"] == 0
        assert platform["legs"]["within"]


def test_one_ctrl_c_waits_for_the_platform(scenes):
    assert json.loads((scenes["interrupted"][0] / "out" / "platform.json").read_text())["parked"]


def test_rig_software_gets_its_packets(scenes):
    _, (code, out, err), (packet, _) = scenes["codemasters"]
    assert code == 0, (out, err)
    assert len(packet) == 264
    values = np.frombuffer(packet, "<f4")
    assert np.isfinite(values).all()


def test_a_further_stream_goes_out_beside_it(scenes):
    """Sixty packets a second with a flag for the pause in which the drive ends."""
    packets = scenes["codemasters"][2][1]
    assert {len(packet) for packet in packets} == {232}
    runs = [packet[0] for packet in packets]
    assert runs[:31].count(1) in (30, 31), "half a second"
    assert runs == sorted(runs, reverse=True)
    assert runs[-1] == 0


@pytest.fixture(scope="module")
def drives(tmp_path_factory):
    """Two drives without a display, and the child processes of the second, which are killed on its way: its pictures and its platform."""
    compile_kernels(print)
    folders = {name: tmp_path_factory.mktemp(name) for name in ("pictures", "alone")}
    hosts = {
        name: start("drive", "--terrain", "flat", *AT_ONCE, "--duration", seconds, "--out", "out", cwd=folders[name])
        for name, seconds in (("pictures", 3), ("alone", 4))
    }
    wait_until(driving(folders["alone"] / "out"), hosts["alone"])
    names = ("simulator.view", "simulator.virtual_platform.process")
    killed = {pid: name for pid, command in children(hosts["alone"].pid).items() for name in names if name in command}
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    time.sleep(1.5)
    zombies = killed.keys() & children(hosts["alone"].pid)
    return {name: (folders[name] / "out", finish(host)) for name, host in hosts.items()}, sorted(killed.values()), zombies


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
class TestWithoutDisplay:
    """`jounce drive` on a machine without a display."""

    def test_it_drives_and_says_what_it_does(self, drives):
        folder, (code, out, err) = drives[0]["pictures"]
        assert code == 0, (out, err)
        assert err == ""
        assert "no display found: driving 3 s with the scripted driver" in out
        assert "drove 3.0 s" in out
        log = read_telemetry(folder / "telemetry.parquet")
        assert log["time"].max() == pytest.approx(3.0, abs=0.02)
        assert (folder / "platform.png").read_bytes()[:4] == b"\x89PNG"
        report = json.loads((folder / "platform.json").read_text())
        assert report["lost"] == 0
        assert report["parked"]
        assert report["legs"]["within"]

    def test_it_writes_pictures_or_says_why_not(self, drives):
        folder, (_, out, _) = drives[0]["pictures"]
        if "driving without a view" in out:
            pytest.skip(next(line for line in out.splitlines() if "driving without a view" in line))
        assert "first frame after " in out
        pictures = sorted(folder.glob("frame_*.png"))
        assert len(pictures) >= 2
        for picture in pictures:
            assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
            assert picture.stat().st_size > 20_000, "a picture of something"

    def test_a_drive_without_its_view_and_platform_goes_on_and_names_them(self, drives):
        """They leave no zombie processes, and the exit code reports the platform."""
        (folder, (code, out, err)), killed, zombies = drives[0]["alone"], *drives[1:]
        assert "simulator.virtual_platform.process" in killed and not zombies
        assert (code, err) == (1, "jounce: the virtual platform exited unexpectedly; driving without it\n"), out
        assert "drove 4.0 s" in out
        assert read_telemetry(folder / "telemetry.parquet")["time"].max() == pytest.approx(4.0, abs=0.02)
        if len(killed) == 1 and "driving without a view" in out:
            pytest.skip("no view to kill")
        assert len(killed) == 2
        assert "driving without a view: the view ended with code -9" in out
