"""Spatial algebra on tuples, in world axes: six-vectors [angular; linear], the rigid shift phi and spatial inertias.

A spatial inertia consists of three blocks: angular A (xx, yy, zz, xy, xz, yz), coupling B (three rows) and linear C (xx, yy, zz, xy, xz, yz);
it maps the acceleration [alpha; a] of a body's frame origin to the force [A alpha + B a; B^T alpha + C a] at that origin.

With r = p_PK the vector from the origin of frame P to that of frame K,

    phi(P, K) = [[1, r~], [0, 1]]        forces [N; F] at K become [N + r x F; F] at P
    phi*(P, K)                           motions [w; v] of P become [w; v + w x r] at K

([Jain 2016, section 2]; Jain, *Robot and Multibody Dynamics*, 2011, section 1.4.)
"""

from __future__ import annotations

from simulator.base.algebra.vectors import add, cross, dot, scale
from simulator.base.jit import inline


@inline
def columns(R):
    """Return the three columns of a (3, 3) field."""
    return (R[0, 0], R[1, 0], R[2, 0]), (R[0, 1], R[1, 1], R[2, 1]), (R[0, 2], R[1, 2], R[2, 2])


@inline
def store_columns(R, x, y, z):
    """Write three columns into a (3, 3) field."""
    for i in range(3):
        R[i, 0] = x[i]
        R[i, 1] = y[i]
        R[i, 2] = z[i]


@inline
def rotated(R, a):
    """Return R a."""
    return (
        R[0, 0] * a[0] + R[0, 1] * a[1] + R[0, 2] * a[2],
        R[1, 0] * a[0] + R[1, 1] * a[1] + R[1, 2] * a[2],
        R[2, 0] * a[0] + R[2, 1] * a[1] + R[2, 2] * a[2],
    )


@inline
def unrotated(R, a):
    """Return R^T a."""
    return (
        R[0, 0] * a[0] + R[1, 0] * a[1] + R[2, 0] * a[2],
        R[0, 1] * a[0] + R[1, 1] * a[1] + R[2, 1] * a[2],
        R[0, 2] * a[0] + R[1, 2] * a[1] + R[2, 2] * a[2],
    )


@inline
def upper(s):
    """Return the angular half of a six-field."""
    return s[0], s[1], s[2]


@inline
def lower(s):
    """Return the linear half of a six-field."""
    return s[3], s[4], s[5]


@inline
def store_six(s, a, b):
    """Write s = [a; b]."""
    s[0], s[1], s[2] = a[0], a[1], a[2]
    s[3], s[4], s[5] = b[0], b[1], b[2]


@inline
def add_six(s, a, b):
    """Add [a; b] to s."""
    s[0] += a[0]
    s[1] += a[1]
    s[2] += a[2]
    s[3] += b[0]
    s[4] += b[1]
    s[5] += b[2]


@inline
def triple(a, w):
    """Return w x (w x a)."""
    return add(scale(dot(w, a), w), scale(-dot(w, w), a))


@inline
def inertia_times(A, B, C, alpha, a):
    """Return [A alpha + B a; B^T alpha + C a] for the blocks in fields A (6,), B (3, 3), C (6,)."""
    return (
        (
            A[0] * alpha[0] + A[3] * alpha[1] + A[4] * alpha[2] + B[0, 0] * a[0] + B[0, 1] * a[1] + B[0, 2] * a[2],
            A[3] * alpha[0] + A[1] * alpha[1] + A[5] * alpha[2] + B[1, 0] * a[0] + B[1, 1] * a[1] + B[1, 2] * a[2],
            A[4] * alpha[0] + A[5] * alpha[1] + A[2] * alpha[2] + B[2, 0] * a[0] + B[2, 1] * a[1] + B[2, 2] * a[2],
        ),
        (
            B[0, 0] * alpha[0] + B[1, 0] * alpha[1] + B[2, 0] * alpha[2] + C[0] * a[0] + C[3] * a[1] + C[4] * a[2],
            B[0, 1] * alpha[0] + B[1, 1] * alpha[1] + B[2, 1] * alpha[2] + C[3] * a[0] + C[1] * a[1] + C[5] * a[2],
            B[0, 2] * alpha[0] + B[1, 2] * alpha[1] + B[2, 2] * alpha[2] + C[4] * a[0] + C[5] * a[1] + C[2] * a[2],
        ),
    )


