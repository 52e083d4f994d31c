"""OutSim, the motion packet of Live for Speed: 64 bytes, 68 with an identifier.

Axes of the packet are X to the right, Y forward, Z up, right-handed, for the vehicle and for the world. The world of Jounce is rotated by
90 deg, so that a heading of 0 points along Y in the packet and along x in Jounce. Vectors are in world axes; the acceleration is that of the
motion, without gravity. Heading + = left (counterclockwise from above), pitch + = nose up (counterclockwise from the right), roll + = right
side down (counterclockwise from the front).

At rest, all angles and vectors except heading and position fade to zero. The time does not jump back when the run restarts.
Source of positions and units: node-insim (src/out/OutSimPack.ts), which quotes the documentation of the game. Assumed, without a source:
angular velocity and acceleration are in world axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.errors import StreamError
from simulator.base.fields import Field, Number
from simulator.base.rotations import rotation_of_quaternion
from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings, Said
from simulator.motion.protocols.game_axes import Trip, right_forward_up
from simulator.motion.protocols.packet_layout import PacketRows, PacketTable

TIME = (0, "u32", 1, "time", "ms", "since the stream began")


def main_rows(begin: int) -> PacketRows:
    """Return the rows of the motion, which OutSimPack2 has at another offset."""
    return (
        (begin, "f32", 3, "angular_velocity", "rad/s", "about X, Y, Z"),
        (begin + 12, "f32", 1, "heading", "rad", "+ = left"),
        (begin + 16, "f32", 1, "pitch", "rad", "+ = nose up"),
        (begin + 20, "f32", 1, "roll", "rad", "+ = right side down"),
        (begin + 24, "f32", 3, "acceleration", "m/s2", "along X, Y, Z, without gravity"),
        (begin + 36, "f32", 3, "velocity", "m/s", "along X, Y, Z"),
        (begin + 48, "i32", 3, "position", "m / 65536", "X, Y, Z"),
    )


TABLE = PacketTable("OutSim packet", 64, (TIME, *main_rows(4)))
WITH_ID = PacketTable("OutSim packet", 68, (*TABLE.rows, (64, "i32", 1, "id", "1", "parameter `id` of the session")))

PARAMETERS = (Field("id", Number("1", 0, 2**31 - 1, whole=True), "identifier at the end of the packet; 0: none, packet of 64 bytes", 0),)

PER_METER = 65536
MAX_POSITION = 2**31 - 1
"""Limit of a position [1/65536 m]; positions beyond are limited to it."""


class MotionOfLfs:
    """Values of `main_rows` of one run."""

    def __init__(self) -> None:
        self.trip = Trip()
        self._R_WB = np.zeros((3, 3))

    def values(self, packet: Said) -> dict[str, Any]:
        """Return the values by the names of the rows. Raises StreamError: a number is not finite."""
        r = packet.readout[0]
        rotation_of_quaternion(r["q_WB"], self._R_WB)
        self.trip.advance(float(r["time"]), float(np.linalg.norm(r["v_WB_B"])))
        return {
            "angular_velocity": right_forward_up(self._R_WB @ r["w_WB_B"]),
            "heading": r["yaw"],
            "pitch": -r["pitch"],
            "roll": r["roll"],
            "acceleration": right_forward_up(self._R_WB @ r["a_WB_B"]),
            "velocity": right_forward_up(self._R_WB @ r["v_WB_B"]),
            "position": [_fixed(x) for x in right_forward_up(r["p_WB"])],
        }


def _fixed(x: float) -> int:
    try:
        return max(-MAX_POSITION, min(MAX_POSITION, round(PER_METER * x)))
    except (ValueError, OverflowError):
        raise StreamError("OutSim packet: a number is not finite") from None


def _encoder(settings: ProtocolSettings) -> Encoder:
    motion, number = MotionOfLfs(), int(settings.parameters[0]["id"])

    def encode(packet: Said) -> bytes:
        values = motion.values(packet)
        if number == 0:
            return TABLE.pack(time=motion.trip.milliseconds, **values)
        return WITH_ID.pack(time=motion.trip.milliseconds, id=number, **values)

    return encode


PROTOCOL = ProtocolKind(
    name="outsim",
    rate=100,
    port=30001,
    poses=False,
    make=_encoder,
    layout=None,
    contract=CONTRACT,
    parameters=PARAMETERS,
    meaning="motion of the vehicle in the format of Live for Speed: 64 bytes, 68 with an identifier",
)
