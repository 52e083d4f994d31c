"""MotionSim of BeamNG ("BNG1"): 88 bytes with rates, angular accelerations and an acceleration without gravity.

Axes of the packet are X to the right, Y forward, Z up, for the vehicle and for the world. The world of Jounce is rotated by 90 deg, so that a
yaw of 0 points along Y in the packet and along x in Jounce. The acceleration is in vehicle axes, all other vectors in world axes.
Yaw + = right; pitch + = nose down and roll + = left side down, because the game inverts the signs of both.

Source of positions and units: the documentation of BeamNG and SpaceMonkey (motionSim.lua). Source of the signs of the angles: the rotation in
SpaceMonkey (BeamNGTelemetryProvider.cs). Assumed, without a source: the signs of X, and that rates and angular accelerations have the signs
of the angles.
"""

from __future__ import annotations

import numpy as np

from simulator.base.rotations import rotation_of_quaternion
from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings, Said
from simulator.motion.protocols.game_axes import right_forward_up, turns_left_handed
from simulator.motion.protocols.packet_layout import PacketTable

TABLE = PacketTable(
    "MotionSim packet",
    88,
    (
        (0, "text", 4, "magic", "", "BNG1"),
        (4, "f32", 3, "position", "m", "X, Y, Z"),
        (16, "f32", 3, "velocity", "m/s", "along X, Y, Z of the world"),
        (28, "f32", 3, "acceleration", "m/s2", "along X, Y, Z of the vehicle, without gravity"),
        (40, "f32", 3, "up", "1", "vertical axis of the vehicle, in the world"),
        (52, "f32", 1, "roll", "rad", "+ = left side down"),
        (56, "f32", 1, "pitch", "rad", "+ = nose down"),
        (60, "f32", 1, "yaw", "rad", "+ = right"),
        (64, "f32", 3, "rates", "rad/s", "of roll, pitch, yaw about the axes of the vehicle"),
        (76, "f32", 3, "angular_accelerations", "rad/s2", "of roll, pitch, yaw about the axes of the vehicle"),
    ),
)


def _encoder(_: ProtocolSettings) -> Encoder:
    R_WB = np.zeros((3, 3))

    def encode(packet: Said) -> bytes:
        r = packet.readout[0]
        rotation_of_quaternion(r["q_WB"], R_WB)
        pitch_rate, yaw_rate, roll_rate = turns_left_handed(r["w_WB_B"])
        pitch_acceleration, yaw_acceleration, roll_acceleration = turns_left_handed(r["alpha_WB_B"])
        return TABLE.pack(
            magic=b"BNG1",
            position=right_forward_up(r["p_WB"]),
            velocity=right_forward_up(R_WB @ r["v_WB_B"]),
            acceleration=right_forward_up(r["a_WB_B"]),
            up=right_forward_up(R_WB[:, 2]),
            roll=-r["roll"],
            pitch=r["pitch"],
            yaw=-r["yaw"],
            rates=(roll_rate, pitch_rate, yaw_rate),
            angular_accelerations=(roll_acceleration, pitch_acceleration, yaw_acceleration),
        )

    return encode


PROTOCOL = ProtocolKind(
    name="beamng",
    rate=100,
    port=4444,
    poses=False,
    make=_encoder,
    layout=TABLE.layout,
    contract=CONTRACT,
    meaning="motion of the vehicle in the MotionSim format of BeamNG (BNG1), with rates and angular accelerations: 88 bytes",
)
