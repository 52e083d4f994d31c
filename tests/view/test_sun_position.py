"""Is the sun where almanacs say, at any date, time and place, and does the session's weather put it there?"""

from __future__ import annotations

import dataclasses
import math
from datetime import UTC, datetime

import numpy as np
import pytest

from simulator.view.light import Light
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.sun_position import direction, sun_position
from simulator.weather import CLEAR, Weather
from terrain.geodesy import LocalFrame
from tests.view.test_camera_images import plane

REFRACTION = {"golden": 0.0163, "greenwich": 0.0089, "philadelphia": 0.0334, "sydney": 0.0058}
"""Degrees by which the air lifts the sun in the reference values, by the formula of SPA: 1.02' / tan(e + 10.3 / (e + 5.11)), e in degrees."""


@pytest.mark.parametrize(
    ("name", "when", "latitude", "longitude", "azimuth", "zenith"),
    [
        # Reda and Andreas, Solar Position Algorithm for Solar Radiation Applications, NREL/TP-560-34302 (2008), table A5.1
        ("golden", datetime(2003, 10, 17, 19, 30, 30, tzinfo=UTC), 39.742476, -105.1786, 194.340241, 50.111622),
        # values of the same algorithm (0.0003 degrees) for both solstices and the southern hemisphere
        ("greenwich", datetime(2024, 6, 21, 12, tzinfo=UTC), 51.477928, 0.0, 179.0640, 28.0358),
        ("philadelphia", datetime(2024, 12, 21, 17, tzinfo=UTC), 40.0, -75.0, 180.4126, 63.4083),
        ("sydney", datetime(2024, 1, 15, 1, tzinfo=UTC), -33.868820, 151.209290, 52.4346, 18.9729),
    ],
)
def test_the_sun_is_where_the_almanac_says(name, when, latitude, longitude, azimuth, zenith):
    elevation, found = sun_position(when, math.radians(latitude), math.radians(longitude))
    off = direction(elevation, found) - direction(math.radians(90.0 - zenith - REFRACTION[name]), math.radians(azimuth))
    assert math.degrees(float(np.linalg.norm(off))) < 0.012, "0.01 degrees, and the parallax and refraction of the reference"


def test_declination_is_that_of_the_books():
    """Seen from the pole, the elevation is the declination [Meeus, Astronomical Algorithms, example 25.a; equinox 2026 of the USNO]."""
    cases = (
        (datetime(1992, 10, 13, tzinfo=UTC), -7.785),
        (datetime(2026, 3, 20, 14, 46, tzinfo=UTC), 0.0),
        (datetime(2026, 6, 21, 8, 24, tzinfo=UTC), 23.436),
    )
    for when, declination in cases:
        assert math.degrees(sun_position(when, math.pi / 2, 0.0)[0]) == pytest.approx(declination, abs=0.01)


def test_time_of_day_is_mean_solar_time_at_the_place():
    for longitude in (-2.0, 0.0, 1.5):
        noon = Weather(time_of_day=12.0, longitude=longitude, latitude=0.8, date="2026-09-01")  # the equation of time is 0
        assert Light.of(noon).sun[0] == pytest.approx(0.0, abs=0.003), "in the south at noon"
        assert Light.of(noon).sun[1] < -0.5
        assert Light.of(noon._replace(time_of_day=9.0)).sun[0] > 0.5, "in the east in the morning"
    assert Light.of(Weather(time_of_day=12.0, latitude=-0.8)).sun[1] > 0.5, "in the north on the southern hemisphere"


def test_a_terrain_on_earth_gives_its_place_and_its_north():
    ground = dataclasses.replace(plane(), location=LocalFrame(math.radians(60.0), math.radians(25.0), 0.0, math.radians(20.0)))
    there = make_terrain_data(ground, CLEAR)
    assert (there.weather.latitude, there.weather.longitude) == (pytest.approx(math.radians(60.0)), pytest.approx(math.radians(25.0)))
    true, world = Light.of(there.weather), Light.of(there.weather, there.convergence)
    turn = math.atan2(*true.sun[:2]) - math.atan2(*world.sun[:2])
    assert math.degrees(turn) % 360.0 == pytest.approx(20.0) and true.sun[2] == pytest.approx(world.sun[2])
    own = make_terrain_data(ground, Weather(latitude=0.1, longitude=0.2)).weather
    assert (own.latitude, own.longitude) == (0.1, 0.2), "keys of the session win"
