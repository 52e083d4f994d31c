"""Protocols of the motion stream by name: those shipped, and those that move in from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.base.renamed_modules import old_names

if TYPE_CHECKING:
    from simulator.base.fields import Fields
    from simulator.motion.protocols.contract import ProtocolKind

DEFAULT = "native"

PROTOCOL_KINDS: Registry[ProtocolKind] = Registry(
    "protocol",
    "jounce.protocols",
    {
        DEFAULT: "simulator.motion.protocols.native:PROTOCOL",
        **{
            name: f"simulator.motion.protocols.{name}:PROTOCOL"
            for name in ("codemasters", "outsim", "outsim2", "outgauge", "beamng", "srs", "forza", "moog")
        },
    },
)


def register(protocol: ProtocolKind) -> None:
    """Make a protocol known by its name. Raises JounceError: it is for another contract, its layout is none, or another one has its name."""
    check(protocol)
    PROTOCOL_KINDS.register(protocol.name, protocol)


def protocol_fields(name: str) -> Fields:
    """Keys that the protocol of that name has of its own. Raises JounceError: it cannot be loaded."""
    from simulator.base.fields import fields_of

    kind = PROTOCOL_KINDS.need(name)
    check(kind)
    return fields_of(kind.parameters, kind.ranges, kind.defaults)


def stream_words(text: str) -> dict[str, str]:
    """What the words PROTOCOL, PROTOCOL@HOST or PROTOCOL@HOST:PORT say of a stream: `protocol`, and `to` where there is one."""
    protocol, at, to = text.partition("@")
    return {"protocol": protocol, "to": to} if at else {"protocol": protocol}


def check(protocol: ProtocolKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    import struct

    from simulator.motion.protocols.contract import CONTRACT

    if protocol.contract != CONTRACT:
        raise JounceError(f"protocol {protocol.name}: it is for version {protocol.contract} of the contract, this is version {CONTRACT}")
    try:
        struct.calcsize(protocol.layout or "")
    except struct.error as error:
        raise JounceError(f"protocol {protocol.name}: its layout {protocol.layout!r} is none of `struct`: {error}") from None


__getattr__ = old_names(__name__)
