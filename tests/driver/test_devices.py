"""Are wheels and game controllers found, lost, read rightly, and never trusted too early? With SDL's virtual joysticks."""

import math
import signal
import subprocess
import sys

import pytest
from virtual_stick import GAMEPAD

from simulator.base.records import record
from simulator.driver.input_devices.controls import Lever
from simulator.driver.input_devices.device_profiles import read_profile
from simulator.driver.input_devices.devices import Device
from simulator.driver.input_devices.gamepad import Gamepad
from simulator.driver.input_devices.steering_wheel import Wheel
from vehicles.command import COMMAND

RANGE = math.radians(900.0)
G29 = ("Logitech G29 Driving Force Racing Wheel", 2, 4, 12, (0x046D, 0xC24F))


def command(driver, hub, t=0.0, speed=0.0):
    out = record(COMMAND)
    hub.poll()
    driver.read(t, speed, out)
    return out[0]


def test_a_wheel_plugged_in_later_drives(hub, plug):
    wheel = Wheel(hub, RANGE)
    assert command(wheel, hub)["throttle"] == 0.0 and not wheel.connected
    stick = plug(*G29)
    command(wheel, hub)
    assert wheel.connected
    assert any("profile Logitech" in notice for notice in hub.notices)
    stick.axis(0, -0.5)
    assert command(wheel, hub)["steering"] == pytest.approx(0.5, abs=1e-4), "left is positive"
    stick.axis(0, 1.0)
    assert command(wheel, hub)["steering"] == pytest.approx(-1.0)


def test_a_pedal_counts_only_after_it_has_moved(hub, plug):
    """SDL says 0.0 at first, half way between released (1) and pressed (-1)."""
    wheel = Wheel(hub, RANGE)
    stick = plug(*G29)
    for _ in range(5):
        now = command(wheel, hub)
        assert (now["throttle"], now["brake"]) == (0.0, 0.0)
    stick.axis(0, 0.3)
    assert command(wheel, hub)["throttle"] == 0.0, "another axis moving says nothing about the pedal"
    stick.axis(2, 0.005)
    assert command(wheel, hub)["throttle"] == 0.0, "noise is not movement"
    stick.axis(2, 1.0)
    assert command(wheel, hub)["throttle"] == 0.0, "released"
    stick.axis(2, 0.0)
    assert command(wheel, hub)["throttle"] == pytest.approx(0.5, abs=0.02), "inverted pedal, now known, half way"
    stick.axis(2, -1.0)
    now = command(wheel, hub)
    assert now["throttle"] == 1.0 and now["brake"] == 0.0


def test_game_controller_stick_and_triggers(hub, plug):
    pad = Gamepad(hub)
    stick = plug("Virtual pad", GAMEPAD, 6, 15)
    now = command(pad, hub)
    assert pad.connected and now["throttle"] == 0.0
    stick.axis(5, 1.0)
    stick.axis(4, 0.0)
    stick.axis(0, -1.0)
    for i in range(100):
        now = command(pad, hub, t=i * 0.01)
    assert now["throttle"] == pytest.approx(1.0)
    assert now["brake"] == pytest.approx(0.5, abs=0.02)
    assert now["steering"] == pytest.approx(1.0)
    for i in range(100, 200):
        now = command(pad, hub, t=i * 0.01, speed=25.0)
    assert 0.0 < now["steering"] < 0.1, "full stick at 90 km/h is a mild bend"


def test_buttons_work_the_lever_once_per_press_and_are_not_missed_between_polls(hub, plug):
    pad = Gamepad(hub)
    stick = plug("Virtual pad", GAMEPAD, 6, 15)
    command(pad, hub)
    stick.tap(9)
    assert command(pad, hub)["selector"] == 0
    stick.button(9)
    assert command(pad, hub, t=0.01)["selector"] == -1
    assert command(pad, hub, t=0.02)["selector"] == -1, "held down is one press"
    stick.tap(4)
    command(pad, hub)
    assert pad.events == ["reset"]
    stick.tap(1)
    assert command(pad, hub)["parking_brake"] == 1.0
    stick.tap(1)
    assert command(pad, hub)["parking_brake"] == 0.0


