"""Objects in a terrain file or session: keys, and conversion to `WorldObject`s.

The keys of an object depend on its shape. `position` has two numbers, x and y, for an object that stands on the ground, or three for the
origin of its frame O.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Either, Field, Flag, Group, ListOf, Number, Text, Variants
from simulator.base.values import Values
from terrain.objects.errors import ObjectError
from terrain.objects.labels import ALSO, COLORS, usual_label
from terrain.objects.shape_kinds import SHAPE_KINDS, build_shape
from terrain.objects.shapes import FARTHEST, ShapeRequest
from terrain.objects.world_object import MATERIAL_RANGES, Breakaway, Material, WorldObject

if TYPE_CHECKING:
    from terrain.objects.paths import Path

USUAL_MASS = {"person": 75.0, "animal": 50.0}
"""kg, by label [assumed]. Objects with other labels are solid unless the file gives a mass."""
Height = Callable[[float, float], float]
"""Height of the ground [m] at x, y [m]."""

_COORDINATE = (-FARTHEST, FARTHEST)
_ANGLE = Number("rad", -math.tau, math.tau)
_PLAIN = Material()
MATERIAL = (
    Field("friction", Number("1", *MATERIAL_RANGES["friction"]), "friction coefficient", _PLAIN.friction),
    Field("restitution", Number("1", *MATERIAL_RANGES["restitution"]), "coefficient of restitution", _PLAIN.restitution),
    Field("stiffness", Number("N/m", *MATERIAL_RANGES["stiffness"]), "stiffness of the object alone", _PLAIN.stiffness),
    Field("color", Number("1", 0.0, 1.0, shape=(3,)), "red, green, blue; default: colors of a glTF file, else color of the label", None),
    Field("reflectance", Number("1", *MATERIAL_RANGES["reflectance"]), "diffuse reflectance for lidar", _PLAIN.reflectance),
    Field(
        "extinction",
        Number("1/m", *MATERIAL_RANGES["extinction"]),
        "weakening of a ray per length inside; above 0, as for a bush, the vehicle drives through; 0 = solid",
        _PLAIN.extinction,
    ),
    Field("radar_cross_section", Number("m2", *MATERIAL_RANGES["radar_cross_section"]), "radar cross section", _PLAIN.radar_cross_section),
)
_SPEED = Number("m/s", 0.0, 100.0)
_PATH = (
    Field("points", Number("m", *_COORDINATE, shape=((2, 10_000), (2, 3))), "x, y or x, y, z of the points; with x, y on the ground"),
    Field("times", Number("s", 0.0, 1e6, shape=((2, 10_000),), rising=True), "times at the points, instead of speed", None),
    Field("speed", Either((_SPEED, replace(_SPEED, shape=((2, 10_000),)))), "speed, one number or one per point", None),
    Field("smooth", Flag(), "true for continuous velocity at the points; false for straight segments", False),
    Field("turns", Flag(), "true if the yaw follows the direction of motion", True),
    Field("repeats", Flag(), "true if the path begins again after its end; false: the object stands there", False),
)
_BREAKAWAY = (
    Field("mass", Number("kg", 0.1, 1e5), "mass"),
    Field("force", Number("N", 0.0, 1e7), "force at which the object breaks off", 0.0),
)
COMMON = (
    Field("name", Text("a name"), "name of the object, for events and messages; default: label and number", None),
    Field(
        "position",
        Either((Number("m", *_COORDINATE, shape=(2,)), Number("m", *_COORDINATE, shape=(3,)))),
        "x, y of an object that stands on the ground, or x, y, z of the origin of its frame",
        None,
    ),
    Field("yaw", _ANGLE, "heading, + = left of the x axis", 0.0, written="deg"),
    Field("label", Choice((*COLORS, *ALSO)), "label", "other"),
    *MATERIAL,
    Field("path", Group(_PATH), "motion along a path, instead of position", None),
    Field(
        "breakaway",
        Group(_BREAKAWAY),
        "the object breaks off or leaves its path at a force, and moves freely; default: solid, persons 75 kg, animals 50 kg",
        None,
    ),
)
_NOUN = "a shape (of a plugin: --plugin FILE.py), one of"
OBJECT_KIND = Variants("shape", lambda name: SHAPE_KINDS.need(name).fields, SHAPE_KINDS.names, "shape of an object", COMMON, noun=_NOUN)
OBJECTS = Field("objects", ListOf(OBJECT_KIND), "objects that stand on the ground or move over it", ())
"""Field of all terrain files."""


def read_objects(sections: Sequence[Values], height: Height, folder: FilePath, taken: Collection[str] = ()) -> list[WorldObject]:
    """Return the objects of checked sections.

    Parameters
    ----------
    height : height of the ground
    folder : folder of the assets, for mesh files
    taken : names that other objects have

    Raises
    ------
    ConfigError : an object that cannot exist, all errors at once
    """
    shared: dict[Any, Any] = {}
    names = default_names(sections, taken)
    out: list[WorldObject] = []
    with ErrorCollector() as faults:
        for section in sections:
            with faults.part():
                out.append(_object(section, next(names), height, ShapeRequest(section, folder, shared)))
    return out


def default_names(sections: Sequence[Values], taken: Collection[str] = ()) -> Iterator[str]:
    """Yield a name for each section: its own, else label (or shape) and a number that no other object has."""
    used = {section["name"] for section in sections if "name" in section} | set(taken)
    counts: dict[str, int] = {}
    for section in sections:
        if "name" in section:
            yield section["name"]
            continue
        word = section["shape"] if section["label"] == "other" else section["label"]
        while True:
            counts[word] = counts.get(word, 0) + 1
            name = f"{word}_{counts[word]}"
            if name not in used:
                break
        yield name


def _object(section: Values, name: str, height: Height, request: ShapeRequest) -> WorldObject:
    """Return one object. Raises ConfigError."""
    place = {key: section[key] for key in ("yaw", "pitch", "roll") if key in section}
    try:
        one = WorldObject(name, build_shape(request), (0.0, 0.0, 0.0), label=section["label"], material=material_of(section), **place)
        given = section.get("breakaway")
        breakaway = usual_breakaway(one.label, one.material) if given is None else Breakaway(given["mass"], given["force"])
        if "path" in section:
            if "position" in section:
                raise section.error("position", "either position or path, not both")
            one = replace(one, motion=_path(section["path"], one, height, breakaway))
        elif "position" in section:
            one = replace(one, position=standing(one, section["position"], height), motion=breakaway)
        else:
            raise section.error("position", "x, y in m (or x, y, z, or a path)")
        one.check()
    except ObjectError as error:
        raise ConfigError(section.file, section.key, name, str(error)) from None
    return one


def material_of(section: Values) -> Material:
    """Return the material of an object."""
    given = {field.name: section[field.name] for field in MATERIAL if field.name in section}
    if "color" in given:
        given["color"] = tuple(given["color"])
    return Material(**given)


def usual_breakaway(label: str, material: Material) -> Breakaway | None:
    """Return mass and force of an object for which a file gives none: persons and animals yield, porous objects have no contact."""
    mass = USUAL_MASS.get(usual_label(label))
    return None if mass is None or material.extinction > 0.0 else Breakaway(mass)


def standing(one: WorldObject, position: Sequence[float], height: Height) -> tuple[float, float, float]:
    """Return x, y, z of the origin of an object: of x, y, its lowest point is on the ground below the middle of the object."""
    x, y = float(position[0]), float(position[1])
    if len(position) == 3:
        return x, y, float(position[2])
    return x, y, height(x, y) - one.shape.lowest(one.rotation()[2])


def _path(section: Values, one: WorldObject, height: Height, breakaway: Breakaway | None) -> Path:
    """Return the path of an object. Raises ConfigError."""
    points = np.array([standing(one, point, height) for point in section["points"]])
    if ("times" in section) == ("speed" in section):
        raise section.error("times" if "times" in section else "speed", "either times or speed")
    if (np.linalg.norm(np.diff(points, axis=0), axis=1) < 1e-6).any() and "speed" in section:
        raise section.error("points", "points more than 0 m from the previous point")
    times, speeds = section.get("times"), section.get("speed")
    for name, values in (("times", times), ("speed", speeds)):
        if isinstance(values, np.ndarray) and len(values) != len(points):
            raise section.error(name, f"{len(points)} numbers, one for each point")
    if speeds is not None:
        speeds = np.broadcast_to(np.asarray(speeds, float), len(points)).copy()
        if not (speeds[:-1] + speeds[1:] > 0.0).all():
            raise section.error("speed", "numbers of which no two neighbors are 0")
    from terrain.objects.paths import Path  # imported here, because it loads the compiler

    return Path(points, times, speeds, section["smooth"], section["turns"], section["repeats"], breakaway)
