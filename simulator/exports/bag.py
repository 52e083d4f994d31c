"""Topics and messages of a start of the drive for files of ROS 2 messages.

/log             columns of the log, one message per row; the definition has name, unit, frame and meaning of each field
/odom            true pose and velocities, `nav_msgs/Odometry`
/events          events, `rcl_interfaces/Log`
/tf, /tf_static  as in the sensor data; without sensor data, the pose of the vehicle
/NAME/...        topics of the sensors: the bytes of the recorded messages
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, one_line
from simulator.base.json_output import json_text
from simulator.exports.names import unique_names
from simulator.exports.recorded_frames import measured_in
from simulator.exports.source import TIME, ExportedRun, Start
from simulator.ros2.vehicle_messages import odometry
from simulator.sensors.messages.cdr import HEADER, encode
from simulator.sensors.messages.definitions import ODOMETRY, TEXT_LINE, TRANSFORMS, schema
from simulator.sensors.messages.topic import ODOMETRY as ODOM
from simulator.sensors.messages.topic import VEHICLE, WORLD, Frame, nanoseconds, pose, stamp, transform
from simulator.telemetry.channels import Channel
from simulator.telemetry.sensor_file.recorder import MOVING, STATIC

LOG_TYPE = "jounce_msgs/msg/Log"
LOG, EVENTS, ODOM_TOPIC = "/log", "/events", "/odom"
INFO = 20
"""Level of an event."""
MAX_NAME = 255
POSE = tuple(
    f"{field}_{axis}" for field, axes in (("p_WB", "xyz"), ("q_WB", "wxyz"), ("v_WB_B", "xyz"), ("w_WB_B", "xyz")) for axis in axes
)
"""Columns of the odometry."""


class BagTopic(NamedTuple):
    """Topic of a file."""

    name: str
    type: str
    definition: str
    """Schema text of the type."""
    metadata: dict[str, str]
    latched: bool = False


class BagMessage(NamedTuple):
    """Message of a file; times in ns of simulated time."""

    log_time: int
    publish_time: int
    topic: str
    data: bytes | memoryview


class Bag:
    """Topics and messages of a start of the drive; a context manager, which closes the sensor data.

    Raises JounceError, ConfigError: the sensor data cannot be read, a topic has the name of another one, a time is negative.
    """

    def __init__(self, run: ExportedRun, start: Start) -> None:
        if start.first < 0.0:
            raise ConfigError(run.file, TIME, f"{start.first:g} s", "times from 0 on, as ROS has no negative times")
        self._run, self._start, self._stack = run, start, ExitStack()
        sensors = run.sensors(start.number)
        self._sensors = None if sensors is None else self._stack.enter_context(sensors)
        self.file = run.file if self._sensors is None else self._sensors.file
        """File with the definitions of the recorded messages."""
        self._fields = LogFields(run.columns)
        self._has_pose = run.has(*POSE)
        topics = [BagTopic(LOG, LOG_TYPE, self._fields.definition, {"columns": self._fields.columns_text})]
        if self._has_pose:
            topics.append(BagTopic(ODOM_TOPIC, ODOMETRY, schema(ODOMETRY), {}))
        topics.append(BagTopic(EVENTS, TEXT_LINE, schema(TEXT_LINE), {}))
        if self._sensors is not None:
            texts = self._sensors.definitions
            own = {one.name for one in topics}
            recorded = [one for one in self._sensors.topics.values() if one.topic not in own]
            topics += [BagTopic(one.topic, one.type, texts[one.type], dict(one.metadata), one.topic == STATIC) for one in recorded]
        elif self._has_pose:
            topics += [BagTopic(name, TRANSFORMS, schema(TRANSFORMS), {}, name == STATIC) for name in (MOVING, STATIC)]
        self.topics = topics

    def __enter__(self) -> Bag:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the sensor data."""
        self._stack.close()

    def messages(self) -> Iterator[BagMessage]:
        """Yield all messages in the order of their log times, `/tf_static` first."""
        if self._sensors is not None:
            static = [STATIC] if STATIC in self._sensors.topics else []
            yield from (BagMessage(one.log_time, one.publish_time, one.topic, one.data) for one in self._sensors.messages(static) if static)
        elif self._has_pose:
            frame = transform(self._start.first, Frame(ODOM, WORLD, np.zeros(3), np.eye(3)))
            yield _message(STATIC, self._start.first, encode(TRANSFORMS, {"transforms": [frame]}))
        yield from heapq.merge(self._sensor_messages(), self._rows(), self._events(), key=lambda one: one.log_time)

    def _sensor_messages(self) -> Iterator[BagMessage]:
        if self._sensors is None:
            return
        names = [one.name for one in self.topics if one.name in self._sensors.topics and one.name != STATIC]
        for one in measured_in(self._sensors, names, self._run.interval):
            yield BagMessage(one.log_time, one.publish_time, one.topic, one.data)

    def _rows(self) -> Iterator[BagMessage]:
        names = list(dict.fromkeys([TIME, *(one.name for one in self._run.columns), *(POSE if self._has_pose else ())]))
        for columns in self._run.groups(self._start.rows, names):
            times = [float(one) for one in columns[TIME]]
            for time, data in zip(times, self._fields.encode(np.asarray(times), columns), strict=True):
                yield _message(LOG, time, data)
            if self._has_pose:
                yield from self._poses(times, np.stack([columns[name] for name in POSE], axis=1).tolist())

    def _poses(self, times: list[float], rows: list[list[float]]) -> Iterator[BagMessage]:
        for time, row in zip(times, rows, strict=True):
            yield _message(ODOM_TOPIC, time, encode(ODOMETRY, odometry(time, row[:3], row[3:7], row[7:10], row[10:])))
            if self._sensors is None:
                yield _message(MOVING, time, encode(TRANSFORMS, {"transforms": [pose(time, ODOM, VEHICLE, row[:3], row[3:7])]}))

    def _events(self) -> Iterator[BagMessage]:
        for one in self._run.events_of(self._start):
            text = one.kind if one.value is None else f"{one.kind}: {json_text(one.value)}"
            line = {"stamp": stamp(one.time), "level": INFO, "name": str(one.origin), "msg": text, "file": "", "function": "", "line": 0}
            yield _message(EVENTS, one.time, encode(TEXT_LINE, line))


