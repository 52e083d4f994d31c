"""First link of a five-link suspension: kinematics from a triangular system.

Written by `python -m research triangularize five_link_loop --write FILE`; do not edit.
Source of the equations: [Uchida 2012], equation 14 and table 2; hardpoints of another car.

    unknown   degree  terms  digits
    cb             1      8       7
    sb             2     28      13
    ca             1      6       7
    sa             1      8       7

2 complex solutions; 2 real at z = 0.02, y = 0.00076089, x = 0.00252569, spsi = -0.00682573, cpsi = 0.999977, stheta = -0.0178193, ctheta =
0.999841, sphi = -0.000987321, cphi = 1.
The relative residual of the equations at this point is 1e-15 in double precision. The parameters are not independent; their conditions hold
to 1e-6.
"""

from typing import NamedTuple

import numpy as np

from simulator.base.jit import kernel

SOURCE_DIGEST = "1d673455ac41d4e5"
"""Digest of the problem file."""


class Inputs(NamedTuple):
    """Inputs of `solve`."""

    z: float
    y: float
    x: float
    spsi: float
    cpsi: float
    stheta: float
    ctheta: float
    sphi: float
    cphi: float
    branch_sb: float


@kernel
def solve(inputs):
    """Return the unknowns cb, sb, ca, sa.

    Each branch, +1.0 or -1.0, is the sign of the square root for its unknown: 2 solutions. Unknowns that are not real are NaN.
    """
    z, y, x, spsi, cpsi, stheta, ctheta, sphi, cphi, branch_sb = inputs
    _1 = -0.3754050401190741 * spsi
    _2 = -0.3183589673401653 * cpsi
    _3 = _1 + _2
    _4 = _3 * stheta
    _5 = 0.19347829806162425 * ctheta
    _6 = _4 + _5
    _7 = _6 * cphi
    _8 = -0.3183589673401653 * spsi
    _9 = 0.3754050401190741 * cpsi
    _10 = _8 + _9
    _11 = _10 * sphi
    _12 = -3.4216694325161248 * x
    _13 = _12 - 0.3714324819079229
    _14 = _11 + _13
    cb = _14 + _7
    _16 = -0.14092894414680363 * spsi
    _17 = -0.23902712181320349 * cpsi
    _18 = _16 + _17
    _19 = _18 * spsi
    _20 = cpsi * cpsi
    _21 = -0.10135243208589642 * _20
    _22 = _19 + _21
    _23 = _22 * stheta
    _24 = 0.14526545649198846 * spsi
    _25 = 0.1231911023472628 * cpsi
    _26 = _24 + _25
    _27 = _26 * ctheta
    _28 = _23 + _27
    _29 = _28 * stheta
    _30 = ctheta * ctheta
    _31 = -0.03743385182082272 * _30
    _32 = _29 + _31
    _33 = _32 * cphi
    _34 = -0.23902712181320349 * sphi
    _35 = _34 * spsi
    _36 = -2.5690239011758504 * x
    _37 = 0.07915302412181444 * sphi
    _38 = _37 * cpsi
    _39 = _38 - 0.2788752515443421
    _40 = _36 + _39
    _41 = _35 + _40
    _42 = _41 * spsi
    _43 = 0.23902712181320349 * sphi
    _44 = _43 * cpsi
    _45 = -2.1786382942304856 * x
    _46 = _45 - 0.2364977227536019
    _47 = _44 + _46
    _48 = _47 * cpsi
    _49 = _42 + _48
    _50 = _49 * stheta
    _51 = 0.1231911023472628 * spsi
    _52 = -0.14526545649198846 * cpsi
    _53 = _51 + _52
    _54 = _53 * sphi
    _55 = 1.324037556665407 * x
    _56 = 0.14372824888869992 + _55
    _57 = _54 + _56
    _58 = _57 * ctheta
    _59 = _50 + _58
    _60 = _33 + _59
    _61 = _60 * cphi
    _62 = -0.10135243208589642 * spsi
    _63 = 0.23902712181320349 * cpsi
    _64 = _62 + _63
    _65 = _64 * spsi
    _66 = -0.14092894414680363 * _20
    _67 = _65 + _66
    _68 = _67 * sphi
    _69 = -2.1786382942304856 * spsi
    _70 = 2.5690239011758504 * cpsi
    _71 = _69 + _70
    _72 = _71 * x
    _73 = -0.2364977227536019 * spsi
    _74 = 0.2788752515443421 * cpsi
    _75 = _73 + _74
    _76 = _72 + _75
    _77 = _68 + _76
    _78 = _77 * sphi
    _79 = -11.707821705415219 * x
    _80 = _79 - 2.5418383391758765
    _81 = _80 * x
    _82 = 0.8620379113837205 + _81
    _83 = _78 + _82
    _84 = _61 + _83
    _85 = np.sqrt(_84)
    sb = _85 * branch_sb
    _87 = 109714.0 * spsi
    _88 = 93042.0 * cpsi
    _89 = _87 + _88
    _90 = _89 * ctheta
    _91 = 1000000.0 * z
    _92 = 56545.0 * stheta
    _93 = _92 - 82216.0
    _94 = _91 + _93
    _95 = _90 + _94
    _96 = 292255.0 * sb
    ca = _95 / _96
    _98 = -109714.0 * spsi
    _99 = -93042.0 * cpsi
    _100 = _98 + _99
    _101 = _100 * stheta
    _102 = 56545.0 * ctheta
    _103 = _101 + _102
    _104 = _103 * sphi
    _105 = 93042.0 * spsi
    _106 = -109714.0 * cpsi
    _107 = _105 + _106
    _108 = _107 * cphi
    _109 = -1000000.0 * y
    _110 = 397100.0 + _109
    _111 = _108 + _110
    _112 = _104 + _111
    sa = _112 / _96
    return cb, sb, ca, sa
