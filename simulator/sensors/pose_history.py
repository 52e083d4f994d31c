"""Poses of the vehicle at tick rate, between two measurements of a sensor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.records import Record


class PoseHistory(NamedTuple):
    """n poses of the chassis, in order of time; n = 1 at the first measurement."""

    time: Array
    """(n,) simulated time [s]"""
    p_WB: Array
    """(n, 3) chassis reference point, in W [m]"""
    q_WB: Array
    """(n, 4) attitude, unit quaternion w, x, y, z"""
    v_WB_B: Array
    """(n, 3) velocity of the chassis reference point, in B [m/s]"""
    w_WB_B: Array
    """(n, 3) angular velocity of the chassis, in B [rad/s]"""

    @classmethod
    def of_readout(cls, time: float, readout: Record) -> PoseHistory:
        """Return the history of one pose, that of a READOUT at `time` [s]."""
        r = readout[0]
        return cls(np.array([time]), *(np.array([r[name]], np.float64) for name in cls._fields[1:]))
