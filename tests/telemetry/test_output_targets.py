"""Files that a command writes: regular files are replaced, links stay, devices and pipes are written to, `-` is the standard output."""

from __future__ import annotations

import csv
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PIL import Image

from simulator.base.errors import OutputError
from simulator.base.output_target import STANDARD_OUTPUT, output_path
from simulator.telemetry.atomic_files import write_text, write_whole
from tests.end_to_end.program import call

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no pipes and devices in a folder")

ROOT = Path(__file__).resolve().parents[2]
LONG = "row\n" * 50_000
"""Longer than the buffer of a pipe."""


def read_pipe(pipe, found):
    found.append(pipe.read_text())


def test_a_pipe_is_written_to(tmp_path):
    pipe, found = tmp_path / "p.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=read_pipe, args=(pipe, found))
    reader.start()
    write_text(pipe, LONG)
    reader.join()
    assert found == [LONG]
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert os.listdir(tmp_path) == ["p.csv"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_stays(tmp_path, exists):
    (tmp_path / "a").mkdir()
    target, link = tmp_path / "a" / "target.csv", tmp_path / "link.csv"
    if exists:
        target.write_text("old")
    link.symlink_to("a/target.csv")
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path / "a") == ["target.csv"]


def copy_of_device(file, minor):
    """A copy of a device in a folder of the test, so that a fault does not damage the machine."""
    try:
        os.mknod(file, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        file.open("wb").close()
    except OSError:
        pytest.skip("the user cannot create a device")


def test_a_device_is_written_to(tmp_path):
    null = tmp_path / "null"
    copy_of_device(null, 3)
    write_text(null, LONG)
    assert stat.S_ISCHR(os.stat(null).st_mode)


def test_a_full_device_stays(tmp_path):
    full, link = tmp_path / "full", tmp_path / "link.csv"
    copy_of_device(full, 7)
    link.symlink_to(full)
    for file in (full, link):
        with pytest.raises(OutputError, match=f"{file.name}: cannot be written: No space left on device"):
            write_text(file, LONG)
    assert stat.S_ISCHR(os.stat(full).st_mode)
    assert link.is_symlink()


def test_a_socket_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        with pytest.raises(OutputError, match="s: cannot be written"):
            write_text(Path("s"), "text")
        assert stat.S_ISSOCK(os.stat("s").st_mode)


def test_a_loop_of_links_stays(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OutputError, match="a: cannot be written: Too many levels of symbolic links"):
        write_text(tmp_path / "a", "text")
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert (tmp_path / "a").is_symlink()


def test_nothing_reaches_a_pipe_if_the_content_fails(tmp_path):
    pipe = tmp_path / "p"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def write(path):
        path.write_text("half")
        raise OSError("no more")

    with pytest.raises(OutputError, match="no more"):
        write_whole(pipe, write)
    assert os.read(reader, 10) == b""
    os.close(reader)


def test_the_name_of_the_standard_output():
    assert output_path("-") == STANDARD_OUTPUT
    assert output_path("./-") == Path.cwd() / "-"
    assert output_path("a/-") == Path("a/-")


FOUR_BAR = ("mechanism", str(ROOT / "configs/mechanisms/four_bar.yaml"), "--sweep", "rocker on ground=-60:60deg:7")


def jounce(folder, *arguments, out=subprocess.PIPE, **options):
    """Run a command in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "simulator", *arguments],
        cwd=folder, env=environment, stdout=out, stderr=subprocess.PIPE, text=True, timeout=120, check=False, **options,
    )  # fmt: skip


def test_the_standard_output_has_the_file_alone(tmp_path):
    done = jounce(tmp_path, *FOUR_BAR, "--csv", "-")
    assert done.returncode == 0, done.stderr
    header, *rows = csv.reader(done.stdout.splitlines())
    assert len(header) > 1
    assert {len(row) for row in rows} == {len(header)}
    assert rows
    assert "rocker" in done.stderr, "the text of the command"
    assert os.listdir(tmp_path) == []
    jounce(tmp_path, *FOUR_BAR, "--csv", "./-")
    assert (tmp_path / "-").read_text() == done.stdout


def test_the_standard_output_has_an_animation_alone(tmp_path):
    with (tmp_path / "all.gif").open("w") as out:
        done = jounce(tmp_path, *FOUR_BAR, "--animate", "-", out=out)
    assert done.returncode == 0, done.stderr
    assert "rocker" in done.stderr, "the text of the command"
    with Image.open(tmp_path / "all.gif") as picture:
        assert (picture.format, picture.n_frames > 1) == ("GIF", True)
    assert os.listdir(tmp_path) == ["all.gif"]


@pytest.mark.parametrize("second", [("--json",), ("--plot", "-"), ("--animate", "-")])
def test_two_outputs_on_the_standard_output_are_refused(capsys, second):
    code, out, err = call(capsys, *FOUR_BAR, "--csv", "-", *second)
    assert code == 2
    assert "exclude each other: both write to the standard output" in err
    assert out == ""


def test_the_file_of_the_standard_output_is_not_replaced(tmp_path):
    """/dev/stdout is a link to the file; a replaced file would lose the text of the command."""
    with (tmp_path / "all.txt").open("w") as out:
        done = jounce(tmp_path, *FOUR_BAR, "--csv", "/dev/stdout", out=out)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "all.txt").read_text()
    assert text.startswith("sweep of ")
    assert "four-bar" in text
    assert "\0" not in text
    assert os.listdir(tmp_path) == ["all.txt"]


@pytest.mark.parametrize(
    "command",
    [("terrain", "show", "flat", "--plot"), ("tire", "tmeasy_hmmwv", "--plot"), ("soil", "dry_sand", "--plot"), (*FOUR_BAR, "--plot")],
)
def test_commands_write_to_a_pipe_of_any_name(tmp_path, capsys, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    code, _, err = call(capsys, *command, "pipe")
    assert code == 0, err
    reader.join(60.0)
    assert found[0].startswith(b"\x89PNG")
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
