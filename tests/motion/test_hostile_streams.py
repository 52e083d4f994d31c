"""For arbitrary datagrams at arbitrary times: do the legs keep their limits in real time, does the platform reach its rest pose, and is
the report correct? Time is simulated, except in the last test, which starts a platform process.
"""

import json
import math
import random
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from cueing_scenes import platform, worst_jerk_by_clock, worst_use_by_clock
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.motion.protocols.native_packet import encode
from simulator.virtual_platform.platform import SERVO, VirtualPlatform, report
from simulator.virtual_platform.receiver import LOCK_TIME, Receiver, Spread
from tests.motion.still_packet import still_packet
from washout.platform import leg_lengths

P = platform()
HOST, OTHER = ("127.0.0.1", 50001), ("127.0.0.1", 50002)


class Sender:
    """A host: packets of a pose that swings, which is by far more than a person should be given, within the limits or beyond them."""

    def __init__(self, source=HOST, stream=1, size=0.04, frequency=0.7, interval=0.004, phase=0.0):
        self.source, self.stream, self.size, self.interval = source, stream, size, interval
        self.frequency, self.phase = frequency, phase
        self.sequence = 0
        self.sent = []

    def packet(self):
        t = self.sequence * self.interval
        swing = np.sin(2 * math.pi * self.frequency * t * np.array([1.0, 1.3, 0.7, 0.9, 1.1, 0.8]) + self.phase)
        u = min(1.0, t / 2.0)
        pose = self.size * swing * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
        legs = np.zeros(6)
        leg_lengths(P, pose, legs)
        packet = still_packet(
            sequence=self.sequence, stream=self.stream, interval=self.interval, time=t, pose=tuple(pose.tolist()), legs=tuple(legs.tolist())
        )
        self.sequence += 1
        return packet

    def datagram(self, **changes):
        data = encode(replace(self.packet(), **changes))
        self.sent.append(data)
        return data


class World:
    """A rig, and a clock that only this moves. Wakes come unevenly, as on a busy machine."""

    def __init__(self, seed=0):
        self.rig = VirtualPlatform(P, now=0.0)
        self.now = 0.0
        self.rng = random.Random(seed)
        self.times, self.legs = [0.0], [self.rig.body.limits[0]["legs"].copy()]
        self.uneven = 0.0003

    def wake(self, pause=None):
        self.now += max(0.001, SERVO + self.rng.gauss(0.0, self.uneven)) if pause is None else pause
        self.rig.step(self.now)
        self.times.append(self.now)
        self.legs.append(self.rig.body.limits[0]["legs"].copy())
        self.rig.stale = False

    def give(self, data, source=HOST):
        self.rig.receive(data, source, self.now)

    def stream(self, seconds, *senders, each=None):
        """All senders at their own pace, until `seconds` have passed; `each` may change a datagram."""
        end = self.now + seconds
        due = [self.now + self.rng.random() * s.interval for s in senders]
        while self.now < end:
            for k, sender in enumerate(senders):
                while due[k] <= self.now:
                    due[k] += sender.interval
                    data = sender.datagram()
                    if each is None or (data := each(data)):
                        self.give(data, sender.source)
            self.wake()

    def silence(self, seconds):
        end = self.now + seconds
        while self.now < end:
            self.wake()

    def use(self, since=0.0):
        first = int(np.searchsorted(self.times, since))
        return worst_use_by_clock(P, np.array(self.times[first:]), np.array(self.legs[first:]))

    def assert_within(self):
        stroke, speed, acceleration = self.use()
        assert stroke <= 1.0
        assert speed <= 1.0
        assert acceleration <= 1.0
        jerk = worst_jerk_by_clock(P, np.array(self.times), np.array(self.legs))
        assert jerk <= 1.0
        motion = self.rig.summary("x")["motion"]
        assert motion["jerk"] == pytest.approx(jerk, abs=1e-3)
        assert motion["within"]
        assert motion["speed"] == pytest.approx(speed, abs=1e-3), "the report tells what the clock shows"
        assert motion["acceleration"] == pytest.approx(acceleration, abs=1e-3)


def risen(seconds=5.0, **sender):
    """A platform that follows a host, and its sender."""
    world, host = World(), Sender(**sender)
    world.stream(seconds, host)
    assert not world.rig.body.without_stream
    return world, host


