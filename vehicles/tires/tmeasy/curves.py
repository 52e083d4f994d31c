"""TMeasy: steady forces of a tire on hard ground over combined slip, dependent on the load.

[Rill] G. Rill, Road Vehicle Dynamics, CRC Press 2011, chapter 3, and "An engineer's guess on tyre model parameter made possible
with TMeasy". differs: slips are not normalised before they are combined; the direction of slip blends the two axes.
Slip s = (s_x, s_y) = -sliding velocity / (R_e |spin|), of length s and direction (cx, cy).
"""

from __future__ import annotations

import math

from simulator.base.jit import inline


@inline
def force_at(pair, q):
    """Force parameter at the load q pn, from its values at pn and 2 pn: a parabola through zero load [Rill 2011, eq. 3.60]."""
    return q * (2.0 * pair[0] - 0.5 * pair[1] - (pair[0] - 0.5 * pair[1]) * q)


@inline
def slip_at(pair, q):
    """Slip parameter at the load q pn, from its values at pn and 2 pn: a straight line [Rill 2011, eq. 3.61]."""
    return pair[0] + (pair[1] - pair[0]) * (q - 1.0)


@inline
def characteristic(p, q, m, xx):
    """(dF0, Fm, sm, Fs, ss, 1 / sm, p) of the force over slip, at the load q pn and m times the friction.

    Initial slope, peak force and its slip, sliding force and its slip, shape p = dF0 sm / Fm - 2 >= 0 of the rise. xx is
    the squared x part of the unit vector along the slip; q must be > 0.
    """
    t = p[0]
    yy = 1.0 - xx
    a, b = force_at(t["dfx0"], q), force_at(t["dfy0"], q)
    dF0 = math.sqrt(a * a * xx + b * b * yy)
    a, b = force_at(t["fxm"], q), force_at(t["fym"], q)
    Fm = m * math.sqrt(a * a * xx + b * b * yy)
    a, b = slip_at(t["sxm"], q), slip_at(t["sym"], q)
    sm = m * math.sqrt(a * a * xx + b * b * yy)
    a, b = force_at(t["fxs"], q), force_at(t["fys"], q)
    Fs = m * math.sqrt(a * a * xx + b * b * yy)
    a, b = slip_at(t["sxs"], q), slip_at(t["sys"], q)
    ss = m * math.sqrt(a * a * xx + b * b * yy)
    per_peak = 1.0 / sm
    least = 2.0 * Fm * per_peak
    return max(dF0, least), Fm, sm, Fs, ss, per_peak, max(dF0 * sm / Fm - 2.0, 0.0)


@inline
def rising_force(curve, s):
    """Force F [N] at the slip s >= 0 and dF/ds on the rise of a `characteristic`; beyond its peak, the peak."""
    dF0, Fm, sm, _, _, per_peak, p = curve
    if s >= sm:
        return Fm, 0.0
    n = s * per_peak
    inverse = 1.0 / (1.0 + (n + p) * n)
    return dF0 * s * inverse, dF0 * (1.0 - n * n) * inverse * inverse


@inline
def slip_force(curve, s):
    """Force F [N] at the slip s >= 0 and dF/ds, for a `characteristic`.

    A rational rise to the peak, two parabolas (or a cubic, where they do not fit) down to the sliding force, then that force.
    """
    dF0, Fm, sm, Fs, ss = curve[:5]
    if s < sm:
        return rising_force(curve, s)
    if s >= ss:
        return Fs, 0.0
    a = (Fm / sm) * (Fm / sm) / (dF0 * sm)
    bend = sm + (Fm - Fs) / (a * (ss - sm))
    if bend >= ss:
        n = (s - sm) / (ss - sm)
        return Fm - (Fm - Fs) * n * n * (3.0 - 2.0 * n), -6.0 * (Fm - Fs) * n * (1.0 - n) / (ss - sm)
    if s <= bend:
        return Fm - a * (s - sm) * (s - sm), -2.0 * a * (s - sm)
    b = a * (bend - sm) / (ss - bend)
    return Fs + b * (ss - s) * (ss - s), -2.0 * b * (ss - s)


@inline
def trail(p, q, s_y):
    """Pneumatic trail over contact length at the lateral slip s_y, at the load q pn [Rill 2011, section 3.3.6]."""
    y = abs(s_y)
    nl0, sq0 = slip_at(p[0]["nl0"], q), slip_at(p[0]["sq0"], q)
    end = max(slip_at(p[0]["sqe"], q), sq0)
    w = sq0 / end
    if y <= sq0:
        u = y / sq0
        return nl0 * ((1.0 - w) * (1.0 - u) + w * (1.0 - (3.0 - 2.0 * u) * u * u))
    if y < end:
        u = (end - y) / (end - sq0)
        return -nl0 * (1.0 - w) * (y - sq0) / sq0 * u * u
    return 0.0
