"""Link to a peer by TCP, for a run in lock step: each side waits for the other one, but not longer than the timeout."""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from simulator.base.addresses import address_text, is_loopback
from simulator.port.link import POLL, Silence, bound_socket, early_refusal, refusal
from simulator.port.messages import Body, FrameReader, Kind, LostFrameError, Message, RefusedMessageError, encode

CHUNK = 65536
"""Maximum bytes of one read."""
MAX_CANDIDATES = 16
"""Maximum number of connections without a HELLO; a further one replaces the oldest."""
BACKLOG = 128


@dataclass
class _Candidate:
    """Connection that has not yet said HELLO."""

    reader: FrameReader = field(default_factory=FrameReader)
    since: float = field(default_factory=time.monotonic)


class TcpLink:
    """Link by TCP, see `simulator.port.link.Link`.

    Parameters
    ----------
    host, port : address at which the link listens; port 0: any free port
    timeout : s of silence after which the peer counts as lost

    Raises StreamError: the address cannot be used.
    """

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.gone, self.schema, self.dropped = "", 0, 0
        self._timeout, self._silence, self._sequence = timeout, Silence(timeout), 0
        self._listener = bound_socket(host, port, socket.SOCK_STREAM)
        self._listener.listen(BACKLOG)
        self._listener.setblocking(False)
        self.address, self.is_loopback = address_text(self._listener), is_loopback(self._listener.getsockname()[0])
        self._peer: socket.socket | None = None
        self._is_cut = False
        """True after a message that was not sent completely: nothing can follow it."""
        self._reader = FrameReader()

    def wait_for_peer(self, keep_waiting: Callable[[], bool]) -> bool:
        """Wait for a connection that says HELLO, and close all others."""
        candidates: dict[socket.socket, _Candidate] = {}
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            try:
                while self._peer is None and keep_waiting():
                    for key, _ in selector.select(POLL):
                        if key.fileobj is self._listener:
                            self._accept(selector, candidates)
                        elif key.fileobj in candidates:
                            self._read_candidate(selector, candidates, key.fileobj)  # type: ignore[arg-type]
                        if self._peer is not None:
                            break
                    for one in [one for one, about in candidates.items() if time.monotonic() - about.since > self._timeout]:
                        _drop(selector, candidates, one)
            finally:
                for one in list(candidates):
                    _drop(selector, candidates, one)
        self._listener.close()
        self._silence.begin()
        return self._peer is not None

    def _accept(self, selector: selectors.BaseSelector, candidates: dict[socket.socket, _Candidate]) -> None:
        try:
            one, _ = self._listener.accept()
        except OSError:  # the connection ended before it was accepted, or there are too many open files
            return
        if len(candidates) >= MAX_CANDIDATES:
            _drop(selector, candidates, next(iter(candidates)))
        one.setblocking(False)
        candidates[one] = _Candidate()
        selector.register(one, selectors.EVENT_READ)

    def _read_candidate(self, selector: selectors.BaseSelector, candidates: dict[socket.socket, _Candidate], one: socket.socket) -> None:
        """Read from a candidate; it becomes the peer with its HELLO, and is dropped with anything else."""
        reader = candidates[one].reader
        try:
            data = one.recv(CHUNK)
            reader.feed(data)
            message = reader.next()
            if message is not None and message.kind != Kind.HELLO:
                raise RefusedMessageError(f"{message.kind.name} before HELLO; expected HELLO first", message.sequence)
        except BlockingIOError:
            return
        except OSError:
            data, message = b"", None
        except RefusedMessageError as error:
            with contextlib.suppress(OSError):
                one.send(early_refusal(error))
            data, message = b"", None
        if not data:
            _drop(selector, candidates, one)
        elif message is not None:
            selector.unregister(one)
            del candidates[one]
            self._peer, self._reader = one, reader
            with contextlib.suppress(OSError):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def receive(self, keep_waiting: Callable[[], bool]) -> Message | None:
        """Wait for the next message. None: the peer is gone, or `keep_waiting()` returned False."""
        while not self.gone and keep_waiting():
            try:
                if (message := self._reader.next()) is not None:
                    return message
            except LostFrameError as error:
                self.refuse(error)
                self.gone = f"the peer sent no message: {error}"
            except RefusedMessageError as error:
                self.refuse(error)
            else:
                self._read()
            self.gone = self.gone or self._silence.reason
        return None

    def _read(self) -> None:
        """Wait a short time for bytes of the peer."""
        assert self._peer is not None
        self._peer.settimeout(min(POLL, self._timeout))
        try:
            data = self._peer.recv(CHUNK)
        except TimeoutError:
            return
        except OSError as error:
            self.gone = f"the connection to the peer is lost ({error.strerror or error})"
            return
        self._reader.feed(data)
        if not data:
            self.gone = "the peer has closed the connection"

    def send(self, kind: Kind, body: Body, time: float) -> None:
        """Send a message; a peer that does not read for the timeout is gone."""
        if self._peer is None or self._is_cut or (self.gone and kind != Kind.END):
            self.dropped += 1
            return
        data = encode(kind, self._sequence, self.schema, time, body)
        self._sequence += 1
        # a peer that is gone gets the end only if that does not take any time
        self._peer.settimeout(0.0 if self.gone else self._timeout)
        try:
            self._peer.sendall(data)
        except TimeoutError:
            self.dropped, self._is_cut = self.dropped + 1, True
            self.gone = self.gone or f"the peer did not read for {self._timeout:g} s"
        except OSError as error:
            self.dropped, self._is_cut = self.dropped + 1, True
            self.gone = self.gone or f"the connection to the peer is lost ({error.strerror or error})"

    def refuse(self, error: RefusedMessageError) -> None:
        """Tell the peer that a message had no effect."""
        self.send(Kind.REFUSED, refusal(error), 0.0)

    def heard(self) -> None:
        """Begin the time of silence again."""
        self._silence.begin()

    def close(self) -> None:
        """Release the sockets."""
        self._listener.close()
        if self._peer is not None:
            with contextlib.suppress(OSError):
                self._peer.shutdown(socket.SHUT_WR)
            self._peer.close()


def _drop(selector: selectors.BaseSelector, candidates: dict[socket.socket, _Candidate], one: socket.socket) -> None:
    """Close a connection that does not become the peer."""
    selector.unregister(one)
    del candidates[one]
    one.close()
