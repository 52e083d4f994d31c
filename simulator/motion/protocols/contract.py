"""Contract of a protocol: it encodes the state of platform and vehicle in one datagram.

Pause, reset, faults and the end are identical for all protocols: the data have passed the fade and the limiter, and are finite. A shipped
protocol is called in the tick. A plugin protocol works in a background thread (`simulator.base.plugin_thread`), so its packets leave one
packet later. A plugin that raises, is slow, or packs a number that is not finite is stopped: the stream ends without further packets.
"""

from __future__ import annotations

import math
import struct
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import StreamError
from simulator.base.field_records import parameters_of
from simulator.base.fields import Fields
from simulator.base.records import Record
from simulator.base.registry import making
from simulator.motion.protocols.native_packet import MotionPacket

CONTRACT = 1
"""Version of this contract."""


class Said(NamedTuple):
    """Data for a packet."""

    packet: MotionPacket
    """State, pose and legs of the platform; specific force and rates of the vehicle; see native_packet.py."""
    readout: Record
    """READOUT of the vehicle, faded while it does not drive."""
    jounce_speed: NDArray[np.float64]
    """Rate of the jounce (4,) [m/s]."""


class Engine(NamedTuple):
    """Engine data for the dashboard of a rig."""

    highest_rpm: float = 0.0
    idle_rpm: float = 0.0
    gears: int = 0


NO_ENGINE = Engine()


@dataclass(frozen=True)
class ProtocolSettings:
    """Settings for the creation of an encoder."""

    parameters: Record
    """Parameters of the protocol, as in its table."""
    engine: Engine
    interval: float
    """Time between packets [s]; the mean value if packets are not due at ticks."""
    vehicle: str = ""
    """Name of the vehicle."""


Encoder = Callable[[Said], bytes]
"""Function that returns the bytes of a packet. Raises StreamError: a number in it is not finite."""


@runtime_checkable
class Listening(typing.Protocol):
    """Shipped encoder that also receives datagrams from the destination of its packets."""

    failing: str
    """Reason why the receiver does not follow its commands; empty while it does."""

    def hear(self, data: bytes) -> None:
        """Process a datagram before the next packet is encoded. Never raises."""


@dataclass(frozen=True)
class ProtocolKind:
    """Registered protocol."""

    name: str
    rate: int
    """Default number of packets per second. Rig software expects 60 to 100; a native receiver may use more."""
    port: int
    poses: bool
    """True if the packet contains the pose of the platform: the stream can park the receiver and announces its end."""
    make: Callable[[ProtocolSettings], Encoder]
    layout: str | None
    """`struct` format of every packet, used to find numbers that are not finite, for example "<66f". None: the layout varies, and only the
    encoder checks its numbers."""
    contract: int
    """CONTRACT version that the protocol implements."""
    parameters: Fields = ()
    """Table of the parameters of the protocol, numbers."""
    meaning: str = ""
    """One-line description for lists."""


def encoder_of(
    protocol: ProtocolKind, given_values: Mapping[str, Any], file: object, engine: Engine, interval: float, vehicle: str = ""
) -> Encoder:
    """Return the encoder of a protocol with the given parameters. Raises ConfigError, JounceError: the creation failed."""
    parameters = parameters_of(protocol.parameters, given_values, file)
    with making(f"protocol {protocol.name}"):
        return protocol.make(ProtocolSettings(parameters, engine, interval, vehicle))


def checked(protocol: ProtocolKind, encode: Encoder) -> Encoder:
    """Return the encoder with a check of its packets. It raises StreamError unless the packet has the layout and finite numbers."""
    layout = None if protocol.layout is None else struct.Struct(protocol.layout)

    def encode_checked(packet: Said) -> bytes:
        data = encode(packet)
        if not isinstance(data, bytes):
            raise StreamError(f"invalid packet; expected bytes; got {type(data).__name__}")
        if layout is not None:
            if len(data) != layout.size:
                raise StreamError(f"invalid packet; expected {layout.size} bytes, the size of its layout; got {len(data)}")
            if not all(math.isfinite(number) for number in layout.unpack(data) if isinstance(number, float)):
                raise StreamError("invalid packet; expected finite numbers")
        return data

    return encode_checked
