"""Contents of a file of sensor data: sensors with their topics, and messages as arrays."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.sensors.messages.definitions import COMPRESSED_IMAGE, IMAGE, POINT_CLOUD, TRANSFORMS
from simulator.sensors.messages.generic import array_of
from simulator.sensors.messages.image import pixels_of
from simulator.sensors.messages.point_cloud import points_of
from simulator.telemetry.sensor_file.reader import NS, SensorFile, TopicInfo, content_of
from simulator.telemetry.sensor_file.recorder import STATIC

IMAGES = (IMAGE, COMPRESSED_IMAGE)
"""Types of messages with an image."""


class Sample(NamedTuple):
    """Message of a topic as an array."""

    time: float
    """Simulated time of the measurement [s]."""
    values: NDArray[Any]
    """Points (n,) or (columns, rings), pixels (h, w) or (h, w, 3), or the array."""
    fields: dict[str, Any]
    """Decoded message."""


@dataclass
class SensorContents:
    """Sensor in a file."""

    name: str
    kind: str = ""
    rate: float | None = None
    """Measurements per second; None in a file of another program."""
    latency: float = 0.0
    """s"""
    frame: str = ""
    """Parent frame of the sensor's frame and its position there [m], for people."""
    topics: list[TopicInfo] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)
    """Counts at the end of the recording: "late", "skipped", "dropped", and "trouble"; empty for the file of a killed run."""

    def to_json(self) -> dict[str, Any]:
        """Return the description for JSON."""
        topics = [{"topic": one.topic, "type": one.type, "messages": one.messages} for one in self.topics]
        return {
            "name": self.name, "kind": self.kind, "rate_hz": self.rate, "latency_s": self.latency, "mount": self.frame, **self.counts,
            "topics": topics,
        }  # fmt: skip


def sensors_in(file: SensorFile) -> list[SensorContents]:
    """Return the sensors of a file with their topics; transforms belong to none."""
    sensors: dict[str, SensorContents] = {}
    counts, frames = file.summary(), _mounts(file)
    for topic in file.topics.values():
        if topic.type == TRANSFORMS:
            continue
        about = topic.metadata
        name = about.get("sensor") or topic.topic.strip("/").partition("/")[0]
        if name not in sensors:
            with content_of(file.file):
                rate = float(about["rate_hz"]) if "rate_hz" in about else None
                latency = float(about.get("latency_s", 0.0))
            sensors[name] = SensorContents(name, about.get("kind", ""), rate, latency, frames.get(name, ""))
            sensors[name].counts = counts.get(name, {})
        sensors[name].topics.append(topic)
    return list(sensors.values())


def samples(file: SensorFile, topic: TopicInfo, first: float | None = None, last: float | None = None) -> Iterator[Sample]:
    """Yield the messages of a topic as arrays, in an interval of delivery times [s], both included. Raises ConfigError."""
    for one in file.messages([topic.topic], first, last):
        with content_of(file.file):
            sample = Sample(NS * one.publish_time, *as_array(topic.type, one.fields))
        yield sample


def as_array(kind: str, fields: dict[str, Any]) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return the array of a decoded message, empty for a message of scalars, and the message. Raises ValueError: an unknown encoding."""
    if kind == POINT_CLOUD:
        return points_of(fields), fields
    if kind in IMAGES:
        return pixels_of(fields), fields
    return (array_of(fields) if kind.endswith("MultiArray") else np.zeros(0)), fields


def spread(file: SensorFile, topic: TopicInfo, count: int) -> Iterator[Sample]:
    """Yield at most `count` messages of a topic, at even distances of time, the last one included."""
    begin, end = file.times
    known = set()
    for time in np.linspace(begin, end, count + 1)[1:] if count > 1 else [0.5 * (begin + end)]:
        sample = nearest(file, topic, float(time))
        if sample is not None and sample.time not in known:
            known.add(sample.time)
            yield sample


def nearest(file: SensorFile, topic: TopicInfo, time: float) -> Sample | None:
    """Return the last message of a topic that was delivered until a time [s], or the first one; None if there is none."""
    rate = float(topic.metadata.get("rate_hz", 1.0))
    for window in (2.5 / rate, 25.0 / rate, time - file.times[0]):  # the first window of most sensors has two messages
        latest = deque(samples(file, topic, time - window, time), maxlen=1)
        if latest:
            return latest[0]
    return next(samples(file, topic), None)


def _mounts(file: SensorFile) -> dict[str, str]:
    """Return parent and position of each static frame, for people."""
    mounts = {}
    if STATIC in file.topics:
        for one in file.messages([STATIC]):
            for frame in one.fields["transforms"]:
                place = frame["transform"]["translation"]
                numbers = ", ".join(f"{place[axis]:.4g}" for axis in "xyz")
                mounts[frame["child_frame_id"]] = f"{frame['header']['frame_id']} ({numbers}) m"
    return mounts
