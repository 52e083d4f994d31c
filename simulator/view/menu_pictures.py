"""Pictures of the rows of a menu, JPEG files of assets/pictures as textures, and the picture behind a menu."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.view.gl_objects import Mesh, Program, Texture
from simulator.view.instrument_layout import Box
from simulator.view.instruments import asset


class Backdrop:
    """Picture behind a menu that fills the image; its edges may be cut off."""

    def __init__(self) -> None:
        self._program = Program("inset", lit=False)
        self._mesh = Mesh(np.array([[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]), (2,))
        self._texture: Texture | None = None

    def show(self, image: NDArray[np.uint8]) -> None:
        """Show an image (height, width, 3), top row first, from now on."""
        pixels = np.dstack((image, np.full(image.shape[:2], 255, np.uint8)))
        if self._texture is None or self._texture.shape != pixels.shape[:2]:
            self._texture = Texture(pixels, gl.GL_CLAMP_TO_EDGE, mipmaps=False)
        else:
            self._texture.put(0, 0, pixels)

    def draw(self, width: float, height: float) -> None:
        """Draw the picture over the current frame buffer."""
        if self._texture is None:
            return
        rows, columns = self._texture.shape
        scale = max(width / columns, height / rows)
        w, h = scale * columns, scale * rows
        gl.glDisable(gl.GL_DEPTH_TEST)
        box = (0.5 * (width - w), 0.5 * (height - h), w, h)
        self._program.use().set(size=(width, height), box=box, image=self._texture.bind(0))
        self._mesh.draw()


class MenuPictures:
    """Textures of pictures, each loaded at its first use."""

    def __init__(self) -> None:
        self._program = Program("inset", lit=False)
        self._mesh = Mesh(np.array([[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]), (2,))
        self._textures: dict[str, Texture] = {}

    def draw(self, pictures: Iterable[tuple[str, Box]], width: float, height: float) -> None:
        """Draw pictures in their boxes on a canvas of this size over the current frame buffer."""
        gl.glDisable(gl.GL_DEPTH_TEST)
        for name, box in pictures:
            self._program.use().set(size=(width, height), box=tuple(box), image=self._texture(name).bind(0))
            self._mesh.draw()

    def _texture(self, name: str) -> Texture:
        """Return the texture of a picture."""
        if name not in self._textures:
            from PIL import Image

            with Image.open(asset(f"pictures/{name}.jpg")) as image:
                pixels = np.asarray(image.convert("RGBA"), np.uint8)
            self._textures[name] = Texture(pixels, gl.GL_CLAMP_TO_EDGE)
        return self._textures[name]
