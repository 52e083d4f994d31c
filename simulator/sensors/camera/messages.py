"""Images of a camera in the file of sensor data: topics as those of a camera driver in ROS, in the optical frame of the camera.

image_raw, or image_raw/compressed     color
depth/image_raw, label/image_raw, object/image_raw     32FC1 [m], mono8, 32SC1
camera_info                            intrinsics, with each image
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simulator.sensors.camera.geometry import R_SC
from simulator.sensors.camera.parameters import OPENGL, RAW, intrinsics_of
from simulator.sensors.contract import SensorSettings
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.definitions import CAMERA_INFO, COMPRESSED_IMAGE, IMAGE
from simulator.sensors.messages.image import camera_info, compressed_image, image
from simulator.sensors.messages.topic import Frame, Message, Recording, Topic


def recording(settings: SensorSettings) -> Recording:
    """Return the topics of a camera."""
    values, frame = settings.values, f"{settings.name}_optical"
    camera, form = intrinsics_of(values), values["color_format"]
    rendered = {} if settings.renderer is None else {"renderer": settings.renderer.renderer}
    topics = []
    for name in values["images"]:
        by_opengl = name == "color" or values["depth_from"] == OPENGL
        raw = name != "color" or form == RAW
        where = ("" if name == "color" else f"{name}/") + ("image_raw" if raw else "image_raw/compressed")
        made = _raw(name, frame) if raw else _compressed(name, frame, form)
        topics.append(Topic(where, IMAGE if raw else COMPRESSED_IMAGE, made, rendered if by_opengl else {}))
    size = camera.width, camera.height

    def info(one: Measurement) -> Message | None:
        return camera_info(one.time, frame, size, camera.K, camera.D) if one.arrays else None

    topics.append(Topic("camera_info", CAMERA_INFO, info))
    return Recording(tuple(topics), (Frame(frame, settings.name, np.zeros(3), R_SC),))


def _raw(name: str, frame: str) -> Callable[[Measurement], Message | None]:
    return lambda one: image(one.time, frame, one.arrays[name]) if name in one.arrays else None


def _compressed(name: str, frame: str, form: str) -> Callable[[Measurement], Message | None]:
    return lambda one: compressed_image(one.time, frame, one.arrays[name], form) if name in one.arrays else None
