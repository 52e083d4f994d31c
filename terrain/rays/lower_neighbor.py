"""What the ray below tells: of two rays that start near one place, in nearly the same direction seen from above, the higher one reaches the ground later.

This is a bound only: whether a ray uses it or not, its hit has the same bits.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline

LONGEST_STRIDE = 8192
"""Maximum distance of a ray and the ray below it in the list of rays: the width of an image, the rays of a ring."""
CLEARANCE = 1e-6
"""m. Of a ray above the ground, for rounding and for crossings that may be skipped."""
SAMPLES = 9


@inline
def order_of(line):
    """Return (stride, 1 or -1): most rays n + stride are above (1) or below (-1) ray n, seen from the side; (0, 1) without such an order."""
    count = len(line)
    for stride in range(1, min(LONGEST_STRIDE, count - 1) + 1):
        if _above(line, 0, stride) == 0:
            continue
        votes, sum_ = 0, 0
        for k in range(SAMPLES):
            n = (count - 1 - stride) * k // (SAMPLES - 1)
            up = _above(line, n, n + stride)
            votes, sum_ = votes + abs(up), sum_ + up
        if 3 * votes >= 2 * SAMPLES:
            return stride, 1 if sum_ >= 0 else -1
    return 0, 1


@inline
def _above(line, n, m):
    """Return 1 if ray m is above ray n, -1 if it is below, 0 if they are not one above the other."""
    a, b = line[n], line[m]
    flat_a, flat_b = _length(a[3], a[4]), _length(b[3], b[4])
    if not (flat_a > 1e-3 and flat_b > 1e-3):
        return 0
    aside = abs(b[3] / flat_b - a[3] / flat_a) + abs(b[4] / flat_b - a[4] / flat_a)
    up = b[5] / flat_b - a[5] / flat_a
    if aside > 0.3 * abs(up):
        return 0
    return 1 if up > 0.0 else (-1 if up < 0.0 else 0)


@inline
def free_until(below, free, ray, gap, slopes):
    """Return t [m] before which a ray does not meet the ground, 0 if this is not known.

    Parameters
    ----------
    below : ray that starts above the ground and is free up to t = `free` [m]
    ray : the ray above it
    gap : lower bound of the height of its origin above the ground [m]
    slopes : bounds: slope of the ground; slope of the ground without its relief, height of the relief [m]
    """
    ax, ay, az, adx, ady, adz = below
    bx, by, bz, bdx, bdy, bdz = ray
    flat_a, flat_b = _length(adx, ady), _length(bdx, bdy)
    if not (flat_a > 1e-6 and flat_b > 1e-6):
        return 0.0
    per_a, per_b = 1.0 / flat_a, 1.0 / flat_b
    climb = bdz * per_b - adz * per_a
    if not climb > 0.0:
        return 0.0
    far, shift = free * flat_a, _length(bx - ax, by - ay)
    aside = _length(bdx * per_b - adx * per_a, bdy * per_b - ady * per_a)
    for k in range(2):
        slope, relief = (slopes[0], 0.0) if k == 0 else (slopes[1], slopes[2])
        start, rate = bz - az - slope * shift - relief - CLEARANCE, climb - slope * aside
        own = gap - relief - CLEARANCE
        if not (rate > 0.0 and own > slope * shift + abs(bz - az)):  # then the ray below starts above the ground
            continue
        above_from = max(-start / rate, 0.0)
        if above_from < far and own > above_from * max(slope - bdz * per_b, 0.0):
            return max(far * per_b * (1.0 - 1e-9) - CLEARANCE, 0.0)
    return 0.0


@inline
def _length(x, y):
    """Return the length of a vector."""
    return math.sqrt(x * x + y * y)