def test_buttons_of_a_game_controller_act_on_a_menu(hub, plug):
    """They are keys of the menu; while it is open, they do nothing else."""
    pad, stick = Gamepad(hub), plug("Virtual pad", GAMEPAD, 6, 15)
    command(pad, hub)
    for number, key in ((6, "MENU"), (11, "UP"), (12, "DOWN"), (13, "LEFT"), (14, "RIGHT"), (0, "ENTER"), (1, "ESCAPE")):
        hub.in_menu = number != 6
        stick.tap(number)
        now = command(pad, hub)
        assert hub.menu_keys == [key] and pad.events == [] and now["parking_brake"] == 0.0
    command(pad, hub)
    assert hub.menu_keys == []


def test_the_hat_of_a_wheel_is_four_buttons(hub, plug):
    plug(*G29)
    hub.poll()
    (device,) = hub.devices.values()
    found = []
    for x, y in ((0, 1), (0, 1), (0, 0), (-1, -1), (0, -1), (1, 0)):
        device.note_hat(x, y)
        device.refresh(1)
        found.append(device.menu_keys)
    assert found == [["UP"], [], [], ["DOWN", "LEFT"], [], ["RIGHT"]]


def test_shifting_against_the_direction_of_travel_is_refused(hub, plug):
    pad = Gamepad(hub)
    stick = plug("Virtual pad", GAMEPAD, 6, 15)
    command(pad, hub)
    stick.tap(9)
    assert command(pad, hub, speed=15.0)["selector"] == 0
    stick.tap(9)
    assert command(pad, hub, speed=15.0)["selector"] == 0
    assert pad.events == ["shift_refused"]


def test_removal_and_return(hub, plug):
    wheel = Wheel(hub, RANGE)
    stick = plug(*G29)
    command(wheel, hub)
    stick.axis(2, 1.0)
    stick.axis(2, -1.0)
    command(wheel, hub)
    stick.unplug()
    now = command(wheel, hub)
    assert not wheel.connected and now["throttle"] == 0.0
    assert any("removed" in notice for notice in hub.notices)
    again = plug(*G29)
    assert command(wheel, hub)["throttle"] == 0.0 and wheel.connected
    again.axis(2, 1.0)
    command(wheel, hub)
    again.axis(2, -1.0)
    assert command(wheel, hub)["throttle"] == 1.0


def test_wheel_and_pedals_as_two_devices(hub, plug, profiles):
    data = {
        "name": "Pedals",
        "kind": "pedals",
        "verified": False,
        "source": "test",
        "match": {"names": ["Loose pedals"]},
        "throttle": {"axis": 0, "released": 0.0, "pressed": -1.0},
        "brake": {"axis": 0, "released": 0.0, "pressed": 1.0},
    }
    hub.profiles = [read_profile(data, "pedals.yaml"), *profiles]
    wheel = Wheel(hub, RANGE)
    plug(*G29).axis(0, -0.25)
    pedals = plug("Loose pedals", 2, 3, 0)
    command(wheel, hub)
    pedals.axis(0, -1.0)
    assert command(wheel, hub)["throttle"] == pytest.approx(1.0)
    pedals.axis(0, 0.5)
    now = command(wheel, hub)
    assert (now["throttle"], now["brake"]) == (0.0, pytest.approx(0.5, abs=0.02)), "combined pedals share one axis"
    assert not any(device.profile is None for device in hub.devices.values())


def test_a_device_with_too_few_axes_for_its_profile_is_left_alone(hub, plug):
    plug("Cheap racing wheel", 2, 2, 4)
    wheel = Wheel(hub, RANGE)
    assert command(wheel, hub)["steering"] == 0.0
    assert not wheel.connected
    assert any("too few" in notice for notice in hub.notices)


