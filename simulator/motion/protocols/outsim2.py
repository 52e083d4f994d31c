"""OutSimPack2 of Live for Speed with all its parts (OutSim Opts 1ff): 280 bytes. Motion as in outsim.py, and pedals, engine, wheels.

The readout has no clutch, no parking brake and no available engine torque: these are zero, as are temperatures. Assumed, without a source:
steering + = to the right; the order of the wheels RL, RR, FL, FR; suspension from the design position instead of the unloaded one; the
sliding value 255 for a slip of FULL_SLIP or more.
Source of positions and units: node-insim (src/out/OutSimPack2.ts, OutSimWheel.ts).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.rotations import rotation_of_quaternion
from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings, Said
from simulator.motion.protocols.game_axes import REAR_FIRST
from simulator.motion.protocols.outsim import PARAMETERS, MotionOfLfs, main_rows
from simulator.motion.protocols.packet_layout import PacketRows, PacketTable

CORNERS = ("rl", "rr", "fl", "fr")
READOUT_FIELDS = ("jounce", "road_wheel_angle", "F_C", "wheel_spin", "slip_ratio", "slip_angle")
FULL_SLIP = 0.2
"""1. Slip of a tire that slides completely; assumed."""


def wheel_rows(begin: int, corner: str) -> PacketRows:
    """Return the rows of one wheel, 40 bytes."""
    return (
        (begin, "f32", 1, f"compression_{corner}", "m", "of the suspension"),
        (begin + 4, "f32", 1, f"steer_{corner}", "rad", "angle of the wheel, + = right"),
        (begin + 8, "f32", 1, f"force_right_{corner}", "N", "force of the ground on the tire"),
        (begin + 12, "f32", 1, f"force_forward_{corner}", "N", "force of the ground on the tire"),
        (begin + 16, "f32", 1, f"load_{corner}", "N", "force of the ground on the tire, along the ground normal"),
        (begin + 20, "f32", 1, f"spin_{corner}", "rad/s", "+ = rolling forward"),
        (begin + 24, "f32", 1, f"lean_{corner}", "rad", "inclination of the wheel, + = top to the left"),
        (begin + 29, "u8", 1, f"sliding_{corner}", "1/255", "magnitude of the slip"),
        (begin + 30, "u8", 1, f"touching_{corner}", "1", "1: on the ground"),
        (begin + 32, "f32", 1, f"slip_{corner}", "1", "slip ratio, + = driving"),
        (begin + 36, "f32", 1, f"slip_tangent_{corner}", "1", "tangent of the slip angle, + = wheel moves to the left"),
    )


TABLE = PacketTable(
    "OutSim 2 packet",
    280,
    (
        (0, "text", 4, "header", "", "LFST"),
        (4, "i32", 1, "id", "1", "parameter `id` of the session"),
        (8, "u32", 1, "time", "ms", "since the stream began"),
        *main_rows(12),
        (72, "f32", 1, "throttle", "1", "0 to 1"),
        (76, "f32", 1, "brake", "1", "0 to 1"),
        (80, "f32", 1, "steer", "rad", "mean angle of the front wheels, + = right"),
        (92, "u8", 1, "gear", "1", "0 reverse, 1 neutral, 2 first"),
        (96, "f32", 1, "engine_speed", "rad/s", "of the crankshaft"),
        (104, "f32", 2, "distance", "m", "distance since the stream began, twice"),
        *(row for k, corner in enumerate(CORNERS) for row in wheel_rows(112 + 40 * k, corner)),
        (272, "f32", 1, "steer_torque", "N m", "torque for the motor of a steering wheel, + = to the right"),
    ),
)


class Wheels:
    """Values of `wheel_rows` of all four wheels."""

    def __init__(self) -> None:
        self._R_WB = np.zeros((3, 3))

    def values(self, packet: Said) -> dict[str, Any]:
        """Return the values by the names of the rows."""
        r, result = packet.readout[0], {}
        rotation_of_quaternion(r["q_WB"], self._R_WB)
        heights = (r["R_BK"][:, :, 1] @ self._R_WB[2]).tolist()  # heights of the tips of the left axes of the wheels
        columns = [r[name].tolist() for name in READOUT_FIELDS]
        for corner, name in zip(REAR_FIRST, CORNERS, strict=True):
            jounce, angle, force, spin, slip, slip_angle = (values[corner] for values in columns)
            tangent = math.tan(slip_angle)
            wheel = {
                "compression": jounce,
                "steer": -angle,
                "force_right": -force[1],
                "force_forward": force[0],
                "load": force[2],
                "spin": spin,
                "lean": -math.asin(max(-1.0, min(1.0, heights[corner]))),
                "sliding": round(255.0 * min(1.0, math.hypot(slip, tangent) / FULL_SLIP)),
                "touching": int(force[2] > 0.0),
                "slip": slip,
                "slip_tangent": tangent,
            }
            result.update({f"{key}_{name}": value for key, value in wheel.items()})
        return result


def _encoder(settings: ProtocolSettings) -> Encoder:
    motion, wheels, number = MotionOfLfs(), Wheels(), int(settings.parameters[0]["id"])

    def encode(packet: Said) -> bytes:
        r, values = packet.readout[0], motion.values(packet)
        return TABLE.pack(
            header=b"LFST",
            id=number,
            time=motion.trip.milliseconds,
            throttle=r["throttle"],
            brake=r["brake"],
            steer=-0.5 * (r["road_wheel_angle"][0] + r["road_wheel_angle"][1]),
            gear=max(0, int(r["gear"]) + 1),
            engine_speed=r["engine_speed"],
            distance=(motion.trip.distance, motion.trip.distance),
            steer_torque=-r["steering_column_torque"],
            **values,
            **wheels.values(packet),
        )

    return encode


PROTOCOL = ProtocolKind(
    name="outsim2",
    rate=100,
    port=30001,
    poses=False,
    make=_encoder,
    layout=TABLE.layout,
    contract=CONTRACT,
    parameters=PARAMETERS,
    meaning="motion, pedals, engine and wheels in the format of Live for Speed with OutSim Opts 1ff: 280 bytes",
)
