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

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.plugin_thread import share_python, take_priority
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.cdr import Part, encode_parts
from simulator.sensors.messages.definitions import TRANSFORMS
from simulator.sensors.messages.generic import generic_recording
from simulator.sensors.messages.topic import ODOMETRY, VEHICLE, WORLD, Frame, Message, Recording, Topic, nanoseconds, pose, transform
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.telemetry.sensor_file.names import numbered
from simulator.telemetry.sensor_file.repair import repair
from simulator.telemetry.sensor_file.writer import MessageWriter

QUEUE_BYTES = 1 << 27
"""Size of the measurements that wait for the disk: six seconds of a camera and a lidar. If it is full, a real-time drive drops measurements."""
ITEM_BYTES = 512
"""Size of a measurement in the queue besides its arrays."""
PERIOD = 0.2
"""Maximum wall time [s] that a thread waits for a signal."""
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
    return generic_recording(sensor.name, sensor.kind.arrays)


class _Item(NamedTuple):
    """Work for the thread."""

    time: float
    """Simulated time of the session [s]."""
    size: int
    write: Callable[[], None]


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
        self._queue: deque[_Item] = deque()
        self._put = self._done = 0  # bytes; each is written by one thread only
        # not threading.Event: Ctrl-C inside its methods can leave its lock acquired forever
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._space: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._ending = False
        self._number, self._time = 1, -np.inf
        self._faulty: set[tuple[str, str]] = set()
        self._bytes = dict.fromkeys(self.dropped, 0)
        self._file = self._begin_file()
        share_python(1)
        self._thread = threading.Thread(target=self._work, name="sensor data", daemon=True)
        self._thread.start()

    def measured(self, number: int, measured: Measurement, time: float, wait: bool) -> None:
        """Record a measurement of the sensor with a number in `recorded`, at a simulated time [s]; `wait` for a slow disk, or drop it."""
        size = ITEM_BYTES + sum(array.nbytes for array in measured.arrays.values())
        if not self._add(_Item(time, size, lambda: self._write_measurement(number, measured)), wait):
            self.dropped[self._recorded[number].sensor.name] += 1

    def moved(self, time: float, p_WB: NDArray[np.float64], q_WB: NDArray[np.float64], wait: bool) -> None:
        """Record the pose of the vehicle at a simulated time [s]; the arrays are copied."""
        p, q = p_WB.tolist(), q_WB.tolist()
        self._add(_Item(time, ITEM_BYTES, lambda: self._write_transforms(MOVING, time, [pose(time, ODOMETRY, VEHICLE, p, q)])), wait)

    def close(self) -> None:
        """Write what waits and end the file; further calls have no effect."""
        if self._ending:
            return
        self._ending = True
        self._wake.put(None)
        self._thread.join(CLOSE_TIMEOUT)
        share_python(-1)
        if self._thread.is_alive():
            self._fail("the disk does not respond")

    def _add(self, item: _Item, wait: bool) -> bool:
        if self.failure:
            return True  # the recording has ended, which was reported
        if self._put - self._done > QUEUE_BYTES and not (wait and self._wait_for_space()):
            return bool(self.failure)
        self._queue.append(item)
        self._put += item.size
        if self._wake.empty():
            self._wake.put(None)
        return True

    def _wait_for_space(self) -> bool:
        while self._put - self._done > QUEUE_BYTES and not self.failure:
            self._wake.put(None)
            _await(self._space)
        return not self.failure

    def _work(self) -> None:
        """Body of the thread."""
        while not self.failure:
            _await(self._wake)
            take_priority()
            is_ending = self._ending  # read before the last pass
            try:
                while self._queue:
                    self._serve(self._queue.popleft())
                if is_ending:
                    self._file.finish(self._summary())
                    return
            except OSError as error:
                self._fail(error.strerror or str(error))
            except Exception as error:  # otherwise the session would wait forever for space
                self._fail(f"{type(error).__name__}: {error}")
            if self._space.empty():
                self._space.put(None)

    def _serve(self, item: _Item) -> None:
        if item.time < self._time - 0.5 * self._step:
            self._file.finish(self._summary())
            self._number += 1
            self._file = self._begin_file()
            self._bytes = dict.fromkeys(self._bytes, 0)
        self._time = item.time
        item.write()
        self._done += item.size
        if not self.estimate and item.time >= self._first_time + ESTIMATE_TIME:
            self.estimate = self._estimated(item.time - self._first_time)
        if self._space.empty():
            self._space.put(None)

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
                name = f"/{one.sensor.name}/{topic.name}"
                self._channels[name] = writer.add_channel(name, topic.type, {**about, **topic.metadata})
        return writer

    def _write_measurement(self, number: int, measured: Measurement) -> None:
        one = self._recorded[number]
        for topic in one.topics:
            name = f"/{one.sensor.name}/{topic.name}"
            if (one.sensor.name, topic.name) in self._faulty:
                continue
            try:
                message = topic.message(measured)
                data = None if message is None or _is_too_early(message) else encode_parts(topic.type, message)
            except Exception as error:  # of a plugin, for example a message without a field
                self._faulty.add((one.sensor.name, topic.name))
                self.troubles.append(
                    f"topic {name} is not recorded from {measured.time:.3f} s on: {type(error).__name__}: {error}".rstrip(": ")
                )
                continue
            if data is not None:
                self._write(name, nanoseconds(measured.delivered), nanoseconds(measured.time), data)
                self._bytes[one.sensor.name] += sum(map(len, data))

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
        self._queue.clear()


def size_text(size: float) -> str:
    """Return a number of bytes with its unit, in powers of 1000."""
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.3g} GB"


def _is_too_early(message: Message) -> bool:
    """Return whether the data of a message begin before the simulation, such as the first scan of a lidar: ROS has no negative times."""
    return message.get("header", {}).get("stamp", {}).get("sec", 0) < 0


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


def _await(signals: queue.SimpleQueue[None]) -> None:
    """Wait for a signal, but not longer than PERIOD."""
    with contextlib.suppress(queue.Empty):
        signals.get(timeout=PERIOD)
