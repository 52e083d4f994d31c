"""Does `jounce doctor` find what a machine does not allow, and say what allows it?"""

from __future__ import annotations

import json
import socket
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.driver.force_feedback.evdev import System
from simulator.motion.protocols.native import PROTOCOL
from simulator.tools.doctor import command, devices, real_time, storage
from simulator.tools.doctor.command import EXAMINATIONS
from simulator.tools.doctor.finding import GOOD, LIMITED, MISSING, STATES

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="files of Linux")


def test_the_command_reports_every_examination_as_text_and_as_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both from the same findings: the lateness of the timer, and so its remedy, depends on the load of the machine at the moment."""
    monkeypatch.setattr(command, "EXAMINATIONS", tuple(cache(examine) for examine in EXAMINATIONS))
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert len(found) == len(EXAMINATIONS) and {one["state"] for one in found} <= set(STATES)
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    for one in found:
        for part in ("subject", "found", "remedy"):
            assert one[part] in text


def test_a_port_in_use_is_found() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        try:
            other.bind(("127.0.0.1", PROTOCOL.port))
        except OSError:
            pytest.skip("another program uses the port")
        assert storage.motion_port().state == LIMITED
    assert storage.motion_port().state == GOOD


@LINUX
def test_a_refused_priority_is_a_limit_with_the_line_that_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError

    monkeypatch.setattr("os.sched_setscheduler", refuse)
    found = real_time.priority()
    assert found.state == LIMITED and "rtprio" in found.remedy


@LINUX
def test_the_priority_is_given_back() -> None:
    import os

    before = os.sched_getscheduler(0)
    real_time.priority()
    assert os.sched_getscheduler(0) == before


@LINUX
def test_devices_that_cannot_be_read_need_the_group(tmp_path: Path) -> None:
    class Closed(System):
        def paths(self) -> list[str]:
            return ["/dev/input/event0"]

        def open(self, path: str, write: bool) -> int:
            raise PermissionError(path)

    found = devices.input_devices(Closed())
    assert found.state == LIMITED and "input" in found.remedy and found.found == "0 of 1 readable"
    assert devices.sound(tmp_path).state == LIMITED
    (tmp_path / "pcmC0D0p").touch()
    assert devices.sound(tmp_path).state == GOOD


def test_a_graphics_driver_that_crashes_or_hangs_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("import os; os.abort()", "import time; time.sleep(60)", "raise OSError('no EGL')"):
        monkeypatch.setattr(devices, "_RENDERER", program)
        monkeypatch.setattr(devices, "PATIENCE", 1.0)
        assert devices.graphics().state == MISSING


def test_a_display_that_is_not_there_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert devices.display().state == LIMITED
    monkeypatch.setenv("DISPLAY", ":7")
    assert devices.display().found == ":7"


def test_a_run_folder_below_a_missing_folder_is_that_of_its_parent(tmp_path: Path) -> None:
    found = storage.run_folder(tmp_path / "new" / "runs")
    assert found.state in (GOOD, LIMITED) and "GB free" in found.found
