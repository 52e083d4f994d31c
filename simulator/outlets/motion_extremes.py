"""Extremes of the motion of driver and rider between two publications of the view, so that its strip chart misses no peak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.session import Session


class MotionExtremes:
    """Least and greatest values of the ticks since the last call of `take`.

    Attributes
    ----------
    low, high : (2, 6) m/s2 and rad/s: specific force and angular rate of the driver in the vehicle (in B), and of the rider in the cab (in P)
    """

    def __init__(self, session: Session) -> None:
        vehicle, rider = session.watch.state[0], session.cueing.readout[0]
        self._sources = (vehicle["f_H_B"], vehicle["w_WB_B"], rider["cab_f_H_P"], rider["cab_w_NP_P"])
        self._now, self.low, self.high = np.zeros(12), np.zeros((2, 6)), np.zeros((2, 6))
        self._low, self._high = self.low.reshape(12), self.high.reshape(12)
        self._begins = True

    def note(self) -> None:
        """Add the present tick; takes some microseconds."""
        for k, source in enumerate(self._sources):
            self._now[3 * k : 3 * k + 3] = source
        if self._begins:
            self._begins = False
            self._low[:] = self._high[:] = self._now
        else:
            np.minimum(self._low, self._now, out=self._low)
            np.maximum(self._high, self._now, out=self._high)

    def begin(self) -> None:
        """Begin with the next tick."""
        self._begins = True
