"""Export in the layout of KITTI: clouds, images, poses, calibration and the true boxes of objects.

    velodyne/000000.bin   points of the lidar where they were at the time of the frame: x, y, z [m], reflectance 0 to 1, float32
    image_2/000000.png    images of the first camera
    label_2/000000.txt    boxes of vehicles, persons, animals, cones and barriers in the camera
    times.txt             times of the frames [s]
    poses.txt             poses of the camera in its first pose, 3 x 4
    calib.txt             P0 ... P3, R0_rect, Tr_velo_to_cam and Tr (the same), Tr_imu_to_velo

A frame is an image of the camera, and the cloud of the nearest time; without a camera, a cloud. The axes of the camera are then those of a
camera at the place of the lidar.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.exports.images import cameras_in, has_color, write_color
from simulator.exports.las import points_in
from simulator.exports.output import Output, numbered
from simulator.exports.projected_boxes import Camera, CameraBoxes, SeenBox
from simulator.exports.recorded_frames import Measured, Poses, RecordedFrames, measurements
from simulator.exports.recorded_world import RecordedWorld
from simulator.exports.source import ExportedRun
from simulator.sensors.camera.geometry import R_SC
from simulator.sensors.messages.definitions import POINT_CLOUD
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.tools.sensors.contents import SensorContents, sensors_in
from terrain.objects.labels import NAMES

NAME, POINTS = "kitti", "points"
TYPES = {"vehicle": "Car", "person": "Pedestrian", "animal": "Misc", "cone": "Misc", "barrier": "Misc"}
"""Types of KITTI by label; other objects have no box."""
LARGE, TRUCK = 6.0, "Truck"
"""m. Length from which a vehicle is a truck (assumed)."""
OCCLUDED = (0.1, 0.5, 0.99)
"""Occlusion from which a box is partly and largely occluded, and left out (assumed; KITTI has no numbers)."""
FULL = 255.0
"""Intensity of reflectance 1."""


class Source(NamedTuple):
    """Sensors of an export."""

    sensors: SensorFile
    frames: RecordedFrames
    camera: SensorContents | None
    lidar: SensorContents | None


def export(run: ExportedRun, output: Output) -> None:
    """Write the folder kitti, and kitti-2 ... after restarts. Raises OutputError; JounceError: the run has neither images nor clouds."""
    found = False
    for number in range(1, len(run.sensor_files) + 1):
        with run.need_sensors(number) as sensors:
            cameras = cameras_in(sensors)
            lidars = [one for one in sensors_in(sensors) if _has_points(sensors, one)]
            if not cameras and not lidars:
                continue
            found = True
            more = [one.name for one in (*cameras[1:], *lidars[1:])]
            if more and number == 1:
                run.notes.append(f"kitti has one camera and one lidar; left out: {', '.join(more)}")
            source = Source(sensors, RecordedFrames(sensors), next(iter(cameras), None), next(iter(lidars), None))
            names = {key: one.name for key, one in (("camera", source.camera), ("lidar", source.lidar)) if one is not None}
            (folder,) = output.need_free([numbered(NAME, number)])
            world = RecordedWorld(run, number)
            output.directory(folder, {"run": run.name, **names}, lambda path, args=(run, source, world): _write(path, *args))  # type: ignore[misc]
    if not found:
        raise JounceError(f"{run.file.parent}: --format kitti: no images and no clouds; expected a run with a camera or a lidar")


def _has_points(sensors: SensorFile, sensor: SensorContents) -> bool:
    topic = sensors.topics.get(f"/{sensor.name}/{POINTS}")
    return topic is not None and topic.type == POINT_CLOUD


def _write(path: Path, run: ExportedRun, source: Source, world: RecordedWorld) -> None:
    path.mkdir()
    times: list[float] = []
    view = None
    if source.camera is not None:
        for name in ("image_2", "label_2"):
            (path / name).mkdir()
        for measured in measurements(source.sensors, source.camera, run.interval):
            if has_color(measured):
                view = view or Camera.of(measured)
                _write_image(path, f"{len(times):06d}", measured, CameraBoxes(source.sensors, view, world, source.frames))
                times.append(measured.time)
        if view is not None and view.lens.is_distorted:
            run.notes.append(f"the images of {source.camera.name} are distorted, which the projection matrices of KITTI cannot express")
    if source.lidar is not None:
        (path / "velodyne").mkdir()
        clouds = np.array([one.time for one in measurements(source.sensors, source.lidar, run.interval, [POINTS])])
        if view is None:
            times = clouds.tolist()
        _write_clouds(path / "velodyne", run, source, np.array(times), clouds)
    (path / "times.txt").write_text("".join(f"{one:.9e}\n" for one in times))
    mount = _camera_mount(source, view)
    poses = source.frames.vehicle(np.array(times)).then(mount) if times else None
    if poses is not None:
        first = Poses(poses.p[0], poses.R[0]).inverse()
        relative = [first.then(Poses(p, R)).matrix() for p, R in zip(poses.p, poses.R, strict=True)]
        (path / "poses.txt").write_text("".join(f"{_row(one)}\n" for one in relative))
    else:
        (path / "poses.txt").write_text("")
    (path / "calib.txt").write_text(_calibration(source, view, mount))


def _camera_mount(source: Source, view: Camera | None) -> Poses:
    """Return the pose of the axes of the camera in B."""
    if view is not None:
        return source.frames.mount(view.frame)
    name = source.lidar.name if source.lidar is not None else ""
    return source.frames.mount(name).then(Poses(np.zeros(3), R_SC))


def _write_image(path: Path, stem: str, measured: Measured, boxes: CameraBoxes) -> None:
    write_color(measured, path / "image_2", stem, keep=False)
    lines = [line_of(one) for one in boxes.at(measured.time) if NAMES[one.label] in TYPES and one.occlusion < OCCLUDED[-1]]
    (path / "label_2" / f"{stem}.txt").write_text("".join(f"{line}\n" for line in lines))


def line_of(box: SeenBox) -> str:
    """Return a box as a line of a label file: type, truncated, occluded, alpha, rectangle, height, width, length, place, rotation."""
    kind = TYPES[NAMES[box.label]]
    if kind == "Car" and box.size[0] > LARGE:
        kind = TRUCK
    turn = math.atan2(-box.R[2, 0], box.R[0, 0])
    bottom = box.center - 0.5 * box.size[2] * box.R[:, 2]
    alpha = math.remainder(turn - math.atan2(box.center[0], box.center[2]), 2.0 * math.pi)
    x, y, width, height = box.rectangle
    occluded = int(np.searchsorted(OCCLUDED[:-1], box.occlusion, side="right"))
    edges = (max(x - 0.5, 0.0), max(y - 0.5, 0.0), x + width - 0.5, y + height - 0.5)
    numbers = (alpha, *edges, box.size[2], box.size[1], box.size[0], *bottom, turn)
    return f"{kind} {box.truncated:.2f} {occluded} {' '.join(f'{one:.2f}' for one in numbers)}"


def _write_clouds(folder: Path, run: ExportedRun, source: Source, times: NDArray[np.float64], clouds: NDArray[np.float64]) -> None:
    """Write the nearest cloud of each frame, its points where they were at the time of the frame."""
    if not len(clouds) or source.lidar is None:
        return
    after = np.searchsorted(clouds, times).clip(1, max(1, len(clouds) - 1))
    before = after - 1
    nearest = np.where(times - clouds[before] <= clouds[np.minimum(after, len(clouds) - 1)] - times, before, after)
    for number, measured in enumerate(measurements(source.sensors, source.lidar, run.interval, [POINTS])):
        for frame in np.flatnonzero(nearest == number).tolist():
            (folder / f"{frame:06d}.bin").write_bytes(_cloud(measured, source, float(times[frame])).tobytes())


def _cloud(measured: Measured, source: Source, time: float) -> NDArray[np.float32]:
    points, fired, frame = points_in(measured.messages[POINTS].fields, source.sensors)
    mount = source.frames.mount(frame)
    now = source.frames.vehicle(np.asarray(time)).then(mount).inverse()
    at = now.of(source.frames.vehicle(fired).then(mount).of(np.stack([points[axis] for axis in "xyz"], axis=-1).astype(float)))
    reflectance = np.clip(points["intensity"] / FULL, 0.0, 1.0) if "intensity" in (points.dtype.names or ()) else np.zeros(len(points))
    return np.column_stack((at, reflectance)).astype("<f4")


def _calibration(source: Source, view: Camera | None, mount: Poses) -> str:
    K = np.eye(3) if view is None else view.lens.K
    P = np.column_stack((K, np.zeros(3)))
    lidar = Poses(np.zeros(3), np.eye(3)) if source.lidar is None else source.frames.mount(source.lidar.name)
    to_camera = mount.inverse().then(lidar)
    rows = {f"P{k}": P for k in range(4)} | {"R0_rect": np.eye(3), "Tr_velo_to_cam": to_camera.matrix()}
    rows |= {"Tr": to_camera.matrix(), "Tr_imu_to_velo": lidar.inverse().matrix()}
    return "".join(f"{name}: {_row(one)}\n" for name, one in rows.items())


def _row(matrix: NDArray[np.float64]) -> str:
    return " ".join(f"{one:.12e}" for one in matrix.ravel())
