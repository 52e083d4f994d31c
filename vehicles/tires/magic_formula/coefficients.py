"""Parameters of a Magic Formula tire: all coefficients of a .tir file that the formulas read, under their lower-case names."""

from __future__ import annotations

SCALES = (
    *("lfzo", "lcx", "lmux", "lex", "lkx", "lhx", "lvx", "lcy", "lmuy", "ley", "lky", "lhy", "lvy", "ltr", "lres", "lkyc", "lkzc"),
    *("lxal", "lyka", "lvyka", "ls", "lmx", "lvmx", "lmy", "lgax", "lgay", "lgaz", "lsgkp", "lsgal", "lcz"),
)
"""Scaling factors; default: 1."""

LONGITUDINAL = (
    *("pcx1", "pdx1", "pdx2", "pdx3", "pex1", "pex2", "pex3", "pex4", "pkx1", "pkx2", "pkx3", "phx1", "phx2", "pvx1", "pvx2"),
    *("ppx1", "ppx2", "ppx3", "ppx4", "rbx1", "rbx2", "rbx3", "rcx1", "rex1", "rex2", "rhx1", "ptx1", "ptx2", "ptx3"),
)
LATERAL = (
    *("pcy1", "pdy1", "pdy2", "pdy3", "pey1", "pey2", "pey3", "pey4", "pey5", "pky1", "pky2", "pky3", "pky4", "pky5", "pky6", "pky7"),
    *("phy1", "phy2", "phy3", "pvy1", "pvy2", "pvy3", "pvy4", "ppy1", "ppy2", "ppy3", "ppy4", "ppy5"),
    *("rby1", "rby2", "rby3", "rby4", "rcy1", "rey1", "rey2", "rhy1", "rhy2", "rvy1", "rvy2", "rvy3", "rvy4", "rvy5", "rvy6"),
    *("pty1", "pty2"),
)
MOMENTS = (
    *("qsx1", "qsx2", "qsx3", "qsx4", "qsx5", "qsx6", "qsx7", "qsx8", "qsx9", "qsx10", "qsx11", "qsx12", "qsx13", "qsx14", "ppmx1"),
    *("qsy1", "qsy2", "qsy3", "qsy4", "qsy5", "qsy6", "qsy7", "qsy8"),
    *("qbz1", "qbz2", "qbz3", "qbz4", "qbz5", "qbz6", "qbz9", "qbz10", "qcz1"),
    *("qdz1", "qdz2", "qdz3", "qdz4", "qdz6", "qdz7", "qdz8", "qdz9", "qdz10", "qdz11"),
    *("qez1", "qez2", "qez3", "qez4", "qez5", "qhz1", "qhz2", "qhz3", "qhz4"),
    *("ssz1", "ssz2", "ssz3", "ssz4", "ppz1", "ppz2"),
)
CARCASS = ("pcfx1", "pcfx2", "pcfx3", "pcfy1", "pcfy2", "pcfy3")
"""Coefficients of the carcass stiffness over load and pressure (6.1)."""

COEFFICIENTS = (*SCALES, *LONGITUDINAL, *LATERAL, *MOMENTS, *CARCASS)

MAGIC = (
    # name      shape  unit   what it is
    ("set", (), "1", "set of formulas: 52 or 61", "i8"),
    ("linear", (), "1", "reading of the angles: 1 uses the angles themselves, 0 alpha* = tan alpha and gamma* = sin gamma", "i8"),
    ("mirrored", (), "1", "1: the file describes a tire of the right side", "i8"),
    ("overturns", (), "1", "1: the file contains an overturning moment", "i8"),
    ("ellipse", (), "1", "1: friction ellipse for combined slip, FE_METHOD of the file", "i8"),
    ("load", (), "N", "nominal load"),
    ("R0", (), "m", "unloaded radius"),
    ("V0", (), "m/s", "speed of the measurement"),
    ("p", (), "Pa", "inflation pressure"),
    ("p0", (), "Pa", "nominal inflation pressure, 0: not in the file, and the pressure has no effect"),
    ("stiffness", (2,), "N/m", "carcass stiffness at the contact, along and across; 0: not in the file"),
    ("relaxation", (2,), "m", "relaxation lengths given in the tire file; 0: those of the .tir file"),
    ("turn_stiffness", (), "N m", "moment over angle of a wheel that turns at standstill; 0: none"),
    ("slip_range", (2,), "1", "minimum and maximum longitudinal slip"),
    ("angle_range", (2,), "rad", "minimum and maximum slip angle"),
    ("camber_range", (2,), "rad", "minimum and maximum camber"),
    *((name, (), "1", "coefficient of this name") for name in COEFFICIENTS),
)
"""Parameters of the tire model; read from a .tir file by `tir_tire`."""
