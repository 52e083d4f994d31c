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
from terrain.rays.bernstein import first_zero, powers
from terrain.rays.curb_hit import curb_hit, zero_of_part
from terrain.rays.feature_cells import FIRST_CURB, PER_BIN

DEPTH = 2e-7
"""m."""
SHORTEST = 1e-5
"""m."""
ROUNDING = 1e-9
"""m. Widening of a bound on the height of features and roughness."""
BLOCK = 4
"""Nodes of the fine tile of roughness along a side of a block."""
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
    rows, columns = surface.features.numbers.shape
    per = PER_BIN / b["size"] if columns > 0 else 1.0
    end = gap.end
    relief = s["feature_height"] if gap.side > 0.0 else s["feature_depth"]
    start = gap.start + (end - gap.start) * _first_below(gap.coefficients, relief + rough * s["rough_height"] + ROUNDING)
    near, far = feature_span(ground.features.bins, ray, start, end)
    u, v, du, dv = (x - b["origin"][0]) * per, (y - b["origin"][1]) * per, dx * per, dy * per
    t, i, j = start, -1, -1
    while t < end:
        out, out_u, out_v, column, row = end, math.inf, math.inf, -1, -1
        if t < near:
            out = near
        elif t < far:
            if i < 0:
                i, j = min(max(int(u + du * t), 0), columns - 1), min(max(int(v + dv * t), 0), rows - 1)
            out_u = (i + 1 - u) / du if du > 0.0 else ((i - u) / du if du < 0.0 else math.inf)
            out_v = (j + 1 - v) / dv if dv > 0.0 else ((j - v) / dv if dv < 0.0 else math.inf)
            out, column, row = max(min(out_u, out_v, far), t), i, j
        if out > t:
            hit = _march_cell(ground, surface, ray, gap, (t, out), rough, (column, row))
            if hit < math.inf:
                return hit
        t = out
        if column >= 0 and out_u <= out_v:
            i = min(max(i + (1 if du > 0.0 else -1), 0), columns - 1)
        elif column >= 0:
            j = min(max(j + (1 if dv > 0.0 else -1), 0), rows - 1)
    return math.inf


@inline
def _march_cell(ground, surface, ray, gap, part, rough, cell):
    """Return t of the first crossing in a part (start, end) of a `Gap`, in one cell (column, row) of features, (-1, -1) = in none."""
    cells, side, b = surface.features, gap.side, gap.coefficients
    number, height, bin_ = 0, 0.0, -1
    if cell[0] >= 0:
        number = cells.numbers[cell[1], cell[0]]
        height = side * cells.bounds[cell[1], cell[0], 1 if side > 0.0 else 0]
    length = gap.end - gap.start
    first, last = (part[0] - gap.start) / length, (part[1] - gap.start) / length
    _, second = _bounds_of_rates(b)
    a = powers(b)
    least = min(_value(a, first), _value(a, last)) - 0.125 * second * (last - first) * (last - first)
    if least > height + rough * surface.p[0]["rough_height"] + ROUNDING:
        return math.inf
    at, here = (first, last), (0.0, side * cells.levels[number] if number > 0 else 0.0)
    if number >= 0 and not rough:
        return zero_of_part(b, here, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), part, at)
    if number <= FIRST_CURB and not rough:
        return curb_hit(ground.features.pieces[FIRST_CURB - number], ray, gap, part)
    if number < 0:
        bin_ = cell[1] // PER_BIN * ground.features.bins[0]["count"][0] + cell[0] // PER_BIN
    return march_mixed(ground, surface, ray, gap, part, rough, bin_)


@inline
def _value(a, s):
    """Return the value of a polynomial with the coefficients a of powers."""
    return a[0] + s * (a[1] + s * (a[2] + s * (a[3] + s * (a[4] + s * (a[5] + s * a[6])))))


