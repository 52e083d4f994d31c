"""Does a lidar return what its signal allows, with the noise, the drop-out and the false returns of the weather, and no more?"""

from __future__ import annotations

import math
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import kstest, norm

from simulator.base.errors import InsideBodyWarning, JounceError
from simulator.base.records import record
from simulator.sensors.lidar.atmosphere import fog_extinction
from simulator.sensors.lidar.beams import PRESETS
from simulator.sensors.lidar.footprint import with_footprint
from simulator.sensors.lidar.reflectance import Reflectance, reflectance_of
from simulator.sensors.lidar.sensor import POINT, WEATHER
from simulator.sensors.lidar.signal import THRESHOLD_TO_NOISE
from simulator.weather import Weather, rain_extinction
from terrain.load_terrain import load_terrain
from terrain.objects.labels import LABELS
from terrain.objects.object_set import NO_OBJECTS
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import Box, Material, Sphere, WorldObject
from tests.sensors.lidar_samples import lidar, scanned
from vehicles.contact.part_section import box_corners, fill_parts
from vehicles.contact.records import OBJECT_CONTACT
from vehicles.readout import READOUT

ONE_LASER = {"range_step": 0.0, "max_range": 400.0}


def wall(x: float, reflectance: float = 0.5, name: str = "wall", **more: Any) -> WorldObject:
    """Return a wall whose front is at x."""
    return WorldObject(
        name, Box((1.0, 2000.0, 2000.0)), (x + 0.5, 0.0, 0.0), label="building", material=Material(reflectance=reflectance, **more)
    )


@pytest.fixture
def ahead(tmp_path: Path) -> dict[str, Any]:
    """Keys of a unit with one laser that looks ahead, 8000 times in a scan, within 0.6 degrees."""
    (tmp_path / "ahead.csv").write_text("elevation_deg\n0\n")
    return {"beams": str(tmp_path / "ahead.csv"), "columns": 8000, "field_deg": 0.6, "start_azimuth_deg": 0.3, **ONE_LASER}


def rate(ahead: dict[str, Any], x: float, reflectance: float, **more: Any) -> float:
    """Return the fraction of beams that return from a wall."""
    _, arrays = scanned(lidar(ahead, position=(0, 0, 9.0), **more), wall(x, reflectance))
    return float((arrays["points"]["object"] == 1).mean())


@pytest.mark.parametrize("reflectance", [0.1, 0.8])
def test_the_hit_rate_falls_with_the_range_as_the_data_sheet_says(ahead: dict[str, Any], reflectance: float) -> None:
    """Half of the returns at 50 m for 0.1 and at 50 sqrt(8) m for 0.8; the normal distribution around it."""
    limit = 50.0 * math.sqrt(reflectance / 0.1)
    rates = []
    for part in (0.3, 0.8, 0.9, 1.0, 1.1, 1.2, 1.6):
        rates.append(rate(ahead, part * limit, reflectance))
        expected = norm.cdf(THRESHOLD_TO_NOISE * (part**-2 - 1.0))
        assert abs(rates[-1] - expected) < 4.0 * math.sqrt(expected * (1.0 - expected) / 8000) + 1e-3
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == 1.0
    assert rates[-1] < 0.05


def test_rain_and_fog_take_returns_and_add_false_ones(ahead: dict[str, Any]) -> None:
    def found(weather: Weather) -> tuple[float, float, float]:
        _, arrays = scanned(lidar(ahead, position=(0, 0, 9.0), weather=weather), wall(45.0, 0.1))
        points = arrays["points"]
        hit = points["object"] == 1
        return hit.mean(), (points["object"] == WEATHER).mean(), points["intensity"][hit].mean() if hit.any() else 0.0

    rain = [found(Weather(rain / 3.6e6)) for rain in (0.0, 10.0, 50.0)]
    fog = [found(Weather(0.0, visibility)) for visibility in (math.inf, 1000.0, 200.0, 80.0)]
    for series in (rain, fog):
        hits, false, intensity = zip(*series, strict=True)
        assert list(hits) == sorted(hits, reverse=True) and hits[-1] < hits[0] - 0.1
        assert list(false) == sorted(false) and false[0] == 0.0 < false[-1]
        assert list(intensity) == sorted(intensity, reverse=True)
    assert rain[2][1] < 0.1 < fog[3][1]


