"""Export of the clouds of each lidar as LAS 1.4 in the world frame W, one file per lidar.

Each point is where it was at its own time. `gps_time` is the simulated time [s].
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.exports.output import Output, numbered
from simulator.exports.recorded_frames import RecordedFrames, measurements
from simulator.exports.source import ExportedRun
from simulator.sensors.messages.definitions import POINT_CLOUD
from simulator.sensors.messages.point_cloud import points_of
from simulator.telemetry.sensor_file.reader import NS, SensorFile, content_of
from simulator.tools.sensors.contents import SensorContents, sensors_in
from terrain.objects.labels import LABELS

POINTS = "points"
SCALE = 0.001
"""m of a whole number of a coordinate."""
FORMAT = 6
"""Point format with time, intensity and class."""
INTENSITY = 257.0
"""65535 / 255: intensities of a lidar are 0 to 255, those of LAS 0 to 65535."""
UNCLASSIFIED, GROUND = 1, 2
EXTRA = {
    "ring": ("u2", "number of the laser"),
    "label": ("u1", "label of the object"),
    "object": ("i4", "number of the object"),
    "range": ("f4", "distance from the sensor [m]"),
}
"""Fields of a cloud that become dimensions of their own, with their description of at most 32 letters."""


def export(run: ExportedRun, output: Output) -> None:
    """Plan NAME.las for each lidar, and NAME-2.las ... after restarts. Raises OutputError; JounceError: the run has no clouds."""
    found = False
    for number in range(1, len(run.sensor_files) + 1):
        with run.need_sensors(number) as sensors:
            lidars = [one for one in lidars_in(sensors) if next(measurements(sensors, one, run.interval, [POINTS]), None)]
        for lidar, file in zip(lidars, output.need_free(numbered(f"{one.name}.las", number) for one in lidars), strict=True):
            found = True
            output.file(file, lambda path, number=number, lidar=lidar: _write(path, run, number, lidar))  # type: ignore[misc]
    if not found:
        raise run.no_data("las", "point clouds", "a run with a lidar that is recorded")


def lidars_in(sensors: SensorFile) -> list[SensorContents]:
    """Return the sensors of a file with clouds."""
    topics = sensors.topics
    return [one for one in sensors_in(sensors) if (name := f"/{one.name}/{POINTS}") in topics and topics[name].type == POINT_CLOUD]


def points_in(message: dict[str, Any], sensors: SensorFile) -> tuple[NDArray[Any], NDArray[np.float64], str]:
    """Return the points (n,) with a return of a cloud, their times [s] and the name of their frame. Raises ConfigError: a broken message."""
    with content_of(sensors.file):
        points = points_of(message).reshape(-1)
        stamp, names = message["header"]["stamp"], points.dtype.names or ()
        points = points[np.all([np.isfinite(points[name]) for name in ("x", "y", "z", *({"time", "intensity"} & set(names)))], axis=0)]
        after = points["time"].astype(float) if "time" in names else np.zeros(len(points))
        return points, stamp["sec"] + NS * stamp["nanosec"] + after, message["header"]["frame_id"]


def _write(path: Path, run: ExportedRun, number: int, lidar: SensorContents) -> None:
    import laspy

    with run.need_sensors(number) as sensors, open(path, "w+b") as stream:
        frames = RecordedFrames(sensors)
        out: Any = None
        for measured in measurements(sensors, lidar, run.interval, [POINTS]):
            message = measured.messages[POINTS].fields
            points, times, frame = points_in(message, sensors)
            at = frames.vehicle(times).then(frames.mount(frame))
            in_world = at.of(np.stack([points[axis] for axis in "xyz"], axis=-1).astype(float))
            if out is None:
                header = _header(points.dtype, in_world, lidar)
                out = laspy.open(stream, mode="w", header=header, closefd=False, do_compress=False)
            if len(points):
                with content_of(sensors.file):  # too far away
                    record = _record(header, points, in_world, times)
                out.write_points(record)
        out.close()


def _header(dtype: np.dtype, in_world: NDArray[np.float64], lidar: SensorContents) -> Any:
    import laspy

    header = laspy.LasHeader(version="1.4", point_format=FORMAT)
    header.scales = np.full(3, SCALE)
    header.offsets = np.floor(in_world.mean(axis=0)) if len(in_world) else np.zeros(3)
    header.generating_software, header.system_identifier = "jounce", lidar.name[:32]
    for name in EXTRA:
        if name in (dtype.names or ()):
            header.add_extra_dim(laspy.ExtraBytesParams(name=name, type=EXTRA[name][0], description=EXTRA[name][1]))
    return header


def _record(header: Any, points: NDArray[Any], in_world: NDArray[np.float64], times: NDArray[np.float64]) -> Any:
    import laspy

    record = laspy.ScaleAwarePointRecord.zeros(len(points), header=header)
    record.x, record.y, record.z = in_world.T
    record.gps_time = times
    record.return_number[:] = 1
    record.number_of_returns[:] = 1
    names = points.dtype.names or ()
    if "intensity" in names:
        record.intensity[:] = np.clip(np.round(INTENSITY * points["intensity"]), 0, 65535).astype(np.uint16)
    record.classification[:] = np.where(points["label"] == LABELS["ground"], GROUND, UNCLASSIFIED) if "label" in names else UNCLASSIFIED
    for name in EXTRA:
        if name in names:
            record[name] = points[name]
    return record
