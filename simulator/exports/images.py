"""Images of cameras in the sensor data of a run, for formats that are folders of images."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from simulator.exports.recorded_frames import Measured
from simulator.sensors.messages.image import pixels_of
from simulator.sensors.messages.png import png_bytes
from simulator.telemetry.sensor_file.reader import SensorFile, content_of
from simulator.tools.sensors.contents import SensorContents, sensors_in

COLOR, PACKED, LABEL, OBJECT, INFO = "image_raw", "image_raw/compressed", "label/image_raw", "object/image_raw", "camera_info"
"""Ends of the topics of a camera."""


def cameras_in(file: SensorFile) -> list[SensorContents]:
    """Return the cameras of a file with color images and intrinsics."""
    return [
        one
        for one in sensors_in(file)
        if f"/{one.name}/{INFO}" in file.topics and (f"/{one.name}/{COLOR}" in file.topics or f"/{one.name}/{PACKED}" in file.topics)
    ]


def has_color(measured: Measured) -> bool:
    """Return whether a measurement has a color image and its intrinsics."""
    return INFO in measured.messages and (COLOR in measured.messages or PACKED in measured.messages)


def pixels(measured: Measured, end: str) -> NDArray[Any] | None:
    """Return the image of a topic of a measurement; None if there is none. Raises ConfigError: it cannot be decoded."""
    message = measured.messages.get(end)
    if message is None:
        return None
    fields = message.fields
    with content_of(message.file):
        return pixels_of(fields)


def write_color(measured: Measured, folder: Path, stem: str, keep: bool) -> str:
    """Write the color image of a measurement as PNG, and return the name of the file. `keep`: a JPEG image stays as it is."""
    packed = measured.messages.get(PACKED)
    if packed is not None:
        fields = packed.fields
        form = "png" if "png" in fields["format"] else "jpg"
        if form == "png" or keep:
            (folder / f"{stem}.{form}").write_bytes(bytes(fields["data"]))
            return f"{stem}.{form}"
    image = pixels(measured, PACKED if packed is not None else COLOR)
    assert image is not None
    (folder / f"{stem}.png").write_bytes(png_bytes(image))
    return f"{stem}.png"
