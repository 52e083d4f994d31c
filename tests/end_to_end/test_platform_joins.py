"""A drive with the built-in platform begins at once: the platform joins it without a step, and parks quickly, whatever happens."""

import signal
import threading

import numpy as np
import pytest
from test_failing_parts import ANOTHER_MOMENT, Drive, FailingDriver, HungPlatform, Moment, but_first, driver_of
from unpaced import assert_within_limits

import simulator.host.built_in_platform
from simulator.base.errors import StreamError
from simulator.base.signals import EndedBySignal
from simulator.host.platform_park import QUICK_PARK_TIME, QUICK_REST_TIME, STOP_TIME
from simulator.host.platform_rise import RISES
from simulator.motion.stream import MotionStream
from simulator.run.rerun import differences, joining_tick, rerun
from simulator.run.run_configuration import JOINED, read_recorded
from simulator.session import Session
from simulator.telemetry.recover import read_logs
from simulator.telemetry.writer import read_telemetry

NO_REPORT = "the virtual platform did not answer and was killed; its report is missing"
UP = 1500
"""Tick at which the platform is up."""


class JoiningDrive(Drive):
    """A drive whose built-in platform is up at tick UP."""

    def __init__(self, tmp_path, monkeypatch, seconds=12.0, up=UP, error=None):
        super().__init__(tmp_path, monkeypatch, seconds)
        self.change("outlets.motion.to", None)
        self.change("outlets.motion.wait", "auto")
        self.said = []
        self.host.messages.say = self.said.append
        self.events, self.killed = {}, False
        self._up, self._ready, self._error = up, threading.Event(), error
        monkeypatch.setattr(simulator.host.built_in_platform, "start_virtual_platform", self._start)
        keep_going, transmit, self._packets = self.host._keep_going, MotionStream._transmit, []
        monkeypatch.setattr(
            MotionStream, "_transmit", lambda stream, packet, still: (self._packets.append(packet), transmit(stream, packet, still))
        )

        def noted(session):
            if session.tick >= self._up and not self._ready.is_set():
                self._ready.set()
                self.host.streams.platform._thread.join()
            for tick in [tick for tick in self.events if session.tick >= tick]:
                self.events.pop(tick)(session)
            return keep_going(session)

        self.host._keep_going = noted

    def _start(self, *_, on_start, **__):
        on_start(self._kill)
        self._ready.wait()
        if self.killed or self._error:
            raise StreamError(self._error or "killed")
        return HungPlatform(self.rig.getsockname()[1])

    def _kill(self):
        self.killed = True
        self._ready.set()

    @property
    def forces(self):
        """Forces and rates of the packets."""
        return [[*packet.force, *packet.rates] for packet in self._packets]

    @property
    def about(self):
        return read_logs(self.folder)[0].about

    @property
    def log(self):
        return read_telemetry(self.folder / "telemetry.parquet", wall=False)