def test_false_returns_are_near_and_none_is_behind_a_surface(ahead: dict[str, Any]) -> None:
    weather = Weather(0.0, 60.0)
    _, arrays = scanned(lidar(ahead, position=(0, 0, 9.0), weather=weather), wall(3.0))
    assert (arrays["points"]["range"] < 3.3).all()
    _, arrays = scanned(lidar(ahead, position=(0, 0, 90.0), weather=weather))
    false = arrays["points"]["object"] == WEATHER
    assert false.mean() > 0.2
    assert np.median(arrays["points"]["range"][false]) < 10.0
    assert (arrays["points"]["label"][false] == LABELS["none"]).all()
    quiet, _ = scanned(lidar(ahead, position=(0, 0, 90.0), weather=weather, noise=False))
    assert quiet["returns"] == 0


def test_extinction_of_fog_and_rain_is_that_of_the_sources() -> None:
    assert fog_extinction(math.inf, 905e-9) == 0.0
    assert fog_extinction(1000.0, 550e-9) == pytest.approx(3.912e-3)
    assert fog_extinction(400.0, 905e-9) == pytest.approx(3.912 / 400.0)
    assert fog_extinction(20e3, 905e-9) == pytest.approx(3.912 / 20e3 * (905 / 550) ** -1.3)
    assert fog_extinction(700.0, 905e-9) == pytest.approx(3.912 / 700.0 * (905 / 550) ** -0.2)
    for rain in (1.0, 10.0, 50.0):  # 8000 drops / m3 / mm, diameter in mm
        area, _ = quad(lambda d, rain=rain: 8000.0 * math.exp(-4.1 * rain**-0.21 * d) * math.pi * d * d / 4.0, 0.0, 30.0)
        assert rain_extinction(rain) == pytest.approx(2.0 * area * 1e-6, rel=1e-6)
    assert rain_extinction(0.0) == 0.0


def test_noise_of_the_range_grows_as_the_power_falls(ahead: dict[str, Any]) -> None:
    spread = []
    for x, reflectance in ((5.0, 0.9), (30.0, 0.1), (45.0, 0.1)):
        _, arrays = scanned(lidar(ahead, position=(0, 0, 9.0)), wall(x, reflectance))
        hit = arrays["points"]["object"] == 1
        error = arrays["points"]["x"][hit] - x
        assert abs(error.mean()) < 5.0 * error.std() / math.sqrt(hit.sum())
        spread.append(error.std())
    assert spread[0] == pytest.approx(0.01, rel=0.1)
    assert spread[0] < spread[1] < spread[2]


def test_intensity_is_a_hundred_times_the_reflectance_whatever_the_range(ahead: dict[str, Any]) -> None:
    for x in (5.0, 20.0):
        for reflectance in (0.2, 0.9):
            _, arrays = scanned(lidar(ahead, position=(0, 0, 9.0)), wall(x, reflectance))
            assert arrays["points"]["intensity"].mean() == pytest.approx(100.0 * reflectance, abs=0.5)
    tilted = WorldObject("tilted", Box((1, 4000, 4000)), (20, 0, 0), yaw=math.radians(60), material=Material(reflectance=0.8))
    _, arrays = scanned(lidar(ahead, position=(0, 0, 9.0)), tilted)
    assert arrays["points"]["intensity"].mean() == pytest.approx(40.0, abs=1.0)


def test_ranges_in_grass_are_exponential(ahead: dict[str, Any]) -> None:
    grass = WorldObject("grass", Box((60, 60, 30)), (32, 0, 0), label="vegetation", material=Material(extinction=1.5, reflectance=0.5))
    _, arrays = scanned(lidar({**ahead, "range_noise": 0.0, "range_at_10_percent": 1e4}, position=(0, 0, 9.0)), grass)
    points = arrays["points"]
    assert (points["label"] == LABELS["vegetation"]).all()
    assert kstest(points["range"].ravel() - 2.0, "expon", args=(0.0, 1.0 / 1.5)).pvalue > 0.01