@inline
def add_rank_one(A, B, C, s, n, f):
    """Add s [n; f] [n; f]^T to the blocks."""
    A[0] += s * n[0] * n[0]
    A[1] += s * n[1] * n[1]
    A[2] += s * n[2] * n[2]
    A[3] += s * n[0] * n[1]
    A[4] += s * n[0] * n[2]
    A[5] += s * n[1] * n[2]
    for i in range(3):
        t = s * n[i]
        for j in range(3):
            B[i, j] += t * f[j]
    C[0] += s * f[0] * f[0]
    C[1] += s * f[1] * f[1]
    C[2] += s * f[2] * f[2]
    C[3] += s * f[0] * f[1]
    C[4] += s * f[0] * f[2]
    C[5] += s * f[1] * f[2]


@inline
def add_shifted(A, B, C, a, b, c, r):
    """Add phi P phi* to the blocks A, B, C, with P the blocks a, b, c at a point with position r.

    With s = r~: A += a + s b^T - b s - s c s, B += b + s c, C += c (s^T = -s).
    """
    # rows of t = s c, and B' = b + s c
    t00 = r[1] * c[4] - r[2] * c[3]
    t01 = r[1] * c[5] - r[2] * c[1]
    t02 = r[1] * c[2] - r[2] * c[5]
    t10 = r[2] * c[0] - r[0] * c[4]
    t11 = r[2] * c[3] - r[0] * c[5]
    t12 = r[2] * c[4] - r[0] * c[2]
    t20 = r[0] * c[3] - r[1] * c[0]
    t21 = r[0] * c[1] - r[1] * c[3]
    t22 = r[0] * c[5] - r[1] * c[4]
    # u = b + s c / 2, so that A' = a + s u^T + (s u^T)^T   (- s c s = s c s^T is split in two equal halves)
    u00, u01, u02 = b[0, 0] + 0.5 * t00, b[0, 1] + 0.5 * t01, b[0, 2] + 0.5 * t02
    u10, u11, u12 = b[1, 0] + 0.5 * t10, b[1, 1] + 0.5 * t11, b[1, 2] + 0.5 * t12
    u20, u21, u22 = b[2, 0] + 0.5 * t20, b[2, 1] + 0.5 * t21, b[2, 2] + 0.5 * t22
    A[0] += a[0] + 2.0 * (r[1] * u02 - r[2] * u01)
    A[1] += a[1] + 2.0 * (r[2] * u10 - r[0] * u12)
    A[2] += a[2] + 2.0 * (r[0] * u21 - r[1] * u20)
    A[3] += a[3] + (r[1] * u12 - r[2] * u11) + (r[2] * u00 - r[0] * u02)
    A[4] += a[4] + (r[1] * u22 - r[2] * u21) + (r[0] * u01 - r[1] * u00)
    A[5] += a[5] + (r[2] * u20 - r[0] * u22) + (r[0] * u11 - r[1] * u10)
    B[0, 0] += b[0, 0] + t00
    B[0, 1] += b[0, 1] + t01
    B[0, 2] += b[0, 2] + t02
    B[1, 0] += b[1, 0] + t10
    B[1, 1] += b[1, 1] + t11
    B[1, 2] += b[1, 2] + t12
    B[2, 0] += b[2, 0] + t20
    B[2, 1] += b[2, 1] + t21
    B[2, 2] += b[2, 2] + t22
    for i in range(6):
        C[i] += c[i]


@inline
def shift_force(n, f, r):
    """Return the couple of phi [n; f] about a point; r is the position of the point of the force relative to this point."""
    return add(n, cross(r, f))


@inline
def shift_motion(w, v, r):
    """Return the linear part of phi* [w; v] at a point with position r."""
    return add(v, cross(w, r))
