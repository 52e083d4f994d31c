"""Pictures of the vehicles of environments: arrays through EGL, or the window of a drive."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Record
from simulator.builder.builder import view_geometry
from simulator.view.vehicle_states import NO_STATES
from terrain.ground import Ground
from vehicles.vehicle import Vehicle

RENDER_MODES = ("rgb_array", "human")
SIZE = (480, 270)
"""pixels. Size of a picture."""


LONGEST_START = 30.0
"""s to wait for the first image of the window."""
SMOOTHING = 0.1
"""Part of the last image in the real-time factor of the window."""


class Sight(NamedTuple):
    """What to show."""

    ground: Ground
    vehicle: Vehicle
    readout: Record
    """(1,) READOUT"""
    selector: int = 1
    """-1 reverse, 0 neutral, 1 drive"""
    others: Record = NO_STATES
    """Other vehicles, records of `simulator.view.vehicle_states.VEHICLE`."""


class Renderer:
    """Draws sights, one ground at a time.

    Parameters
    ----------
    mode : of RENDER_MODES
    camera : one of `simulator.view.camera_names.CAMERAS`
    pause : shortest time between two images in the window [s]
    """

    def __init__(self, mode: str, camera: str, pause: float) -> None:
        self.mode, self._camera, self._pause = mode, camera, pause
        self._view: Any = None
        self._ground: Ground | None = None

    def picture(self, sight: Sight) -> NDArray[np.uint8]:
        """Return a picture (height, width, 3). Raises DeviceError: EGL is missing."""
        from simulator.view.offscreen import Offscreen

        if self._ground is not sight.ground:
            self.close()
            self._view, self._ground = Offscreen(*SIZE, sight.ground, view_geometry(sight.vehicle), samples=1), sight.ground
            self._view.camera, self._view.scene.instruments = self._camera, False
        self._view.scene.place_vehicles(sight.others)
        image: NDArray[np.uint8] = self._view.render(sight.readout)
        return image.copy()

    def show(self, sight: Sight) -> None:
        """Show a sight in the window, at most in real time. Raises DeviceError: there is no display, or the window was closed."""
        if self._ground is not sight.ground:
            self.close()
            self._view, self._ground = _Window(sight, self._camera), sight.ground
        self._view.show(sight, self._pause)

    def close(self) -> None:
        """Release the surface, or end the window."""
        if self._view is not None:
            self._view.close()
        self._view = self._ground = None


class _Window:
    """The window of a drive, in a process of its own. Raises DeviceError: there is no display."""

    def __init__(self, sight: Sight, camera: str) -> None:
        from simulator.base import cleanup
        from simulator.view.launch import start_view_process
        from simulator.view.shared_keys import KeyReader
        from simulator.view.shared_state import ViewWriter, extras

        with cleanup.defer_exit():
            self._block = ViewWriter(wheels=sight.vehicle.size.wheels, soft=sight.ground.is_soft, objects=len(sight.ground.objects))
            cleanup.register_cleanup(self._block.close)
        with cleanup.defer_exit():
            self._keys = KeyReader()
            cleanup.register_cleanup(self._keys.close)
        self._extras, self._time, self._due = extras(), -np.inf, time.perf_counter()
        self._shown = self._due
        self._extras[0]["has_platform"], self._extras[0]["selector"] = 0, sight.selector
        self._block.publish(sight.readout, self._extras, sight.others)
        try:
            geometry = view_geometry(sight.vehicle)
            self._process = start_view_process(self._block.name, self._keys.name, sight.ground, geometry, "environment", camera=camera)
        except DeviceError:
            self._keys.close()
            self._block.close()
            raise

        until = time.monotonic() + LONGEST_START
        while not self._keys.frames and self._process.alive and time.monotonic() < until:
            time.sleep(0.01)

    def show(self, sight: Sight, pause: float) -> None:
        if self._keys.closed or not self._process.alive:
            raise DeviceError(
                f"render: the window has ended{f': {self._process.complaint}' if self._process.complaint else ' (closed by the user)'}"
            )
        now, e = float(sight.readout[0]["time"]), self._extras[0]
        e["selector"] = sight.selector
        if now < self._time:
            self._block.jump()
        elif self._time > -np.inf:
            factor = (now - self._time) / max(time.perf_counter() - self._shown, 1e-6)
            e["real_time_factor"] += SMOOTHING * (factor - e["real_time_factor"])
        self._time, self._shown = now, time.perf_counter()
        self._block.publish(sight.readout, self._extras, sight.others)
        wait = self._due + pause - time.perf_counter()
        if wait > 0.0:
            time.sleep(wait)
        self._due = time.perf_counter()

    def close(self) -> None:
        self._block.mark_closed()
        self._process.close()
        self._keys.close()
        self._block.close()
