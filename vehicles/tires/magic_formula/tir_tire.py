"""Conversion of a .tir file to a tire: the parameters of the formulas, and radius, spring and damper shared by all tires."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Field, Fields, FileName, Number
from simulator.base.records import Record, join, record
from vehicles.tires.magic_formula.coefficients import COEFFICIENTS, MAGIC, SCALES
from vehicles.tires.magic_formula.tir_file import Tir, read_tir

SETS = {"5": 52, "6": 52, "21": 52, "51": 52, "52": 52, "61": 61, "62": 61}
"""Set of formulas by FITTYP."""
FORMATS = {"PAC2002": 52, "MF_05": 52, "MF05": 52, "MF_52": 52, "MF52": 52, "MF_61": 61, "MF61": 61, "MF_62": 61, "MF62": 61}
"""Set of formulas by PROPERTY_FILE_FORMAT, for files without FITTYP."""

READINGS = ("angles", "tangents")
"""Readings of the angles in a tire file; the first one is the default."""

OTHER_NAMES = {"lfzo": ("LFZ0",), "lky": ("LKYA",), "lkx": ("LKXK",), "lkyc": ("LKYG", "LKG")}
"""Alternative keys of coefficients."""

FIELDS: Fields = (
    Field("file", FileName("the path of a .tir file"), "tire property file (.tir), in the folder of this file"),
    Field("pressure", Number("Pa", 1e3, 5e6), "inflation pressure; default: that of the .tir file", None),
    Field(
        "reading",
        Choice(READINGS),
        "input of the formulas: `angles` themselves, or `tangents`, tan of the slip angle and sin of the camber",
        READINGS[0],
    ),
    Field("relaxation", Number("m", 0.01, 10.0, shape=(2,)), "relaxation lengths along and across; default: those of the .tir file", None),
    Field(
        "turn_stiffness",
        Number("N m", 0.0, 1e6),
        "moment over angle of a wheel that turns at standstill; default: YAW_STIFFNESS of the .tir file",
        None,
    ),
)
"""Fields of a tire file of this type, in addition to those of every tire, whose defaults come from the .tir file."""

FRICTION = 0.8
"""Friction of the reference ground of a file: that of dry asphalt here, as for the other tires [assumed]."""
BOTTOMING = 5.0
"""Default stiffness of the rim over that of the tire [assumed], as in Project Chrono's TMeasy."""
PKY4 = 2.0
"""Shape of the cornering stiffness over the load in files without PKY4: that of set 5.2 and of the book."""
LINEAR = (("pkx1", "pkx2"), ("pdx1", "pdx2"), ("pdy1", "pdy2"))
"""Coefficients of slip stiffness and friction: value at the nominal load, and change with df."""
LOAD_MARGIN = 0.9
"""Default maximum load over the load at which one of these is zero [assumed]."""
DAMPING_MIN = 1.0
"""N s/m. Minimum vertical damping."""


def complete(values: Mapping[str, Any], file: object, key: str, folders: Sequence[Path]) -> tuple[dict[str, Any], Record]:
    """Return the combined values of a tire file and its .tir file: the rows of FILE, and a record of MAGIC.

    Raises
    ------
    ConfigError : the .tir file does not exist or cannot be used
    """
    tir = read_tir(found_file(str(values["file"]), file, join(key, "file"), folders))
    own = magic_record(tir, values["reading"])
    if "pressure" in values:
        own[0]["p"] = values["pressure"]
    for name in ("relaxation", "turn_stiffness"):
        if name in values:
            own[0][name] = values[name]
    return {**shared_values(tir, own), **values}, own


def found_file(name: str, file: object, key: str, folders: Sequence[Path]) -> Path:
    """Return the path of a file: as given, in the folder of the file that refers to it, or in one of the folders. Raises ConfigError."""
    path = Path(name)
    candidates = [path] if path.is_absolute() else [Path(str(file)).parent / path, *(folder / path for folder in folders), path]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise ConfigError(file, key, name, "an existing file, for example in the folder of this file")


