"""Points on circles: position of a hinged point, and the transcendental equation A cos x + B sin x = C of linkages."""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import add, combine, scale
from simulator.base.jit import inline


@inline
def circle(A, B, C, branch):
    """Return cosine and sine of the solution x of A cos x + B sin x = C; `branch` (+1 or -1) selects one of the two solutions.

        root = branch sqrt(A^2 + B^2 - C^2),  cos x = (A C - B root) / (A^2 + B^2),  sin x = (B C + A root) / (A^2 + B^2)

    Where the loop cannot close, the root is set to zero, to avoid NaN.
    """
    square = A * A + B * B
    root = branch * math.sqrt(max(square - C * C, 0.0))
    return (A * C - B * root) / square, (B * C + A * root) / square


@inline
def hinged(field, c, s, i):
    """Return a point on a hinged arm at the angle with cosine c and sine s, and its first and second derivative by the angle.

    p = foot + c u + s v,    p' = -s u + c v,    p'' = -(c u + s v),    v = axis × u          (1) of the page on the closed form
    """
    foot = (field[0, 0, i], field[0, 1, i], field[0, 2, i])
    u = (field[1, 0, i], field[1, 1, i], field[1, 2, i])
    v = (field[2, 0, i], field[2, 1, i], field[2, 2, i])
    radius = combine(c, u, s, v)
    return add(foot, radius), combine(-s, u, c, v), scale(-1.0, radius)
