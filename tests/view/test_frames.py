"""Every offscreen drive leaves images, however short; a killed host leaves no process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator.base.errors import DeviceError
from simulator.host.view_supervisor import ViewSupervisor
from simulator.view.camera_names import CAMERAS
from simulator.view.drive_lock import sweep
from simulator.view.frame_writer import start_pictures_process
from simulator.view.gl_context import offscreen_context
from simulator.view.shared_keys import KeyReader
from simulator.view.shared_state import ViewWriter, extras
from tests.view.scenes import geometry, hilly_terrain, readout

ROOT = Path(__file__).resolve().parents[2]
HOST = (
    "import sys, time\n"
    "from pathlib import Path\n"
    "from simulator.view.shared_keys import KeyReader\n"
    "from simulator.view.shared_state import ViewWriter, extras\n"
    "from simulator.view.frame_writer import start_pictures_process\n"
    "from tests.view.scenes import geometry, hilly_terrain, readout\n"
    "block, keys, state = ViewWriter(), KeyReader(), readout()\n"
    "view = start_pictures_process(block.name, keys.name, hilly_terrain(), geometry(), Path(sys.argv[1]), 0.5)\n"
    "print(view.pid, flush=True)\n"
    "while True:\n"
    "    state[0]['time'] += 0.01; block.publish(state, extras()); time.sleep(0.01)\n"
)


@pytest.fixture(autouse=True)
def egl():
    try:
        offscreen_context().close()
    except DeviceError as error:
        pytest.skip(str(error))


def start(folder):
    block, keys = ViewWriter(), KeyReader()
    return block, keys, start_pictures_process(block.name, keys.name, hilly_terrain(), geometry(), folder, 0.5)


def test_a_drive_that_is_over_before_the_first_picture_has_one_of_each_camera(tmp_path):
    block, keys, view = start(tmp_path)
    block.publish(readout(), extras())
    block.mark_closed()
    view.end(120.0)
    assert view.complaint == ""
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"frame_{k:04d}_{kind}.png" for k, kind in enumerate(CAMERAS, start=1)]
    assert all(file.read_bytes()[:4] == b"\x89PNG" for file in tmp_path.iterdir())
    assert keys.frames == len(CAMERAS)
    view.close()
    keys.close()
    block.close()


def test_the_last_state_is_drawn_and_nothing_twice(tmp_path):
    block, keys, view = start(tmp_path)
    state = readout()
    block.publish(state, extras())
    end = time.monotonic() + 120.0
    while keys.frames == 0 and view.alive and time.monotonic() < end:
        time.sleep(0.02)
    for t in (0.1, 0.2):
        state[0]["time"] = t
        block.publish(state, extras())
    time.sleep(0.1)
    assert keys.frames == 1, "0.2 s are less than the interval"
    block.mark_closed()
    view.end(60.0)
    assert view.complaint == "" and len(list(tmp_path.iterdir())) == len(CAMERAS)
    view.close()
    keys.close()
    block.close()


def test_pictures_go_on_after_a_reset(tmp_path):
    """Time begins again at nought: nobody wants to wait until it has come where it was."""
    block, keys, view = start(tmp_path)
    state = readout()
    for count, t in enumerate((100.0, 0.0, 0.6), start=1):
        state[0]["time"] = t
        block.publish(state, extras())
        end = time.monotonic() + (120.0 if count == 1 else 10.0)
        while keys.frames < count and view.alive and time.monotonic() < end:
            time.sleep(0.02)
        assert keys.frames == count
    block.mark_closed()
    view.end(60.0)
    assert view.complaint == ""
    view.close()
    keys.close()
    block.close()


@pytest.mark.skipif(os.name != "posix", reason="processes are ended by signals here")
@pytest.mark.parametrize("looks", [True, False], ids=["noticed on the way", "noticed at the end"])
def test_pictures_that_are_killed_before_the_first_one_are_drawn_at_the_end(tmp_path, looks):
    said = []
    supervisor = ViewSupervisor(8, said.append, said.append, 0.0, person=False)
    supervisor.open(hilly_terrain(), geometry(), "", tmp_path, 0.5)
    supervisor._process.kill()
    supervisor.block.publish(readout(), extras())
    if looks:
        supervisor.look(SimpleNamespace(paused=False, cueing=None))
    supervisor.close()
    assert len(list(tmp_path.glob("*.png"))) == len(CAMERAS)
    assert ("driving without a view: the view ended with code -9" in said) == looks
    assert "the image process was killed before its first image; drawing the last state now" in said


def test_a_drive_without_a_single_state_ends_without_pictures(tmp_path):
    block, keys, view = start(tmp_path)
    block.mark_closed()
    view.end(120.0)
    assert view.complaint == "" and list(tmp_path.iterdir()) == []
    view.close()
    keys.close()
    block.close()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_a_host_that_is_killed_leaves_no_pictures_process(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOST, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout
        pid = int(host.stdout.readline())
        end = time.monotonic() + 120.0
        while not list(tmp_path.glob("*.png")) and time.monotonic() < end:
            time.sleep(0.05)
        host.kill()
    end = time.monotonic() + 20.0
    while lives(pid) and time.monotonic() < end:
        time.sleep(0.02)
    assert not lives(pid)
    sweep()


def lives(pid):
    """Is there such a process that is not just waiting for its parent?"""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_view_that_does_not_go_is_ended(tmp_path):
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(100)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        from simulator.view.drive_lock import DriveLock
        from simulator.view.launch import HURRY_TIME, ViewProcess

        drive_lock = DriveLock()
        began = time.monotonic()
        ViewProcess(process, drive_lock).end(60.0, hurry=lambda: True)
        assert process.poll() is not None and time.monotonic() - began > HURRY_TIME
        drive_lock.release()
    assert os.name != "posix" or process.returncode == -9
