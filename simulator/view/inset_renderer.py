"""Insets of the window: the last camera image, and the last point cloud and the last obstacle map from above."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.errors import DeviceError
from simulator.view.gl_objects import Mesh, Program, Texture
from simulator.view.inset_block import BLOCK_FILE, InsetBlock
from simulator.view.inset_images import top_view
from simulator.view.instrument_layout import Box
from simulator.view.map_view import map_image

WIDTH, HEIGHT = 288.0, 216.0
"""Maximum size of an inset [pixels of the canvas]."""


class Inset:
    """One image on the graphics device."""

    def __init__(self) -> None:
        self.title = ""
        self._texture: Texture | None = None

    def show(self, title: str, image: NDArray[np.uint8]) -> None:
        """Show an image (height, width, 3) from now on."""
        self.title = title
        pixels = np.dstack((image, np.full(image.shape[:2], 255, np.uint8)))
        if self._texture is None or self._texture.shape != pixels.shape[:2]:
            self._texture = Texture(pixels, gl.GL_CLAMP_TO_EDGE, mipmaps=False)
        else:
            self._texture.put(0, 0, pixels)

    @property
    def size(self) -> tuple[float, float] | None:
        """Width and height on the canvas; None before the first image."""
        if self._texture is None:
            return None
        rows, columns = self._texture.shape
        scale = min(WIDTH / columns, HEIGHT / rows)
        return columns * scale, rows * scale

    def bind(self) -> int:
        """Bind the texture and return its unit."""
        assert self._texture is not None
        return self._texture.bind(0)


class Insets:
    """Insets of a drive. Raises DeviceError: the block does not exist any more."""

    def __init__(self, block: InsetBlock) -> None:
        self._block = block
        self.camera, self.lidar, self.map = Inset(), Inset(), Inset()
        self._program = Program("inset", lit=False)
        self._mesh = Mesh(np.array([[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]), (2,))

    @staticmethod
    def of_drive(folder: Path) -> Insets | None:
        """Return the insets of the drive with this folder; None if it has none."""
        try:
            return Insets(InsetBlock((folder / BLOCK_FILE).read_text(encoding="utf-8")))
        except (OSError, DeviceError):
            return None

    def update(self) -> None:
        """Take new data."""
        if (image := self._block.new_image()) is not None:
            self.camera.show(*image)
        if (cloud := self._block.new_points()) is not None:
            self.lidar.show(cloud[0], top_view(cloud[1]))

        if (new_map := self._block.new_map()) is not None:
            self.map.show(new_map[0], map_image(new_map[1]))

    @property
    def shown(self) -> list[Inset]:
        """Insets with an image."""
        return [one for one in (self.map, self.camera, self.lidar) if one.size is not None]

    def draw(self, inset: Inset, box: Box, width: float, height: float) -> None:
        """Draw an inset on a canvas of this size over the current frame buffer."""
        gl.glDisable(gl.GL_DEPTH_TEST)
        self._program.use().set(size=(width, height), box=tuple(box), image=inset.bind())
        self._mesh.draw()

    def close(self) -> None:
        """Close the block."""
        self._block.close()
