"""Leg of a Gough-Stewart platform: kinematics from a triangular system.

Written by `python -m research triangularize stewart_leg --write FILE`; do not edit.
Source of the equations: [Uchida 2012], equation 13; leg of 2 + s meters.

    unknown   degree  terms  digits
    s              2      6       1
    cb             2      5       1
    sb             1      5       1
    ca             1      4       1
    sa             1      4       1

4 complex solutions; 4 real at dx = 0.79, dy = -0.479, dz = 0.6.
The relative residual of the equations at this point is 1e-15 in double precision.
"""

import numpy as np

from simulator.base.jit import kernel

SOURCE_DIGEST = "2489062aa7318f51"
"""Digest of the problem file."""


@kernel
def solve(dx, dy, dz, branch_s, branch_cb):
    """Return the unknowns s, cb, sb, ca, sa.

    Each branch, +1.0 or -1.0, is the sign of the square root for its unknown: 4 solutions. Unknowns that are not real are NaN.
    """
    _1 = dx * dx
    _2 = dy * dy
    _3 = dz * dz
    _4 = _2 + _3
    _5 = _1 + _4
    _6 = np.sqrt(_5)
    _7 = _6 * branch_s
    s = _7 - 2.0
    _9 = _4 / _5
    _10 = np.sqrt(_9)
    cb = _10 * branch_cb
    _12 = 2.0 + s
    _13 = _12 * dx
    sb = _13 / _5
    _15 = _12 * dz
    _16 = _15 * cb
    ca = _16 / _4
    _18 = 0.0 - s
    _19 = _18 - 2.0
    _20 = _19 * dy
    _21 = _20 * cb
    sa = _21 / _4
    return s, cb, sb, ca, sa
