"""Does a rerun repeat a drive with restarts, pauses, roll-overs, platform commands and tuned numbers to the same bits?"""

from __future__ import annotations

import numpy as np
import pytest
from test_failing_parts import Drive

from simulator.events.event import Event, Origin
from simulator.host.event_script import EventScript
from simulator.run.rerun import differences, rerun
from simulator.run.run_configuration import read_recorded
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
