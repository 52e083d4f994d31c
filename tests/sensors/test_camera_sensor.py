"""Does the sensor `camera` give the images of its place and time, with and without OpenGL, and does a drive go on without it?"""

from __future__ import annotations

import dataclasses
import math
import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.base.errors import InsideBodyWarning, JounceError, SensorWarning
from simulator.base.records import Record, record
from simulator.builder.session_images import SessionImages
from simulator.run.rerun import rendered_otherwise
from simulator.sensors.camera.camera import Resampler
from simulator.sensors.camera.geometry import R_SC, Intrinsics, all_pixels, rays_of
from simulator.sensors.camera.parameters import PRESETS, intrinsics_of
from simulator.sensors.contract import SensorInput
from simulator.sensors.make_sensors import SensorContext, make_sensors
from simulator.sensors.messages.image import pixels_of
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.sensors.sensor_world import WorldSource
from simulator.validation.reference.ray_scenes import ground_of
from simulator.weather import CLEAR
from terrain.ground import Ground
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import Box, Material, Sphere, WorldObject
from tests.view.scenes import geometry, readout
from vehicles.contact.part_section import box_corners, fill_parts
from vehicles.contact.records import OBJECT_CONTACT

SIZE: dict[str, Any] = {"width": 64, "height": 48}
ALL = ["color", "depth", "label", "object"]
WALL, WALKER, GLOBE = 1, 3, 4


def world() -> Ground:
    """Plane with a wall 20 m ahead, a bush to the left, a purple globe to the right and a box that crosses."""
    way = Way(np.array(((10.0, 4.0, 0.9), (10.0, -4.0, 0.9))), speeds=np.full(2, 2.0))
    objects = ObjectSet(
        [
            WorldObject("wall", Box((1.0, 60.0, 8.0)), (20.5, 0.0, 4.0), label="building"),
            WorldObject("ball", Sphere(1.0), (12.0, 5.0, 1.5), label="vegetation", material=Material(extinction=0.7)),
            WorldObject("walker", Box((0.5, 0.5, 1.8)), (10.0, 4.0, 0.9), motion=way, label="person"),
            WorldObject("globe", Sphere(1.0), (12.0, -5.0, 1.5), label="person", material=Material(color=(0.8, 0.1, 0.8))),
        ]
    )
    return dataclasses.replace(ground_of({"type": "plane", "z0": 0.0, "gx": 0.0, "gy": 0.0}, Path()), objects=objects)


GROUND = world()
WORLDS = WorldSource(GROUND, CLEAR)


@pytest.fixture(scope="module")
def _opengl() -> None:
    found = SessionImages(GROUND, geometry)
    camera = make(found, images=["color"])
    serve(camera, readout())
    if "cannot use EGL" in camera.trouble:
        pytest.skip(camera.trouble)
    camera.close()


@pytest.fixture
def images(_opengl: None) -> Iterator[SessionImages]:
    found = SessionImages(GROUND, geometry)
    found.keep()
    yield found
    found.release()


def make(renderer: SessionImages | None, **keys: Any) -> MountedSensor:
    said = {"type": "camera", "rate": 10.0, "latency": 0.0, **(SIZE if "preset" not in keys else {}), **keys}
    (camera,) = make_sensors([said], "drive.yaml", SensorContext(GROUND, 1e-3, renderer=renderer))
    return camera


def serve(camera: MountedSensor, state: Record, time: float = 0.0) -> dict[str, NDArray[Any]]:
    state[0]["time"] = time
    camera.serve(SensorInput(time, state, world=lambda: WORLDS.world(GROUND.objects)), True)
    return dict(camera.latest(time).arrays)


def test_depth_to_a_wall_is_the_distance_along_the_axis_in_the_whole_image() -> None:
    """The wall is 20 m ahead of the world's origin; the camera is 2.5 m ahead of the vehicle, which stands at x = 3 m."""
    found = serve(make(None, images=["depth", "object"], own_vehicle=False, mount={"position": [2.5, 0.0, 1.0]}), readout(x=3.0))
    on_wall = found["object"] == WALL
    assert on_wall.mean() > 0.3
    assert found["depth"][on_wall] == pytest.approx(20.0 - 3.0 - 2.5, abs=1e-5)
    assert np.isinf(found["depth"][found["object"] == -1]).all()


def test_images_by_rays_are_the_same_in_1_2_and_4_threads() -> None:
    keys = {"images": ["depth", "object"], "width": 120, "height": 90}
    one, *others = (serve(make(None, threads=threads, **keys), readout(), 1.5) for threads in (1, 2, 4))
    assert {WALL, WALKER, GLOBE} <= set(np.unique(one["object"]))
    assert all((one[name] == other[name]).all() for other in others for name in one)


