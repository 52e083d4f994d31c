"""Packet of Sim Racing Studio for games without their own packet (version 102): 236 bytes with the alignment of a C compiler.

Accelerations are without gravity. Source of positions and units: grandturismo-srs-proxy (srs_packet_definition.py). Assumed, without a source:
pitch + = nose up, roll + = right side down, yaw + = right; lateral + = right, longitudinal + = forward, vertical + = up; suspension
in cm from the design position, + = compressed; the lateral velocity is that of the last axle, m/s.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings, Said
from simulator.motion.protocols.game_axes import FRONT_FIRST, wheels, within
from simulator.motion.protocols.packet_layout import PacketTable

VERSION = 102
LONGEST_NAME = 49
"""Maximum number of bytes of a zero-terminated name."""
MAX_LATERAL_VELOCITY, MAX_SUSPENSION = 2.0, 10.0
"""Limits of the lateral velocity [m/s] and the suspension travel [cm]."""
ROAD, OTHER = 2, 0
"""Codes of the terrain under a wheel."""

TABLE = PacketTable(
    "Sim Racing Studio packet",
    236,
    (
        (0, "text", 3, "api", "", "api"),
        (4, "u32", 1, "version", "1", "102"),
        (8, "text", 50, "game", "", "Jounce"),
        (58, "text", 50, "vehicle", "", "name of the vehicle"),
        (108, "text", 50, "location", "", "empty"),
        (160, "f32", 1, "speed", "m/s", ""),
        (164, "f32", 1, "rpm", "rpm", "of the engine"),
        (168, "f32", 1, "max_rpm", "rpm", "highest"),
        (172, "i32", 1, "gear", "1", "-1 reverse, 0 neutral, 1 first"),
        (176, "f32", 1, "pitch", "deg", "+ = nose up"),
        (180, "f32", 1, "roll", "deg", "+ = right side down"),
        (184, "f32", 1, "yaw", "deg", "-180 to 180, + = right"),
        (188, "f32", 1, "lateral_velocity", "m/s", "of the last axle, -2 to 2, + = right"),
        (192, "f32", 1, "lateral_acceleration", "g", "+ = right"),
        (196, "f32", 1, "vertical_acceleration", "g", "+ = up"),
        (200, "f32", 1, "longitudinal_acceleration", "g", "+ = forward"),
        (204, "f32", 4, "suspension", "cm", "FL, FR, RL, RR, -10 to 10, + = compressed"),
        (220, "u32", 4, "terrain", "1", "FL, FR, RL, RR: 2 road, 0 other"),
    ),
)


def _encoder(settings: ProtocolSettings) -> Encoder:
    vehicle = settings.vehicle.encode("ascii", "replace")[:LONGEST_NAME]

    def encode(packet: Said) -> bytes:
        r = packet.readout[0]
        forward, left, up = (float(a) / STANDARD_GRAVITY for a in r["a_WB_B"])
        slide = float(r["v_WB_B"][1] + r["w_WB_B"][2] * r["p_BK"][-1, 0])
        return TABLE.pack(
            api=b"api",
            version=VERSION,
            game=b"Jounce",
            vehicle=vehicle,
            speed=np.linalg.norm(r["v_WB_B"]),
            rpm=r["engine_speed"] * 30.0 / math.pi,
            max_rpm=settings.engine.highest_rpm,
            gear=int(r["gear"]),
            pitch=-math.degrees(r["pitch"]),
            roll=math.degrees(r["roll"]),
            yaw=-math.degrees(r["yaw"]),
            lateral_velocity=within(-slide, MAX_LATERAL_VELOCITY),
            lateral_acceleration=-left,
            vertical_acceleration=up,
            longitudinal_acceleration=forward,
            suspension=[within(100.0 * jounce, MAX_SUSPENSION) for jounce in wheels(r["jounce"], FRONT_FIRST)],
            terrain=[ROAD if hardness > 0.5 else OTHER for hardness in wheels(r["hardness"], FRONT_FIRST)],
        )

    return encode


PROTOCOL = ProtocolKind(
    name="srs",
    rate=100,
    port=33001,
    poses=False,
    make=_encoder,
    layout=TABLE.layout,
    contract=CONTRACT,
    meaning="motion of the vehicle for Sim Racing Studio, which lists it as the game Jounce: 236 bytes",
)
