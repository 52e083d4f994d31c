"""True boxes as a camera sees them: in its optical axes and as rectangles in its image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.exports.images import INFO
from simulator.exports.recorded_frames import Measured, Poses, RecordedFrames
from simulator.exports.recorded_world import RecordedWorld
from simulator.sensors.camera.geometry import R_SC, Intrinsics, distort
from simulator.telemetry.sensor_file.reader import SensorFile, content_of
from simulator.view.vehicle_states import rotations

NEAREST = 0.1
"""m. Parts of a box that are nearer to the plane of the camera are not projected."""
STEPS = 16
"""Points on an edge of a box; its rectangle is that around the points before the camera."""


class Camera(NamedTuple):
    """Camera of an image."""

    frame: str
    """Optical frame: x right, y down, z forward."""
    lens: Intrinsics

    @staticmethod
    def of(measured: Measured) -> Camera:
        """Return the camera of a measurement. Raises ConfigError: the message cannot be decoded."""
        message = measured.messages[INFO]
        info = message.fields
        with content_of(message.file):
            K, D = info["k"], [float(one) for one in info["d"]]
            return Camera(info["header"]["frame_id"], Intrinsics(info["width"], info["height"], K[0], K[4], K[2], K[5], *D))


class SeenBox(NamedTuple):
    """Box before a camera."""

    id: int
    label: int
    center: NDArray[np.float64]
    """(3,) m, in the optical axes"""
    R: NDArray[np.float64]
    """(3, 3) x_optical = R x_box"""
    size: NDArray[np.float64]
    """(3,) m, along the axes of the box"""
    rectangle: tuple[float, float, float, float]
    """x, y of the corner, width, height [pixels]; 0 is the outer edge of the first pixel"""
    truncated: float
    """Fraction of the rectangle outside the image."""
    occlusion: float


class CameraBoxes:
    """Boxes before a camera over time."""

    def __init__(self, sensors: SensorFile, camera: Camera, world: RecordedWorld, frames: RecordedFrames | None = None) -> None:
        self._camera, self._world, self._frames = camera, world, frames or RecordedFrames(sensors)

    def pose(self, time: float) -> Poses:
        """Return the pose of the optical frame in W."""
        return self._frames.vehicle(np.asarray(time)).then(self._frames.mount(self._camera.frame))

    def at(self, time: float) -> Iterator[SeenBox]:
        """Yield the boxes with a part in the image."""
        if not self._world.is_known:
            return
        pose = self.pose(time)
        found = self._world.boxes(time, pose.p, pose.R @ R_SC.T)
        for one, R in zip(found, rotations(found["attitude"]) if len(found) else (), strict=True):
            center, turned = R_SC.T @ one["position"], R_SC.T @ R
            seen = self._rectangle(center, turned, one["size"])
            if seen is not None:
                yield SeenBox(int(one["id"]), int(one["label"]), center, turned, one["size"].copy(), *seen, float(one["occlusion"]))

    def _rectangle(
        self, center: NDArray[np.float64], R: NDArray[np.float64], size: NDArray[np.float64]
    ) -> tuple[tuple[float, float, float, float], float] | None:
        """Return the rectangle of a box inside the image, and the fraction of it outside; None if the image does not show the box."""
        points, lens = center + (EDGES * 0.5 * size) @ R.T, self._camera.lens
        points = points[points[:, 2] > NEAREST]
        flat = points[:, :2] / points[:, 2:]
        flat = flat[np.hypot(*flat.T) <= lens.largest_radius]  # beyond, the image shows nothing
        if not len(flat):
            return None
        pixels = distort(lens, flat) * (lens.fx, lens.fy) + (lens.cx + 0.5, lens.cy + 0.5)
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        end = np.array((lens.width, lens.height), float)
        inside_low, inside_high = np.clip(low, 0.0, end), np.clip(high, 0.0, end)
        extent = inside_high - inside_low
        if (extent < 1.0).any():
            return None
        fraction = 1.0 - float(extent.prod() / (high - low).prod())
        return (float(inside_low[0]), float(inside_low[1]), float(extent[0]), float(extent[1])), fraction


def _edges() -> NDArray[np.float64]:
    """Return points (n, 3) on the edges of the cube from -1 to 1."""
    along = np.linspace(-1.0, 1.0, STEPS)
    rows = []
    for axis in range(3):
        for a in (-1.0, 1.0):
            for b in (-1.0, 1.0):
                edge = np.empty((STEPS, 3))
                edge[:, axis], edge[:, (axis + 1) % 3], edge[:, (axis + 2) % 3] = along, a, b
                rows.append(edge)
    return np.concatenate(rows)


EDGES = _edges()
