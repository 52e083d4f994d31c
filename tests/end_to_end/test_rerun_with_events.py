"""Does a rerun repeat a drive with restarts, pauses, roll-overs, platform commands and tuned numbers to the same bits?"""

from __future__ import annotations

import os
import time
from typing import ClassVar

import numpy as np
import pytest
from program import call, finish, start
from test_failing_parts import Drive

import jounce
from simulator.driver.contract import CONTRACT, DriverKind
from simulator.driver.kinds import DRIVER_KINDS, register
from simulator.events.event import Event, Origin
from simulator.host.event_script import EventScript
from simulator.outlets.contract import CONTRACT as OUTLETS
from simulator.outlets.contract import OutletKind
from simulator.outlets.kinds import register as register_outlet
from simulator.run.rerun import differences, rerun
from simulator.run.run_configuration import read_recorded
from simulator.session import Session
from simulator.telemetry.event_file import read_events
from simulator.telemetry.recover import read_logs
from simulator.telemetry.writer import read_telemetry

EVENTS = (
    # time [s], kind, value
    (0.5, "intensity_down", None),
    (1.0, "pause", None),
    (1.3, "intensity", 0.35),
    (1.5, "pause", None),
    (2.0, "washout_next", None),
    (2.1, "washout_up", None),
    (2.2, "washout_up", None),
    (3.0, "platform", None),
    (3.2, "washout_next", None),
    (3.3, "washout_down", None),
    (4.0, "upright", None),
    (4.5, "platform", "raise"),
    (5.0, "intensity_up", None),
    (6.0, "reset", None),
    (6.4, "pause", True),
    (6.4, "reset", None),
    (6.6, "pause", False),
    (7.0, "washout_parameter", {"name": "force_gain", "index": 1, "value": 0.4321}),
    (8.0, "reset", None),
    (8.005, "platform", "park"),
    (9.5, "platform", "raise"),
    (11.0, "quit", "enough"),
)


def script(*events):
    return EventScript([(at, Event(kind, value, Origin.SCRIPT)) for at, kind, value in events])


def again(drive, tmp_path):
    """Columns of the log of a drive and of its rerun."""
    log, configuration = read_recorded(drive.folder)
    columns = read_telemetry(log.file, wall=False)
    folder = rerun(log, configuration, columns, tmp_path / "again")
    return columns, read_telemetry(folder / "telemetry.parquet", wall=False)


def events_in(folder):
    """Events of a run; its end comes last, after the platform has parked, which a rerun leaves out."""
    *events, end = read_events(read_logs(folder)[0].file)
    assert (end.kind, end.origin) == ("end", Origin.SESSION)
    return events


@pytest.fixture
def drive(tmp_path, monkeypatch):
    return Drive(tmp_path, monkeypatch, seconds=60.0)


def test_a_headless_drive_with_many_events_comes_again(drive, tmp_path):
    drive.host.options.script = script(*EVENTS)
    drive.change("outlets.motion.wait", True)
    assert drive.run() == 0, drive.lines
    columns, repeated = again(drive, tmp_path)
    assert columns["resets"][-1] == 3 and columns["paused"].any() and columns["cueing_changes"][-1] >= 6
    assert {2, 5, 7} <= set(columns["platform_state"].tolist()), "the platform rose and parked"
    assert differences(columns, repeated) == []
    first, second = (events_in(folder) for folder in (drive.folder, tmp_path / "again"))
    assert [event.kind for event in first if event.origin == Origin.SCRIPT][:4] == ["intensity", "pause", "intensity", "pause"]
    assert len([event for event in first if event.origin == Origin.SCRIPT]) == len(EVENTS)
    assert first == second
    assert np.diff([event.tick for event in first if not event.waits]).min() >= 0


class Weaving:
    """Driver of a plugin: a rerun repeats its commands from the log, as those of a person."""

    def read(self, t, readout, command, sensors):
        command[0]["selector"], command[0]["throttle"], command[0]["steering"] = 1, 0.6, 0.3 * np.sin(2.0 * t)


class Ear:
    """Outlet of a plugin that notes what it hears."""

    heard: ClassVar = []

    def __init__(self, settings):
        self.heard.clear()

    def publish(self, sample):
        """Nothing."""

    def hear(self, event):
        self.heard.append(event.kind)

    def close(self):
        """Nothing."""


def test_commands_of_a_driver_a_roll_over_and_an_incident_come_again(drive, tmp_path, monkeypatch):
    """Also those before the drive, while the platform rises."""
    name = "weaving_for_rerun"
    if name not in DRIVER_KINDS.names():
        register(DriverKind(name, lambda _: Weaving(), CONTRACT))
        register_outlet(OutletKind("ear_of_rerun", Ear, OUTLETS))
    advance = Session.advance

    def disturbed(session, count=1):
        """The world does the same in both."""
        if session.tick == 2000:
            session.vehicle.place(np.array([5.0, 5.0, 1.0]), np.pi, 0.0, 0.3)
        if session.tick == 5000:
            session.vehicle.space.state[0]["v_WB_B"][0] = 400.0
        advance(session, count)

    monkeypatch.setattr(Session, "advance", disturbed)
    drive.host.options.script = script(
        (0.2, "intensity", 0.7), (3.0, "upright", None), (4.0, "pause", None), (4.2, "pause", None), (8.5, "quit", None)
    )
    drive.change("driver", name)
    drive.change("outlets.motion.wait", True)
    drive.change("outlets.plugins", ["ear_of_rerun"])
    assert drive.run() == 0, drive.lines
    assert Ear.heard == ["wait_over", "intensity", "upright", "pause", "pause", "incident", "quit", "end"]
    columns, repeated = again(drive, tmp_path)
    assert columns["incident"].max() == 1 and columns["paused"].any()
    assert len(np.unique(columns["command_steering"])) > 100
    assert differences(columns, repeated) == []
    assert events_in(drive.folder) == events_in(tmp_path / "again")


@pytest.mark.skipif(os.name != "posix", reason="the drive is killed by a signal")
def test_a_killed_drive_keeps_its_events_and_comes_again(tmp_path, capsys):
    file = tmp_path / "script.yaml"
    file.write_text("- {at_s: 0.3, kind: reset}\n- {at_s: 0.5, kind: pause}\n- {at_s: 0.6, kind: pause}\n")
    words = ("--no-view", "--no-motion", "--terrain", "flat", "--log-rate", 1000, "--channels", "v_WB_B", "--events", file)
    process = start("drive", *words, "--out", tmp_path / "run", cwd=tmp_path)
    raw = tmp_path / "run" / "telemetry.rows"
    try:
        until = time.monotonic() + 120.0
        while not (raw.exists() and len(read_events(raw) or ()) == 3 and raw.stat().st_size > 3_000_000):
            assert process.poll() is None and time.monotonic() < until, finish(process)
            time.sleep(0.02)
    finally:
        process.kill()
        process.communicate()
    code, text, err = call(capsys, "info", tmp_path / "run")
    assert (code, err) == (0, "")
    assert "killed" in text and "3 (3 of the script)" in text
    code, text, err = call(capsys, "rerun", tmp_path / "run", "--out", tmp_path / "again")
    assert code == 0 and "bitwise equal" in text, (text, err)
    assert [event.kind for event in jounce.read_log(tmp_path / "again").events] == ["reset", "pause", "pause", "end"]
