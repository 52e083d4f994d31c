"""Do the images of a camera show each object in the pixels and at the depth at which a ray through the pixel meets it?"""

from __future__ import annotations

import dataclasses
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Record, record
from simulator.sensors.camera.geometry import R_SC, Intrinsics
from simulator.sensors.camera.ray_images import PixelRays, RayImages, cast_images
from simulator.validation.reference.camera_files import CameraFile, camera_files, read_camera
from simulator.validation.reference.ray_scenes import ground_of
from simulator.view.camera_images import CAMERA, Images
from simulator.view.camera_process import CameraProcess
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import Box, Capsule, ConvexHull, Cylinder, Sphere, TriangleMesh, WorldObject
from terrain.rays.caster import RayCaster
from tests.view.scenes import geometry, readout

DATA = Path(__file__).resolve().parents[1] / "data" / "sensors" / "camera"
CALM = 0.995
FRONT = np.array(((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)))
"""Optical axes of a camera that looks along x."""
WAY = np.array(((10.0, 6.0, 0.9), (10.0, -6.0, 0.9)))
SMALL = Intrinsics(64, 48, 40.0, 42.0, 30.0, 24.0)


def camera_of(intrinsics: Intrinsics, shows_vehicle: bool = False, inside: bool = False) -> Record:
    out = record(CAMERA)
    c = out[0]
    c["width"], c["height"] = intrinsics.width, intrinsics.height
    c["focal"], c["center"] = (intrinsics.fx, intrinsics.fy), (intrinsics.cx, intrinsics.cy)
    c["shows_vehicle"], c["inside"] = shows_vehicle, inside
    return out


@pytest.fixture(scope="module")
def process() -> Iterator[CameraProcess]:
    found = CameraProcess(dataclasses.replace(plane(), objects=shapes()), geometry())
    try:
        found.render(camera_of(SMALL), (np.zeros(3), FRONT), readout(), shapes())
    except DeviceError as error:
        pytest.skip(str(error))
    yield found
    found.close()


def plane():
    return ground_of({"type": "plane", "z0": 0.0, "gx": 0.0, "gy": 0.0}, Path())


def shapes() -> ObjectSet:
    points = np.random.default_rng(3).normal(size=(30, 3))
    roof = np.array([((0, 0, 2), (1, 0, 0), (0, 1, 0)), ((0, 0, 2), (0, 1, 0), (-1, 0, 0)), ((0, 0, 2), (-1, 0, 0), (0, -1, 0))], float)
    return ObjectSet(
        [
            WorldObject("box", Box((1.0, 2.0, 1.5)), (9.0, 3.0, 0.75), yaw=0.5),
            WorldObject("ball", Sphere(0.8), (8.0, -2.5, 1.5), label="vegetation"),
            WorldObject("trunk", Cylinder(0.3, 4.0), (12.0, -5.0, 0.0)),
            WorldObject("log", Capsule(0.4, 2.0), (7.0, 0.5, 0.4), pitch=1.3, yaw=0.4),
            WorldObject("rock", ConvexHull(points), (14.0, 0.0, 1.0), label="rock"),
            WorldObject("roof", TriangleMesh(roof), (11.0, -1.0, 1.0)),
            WorldObject("walker", Box((0.6, 0.6, 1.8)), (10.0, 6.0, 0.9), motion=Way(WAY, speeds=np.ones(2))),
        ]
    )


def calm(rays: RayImages) -> NDArray[np.bool_]:
    """Pixels whose neighbors show the same object."""
    out = np.zeros(rays.object.shape, bool)
    o = rays.object
    inner = o[1:-1, 1:-1]
    out[1:-1, 1:-1] = (inner == o[:-2, 1:-1]) & (inner == o[2:, 1:-1]) & (inner == o[1:-1, :-2]) & (inner == o[1:-1, 2:])
    return out


def agreement(images: Images, rays: RayImages, first: int) -> tuple[float, float]:
    """Fractions of the calm pixels with the same object, and of those with the same depth."""
    number = np.where(images.number > 0, images.number - 1 + first, images.number)
    same = (number == rays.object)[calm(rays)]
    both = calm(rays) & (number == rays.object) & (rays.object >= 0)
    error = np.abs(images.depth[both] - rays.depth[both])
    return float(same.mean()), float((error <= np.maximum(2e-3, 1e-3 * rays.depth[both])).mean())


@pytest.mark.parametrize("time", [0.0, 4.0])
def test_numbers_and_depths_are_those_of_rays(process: CameraProcess, time: float) -> None:
    """All shapes, one of them moving; a fifth of the image is not calm."""
    eye, objects, state = np.array((0.0, 0.3, 1.6)), shapes(), readout(x=-50.0)
    state[0]["time"] = time
    images = process.render(camera_of(SMALL), (eye, FRONT), state, objects, color=False)
    rays = cast_images(PixelRays(SMALL), RayCaster(plane(), objects), eye, FRONT @ R_SC.T, 3000.0, time)
    assert len(np.unique(images.number)) == 9
    same, depth = agreement(images, rays, objects.first)
    assert same >= CALM and depth >= CALM


