"""Host side of the process that renders the cameras of a session."""

from __future__ import annotations

import os
import select
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.base.records import Record
from simulator.view.camera_block import CameraBlock
from simulator.view.camera_images import CAMERA, Images
from simulator.view.camera_worker import READY
from simulator.view.drive_lock import DriveLock
from simulator.view.launch import OBJECTS_FILE, ViewProcess, start_process
from simulator.view.make_object_data import make_object_data
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.object_changes import ChangedObjects
from simulator.view.rut_tiles import MAX_TILES, SIDE, RutTiles
from simulator.view.shared_state import ViewWriter, extras
from simulator.view.vehicle_states import NO_STATES
from simulator.weather import CLEAR, Weather
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.rut_changes import ROWS, ChangedTiles
from terrain.rut_memory import SoilMemory

START_TIME, IMAGE_TIME = 120.0, 30.0
"""s. Maximum time until the process is ready, and for an image; a process that takes longer hangs."""
ENDING_TIME = 0.5
"""s for the process to end by itself."""


class CameraProcess:
    """Renders images of a session in a process of its own, which starts with the first image. May be used by several threads.

    Parameters
    ----------
    ground : of the session
    geometry : rows of `simulator.view.vehicle_geometry.GEOMETRY`
    weather : of the session

    Attributes
    ----------
    soil : memory of the ruts to show; None: none
    """

    def __init__(self, ground: Ground, geometry: Mapping[str, Any], weather: Weather = CLEAR) -> None:
        self._ground, self._geometry, self._weather = ground, geometry, weather
        self.soil: SoilMemory | None = None
        self._pixels = 0
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._failure = ""

    def reserve(self, camera: Record) -> None:
        """Announce a camera (record of CAMERA), so that the memory has room for its images."""
        self._pixels = max(self._pixels, int(camera[0]["width"]) * int(camera[0]["height"]))

    @property
    def renderer(self) -> str:
        """Name of the renderer, for example llvmpipe; waits until the process is ready. Empty: images cannot be rendered."""
        with self._lock:
            try:
                return self._started().renderer()
            except DeviceError as error:
                self._fail(error)
                return ""

    def render(
        self,
        camera: Record,
        pose: tuple[NDArray[np.float64], NDArray[np.float64]],
        readout: Record,
        objects: ObjectSet,
        vehicles: Record = NO_STATES,
        color: bool = True,
        numbers: bool = True,
        taken: Callable[[], None] = lambda: None,
    ) -> Images:
        """Return the images of a camera at the time of the readout; waits until they are rendered.

        Parameters
        ----------
        camera : record of CAMERA
        pose : position p_WC (3,) [m] and optical axes R_WC (3, 3), in W
        readout, objects, vehicles : vehicle, objects and other vehicles (records of VEHICLE) at this time
        color, numbers : which images
        taken : called when the arguments and the ruts were read

        Raises DeviceError: there is no EGL, or the process has ended. Each further call raises it again.
        """
        with self._lock:
            self.reserve(camera)
            try:
                return self._started().render(camera, pose, (readout, objects, vehicles), self.soil, (color, numbers), taken)
            except DeviceError as error:
                self._fail(error)
                raise

    def close(self) -> None:
        """End the process. A later image starts it again."""
        with self._lock:
            self._end()
            self._failure = ""

    def _started(self) -> _Running:
        if self._failure:
            raise DeviceError(self._failure)
        if self._running is not None and self._running.pixels < self._pixels:
            self._end()
        if self._running is None:
            self._running = _Running(self._ground, self._geometry, self._weather, self._pixels)
            self._finalizer = weakref.finalize(self, self._running.close)
        return self._running

    def _fail(self, error: DeviceError) -> None:
        self._failure = self._failure or str(error)
        self._end()

    def _end(self) -> None:
        if self._running is not None:
            self._finalizer()
            self._running = None


