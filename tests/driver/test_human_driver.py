"""Does the device used last drive, is a lost device handled, and is every command valid for the vehicle?"""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.base.errors import DeviceError
from simulator.base.records import record
from simulator.driver.input_devices import human_driver, keyboard
from simulator.driver.input_devices.controls import Lever
from simulator.driver.input_devices.gamepad import Gamepad
from simulator.driver.input_devices.human_driver import HumanDriver, open_driver
from simulator.driver.input_devices.keyboard import STALE, Keyboard
from simulator.driver.input_devices.steering_wheel import Wheel
from simulator.view import shared_keys
from vehicles.command import COMMAND

G29 = ("Logitech G29 Driving Force Racing Wheel", 2, 4, 12, (0x046D, 0xC24F))


class Keys:
    """Keys held by nobody but the test; the window lives unless told otherwise."""

    def __init__(self):
        self.held, self.struck, self.lives, self._frames = set(), [], True, 0

    @property
    def frames(self):
        self._frames += self.lives
        return self._frames

    def down(self, key):
        return key in self.held

    def taps(self, key):
        count = self.struck.count(key)
        self.struck = [other for other in self.struck if other != key]
        return count


def names(driver):
    """Kinds of the events so far."""
    return [event.kind for event in driver.events()]


class Seat:
    """A driver with its clock."""

    def __init__(self, driver):
        self.driver, self.t, self.out = driver, 0.0, record(COMMAND)

    def run(self, seconds=0.01, speed=0.0):
        for _ in range(max(1, round(seconds / 0.01))):
            self.t += 0.01
            self.driver.read(self.t, speed, self.out)
        return self.out[0]


@pytest.fixture
def keys():
    return Keys()


