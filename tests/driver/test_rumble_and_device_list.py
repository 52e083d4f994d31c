"""Do the motors of a game controller follow road, shocks and slip, and does `jounce devices --force-feedback` list and test the devices?"""

import argparse
import json
import math
from types import SimpleNamespace

import pytest
from force_device import G29, PAD, FakeSystem
from virtual_stick import GAMEPAD

from simulator.base.errors import DeviceError
from simulator.base.records import record
from simulator.driver.force_feedback import command as listing
from simulator.driver.force_feedback import evdev, thread
from simulator.driver.force_feedback.command import abilities, play_test
from simulator.driver.force_feedback.rumble import Rumble, RumbleStrength
from simulator.driver.force_feedback.thread import ForceFeedbackThread, Sample
from simulator.driver.input_devices import calibrate, calibration
from simulator.driver.input_devices.calibrate import add_devices_arguments, main_devices
from simulator.driver.input_devices.gamepad import Gamepad
from simulator.driver.input_devices.human_driver import HumanDriver
from simulator.driver.input_devices.steering_wheel import Wheel
from vehicles.command import COMMAND
from vehicles.readout import READOUT

H = 0.02
NODE = "/dev/input/event0"


def rolling(speed=15.0):
    readout = record(READOUT)
    r = readout[0]
    r["v_WB_B"][0], r["f_H_B"][2], r["F_C"][:, 2] = speed, 9.81, 6000.0
    return readout


def settled(readout, strength=1.0):
    law = Rumble(strength)
    law.step(readout, True, H)
    return law


def test_a_smooth_road_does_not_shake_and_a_rough_one_does():
    readout = rolling()
    law = settled(readout)
    assert law.step(readout, True, H) == (0.0, 0.0)
    readout[0]["shock_rate"] = (0.18, -0.18, 0.18, -0.18)
    assert law.step(readout, True, H) == pytest.approx((0.3, 0.0))
    assert settled(readout, 0.5).step(readout, True, H) == pytest.approx((0.15, 0.0))
    assert law.step(readout, False, H) == (0.0, 0.0), "not in a pause"
    readout[0]["v_WB_B"][0] = 0.0
    assert law.step(readout, True, H) == (0.0, 0.0), "nor where it stands"


def test_a_blow_shakes_and_a_slope_does_not():
    readout = rolling()
    law = settled(readout)
    readout[0]["f_H_B"][2] += 16.0
    slow, fast = law.step(readout, True, H)
    assert slow > 0.8 and fast == 0.0
    for _ in range(200):
        slow, _ = law.step(readout, True, H)
    assert slow == 0.0


def test_a_wheel_that_slides_shakes_the_fast_motor_while_it_is_on_the_ground():
    readout = rolling()
    law = settled(readout)
    readout[0]["slip_ratio"][2] = 0.1
    assert law.step(readout, True, H)[1] == 0.0, "that is grip"
    readout[0]["slip_ratio"][2] = -0.32
    assert law.step(readout, True, H)[1] == pytest.approx(0.5)
    readout[0]["F_C"][2, 2] = 0.0
    assert law.step(readout, True, H)[1] == 0.0
    readout[0]["slip_angle"][0] = math.radians(40.0)
    assert law.step(readout, True, H)[1] == 1.0


class FakePad:
    def __init__(self, motors=True):
        self.told, self.motors = [], motors
        self.handle = SimpleNamespace(name="pad", guid="", is_gamepad=True, rumble=self.rumble)
        self.profile = SimpleNamespace(kind="gamepad", rumble=RumbleStrength(1.0))

    def rumble(self, slow, fast, duration):
        self.told.append((slow, fast, duration))
        return self.motors


def test_a_rumble_command_lasts_a_tenth_of_a_second_and_the_pad_comes_to_rest():
    pad, readout, lines = FakePad(), rolling(), []
    readout[0]["shock_rate"] = 0.24
    worker = ForceFeedbackThread(lines.append, FakeSystem([]))
    for n in range(100):
        worker.serve(Sample(readout, pad, True, 0), 0.002 * n)
    assert 8 <= len(pad.told) <= 10, "every 20 ms"
    assert pad.told[-1] == pytest.approx((0.4, 0.0, 100))
    for n in range(100, 140):
        worker.serve(None, 0.002 * n)  # the host hangs
    assert pad.told[-1][:2] == (0.0, 0.0)
    before = len(pad.told)
    worker.serve(Sample(readout, pad, False, 0), 0.4)
    assert len(pad.told) == before, "at rest it is told nothing"
    without = FakePad(motors=False)
    for n in range(100):
        worker.serve(Sample(readout, without, True, 0), 0.5 + 0.002 * n)
    assert len(without.told) == 1 and not lines


