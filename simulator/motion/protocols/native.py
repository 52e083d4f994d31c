"""Native protocol of the motion stream; its packet is in native_packet.py."""

from __future__ import annotations

from simulator.motion.protocols.contract import CONTRACT, ProtocolKind
from simulator.motion.protocols.native_packet import LAYOUT, encode

PROTOCOL = ProtocolKind(
    name="native",
    rate=250,
    port=42400,
    poses=True,
    make=lambda _: lambda said: encode(said.packet),
    layout=LAYOUT,
    contract=CONTRACT,
    meaning="pose, legs and state of the platform, force and rates; 188 bytes with a checksum",
)