class LogFields:
    """Columns of the log as fields of a message.

    A field has the name of its column in lower case, as ROS requires; its comment in the definition has the name of the column.

    Attributes
    ----------
    definition : schema text
    columns_text : JSON with name, unit, frame and meaning of each field
    """

    def __init__(self, columns: Sequence[Channel]) -> None:
        columns = [replace(one, kind=np.dtype(np.float32)) if one.kind == np.float16 else one for one in columns]  # ROS has no short floats
        ordered = sorted(columns, key=lambda one: -one.kind.itemsize)  # CDR aligns a value to its size
        self._columns = list(zip(unique_names(["stamp", *(one.name for one in ordered)], _field_name, MAX_NAME)[1:], ordered, strict=True))
        lines = [f"{one.kind.name} {field}  # {_comment(one)}" for field, one in self._columns]
        time = "builtin_interfaces/Time"
        self.definition = "\n".join([f"{time} stamp", *lines, "=" * 80, f"MSG: {time}", *schema(time).strip().split("\n"), ""])
        self.columns_text = json_text({field: one.words() for field, one in self._columns})
        head = [("head", f"V{len(HEADER)}"), ("sec", "<i4"), ("nanosec", "<u4")]
        self._dtype = np.dtype([*head, *((field, one.kind.newbyteorder("<")) for field, one in self._columns)])

    def encode(self, times: NDArray[np.float64], columns: dict[str, NDArray]) -> Iterator[memoryview]:
        """Yield the message of each row; times in s."""
        rows = np.zeros(len(times), self._dtype)
        rows["head"] = np.frombuffer(HEADER, f"V{len(HEADER)}")[0]
        rows["sec"], rows["nanosec"] = np.divmod(np.round(times * 1e9).astype(np.int64), 1_000_000_000)
        for field, one in self._columns:
            rows[field] = columns[one.name]
        data, size = rows.view(np.uint8).data, self._dtype.itemsize
        for begin in range(0, len(data), size):
            yield data[begin : begin + size]


def _field_name(name: str) -> str:
    """Return the name of a field: lower-case letters, digits and single underscores, a letter first."""
    words = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return words if words[:1].isalpha() else f"x_{words}".rstrip("_")


def _comment(column: Channel) -> str:
    frame = f" in {column.frame}" if column.frame else ""
    return one_line(f"{column.name} [{column.unit}]{frame}: {column.meaning}")


def _message(topic: str, time: float, data: bytes | memoryview) -> BagMessage:
    at = nanoseconds(time)
    return BagMessage(at, at, topic, data)
