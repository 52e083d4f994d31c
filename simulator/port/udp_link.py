"""Link to a peer by UDP, for a run in real time: nothing waits. Unread datagrams stay in the kernel, which drops them when its buffer is full."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Callable

from simulator.base.addresses import address_text, is_loopback
from simulator.port.link import MAX_AT_ONCE, MAX_REFUSALS, POLL, Silence, bound_socket, early_refusal, refusal
from simulator.port.messages import MAGIC, MAX_BYTES, MAX_DATAGRAM, Body, Kind, Message, RefusedMessageError, decode, encode, is_newer

MAX_ANSWERS = 100
"""Maximum number of refusals to senders that are no peer."""


class UdpLink:
    """Link by UDP, see `simulator.port.link.Link`. After the HELLO of the peer, the kernel discards the datagrams of all other senders.

    Parameters
    ----------
    host, port : address at which the link listens; port 0: any free port
    timeout : s of silence after which the peer counts as lost

    Raises StreamError: the address cannot be used.
    """

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.gone, self.schema, self.dropped = "", 0, 0
        self._silence, self._sequence = Silence(timeout), 0
        self._socket = bound_socket(host, port, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self.address, self.is_loopback = address_text(self._socket), is_loopback(self._socket.getsockname()[0])
        self._peer: tuple | None = None
        self._left, self._refusals = MAX_AT_ONCE, 0
        self._latest_command: int | None = None
        self._answers = 0

    def wait_for_peer(self, keep_waiting: Callable[[], bool]) -> bool:
        """Wait for a HELLO."""
        while self._peer is None and keep_waiting():
            select.select([self._socket], [], [], POLL)
            try:
                data, sender = self._socket.recvfrom(MAX_BYTES + 1)
                self._meet(data, sender)
            except OSError:  # nothing to read, or an earlier answer was not received
                continue
        self._silence.begin()
        return self._peer is not None

    def _meet(self, data: bytes, sender: tuple) -> None:
        """Make the sender of a HELLO the peer; refuse other messages, and ignore what is none. Raises OSError."""
        try:
            message = decode(data)
            if message.kind != Kind.HELLO:
                raise RefusedMessageError(f"{message.kind.name} before HELLO; expected HELLO first", message.sequence)
        except RefusedMessageError as error:
            if data.startswith(MAGIC) and self._answers < MAX_ANSWERS:
                self._answers += 1
                self._socket.sendto(early_refusal(error), sender)
            return
        self._socket.connect(sender)
        self._peer = sender

    def begin_period(self) -> None:
        """Allow a further MAX_AT_ONCE datagrams; called a hundred times a second."""
        self._left, self._refusals = MAX_AT_ONCE, 0
        self.gone = self.gone or self._silence.reason

    def receive(self, keep_waiting: Callable[[], bool]) -> Message | None:
        """Return the next message that has arrived, also before the peer was lost; None: none, or enough for this period.

        Commands older than the latest are ignored.
        """
        while self._left > 0 and keep_waiting():
            self._left -= 1
            try:
                data, sender = self._socket.recvfrom(MAX_BYTES + 1)
            except BlockingIOError:
                return None
            except OSError as error:
                self._lose(error)
                continue
            if sender != self._peer:  # arrived before the HELLO of the peer
                continue
            try:
                message = decode(data)
            except RefusedMessageError as error:
                self.refuse(error)
                continue
            if message.kind != Kind.COMMAND:
                return message
            if self._latest_command is None or is_newer(message.sequence, self._latest_command):
                self._latest_command = message.sequence
                return message
        return None

    def send(self, kind: Kind, body: Body, time: float) -> None:
        """Send a message, or drop it if the kernel does not take it at once."""
        data = encode(kind, self._sequence, self.schema, time, body)
        if self._peer is None or len(data) > MAX_DATAGRAM:
            self.dropped += 1
            return
        self._sequence += 1
        try:
            self._socket.send(data)
        except BlockingIOError:
            self.dropped += 1
        except OSError as error:
            self.dropped += 1
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        if isinstance(error, ConnectionRefusedError):
            self.gone = self.gone or "the peer has closed its socket"

    def refuse(self, error: RefusedMessageError) -> None:
        """Tell the peer that a message had no effect, unless there are many."""
        self._refusals += 1
        if self._refusals > MAX_REFUSALS:
            self.dropped += 1
            return
        self.send(Kind.REFUSED, refusal(error), 0.0)

    def heard(self) -> None:
        """Begin the time of silence again."""
        self._silence.begin()

    def close(self) -> None:
        """Release the socket."""
        with contextlib.suppress(OSError):
            self._socket.close()
