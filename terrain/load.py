"""Terrain files made into grounds: `type: flat`, `type: bump`, `type: heightmap`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError
from simulator.base.records import Record, numbers, record
from simulator.base.section import Section
from simulator.base.words import no_such_key
from terrain.landscape import landscape
from terrain.soil import drawn_as, named_soil, soil
from terrain.surface import GROUND, Ground

Soils = Mapping[str, Mapping[str, Any]]

FRICTION = 0.8
"""Friction coefficient of a flat ground that names neither a surface nor a friction: dry asphalt."""

FASTEST_WIND = 150.0
"""m/s. No storm is faster."""

_PLANE = (
    ("grade_percent", (), "%", "rise along x"),
    ("cross_grade_percent", (), "%", "rise along y"),
)
_PLANE_RANGES = {"grade_percent": (-200.0, 200.0), "cross_grade_percent": (-200.0, 200.0)}
_SURFACE_KEYS = ("surface", "soil", "friction")
_BUMP_NAMES = {
    "height": "height", "h": "height", "amplitude": "height", "length": "length", "l": "length", "width": "width", "w": "width",
    "x0": "start", "x_0": "start", "x": "start", "start": "start", "x_start": "start", "start_x": "start", "x_begin": "start",
    "begin": "start", "position": "start", "at": "start", "xc": "center", "x_c": "center", "center": "center", "centre": "center",
    "x_center": "center", "x_centre": "center", "center_x": "center", "x1": "end", "x_1": "end", "end": "end", "x_end": "end",
    "end_x": "end", "shape": "shape", "profile": "shape", "form": "shape",
}  # fmt: skip
"""Names that bump files use, with or without _m behind, and the measure they mean."""
_BUMP_RANGES = {"height": (-2.0, 2.0), "length": (0.05, 200.0), "width": (0.1, 200.0), "start": (-1e5, 1e5)}
_REMARKS = ("name", "note", "text", "description", "formula", "comment")
_BUMP_CELLS = 256


def load_terrain(mapping: Mapping[str, Any], file: object, folder: Path, soils: Mapping[str, Mapping[str, Any]]) -> Ground:
    """Ground described by the mapping of a terrain file.

    Parameters
    ----------
    mapping : the file's contents; ``gravity`` [m/s2] and ``wind`` [m/s], the velocity of the air in W, are those of the world there;
        ``type`` decides about the other keys, see `flat`, `bump` and `terrain.landscape.landscape`
    file : its name, for messages and for the ground's name
    folder : where asset files lie that the mapping names, unless they lie beside the file
    soils : contents of the soil files by name

    Raises
    ------
    ConfigError : anything that cannot be used
    """
    section = Section(mapping, file)
    kind = section.choice("type", ("flat", "bump", "heightmap"))
    gravity = section.number("gravity", STANDARD_GRAVITY, least=0.0, most=100.0)
    wind = section.array("wind", (3,), (0.0, 0.0, 0.0), within=FASTEST_WIND)
    surroundings = {key: value for key, value in mapping.items() if key not in ("gravity", "wind")}
    name = Path(str(file)).stem
    if kind == "flat":
        ground = flat(surroundings, file, name, soils)
    elif kind == "bump":
        ground = bump(surroundings, file, name, soils)
    else:
        ground = landscape(surroundings, file, name, folder, soils)
    ground.p[0]["gravity"], ground.p[0]["wind"] = gravity, wind
    return ground


def flat(mapping: Mapping[str, Any], file: object, name: str, soils: Soils) -> Ground:
    """Endless plane through the origin.

    Keys: ``surface`` (the name of a hard one), ``soil`` or a bare ``friction`` of hard ground (default `FRICTION`); ``grade_percent``
    rise along x, ``cross_grade_percent`` rise along y.
    """
    level = {"grade_percent": 0.0, "cross_grade_percent": 0.0}
    plane = Section(mapping, file).record(_PLANE, _PLANE_RANGES, level, beside=("type", *_SURFACE_KEYS, *_REMARKS))
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = (-1.5, -1.5), (1.0, 1.0)
    p[0]["slope"] = plane[0]["grade_percent"] / 100.0, plane[0]["cross_grade_percent"] / 100.0
    return _uniform(name, p, np.zeros((4, 4), np.float32), mapping, file, soils)


def bump(mapping: Mapping[str, Any], file: object, name: str, soils: Soils) -> Ground:
    """Endless plane z = 0 with one bump across the way, at x from start to start + length.

    Keys: ``height`` and ``length`` in m; the place as ``start``, ``center`` or ``end`` (x in m; start and end also give a length);
    ``width`` in m about y = 0, everywhere when left out; ``shape`` half_sine (default, z = height sin(pi s), s from 0 to 1) or
    haversine (z = height sin^2(pi s)); the surface as for `flat`. Other codes' names for these are understood, see `_BUMP_NAMES`.
    """
    given = _bump_measures(mapping, file)
    shape = Section(given, file).choice("shape", ("half_sine", "haversine"), "half_sine")
    start, length = _bump_extent(given, file)
    height = _measure(given, "height", file)
    dx = length / _BUMP_CELLS
    s = np.clip(np.arange(-4, _BUMP_CELLS + 5) / _BUMP_CELLS, 0.0, 1.0)
    rise = height * np.sin(np.pi * s) ** (1 if shape == "half_sine" else 2)
    p = record(GROUND)
    if given.get("width") is None:
        p[0]["origin"], p[0]["spacing"] = (start - 4 * dx, -1.5), (dx, 1.0)
        across = np.ones(4)
    else:
        width = _measure(given, "width", file)
        dy = width / _BUMP_CELLS
        p[0]["origin"], p[0]["spacing"] = (start - 4 * dx, -0.5 * width - 4 * dy), (dx, dy)
        across = np.zeros(_BUMP_CELLS + 9)
        across[4:-4] = 1.0
    return _uniform(name, p, np.outer(across, rise).astype(np.float32), mapping, file, soils)


def _bump_measures(mapping: Mapping[str, Any], file: object) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for key, value in mapping.items():
        if key in ("type", *_SURFACE_KEYS, *_REMARKS):
            continue
        measure = _BUMP_NAMES.get(str(key).lower().removesuffix("_m"))
        if measure is None:
            known = ("height", "length", "start", "center", "end", "width", "shape", *_SURFACE_KEYS, *_REMARKS)
            raise ConfigError(file, str(key), value, no_such_key(key, known, _BUMP_NAMES))
        if measure in given:
            raise ConfigError(file, str(key), value, f"the {measure} of the bump only once")
        given[measure] = value
    if isinstance(given.get("shape"), str):
        plain = given["shape"].lower().replace("-", "_").replace(" ", "_")
        given["shape"] = {"halfsine": "half_sine", "sine": "half_sine", "half_sine_bump": "half_sine"}.get(plain, plain)
    if isinstance(given.get("start"), list):
        pair = numbers(given["start"], (2,), file, "start", "m")
        given |= {"start": float(pair[0]), "end": float(pair[1])}
    return given


def _bump_extent(given: dict[str, Any], file: object) -> tuple[float, float]:
    if "start" in given and "end" in given and "length" not in given:
        start = _measure(given, "start", file)
        given["length"] = _measure(given, "end", file) - start
    length = _measure(given, "length", file)
    places = [key for key in ("start", "center", "end") if key in given]
    if not places:
        raise ConfigError(file, "start", "nothing", "a number in m: x where the bump begins (or center, or end)")
    place = _measure(given, places[0], file)
    return place - {"start": 0.0, "center": 0.5, "end": 1.0}[places[0]] * length, length


def _measure(given: Mapping[str, Any], key: str, file: object) -> float:
    return float(numbers(given.get(key, "nothing"), (), file, key, "m", _BUMP_RANGES.get(key, (-1e5, 1e5))))


def _uniform(name: str, p: Record, heights: NDArray[np.float32], mapping: Mapping[str, Any], file: object, soils: Soils) -> Ground:
    """Ground of one surface or soil all over."""
    given = [key for key in _SURFACE_KEYS if key in mapping]
    if len(given) > 1:
        raise ConfigError(file, given[1], mapping[given[1]], "only one of " + ", ".join(_SURFACE_KEYS))
    if given in ([], ["friction"]):
        rows, label = soil({"type": "surface", "friction": mapping.get("friction", FRICTION)}, file), "hard"
    else:
        rows = named_soil(soils, mapping[given[0]], given[0], file, given[0])
        label = drawn_as(soils, mapping[given[0]])
    hardness = np.full(heights.shape, rows[0]["hardness"], np.float32)
    return Ground(name, p, heights, hardness, np.zeros(heights.shape, np.uint8), rows, (label,), (0.0, 0.0, 0.0))
