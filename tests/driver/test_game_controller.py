"""Does a game controller have the actions of the keyboard, are combinations of buttons read, and is a missing controller refused?"""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from virtual_stick import GAMEPAD

from simulator.base.errors import ConfigError, DeviceError
from simulator.base.records import record
from simulator.cli.main import main
from simulator.driver.input_devices import human_driver
from simulator.driver.input_devices.device_profiles import MENU_KEYS, PAD_BUTTONS, Action, parts_of, read_profile
from simulator.driver.input_devices.devices import Device
from simulator.driver.input_devices.gamepad import Gamepad
from simulator.driver.input_devices.human_driver import HumanDriver, need_device
from simulator.driver.input_devices.keyboard import ACTIONS as KEYBOARD_ACTIONS
from simulator.event_effects.kinds import COMMANDS
from simulator.events.event import Event, Origin
from simulator.outlets.view import ViewOutlet
from simulator.view.camera_names import CAMERA_EVENTS
from simulator.view.key_bindings import ACTIONS
from simulator.view.shared_state import MENU_PRESSES, WINDOW_ACTIONS
from vehicles.command import COMMAND

REACHED_OTHERWISE = {
    *("drive", "neutral", "reverse"),  # selector_up, selector_down
    *CAMERA_EVENTS[1:],  # camera, of the list of the user
    *("washout_next", "washout_up", "washout_down", "motion_chart"),  # for an operator at the keyboard
    *("acc", "limiter", "lane_keeping", "set_speed_up", "set_speed_down"),  # of cars with assistance; all buttons have actions
    *("turn_signal_left", "turn_signal_right", "hazard_lights"),  # a profile of a wheel with more buttons may have them
}
"""Actions of keys without a button in the shipped profile; a profile of the user may have them."""


@pytest.fixture
def pad_profile(profiles):
    (profile,) = [profile for profile in profiles if profile.kind == "gamepad"]
    return profile


@pytest.fixture
def pad(hub, plug):
    """A game controller and its input source."""
    stick, source = plug("Virtual pad", GAMEPAD, 6, 15), Gamepad(hub)
    read(source, hub)
    return stick, source


def read(source, hub, t=0.0):
    out = record(COMMAND)
    hub.poll()
    source.read(t, 0.0, out)
    return out[0]


def number(name: str) -> int:
    return PAD_BUTTONS.index(name)


def actions_of_keys() -> set[str]:
    """Actions of the keyboard by their names in profiles."""
    names = {KEYBOARD_ACTIONS.get(action.sent, action.name) for action in ACTIONS}
    return names - {"steer_left", "steer_right", "throttle", "brake", "full_screen", "look_left", "look_right", "look_back"}


def test_every_action_of_the_keyboard_is_an_action_of_profiles_and_on_the_controller(pad_profile):
    assert actions_of_keys() <= set(get_args(Action))
    assert actions_of_keys() - set(pad_profile.buttons) == REACHED_OTHERWISE


def test_no_button_has_two_actions(pad_profile):
    """A button may act on a menu and have another action outside of one."""
    count = Counter(key for action, keys in pad_profile.buttons.items() if not action.startswith("menu_") for key in keys)
    assert max(count.values()) == 1
    modifiers = {part for key in count for part in parts_of(key)[:-1]}
    assert not modifiers & set(count), "a button that is held for others has no action of its own"


def test_every_button_of_the_shipped_profile_has_its_effect(hub, pad, pad_profile):
    stick, source = pad
    for action, keys in pad_profile.buttons.items():
        *held, last = [number(part) for part in parts_of(keys[0])]
        for button in held:
            stick.button(button)
        read(source, hub)
        stick.button(last)
        source.lever.parking_brake = 0.0
        before = source.lever.__dict__.copy()
        now = read(source, hub)
        device = source.device
        if action in MENU_KEYS:
            assert MENU_KEYS[action] in hub.menu_keys
        elif action in WINDOW_ACTIONS and action not in COMMANDS:
            assert hub.menu_keys == [action]
        elif action == "horn":
            assert device.holds("horn") and source.events == []
        elif action == "hold_parking_brake":
            assert now["parking_brake"] == 1.0 and source.lever.parking_brake == 0.0
        elif action in COMMANDS:
            assert source.events == [action]
        else:
            assert source.lever.__dict__ != before or action in ("selector_up", "gear_down"), action  # which are at their end
        for button in (last, *held):
            stick.button(button, False)
        now = read(source, hub)
        assert not device.holds("horn") and now["parking_brake"] == source.lever.parking_brake
        source.events.clear()