def magic_record(tir: Tir, reading: str = READINGS[0]) -> Record:
    """Return the (1,) record of MAGIC. Raises ConfigError if the set of formulas is unknown, or a number is invalid."""
    out = record(MAGIC)
    p = out[0]
    p["set"], p["linear"], p["mirrored"] = set_of(tir), READINGS[0] == reading, is_of_right_side(tir)
    p["load"], p["R0"] = tir.above_zero("VERTICAL", "FNOMIN", "force"), tir.above_zero("DIMENSION", "UNLOADED_RADIUS", "length")
    for name in COEFFICIENTS:
        p[name] = tir.number(name.upper(), "", 1.0 if name in SCALES else 0.0, OTHER_NAMES.get(name, ()))
    p["pky4"] = p["pky4"] or PKY4
    with ErrorCollector() as faults:
        for name, value, expected in _wrong_signs(p):
            faults.add(ConfigError(tir.file, (tir.find(name) or (name,))[0], value, expected))
    p["overturns"] = any(p[f"qsx{n}"] != 0.0 for n in range(1, 15))
    p["ellipse"] = tir.text("FE_METHOD") == "YES"
    p["V0"] = tir.number("LONGVL", "speed", 16.7, ("LONGVEL",)) or 16.7
    p["p0"] = tir.number("NOMPRES", "pressure", 0.0, ("IP_NOM",))
    p["p"] = tir.number("INFLPRES", "pressure", float(p["p0"]), ("IP",)) or p["p0"]
    p["stiffness"] = tir.number("LONGITUDINAL_STIFFNESS", "stiffness"), tir.number("LATERAL_STIFFNESS", "stiffness")
    p["turn_stiffness"] = max(tir.number("YAW_STIFFNESS", "turning"), 0.0)
    p["slip_range"] = _range(tir, "KPUMIN", "KPUMAX", "", 1.5)
    p["angle_range"] = _range(tir, "ALPMIN", "ALPMAX", "angle", 1.5)
    p["camber_range"] = _range(tir, "CAMMIN", "CAMMAX", "angle", 1.0)
    return out


def _wrong_signs(p: Any) -> Iterator[tuple[str, float, str]]:
    """Yield key, value and expectation of the coefficients that reverse a force; a tire without one of the forces has zeros."""
    if p["lfzo"] <= 0.0:
        yield "LFZO", float(p["lfzo"]), "a number above 0"
    if p["pkx1"] * p["lkx"] < 0.0:
        yield "PKX1", float(p["pkx1"]), "a number above 0: a driving slip gives a force forward"
    if p["pky1"] * p["lky"] * math.sin(p["pky4"] * math.atan(1.0 / p["pky2"] if p["pky2"] else 0.0)) > 0.0:
        signs = "(axes of ISO: convert a file in axes of SAE)" if p["pky1"] > 0.0 else "at positive PKY2, PKY4 and LKY"
        yield "PKY1", float(p["pky1"]), f"a cornering stiffness below 0 at the nominal load, as by a negative PKY1 {signs}"


def highest_load(p: Any) -> float:
    """Return the highest load [N] with LOAD_MARGIN at which slip stiffness and friction keep the sign that they have at the nominal load; infinite
    if they keep it at all loads. Each is linear in df."""
    zeros = [-p[at_nominal] / p[growth] for at_nominal, growth in LINEAR if p[at_nominal] * p[growth] < 0.0]
    return float(LOAD_MARGIN * p["lfzo"] * p["load"] * (1.0 + min(zeros, default=math.inf)))


def _range(tir: Tir, low: str, high: str, dimension: str, default: float) -> tuple[float, float]:
    """Return minimum and maximum, below and above zero; angles stay below a right angle."""
    least, most = tir.number(low, dimension, -default), tir.number(high, dimension, default)
    return (max(least, -default) if least < 0.0 else -default), (min(most, default) if most > 0.0 else default)


