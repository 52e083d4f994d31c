"""After any exception in a drive the platform parks within its limits, the log is closed, and one line names the component."""

import contextlib
import math
import random
import signal
import socket
from types import SimpleNamespace

import numpy as np
import pytest
from unpaced import Throttle, assert_within_limits, hurry

import simulator.host.built_in_platform
from simulator.api.command_drivers import FunctionDriver
from simulator.base.errors import OutputError
from simulator.base.signals import EndedBySignal
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.driver.contract import DriverRunner
from simulator.driver.scripted import ScriptedDriver
from simulator.driver.steering.path_follower import PathFollower
from simulator.events.event import Event, Origin
from simulator.host import platform_park
from simulator.host.drive import PARKING, DriveOptions, Host
from simulator.host.drive_command import report
from simulator.host.human_controls import HumanDriverAdapter
from simulator.host.session_reports import ROLLED_OVER, show_upright_hint
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.maneuvers.phase_driver import PhaseDriver
from simulator.motion.stream import MotionStream
from simulator.outlets.force_feedback import ForceFeedbackOutlet
from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.outlets.outlet_runner import OutletRunner
from simulator.outlets.rut_file import RutFileOutlet
from simulator.outlets.telemetry import MemoryRecorder, TelemetryOutlet
from simulator.outlets.view import ViewOutlet
from simulator.run.frames import States
from simulator.run.rerun import RecordedDriver
from simulator.session import PartError
from simulator.telemetry.recover import read_logs
from simulator.telemetry.writer import read_telemetry

KINDS = [ValueError("no"), OutputError("the disk is full"), MemoryError(), SystemExit(3), ZeroDivisionError("by zero")]


class Moment:
    """Raises at its `at`-th call, and from then on."""

    def __init__(self, at, error):
        self.left, self.error, self.raised = at, error, 0

    def __call__(self):
        self.left -= 1
        if self.left < 0:
            self.raised += 1
            raise self.error


class FailingDriver(Throttle):
    def __init__(self, moment):
        self.moment = moment

    def read(self, t, readout, command):
        self.moment()
        super().read(t, readout, command)


class Drive:
    """`jounce drive` without waiting, and what came of it."""

    def __init__(self, tmp_path, monkeypatch, seconds=12.0):
        self.legs, self.states, self.lines, self.folder = [], [], [], tmp_path / "out"
        self._monkeypatch = monkeypatch
        hurry(monkeypatch)
        self.rig = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.rig.bind(("127.0.0.1", 0))
        address = ("127.0.0.1", self.rig.getsockname()[1])
        motion = {"to": f"127.0.0.1:{address[1]}", "rate": 1000, "wait": False}
        asked = {"maneuver": "avtp_lane_change", "driver": "scripted", "duration": seconds, "outlets": {"view": "none", "motion": motion}}
        self.host = Host(DriveOptions(configuration(None, changes(asked)), self.folder, say=lambda _: None, complain=self.lines.append))
        send = MotionStream.send

        def noted(stream, readout, cueing, run, tick):
            self.legs.append(cueing.legs.copy())
            self.states.append(cueing.procedure.state)
            send(stream, readout, cueing, run, tick)

        monkeypatch.setattr(MotionStream, "send", noted)

    def change(self, place, value):
        """Another value in the session, as by `--set`."""
        self.host.options.configuration.set(*changes({place: value}))

    def run(self):
        """Exit code."""
        with contextlib.closing(self.rig):
            summary = self.host.run()
        return report(self.host, summary)

    def assert_parked(self):
        session = self.host.session
        assert session.cueing.procedure.state == "off"
        assert_within_limits(session, self.legs)
        height = float(session.cueing.platform[0]["park_height"])
        assert session.cueing.pose == pytest.approx([0.0, 0.0, height, 0.0, 0.0, 0.0], abs=2e-3)


