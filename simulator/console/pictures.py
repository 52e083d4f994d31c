"""Pictures of a drive for the pages: camera, lidar from above, obstacle map. They are encoded in a thread, a few times a second, if a page shows them."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from simulator.view.inset_block import InsetBlock
from simulator.view.inset_images import top_view
from simulator.view.map_view import map_image

PERIOD = 0.25
"""s between two pictures of a part."""
QUALITY = 80
"""Of a camera image, 1 to 95."""
MAP_SIDE = 324
"""Pixels along a side of the obstacle map."""
CAMERA, LIDAR, MAP = PARTS = "camera", "lidar", "map"


class Pictures:
    """Last picture of each part.

    Parameters
    ----------
    name : block of the drive with the data; empty: the drive has no pictures

    Attributes
    ----------
    latest : message with the last picture by part, and its number
    """

    def __init__(self, name: str) -> None:
        self.latest: dict[str, tuple[int, bytes]] = {}
        self._block = InsetBlock(name) if name else None

    async def serve(self, shown_names: Callable[[], set[str]]) -> None:
        """Encode new pictures of the wanted parts for ever."""
        while self._block is not None:
            parts = shown_names()
            if parts:
                await asyncio.to_thread(self._encode, parts)
            await asyncio.sleep(PERIOD)

    def close(self) -> None:
        """Leave the block."""
        if self._block is not None:
            self._block.close()

    def _encode(self, parts: set[str]) -> None:
        block = self._block
        assert block is not None
        if CAMERA in parts and (image := block.new_image()) is not None:
            self._put(CAMERA, image[0], image[1], "JPEG", quality=QUALITY)
        if LIDAR in parts and (points := block.new_points()) is not None:
            self._put(LIDAR, points[0], top_view(points[1]), "PNG", compress_level=1)
        if MAP in parts and (view := block.new_map()) is not None:
            self._put(MAP, view[0], map_image(view[1], MAP_SIDE), "PNG", compress_level=1)

    def _put(self, part: str, title: str, image: NDArray[np.uint8], form: str, **options: Any) -> None:
        """Store a message: number of the part, length of the title in bytes, title, file."""
        file, name = io.BytesIO(), title.encode()[:255]
        Image.fromarray(image).save(file, form, **options)
        number = self.latest.get(part, (0, b""))[0] + 1
        self.latest[part] = number, bytes((PARTS.index(part), len(name))) + name + file.getvalue()