def test_the_normal_case_is_smooth_and_near():
    world, host = risen()
    rough = world.use(since=4.0)
    asked = world.rig.summary("x")["legs"]
    assert rough[2] < 1.1 * asked["acceleration"] + 0.01
    assert np.abs(world.rig.body.limits[0]["pose"] - host.packet().pose).max() < 5e-3
    world.assert_within()


@pytest.mark.parametrize(("uneven", "loss"), [(0.001, 0.0), (0.001, 0.02), (0.002, 0.05)])
def test_uneven_arrival_and_loss_stay_smooth(uneven, loss):
    world, host = World(seed=3), Sender()
    world.uneven = uneven
    world.stream(12.0, host, each=lambda data: data if world.rng.random() >= loss else None)
    asked = world.rig.summary("x")["legs"]["acceleration"]
    assert world.use(since=8.0)[2] < 1.5 * asked + 0.05
    world.assert_within()


def test_two_hosts_do_not_share_a_platform():
    world, host = risen()
    other = Sender(OTHER, stream=2, phase=2.0)
    world.stream(4.0, host, other)
    assert np.abs(world.rig.body.limits[0]["pose"] - host.packet().pose).max() < 5e-3, "the first one is followed"
    summary = world.rig.summary("x")
    assert summary["strangers"] == pytest.approx(1000, abs=5)
    assert summary["lost"] == 0
    assert f"refused: {summary['strangers']} packets of other senders" in report(summary)
    world.assert_within()
    world.silence(LOCK_TIME + 0.1)
    world.stream(4.0, other)
    assert world.rig.summary("x")["streams"] == 2, "silence gives the platform free"
    assert not world.rig.body.without_stream
    world.assert_within()


def test_streams_that_change_with_every_packet():
    world, host = risen()
    number = iter(range(100, 10**6))
    world.stream(1.0, host, each=lambda _: host.datagram(stream=next(number)))
    assert world.rig.body.stage == "neutral"
    world.stream(3.0, host)
    assert not world.rig.body.without_stream
    world.assert_within()


@pytest.mark.parametrize("source", [HOST, OTHER])
@pytest.mark.parametrize("sequence", [2**63, 2**64 - 2, 10**7])
def test_a_spoofed_sequence_is_refused(source, sequence):
    world, host = risen()
    before = world.rig.receiver.lost
    world.give(encode(replace(host.packet(), sequence=sequence, pose=(0.2, 0.2, 0.1, 0.3, 0.3, 0.3))), source)
    host.sequence -= 1
    start = world.now
    world.stream(1.0, host)
    assert world.rig.receiver.lost == before
    assert world.rig.receiver.strangers + world.rig.receiver.implausible == 1
    assert not world.rig.body.without_stream
    assert np.abs(world.rig.body.limits[0]["pose"] - host.packet().pose).max() < 5e-3
    assert world.use(start - 0.1)[2] < 1.2 * world.rig.summary("x")["legs"]["acceleration"] + 0.01, "not felt"
    world.assert_within()


def test_a_backlog_is_one_pose():
    """Two seconds of packets at once, again and again."""
    world, host = risen()
    for _ in range(5):
        for _ in range(500):
            world.give(host.datagram())
        world.wake()
        world.silence(0.03)
    world.assert_within()
    world.stream(3.0, host)
    assert not world.rig.body.without_stream
    world.assert_within()


@pytest.mark.parametrize("interval", [5e-324, 1e-300, 1e-5, 2e-4, 0.04, 0.9, 1e300])
def test_intervals_that_lie(interval):
    world, host = risen()
    world.stream(2.0, host, each=lambda _: host.datagram(interval=interval))
    world.stream(1.0, host, each=lambda _: host.datagram(interval=random.choice([0.001, 0.004, 0.01, 0.02])))
    summary = world.rig.summary("x")
    json.loads(json.dumps(summary, allow_nan=False))
    report(summary)
    world.assert_within()


def test_replays_are_refused_while_the_stream_lives():
    world, host = risen()
    old = list(host.sent)
    world.stream(1.0, host, each=lambda data: [world.give(d) for d in old[::40]] and data)
    assert world.rig.receiver.duplicate == pytest.approx(250 * len(old[::40]), rel=0.02)
    assert np.abs(world.rig.body.limits[0]["pose"] - host.packet().pose).max() < 5e-3
    world.silence(3.0)
    for data in old:
        world.give(data)
    world.wake()
    world.silence(1.0)
    world.assert_within()


