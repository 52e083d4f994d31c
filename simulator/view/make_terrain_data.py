"""Conversion of a ground into the terrain data of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.errors import ConfigError
from simulator.view.make_object_data import make_object_data
from simulator.view.terrain_data import TerrainData, ViewRoad, is_paved
from simulator.weather import CLEAR, Weather

if TYPE_CHECKING:
    from terrain.geodesy import LocalFrame


def make_terrain_data(ground: Any, weather: Weather = CLEAR) -> TerrainData:
    """Return the terrain data of a `terrain.ground.Ground` in a weather."""
    from simulator.view.feature_meshes import make_feature_meshes  # imported here, because the window loads saved data and needs no kernels

    p, place = ground.p[0], _place_of(ground)
    if place is not None:
        weather = weather._replace(
            latitude=place.latitude if weather.latitude is None else weather.latitude,
            longitude=place.longitude if weather.longitude is None else weather.longitude,
        )
    roads = [ViewRoad(np.array(road.points[:, :2]), float(road.width), is_paved(road.surface)) for road in ground.roads]
    return TerrainData(
        origin=(float(p["origin"][0]), float(p["origin"][1])),
        spacing=(float(p["spacing"][0]), float(p["spacing"][1])),
        plane=(float(p["height"]), float(p["slope"][0]), float(p["slope"][1])),
        heights=np.ascontiguousarray(ground.heights, np.float32),
        hardness=np.rint(np.multiply(ground.hardness, np.float32(255.0))).astype(np.uint8),
        soil_ids=np.ascontiguousarray(ground.soil_ids, np.uint8),
        soil_names=tuple(ground.soil_names),
        roads=roads,
        mirrored=bool(p["mirrored"]),
        features=make_feature_meshes(ground),
        objects=make_object_data(ground.objects),
        weather=weather,
        convergence=0.0 if place is None else place.convergence,
    )


def _place_of(ground: Any) -> LocalFrame | None:
    """Return the position of a ground on Earth; None if it has none, or one that needs pyproj, which is not installed."""
    try:
        return None if ground.location is None else ground.location.local_frame()
    except ConfigError:  # the picture then has the sun of the default place
        return None
