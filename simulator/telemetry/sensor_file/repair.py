"""Repair of MCAP files without an end: of a killed run, or of a disk that became full.

The file is cut after its last complete chunk, in place, and receives the index that its writer could not write.
"""

from __future__ import annotations

import contextlib
import io
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.errors import ConfigError, OutputError, UnreadableError

MAGIC = b"\x89MCAP0\r\n"
FOOTER_BYTES = 9 + 20 + len(MAGIC)
_RECORD, _CHUNK, _MESSAGE = struct.Struct("<BQ"), struct.Struct("<QQQI"), struct.Struct("<HIQQ")
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, METADATA, DATA_END = 1, 2, 3, 4, 5, 6, 7, 12, 15
"""Numbers of records [MCAP specification]."""


class Repaired(NamedTuple):
    """Result of a repair."""

    messages: int
    """Number of messages in the file."""
    removed: int
    """Number of bytes that were cut off."""


class _Chunk(NamedTuple):
    """Chunk of a file, with the place of its records."""

    start: int
    length: int
    times: tuple[int, int]
    size: int
    crc: int
    compression: str
    data_start: int
    data_length: int


def is_complete(file: Path) -> bool:
    """Return whether a file has its end. Raises UnreadableError; ConfigError: it is not an MCAP file."""
    try:
        with open(file, "rb") as stream:
            if stream.read(len(MAGIC)) != MAGIC:
                raise ConfigError(file, "", "other content", "an MCAP file")
            if stream.seek(0, os.SEEK_END) < FOOTER_BYTES + len(MAGIC):
                return False
            stream.seek(-FOOTER_BYTES, os.SEEK_END)
            end = stream.read(FOOTER_BYTES)
    except OSError as error:
        raise UnreadableError(file, "", error.strerror or str(error), "a readable file") from None
    return end.endswith(MAGIC) and end[0] == FOOTER


def repair(file: Path, drop_chunks: bool = False) -> Repaired:
    """Repair a file without an end.

    Parameters
    ----------
    drop_chunks : if the disk has no space for the index, remove the last chunks until there is

    Raises
    ------
    OutputError : the file cannot be written, or the disk is full
    ConfigError : the file is not an MCAP file
    """
    is_complete(file)
    try:
        # no buffer: its bytes would be written again after a failure
        with open(file, "rb+", buffering=0) as stream:
            size = stream.seek(0, os.SEEK_END)
            chunks, end = _scan(stream, size)
            while True:
                while chunks and _records(stream, chunks[-1]) is None:  # not written to the disk before a power failure
                    end = chunks.pop().start
                try:
                    return Repaired(_finish(stream, chunks, end), size - end)
                except OSError:
                    if not drop_chunks or not chunks:
                        raise
                    end = chunks.pop().start
    except OSError as error:
        raise OutputError(f"{file}: cannot be repaired: {error.strerror or error}") from None


def _scan(stream: io.FileIO, size: int) -> tuple[list[_Chunk], int]:
    """Return the complete chunks, and the end of the last complete one, or of the header."""
    chunks: list[_Chunk] = []
    at = end = len(MAGIC)
    while at + _RECORD.size <= size:
        stream.seek(at)
        number, length = _RECORD.unpack(stream.read(_RECORD.size))
        after = at + _RECORD.size + length
        if number not in (HEADER, CHUNK, MESSAGE_INDEX, METADATA) or after > size:
            break
        if number == CHUNK:
            chunks.append(_chunk(stream, at, _RECORD.size + length))
        if number in (HEADER, CHUNK):
            end = after
        at = after
    return chunks, end


def _chunk(stream: io.FileIO, start: int, length: int) -> _Chunk:
    first, last, size, crc = _CHUNK.unpack(stream.read(_CHUNK.size))
    compression = stream.read(struct.unpack("<I", stream.read(4))[0]).decode(errors="replace")
    (data_length,) = struct.unpack("<Q", stream.read(8))
    return _Chunk(start, length, (first, last), size, crc, compression, stream.tell(), data_length)


def _records(stream: io.FileIO, chunk: _Chunk) -> bytes | None:
    """Return the records in a chunk; None if its bytes are wrong."""
    if chunk.data_start + chunk.data_length > chunk.start + chunk.length:
        return None
    stream.seek(chunk.data_start)
    data = stream.read(chunk.data_length)
    if chunk.compression == "zstd":
        import zstandard

        try:
            data = zstandard.decompress(data, chunk.size)
        except zstandard.ZstdError:
            return None
    return data if len(data) == chunk.size and chunk.crc in (0, zlib.crc32(data)) else None


