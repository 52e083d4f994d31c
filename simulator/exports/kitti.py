"""Export in the layout of KITTI: clouds, images, poses, calibration and the true boxes of objects.

    velodyne/000000.bin   points of the lidar where they were at the time of the frame: x, y, z [m], reflectance 0 to 1, float32
    image_2/000000.png    images of the first camera
    label_2/000000.txt    boxes of vehicles, persons, animals, cones and barriers in the camera
    times.txt             times of the frames [s]
    poses.txt             poses of the camera in its first pose, 3 x 4
    calib.txt             P0 ... P3, R0_rect, Tr_velo_to_cam and Tr (the same), Tr_imu_to_velo

A frame is an image of the camera, and the cloud of the nearest time within a period of the lidar; without a camera, a cloud. The axes of the camera are then those of a
camera at the place of the lidar.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.exports.images import cameras_in, has_color, write_color
from simulator.exports.las import lidars_in, points_in
from simulator.exports.output import Output, numbered
from simulator.exports.projected_boxes import Camera, CameraBoxes, SeenBox
from simulator.exports.recorded_frames import Measured, Poses, RecordedFrames, measurements
from simulator.exports.recorded_world import RecordedWorld
from simulator.exports.source import ALWAYS, ExportedRun
from simulator.sensors.camera.geometry import R_SC
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.tools.sensors.contents import SensorContents
from terrain.objects.labels import NAMES

NAME, POINTS = "kitti", "points"
TYPES = {"vehicle": "Car", "person": "Pedestrian", "animal": "Misc", "cone": "Misc", "barrier": "Misc"}
"""Types of KITTI by label; other objects have no box."""
LARGE, TRUCK = 6.0, "Truck"
"""m. Length from which a vehicle is a truck (assumed)."""
OCCLUDED = (0.1, 0.5, 0.99)
"""Occlusion from which a box is partly and largely occluded, and left out (assumed; KITTI has no numbers)."""
SAME = 1e-6
"""s. Tolerance of two times."""
FULL = 255.0
"""Intensity of reflectance 1."""


class Frame(NamedTuple):
    """Frame of an export."""

    time: float
    """Simulated time [s]."""
    cloud: int | None
    """Number of its cloud in the file; None without a lidar."""


class Plan(NamedTuple):
    """Sensors and frames of an export."""

    number: int
    """Number of the start."""
    camera: SensorContents | None
    lidar: SensorContents | None
    frames: list[Frame]


class Source(NamedTuple):
    """Opened sensor data of an export."""

    sensors: SensorFile
    frames: RecordedFrames
    plan: Plan


def export(run: ExportedRun, output: Output) -> None:
    """Plan the folder kitti, and kitti-2 ... after restarts. Raises OutputError; JounceError: the run has neither color images nor clouds."""
    found = False
    for number in range(1, len(run.sensor_files) + 1):
        with run.need_sensors(number) as sensors:
            plan = _plan(run, number, sensors)
        if not plan.frames:
            continue
        found = True
        names = {key: one.name for key, one in (("camera", plan.camera), ("lidar", plan.lidar)) if one is not None}
        (folder,) = output.need_free([numbered(NAME, number)])
        output.directory(folder, {"run": run.folder_name, **names}, lambda path, plan=plan: _write(path, run, plan))  # type: ignore[misc]
    if not found:
        raise run.no_data("kitti", "color images and no clouds", "a run with a camera that records images of color, or with a lidar")


def _plan(run: ExportedRun, number: int, sensors: SensorFile) -> Plan:
    """Return the sensors and frames of a start. A sensor without data in the interval has none."""
    images = {one.name: one for one in cameras_in(sensors)}
    times = {name: [one.time for one in measurements(sensors, images[name], run.interval) if has_color(one)] for name in images}
    cameras = [images[name] for name in images if times[name]]
    lidars = [one for one in lidars_in(sensors) if next(measurements(sensors, one, ALWAYS, [POINTS]), None)]
    camera, lidar = next(iter(cameras), None), next(iter(lidars), None)
    if more := [one.name for one in (*cameras[1:], *lidars[1:])]:
        run.note(f"kitti has one camera and one lidar; left out: {', '.join(more)}")
    clouds = [] if lidar is None else [one.time for one in measurements(sensors, lidar, ALWAYS, [POINTS])]
    if camera is None:
        first, last = run.interval
        begin, end = -math.inf if first is None else first, math.inf if last is None else last
        return Plan(number, None, lidar, [Frame(time, n) for n, time in enumerate(clouds) if begin <= time <= end])
    if lidar is None:
        return Plan(number, camera, None, [Frame(time, None) for time in times[camera.name]])
    frames = frames_of(times[camera.name], clouds, math.inf if lidar.rate is None else 1.0 / lidar.rate)
    if missing := len(times[camera.name]) - len(frames):
        run.note(f"kitti: {missing} image{'s' * (missing > 1)} of {camera.name} without a cloud of {lidar.name} left out")
    return Plan(number, camera, lidar, frames)


def frames_of(times: Sequence[float], clouds: Sequence[float], period: float) -> list[Frame]:
    """Return the frames of images at times [s], each with the nearest cloud; those without a cloud within a period [s] are left out."""
    at = np.asarray(clouds)
    nearest = np.searchsorted(0.5 * (at[1:] + at[:-1]), times)
    return [Frame(time, int(n)) for time, n in zip(times, nearest, strict=True) if abs(at[n] - time) <= period + SAME]


def _write(path: Path, run: ExportedRun, plan: Plan) -> None:
    path.mkdir()
    with run.need_sensors(plan.number) as sensors:
        _write_frames(path, run, Source(sensors, RecordedFrames(sensors), plan))


def _write_frames(path: Path, run: ExportedRun, source: Source) -> None:
    camera, times = source.plan.camera, np.array([one.time for one in source.plan.frames])
    view = None
    if camera is not None:
        for name in ("image_2", "label_2"):
            (path / name).mkdir()
        world, numbers = RecordedWorld(run, source.plan.number), {one.time: n for n, one in enumerate(source.plan.frames)}
        for measured in measurements(source.sensors, camera, run.interval):
            if has_color(measured) and measured.time in numbers:
                view = view or Camera.of(measured)
                _write_image(path, f"{numbers[measured.time]:06d}", measured, CameraBoxes(source.sensors, view, world, source.frames))
        if view is not None and view.lens.is_distorted:
            run.note(f"the images of {camera.name} are distorted, which the projection matrices of KITTI cannot express")
    if source.plan.lidar is not None:
        (path / "velodyne").mkdir()
        _write_clouds(path / "velodyne", source, source.plan.lidar)
    (path / "times.txt").write_text("".join(f"{one:.9e}\n" for one in times))
    mount = _camera_mount(source, view)
    poses = source.frames.vehicle(times).then(mount)
    first = Poses(poses.p[0], poses.R[0]).inverse()
    relative = [first.then(Poses(p, R)).matrix() for p, R in zip(poses.p, poses.R, strict=True)]
    (path / "poses.txt").write_text("".join(f"{_row(one)}\n" for one in relative))
    (path / "calib.txt").write_text(_calibration(source, view, mount))


def _camera_mount(source: Source, view: Camera | None) -> Poses:
    """Return the pose of the axes of the camera in B."""
    if view is not None:
        return source.frames.mount(view.frame)
    name = source.plan.lidar.name if source.plan.lidar is not None else ""
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


def _write_clouds(folder: Path, source: Source, lidar: SensorContents) -> None:
    """Write the cloud of each frame, its points where they were at the time of the frame."""
    wanted: dict[int | None, list[int]] = {}
    for n, one in enumerate(source.plan.frames):
        wanted.setdefault(one.cloud, []).append(n)
    for number, measured in enumerate(measurements(source.sensors, lidar, ALWAYS, [POINTS])):
        for n in wanted.get(number, ()):
            (folder / f"{n:06d}.bin").write_bytes(_cloud(measured, source, source.plan.frames[n].time).tobytes())


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
    unit = source.plan.lidar
    lidar = Poses(np.zeros(3), np.eye(3)) if unit is None else source.frames.mount(unit.name)
    to_camera = mount.inverse().then(lidar)
    rows = {f"P{k}": P for k in range(4)} | {"R0_rect": np.eye(3), "Tr_velo_to_cam": to_camera.matrix()}
    rows |= {"Tr": to_camera.matrix(), "Tr_imu_to_velo": lidar.inverse().matrix()}
    return "".join(f"{name}: {_row(one)}\n" for name, one in rows.items())


def _row(matrix: NDArray[np.float64]) -> str:
    return " ".join(f"{one:.12e}" for one in matrix.ravel())
