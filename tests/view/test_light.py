"""Does the light of the picture follow from the weather: date, time, clouds, rain and visibility?"""

from __future__ import annotations

import math

import numpy as np
import pytest
import yaml

from simulator.base.errors import JounceError
from simulator.base.fields import read
from simulator.base.yaml_loader import StrictLoader
from simulator.sensors.lidar.atmosphere import fog_extinction
from simulator.view.lamps import OWN_BEAM, low_beams, put_lamps, street_lights, vehicle_glow, vehicle_lamps
from simulator.view.light import BLOCK, LAMPS, LOWEST_SUN, LUMINANCE, Light
from simulator.weather import CLEAR, FIELDS, Weather, rain_extinction

HOURS = np.arange(0.0, 24.0, 0.25)


def lights(step: int = 1, **more) -> list[Light]:
    return [Light.of(Weather(time_of_day=float(hour), **more)) for hour in HOURS[::step]]


def test_the_default_weather_has_the_reference_light():
    light, usual = Light.of(CLEAR), Light()
    assert np.allclose(light.sun, usual.sun, atol=2e-4)
    for name in ("exposure", "sunlight", "zenith", "horizon", "glow", "skylight", "groundlight", "clouds", "fog", "night", "disc"):
        assert np.allclose(getattr(light, name), getattr(usual, name), rtol=2e-3, atol=2e-4), name
    assert light.defines(5) == (), "a dry day costs nothing"


@pytest.mark.parametrize("clouds", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("latitude", [-1.2, 0.0, 0.79, math.pi / 2])
@pytest.mark.parametrize("more", [{}, {"visibility": 10.0}, {"rain": 200.0 / 3.6e6}, {"snowfall": 200.0 / 3.6e6, "snow": 1.0}])
def test_no_hour_of_any_weather_gives_an_invalid_light(clouds, latitude, more):
    for date in ("2026-12-21", "2026-06-21"):
        for light in lights(step=4, clouds=clouds, latitude=latitude, date=date, **more):
            assert np.linalg.norm(light.sun) == pytest.approx(1.0) and light.sun[2] >= LOWEST_SUN - 1e-9
            block = light.block()
            for name in BLOCK.names:
                assert np.isfinite(block[name]).all() and (name in ("sun", "disc") or (block[name] >= 0.0).all()), name
            assert 0.3 < light.exposure < 1000.0


def test_the_sun_reddens_and_the_sky_darkens_until_night():
    evening = [Light.of(Weather(time_of_day=hour)) for hour in (14.5, 16.5, 17.3, 17.8)]
    red = [light.sunlight[0] / light.sunlight[2] for light in evening]
    assert red == sorted(red) and red[-1] > 10.0 * red[0]
    bright = [
        np.dot(light.zenith, LUMINANCE) for light in (*evening, *(Light.of(Weather(time_of_day=hour)) for hour in (18.2, 19.0, 21.0)))
    ]
    assert bright == sorted(bright, reverse=True) and bright[-1] < 0.01 * bright[0]
    nights = [light.night for light in lights()]
    assert nights[HOURS.tolist().index(12.0)] == 0.0 and nights[0] == 1.0
    lit = [hour for hour, light in zip(HOURS, lights(), strict=True) if light.lamps_lit]
    assert [hour for hour in HOURS if not 5.9 < hour < 17.9] == pytest.approx(lit, abs=0.01), "lamps from dusk to dawn at the equinox"
    assert not any(light.lamps_lit for light in lights(latitude=math.radians(70.0), date="2026-06-21")), "midnight sun"


def test_clouds_hide_the_sun_and_make_the_sky_gray():
    fair, closed = Light.of(Weather(clouds=0.0)), Light.of(Weather(clouds=1.0))
    assert np.max(closed.sunlight) < 0.01 * np.max(fair.sunlight)
    assert closed.zenith[2] < 1.2 * closed.zenith[0] and fair.zenith[2] > 4.0 * fair.zenith[0]
    assert Light.of(Weather(rain=5.0 / 3.6e6)).clouds == 1.0 and Light.of(Weather(rain=5.0 / 3.6e6, clouds=0.2)).clouds == 0.2


def test_fog_has_the_extinction_of_the_lidar_at_the_wavelength_of_light():
    assert Light.of(Weather(visibility=100.0)).fog == pytest.approx(fog_extinction(100.0, 550e-9))
    both = Weather(rain=20.0 / 3.6e6, visibility=500.0)
    assert Light.of(both).fog == pytest.approx(fog_extinction(500.0, 550e-9) + rain_extinction(20.0))
    assert Light.of(CLEAR).fog == 0.0


def test_wetness_follows_the_rain_unless_it_is_given():
    wet = [Light.of(Weather(rain=rate / 3.6e6)).wet for rate in (0.0, 1.0, 5.0, 50.0)]
    assert wet[0] == 0.0 and 0.2 < wet[1] < 0.7 and wet[2:] == [1.0, 1.0]
    assert Light.of(Weather(wet=0.3)).wet == 0.3


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"date": "2026-02-30"}, "date"), ({"date": "tomorrow"}, "date"), ({"date": "9999-12-31"}, "date"), ({"date": "0001-01-01"}, "date"),
        ({"date": 20260921}, "date"), ({"latitude_deg": 91}, "latitude"),
        ({"longitude_deg": -181}, "longitude"), ({"clouds": 1.1}, "clouds"), ({"snowfall_mmph": -1}, "snowfall"), ({"snow": 2}, "snow"),
        ({"wet": float("nan")}, "wet"), ({"cloud": 0.5}, "clouds"),
    ],
)  # fmt: skip
def test_an_impossible_weather_gives_one_line(given, problem):
    with pytest.raises(JounceError, match=problem) as error:
        read(FIELDS, given, "session.yaml", "weather")
    assert "\n" not in str(error.value)


