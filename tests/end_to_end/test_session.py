"""Rules of the session: rates of driver and outlets, pause, reset, a broken vehicle; observers do not change the results."""

import hashlib

import numpy as np
import pytest

from simulator.base.errors import OutputError
from simulator.builder.builder import build, build_maneuver
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.outlets.telemetry import TelemetryOutlet
from simulator.outlets.view import ViewOutlet

H = 1e-3


class Throttle:
    """A driver who accelerates in a bend, and records the times of the calls."""

    def __init__(self):
        self.times = []

    def read(self, t, readout, command):
        self.times.append(t)
        command[0]["throttle"], command[0]["steering"], command[0]["selector"] = 0.7, 0.1, 1


class Counter:
    """An outlet that notes when it was served, and what it saw."""

    def __init__(self, every):
        self.every, self.ticks, self.commands, self.legs, self.poses, self.closed = every, [], [], [], [], 0

    def publish(self, session):
        self.ticks.append(session.tick)
        self.commands.append(session.readout[0]["throttle"])
        self.legs.append(session.cueing.legs.copy())
        self.poses.append(session.cueing.pose.copy())

    def close(self):
        self.closed += 1


def new_session(driver=None, outlets=(), terrain="flat"):
    session = build(configuration(None, changes({"terrain": terrain}))).session(driver or Throttle(), outlets)
    session.reset()
    session.cueing.procedure.arm()
    return session


def state_hash(session):
    """Digest of everything the vehicle remembers."""
    space = session.vehicle.space
    digest = hashlib.sha256()
    for block in (space.state, space.tires, space.drivetrain, space.steering, session.cueing.readout):
        digest.update(block.tobytes())
    return digest.hexdigest()


def worst_use(session, legs):
    """Largest share of stroke, leg speed and leg acceleration in a row of legs, one per tick."""
    p = session.cueing.platform[0]
    legs = np.array(legs)
    speed, acceleration = np.diff(legs, axis=0) / H, np.diff(legs, 2, axis=0) / H**2
    low, high = p["shortest_leg"], p["longest_leg"]
    stroke = max((low - legs).max(), (legs - high).max())
    return stroke, np.abs(speed).max() / p["leg_speed"], np.abs(acceleration).max() / p["leg_acceleration"]


def assert_within_limits(session, legs):
    stroke, speed, acceleration = worst_use(session, legs)
    assert stroke <= 0.0
    assert speed <= 1.0 + 1e-9
    assert acceleration <= 1.0 + 1e-6


def test_the_driver_looks_a_hundred_times_a_second_and_outlets_come_at_their_rates():
    driver, fast, slow = Throttle(), Counter(4), Counter(250)
    session = new_session(driver, [fast, slow])
    session.run(1.0)
    assert np.array(driver.times) == pytest.approx(np.arange(100) * 0.01, abs=1e-9)
    assert fast.ticks == list(range(4, 1001, 4))
    assert slow.ticks == [250, 500, 750, 1000]
    assert set(fast.commands) == {0.7}
    assert session.time == pytest.approx(1.0, abs=1e-9)


def test_strides_of_a_run_do_not_change_a_bit():
    """Ticks one by one, and as many at a time as the outlets allow."""
    one, many = new_session(outlets=[Counter(1)]), new_session(outlets=[Counter(10)])
    one.run(1.0)
    many.run(1.0)
    assert state_hash(one) == state_hash(many)


def test_outlets_do_not_touch_the_physics(tmp_path):
    maneuver = build_maneuver("scripted_drive")
    hashes, spawn = [], new_session(terrain="flat_soil").ground.spawn
    for watched in (False, True):
        session = new_session(driver=maneuver.driver(spawn), terrain="flat_soil")
        if watched:
            session.output.outlets += [TelemetryOutlet(tmp_path, session.readout, session.command), ViewOutlet(16), Counter(4)]
            session.publish()
        session.run(3.0)
        session.close()
        hashes.append(state_hash(session))
    assert hashes[0] == hashes[1]
    assert (tmp_path / "telemetry.parquet").exists()


def test_pause_freezes_the_vehicle_and_brings_the_platform_to_neutral():
    tracker = Counter(1)
    session = new_session(outlets=[tracker])
    session.run(12.0)
    assert session.cueing.procedure.state == "engaged"
    moved = np.abs(session.cueing.pose).max()
    assert moved > 0.01
    space = session.vehicle.space
    before = [block.tobytes() for block in (space.state, space.tires, space.drivetrain, space.steering)]
    t = session.time
    session.paused = True
    session.run(6.0)
    assert [block.tobytes() for block in (space.state, space.tires, space.drivetrain, space.steering)] == before
    assert session.time == t
    assert session.cueing.procedure.state == "paused"
    assert np.abs(session.cueing.pose).max() < 2e-3
    session.paused = False
    session.run(3.0)
    assert session.time == pytest.approx(t + 3.0, abs=1e-9)
    assert session.cueing.procedure.state == "engaged"
    assert_within_limits(session, tracker.legs)


