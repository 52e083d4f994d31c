"""Curves by points, linear between them: where a number lies."""

from __future__ import annotations

from simulator.base.jit import inline


@inline
def cell(abscissa, count, x):
    """(i, fraction, slope): x lies in the piece i..i+1 of the first `count` points at `fraction` in [0, 1].

    `slope` is d(fraction)/dx, zero outside the table, where the end values go on unchanged.
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