def test_the_platform_joins_at_rest_and_a_rerun_joins_it_at_the_same_tick(tmp_path, monkeypatch):
    drive = JoiningDrive(tmp_path, monkeypatch)
    drive.run()
    assert drive.lines == [NO_REPORT]
    assert RISES not in drive.said and f"the virtual platform joins at {UP / 1000:.2f} s" in drive.said
    assert drive.about[JOINED] == str(UP)
    assert drive.states[0] == "parked" and "engaged" in drive.states
    height = float(drive.host.session.cueing.platform[0]["park_height"])
    assert drive.log["platform_p_NP_z"][UP // 10] == pytest.approx(height)
    drive.assert_parked()
    recorded, columns = read_recorded(drive.folder), drive.log
    again = rerun(*recorded, columns, tmp_path / "again")
    assert differences(columns, read_telemetry(again / "telemetry.parquet", wall=False)) == []
    assert read_logs(again)[0].about[JOINED] == str(UP)
    assert joining_tick(recorded[0]._replace(about={}), columns, 10) == UP, "the log of a killed run has no entry"


def test_leaving_takes_two_seconds_of_the_platform(tmp_path, monkeypatch):
    """Whatever the washout does at that time: here the platform is engaged, in a lane change."""
    drive = JoiningDrive(tmp_path, monkeypatch, seconds=14.0)
    drive.run()
    ended = round(14.0 / 1e-3)
    assert "engaged" in drive.states[: ended - UP]
    assert (len(drive.legs) + UP - ended) * 1e-3 <= QUICK_PARK_TIME + QUICK_REST_TIME + STOP_TIME < 2.2
    drive.assert_parked()


def pause(session):
    session.paused = True


def go_on(session):
    session.paused = False


def reset(session):
    session.reset()


def not_a_number(session):
    session.vehicle.space.state[0]["v_WB_B"][0] = np.nan


def fault(session):
    session.cueing.procedure.trip()


TROUBLE = {
    "pause": {4000: pause, 6000: go_on},
    "reset": {9000: reset},
    "NaN": {5000: not_a_number, 11_000: not_a_number},
    "fault": {8000: fault},
}


@pytest.mark.parametrize("name", TROUBLE)
def test_no_trouble_after_joining_jerks_the_platform(tmp_path, monkeypatch, name):
    drive = JoiningDrive(tmp_path, monkeypatch, seconds=13.0)
    drive.events.update(TROUBLE[name])
    drive.run()
    assert_within_limits(drive.host.session, drive.legs)
    height = float(drive.host.session.cueing.platform[0]["park_height"])
    assert drive.host.session.cueing.pose == pytest.approx([0.0, 0.0, height, 0.0, 0.0, 0.0], abs=2e-3)
    assert np.isfinite(drive.forces).all()


@pytest.mark.parametrize("at", but_first([400, 160, 1000], ANOTHER_MOMENT))
def test_a_driver_that_fails_after_joining(tmp_path, monkeypatch, at):
    """While the platform is about to rise, rises, and follows."""
    drive = JoiningDrive(tmp_path, monkeypatch)
    driver_of(drive, monkeypatch, FailingDriver(Moment(at, ValueError("no"))))
    drive.run()
    assert "FailingDriver failed: " in drive.lines[0]
    drive.assert_parked()


def test_a_platform_that_ends_while_the_log_is_written_has_not_died(tmp_path, monkeypatch):
    ended, close = threading.Event(), Session.close

    def stop(platform, patience=30.0, at_once=False):
        platform.alive = False
        ended.set()

    monkeypatch.setattr(HungPlatform, "stop", stop)
    monkeypatch.setattr(Session, "close", lambda session: (ended.wait(10.0), close(session))[-1])
    drive = JoiningDrive(tmp_path, monkeypatch, seconds=4.0)
    drive.run()
    assert ended.is_set()
    assert drive.lines == [NO_REPORT]


def test_a_paused_drive_is_not_joined(tmp_path, monkeypatch):
    drive = JoiningDrive(tmp_path, monkeypatch, seconds=4.0)
    drive.events.update({1000: pause, 3000: go_on})
    drive.run()
    assert drive.about[JOINED] == "3000"


def test_a_drive_that_ends_before_the_platform_is_up(tmp_path, monkeypatch):
    drive = JoiningDrive(tmp_path, monkeypatch, seconds=2.0, up=10_000)
    drive.events.update({500: lambda session: drive.host.stop_request(signal.SIGINT)})
    with pytest.raises(EndedBySignal):
        drive.run()
    assert (drive.killed, drive.lines, drive.legs) == (True, [], [])
    assert drive.host.session.tick == 500


def test_a_platform_that_does_not_start_leaves_the_drive(tmp_path, monkeypatch):
    drive = JoiningDrive(tmp_path, monkeypatch, seconds=3.0, error="cannot start the virtual platform: no memory")
    assert drive.run() == 1
    assert drive.lines == ["cannot start the virtual platform: no memory; driving without it"]
    assert drive.host.session.time == pytest.approx(3.0, abs=0.02)
    assert JOINED not in drive.about


@pytest.mark.parametrize(
    ("motion", "waits"),
    [
        ({"to": "127.0.0.1:9"}, True),
        ({"to": "127.0.0.1:9", "wait": True}, True),
        ({"to": "127.0.0.1:9", "wait": False}, False),
        ({"to": "127.0.0.1:9", "protocol": "forza"}, False),
        ({"protocol": "moog"}, True),
        ({"on": False}, False),
    ],
    ids=str,
)
def test_a_drive_waits_for_a_platform_at_an_address(tmp_path, monkeypatch, motion, waits):
    drive = Drive(tmp_path, monkeypatch, 0.1)
    for key in ("to", "wait", "rate"):
        drive.change(f"outlets.motion.{key}", None)
    for key, value in motion.items():
        drive.change(f"outlets.motion.{key}", value)
    monkeypatch.setattr("simulator.host.drive.wait_for_platform", lambda *_: None)
    monkeypatch.setattr(MotionStream, "close", lambda stream: None)
    drive.run()
    assert drive.host.streams.waits == waits