@pytest.fixture
def auto(keys, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    driver = open_driver("auto", keys)
    yield Seat(driver)
    driver.close()


def test_hands_give_a_torque_where_the_steering_is_free(keys, keyboard_profile):
    """As large as the device is deflected, and to its side; elsewhere none."""
    angle, torque = (Seat(HumanDriver([Keyboard(keys, keyboard_profile)], gives_torque=gives)) for gives in (False, True))
    keys.held = {"left"}
    held, given = angle.run(2.0), torque.run(2.0)
    assert held["steering"] > 0.1 and held["steering_free"] == 0 and held["steering_torque"] == 0.0
    assert given["steering_free"] == 1 and given["steering_torque"] == pytest.approx(human_driver.HAND_TORQUE * given["steering"])


def test_keyboard_drives_shifts_and_asks(keys, keyboard_profile):
    seat = Seat(HumanDriver([Keyboard(keys, keyboard_profile)]))
    seat.run(1.0)
    keys.held = {"up", "left"}
    now = seat.run(1.2)  # full lock of the HMMWV: 780 deg at 720 deg/s
    assert (now["throttle"], now["steering"], now["selector"]) == (1.0, 1.0, 1)
    keys.held = {"left", "right", "down"}
    now = seat.run(1.2)
    assert (now["throttle"], now["steering"], now["brake"]) == (0.0, 0.0, 1.0)
    keys.struck = ["selector_down", "camera_2", "selector_down", "reset"]
    assert seat.run(0.5)["selector"] == -1
    assert sorted(names(seat.driver)) == ["camera_2", "reset"]
    assert seat.driver.events() == []


def test_space_is_a_hand_on_the_parking_brake_and_its_key_is_the_lever(keys, keyboard_profile):
    seat = Seat(HumanDriver([Keyboard(keys, keyboard_profile)]))
    keys.held = {"space"}
    assert seat.run()["parking_brake"] == 1.0
    keys.held = set()
    assert seat.run()["parking_brake"] == 0.0
    keys.struck = ["parking_brake"]
    seat.run()
    assert seat.run()["parking_brake"] == 1.0


def test_pause_works_while_time_stands_still(keys, keyboard_profile):
    driver = HumanDriver([Keyboard(keys, keyboard_profile)])
    out = record(COMMAND)
    keys.held = {"up", "left"}
    driver.read(1.0, 0.0, out)
    driver.read(1.1, 0.0, out)
    before = out.copy()
    keys.struck = ["pause"]
    driver.read(1.1, 0.0, out)
    assert names(driver) == ["pause"]
    assert out == before


def test_a_window_that_dies_with_the_throttle_down_does_not_keep_driving(keys, keyboard_profile):
    seat = Seat(HumanDriver([Keyboard(keys, keyboard_profile)]))
    keys.held = {"up", "left"}
    assert seat.run(1.0)["throttle"] == 1.0
    keys.lives = False
    now = seat.run(STALE + 0.02)
    assert now["throttle"] == 0.0
    now = seat.run(3.0)
    assert (now["steering"], now["brake"]) == (0.0, pytest.approx(human_driver.LOST_BRAKE))
    keys.lives = True
    assert seat.run(1.0)["throttle"] == 1.0, "a window that only hung goes on where it was"


def test_the_device_used_last_wins_and_the_steering_does_not_jump(auto, keys, plug):
    stick = plug(*G29)
    auto.run()
    assert auto.driver.active.__class__.__name__ == "Wheel", "a wheel first, as long as nobody touched anything"
    keys.held = {"up"}
    assert auto.run(0.7)["throttle"] == 1.0
    keys.held = set()
    auto.run(1.0)
    stick.axis(0, -0.8)
    last, steps = 0.0, []
    for _ in range(100):
        now = float(auto.run()["steering"])
        steps.append(abs(now - last))
        last = now
    assert last > 0.4
    assert max(steps[:20]) <= human_driver.TAKEOVER_RATE * 0.01 + 1e-12
    keys.struck = ["camera_2"]
    auto.run()
    assert auto.driver.active.__class__.__name__ == "Wheel", "looking around is not driving"
    keys.held = {"right"}
    auto.run(0.5)
    assert auto.driver.active.__class__.__name__ == "Keyboard"


def test_a_wheel_that_vanishes_in_a_bend(auto, plug):
    stick = plug(*G29)
    auto.run()
    for axis, value in ((0, -0.5), (2, 1.0), (2, -1.0)):
        stick.axis(axis, value)
        auto.run(1.0)
    before = auto.out[0].copy()
    assert before["throttle"] == 1.0 and before["steering"] > 0.2
    stick.unplug()
    now = auto.run(speed=16.0)
    assert now["throttle"] == 0.0, "throttle at once"
    assert now["steering"] == before["steering"], "steering holds"
    assert now["brake"] <= human_driver.LOST_BRAKE_RATE * 0.01 + 1e-12, "brake comes gently"
    now = auto.run(human_driver.HOLD + 0.1)
    assert 0.0 < now["steering"] < before["steering"], "then goes to the center"
    now = auto.run(3.0)
    assert (now["steering"], now["brake"], now["selector"]) == (0.0, pytest.approx(human_driver.LOST_BRAKE), 1)
    assert any("removed" in notice for notice in auto.driver.notices())


def test_the_keyboard_takes_over_from_a_lost_wheel(auto, keys, plug):
    stick = plug(*G29)
    auto.run()
    stick.axis(0, 0.5)
    auto.run()
    stick.unplug()
    auto.run(1.0)
    keys.held = {"up"}
    now = auto.run(0.7)
    assert now["throttle"] == 1.0 and now["brake"] == 0.0


def test_selector_and_parking_brake_outlive_a_change_of_device(auto, keys, plug):
    stick = plug(*G29)
    auto.run()
    keys.struck = ["parking_brake"]
    auto.run()
    stick.axis(0, 0.5)
    assert auto.run()["parking_brake"] == 1.0
    stick.tap(5)
    assert auto.run()["selector"] == 0


def test_a_missing_requested_wheel_keeps_the_vehicle_braked(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    driver = open_driver("wheel")
    try:
        now = Seat(driver).run(1.0)
        assert (now["throttle"], now["brake"]) == (0.0, pytest.approx(human_driver.LOST_BRAKE))
    finally:
        driver.close()


def test_keyboard_without_a_window_is_an_error():
    with pytest.raises(DeviceError, match="keyboard"):
        open_driver("keyboard")


anything = st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(anything, anything, st.sets(st.sampled_from(["left", "right", "up", "down", "space"]))), max_size=20))
def test_whatever_time_and_speed_are_the_command_is_fit(keyboard_profile, story):
    keys = Keys()
    driver = HumanDriver([Keyboard(keys, keyboard_profile)])
    out = record(COMMAND)
    for t, speed, keys.held in story:
        keys.struck = ["reverse", "parking_brake"]
        driver.read(t, speed, out)
        now = out[0]
        assert -1.0 <= now["steering"] <= 1.0
        assert all(0.0 <= now[name] <= 1.0 for name in ("throttle", "brake", "parking_brake"))
        assert now["selector"] in (-1, 0, 1)
        assert all(math.isfinite(now[name]) for name in out.dtype.names)


def test_the_windows_keys_are_the_drivers_keys(keyboard_profile):
    """Through the shared memory that the window really writes."""
    reader = shared_keys.KeyReader()
    writer = shared_keys.KeyWriter(reader.name)
    try:
        assert {*keyboard.ACTIONS, *keyboard._DRIVING, "horn"} == set(shared_keys.KEYS)
        seat = Seat(HumanDriver([Keyboard(reader, keyboard_profile)]))
        writer.set("up", True)
        writer.set("camera_2", True)
        writer.set("camera_2", False)
        for _ in range(100):
            writer.beat()
            now = seat.run()
        assert now["throttle"] == 1.0
        assert names(seat.driver) == ["camera_2"], "a tap between two reads is not missed"
    finally:
        del seat
        writer.close()
        reader.close()


