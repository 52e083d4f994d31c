"""Registry of the protocols of the motion stream: shipped protocols and plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.registry import Registry

if TYPE_CHECKING:
    from simulator.base.fields import Fields
    from simulator.motion.protocols.contract import ProtocolKind

DEFAULT = "native"


def _problem(protocol: ProtocolKind) -> str:
    import struct

    try:
        struct.calcsize(protocol.layout or "")
    except struct.error as error:
        return f"invalid layout ({error}); expected a format of `struct`; got {protocol.layout!r}"
    return ""


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
    contract="simulator.motion.protocols.contract",
    problem=_problem,
)
register = PROTOCOL_KINDS.add
"""Register a protocol."""


def protocol_fields(name: str) -> Fields:
    """Return the keys of the parameters of a protocol. Raises JounceError: the protocol cannot be loaded."""
    return PROTOCOL_KINDS.need(name).parameters


def stream_words(text: str) -> dict[str, str]:
    """Return `protocol`, and `to` if given, from a text PROTOCOL, PROTOCOL@HOST or PROTOCOL@HOST:PORT."""
    protocol, at, to = text.partition("@")
    return {"protocol": protocol, "to": to} if at else {"protocol": protocol}
