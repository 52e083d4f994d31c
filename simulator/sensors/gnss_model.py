"""Errors of a GNSS receiver: from the true position and velocity of its antenna to a fix.

Errors of the position are a first-order Gauss-Markov process (orbits, clocks, atmosphere, multipath: they change within minutes) and white
noise. Errors of the velocity, which a receiver gets from the Doppler shift, are a Gauss-Markov process of their own. Their standard
deviations apply to the open sky; they grow with the dilution of precision of the visible satellites:

    sigma_h = sigma_h0 HDOP / HDOP_open,   sigma_v = sigma_v0 VDOP / VDOP_open

Below 4 visible satellites, or above a PDOP of 25, there is no fix (`simulator.sensors.gnss_sky`). A receiver with RTK that sees fewer than
MIN_FIXED satellites loses the ambiguities: until it has seen that many again for `convergence_time`, its fix is "RTK float", with the
Gauss-Markov error `float_error`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.sensors.gnss_sky import WORST_PDOP, Dilution, dilution, sky
from simulator.sensors.nmea import DIFFERENTIAL, NO_FIX, RTK_FIXED, RTK_FLOAT, SINGLE
from terrain.geodesy import LocalFrame

MIN_FIXED = 6
"""Visible satellites that keep the ambiguities fixed. Larger: RTK float more often. Assumed: five double differences."""
SERVICES = {"single": SINGLE, "differential": DIFFERENTIAL, "rtk": RTK_FIXED}
"""Quality of a fix by the name of the service."""


class GnssFix(NamedTuple):
    """Fix of a receiver; NaN without a fix."""

    quality: int
    """NO_FIX, SINGLE, DIFFERENTIAL, RTK_FIXED, RTK_FLOAT"""
    satellites: int
    latitude: float
    """rad"""
    longitude: float
    """rad, -pi to pi"""
    altitude: float
    """m above the ellipsoid of WGS 84"""
    velocity: Array
    """(3,) m/s to true east, north and up at the antenna"""
    dilution: Dilution
    deviation: Array
    """(3,) m, standard deviation of the position to east, north and up"""


class GnssModel:
    """Receiver with its state.

    Parameters
    ----------
    parameters : by name, the keys of `type: gnss` (`simulator.sensors.gnss.PARAMETERS`), in SI units
    frame : position of the world on Earth
    period : time between two fixes [s]
    random : random numbers of the receiver
    """

    def __init__(self, parameters: Mapping[str, Any], frame: LocalFrame, period: float, random: np.random.Generator) -> None:
        self._p, self._frame, self._period, self._random = parameters, frame, period, random
        self.satellites = sky(parameters["mask_angle"])
        """(n, 3) unit vectors to the satellites, in W."""
        self._open = dilution(self.satellites)
        self._position, self._velocity = random.standard_normal((2, 3))  # Gauss-Markov processes with standard deviation 1
        frame.fix(np.zeros(3), np.zeros(3))  # compiles before the first measurement
        self._settled = math.inf  # s, for how long enough satellites have been visible

    def fix(self, p_WS: Array, v_WS: Array, visible: NDArray[np.bool_]) -> GnssFix:
        """Return the next fix.

        Parameters
        ----------
        p_WS, v_WS : (3,) true position [m] and velocity [m/s] of the antenna, in W
        visible : (n,) True for the satellites that the antenna sees
        """
        white, correlated, rates = self._random.standard_normal((3, 3))
        count, here = int(visible.sum()), dilution(self.satellites[visible])
        self._settled = self._settled + self._period if count >= MIN_FIXED else 0.0
        quality = self._quality(here)
        fix = _no_fix(count) if quality == NO_FIX else self._place(quality, count, here, (p_WS, v_WS), white)
        _advance(self._position, correlated, self._period, self._p["error_time"])
        _advance(self._velocity, rates, self._period, self._p["velocity_time"])
        return fix

    def _place(self, quality: int, count: int, here: Dilution, truth: tuple[Array, Array], white: Array) -> GnssFix:
        """Return the fix at a true position and velocity."""
        gain = np.array((here.horizontal / self._open.horizontal,) * 2 + (here.vertical / self._open.vertical,))
        slow, fast, speed = (self._both(name) for name in ("error", "noise", "velocity_error"))
        if quality == RTK_FLOAT:
            slow = np.maximum(slow, self._p["float_error"])
        error = gain * (slow * self._position + fast * white)
        place, velocity = self._frame.fix(truth[0] + error, truth[1] + gain * speed * self._velocity)
        return GnssFix(quality, count, float(place[0]), float(place[1]), float(place[2]), velocity, here, gain * np.hypot(slow, fast))

    def _quality(self, here: Dilution) -> int:
        if not here.position <= WORST_PDOP:
            return NO_FIX
        quality = SERVICES[self._p["service"]]
        return RTK_FLOAT if quality == RTK_FIXED and self._settled < self._p["convergence_time"] else quality

    def _both(self, name: str) -> Array:
        """Return the horizontal and the vertical value of a parameter along x, y and z."""
        level, up = self._p[f"horizontal_{name}"], self._p[f"vertical_{name}"]
        return np.array((level, level, up))


def _no_fix(count: int) -> GnssFix:
    """Return the values without a fix, with the number of visible satellites."""
    nothing = np.full(3, math.nan)
    return GnssFix(NO_FIX, count, math.nan, math.nan, math.nan, nothing, Dilution(math.nan, math.nan), nothing)


def _advance(state: Array, normal: Array, period: float, time: float) -> None:
    """Advance Gauss-Markov processes of standard deviation 1 with a correlation time [s]; 0: white noise."""
    memory = math.exp(-period / time) if time > 0.0 else 0.0
    state *= memory
    state += math.sqrt(1.0 - memory * memory) * normal
