"""Native motion packet: 188 bytes, little-endian, one UDP datagram each.

======  ========  ==============================================================================================
offset  type      content
======  ========  ==============================================================================================
0       4 bytes   ``JNCM``
4       u16       version, 1
6       u16       size of the packet in bytes, 188
8       u64       sequence, starts at 0, + 1 with every packet of a stream
16      u32       stream, identifier, different after each start of a sender
20      u8        state: 0 off, 1 parked, 2 rise, 3 neutral, 4 blend, 5 engaged, 6 paused, 7 park, 8 fault
21      u8        flags: 1 the simulation runs (not paused), 2 heartbeat (toggles with every packet), 4 the limiter acts,
                  8 last packet: the sender stops intentionally
22      u16       zero
24      f64       time between packets [s]; poses are at even intervals even if packets are not due at ticks
32      f64       simulated time [s]; constant during a pause, and may jump
40      f64 x 3   specific force at the driver's head in vehicle axes [m/s2], (0, 0, +g) at rest on level ground
64      f64 x 3   angular rate of the vehicle in its axes [rad/s]
88      f64 x 6   pose of the platform from neutral: x, y, z [m], roll, pitch, yaw [rad]
136     f64 x 6   lengths of the six legs [m]
184     u32       CRC-32 (as in zlib) of bytes 0 to 183
======  ========  ==============================================================================================

While the simulation does not run, and before the last packet, specific force and angular rate fade to those of a vehicle at rest. The
packets with the stop flag repeat the last pose, which is at rest by then. A receiver follows one stream from one address until the stream
is silent for half a second or has stopped.

Axes are ISO 8855: x forward, y left, z up; roll + = right side down, pitch + = nose down, yaw + = left.
Packets with infinite numbers or NaN are neither sent nor accepted.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.base.errors import StreamError

MAGIC = b"JNCM"
VERSION = 1
LAYOUT = "<4sHHQIBBHdd3d3d6d6dI"
_BODY = struct.Struct(LAYOUT[:-1])
_CRC = struct.Struct("<I")
SIZE = _BODY.size + _CRC.size

RUN, HEARTBEAT, LIMITED, STOP = 1, 2, 4, 8
LAST_STATE = 8


@dataclass(frozen=True)
class MotionPacket:
    """Content of a native packet; units and axes as in the table of this module."""

    sequence: int
    stream: int
    state: int
    run: bool
    interval: float
    time: float
    force: Sequence[float]
    rates: Sequence[float]
    pose: Sequence[float]
    legs: Sequence[float]
    limited: bool = False
    stop: bool = False


def encode(packet: MotionPacket) -> bytes:
    """Return the 188 bytes of a packet. Raises StreamError: a number in it is not finite or out of range."""
    numbers = (packet.interval, packet.time, *packet.force, *packet.rates, *packet.pose, *packet.legs)
    if not all(map(math.isfinite, numbers)):
        raise StreamError("motion packet: a number is not finite")
    if not 0 <= packet.state <= LAST_STATE:
        raise StreamError(f"motion packet: invalid state; expected 0 to {LAST_STATE}; got {packet.state}")
    flags = RUN * packet.run | HEARTBEAT * (packet.sequence & 1) | LIMITED * packet.limited | STOP * packet.stop
    try:
        body = _BODY.pack(MAGIC, VERSION, SIZE, packet.sequence, packet.stream, packet.state, flags, 0, *numbers)
    except struct.error as error:
        raise StreamError(f"motion packet: {error}") from None
    return body + _CRC.pack(zlib.crc32(body))


def decode(data: bytes) -> MotionPacket:
    """Return the content of a datagram. Raises StreamError with the reason unless it is a valid native packet."""
    if len(data) != SIZE:
        raise StreamError(f"motion packet: wrong length; expected {SIZE} bytes; got {len(data)}")
    if zlib.crc32(data[: _BODY.size]) != _CRC.unpack_from(data, _BODY.size)[0]:
        raise StreamError("motion packet: the CRC does not match")
    magic, version, size, sequence, stream, state, flags, zero, *numbers = _BODY.unpack_from(data)
    if (magic, version, size, zero) != (MAGIC, VERSION, SIZE, 0):
        raise StreamError(
            f"motion packet: wrong header; expected {MAGIC!r} version {VERSION} size {SIZE}; got {magic!r} version {version} size {size}"
        )
    if state > LAST_STATE or flags > RUN + HEARTBEAT + LIMITED + STOP or bool(flags & HEARTBEAT) != bool(sequence & 1):
        raise StreamError(f"motion packet: invalid state or flags; got state {state} and flags {flags} at sequence {sequence}")
    if not all(map(math.isfinite, numbers)):
        raise StreamError("motion packet: a number is not finite")
    if not numbers[0] > 0.0:
        raise StreamError(f"motion packet: invalid interval; expected more than 0 s; got {numbers[0]} s")
    return MotionPacket(
        sequence=sequence,
        stream=stream,
        state=state,
        run=bool(flags & RUN),
        interval=numbers[0],
        time=numbers[1],
        force=tuple(numbers[2:5]),
        rates=tuple(numbers[5:8]),
        pose=tuple(numbers[8:14]),
        legs=tuple(numbers[14:20]),
        limited=bool(flags & LIMITED),
        stop=bool(flags & STOP),
    )
