"""Standard streams that are closed, full or without a reader: no traceback, and a message about lost output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from program import ROOT, call, environment, refused

from simulator.telemetry.writer import read_telemetry

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a shell and a device that is always full")

PRINTING = ("--version", "--help", "mechanism --help", "devices --json")


def shell(line, folder, buffered):
    """`jounce LINE` in a shell that redirects: exit code, stdout, stderr."""
    kept = {key: value for key, value in environment().items() if key != "PYTHONUNBUFFERED"}
    process = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m simulator {line}'],
        cwd=folder,
        env=kept if buffered else {**kept, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120.0,
        check=False,
    )
    return process.returncode, process.stdout, process.stderr


@pytest.mark.parametrize("typed", PRINTING)
def test_output_that_is_closed(tmp_path, typed):
    assert shell(f"{typed} >&-", tmp_path, buffered=True) == (0, "", "")
    assert shell(f"{typed} <&- >&- 2>&-", tmp_path, buffered=True) == (0, "", "")


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("typed", ["--version", "--help", "run --help", "devices --json", f"check {ROOT}/configs/soils/snow.yaml"])
def test_output_on_a_full_disk(tmp_path, typed, buffered):
    code, out, err = shell(f"{typed} > /dev/full", tmp_path, buffered)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.endswith("No space left on device\n")


@pytest.mark.parametrize("where", ["2>&-", "2> /dev/full"])
def test_errors_without_a_reader(tmp_path, where):
    assert shell(f"run no_such_maneuver {where}", tmp_path, buffered=True) == (2, "", "")


@pytest.mark.parametrize(("streams", "expected"), [("<&- >&- 2>&-", 0), ("> /dev/full 2> /dev/full", 2)])
def test_a_drive_does_not_need_them(tmp_path, streams, expected):
    code, _, _ = shell(
        f"drive --no-view --terrain flat --set outlets.motion.wait=true --duration 0.3 --out out {streams}", tmp_path, buffered=True
    )
    assert code == expected
    assert len(read_telemetry(tmp_path / "out" / "telemetry.parquet")["time"]) > 20
    assert "platform.json" in os.listdir(tmp_path / "out")


LONG = "x" * 300


@pytest.mark.parametrize(
    "typed",
    [
        ("info", LONG),
        ("run", LONG),
        ("platform", "--port", "0", "--json", LONG),
        ("platform", "--port", "0", "--plot", LONG),
        ("platform", "--port", "0", "--host", f"é{LONG}"),
        ("stream", "--to", ""),
        ("stream", "--to", "::1"),
        ("bench", "realtime", "--seconds", "a"),
    ],
)
def test_names_that_cannot_be(capsys, typed):
    assert "expected" in (line := refused(call(capsys, *typed))) or "choose another --host" in line


def test_a_current_folder_that_is_gone(tmp_path):
    line = f"sh -c 'mkdir gone && cd gone && rmdir ../gone && \"{sys.executable}\" -m simulator run avtp_lane_change'"
    process = subprocess.run(line, shell=True, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120.0, check=False)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == "jounce: current folder not found; expected an existing folder\n"
