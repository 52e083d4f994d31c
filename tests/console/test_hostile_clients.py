"""Is what no page does refused or dropped, and does the console stay alive for its pages?"""

from __future__ import annotations

import contextlib
import json
import math
import re
import socket
import time

import pytest
from console_rig import PATIENCE, beating, say, until, wait_for
from hostile_clients import FRAMES, PATHS, Attack, frame, heads, opened_socket, send

from simulator.console.station import RefusedError, Station


@pytest.fixture(scope="module")
def cookie(console):
    return console.cookie()


def is_alive(console, cookie):
    """Whether a page is served, and its stop arrives."""
    assert console.get("/", Cookie=cookie)[0] == 200
    with console.page() as page:
        assert until(page, "hello")
        stops = int(console.block.cells["stops"])
        say(page, type="stop")
        wait_for(lambda: int(console.block.cells["stops"]) == stops + 1)
    return True


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leaves_the_page(console, cookie, path):
    request = f"GET {path} HTTP/1.1\r\nHost: {console.host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    answer = send(console.port, request.encode("latin-1"))
    assert re.match(rb"HTTP/1.1 (400|403|404) ", answer), answer[:100]
    assert b"root:" not in answer and b"import " not in answer and b"<html" not in answer


@pytest.mark.parametrize("name", heads("x"))
def test_heads_with_two_meanings_get_nothing(console, cookie, name):
    """With the cookie, so that only the head is the reason."""
    head = heads(console.host)[name]
    first, _, rest = head.partition(b"\n")
    answer = send(console.port, first + b"\n" + (f"Cookie: {cookie}\r\n".encode() if first.rstrip().endswith(b"1.1") else b"") + rest)
    statuses = re.findall(rb"HTTP/1.1 (\d\d\d) ", answer)
    accepted = {"another host in the target", "folded line", "bare line ends", "another protocol"}  # one meaning for one server
    allowed = {b"400", b"403", b"404", b"405", b"413", b"421", b"426", b"431", b"505"} | ({b"200"} if name in accepted else set())
    assert set(statuses) <= allowed and statuses.count(b"200") <= 1, answer[:300]
    assert is_alive(console, cookie)


@pytest.mark.parametrize("name", FRAMES)
def test_frames_of_no_page_end_the_connection_and_no_other(console, cookie, name):
    with console.page() as page, opened_socket(console.port, cookie, console.host) as raw:
        raw.settimeout(PATIENCE)
        with contextlib.suppress(OSError):
            raw.sendall(FRAMES[name] + (b"" if "ping" not in name else 300 * FRAMES["a ping of 1 kB"]))
            while data := raw.recv(65536):
                if re.search(rb"\x88[\x02-\x7d]\x03[\xe8-\xff]", data):  # it closes, and would wait for ten seconds for the same
                    raw.shutdown(socket.SHUT_WR)
        assert until(page, "hello")
    assert is_alive(console, cookie)


def test_a_page_stays_alive_while_1000_connections_come_and_stay(console, cookie):
    held = []
    with console.page() as page, beating(page):
        for n in range(1000):
            with contextlib.suppress(OSError):
                held.append(socket.create_connection(("127.0.0.1", console.port), PATIENCE))
                if n % 3 == 0:
                    held[-1].sendall(b"GET / HTTP/1.1\r\nHost: ")
        slowest = 0.0
        for _ in range(20):
            stops, began = int(console.block.cells["stops"]), time.monotonic()
            say(page, type="stop")
            wait_for(lambda now=stops: int(console.block.cells["stops"]) == now + 1)
            slowest = max(slowest, time.monotonic() - began)
        for one in held:
            one.settimeout(PATIENCE)
            with contextlib.suppress(ConnectionError):
                while one.recv(4096):
                    pass
            one.close()
        assert slowest < 1.0
    assert is_alive(console, cookie)


def test_a_console_outlives_all_of_it_at_once(console, cookie):
    attack = Attack(console.port, cookie)
    with console.page() as page, beating(page):
        until_then = time.monotonic() + 5.0
        while time.monotonic() < until_then:
            stops = int(console.block.cells["stops"])
            say(page, type="stop")
            wait_for(lambda now=stops: int(console.block.cells["stops"]) > now)
            time.sleep(0.1)
    counts = attack.end()
    assert min(counts.values()) > 0
    assert console.acts == [], "an act without control"
    wait_for(lambda: is_alive(console, cookie))


def test_a_page_that_never_reads_is_disconnected_and_costs_no_memory(console, cookie):
    with opened_socket(console.port, cookie, console.host) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        raw.sendall(frame(1, b'{"type": "plot", "columns": ["time", "tick"]}'))
        before = _memory(console)
        for n in range(3000):
            console.process.tell({"type": "event", "kind": "pause", "tick": n, "value": 3000 * "x"})
            time.sleep(0.001)
        assert _memory(console) - before < 30_000, "kB"
    assert is_alive(console, cookie)


def _memory(console):
    with open(f"/proc/{console.process.pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


WRONG = (None, 1, -1.5, True, math.nan, math.inf, "", "x", 500 * "x", "\u0000", "\ud800", [], {}, [[]], {"type": "act"}, 10**400)


@pytest.mark.parametrize("field", ["type", "kind", "value", "columns", "names"])
@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: repr(value)[:12])
def test_wrong_types_in_every_field_are_refused_or_passed_on_as_json(field, wrong):
    acts = []
    for kind in ("beat", "stop", "plot", "pictures", "take", "hand over", "act"):
        station = Station(["time"], lambda *act: acts.append(act), lambda: None, lambda: None, lambda on: None)
        page = station.join(0.0)
        station.hear(page, '{"type": "take"}', 0.0)
        with contextlib.suppress(RefusedError):
            station.hear(
                page, json.dumps({"type": kind, "kind": "pause", "value": True, "columns": ["time"], "names": ["map"], field: wrong}), 0.0
            )
        assert set(page.columns) <= {"time"} and set(page.pictures) <= {"map"}
    for kind, value in acts:
        assert isinstance(kind, str) and json.dumps([kind, value], allow_nan=False).encode()


@pytest.mark.parametrize("value", ["NaN", "1e999", "-Infinity", '"\\ud800"', "[[[[[[[[[[1]]]]]]]]]]", "1" + 400 * "0"])
def test_only_json_reaches_the_drive(console, value):
    """Numbers and texts that JSON does not have end the connection, also of the operator."""
    from websockets.exceptions import ConnectionClosed

    with console.page() as page:
        say(page, type="take")
        while until(page, "role")["role"] != "operator":
            pass
        page.send('{"type": "act", "kind": "intensity", "value": ' + value + "}")
        with pytest.raises(ConnectionClosed):
            while True:
                page.recv(PATIENCE)
    assert console.acts == []
    with console.page() as page:
        wait_for(lambda: say(page, type="take") or until(page, "role")["role"] == "operator")
        say(page, type="hand over")
        wait_for(lambda: int(console.block.cells["operator"]) == 0)