def _each(records: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield number, place and length of each record, without its head."""
    at = 0
    while at < len(records):
        number, length = _RECORD.unpack_from(records, at)
        yield number, at + _RECORD.size, length
        at += _RECORD.size + length


def _finish(stream: io.FileIO, chunks: list[_Chunk], end: int) -> int:
    """Cut the file at `end`, write the index and return the number of messages. Raises OSError; the file is then cut at `end`."""
    index = _Index(stream, chunks)
    tail = index.tail(end)
    stream.truncate(end)
    stream.seek(end)
    try:
        waiting = memoryview(tail)
        while waiting:
            waiting = waiting[stream.write(waiting) :]
        os.fsync(stream.fileno())
    except OSError:
        with contextlib.suppress(OSError):
            stream.truncate(end)
        raise
    return index.messages


class _Index:
    """Index of a file: message indexes of its last chunk, and the summary."""

    def __init__(self, stream: io.FileIO, chunks: list[_Chunk]) -> None:
        self._stream, self._chunks = stream, chunks
        self._schemas: dict[int, Any] = {}
        self._channels: dict[int, Any] = {}
        self._counts: dict[int, int] = {}

    @property
    def messages(self) -> int:
        """Number of messages."""
        return sum(self._counts.values())

    def tail(self, end: int) -> bytes:
        """Return the bytes from `end`, the end of the last chunk, to the end of the file."""
        from mcap.data_stream import RecordBuilder
        from mcap.records import DataEnd, Footer, Header

        builder = RecordBuilder()
        if end == len(MAGIC):
            Header("ros2", "").write(builder)
        indexes = [self._indexed(chunk, builder, end if chunk is self._chunks[-1] else None) for chunk in self._chunks]
        DataEnd(0).write(builder)
        start = end + builder.count
        for record in (*self._schemas.values(), *self._channels.values(), self._statistics(), *indexes):
            record.write(builder)
        Footer(summary_start=start, summary_offset_start=0, summary_crc=0).write(builder)
        return builder.end() + MAGIC

    def _indexed(self, chunk: _Chunk, builder: Any, end: int | None) -> Any:
        """Return the index of a chunk; write its message indexes to the builder, whose bytes begin at `end`, if it is the last one."""
        from mcap.records import ChunkIndex, MessageIndex

        offsets: dict[int, int] = {}
        if end is None:
            begin = at = chunk.start + chunk.length
            while (found := self._message_index(at)) is not None:
                channel, count, after = found
                offsets[channel], at = at, after
                self._counts[channel] = self._counts.get(channel, 0) + count
            length = at - begin
            if any(channel not in self._channels for channel in offsets):
                self._learn(_records(self._stream, chunk) or b"")
        else:
            records = _records(self._stream, chunk) or b""
            self._learn(records)
            for channel, entries in _messages(records).items():
                offsets[channel] = end + builder.count
                MessageIndex(channel, entries).write(builder)
                self._counts[channel] = self._counts.get(channel, 0) + len(entries)
            length = builder.count
        first, last = chunk.times
        return ChunkIndex(
            chunk_length=chunk.length,
            chunk_start_offset=chunk.start,
            compression=chunk.compression,
            compressed_size=chunk.data_length,
            message_end_time=last,
            message_index_length=length,
            message_index_offsets=offsets,
            message_start_time=first,
            uncompressed_size=chunk.size,
        )

    def _message_index(self, at: int) -> tuple[int, int, int] | None:
        """Return channel, number of messages and end of the message index at a place; None if there is none."""
        self._stream.seek(at)
        head = self._stream.read(_RECORD.size + 6)
        number, length = _RECORD.unpack_from(head) if len(head) == _RECORD.size + 6 else (0, 0)
        if number != MESSAGE_INDEX:
            return None
        channel, size = struct.unpack_from("<HI", head, _RECORD.size)
        return channel, size // 16, at + _RECORD.size + length

    def _learn(self, records: bytes) -> None:
        """Add the schemas and channels of a chunk."""
        from mcap.data_stream import ReadDataStream
        from mcap.records import Channel, Schema

        for number, at, length in _each(records):
            if number in (SCHEMA, CHANNEL):
                one = (Schema if number == SCHEMA else Channel).read(ReadDataStream(io.BytesIO(records[at : at + length])))
                (self._schemas if number == SCHEMA else self._channels).setdefault(one.id, one)

    def _statistics(self) -> Any:
        from mcap.records import Statistics

        times = [chunk.times for chunk in self._chunks] or [(0, 0)]
        return Statistics(
            attachment_count=0,
            channel_count=len(self._channels),
            channel_message_counts=self._counts,
            chunk_count=len(self._chunks),
            message_count=self.messages,
            metadata_count=0,
            message_start_time=min(first for first, _ in times),
            message_end_time=max(last for _, last in times),
            schema_count=len(self._schemas),
        )


def _messages(records: bytes) -> dict[int, list[tuple[int, int]]]:
    """Return times and places of the messages in a chunk by their channel."""
    found: dict[int, list[tuple[int, int]]] = {}
    for number, at, _ in _each(records):
        if number == MESSAGE:
            channel, _, log_time, _ = _MESSAGE.unpack_from(records, at)
            found.setdefault(channel, []).append((log_time, at - _RECORD.size))
    return found