def test_a_turned_camera_on_a_turned_vehicle_sees_along_its_own_axis() -> None:
    """Vehicle 30 degrees to the left, camera 60 degrees to the right and 10 down: the middle pixel looks 30 degrees to the right."""
    state = readout(yaw=math.radians(30.0))
    camera = make(None, images=["depth", "object"], own_vehicle=False, mount={"position": [0, 0, 2.0], "yaw_deg": -60.0, "pitch_deg": 10.0})
    found = serve(camera, state)
    height = float(state[0]["p_WB"][2]) + 2.0
    v, u = 24, 32
    across, down = (u - 31.5) / 32.0, (v - 23.5) / 32.0
    pitch, yaw = math.radians(10.0), math.radians(-30.0)
    drop = math.sin(pitch) + down * math.cos(pitch)
    ahead = math.cos(pitch) - down * math.sin(pitch)
    east = ahead * math.cos(yaw) + across * math.sin(yaw)
    expected = min(height / drop, 20.0 / east)
    assert found["depth"][v, u] == pytest.approx(expected, rel=1e-6)


def test_objects_stand_where_they_are_at_the_time_of_the_image() -> None:
    camera = make(None, images=["object"], own_vehicle=False, mount={"position": [0, 0, 0.5]})
    columns = [np.flatnonzero((serve(camera, readout(), time)["object"] == WALKER).any(axis=0)).mean() for time in (0.0, 2.0, 4.0)]
    seen = [31.5 - 32.0 * y / 10.0 for y in (4.0, 0.0, -4.0)]
    assert columns == pytest.approx(seen, abs=1.0)


def test_a_bush_is_seen_although_rays_of_a_lidar_pass_it() -> None:
    found = serve(make(None, images=["label"], own_vehicle=False, mount={"position": [0, 0, 1.0]}), readout())
    assert set(np.unique(found["label"])) == {LABELS[name] for name in ("none", "ground", "building", "vegetation", "person")} - (
        {0} if (found["label"] > 0).all() else set()
    )


@pytest.mark.parametrize(
    "keys", [{"mount": {"position": [2.6, 1.6, 0.6], "yaw_deg": -130, "pitch_deg": 15}}, {"preset": "driver_eye", **SIZE}]
)
def test_images_by_rays_and_by_opengl_agree(images: SessionImages, keys: dict[str, Any]) -> None:
    """Also on the own vehicle: from beside a front wheel, and from the driver's seat."""
    rays, opengl = (serve(make(images, images=ALL, depth_from=source, **keys), readout(steer=0.3)) for source in ("rays", "opengl"))
    assert np.array_equal(rays["color"], opengl["color"])
    o = rays["object"]
    inner = o[1:-1, 1:-1]
    calm = np.zeros(o.shape, bool)
    calm[1:-1, 1:-1] = (inner == o[:-2, 1:-1]) & (inner == o[2:, 1:-1]) & (inner == o[1:-1, :-2]) & (inner == o[1:-1, 2:])
    assert (o == -2).mean() > 0.2
    assert (o == opengl["object"])[calm].mean() >= 0.995
    assert (rays["label"] == opengl["label"])[calm].mean() >= 0.995
    both = calm & (o == opengl["object"]) & (o != -1)
    error = np.abs(rays["depth"][both] - opengl["depth"][both])
    assert (error <= np.maximum(2e-3, 1e-3 * rays["depth"][both])).mean() >= 0.99


def test_the_own_vehicle_can_be_left_out(images: SessionImages) -> None:
    keys: dict[str, Any] = {"images": ["object"], "mount": {"position": [-4.0, 0.0, 1.5]}}
    for source in ("rays", "opengl"):
        assert (serve(make(images, depth_from=source, **keys), readout())["object"] == -2).mean() > 0.1
        assert not (serve(make(images, depth_from=source, own_vehicle=False, **keys), readout())["object"] == -2).any()


@pytest.mark.parametrize(
    ("x", "keys", "warns"),
    [(2.0, {}, True), (3.1, {}, False), (2.0, {"own_vehicle": False}, False), (2.0, {"preset": "driver_eye"}, False)],
)
def test_a_camera_inside_the_body_says_so(x: float, keys: dict[str, Any], warns: bool) -> None:
    body = record(OBJECT_CONTACT)
    fill_parts(body, [box_corners(np.array((1.0, -0.5, 0.0)), np.array((3.0, 0.5, 1.0)))], np.zeros((0, 2)), np.zeros((0, 3)))
    said = {"type": "camera", "images": ["depth"], **SIZE, "mount": {"position": [x, 0.0, 0.5]}, **keys}
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        make_sensors([said], "drive.yaml", SensorContext(GROUND, 1e-3, body=body))
    assert [one.category for one in found] == [InsideBodyWarning] * warns