@pytest.mark.parametrize("stall", [0.06, 0.15, 0.5, 3.0, 3600.0])
def test_held_up_it_does_not_make_up_for_it(stall):
    """As after SIGSTOP and SIGCONT: the backlog is not followed, the platform has stopped, and takes the stream up again gently."""
    world, host = risen()
    before = world.legs[-1]
    arrived = [host.datagram() for _ in range(min(1000, round(stall / host.interval)))]
    host.sequence += max(0, round(stall / host.interval) - len(arrived))
    world.now += stall
    for data in arrived:
        world.give(data)
    world.times.append(world.now)
    world.legs.append(world.rig.body.limits[0]["legs"].copy())
    assert world.rig.body.without_stream
    assert world.rig.body.stage == "fade"
    most = 0.5 * float(P[0]["leg_speed"]) ** 2 / float(P[0]["leg_acceleration"])
    assert np.abs(world.legs[-1] - before).max() <= most, "at most the way to brake"
    if stall >= 0.5:
        assert (world.legs[-1] == before).all()
    world.rig.stale = False
    world.silence(0.05)
    world.stream(8.0, host)
    assert np.abs(world.rig.body.limits[0]["pose"] - host.packet().pose).max() < 5e-3
    assert world.rig.summary("x")["held_up"] == {"times": 1, "longest_s": pytest.approx(stall, abs=0.01)}
    assert "delayed 1 times" in report(world.rig.summary("x"))
    world.assert_within()


@pytest.mark.parametrize("stall", [0.6, 3.0])
def test_held_up_it_does_not_take_a_stranger_for_its_host(stall):
    """Who speaks first after SIGCONT is nobody's merit: the stream was not silent, nobody listened."""
    world, host = risen()
    other = Sender(OTHER, stream=2, phase=2.0)
    world.now += stall
    host.sequence += round(stall / host.interval)
    world.give(other.datagram(), other.source)
    world.rig.stale = False
    world.stream(6.0, other, host)
    assert world.rig.summary("x")["streams"] == 1
    assert np.abs(world.rig.body.limits[0]["pose"] - host.packet().pose).max() < 5e-3
    world.silence(0.6)
    world.stream(1.0, other)
    assert world.rig.summary("x")["streams"] == 2
    world.assert_within()


@pytest.mark.parametrize("seconds", [0.01, 0.03, 0.07, 0.2, 0.45, 0.6, 1.9, 2.5, 8.0])
def test_silences_of_every_length(seconds):
    world, host = risen()
    for _ in range(3):
        host.sequence += round(seconds / host.interval)
        world.silence(seconds)
        world.stream(2.5, host)
        assert not world.rig.body.without_stream
    assert world.rig.summary("x")["streams"] == 1
    world.assert_within()


def test_a_stop_flag_in_full_motion():
    world, host = risen()
    start = world.now
    world.give(host.datagram(stop=True))
    world.give(host.datagram(stop=True))
    world.wake()
    assert world.rig.body.stage == "neutral"
    world.silence(12.0)
    assert world.rig.body.parked
    world.assert_within()
    assert world.use(start)[2] <= world.use(start - 2.0)[2], "it runs out, it is not braked"
    assert world.rig.summary("x")["legs"]["within"], "the pose of a last packet is none to be followed"


@pytest.mark.parametrize("value", [1e308, -1e308, 1e6, 10.0, 5e-324])
def test_poses_that_no_platform_has(value):
    world, host = risen()
    world.stream(0.5, host, each=lambda _: host.datagram(pose=(value, -value, value, value, value, -value), legs=(value,) * 6))
    json.loads(json.dumps(world.rig.summary("x"), allow_nan=False))
    world.assert_within()
    world.stream(6.0, host)
    assert np.abs(world.rig.body.limits[0]["pose"] - host.packet().pose).max() < 0.02
    world.silence(12.0)
    assert world.rig.body.parked
    world.assert_within()


