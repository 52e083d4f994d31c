"""OutGauge, the dashboard packet of Live for Speed and BeamNG: 92 bytes, 96 with an identifier.

The readout has no boost, temperatures, pressures, fuel, clutch or lamps: these are zero, and no lamp is declared as present.
Source of positions and units: node-insim (src/out/OutGaugePack.ts), the documentation of BeamNG.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings, Said
from simulator.motion.protocols.game_axes import Trip
from simulator.motion.protocols.outsim import PARAMETERS
from simulator.motion.protocols.packet_layout import PacketTable

KILOMETERS, BAR = 16384, 32768
"""Flags: the driver prefers kilometers and bar."""

TABLE = PacketTable(
    "OutGauge packet",
    92,
    (
        (0, "u32", 1, "time", "ms", "since the stream began"),
        (4, "text", 4, "car", "", "JNC"),
        (8, "u16", 1, "flags", "1", "16384 kilometers, 32768 bar"),
        (10, "u8", 1, "gear", "1", "0 reverse, 1 neutral, 2 first"),
        (12, "f32", 1, "speed", "m/s", ""),
        (16, "f32", 1, "rpm", "rpm", "of the engine"),
        (48, "f32", 1, "throttle", "1", "0 to 1"),
        (52, "f32", 1, "brake", "1", "0 to 1"),
    ),
)
WITH_ID = PacketTable("OutGauge packet", 96, (*TABLE.rows, (92, "i32", 1, "id", "1", "parameter `id` of the session")))


def _encoder(settings: ProtocolSettings) -> Encoder:
    trip, number = Trip(), int(settings.parameters[0]["id"])
    table = TABLE if number == 0 else WITH_ID
    more = {} if number == 0 else {"id": number}

    def encode(packet: Said) -> bytes:
        r = packet.readout[0]
        speed = float(np.linalg.norm(r["v_WB_B"]))
        trip.advance(float(r["time"]), speed)
        return table.pack(
            time=trip.milliseconds,
            car=b"JNC",
            flags=KILOMETERS | BAR,
            gear=max(0, int(r["gear"]) + 1),
            speed=speed,
            rpm=r["engine_speed"] * 30.0 / math.pi,
            throttle=r["throttle"],
            brake=r["brake"],
            **more,
        )

    return encode


PROTOCOL = ProtocolKind(
    name="outgauge",
    rate=50,
    port=30000,
    poses=False,
    make=_encoder,
    layout=None,
    contract=CONTRACT,
    parameters=PARAMETERS,
    meaning="gear, speed, engine and pedals for a dashboard, in the format of Live for Speed and BeamNG: 92 bytes, 96 with an identifier",
)
