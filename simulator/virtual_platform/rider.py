"""Motion of the rider on the virtual platform, and that of the driver in the vehicle from the packets."""

from __future__ import annotations

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import Record, record
from simulator.motion.protocols.native_packet import MotionPacket
from washout.cueing import PARAMETERS, STATES
from washout.limiter.limiter import LIMITER
from washout.perceived_motion import FELT, feel
from washout.platform import HEXAPOD

SMOOTHING_TIME = 0.05
"""Time constant [s] of the low pass for both, so that the display is readable."""

MAX_VALUE = 1e3
"""Limit of the values from packets [m/s2, rad/s]."""


class Rider:
    """Motion of rider and driver, (6,) each: specific force minus gravity [m/s2], surge, sway, heave, and rates [rad/s], roll, pitch, yaw.

    Attributes
    ----------
    car, cab : motion of the driver in the vehicle, in B, and of the rider, in P
    """

    def __init__(self, platform: Record) -> None:
        self.car, self.cab = np.zeros(6), np.zeros(6)
        self._vehicle_motion = np.zeros(6)
        self._p, self._s, self._out = record(PARAMETERS), record(STATES), record(FELT)
        for name, *_ in HEXAPOD:
            self._p[0][name] = platform[0][name]
        self._rest = np.array([0.0, 0.0, STANDARD_GRAVITY])
        self._p[0]["h"] = 1.0
        feel(self._p, self._s, self._rest, np.zeros(3), self._out)  # compiles the kernel before the platform moves

    def hear(self, packet: MotionPacket) -> None:
        """Store the vehicle motion of a packet."""
        self._vehicle_motion[:3] = np.clip(packet.force, -MAX_VALUE, MAX_VALUE) - self._rest
        self._vehicle_motion[3:] = np.clip(packet.rates, -MAX_VALUE, MAX_VALUE)

    def step(self, limits: Record, h: float) -> None:
        """Update the motion after h seconds of platform motion; `limits` is its LIMITER record."""
        s, weight = self._s[0], h / (SMOOTHING_TIME + h)
        for name, *_ in LIMITER:
            s[name] = limits[0][name]
        self._p[0]["h"] = h
        feel(self._p, self._s, self._rest, np.zeros(3), self._out)
        s["rates_before"] = s["rates"]
        motion = np.concatenate((self._out[0]["cab_f_H_P"] - self._rest, self._out[0]["cab_w_NP_P"]))
        self.cab += weight * (motion - self.cab)
        self.car += weight * (self._vehicle_motion - self.car)
