"""Does the client name what is wrong with the simulator at the other end, and does it read any bytes without a traceback from inside a library?"""

from __future__ import annotations

import random
import socket
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest

import jounce
from simulator.port.client import PortError, State
from simulator.port.messages import ARRAY_HEAD, HEADER, SENSOR_HEAD, STATE_HEAD, Kind, encode
from vehicles.command import COMMAND

SCHEMA = "".join(
    "\t".join(map(str, row)) + "\n"
    for row in (
        ("jounce port", 1),
        ("info", "mode", "lock_step"),
        ("state", 0, "speed", "m/s", "B", "speed"),
        *(("command", n, row[0], row[2], "", row[3]) for n, row in enumerate(COMMAND)),
        ("array", 0, "roof.points", "V8", "columns,rings", "m", "S", "points"),
        ("field", 0, "x", "<f4", 0),
        ("field", 0, "label", "|u1", 4),
    )
)


def state(command=0, time=0.0, speed=1.5):
    return encode(Kind.STATE, 1, 7, time, STATE_HEAD.pack(0, 0, command) + struct.pack("<d", speed))


def sensor(columns=2, rings=3, size=None, index=0, count=1, data=bytes(48)):
    head = SENSOR_HEAD.pack(0.5, 0.6, count, 0)
    return encode(Kind.SENSOR, 1, 7, 0.6, head + ARRAY_HEAD.pack(index, 2, columns, rings, 1, 1, 48 if size is None else size) + data)


GREETING = encode(Kind.SCHEMA, 0, 7, 0.0, SCHEMA.encode()) + state()


@pytest.fixture
def simulator():
    """Starts a server that answers the n-th message of its client with the n-th bytes, and closes the connection after the last one."""
    threads = []

    def start(*answers, stays=False):
        listener = socket.create_server(("127.0.0.1", 0))
        done = threading.Event()

        def run():
            one, _ = listener.accept()
            with listener, one:
                for answer in answers:
                    if not one.recv(65536):
                        return
                    one.sendall(answer)
                if stays:
                    done.wait(60.0)

        threads.append((threading.Thread(target=run, daemon=True), done))
        threads[-1][0].start()
        return listener.getsockname()[1]

    yield start
    for thread, done in threads:
        done.set()
        thread.join(10.0)


def test_measurements_and_states_are_read(simulator):
    port = simulator(GREETING, sensor() + state(2, 0.6, 2.5), encode(Kind.END, 3, 7, 0.0, b"over"))
    with jounce.Client(port) as car:
        assert (car.state.speed, car.state["speed"], car.state.time, dict(car["roof"])) == (1.5, 1.5, 0.0, {})
        now = car.step(throttle=0.4, selector="reverse")
        assert now.speed == 2.5 and (car["roof"].time, car["roof"].delivered) == (0.5, 0.6)
        assert car["roof"]["points"].shape == (2, 3) and car["roof"]["points"]["x"].dtype == np.float32
        car["roof"]["points"]["x"] = 1.0  # memory of its own
    assert car.ended == "over"
    car.close()


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(
        PortError, match=rf"127\.0\.0\.1:{port}: no connection \(.*\); hint: start `jounce serve --port {port}` first, or another program"
    ):
        jounce.Client(port)
    for wrong in ("nowhere", "a:b", -1, 1 << 20, None):
        with pytest.raises(jounce.JounceError, match="address"):
            jounce.Client(wrong)