def test_a_date_needs_no_quotes():
    text = "date: 2026-12-21\nwet: 0.5"
    assert read(FIELDS, yaml.load(text, StrictLoader), "session.yaml", "weather")["date"] == "2026-12-21"


def test_the_block_has_the_own_lamp_and_the_nearest_others():
    own = low_beams(
        vehicle_lamps(np.tile((1.0, 1.0, 1.0, 0, 0, 0, 0, 0, 0, 0), (2, 1)) * (1, -1, 1, *[1] * 7)),
        np.zeros((1, 3)),
        np.eye(3)[None],
        OWN_BEAM,
    )
    street = street_lights(np.column_stack((np.arange(5.0, 95.0, 3.0), np.zeros(30), np.full(30, 7.0))))
    block = Light.of(Weather(time_of_day=23.0)).block()
    put_lamps(block, own, street, np.zeros(3), 4)
    b = block[0]
    assert b["lamps"] == 4 and np.allclose(b["lamp_place"][1:4, 0], (5.0, 8.0, 11.0)) and b["lamp_beam"][0, 0] > 0.99
    light = b["lamp_light"][:, 0]
    assert light[1] == light[2] > light[3] > 0.0 and (light[4:] == 0.0).all(), "the farthest has faded before the next replaces it"
    put_lamps(block, own, street[:0], np.zeros(3), 4)
    assert b["lamps"] == 1 and (b["lamp_light"][1:] == 0.0).all(), "none is left over"
    put_lamps(block, own, street, np.zeros(3), 1000)
    assert b["lamps"] == LAMPS


def test_rear_lamps_glow_red_behind_and_headlamps_white_ahead():
    mesh = np.array([(2.0, 1.0, 1.0, *[0.0] * 7), (-2.0, -1.0, -0.5, *[0.0] * 7)])
    lamps, here = vehicle_lamps(mesh), (np.zeros((1, 3)), np.eye(3)[None], np.zeros(1))
    behind, ahead = (vehicle_glow(lamps, *here, np.array((x, 0.0, 1.0))) for x in (-20.0, 20.0))
    assert len(behind.color) == len(ahead.color) == 2
    assert (behind.color[:, 0] > 5.0 * behind.color[:, 1]).all() and (ahead.color[:, 1] > 0.8 * ahead.color[:, 0]).all()
    braking = vehicle_glow(lamps, here[0], here[1], np.ones(1), np.array((-20.0, 0.0, 1.0)))
    assert (braking.color[:, 0] > 2.0 * behind.color[:, 0]).all()
