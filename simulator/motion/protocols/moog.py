"""Position driver for the Moog 6DOF2000E motion base in its DOF mode: 32 bytes, big-endian, and its answers of 40 bytes.

The driver is off until armed. Without `armed: 1` in the session, it sends only the mode, with zeros, to test the connection. If armed, it
follows the procedure and the answers of the base (`Base`). It sends ENGAGE when the platform is to rise and the base idles. It sends poses,
blended in from zero, once the base is engaged and the platform is neutral. It returns to zero and sends PARK when the platform parks, when
no answer arrives any more, and at the end. After a fault of the base, it sends zeros until the stream restarts. The base raises and
lowers itself: the driver does not send the rise and park motion of the platform.

Axes of the base are x forward, y right, z down: roll + = right side down, pitch + = nose up, yaw + = right, lateral + = right, heave + = down.
Poses are limited to the reach of the base.

Sources: command words, order and answers from two public drivers (one of them MOOG6DOF2000E.h, E. Loewenthal 2018); meters, radians, reach and
validity of the commands from a public program that quotes Moog's interface definition CDS7237. **Not confirmed on a machine**: the signs
except that of heave, and that the engaged base is at a heave of 0. Ask Moog for the interface document before a person sits on the
platform, and keep the emergency stop at hand.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from simulator.base.fields import Field, Number
from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings, Said
from simulator.motion.protocols.game_axes import within
from simulator.motion.protocols.packet_layout import PacketTable
from washout.platform_state_machine import BLEND, ENGAGED, FADED, NEUTRAL, PAUSED, RISE, SETTLED, ease

NEW_POSITION, DOF_MODE, ENGAGE, PARK = 130, 170, 180, 210
"""Command words."""

POWER_UP, IDLE, STANDBY, FOLLOWS, PARKING = 0, 1, 2, 3, 7
FIRST_FAULT = 8
"""States of the base; from FIRST_FAULT on it is not usable."""

ANSWER = struct.Struct(">3I7f")
"""Fields of an answer: latched faults, discrete lines, state of the machine, six positions, spare."""
STATE_BITS = 0x0F

TABLE = PacketTable(
    "Moog packet",
    32,
    (
        (0, "u32", 1, "command", "1", "130 new position, 170 DOF mode, 180 engage, 210 park"),
        (4, "f32", 1, "roll", "rad", "+ = right side down"),
        (8, "f32", 1, "pitch", "rad", "+ = nose up"),
        (12, "f32", 1, "heave", "m", "+ = down"),
        (16, "f32", 1, "surge", "m", "+ = forward"),
        (20, "f32", 1, "yaw", "rad", "+ = right"),
        (24, "f32", 1, "lateral", "m", "+ = right"),
    ),
    order=">",
)

REACH = {
    "roll": math.radians(21.0),
    "pitch": math.radians(22.0),
    "heave": 0.178,
    "surge": 0.241,
    "yaw": math.radians(22.0),
    "lateral": 0.259,
}
"""Reach of the base [rad, m] to either side; forward it is 0.259 m."""

BLEND_TIME = 3.0
"""Time [s] from zero to the pose of the platform, and back."""
LOST_AFTER = 0.5
"""Time [s] without an answer after which the base counts as lost."""

PARAMETERS = (Field("armed", Number("1", 0, 1, whole=True), "1: the base may be engaged and moved; 0: only the mode is sent", 0),)


class Base:
    """State of the base from its answers, and commands to it.

    Parameters
    ----------
    armed : True if the base may be moved
    interval : time between packets [s]
    """

    def __init__(self, armed: bool, interval: float) -> None:
        self._armed, self._interval = armed, interval
        self._state: int | None = None
        self._silence = 0.0
        self._gain = (0.0, 0.0, 0.0)
        self._fault = ""

    @property
    def failing(self) -> str:
        """Reason why the base does not move; empty if all is well."""
        if self._fault:
            return self._fault
        return f"no answer of the base for {self._silence:.1f} s" if self._silence >= LOST_AFTER else ""

    def hear(self, data: bytes) -> None:
        """Process an answer of the base; ignore any other datagram."""
        if len(data) != ANSWER.size:
            return
        faults, _, machine, *_ = ANSWER.unpack(data)
        self._state, self._silence = machine & STATE_BITS, 0.0
        if self._state >= FIRST_FAULT and not self._fault:
            self._fault = f"the base reports fault {self._state:X}, latched faults {faults:04X}"

    def __call__(self, packet_input: Said) -> bytes:
        """Return the packet. Raises StreamError: a number is not finite."""
        self._silence += self._interval
        packet = packet_input.packet
        active = self._armed and not self.failing and not packet.stop and packet.state in (RISE, NEUTRAL, BLEND, ENGAGED, PAUSED)
        self._blend(active and packet.state != RISE)
        return TABLE.pack(command=self._command(active, packet.stop), **base_pose(packet.pose, self._gain[0]))

    def _blend(self, active: bool) -> None:
        """Advance the blending factor of the pose by one packet; zero while the base does not follow."""
        if self._state != FOLLOWS:
            self._gain = (0.0, 0.0, 0.0)
            return
        w = SETTLED / BLEND_TIME
        self._gain = ease(*self._gain, float(active), w, self._interval, math.exp(-w * self._interval))
        if not active and self._gain[0] < FADED:
            self._gain = (0.0, 0.0, 0.0)

    def _command(self, active: bool, stop: bool) -> int:
        if not self._armed or self._state in (None, POWER_UP):
            return DOF_MODE
        if active:
            return ENGAGE if self._state == IDLE else NEW_POSITION
        if self._state == STANDBY or (self._state == FOLLOWS and (stop or self._gain[0] == 0.0)):
            return PARK
        return NEW_POSITION


def base_pose(pose: Any, fraction: float) -> dict[str, float]:
    """Return the packet fields for a fraction of a pose (6,) x, y, z [m], roll, pitch, yaw [rad] in the axes of Jounce; NaN remains NaN."""
    x, y, z, roll, pitch, yaw = (float(value) for value in pose)
    converted = {"roll": roll, "pitch": -pitch, "heave": -z, "surge": x, "yaw": -yaw, "lateral": -y}
    return {name: within(fraction * value, REACH[name]) + 0.0 for name, value in converted.items()}


def _encoder(settings: ProtocolSettings) -> Encoder:
    return Base(bool(settings.parameters[0]["armed"]), settings.interval)


PROTOCOL = ProtocolKind(
    name="moog",
    rate=60,
    port=991,
    poses=True,
    make=_encoder,
    layout=TABLE.layout,
    contract=CONTRACT,
    parameters=PARAMETERS,
    meaning="positions for a Moog 6DOF2000E in DOF mode, which moves only with `armed: 1`; 32 bytes; signs not confirmed on a machine",
)
