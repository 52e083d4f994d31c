"""Keys of a camera in a session file, presets, and the intrinsics that follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.fields import Choice, Field, Flag, ListOf, Number
from simulator.sensors.camera.geometry import Intrinsics, with_field_of_view
from simulator.sensors.ray_threads import THREADS

IMAGES = ("color", "depth", "label", "object")
"""Images of a camera."""
LARGEST = 8192
"""Pixels. Maximum width and height."""
MAX_PIXELS = 16_000_000
"""Maximum number of pixels of an image."""
RAYS, OPENGL = "rays", "opengl"
"""Sources of depth, label and object images."""
RAW = "raw"
"""Color images without compression in the file of sensor data."""
DRIVER_EYE = "driver_eye"
"""Preset of a camera in place of the driver's eyes."""
_SIZE = Number("pixels", 2, LARGEST, whole=True)
_FOCAL = Number("pixels", 1.0, 1e6)
_CENTER = Number("pixels", -1e5, 1e5)
_FACTOR = Number("1", -1e3, 1e3)
_DISTORTION = (
    ("k1", "first radial coefficient"),
    ("k2", "second radial coefficient"),
    ("p1", "first tangential coefficient"),
    ("p2", "second tangential coefficient"),
    ("k3", "third radial coefficient"),
)

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "vga": {"width": 640, "height": 480, "horizontal_field_of_view": math.radians(90.0)},
    "hd": {"width": 1280, "height": 720, "horizontal_field_of_view": 1.408},
    "euroc": {
        "width": 752, "height": 480, "fx": 458.654, "fy": 457.296, "cx": 367.215, "cy": 248.375,
        "k1": -0.28340811, "k2": 0.07395907, "p1": 0.00019359, "p2": 1.76187114e-05,
    },
    DRIVER_EYE: {"width": 640, "height": 360, "horizontal_field_of_view": 2.0 * math.atan(math.tan(math.radians(29.0)) * 16.0 / 9.0)},
}  # fmt: skip
"""Values of the keys that a file does not give. `vga`: the default. `hd`: camera of a demonstration of Chrono::Sensor, 1.408 rad. `euroc`: calibration
of camera 0 of the EuRoC MAV data sets [Burri et al., IJRR 2016]. `driver_eye`: the driver's view of the window, 58 degrees from top to bottom."""
DEFAULT = "vga"

PARAMETERS = (
    Field("preset", Choice(tuple(PRESETS)), "defaults of the other keys", DEFAULT),
    Field("images", ListOf(Choice(IMAGES), 1, len(IMAGES)), "images of a measurement", ("color",)),
    Field("width", _SIZE, "width of the images; default: that of the preset", None),
    Field("height", _SIZE, "height of the images; default: that of the preset", None),
    Field(
        "horizontal_field_of_view",
        Number("rad", math.radians(0.1), math.radians(170.0)),
        "angle between the outer edges of the first and the last column without distortion, instead of fx; default: that of the preset",
        None,
        written="deg",
    ),
    Field("fx", _FOCAL, "focal length along the rows; default: that of the preset", None),
    Field("fy", _FOCAL, "focal length along the columns; default: that of the preset, or fx", None),
    Field("cx", _CENTER, "column of the optical axis [pixels], the first column is 0; default: that of the preset, or the middle", None),
    Field("cy", _CENTER, "row of the optical axis [pixels], the first row is 0; default: that of the preset, or the middle", None),
    *(
        Field(name, _FACTOR, f"{what} of the distortion plumb_bob of ROS; default: that of the preset, or 0", None)
        for name, what in _DISTORTION
    ),
    Field("depth_from", Choice((RAYS, OPENGL)), "source of depth, label and object images", RAYS),
    Field("max_range", Number("m", 1.0, 1e5), "maximum range of depth, label and object images", 1000.0),
    THREADS,
    Field("own_vehicle", Flag(), "whether the camera sees the own vehicle", True),
    Field("color_format", Choice((RAW, "png", "jpeg")), "form of color images in the file of sensor data", RAW),
)
"""Keys of the kind `camera`."""


def intrinsics_of(values: Mapping[str, Any]) -> Intrinsics:
    """Return the intrinsics of a camera from the keys of its section.

    Keys replace those of the preset. A focal length or a field of view replaces both of the preset, a size also the center.

    Raises JounceError: keys that contradict each other, or too many pixels.
    """
    if "fx" in values and "horizontal_field_of_view" in values:
        raise JounceError("fx and horizontal_field_of_view; expected one of them")
    given = dict(PRESETS[values.get("preset", DEFAULT)])
    if "fx" in values or "horizontal_field_of_view" in values:
        given = {name: value for name, value in given.items() if name not in ("fx", "fy", "horizontal_field_of_view")}
    if "width" in values or "height" in values:
        given = {name: value for name, value in given.items() if name not in ("cx", "cy")}
    given |= {name: value for name, value in values.items() if value is not None}
    width, height = int(given["width"]), int(given["height"])
    if width * height > MAX_PIXELS:
        raise JounceError(f"width {width}, height {height}: {width * height} pixels; expected at most {MAX_PIXELS}")
    square = with_field_of_view(width, height, given.get("horizontal_field_of_view", math.radians(90.0)))
    fx = float(given.get("fx", square.fx))
    return Intrinsics(
        width, height, fx, float(given.get("fy", fx)), float(given.get("cx", square.cx)), float(given.get("cy", square.cy)),
        *(float(given.get(name, 0.0)) for name in ("k1", "k2", "p1", "p2", "k3")),
    )  # fmt: skip
