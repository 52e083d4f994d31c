"""Closure of the loops of a double-wishbone corner."""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import column, dot, sub
from simulator.base.jit import inline


@inline
def gap(p, found, Q, i):
    """Return the gap of the loops of corner i [m], the larger one of upper arm and tie rod.

    p, found : elements of DOUBLE_WISHBONES and DOUBLE_WISHBONE_SCRATCH, Q : (3, wheels) inner tie-rod points
    """
    kingpin = abs(_distance(column(found["D"], i), column(found["F"], i)) - p["kingpin_length"][i])
    tierod = abs(_distance(column(found["K"], i), column(Q, i)) - p["tierod_length"][i])
    return tierod if tierod > kingpin or math.isnan(tierod) else kingpin  # NaN stays NaN


@inline
def turn(found, i):
    """Return the rotation of the carrier per displacement of its tie rod [rad/m]."""
    gain = column(found["steer_gain"], i)
    return math.sqrt(dot(gain, gain))


@inline
def _distance(a, b):
    between = sub(b, a)
    return math.sqrt(dot(between, between))
