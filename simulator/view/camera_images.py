"""Images of the cameras of a vehicle, rendered offscreen through EGL by the scene of the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.view.gl_context import is_software, offscreen_context
from simulator.view.shot import Shot, pinhole_lens
from simulator.view.terrain_data import TerrainData

FAR_PLANE = 6000.0
"""m. Far plane, as that of the window."""
SAMPLES = (4, 1)
"""Samples per pixel of colors, for a graphics card and for a software renderer, which takes 2 to 3 times as long with 4."""
INSIDE_NEAR_PLANE, NEAR_PLANE = 0.08, 0.05
"""m. Near plane for the driver's eye, as in the window, and for other cameras."""

CAMERA = (
    # name      shape  unit     description                                                       type
    ("width", (), "pixels", "width of the image", "i8"),
    ("height", (), "pixels", "height of the image", "i8"),
    ("focal", (2,), "pixels", "fx, fy"),
    ("center", (2,), "pixels", "cx, cy; the centers of pixels are at integers"),
    ("inside", (), "1", "1 = shows what the driver sees of the vehicle", "i8"),
    ("shows_vehicle", (), "1", "0 = without the vehicle", "i8"),
)
"""A camera without distortion."""


class Images(NamedTuple):
    """Images (height, width) of one camera, top row first; those that were not asked for are empty."""

    color: NDArray[np.uint8]
    """(height, width, 3) sRGB"""
    number: NDArray[np.int32]
    """1 + row of the object in `simulator.view.object_data.ObjectData`; 0 = ground, -1 = nothing, -2 = own vehicle"""
    depth: NDArray[np.float32]
    """m, along the optical axis; inf = nothing"""

    def copied(self) -> Images:
        """Return images with their own memory."""
        return Images(self.color.copy(), self.number.copy(), self.depth.copy())

    def write(self, images: Images) -> None:
        """Overwrite these images by others of the same sizes."""
        self.color[:], self.number[:], self.depth[:] = images


NO_COLOR, NO_NUMBER, NO_DEPTH = np.zeros((0, 0, 3), np.uint8), np.zeros((0, 0), np.int32), np.zeros((0, 0), np.float32)


class CameraImages:
    """Renders cameras. Raises DeviceError when EGL is missing (one line with the packages).

    Parameters
    ----------
    terrain, geometry : of the scene
    """

    def __init__(self, terrain: TerrainData, geometry: Mapping[str, Any]) -> None:
        self._window = offscreen_context()
        from simulator.view.gl_objects import renderer
        from simulator.view.scene import Scene

        self.scene = Scene(terrain, geometry, exact=True)
        self.renderer = renderer()
        self._frames: dict[tuple[int, ...], Any] = {}

    def render(self, camera: Record, p_WC: NDArray, R_WC: NDArray, state: Record, color: bool = True, numbers: bool = True) -> Images:
        """Return the images of a camera (record of CAMERA) at p_WC, with the optical axes R_WC (x right, y down, z forward), of a state."""
        c = camera[0]
        size = int(c["width"]), int(c["height"])
        inside = bool(c["inside"])
        near = INSIDE_NEAR_PLANE if inside else NEAR_PLANE
        shot = Shot(
            np.asarray(p_WC, float), np.asarray(R_WC, float) * (1.0, -1.0, -1.0), 1.0, near, inside=inside, shows_vehicle=bool(c["shows_vehicle"]),
            lens=pinhole_lens(size, tuple(c["focal"].tolist()), tuple(c["center"].tolist()), near, FAR_PLANE),
        )  # fmt: skip
        return Images(
            self._color(shot, state, size) if color else NO_COLOR, *(self._numbers(shot, state, size) if numbers else (NO_NUMBER, NO_DEPTH))
        )

    def _color(self, shot: Shot, state: Record, size: tuple[int, int]) -> NDArray[np.uint8]:
        from simulator.view.gl_objects import Frame

        if size not in self._frames:
            self._frames[size] = Frame(*size, SAMPLES[is_software(self.renderer)])
        frame = self._frames[size]
        self.scene.draw_from(shot, state, frame.id, *size)
        pixels: NDArray[np.uint8] = frame.read()
        return pixels

    def _numbers(self, shot: Shot, state: Record, size: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        from simulator.view.gl_objects import NumberFrame

        key = (*size, 0)
        if key not in self._frames:
            self._frames[key] = NumberFrame(*size)
        self.scene.draw_numbers(shot, state, self._frames[key])
        numbers: tuple[NDArray[np.int32], NDArray[np.float32]] = self._frames[key].read()
        return numbers

    def close(self) -> None:
        """Release the surface."""
        self._window.close()
