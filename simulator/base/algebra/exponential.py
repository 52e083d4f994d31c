"""Exponential function and logarithm: vectorized code with the same bits on every machine."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.algebra.trigonometry import ROUNDING
from simulator.base.jit import fma, inline

LN2, LN2_REST = 0.6931471805599453, 2.3190468138462996e-17
"""ln 2 as a sum of two doubles: nearest double and remainder."""

PER_LN2 = 1.0 / LN2

SMALLEST, LARGEST = -708.0, 708.0
"""Range of the exponents: the result is a normal number."""

E13, E12, E11, E10, E9, E8, E7, E6, E5, E4, E3 = (1.0 / math.factorial(n) for n in range(13, 2, -1))
"""Coefficients of the power series: the truncation error is below a tenth of the last place up to ln(2) / 2."""

L21, L19, L17, L15, L13, L11, L9, L7, L5, L3 = (2.0 / n for n in range(21, 1, -2))
"""Coefficients of 2 artanh(f): the truncation error is below a tenth of the last place up to f = (sqrt 2 - 1) / (sqrt 2 + 1)."""

LOW_BITS = int(np.float64(math.sqrt(0.5)).view(np.int64))
"""Bits of sqrt(1/2): a number is 2^n times one from sqrt(1/2) to sqrt 2."""
ROUNDING_BITS = int(np.float64(ROUNDING).view(np.int64))
BITS = 52
"""Bits of a double below its exponent."""


@inline
def exponential(x):
    """Return e^x with an error of two units in the last place; beyond SMALLEST and LARGEST the value there."""
    x = SMALLEST if x < SMALLEST else LARGEST if x > LARGEST else x  # keeps NaN
    shifted = x * PER_LN2 + ROUNDING
    n = shifted - ROUNDING
    y = fma(-n, LN2_REST, fma(-n, LN2, x))
    p = fma(y, fma(y, fma(y, fma(y, fma(y, fma(y, fma(y, fma(y, fma(y, fma(y, E13, E12), E11), E10), E9), E8), E7), E6), E5), E4), E3)
    p = fma(y * y, fma(y, p, 0.5), y) + 1.0
    return p * np.int64((np.float64(shifted).view(np.int64) << BITS) + (1023 << BITS)).view(np.float64)


@inline
def logarithm(x):
    """Return ln x of a positive normal number, with an error of two units in the last place; x itself if it is infinite or NaN."""
    bits = np.float64(x).view(np.int64)
    power = (bits - LOW_BITS) >> BITS
    m = np.int64(bits - (power << BITS)).view(np.float64)
    n = np.int64(power + ROUNDING_BITS).view(np.float64) - ROUNDING
    f = (m - 1.0) / (m + 1.0)
    z = f * f
    p = fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, fma(z, L21, L19), L17), L15), L13), L11), L9), L7), L5), L3)
    return fma(n, LN2, fma(n, LN2_REST, fma(f * z, p, 2.0 * f))) if x < math.inf else x
