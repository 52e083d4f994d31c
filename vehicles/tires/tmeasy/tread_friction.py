"""How a tire holds the ground: two tangential deflections of the tread in series with friction, without a case for standstill.

The contact patch hangs on the rim by springs and dampers, u its deflection, and slides over the ground with w:

    w = v_s + u',    c u + d u' = F,    F = -F_fric(|w| / v_t) w / |w|,    v_t = R_e |spin| + V_CREEP

v_s is the sliding velocity of a rigid tread. Rolling steadily, u' = 0 and F is the steady slip force. Standing, v_t is so small that
any sliding worth the name means full friction, and a load below that makes the patch creep at V_CREEP times its slip, micrometers
a minute: a spring with a damper.

    F_fric(s) = min(rising part of the curve at s, F_lim),    F_lim = curve at |v_s| / sqrt(v_t^2 + V_BREAK^2), or its peak before that

[Rill] G. Rill, First order tire dynamics, 3rd ECCM (2006). differs: the rise is a function of the slip of the patch, w, so that a
standing tire neither creeps under its load nor ratchets when it is shaken; only the fall behind the peak is taken at the
rim's slip as there, because a patch on a falling curve of its own would stick and slip. V_BREAK makes standing the same as rolling
slowly, so that a parked car has the peak to lean on.

One step is backward Euler in u, a return mapping as in plasticity: with K = c h + d and the trial force T = c u - K v_s,

    K w + F_fric(|w| / v_t) w / |w| = -T        ->   w, F, u' = (F - c u) / K

With normalized slips (`curves`) the same holds of w_i / hat_i with K_i hat_i, and so it is what `hold` gets.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline
from vehicles.tires.tmeasy.steady_forces import characteristic, rising_force, slip_force

V_BREAK = 0.2
"""m/s. A locked or standing wheel slides with sliding friction from about this speed on and holds with the peak well below it. Larger:
softer break-away, and slip forces behind the peak are off below it. Smaller: harsher break-away."""

NEWTON = 1e-3
"""Relative step of Newton's iteration after which its result is taken; its error is of the order of the square, and none when steady."""

TINY = 1e-100


@inline
def friction_force(curve, limit, share, soil, s):
    """F_fric [N] at the slip s >= 0 of the patch and its slope: hard share as above, H s / (s + s1) on the rest.

    `curve` is a `tmeasy.characteristic`, `limit` F_lim, `soil` (H, s1): strength and the slip at which half of it is in force.
    """
    hard, slope = rising_force(curve, s)
    if hard >= limit:
        hard, slope = limit, 0.0
    if share >= 1.0:
        return hard, slope
    reach = s + soil[1]
    return share * hard + (1.0 - share) * soil[0] * s / reach, share * slope + (1.0 - share) * soil[0] * soil[1] / (reach * reach)


@inline
def slip_of_trial(curve, limit, share, soil, kappa, T, start):
    """Slip s >= 0 with kappa s + friction_force(s) = T, for T >= 0, by Newton from the slip `start`.

    The left side is concave and rises: from any start one step brings the iterate below the answer, from where it climbs.
    """
    s = start
    if share >= 1.0 and T - limit >= kappa * curve[2]:
        return (T - limit) / kappa
    for _ in range(40):
        force, slope = friction_force(curve, limit, share, soil, s)
        new = max(s - (kappa * s + force - T) / (kappa + slope), 0.0)
        if abs(new - s) <= NEWTON * s:
            return new
        s = new
    return s


@inline
def hold(axes, ground, trial, start):
    """Force, slip and secant of the contact patch for one step.

    Parameters
    ----------
    axes : of `curves` at the load
    ground : (m, share, H, s1): friction over that of the curves, share of hard ground, and for the rest strength [N] and half slip, see
        `friction_force`
    trial : (T_x, T_y, K_x, K_y, v_s, v_t): trial force [N], c h + d of both axes [N s/m], length of v_s, v_t [m/s]
    start : (secant, slip): those of the last step

    Returns
    -------
    tuple : F_x, F_y [N], slip s_x, s_y (-w / v_t), secant |F| / |w| [N s/m]
    """
    m, share, H, s1 = ground
    T_x, T_y, K_x, K_y, v_s, v_t = trial
    g, s = start
    x, y = T_x * (K_y + g), T_y * (K_x + g)
    square = x * x + y * y
    if square < TINY:
        return 0.0, 0.0, 0.0, 0.0, g
    rim_slip = v_s / math.sqrt(v_t * v_t + V_BREAK * V_BREAK)
    force = 0.0
    xx = x * x / square
    # the curve depends on the direction of w, which the secant of the answer turns a little
    for _ in range(3):
        curve = characteristic(axes, m, xx)
        limit = curve[1] if rim_slip <= curve[2] else slip_force(curve, rim_slip)[0]
        T = abs(x * T_x + y * T_y) / math.sqrt(square)
        s = slip_of_trial(curve, limit, share, (H, s1), v_t * (K_y + (K_x - K_y) * xx), T, s)
        force = friction_force(curve, limit, share, (H, s1), s)[0]
        g = force / (max(s, 1e-12) * v_t)
        x, y = T_x * (K_y + g), T_y * (K_x + g)
        square = x * x + y * y
        old, xx = xx, x * x / square
        if abs(xx - old) < 1e-3:
            break
    per = 1.0 / math.sqrt(square)
    return force * x * per, force * y * per, s * x * per, s * y * per, g
