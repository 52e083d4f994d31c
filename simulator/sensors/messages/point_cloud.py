"""Structured arrays of points as `sensor_msgs/PointCloud2`, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.sensors.messages.topic import Message, header

_TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 8: "<f8"}
"""Types of a PointField by number."""
_NUMBERS = {np.dtype(code): number for number, code in _TYPES.items()}
AXES = ("x", "y", "z")


def is_cloud(dtype: np.dtype) -> bool:
    """Return whether an array with a type is a cloud: it has x, y, z, and each field has a type of a PointField."""
    names = dtype.names or ()
    return all(axis in names for axis in AXES) and all(_base(dtype, name) in _NUMBERS for name in names)


def point_cloud(time: float, frame: str, points: NDArray[Any]) -> Message:
    """Return points (n,) or (columns, rings) as a message; rows of the message are the first axis of the array.

    Parameters
    ----------
    time : simulated time of the stamp [s]
    frame : name of the frame of x, y, z
    points : structured, see `is_cloud`; NaN in x, y or z marks a ray without return
    """
    dtype = points.dtype
    height, width = points.shape if points.ndim == 2 else (1, points.size)
    described = [
        {
            "name": name,
            "offset": dtype.fields[name][1],  # type: ignore[index]
            "datatype": _NUMBERS[_base(dtype, name)],
            "count": int(np.prod(dtype[name].shape, dtype=int)),
        }
        for name in dtype.names or ()
    ]
    return {
        "header": header(time, frame), "height": height, "width": width, "fields": described, "is_bigendian": False,
        "point_step": dtype.itemsize, "row_step": width * dtype.itemsize, "data": np.ascontiguousarray(points).reshape(-1).view(np.uint8).data,
        "is_dense": bool(all(np.isfinite(points[axis]).all() for axis in AXES)),
    }  # fmt: skip


def points_of(message: Mapping[str, Any]) -> NDArray[Any]:
    """Return the points of a message, structured, (height, width), or (width,) if the height is 1."""
    described = message["fields"]
    dtype = np.dtype(
        {
            "names": [one["name"] for one in described],
            "formats": [(_TYPES[one["datatype"]], (one["count"],)) if one["count"] > 1 else _TYPES[one["datatype"]] for one in described],
            "offsets": [one["offset"] for one in described],
            "itemsize": message["point_step"],
        }
    )
    points: NDArray[Any] = np.frombuffer(message["data"], dtype)
    return points if message["height"] == 1 else points.reshape(message["height"], message["width"])


def _base(dtype: np.dtype, name: str) -> np.dtype:
    return dtype[name].base.newbyteorder("<") if dtype[name].base.byteorder == "=" else dtype[name].base
