"""Check that no object stands where a vehicle starts, or where one is put during a drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.builder.outline import outline
from simulator.driver.seen_vehicle import FIRST
from terrain.ground import Ground
from terrain.objects.footprint import CIRCLE, Rectangle, free_place, meets, rows_in
from terrain.objects.object_set import ObjectSet
from terrain.outlines import outlines
from vehicles.description import Description

STEP_OVER = 0.05
"""m. Height of an object over which the vehicle can stand."""
MAX_SEARCH_DISTANCE = 50.0
"""m. Distance within which a free place is looked for."""
GAP = 0.1
"""m. Room around the vehicle."""


def check_start(ground: Ground, vehicle: Description) -> None:
    """Raise ConfigError with the name of an object on the start, and the nearest free place."""
    if not len(ground.objects):
        return
    rectangle, (x, y, yaw) = _around(vehicle), ground.spawn
    heights = _heights(ground, vehicle, x, y)
    row = next(rows_in(ground.objects, rectangle.at(x, y, yaw), *heights), None)
    if row is None:
        return
    place = free_place(ground.objects, rectangle, ground.spawn, heights, MAX_SEARCH_DISTANCE)
    hint = "there is no free place near it" if place is None else f"the nearest free place of the vehicle is [{place[0]:g}, {place[1]:g}]"
    expected = f"no object on the start of the drive at [{x:g}, {y:g}]; move the object, or the start: {hint}"
    raise ConfigError("terrain", "objects", ground.objects.objects[row].name, expected)


class Start(NamedTuple):
    """Start of another vehicle of a session."""

    vehicle: Description
    place: tuple[float, float, float]
    """x, y [m], yaw [rad]"""
    position: tuple[float, float]
    """The same place as in the file"""
    rows: range
    """Rows of its parts among the objects; the first part has its name."""


def check_starts(ground: Ground, first: Description, starts: Sequence[Start]) -> None:
    """Raise ConfigError if another vehicle starts in an object, or in a vehicle; ground : with the start of the first vehicle, and the parts of the
    others as objects."""
    owner = {row: n for n, one in enumerate(starts) for row in one.rows}
    with ErrorCollector() as errors:
        for n, one in enumerate(starts):
            with errors.part():
                around, heights = _around(one.vehicle).at(*one.place), _heights(ground, one.vehicle, *one.place[:2])
                met = next((row for row in rows_in(ground.objects, around, *heights) if owner.get(row, -1) < n), None)
                own = _around(first).at(*ground.spawn)
                if met is not None:
                    name = ground.objects.objects[starts[owner[met]].rows[0] if met in owner else met].name
                elif meets(around, own) and meets(own, around):
                    name = FIRST
                else:
                    continue
                objects = ground.objects.without(one.rows)
                free = free_place(objects, _around(one.vehicle), one.place, heights, MAX_SEARCH_DISTANCE, [own])
                hint = (
                    "there is no free place near it"
                    if free is None
                    else f"the nearest free place in the world is [{free[0]:g}, {free[1]:g}]"
                )
                expected = f"a start without an object; {name} is there at [{one.place[0]:g}, {one.place[1]:g}] in the world: {hint}"
                raise ConfigError("session", f"vehicles[{n}].position", list(one.position), expected)


def check_apart(first: Description, here: tuple[float, float, float], vehicle: Description, place: tuple[float, float, float]) -> None:
    """Raise ConfigError if another vehicle would enter in the first one; here, place : their x, y [m], yaw [rad]."""
    own, around = _around(first).at(*here), _around(vehicle).at(*place)
    if meets(around, own) and meets(own, around):
        raise ConfigError("drive", "place", list(place[:2]), f"a place without a vehicle; {FIRST} is there")


def check_place(ground: Ground, objects: ObjectSet, time: float, vehicle: Description, place: tuple[float, float, float]) -> None:
    """Raise ConfigError if a place (x, y [m], yaw [rad]) is outside the map, or an object is there at a time [s]."""
    x, y, yaw = place
    rectangle = _around(vehicle)
    corners = rectangle.at(x, y, yaw)
    low, high = corners.min(axis=0), corners.max(axis=0)
    x0, x1, y0, y1 = ground.bounds
    is_endless = not ground.p[0]["mirrored"]
    if not is_endless and (low[0] < x0 or high[0] > x1 or low[1] < y0 or high[1] > y1):
        expected = f"a place on the map, x from {x0:g} to {x1:g} m, y from {y0:g} to {y1:g} m, with the whole vehicle"
        raise ConfigError("drive", "place", [x, y], expected)
    bottom, top = _heights(ground, vehicle, x, y)
    r = objects.records
    near = (r["low"][:, :2] <= high).all(axis=1) & (r["high"][:, :2] >= low).all(axis=1)
    solid = (r["present"] == 1) & (r["extinction"] == 0.0)
    rows = np.flatnonzero(solid & (near | (r["mass"] > 0.0)))
    for row, one in zip(rows, outlines(objects, time, rows=rows), strict=True):
        points = one.points if one.radius <= 0.0 else np.concatenate([point + one.radius * CIRCLE for point in one.points])
        if one.bottom < top and one.top > bottom and meets(corners, points):
            raise ConfigError("drive", "place", [x, y], f"a place without an object; {objects.objects[row].name} is there")


def _around(vehicle: Description) -> Rectangle:
    """Return the vehicle from above, with room around it."""
    body = outline(vehicle)
    return Rectangle(body["front"] + GAP, body["front"] - body["length"] - GAP, 0.5 * body["width"] + GAP)


def _heights(ground: Ground, vehicle: Description, x: float, y: float) -> tuple[float, float]:
    """Return the heights between which an object meets a vehicle at x, y [m]."""
    points = vehicle.body_contact[0]["points"][: vehicle.body_contact[0]["count"]]
    base = ground.height(x, y)
    return base + STEP_OVER, base + float(points[:, 2].max()) - float(vehicle.mechanism.corners[0]["design_wheel_z"].min()) + 0.5