def seen(hub, system):
    hub.poll()
    return abilities(hub.devices.values(), system)


def test_the_list_says_what_is_there_and_what_is_missing(hub, plug):
    plug(G29[0], 2, 4, 12, (0x046D, 0xC24F))
    system = FakeSystem()
    (one,) = seen(hub, system)
    assert (one.node.path, one.can, one.missing) == (NODE, "constant force, gain, autocenter", "")
    assert "2.3 N m" in one.setting
    system.forbidden.add(NODE)
    (one,) = seen(hub, system)
    assert NODE in one.missing and "usermod" in one.missing
    (one,) = seen(hub, FakeSystem([(G29[0], G29[1], ())]))
    assert one.missing == "a driver with constant force"
    (one,) = seen(hub, FakeSystem([]))
    assert "group `input`" in one.missing
    plug("Strange wheel", 2, 4, 12, (0x1234, 0x5678))
    assert "force_feedback" in seen(hub, FakeSystem([("Strange wheel", "1234:5678", (0x52,))]))[1].missing


def test_the_test_is_weak_goes_left_then_right_and_ends(hub, plug, monkeypatch):
    monkeypatch.setattr(listing, "TEST_SWING", 0.1)
    plug(G29[0], 2, 4, 12, (0x046D, 0xC24F))
    system, lines = FakeSystem(), []
    play_test(seen(hub, system), None, lines.append, system)
    (gain,) = [value for _, what, value in system.log if what == "gain"][:1]
    assert gain <= 0.1 * 0xFFFF, "the device itself gives no more than a tenth"
    levels = [level for _, level in system.levels() if level]
    assert levels[0] > 0 > levels[-1]
    assert [what for _, what, _ in system.log][-4:] == ["play", "remove", "gain", "close"]
    with pytest.raises(DeviceError, match="device 3: unknown device; expected a number from 1 to 1"):
        play_test(seen(hub, system), 3, lines.append, system)
    with pytest.raises(DeviceError, match="no testable devices"):
        play_test(seen(hub, FakeSystem([])), None, lines.append, system)


def test_the_command_lists_and_tests(hub, plug, monkeypatch, capsys):
    monkeypatch.setattr(calibration, "SETTLE", 0.02)
    monkeypatch.setattr(calibrate.DeviceHub, "close", lambda self: None)
    monkeypatch.setattr(listing, "TEST_SHAKE", 1)
    system = FakeSystem([PAD])
    for module in (evdev, thread, listing):
        monkeypatch.setattr(module, "SYSTEM", system)
    monkeypatch.setattr(calibrate, "abilities", lambda devices: abilities(devices, system))
    plug("Virtual pad", GAMEPAD, 6, 15, (0x045E, 0x028E))

    def run(*words):
        parser = argparse.ArgumentParser()
        add_devices_arguments(parser)
        return main_devices(parser.parse_args(words))

    assert run("--force-feedback", "--json") == 0
    (fact,) = json.loads(capsys.readouterr().out)["devices"]
    assert fact["feel"]["node"] == NODE and fact["feel"]["can"] == ["rumble", "gain"] and fact["feel"]["missing"] == ""
    assert run("--test") == 2
    out = capsys.readouterr()
    assert "Force feedback of devices" in out.out and "cannot start the motors" in out.err, "SDL's virtual pad has none"


def test_what_the_driver_holds_is_what_is_felt(hub, plug):
    driver = HumanDriver([Wheel(hub, 15.0), Gamepad(hub)], hub)
    command = record(COMMAND)

    def held():
        driver.read(0.0, 0.0, command)
        return None if driver.device is None else driver.device.handle.name

    assert held() is None
    stick = plug(G29[0], 2, 4, 12, (0x046D, 0xC24F))
    pad = plug("Virtual pad", GAMEPAD, 6, 15)
    assert held() == G29[0], "a wheel comes first"
    pad.axis(0, -1.0)
    held()
    assert driver.device.handle.is_gamepad, "the one that was used last"
    stick.axis(0, 0.5)
    assert held() == G29[0]
    driver.add_notice("a line of another thread")
    assert driver.notices()[-1] == "a line of another thread" and not driver.notices()
    stick.unplug()
    assert held() is None, "nothing is felt where nobody drives"
