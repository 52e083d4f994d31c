"""A drive whose window process dies: it pauses, `jounce view` opens another window, and all processes end.

Needs an X server that can be started; skipped, visibly, without one.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from program import call, start

from simulator.builder.warm_up import compile_kernels
from simulator.telemetry.writer import read_telemetry
from simulator.view.drive_lock import PREFIX, SHARED_MEMORY, sweep

pytestmark = pytest.mark.skipif(not shutil.which("Xvfb") or not Path("/proc").is_dir(), reason="no Xvfb")


@pytest.fixture(scope="module")
def display():
    """Number of a display without a screen."""
    read, write = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24"], pass_fds=[write], stderr=subprocess.DEVNULL
    ) as server:
        os.close(write)
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        if not number:
            pytest.skip("Xvfb does not start")
        yield f":{number}"
        server.terminate()


class Terminal:
    """What a program says, line by line."""

    def __init__(self, process):
        self.process, self.lines = process, []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def wait_for(self, text, seconds=180.0):
        end = time.monotonic() + seconds
        while not any(text in line for line in self.lines):
            if self.process.poll() is not None or time.monotonic() > end:
                pytest.fail(f"no {text!r} in {self.lines}: {self.process.stderr.read() if self.process.poll() is not None else 'waits'}")
            time.sleep(0.02)


def view_process(host):
    """Process id of the window that a host started."""
    found = view_processes(host)
    return found[0] if found else pytest.fail("no window")


def view_processes(host):
    """Process ids of the windows that a host started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == host.pid and b"simulator.view" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_a_drive_waits_for_a_new_window_and_its_death_leaves_nothing(display, tmp_path):
    compile_kernels(print)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    variables = {"DISPLAY": display, "TMPDIR": str(temporary)}
    drive = Terminal(start("drive", "--terrain", "flat", "--driver", "keyboard", "--no-motion", "--out", "out", cwd=tmp_path, **variables))
    view = None
    try:
        drive.wait_for("first frame")
        blocks = {file.name for file in SHARED_MEMORY.glob(f"{PREFIX}*")}
        os.kill(view_process(drive.process), signal.SIGKILL)
        drive.wait_for("to open a new window, run 'jounce view' in another terminal")
        view = Terminal(start("view", cwd=tmp_path, **variables))
        drive.wait_for("window reopened")
        assert len(list(temporary.glob(f"{PREFIX}*"))) == 1
        drive.process.kill()
        drive.process.wait()
        assert view.process.wait(60.0) == 0
        assert list(temporary.glob(f"{PREFIX}*")) == []
        left = {file.name for file in SHARED_MEMORY.glob(f"{PREFIX}*")} & blocks
        assert len(left) < len(blocks), "those of this drive are gone"
    finally:
        for terminal in (drive, view):
            if terminal is not None:
                terminal.process.kill()
                terminal.process.communicate()
        sweep()


def test_no_time_passes_before_the_world_is_seen(display, tmp_path, capsys):
    """A window that is slow to draw: the vehicle waits, and the clock of the drive begins with the first frame."""
    compile_kernels(print)
    folder = tmp_path / "out"
    options = ("--terrain", "flat", "--driver", "keyboard", "--no-motion", "--no-sound", "--duration", 1, "--out", "out")
    drive = Terminal(start("drive", *options, cwd=tmp_path, DISPLAY=display, XDG_CONFIG_HOME=str(tmp_path)))
    try:
        end = time.monotonic() + 120.0
        while not (view := view_processes(drive.process)):
            assert drive.process.poll() is None and time.monotonic() < end, drive.lines
            time.sleep(0.02)
        os.kill(view[0], signal.SIGSTOP)
        time.sleep(6.0)
        assert not (folder / "telemetry.rows").exists() and not any("first frame" in line for line in drive.lines)
        os.kill(view[0], signal.SIGCONT)
        assert drive.process.wait(60.0) == 0
        drive.wait_for("watch again: jounce replay out")
    finally:
        drive.process.kill()
        drive.process.wait()
    log = read_telemetry(folder / "telemetry.parquet")
    assert log["time"].max() == pytest.approx(1.0, abs=0.02) and log["wall_time"].max() - log["wall_time"].min() < 3.0
    text = "\n".join(drive.lines)
    assert re.search(r"^drove 0 m in 0:01 min, top speed [0-9] km/h$", text, re.MULTILINE)
    assert "lateness" not in text and "late ticks" not in text and text.index("first frame after") < text.index("drove")
    code, text, _ = call(capsys, "info", folder)
    assert code == 0 and "lateness of 1000 ticks" in text and "late ticks: " in text and "top_speed_mps" in text


def test_without_a_drive_there_is_nothing_to_look_at(display, tmp_path):
    process = start("view", cwd=tmp_path, DISPLAY=display, TMPDIR=str(tmp_path))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert "no drive with a view is running" in err and len(err.splitlines()) == 1
