"""Is the stream in step with the ticks, without invalid numbers or delays of the tick, and does the receiver evaluate it correctly?"""

import contextlib
import math
import socket
import struct
from types import SimpleNamespace

import numpy as np
import pytest
from cueing_scenes import REST, STILL, H, cueing, engaged, hard_drive, platform
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.base.errors import StreamError
from simulator.base.records import record
from simulator.base.registry import KindChoice
from simulator.host.platform_park import close_together
from simulator.motion.protocols.native_packet import decode, encode
from simulator.motion.stream import LAST_PACKETS, MotionStream
from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.session import is_due
from simulator.virtual_platform.receiver import Receiver
from tests.motion.still_packet import still_packet
from vehicles.readout import READOUT


@pytest.fixture
def listener():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        s.settimeout(2.0)
        yield s


def read_all(listener):
    listener.settimeout(0.2)
    found = []
    while True:
        try:
            found.append(listener.recv(2048))
        except TimeoutError:
            return found


def readout(k=0):
    r = record(READOUT)
    r[0]["time"] = k * H
    r[0]["q_WB"] = (1.0, 0.0, 0.0, 0.0)
    r[0]["f_H_B"] = REST
    return r


def test_one_packet_every_fourth_tick_then_the_stop(listener):
    motion = cueing()
    stream = MotionStream(port=listener.getsockname()[1], rate=250)
    for k in range(1, 41):
        stream.publish(readout(k), motion, run=True)
    stream.close()
    packets = [decode(data) for data in read_all(listener)]
    assert [p.sequence for p in packets] == list(range(10 + LAST_PACKETS))
    assert [p.time for p in packets[:10]] == pytest.approx([4 * H * (k + 1) for k in range(10)])
    assert [p.stop for p in packets] == [False] * 10 + [True] * LAST_PACKETS
    assert [p.run for p in packets] == [True] * 10 + [False] * LAST_PACKETS
    assert packets[0].interval == pytest.approx(0.004)
    assert packets[0].legs == pytest.approx(motion.legs)
    assert packets[0].pose == pytest.approx(motion.pose)


def test_a_broken_vehicle_does_not_reach_the_wire(listener):
    motion = cueing()
    stream = MotionStream(port=listener.getsockname()[1], rate=1000)
    r = readout(1)
    r[0]["f_H_B"] = (math.nan, 0.0, math.inf)
    r[0]["w_WB_B"] = (0.0, math.nan, 0.0)
    stream.publish(r, motion, run=True)
    r[0]["time"] = math.nan
    stream.publish(r, motion, run=True)
    packets = [decode(data) for data in read_all(listener)]
    assert len(packets) == 1
    assert packets[0].force == pytest.approx(REST, abs=1e-12)
    assert (stream.sent, stream.errors) == (1, 1)
    stream.close()


def test_codemasters_packets_at_their_rate(listener):
    stream = MotionStream(port=listener.getsockname()[1], protocol=KindChoice("codemasters"))
    for k in range(1, 101):
        stream.publish(readout(k), cueing(), run=True) if k % 10 == 0 else stream.publish(readout(k), None, run=True)
    stream.close()
    packets = read_all(listener)
    assert len(packets) == 10
    assert {len(data) for data in packets} == {264}


def test_streams_of_different_rates_come_evenly_and_end_with_rest():
    """60 and 144 packets a second in ticks of a millisecond: none doubled, none lost, and less than a tick from where they should be."""
    rates = {"forza": 60.0, "outsim": 144.0, "outgauge": 50.0}
    at = {"forza": 4, "outsim": 0, "outgauge": 0}
    with contextlib.ExitStack() as stack:
        rigs = {name: stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for name in rates}
        for rig in rigs.values():
            rig.bind(("127.0.0.1", 0))
            rig.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        motion = engaged()
        streams = [MotionStream(port=rigs[name].getsockname()[1], protocol=KindChoice(name), rate=rate) for name, rate in rates.items()]
        outlets = [MotionStreamOutlet(stream) for stream in streams]
        session = SimpleNamespace(readout=None, cueing=motion, moves=True, tick=0)
        for tick in range(1, 2001):
            session.tick, session.readout = tick, readout(tick)
            session.readout[0]["v_WB_B"] = (20.0, 0.0, 0.0)
            for outlet in outlets:
                if is_due(outlet, tick):
                    outlet.publish(session)
        close_together(outlets)
        for name, rate in rates.items():
            data = read_all(rigs[name])
            times = np.array([struct.unpack_from("<I", one, at[name])[0] for one in data[: round(2 * rate)]])
            assert len(np.unique(times)) == round(2 * rate)
            assert np.abs(times - 1000.0 * np.arange(1, len(times) + 1) / rate).max() < 1.0
            assert len(data) > round(2 * rate) + LAST_PACKETS, "the speed has faded before silence"
            speeds = [struct.unpack_from("<f", one, {"forza": 40, "outsim": 44, "outgauge": 12}[name])[0] for one in data]
            assert max(speeds) == pytest.approx(20.0)
            assert speeds[-LAST_PACKETS:] == [0.0] * LAST_PACKETS
            if name == "forza":
                flags = [struct.unpack_from("<i", one, 0)[0] for one in data]
                assert flags == [1] * 120 + [0] * (len(data) - 120)


