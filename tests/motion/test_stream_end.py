"""Pause, reset, fault, parking and end in every protocol: do forces fade without a step, is rest stated, and does the stream stop?"""

import math

import numpy as np
import pytest
from cueing_scenes import REST, STILL, H, engaged, worst_use

from simulator.base.records import record
from simulator.base.registry import KindChoice
from simulator.motion.protocols.native_packet import decode
from simulator.motion.stream import LAST_PACKETS, LONGEST_END, MotionStream
from simulator.motion.stream_fade import FADE_TIME, LONGEST_FADE, Fade
from vehicles.readout import READOUT

G = 9.80665


class Wire:
    """Stands in for a socket and keeps what is sent."""

    def __init__(self):
        self.data, self.open, self.error = [], True, None

    def sendto(self, data, _):
        if self.error is not None:
            raise self.error
        self.data.append(data)

    def close(self):
        self.open = False


def braking(t):
    """A vehicle that brakes in a curve on a slope, in gear: everything that a stream may say is at work."""
    r = record(READOUT)
    r[0]["time"] = t
    r[0]["p_WB"] = (3.0 * t, 1.0, 2.0)
    r[0]["q_WB"] = (math.cos(0.1), 0.06, math.sin(0.1) * 0.8, 0.3)
    r[0]["q_WB"] /= np.linalg.norm(r[0]["q_WB"])
    r[0]["v_WB_B"] = (20.0 - 6.0 * t / 10, 0.5, 0.1)
    r[0]["w_WB_B"] = (0.1, 0.2, 0.3)
    r[0]["a_WB_B"] = (-6.0, 4.0, 0.3)
    r[0]["f_H_B"] = (-6.0, 4.0, 10.0)
    r[0]["jounce"] = (0.05, 0.04, -0.02, -0.03)
    r[0]["wheel_spin"] = 40.0
    r[0]["p_BK"][:, 2] = 0.4
    r[0]["engine_speed"], r[0]["gear"], r[0]["brake"], r[0]["throttle"], r[0]["steering"] = 200.0, 3, 0.8, 0.1, 0.3
    return r


class Scene:
    """An engaged platform under a braking vehicle, streamed into a wire."""

    def __init__(self, protocol):
        self.cueing = engaged()
        self.stream = MotionStream("127.0.0.1", 9, protocol=KindChoice(protocol), tick=H)
        self.stream._socket.close()
        self.wire = self.stream._socket = Wire()
        self.time, self.run, self.readout = 0.0, True, braking(0.0)

    def go(self, seconds, make=braking):
        for _ in range(round(seconds / H)):
            if self.run:
                self.time += H
                self.readout = make(self.time)
            r = self.readout[0]
            self.cueing.step(r["f_H_B"], r["w_WB_B"], self.run, H)
            self.stream.publish(self.readout, self.cueing, self.run)

    def said(self):
        """(n, 4) time, forward and left acceleration [m/s2], speed of turning or driving."""
        if self.stream.protocol == "native":
            packets = [decode(data) for data in self.wire.data]
            return np.array([[p.time, p.force[0], p.force[1], np.abs(p.rates).max()] for p in packets])
        v = np.array([np.frombuffer(data, "<f4") for data in self.wire.data])
        return np.stack([v[:, 0], G * v[:, 35], -G * v[:, 34], v[:, 7]], axis=1)

    def assert_faded(self, first):
        said = self.said()[first:]
        assert np.abs(said[0, 1:3]).max() > 3.5, "it was at work"
        slope = np.abs(np.diff(said[:, 1:3], axis=0)).max() / self.stream.interval
        assert slope < 3.0 * 6.0 / FADE_TIME, "no step"
        assert np.abs(np.diff(said[:, 3])).max() / self.stream.interval < 3.0 * 20.0 / FADE_TIME
        assert (said[-LAST_PACKETS:, 1:] == 0.0).all(), "rest is said"


def stop_flags(scene):
    return [decode(data).stop for data in scene.wire.data]


@pytest.fixture(params=["native", "codemasters"])
def scene(request):
    found = Scene(request.param)
    found.go(3.0)
    return found


