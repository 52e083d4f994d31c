"""The one transcendental equation of linkages: where a point on a circle comes to a given distance."""

from __future__ import annotations

import math

from simulator.base.jit import inline


@inline
def circle(A, B, C, branch):
    """Cosine and sine of the x that solves A cos x + B sin x = C; `branch` (+1 or -1) chooses among the two solutions.

        root = branch sqrt(A^2 + B^2 - C^2),  cos x = (A C - B root) / (A^2 + B^2),  sin x = (B C + A root) / (A^2 + B^2)

    Beyond the last position in which the loop still closes the root is held at zero, so that nothing becomes NaN.
    """
    square = A * A + B * B
    root = branch * math.sqrt(max(square - C * C, 0.0))
    return (A * C - B * root) / square, (B * C + A * root) / square