def set_of(tir: Tir) -> int:
    """Return the set of formulas, 52 or 61. Raises ConfigError."""
    found = tir.find("FITTYP")
    if found is not None:
        word = found[1].partition(".")[0]
        if word not in SETS:
            raise ConfigError(tir.file, found[0], found[1], f"a Magic Formula: one of {', '.join(SETS)}")
        return SETS[word]
    found = tir.find("PROPERTY_FILE_FORMAT")
    if found is None:
        raise ConfigError(tir.file, "MODEL.FITTYP", "nothing", f"one of {', '.join(SETS)}, or PROPERTY_FILE_FORMAT")
    word = found[1].upper()
    if word not in FORMATS:
        raise ConfigError(tir.file, found[0], found[1], f"a key FITTYP, too, or one of {', '.join(FORMATS)}")
    return FORMATS[word]


def is_of_right_side(tir: Tir) -> bool:
    """Return True if the file describes a tire of the right side; a negative USE_MODE inverts the side."""
    return (tir.text("TYRESIDE") == "RIGHT") != (tir.number("USE_MODE") < 0.0)


def shared_values(tir: Tir, own: Record) -> dict[str, Any]:
    """Return the rows of FILE from a .tir file. Raises ConfigError if it has no vertical stiffness."""
    radius = float(own[0]["R0"])
    stiffness, growth = _spring(tir, own)
    rim = tir.number("BOTTOMING_RADIUS", "length") or tir.number("RIM_RADIUS", "length") or 0.5 * radius
    return {
        "radius": radius,
        "width": tir.number("WIDTH", "length") or 0.4 * radius,
        "stiffness": stiffness,
        "stiffness_growth": growth,
        "damping": max(tir.number("VERTICAL_DAMPING", "damping"), DAMPING_MIN),
        "bottoming_radius": min(rim, 0.95 * radius),
        "bottoming_stiffness": tir.number("BOTTOMING_STIFFNESS", "stiffness", 0.0, ("BOTTOM_STIFF",)) or BOTTOMING * stiffness,
        "load_max": min(tir.number("FZMAX", "force") or 3.0 * float(own[0]["load"]), highest_load(own[0])),
        "friction": FRICTION,
        "rolling_resistance": 0.0,
        "torque_radius": 1.0,
        "bulldozing": 1.0,
    }


def _spring(tir: Tir, own: Record) -> tuple[float, float]:
    """Return c1 [N/m] and c2 [N/m2] of F = c1 d + c2 d^2: a fit of the curve of deflection and load if the file has one, else from Q_FZ1
    and Q_FZ2 of set 6.1, else the vertical stiffness. Raises ConfigError."""
    p = own[0]
    curve = tir.table("DEFLECTION_LOAD_CURVE", ("length", "force"))
    if curve is not None and len(curve) > 2:
        d, F = curve.T
        c1, c2 = np.linalg.lstsq(np.stack([d, d * d], axis=1), F, rcond=None)[0]
        return (float(c1), float(c2)) if c2 >= 0.0 else (float(d @ F / (d @ d)), 0.0)
    F_0, R = float(p["load"]), float(p["R0"])
    stiffness = tir.number("VERTICAL_STIFFNESS", "stiffness") * float(p["lcz"])
    q1, q2 = tir.number("QFZ1", also=("Q_FZ1",)), tir.number("QFZ2", also=("Q_FZ2",))
    if q1 == 0.0 and q2 != 0.0:
        q1 = math.sqrt(max((stiffness * R / F_0) ** 2 - 4.0 * q2, 0.0))
    if q1 > 0.0 and q2 >= 0.0:
        pressed = 1.0 + tir.number("PPFZ1", also=("PFZ1",)) * (float(p["p"]) / float(p["p0"]) - 1.0 if p["p0"] > 0.0 else 0.0)
        return q1 * F_0 / R * pressed, q2 * F_0 / (R * R) * pressed
    if stiffness <= 0.0:
        found = tir.find("VERTICAL_STIFFNESS")
        raise ConfigError(tir.file, "VERTICAL.VERTICAL_STIFFNESS", "nothing" if found is None else found[1], "a number above 0")
    return stiffness, 0.0


def relaxes(own: Record) -> bool:
    """Return True if a .tir file has relaxation data."""
    p = own[0]
    return bool(p["ptx1"] != 0.0 or p["pty1"] != 0.0 or (p["stiffness"] > 0.0).all())
