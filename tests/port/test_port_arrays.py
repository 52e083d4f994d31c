"""Do the arrays of sensors and of the map reach a client as the library has them, each before the state of its time, and does a slow peer cost no tick?"""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from port_peer import LIDAR, Peer

import jounce
from simulator.base.errors import ConfigError
from simulator.port.arrays import PortArray, array_rows, chosen_arrays, packed
from simulator.port.client import PortError, PortSchema
from simulator.port.messages import HEADER, Kind, encode
from simulator.port.paced_tcp_link import WAITING, PacedTcpLink
from simulator.sensors.contract import ArrayOutput

SENSORS = [{**LIDAR, "rate": 20, "latency": 0.03}, {**LIDAR, "name": "late", "rate": 25, "latency": 0.05, "deskewed": True}]
DEPTH = {"type": "camera", "name": "front", "images": ["depth"], "width": 64, "height": 36}
ALWAYS = lambda: True  # noqa: E731


def test_a_client_gets_the_measurements_of_the_library_before_the_state_of_their_time(serve):
    served = serve(settings=[("sensors", SENSORS)], state=("v_WB_B", "roof.points", "late.*", "map.state"), lock_step=20)
    sim = jounce.Simulation("hmmwv", "flat", sensors=SENSORS)
    times = {}
    with jounce.Client(served.address) as car:
        assert list(car.schema.arrays) == ["roof.points", "late.points", "late.points_deskewed", "map.window", "map.state"]
        sim.advance(0.0)
        for _ in range(20):
            sim.command(throttle=0.5, steering=0.3)
            sim.advance(0.02)
            state = car.step(throttle=0.5, steering=0.3)
            assert (state.time, state["v_WB_B_x"]) == (sim.time, sim["v_WB_B_x"])
            for name in ("roof", "late"):
                theirs, ours = car[name], sim.sensors[name]
                assert list(theirs) == list(ours.arrays)
                assert theirs.time == pytest.approx(ours.time, nan_ok=True) and theirs.delivered == pytest.approx(
                    ours.delivered, nan_ok=True
                )
                for array, values in theirs.items():
                    assert values.dtype == ours.arrays[array].dtype and values.tobytes() == ours.arrays[array].tobytes()
                times.setdefault(name, set()).add(theirs.time)
            x, y, cell = car["map"]["window"]
            ny, nx = car["map"]["state"].shape
            assert x < sim["p_WB_x"] < x + nx * cell and y < sim["p_WB_y"] < y + ny * cell
        assert len(times["roof"]) > 5 and car["map"].time > 0.0
        start = car.reset()
        assert start.time == 0.0 and math.isnan(car["roof"].time) and not car["roof"]
        assert car.step().v_WB_B_x == pytest.approx(0.0, abs=1e-3), "the command begins anew, too"
        with pytest.raises(KeyError, match=r"rof: no arrays of it; expected roof, late, map; hint: .*--state 'rof"):
            car["rof"]
        with pytest.raises(PortError, match=r"command: throttle: expected a number from 0 to 1; got 2"):
            car.step(throttle=2.0)
        assert car.step().time > 0.0, "a refused command changes nothing"
        with pytest.raises(PortError, match=r"unknown part 'throtle' \(did you mean throttle\?\)"):
            car.step(throtle=0.2)
        assert car.request("add_fault", {"type": "puncture", "wheel": "FL"})["value"]["name"] == "puncture_FL"
        with pytest.raises(PortError, match="wheel"):
            car.request("add_fault", {"type": "puncture", "wheel": "XX"})
        assert car.step(throttle=0.1).command > 0
    assert car.ended and not served.end().failed
    with pytest.raises(PortError, match="the run has ended"):
        car.step()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"state": ("roof.point",)},
            r"--state: .*expected roof.points, front.depth; got 'roof.point'; hint: did you mean roof.points",
        ),
        ({"state": ("roof.points",), "udp": True}, r"--state: roof.points: arrays do not fit .* hint: --real-time in place of --udp"),
        ({"state": ("front.color",)}, r"--state: .*expected roof.points, front.depth; got 'front.color'"),
        ({"state": ("front",)}, r"--state: .*got 'front'; hint: did you mean front\.\*\?"),
        ({"state": ("map.cells",)}, r"--state: .*map.window"),
        ({"mapper": "truth"}, r"--mapper: no array of its map is chosen"),
        ({"mapper": {"type": "truth", "cel": 1}, "state": ("map.cost",)}, r"--mapper: .*cel"),
    ],
)
def test_what_cannot_be_sent_is_one_line(serve, options, text):
    with pytest.raises(jounce.JounceError, match=text) as error:
        assert serve(settings=[("sensors", [LIDAR, DEPTH])], **options).address
    assert "\n" not in str(error.value)


