"""Vector algebra on plain tuples: the functions are inlined, allocate no memory, and keep equations readable.

A vector is a tuple (x, y, z). A symmetric matrix is a tuple (xx, yy, zz, xy, xz, yz). In fields of the four corners, the corner is the last
index, so that a loop over the corners is vectorized.
"""

from __future__ import annotations

from simulator.base.jit import inline


@inline
def column(field, i):
    """Return the vector of corner i from a field of shape (3, 4)."""
    return field[0, i], field[1, i], field[2, i]


@inline
def symmetric_matrix_at(field, i):
    """Return the symmetric matrix (xx, yy, zz, xy, xz, yz) of corner i from a field of shape (6, 4)."""
    return field[0, i], field[1, i], field[2, i], field[3, i], field[4, i], field[5, i]


@inline
def store(field, i, a):
    """Write vector a as corner i into a field of shape (3, 4)."""
    field[0, i] = a[0]
    field[1, i] = a[1]
    field[2, i] = a[2]


@inline
def vector(field):
    """Return the vector of a field of shape (3,)."""
    return field[0], field[1], field[2]


@inline
def add(a, b):
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inline
def sub(a, b):
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def scale(s, a):
    """Return s a."""
    return s * a[0], s * a[1], s * a[2]


@inline
def add_scaled(a, s, b):
    """Return a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@inline
def combine(s, a, t, b):
    """Return s a + t b."""
    return s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]


@inline
def dot(a, b):
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a, b):
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def in_frame(x, y, z, r):
    """Return r[0] x + r[1] y + r[2] z: the vector with coordinates r in the frame of unit vectors x, y, z."""
    return (
        x[0] * r[0] + y[0] * r[1] + z[0] * r[2],
        x[1] * r[0] + y[1] * r[1] + z[1] * r[2],
        x[2] * r[0] + y[2] * r[1] + z[2] * r[2],
    )


@inline
def symmetric_times(S, a):
    """Return S a for a symmetric S = (xx, yy, zz, xy, xz, yz)."""
    return (
        S[0] * a[0] + S[3] * a[1] + S[4] * a[2],
        S[3] * a[0] + S[1] * a[1] + S[5] * a[2],
        S[4] * a[0] + S[5] * a[1] + S[2] * a[2],
    )


@inline
def symmetric_inverse(S):
    """Return the inverse of a symmetric S = (xx, yy, zz, xy, xz, yz), by its cofactors."""
    xx, yy, zz = S[1] * S[2] - S[5] * S[5], S[0] * S[2] - S[4] * S[4], S[0] * S[1] - S[3] * S[3]
    xy, xz, yz = S[4] * S[5] - S[3] * S[2], S[3] * S[5] - S[4] * S[1], S[3] * S[4] - S[0] * S[5]
    per = 1.0 / (S[0] * xx + S[3] * xy + S[4] * xz)
    return per * xx, per * yy, per * zz, per * xy, per * xz, per * yz


@inline
def symmetric_in_frame(x, y, z, S):
    """Return the symmetric matrix with components S in the frame of unit vectors x, y, z, in the axes of x, y, z."""
    X = in_frame(x, y, z, (S[0], S[3], S[4]))
    Y = in_frame(x, y, z, (S[3], S[1], S[5]))
    Z = in_frame(x, y, z, (S[4], S[5], S[2]))
    return (
        X[0] * x[0] + Y[0] * y[0] + Z[0] * z[0],
        X[1] * x[1] + Y[1] * y[1] + Z[1] * z[1],
        X[2] * x[2] + Y[2] * y[2] + Z[2] * z[2],
        X[0] * x[1] + Y[0] * y[1] + Z[0] * z[1],
        X[0] * x[2] + Y[0] * y[2] + Z[0] * z[2],
        X[1] * x[2] + Y[1] * y[2] + Z[1] * z[2],
    )
