"""What the rider of the virtual platform feels as it moves, beside what packets say that the vehicle's driver feels."""

from __future__ import annotations

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import Record, record
from simulator.motion.protocols.native_packet import MotionPacket
from washout.cueing import PARAMETERS, STATES
from washout.limiter.limiter import LIMITER
from washout.perceived_motion import FELT, feel
from washout.platform import HEXAPOD

SMOOTH = 0.05
"""s. Time constant with which both are smoothed: a needle that trembles is not read."""

LARGEST = 1e3
"""m/s2, rad/s. A packet may say any number."""


class Rider:
    """Both, (6,) each: specific force less gravity [m/s2], surge, sway, heave, and angular rate [rad/s], roll, pitch, yaw.

    Attributes
    ----------
    car, cab : of the vehicle's driver, in B, and of the rider, in P
    """

    def __init__(self, platform: Record) -> None:
        self.car, self.cab = np.zeros(6), np.zeros(6)
        self._said = np.zeros(6)
        self._p, self._s, self._out = record(PARAMETERS), record(STATES), record(FELT)
        for name, *_ in HEXAPOD:
            self._p[0][name] = platform[0][name]
        self._rest = np.array([0.0, 0.0, STANDARD_GRAVITY])
        self._p[0]["h"] = 1.0
        feel(self._p, self._s, self._rest, np.zeros(3), self._out)  # compiled now, not while it moves

    def hear(self, packet: MotionPacket) -> None:
        """What a packet says of the vehicle."""
        self._said[:3] = np.clip(packet.force, -LARGEST, LARGEST) - self._rest
        self._said[3:] = np.clip(packet.rates, -LARGEST, LARGEST)

    def step(self, limits: Record, h: float) -> None:
        """The platform has moved for h seconds, and its LIMITER record says how."""
        s, share = self._s[0], h / (SMOOTH + h)
        for name, *_ in LIMITER:
            s[name] = limits[0][name]
        self._p[0]["h"] = h
        feel(self._p, self._s, self._rest, np.zeros(3), self._out)
        s["rates_before"] = s["rates"]
        felt = np.concatenate((self._out[0]["cab_f_H_P"] - self._rest, self._out[0]["cab_w_NP_P"]))
        self.cab += share * (felt - self.cab)
        self.car += share * (self._said - self.car)
