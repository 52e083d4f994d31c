"""Hermite interpolation between the nodes of a table: basis polynomials, and the interval of a value.

In an interval between two nodes, xi runs from 0 to 1. Derivatives are by xi, at the nodes and in the interpolant.
"""

from __future__ import annotations

from simulator.base.jit import inline


@inline
def locate(x, start, per_step, cells):
    """Return number and xi of the interval of x, for `cells` intervals from `start`, `per_step` intervals per unit; x outside is extrapolated."""
    t = (x - start) * per_step
    n = min(max(int(t), 0), cells - 1)
    return n, t - n


@inline
def covered(x, low, high):
    """Return True if x is in a table from low to high."""
    return low <= x <= high


@inline
def cubic(xi):
    """Return h00, h10, h01, h11 at xi: weights of value and slope at the first node, then at the second [Suspension interpolation, eqs 15-16]."""
    x2 = xi * xi
    x3 = x2 * xi
    return 2.0 * x3 - 3.0 * x2 + 1.0, x3 - 2.0 * x2 + xi, -2.0 * x3 + 3.0 * x2, x3 - x2


@inline
def cubic_1(xi):
    """Return the derivatives of `cubic` by xi."""
    x2 = xi * xi
    return 6.0 * (x2 - xi), 3.0 * x2 - 4.0 * xi + 1.0, 6.0 * (xi - x2), 3.0 * x2 - 2.0 * xi


@inline
def cubic_2(xi):
    """Return the second derivatives of `cubic` by xi."""
    return 12.0 * xi - 6.0, 6.0 * xi - 4.0, 6.0 - 12.0 * xi, 6.0 * xi - 2.0


@inline
def quintic(xi):
    """Return the weights of value, slope and curvature at the first node, then at the second: the C2 counterpart of `cubic`."""
    x2 = xi * xi
    x3 = x2 * xi
    x4 = x3 * xi
    x5 = x4 * xi
    rise = 10.0 * x3 - 15.0 * x4 + 6.0 * x5
    return (
        1.0 - rise,
        xi - 6.0 * x3 + 8.0 * x4 - 3.0 * x5,
        0.5 * (x2 - 3.0 * x3 + 3.0 * x4 - x5),
        rise,
        -4.0 * x3 + 7.0 * x4 - 3.0 * x5,
        0.5 * (x3 - 2.0 * x4 + x5),
    )


@inline
def quintic_1(xi):
    """Return the derivatives of `quintic` by xi."""
    x2 = xi * xi
    x3 = x2 * xi
    x4 = x3 * xi
    rise = 30.0 * (x2 - 2.0 * x3 + x4)
    return (
        -rise,
        1.0 - 18.0 * x2 + 32.0 * x3 - 15.0 * x4,
        xi - 4.5 * x2 + 6.0 * x3 - 2.5 * x4,
        rise,
        -12.0 * x2 + 28.0 * x3 - 15.0 * x4,
        1.5 * x2 - 4.0 * x3 + 2.5 * x4,
    )


@inline
def quintic_2(xi):
    """Return the second derivatives of `quintic` by xi."""
    x2 = xi * xi
    x3 = x2 * xi
    rise = 60.0 * (xi - 3.0 * x2 + 2.0 * x3)
    return (
        -rise,
        -36.0 * xi + 96.0 * x2 - 60.0 * x3,
        1.0 - 9.0 * xi + 18.0 * x2 - 10.0 * x3,
        rise,
        -24.0 * xi + 84.0 * x2 - 60.0 * x3,
        3.0 * xi - 12.0 * x2 + 10.0 * x3,
    )