def test_a_wall_behind_a_bush_is_weaker_or_lost(ahead: dict[str, Any]) -> None:
    bush = WorldObject("bush", Sphere(2.0), (5, 0, 9), material=Material(extinction=0.25), label="vegetation")
    _, arrays = scanned(lidar(ahead, position=(0, 0, 9.0)), wall(10.0, 0.8), bush)
    through = arrays["points"]["object"] == 1
    assert abs(through.mean() - math.exp(-1.0)) < 0.03
    assert arrays["points"]["intensity"][through].mean() == pytest.approx(80.0 * math.exp(-2.0), abs=1.0)


def test_a_miss_has_no_noise_and_the_order_is_column_by_column() -> None:
    out, arrays = scanned(lidar(deskewed=True), wall(30.0))
    points = arrays["points"]
    assert points.dtype == POINT
    assert points.dtype.names[:6] == ("x", "y", "z", "intensity", "ring", "time")
    assert points.shape == (1808, 16)
    assert (points["ring"] == np.arange(16)).all()
    assert (np.diff(points["time"], axis=0) > 0.0).all()
    missed = np.isinf(points["range"])
    assert missed.sum() == points.size - out["returns"] > 1000
    for cloud in arrays.values():
        for name in ("x", "y", "z"):
            assert (np.isnan(cloud[name]) == missed).all()
    assert (points["object"][missed] == -1).all()
    assert (points["label"][missed] == LABELS["none"]).all()
    assert (points["intensity"][missed] == 0.0).all()
    assert out["start"] == pytest.approx(0.9)
    assert out["nearest"] == pytest.approx(points["range"].min(), abs=1e-6)


def test_without_noise_ranges_are_exact_and_deskewed_points_lie_on_the_wall() -> None:
    for speed in (0.0, 25.0):
        _, arrays = scanned(lidar(noise=False, range_step=0.0, deskewed=True), wall(30.0), speed=speed)
        hit = arrays["points"]["object"] == 1
        np.testing.assert_allclose(arrays["points_deskewed"]["x"][hit], 30.0, atol=1e-5)
        late = 0.1 - arrays["points"]["time"][hit]
        np.testing.assert_allclose(arrays["points"]["x"][hit], 30.0 + speed * late, atol=1e-5)
        ground = arrays["points"]["object"] == 0
        np.testing.assert_allclose(arrays["points"]["z"][ground], -2.0, atol=1e-5)


def test_equal_lidars_agree_to_the_bit_and_others_have_other_noise() -> None:
    weather = Weather(20.0 / 3.6e6, 500.0)
    keys: dict[str, Any] = {"footprint_rays": 5, "columns": 200}
    first, same, other = (scanned(lidar(keys, weather=weather), wall(30.0), seed=seed)[1]["points"] for seed in (1, 1, 2))
    assert first.tobytes() == same.tobytes()
    assert first.tobytes() != other.tobytes()
    one, two = (scanned(lidar(noise=False, position=(0, y, 2.0)), wall(30.0))[1]["points"] for y in (0.0, 5.0))
    np.testing.assert_allclose(one["x"], two["x"], atol=3e-3)


@pytest.mark.parametrize(("mode", "share"), [("first", 1.0), ("strongest", 0.5), ("last", 0.0)])
def test_a_beam_on_an_edge_has_two_returns_and_no_point_is_between(ahead: dict[str, Any], mode: str, share: float) -> None:
    """The near wall ends in the axis of the beams, and covers 2 or 3 of the 5 rays."""
    half = WorldObject("half", Box((1.0, 100.0, 100.0)), (10.5, 50.0, 0.0), material=Material(reflectance=0.8))
    keys = {**ahead, "field_deg": 0.01, "start_azimuth_deg": 0.005, "footprint_rays": 5, "return": mode, "range_noise": 0.0, "noise": False}
    _, arrays = scanned(lidar(keys, position=(0, 0, 9.0)), half, wall(15.0, 0.8, "behind"))
    near = arrays["points"]["range"] < 12.0
    assert ((np.abs(arrays["points"]["x"] - 10.0) < 1e-3) | (np.abs(arrays["points"]["x"] - 15.0) < 1e-3)).all()
    assert near.mean() == pytest.approx(share, abs=0.1)
    assert set(arrays["points"]["object"].ravel()) <= {1, 2}