def test_the_drivers_eye_is_the_mount_of_its_preset(images: SessionImages) -> None:
    camera = make(images, preset="driver_eye", mount={"position": [0.1, 0.0, 0.0]})
    p_BE, R_BE = images.eye()
    assert camera.settings.mount.p_BS == pytest.approx(p_BE + 0.1 * R_BE[:, 0])
    assert camera.settings.mount.R_BS[2, 0] < -0.1, "the driver looks at the road"


def test_distorted_colors_are_in_the_pixels_of_distorted_depths(images: SessionImages) -> None:
    """The globe is purple. Its pixels in the color image are those of its number in the object image, and not those without distortion."""
    lens = {"k1": -0.3, "k2": 0.1, "p1": 0.01, "p2": -0.01, "mount": {"position": [4.0, 0.0, 1.0]}, "own_vehicle": False}
    distorted = serve(make(images, images=["color", "object"], **lens), readout())
    ideal = serve(make(images, images=["color", "object"], **{**lens, "k1": 0.0, "k2": 0.0, "p1": 0.0, "p2": 0.0}), readout())

    def agreement(color: NDArray[Any], numbers: NDArray[Any]) -> float:
        c = color.astype(int)
        purple, globe = (c[..., 0] > c[..., 1] + 25) & (c[..., 2] > c[..., 1] + 25), numbers == GLOBE
        return float((purple & globe).sum() / (purple | globe).sum())

    assert (ideal["object"] == GLOBE).sum() > 20
    assert agreement(distorted["color"], distorted["object"]) > 0.7
    assert agreement(ideal["color"], distorted["object"]) < 0.5


def test_resampling_keeps_a_linear_image() -> None:
    """Colors that are linear in the ray remain the same functions of the ray."""
    camera = Intrinsics(64, 48, 50.0, 50.0, 31.5, 23.5, k1=-0.2, k2=0.05, p1=0.002)
    resampler = Resampler(camera)
    ideal = resampler.ideal
    u, v = all_pixels(ideal).T
    x, y = (u - ideal.cx) / ideal.fx, (v - ideal.cy) / ideal.fy
    color = np.clip(np.column_stack((128 + 80 * x, 128 + 80 * y, 0 * x)), 0, 255).astype(np.uint8).reshape(ideal.height, ideal.width, 3)
    found = resampler.distorted(color).reshape(-1, 3)
    rays = rays_of(camera, all_pixels(camera))
    assert found[:, 0] == pytest.approx(128 + 80 * rays[:, 0], abs=1.6)
    assert found[:, 1] == pytest.approx(128 + 80 * rays[:, 1], abs=1.6)


def test_without_opengl_depth_goes_on_with_one_warning_and_a_color_camera_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent")
    blind = SessionImages(GROUND, geometry)
    both = make(blind, images=["color", "depth"], depth_from="opengl")
    with pytest.warns(SensorWarning, match=r"no color images.*libegl1") as found:
        assert set(serve(both, readout())) == {"depth"}
    assert set(serve(both, readout(), 0.1)) == {"depth"}
    assert len(found) == 1 and not both.trouble
    assert both.latest(0.1)["rendered"] == 0 and both.latest(0.1)["object_crc"] != 0
    color = make(blind, images=["color"], name="front")
    serve(color, readout())
    assert "sensor front was dropped: offscreen rendering: cannot use EGL" in color.trouble


def test_a_killed_process_drops_the_camera_and_nothing_else(images: SessionImages) -> None:
    camera = make(images, images=["color"])
    assert set(serve(camera, readout())) == {"color"}
    running = images._process._running
    assert running is not None
    os.kill(running._process.pid, signal.SIGKILL)
    serve(camera, readout(), 0.1)
    assert "a signal has ended the process" in camera.trouble
    serve(camera, readout(), 0.2)


def test_equal_runs_have_equal_digests(images: SessionImages) -> None:
    first, second = (make(images, images=ALL, name=name) for name in ("a", "b"))
    for camera in (first, second):
        serve(camera, readout(), 1.0)
    for name in ("color_crc", "object_crc"):
        assert first.latest(1.0)[name] == second.latest(1.0)[name] != 0


