"""Does the console serve its page to those who may see it, pass on what they do, and survive what others send?"""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from console_rig import PATIENCE, Console, beating, say, until, wait_for

from simulator.console.state_block import StateBlock
from simulator.console.web_server import PAGE
from simulator.host.console_process import ConsoleProcess

PAGE_FILES = re.findall(r'(?:src|href)="(/[^"]+)"', (PAGE / "index.html").read_text(encoding="utf-8"))
"""Files that the page loads."""


def test_a_reader_of_the_block_sees_whole_states_only():
    block = StateBlock(16)
    try:
        reader = StateBlock(name=block.name)
        assert reader.read() is None
        block.begin()
        block.row[:] = 3
        assert reader.read() is None, "the drive is writing"
        block.end()
        assert reader.read().tolist() == 16 * [3] and reader.count == 1
        reader.add("stops")
        assert int(block.cells["stops"]) == 1
        reader.close()
    finally:
        block.close()


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(console):
    status, headers, _ = console.get(f"/?token={console.token}")
    assert (status, headers["location"]) == (303, "/")
    assert "HttpOnly" in headers["set-cookie"] and "SameSite=Strict" in headers["set-cookie"]
    assert console.token not in headers["set-cookie"]
    for path in ("/", *PAGE_FILES):
        status, headers, content = console.get(path, Cookie=console.cookie())
        assert status == 200 and len(content) > 50
        assert "default-src 'none'" in headers["content-security-policy"] and headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer" and "server" not in headers


@pytest.mark.parametrize("path", ["/", "/console.js", "/?token=", "/?token=x", "/?token=x&token=y", "/console.js?token=x"])
def test_without_token_and_cookie_there_is_no_page(console, path):
    assert console.get(path)[0] == 403
    assert console.get(path, Cookie=f"jounce_console_{console.port}=x")[0] == 403


def test_hostile_requests_get_nothing(console):
    cookie = console.cookie()
    assert console.get("/", Cookie=cookie, Host="evil.example")[0] == 421
    for path in ("/../../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/page/index.html", "/index.html", "//etc/passwd", "/" + 9000 * "a"):
        assert console.get(path, Cookie=cookie)[0] in (400, 404), path
    with suppress(ConnectionError, http.client.RemoteDisconnected):  # it does not read the body
        assert console.get("/", method="POST", body=10_000_000 * b"x", Cookie=cookie)[0] in (400, 405, 413)
    with socket.create_connection(("127.0.0.1", console.port), PATIENCE) as raw:
        raw.sendall(b"\x16\x03\x01nonsense\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 400")
    assert console.get("/", Cookie=cookie)[0] == 200


@pytest.mark.parametrize(
    "changed", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Cookie": "x=1"}, {"Cookie": "jounce_console_1=y"}]
)
def test_a_socket_of_another_page_is_refused(console, changed):
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus, match="403"):
        console.page(**changed)


def test_states_events_and_actions_pass_and_the_stop_has_a_cell_of_its_own(console):
    with console.page() as page, console.page() as viewer:
        hello = until(page, "hello")
        assert hello["title"] == "car" and [name for name, *_ in hello["columns"]] == ["time", "tick"]
        say(page, type="plot", columns=["tick", "time", "nothing"])
        assert until(page, "columns")["names"] == ["tick", "time"]
        assert until(page, "state")["v"] == [7, 1.5]
        console.publish(float("nan"), 8)
        assert until(page, "state")["v"] == [8, None]
        say(page, type="act", kind="pause", value=True)
        assert until(page, "refused")["kind"] == "pause"
        say(page, type="take")
        while until(page, "role")["role"] != "operator":
            pass
        assert int(console.block.cells["operator"]) == 1
        say(page, type="act", kind="pause", value=True)
        wait_for(lambda: console.acts == [("pause", True)])
        stops = int(console.block.cells["stops"])
        say(viewer, type="stop")
        wait_for(lambda: int(console.block.cells["stops"]) == stops + 1)
        console.process.tell({"type": "event", "kind": "collision", "tick": 3})
        assert until(viewer, "event")["kind"] == until(page, "event")["kind"] == "collision"
        before = int(console.block.cells["operator_beats"])
        with beating(page):
            wait_for(lambda: int(console.block.cells["operator_beats"]) > before + 5)
        say(page, type="hand over")
        wait_for(lambda: int(console.block.cells["operator"]) == 0)


def test_what_no_page_sends_ends_the_socket_and_not_the_console(console):
    from websockets.exceptions import ConnectionClosed

    for message in ("nonsense", b"\x00\x01", 100_000 * "x", '{"type": "arm"}'):
        with console.page() as page, pytest.raises(ConnectionClosed):
            page.send(message)
            while True:
                page.recv(PATIENCE)
    with console.page() as page:
        assert until(page, "hello")


def test_half_open_connections_are_closed_and_a_page_continues(console):
    with console.page() as page, beating(page):
        many = [socket.create_connection(("127.0.0.1", console.port), PATIENCE) for _ in range(300)]
        stops = int(console.block.cells["stops"])
        say(page, type="stop")
        wait_for(lambda: int(console.block.cells["stops"]) == stops + 1)
        for one in many:
            one.settimeout(PATIENCE)
            assert one.recv(1) == b"", "closed by the console"
            one.close()
    assert console.get("/", Cookie=console.cookie())[0] == 200


def test_a_taken_port_is_named(console):
    setup = {"block": console.block.name, "title": "", "states": [], "columns": [], "host": "127.0.0.1", "port": console.port, "token": "x"}
    second = ConsoleProcess(setup, lambda *act: None)
    wait_for(lambda: second.error)
    assert f"port {console.port}" in second.error
    second.close()
    assert not second.alive


def test_a_dead_process_costs_nothing(tmp_path):
    pytest.importorskip("uvicorn")
    console = Console()
    console.process._process.kill()
    wait_for(lambda: not console.process.alive)
    for n in range(1000):
        console.process.tell({"type": "event", "tick": n})
    began = time.monotonic()
    console.close()
    assert time.monotonic() - began < 3.0


HOST = """
import sys, time
sys.path[:0] = {paths!r}
from console_rig import Console
console = Console()
print(console.process.pid, console.block.name, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="shared memory without files")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_drive_leaves_neither_process_nor_memory(number):
    pytest.importorskip("uvicorn")
    host = subprocess.Popen([sys.executable, "-c", HOST.format(paths=sys.path)], stdout=subprocess.PIPE, text=True)
    pid, block = host.stdout.readline().split()
    assert (Path("/dev/shm") / block).exists() and Path(f"/proc/{pid}").exists()
    host.send_signal(number)
    host.wait(PATIENCE)
    wait_for(lambda: not (Path("/dev/shm") / block).exists())
    wait_for(lambda: not Path(f"/proc/{pid}").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z")