def test_the_key_for_upright_is_an_event(keyboard_profile):
    reader = shared_keys.KeyReader()
    writer = shared_keys.KeyWriter(reader.name)
    driver = HumanDriver([Keyboard(reader, keyboard_profile)])
    out = record(COMMAND)
    writer.beat()
    writer.set("upright", True)
    driver.read(0.0, 0.0, out)
    assert names(driver) == ["upright"] and driver.events() == []
    del driver
    writer.close(closed_by_user=False)
    reader.close()


def seat_with(source, lever, reverse_by_brake=None):
    return Seat(HumanDriver([source], lever=lever, reverse_by_brake=reverse_by_brake))


def pedals(now):
    return int(now["selector"]), float(now["throttle"]), float(now["brake"])


def test_the_brake_at_rest_drives_backwards_and_the_throttle_forward_again(keys, keyboard_profile):
    lever = Lever()
    seat = seat_with(Keyboard(keys, keyboard_profile, lever), lever)
    keys.held = {"down"}
    assert pedals(seat.run(2.0, speed=8.0)) == (1, 0.0, 1.0), "it brakes"
    assert pedals(seat.run(0.3)) == (1, 0.0, 1.0), "a stop is no reversal"
    assert seat.run(0.2)["selector"] == -1 and seat.out[0]["throttle"] < 0.3, "no jump of the torque"
    assert pedals(seat.run(1.0, speed=-2.0)) == (-1, 1.0, 0.0)
    keys.held = {"up"}
    assert pedals(seat.run(1.0, speed=-2.0)) == (-1, 0.0, 1.0), "it brakes"
    assert seat.run(0.3)["selector"] == -1
    assert seat.run(0.2)["selector"] == 1
    assert pedals(seat.run(1.0, speed=3.0)) == (1, 1.0, 0.0)


@pytest.mark.parametrize(("held", "struck", "speed"), [({"down", "up"}, [], 0.0), ({"down"}, ["neutral"], 0.0), ({"down"}, [], 0.5)])
def test_the_brake_holds_where_nothing_asks_for_reverse(keys, keyboard_profile, held, struck, speed):
    """Both pedals, neutral, and a vehicle that still rolls."""
    lever = Lever()
    seat = seat_with(Keyboard(keys, keyboard_profile, lever), lever)
    keys.held, keys.struck = held, struck
    now = seat.run(3.0, speed)
    assert now["selector"] >= 0 and now["brake"] == 1.0


def test_reverse_by_the_lever_leaves_the_pedals(keys, keyboard_profile):
    lever = Lever()
    seat = seat_with(Keyboard(keys, keyboard_profile, lever), lever)
    keys.struck = ["reverse"]
    keys.held = {"down"}
    assert pedals(seat.run(3.0)) == (-1, 0.0, 1.0)
    keys.held = {"up"}
    assert pedals(seat.run(3.0)) == (-1, 1.0, 0.0)


def test_the_lever_ends_a_reversal_by_the_brake(keys, keyboard_profile):
    lever = Lever()
    seat = seat_with(Keyboard(keys, keyboard_profile, lever), lever)
    keys.held = {"down"}
    assert seat.run(1.0)["selector"] == -1
    keys.struck = ["drive"]
    assert pedals(seat.run(0.1)) == (1, 0.0, 1.0)


def test_a_wheel_and_the_session_key_leave_the_brake_alone(keys, keyboard_profile):
    assert not getattr(Wheel, "reverses_by_brake", False) and Gamepad.reverses_by_brake
    lever = Lever()
    seat = seat_with(Keyboard(keys, keyboard_profile, lever), lever, reverse_by_brake=False)
    keys.held = {"down"}
    assert pedals(seat.run(3.0)) == (1, 0.0, 1.0)


@pytest.mark.parametrize("how", ["lever", "brake"])
def test_a_reset_selects_drive(keys, keyboard_profile, how):
    """Also while the brake and the throttle have changed roles."""
    lever = Lever()
    seat = seat_with(Keyboard(keys, keyboard_profile, lever), lever)
    keys.held, keys.struck = ({"down"}, []) if how == "brake" else (set(), ["reverse", "gear_up"])
    assert seat.run(2.0)["selector"] == -1
    seat.driver.begin()
    keys.held = {"up"}
    assert pedals(seat.run(1.0)) == (1, 1.0, 0.0)
    assert lever.gear == 0
