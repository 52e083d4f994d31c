"""Row of reduced quantities (REDUCED) of a corner from the motion of its bodies, with exact derivatives.

With c(theta, delta) the center of mass of a body and w theta' + w_s delta' its angular velocity (subscripts t and s: derivatives by theta
and by the Pitman angle delta), a row is a sum over bodies of products of

    c,  u = c_t,  u_s = c_s,  w,  w_s,  I                    (I about c, in chassis axes)

and its first derivatives are sums of products of these with u_t, u_ts, u_ss, w_t, w_ts, w_st, w_ss, which are the accelerations of the
bodies at constant theta' and delta', and of I_t = w^ I - I w^. No finite differences are used. [Jain 2016, section 3.3: X_S and X'_S
theta' give these quantities.]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehicles.suspension.tables.reduced_table import AXLE, INERTIA, MOMENT, RATE, SHOCK, SPRING, STEER_RATE, STEERED, D, E, F, G, H, W

Array = NDArray[Any]


class Moving(NamedTuple):
    """Motion of n bodies or points at S samples, relative to the chassis and in its axes; (S, n, 3) each.

    p : center of mass or point [m]
    w, u : angular velocity and velocity per theta'; w_s, u_s per delta'
    w_t, w_d : derivatives of w by theta and by delta; w_st, w_ss those of w_s
    u_t, u_ts, u_ss : second derivatives of p
    """

    p: Array
    w: Array
    u: Array
    w_s: Array
    u_s: Array
    w_t: Array
    w_d: Array
    w_st: Array
    w_ss: Array
    u_t: Array
    u_ts: Array
    u_ss: Array


def reduce(mass: Array, inertia: Array, bodies: Moving) -> tuple[Array, Array]:
    """Return the rows of the bodies with masses (n,) [kg] and inertias (S, n, 3, 3) [kg m2] about their centers of mass.

    Returns
    -------
    rows : (S, 3, STEERED): row, its derivative by theta, its derivative by delta; fields of wheel, carrier and struts are zero
    moment : (S, 3, 3): second derivatives of the moment by theta, by theta and delta, by delta
    """
    b, m, I = bodies, mass[:, None], inertia
    I_t, I_s = _turning(b.w, I), _turning(b.w_s, I)
    out = np.zeros((len(b.p), 3, STEERED))
    for k, value in enumerate((b.p, b.u, b.u_s)):
        out[:, k, MOMENT : MOMENT + 3] = (m * value).sum(1)
    about = I + mass[:, None, None] * _about_origin(b.p, b.p)
    changes = (I_t + 2.0 * mass[:, None, None] * _about_origin(b.p, b.u), I_s + 2.0 * mass[:, None, None] * _about_origin(b.p, b.u_s))
    for k, M in enumerate((about, *changes)):
        out[:, k, INERTIA : INERTIA + 6] = _symmetric_components(M.sum(1))

    def coupling(at: int, w: Array, u: Array, w_by: tuple[Array, Array], u_by: tuple[Array, Array]) -> None:
        """Write sum I w + c x m u, and its derivatives."""
        out[:, 0, at : at + 3] = (_times(I, w) + m * np.cross(b.p, u)).sum(1)
        for k, (I_k, speed, w_k, u_k) in enumerate(zip((I_t, I_s), (b.u, b.u_s), w_by, u_by, strict=True), start=1):
            out[:, k, at : at + 3] = (_times(I_k, w) + _times(I, w_k) + m * (np.cross(speed, u) + np.cross(b.p, u_k))).sum(1)

    def inertia_of(at: int, one: tuple[Array, ...], other: tuple[Array, ...]) -> None:
        """Write sum m u . u' + w . I w' of two motions (w, u, w_t, w_s, u_t, u_s), and its derivatives."""
        (w, u, *by), (w2, u2, *by2) = one, other
        out[:, 0, at] = (m * u * u2 + w * _times(I, w2)).sum((1, 2))
        for k, I_k in enumerate((I_t, I_s)):
            change = m * (by[2 + k] * u2 + u * by2[2 + k]) + by[k] * _times(I, w2) + w * _times(I, by2[k]) + w * _times(I_k, w2)
            out[:, 1 + k, at] = change.sum((1, 2))

    coupling(G, b.w, b.u, (b.w_t, b.w_d), (b.u_t, b.u_ts))
    coupling(E, b.w_s, b.u_s, (b.w_st, b.w_ss), (b.u_ts, b.u_ss))
    by_theta = (b.w, b.u, b.w_t, b.w_d, b.u_t, b.u_ts)
    by_delta = (b.w_s, b.u_s, b.w_st, b.w_ss, b.u_ts, b.u_ss)
    inertia_of(D, by_theta, by_theta)
    inertia_of(F, by_theta, by_delta)
    inertia_of(H, by_delta, by_delta)
    return out, np.stack([(m * a).sum(1) for a in (b.u_t, b.u_ts, b.u_ss)], axis=1)


def place_wheel(out: Array, hub: Moving, axle: Array) -> None:
    """Write wheel center, axle and rotation of the carrier into rows.

    `hub` is the wheel center on the carrier (n = 1), axle (S, 3) a unit vector.
    """
    w, w_s = hub.w[:, 0], hub.w_s[:, 0]
    for k, value in enumerate((hub.p, hub.u, hub.u_s)):
        out[:, k, W : W + 3] = value[:, 0]
    for k, value in enumerate((axle, np.cross(w, axle), np.cross(w_s, axle))):
        out[:, k, AXLE : AXLE + 3] = value
    for k, value in enumerate((w, hub.w_t[:, 0], hub.w_d[:, 0])):
        out[:, k, RATE : RATE + 3] = value
    for k, value in enumerate((w_s, hub.w_st[:, 0], hub.w_ss[:, 0])):
        out[:, k, STEER_RATE : STEER_RATE + 3] = value


def place_struts(out: Array, ends: Moving) -> None:
    """Write the lengths of spring and shock absorber into rows; `ends` (n = 4) are the two ends of each."""
    for at, first in ((SPRING, 0), (SHOCK, 2)):
        along = ends.p[:, first + 1] - ends.p[:, first]
        length = np.linalg.norm(along, axis=1)
        out[:, 0, at] = length
        for k, u in enumerate((ends.u, ends.u_s), start=1):
            out[:, k, at] = (along * (u[:, first + 1] - u[:, first])).sum(1) / length


def _turning(w: Array, I: Array) -> Array:
    """Return the rate of an inertia matrix that rotates with w: w^ I - I w^."""
    spin = np.cross(w[..., None, :], np.eye(3)).swapaxes(-1, -2)
    return spin @ I - I @ spin


def _about_origin(a: Array, b: Array) -> Array:
    """Return a . b 1 - (a b^T + b a^T) / 2."""
    outer = a[..., :, None] * b[..., None, :]
    return np.einsum("...i,...i->...", a, b)[..., None, None] * np.eye(3) - 0.5 * (outer + outer.swapaxes(-1, -2))


def _times(M: Array, a: Array) -> Array:
    return np.einsum("...ij,...j->...i", M, a)


def _symmetric_components(M: Array) -> Array:
    return np.stack([M[..., 0, 0], M[..., 1, 1], M[..., 2, 2], M[..., 0, 1], M[..., 0, 2], M[..., 1, 2]], axis=-1)
