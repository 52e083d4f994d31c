"""All pictures, by name: a maneuver file chooses from them with `pictures`."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.maneuvers.pictures import across, controls, curves, over_time, way, wheels
from simulator.maneuvers.pictures.contract import Picture

PICTURES: dict[str, Picture] = {
    picture.name: picture for room in (over_time, way, across, curves, wheels, controls) for picture in room.PICTURES
}
USUAL = ("speed", "attitude", "lateral_acceleration", "yaw_rate", "path")
"""Drawn where the file does not choose."""


def columns_of(names: Iterable[str]) -> tuple[str, ...]:
    """Of the telemetry, what pictures need beyond the columns of the metrics: names, fields or patterns, each once."""
    return tuple(dict.fromkeys(column for name in names for column in PICTURES[name].columns))
