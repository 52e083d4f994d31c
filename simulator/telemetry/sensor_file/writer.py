"""Writer of MCAP files with ROS 2 messages [MCAP specification, profile ros2].

Messages are compressed in chunks (zstd). A chunk ends after CHUNK_TIME of simulated time, so that a killed run loses no more, and equal runs
give equal files. Bytes reach the file when their chunk is complete.

The writer of the package mcap copies each message several times while it holds the lock of the interpreter, which delays the ticks of a
session. Here NumPy copies a message once, without the lock; compression, checksum and disk do not hold it, either.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from simulator.base.machine import version
from simulator.sensors.messages.cdr import Part
from simulator.sensors.messages.definitions import schema
from simulator.telemetry.sensor_file.file_index import MAGIC, FileIndex, bytes_of

CHUNK_TIME = 1_000_000_000
"""Maximum duration of a chunk [ns]."""
CHUNK_BYTES = 1 << 22
"""Size of a chunk before compression at which it ends."""
LEVEL = 1
"""Compression level of zstd: higher levels take twice as long for a few percent."""

_ENDLESS = "\n".join(f"  {name}:\n    sec: 9223372036\n    nsec: 854775807" for name in ("deadline", "lifespan"))
_QOS = (
    "- history: 1\n  depth: 10\n  reliability: 1\n  durability: {durability}\n" + _ENDLESS + "\n  liveliness: 1\n"
    "  liveliness_lease_duration:\n    sec: 9223372036\n    nsec: 854775807\n  avoid_ros_namespace_conventions: false"
)
VOLATILE, TRANSIENT_LOCAL = 2, 1
"""Durability of a topic in ROS 2: latched topics, such as /tf_static, are transient local."""
_MESSAGE_HEAD = struct.Struct("<BQHIQQ")
_CHUNK_HEAD = struct.Struct("<BQQQQII4sQ")
MESSAGE, CHUNK, MESSAGE_INDEX = 5, 6, 7
"""Numbers of records."""
COMPRESSION = b"zstd"


class Disk:
    """New file without a buffer, which reports a full disk at once. Raises OSError."""

    def __init__(self, file: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(file, flags, 0o644)
        self.size = 0
        """Size of the file in bytes."""

    def write(self, data: bytes) -> None:
        """Append all bytes."""
        waiting = memoryview(data)
        while waiting:
            count = os.write(self._descriptor, waiting)
            waiting, self.size = waiting[count:], self.size + count

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
        import zstandard
        from mcap.records import Header

        self.file, self._disk, self._index, self._chunk = file, Disk(file), FileIndex(), _Chunk()
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)
        try:
            self._disk.write(MAGIC + bytes_of([Header("ros2", f"jounce {version()}")]))
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

    def add_channel(self, topic: str, kind: str, metadata: Mapping[str, str], latched: bool = False, definition: str = "") -> int:
        """Add a topic with messages of a type, and return its number.

        `latched`: a late subscriber receives the last message. `definition`: schema text of a type that `definitions` does not have
        """
        from mcap.records import Channel, Schema

        if kind not in self._schemas:
            number = self._schemas[kind] = len(self._schemas) + 1
            self._index.schemas[number] = Schema(id=number, data=(definition or schema(kind)).encode(), encoding="ros2msg", name=kind)
            self._chunk.add([bytes_of([self._index.schemas[number]])])
        number = len(self._index.channels) + 1
        about = {"offered_qos_profiles": _QOS.format(durability=TRANSIENT_LOCAL if latched else VOLATILE), **metadata}
        channel = Channel(id=number, topic=topic, message_encoding="cdr", metadata=about, schema_id=self._schemas[kind])
        self._index.channels[number] = channel
        self._chunk.add([bytes_of([channel])])
        return number

    def write(self, channel: int, log_time: int, publish_time: int, data: Iterable[Part]) -> None:
        """Append a message, whose bytes are in parts; times in ns of simulated time."""
        if self._chunk.entries and (log_time >= self._chunk_end or self._chunk.size > CHUNK_BYTES):
            self._end_chunk()
        if not self._chunk.entries:
            self._chunk_end = log_time + CHUNK_TIME
        number = self._numbers.get(channel, 0)
        self._numbers[channel] = number + 1
        self._chunk.add_message(channel, number, (log_time, publish_time), list(data))

    def finish(self, metadata: Mapping[str, Mapping[str, str]]) -> None:
        """Write the last chunk, records of `metadata` by name, and the index; then close the file."""
        from mcap.records import Metadata

        if self._chunk.size:
            self._end_chunk()
        for name, values in metadata.items():
            record = bytes_of([Metadata(name=name, metadata=dict(values))])
            self._index.add_metadata(name, self._disk.size, len(record))
            self._disk.write(record)
        self._disk.write(self._index.end(self._disk.size))
        self.close()

    def close(self) -> None:
        """Close the file as it is; a second call does nothing."""
        self._disk.close()

    def _end_chunk(self) -> None:
        """Write the chunk and its message indexes."""
        from mcap.records import ChunkIndex, MessageIndex

        chunk, start = self._chunk, self._disk.size
        records = chunk.records
        data = self._compressor.compress(records)
        times = [entry[0] for entries in chunk.entries.values() for entry in entries] or [0]
        first, last = min(times), max(times)
        length = _CHUNK_HEAD.size - 9 + len(data)
        head = _CHUNK_HEAD.pack(CHUNK, length, first, last, chunk.size, zlib.crc32(records), len(COMPRESSION), COMPRESSION, len(data))
        self._disk.write(head)
        self._disk.write(data)
        at, offsets, indexes = self._disk.size, {}, []
        for channel, entries in chunk.entries.items():
            index = bytes_of([MessageIndex(channel, entries)])
            offsets[channel], at = at, at + len(index)
            indexes.append(index)
        self._disk.write(b"".join(indexes))
        for channel, entries in chunk.entries.items():
            self._index.count(channel, len(entries))
        self._index.chunks.append(
            ChunkIndex(
                chunk_length=9 + length,
                chunk_start_offset=start,
                compression=COMPRESSION.decode(),
                compressed_size=len(data),
                message_end_time=last,
                message_index_length=sum(map(len, indexes)),
                message_index_offsets=offsets,
                message_start_time=first,
                uncompressed_size=chunk.size,
            )
        )
        chunk.clear()


class _Chunk:
    """Records of a chunk in a buffer.

    Attributes
    ----------
    size : number of bytes
    entries : time [ns] and place of each message by channel
    """

    def __init__(self) -> None:
        self._buffer = np.empty(CHUNK_BYTES + CHUNK_BYTES // 2, np.uint8)
        self.size = 0
        self.entries: dict[int, list[tuple[int, int]]] = {}

    @property
    def records(self) -> memoryview:
        """Bytes of the records, valid until the next change."""
        return self._buffer[: self.size].data

    def add_message(self, channel: int, number: int, times: tuple[int, int], parts: list[Part]) -> None:
        """Append a message with log time and publish time [ns]."""
        length = _MESSAGE_HEAD.size - 9 + sum(memoryview(part).nbytes for part in parts)
        self.entries.setdefault(channel, []).append((times[0], self.size))
        self.add([_MESSAGE_HEAD.pack(MESSAGE, length, channel, number, *times), *parts])

    def add(self, parts: list[Part]) -> None:
        """Append bytes; NumPy copies them without the lock of the interpreter."""
        end = self.size + sum(memoryview(part).nbytes for part in parts)
        if end > len(self._buffer):
            larger = np.empty(2 * end, np.uint8)
            larger[: self.size] = self._buffer[: self.size]
            self._buffer = larger
        for part in parts:
            one = np.frombuffer(part, np.uint8)
            self._buffer[self.size : self.size + len(one)] = one
            self.size += len(one)

    def clear(self) -> None:
        """Begin a new chunk."""
        self.size = 0
        self.entries = {}