@pytest.mark.parametrize(
    ("greeting", "text"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n" + bytes(99), r"no message; expected the bytes JNCP.*is it the port of `jounce serve`"),
        (HEADER.pack(b"JNCP", 2, 1, 32, 0, 0, 0.0), r"the simulator speaks version 2 of the port; expected version 1"),
        (
            encode(Kind.REFUSED, 0, 0, 0.0, bytes(8) + b"message of version 1; expected version 2"),
            r"has refused this client: message of version 1",
        ),
        (encode(Kind.SCHEMA, 0, 0, 0.0, b"jounce port\t2\n"), r"expected `jounce port 1`; got 'jounce port 2'"),
        (encode(Kind.SCHEMA, 0, 0, 0.0, b"jounce port\t1\narray\tx\n"), r"schema: a line cannot be read"),
        (encode(Kind.SCHEMA, 0, 0, 0.0, SCHEMA.replace("<f4", "<q9").encode()), r"schema: a line cannot be read"),
        (HEADER.pack(b"JNCP", 1, 1, 31, 0, 0, 0.0), r"message of 31 bytes"),
        (HEADER.pack(b"JNCP", 1, 1, (1 << 30) + 1, 0, 0, 0.0), r"message of 1073741825 bytes; expected 32 to 1073741824 bytes"),
        (state(), r"message of kind 2; expected the schema first"),
        (b"JNCP", r"the simulator is lost \(it has closed the connection\)"),
        (encode(Kind.SCHEMA, 0, 7, 0.0, SCHEMA.encode()) + encode(Kind.END, 0, 7, 0.0, b"no\nroad"), r"the run has ended: no\\nroad"),
    ],
)
def test_what_is_no_run_of_this_version_is_refused(simulator, greeting, text):
    with pytest.raises(PortError, match=text) as error:
        jounce.Client(simulator(greeting))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "broken",
    [
        sensor(index=1),
        sensor(columns=3),
        sensor(size=1 << 60),
        sensor(size=47),
        sensor(count=2),
        sensor(columns=0xFFFFFFFF, rings=0xFFFFFFFF),
        sensor(data=bytes(10)),
        encode(Kind.SENSOR, 1, 7, 0.0, b"short"),
        encode(Kind.STATE, 1, 7, 0.0, bytes(20)),
        encode(Kind.EVENT, 1, 7, 0.0, b"[1]"),
        encode(Kind.EVENT, 1, 7, 0.0, b"{"),
        encode(Kind.REFUSED, 1, 7, 0.0, b"x"),
    ],
)
def test_a_broken_message_is_an_error_of_one_line(simulator, broken):
    with (
        pytest.raises(PortError, match="cannot be read") as error,
        jounce.Client(simulator(GREETING, broken + state(2))) as car,
    ):
        car.step()
    assert "\n" not in str(error.value)


def test_any_cut_or_changed_bytes_are_read_or_refused(simulator):
    """Cut and changed streams, with a fixed seed: a state, an error of one line, or a wait for more that ends with the timeout."""
    draw, whole = random.Random(5), sensor() + state(2, 0.6)
    for _ in range(60):
        data = bytearray(whole[: draw.randrange(len(whole))] if draw.random() < 0.3 else whole)
        for _ in range(draw.randrange(4)):
            if data:
                data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            with jounce.Client(simulator(GREETING, bytes(data)), timeout=5.0) as car:
                assert isinstance(car.step(), State)
        except PortError as error:
            assert "\n" not in str(error)


def test_a_simulator_that_goes_away_or_is_silent_is_lost(simulator):
    car = jounce.Client(simulator(GREETING))
    with pytest.raises(PortError, match="the simulator is lost"):
        for _ in range(3):
            car.step()
    with pytest.raises(PortError, match="the simulator is lost"):
        car.reset()
    car.close()
    assert car.ended.startswith("the simulator is lost (")
    car = jounce.Client(simulator(GREETING, stays=True), timeout=0.2)
    with pytest.raises(PortError, match=r"the simulator is lost \(no answer for 0\.2 s\)"):
        car.step()
    car.close()


def test_the_reason_of_the_end_is_named(simulator):
    car = jounce.Client(simulator(GREETING, encode(Kind.END, 2, 7, 0.0, b"the peer was silent for 5 s")))
    with pytest.raises(PortError, match="the run has ended: the peer was silent for 5 s"):
        car.step()
    with pytest.raises(PortError, match="the run has ended: the peer was silent for 5 s"):
        car.step()
    car.close()


def test_an_unknown_channel_is_named(simulator):
    car = jounce.Client(simulator(GREETING, stays=True), timeout=0.2)
    with pytest.raises(KeyError, match=r"sped: not in the state \(did you mean speed\?\)"):
        car.state["sped"]
    with pytest.raises(AttributeError, match="sped: not in the state"):
        assert car.state.sped
    car._socket.close()


def test_the_client_loads_no_simulator():
    code = "import sys, jounce; jounce.Client; print([one for one in sys.modules if one in ('numba', 'scipy', 'yaml', 'vehicles.vehicle')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "[]"