def test_several_rays_on_a_plane_see_what_one_ray_sees() -> None:
    one, nine = (scanned(lidar(noise=False, columns=300, footprint_rays=n), wall(30.0))[1]["points"] for n in (1, 9))
    both = (one["object"] == 1) & (nine["object"] == 1) & (one["range"] < 50.0)
    np.testing.assert_allclose(nine["range"][both], one["range"][both], atol=2.1e-3)
    assert (one["object"] != nine["object"]).mean() < 0.02
    fired = lidar(columns=100)._central
    rays = with_footprint(fired, 5, 0.003).direction.reshape(-1, 5, 3)
    angle = np.arccos(np.clip((rays[:, 1:] * rays[:, :1]).sum(axis=2), -1.0, 1.0))
    np.testing.assert_allclose(angle, 0.0015 * math.sqrt(0.6), rtol=1e-3)
    np.testing.assert_allclose(rays[:, 0], fired.direction, atol=1e-15)


def test_nothing_is_returned_nearer_than_the_minimum_range() -> None:
    out, arrays = scanned(lidar(noise=False, min_range=3.0), WorldObject("ball", Sphere(1.0), (2.5, 0.0, 2.0)), wall(30.0))
    assert out["nearest"] >= 3.0
    ahead = np.abs(np.degrees(np.arctan2(arrays["points"]["y"], arrays["points"]["x"]))) < 5.0
    assert (arrays["points"]["object"][ahead] == 0).all() or not ahead.any()  # the ball hides the wall


def test_no_return_from_fog_is_nearer_than_the_minimum_range(ahead: dict[str, Any]) -> None:
    out, arrays = scanned(lidar(ahead, position=(0, 0, 9.0), min_range=3.0, weather=Weather(visibility=50.0)), wall(30.0))
    ranges = arrays["points"]["range"]
    assert out["false_returns"] > 1000 and ranges.min() >= 3.0
    assert ranges[np.isfinite(ranges)].min() < 3.1


def body(*wheels: tuple[float, float]) -> Any:
    """Return a hood 1 m wide, and wheels (radius, half the width)."""
    p = record(OBJECT_CONTACT)
    fill_parts(
        p, [box_corners(np.array((1.0, -0.5, 0.0)), np.array((3.0, 0.5, 1.0)))], np.array(wheels).reshape(-1, 2), np.zeros((len(wheels), 3))
    )
    return p


def test_beams_that_meet_the_own_body_give_no_return() -> None:
    free, open_ = scanned(lidar(noise=False, position=(0, 0, 1.5)), wall(30.0))
    out, arrays = scanned(lidar(noise=False, position=(0, 0, 1.5), body=body()), wall(30.0), readout=record(READOUT))
    seen, hidden = arrays["points"], np.isinf(arrays["points"]["range"]) & np.isfinite(open_["points"]["range"])
    x, y, z = (open_["points"][name].astype(float) for name in ("x", "y", "z"))
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = np.zeros(x.shape, bool)
        for s in np.linspace(0.0, 1.0, 2000):
            inside |= (s * x > 1.0) & (s * x < 3.0) & (np.abs(s * y) < 0.5) & (1.5 + s * z < 1.0) & (1.5 + s * z > 0.0)
    assert (hidden[np.isfinite(x)] == inside[np.isfinite(x)]).mean() > 0.999
    assert out["blocked"] >= hidden.sum() > 100
    assert free["blocked"] == 0
    np.testing.assert_array_equal(seen["range"][~hidden], open_["points"]["range"][~hidden])
    out, _ = scanned(lidar(noise=False, position=(0, 0, 1.5), body=body(), own_vehicle="transparent"), wall(30.0))
    assert out["blocked"] == 0
    assert out["returns"] == free["returns"]