@pytest.mark.parametrize("form", ["raw", "png"])
def test_messages_have_the_images_the_intrinsics_and_the_optical_frame(images: SessionImages, form: str) -> None:
    camera = make(images, images=ALL, name="front", k1=-0.1, color_format=form)
    arrays = serve(camera, readout())
    assert camera.kind.messages is not None
    recorded = camera.kind.messages(camera.settings)
    messages = {topic.name: topic.message(camera.latest(0.0)) for topic in recorded.topics}
    color = "image_raw" if form == "raw" else "image_raw/compressed"
    for topic, name in ((color, "color"), ("depth/image_raw", "depth"), ("label/image_raw", "label"), ("object/image_raw", "object")):
        message = messages[topic]
        assert message is not None and message["header"]["frame_id"] == "front_optical"
        assert np.array_equal(pixels_of(message), arrays[name])
    info = messages["camera_info"]
    assert info is not None and (info["width"], info["height"], info["distortion_model"]) == (64, 48, "plumb_bob")
    assert info["k"].tolist() == pytest.approx([32.0, 0.0, 31.5, 0.0, 32.0, 23.5, 0.0, 0.0, 1.0])
    assert info["d"].tolist() == [-0.1, 0.0, 0.0, 0.0, 0.0]
    (frame,) = recorded.frames
    assert (frame.name, frame.parent) == ("front_optical", "front") and np.array_equal(frame.R, R_SC)
    renderers = {topic.name: topic.metadata.get("renderer") for topic in recorded.topics}
    assert renderers[color] and renderers["depth/image_raw"] is None, "depths by rays do not depend on the renderer"


def test_an_image_made_parallel_to_the_ticks_is_that_of_its_time_and_is_delivered_after_the_latency() -> None:
    """The session changes its readout while the thread computes; the image is that of the time at which it was taken."""
    keys: dict[str, Any] = {"images": ["depth", "object"], "own_vehicle": False, "mount": {"position": [0, 0, 1.0]}}
    at_once, later = make(None, **keys), make(None, name="later", **{**keys, "latency": 0.2})
    state = readout(x=1.0)
    expected = serve(at_once, state, 0.5)
    assert serve(later, state, 0.5) == {}
    state[0]["p_WB"] += (5.0, 1.0, 0.0)
    later.deliver(0.69, True)
    assert not later.latest(0.69).arrays
    later.deliver(0.7, True)
    found = later.latest(0.7)
    assert (found.time, found.delivered) == (0.5, pytest.approx(0.7)) and later.late == later.skipped == 0
    for name, image in expected.items():
        assert np.array_equal(found.arrays[name], image)
    later.close()


def test_a_rerun_with_another_renderer_does_not_compare_images() -> None:
    columns = {"cam_renderer": np.array([0, 7]), "cam_color_crc": np.array([0, 1]), "cam_object_crc": np.array([0, 2]), "speed": np.ones(2)}
    assert rendered_otherwise(columns, {**columns, "cam_color_crc": np.array([0, 5])}) == []
    other = {**columns, "cam_renderer": np.array([0, 8]), "cam_color_crc": np.array([0, 5])}
    assert rendered_otherwise(columns, other) == ["cam_renderer", "cam_color_crc", "cam_object_crc"]


def test_a_focal_length_or_a_size_replaces_that_of_the_preset() -> None:
    assert intrinsics_of({"preset": "euroc"}).k1 == PRESETS["euroc"]["k1"]
    wide = intrinsics_of({"preset": "euroc", "horizontal_field_of_view": math.radians(90.0)})
    assert (wide.fx, wide.fy) == pytest.approx((376.0, 376.0))
    small = intrinsics_of({"preset": "euroc", "width": 100, "height": 50})
    assert (small.cx, small.cy, small.fx) == (49.5, 24.5, PRESETS["euroc"]["fx"])
    assert intrinsics_of({"fx": 100.0}).fy == 100.0


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"fx": 100.0, "horizontal_field_of_view_deg": 60.0}, "expected one of them"),
        ({"width": 8000, "height": 8000}, "expected at most"),
        ({"depth_from": "opengl", "images": ["depth"], "k1": -0.1}, "expected rays, or no distortion"),
        ({"images": ["colors"]}, "color"),
        ({"images": []}, "images"),
        ({"preset": "hdd"}, "hd"),
        ({"width": 1}, "width"),
    ],
)
def test_wrong_keys_are_named(keys: dict[str, Any], expected: str) -> None:
    with pytest.raises(JounceError, match=expected):
        make(None, **keys)


def test_optical_axes_are_right_down_and_forward() -> None:
    assert (R_SC @ np.eye(3)).T.tolist() == [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]
