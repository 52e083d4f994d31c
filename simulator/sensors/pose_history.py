"""Poses of the vehicle at tick rate, between two measurements of a sensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record

if TYPE_CHECKING:
    from simulator.tick import StateMonitor

FloatArray = NDArray[np.float64]


class PoseHistory(NamedTuple):
    """n poses of the chassis, in order of time; n = 1 at the first measurement."""

    time: FloatArray
    """(n,) simulated time [s]"""
    p_WB: FloatArray
    """(n, 3) chassis reference point, in W [m]"""
    q_WB: FloatArray
    """(n, 4) attitude, unit quaternion w, x, y, z"""
    v_WB_B: FloatArray
    """(n, 3) velocity of the chassis reference point, in B [m/s]"""
    w_WB_B: FloatArray
    """(n, 3) angular velocity of the chassis, in B [rad/s]"""

    @classmethod
    def of_readout(cls, time: float, readout: Record) -> PoseHistory:
        """Return the history of one pose, that of a READOUT at `time` [s]."""
        r = readout[0]
        return cls(np.array([time]), *(np.array([r[name]], np.float64) for name in cls._fields[1:]))


class PoseRecorder:
    """Reads poses from the ring of the last states of a session.

    Parameters
    ----------
    watch : state monitor of the session, whose ring holds the longest interval between two measurements
    """

    def __init__(self, watch: StateMonitor) -> None:
        self._watch = watch
        self._first = 0
        self._start: PoseHistory | None = None

    @property
    def ticks(self) -> int:
        """Number of ticks of the vehicle so far; pass it to `since`."""
        return int(self._watch.state[0]["ticks"])

    def begin(self, time: float, readout: Record) -> None:
        """Begin a new history with the present pose: the vehicle was put there, poses from before do not lead to it."""
        self._first, self._start = self.ticks, PoseHistory.of_readout(time, readout)

    def since(self, tick: int) -> PoseHistory:
        """Return the poses from `tick` to now, both included, as new arrays; from the begin of the history if it is later."""
        assert self._start is not None
        ring, now = self._watch.history, self.ticks
        first = max(tick, self._first, now - len(ring) + 1)
        rows = ring[np.arange(max(first - 1, self._first), now) % len(ring)]
        out = [np.ascontiguousarray(rows[name]) for name in PoseHistory._fields]
        if first == self._first:
            out = [np.concatenate(pair) for pair in zip(self._start, out, strict=True)]
        return PoseHistory(*out)
