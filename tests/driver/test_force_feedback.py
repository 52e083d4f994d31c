"""Does a wheel with force feedback get the torque of the steering: at once, with the right sign, softly, within its limit, and never for longer
than somebody drives? Against a device that records what it is told."""

import ast
import itertools
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from force_device import G29, FakeSystem, motor

from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.driver.force_feedback import thread as feeler_module
from simulator.driver.force_feedback.thread import PERIOD, ForceFeedbackThread, Sample
from simulator.driver.force_feedback.wheel_torque import FADE_IN, ForceFeedback, WheelTorque
from simulator.driver.input_devices.device_profiles import read_profile
from simulator.outlets.force_feedback import ForceFeedbackOutlet
from vehicles.readout import READOUT

H = 1e-3
GONE = 0.2
"""s in which a force without a driver must be gone."""
WHEEL = {"kind": "wheel", "name": "w", "verified": False, "source": "s", "match": {"names": ["*"]}, "steering": {"axis": 0}}


def wheel(torque=2.0, gain=1.0, damping=0.0, limit=None, name=G29[0], rate=300.0):
    """What a driver holds, as far as its force is concerned."""
    profile = SimpleNamespace(kind="wheel", force_feedback=ForceFeedback(torque, limit, gain, damping, rate))
    return SimpleNamespace(handle=SimpleNamespace(name=name, guid="", is_gamepad=False), profile=profile)


class Ticks:
    """A session of ticks of a millisecond on a clock of its own, with the outlet and the device behind it, all in one thread."""

    def __init__(self, device, system=None):
        self.tick = 0
        self.system = system or FakeSystem()
        self.system.clock = self.now
        self.lines, self.device = [], device
        self.feeler = ForceFeedbackThread(self.lines.append, self.system, self.now)
        self.feeler.take = lambda sample: self.feeler.serve(sample, self.now())
        self.outlet = ForceFeedbackOutlet(self.feeler, lambda: self.device, H)
        self.session = SimpleNamespace(readout=record(READOUT), moves=True, cueing=SimpleNamespace(resets=0), tick=0, driver_every=10)

    def now(self):
        return self.tick * H

    def go(self, seconds, torque=None, samples=True):
        """So long; `torque` is a number, or a function of the time."""
        for _ in range(round(seconds / H)):
            self.tick += 1
            self.session.tick = self.tick
            if torque is not None:
                self.session.readout[0]["steering_column_torque"] = torque(self.now()) if callable(torque) else torque
            if samples and self.tick % self.outlet.every == 0:
                self.outlet.publish(self.session)
            elif not samples and self.tick % 4 == 0:
                self.feeler.serve(None, self.now())

    def force(self):
        """What the motor does now, the same whatever the driver is like."""
        one, other = (motor(self.system.log, self.now(), way) for way in (True, False))
        assert one == pytest.approx(other, abs=1e-9)
        return one


def test_hands_that_hold_to_the_left_feel_a_push_to_the_right():
    """+ is left in ISO 8855 and with evdev's direction 0x4000; the column's torque is what the hands give."""
    ticks = Ticks(wheel(torque=2.0, gain=0.5))
    ticks.go(2.0, torque=1.0)
    assert ticks.force() == pytest.approx(-0.25, abs=1e-3), "half of the car's 1 N m, of a base with 2 N m"
    told = [(what, value) for _, what, value in ticks.system.log if what in ("gain", "autocenter")]
    assert told == [("gain", 0xFFFF), ("autocenter", 0)]


def test_a_torque_is_an_event_within_four_ticks_and_there_are_250_in_a_second():
    ticks = Ticks(wheel())
    ticks.go(2.0, torque=0.5)
    for wait in range(41, 52):  # a change at any tick between two samples
        ticks.go(wait * H, torque=-ticks.session.readout[0]["steering_column_torque"])
        changed = ticks.now() - wait * H
        first = min(t for t, _ in ticks.system.levels() if t > changed)
        assert first - changed <= 0.004 + 1e-9
    before = len(ticks.system.levels())
    ticks.go(1.0, torque=lambda t: math.sin(9.0 * t))
    assert len(ticks.system.levels()) - before >= 250