def test_poses_of_an_uneven_rate_are_those_of_even_times():
    """Between two ticks they lie on the straight way, legs and pose agree, and a receiver finds no speed that was not there."""
    motion, rate, poses = engaged(), 144.0, []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rig:
        rig.bind(("127.0.0.1", 0))
        rig.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        stream = MotionStream(port=rig.getsockname()[1], rate=rate)
        receiver = Receiver(platform())
        poses.append(motion.pose.copy())
        for k, force in enumerate(hard_drive(2000), 1):
            motion.step(force, STILL, True, H)
            poses.append(motion.pose.copy())
            stream.publish(readout(k), motion, run=True)
        packets = [receiver.take(data, k / rate) for k, data in enumerate(read_all(rig))]
        stream.close(lambda _: None)
    even = np.arange(1, 289) / rate / H
    between = np.array([np.interp(even, np.arange(2001), column) for column in np.transpose(poses)]).T
    assert np.array([packet.pose for packet in packets]) == pytest.approx(between, abs=1e-9)
    assert np.abs(np.diff(between, axis=0)).max() > 5e-4, "it moves"
    summary = receiver.summary()["legs"]
    assert summary["within"]
    assert summary["pose_error_m"] < 1e-12


def test_a_stream_to_this_machine_is_bound_to_it():
    stream = MotionStream("127.0.0.1", 9)
    assert stream._socket.getsockname()[0] == "127.0.0.1"
    stream.close()


def test_answers_are_heard_from_where_packets_go():
    """The base says that it idles and is told to engage."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as base:
        base.bind(("127.0.0.1", 0))
        base.settimeout(2.0)
        stream = MotionStream(port=base.getsockname()[1], protocol=KindChoice("moog", {"armed": 1}))
        for expected in (170, 180):
            stream.send(readout(1), engaged(), run=True)
            data, sender = base.recvfrom(64)
            assert struct.unpack_from(">I", data) == (expected,)
            base.sendto(struct.pack(">3I7f", 0, 0, 0x21, *(0.0,) * 7), sender)
        stream.close(lambda _: None)


def test_errors_of_the_network_are_counted_not_raised():
    stream = MotionStream("127.0.0.1", 9, rate=1000)
    stream._socket.close()
    stream.publish(readout(), cueing(), run=True)
    assert (stream.sent, stream.errors) == (0, 1)
    stream.close()


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 0), ("127.0.0.1", 70000), ("no.such.host.invalid", 42400), ("", 42400)][:3])
def test_addresses_that_cannot_be_used(host, port):
    with pytest.raises(StreamError, match="motion stream"):
        MotionStream(host, port)


def packets_of_a_drive(count, interval=0.004):
    """Native packets of the end of a hard drive, one per `interval`."""
    motion = engaged()
    every = round(interval / H)
    found = []
    for k, force in enumerate(hard_drive(count * every)):
        motion.step(force, STILL, True, H)
        if (k + 1) % every == 0:
            found.append(
                still_packet(
                    sequence=len(found),
                    state=motion.procedure.state_number,
                    interval=interval,
                    time=k * H,
                    force=tuple(force),
                    pose=tuple(motion.pose),
                    legs=tuple(motion.legs),
                )
            )
    return found


def test_receiver_finds_the_legs_inside_and_consistent():
    receiver = Receiver(platform())
    for k, packet in enumerate(packets_of_a_drive(1500)):
        assert receiver.take(encode(packet), 0.004 * k) == packet
    summary = receiver.summary()
    assert summary["received"] == 1500
    assert (summary["lost"], summary["reordered"], summary["duplicate"], summary["corrupt"]) == (0, 0, 0, 0)
    assert summary["rate_hz"] == pytest.approx(250.0)
    assert summary["jitter_ms"]["max"] == pytest.approx(0.0, abs=1e-6)
    assert summary["legs"]["within"]
    assert summary["legs"]["pose_error_m"] < 1e-12
    assert max(summary["legs"]["stroke_high"]) > 0.6


def test_receiver_notices_legs_that_leave_their_limits():
    rest = platform()
    legs = np.full(6, float(rest[0]["neutral_leg"]))
    receiver = Receiver(rest)
    for k in range(3):
        moved = legs + (0.01 if k == 2 else 0.0)
        receiver.take(
            encode(still_packet(sequence=k, legs=tuple(moved))),
            0.004 * k,
        )
    assert not receiver.summary()["legs"]["within"]


@settings(max_examples=60, deadline=None)
@given(order=st.lists(st.integers(0, 30), max_size=60), broken=st.integers(0, 5))
def test_receiver_counts_whatever_the_network_does(order, broken):
    """Packets in any order, some missing, some often: newest only are handed on, and the counts add up."""
    receiver = Receiver(platform())
    legs = (0.85,) * 6
    handed = []
    for k, sequence in enumerate(order):
        data = encode(still_packet(sequence=sequence, stream=9, legs=legs))
        packet = receiver.take(data, 0.004 * k)
        if packet is not None:
            handed.append(packet.sequence)
    for k in range(broken):
        assert receiver.take(bytes([k]) * 188, 1.0) is None
    first = order[0] if order else 0
    seen = {s for s in order if s >= first}
    summary = receiver.summary()
    assert handed == sorted(set(handed))
    assert summary["received"] == len(seen)
    assert summary["reordered"] == len(seen) - len(handed)
    assert summary["lost"] == (max(seen) - first + 1 - len(seen) if seen else 0)
    assert summary["duplicate"] == len(order) - len(seen)
    assert summary["corrupt"] == broken
