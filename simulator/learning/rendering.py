"""Pictures of the vehicles of environments: arrays through EGL, or a window."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.builder.builder import view_geometry
from simulator.learning.arena import Arena

RENDER_MODES = ("rgb_array", "human")
SIZE = (480, 270)
"""pixels. Size of a picture."""


class Renderer:
    """Draws vehicles of an arena. Raises DeviceError: EGL or a display is missing."""

    def __init__(self, mode: str, camera: str) -> None:
        self._mode, self._camera = mode, camera
        self._views: dict[int, Any] = {}

    def picture(self, arena: Arena, vehicle: int) -> NDArray[np.uint8]:
        """Return the picture (height, width, 3) of a vehicle."""
        from simulator.view.offscreen import Offscreen

        fleet = arena.fleet_of(vehicle)
        view = self._views.get(id(fleet))
        if view is None:
            view = self._views[id(fleet)] = Offscreen(*SIZE, fleet.ground, view_geometry(fleet.kind), samples=1)
            view.camera, view.scene.instruments = self._camera, False
        image: NDArray[np.uint8] = view.render(fleet.readout(vehicle))
        return image.copy()

    def show(self, arena: Arena, vehicle: int) -> None:
        """Show a vehicle in a window."""
        raise NotImplementedError(time)

    def close(self) -> None:
        """Release the surfaces, or end the window."""
        for view in self._views.values():
            view.close()
        self._views.clear()
