"""Whether a corner that has been placed is well closed."""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import column, dot, sub
from simulator.base.jit import inline


@inline
def gap(p, found, Q, i):
    """By how much the loops of corner i are open [m], the larger one of upper arm and tie rod.

    p, found : elements of DOUBLE_WISHBONES and DOUBLE_WISHBONE_SCRATCH, Q : (3, wheels) inner tie-rod points
    """
    kingpin = abs(_way(column(found["D"], i), column(found["F"], i)) - p["kingpin_length"][i])
    tierod = abs(_way(column(found["K"], i), column(Q, i)) - p["tierod_length"][i])
    return tierod if tierod > kingpin or math.isnan(tierod) else kingpin  # what is no number stays none


@inline
def turn(found, i):
    """By how much its carrier turns per way of its tie rod [rad/m]."""
    gain = column(found["steer_gain"], i)
    return math.sqrt(dot(gain, gain))


@inline
def _way(a, b):
    between = sub(b, a)
    return math.sqrt(dot(between, between))
