"""Clients of a console that do what no page does: raw requests, frames and floods. Used by tests and measurements."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
import time

PATHS = (
    "/../../../../etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/access.py", "/%252e%252e/access.py", "/..\\..\\access.py",
    "//etc/passwd", "/page/../access.py", "/vendor/../../access.py", "/console.js/../../access.py", "/console.js%00.html", "/%00", "/.git/config",
    "file:///etc/passwd", "/index.html", "/server.py", "/%c0%ae%c0%ae/access.py", "/" + 3000 * "a",
)  # fmt: skip
"""Paths that are no file of a page."""


def heads(host: str) -> dict[str, bytes]:
    """Requests on whose meaning two servers in a row may disagree, and other wrong heads, by name."""
    get, end = f"GET / HTTP/1.1\r\nHost: {host}\r\n".encode(), b"\r\n"
    smuggled = f"GET /console.js HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    return {
        "two lengths": get + b"Content-Length: 5\r\nContent-Length: 6\r\n" + end + b"hello",
        "length and chunks": get + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n" + end + b"0\r\n\r\n" + smuggled,
        "unknown encoding": get + b"Transfer-Encoding: xchunked\r\n" + end + b"0\r\n\r\n",
        "bad chunk": get + b"Transfer-Encoding: chunked\r\n" + end + b"zz\r\n",
        "negative length": get + b"Content-Length: -1\r\n" + end,
        "two hosts": get + b"Host: evil.example\r\n" + end,
        "no host": b"GET / HTTP/1.1\r\n" + end,
        "host of another": b"GET / HTTP/1.1\r\nHost: evil.example\r\n" + end,
        "another host in the target": f"GET http://evil.example/ HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(),
        "space before the colon": get + b"Cookie : x=1\r\n" + end,
        "folded line": get + b"X: a\r\n b\r\n" + end,
        "line without a colon": get + b"nonsense\r\n" + end,
        "control characters": get + b"X: a\x00b\r\n" + end,
        "bare line ends": get.replace(b"\r\n", b"\n") + b"\n",
        "endless head": get + b"X: " + 200_000 * b"a",
        "many lines": get + 20_000 * b"X: a\r\n" + end,
        "another version": f"GET / HTTP/9.9\r\nHost: {host}\r\n\r\n".encode(),
        "another method": f"TRACE / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(),
        "tunnel": f"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(),
        "post": f"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 10000000\r\n\r\n".encode() + 100_000 * b"x",
        "handshake of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + 300 * b"\x00",
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "another protocol": get + b"Connection: Upgrade\r\nUpgrade: h2c\r\n" + end,
        "old socket": get.replace(b"GET /", b"GET /live")
        + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
        + end,
        "socket without a key": get.replace(b"GET /", b"GET /live") + b"Connection: Upgrade\r\nUpgrade: websocket\r\n" + end,
    }


def frame(
    opcode: int, payload: bytes = b"", masked: bool = True, last: bool = True, claimed: int | None = None, reserved: int = 0
) -> bytes:
    """A frame of a socket; `claimed`: length in its head."""
    length = len(payload) if claimed is None else claimed
    short = length if length < 126 else 126 if length < 1 << 16 else 127
    more = b"" if length < 126 else struct.pack(">H", length) if length < 1 << 16 else struct.pack(">Q", length)
    head = bytes([(128 if last else 0) | reserved | opcode, (128 if masked else 0) | short]) + more
    if not masked:
        return head + payload
    key = b"\x01\x02\x03\x04"
    return head + key + bytes(byte ^ key[n % 4] for n, byte in enumerate(payload))


FRAMES = {
    "a length of 2^62": frame(2, b"x", claimed=1 << 62),
    "10 MB": frame(1, b"x", claimed=10_000_000) + 200_000 * b"x",
    "not masked": frame(1, b'{"type": "beat"}', masked=False),
    "reserved bit": frame(1, b'{"type": "beat"}', reserved=0x40),
    "unknown kind": frame(3, b"x"),
    "a rest without a beginning": frame(0, b"x"),
    "no UTF-8": frame(1, b"\xff\xfe"),
    "a ping of 1 kB": frame(9, 1000 * b"x"),
    "a ping in parts": frame(9, b"x", last=False),
    "a message in endless parts": frame(1, 1000 * b"x", last=False) + 10 * frame(0, 1000 * b"x", last=False),
    "bytes": frame(2, b"\x00\x01"),
    "deep JSON": frame(1, 4000 * b"["),
    "nonsense": os.urandom(4096),
}
"""What no page sends through an open socket; each ends the connection."""


def send(port: int, data: bytes, seconds: float = 20.0) -> bytes:
    """Answer to raw bytes until the console closes the connection, or is silent for a second after an answer."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), seconds) as raw, contextlib.suppress(OSError):
        raw.sendall(data)
        raw.settimeout(seconds)
        while part := raw.recv(65536):
            received += part
            raw.settimeout(1.0)
    return received


def opened_socket(port: int, cookie: str, host: str) -> socket.socket:
    """A raw connection after the handshake of a page's socket."""
    raw = socket.create_connection(("127.0.0.1", port), 20.0)
    head = (
        f"GET /live HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    )
    raw.sendall(f"{head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())
    answer = raw.recv(4096)
    assert answer.startswith(b"HTTP/1.1 101"), answer[:200]
    return raw


class Attack:
    """All of it at once, from threads, until `end`: floods of requests, of connections, and, with a cookie, of messages and slow readers."""

    def __init__(self, port: int, cookie: str = "") -> None:
        self._port, self._cookie, self._host = port, cookie, f"127.0.0.1:{port}"
        self._ended = threading.Event()
        self.counts = {"requests": 0, "connections": 0, "messages": 0}
        works = [self._request, self._connect, *([self._flood, self._read_slowly] if cookie else [])]
        self._threads = [threading.Thread(target=self._repeat, args=(work,), daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def end(self) -> dict[str, int]:
        """End it; return how much was sent."""
        self._ended.set()
        for thread in self._threads:
            thread.join(30.0)
        return self.counts

    def _repeat(self, work) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(OSError, AssertionError):
                work()

    def _request(self) -> None:
        for data in heads(self._host).values():
            with socket.create_connection(("127.0.0.1", self._port), 1.0) as raw:
                raw.sendall(data)
            self.counts["requests"] += 1

    def _connect(self) -> None:
        """Hold 200 connections that say nothing, or half a line."""
        held = []
        try:
            for n in range(200):
                held.append(socket.create_connection(("127.0.0.1", self._port), 1.0))
                if n % 2:
                    held[-1].sendall(b"GET / HT")
                self.counts["connections"] += 1
            self._ended.wait(1.0)
        finally:
            for one in held:
                one.close()

    def _flood(self) -> None:
        with opened_socket(self._port, self._cookie, self._host) as raw:
            for _ in range(1000):
                raw.sendall(frame(1, b'{"type": "act", "kind": "reset"}') + frame(9, b"x"))
                self.counts["messages"] += 2

    def _read_slowly(self) -> None:
        with opened_socket(self._port, self._cookie, self._host) as raw:
            raw.sendall(frame(1, b'{"type": "plot", "columns": ["time"]}'))
            until = time.monotonic() + 7.0
            while time.monotonic() < until and not self._ended.wait(0.1):
                pass