@pytest.mark.parametrize("file", camera_files(DATA), ids=lambda file: file.stem)
def test_images_agree_with_the_reference_cameras(file: Path) -> None:
    one: CameraFile = read_camera(file)
    process = CameraProcess(dataclasses.replace(one.scene.ground, objects=one.scene.objects), geometry())
    try:
        images = process.render(camera_of(one.ideal), (one.position, one.R_WC), readout(), one.scene.objects, color=False)
    except DeviceError as error:
        pytest.skip(str(error))
    finally:
        process.close()
    number = np.where(images.number > 0, images.number - 1 + one.scene.objects.first, images.number)
    number[PixelRays(one.ideal).stretch.reshape(number.shape) * images.depth > one.max_range] = -1
    fair = one.fair & (one.object >= 0)
    assert (number == one.object)[fair].mean() >= CALM
    both = fair & (number == one.object)
    wrong = np.abs(images.depth[both] - one.depth[both])
    assert (wrong <= np.maximum(2e-3, 1e-3 * one.depth[both])).mean() >= CALM


def test_colors_show_what_the_numbers_say(process: CameraProcess) -> None:
    """The sky is blue, the vegetation green, and both are in the pixels of their numbers; leaves do not fill the edge of their ball."""
    objects = shapes()
    images = process.render(camera_of(SMALL), (np.array((0.0, 0.3, 1.6)), FRONT), readout(x=-50.0), objects)
    color = images.color.astype(int)
    ball, sky = color[(images.number == 2) & (images.depth < 8.0 - 0.7 * 0.8)], color[images.number == -1]
    assert len(ball) > 20
    assert (ball[:, 1] > ball[:, 0]).mean() > 0.9 and (ball[:, 1] > ball[:, 2]).mean() > 0.9
    assert (sky[:, 2] > sky[:, 0] + 5).mean() > 0.95


def test_the_own_vehicle_is_shown_or_not(process: CameraProcess) -> None:
    """A camera behind the vehicle, and the same camera without the vehicle."""
    pose = (np.array((-8.0, 0.0, 2.0)), FRONT)
    seen = process.render(camera_of(SMALL, shows_vehicle=True), pose, readout(), shapes())
    free = process.render(camera_of(SMALL), pose, readout(), shapes())
    assert (seen.number == -2).mean() > 0.04
    assert not (free.number == -2).any()
    where = seen.number == -2
    assert (seen.color != free.color).any(axis=2)[where].mean() > 0.9
    assert 4.0 < seen.depth[where].min() < 6.5


def test_removed_objects_are_not_shown(process: CameraProcess) -> None:
    eye, objects = np.array((0.0, 0.3, 1.6)), shapes()
    objects.remove(objects.first)
    images = process.render(camera_of(SMALL), (eye, FRONT), readout(x=-50.0), objects, color=False)
    assert 1 not in images.number
    back = process.render(camera_of(SMALL), (eye, FRONT), readout(x=-50.0), shapes(), color=False)
    assert 1 in back.number


def test_equal_requests_give_equal_images(process: CameraProcess) -> None:
    pose = (np.array((0.0, 0.3, 1.6)), FRONT)
    first, second = (process.render(camera_of(SMALL, True), pose, readout(), shapes()) for _ in range(2))
    for name in Images._fields:
        assert np.array_equal(getattr(first, name), getattr(second, name))


def test_a_larger_camera_gets_more_memory_and_a_killed_process_is_reported_once_and_for_all(process: CameraProcess) -> None:
    large = Intrinsics(200, 100, 100.0, 100.0, 99.5, 49.5)
    pose = (np.array((0.0, 0.3, 1.6)), FRONT)
    assert process.render(camera_of(large), pose, readout(), shapes()).color.shape == (100, 200, 3)
    assert process._running is not None
    os.kill(process._running._process.pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(DeviceError, match="a signal has ended the process"):
            process.render(camera_of(large), pose, readout(), shapes())
    process.close()
    assert process.render(camera_of(SMALL), pose, readout(), shapes()).number.shape == (48, 64)


def test_without_egl_one_line_names_the_packages(monkeypatch: pytest.MonkeyPatch, process: CameraProcess) -> None:
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent")
    blind = CameraProcess(plane(), geometry())
    with pytest.raises(DeviceError, match=r"cannot use EGL.*libegl1") as failure:
        blind.render(camera_of(SMALL), (np.zeros(3), FRONT), readout(), shapes())
    assert "\n" not in str(failure.value)
    blind.close()
