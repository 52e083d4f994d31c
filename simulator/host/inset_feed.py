"""Feeds the insets of the window: copies the last camera image, point cloud and obstacle map of a drive into shared memory, in a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.snapshot import Snapshot
from simulator.base import cleanup
from simulator.sensors.contract import SensorKind
from simulator.sensors.measurement import Measurement
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.view.inset_block import InsetBlock
from simulator.view.inset_images import cloud_of, is_cloud

MAP_TITLE = "obstacle map"
MAX_SHOWN_BACKLOG = 4
"""Measurements that wait while the thread still shows all of them."""
NEAR_DEPTH, FAR_DEPTH = 1.0, 200.0
"""m. Depths that are white and black in a depth image, which is shown if a camera has no colors."""


class InsetFeed:
    """Insets of the first camera and of the first lidar of a drive, and of the map of a driver to a goal.

    Parameters
    ----------
    sensors : of the session

    Raises DeviceError: no shared memory.
    """

    def __init__(self, sensors: Sequence[MountedSensor]) -> None:
        with cleanup.defer_exit():
            self.block = InsetBlock()
            self._forget = cleanup.register_cleanup(self.block.close)
        self._queue: queue.SimpleQueue[tuple[str, Measurement] | Snapshot | None] = queue.SimpleQueue()
        for sensor in _shown(sensors):
            sensor.subscribe(self._receiver(sensor.name))
        self._thread = threading.Thread(target=self._work, name="insets", daemon=True)
        self._thread.start()

    def show_map(self, snapshot: Snapshot) -> None:
        """Show the map of a driver to a goal."""
        self._queue.put(snapshot)

    @staticmethod
    def has_some(sensors: Sequence[MountedSensor]) -> bool:
        """Return whether any of the sensors has an inset."""
        return bool(_shown(sensors))

    def close(self) -> None:
        """End the thread and remove the block. A second call does nothing."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
            self.block.close()
            self._forget()

    def _receiver(self, name: str) -> Any:
        return lambda measured: self._queue.put((name, measured))

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            if self._queue.qsize() > MAX_SHOWN_BACKLOG:
                continue  # the thread is late: newer data follow
            if isinstance(item, Snapshot):
                self.block.put_map(item.reason or MAP_TITLE, item.view().around())
            else:
                name, measured = item
                _put(self.block, name, measured.arrays)


def _put(block: InsetBlock, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    cloud = cloud_of(arrays)
    if cloud is not None:
        block.put_points(name, cloud)
    elif "color" in arrays:
        block.put_image(name, arrays["color"])
    elif "depth" in arrays:
        block.put_image(name, gray(arrays["depth"]))


def gray(depth: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return a depth image [m] in gray (height, width, 3), logarithmic from NEAR_DEPTH, white, to FAR_DEPTH, black."""
    share = np.log(np.clip(depth, NEAR_DEPTH, FAR_DEPTH) / NEAR_DEPTH) / np.log(FAR_DEPTH / NEAR_DEPTH)
    level = (255.0 * (1.0 - share)).astype(np.uint8)
    return np.repeat(level[..., None], 3, axis=2)


def _shown(sensors: Sequence[MountedSensor]) -> list[MountedSensor]:
    """Return the first camera and the first lidar."""
    cameras, lidars = ([one for one in sensors if is_one(one.kind)] for is_one in (_is_camera, _is_lidar))
    return cameras[:1] + lidars[:1]


def _is_camera(kind: SensorKind) -> bool:
    return any(one.name in ("color", "depth") and len(one.dimensions) > 1 for one in kind.arrays)


def _is_lidar(kind: SensorKind) -> bool:
    return any(is_cloud(np.dtype(one.dtype)) for one in kind.arrays)
