"""A tread that is turned where it stands: a bristle about the ground's normal, bounded by friction, and washed out where the tread rolls or slides on.

    psi' = turn_rate - (|turn_rate| / psi_max + v / L) psi,    M_z = -k psi,    k psi_max = mu F_z sqrt(F_z / p) / 3

psi is how far the tread is turned against the rim, v the speed with which it passes through a contact of length L, k `turn_stiffness`. The bound is
that of a parked wheel, mu F_z^1.5 / (3 sqrt p) at the inflation pressure p [Gough, std]. Dry friction with hysteresis, as the bristle of Dahl.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline

THIRD = 1.0 / 3.0


@inline
def gough_moment(friction, load, pressure):
    """Largest moment [N m] of a wheel that is turned where it stands, under a load [N] at an inflation pressure [Pa]."""
    return THIRD * friction * load * math.sqrt(load / pressure)


@inline
def turned(psi, turn_rate, stiffness, most, passing, h):
    """(psi', M_z): rate [rad/s] over a step of h seconds, backward Euler, and moment [N m] at its end.

    Parameters
    ----------
    psi, turn_rate : rad, rad/s
    stiffness, most : k [N m], and the largest moment [N m]
    passing : (v, L): speed with which the tread rolls or slides through the contact [m/s], and its length [m]
    """
    v, length = passing
    gone = v * most + abs(turn_rate) * stiffness * length
    rate = (turn_rate * most * length - gone * psi) / (most * length + h * gone)
    return rate, -min(max(stiffness * (psi + h * rate), -most), most)