def test_a_paused_drive_goes_on_as_if_it_had_not_been_paused():
    straight, paused = new_session(), new_session()
    straight.run(2.0)
    paused.run(1.0)
    paused.paused = True
    paused.run(0.5)
    paused.paused = False
    paused.run(1.0)
    assert straight.vehicle.space.state.tobytes() == paused.vehicle.space.state.tobytes()


def test_reset_in_full_drive_does_not_step_the_platform():
    tracker = Counter(1)
    session = new_session(outlets=[tracker])
    session.run(11.0)
    for _ in range(3):
        session.reset()
        assert session.readout[0]["v_WB_B"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
        assert session.time == 0.0
        session.run(1.7)
    session.cueing.procedure.park()
    session.paused = True
    session.run(11.0)
    assert session.cueing.procedure.state == "off"
    assert_within_limits(session, tracker.legs)
    assert np.ptp(np.array(tracker.legs), axis=0).max() > 0.05


def test_a_reset_begins_the_same_drive_again():
    session = new_session()
    session.run(2.0)
    first = session.vehicle.space.state.tobytes()
    session.reset()
    session.run(2.0)
    assert session.vehicle.space.state.tobytes() == first


def test_every_outlet_is_closed_even_when_one_fails():
    class Broken(Counter):
        def close(self):
            super().close()
            raise OutputError("the disk is full")

    outlets = [Counter(10), Broken(10), Counter(10)]
    session = new_session(outlets=outlets)
    with pytest.raises(OutputError, match="disk is full"):
        session.close()
    assert [outlet.closed for outlet in outlets] == [1, 1, 1]


def test_a_session_may_start_rolling_and_goes_back_to_that():
    class Coasting:
        def read(self, t, readout, command):
            command[0]["selector"], command[0]["throttle"] = 1, 0.0

    session = new_session(Coasting())
    session.start_speed = 20.0
    states = []
    for _ in range(2):
        session.reset()
        assert session.vehicle.speed == pytest.approx(20.0, abs=1e-3) and session.readout[0]["gear"] > 1
        assert np.abs(session.readout[0]["f_H_B"] - session.watch.state[0]["f_H_B"]).max() == 0.0
        session.advance(3)  # the driver is asked again somewhere in between
        states.append(session.vehicle.space.state.tobytes())
        session.run(1.0 - 3e-3)
        assert 19.0 < session.vehicle.speed < 20.0 and session.readout[0]["gear"] > 1
    session.start_speed = 0.0
    session.reset()
    assert session.vehicle.speed == 0.0
    assert session.readout[0]["engine_speed"] == session.vehicle.space.drivetrain[0]["engine_speed"] > 60.0


def test_the_motion_is_changed_alike_whatever_hangs_on_the_session():
    """A ramp goes by the ticks, not by who is served between them; the window gets what is felt beside what the driver feels."""
    ends = []
    for outlets in ((), (Counter(3), Counter(7))):
        session = build(configuration(None, changes({"terrain": "flat", "intensity": 0.7}))).session(Throttle(), outlets)
        session.reset()
        session.cueing.procedure.arm()
        assert session.cueing.tuner.intensity == session.cueing.readout[0]["intensity"] == 0.7
        session.cueing.tuner.change(session.cueing.tuner.parameters[0], 0.8)
        session.run(0.5)
        assert 0.4 < session.cueing.records[0][0]["force_gain"][0] < 0.8
        session.run(0.7)
        assert session.cueing.records[0][0]["force_gain"][0] == 0.8
        ends.append(state_hash(session))
    assert ends[0] == ends[1]
    window = ViewOutlet(1)
    try:
        session.publish()
        window.publish(session)
        seen, readout, felt = window.extras[0], session.readout[0], session.cueing.monitor.felt[0]
        assert seen["car_feels"] == pytest.approx([*(readout["f_H_B"] - [0, 0, 9.80665]), *readout["w_WB_B"]])
        assert seen["cab_feels"] == pytest.approx([*(felt["cab_f_H_P"] - [0, 0, 9.80665]), *felt["cab_w_NP_P"]])
        assert seen["intensity"] == pytest.approx(0.7) and session.cueing.monitor.live[0]["cueing_changes"] == 1
    finally:
        window.close()