def test_a_pause_fades_and_goes_on(scene):
    before = len(scene.wire.data)
    scene.run = False
    scene.go(LONGEST_FADE + 0.1)
    scene.assert_faded(before - 1)
    scene.run = True
    scene.go(LONGEST_FADE + 0.1)
    said = scene.said()[before:]
    assert np.abs(np.diff(said[:, 1:3], axis=0)).max() / scene.stream.interval < 18.0
    assert said[-1, 1:3] == pytest.approx([-6.0, 4.0], rel=1e-6)


def test_the_speeds_of_the_suspension_fade_in_a_pause():
    """Time stands still in it: the differences between packets, which they are, would be nought at once."""
    scene = Scene("codemasters")

    def on_waves(t):
        r = braking(t)
        r[0]["jounce"] = np.sin(2.0 * t + np.arange(4)) / 20.0
        return r

    scene.go(3.0, on_waves)
    before = len(scene.wire.data)
    scene.run = False
    scene.go(LONGEST_FADE + 0.1)
    speeds = np.array([np.frombuffer(data, "<f4")[21:25] for data in scene.wire.data]) / 1000.0
    corners = 2.0 * np.cos(2.0 * 2.99 + np.array([2, 3, 0, 1])) / 20.0
    assert speeds[before - 1] == pytest.approx(corners, abs=0.01)
    assert np.abs(np.diff(speeds[before - 1 :], axis=0)).max() / scene.stream.interval < 3.0 * 0.1 / FADE_TIME, "no step"
    assert (speeds[-LAST_PACKETS:] == 0.0).all(), "rest is said"


def test_a_reset_fades_out_where_the_vehicle_was(scene):
    """The vehicle is at rest elsewhere in the next tick; the driver is not to feel that as a step of 0.6 g."""
    before = len(scene.wire.data)
    scene.cueing.reset()
    scene.time = 0.0

    def resting(t):
        r = record(READOUT)
        r[0]["time"], r[0]["q_WB"], r[0]["f_H_B"] = t, (1, 0, 0, 0), REST
        return r

    scene.go(LONGEST_FADE + 0.2, resting)
    scene.assert_faded(before - 1)


def test_an_unannounced_reset(scene):
    """Time jumps back, into other forces: out, and in again."""
    before = len(scene.wire.data)
    scene.time = 0.0
    scene.go(2.0 * LONGEST_FADE + 0.5, lambda t: braking(t / 2))
    said = scene.said()[before:]
    assert np.abs(np.diff(said[:, 1:3], axis=0)).max() / scene.stream.interval < 18.0
    assert np.abs(said[:, 1]).min() == 0.0
    assert said[-1, 1] == pytest.approx(-6.0)


@pytest.mark.parametrize("what", ["park", "trip"])
def test_withdrawn_consent_and_faults_fade(scene, what):
    before = len(scene.wire.data)
    getattr(scene.cueing.procedure, what)()
    scene.go(LONGEST_FADE + 0.1)
    scene.assert_faded(before - 1)


def test_a_vehicle_that_is_no_number_fades_from_where_it_was_sound(scene):
    before = len(scene.wire.data)

    def broken(t):
        r = braking(t)
        for name in ("f_H_B", "a_WB_B", "v_WB_B", "p_WB", "q_WB", "w_WB_B"):
            r[0][name] = math.nan
        return r

    scene.go(LONGEST_FADE + 0.1, broken)
    assert scene.stream.errors == 0
    scene.assert_faded(before - 1)


def test_an_end_in_full_motion_fades_before_the_stream_stops(scene):
    """As a second Ctrl-C does, or an exception: nobody has brought anything to rest."""
    before = len(scene.wire.data)
    pauses = []
    assert not scene.stream.at_rest
    scene.stream.close(pauses.append)
    assert not scene.wire.open
    assert sum(pauses) <= LONGEST_END
    scene.assert_faded(before - 1)
    if scene.stream.parks:
        packets = [decode(data) for data in scene.wire.data]
        assert [p.stop for p in packets[-LAST_PACKETS - 1 :]] == [False] + [True] * LAST_PACKETS
        legs = np.array([p.legs for p in packets])
        assert max(worst_use(scene.cueing.platform, legs, scene.stream.interval)) <= 1.0
        assert (legs[-1] == legs[-5]).all()
        assert [p.sequence for p in packets] == list(range(len(packets)))
    scene.stream.close(pauses.append)


