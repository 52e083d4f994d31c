"""Who may send which event, with which value, and what becomes of an event that is refused or comes too often?"""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator.base.errors import ConfigError
from simulator.driver.input_devices.keyboard import ACTIONS
from simulator.event_effects.kinds import COMMANDS, check
from simulator.events.event import Event, Origin, sent
from simulator.events.event_queue import CAPACITY, EventQueue
from simulator.host.event_script import read_script
from simulator.host.event_service import SERVICE_BUDGET, EventService
from simulator.host.window_keys import WindowKeys

DOCS = Path(__file__).parents[2] / "docs"


class Drive:
    """Drive that notes what events do."""

    def __init__(self):
        self.announced, self.ended, self.restarts = [], 0, 0
        self.session = SimpleNamespace(
            paused=False,
            platform_stopped=False,
            platform_state="off",
            tick=70,
            h=1e-3,
            time=0.07,
            waits=False,
            announce=self.announced.append,
        )

    def restart(self):
        self.restarts += 1

    def quit(self):
        self.ended += 1

    def show(self, text, seconds=None, holds=None):
        """Nothing."""


@pytest.fixture
def drive():
    return Drive()


@pytest.fixture
def said():
    return []


@pytest.fixture
def service(drive, said):
    return EventService(drive, said.append)


def test_an_event_takes_effect_at_a_tick_with_the_value_that_it_led_to(drive, service):
    for event in (
        sent("pause", Origin.WINDOW),
        sent("pause", Origin.DEVICE),
        Event("pause", False, Origin.SCRIPT),
        sent("reset", Origin.DEVICE),
    ):
        service.queue.put(event)
    assert drive.announced == []
    service.serve()
    assert drive.announced == [
        Event("pause", True, Origin.WINDOW, 70, 0.07),
        Event("pause", False, Origin.DEVICE, 70, 0.07),
        Event("reset", None, Origin.DEVICE, 70, 0.07),
        Event("pause", False, Origin.SCRIPT, 70, 0.07),
    ], "sender by sender"
    assert (drive.session.paused, drive.restarts) == (False, 1)
    service.serve()
    assert len(drive.announced) == 4


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Event("paus", None, Origin.WINDOW), r"expected a kind of event that the window may send .*hint: did you mean pause"),
        (Event("platform", "raise", Origin.SIGNAL), "a kind of event that the signal may send"),
        (Event("wait_over", 3, Origin.SCRIPT), "a kind of event that the script may send"),
        (Event("platform", "raise", Origin.CONSOLE), "a kind of event that the console may send"),
        (Event("acknowledge", None, Origin.WINDOW), "a kind of event that the window may send"),
        (Event("acknowledge", None, Origin.DEVICE), "a kind of event that the device may send"),
        (Event("quit", None, Origin.CONSOLE), "a kind of event that the console may send"),
        (Event("collision", None, Origin.SESSION), "a kind of event that the session may send"),
        (Event("reset", 1, Origin.SCRIPT), "no value"),
        (Event("pause", 1, Origin.SCRIPT), "true or false"),
        (Event("platform", "up", Origin.SCRIPT), "one of raise, park"),
        (Event("intensity", None, Origin.SCRIPT), "missing; expected a number"),
        (Event("intensity", 2.1, Origin.SCRIPT), "from 0 to 2"),
    ],
)
def test_what_may_not_be_sent_changes_nothing_and_is_named_once(drive, service, said, event, expected):
    with pytest.raises(ConfigError, match=expected):
        check(event)
    for _ in range(3):
        service.apply(event)
    assert len(said) == 1
    assert drive.announced == [] and not drive.session.paused


def test_a_flood_from_one_sender_is_dropped_and_counted_and_displaces_no_other(drive, service, said):
    for _ in range(CAPACITY + 9):
        service.queue.put(sent("camera", Origin.DEVICE))
    service.queue.put(Event("quit", "interrupted", Origin.SIGNAL))
    service.serve()
    assert drive.ended == 1
    assert service.accepted == {Origin.DEVICE: CAPACITY, Origin.SIGNAL: 1}
    assert service.queue.dropped == {Origin.DEVICE: 9}
    service.serve()
    assert len(said) == 1 and "events of device are dropped" in said[0]


def test_a_flood_of_slow_events_neither_delays_a_tick_nor_another_sender(drive, service):
    def restart():
        drive.restarts += 1
        end = time.thread_time() + 1.1 * SERVICE_BUDGET
        while time.thread_time() < end:
            pass

    drive.restart = restart
    for _ in range(20):
        service.queue.put(sent("reset", Origin.CONSOLE))
    service.queue.put(sent("quit", Origin.PORT))
    service.queue.put(sent("mute", Origin.CONSOLE))
    service.serve()
    assert (drive.restarts, drive.ended) == (1, 0), "the others wait for the next look"
    service.serve()
    assert (drive.restarts, drive.ended) == (2, 1)
    for _ in range(18):
        service.serve()
    assert drive.restarts == 20 and service.queue.dropped == {}


def test_the_queue_keeps_the_order_of_a_sender():
    queue = EventQueue()
    for name in ("pause", "reset", "pause"):
        queue.put(sent(name, Origin.WINDOW))
    assert [event.kind for event in queue.take()] == ["pause", "reset", "pause"]
    assert list(queue.take()) == []


def test_every_key_that_does_not_drive_is_an_event():
    lever = {"gear_up", "gear_down", "selector_up", "selector_down", "starter", "drive", "neutral", "reverse", "parking_brake"}
    assert set(ACTIONS.values()) - set(COMMANDS) == lever | {"low_range", "center_lock"}


def test_keys_act_in_a_drive_without_a_person_too():
    pressed = ["pause", "escape", "drive", "left"]
    keys = SimpleNamespace(taps=pressed.count)
    assert sorted(event.kind for event in WindowKeys(keys).events()) == ["pause", "quit"]
    assert {event.origin for event in WindowKeys(keys).events()} == {Origin.WINDOW}


def test_the_page_has_a_row_for_each_event():
    text = (DOCS / "events.md").read_text(encoding="utf-8")
    missing = [name for name in COMMANDS if f"`{name}`" not in text]
    assert missing == []


def test_a_script_sends_its_events_in_time(tmp_path):
    file = tmp_path / "script.yaml"
    file.write_text("- {at_s: 0.3, kind: reset}\n- {at_s: 0.1, kind: pause, value: true}\n")
    script = read_script(file)
    assert script.due(0.0999) == []
    assert script.due(0.1) == [Event("pause", True, Origin.SCRIPT)]
    assert script.due(5.0) == [Event("reset", None, Origin.SCRIPT)]
    assert script.due(6.0) == []


def test_every_mistake_of_a_script_is_a_line(tmp_path):
    file = tmp_path / "script.yaml"
    file.write_text("- {at_s: 1, kind: rest}\n- {at_s: 2, kind: intensity, value: 9}\n- {at_s: -1, kind: pause}\n- {kind: pause}\n")
    with pytest.raises(ConfigError) as error:
        read_script(file)
    lines = str(error.value).splitlines()
    assert [line.removeprefix(str(file)).split(": ")[:2] for line in lines] == [
        [":1", "[0].kind"],
        [":2", "[1].value"],
        [":3", "[2].at_s"],
        [":4", "[3].at_s"],
    ]
    file.write_text("reset")
    with pytest.raises(ConfigError, match="a list of events"):
        read_script(file)
