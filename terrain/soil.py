"""Soils and hard surfaces: parameters of the ground that the tire models use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_records import filled, rows
from simulator.base.fields import Field, Number, Text, Variants
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.suggestions import did_you_mean, listed
from simulator.base.values import Values

_FRICTION = Number("1", 0.0, 2.0)
HALF_SPACE = 1000.0
"""m. Thickness of a layer that counts as infinite."""

_SOIL = (
    Field("friction", _FRICTION, "friction coefficient of the hard fraction"),
    Field("k_c", Number("N/m^(n+1)"), "cohesive modulus of Bekker's p = (k_c / b + k_phi) z^n"),
    Field("k_phi", Number("N/m^(n+2)", 0.0, 1e10), "frictional modulus of Bekker's p = (k_c / b + k_phi) z^n"),
    Field("n", Number("1", 0.05, 4.0), "exponent of sinkage in Bekker's equation"),
    Field("cohesion", Number("Pa", 0.0, 1e6), "cohesion c of the shear strength c + sigma tan(friction_angle)"),
    Field("friction_angle", Number("rad", 0.0, math.radians(60.0)), "internal friction angle", written="deg"),
    Field("shear_modulus", Number("m", 1e-4, 1.0), "K of Janosi-Hanamoto: tau = tau_max (1 - exp(-j / K))"),
    Field("unit_weight", Number("N/m3", 0.0, 5e4), "weight of the soil per volume"),
    Field("c1", Number("1", 0.0, 0.95), "angle of the maximum normal stress: theta_m = (c1 + c2 slip) theta_1"),
    Field("c2", Number("1", 0.0, 0.95), "increase of the angle of the maximum normal stress with slip"),
    Field("exit_ratio", Number("1", -1.0, 0.0), "exit angle over entry angle, theta_2 / theta_1, in [-1, 0]"),
    Field("damping", Number("N s/m3", 0.0, 1e8), "pressure per rate of sinkage"),
    Field(
        "elastic_stiffness",
        Number("N/m3", 1e5, 1e12),
        "pressure per height of elastic rebound (unloading and reloading) of almost undisturbed soil: k_0",
    ),
    Field(
        "elastic_growth",
        Number("N/m4", 0.0, 1e13),
        "increase of the elastic stiffness with the depth z_u of the compacted soil: k_0 + A_u z_u",
        0.0,
    ),
    Field("slip_sinkage", Number("1", 0.0, 5.0), "thickness of the soil layer that a slipping tread removes, divided by the sinkage", 0.0),
    Field(
        "tread_strength",
        Number("1", 0.05, 1.0),
        "shear strength between tread and soil divided by the strength of the soil; below 1 on a wet surface layer",
        1.0,
    ),
    Field(
        "depth", Number("m", 0.02, HALF_SPACE), f"thickness of a layer of soil on firm ground; {HALF_SPACE:g} = a half space", HALF_SPACE
    ),
    Field(
        "compaction", Number("1", 0.05, 1.0), "sinkage over `depth` at which a layer is packed: 1 - density / packed density of snow", 1.0
    ),
    Field(
        "bulldozing",
        Number("1", 0.0, 1.0),
        "fraction of the pressed soil that a wheel pushes ahead and aside; 0 = soil that packs in place, such as snow",
        1.0,
    ),
)
_CURVE = (
    Field(
        "slip_stretch",
        Number("1", 1.0, 50.0),
        "slips of the force curve of a tire over those that follow from the friction; its initial slope is divided by it (tires with `type: tmeasy`)",
        1.0,
    ),
    Field("sliding", Number("1", 0.0, 1.0), "minimum of the sliding force over the maximum force (tires with `type: tmeasy`)", 0.0),
)
DEFORMABLE = rows(_SOIL)
"""Parameters of a file of ``type: soil``."""
SOIL = (("hardness", (), "1", "fraction of hard ground: 1 = road, 0 = soil"), *DEFORMABLE, *rows(_CURVE))
"""Parameters of one kind of ground. `k_c` and `k_phi` of soils with different `n` have different units and are not comparable."""

REFERENCE_SINKAGE = 0.1
"""m. Two soils are blended by their pressures at this sinkage, a typical sinkage of a truck wheel."""
REFERENCE_WIDTH = 0.3
"""m. Width of the tire for which the minimum modulus of a soil is checked."""
MIN_MODULUS = 100.0
"""N/m^(n+2). Minimum modulus, below that of very soft snow."""
_LOG_REFERENCE = math.log(REFERENCE_SINKAGE)

FIRM = {
    "k_c": 0.0, "k_phi": 2e7, "n": 1.0, "cohesion": 1e4, "friction_angle": math.radians(30.0), "shear_modulus": 0.025,
    "unit_weight": 18e3, "c1": 0.4, "c2": 0.2, "exit_ratio": -0.35, "damping": 3e4, "elastic_stiffness": 2e8,
    "elastic_growth": 0.0, "slip_sinkage": 0.0, "tread_strength": 1.0, "depth": HALF_SPACE, "compaction": 1.0, "bulldozing": 1.0,
}  # fmt: skip
"""Soil below a hard surface if a terrain names none. Its fraction is always zero; the values only keep the equations finite."""

_SURFACE = (Field("friction", _FRICTION, "friction coefficient between a tire and the surface"), *_CURVE)
_LOOKS_LIKE = Field("looks_like", Text("the name of a soil"), "soil whose colors are used for drawing", None)
FILE = Variants("type", {"surface": _SURFACE, "soil": _SOIL}, ("surface", "soil"), "hard ground or deformable soil", (_LOOKS_LIKE,))
"""Fields of a file in ``configs/soils``."""


def soil(mapping: Mapping[str, Any], file: object, key: str = "") -> Record:
    """Read a record of table `SOIL` from the mapping of a soil or surface file.

    A surface file has ``type: surface`` and a ``friction``. A soil file has ``type: soil`` and all rows of `SOIL` except the hardness; the last three
    are optional. Both accept ``looks_like``, the soil whose colors are used for drawing (`drawn_as`).

    Raises
    ------
    ConfigError : wrong type, unknown or missing key, a number out of range
    """
    values = FILE.read(mapping, file, key)
    soft = values["type"] == "soil"
    out = filled(SOIL, {**values, **{field.name: field.default for field in _CURVE}} if soft else values)
    if soft:
        _check(values)
    else:
        out[0]["hardness"] = 1.0
        for name, value in FIRM.items():
            out[0][name] = value
    return out


def _check(values: Values) -> None:
    """Check the constraints between several values of a soil. Raises ConfigError."""
    with ErrorCollector() as faults:
        if values["c1"] + values["c2"] > 1.0:
            faults.add(values.error("c2", "c1 + c2 at most 1: the maximum stress must be inside the contact patch"))
        k = values["k_c"] / REFERENCE_WIDTH + values["k_phi"]
        if k < MIN_MODULUS:
            expected = f"k_c / b + k_phi of at least {MIN_MODULUS:g} under a tire of b = {REFERENCE_WIDTH:g} m; computed {k:.3g}"
            faults.add(values.error("k_c" if values["k_c"] < 0.0 else "k_phi", expected))


def named_soil(soils: Mapping[str, Mapping[str, Any]], name: Any, kind: str, file: object, key: str) -> Record:
    """Return the record of the soil file `name` in `soils`, which must be of `kind` surface or soil.

    Raises
    ------
    ConfigError : unknown name, or a file of another type; the message names the terrain file
    """
    if not isinstance(name, str) or name not in soils:
        raise ConfigError(file, key, name, f"the name of a {kind}: {listed(sorted(soils), 'jounce list soils')}{did_you_mean(name, soils)}")
    out = soil(soils[name], f"{name}.yaml")
    if (out[0]["hardness"] == 1.0) != (kind == "surface"):
        raise ConfigError(file, key, name, f"the name of a {kind}; the file has type: {soils[name]['type']}")
    return out


def drawn_as(soils: Mapping[str, Mapping[str, Any]], name: str) -> str:
    """Return the name of the soil whose colors are used to draw the soil `name`: the value of ``looks_like``, default: `name`."""
    return str(soils[name].get("looks_like", name))


def surface_on_soil(surface: Record, below: Record) -> Record:
    """Return the record of a hard surface that fades into the soil `below`: hardness and forces of `surface`, other values of `below`."""
    out = below.copy()
    for name in ("hardness", "friction", "slip_stretch", "sliding"):
        out[0][name] = surface[0][name]
    return out


@inline
def clear(out):
    """Set the blended fields of out (length-1 record of `SOIL`) to zero, ready for `add_share`."""
    s = out[0]
    s["friction"] = s["k_c"] = s["k_phi"] = s["n"] = s["cohesion"] = s["friction_angle"] = s["shear_modulus"] = 0.0
    s["unit_weight"] = s["c1"] = s["c2"] = s["exit_ratio"] = s["damping"] = s["elastic_stiffness"] = 0.0
    s["elastic_growth"] = s["slip_sinkage"] = s["tread_strength"] = s["depth"] = s["compaction"] = s["bulldozing"] = 0.0
    s["slip_stretch"] = s["sliding"] = 0.0


@inline
def add_share(soils, i, w, out):
    """Add soil i with the weight w to out (length-1 record of `SOIL`); `finish_shares` completes the blend.

    All values are weighted means, but Bekker's moduli enter as pressures at `REFERENCE_SINKAGE`: k z_ref^n has the same unit
    in all soils. The pressure at this sinkage therefore changes monotonically from one soil to the other, and so does the exponent. The
    depth enters as its reciprocal.
    """
    a, s = soils[i], out[0]
    reach = w * math.exp(_LOG_REFERENCE * a["n"])
    s["k_c"] += reach * a["k_c"]
    s["k_phi"] += reach * a["k_phi"]
    s["n"] += w * a["n"]
    s["friction"] += w * a["friction"]
    s["cohesion"] += w * a["cohesion"]
    s["friction_angle"] += w * a["friction_angle"]
    s["shear_modulus"] += w * a["shear_modulus"]
    s["unit_weight"] += w * a["unit_weight"]
    s["c1"] += w * a["c1"]
    s["c2"] += w * a["c2"]
    s["exit_ratio"] += w * a["exit_ratio"]
    s["damping"] += w * a["damping"]
    s["elastic_stiffness"] += w * a["elastic_stiffness"]
    s["elastic_growth"] += w * a["elastic_growth"]
    s["slip_sinkage"] += w * a["slip_sinkage"]
    s["tread_strength"] += w * a["tread_strength"]
    s["depth"] += w / a["depth"]
    s["compaction"] += w * a["compaction"]
    s["bulldozing"] += w * a["bulldozing"]
    s["slip_stretch"] += w * a["slip_stretch"]
    s["sliding"] += w * a["sliding"]


@inline
def finish_shares(out):
    """Convert the blended pressures of out (length-1 record of `SOIL`) back to moduli for the blended exponent, and the depth."""
    scale = math.exp(-_LOG_REFERENCE * out[0]["n"])
    out[0]["k_c"] *= scale
    out[0]["k_phi"] *= scale
    out[0]["depth"] = 1.0 / out[0]["depth"]
