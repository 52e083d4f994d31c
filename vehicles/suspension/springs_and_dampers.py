"""Springs, dampers and travel stops of the corners, as functions of length and rate, and the anti-roll bars between the corners.

Signs: a force > 0 pushes the two ends apart; rates > 0 are rebound (the strut gets longer).
"""

from __future__ import annotations

from simulator.base.jit import inline
from vehicles.axle_layout import WHEELS
from vehicles.suspension.anti_roll_bar import ANTI_ROLL_BARS

SPRING_POINTS = 32
STOP_POINTS = 16
DAMPER_POINTS = 32

STRUTS = (
    # name                   shape               unit     what it is (corner first in tables, FL, FR, RL, RR)
    ("spring_rate", (WHEELS,), "N/m", "linear part of the spring"),
    ("spring_free_length", (WHEELS,), "m", "length of the spring without load"),
    ("spring_points", (WHEELS,), "1", "number of points of the spring's table; 0 = no table", "i8"),
    ("spring_deformation", (WHEELS, SPRING_POINTS), "m", "length minus free length, rising"),
    ("spring_pull", (WHEELS, SPRING_POINTS), "N", "tensile force of the table"),
    ("bump_stop_length", (WHEELS,), "m", "spring length below which the bump stop acts"),
    ("rebound_stop_length", (WHEELS,), "m", "spring length above which the rebound stop acts"),
    ("stop_points", (WHEELS,), "1", "number of points of the stops' table; 0 = no stops", "i8"),
    ("stop_penetration", (WHEELS, STOP_POINTS), "m", "penetration into a stop, rising from 0"),
    ("stop_force", (WHEELS, STOP_POINTS), "N", "force of a stop over its penetration"),
    ("stop_end_rate", (WHEELS,), "N/m", "stiffness of a stop beyond its table (0: constant force)"),
    ("compression_damping", (WHEELS,), "N s/m", "damping in compression, mid-stroke"),
    ("rebound_damping", (WHEELS,), "N s/m", "damping in rebound, mid-stroke"),
    ("compression_damping_end", (WHEELS,), "N s/m", "damping in compression outside the mid-stroke"),
    ("rebound_damping_end", (WHEELS,), "N s/m", "damping in rebound outside the mid-stroke"),
    ("degressivity", (WHEELS,), "s/m", "d of a damper whose force is -c v / (1 + d |v|); 0: linear"),
    ("damper_points", (WHEELS,), "1", "number of points of the damper's table, which replaces the coefficients; 0 = no table", "i8"),
    ("damper_rate", (WHEELS, DAMPER_POINTS), "m/s", "rate of the length, rising; + = rebound"),
    ("damper_pull", (WHEELS, DAMPER_POINTS), "N", "tensile force of the table"),
    ("midstroke_min", (WHEELS,), "m", "shock length below which the end-of-stroke damping acts"),
    ("midstroke_max", (WHEELS,), "m", "shock length above which the end-of-stroke damping acts"),
    ("midstroke_blend", (WHEELS,), "m", "length over which mid-stroke and end-of-stroke damping are blended"),
    ("anti_roll_bars", (), "", "record of ANTI_ROLL_BARS: coupling of the two sides of an axle", ANTI_ROLL_BARS),
)


@inline
def spring_force(p, i, length):
    """Return the force [N] of spring i and its stops at the given length [m]: -(linear part + table) + bump stop - rebound stop."""
    s = p[0]
    x = length - s["spring_free_length"][i]
    force = -s["spring_rate"][i] * x
    if s["spring_points"][i] > 0:
        force -= interpolate(s["spring_deformation"], s["spring_pull"], i, s["spring_points"][i], x)
    if s["stop_points"][i] > 0:
        force += stop_force(p, i, s["bump_stop_length"][i] - length)
        force -= stop_force(p, i, length - s["rebound_stop_length"][i])
    return force


@inline
def stop_force(p, i, penetration):
    """Return the force [N] of a travel stop at the given penetration [m]; 0 below 0."""
    s = p[0]
    if penetration <= 0.0:
        return 0.0
    n = s["stop_points"][i]
    beyond = max(penetration - s["stop_penetration"][i, n - 1], 0.0)
    return interpolate(s["stop_penetration"], s["stop_force"], i, n, penetration) + s["stop_end_rate"][i] * beyond


@inline
def damper_force(p, i, length, rate):
    """Return the force [N] of shock absorber i at its length [m] and rate [m/s].

    The coefficient depends on the direction and on the position in the stroke; a smooth step of width `midstroke_blend`, centered on the
    limit, blends the coefficients. The force is -c v / (1 + degressivity |v|). A table of force over rate replaces all of these.
    """
    s = p[0]
    if s["damper_points"][i] > 0:
        return -damper_pull(p, i, rate)
    blend = s["midstroke_blend"][i]
    end = smooth_step((s["midstroke_min"][i] - length) / blend + 0.5) + smooth_step((length - s["midstroke_max"][i]) / blend + 0.5)
    if rate < 0.0:
        c = s["compression_damping"][i] + end * (s["compression_damping_end"][i] - s["compression_damping"][i])
    else:
        c = s["rebound_damping"][i] + end * (s["rebound_damping_end"][i] - s["rebound_damping"][i])
    return -c * rate / (1.0 + s["degressivity"][i] * abs(rate))


@inline
def damper_pull(p, i, rate):
    """Return the tensile force [N] of the table of shock absorber i at a rate [m/s]; straight beyond both ends."""
    s = p[0]
    n, rates, pulls = s["damper_points"][i], s["damper_rate"], s["damper_pull"]
    pull = interpolate(rates, pulls, i, n, rate)
    if rate < rates[i, 0]:
        pull += (rate - rates[i, 0]) * (pulls[i, 1] - pulls[i, 0]) / (rates[i, 1] - rates[i, 0])
    elif rate > rates[i, n - 1]:
        pull += (rate - rates[i, n - 1]) * (pulls[i, n - 1] - pulls[i, n - 2]) / (rates[i, n - 1] - rates[i, n - 2])
    return pull


@inline
def interpolate(xs, ys, i, n, x):
    """Return the piecewise linear table i of (xs, ys) with n points at x; constant outside."""
    if x <= xs[i, 0]:
        return ys[i, 0]
    if x >= xs[i, n - 1]:
        return ys[i, n - 1]
    low = 0
    high = n - 1
    while high - low > 1:
        mid = (low + high) // 2
        if xs[i, mid] <= x:
            low = mid
        else:
            high = mid
    return ys[i, low] + (x - xs[i, low]) / (xs[i, high] - xs[i, low]) * (ys[i, high] - ys[i, low])


@inline
def smooth_step(x):
    """Return 0 for x <= 0, 1 for x >= 1, 3 x^2 - 2 x^3 between."""
    y = min(max(x, 0.0), 1.0)
    return y * y * (3.0 - 2.0 * y)
