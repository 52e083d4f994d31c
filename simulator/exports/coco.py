"""Export of the images of cameras in the layout of COCO: images, and annotations.json with an instance for each visible object.

A camera that records object images gives the pixels of each instance: mask (run lengths), box and area. Any other camera gives the true boxes
of the objects, projected into the image, without a mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from simulator.base.json_output import json_text
from simulator.exports.images import LABEL, OBJECT, cameras_in, has_color, pixels, write_color
from simulator.exports.output import Output, numbered
from simulator.exports.projected_boxes import Camera, CameraBoxes
from simulator.exports.recorded_frames import Measured, measurements
from simulator.exports.recorded_world import RecordedWorld
from simulator.exports.source import ExportedRun
from simulator.telemetry.sensor_file.reader import SensorFile, content_of
from simulator.tools.sensors.contents import SensorContents
from terrain.objects.labels import LABELS, NAMES

NAME, IMAGES, ANNOTATIONS = "coco", "images", "annotations.json"
CATEGORIES = [number for name, number in LABELS.items() if name not in ("none", "ground")]
HIDDEN = 0.99
"""Occlusion from which a box without pixels is left out."""
PIXELS, BOXES = "object image", "projected true box"
"""Sources of an annotation."""


def export(run: ExportedRun, output: Output) -> None:
    """Plan the folder coco, and coco-2 ... after restarts. Raises OutputError; JounceError: the run has no color images."""
    found = False
    for number in range(1, len(run.sensor_files) + 1):
        with run.need_sensors(number) as sensors:
            cameras = [one for one in cameras_in(sensors) if any(map(has_color, measurements(sensors, one, run.interval)))]
        if cameras:
            found = True
            (folder,) = output.need_free([numbered(NAME, number)])
            about = {"run": run.folder_name, "cameras": [one.name for one in cameras]}
            output.directory(folder, about, lambda path, number=number, cameras=cameras: _write(path, run, number, cameras))  # type: ignore[misc]
    if not found:
        raise run.no_data("coco", "color images", "a run with a camera that records images of color")


def _write(path: Path, run: ExportedRun, start: int, cameras: list[SensorContents]) -> None:
    (path / IMAGES).mkdir(parents=True)
    world = RecordedWorld(run, start)
    with run.need_sensors(start) as sensors, open(path / ANNOTATIONS, "w", encoding="utf-8") as stream:
        stream.write('{"annotations": [')
        images: list[dict[str, Any]] = []
        count = 0
        for camera in cameras:
            for frame, measured in enumerate(one for one in measurements(sensors, camera, run.interval) if has_color(one)):
                name = write_color(measured, path / IMAGES, f"{camera.name}_{frame:06d}", keep=True)
                view = Camera.of(measured)
                number = len(images) + 1
                images.append({
                    "id": number, "file_name": name, "width": view.lens.width, "height": view.lens.height, "camera": camera.name, "time_s": measured.time,
                })  # fmt: skip
                for one in _annotations(measured, sensors, view, world):
                    count += 1
                    _put(stream, {"id": count, "image_id": number, **one}, is_first=count == 1)
        stream.write("\n], ")
        rest = {
            "info": {
                "description": run.about.get("title", run.folder_name), "run": run.folder_name, "version": run.about.get("version", ""),
            }, "licenses": [],
            "categories": [{"id": number, "name": NAMES[number], "supercategory": ""} for number in CATEGORIES], "images": images,
        }  # fmt: skip
        stream.write(json_text(rest)[1:] + "\n")


def _put(stream: TextIO, annotation: dict[str, Any], is_first: bool) -> None:
    stream.write(("\n" if is_first else ",\n") + json_text(annotation))


def _annotations(measured: Measured, sensors: SensorFile, view: Camera, world: RecordedWorld) -> Iterator[dict[str, Any]]:
    """Yield the annotations of an image without their numbers."""
    objects = pixels(measured, OBJECT)
    if objects is not None:
        labels = pixels(measured, LABEL)
        with content_of(sensors.file):  # images of different sizes
            found = list(annotations_of(objects, labels, world))
        yield from found
        return
    for box in CameraBoxes(sensors, view, world).at(measured.time):
        if box.occlusion < HIDDEN and box.label in CATEGORIES:
            yield _annotation(box.label, box.rectangle, float(box.rectangle[2] * box.rectangle[3]), [], box.id, BOXES)


def annotations_of(objects: NDArray[Any], labels: NDArray[Any] | None, world: RecordedWorld) -> Iterator[dict[str, Any]]:
    """Yield the annotations of an image of object numbers (h, w); the label of an object is that of most of its pixels, or of the world."""
    numbers = np.unique(objects)
    for number in numbers[numbers > 0].tolist():
        mask = objects == number
        label = int(np.bincount(labels[mask]).argmax()) if labels is not None else world.label(number)
        if label not in CATEGORIES:
            continue
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        rectangle = [int(columns[0]), int(rows[0]), int(columns[-1] - columns[0] + 1), int(rows[-1] - rows[0] + 1)]
        segmentation = {"size": list(mask.shape), "counts": run_lengths(mask)}
        yield _annotation(label, rectangle, float(mask.sum()), segmentation, number, PIXELS)


def run_lengths(mask: NDArray[np.bool_]) -> list[int]:
    """Return the lengths of runs of a mask (h, w), column by column, the first one of False: an RLE of COCO that is not packed."""
    flat = mask.T.reshape(-1)
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    lengths = np.diff(np.concatenate(([0], edges, [len(flat)]))).tolist()
    return [0, *lengths] if flat[0] else lengths


def _annotation(label: int, rectangle: Any, area: float, segmentation: Any, number: int, source: str) -> dict[str, Any]:
    return {
        "category_id": label, "bbox": [float(one) for one in rectangle], "area": area, "segmentation": segmentation, "iscrowd": 0,
        "track_id": number, "source": source,
    }  # fmt: skip
