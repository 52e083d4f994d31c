"""Piecewise linear curves: segment of a value."""

from __future__ import annotations

from simulator.base.jit import inline


@inline
def cell(abscissa, count, x):
    """Return (i, fraction, slope): x is in the segment i..i+1 of the first `count` points, at `fraction` in [0, 1].

    `slope` is d(fraction)/dx; it is zero outside the table, where the curve is constant.
    """
    last = count - 1
    if x <= abscissa[0]:
        return 0, 0.0, 0.0
    if x >= abscissa[last]:
        return last - 1, 1.0, 0.0
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if x < abscissa[middle]:
            high = middle
        else:
            low = middle
    slope = 1.0 / (abscissa[high] - abscissa[low])
    return low, (x - abscissa[low]) * slope, slope