@inline
def _rate(a, s):
    """Return the rate of a polynomial with the coefficients a of powers."""
    return a[1] + s * (2.0 * a[2] + s * (3.0 * a[3] + s * (4.0 * a[4] + s * (5.0 * a[5] + s * 6.0 * a[6]))))


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
def march_mixed(ground, surface, ray, gap, part, rough, bin_):
    """Return t of the first crossing in a part (start, end) of a `Gap`, in one bin of features, -1 = features are level there, or none."""
    x, y, _, dx, dy, _ = ray
    s, f, side = surface.p[0], ground.features, gap.side
    length, h = gap.end - gap.start, math.hypot(dx, dy)
    rate, second = _bounds_of_rates(gap.coefficients)
    level_m, level_k = rate / length - s["rough_slope"] * h * rough, second / (length * length) + s["rough_curvature"] * h * h * rough
    m, k = level_m, level_k
    if bin_ >= 0:
        m, k = m - surface.bins[bin_, 2] * h, k + (surface.bins[bin_, 3] * h * h if h > 0.0 else 0.0)
    shortest = max(-DEPTH / m if m < 0.0 else 0.0, math.sqrt(DEPTH / k) if k > 0.0 else 0.0, SHORTEST if k == math.inf else 0.0)
    a = powers(gap.coefficients)
    t, before = part[0], part[0]
    while True:
        at_x, at_y, at = x + dx * t, y + dy * t, (t - gap.start) / length
        more, zx, zy = features_and_slopes(f.bins, f.starts, f.items, f.pieces, within_reach(at_x), within_reach(at_y))
        if rough:
            r = ground.roughness
            own, own_x, own_y = rough_and_slopes(ground.p, r.p, r.fine, r.p[0]["fine_spacing"], r.coarse, r.gain, at_x, at_y)
            more, zx, zy = more + own, zx + own_x, zy + own_y
        g, g_rate = _value(a, at) - side * more, _rate(a, at) / length - side * (zx * dx + zy * dy)
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
def march_rough(ground, surface, ray, gap, gains):
    """Return t of the first crossing as `march`, with roughness and without features.

    There is no crossing where the ray is higher above the base than the roughness of a block of the fine tile.

    gains : smallest and largest gain of the roughness in this part
    """
    p, r = surface.p[0], ground.roughness.p[0]
    start, end, side, b = gap
    first = _first_below(b, gains[1] * p["rough_height"])
    if first == math.inf:
        return math.inf
    length, blocks = end - start, surface.blocks
    x, y, _, dx, dy, _ = ray
    last = blocks.shape[0] - 1
    per, c, s = (1.0 / (r["fine_spacing"] * BLOCK), r["axis"][0], r["axis"][1]) if last >= 0 else (0.0, 1.0, 0.0)
    u, v, du, dv = (c * x + s * y) * per, (c * y - s * x) * per, (c * dx + s * dy) * per, (c * dy - s * dx) * per
    _, second = _bounds_of_rates(b)
    a = powers(b)
    t = start + first * length
    i, j = math.floor(u + du * t), math.floor(v + dv * t)
    value = _value(a, first)
    while t < end:
        out_u = (i + 1 - u) / du if du > 0.0 else ((i - u) / du if du < 0.0 else math.inf)
        out_v = (j + 1 - v) / dv if dv > 0.0 else ((j - v) / dv if dv < 0.0 else math.inf)
        out = max(min(out_u, out_v, end), t)
        relief = 0.0
        if last >= 0:
            relief = blocks[i & last, j & last, 1] if side > 0.0 else -blocks[i & last, j & last, 0]
        relief = max(gains[0] * relief, gains[1] * relief) + gains[1] * p["coarse_height"]
        later = _value(a, (out - start) / length)
        if out > t and min(value, later) - 0.125 * second * (out - t) * (out - t) / (length * length) <= relief + ROUNDING:
            hit = _march_block(ground, surface, ray, gap, (t, out), a)
            if hit < math.inf:
                return hit
        t, value = out, later
        if out_u <= out_v:
            i += 1 if du > 0.0 else -1
        else:
            j += 1 if dv > 0.0 else -1
    return math.inf


@inline
def _march_block(ground, surface, ray, gap, part, a):
    """Return t of the first crossing in a part (start, end) of a `Gap` with roughness and without features; a: its coefficients of powers."""
    p, r = surface.p[0], ground.roughness
    start, side = gap.start, gap.side
    length = gap.end - start
    x, y, _, dx, dy, _ = ray
    rate, second = _bounds_of_rates(gap.coefficients)
    h2 = dx * dx + dy * dy
    m = rate / length - p["rough_slope"] * math.sqrt(h2)
    k = second / (length * length) + p["rough_curvature"] * h2
    shortest = max(-DEPTH / m if m < 0.0 else 0.0, math.sqrt(DEPTH / k) if k > 0.0 else 0.0)
    t = before = part[0]
    while True:
        s = (t - start) / length
        base, base_rate = _value(a, s), _rate(a, s) / length
        more, zx, zy = rough_and_slopes(ground.p, r.p, r.fine, r.p[0]["fine_spacing"], r.coarse, r.gain, x + dx * t, y + dy * t)
        g, g_rate = base - side * more, base_rate - side * (zx * dx + zy * dy)
        if g <= TOUCH and (t > 0.0 or g < -TOUCH):
            return _between(ground, ray, before, t, side, 1) if g < -TOUCH and t > before else t
        if t >= part[1] or m >= 0.0:
            return math.inf
        step = max(-g / m, shortest, (g_rate + math.sqrt(max(g_rate * g_rate + 2.0 * k * g, 0.0))) / k if k > 0.0 else 0.0)
        before, t = t, min(t + step, part[1])
