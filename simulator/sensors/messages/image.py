"""Images as `sensor_msgs/Image` and `sensor_msgs/CompressedImage`, and back; intrinsics as `sensor_msgs/CameraInfo`."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.sensors.messages.jpeg import jpeg_bytes
from simulator.sensors.messages.png import png_bytes
from simulator.sensors.messages.topic import Message, header

JPEG_QUALITY = 90
"""Quality of JPEG images, 1 to 95."""
_ENCODINGS = {
    ("u1", 3): "rgb8", ("u1", 1): "mono8", ("<u2", 1): "mono16", ("i1", 1): "8SC1", ("<i2", 1): "16SC1", ("<i4", 1): "32SC1", ("<f4", 1): "32FC1",
    ("<f8", 1): "64FC1", ("<f4", 3): "32FC3",
}  # fmt: skip
_FORMS = {encoding: form for form, encoding in _ENCODINGS.items()}


def encoding_of(image: NDArray[Any]) -> str:
    """Return the encoding of an image (h, w) or (h, w, 3) by its name in ROS; "" if there is none."""
    return encoding_of_form(image.dtype, image.shape[2] if image.ndim == 3 else 1) if image.ndim in (2, 3) else ""


def encoding_of_form(dtype: np.dtype, channels: int) -> str:
    """Return the encoding of images with a type and a number of channels; "" if there is none."""
    code = dtype.str.lstrip("|=<")
    return _ENCODINGS.get((code if dtype.itemsize == 1 else f"<{code}", channels), "")


def image(time: float, frame: str, pixels: NDArray[Any]) -> Message:
    """Return an image (h, w) or (h, w, 3) as a message: color as rgb8, numbers in their type, for example depth [m] as 32FC1."""
    height, width = pixels.shape[:2]
    return {
        "header": header(time, frame), "height": height, "width": width, "encoding": encoding_of(pixels), "is_bigendian": 0,
        "step": pixels.strides[0] if pixels.flags.c_contiguous else width * pixels.itemsize * (pixels.size // (height * width)),
        "data": np.ascontiguousarray(pixels).reshape(-1).view(np.uint8).data,
    }  # fmt: skip


def compressed_image(time: float, frame: str, pixels: NDArray[np.uint8], form: str) -> Message:
    """Return an image (h, w) or (h, w, 3) as a message in the form "png" or "jpeg"."""
    return {"header": header(time, frame), "format": f"{encoding_of(pixels)}; {form} compressed", "data": encoded(pixels, form)}


def encoded(pixels: NDArray[np.uint8], form: str) -> bytes:
    """Return an image (h, w) or (h, w, 3) as the bytes of a PNG or JPEG file."""
    return png_bytes(pixels) if form == "png" else jpeg_bytes(pixels)


def pixels_of(message: Mapping[str, Any]) -> NDArray[Any]:
    """Return the pixels of an `Image` or `CompressedImage`, (h, w) or (h, w, 3). Raises ValueError: an unknown encoding."""
    if "encoding" not in message:
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(bytes(message["data"]))))
    if message["encoding"] not in _FORMS:
        raise ValueError(f"images with the encoding {message['encoding']} cannot be read")
    code, channels = _FORMS[message["encoding"]]
    rows = np.frombuffer(message["data"], np.uint8).reshape(message["height"], message["step"])
    pixels = np.ascontiguousarray(rows[:, : message["width"] * channels * np.dtype(code).itemsize]).view(code)
    return pixels.reshape(message["height"], message["width"], 3) if channels == 3 else pixels


def camera_info(time: float, frame: str, size: tuple[int, int], K: ArrayLike, D: ArrayLike) -> Message:
    """Return intrinsics as a message.

    Parameters
    ----------
    time, frame : simulated time [s] of the image, and its optical frame: x right, y down, z forward
    size : width, height [pixels]
    K : (3, 3) camera matrix [pixels], with pixel centers at integers
    D : (5,) k1, k2, p1, p2, k3 of the model plumb_bob
    """
    K = np.asarray(K, np.float64)
    region = {"x_offset": 0, "y_offset": 0, "height": 0, "width": 0, "do_rectify": False}
    return {
        "header": header(time, frame), "height": size[1], "width": size[0], "distortion_model": "plumb_bob", "d": np.asarray(D, np.float64),
        "k": K.ravel(), "r": np.eye(3).ravel(), "p": np.column_stack((K, np.zeros(3))).ravel(), "binning_x": 0, "binning_y": 0, "roi": region,
    }  # fmt: skip
