"""Messages of the port, little-endian. A message is one UDP datagram, or a part of a TCP stream. All begin with the same 32 bytes.

======  ========  ==============================================================================================
offset  type      header
======  ========  ==============================================================================================
0       4 bytes   ``JNCP``
4       u16       version, 1
6       u16       kind, see `Kind`
8       u32       size of the message in bytes, header included
12      u32       sequence, + 1 with every message of a sender
16      u64       hash of the schema; of a message of the peer before it knows the schema: 0
24      f64       simulated time [s]; of a message of the peer: 0
======  ========  ==============================================================================================

The bodies of the kinds are described at `Kind`.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple

from vehicles.command import COMMAND

MAGIC = b"JNCP"
VERSION = 1
HEADER = struct.Struct("<4sHHIIQd")
STATE_HEAD = struct.Struct("<QII")
"""Tick, flags, and sequence of the latest command; the channels follow, an f64 each."""
REFUSAL_HEAD = struct.Struct("<II")
"""Sequence of the refused message, and zero; the reason follows in UTF-8."""
SENSOR_HEAD = struct.Struct("<ddII")
"""Time of the measurement and of its delivery [s], number of arrays, and zero; the arrays follow, each with its head."""
MAX_DIMENSIONS = 4
ARRAY_HEAD = struct.Struct("<II4IQ")
"""Index of the array in the schema, number of axes, their lengths (1 beyond the last axis), size [bytes]. The items follow, the last axis
fastest, and zeros up to a multiple of 8 bytes."""
COMMAND_BODY = struct.Struct(f"<{len(COMMAND)}d")

NO_MAGIC = f"no message; expected the bytes {MAGIC.decode()} at its begin"

PAUSED, RESTS = 1, 2
"""Flags of a state: the vehicle is paused; it rests after an incident."""
MAX_BYTES = 8192
"""Maximum size of a message of the peer. Larger: a peer may fill the memory. Smaller: faults with many keys do not fit."""
MAX_DATAGRAM = 60_000
"""Maximum size of a message of the host by UDP."""


Part = bytes | memoryview
"""Bytes of a body; a memoryview has items of one byte."""
Body = bytes | list[Part]


class Kind(IntEnum):
    """Kind of a message."""

    SCHEMA = 1
    """Host: answer to HELLO. Text in UTF-8, see `simulator.port.schema`."""
    STATE = 2
    """Host: u64 tick, u32 flags (PAUSED, RESTS), u32 sequence of the latest command, then each channel of the schema as an f64."""
    EVENT = 3
    """Host: an event of the session when it takes effect, as JSON (docs/events.md)."""
    REFUSED = 4
    """Host: u32 sequence of a message that had no effect, u32 zero, reason in UTF-8."""
    END = 5
    """Host: the run has ended and its log is complete. Reason in UTF-8."""
    SENSOR = 6
    """Host: a measurement at its delivery: SENSOR_HEAD, then each array with ARRAY_HEAD. Only if the user chose arrays."""
    HELLO = 16
    """Peer: first message, without a body."""
    COMMAND = 17
    """Peer: each part of the command in the order of the schema as an f64."""
    REQUEST = 18
    """Peer: an event, as JSON with "kind" and, if the kind has one, "value"."""
    ALIVE = 19
    """Peer: nothing to say yet, but still there. No body."""


BODY_SIZES = {Kind.HELLO: 0, Kind.COMMAND: COMMAND_BODY.size, Kind.ALIVE: 0}
"""Sizes of bodies of the peer that have one size [bytes]."""


class Message(NamedTuple):
    """A message of the peer with a valid header."""

    kind: Kind
    sequence: int
    schema: int
    body: bytes


class RefusedMessageError(Exception):
    """A message of the peer that has no effect; `sequence` is its sequence, 0 if unknown. The text is the reason."""

    def __init__(self, reason: str, sequence: int = 0) -> None:
        super().__init__(reason)
        self.sequence = sequence


class LostFrameError(RefusedMessageError):
    """The bytes are no message, so that nothing after them can be read."""


def encode(kind: Kind, sequence: int, schema: int, time: float, body: Body = b"") -> bytes:
    """Return the bytes of a message."""
    return b"".join(encode_parts(kind, sequence, schema, time, body))


def encode_parts(kind: Kind, sequence: int, schema: int, time: float, body: Body) -> list[Part]:
    """Return the bytes of a message in parts, without a copy of the body."""
    parts = [body] if isinstance(body, bytes) else body
    size = HEADER.size + sum(map(len, parts))
    return [HEADER.pack(MAGIC, VERSION, kind, size, sequence & 0xFFFFFFFF, schema, time), *parts]


def size_of(head: bytes) -> int:
    """Return the size of the message of the peer that begins with a header. Raises LostFrameError: it is no header."""
    magic, version, _, size, sequence, *_ = HEADER.unpack_from(head)
    if magic != MAGIC:
        raise LostFrameError(NO_MAGIC)
    if version != VERSION:
        raise LostFrameError(f"message of version {version}; expected version {VERSION}", sequence)
    if not HEADER.size <= size <= MAX_BYTES:
        raise LostFrameError(f"message of {size} bytes; expected {HEADER.size} to {MAX_BYTES} bytes", sequence)
    return int(size)


def decode(data: bytes) -> Message:
    """Return a complete message of the peer. Raises RefusedMessageError, LostFrameError."""
    if len(data) < HEADER.size:
        raise LostFrameError(f"message of {len(data)} bytes; expected a header of {HEADER.size} bytes")
    if (size := size_of(data)) != len(data):
        raise LostFrameError(f"message of {len(data)} bytes; expected {size}, as its header says", HEADER.unpack_from(data)[4])
    _, _, number, _, sequence, schema, _ = HEADER.unpack_from(data)
    kind = next((kind for kind in Kind if kind == number and kind >= Kind.HELLO), None)
    if kind is None:
        expected = ", ".join(f"{one.value} {one.name}" for one in Kind if one >= Kind.HELLO)
        raise RefusedMessageError(f"message of kind {number}; expected {expected}", sequence)
    body = data[HEADER.size :]
    expected_size = BODY_SIZES.get(kind, len(body))
    if len(body) != expected_size:
        raise RefusedMessageError(f"{kind.name} with a body of {len(body)} bytes; expected {expected_size} bytes", sequence)
    return Message(kind, sequence, schema, body)


class FrameReader:
    """Messages of a TCP stream."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._bytes += data

    def next(self) -> Message | None:
        """Return and remove the next complete message; None until there is one.

        Raises RefusedMessageError: the message was removed. LostFrameError: the stream cannot be read any further.
        """
        if not MAGIC.startswith(self._bytes[: len(MAGIC)]):  # before the header is complete, because no more may follow
            raise LostFrameError(NO_MAGIC)
        if len(self._bytes) < HEADER.size:
            return None
        size = size_of(bytes(self._bytes[: HEADER.size]))
        if len(self._bytes) < size:
            return None
        data = bytes(self._bytes[:size])
        del self._bytes[:size]
        return decode(data)


def is_newer(sequence: int, than: int) -> bool:
    """Return whether a sequence of 32 bits comes after another one, also over the end of the numbers."""
    return 0 < (sequence - than) & 0xFFFFFFFF < 0x80000000