def test_any_numbers_in_any_layout_arrive():
    """The schema and the bytes alone describe the array, also with big-endian, strided, empty and structured items of odd sizes."""
    point = np.dtype([("a", "u1"), ("b", ">f8"), ("c", "<i2", (3,))])
    values = {
        "wide": np.arange(24, dtype=">i4").reshape(2, 3, 4)[:, ::2],
        "flags": np.array([True, False, True]),
        "one": np.array(2.5),
        "none": np.zeros((0, 7), np.float32),
        "points": np.array([[(1, 2.5, (3, 4, 5)), (6, 7.5, (8, 9, 10))]], point),
    }
    outputs = [ArrayOutput(name, one.dtype, tuple("xyz"[: one.ndim]), "m", "S", name) for name, one in values.items()]
    arrays = chosen_arrays(["s.*"], {"s": outputs, "t": outputs})
    rows = [("jounce port", 1), *array_rows(arrays)]
    text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    client = object.__new__(jounce.Client)
    client.schema = PortSchema(text, 1)
    client._arrays = [(*name.split("."), one.dtype) for name, one in client.schema.arrays.items()]
    client.sensors = {}
    parts = packed(arrays, "s", 1.0, 1.25, values)
    client._take(bytearray(b"".join(parts)))
    data = client.sensors["s"]
    assert (data.time, data.delivered, list(data)) == (1.0, 1.25, list(values))
    for name, one in values.items():
        for field in one.dtype.names or (...,):
            assert np.array_equal(data[name][field], one[field]), (name, field)
    assert packed(arrays, "other", 1.0, 1.0, values) == packed(arrays, "s", 1.0, 1.0, {}) == []
    for bad in (np.dtype("O"), np.dtype([("nested", point)]), np.dtype("U4")):
        with pytest.raises(jounce.JounceError, match=r"--state: s\.bad: items of type"):
            chosen_arrays(["s.bad"], {"s": [ArrayOutput("bad", bad, ("x",), "", "", "")]})
    with pytest.raises(jounce.JounceError, match="5 axes; expected at most 4"):
        chosen_arrays(["s.bad"], {"s": [ArrayOutput("bad", "f4", tuple("abcde"), "", "", "")]})
    with pytest.raises(ConfigError, match="a session with a sensor that has arrays"):
        chosen_arrays(["roof.points"], {})
    assert PortArray("s", outputs[0]).name == "s.wide"


@pytest.fixture
def link():
    made = PacedTcpLink("127.0.0.1", 0, 5.0)
    yield made
    made.close()


def met(link):
    """A peer, after it has met the link."""
    peer = Peer(link.address)
    peer.send(Kind.HELLO)
    assert link.wait_for_peer(ALWAYS)
    link.begin_period()
    return peer


def test_a_peer_that_never_reads_costs_messages_and_no_time(link):
    """1000 images of 1 MB are dropped or wait, within a bound; the link does not send them itself. Then the peer reads, and gets later ones."""
    peer, image = met(link), memoryview(bytes(1_000_000))
    for _ in range(1000):
        link.send(Kind.SENSOR, [b"head", image], 0.0)
        assert link._put - link._taken <= WAITING
    assert link.dropped > 900 and not link.gone
    first = [peer.receive().sequence for _ in range(3)]
    assert first == [0, 1, 2]
    while peer.sequence >= 0 and link._put - link._taken > 0:
        peer.receive()
    link.send(Kind.STATE, b"after", 1.0)
    last = peer.until(Kind.STATE)[-1]
    assert last.body == b"after" and last.sequence == 1000, "the sequence shows how many were dropped"
    peer.close()


def test_a_message_larger_than_the_bound_passes_alone(link):
    peer, image = met(link), memoryview(bytes(WAITING + 8))
    link.send(Kind.SENSOR, [image], 0.0)
    assert len(peer.receive().body) == WAITING + 8 and link.dropped == 0
    peer.close()


def test_the_end_reaches_a_peer_that_reads_and_does_not_wait_for_one_that_does_not(link):
    peer = met(link)
    link.send(Kind.END, b"over", 0.0)
    link.close()
    assert peer.until(Kind.END)[-1].body == b"over"
    other = PacedTcpLink("127.0.0.1", 0, 5.0)
    stuck = met(other)
    for _ in range(20):
        other.send(Kind.SENSOR, [memoryview(bytes(1_000_000))], 0.0)
    began = time.monotonic()
    other.close()
    assert time.monotonic() - began < 20.0
    stuck.close()


def test_in_real_time_a_lost_garbled_or_flooding_peer_is_noticed(link):
    peer = met(link)
    for _ in range(100):
        peer.send(Kind.ALIVE)
    peer.raw(HEADER.pack(b"JNCP", 1, 77, 32, 9, 0, 0.0))
    heard, periods = 0, 0
    while heard < 100 and periods < 10_000:
        link.begin_period()
        periods += 1
        count = 0
        while link.receive(ALWAYS) is not None:
            count += 1
        heard += count
        assert count <= 32
    assert heard == 100 and periods >= 4
    peer.raw(encode(Kind.ALIVE, 1, 0, 0.0) + b"garbage")
    until_gone(link)
    assert link.gone.startswith("the peer sent no message")
    assert [one.kind for one in (peer.receive(), peer.receive())] == [Kind.REFUSED] * 2
    peer.close()


def test_in_real_time_a_peer_that_closes_is_gone(link):
    peer = met(link)
    peer.close()
    until_gone(link)
    assert link.gone == "the peer has closed the connection"
    link.send(Kind.STATE, b"", 0.0)


def test_in_real_time_a_silent_peer_is_gone():
    """Also one at the other end of a connection that is half open: it neither reads, sends nor closes."""
    link = PacedTcpLink("127.0.0.1", 0, 0.3)
    peer = met(link)
    until_gone(link)
    assert link.gone.startswith("the peer was silent for 0.3 s")
    link.close()
    peer.close()


def until_gone(link):
    began = time.monotonic()
    while not link.gone and time.monotonic() - began < 30.0:
        link.begin_period()
        link.receive(ALWAYS)
