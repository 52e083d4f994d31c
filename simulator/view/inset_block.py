"""Last camera image, last point cloud and last obstacle map of a drive for the insets of the window, in a block of shared memory of their own.

Two tickets guard each part, as those of the view block: the writer sets the first, copies, and sets the second. A reader that sees different
tickets takes the part later.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Table, dtype_of, layout_hash
from simulator.view.map_view import MAX_BYTES, MapView
from simulator.view.memory_block import attach_block, close_block, create_block

BLOCK_FILE = "insets.txt"
"""File in the folder of a drive with the name of the block; missing without insets."""
MAX_PIXELS, MAX_POINTS = 640 * 480, 1 << 17
"""Maximum size of the parts. Of larger images and clouds, every second, third ... row and column, or point, is shown."""
_HEAD: Table = (
    ("magic", (), "1", "constant MAGIC", "u8"),
    ("name", (3,), "", "name of the camera, and of the lidar; title of the map", "S40"),
    ("begin", (3,), "1", "ticket set before the data, of image, cloud and map", "u8"),
    ("end", (3,), "1", "ticket set after the data", "u8"),
    ("size", (3, 2), "1", "height and width of the image; number of points, 0; number of bytes, 0", "i8"),
)
_IMAGE, _CLOUD, _MAP = 0, 1, 2
MAGIC = layout_hash(_HEAD)
_SIZE = dtype_of(_HEAD).itemsize
_AT = -(-(_SIZE + 3 * MAX_PIXELS) // 64) * 64
"""Offset of the points."""
_MAP_AT = _AT + 12 * MAX_POINTS
"""Offset of the map."""


class InsetBlock:
    """Block of the host (without a name), or of a view. Raises DeviceError."""

    def __init__(self, name: str | None = None) -> None:
        self._owner = name is None
        self._memory = create_block(None, _MAP_AT + MAX_BYTES) if name is None else attach_block(name, "block of insets")
        self.name = self._memory.name
        buffer: Any = self._memory.buf
        self._head = np.frombuffer(buffer, dtype_of(_HEAD), 1)[0]
        self._pixels = np.frombuffer(buffer, np.uint8, 3 * MAX_PIXELS, _SIZE)
        self._points = np.frombuffer(buffer, np.float32, 3 * MAX_POINTS, _AT)
        self._map = np.frombuffer(buffer, np.uint8, MAX_BYTES, _MAP_AT)
        self._seen = [0, 0, 0]
        if self._owner:
            self._head["magic"] = MAGIC
        elif int(self._head["magic"]) != MAGIC:
            raise DeviceError(f"shared memory {name}: written by another version of Jounce; hint: restart the drive")

    def put_image(self, name: str, image: NDArray[np.uint8]) -> None:
        """Write an image (height, width, 3)."""
        step = math.ceil(math.sqrt(image.shape[0] * image.shape[1] / MAX_PIXELS))
        image = image[::step, ::step]
        self._put(_IMAGE, name, image.shape[:2], self._pixels[: image.size].reshape(image.shape), image)

    def put_points(self, name: str, points: NDArray[Any]) -> None:
        """Write a cloud, a structured array with x, y, z in sensor axes [m]; NaN = a miss."""
        flat = points.reshape(-1)
        flat = flat[:: math.ceil(len(flat) / MAX_POINTS) or 1]
        out = self._points[: 3 * len(flat)].reshape(3, -1)
        self._put(_CLOUD, name, (len(flat), 0), out, (flat["x"], flat["y"], flat["z"]))

    def put_map(self, title: str, view: MapView) -> None:
        """Write an obstacle map."""
        data = view.to_bytes()
        self._put(_MAP, title, (len(data), 0), self._map[None, : len(data)], (data,))

    def _put(self, part: int, name: str, size: tuple[int, ...], out: NDArray[Any], values: Any) -> None:
        head = self._head
        ticket = head["begin"][part] + np.uint64(1)
        head["begin"][part] = ticket
        head["name"][part], head["size"][part] = _short(name), size
        for row, value in zip(out, values, strict=True):
            row[...] = value
        head["end"][part] = ticket

    def new_image(self) -> tuple[str, NDArray[np.uint8]] | None:
        """Return name and image (height, width, 3) if there is one that was not returned yet."""
        height, width = (int(n) for n in self._head["size"][_IMAGE])
        return self._take(_IMAGE, self._pixels[: 3 * height * width].reshape(height, width, 3))

    def new_points(self) -> tuple[str, NDArray[np.float32]] | None:
        """Return name and points (3, n) x, y, z if there are some that were not returned yet."""
        count = int(self._head["size"][_CLOUD][0])
        return self._take(_CLOUD, self._points[: 3 * count].reshape(3, -1) if count else self._points[:0].reshape(3, 0))

    def new_map(self) -> tuple[str, MapView] | None:
        """Return title and map if there is one that was not returned yet."""
        taken = self._take(_MAP, self._map[: int(self._head["size"][_MAP][0])])
        return None if taken is None else (taken[0], MapView.from_bytes(taken[1]))

    def _take(self, part: int, values: NDArray[Any]) -> tuple[str, NDArray[Any]] | None:
        end = int(self._head["end"][part])
        if end == self._seen[part]:
            return None
        name, values_copy = bytes(self._head["name"][part]).decode(errors="replace"), values.copy()
        if int(self._head["begin"][part]) != end:
            return None
        self._seen[part] = end
        return name, values_copy

    def close(self) -> None:
        """Close the block; the host removes it."""
        del self._head, self._pixels, self._points, self._map
        close_block(self._memory, unlink=self._owner)


def _short(name: str) -> bytes:
    """Return a name as at most 40 bytes, cut between two characters."""
    return name.encode()[:40].decode(errors="ignore").encode()
