"""Recorder of sensor data: converts the measurements of a session to ROS 2 messages and writes them, in a thread of its own.

The thread of the ticks only puts measurements, which are read-only, into a queue. Conversion, compression and disk are in the thread of the
recorder; its expensive parts do not hold the lock of the interpreter.

    /tf_static        map -> odom, the same place; frames of the sensors: base_link -> NAME, and further frames of a kind
    /tf               pose of the vehicle: odom -> base_link
    /NAME/...         topics of a sensor, see `simulator.sensors.messages`

The log time of a message is the simulated time of its delivery, the publish time and the stamp in the message are that of its measurement.
A restart of the drive, a jump back in time, begins a new file.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.work_thread import WorkThread
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.cdr import Part, encode_parts
from simulator.sensors.messages.definitions import TRANSFORMS
from simulator.sensors.messages.generic import generic_recording
from simulator.sensors.messages.topic import ODOMETRY, VEHICLE, WORLD, Frame, Recording, Topic, nanoseconds, pose, transform
from simulator.sensors.messages.topic_encoder import TopicEncoder
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.telemetry.sensor_file.names import numbered
from simulator.telemetry.sensor_file.repair import repair
from simulator.telemetry.sensor_file.writer import MessageWriter

QUEUE_BYTES = 1 << 27
"""Size of the measurements that wait for the disk: six seconds of a camera and a lidar. If it is full, a real-time drive drops measurements."""
ITEM_BYTES = 512
"""Size of a measurement in the queue besides its arrays."""
CLOSE_TIMEOUT = 60.0
"""Maximum time [s] that `close` waits for the thread."""
ESTIMATE_TIME = 1.0
"""Simulated time [s] after which the size of an hour is estimated."""
STATIC, MOVING = "/tf_static", "/tf"
SUMMARY = "jounce sensors"
"""Name of the metadata record with the counts of each sensor."""


class Recorded(NamedTuple):
    """Recorded sensor of a session."""

    sensor: MountedSensor
    topics: tuple[Topic, ...]
    frames: tuple[Frame, ...]
    """Frames of the sensor and of its data."""

    def topic_name(self, topic: Topic) -> str:
        """Return the complete name of a topic, for example "/lidar/points"."""
        return f"/{self.sensor.name}/{topic.name}"


def recorded_sensors(sensors: Iterable[MountedSensor]) -> tuple[list[Recorded], list[str]]:
    """Return the sensors that are recorded, and one line for each array that is not. A sensor without topics, or with `record: false`, is not."""
    recorded, notes = [], []
    for sensor in sensors:
        if not sensor.settings.record:
            continue
        recording, without = _recording(sensor)
        notes += [f"sensor {sensor.name}: array {name} is not recorded; it has fields that no message has" for name in without]
        if recording.topics:
            mount = Frame(sensor.name, VEHICLE, sensor.settings.mount.p_BS, sensor.settings.mount.R_BS)
            recorded.append(Recorded(sensor, recording.topics, (mount, *recording.frames)))
    return recorded, notes


def _recording(sensor: MountedSensor) -> tuple[Recording, list[str]]:
    if sensor.kind.messages is not None:
        return sensor.kind.messages(sensor.settings), []
    return generic_recording(sensor.name, sensor.arrays)


def size_in_queue(measured: Measurement) -> int:
    """Return the size of a measurement that waits [bytes]."""
    return ITEM_BYTES + sum(array.nbytes for array in measured.arrays.values())


class SensorRecorder:
    """Records measurements and poses into the files of a run.

    Parameters
    ----------
    folder : existing folder of the run
    recorded : sensors, from `recorded_sensors`
    step : length of a tick [s]

    Attributes
    ----------
    dropped : number of measurements that were not recorded because the disk was too slow (in real time only), by the name of the sensor
    troubles : failures since the last look, one line each; the caller removes them
    estimate : size of an hour, one line; empty before it is known
    failure : reason why the recording ended early; empty while it works

    Raises JounceError: the file cannot be created.
    """

    def __init__(self, folder: Path, recorded: Sequence[Recorded], step: float) -> None:
        self._folder, self._recorded, self._step = folder, tuple(recorded), step
        self.dropped = {one.sensor.name: 0 for one in recorded}
        self.troubles: deque[str] = deque()
        self.estimate = self.failure = ""
        self._number, self._time = 1, -np.inf
        self._encoder = TopicEncoder("is not recorded", self.troubles.append)
        self._bytes = dict.fromkeys(self.dropped, 0)
        self._file = self._begin_file()
        self._thread = WorkThread("sensor data", QUEUE_BYTES, self._failed)

    def measured(self, number: int, measured: Measurement, time: float, wait: bool) -> None:
        """Record a measurement of the sensor with a number in `recorded`, at a simulated time [s]; `wait` for a slow disk, or drop it."""
        write = partial(self._write_measurement, number, measured)
        if not self._thread.add(partial(self._serve, time, write), size_in_queue(measured), wait):
            self.dropped[self._recorded[number].sensor.name] += 1

    def moved(self, time: float, p_WB: NDArray[np.float64], q_WB: NDArray[np.float64], wait: bool) -> None:
        """Record the pose of the vehicle at a simulated time [s]; the arrays are copied."""
        write = partial(self._write_pose, time, p_WB.tolist(), q_WB.tolist())
        self._thread.add(partial(self._serve, time, write), ITEM_BYTES, wait)

    def close(self) -> None:
        """Write what waits and end the file; further calls have no effect."""
        if not self._thread.close(lambda: self._file.finish(self._summary()), CLOSE_TIMEOUT) and not self.failure:
            self._fail("the disk does not respond")

    def _serve(self, time: float, write: Callable[[], None]) -> None:
        """Write what belongs to a simulated time of the session [s]; in the thread."""
        if time < self._time - 0.5 * self._step:
            self._file.finish(self._summary())
            self._number += 1
            self._file = self._begin_file()
            self._bytes = dict.fromkeys(self._bytes, 0)
        self._time = time
        write()
        if not self.estimate and time >= self._first_time + ESTIMATE_TIME:
            self.estimate = self._estimated(time - self._first_time)

    def _begin_file(self) -> MessageWriter:
        """Create a file with its channels and the static frames."""
        file = numbered(self._folder, self._number)
        try:
            writer = MessageWriter(file)
        except OSError as error:
            raise JounceError(f"{file}: cannot be written: {error.strerror or error}") from None
        self._first_time = np.inf
        self._channels = {MOVING: writer.add_channel(MOVING, TRANSFORMS, {})}
        self._channels[STATIC] = writer.add_channel(STATIC, TRANSFORMS, {}, latched=True)
        for one in self._recorded:
            about = _about(one.sensor, self._step)
            for topic in one.topics:
                name = one.topic_name(topic)
                self._channels[name] = writer.add_channel(name, topic.type, {**about, **topic.metadata})
        return writer

    def _write_measurement(self, number: int, measured: Measurement) -> None:
        one = self._recorded[number]
        for topic in one.topics:
            name = one.topic_name(topic)
            data = self._encoder.encode(name, topic.type, measured.time, partial(topic.message, measured))
            if data is not None:
                self._write(name, nanoseconds(measured.delivered), nanoseconds(measured.time), data)
                self._bytes[one.sensor.name] += sum(map(len, data))

    def _write_pose(self, time: float, p: Any, q: Any) -> None:
        self._write_transforms(MOVING, time, [pose(time, ODOMETRY, VEHICLE, p, q)])

    def _write_transforms(self, topic: str, time: float, transforms: list[Any]) -> None:
        at = nanoseconds(time)
        self._write(topic, at, at, encode_parts(TRANSFORMS, {"transforms": transforms}))

    def _write(self, topic: str, log_time: int, publish_time: int, data: Sequence[Part]) -> None:
        if not np.isfinite(self._first_time):
            self._first_time = 1e-9 * log_time
            every = [Frame(ODOMETRY, WORLD, np.zeros(3), np.eye(3)), *(frame for one in self._recorded for frame in one.frames)]
            frames = [transform(self._first_time, frame) for frame in every]
            self._write_transforms(STATIC, self._first_time, frames)
        self._file.write(self._channels[topic], log_time, publish_time, data)

    def _estimated(self, duration: float) -> str:
        """Return the line with the size of an hour, from the first seconds."""
        per_hour = 3600.0 / duration
        sizes = sorted(((size * per_hour, name) for name, size in self._bytes.items()), reverse=True)
        shown = ", ".join(f"{name} {size_text(size)}" for size, name in sizes)
        return f"{self._file.file.name}: about {size_text(self._file.size * per_hour)} per hour of drive; before compression: {shown}"

    def _summary(self) -> dict[str, dict[str, str]]:
        return {SUMMARY: {one.sensor.name: json_text(_counts(one.sensor, self.dropped[one.sensor.name])) for one in self._recorded}}

    def _failed(self, error: BaseException) -> None:
        self._fail((error.strerror or str(error)) if isinstance(error, OSError) else f"{type(error).__name__}: {error}")

    def _fail(self, reason: str) -> None:
        """End the recording: make the file readable, and report the reason once."""
        file = self._file.file
        self._file.close()
        what = f"{file}: the recording ended at {self._time:.2f} s: {reason}; the drive goes on without it"
        try:
            repair(file, drop_chunks=True)
        except JounceError as error:
            what += f" ({error}; hint: 'jounce info {self._folder}' repairs the file)"
        self.troubles.append(what)
        self.failure = reason


def size_text(size: float) -> str:
    """Return a number of bytes with its unit, in powers of 1000."""
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.3g} GB"


def _about(sensor: MountedSensor, step: float) -> dict[str, str]:
    """Return the texts for the channels of a sensor."""
    return {
        "sensor": sensor.name,
        "kind": sensor.kind.name,
        "rate_hz": f"{1.0 / (sensor.every * step):.9g}",
        "latency_s": f"{sensor.settings.latency:.9g}",
    }


def _counts(sensor: MountedSensor, dropped: int) -> dict[str, Any]:
    return {"late": sensor.late, "skipped": sensor.skipped, "dropped": dropped, "trouble": sensor.trouble}
