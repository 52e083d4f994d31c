"""What the links by TCP and UDP have in common: the peer's silence, refusals, numbering of the messages."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Protocol

from simulator.base.errors import StreamError
from simulator.port.messages import REFUSAL_HEAD, Body, Kind, Message, RefusedMessageError, encode

PATIENCE = "hint: a longer --timeout of `jounce serve`, or ALIVE"
"""Hint for a peer that is slow, or a person in a notebook."""
POLL = 0.1
"""s between two looks at signals while the link waits."""
MAX_AT_ONCE = 32
"""Maximum number of messages that are read in a driver period of 10 ms; a flood costs a tick no more than that."""
MAX_REFUSALS = 4
"""Maximum number of refusals in a driver period, each of which takes as long as three messages; further ones are dropped and counted."""


class Link(Protocol):
    """Connection to one peer.

    Attributes
    ----------
    gone : reason why there is no peer any more; empty while there is one
    schema : hash of the schema in the headers
    dropped : number of messages to the peer that were dropped
    """

    gone: str
    schema: int
    dropped: int

    @property
    def address(self) -> str:
        """Address at which the link listens, as HOST:PORT."""

    def wait_for_peer(self, keep_waiting: Callable[[], bool]) -> bool:
        """Wait for the HELLO of a peer; return False if `keep_waiting()` returned False."""

    def receive(self, keep_waiting: Callable[[], bool]) -> Message | None:
        """Return the next message of the peer; None: none so far, or none to come. Refuses what is no message. Never raises."""

    def send(self, kind: Kind, body: Body, time: float) -> None:
        """Send a message to the peer; `time`: simulated time [s]. The parts of the body must not change. Never raises."""

    def refuse(self, error: RefusedMessageError) -> None:
        """Tell the peer that a message had no effect. Never raises."""

    def heard(self) -> None:
        """Begin the time of silence again: the peer has sent a message that is valid, or has just been asked."""

    def close(self) -> None:
        """Release the sockets."""


class Silence:
    """Time since the last valid message of the peer.

    Parameters
    ----------
    timeout : [s]
    """

    def __init__(self, timeout: float) -> None:
        self._timeout, self._since = timeout, time.monotonic()

    def begin(self) -> None:
        """Begin again."""
        self._since = time.monotonic()

    @property
    def reason(self) -> str:
        """Reason why the peer counts as lost; empty before the timeout."""
        return f"the peer was silent for {self._timeout:g} s; {PATIENCE}" if time.monotonic() - self._since > self._timeout else ""


def refusal(error: RefusedMessageError) -> bytes:
    """Return the body of a refusal."""
    return REFUSAL_HEAD.pack(error.sequence, 0) + str(error).encode(errors="replace")


def early_refusal(error: RefusedMessageError, schema: int = 0) -> bytes:
    """Return the message that refuses a sender who is no peer."""
    return encode(Kind.REFUSED, 0, schema, 0.0, refusal(error))


def bound_socket(host: str, port: int, kind: socket.SocketKind) -> socket.socket:
    """Return a socket bound to an address. Raises StreamError."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=kind)[0]
    except (OSError, UnicodeError) as error:
        raise StreamError(f"port: {host}: unknown host ({error})") from None
    bound = socket.socket(family, kind)
    try:
        if kind == socket.SOCK_STREAM:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise StreamError(f"port: cannot listen at {host}:{port}: {error.strerror or error}") from None
    return bound
