"""Recorded form of arrays for which a kind specifies no messages.

structured points with x, y, z     sensor_msgs/PointCloud2, stamp: time of the measurement
other arrays of numbers            std_msgs/...MultiArray with the names of the axes; its time is the publish time of the file
other structured arrays            not recorded
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.definitions import POINT_CLOUD
from simulator.sensors.messages.point_cloud import is_cloud, point_cloud
from simulator.sensors.messages.topic import Message, Recording, Topic

if TYPE_CHECKING:
    from simulator.sensors.contract import ArrayOutput

Conversion = Callable[[Measurement], Message | None]
_NAMES = {"f": "Float", "i": "Int", "u": "UInt"}


def generic_recording(name: str, arrays: Sequence[ArrayOutput]) -> tuple[Recording, list[str]]:
    """Return the recorded form of the arrays of a sensor by its name, and the names of the arrays that have none."""
    topics, without = [], []
    for one in arrays:
        dtype = np.dtype(one.dtype)
        if is_cloud(dtype):
            topics.append(Topic(one.name, POINT_CLOUD, _cloud(name, one)))
        elif (kind := _type(dtype)) is not None:
            topics.append(Topic(one.name, kind, _multi_array(one)))
        else:
            without.append(one.name)
    return Recording(tuple(topics)), without


def multi_array(values: NDArray[Any], dimensions: Sequence[str]) -> Message:
    """Return an array of numbers as a message, with the names of its axes."""
    strides = np.cumprod((1, *values.shape[::-1]), dtype=int)[:0:-1]  # in items, from each axis to the end, as std_msgs defines
    axes = [
        {"label": label, "size": size, "stride": int(stride)} for label, size, stride in zip(dimensions, values.shape, strides, strict=True)
    ]
    return {"layout": {"dim": axes, "data_offset": 0}, "data": np.ascontiguousarray(values).reshape(-1)}


def array_of(message: Message) -> NDArray[Any]:
    """Return the array of a message that `multi_array` made."""
    return message["data"].reshape([axis["size"] for axis in message["layout"]["dim"]])


def _type(dtype: np.dtype) -> str | None:
    if dtype.kind == "b":
        return "std_msgs/msg/UInt8MultiArray"
    bits = 8 * dtype.itemsize
    return (
        f"std_msgs/msg/{_NAMES[dtype.kind]}{bits}MultiArray" if dtype.kind in _NAMES and (dtype.kind != "f" or bits in (32, 64)) else None
    )


def _cloud(name: str, one: ArrayOutput) -> Conversion:
    def message(measured: Measurement) -> Message | None:
        points = measured.arrays.get(one.name)
        return None if points is None else point_cloud(measured.time, name, points)

    return message


def _multi_array(one: ArrayOutput) -> Conversion:
    def message(measured: Measurement) -> Message | None:
        values = measured.arrays.get(one.name)
        return None if values is None else multi_array(values, one.dimensions)

    return message
