"""Registry of the protocols of the motion stream: shipped protocols and plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.registry import Registry

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
    """Register a protocol by name. Raises JounceError: wrong contract version, invalid layout, or the name is already in use."""
    check(protocol)
    PROTOCOL_KINDS.register(protocol.name, protocol)


def protocol_fields(name: str) -> Fields:
    """Return the keys of the parameters of a protocol. Raises JounceError: the protocol cannot be loaded."""
    kind = PROTOCOL_KINDS.need(name)
    check(kind)
    return kind.parameters


def stream_words(text: str) -> dict[str, str]:
    """Return `protocol`, and `to` if given, from a text PROTOCOL, PROTOCOL@HOST or PROTOCOL@HOST:PORT."""
    protocol, at, to = text.partition("@")
    return {"protocol": protocol, "to": to} if at else {"protocol": protocol}


def check(protocol: ProtocolKind) -> None:
    """Raise JounceError as `register`; needed for protocols of installed packages, which `register` has not checked."""
    import struct

    from simulator.motion.protocols.contract import CONTRACT

    if protocol.contract != CONTRACT:
        raise JounceError(f"protocol {protocol.name}: it is for version {protocol.contract} of the contract, this is version {CONTRACT}")
    try:
        struct.calcsize(protocol.layout or "")
    except struct.error as error:
        raise JounceError(
            f"protocol {protocol.name}: invalid layout ({error}); expected a format of `struct`; got {protocol.layout!r}"
        ) from None
