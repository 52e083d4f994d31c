"""Is a terrain where its georeference, or its latitude and longitude, say?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from terrain.ground import Ground
from terrain.load_terrain import load_terrain

pyproj = pytest.importorskip("pyproj")


def ground(**said: Any) -> Ground:
    return load_terrain({"type": "flat", **said}, "t.yaml", Path(), {})


def on_map(**said: Any) -> Ground:
    grid = {"origin": [-50, -50], "spacing": 10.0, "count": [11, 11]}
    return load_terrain({"type": "heightmap", "grid": grid, "friction": 0.8, **said}, "t.yaml", Path(), {})


def test_latitude_and_longitude_are_those_of_the_file() -> None:
    location = ground(latitude_deg=47.3, longitude_deg=-8.5, altitude_m=440.0).location
    assert location is not None
    frame = location.local_frame()
    assert np.degrees((frame.latitude, frame.longitude, frame.convergence)) == pytest.approx((47.3, -8.5, 0.0))
    assert frame.height == 440.0
    assert ground().location is None


@pytest.mark.parametrize(("crs", "origin"), [("EPSG:32632", (680_000.0, 5_240_000.0)), ("EPSG:32719", (300_000.0, 7_500_000.0))])
def test_a_georeference_places_the_origin_and_turns_to_grid_north(crs: str, origin: tuple[float, float]) -> None:
    location = on_map(georeference={"crs": crs, "origin": list(origin)}, altitude_m=12.0).location
    assert location is not None
    frame = location.local_frame()
    to_degrees = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    assert math.degrees(frame.longitude) == pytest.approx(to_degrees.transform(*origin)[0], abs=1e-10)
    assert math.degrees(frame.latitude) == pytest.approx(to_degrees.transform(*origin)[1], abs=1e-10)
    assert frame.height == 12.0
    place, _ = frame.fix(np.array((100.0, -200.0, -12.0)), np.zeros(3))
    longitude, latitude = to_degrees.transform(origin[0] + 100.0, origin[1] - 200.0)  # the scale of the map is 0.2 m in 300 m at most
    assert math.degrees(place[0]) == pytest.approx(latitude, abs=0.2 / 111_000)
    assert math.degrees(place[1]) == pytest.approx(longitude, abs=0.2 / 70_000)
    factors = pyproj.Proj(crs).get_factors(*to_degrees.transform(*origin))
    assert math.degrees(frame.convergence) == pytest.approx(factors.meridian_convergence, abs=1e-5)
    assert abs(factors.meridian_convergence) > 0.5  # the test can fail


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"latitude_deg": 40.0}, r"longitude.*an angle, because latitude and longitude belong together"),
        ({"latitude_deg": 91.0, "longitude_deg": 0.0}, r"latitude_deg.*from -90 to 90"),
        ({"latitude_deg": 40.0, "longitude_deg": 361.0}, r"longitude_deg.*from -180 to 360"),
    ],
)
def test_an_impossible_position_is_an_error(said: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        ground(**said)


def test_a_terrain_has_one_position() -> None:
    with pytest.raises(ConfigError, match=r"latitude_deg.*no position, because the georeference has one"):
        on_map(georeference={"crs": "EPSG:32632", "origin": [680_000, 5_240_000]}, latitude_deg=47.0, longitude_deg=8.0)