def test_a_combination_does_not_trigger_the_button_alone(hub, pad):
    stick, source = pad
    read(source, hub)
    stick.tap(number("dpup"))
    read(source, hub)
    assert source.lever.gear == 1 and source.events == []
    stick.button(number("x"))
    read(source, hub)
    stick.tap(number("dpup"))
    read(source, hub)
    assert source.lever.gear == 1 and source.events == ["intensity_up"]
    stick.button(number("x"), False)
    read(source, hub)
    stick.tap(number("dpup"))
    read(source, hub)
    assert source.lever.gear == 2 and source.events == ["intensity_up"]


def test_a_button_that_has_chosen_a_row_of_a_menu_does_not_brake(hub, pad):
    stick, source = pad
    hub.in_menu = True
    stick.button(number("a"))
    assert read(source, hub)["parking_brake"] == 0.0 and hub.menu_keys == ["ENTER"]
    hub.in_menu = False
    assert read(source, hub)["parking_brake"] == 0.0, "it is still down"
    stick.button(number("a"), False)
    read(source, hub)
    stick.button(number("a"))
    assert read(source, hub)["parking_brake"] == 1.0


def test_the_right_stick_turns_the_view_and_does_not_drive(hub, pad):
    stick, source = pad
    driver = HumanDriver([source], hub)
    out = record(COMMAND)
    assert driver.look() == (0.0, 0.0)
    for x, y in ((0.02, 0.0), (-1.0, -1.0)):
        stick.axis(2, x)
        stick.axis(3, y)
        driver.read(0.0, 0.0, out)
        assert not source.used and out[0]["steering"] == 0.0
    assert driver.look() == pytest.approx((1.0, 1.0), abs=1e-3), "left and up"
    stick.axis(2, 0.1)
    stick.axis(3, 0.1)
    driver.read(0.0, 0.0, out)
    assert driver.look() == (0.0, 0.0), "inside the dead zone"


class Handle:
    name, guid, instance, axis_count, is_gamepad = "Wheel", "", 1, 3, False

    def number(self, key):
        return key


def wheel_with(buttons):
    data = {
        "name": "W", "kind": "wheel", "verified": False, "source": "test", "match": {"any_wheel": True},
        "steering": {"axis": 0}, "throttle": {"axis": 1, "released": 1.0, "pressed": -1.0}, "buttons": buttons,
    }  # fmt: skip
    return read_profile(data, "wheel.yaml")


def test_combinations_of_a_wheel_with_numbers_and_hat():
    device = Device(Handle(), wheel_with({"pause": ["3+hat_up"], "reset": [3], "upright": ["hat_up"], "camera": ["3+4+5"]}))
    for name, pressed in (("reset", 3), ("pause", "hat_up"), (None, 4), ("camera", 5)):
        device.note_button(pressed)
        device.refresh(1)
        assert device.actions == ([name] if name else [])


@pytest.mark.parametrize("button", ["x+dpup", "3+", "+3", "3+left"])
def test_a_combination_of_unknown_buttons_is_refused(button):
    with pytest.raises(ConfigError, match=r"buttons\.pause"):
        wheel_with({"pause": [button]})


@pytest.mark.parametrize("origin, presses", [(Origin.DEVICE, 1), (Origin.WINDOW, 0)])
@pytest.mark.parametrize("camera", ["camera", "camera_2"])
def test_a_device_changes_the_camera_of_the_window(origin, presses, camera):
    outlet = ViewOutlet(8)
    try:
        outlet.hear(None, Event(camera, None, origin))
        assert outlet.extras[0]["menu_presses"][MENU_PRESSES.index(camera)] == presses
    finally:
        outlet.close()


@pytest.fixture
def one_hub(hub, monkeypatch):
    monkeypatch.setattr(human_driver, "DeviceHub", lambda profiles: hub)
    monkeypatch.setattr(hub, "close", lambda: None)


@pytest.mark.parametrize("name", ["gamepad", "wheel"])
def test_a_requested_device_that_is_missing_is_refused_with_the_devices(name, one_hub, hub, plug, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":1")
    plug("Bench box", 2, 2, 4, (0x1234, 0x5678))
    hub.poll()
    assert main(["drive", "--driver", name, "--out", str(tmp_path / "out")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"jounce: driver {name}: no such device found; expected a connected ")
    assert "got Bench box (no profile)" in line and not (tmp_path / "out").exists()


def test_without_any_device_the_line_says_so(one_hub):
    with pytest.raises(DeviceError, match="got no devices; hint: "):
        need_device("gamepad")


def test_a_connected_device_is_accepted_and_other_drivers_need_none(one_hub, pad, hub):
    hub.poll()
    for name in ("gamepad", "keyboard", "auto", "scripted", "no_such_driver"):
        need_device(name)
    with pytest.raises(DeviceError, match=r"got Virtual pad \(gamepad\)"):
        need_device("wheel")