def test_an_end_at_the_limits_of_the_legs():
    """The platform is thrown about at full acceleration; at any moment of that the stream can end."""
    for moment in (0.05, 0.11, 0.17, 0.26):
        scene = Scene("native")
        for k in range(round(moment / H)):
            scene.cueing.readout[0]["base"][0] = 0.15 if k % 100 < 50 else -0.15
            scene.cueing.step(REST, STILL, True, H)
            scene.stream.publish(scene.readout, scene.cueing, True)
        scene.stream.close(lambda _: None)
        legs = np.array([decode(data).legs for data in scene.wire.data])
        stroke, speed, acceleration = worst_use(scene.cueing.platform, legs, scene.stream.interval)
        assert max(stroke, speed) <= 1.0
        assert acceleration <= 1.0 + 1e-6


def test_at_rest_the_end_takes_no_time(scene):
    scene.run = False
    scene.cueing.procedure.park()
    scene.go(LONGEST_FADE + 0.1)
    assert scene.stream.at_rest is (not scene.stream.parks), "a platform that parks is not down yet"
    while not scene.stream.at_rest:
        scene.go(0.1)
        assert len(scene.wire.data) < 10000
    if scene.stream.parks:
        assert scene.cueing.procedure.state == "off"
    pauses = []
    count = len(scene.wire.data)
    scene.stream.close(pauses.append)
    assert pauses == []
    assert len(scene.wire.data) - count == (LAST_PACKETS if scene.stream.parks else 0)


def test_what_the_host_waits_for(scene):
    assert scene.stream.parks is (scene.stream.protocol == "native")
    assert LONGEST_FADE < scene.stream.fade_time < 1.5
    scene.run = False
    scene.go(scene.stream.fade_time)
    assert scene.said()[-1, 1:] == pytest.approx([0.0, 0.0, 0.0])
    assert scene.stream.at_rest or scene.stream.parks


def test_a_network_that_takes_nothing_is_named(scene):
    assert scene.stream.failing == ""
    scene.wire.error = OSError(101, "Network is unreachable")
    scene.go(0.4)
    assert scene.stream.failing == ""
    scene.go(0.3)
    assert "Network is unreachable" in scene.stream.failing
    scene.wire.error = None
    scene.go(0.05)
    assert scene.stream.failing == ""
    scene.wire.error = OSError(101, "Network is unreachable")
    scene.stream.close(lambda _: None)
    assert not scene.wire.open


def test_the_other_telemetry_states_rest_too():
    scene = Scene("codemasters")
    scene.go(3.0)
    scene.run = False
    scene.go(LONGEST_FADE + 0.1)
    moving, rest = np.frombuffer(scene.wire.data[200], "<f4"), np.frombuffer(scene.wire.data[-1], "<f4")
    for places in (range(8, 11), (12, 15), range(17, 29), range(29, 32), (33, 34, 35, 37)):
        assert np.abs(moving[list(places)]).max() > 0.0
        assert np.abs(rest[list(places)]).max() < 1e-6, places
    heading = math.atan2(moving[14], moving[16])
    assert math.atan2(rest[14], rest[16]) == pytest.approx(heading, abs=0.05), "it looks where it looked"
    assert np.hypot(rest[14], rest[16]) == pytest.approx(1.0, abs=1e-6)


def test_the_attitude_turns_upright_without_a_jump():
    rng = np.random.default_rng(4)
    for q in [*rng.normal(size=(30, 4)), (0, 1, 0, 0), (0, 0, 1, 0), (1e-9, 1, 0, 0)]:
        fade, r = Fade(), braking(0.0)
        r[0]["q_WB"] = np.array(q) / np.linalg.norm(q)
        for k in range(200):
            r[0]["time"] = 0.01 * k
            fade.advance(r, True, False, 0.01)
        last = fade.said[0]["q_WB"].copy()
        assert last == pytest.approx(r[0]["q_WB"])
        for _ in range(200):
            fade.hold(0.01)
            now = fade.said[0]["q_WB"]
            assert np.linalg.norm(now) == pytest.approx(1.0)
            assert abs(last @ now) > math.cos(0.06)
            last = now.copy()
        assert fade.at_rest
        assert np.abs(last[1:3]).max() < 1e-9
