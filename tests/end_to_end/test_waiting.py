"""Does a drive start with a raised platform, does the driver see the reason of a wait, and is every wait limited?"""

import numpy as np
import pytest
from test_failing_parts import Drive
from unpaced import Throttle, Tracker, assert_within_limits, hurry, new_session

from simulator.events.event import Event, Origin
from simulator.host.platform_rise import RISES, STAYS_DOWN
from simulator.outlets.view import ViewOutlet
from simulator.platform_phases import raise_platform, wait_for_rise
from simulator.telemetry.writer import read_telemetry


class Screen:
    """A view block that stores the messages to the driver."""

    ruts = None
    objects = None
    generation = 0

    def __init__(self):
        self.told = []

    def publish(self, readout, extras, vehicles):
        self.told.append(bytes(extras[0]["message"]).decode())

    def mark_closed(self):
        """Nothing."""


def vehicle_of(session):
    space = session.vehicle.space
    return [block.tobytes() for block in (space.state, space.tires, space.drivetrain, space.steering)]


def test_a_run_begins_with_the_platform_up_and_is_the_same_drive():
    straight, raised = new_session(), new_session()
    before = vehicle_of(raised)
    raise_platform(raised)
    assert (raised.cueing.procedure.state, raised.time, raised.tick) == ("engaged", 0.0, 0)
    assert vehicle_of(raised) == before
    for session in (straight, raised):
        session.run(1.0)
    assert vehicle_of(raised) == vehicle_of(straight)
    assert abs(raised.cueing.pose[4]) > 0.01 > abs(straight.cueing.pose[4]), "only the one that waited leans back with the launch"


def test_waiting_in_real_time_leaves_the_platform_as_a_run_finds_it(monkeypatch):
    hurry(monkeypatch)
    tracker = Tracker()
    at_once, waited = new_session(), new_session(outlets=[tracker])
    raise_platform(at_once)
    wait_for_rise(waited, lambda: True, [tracker])
    assert waited.cueing.readout.tobytes() == at_once.cueing.readout.tobytes()
    assert (waited.time, waited.tick, waited.moves) == (0.0, 0, True)
    assert [state for k, state in enumerate(tracker.states) if state not in tracker.states[:k]] == [
        "parked",
        "rise",
        "neutral",
        "blend",
        "engaged",
    ]
    assert_within_limits(waited, tracker.legs)


def trip(session):
    session.cueing.procedure.trip()


def disarm(session):
    session.cueing.procedure.park()


def pause(session):
    session.paused = True


@pytest.mark.parametrize(("trouble", "seconds"), [(trip, 0.01), (disarm, 0.01), (pause, 19.01)])
def test_a_platform_that_does_not_come_up_is_not_waited_for(monkeypatch, trouble, seconds):
    hurry(monkeypatch)
    tracker = Tracker()
    session = new_session(outlets=[tracker])
    trouble(session)
    wait_for_rise(session, lambda: True, [tracker])
    assert len(tracker.legs) * session.h <= seconds
    assert session.cueing.procedure.state != "engaged"
    assert not session.waits
    session.paused = False
    session.run(0.1)
    assert session.time == pytest.approx(0.1)


def test_a_wait_that_is_cut_short_ends_with_a_packet_of_every_stream(monkeypatch):
    """Each says how long it is since the one before, also across the beginning of the drive."""
    hurry(monkeypatch)

    class Packets:
        def __init__(self, every):
            self.every, self.often, self.steps = every, 1, []

        def publish(self, session):
            self.steps.append(len(tracker.legs))

    tracker, streams = Tracker(), [Packets(4), Packets(50)]
    session = new_session(outlets=[tracker, *streams])
    wait_for_rise(session, lambda: len(tracker.legs) < 3333, [tracker, *streams])
    assert session.cueing.procedure.state == "rise" and np.abs(session.cueing.readout[0]["leg_speed"]).max() > 0.01
    session.run(0.2)
    for stream in streams:
        assert set(np.diff(stream.steps)) == {stream.every}


@pytest.mark.parametrize("comes_up", [True, False])
def test_a_drive_waits_and_says_so(tmp_path, monkeypatch, comes_up):
    drive, screen, said = Drive(tmp_path, monkeypatch, 1.0), Screen(), []
    drive.change("outlets.motion.wait", True)
    drive.host.messages.say = said.append
    drive.host.view.window = ViewOutlet(16, screen)
    if not comes_up:
        monkeypatch.setattr("washout.platform_procedure.PlatformProcedure.rise_time", property(lambda _: 2.0))
    assert drive.run() == 0
    assert RISES in said
    assert (STAYS_DOWN in said) == (not comes_up)
    assert screen.told[:100] == [RISES] * 100
    log = read_telemetry(drive.folder / "telemetry.parquet")
    assert log["time"][0] == 0.0
    assert np.diff(log["time"]) == pytest.approx(0.01, abs=1e-9)
    assert (log["platform_state"][0] == 5) == comes_up
    drive.assert_parked()


def test_a_driver_is_called_only_when_the_drive_begins():
    class Counting(Throttle):
        asked = 0

        def read(self, t, readout, command):
            self.asked += 1
            super().read(t, readout, command)

    driver = Counting()
    session = new_session(driver)
    raise_platform(session)
    assert driver.asked == 0
    session.run(0.1)
    assert driver.asked == 10


def test_a_person_need_not_wait(tmp_path, monkeypatch):
    """M begins without the platform, also in the second before it rises."""
    host, session = Drive(tmp_path, monkeypatch).host, new_session()
    hurry(monkeypatch)
    host.view.window = ViewOutlet(16, Screen())

    host.control.begin(session)

    def go_on():
        if session.tick == 500:
            host.events.apply(Event("platform", None, Origin.WINDOW))
        return True

    wait_for_rise(session, go_on, [])
    assert not session.cueing.procedure.rises
    session.run(1.0)
    assert session.time == pytest.approx(1.0)
    assert session.cueing.procedure.state == "off"
