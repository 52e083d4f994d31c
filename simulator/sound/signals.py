"""Building blocks of the voices: noise, filters, pipes. All are part of the kernel that calls them."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.jit import inline

RATE = 48_000
"""Samples per second."""
BLOCK = 480
"""Samples of a block, 10 ms."""
PIPE = 2048
"""Samples of a delay line: a pipe of up to 10 m of exhaust gas."""
_SHIFT_13, _SHIFT_7, _SHIFT_17, _SHIFT_11 = (np.uint64(n) for n in (13, 7, 17, 11))


@inline
def next_random(x):
    """Return the state of a random generator after the state x, 64 bits and not 0 (xorshift, Marsaglia 2003)."""
    x = x ^ (x << _SHIFT_13)
    x = x ^ (x >> _SHIFT_7)
    return x ^ (x << _SHIFT_17)


@inline
def noise_of(x):
    """Return the number in [-1, 1) of the state of a random generator."""
    return np.float64(x >> _SHIFT_11) * 2.0**-52 - 1.0


@inline
def low_pass(z, i, x, c):
    """Return a signal x after a low-pass of first order with the state z[i], a field of a record or an element; c = `one_pole(f)`."""
    z[i] += c * (x - z[i])
    return z[i]


@inline
def one_pole(f):
    """Return the coefficient of `low_pass` for a corner frequency [Hz]."""
    return 1.0 - math.exp(-2.0 * math.pi * min(f, 0.45 * RATE) / RATE)


@inline
def band_pass(z, i, x, g, damping):
    """Return a signal x after a band-pass with the peak gain 1 and the state z[i], a field (2,) of a record; g = `prewarped(f)`, damping = 1 / Q.

    A state-variable filter by the trapezoidal rule: stable while g and damping change [Simper 2013, Linear trapezoidal state variable filter].
    """
    v1 = (z[i][0] + g * (x - z[i][1])) / (1.0 + g * (g + damping))
    v2 = z[i][1] + g * v1
    z[i][0], z[i][1] = 2.0 * v1 - z[i][0], 2.0 * v2 - z[i][1]
    return damping * v1


@inline
def prewarped(f):
    """Return the coefficient g of `band_pass` for a center frequency [Hz]."""
    return math.tan(math.pi * min(max(f, 1.0), 0.45 * RATE) / RATE)


@inline
def pipe(line, n, at, x, delay, reflection):
    """Return the sum of a signal x and its echo in pipe n: line (pipes, PIPE); at: place of the sample, shared by all; delay [samples].

    The reflection is negative at an open end, positive at a closed one.
    """
    back = at - delay
    if back < 0.0:
        back += PIPE
    k = int(back)
    fraction = back - k
    following = k + 1 if k + 1 < PIPE else 0
    y = x + reflection * ((1.0 - fraction) * line[n, k] + fraction * line[n, following])
    line[n, at] = y
    return y


@inline
def at_share(a, b, t):
    """Return the value between a and b at the fraction t."""
    return a + t * (b - a)


@inline
def smooth_step(x, low, high):
    """Return 0 below `low`, 1 above `high`, and a smooth curve in between."""
    t = min(1.0, max(0.0, (x - low) / (high - low)))
    return t * t * (3.0 - 2.0 * t)