def test_the_blow_of_a_command_that_comes_in_steps_is_not_felt():
    """The driver is asked every fifth tick of 2 ms, and the wheels are thrown to where he asks in the next one."""
    ticks = Ticks(wheel())
    ticks.go(2.0, torque=1.0)
    before, outlet, session = len(ticks.system.levels()), ForceFeedbackOutlet(ticks.feeler, lambda: ticks.device, 0.002), ticks.session
    session.driver_every = 5
    for session.tick in range(1, 500):
        ticks.tick += 2
        session.readout[0]["steering_column_torque"] = 400.0 if session.tick % 5 == 1 else 1.0
        outlet.publish(session)
    assert len(ticks.system.levels()) == before and ticks.force() < -0.4


def test_no_more_is_uploaded_than_the_driver_takes():
    ticks = Ticks(wheel(rate=60.0))
    ticks.go(2.0, torque=lambda t: math.sin(9.0 * t))
    told = [t for t, what, _ in ticks.system.log if what in ("upload", "play") and t > 1.0]
    assert 75 <= len(told) <= 86, "60 torques and 25 plays"
    ticks.go(1.0, torque=0.5)
    assert ticks.force() == pytest.approx(-0.25, abs=1e-3), "the last one arrives"
    ticks.go(1.0, torque=lambda t: 4.0 * math.copysign(1.0, t % 0.2 - 0.1))
    assert np.abs(np.diff([level / 32767 for _, level in ticks.system.levels()])).max() < 0.2
    ticks.go(GONE, samples=False)
    assert ticks.force() == 0.0


def test_a_thread_of_its_own_hands_it_over_in_time():
    """Half of the events within 4 ms of their sample, on a busy machine too, with a device that takes a millisecond for a word."""

    class Slow(FakeSystem):
        def write(self, descriptor, data):
            time.sleep(0.001)
            super().write(descriptor, data)

    readout, delays = record(READOUT), []
    for _ in range(3):
        system, device = Slow(), wheel()
        feeler = ForceFeedbackThread(print, system)
        for n in range(100):
            readout[0]["steering_column_torque"] = 0.5 + 0.001 * n
            feeler.take(Sample(readout.copy(), device, True, 0))
            time.sleep(PERIOD)
        feeler.close()
        assert system.levels()[-1][1] == 0 and system.log[-1][1] == "close", "faded, and let go"
        delays.append(feeler.delay.quantile(0.5))
        if feeler.delay.count > 20 and delays[-1] < 0.004:
            return
    pytest.fail(f"median delays {delays}")


def test_it_fades_in_and_never_steps():
    ticks, seen = Ticks(wheel(torque=2.0, rate=500.0)), []
    for _ in range(700):
        ticks.go(2 * H, torque=-4.0 if ticks.tick < 1000 else 4.0)
        seen.append(ticks.force())
    assert max(np.abs(np.diff(seen))) < 0.07, "of the limit in two ticks"
    at = np.array(seen[: round(0.5 * FADE_IN / (2 * H))])
    assert 0.4 < at[-1] < 0.6, "half of it after half of the time"
    assert (np.diff(at) >= -1e-6).all()
    ticks.go(1.0)
    assert ticks.force() == pytest.approx(-1.0, abs=1e-3), "the limit of the base, from then on"


def test_the_limit_is_kept_here_and_by_the_device():
    ticks = Ticks(wheel(torque=20.0, limit=5.0))
    ticks.go(2.0, torque=-100.0)
    assert ("gain", int(0.25 * 0xFFFF)) in [entry[1:] for entry in ticks.system.log]
    assert ticks.force() == pytest.approx(1.0), "of the quarter that the device gives"
    plain = Ticks(wheel(torque=20.0, limit=5.0), FakeSystem([(G29[0], G29[1], (0x52,))]))
    plain.go(2.0, torque=-100.0)
    assert plain.force() == pytest.approx(0.25, abs=1e-3), "without a gain of its own"


