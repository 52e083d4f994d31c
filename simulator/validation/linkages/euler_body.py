"""Rigid body with the coordinates (x, y, z, phi, theta, psi): position of the center of mass in the world and 3-2-1 Euler angles.

R_WP = Rz(phi) Ry(theta) Rx(psi), as in [Uchida 2012], equation (14). Vectors are tuples.
"""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import add, add_scaled, cross, dot, scale
from simulator.base.jit import inline, kernel


@inline
def euler_axes(pose):
    """Return the rotation axes of phi, theta and psi in the world: z, the once rotated y, the twice rotated x."""
    cp, sp, ct, st = math.cos(pose[3]), math.sin(pose[3]), math.cos(pose[4]), math.sin(pose[4])
    return (0.0, 0.0, 1.0), (-sp, cp, 0.0), (cp * ct, sp * ct, -st)


@inline
def angular_motion(axes, rates):
    """Return angular velocity, and angular acceleration at constant Euler rates, in the world."""
    z, y, x = axes
    first = scale(rates[3], z)
    second = add_scaled(first, rates[4], y)
    return add_scaled(second, rates[5], x), add(scale(rates[4], cross(first, y)), scale(rates[5], cross(second, x)))


@kernel
def set_body(mass, I, gravity, pose, rates, H, f):
    """Set the mass matrix and the forces of the body in its coordinates: Newton-Euler equations projected on the Euler axes.

    Parameters
    ----------
    mass, I : [kg]; (3, 3) about the center of mass, in P [kg m2]
    gravity : (3,) acceleration of free fall [m/s2]
    pose, rates : (6,) [m, rad, 1/s]
    H : (n, n), n >= 6, lower triangle of its first six rows overwritten
    f : (n,), its first six entries overwritten with gravity and the gyroscopic forces
    """
    st, ct, ss, cs = math.sin(pose[4]), math.cos(pose[4]), math.sin(pose[5]), math.cos(pose[5])
    phi1, theta1, psi1 = rates[3], rates[4], rates[5]
    # axes of phi', theta' and psi' in P, angular velocity, and its derivative at constant Euler rates
    a, b, c = (-st, ct * ss, ct * cs), (0.0, cs, -ss), (1.0, 0.0, 0.0)
    w = add_scaled(add(scale(phi1, a), scale(theta1, b)), psi1, c)
    a_dot = -ct * theta1, -st * ss * theta1 + ct * cs * psi1, -st * cs * theta1 - ct * ss * psi1
    w_dot = add(scale(phi1, a_dot), scale(theta1, (0.0, -ss * psi1, -cs * psi1)))
    moment = scale(-1.0, add(times(I, w_dot), cross(w, times(I, w))))
    Ia, Ib, Ic = times(I, a), times(I, b), times(I, c)
    for i in range(6):
        for j in range(i + 1):
            H[i, j] = 0.0
    for i in range(3):
        H[i, i] = mass
        f[i] = mass * gravity[i]
    H[3, 3], H[4, 3], H[5, 3] = dot(a, Ia), dot(b, Ia), dot(c, Ia)
    H[4, 4], H[5, 4], H[5, 5] = dot(b, Ib), dot(c, Ib), dot(c, Ic)
    f[3], f[4], f[5] = dot(a, moment), dot(b, moment), dot(c, moment)


@inline
def times(I, u):
    """Return I u for a matrix (3, 3)."""
    return (
        I[0, 0] * u[0] + I[0, 1] * u[1] + I[0, 2] * u[2],
        I[1, 0] * u[0] + I[1, 1] * u[1] + I[1, 2] * u[2],
        I[2, 0] * u[0] + I[2, 1] * u[1] + I[2, 2] * u[2],
    )
