"""Rendering without a window: PNG frames and screenshot tests through EGL, and measurement of the frame rate."""

from __future__ import annotations

import contextlib
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import OutputError
from simulator.base.records import Record, record, sized
from simulator.view.camera_names import CAMERAS
from simulator.view.detail import Detail
from simulator.view.gl_context import offscreen_context
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.shared_state import EXTRAS, STATE, extras
from simulator.view.terrain_data import TerrainData
from vehicles.readout import READOUT


class Offscreen:
    """Renders states into arrays.

    Parameters
    ----------
    width, height : size of the image in pixels
    ground : a `terrain.ground.Ground`, or a `TerrainData` made from one
    geometry : rows of `simulator.view.vehicle_geometry.GEOMETRY`
    samples : samples per pixel; 1 is the fastest, 4 has smooth edges
    detail : level of detail; None: depends on the renderer

    Raises DeviceError when EGL is missing (one line with the packages), ConfigError for an invalid geometry.
    """

    def __init__(
        self, width: int, height: int, ground: Any, geometry: Mapping[str, Any], samples: int = 4, detail: Detail | None = None
    ) -> None:
        self._window = offscreen_context()
        from simulator.view.gl_objects import Frame, renderer
        from simulator.view.scene import Scene

        self.scene = Scene(ground if isinstance(ground, TerrainData) else make_terrain_data(ground), geometry, detail=detail)
        self.scene.hud.live = False
        self._frame = Frame(width, height, samples)
        self.width, self.height = width, height
        self.renderer = renderer()
        self._state = record(sized(STATE, wheels=len(geometry["tire_radius"])))
        self._time = -np.inf
        self._image = np.zeros((height, width, 3), np.uint8)

    @property
    def camera(self) -> str:
        """Camera in use, one of `simulator.view.camera_names.CAMERAS`."""
        return self.scene.camera.kind

    @camera.setter
    def camera(self, kind: str) -> None:
        if kind not in CAMERAS:
            raise ValueError(f"camera {kind!r}: expected one of {', '.join(CAMERAS)}")
        self.scene.camera.kind = kind
        self.scene.camera.cut()

    def render(self, readout: Record, extra: Record | None = None) -> NDArray[np.uint8]:
        """Return the image (height, width, 3), top row first, of a readout (record of `READOUT`) and extras (record of `EXTRAS`).

        The chase camera follows in the time of the readout; a jump of that time by more than half a second is a cut.
        """
        self.draw(readout, extra)
        self._image = self._frame.read()
        return self._image

    def draw(self, readout: Record, extra: Record | None = None) -> None:
        """Draw without reading the image back."""
        for table, source in ((READOUT, readout), (EXTRAS, extras() if extra is None else extra)):
            for row in table:
                self._state[0][row[0]] = source[0][row[0]]
        now = float(readout[0]["time"])
        dt = now - self._time
        if not 0.0 <= dt <= 0.5:
            self.scene.cut()
            dt = 0.0
        self._time = now
        self.scene.draw(self._state, dt, self._frame.id, self.width, self.height)

    def save_png(self, path: Path | str) -> None:
        """Write the last image completely or not at all. Raises OutputError when it cannot be written."""
        new = Path(f"{path}.new")
        try:
            new.write_bytes(png(self._image))
            new.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
            raise OutputError(f"{path}: cannot write the image ({error.strerror}); expected a writable folder") from error

    def finish(self) -> None:
        """Wait until all draw calls are finished."""
        from pyglet import gl

        gl.glFinish()

    def close(self) -> None:
        """Release the surface."""
        self._window.close()


def png(image: NDArray[np.uint8]) -> bytes:
    """Return the PNG file of an (h, w, 3) image, 8 bits per channel. [PNG specification, third edition: filter 2 (up) on every row]"""
    h, w, _ = image.shape
    rows = np.empty((h, 1 + 3 * w), np.uint8)
    flat = image.reshape(h, 3 * w)
    rows[0, 0], rows[1:, 0] = 0, 2
    rows[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=rows[1:, 1:])

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 3)) + chunk(b"IEND", b"")
