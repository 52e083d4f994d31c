"""Real zeros of a polynomial in an interval without an initial value, for polynomials of triangular systems above degree two."""

from __future__ import annotations

from simulator.base.jit import inline, kernel

HALVINGS = 60
"""Maximum steps for a zero: bisection alone then reaches neighboring numbers of an interval of length 1."""


@kernel
def real_roots(coefficients, low, high, work, roots):
    """Store the zeros of a polynomial in [low, high] with a sign change in `roots`, ascending; return their number.

    The zeros of each derivative bound the intervals in which the next lower derivative is monotonic, so a bracketed Newton method computes
    all of its zeros. The number of operations is bounded. Zeros without a sign change (double zeros) are not detected.

    Parameters
    ----------
    coefficients : (n + 1,) coefficient of the power k at [k]
    work : (2, n + 1) scratch
    roots : (n,) out
    """
    degree = len(coefficients) - 1
    count = 0
    for order in range(degree - 1, -1, -1):
        derivative, bounds = work[0], work[1]
        _derive(coefficients, degree, order, derivative)
        for k in range(count):
            bounds[k] = roots[k]
        bounds[count] = high
        edges = count + 1
        count = 0
        left = low
        f_left = _value(derivative, degree - order, left)
        for k in range(edges):
            right = bounds[k]
            f_right = _value(derivative, degree - order, right)
            if f_left * f_right < 0.0 or (f_right == 0.0 and f_left != 0.0):
                roots[count] = _bracketed(derivative, degree - order, left, right, f_left)
                count += 1
            left, f_left = right, f_right
    return count


@inline
def _derive(coefficients, degree, order, out):
    """Return the coefficients of the derivative of an order, divided by the factorial of the order."""
    for power in range(degree - order + 1):
        binomial = 1.0
        for k in range(order):
            binomial *= (power + order - k) / (k + 1.0)
        out[power] = coefficients[power + order] * binomial


@inline
def _value(coefficients, degree, x):
    total = coefficients[degree]
    for k in range(degree - 1, -1, -1):
        total = total * x + coefficients[k]
    return total


@inline
def _slope(coefficients, degree, x):
    total = degree * coefficients[degree]
    for k in range(degree - 1, 0, -1):
        total = total * x + k * coefficients[k]
    return total


@inline
def _bracketed(coefficients, degree, left, right, f_left):
    """Return the zero between `left` and `right`: Newton's method, and bisection where a step leaves the bracket or does not halve."""
    x = 0.5 * (left + right)
    last = right - left
    for _ in range(2 * HALVINGS):
        f = _value(coefficients, degree, x)
        if f == 0.0:
            break
        if (f < 0.0) == (f_left < 0.0):
            left = x
        else:
            right = x
        slope = _slope(coefficients, degree, x)
        following = x - f / slope if slope != 0.0 else left
        if not left < following < right or abs(following - x) > 0.5 * last:
            following = 0.5 * (left + right)
        last = abs(following - x)
        if following in (x, left, right):
            break
        x = following
    return x
