"""Does a rerun repeat a drive with twenty actions of an operator and five faults to the same bits, the platform included?"""

from __future__ import annotations

import pytest
from test_failing_parts import Drive
from test_rerun_with_events import again, events_in

from simulator.events.event import Event, Origin
from simulator.host.event_script import EventScript
from simulator.run.rerun import differences

ACTIONS = (
    # time [s], kind, value
    (0.5, "intensity", 0.7),
    (0.8, "add_fault", {"type": "puncture", "wheel": "FR", "ramp_s": 0.5}),
    (1.2, "add_fault", {"type": "gust", "velocity": [0, 8, 0], "start_s": 1.5, "end_s": 2.5}),
    (1.4, "pause", True),
    (1.7, "pause", False),
    (2.0, "upright", None),
    (2.3, "add_fault", {"type": "brake_circuit_loss", "circuit": "front"}),
    (2.6, "end_fault", "puncture_FR"),
    (3.0, "reset", None),
    (3.4, "add_fault", {"type": "ice_patch", "center": [30, 0], "size": [40, 20]}),
    (3.8, "intensity", 1.2),
    (4.0, "washout_parameter", {"name": "force_gain", "index": 0, "value": 0.4}),
    (4.4, "add_fault", "engine_stop"),
    (4.8, "end_fault", "engine_stop"),
    (5.2, "stop", None),
    (6.0, "acknowledge", None),
    (6.4, "pause", False),
    (7.2, "platform", "raise"),
    (8.6, "park", None),
    (9.0, "reset", None),
    (9.4, "end_fault", "gust"),  # refused: the restart has ended it
    (9.5, "intensity", 0.0),
    (9.7, "pause", True),
)
LOCAL = ("platform", "washout_parameter")
"""Consent is given at the vehicle."""


@pytest.fixture
def drive(tmp_path, monkeypatch):
    drive = Drive(tmp_path, monkeypatch, seconds=60.0)
    drive.change("outlets.motion.wait", True)
    return drive


def test_twenty_actions_and_five_faults_come_again(drive, tmp_path):
    sent = [(at, Event(kind, value, Origin.SCRIPT if kind in LOCAL else Origin.CONSOLE)) for at, kind, value in ACTIONS]
    drive.host.options.script = EventScript([*sent, (10.0, Event("quit", None, Origin.SCRIPT))])
    assert drive.run() == 0, drive.lines
    columns, repeated = again(drive, tmp_path)
    events = events_in(drive.folder)
    actions = [event for event in events if event.origin in (Origin.CONSOLE, Origin.SCRIPT) and event.kind != "quit"]
    assert len(actions) == len(ACTIONS) - 1 >= 20
    begun = {event.value["part"] for event in events if event.kind == "fault" and event.value["begins"]}
    assert begun == {"puncture_FR", "gust", "brake_circuit_loss_front", "ice_patch", "engine_stop"}
    assert {2, 5} <= set(columns["platform_state"].tolist()), "the platform rose, and parked"
    assert sum(name.startswith("platform_") for name in columns) > 10
    assert differences(columns, repeated) == []
    assert events == events_in(tmp_path / "again")
