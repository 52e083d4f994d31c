"""Do volume and steering speed of the settings reach a drive, at its start and when the user changes them?"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from simulator.base.records import record
from simulator.driver.input_devices.device_profiles import load_profiles, shipped_profiles_folder
from simulator.driver.input_devices.human_driver import HumanDriver
from simulator.driver.input_devices.keyboard import Keyboard
from simulator.events.event import Event, Origin
from simulator.host.human_controls import HumanControls
from simulator.outlets.view import ViewOutlet
from simulator.view.shared_keys import KeyReader, KeyWriter
from vehicles.command import COMMAND


@pytest.fixture
def drive():
    """Controls of a person at the keyboard, and the keys of their window."""
    reader = KeyReader()
    writer = KeyWriter(reader.name)
    window = ViewOutlet(8)
    view = SimpleNamespace(window=window, keys=reader)
    controls = HumanControls(SimpleNamespace(say=print, troubles=[]), view)
    controls.driver = HumanDriver([Keyboard(reader, load_profiles((shipped_profiles_folder(),))[1])])
    yield controls, writer, window
    window.close()
    writer.close()
    reader.close()


def steering_after(controls, writer, seconds) -> float:
    out = record(COMMAND)
    writer.set("left", True)
    for tick in range(round(seconds * 100)):
        writer.beat()
        controls.driver.read(0.01 * tick, 0.0, out)
    writer.set("left", False)
    return float(out[0]["steering"])


def test_a_changed_volume_is_one_event_and_other_changes_are_none(drive):
    controls, writer, window = drive
    window.extras[0]["volume"] = 0.2
    assert controls.events() == []
    writer.note_settings(0.2, 1.0)
    assert controls.events() == [], "the volume of the command line stays when another setting changes"
    writer.note_settings(0.6, 1.0)
    (event,) = controls.events()
    assert (event.kind, event.value, event.origin) == ("volume", 0.6, Origin.WINDOW)
    assert controls.events() == []


def test_steering_speed_changes_the_time_to_full_lock(drive):
    controls, writer, _ = drive
    usual = steering_after(controls, writer, 0.21)
    for factor in (2.0, 0.5):
        controls.driver = HumanDriver([Keyboard(controls._view.keys, controls.driver.sources[0].profile)])
        writer.note_settings(0.0, factor)
        controls.events()
        assert steering_after(controls, writer, 0.21) == pytest.approx(factor * usual, rel=0.06)


def test_a_window_that_has_lost_the_keys_changes_nothing(drive):
    controls, writer, _ = drive
    other = KeyWriter(controls._view.keys.name)
    writer.note_settings(0.9, 2.0)
    assert controls.events() == [] and controls.driver.sources[0].steering_speed == 1.0
    other.close()


def test_the_window_knows_the_volume_of_the_drive(drive):
    _, _, window = drive
    window.hear(None, Event("volume", 0.7, Origin.DEVICE))
    assert window.extras[0]["volume"] == 0.7
