"""Is what a view reads exactly what the host wrote, and the keys the other way?"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.base.records import record
from simulator.view.shared_keys import KEYS, KeyReader, KeyWriter
from simulator.view.shared_state import STATE, ViewReader, ViewWriter, extras, interpolate
from vehicles.readout import READOUT

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def link():
    writer = ViewWriter()
    reader = ViewReader(writer.name)
    yield writer, reader
    reader.close()
    writer.close()


def filled(value: float):
    """A readout with the same number everywhere: a mixture of two of them is recognized."""
    readout = record(READOUT)
    for row in READOUT:
        readout[0][row[0]] = value
    return readout


def test_reader_sees_the_state_published_last(link):
    writer, reader = link
    assert not reader.read()
    extra = extras()
    extra[0]["message"] = "Größe".encode()
    extra[0]["overruns"] = 7
    writer.publish(filled(3.0), extra)
    writer.publish(filled(4.0), extra)
    assert reader.read()
    assert np.all(reader.last[0]["R_BK"] == 4.0) and np.all(reader.previous[0]["R_BK"] == 3.0)
    assert bytes(reader.last[0]["message"]).decode() == "Größe" and reader.last[0]["overruns"] == 7
    assert not reader.read(), "nothing new was published"


def test_no_state_is_torn_while_a_thread_writes(link):
    writer, reader = link
    stop = threading.Event()

    def write() -> None:
        n, extra = 0.0, extras()
        readout = filled(0.0)
        while not stop.is_set():
            n += 1.0
            readout[0] = filled(n)[0] if n < 3 else readout[0]
            readout.view(np.float64)[:] = n
            writer.publish(readout, extra)

    thread = threading.Thread(target=write)
    thread.start()
    seen, enough, end = 0, time.perf_counter() + 1.0, time.perf_counter() + 60.0
    try:
        while time.perf_counter() < (enough if seen > 20 else end):
            if reader.read():
                seen += 1
                check_whole(reader)
    finally:
        stop.set()
        thread.join()
    assert seen > 20


def test_no_state_is_torn_while_a_process_writes():
    code = (
        "import sys, threading, numpy as np\n"
        "from simulator.base.records import record\n"
        "from simulator.view.shared_state import ViewWriter, extras\n"
        "from vehicles.readout import READOUT\n"
        "w = ViewWriter(); r = record(READOUT); x = extras(); n = 0.0\n"
        "print(w.name, flush=True)\n"
        "end = threading.Thread(target=sys.stdin.readline); end.start()\n"
        "while end.is_alive():\n"
        "    n += 1.0; r.view(np.float64)[:] = n; w.publish(r, x)\n"
        "w.close()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdin and host.stdout
        reader = ViewReader(host.stdout.readline().strip())
        seen, enough, end = 0, time.perf_counter() + 1.5, time.perf_counter() + 60.0
        while time.perf_counter() < (enough if seen > 20 else end):
            if reader.read():
                seen += 1
                check_whole(reader)
        assert not reader.closed
        host.stdin.write("\n")
        host.stdin.flush()
        host.wait(60)
        assert reader.closed, "the host says when it leaves"
        reader.close()
    assert host.returncode == 0
    assert seen > 20


def check_whole(reader: ViewReader) -> None:
    last, previous = (r.view(np.uint8)[: record(READOUT).nbytes].view(np.float64) for r in (reader.last, reader.previous))
    assert np.all(last == last[0]), "a state mixed from two publications"
    assert np.all(previous == previous[0])
    assert last[0] - previous[0] == (1.0 if last[0] > 1.0 else 0.0), "the two states are neighbors"


def test_a_slot_changed_under_the_reader_is_noticed(link):
    writer, reader = link
    writer.publish(filled(1.0), extras())
    writer.publish(filled(2.0), extras())
    slot = writer._slots[2 % 4]
    slot["begin"] = 6
    assert not reader.read(), "the writer has begun to overwrite it"
    slot["begin"] = 2
    writer._payload[2 % 4][100] ^= 1
    assert not reader.read(), "the checksum disagrees"
    writer._payload[2 % 4][100] ^= 1
    assert reader.read()


def test_halfway_is_halfway(link):
    writer, reader = link
    a, b = filled(1.0), filled(3.0)
    a[0]["q_WB"], b[0]["q_WB"] = (1, 0, 0, 0), (-np.cos(0.2), 0, 0, -np.sin(0.2))
    a[0]["R_BK"], b[0]["R_BK"] = np.eye(3), np.eye(3)
    a[0]["yaw"], b[0]["yaw"] = 3.1, -3.1
    a[0]["gear"], b[0]["gear"] = 1, 2
    writer.publish(a, extras())
    time.sleep(0.01)
    writer.publish(b, extras())
    assert reader.read()
    state = reader.interpolated(reader._walls[1] + 0.5 * (reader._walls[1] - reader._walls[0]))
    assert state[0]["p_WB"] == pytest.approx(2.0)
    assert state[0]["q_WB"] == pytest.approx(np.array([np.cos(0.1), 0, 0, np.sin(0.1)]) * np.sign(state[0]["q_WB"][0]), abs=1e-6)
    assert np.cos(state[0]["yaw"]) == pytest.approx(-1.0), "the short way round"
    assert state[0]["gear"] == 2, "gears are not mixed"
    assert state[0]["R_BK"] == pytest.approx(np.broadcast_to(np.eye(3), (4, 3, 3)))


def test_nothing_is_interpolated_across_a_reset(link):
    writer, reader = link
    writer.publish(filled(1.0), extras())
    writer.jump()
    time.sleep(0.005)
    writer.publish(filled(100.0), extras())
    assert reader.read()
    early = reader._walls[0]
    assert np.all(reader.interpolated(early)[0]["p_WB"] == 100.0)


def test_wheel_orientation_stays_a_rotation():
    a, b, out = record(STATE), record(STATE), record(STATE)
    c, s = np.cos(0.3), np.sin(0.3)
    a[0]["R_BK"], b[0]["R_BK"] = np.eye(3), [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    interpolate(a, b, 0.4, out)
    for R in out[0]["R_BK"]:
        assert pytest.approx(np.eye(3), abs=1e-12) == R @ R.T
        assert np.linalg.det(R) == pytest.approx(1.0)


def test_unknown_and_foreign_blocks_are_refused():
    with pytest.raises(DeviceError, match="view block not found"):
        ViewReader("jounce-no-such-block")
    keys = KeyReader()
    with pytest.raises(DeviceError, match="another version"):
        ViewReader(keys.name)
    keys.close()
    writer = ViewWriter()
    writer._head["layout"] += np.uint64(1)
    with pytest.raises(DeviceError, match="another version"):
        ViewReader(writer.name)
    with pytest.raises(DeviceError, match="already in use"):
        ViewWriter(writer.name)
    writer.close()


def test_keys_arrive_and_taps_are_not_lost():
    host = KeyReader()
    view = KeyWriter(host.name)
    view.set("left", True)
    view.set("left", True)
    assert host.down("left") and not host.down("right")
    assert host.taps("left") == 1, "repeated key-down events are one press"
    for _ in range(3):
        view.set("reset", True)
        view.set("reset", False)
    assert not host.down("reset") and host.taps("reset") == 3 and host.taps("reset") == 0
    view.beat()
    assert host.frames == 1
    view.release_all()
    assert not any(host.down(key) for key in KEYS)
    assert not host.closed
    view.close()
    assert host.closed
    host.close()


def test_taps_count_on_when_the_counter_wraps():
    host = KeyReader()
    view = KeyWriter(host.name)
    for _ in range(2):
        for _ in range(200):
            view.set("selector_up", True)
            view.set("selector_up", False)
        assert host.taps("selector_up") == 200
    view.close()
    host.close()
