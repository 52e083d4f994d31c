"""Link to a peer by TCP, for a run in real time: nothing waits. A thread sends; a peer that reads slowly loses messages, and delays no tick."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections import deque
from collections.abc import Callable

from simulator.base.plugin_thread import share_python, take_priority
from simulator.port.link import MAX_AT_ONCE, MAX_REFUSALS, POLL
from simulator.port.messages import Body, Kind, LostFrameError, Message, Part, RefusedMessageError, encode_parts
from simulator.port.tcp_link import CHUNK, TcpLink

WAITING = 16 << 20
"""Bytes that may wait for the peer; a further message is dropped and counted. A single larger message passes if none waits."""
FLUSH = 2.0
"""s. Maximum time that `close` waits for a peer that still reads."""


class PacedTcpLink(TcpLink):
    """Link by TCP in real time, see `simulator.port.link.Link`, and `TcpLink` for parameters and errors."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        super().__init__(host, port, timeout)
        self._left, self._refusals = MAX_AT_ONCE, 0
        self._queue: deque[list[Part]] = deque()
        self._put = self._taken = 0  # bytes; each is written by one thread only
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._end_by: float | None = None
        self._thread: threading.Thread | None = None

    def wait_for_peer(self, keep_waiting: Callable[[], bool]) -> bool:
        """Wait for a connection that says HELLO, and close all others."""
        if not super().wait_for_peer(keep_waiting):
            return False
        assert self._peer is not None
        self._peer.setblocking(False)
        share_python(1)
        self._thread = threading.Thread(target=self._work, name="port", daemon=True)
        self._thread.start()
        return True

    def begin_period(self) -> None:
        """Allow a further MAX_AT_ONCE messages; called a hundred times a second."""
        self._left, self._refusals = MAX_AT_ONCE, 0
        self.gone = self.gone or self._silence.reason

    def receive(self, keep_waiting: Callable[[], bool]) -> Message | None:
        """Return the next message that has arrived; None: none, or enough for this period."""
        assert self._peer is not None
        while self._left > 0 and not self._is_cut and keep_waiting():
            self._left -= 1
            try:
                if (message := self._reader.next()) is not None:
                    return message
                data = self._peer.recv(CHUNK)
            except BlockingIOError:
                return None
            except LostFrameError as error:
                self.refuse(error)
                self._lose(f"the peer sent no message: {error}")
                return None
            except RefusedMessageError as error:
                self.refuse(error)
                continue
            except OSError as error:
                self._lose(f"the connection to the peer is lost ({error.strerror or error})")
                return None
            self._reader.feed(data)
            if not data:
                self._lose("the peer has closed the connection")
                return None
        return None

    def _lose(self, reason: str) -> None:
        self.gone, self._is_cut = self.gone or reason, True

    def send(self, kind: Kind, body: Body, time: float) -> None:
        """Let the thread send a message, or drop it if too much waits."""
        parts = encode_parts(kind, self._sequence, self.schema, time, body)
        self._sequence += 1
        size, waits = sum(map(len, parts)), self._put - self._taken
        if self._thread is None or (waits and waits + size > WAITING) or not self._thread.is_alive():
            self.dropped += 1
            return
        self._put += size
        self._queue.append(parts)
        self._wake.put(None)

    def refuse(self, error: RefusedMessageError) -> None:
        """Tell the peer that a message had no effect, unless there are many."""
        self._refusals += 1
        if self._refusals > MAX_REFUSALS:
            self.dropped += 1
            return
        super().refuse(error)

    def _work(self) -> None:
        """Send what waits until `close`; the body of the thread."""
        assert self._peer is not None
        with self._peer.dup() as out:  # of its own, because each side has its time limit
            out.settimeout(POLL)
            while self._end_by is None or self._queue:
                self._wake.get()
                take_priority()
                while self._queue:
                    parts = self._queue.popleft()
                    try:
                        for part in parts:
                            self._send_all(out, part)
                    except OSError as error:
                        self.gone = self.gone or f"the connection to the peer is lost ({error.strerror or error})"
                        self.dropped += 1 + len(self._queue)
                        return
                    self._taken += sum(map(len, parts))

    def _send_all(self, out: socket.socket, part: Part) -> None:
        """Send bytes, however long the peer takes before `close`. Raises OSError."""
        rest = memoryview(part)
        while rest:
            try:
                rest = rest[out.send(rest) :]
            except TimeoutError:
                if self._end_by is not None and time.monotonic() > self._end_by:
                    raise

    def close(self) -> None:
        """Send what waits, as far as the peer reads it, and release the sockets."""
        if self._thread is not None and self._end_by is None:
            self._end_by = time.monotonic() + FLUSH
            self._wake.put(None)
            self._thread.join(FLUSH + 1.0)
            share_python(-1)
        super().close()
