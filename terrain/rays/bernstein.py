"""Crossing of a ray and a bicubic patch: the gap is a polynomial of degree 6 along the ray, here in Bernstein form.

The values of a polynomial lie between its smallest and its largest Bernstein coefficient, and it has at most as many zeros as its coefficients
have changes of sign [Farouki 2012, The Bernstein polynomial basis: a centennial retrospective]. So the first zero is isolated safely.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.jit import fma, inline, kernel

DEEPEST = 40
"""Maximum number of halvings of the interval of a polynomial."""
ITERATIONS = 60
"""Maximum number of steps to a zero; halvings alone need 50."""
RESOLUTION = 1e-12
"""Fraction of the interval: expected length of the step after the last one."""
TOUCH = 1e-11
"""m. A polynomial that is smaller than this in an interval touches zero there."""


@inline
def _bezier(h0, h1, h2, h3):
    """Return the Bezier coefficients of the Catmull-Rom polynomial between h1 and h2."""
    return h1, h1 + (h2 - h0) / 6.0, h2 - (h3 - h1) / 6.0, h2


@inline
def _between(c0, c1, c2, c3, a, b):
    """Return the Bezier coefficients of a cubic on the part from a to b of its interval, by its polar form."""
    p0, p1, p2 = c0 + (c1 - c0) * a, c1 + (c2 - c1) * a, c2 + (c3 - c2) * a
    q0, q1 = p0 + (p1 - p0) * a, p1 + (p2 - p1) * a
    r0, r1, r2 = c0 + (c1 - c0) * b, c1 + (c2 - c1) * b, c2 + (c3 - c2) * b
    s0, s1 = r0 + (r1 - r0) * b, r1 + (r2 - r1) * b
    m0, m1 = p0 + (p1 - p0) * b, p1 + (p2 - p1) * b
    return q0 + (q1 - q0) * a, q0 + (q1 - q0) * b, m0 + (m1 - m0) * b, s0 + (s1 - s0) * b


@inline
def patch_along(nodes, i, j, u0, v0, u1, v1):
    """Return the 7 Bernstein coefficients of a patch along the line from u0, v0 to u1, v1, in cells from the second node of both axes.

    Node (i, j) of the 4 x 4 nodes of the patch is nodes[i + j].
    """
    rows = (
        _row(nodes, j[0], i, u0, u1),
        _row(nodes, j[1], i, u0, u1),
        _row(nodes, j[2], i, u0, u1),
        _row(nodes, j[3], i, u0, u1),
    )
    a0, a1, a2, a3 = _column(rows, 0, v0, v1)
    b0, b1, b2, b3 = _column(rows, 1, v0, v1)
    c0, c1, c2, c3 = _column(rows, 2, v0, v1)
    d0, d1, d2, d3 = _column(rows, 3, v0, v1)
    return (
        a0,
        0.5 * (a1 + b0),
        0.2 * (a2 + c0) + 0.6 * b1,
        0.05 * (a3 + d0) + 0.45 * (b2 + c1),
        0.2 * (b3 + d1) + 0.6 * c2,
        0.5 * (c3 + d2),
        d3,
    )


@inline
def _row(nodes, j, i, u0, u1):
    c = _bezier(_height(nodes, j + i[0]), _height(nodes, j + i[1]), _height(nodes, j + i[2]), _height(nodes, j + i[3]))
    return _between(c[0], c[1], c[2], c[3], u0, u1)


@inline
def _height(nodes, k):
    return float(nodes[np.uint64(k)])  # an index without a sign needs no test of it


@inline
def _column(rows, k, v0, v1):
    c = _bezier(rows[0][k], rows[1][k], rows[2][k], rows[3][k])
    return _between(c[0], c[1], c[2], c[3], v0, v1)


@kernel
def first_zero(b):
    """Return the first s in (0, 1] where a polynomial with coefficients b (7 numbers, b[0] >= 0) is zero or changes its sign; inf if there is none."""
    if min(b[1], b[2], b[3], b[4], b[5], b[6]) > 0.0:
        return math.inf
    depth, index = 0, 0
    c = b
    while True:
        size = 0.5**depth
        low = index * size
        changes = _changes(c)
        if changes == 1:
            return low + size * _single_zero(c)
        if changes > 1:
            if depth == DEEPEST or max(abs(c[1]), abs(c[2]), abs(c[3]), abs(c[4]), abs(c[5])) + c[0] < TOUCH:
                return low + 0.5 * size
            depth, index = depth + 1, 2 * index
        else:
            index += 1
            while depth > 0 and index & 1 == 0:
                depth, index = depth - 1, index >> 1
            if depth == 0:
                return math.inf
        low, size = index * 0.5**depth, 0.5**depth
        _, c = halves(b, low)
        c, _ = halves(c, size / (1.0 - low))


@inline
def _changes(c):
    """Return the number of changes of sign of coefficients; 0 counts as positive, but as negative at the end."""
    n0, n1, n2, n3, n4, n5, n6 = c[0] < 0.0, c[1] < 0.0, c[2] < 0.0, c[3] < 0.0, c[4] < 0.0, c[5] < 0.0, c[6] <= 0.0
    return (n0 != n1) + (n1 != n2) + (n2 != n3) + (n3 != n4) + (n4 != n5) + (n5 != n6)


@inline
def halves(b, s):
    """Return the coefficients of the parts of a polynomial from 0 to s and from s to 1 [de Casteljau]."""
    b0, b1, b2, b3, b4, b5, b6 = b
    c0, c1, c2 = b0 + (b1 - b0) * s, b1 + (b2 - b1) * s, b2 + (b3 - b2) * s
    c3, c4, c5 = b3 + (b4 - b3) * s, b4 + (b5 - b4) * s, b5 + (b6 - b5) * s
    d0, d1, d2, d3, d4 = c0 + (c1 - c0) * s, c1 + (c2 - c1) * s, c2 + (c3 - c2) * s, c3 + (c4 - c3) * s, c4 + (c5 - c4) * s
    e0, e1, e2, e3 = d0 + (d1 - d0) * s, d1 + (d2 - d1) * s, d2 + (d3 - d2) * s, d3 + (d4 - d3) * s
    f0, f1, f2 = e0 + (e1 - e0) * s, e1 + (e2 - e1) * s, e2 + (e3 - e2) * s
    g0, g1 = f0 + (f1 - f0) * s, f1 + (f2 - f1) * s
    h = g0 + (g1 - g0) * s
    return (b0, c0, d0, e0, f0, g0, h), (h, g1, f2, e3, d4, c5, b6)


@inline
def powers(b):
    """Return the coefficients of the powers of s of a polynomial."""
    b0, b1, b2, b3, b4, b5, b6 = b
    c0, c1, c2, c3, c4, c5 = b1 - b0, b2 - b1, b3 - b2, b4 - b3, b5 - b4, b6 - b5
    d0, d1, d2, d3, d4 = c1 - c0, c2 - c1, c3 - c2, c4 - c3, c5 - c4
    e0, e1, e2, e3 = d1 - d0, d2 - d1, d3 - d2, d4 - d3
    f0, f1, f2 = e1 - e0, e2 - e1, e3 - e2
    g0, g1 = f1 - f0, f2 - f1
    return b0, 6.0 * c0, 15.0 * d0, 20.0 * e0, 15.0 * f0, 6.0 * g0, g1 - g0


@inline
def _single_zero(b):
    """Return the only s in [0, 1] where a polynomial changes its sign: Newton steps inside a bracket that shrinks."""
    b0, b6 = b[0], b[6]
    _, a1, a2, a3, a4, a5, a6 = powers(b)
    low, high = 0.0, 1.0
    falls = b0 > 0.0 or (b0 == 0.0 and b6 <= 0.0)
    s, last = b0 / (b0 - b6) if b0 != b6 else 0.5, 1.0
    for _ in range(ITERATIONS):
        f = fma(s, fma(s, fma(s, fma(s, fma(s, fma(s, a6, a5), a4), a3), a2), a1), b0)
        if (f > 0.0) == falls:
            low = s
        else:
            high = s
        rate = fma(s, fma(s, fma(s, fma(s, fma(s, 6.0 * a6, 5.0 * a5), 4.0 * a4), 3.0 * a3), 2.0 * a2), a1)
        step = s - f / rate
        if not (low < step < high):
            step, last = 0.5 * (low + high), 0.0
        change = abs(step - s)
        if (
            change < RESOLUTION or change * change * change < RESOLUTION * last * last
        ):  # a step of Newton is as the square of the one before
            return step
        s, last = step, change
    return s
