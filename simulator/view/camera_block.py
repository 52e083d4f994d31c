"""Request and images of one camera in a block of shared memory, between a host and the process that renders its cameras."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.errors import DeviceError
from simulator.base.records import Record, Table, dtype_of, layout_hash
from simulator.view.camera_images import CAMERA, NO_COLOR, NO_DEPTH, NO_NUMBER, Images
from simulator.view.memory_block import attach_block, close_block, create_block

_REQUEST: Table = (
    *CAMERA,
    ("magic", (), "1", "constant MAGIC", "u8"),
    ("pixels", (), "pixels", "maximum number of pixels of an image", "i8"),
    ("p_WC", (3,), "m", "position of the camera"),
    ("R_WC", (3, 3), "1", "optical axes, x right, y down, z forward"),
    ("color", (), "1", "1 = with colors", "i8"),
    ("numbers", (), "1", "1 = with numbers and depths", "i8"),
    ("smooth", (), "1", "1 = remove all ruts first", "i8"),
    ("renderer", (), "", "name of the renderer", "S64"),
)
MAGIC = layout_hash(_REQUEST)
_HEAD = dtype_of(_REQUEST)
_BYTES = 3 + 4 + 4
"""Bytes of a pixel: color, number, depth."""


class CameraBlock:
    """Block of the host (`pixels` given) or of the process (`name` given). Raises DeviceError.

    Attributes
    ----------
    request : fields of the table in this module
    """

    def __init__(self, name: str | None = None, pixels: int = 0) -> None:
        self._owner = name is None
        size = _HEAD.itemsize + _BYTES * pixels
        self._memory = attach_block(name, "camera block") if name is not None else create_block(None, size)
        self.name = self._memory.name
        buffer: Any = self._memory.buf
        self.request: Record = np.frombuffer(buffer, _HEAD, 1)
        if self._owner:
            self.request[0]["magic"], self.request[0]["pixels"] = MAGIC, pixels
        elif int(self.request[0]["magic"]) != MAGIC:
            raise DeviceError(f"shared memory {name}: written by another version of Jounce; hint: restart")
        self.pixels = int(self.request[0]["pixels"])
        at = _HEAD.itemsize
        self._number = np.frombuffer(buffer, np.int32, self.pixels, at)
        self._depth = np.frombuffer(buffer, np.float32, self.pixels, at + 4 * self.pixels)
        self._color = np.frombuffer(buffer, np.uint8, 3 * self.pixels, at + 8 * self.pixels)

    @property
    def images(self) -> Images:
        """Images of the request, in the block."""
        r = self.request[0]
        shape = int(r["height"]), int(r["width"])
        count = shape[0] * shape[1]
        color = self._color[: 3 * count].reshape(*shape, 3) if r["color"] else NO_COLOR
        if not r["numbers"]:
            return Images(color, NO_NUMBER, NO_DEPTH)
        return Images(color, self._number[:count].reshape(shape), self._depth[:count].reshape(shape))

    def close(self) -> None:
        """Close the block; the host removes it."""
        del self.request, self._number, self._depth, self._color
        close_block(self._memory, unlink=self._owner)
