"""Writer of MCAP files with ROS 2 messages [MCAP specification, profile ros2].

Messages are compressed in chunks (zstd). A chunk ends after CHUNK_TIME of simulated time, so that a killed run loses no more, and equal runs
give equal files. Bytes reach the file when their chunk is complete.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from simulator.base.machine import version
from simulator.sensors.messages.definitions import schema

CHUNK_TIME = 1_000_000_000
"""Maximum duration of a chunk [ns]."""
CHUNK_BYTES = 1 << 22
"""Size of a chunk before compression at which it ends."""

_ENDLESS = "\n".join(f"  {name}:\n    sec: 9223372036\n    nsec: 854775807" for name in ("deadline", "lifespan"))
_QOS = (
    "- history: 1\n  depth: 10\n  reliability: 1\n  durability: {durability}\n" + _ENDLESS + "\n  liveliness: 1\n"
    "  liveliness_lease_duration:\n    sec: 9223372036\n    nsec: 854775807\n  avoid_ros_namespace_conventions: false"
)
VOLATILE, TRANSIENT_LOCAL = 2, 1
"""Durability of a topic in ROS 2: latched topics, such as /tf_static, are transient local."""


class Disk:
    """New file for the MCAP library: unbuffered, and it reports a full disk at once. Raises OSError."""

    def __init__(self, file: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(file, flags, 0o644)
        self.size = 0

    def write(self, data: bytes) -> int:
        """Append all bytes."""
        waiting = memoryview(data)
        while waiting:
            count = os.write(self._descriptor, waiting)
            waiting, self.size = waiting[count:], self.size + count
        return len(data)

    def tell(self) -> int:
        """Return the size of the file."""
        return self.size

    def flush(self) -> None:
        """Do nothing; there is no buffer."""

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class MessageWriter:
    """Writes messages to a new file. All channels are added before the first message.

    Attributes
    ----------
    file : path of the file

    All methods raise OSError: the disk is full, or fails; the file is then incomplete, see `simulator.telemetry.sensor_file.repair`.
    """

    def __init__(self, file: Path) -> None:
        from mcap.writer import CompressionType, Writer

        self.file, self._disk = file, Disk(file)
        try:
            self._writer = Writer(self._disk, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)  # type: ignore[arg-type]
            self._writer.start(profile="ros2", library=f"jounce {version()}")
        except OSError:
            self._disk.close()
            raise
        self._schemas: dict[str, int] = {}
        self._numbers: dict[int, int] = {}
        self._chunk_end = 0

    @property
    def size(self) -> int:
        """Size of the file in bytes, without the chunk that is not complete."""
        return self._disk.size

    def add_channel(self, topic: str, kind: str, metadata: Mapping[str, str], latched: bool = False) -> int:
        """Add a topic with messages of a type, and return its number; `latched`: a late subscriber receives the last message."""
        if kind not in self._schemas:
            self._schemas[kind] = self._writer.register_schema(kind, "ros2msg", schema(kind).encode())
        qos = _QOS.format(durability=TRANSIENT_LOCAL if latched else VOLATILE)
        return self._writer.register_channel(topic, "cdr", self._schemas[kind], {"offered_qos_profiles": qos, **metadata})

    def write(self, channel: int, log_time: int, publish_time: int, data: bytes) -> None:
        """Append a message; times in ns of simulated time, not before those of the last message but one chunk."""
        if log_time >= self._chunk_end:
            self._writer.flush()
            self._chunk_end = log_time + CHUNK_TIME
        number = self._numbers.get(channel, 0)
        self._numbers[channel] = number + 1
        self._writer.add_message(channel, log_time, data, publish_time, number)

    def finish(self, metadata: Mapping[str, Mapping[str, str]]) -> None:
        """Write the last chunk, records of `metadata` by name, and the index; then close the file."""
        for name, values in metadata.items():
            self._writer.flush()
            self._writer.add_metadata(name, dict(values))
        self._writer.finish()
        self.close()

    def close(self) -> None:
        """Close the file as it is; a second call does nothing."""
        self._disk.close()