@pytest.mark.parametrize("nonsense", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_gives_no_torque(nonsense):
    ticks = Ticks(wheel())
    ticks.go(2.0, torque=1.0)
    assert ticks.force() < -0.4
    ticks.go(0.2, torque=nonsense)
    assert ticks.force() == 0.0


@pytest.mark.parametrize("end", ["pause", "reset", "silence", "keys", "close"])
def test_it_fades_within_a_fifth_of_a_second(end):
    ticks = Ticks(wheel())
    ticks.go(2.0, torque=1.9)
    assert ticks.force() < -0.9
    if end == "pause":
        ticks.session.moves = False
    elif end == "reset":
        ticks.session.cueing.resets += 1
    elif end == "keys":
        ticks.device = None
    elif end == "close":
        ticks.feeler._drop()
    before = ticks.force()
    ticks.go(GONE, samples=end not in ("silence", "close"))
    if end == "reset":
        assert abs(ticks.force()) < 0.25, "and fades in again"
        return
    assert before < -0.9 or end == "close"
    assert ticks.force() == 0.0
    if end in ("keys", "close"):
        assert [what for _, what, _ in ticks.system.log][-4:] == ["play", "remove", "gain", "close"]


def test_after_a_pause_it_fades_in_again():
    ticks = Ticks(wheel())
    ticks.go(2.0, torque=1.9)
    ticks.session.moves = False
    ticks.go(0.5)
    assert ticks.force() == 0.0
    ticks.session.moves = True
    ticks.go(0.2)
    assert -0.3 < ticks.force() < -0.1


def test_a_torque_that_was_held_up_begins_from_nothing():
    """By then the device has let go by itself."""
    law = WheelTorque(ForceFeedback(2.0))
    law.set_request(-4.0, 0.0, 10.0)
    for _ in range(1000):
        law.step(True, 0.002)
    assert law.torque == pytest.approx(2.0)
    assert law.step(True, 0.2) == 0.0
    assert 0.0 < law.step(True, 0.002) < 0.01


def test_a_wheel_that_stands_is_damped():
    ticks = Ticks(wheel(damping=0.2))
    ticks.session.readout[0]["steering_wheel_rate"] = 5.0
    ticks.go(2.0, torque=0.0)
    assert ticks.force() == pytest.approx(-0.5, abs=1e-3), "against the rate: 0.2 * 5 of 2 N m"
    ticks.session.readout[0]["v_WB_B"][0] = 10.0
    ticks.go(1.0)
    assert ticks.force() == 0.0


@pytest.mark.skipif(os.name != "posix", reason="no such signals here")
def test_a_host_that_is_stopped_or_killed_lets_go_of_the_wheel():
    """The kernel goes on with what it was told: by then the force is gone, whatever way the driver keeps it."""
    here = Path(__file__).parent
    host = subprocess.Popen(
        [sys.executable, here / "stopped_host.py"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here), str(here.parents[1])])},
    )
    try:
        log = _until(host, lambda entry: entry[1] == "upload" and entry[2][0] > 20000)
        os.kill(host.pid, signal.SIGSTOP)
        os.waitpid(host.pid, os.WUNTRACED)
        stopped = time.monotonic()
        _gone_after(log + _rest(host), stopped)
        time.sleep(0.25)
        os.kill(host.pid, signal.SIGCONT)
        resumed = time.monotonic()
        log = _until(host, lambda entry: entry[1] == "play" and entry[0] > resumed + 0.05)
        assert max(level for t, what, (level, *_) in (e for e in log if e[1] == "upload") if t > resumed) < 10000, "it begins from nothing"
        log += _until(host, lambda entry: entry[1] == "upload" and entry[2][0] > 20000)
        host.kill()
        host.wait()
        _gone_after(log + [ast.literal_eval(line) for line in host.stdout if line.endswith("\n")], time.monotonic())
    finally:
        host.kill()
        host.wait()


