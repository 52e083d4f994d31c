"""Does a stop of the operator hold the platform until it is acknowledged, and does a rerun repeat it to the same bits?"""

from __future__ import annotations

import numpy as np
import pytest
from test_failing_parts import Drive
from test_rerun_with_events import again, events_in, script
from unpaced import assert_within_limits

from simulator.events.event import Event, Origin
from simulator.events.event_queue import CAPACITY
from simulator.host.drive_console import ConsoleOptions
from simulator.run.rerun import differences
from washout.platform_procedure import PLATFORM_STATES

STOP, ACKNOWLEDGE = 6.0, 8.0
"""s of the drive."""
LOG_STEP = 0.01
"""s between two rows of the log."""


@pytest.fixture
def drive(tmp_path, monkeypatch):
    drive = Drive(tmp_path, monkeypatch, seconds=60.0)
    drive.change("outlets.motion.wait", True)
    return drive


def legs_of(columns):
    return np.column_stack([columns[f"platform_legs_{n}"] for n in range(6)])


def test_a_stop_holds_the_platform_until_the_acknowledgment_and_comes_again(drive, tmp_path):
    drive.host.options.script = script(
        (STOP, "stop", None),
        (6.5, "pause", False),  # refused, as all that would move something
        (6.6, "platform", "raise"),
        (6.7, "pause", None),
        (6.8, "reset", None),
        (7.0, "acknowledge", None),
        (7.5, "stop", None),
        (ACKNOWLEDGE, "acknowledge", None),
        (12.0, "platform", "raise"),
        (12.5, "pause", False),
        (20.0, "quit", None),
    )
    drive.host.messages.say = (said := []).append
    assert drive.run() == 0, drive.lines
    assert_within_limits(drive.host.session, drive.legs)
    columns, repeated = again(drive, tmp_path)
    legs, state = legs_of(columns), columns["platform_state"]
    speed = np.abs(np.diff(legs, axis=0)).max(axis=1) / LOG_STEP
    at = round(STOP / LOG_STEP)
    assert speed[at - 10 : at].max() > 1e-3, "the platform moves before the stop"
    assert speed[at + 30 : at + 95].max() == 0.0, "at rest after less than 0.3 s, until the acknowledgment"
    assert columns["paused"][at + 5 : round(12.4 / LOG_STEP)].all()
    assert set(state[at + 5 : at + 95].tolist()) == {PLATFORM_STATES.index("stopped")}
    assert sum("the platform is stopped by the operator" in line for line in said) == 2
    assert sum("the platform is no longer stopped" in line for line in said) == 2
    assert not {4, 5} & set(state[round(ACKNOWLEDGE / LOG_STEP) : round(12.0 / LOG_STEP)].tolist()), (
        "it does not follow the vehicle without a new order"
    )
    assert 4 in state[round(12.5 / LOG_STEP) :], "the driver has raised it: it follows the vehicle"
    assert differences(columns, repeated) == []
    kinds = [(event.kind, event.value) for event in events_in(drive.folder) if event.origin == "script"]
    assert kinds == [
        ("stop", None),
        ("reset", None),
        ("acknowledge", None),
        ("stop", None),
        ("acknowledge", None),
        ("platform", "raise"),
        ("pause", False),
        ("quit", None),
    ]
    assert events_in(drive.folder) == events_in(tmp_path / "again")


def test_a_stopped_platform_keeps_its_pose_at_the_end_of_the_drive(drive):
    drive.host.options.script = script((STOP, "stop", None), (7.0, "quit", None))
    assert drive.run() == 0, drive.lines
    assert_within_limits(drive.host.session, drive.legs)
    held = np.array(drive.legs[-200:])
    assert np.ptp(held, axis=0).max() == 0.0
    height = float(drive.host.session.cueing.platform[0]["park_height"])
    assert drive.host.session.cueing.pose[2] > height + 0.05, "it has not parked"


def test_an_acknowledgment_without_a_stop_is_refused(drive):
    drive.host.options.script = script((0.5, "acknowledge", None), (1.0, "quit", None))
    assert drive.run() == 0, drive.lines
    assert [event.kind for event in events_in(drive.folder) if event.origin == "script"] == ["quit"]


def test_a_stop_arrives_whatever_else_a_page_sends(drive):
    drive.host.options.script = script((7.0, "quit", None))
    drive.host.options.console = ConsoleOptions(port=0)
    console, queue = drive.host.console, drive.host.events.queue
    look, looks = console.look, []

    def look_after_a_flood(session):
        looks.append(session.tick)
        if len(looks) == 500:
            for _ in range(CAPACITY + 1):
                queue.put(Event("note", "more", Origin.CONSOLE))
            console.outlet.block.add("stops")
        look(session)

    console.look = look_after_a_flood
    assert drive.run() == 0, drive.lines
    assert drive.host.session.platform_stopped
    assert [event.kind for event in events_in(drive.folder) if event.origin == "console"] == ["stop"] + ["note"] * CAPACITY


def test_a_platform_that_parks_at_the_end_may_be_stopped(drive):
    drive.host.options.script = script((1.0, "reset", None), (2.0, "quit", None))

    def look(session):
        """A page stops the platform on its way down, and sends something else."""
        if session.cueing.procedure.state == "park" and session.cueing.pose[2] < -0.03 and not session.platform_stopped:
            for kind in ("reset", "stop"):
                drive.host.events.queue.put(Event(kind, None, Origin.CONSOLE))

    drive.host.console.look = look
    assert drive.run() == 0, drive.lines
    assert_within_limits(drive.host.session, drive.legs)
    assert np.ptp(np.array(drive.legs[-200:]), axis=0).max() == 0.0
    height = float(drive.host.session.cueing.platform[0]["park_height"])
    assert height + 0.02 < drive.host.session.cueing.pose[2] < -0.03
    assert [event.kind for event in events_in(drive.folder) if event.origin == "console"] == ["stop"]
