"""Export of sensor data to files: PCD for point clouds, PNG for images, NPY for all arrays."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.sensors.messages.definitions import COMPRESSED_IMAGE, POINT_CLOUD
from simulator.sensors.messages.png import png_bytes
from simulator.telemetry.atomic_files import create_folder, write_bytes
from simulator.telemetry.sensor_file.reader import NS, SensorFile, TopicInfo, content_of
from simulator.tools.sensors.contents import IMAGES, SensorContents, as_array

FORMATS = ("pcd", "png", "npy")
"""Formats of the export."""
MILLIMETERS = 1000.0
"""Numbers of a depth image per meter, 16 bits, as other programs expect them; 0: no depth, or beyond 65.535 m."""

OBJECT_SHIFT = 2
"""Added to the numbers of objects in a PNG file: 0 is the own vehicle, 1 nothing, 2 the ground."""


class Interval(NamedTuple):
    """Interval of simulated time [s], both ends included; None: no end."""

    first: float | None = None
    last: float | None = None


def export(file: SensorFile, sensors: Sequence[SensorContents], form: str, interval: Interval, folder: Path) -> list[Path]:
    """Write one file per message into a folder: SENSOR_TOPIC_TIME.FORMAT, the time of the measurement in s; `interval` is of delivery.

    Raises
    ------
    JounceError : no sensor has a topic that fits the format, or there is no message in the interval
    OutputError : the folder or a file cannot be written
    """
    topics = {topic.topic: topic for one in sensors for topic in one.topics if _fits(topic, form)}
    if not topics:
        names = ", ".join(one.name for one in sensors) or "the file"
        raise JounceError(f"no {'point cloud' if form == 'pcd' else 'image' if form == 'png' else 'array'} in {names} to export as {form}")
    written: list[Path] = []
    for one in file.messages(list(topics), *interval):
        if not written:
            create_folder(folder)
        stem = one.topic.strip("/").replace("/", "_")
        path = folder / f"{stem}_{NS * one.publish_time:011.4f}.{form}"
        with content_of(file.file):
            content = _content(one.type, one.fields, form, one.topic)
        write_bytes(path, content)
        written.append(path)
    if not written:
        first, last = file.times
        raise JounceError(
            f"{file.file}: no message of {', '.join(topics)} in this interval; expected a part of {first:.3f} to {last:.3f} s"
        )
    return written


def _fits(topic: TopicInfo, form: str) -> bool:
    is_cloud, is_image = topic.type == POINT_CLOUD, topic.type in IMAGES
    return is_cloud if form == "pcd" else is_image if form == "png" else is_cloud or is_image or topic.type.endswith("MultiArray")


def _content(kind: str, fields: dict[str, Any], form: str, topic: str) -> bytes:
    if form == "png" and kind == COMPRESSED_IMAGE and "png" in fields["format"]:
        return bytes(fields["data"])
    values, _ = as_array(kind, fields)
    if form == "npy":
        out = io.BytesIO()
        np.save(out, values)
        return out.getvalue()
    return pcd(values) if form == "pcd" else png(values, topic)


def pcd(points: NDArray[Any]) -> bytes:
    """Return points (n,) or (columns, rings) as a binary PCD file, version 0.7 [Point Cloud Library, file format]; WIDTH is the last axis."""
    dtype = points.dtype
    names = dtype.names or ()
    packed = np.dtype([(name, dtype[name]) for name in names])
    rows = np.empty(points.shape, packed)
    for name in names:
        rows[name] = points[name]
    kinds = {"f": "F", "i": "I", "u": "U"}
    bases = [dtype[name].base for name in names]
    head = (
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n"
        f"FIELDS {' '.join(names)}\n"
        f"SIZE {' '.join(str(base.itemsize) for base in bases)}\n"
        f"TYPE {' '.join(kinds[base.kind] for base in bases)}\n"
        f"COUNT {' '.join(str(int(np.prod(dtype[name].shape, dtype=int))) for name in names)}\n"
        f"WIDTH {points.shape[-1]}\nHEIGHT {points.size // max(1, points.shape[-1])}\nVIEWPOINT 0 0 0 1 0 0 0\n"
        f"POINTS {points.size}\nDATA binary\n"
    )
    return head.encode() + rows.tobytes()


def png(pixels: NDArray[Any], topic: str) -> bytes:
    """Return an image (h, w) or (h, w, 3) as a PNG file: 8 bits as they are, depth [m] in mm and numbers of objects + OBJECT_SHIFT with 16 bits.

    Raises JounceError: the numbers do not fit.
    """
    if pixels.dtype.kind == "f" and pixels.ndim == 2:
        scaled = np.round(MILLIMETERS * np.where(np.isfinite(pixels), pixels, 0.0))
        pixels = np.where(scaled <= 65535.0, scaled, 0.0).astype(np.uint16)
    elif pixels.dtype.kind == "i":
        if pixels.min() < -OBJECT_SHIFT or pixels.max() > 65535 - OBJECT_SHIFT:
            raise JounceError(f"{topic}: numbers from {pixels.min()} to {pixels.max()} do not fit into a PNG file; hint: use --export npy")
        pixels = (pixels + OBJECT_SHIFT).astype(np.uint16)
    elif pixels.dtype.kind != "u" or pixels.dtype.itemsize > 2:
        raise JounceError(f"{topic}: images of {pixels.dtype} do not fit into a PNG file; hint: use --export npy")
    return png_bytes(pixels)
