"""Signal of a lidar: which of the surfaces in a beam are returned, at which measured range, and with which intensity.

A surface with the diffuse reflectance rho that fills the beam at the incidence i returns a power proportional to [lidar equation]

    rho cos(i) / r^2 exp(-2 (alpha r + tau))      alpha: extinction of the air, tau: optical depth of porous objects that the beam passed

Its apparent reflectance is rho' = rho cos(i) exp(-2 (alpha r + tau)). A data sheet gives the range R10 at the reflectance 0.1, so the threshold
of rho' is 0.1 (r / R10)^2; units lower their gain for near surfaces, so it is at least DARKEST. A surface is returned if

    s + n / SNR > 1,      s = rho' over threshold, n normal, SNR = THRESHOLD_TO_NOISE

which at s = 1 is every second time [RCA 1974, Electro-Optics Handbook, section 8]. The standard deviation of the range is that of a strong return and of the
leading edge of a pulse, c tau / 4 / (SNR s) [Skolnik 2001, Introduction to Radar Systems, section 6.3], added as squares. So noise grows as the power falls.

With several rays in the footprint of a beam, each has an equal part of the power. Surfaces closer to each other than the length of a pulse, c tau / 2, are one
return with the sum of their powers. Its range is that of the ray next to their mean: a point is always on a surface.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record

SIGNAL = (
    # name             shape unit  description
    ("range_at_10_percent", (), "m", "maximum range at reflectance 0.1, R10"),
    ("min_range", (), "m", "surfaces nearer than this give no return"),
    ("noise", (), "1", "0 = every surface within range is returned without noise", "i8"),
    ("range_noise", (), "m", "standard deviation of the range of a strong return"),
    ("range_step", (), "m", "resolution of the range"),
    ("extinction", (), "1/m", "extinction of the air"),
    ("mode", (), "1", "FIRST, STRONGEST or LAST return", "i8"),
)
FIRST, STRONGEST, LAST = range(3)
MODES = {"first": FIRST, "strongest": STRONGEST, "last": LAST}
PULSE = 0.75
"""m. c tau / 2 of a pulse of 5 ns; typical of units at 905 nm."""
THRESHOLD_TO_NOISE = 5.0
"""Signal at the threshold over the standard deviation of the noise; larger values make the limit of the range sharper. Assumed."""
DARKEST = 0.01
"""Smallest apparent reflectance that is returned at any range; assumed. Smaller values give more false returns from rain near the sensor."""
MISS, FALSE = -2, -1
"""Ray of a return: none, and a false return."""
LOWEST, HIGHEST = 0.0, 255.0
"""Limits of the intensity; 100 = a white diffuse surface."""
MAX_RAYS = 9


def threshold(ranges: Array, range_at_10_percent: float) -> Array:
    """Return the apparent reflectance (n,) that is returned every second time, at ranges (n,) [m]; range_at_10_percent: R10 [m]."""
    return np.maximum(0.1 * (ranges / range_at_10_percent) ** 2, DARKEST)


@inline
def _threshold(r, range_at_10_percent):
    return max(0.1 * (r / range_at_10_percent) * (r / range_at_10_percent), DARKEST)


class Surfaces(NamedTuple):
    """Surfaces in n beams, k of each: those that its rays meet, or false returns."""

    range: Array
    """(n, k) m; of a false return inf = none"""
    strength: Array
    """(n, k) apparent reflectance; of a ray 0 = none"""


class Returns(NamedTuple):
    """Returns of n beams, and scratch of `pick_returns`."""

    range: Array
    """(n,) m, measured; inf = a miss"""
    true_range: Array
    """(n,) m"""
    strength: Array
    """(n,) measured apparent reflectance; 0 = a miss"""
    ray: NDArray[np.int64]
    """(n,) ray of the footprint, MISS or FALSE"""
    order: Record
    """(MAX_RAYS,) surfaces of a beam, scratch"""


def empty_returns(count: int) -> Returns:
    """Return arrays for the returns of `count` beams."""
    order = record((("range", (), "m", ""), ("strength", (), "1", ""), ("ray", (), "1", "", "i8")), MAX_RAYS)
    return Returns(np.empty(count), np.empty(count), np.empty(count), np.empty(count, np.int64), order)


@kernel
def weaken(p, ranges, directions, normals, reflectance, depths, strengths):
    """Write the apparent reflectances of surfaces to strengths (m,); 0 without a hit, or nearer than the minimum range.

    Parameters
    ----------
    p : (1,) of SIGNAL
    ranges, directions, normals : (m,) range [m], (m, 3) unit vectors of the beams and of the surfaces
    reflectance, depths : (m,) reflectance, optical depth in front of the surface
    """
    s = p[0]
    for k in range(len(ranges)):
        strengths[k] = 0.0
        if s["min_range"] <= ranges[k] < math.inf:
            d, n = directions[k], normals[k]
            cosine = abs(d[0] * n[0] + d[1] * n[1] + d[2] * n[2])
            strengths[k] = reflectance[k] * cosine * math.exp(-2.0 * (s["extinction"] * ranges[k] + depths[k]))


@kernel
def pick_returns(p, surfaces, false, normal, out):
    """Choose the return of each beam and measure it.

    Parameters
    ----------
    p : (1,) of SIGNAL
    surfaces : `Surfaces` of the rays of each beam
    false : `Surfaces` of the false returns; only those before the last surface of the beam count
    normal : (n, 2) normal random numbers, for the power and for the range
    out : `Returns`
    """
    s = p[0]
    order = out.order
    for n in range(len(surfaces.range)):
        out.range[n], out.true_range[n], out.strength[n], out.ray[n] = math.inf, math.inf, 0.0, MISS
        best, rays = -1.0, surfaces.range.shape[1]
        count, far = _sort(surfaces.range[n], surfaces.strength[n], order)
        noise = normal[n, 0] / THRESHOLD_TO_NOISE if s["noise"] else 0.0
        first = 0
        while first < count:
            last, power, mean = first, 0.0, 0.0
            while last < count and order[last]["range"] - order[first]["range"] <= PULSE:
                power += order[last]["strength"]
                mean += order[last]["strength"] * order[last]["range"]
                last += 1
            near = first
            for k in range(first, last):
                if abs(order[k]["range"] - mean / power) < abs(order[near]["range"] - mean / power):
                    near = k
            r, power = order[near]["range"], power / rays
            limit = _threshold(r, s["range_at_10_percent"])
            signal = power / limit + noise
            if signal > 1.0 or not s["noise"]:
                rank = _rank(s, r, signal)
                if out.ray[n] == MISS or rank > best:
                    best = rank
                    out.true_range[n], out.strength[n], out.ray[n] = r, max(signal, 0.0) * limit, order[near]["ray"]
            first = last
        for k in range(false.range.shape[1]):
            r, strength = false.range[n, k], false.strength[n, k]
            if r < far:
                rank = _rank(s, r, strength / _threshold(r, s["range_at_10_percent"]))
                if out.ray[n] == MISS or rank > best:
                    best = rank
                    out.true_range[n], out.strength[n], out.ray[n] = r, strength, FALSE
        if out.ray[n] != MISS:
            out.range[n] = _measured(s, out.true_range[n], out.strength[n], normal[n, 1])
            if out.range[n] < s["min_range"]:
                out.range[n], out.true_range[n], out.strength[n], out.ray[n] = math.inf, math.inf, 0.0, MISS


@inline
def _rank(s, r, signal):
    """Return a number that is larger for a surface which the mode prefers."""
    if s["mode"] == FIRST:
        return -r
    return r if s["mode"] == LAST else signal


@inline
def _sort(ranges, strengths, order):
    """Write the rays with a surface to `order`, the nearest first; return their number and the range of the farthest, inf if a ray has none."""
    count = 0
    for ray in range(len(ranges)):
        if strengths[ray] > 0.0:
            at = count
            while at > 0 and order[at - 1]["range"] > ranges[ray]:
                order[at]["range"], order[at]["strength"], order[at]["ray"] = (
                    order[at - 1]["range"],
                    order[at - 1]["strength"],
                    order[at - 1]["ray"],
                )
                at -= 1
            order[at]["range"], order[at]["strength"], order[at]["ray"] = ranges[ray], strengths[ray], ray
            count += 1
    far = 0.0
    for ray in range(len(ranges)):
        far = max(far, ranges[ray])
    return count, far


@inline
def _measured(s, r, strength, normal):
    """Return the measured range [m] of a surface at r [m] with an apparent reflectance."""
    if s["noise"]:
        edge = 0.5 * PULSE / (THRESHOLD_TO_NOISE * max(strength / _threshold(r, s["range_at_10_percent"]), 1.0))
        r = max(r + math.sqrt(s["range_noise"] * s["range_noise"] + edge * edge) * normal, 0.5 * r)
    step = s["range_step"]
    return math.floor(r / step + 0.5) * step if step > 0.0 else r
