"""Recorded form of a sensor: its topics, each with the conversion of a measurement to a ROS 2 message, and its frames.

A kind of sensor specifies a function that returns a `Recording` (`SensorKind.messages`). All names of topics begin with the name of the
sensor, `/lidar/points`, and the frame of a sensor has the sensor's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.rotations import quaternion_of_rotation
from simulator.sensors.measurement import Measurement

WORLD, ODOMETRY, VEHICLE = "map", "odom", "base_link"
"""Frame W, frame of odometry and frame B of the vehicle by their names in ROS (REP 105). The odometry is the true motion, so that `odom` is
`map`."""
NO_METADATA: Mapping[str, str] = MappingProxyType({})

Message = Mapping[str, Any]
"""Fields of a message by name."""


class Topic(NamedTuple):
    """Topic of a sensor."""

    name: str
    """Name below that of the sensor: "points" for /lidar/points."""
    type: str
    """Name of the message, for example "sensor_msgs/msg/PointCloud2"; one of `simulator.sensors.messages.definitions.types`."""
    message: Callable[[Measurement], Message | None]
    """Returns the message of a measurement, in a thread of the recorder; None for none."""
    metadata: Mapping[str, str] = NO_METADATA
    """Texts for the channel in the file. `renderer` is the name of a graphics driver: images of different renderers are not compared."""


class Frame(NamedTuple):
    """Frame with a constant pose in its parent frame."""

    name: str
    parent: str
    p: NDArray[np.float64]
    """(3,) position in the parent frame [m]"""
    R: NDArray[np.float64]
    """(3, 3) x_parent = R x"""


class Recording(NamedTuple):
    """Recorded form of a sensor."""

    topics: tuple[Topic, ...]
    frames: tuple[Frame, ...] = ()
    """Frames besides that of the sensor, for example the optical frame of a camera."""


def nanoseconds(time: float) -> int:
    """Return a simulated time [s] in ns."""
    return round(time * 1e9)


def stamp(time: float) -> Message:
    """Return a simulated time [s] as `builtin_interfaces/Time`."""
    seconds, rest = divmod(nanoseconds(time), 1_000_000_000)
    return {"sec": seconds, "nanosec": rest}


def header(time: float, frame: str) -> Message:
    """Return the header of a message with the simulated time [s] of its data and the name of their frame."""
    return {"stamp": stamp(time), "frame_id": frame}


def vector(value: Any) -> Message:
    """Return three numbers as `geometry_msgs/Vector3`."""
    x, y, z = (float(one) for one in value)
    return {"x": x, "y": y, "z": z}


def transform(time: float, frame: Frame) -> Message:
    """Return the pose of a frame as `geometry_msgs/TransformStamped`."""
    q = np.empty(4)
    quaternion_of_rotation(np.ascontiguousarray(frame.R, np.float64), q)
    return pose(time, frame.parent, frame.name, frame.p, q)


def pose(time: float, parent: str, child: str, p: Any, q: Any) -> Message:
    """Return a pose at a simulated time [s], position p (3,) [m] and unit quaternion q = w, x, y, z, as `geometry_msgs/TransformStamped`."""
    w, x, y, z = (float(one) for one in q)
    rotation = {"x": x, "y": y, "z": z, "w": w}
    return {
        "header": header(time, parent), "child_frame_id": child, "transform": {"translation": vector(p), "rotation": rotation},
    }  # fmt: skip