def test_a_wheel_hides_what_is_behind_it_where_it_is_now() -> None:
    readout = record(READOUT)
    readout[0]["p_BK"][0], readout[0]["R_BK"][0] = (0.0, 2.0, 0.5), np.eye(3)
    keys = {"noise": False, "position": (0.0, 0.0, 0.5)}
    out, _ = scanned(lidar(**keys, body=body((0.4, 0.1))), readout=readout)
    free, _ = scanned(lidar(**keys, body=body()), readout=readout)
    more = out["blocked"] - free["blocked"]
    assert 1808 * 16 * 0.4 / 1.9 / math.pi * 0.5 < more < 1808 * 16 * 0.4 / 1.9 / math.pi
    readout[0]["p_BK"][0] = (0.0, 2.0, 0.3)
    sensor = lidar(**keys, body=body((0.4, 0.1)))
    first, _ = scanned(sensor, readout=readout)
    readout[0]["p_BK"][0] = (0.0, 2.0, -0.3)
    second, _ = scanned(sensor, readout=readout)
    assert second["blocked"] < first["blocked"]


def test_a_sensor_inside_the_body_sees_through_it_and_says_so() -> None:
    with pytest.warns(InsideBodyWarning, match="inside the body"):
        inside = lidar(noise=False, position=(2.0, 0.0, 0.5), body=body())
    out, _ = scanned(inside, wall(30.0), readout=record(READOUT))
    assert out["blocked"] == 0
    assert out["returns"] > 1000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lidar(position=(2.0, 0.0, 1.5), body=body())


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_have_the_columns_of_their_rate(preset: str) -> None:
    _, arrays = scanned(lidar(preset=preset, noise=False))
    assert arrays["points"].shape == {"vlp_16": (1808, 16), "hdl_32e": (2170, 32), "os1_64": (1024, 64)}[preset]


def test_a_scan_is_the_same_in_1_2_and_4_threads() -> None:
    way = Way(np.array(((8.0, 9.0, 1.0), (8.0, -9.0, 1.0))), speeds=np.full(2, 30.0))
    leaves = Material(extinction=0.4)
    bush = WorldObject("bush", Sphere(4.0), (-9.0, 3.0, 2.0), label="vegetation", material=leaves)
    others = bush, WorldObject("mover", Box((2.0, 2.0, 3.0)), (8.0, 9.0, 1.0), motion=way)
    found = []
    for threads in (1, 2, 4):
        sensor = lidar(deskewed=True, weather=Weather(5.0 / 3.6e6), threads=threads)
        for _ in range(2):  # in the second scan the threads exist
            out, arrays = scanned(sensor, wall(30.0), *others, speed=12.0)
            found.append((out.tobytes(), *(array.tobytes() for array in arrays.values())))
        beside = [one for one in threading.enumerate() if one.name.startswith("rays")]
        assert len(beside) == threads - 1
        sensor.close()
        for one in beside:
            one.join(5.0)
            assert not one.is_alive()
    assert {1, 2, 3} <= set(np.unique(arrays["points"]["object"]))
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("keys", [{"footprint_rays": 3}, {"preset": "os1_64", "columns": 8192, "footprint_rays": 9}])
def test_impossible_scans_are_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(JounceError, match=r"sensor lidar: .* expected"):
        lidar(keys)


def test_the_ground_reflects_as_its_material() -> None:
    ground = load_terrain({"type": "flat", "surface": "asphalt"}, "t.yaml", Path(), {"asphalt": {"type": "surface", "friction": 0.8}})
    numbers, ranges = np.array((0, -1, 0)), np.array((0.0, math.inf, 1e4))
    lines = np.zeros((3, 3)), np.tile((1.0, 0.0, 0.0), (3, 1))
    np.testing.assert_array_equal(Reflectance(ground).of(NO_OBJECTS, numbers, lines, ranges), (0.17, 0.0, 0.17))
    np.testing.assert_array_equal(Reflectance(ground, 0.6).of(NO_OBJECTS, numbers, lines, ranges), (0.6, 0.0, 0.6))
    assert reflectance_of("wet_asphalt") < reflectance_of("asphalt") < reflectance_of("dry_sand") < reflectance_of("snow_sweden")