def _until(host, there):
    """What it prints until something is `there`, which takes a second or two: 500 entries each."""
    log = []
    for line in itertools.islice(host.stdout, 5000):
        if line.startswith("("):
            log.append(ast.literal_eval(line))
            if there(log[-1]):
                return log
    raise AssertionError("it never came")


def _rest(host):
    """What waits in the pipe of a host that is stopped."""
    os.set_blocking(host.stdout.fileno(), False)
    lines = []
    while line := host.stdout.readline():
        lines.append(ast.literal_eval(line))
    os.set_blocking(host.stdout.fileno(), True)
    return lines


def _gone_after(log, ended):
    last = log[-1][0]
    assert last <= ended
    for restarts_on_upload in (True, False):
        assert motor(log, last, restarts_on_upload) > 0.5, "it pushed until then"
        assert motor(log, last + GONE, restarts_on_upload) == 0.0


def test_a_wheel_that_vanishes_ends_its_feel_quietly_and_may_come_back():
    ticks = Ticks(wheel())
    ticks.go(2.0, torque=1.0)
    ticks.system.gone = True
    ticks.go(0.5, torque=1.5)
    assert len(ticks.lines) == 1 and "up to 2 N m" in ticks.lines[0], "what was said when it came"
    ticks.system.gone = False
    ticks.go(0.5)
    assert ticks.force() == 0.0
    ticks.device = wheel()  # SDL found it again
    ticks.go(2.0)
    assert ticks.force() == pytest.approx(-0.75, abs=1e-3)


def test_a_node_without_write_permission_is_reported_with_a_hint():
    system = FakeSystem()
    system.forbidden.add("/dev/input/event0")
    ticks = Ticks(wheel(), system)
    ticks.go(1.0, torque=1.0)
    (line,) = ticks.lines
    assert "/dev/input/event0" in line and "group `input`" in line and "usermod" in line
    stranger = Ticks(wheel(name="Another wheel"))
    stranger.go(1.0, torque=1.0)
    assert stranger.lines == [
        "Another wheel: no force feedback: the system reports no constant force for this device (no driver, or a driver without force feedback)"
    ]
    assert not stranger.system.levels(), "nobody else's wheel is moved"


def test_a_refusing_driver_is_reported_once():
    ticks = Ticks(wheel())
    ticks.go(1.0, torque=1.0)

    def refuse(descriptor, request, argument):
        raise OSError(5, "Input/output error")

    ticks.system.ioctl = refuse
    ticks.go(0.5, torque=0.3)
    assert ticks.lines[1:] == [f"{G29[0]}: force feedback ended: Input/output error"]


def test_profiles_say_the_torque_of_the_base():
    assert read_profile(WHEEL, "w.yaml").force_feedback is None, "files from before give nothing, as before"
    profile = read_profile(WHEEL | {"force_feedback": {"torque": 8.0}}, "w.yaml")
    assert (profile.force_feedback.max_torque, profile.force_feedback.gain) == (8.0, 1.0)
    with pytest.raises(ConfigError, match=r"force_feedback\.limit.*at most the torque of the base \(8 N m\)"):
        read_profile(WHEEL | {"force_feedback": {"torque": 8.0, "limit": 9.0}}, "w.yaml")


def test_shipped_wheels_on_linux_give_a_torque_within_what_a_hand_holds(profiles):
    known = [p for p in profiles if p.kind == "wheel" and "linux" in p.match.systems and not p.match.any_wheel]
    assert known
    assert all(p.force_feedback is not None and p.force_feedback.max_torque <= 8.0 for p in known)
    assert feeler_module.SILENCE + 0.1 + 0.02 < GONE