class _Running:
    """Running process with its blocks."""

    def __init__(self, ground: Ground, geometry: Mapping[str, Any], weather: Weather, pixels: int) -> None:
        self.pixels, self._renderer = pixels, ""
        with cleanup.defer_exit():
            self._lock = DriveLock()
            self._kept = [cleanup.register_cleanup(self._lock.release)]
        with cleanup.defer_exit():
            self._states = ViewWriter(wheels=len(geometry["tire_radius"]), soft=ground.is_soft, objects=len(ground.objects))
            self._kept.append(cleanup.register_cleanup(self._states.close))
        with cleanup.defer_exit():
            self._images = CameraBlock(pixels=pixels)
            self._kept.append(cleanup.register_cleanup(self._images.close))
        self._extra, self._objects, self._count = extras(), ChangedObjects(), len(ground.objects)
        self._soil: SoilMemory | None = None
        self._tiles: ChangedTiles | None = None
        names = [self._states.name, self._images.name]
        terrain = make_terrain_data(ground, weather)
        self._process: ViewProcess = start_process("simulator.view.camera_worker", names, terrain, geometry, [], self._lock, pipes=True)

    def render(
        self,
        camera: Record,
        pose: tuple[NDArray[np.float64], NDArray[np.float64]],
        seen: tuple[Record, ObjectSet, Record],
        soil: SoilMemory | None,
        kinds: tuple[bool, bool],
        taken: Callable[[], None],
    ) -> Images:
        """As `CameraProcess.render`; `seen`: readout, objects, vehicles; `kinds`: color, numbers."""
        readout, objects, vehicles = seen
        self.renderer()
        request = self._images.request[0]
        for name, *_ in CAMERA:
            request[name] = camera[0][name]
        request["p_WC"], request["R_WC"] = pose
        request["color"], request["numbers"] = kinds
        request["smooth"] = self._put_ruts(soil, readout[0]["p_WB"])
        self._put_objects(objects, float(readout[0]["time"]))
        self._states.publish(readout, self._extra, vehicles)
        try:
            os.write(self._process.pipes[0].fileno(), READY)
        except OSError:
            raise DeviceError(self._reason()) from None
        taken()
        self._wait(IMAGE_TIME, "has rendered no image")
        return self._images.images.copied()

    def renderer(self) -> str:
        """Return the name of the renderer when the process is ready. Raises DeviceError."""
        if not self._renderer:
            self._wait(START_TIME, "is not ready")
            self._renderer = bytes(self._images.request[0]["renderer"]).decode(errors="replace")
        return self._renderer

    def _put_objects(self, objects: ObjectSet, time: float) -> None:
        """Write the objects that were added or removed, or that have moved after they have broken off."""
        if len(objects) != self._count:
            self._count = len(objects)
            make_object_data(objects).save(self._lock.folder / OBJECTS_FILE)
            self._states.announce_objects()
        changes = self._objects.take(objects, time)
        if len(changes.rows) and self._states.objects is not None:
            self._states.objects.put(changes)

    def _put_ruts(self, soil: SoilMemory | None, position: NDArray[np.float64]) -> bool:
        """Write the ruts that have changed; return True if those of another memory are to be removed first."""
        if soil is None or self._states.ruts is None:
            return False
        other = soil is not self._soil
        if other:
            self._soil, self._tiles = soil, ChangedTiles(SIDE, MAX_TILES)
        assert self._tiles is not None
        calls = SIDE // ROWS if other else 1  # of a call, ROWS rows of the square are searched for tiles that entered it
        while calls > 0:
            tiles = RutTiles(*self._tiles.changed_tiles(soil, float(position[0]), float(position[1])))
            self._states.ruts.put(tiles)
            calls -= len(tiles.places) < MAX_TILES
        return other

    def _wait(self, seconds: float, what: str) -> None:
        """Wait for an answer. Raises DeviceError: it does not come, or the process has ended."""
        pipe, until = self._process.pipes[1].fileno(), time.monotonic() + seconds
        while not select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
            if time.monotonic() >= until:
                self._process.kill()
                raise DeviceError(f"camera images: the process that renders them {what} after {seconds:g} s")
        if not os.read(pipe, 1):
            raise DeviceError(self._reason())

    def _reason(self) -> str:
        """Return why the process has ended."""
        self._process.end(ENDING_TIME)
        if self._process.by_signal:
            return "camera images: a signal has ended the process that renders them"
        return self._process.complaint or "camera images: the process that renders them has ended"

    def close(self) -> None:
        """End the process and remove its blocks."""
        for pipe in self._process.pipes:
            pipe.close()
        self._process.close(ENDING_TIME)
        self._states.close()
        self._images.close()
        for forget in self._kept:
            forget()
