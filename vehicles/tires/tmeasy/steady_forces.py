"""TMeasy: steady forces of a tire on hard ground over combined slip and load.

[Rill] G. Rill, Road Vehicle Dynamics, CRC Press 2011, chapter 3, and "An engineer's guess on tyre model parameter made possible
with TMeasy". Slip s = (s_x, s_y) = -sliding velocity / (R_e |spin|), of length s and direction (cx, cy); the direction blends the two axes.

Slips may be divided by normalizing factors before they are combined, so that both axes reach their peaks together [Rill 2011, eq. 3.64]:

    hat_i = s_i^M / (s_x^M + s_y^M) + (F_i^M / dF_i^0) / (F_x^M / dF_x^0 + F_y^M / dF_y^0)

The curve of the combined slip then has the slopes dF_i^0 hat_i and the slips s_i^M / hat_i, s_i^S / hat_i. Along one axis alone the factors
change nothing. Under braking slip near its peak the tire has little remaining lateral force, which plain slips do not show.
differs: the factors tend to 1 towards full sliding, where friction opposes the velocity of the rubber and has no preferred axes.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline


@inline
def force_at(pair, q):
    """Return a force parameter at the load q pn, from its values at pn and 2 pn: a parabola through zero load [Rill 2011, eq. 3.60]."""
    return q * (2.0 * pair[0] - 0.5 * pair[1] - (pair[0] - 0.5 * pair[1]) * q)


@inline
def slip_at(pair, q):
    """Return a slip parameter at the load q pn, from its values at pn and 2 pn: a straight line [Rill 2011, eq. 3.61]."""
    return pair[0] + (pair[1] - pair[0]) * (q - 1.0)


@inline
def axes_at(p, q):
    """Return both axes at the load q pn, q > 0: (dfx0, dfy0, fxm, fym, sxm, sym, fxs, fys, sxs, sys)."""
    t = p[0]
    return (
        force_at(t["dfx0"], q), force_at(t["dfy0"], q), force_at(t["fxm"], q), force_at(t["fym"], q), slip_at(t["sxm"], q), slip_at(t["sym"], q),
        force_at(t["fxs"], q), force_at(t["fys"], q), slip_at(t["sxs"], q), slip_at(t["sys"], q),
    )  # fmt: skip


@inline
def axes_on(axes, stretch, sliding):
    """Return `axes_at` on a surface with its own curve: slips times `stretch`, slopes divided by it, and at least `sliding` of the maximum forces
    at full sliding."""
    dfx0, dfy0, fxm, fym, sxm, sym, fxs, fys, sxs, sys = axes
    if stretch != 1.0:
        per = 1.0 / stretch
        dfx0, dfy0, sxm, sym, sxs, sys = dfx0 * per, dfy0 * per, sxm * stretch, sym * stretch, sxs * stretch, sys * stretch
    return dfx0, dfy0, fxm, fym, sxm, sym, max(fxs, sliding * fxm), max(fys, sliding * fym), sxs, sys


@inline
def factors(axes, slide, speed, weight):
    """Return the normalizing factors (hat_x, hat_y) of Rill for `axes_at`, at a slip of the rim over the friction ratio whose square is
    slide / speed.

    They are 1 above twice the slip at which both axes slide fully, and Rill's below that of the later peak; `weight` is the fraction of
    hard ground.
    """
    dfx0, dfy0, fxm, fym, sxm, sym, _, _, sxs, sys = axes
    peak = max(sxm, sym)
    if slide > peak * peak * speed:
        away = min((math.sqrt(slide / speed) - peak) / (2.0 * max(sxs, sys) - peak), 1.0)
        weight *= 1.0 - away * away * (3.0 - 2.0 * away)
    x, y = fxm * sxm * max(dfy0 * sym, 2.0 * fym), fym * sym * max(dfx0 * sxm, 2.0 * fxm)
    more = weight * ((sxm * (x + y) + x * (sxm + sym)) / ((sxm + sym) * (x + y)) - 1.0)
    return 1.0 + more, 1.0 - more


@inline
def normalized(axes, hat_x, hat_y, per_x, per_y):
    """Return `axes_at` for slips divided by these factors; per_x and per_y are 1 / hat_x and 1 / hat_y."""
    dfx0, dfy0, fxm, fym, sxm, sym, fxs, fys, sxs, sys = axes
    return dfx0 * hat_x, dfy0 * hat_y, fxm, fym, sxm * per_x, sym * per_y, fxs, fys, sxs * per_x, sys * per_y


@inline
def characteristic(axes, m, xx):
    """Return (dF0, Fm, sm, Fs, ss, 1 / sm, p) of the force over slip, for `axes_at` a load and m times the friction.

    Initial slope, peak force and its slip, sliding force and its slip, shape p = dF0 sm / Fm - 2 >= 0 of the rise. xx is
    the squared x component of the unit vector along the slip.
    """
    dfx0, dfy0, fxm, fym, sxm, sym, fxs, fys, sxs, sys = axes
    yy = 1.0 - xx
    dF0 = math.sqrt(dfx0 * dfx0 * xx + dfy0 * dfy0 * yy)
    Fm = m * math.sqrt(fxm * fxm * xx + fym * fym * yy)
    sm = m * math.sqrt(sxm * sxm * xx + sym * sym * yy)
    Fs = m * math.sqrt(fxs * fxs * xx + fys * fys * yy)
    ss = m * math.sqrt(sxs * sxs * xx + sys * sys * yy)
    per_peak = 1.0 / sm
    min_slope = 2.0 * Fm * per_peak
    return max(dF0, min_slope), Fm, sm, Fs, ss, per_peak, max(dF0 * sm / Fm - 2.0, 0.0)


@inline
def rising_force(curve, s):
    """Return force F [N] at the slip s >= 0 and dF/ds on the rise of a `characteristic`; beyond its peak, the peak."""
    dF0, Fm, sm, _, _, per_peak, p = curve
    if s >= sm:
        return Fm, 0.0
    n = s * per_peak
    inverse = 1.0 / (1.0 + (n + p) * n)
    return dF0 * s * inverse, dF0 * (1.0 - n * n) * inverse * inverse


@inline
def slip_force(curve, s):
    """Return force F [N] at the slip s >= 0 and dF/ds, for a `characteristic`.

    A rational rise to the peak, two parabolas (or a cubic, where they do not fit) down to the sliding force, then the sliding force.
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
    """Return the pneumatic trail over contact length at the lateral slip s_y, at the load q pn [Rill 2011, section 3.3.6]."""
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
