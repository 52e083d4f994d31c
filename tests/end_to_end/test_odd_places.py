"""Places that are no regular files: pipes in run folders, loops of links, dangling locks of editors."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

import pytest
from program import ROOT, call, environment, refused

from simulator.builder.builder import find_config
from simulator.catalog.file_kinds import kind_named
from simulator.driver.input_devices.device_profiles import load_profiles, shipped_profiles_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no such files here")


@pytest.fixture
def ends():
    """A command that waits for a pipe ends the process of the tests, which names the test."""
    before = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *((command, name) for command in (("info",), ("rerun",), ("compare", ".")) for name in ("telemetry.parquet", "telemetry.rows")),
        (("cueing", "compare"), "telemetry.parquet"),
    ],
)
def test_a_pipe_in_a_run_folder_is_not_opened(tmp_path, capsys, monkeypatch, ends, command, name):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "run"
    folder.mkdir()
    os.mkfifo(folder / name)
    words = [str(folder) if word == "." else word for word in command]
    line = refused(call(capsys, *words, folder))
    assert f"{name}: invalid value; expected a " in line
    assert "got 'a pipe'" in line


@pytest.mark.parametrize("name", ["x.parquet", "x.rows"])
@pytest.mark.parametrize("command", ["info", "rerun", "compare"])
def test_a_pipe_in_place_of_a_log_is_not_opened(tmp_path, capsys, monkeypatch, ends, command, name):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / name)
    files = [tmp_path / name] * (2 if command == "compare" else 1)
    assert "got 'a pipe'" in refused(call(capsys, command, *files))


@pytest.mark.parametrize("name", ["sweep.json", "table.parquet", "plan.parquet", "journals/a.journal"])
def test_a_pipe_in_the_folder_of_a_sweep_is_not_opened(tmp_path, capsys, monkeypatch, ends, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "journals").mkdir()
    if name != "sweep.json":
        (tmp_path / "sweep.json").write_text("{}")
    os.mkfifo(tmp_path / name)
    refused(call(capsys, "sweep", "report", tmp_path))


@pytest.mark.parametrize("command", [("info",), ("rerun",), ("compare", "x.yaml"), ("check",), ("run", "--plugin"), ("terrain", "info")])
def test_loops_of_links_are_refused(tmp_path, capsys, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    for name in ("loop.yaml", "x.yaml"):
        (tmp_path / name).symlink_to(name)
    refused(call(capsys, *command, "loop.yaml"))


def test_the_lock_of_an_editor_is_no_file(tmp_path, capsys, monkeypatch):
    """Emacs leaves a link to a file that does not exist, next to the file that it edits."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text("type: flat\nsurface: asfalt\n")
    (tmp_path / ".#t.yaml").symlink_to("nobody@host.123:456")
    line = refused(call(capsys, "check", "t.yaml"))
    assert line.startswith("jounce: t.yaml:2: surface: ")
    assert "did you mean asphalt" in line
    assert ".#" not in line
    assert ".#" not in refused(call(capsys, "check", "tt.yaml"))


def test_the_lock_of_an_editor_is_in_no_list(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "configs" / "devices", tmp_path / "devices")
    (tmp_path / "devices" / ".#own.yaml").symlink_to("nobody@host.123:456")
    assert len(load_profiles((tmp_path / "devices",))[0]) == len(load_profiles((shipped_profiles_folder(),))[0])
    monkeypatch.setattr("simulator.catalog.file_kinds.data_folder", lambda _: tmp_path)
    assert not [file for file in kind_named("devices").files() if file.name.startswith(".")]
    assert find_config("vehicles", "sedan").is_file()


def test_a_run_folder_whose_name_is_not_utf_8(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sys.stdout.reconfigure(errors="backslashreplace")  # as in a process of its own
    sys.stderr.reconfigure(errors="backslashreplace")
    (tmp_path / "m.yaml").write_text("base: avtp_lane_change\nduration_s: 0.2\nlimits: {}\n")
    folder = os.fsdecode(b"run\xff")
    for arguments in (
        ("run", "m.yaml", "--csv", "--out", folder),
        ("info", folder),
        ("info", folder, "--json"),
        ("rerun", folder, "--out", f"{folder}/again"),
        ("compare", folder, f"{folder}/again", "--out", f"{folder}/compared"),
        ("compare", "--matrix", folder, "--out", f"{folder}/matrix"),
    ):
        code, _, err = call(capsys, *arguments)
        assert code in ((0, 1) if arguments[0] == "run" or "--matrix" in arguments else (0,)), err  # 1: it is too short for its course
    assert {"telemetry.parquet", "telemetry.csv", "metrics.json", "report.html", "again"} <= set(os.listdir(tmp_path / folder))


OWNER = """
import sys, time
from simulator.base import signals
from simulator.telemetry.folder_lock import FolderLock
signals.install()
lock = FolderLock(sys.argv[1])
print("ready", flush=True)
time.sleep(60.0)
"""


def test_a_forced_exit_leaves_no_lock(tmp_path):
    """As TERM does while a run writes its report."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER, tmp_path], env=environment(), stdout=subprocess.PIPE, text=True)
    assert owner.stdout.readline() == "ready\n"
    assert os.listdir(tmp_path) == [".jounce.lock"]
    owner.send_signal(signal.SIGTERM)
    owner.communicate(timeout=60.0)
    assert owner.returncode == 128 + signal.SIGTERM
    assert os.listdir(tmp_path) == []
