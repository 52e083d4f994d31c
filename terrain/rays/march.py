"""First crossing of a ray and a ground with roughness or features, by steps that cannot skip a crossing.

The gap g between ray and ground has the rate g' >= m and the second derivative |g''| <= K. So there is no crossing within g / -m, and none
before the zero of g + g' s - K s^2 / 2. The second step approaches a crossing quadratically.

Where features are level around a point, m and K there are those of the ground without features.

K is unknown where elements of features meet in a bin. Near the ground, a step has a minimum length there, and a crossing shorter than SHORTEST may be skipped.
Everywhere else no crossing deeper than DEPTH is skipped.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.base.jit import inline
from terrain.base_grid import base_and_slopes, within_reach
from terrain.composite_height import rough_and_slopes
from terrain.features.kernels import features_and_slopes
from terrain.features.level_reach import level_reach
from terrain.rays.bernstein import first_zero, powers, value_at

DEPTH = 2e-7
"""m."""
SHORTEST = 1e-5
"""m."""
ROUNDING = 1e-9
"""m. Widening of a bound on the height of features and roughness."""
TOUCH = 1e-10
"""m. A gap that counts as contact."""
HALVINGS = 60


class Gap(NamedTuple):
    """Height of a ray above the base grid on a part of the ray, times `side`."""

    start: float
    """m along the ray"""
    end: float
    side: float
    """1 = the ray is above the ground at the start, -1 = below"""
    coefficients: tuple[float, float, float, float, float, float, float]
    """m, Bernstein coefficients"""


@inline
def ground_and_slopes(ground, x, y, rough):
    """Return (z [m], dz/dx, dz/dy) of the ground; rough 0 = without roughness."""
    z, zx, zy = base_and_slopes(ground.p, ground.heights, x, y)
    r, f = ground.roughness, ground.features
    if rough and r.p[0]["gain"] > 0.0:
        more, more_x, more_y = rough_and_slopes(ground.p, r.p, r.fine, r.p[0]["fine_spacing"], r.coarse, r.gain, x, y)
        z, zx, zy = z + more, zx + more_x, zy + more_y
    if f.bins[0]["count"][0] > 0:
        more, more_x, more_y = features_and_slopes(f.bins, f.starts, f.items, f.pieces, within_reach(x), within_reach(y))
        z, zx, zy = z + more, zx + more_x, zy + more_y
    return z, zx, zy


@inline
def march(ground, surface, ray, gap, rough):
    """Return t [m] of the first crossing of the part of a ray to which a `Gap` belongs, inf if there is none.

    Parameters
    ----------
    ray : x, y, z at t = 0 [m], direction (unit vector)
    rough : 1 = with roughness
    """
    b, s = ground.features.bins[0], surface.p[0]
    x, y, _, dx, dy, _ = ray
    columns, rows, size = b["count"][0], b["count"][1], b["size"]
    end = gap.end
    relief = s["feature_height"] if gap.side > 0.0 else s["feature_depth"]
    start = gap.start + (end - gap.start) * _first_below(gap.coefficients, relief + rough * s["rough_height"] + ROUNDING)
    near, far = feature_span(ground.features.bins, ray, start, end)
    u, v, du, dv = (x - b["origin"][0]) / size, (y - b["origin"][1]) / size, dx / size, dy / size
    t, i, j = start, -1, -1
    while t < end:
        out, out_u, out_v, bin_ = end, math.inf, math.inf, -1
        if t < near:
            out = near
        elif t < far:
            if i < 0:
                i, j = min(max(int(u + du * t), 0), columns - 1), min(max(int(v + dv * t), 0), rows - 1)
            out_u = (i + 1 - u) / du if du > 0.0 else ((i - u) / du if du < 0.0 else math.inf)
            out_v = (j + 1 - v) / dv if dv > 0.0 else ((j - v) / dv if dv < 0.0 else math.inf)
            out, bin_ = max(min(out_u, out_v, far), t), j * columns + i
        if out > t:
            hit = _march_part(ground, surface, ray, gap, (t, out), rough, bin_)
            if hit < math.inf:
                return hit
        t = out
        if bin_ >= 0 and out_u <= out_v:
            i = min(max(i + (1 if du > 0.0 else -1), 0), columns - 1)
        elif bin_ >= 0:
            j = min(max(j + (1 if dv > 0.0 else -1), 0), rows - 1)
    return math.inf


@inline
def _first_below(b, limit):
    """Return the first t from 0 to 1 at which a polynomial with the Bernstein coefficients b is at most `limit`, inf if there is none."""
    over = b[0] - limit, b[1] - limit, b[2] - limit, b[3] - limit, b[4] - limit, b[5] - limit, b[6] - limit
    return 0.0 if over[0] <= 0.0 else first_zero(over)


@inline
def feature_span(bins, ray, start, end):
    """Return the part of a ray from start to end over the bins of features, (end, end) if there is none; `bins` is a record of BINS."""
    b = bins[0]
    if b["count"][0] == 0:
        return end, end
    x, y, _, dx, dy, _ = ray
    near, far = span((x - b["origin"][0]) / b["size"], dx / b["size"], b["count"][0], start, end)
    near, far = span((y - b["origin"][1]) / b["size"], dy / b["size"], b["count"][1], near, far)
    return (near, far) if near < far else (end, end)


@inline
def span(u, du, count, start, end):
    """Return the part of a ray from start to end in which 0 <= u + du t <= count."""
    if du == 0.0:
        return (start, end) if 0.0 <= u <= count else (end, end)
    a, b = -u / du, (count - u) / du
    return max(start, min(a, b)), min(end, max(a, b))


@inline
def _march_part(ground, surface, ray, gap, part, rough, bin_):
    """Return t of the first crossing in a part (start, end) of a `Gap`, in one bin of features, -1 = in none."""
    x, y, z, dx, dy, dz = ray
    s, side = surface.p[0], gap.side
    up = down = slope = bend = 0.0
    if rough:
        up = down = s["rough_height"]
        slope, bend = s["rough_slope"], s["rough_curvature"]
    if bin_ >= 0:
        up, down = up + surface.bins[bin_, 0], down + surface.bins[bin_, 1]
        slope, bend = slope + surface.bins[bin_, 2], bend + surface.bins[bin_, 3]
    length = gap.end - gap.start
    rate, second = _bounds_of_rates(gap.coefficients)
    from_, to = (part[0] - gap.start) / length, (part[1] - gap.start) / length
    least = min(value_at(gap.coefficients, from_), value_at(gap.coefficients, to)) - 0.125 * second * (to - from_) * (to - from_)
    if least > (up if side > 0.0 else down):
        return math.inf
    f, h = ground.features, math.hypot(dx, dy)
    level_m, level_k = rate / length - s["rough_slope"] * h * rough, second / (length * length) + s["rough_curvature"] * h * h * rough
    m, k = rate / length - slope * h, second / (length * length) + (bend * h * h if h > 0.0 else 0.0)
    shortest = max(-DEPTH / m if m < 0.0 else 0.0, math.sqrt(DEPTH / k) if k > 0.0 else 0.0, SHORTEST if k == math.inf else 0.0)
    t, before = part[0], part[0]
    while True:
        at_x, at_y = x + dx * t, y + dy * t
        height, zx, zy = ground_and_slopes(ground, at_x, at_y, rough)
        g, g_rate = side * (z + dz * t - height), side * (dz - zx * dx - zy * dy)
        if g <= TOUCH and (t > 0.0 or g < -TOUCH):
            return _between(ground, ray, before, t, side, rough) if g < -TOUCH else t
        if t >= part[1] or m >= 0.0:
            return math.inf
        step = max(_safe_step(g, g_rate, m, k), shortest)
        if bin_ >= 0 and h > 0.0:
            level = level_reach(f.starts, f.items, f.pieces, bin_, at_x, at_y) / h
            if level > step:
                step = max(step, min(level, _safe_step(g, g_rate, level_m, level_k)))
        before, t = t, min(t + step, part[1])


@inline
def _safe_step(g, g_rate, m, k):
    """Return the distance [m] within which a gap g > 0 with the rate g_rate does not close if its rate is at least m and its second derivative at most k."""
    step = -g / m if m < 0.0 else math.inf
    if k == 0.0:
        return max(step, -g / g_rate if g_rate < 0.0 else math.inf)
    if k < math.inf:
        return max(step, (g_rate + math.sqrt(max(g_rate * g_rate + 2.0 * k * g, 0.0))) / k)
    return step


@inline
def _bounds_of_rates(b):
    """Return a lower bound of the derivative of a polynomial with the Bernstein coefficients b, and a bound on the magnitude of its second
    derivative, over the interval from 0 to 1."""
    d0, d1, d2 = b[1] - b[0], b[2] - b[1], b[3] - b[2]
    d3, d4, d5 = b[4] - b[3], b[5] - b[4], b[6] - b[5]
    rate = min(d0, d1, d2, d3, d4, d5)
    return 6.0 * rate, 30.0 * max(abs(d1 - d0), abs(d2 - d1), abs(d3 - d2), abs(d4 - d3), abs(d5 - d4))


@inline
def _between(ground, ray, low, high, side, rough):
    """Return t of a crossing between low, where the gap is positive, and high, where it is negative: Newton steps inside a bracket that shrinks."""
    x, y, z, dx, dy, dz = ray
    t = 0.5 * (low + high)
    for _ in range(HALVINGS):
        if not low < t < high:
            break
        height, zx, zy = ground_and_slopes(ground, x + dx * t, y + dy * t, rough)
        gap, rate = side * (z + dz * t - height), side * (dz - zx * dx - zy * dy)
        if gap > 0.0:
            low = t
        else:
            high = t
        if abs(gap) <= TOUCH:
            return t
        step = t - gap / rate if rate != 0.0 else low
        t = step if low < step < high else 0.5 * (low + high)
    return high


@inline
def march_rough(ground, surface, ray, gap):
    """Return t of the first crossing as `march`, with roughness and without features.

    There is no crossing where the ray is higher above the base than the roughness.
    """
    p = surface.p[0]
    start, end, side, b = gap
    first = _first_below(b, p["rough_height"])
    if first == math.inf:
        return math.inf
    length = end - start
    x, y, _, dx, dy, _ = ray
    rate, second = _bounds_of_rates(b)
    h2 = dx * dx + dy * dy
    m = rate / length - p["rough_slope"] * math.sqrt(h2)
    k = second / (length * length) + p["rough_curvature"] * h2
    shortest = max(-DEPTH / m if m < 0.0 else 0.0, math.sqrt(DEPTH / k) if k > 0.0 else 0.0)
    a = powers(b)
    t = before = start + first * length
    while True:
        s = (t - start) / length
        base = a[0] + s * (a[1] + s * (a[2] + s * (a[3] + s * (a[4] + s * (a[5] + s * a[6])))))
        base_rate = (a[1] + s * (2.0 * a[2] + s * (3.0 * a[3] + s * (4.0 * a[4] + s * (5.0 * a[5] + s * 6.0 * a[6]))))) / length
        r = ground.roughness
        more, zx, zy = rough_and_slopes(ground.p, r.p, r.fine, r.p[0]["fine_spacing"], r.coarse, r.gain, x + dx * t, y + dy * t)
        g, g_rate = base - side * more, base_rate - side * (zx * dx + zy * dy)
        if g <= TOUCH and (t > 0.0 or g < -TOUCH):
            return _between(ground, ray, before, t, side, 1) if g < -TOUCH and t > before else t
        if t >= end or m >= 0.0:
            return math.inf
        step = max(-g / m, shortest, (g_rate + math.sqrt(max(g_rate * g_rate + 2.0 * k * g, 0.0))) / k if k > 0.0 else 0.0)
        before, t = t, min(t + step, end)