class HungPlatform:
    """A built-in platform that lives and never says a word again."""

    host, alive = "127.0.0.1", True

    def __init__(self, port):
        self.port = port

    def stop(self, patience=30.0, at_once=False):
        """No report."""


@pytest.fixture
def drive(tmp_path, monkeypatch):
    return Drive(tmp_path, monkeypatch)


class Screen:
    """A view block that stores the messages to the driver while the vehicle is at rest."""

    ruts = None
    objects = None
    generation = 0

    def __init__(self):
        self.told = []

    def publish(self, readout, extras, vehicles):
        if extras[0]["paused"]:
            self.told.append(bytes(extras[0]["message"]).decode())

    def mark_closed(self):
        """Nothing."""


def test_no_hint_to_continue_after_the_end_of_the_drive(drive):
    """The vehicle counts as paused while the platform parks; a pause without a message says that P ends it."""
    screen = Screen()
    drive.host.view.window = ViewOutlet(16, screen)
    drive.change("duration", 1.0)
    assert drive.run() == 0, drive.lines
    assert len(screen.told) > 20
    assert set(screen.told) == {PARKING}


def test_a_reset_begins_the_drive_for_the_driver_too(drive):
    """Its selector returns to drive; otherwise the next throttle would drive backwards."""
    begun, heard = [], []
    drive.host.controls.driver = SimpleNamespace(begin=lambda: begun.append("driver"))
    cueing = SimpleNamespace(tuner=SimpleNamespace(parameters=()))
    seat = SimpleNamespace(restart=lambda: begun.append("seat"))
    session = SimpleNamespace(
        reset=lambda: begun.append("session"),
        announce=heard.append,
        cueing=cueing,
        seat=seat,
        driver=None,
        tick=70,
        h=1e-3,
        time=0.0,
        waits=False,
    )
    drive.host.control.begin(session)
    drive.host.events.apply(Event("reset", None, Origin.DEVICE))
    assert begun == ["session", "driver", "seat"]
    assert heard == [Event("reset", None, Origin.DEVICE, 70, 0.0)]


def test_the_message_about_an_overturned_vehicle_stays(drive):
    window, q = ViewOutlet(16, Screen()), np.array([math.cos(1.2), math.sin(1.2), 0.0, 0.0])
    session = SimpleNamespace(vehicle=SimpleNamespace(space=SimpleNamespace(state=[{"q_WB": q}])))
    show_upright_hint(session, window)
    assert window.message == ROLLED_OVER
    assert window._until == math.inf
    assert window._holds(session)
    q[:] = 1.0, 0.0, 0.0, 0.0
    assert not window._holds(session)


def test_a_built_in_platform_that_hangs_is_named(drive, monkeypatch):
    drive.change("outlets.motion.to", None)
    platform = HungPlatform(drive.rig.getsockname()[1])
    monkeypatch.setattr(simulator.host.built_in_platform, "start_virtual_platform", lambda *_, **__: platform)
    drive.change("duration", 1.0)
    assert drive.run() == 1
    assert drive.lines == ["the virtual platform did not answer and was killed; its report is missing"]
    drive.assert_parked()


def moments(count, last):
    """Random but the same every time."""
    draw = random.Random(8)
    return [draw.randrange(last) for _ in range(count)]


ANOTHER_MOMENT = pytest.mark.full("a moment, in the rise or the parking, at which the failure of this part is not survived")
ANOTHER_KIND = pytest.mark.full("a kind of exception that is handled in another way than OutputError and SystemExit")


def but_first(cases, mark):
    """Cases, of which `make test` runs the first one."""
    return [cases[0], *(pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark) for case in cases[1:])]


def named(value):
    """Of a case: the moment, or the kind of the error."""
    return type(value).__name__ if isinstance(value, BaseException) else None


def driver_of(drive, monkeypatch, driver):
    monkeypatch.setattr(Maneuver, "driver", lambda maneuver, spawn, traits, settings: driver)


