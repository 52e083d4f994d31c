"""Do images show the weather: fog as far as it is, lamps at night, drops, wet and snowy ground, and the same pixels each time?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from simulator.base.errors import DeviceError
from simulator.view.camera_names import CAMERAS
from simulator.view.camera_process import CameraProcess
from simulator.view.make_object_data import make_object_data
from simulator.view.offscreen import Offscreen
from simulator.view.shot import clip_of_world
from simulator.weather import CLEAR, Weather
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Box, Cylinder, Material, WorldObject
from tests.view.scenes import geometry, hilly_terrain, readout
from tests.view.test_camera_images import FRONT, SMALL, camera_of, plane

W, H = 640, 360
NIGHT, RAIN = Weather(time_of_day=23.0), Weather(rain=10.0 / 3.6e6)


@contextmanager
def view(weather: Weather, *objects: WorldObject) -> Iterator[Offscreen]:
    terrain = dataclasses.replace(hilly_terrain(), weather=weather)
    terrain.heights[:] = 0.0
    if objects:
        terrain.objects = make_object_data(ObjectSet(list(objects)))
    try:
        offscreen = Offscreen(W, H, terrain, geometry(), samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    offscreen.scene.instruments = False
    try:
        yield offscreen
    finally:
        offscreen.close()


def image(view: Offscreen, camera: str = "chase", time: float = 1.0, **state) -> np.ndarray:
    state = readout(**state)
    state[0]["time"] = time
    view.camera = camera
    return view.render(state).astype(float)


def linear(view: Offscreen, pixels: np.ndarray) -> np.ndarray:
    """Invert the tone curve of common.glsl."""
    c = np.geomspace(1e-4, 40.0, 20000)
    shown = np.sqrt(c * (1.0 + 0.12 * c) * (c + 0.01) / ((0.82 + 0.36 * c) * (c + 0.03)))
    return np.interp(pixels / 255.0, shown, c) / view.scene.light.exposure


def at(view: Offscreen, picture: np.ndarray, p_W, half: int = 1) -> np.ndarray:
    """Mean color around a point of the world."""
    state = view._state
    shot = view.scene.camera.shot(state[0]["p_WB"], np.eye(3), state, 0.0)
    clip = clip_of_world(shot, W / H, 6000.0) @ np.array([*p_W, 1.0])
    x, y = clip[:2] / clip[3]
    row, column = int((0.5 - 0.5 * y) * H), int((0.5 + 0.5 * x) * W)
    return picture[row - half : row + half + 1, column - half : column + half + 1].reshape(-1, 3).mean(axis=0)


@pytest.mark.parametrize(("visibility", "left"), [(100.0, 0.02), (200.0, 0.1414), (400.0, 0.376)])
def test_in_fog_two_percent_of_the_contrast_remain_at_the_visibility(visibility, left):
    """Koschmieder, at 100 m from the camera. A black and a white wall; without fog the air in between takes 2 %."""
    contrast = []
    for weather in (CLEAR._replace(clouds=1.0), Weather(visibility=visibility, clouds=1.0)):
        walls = [
            WorldObject(f"{side}", Box((1.0, 12.0, 16.0)), (93.0, 8.0 * side, 8.0), material=Material(color=(shade, shade, shade)))
            for side, shade in ((1, 0.0), (-1, 1.0))
        ]
        with view(weather, *walls) as seen:
            picture = image(seen, x=0.0)
            eye = seen.scene.camera.shot(seen._state[0]["p_WB"], np.eye(3), seen._state, 0.0).eye
            points = [np.array((92.5, 6.0 * side, 6.0)) for side in (1, -1)]
            assert np.linalg.norm(points[0] - eye) == pytest.approx(100.0, abs=1.5)
            black, white = (linear(seen, at(seen, picture, p, 3)).mean() for p in points)
            contrast.append((white - black) / seen.scene.light.skylight[1])
    assert contrast[1] / contrast[0] == pytest.approx(left, rel=0.25 if left < 0.1 else 0.08), "8 bits of color"


def test_the_low_beam_lights_the_road_ahead_and_not_behind():
    with view(NIGHT) as night:
        picture = image(night)
        ahead, behind, aside = (
            linear(night, at(night, picture, p)).mean() for p in ((14.0, 1.0, 0.0), (-1.5, 3.5, 0.0), (14.0, 14.0, 0.0))
        )
        assert ahead > 3.0 * behind and ahead > 3.0 * aside
        assert picture[: H // 6].mean() < 70.0, "a dark sky"
        assert np.ptp(picture[: H // 6, :, 2]) > 60.0, "with stars"


def test_street_lamps_are_lit_at_night_only_and_not_when_they_lie():
    tall, low = (
        WorldObject(name, Cylinder(0.1, height), (16.0, y, 0.0), label="post") for name, height, y in (("a", 7.0, 9.0), ("b", 3.0, -9.0))
    )
    gained = {}
    for name, weather in (("day", CLEAR), ("night", NIGHT)):
        shown = []
        for posts in ((tall, low), (low,)):
            with view(weather, *posts) as seen:
                picture = image(seen)
                shown.append([at(seen, picture, (13.0, y, 0.0)).mean() for y in (9.0, -9.0)])
        gained[name] = np.subtract(*shown)
    assert gained["night"][0] > 15.0 and gained["night"][0] > 4.0 * gained["night"][1]
    assert abs(gained["day"][0]) < 3.0


def test_rain_falls_wets_the_road_and_the_wipers_clear_the_windshield():
    road, moved, rough = [], [], []
    for weather in (CLEAR._replace(clouds=1.0), RAIN):
        with view(weather) as seen:
            seen.scene.grass.shown = False
            road.append(linear(seen, at(seen, image(seen), (4.0, 9.0, 0.0), 3)).mean() / seen.scene.light.skylight[1])
            first, later, again = (image(seen, time=t) for t in (2.0, 2.05, 2.0))
            assert (first == again).all()
            moved.append((np.abs(later - first).max(axis=2) > 12.0).sum())
            glass = image(seen, "driver", time=30.5)[H // 6 : H // 4, W // 3 : 2 * W // 3]
            rough.append(np.abs(np.diff(glass, axis=1)).mean())
    assert road[1] < 0.95 * road[0], "wet soil is dark"
    assert moved[1] > 150 and moved[0] < 20, "drops fall"
    assert rough[1] > 2.0 * rough[0] + 0.3, "drops on the glass"


def test_snow_covers_what_faces_up():
    roof = WorldObject("roof", Box((4.0, 4.0, 1.0)), (10.0, -6.0, 0.5), material=Material(color=(0.5, 0.1, 0.1)))
    shown = []
    for snow in (1.0, 0.0):
        with view(Weather(snow=snow, clouds=1.0), roof) as seen:
            picture = image(seen)
            shown.append([at(seen, picture, p) for p in ((10.0, -6.0, 1.0), (8.0, -6.0, 0.5), (-1.5, 3.5, 0.0))])
    (white, wall, ground), (red, _, bare) = shown
    assert white.min() > 150.0 and red[0] > 1.8 * red[1]
    assert wall[1] < 0.6 * white[1], "the wall has no snow"
    assert ground.mean() > 1.6 * bare.mean()


def test_images_of_sensors_have_the_weather_of_the_session_and_are_the_same_each_time():
    camera, pose = camera_of(SMALL), (np.array((0.0, 0.0, 2.0)), FRONT)
    images = []
    for weather in (NIGHT, NIGHT, RAIN):
        process = CameraProcess(plane(), geometry(), weather)
        try:
            images.append(process.render(camera, pose, readout(), ObjectSet([])).color)
        except DeviceError as error:
            pytest.skip(str(error))
        finally:
            process.close()
    assert (images[0] == images[1]).all()
    assert images[0][:16].mean() < 0.6 * images[2][:16].mean(), "the sky at night, and in the rain"


def test_every_camera_draws_a_night_of_rain_and_snow():
    post = WorldObject("post", Cylinder(0.1, 7.0), (16.0, 9.0, 0.0), label="post")
    with view(NIGHT._replace(rain=5.0 / 3.6e6, snow=0.4), post) as seen:
        for camera in CAMERAS:
            picture = image(seen, camera)
            bright = 220.0 if camera == "platform" else 120.0  # the hall of the platform is lit
            assert 2.0 < picture.mean() < bright and np.ptp(picture) > 60.0
