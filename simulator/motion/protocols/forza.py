"""Sled, the motion packet of Forza Motorsport ("Data Out"): 232 bytes with a pause flag.

Axes of the packet are X to the right, Y up, Z forward of the vehicle, a left-handed system. Accelerations are without gravity. `race_on` is 0
while the simulation does not run; the motion fades to zero meanwhile.
The game normalizes slip and suspension by limits of the car, which are parameters of the session here: 0 grips and 1 slides; 0 is extended,
1 compressed.

Source of positions, units and axes: forza_motorsport (fdp.py), the documentation of the game. Assumed, without a source: rotations in the
sense of left-handed axes, so that yaw + = right, pitch + = nose down, roll + = left side down; the signs of slip; the default limits; the
port. Ordinal, class, drive train and cylinders of the car, puddles and rumble are zero.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.fields import Field, Number
from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings, Said
from simulator.motion.protocols.game_axes import FRONT_FIRST, Trip, right_up_forward, turns_left_handed, wheels
from simulator.motion.protocols.packet_layout import PacketTable

TABLE = PacketTable(
    "Sled packet",
    232,
    (
        (0, "i32", 1, "race_on", "1", "1: the simulation runs"),
        (4, "u32", 1, "time", "ms", "since the stream began"),
        (8, "f32", 1, "max_rpm", "rpm", "maximum of the engine"),
        (12, "f32", 1, "idle_rpm", "rpm", "of the engine at idle"),
        (16, "f32", 1, "rpm", "rpm", "of the engine"),
        (20, "f32", 3, "acceleration", "m/s2", "along X, Y, Z, without gravity"),
        (32, "f32", 3, "velocity", "m/s", "along X, Y, Z"),
        (44, "f32", 3, "angular_velocity", "rad/s", "X + = nose down, Y + = right, Z + = left side down"),
        (56, "f32", 1, "yaw", "rad", "+ = right"),
        (60, "f32", 1, "pitch", "rad", "+ = nose down"),
        (64, "f32", 1, "roll", "rad", "+ = left side down"),
        (68, "f32", 4, "suspension_share", "1", "FL, FR, RL, RR: 0 stretched, 1 compressed"),
        (84, "f32", 4, "slip_share", "1", "slip ratio, + = driving; 1 slides"),
        (100, "f32", 4, "wheel_speed", "rad/s", "+ = rolling forward"),
        (164, "f32", 4, "slip_angle_share", "1", "slip angle, + = wheel moves to the right; 1 slides"),
        (180, "f32", 4, "combined_slip_share", "1", "both"),
        (196, "f32", 4, "suspension", "m", "from the design position, + = compressed"),
    ),
)

PARAMETERS = (
    Field(
        "suspension_travel",
        Number("m", 0.01, 5.0),
        "suspension travel from extended to compressed, with the design position in the middle",
        0.3,
    ),
    Field("sliding_slip", Number("1", 0.001, 10.0), "slip ratio of a sliding tire", 0.15),
    Field("sliding_angle", Number("rad", 0.001, 1.5), "slip angle of a sliding tire", 0.15),
)


def _encoder(settings: ProtocolSettings) -> Encoder:
    trip, engine, limits = Trip(), settings.engine, settings.parameters[0]
    travel, sliding_slip, sliding_angle = (float(limits[field.name]) for field in PARAMETERS)

    def encode(packet: Said) -> bytes:
        r = packet.readout[0]
        trip.advance(float(r["time"]), float(np.linalg.norm(r["v_WB_B"])))
        jounce = wheels(r["jounce"], FRONT_FIRST)
        slip = [slip / sliding_slip for slip in wheels(r["slip_ratio"], FRONT_FIRST)]
        slip_angle = [-angle / sliding_angle for angle in wheels(r["slip_angle"], FRONT_FIRST)]
        return TABLE.pack(
            race_on=int(packet.packet.run),
            time=trip.milliseconds,
            max_rpm=engine.highest_rpm,
            idle_rpm=engine.idle_rpm,
            rpm=r["engine_speed"] * 30.0 / math.pi,
            acceleration=right_up_forward(r["a_WB_B"]),
            velocity=right_up_forward(r["v_WB_B"]),
            angular_velocity=turns_left_handed(r["w_WB_B"]),
            yaw=-r["yaw"],
            pitch=r["pitch"],
            roll=-r["roll"],
            suspension_share=[min(1.0, max(0.0, 0.5 + one / travel)) for one in jounce],
            slip_share=slip,
            wheel_speed=wheels(r["wheel_spin"], FRONT_FIRST),
            slip_angle_share=slip_angle,
            combined_slip_share=[math.hypot(*both) for both in zip(slip, slip_angle, strict=True)],
            suspension=jounce,
        )

    return encode


PROTOCOL = ProtocolKind(
    name="forza",
    rate=60,
    port=5300,
    poses=False,
    make=_encoder,
    layout=TABLE.layout,
    contract=CONTRACT,
    parameters=PARAMETERS,
    meaning="motion, engine and wheels in the format of Forza Motorsport (Sled), with a pause flag: 232 bytes",
)