VALUE, OUTPUT, MEMORY, EXIT, DIVISION = zip(moments(len(KINDS), 1100), KINDS, strict=True)


@pytest.mark.parametrize(("at", "error"), [VALUE, OUTPUT, *but_first([EXIT, MEMORY, DIVISION], ANOTHER_MOMENT)], ids=named)
def test_a_driver_that_raises(drive, monkeypatch, at, error):
    moment = Moment(at, error)
    driver_of(drive, monkeypatch, FailingDriver(moment))
    assert drive.run() == 1
    drive.assert_parked()
    assert moment.raised == 1, "parking does not ask him again"
    assert len(drive.lines) == 1
    assert "FailingDriver failed: " in drive.lines[0]
    log = read_telemetry(drive.folder / "telemetry.parquet")
    assert len(log["time"]) == pytest.approx(at, abs=2)
    assert (drive.folder / "failure.txt").exists() == (not isinstance(error, OutputError))
    assert read_logs(drive.folder)[0].about["ended"].startswith("FailingDriver failed: ")


def test_ctrl_c_inside_the_driver_is_an_interruption(drive, monkeypatch):
    driver_of(drive, monkeypatch, FailingDriver(Moment(500, KeyboardInterrupt())))
    with pytest.raises(EndedBySignal) as end:
        drive.run()
    assert end.value.number == signal.SIGINT
    drive.assert_parked()
    assert drive.lines == []
    assert read_logs(drive.folder)[0].about["ended"] == "interrupted"


