"""Codemasters packet "extradata = 3" of DiRT Rally 2.0: 66 little-endian f32, 264 bytes; rig software supports it without changes.

The function `game_axes` converts the axes of Jounce (ISO 8855: x forward, y left, z up) to those of the game (X right, Y up, Z forward).

=======  =================================================  =======  ==============================================
index    content                                            index    content
=======  =================================================  =======  ==============================================
0        time [s]                                           25 - 28  wheel speed at the tread [m/s], RL, RR, FL, FR
1        time of the lap [s]                                29       throttle 0 to 1
2, 3     distance [m]                                       30       steering -1 to 1, + = right
4 - 6    position, game axes [m]                            31       brake 0 to 1
7        speed [m/s]                                        33       gear, 0 neutral, 10 reverse
8 - 10   velocity in the world, game axes [m/s]             34       lateral acceleration [g], + = to the right
11 - 13  vector to the right of the vehicle, game axes      35       longitudinal acceleration [g], + = forward
14 - 16  vector to the front of the vehicle, game axes      37       engine speed [rpm / 10]
17 - 20  suspension, RL, RR, FL, FR [mm], + = compressed    63, 64   highest and idle engine speed [rpm / 10]
21 - 24  rate of suspension compression [mm/s]              65       number of gears
=======  =================================================  =======  ==============================================

In a pause, after a reset or a fault and at the end, everything but time, position and heading fades to zero within about a second,
because the packet has no other sign of standstill; then the stream stops (see stream_fade.py).

All other values are zero: laps, fuel, temperatures, clutch. The packet has no angular rates and no vertical acceleration.
Source of positions and units: the maps of simapi (dirt2data.h) and SpaceMonkey. Assumed, without a source: the signs of suspension,
steering and lateral acceleration, and the handedness of the axes. Roll and pitch, which rigs compute from heights (index 12 and 15), do
not depend on these assumptions.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import StreamError
from simulator.base.records import Record
from simulator.base.rotations import rotation_of_quaternion
from simulator.motion.protocols.contract import CONTRACT, Encoder, ProtocolKind, ProtocolSettings

COUNT = 66
SIZE = 4 * COUNT
G = STANDARD_GRAVITY
_FLOATS = struct.Struct(f"<{COUNT}f")
_CORNERS = (-2, -1, 0, 1)
"""Indices of the corners FL, FR, RL, RR in the game order RL, RR, FL, FR."""
_REVERSE = 10.0


def game_axes(v: Any) -> tuple[float, float, float]:
    """Return (X right, Y up, Z forward) of a vector (x forward, y left, z up)."""
    return -float(v[1]), float(v[2]), float(v[0])


class ExtraData3:
    """Encoder of the packets of one run.

    Parameters
    ----------
    highest_rpm, idle_rpm : engine speeds [rpm], for the shift lights
    gears : number of forward gears
    """

    def __init__(self, highest_rpm: float, idle_rpm: float, gears: int) -> None:
        self._limits = (highest_rpm / 10.0, idle_rpm / 10.0, float(gears))
        self._R_WB = np.zeros((3, 3))
        self._distance = 0.0
        self._time = math.nan

    def encode(self, readout: Record, jounce_speed: NDArray[Any]) -> bytes:
        """Return the packet of a READOUT record and the rate (4,) of its jounce [m/s]. Raises StreamError: a number is not finite."""
        r = readout[0]
        rotation_of_quaternion(r["q_WB"], self._R_WB)
        self._advance(float(r["time"]), float(np.linalg.norm(r["v_WB_B"])))
        v = [0.0] * COUNT
        v[0] = v[1] = r["time"]
        v[2] = v[3] = self._distance
        v[4:7] = game_axes(r["p_WB"])
        v[7] = float(np.linalg.norm(r["v_WB_B"]))
        v[8:11] = game_axes(self._R_WB @ r["v_WB_B"])
        v[11:14] = game_axes(-self._R_WB[:, 1])
        v[14:17] = game_axes(self._R_WB[:, 0])
        for k, corner in enumerate(_CORNERS):
            v[17 + k] = 1000.0 * r["jounce"][corner]
            v[21 + k] = 1000.0 * jounce_speed[corner]
            v[25 + k] = r["wheel_spin"][corner] * max(0.0, r["p_BK"][corner, 2] - self._contact_height(r, corner))
        v[29], v[30], v[31] = r["throttle"], -r["steering"], r["brake"]
        v[33] = _REVERSE if r["gear"] < 0 else float(r["gear"])
        v[34], v[35] = -r["a_WB_B"][1] / G, r["a_WB_B"][0] / G
        v[37] = r["engine_speed"] * 60.0 / (2.0 * math.pi) / 10.0
        v[63:66] = self._limits
        try:
            data = _FLOATS.pack(*v)
        except (OverflowError, struct.error):
            raise StreamError("extradata packet: a number is out of range") from None
        if not all(map(math.isfinite, v)):
            raise StreamError("extradata packet: a number is not finite")
        return data

    def _contact_height(self, r: Any, corner: int) -> float:
        """Return the height of the contact point in B [m]."""
        return float(self._R_WB[:, 2] @ (r["p_WC"][corner] - r["p_WB"]))

    def _advance(self, time: float, speed: float) -> None:
        """Update the driven distance; a jump back in time adds nothing."""
        if time > self._time:
            self._distance += speed * (time - self._time)
        self._time = time


def _encoder(settings: ProtocolSettings) -> Encoder:
    extra = ExtraData3(*settings.engine)
    return lambda packet: extra.encode(packet.readout, packet.jounce_speed)


PROTOCOL = ProtocolKind(
    name="codemasters",
    rate=100,
    port=20777,
    poses=False,
    make=_encoder,
    layout=_FLOATS.format,
    contract=CONTRACT,
    meaning="motion of the vehicle in the format of DiRT Rally 2.0 (extradata = 3), supported by rig software",
)
