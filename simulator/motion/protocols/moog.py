"""A position driver for the Moog 6DOF2000E motion base in its DOF mode: 32 bytes, big-endian, and its answers of 40.

Off until armed: without `armed: 1` of the session it only says the mode, with zeros, so that the line can be tried. Armed, it follows procedure
and answers (`Base`): ENGAGE when the platform is to rise and the base idles; poses, blended in from zero, once the base says that it is engaged and
the platform is neutral; back to zero and PARK when the platform parks, when no answer comes any more, and at the end. A base that says a fault is
sent zeros, until the stream is begun anew. The base raises and lowers itself: of the platform's own rise and park nothing is sent.

Axes of the base are x forward, y right, z down: roll + = right side down, pitch + = nose up, yaw + = right, lateral + = right, heave + = down.
Poses are cut at the reach of the base.

Sources: command words, order and answers from two public drivers (one of them MOOG6DOF2000E.h, E. Loewenthal 2018); meters, radians, reach and what
is valid when from a public program that quotes Moog's interface definition CDS7237. **Not confirmed on a machine**: the signs but that of heave, and that
a heave of 0 is where the base stands when engaged. Ask Moog for the interface document before a person sits on it, and keep the emergency stop at hand.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings, Said
from simulator.motion.protocols.game_axes import within
from simulator.motion.protocols.packet_layout import PacketTable
from washout.platform_state_machine import BLEND, ENGAGED, FADED, NEUTRAL, PAUSED, RISE, SETTLED, ease

NEW_POSITION, DOF_MODE, SAY_ENGAGE, SAY_PARK = 130, 170, 180, 210
"""Command words."""

POWER_UP, IDLE, STANDBY, FOLLOWS, PARKING = 0, 1, 2, 3, 7
FIRST_FAULT = 8
"""States of the base; from FIRST_FAULT on it cannot be used."""

ANSWER = struct.Struct(">3I7f")
"""Latched faults, discrete lines, state of the machine, six positions, spare."""
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
"""rad, m, to either side; forward the base reaches 0.259."""

BLEND_TIME = 3.0
"""s from zero to the pose of the platform, and back."""
DEAF_AFTER = 0.5
"""s without an answer after which the base counts as lost."""

PARAMETERS = (("armed", (), "1", "1: the base may be engaged and moved; 0: only the mode is said", "i8"),)
RANGES = {"armed": (0, 1)}
DEFAULTS = {"armed": 0}


class Base:
    """The base as its answers say it is, and what it is to be told.

    Parameters
    ----------
    armed : whether it may be moved
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
        """Why it does not move; empty while all is well."""
        if self._fault:
            return self._fault
        return f"the base has not answered for {self._silence:.1f} s" if self._silence >= DEAF_AFTER else ""

    def hear(self, data: bytes) -> None:
        """An answer of the base; what is none is not looked at."""
        if len(data) != ANSWER.size:
            return
        faults, _, machine, *_ = ANSWER.unpack(data)
        self._state, self._silence = machine & STATE_BITS, 0.0
        if self._state >= FIRST_FAULT and not self._fault:
            self._fault = f"the base says fault {self._state:X}, latched {faults:04X}"

    def __call__(self, said: Said) -> bytes:
        """The packet. Raises StreamError: a number is not finite."""
        self._silence += self._interval
        packet = said.packet
        wanted = self._armed and not self.failing and not packet.stop and packet.state in (RISE, NEUTRAL, BLEND, ENGAGED, PAUSED)
        self._blend(wanted and packet.state != RISE)
        return TABLE.pack(command=self._command(wanted, packet.stop), **base_pose(packet.pose, self._gain[0]))

    def _blend(self, wanted: bool) -> None:
        """Advance the share of the pose by one packet; a base that does not follow begins at nothing."""
        if self._state != FOLLOWS:
            self._gain = (0.0, 0.0, 0.0)
            return
        w = SETTLED / BLEND_TIME
        self._gain = ease(*self._gain, float(wanted), w, self._interval, math.exp(-w * self._interval))
        if not wanted and self._gain[0] < FADED:
            self._gain = (0.0, 0.0, 0.0)

    def _command(self, wanted: bool, stop: bool) -> int:
        if not self._armed or self._state in (None, POWER_UP):
            return DOF_MODE
        if wanted:
            return SAY_ENGAGE if self._state == IDLE else NEW_POSITION
        if self._state == STANDBY or (self._state == FOLLOWS and (stop or self._gain[0] == 0.0)):
            return SAY_PARK
        return NEW_POSITION


def base_pose(pose: Any, share: float) -> dict[str, float]:
    """Rows of the packet for a share of a pose (6,) x, y, z [m], roll, pitch, yaw [rad] in our axes; one that is no number stays none."""
    x, y, z, roll, pitch, yaw = (float(value) for value in pose)
    turned = {"roll": roll, "pitch": -pitch, "heave": -z, "surge": x, "yaw": -yaw, "lateral": -y}
    return {name: within(share * value, REACH[name]) + 0.0 for name, value in turned.items()}


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
    ranges=RANGES,
    defaults=DEFAULTS,
    meaning="positions for a Moog 6DOF2000E in DOF mode, which moves only with `armed: 1`: 32 bytes; signs not confirmed on a machine",
)
