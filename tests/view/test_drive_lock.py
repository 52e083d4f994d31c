"""Is a drive in the temporary folder and in shared memory found, left alone while it lives, and removed when it is dead?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from simulator.base.errors import DeviceError
from simulator.view import drive_lock
from simulator.view.drive_lock import PREFIX, DriveLock, HostWatch, running, sweep
from simulator.view.shared_keys import KeyReader
from simulator.view.shared_state import ViewWriter

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are ended by signals here")
ROOT = Path(__file__).resolve().parents[2]
HOLDER = (
    "import sys\n"
    "from simulator.view.shared_keys import KeyReader\n"
    "from simulator.view.shared_state import ViewWriter\n"
    "from simulator.view.drive_lock import DriveLock\n"
    "lock, block, keys = DriveLock(), ViewWriter(), KeyReader()\n"
    "(lock.folder / 'land.npz').write_bytes(b'x')\n"
    "lock.describe({'title': 'a drive', 'keys': keys.name})\n"
    "print(lock.folder, block.name, keys.name, flush=True)\n"
    "sys.stdin.readline()\n"
)


@pytest.fixture
def holder():
    """A process with a drive lock and two blocks: (process, folder, names of the blocks)."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    folder, *blocks = process.stdout.readline().split()
    yield process, Path(folder), blocks
    process.kill()
    process.wait()
    sweep()


def block_files(blocks):
    return [Path("/dev/shm") / name for name in blocks]


def test_a_living_drive_is_found_and_left_alone(holder):
    process, folder, blocks = holder
    sweep()
    assert [drive["pid"] for drive in running() if drive["folder"] == folder] == [process.pid]
    assert (folder / "land.npz").exists()
    if sys.platform.startswith("linux"):
        assert all(file.exists() for file in block_files(blocks))


def test_what_a_killed_drive_left_is_swept(holder):
    process, folder, blocks = holder
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert folder.exists()
    assert folder not in [drive["folder"] for drive in running()]
    sweep()
    assert not folder.exists()
    assert not any(file.exists() for file in block_files(blocks))


def test_a_killed_drive_says_nothing_afterwards():
    """Python's own watchman of shared memory would write warnings to the terminal."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout and process.stderr
    process.stdout.readline()
    process.kill()
    assert process.stderr.read() == b""
    process.wait()
    sweep()


def test_resources_of_others_are_not_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    other = tmp_path / f"jounce-{drive_lock.USER + 1}-12345678"
    theirs = tmp_path / "jounce-notes"
    target = tmp_path / "precious"
    for folder in (other, theirs, target):
        folder.mkdir()
        (folder / "lock").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(target)
    (tmp_path / f"{PREFIX}file").write_text("a file")
    dead = tmp_path / f"{PREFIX}00000000"
    dead.mkdir()
    sweep()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(
        (other.name, theirs.name, target.name, f"{PREFIX}link", f"{PREFIX}file")
    )
    assert (target / "lock").exists()


def test_a_released_lock_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    drive_lock = DriveLock()
    assert (drive_lock.folder.stat().st_mode & 0o777) == 0o700
    sweep()
    assert drive_lock.folder.exists()
    drive_lock.release()
    drive_lock.release()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DeviceError, match="no drive"):
        HostWatch(drive_lock.folder)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere" / "deep"))
    with pytest.raises(DeviceError, match="folder"):
        DriveLock()


def test_a_view_sees_that_its_host_was_killed(holder):
    process, folder, _ = holder
    watch = HostWatch(folder)
    time.sleep(2.0 * drive_lock.LOOK)
    assert not watch.gone
    process.kill()
    end = time.monotonic() + 10.0
    while not watch.gone and time.monotonic() < end:
        time.sleep(0.01)
    assert watch.gone


def test_blocks_are_named_after_the_user():
    block, keys = ViewWriter(), KeyReader()
    try:
        assert block.name.startswith(PREFIX) and keys.name.startswith(PREFIX) and block.name != keys.name
        sweep()
        if sys.platform.startswith("linux"):
            assert all(file.exists() for file in block_files((block.name, keys.name)))
    finally:
        block.close()
        keys.close()
    assert not any(file.exists() for file in block_files((block.name, keys.name)))
