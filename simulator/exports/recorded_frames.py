"""Frames and measurements in the sensor data of a run: where each sensor is at any time, and what belongs together."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.sensors.messages.topic import VEHICLE
from simulator.telemetry.sensor_file.reader import NS, SensorFile, StoredMessage, content_of
from simulator.telemetry.sensor_file.recorder import MOVING, STATIC
from simulator.tools.sensors.contents import SensorContents
from simulator.tools.sensors.export import Interval

LEAST = 1e-6
"""Minimum of the largest number of a quaternion."""
LATE = 20.0
"""s. Maximum time from a measurement to its delivery that a part of a run considers: twice the largest latency of a sensor."""


class Poses(NamedTuple):
    """Poses x_A = R x_B + p."""

    p: NDArray[np.float64]
    """(..., 3) m"""
    R: NDArray[np.float64]
    """(..., 3, 3)"""

    def of(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points (..., 3) in A from points in B."""
        return np.einsum("...ij,...j->...i", self.R, points) + self.p

    def then(self, inner: Poses) -> Poses:
        """Return the poses of C in A from those of C in B."""
        return Poses(self.of(inner.p), self.R @ inner.R)

    def inverse(self) -> Poses:
        """Return the poses of A in B."""
        R = np.swapaxes(self.R, -1, -2)
        return Poses(-np.einsum("...ij,...j->...i", R, self.p), R)

    def matrix(self) -> NDArray[np.float64]:
        """Return (3, 4) of one pose."""
        return np.concatenate((self.R, self.p[:, None]), axis=1)


class RecordedFrames:
    """Pose of the vehicle over time and mounts of the sensors, from `/tf` and `/tf_static`.

    Raises ConfigError: the file lacks them.
    """

    def __init__(self, file: SensorFile) -> None:
        self._file = file.file
        self._mounts: dict[str, tuple[str, Poses]] = {}
        for message in file.messages([STATIC]) if STATIC in file.topics else ():
            with content_of(file.file):
                for one in message.fields["transforms"]:
                    self._mounts[one["child_frame_id"]] = (one["header"]["frame_id"], _pose(one["transform"]))
        times: list[float] = []
        rows: list[list[float]] = []
        for message in file.messages([MOVING]) if MOVING in file.topics else ():
            for one in message.fields["transforms"]:
                if one["child_frame_id"] == VEHICLE:
                    times.append(NS * message.publish_time)
                    p, q = one["transform"]["translation"], one["transform"]["rotation"]
                    rows.append([p["x"], p["y"], p["z"], q["x"], q["y"], q["z"], q["w"]])
        if not times:
            raise ConfigError(self._file, MOVING, NOTHING, "the pose of the vehicle, as a run records it")
        order = np.argsort(times, kind="stable")
        self._times, self._rows = np.array(times)[order], np.array(rows)[order]
        if not np.isfinite(self._rows).all() or (np.abs(self._rows[:, 3:]).max(axis=1) < LEAST).any():
            raise ConfigError(self._file, MOVING, "a pose that is not finite", "poses with unit quaternions")
        turned = np.einsum("ni,ni->n", self._rows[1:, 3:], self._rows[:-1, 3:]) < 0.0
        self._rows[1:, 3:] *= np.where(np.cumsum(turned) % 2, -1.0, 1.0)[:, None]  # q and -q are the same attitude

    def mount(self, frame: str) -> Poses:
        """Return the pose of a frame of a sensor in B. Raises ConfigError: the file does not have it."""
        pose = Poses(np.zeros(3), np.eye(3))
        for _ in range(len(self._mounts) + 1):
            if frame == VEHICLE:
                return pose
            if frame not in self._mounts:
                break
            frame, outer = self._mounts[frame]
            pose = outer.then(pose)
        raise ConfigError(self._file, STATIC, frame, f"frames that lead to {VEHICLE}")

    def vehicle(self, times: NDArray[np.float64]) -> Poses:
        """Return the poses (n,) of B in W at times [s], interpolated between those that were recorded every 10 ms."""
        from scipy.spatial.transform import Rotation

        rows = np.stack([np.interp(times, self._times, column) for column in self._rows.T], axis=-1)
        return Poses(rows[..., :3], Rotation.from_quat(rows[..., 3:]).as_matrix())


class Measured(NamedTuple):
    """Messages of one measurement of a sensor."""

    time: float
    """Simulated time of the measurement [s]."""
    messages: dict[str, StoredMessage]
    """By the end of the topic: "points", "image_raw", "depth/image_raw" ..."""


def measurements(file: SensorFile, sensor: SensorContents, interval: Interval, wanted: Collection[str] = ()) -> Iterator[Measured]:
    """Yield the measurements of a sensor that were measured in an interval; `wanted`: ends of topics, empty: all. Raises ConfigError."""
    topics = [one.topic for one in sensor.topics if not wanted or topic_end(one.topic, sensor.name) in wanted]
    for _, messages in groupby(measured_in(file, topics, interval), key=lambda one: (one.log_time, one.publish_time)):
        found = {topic_end(one.topic, sensor.name): one for one in messages}
        yield Measured(NS * next(iter(found.values())).publish_time, found)


def measured_in(file: SensorFile, topics: Collection[str], interval: Interval) -> Iterator[StoredMessage]:
    """Yield the messages of topics that were measured in an interval, in the order of their delivery; none without topics. Raises ConfigError."""
    first, last = interval
    begin, end = -np.inf if first is None else round(first / NS), np.inf if last is None else round(last / NS)
    for one in (
        file.messages(topics, first, None if last is None else last + LATE) if topics else ()
    ):  # no delivery is before its measurement
        if begin <= one.publish_time <= end:
            yield one


def topic_end(topic: str, sensor: str) -> str:
    """Return the topic without the name of its sensor."""
    return topic.removeprefix(f"/{sensor}/")


def _pose(transform: dict[str, dict[str, float]]) -> Poses:
    from scipy.spatial.transform import Rotation

    p, q = transform["translation"], transform["rotation"]
    R = Rotation.from_quat([q["x"], q["y"], q["z"], q["w"]]).as_matrix()
    return Poses(np.array([p["x"], p["y"], p["z"]]), np.asarray(R))
