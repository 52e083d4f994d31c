"""Tread of TMeasy: two tangential deflections in series with friction, without a special case for standstill.

The contact patch is attached to the rim by springs and dampers, with the deflection u, and slides over the ground with w:

    w = v_s + u',    c u + d u' = F,    F = -F_fric(|w| / v_t) w / |w|,    v_t = R_e |spin| + V_CREEP

v_s is the sliding velocity of a rigid tread. Rolling steadily, u' = 0 and F is the steady slip force. At standstill, v_t is so small that
any noticeable sliding means full friction. A smaller load makes the patch creep at V_CREEP times its slip, micrometers
per minute: a spring with a damper.

    F_fric(s) = min(rising part of the curve at s, F_lim),    F_lim = curve at |v_s| / sqrt(v_t^2 + V_BREAK^2), or its peak before that

[Rill] G. Rill, First order tire dynamics, 3rd ECCM (2006). differs: the rise is a function of the slip of the patch, w, so that a
tire at rest neither creeps under its load nor ratchets when it is shaken. Only the decrease beyond the peak is evaluated at the
rim slip as in [Rill], because a patch on a falling curve of its own would stick and slip. V_BREAK makes standstill equal to rolling
slowly, so that a parked car can use the peak force.

One step is backward Euler in u, a return mapping as in plasticity: with K = c h + d and the trial force T = c u - K v_s,

    K w + F_fric(|w| / v_t) w / |w| = -T        ->   w, F, u' = (F - c u) / K

With normalized slips (`steady_forces`) the same equations hold for w_i / hat_i with K_i hat_i, which are the inputs of `hold`.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline
from vehicles.tires.tmeasy.steady_forces import characteristic, rising_force, slip_force

V_BREAK = 0.2
"""m/s. A locked or standing wheel slides with sliding friction above approximately this speed and sticks with the peak force well below it.
Larger: softer break-away, and slip forces beyond the peak are inaccurate below it. Smaller: harsher break-away."""

NEWTON = 1e-3
"""Relative step of Newton's iteration at which it stops; the error is of the order of the square, and zero in steady state."""

TINY = 1e-100


@inline
def friction_force(curve, limit, hard_fraction, soil, s):
    """Return F_fric [N] at the slip s >= 0 of the patch and its slope: as above on the fraction of hard ground, H s / (s + s1) on the rest.

    `curve` is a `steady_forces.characteristic`, `limit` F_lim, `soil` (H, s1): strength and the slip at which half of it acts.
    """
    hard, slope = rising_force(curve, s)
    if hard >= limit:
        hard, slope = limit, 0.0
    if hard_fraction >= 1.0:
        return hard, slope
    reach = s + soil[1]
    return (
        hard_fraction * hard + (1.0 - hard_fraction) * soil[0] * s / reach,
        hard_fraction * slope + (1.0 - hard_fraction) * soil[0] * soil[1] / (reach * reach),
    )


@inline
def slip_of_trial(curve, limit, hard_fraction, soil, kappa, T, start):
    """Return the slip s >= 0 with kappa s + friction_force(s) = T, for T >= 0, by Newton from the slip `start`.

    The left side is concave and increasing: from any start, one step brings the iterate below the solution, and from there it increases.
    """
    s = start
    if hard_fraction >= 1.0 and T - limit >= kappa * curve[2]:
        return (T - limit) / kappa
    for _ in range(40):
        force, slope = friction_force(curve, limit, hard_fraction, soil, s)
        new = max(s - (kappa * s + force - T) / (kappa + slope), 0.0)
        if abs(new - s) <= NEWTON * s:
            return new
        s = new
    return s


@inline
def hold(axes, ground, trial, start):
    """Return force, slip and secant of the contact patch for one step.

    Parameters
    ----------
    axes : result of `steady_forces.axes_at`
    ground : (m, hard fraction, H, s1): friction over that of the curves, fraction of hard ground, and for the rest strength [N] and half
        slip, see `friction_force`
    trial : (T_x, T_y, K_x, K_y, v_s, v_t): trial force [N], c h + d of both axes [N s/m], length of v_s, v_t [m/s]
    start : (secant, slip) of the last step

    Returns
    -------
    tuple : F_x, F_y [N], slip s_x, s_y (-w / v_t), secant |F| / |w| [N s/m]
    """
    m, hard_fraction, H, s1 = ground
    T_x, T_y, K_x, K_y, v_s, v_t = trial
    g, s = start
    x, y = T_x * (K_y + g), T_y * (K_x + g)
    square = x * x + y * y
    if square < TINY:
        return 0.0, 0.0, 0.0, 0.0, g
    rim_slip = v_s / math.sqrt(v_t * v_t + V_BREAK * V_BREAK)
    force = 0.0
    xx = x * x / square
    # the curve depends on the direction of w, which the secant of the solution changes slightly
    for _ in range(3):
        curve = characteristic(axes, m, xx)
        limit = curve[1] if rim_slip <= curve[2] else slip_force(curve, rim_slip)[0]
        T = abs(x * T_x + y * T_y) / math.sqrt(square)
        s = slip_of_trial(curve, limit, hard_fraction, (H, s1), v_t * (K_y + (K_x - K_y) * xx), T, s)
        force = friction_force(curve, limit, hard_fraction, (H, s1), s)[0]
        g = force / (max(s, 1e-12) * v_t)
        x, y = T_x * (K_y + g), T_y * (K_x + g)
        square = x * x + y * y
        old, xx = xx, x * x / square
        if abs(xx - old) < 1e-3:
            break
    per = 1.0 / math.sqrt(square)
    return force * x * per, force * y * per, s * x * per, s * y * per, g