numbers = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.floats(-0.4, 0.4))
poses = st.tuples(*[numbers] * 6)
actions = st.one_of(
    st.tuples(st.just("stream"), st.sampled_from([0, 1]), st.floats(0.01, 1.5)),
    st.tuples(st.just("both"), st.just(0), st.floats(0.01, 0.8)),
    st.tuples(st.just("silence"), st.just(0), st.floats(0.001, 3.0)),
    st.tuples(st.just("burst"), st.integers(1, 400), st.sampled_from([0, 1])),
    st.tuples(st.just("stall"), st.just(0), st.floats(0.01, 30.0)),
    st.tuples(st.just("late"), st.integers(1, 40), st.floats(0.001, 0.06)),
    st.tuples(st.just("jump"), st.integers(0, 2**64 - 1), st.booleans()),
    st.tuples(st.just("poses"), st.lists(poses, min_size=1, max_size=4), st.integers(1, 60)),
    st.tuples(st.just("interval"), st.floats(min_value=0, exclude_min=True, allow_infinity=False, allow_nan=False), st.integers(1, 60)),
    st.tuples(st.just("replay"), st.integers(0, 500), st.integers(1, 200)),
    st.tuples(st.just("noise"), st.binary(max_size=300), st.integers(1, 50)),
    st.tuples(st.just("stop"), st.just(0), st.booleans()),
)


@settings(max_examples=25, deadline=None)
@given(script=st.lists(actions, min_size=1, max_size=8), seed=st.integers(0, 1000))
def test_anything_that_can_come(script, seed):
    world = World(seed)
    hosts = [Sender(HOST, 1, 0.05, 1.0), Sender(OTHER, 2, 0.3, 2.0, 0.01)]
    world.stream(1.0, hosts[0])
    for action, first, second in script:
        act(world, hosts, action, first, second)
    world.rig.go_to_rest(world.now)
    world.silence(9.0)
    assert world.rig.body.parked
    world.assert_within()
    json.dumps(world.rig.summary("x"), allow_nan=False)


def act(world, hosts, action, first, second):
    host = hosts[0]
    if action == "stream":
        world.stream(second, hosts[first])
    elif action == "both":
        world.stream(second, *hosts)
    elif action == "silence":
        world.silence(second)
    elif action == "burst":
        for _ in range(first):
            world.give(hosts[second].datagram(), hosts[second].source)
    elif action == "stall":
        world.wake(second)
    elif action == "late":
        for _ in range(first):
            world.give(host.datagram())
            world.wake(second)
    elif action == "jump":
        world.give(host.datagram(sequence=first), HOST if second else OTHER)
        host.sequence = min(host.sequence, 2**63)
    elif action == "poses":
        repeated = iter(first * second)
        world.stream(second * host.interval, host, each=lambda _: host.datagram(pose=next(repeated, first[0])))
    elif action == "interval":
        world.stream(second * host.interval, host, each=lambda _: host.datagram(interval=first))
    elif action == "replay":
        for data in host.sent[first : first + second]:
            world.give(data)
    elif action == "noise":
        for _ in range(second):
            world.give(first)
    elif action == "stop":
        world.give(host.datagram(stop=True), HOST if second else OTHER)


def test_memory_does_not_grow():
    """Packets with gaps and jitter; a list of a number of each would be a quarter of a megabyte."""
    receiver, host = Receiver(P), Sender()
    data = encode(host.packet())
    rng = random.Random(1)

    def take(first, count):
        for k in range(first, first + count):
            packet = replace(template, sequence=k)
            receiver.take(encode(packet), 0.004 * k + 0.001 * rng.random(), HOST) if rng.random() > 0.01 else None

    template = host.packet()
    assert receiver.take(data, 0.0, HOST) is not None
    take(2, 4500)
    tracemalloc.start()
    take(4502, 500)
    before = tracemalloc.get_traced_memory()[0]
    take(5002, 8000)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 60_000
    assert receiver.summary()["lost"] > 100


def test_percentiles_of_the_histogram():
    rng = np.random.default_rng(2)
    values = np.abs(rng.normal(0.0, 1e-3, 20000))
    spread = Spread()
    for value in values:
        spread.add(float(value))
    for share in (50.0, 99.0):
        assert spread.percentile(share) == pytest.approx(np.percentile(values, share), rel=0.07)
    assert spread.largest == values.max()
    assert spread.mean == pytest.approx(values.mean())
    assert Spread().percentile(50.0) == 0.0
