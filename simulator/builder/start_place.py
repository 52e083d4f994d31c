"""Check that no object stands where a drive starts."""

from __future__ import annotations

from simulator.base.errors import ConfigError
from simulator.builder.outline import outline
from terrain.ground import Ground
from terrain.objects.footprint import Rectangle, free_place, rows_in
from vehicles.description import Description

STEP_OVER = 0.05
"""m. Height of an object over which the vehicle can stand."""
FARTHEST = 50.0
"""m. Distance within which a free place is looked for."""
GAP = 0.1
"""m. Room around the vehicle."""


def check_start(ground: Ground, vehicle: Description) -> None:
    """Raise ConfigError with the name of an object on the start, and the nearest free place."""
    if not len(ground.objects):
        return
    body = outline(vehicle)
    rectangle = Rectangle(body["front"] + GAP, body["front"] - body["length"] - GAP, 0.5 * body["width"] + GAP)
    x, y, yaw = ground.spawn
    points = vehicle.body_contact[0]["points"][: vehicle.body_contact[0]["count"]]
    base = ground.height(x, y)
    heights = base + STEP_OVER, base + float(points[:, 2].max()) - float(vehicle.mechanism.corners[0]["design_wheel_z"].min()) + 0.5
    row = next(rows_in(ground.objects, rectangle.at(x, y, yaw), *heights), None)
    if row is None:
        return
    place = free_place(ground.objects, rectangle, ground.spawn, heights, FARTHEST)
    hint = "there is no free place near it" if place is None else f"the nearest free place of the vehicle is [{place[0]:g}, {place[1]:g}]"
    expected = f"no object on the start of the drive at [{x:g}, {y:g}]; move the object, or the start: {hint}"
    raise ConfigError("terrain", "objects", ground.objects.objects[row].name, expected)
