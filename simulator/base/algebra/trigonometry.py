"""Combined sine and cosine: vectorized code with the same bits on every machine."""

from __future__ import annotations

import math

from simulator.base.jit import fma, inline

QUARTERS = 2.0 / math.pi
QUARTER, QUARTER_REST = math.pi / 2.0, 6.123233995736766e-17
"""pi / 2 as a sum of two doubles: nearest double and remainder."""

ROUNDING = 1.5 * 2.0**52
"""Number that rounds a much smaller number to the nearest integer when it is added and subtracted."""

S3, S5, S7, S9, S11, S13, S15, S17 = ((-1.0) ** n / math.factorial(2 * n + 1) for n in range(1, 9))
C2, C4, C6, C8, C10, C12, C14, C16 = ((-1.0) ** n / math.factorial(2 * n) for n in range(1, 9))
"""Coefficients of the two power series: the truncation error is below a third of the last place up to pi / 4."""


@inline
def sine_cosine(x):
    """Return (sin x, cos x) of an angle [rad] below some thousand turns, with an error of two units in the last place (1e-30 near zeros)."""
    n = x * QUARTERS + ROUNDING - ROUNDING
    y = fma(-n, QUARTER_REST, fma(-n, QUARTER, x))
    z = y * y
    s = fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, S17, S15), S13), S11), S9), S7), S5), S3)
    c = fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, C16, C14), C12), C10), C8), C6), C4), C2)
    s, c = fma(y * z, s, y), fma(z, c, 1.0)

    quarter = n - 4.0 * (0.25 * n + ROUNDING - ROUNDING)  # from -2 to 2
    is_odd, is_half = abs(quarter) == 1.0, abs(quarter) == 2.0
    sine, cosine = (c if is_odd else s), (s if is_odd else c)
    return (-sine if is_half or quarter == -1.0 else sine), (-cosine if is_half or quarter == 1.0 else cosine)