@pytest.mark.parametrize(
    "error",
    [error if isinstance(error, OutputError | SystemExit) else pytest.param(error, marks=ANOTHER_KIND) for error in KINDS],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("at", moments(1, 1100))
def test_a_log_that_raises(drive, monkeypatch, at, error):
    """Also when it is closed: the drive goes on without it to its end."""
    moment = Moment(at, error)
    publish, close = TelemetryOutlet.publish, TelemetryOutlet.close

    def failing_close(telemetry):
        close(telemetry)
        raise error

    monkeypatch.setattr(TelemetryOutlet, "publish", lambda telemetry, session: (moment(), publish(telemetry, session)))
    monkeypatch.setattr(TelemetryOutlet, "close", failing_close)
    assert drive.run() == 1
    drive.assert_parked()
    assert moment.raised == 1, "it is left out from then on"
    assert [line for line in drive.lines if "telemetry failed: " in line] == drive.lines
    assert len(drive.lines) == 1
    assert drive.host.session.time == pytest.approx(12.0, abs=0.02)
    assert drive.states.count("engaged") > 2000


@pytest.mark.parametrize("at", but_first(moments(3, 24_000), ANOTHER_MOMENT))
def test_a_motion_stream_that_raises(drive, monkeypatch, at):
    moment = Moment(at, OSError("no network"))
    send = MotionStream.send
    monkeypatch.setattr(MotionStream, "send", lambda *arguments: (moment(), send(*arguments)))
    assert drive.run() == 1
    assert moment.raised == 1
    assert len(drive.lines) == 1
    assert "motion stream failed: OSError: no network" in drive.lines[0]
    assert_within_limits(drive.host.session, drive.legs)
    assert (drive.folder / "telemetry.parquet").exists()


def test_driver_log_and_parking_fail_one_after_the_other(drive, monkeypatch):
    driver_of(drive, monkeypatch, FailingDriver(Moment(900, ValueError("driver"))))
    log, sending = Moment(300, MemoryError("log")), Moment(11_000, SystemExit("stream"))
    publish, send = TelemetryOutlet.publish, MotionStream.send
    monkeypatch.setattr(TelemetryOutlet, "publish", lambda telemetry, session: (log(), publish(telemetry, session)))
    monkeypatch.setattr(MotionStream, "send", lambda *arguments: (sending(), send(*arguments)))
    assert drive.run() == 1
    assert [line.split(" failed")[0] for line in drive.lines] == ["telemetry", "FailingDriver", "motion stream"]
    assert_within_limits(drive.host.session, drive.legs)
    assert (drive.folder / "telemetry.parquet").exists()


CUEING_CASES = [(8_000, SystemExit()), (100, RuntimeError("no cueing")), (13_000, MemoryError())]


@pytest.mark.parametrize(("at", "error"), but_first(CUEING_CASES, ANOTHER_MOMENT), ids=named)
def test_a_cueing_that_raises_ends_the_stream_properly(drive, monkeypatch, at, error):
    """Nothing can be commanded any more then: the receiver gets the end of the stream, and the log is closed."""
    moment, ticks = Moment(at, error), simulator.session.ticks
    monkeypatch.setattr(simulator.session, "ticks", lambda *arguments: (moment(), ticks(*arguments)))
    stopped = []
    close = MotionStream.close
    monkeypatch.setattr(MotionStream, "close", lambda stream: (stopped.append(True), close(stream)))
    assert drive.run() == 1
    assert stopped
    assert drive.lines
    assert_within_limits(drive.host.session, drive.legs)
    assert (drive.folder / "telemetry.parquet").exists()


def test_a_cueing_that_fails_to_park(drive, monkeypatch):
    monkeypatch.setattr("washout.platform_procedure.PlatformProcedure.park", lambda procedure: 1 / 0)
    assert drive.run() == 1
    assert len(drive.lines) == 1
    assert "ZeroDivisionError" in drive.lines[0]
    assert (drive.folder / "telemetry.parquet").exists()


def test_a_stream_of_which_nothing_gets_out(drive, monkeypatch):
    class Refusing:
        def __init__(self, *_):
            pass

        def setblocking(self, _):
            pass

        def bind(self, _):
            pass

        def sendto(self, *_):
            raise OSError(101, "network is unreachable")

        def close(self):
            pass

    monkeypatch.setattr("simulator.motion.stream.socket.socket", Refusing)
    assert drive.run() == 1
    assert len([line for line in drive.lines if line.startswith("motion stream: ")]) == 1
    drive.assert_parked()


def test_signals_while_it_parks_never_jerk_it(drive, monkeypatch):
    """One ends the drive, two more leave the platform where it can stop."""
    host = drive.host
    keep_going, calls = host._keep_going, []

    def three(session):
        calls.append(session.tick)
        if session.tick in (9_000,):
            host.stop_request(signal.SIGINT)
        return keep_going(session)

    host._keep_going = three
    coast = platform_park.coast

    def interrupted(session, duration, wait, outlets):
        def go_on():
            if session.tick in (9_500, 10_500):
                host.stop_request(signal.SIGINT)
            return wait()

        coast(session, duration, go_on, outlets)

    monkeypatch.setattr(platform_park, "coast", interrupted)
    with pytest.raises(EndedBySignal):
        drive.run()
    assert_within_limits(host.session, drive.legs)
    assert host.session.tick == pytest.approx(10_800, abs=20)
    speed = np.diff(np.array(drive.legs), axis=0) / 1e-3
    assert np.abs(speed[-10:]).max() < 1e-9, "it stands when the stream ends"
    assert np.abs(speed[1490 + 9000 - 1000]).max() > 1e-3, "it moved on the way"


PARTS = (
    HumanDriverAdapter, ScriptedDriver, PhaseDriver, PathFollower, RecordedDriver, FunctionDriver, DriverRunner,
    MotionStreamOutlet, TelemetryOutlet, MemoryRecorder, RutFileOutlet, ViewOutlet, OutletRunner, ForceFeedbackOutlet, States,
)  # fmt: skip


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_a_message_names_a_part_by_words(part):
    """Not by its class."""
    text = str(PartError(part.__new__(part), OSError("no network")))
    assert text == f"{part.label} failed: OSError: no network" and part.__name__ not in text
