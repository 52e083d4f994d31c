"""Bore torque of a tread that turns at standstill: a bristle about the ground normal, limited by friction, that relaxes as the tread rolls
or slides.

    psi' = turn_rate - (|turn_rate| / psi_max + v / L) psi,    M_z = -k psi,    k psi_max = mu F_z sqrt(F_z / p) / 3

psi is the turn angle of the tread against the rim, v the speed at which the tread passes through a contact of length L, k `turn_stiffness`.
The limit is that of a parked wheel, mu F_z^1.5 / (3 sqrt p) at the inflation pressure p [Gough, std]. Dry friction with hysteresis, like
the bristle of Dahl.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline

THIRD = 1.0 / 3.0


@inline
def gough_moment(friction, load, pressure):
    """Return the maximum moment [N m] of a wheel that turns at standstill, under a load [N] at an inflation pressure [Pa]."""
    return THIRD * friction * load * math.sqrt(load / pressure)


@inline
def turned(psi, turn_rate, stiffness, limit, passing, h):
    """Return (psi', M_z): rate [rad/s] over a step of h seconds, backward Euler, and moment [N m] at its end.

    Parameters
    ----------
    psi, turn_rate : rad, rad/s
    stiffness, limit : k [N m], and the maximum moment [N m]
    passing : (v, L): speed at which the tread rolls or slides through the contact [m/s], and contact length [m]
    """
    v, length = passing
    decay = v * limit + abs(turn_rate) * stiffness * length
    rate = (turn_rate * limit * length - decay * psi) / (limit * length + h * decay)
    return rate, -min(max(stiffness * (psi + h * rate), -limit), limit)