def test_an_unknown_joystick_does_not_drive(hub, plug):
    stick = plug("Flight stick", 2, 4, 4)
    hub.poll()
    stick.axis(0, 1.0)
    stick.axis(2, -1.0)
    wheel = Wheel(hub, RANGE)
    now = command(wheel, hub)
    assert (now["steering"], now["throttle"]) == (0.0, 0.0)
    assert any("--calibrate" in notice for notice in hub.notices)


class BrokenHandle:
    """A device whose driver gives nonsense."""

    name, guid, instance, axis_count, is_gamepad = "Broken", "0" * 32, 77, 4, False

    def __init__(self):
        self.values = [0.0] * 4

    def axis(self, key):
        value = self.values[key]
        if isinstance(value, Exception):
            raise value
        return value

    def number(self, key):
        return key


@pytest.mark.parametrize("nonsense", [math.nan, math.inf, -math.inf, 7.0, RuntimeError("gone")])
def test_nonsense_from_a_device_is_counted_and_the_last_good_value_stays(hub, profiles, nonsense):
    handle = BrokenHandle()
    device = Device(handle, next(profile for profile in profiles if "G29" in profile.name))
    hub.devices[77] = device
    wheel = Wheel(hub, RANGE)
    for axis, value in ((0, -0.4), (2, -1.0)):
        device.note_motion(axis, 0.0)
        device.note_motion(axis, value)
        handle.values[axis] = value
    assert command(wheel, hub)["steering"] == pytest.approx(0.4)
    handle.values[0] = nonsense
    now = command(wheel, hub)
    assert now["steering"] == pytest.approx(0.4) and now["throttle"] == 1.0
    assert command(wheel, hub)["steering"] == pytest.approx(0.4)
    assert device.faults == 2
    assert sum("ignored" in notice for notice in hub.notices) == 1, "told once"


def test_an_sdl_error_inside_poll_does_not_reach_the_tick(hub, monkeypatch):
    error = hub._pygame.error("video system not initialized")

    def fail():
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(hub._pygame.event, "get", fail)
        hub.poll()
        hub.poll()
    assert hub.faults == 2 and sum("video system" in notice for notice in hub.notices) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM on Windows")
def test_sdl_leaves_the_signals_to_the_program():
    program = (
        "import os, signal, time\n"
        "from simulator.driver.input_devices.devices import DeviceHub\n"
        "hub = DeviceHub([])\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
        "for _ in range(100): hub.poll(); time.sleep(0.01)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == -signal.SIGTERM


def test_a_manual_transmission_gets_the_clutch_pedal_and_the_h_pattern(hub, profiles):
    handle = BrokenHandle()
    device = Device(handle, next(profile for profile in profiles if "G29" in profile.name))
    hub.devices[77] = device
    manual, automatic = Wheel(hub, RANGE, Lever(5)), Wheel(hub, RANGE)
    untouched = command(manual, hub)
    assert (untouched["manual_clutch"], untouched["selector"]) == (0, 0), "the pattern is in neutral"
    device.note_motion(1, 1.0)
    device.note_motion(1, -0.5)
    handle.values[1] = -0.5
    device.note_button(14)
    now = command(manual, hub)
    assert (now["manual_clutch"], now["selector"], now["gear"]) == (1, 1, 3) and now["clutch"] == pytest.approx(0.745, abs=0.01)
    now = command(automatic, hub)
    assert (now["manual_clutch"], now["clutch"], now["selector"], now["gear"]) == (0, 0.0, 1, 0)
    device.note_release(14)
    device.note_button(18)
    assert command(manual, hub)["selector"] == -1


def test_the_lever_counts_gears_and_turns_the_key():
    lever, out = Lever(5), record(COMMAND)
    for action in (*("gear_up",) * 7, "gear_down", "starter"):
        assert lever.take(action, 0.0) is None
    lever.write(out)
    assert (out[0]["gear"], out[0]["starter"]) == (4, 1)
