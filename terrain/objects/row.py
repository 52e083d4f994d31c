"""`type: row`: copies of an object at even distances along a line or beside a road: lamp posts, cones, fence posts, parked cars."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Number, Text
from simulator.base.suggestions import did_you_mean
from simulator.base.values import Values
from terrain.ground import Ground
from terrain.objects.kinds import CONTRACT, GeneratorRequest, ObjectGeneratorKind
from terrain.objects.section import OBJECT_KIND, read_objects, standing
from terrain.objects.world_object import WorldObject

FILE = (
    Field("object", OBJECT_KIND, "the object that is copied; its yaw is added to the direction of the line"),
    Field("points", Number("m", -1e5, 1e5, shape=((2, 10_000), 2)), "x, y of the corners of the line", None),
    Field("road", Text("the name of a road"), "road whose center line is the line, instead of points", None),
    Field("offset", Number("m", -1e3, 1e3), "distance from the line, + = to its left", 0.0),
    Field("spacing", Number("m", 0.05, 1e4), "distance between two objects along the line"),
    Field("start", Number("m", 0.0, 1e5), "distance of the first object from the start of the line", 0.0),
)


def row(request: GeneratorRequest) -> list[WorldObject]:
    """Return the objects of a section. Raises ConfigError for a line without length, an unknown road, or an object with a place."""
    values, ground = request.values, request.ground
    section = values["object"]
    for name in ("position", "path", "name"):
        if name in section:
            raise section.error(name, f"no {name}, because the object is copied along the line")
    template = Values(section.file, section.key)
    template.update(section, position=np.zeros(3))
    template.spelled.update(section.spelled)
    pattern = read_objects((template,), ground.height, request.folder)[0]
    places, headings = _stations(values, _line(values, ground))
    word = pattern.name.rpartition("_")[0]
    taken = {one.name for one in ground.objects.objects}
    out: list[WorldObject] = []
    number = 0
    for place, heading in zip(places, headings, strict=True):
        number += 1
        while f"{word}_{number}" in taken:
            number += 1
        one = replace(pattern, name=f"{word}_{number}", yaw=pattern.yaw + float(heading))
        out.append(replace(one, position=standing(one, place, ground.height)))
    return out


def _line(values: Values, ground: Ground) -> NDArray[np.float64]:
    """Return the corners (n, 2) of the line."""
    if ("points" in values) == ("road" in values):
        raise values.error("road" if "road" in values else "points", "either points or road")
    if "points" in values:
        points: NDArray[np.float64] = values["points"]
        return points
    try:
        return ground.road(values["road"]).points[:, :2]
    except KeyError:
        known = [road.name for road in ground.roads]
        expected = f"a road of this terrain: {', '.join(known) or 'none'}{did_you_mean(values['road'], known)}"
        raise values.error("road", expected) from None


def _stations(values: Values, line: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return places (n, 2) and headings (n,) [rad] at even distances along the line, beside it by the offset."""
    steps = np.diff(line, axis=0)
    lengths = np.hypot(*steps.T)
    if not (lengths > 1e-9).all():
        raise values.error("points", "points more than 0 m from the previous point")
    along = np.concatenate(((0.0,), np.cumsum(lengths)))
    stations = np.arange(values["start"], along[-1] + 1e-9, values["spacing"])
    if not len(stations):
        raise ConfigError(values.file, values.path("start"), values["start"], f"a number below the length of the line, {along[-1]:.1f} m")
    segment = np.clip(np.searchsorted(along, stations, side="right") - 1, 0, len(lengths) - 1)
    direction = steps[segment] / lengths[segment][:, None]
    places = line[segment] + (stations - along[segment])[:, None] * direction
    normal = np.column_stack((-direction[:, 1], direction[:, 0]))
    headings = np.array([math.atan2(y, x) for x, y in direction])
    return places + values["offset"] * normal, headings


ROW = ObjectGeneratorKind("row", row, CONTRACT, FILE, "copies of an object along a line or beside a road")
