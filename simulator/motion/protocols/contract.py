"""What a protocol is: it turns what is said of platform and vehicle into the bytes of one datagram.

Pause, reset, faults and the end are the same for all protocols: what is said has been through fade and limiter, and is finite. A shipped
protocol is called in the tick. One from outside works beside the ticks (`simulator.base.plugin_thread`), so its packets leave one packet later;
one that raises, is slow, or packs a number that is not finite is dropped: nothing is sent any more, and the receiver sees silence.
"""

from __future__ import annotations

import math
import struct
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import StreamError
from simulator.base.fields import from_mapping
from simulator.base.records import Ranges, Record, Table
from simulator.base.registry import making
from simulator.motion.protocols.native_packet import MotionPacket

CONTRACT = 1
"""Version of what stands above and of the classes below."""


class Said(NamedTuple):
    """What a packet may say."""

    packet: MotionPacket
    """Of the platform: state, pose, legs; specific force and rates of the vehicle; see native_packet.py."""
    readout: Record
    """READOUT of the vehicle, faded while it does not drive."""
    jounce_speed: NDArray[np.float64]
    """(4,) rate of its jounce [m/s]."""


class Engine(NamedTuple):
    """What a rig's dashboard wants to know of the vehicle."""

    highest_rpm: float = 0.0
    idle_rpm: float = 0.0
    gears: int = 0


NO_ENGINE = Engine()


@dataclass(frozen=True)
class ProtocolSettings:
    """What an encoder is made of."""

    parameters: Record
    """Of the protocol's own table."""
    engine: Engine
    interval: float
    """Time between packets [s]; the mean where they do not come at whole ticks."""
    vehicle: str = ""
    """Its name."""


Encoder = Callable[[Said], bytes]
"""Bytes of a packet. Raises StreamError when a number in it is not finite."""


@runtime_checkable
class Listening(typing.Protocol):
    """A shipped encoder that also takes the datagrams which come back from where its packets go."""

    failing: str
    """Why the receiver does not do what it is told; empty while it does."""

    def hear(self, data: bytes) -> None:
        """One of them, before the next packet is made. Never raises."""


@dataclass(frozen=True)
class ProtocolKind:
    """A protocol as it is registered."""

    name: str
    rate: int
    """Packets per second. Rig software is used to 60 to 100; a native receiver may have more."""
    port: int
    poses: bool
    """It carries the pose of the platform: its receiver can be parked by the stream, and is told when the stream ends."""
    make: Callable[[ProtocolSettings], Encoder]
    layout: str | None
    """Format of `struct` by which every packet is looked through for numbers that are not finite, for example "<66f". None: the packets
    are not of one layout, and the encoder alone answers for their numbers."""
    contract: int
    """CONTRACT it was written for."""
    parameters: Table = ()
    """Of its own."""
    ranges: Ranges = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    meaning: str = ""
    """One line for a list of protocols."""


def encoder_of(
    protocol: ProtocolKind, said: Mapping[str, Any], file: object, engine: Engine, interval: float, vehicle: str = ""
) -> Encoder:
    """The encoder of a protocol, its parameters as the mapping says. Raises ConfigError, JounceError: it cannot be made."""
    parameters = from_mapping(protocol.parameters, said, file, "", protocol.defaults, protocol.ranges)
    with making(f"protocol {protocol.name}"):
        return protocol.make(ProtocolSettings(parameters, engine, interval, vehicle))


def checked(protocol: ProtocolKind, encode: Encoder) -> Encoder:
    """The encoder, its packets looked through. What it gives raises StreamError unless it is a packet of the layout, all of it finite."""
    layout = None if protocol.layout is None else struct.Struct(protocol.layout)

    def look(said: Said) -> bytes:
        data = encode(said)
        if not isinstance(data, bytes):
            raise StreamError(f"its packet is {type(data).__name__}, expected bytes")
        if layout is not None:
            if len(data) != layout.size:
                raise StreamError(f"its packet has {len(data)} bytes, expected the {layout.size} of its layout")
            if not all(math.isfinite(number) for number in layout.unpack(data) if isinstance(number, float)):
                raise StreamError("a number in its packet is not finite")
        return data

    return look
