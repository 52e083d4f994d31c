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
from simulator.base.inputfile import check_regular
from simulator.telemetry.sensor_file.file_index import MAGIC, FileIndex, bytes_of

FOOTER_BYTES = 9 + 20 + len(MAGIC)
CHUNK_HEAD_BYTES = 64
"""Maximum bytes of a chunk before its data: times, size, check sum, and the name of the compression."""
_RECORD, _CHUNK, _DATA, _MESSAGE = struct.Struct("<BQ"), struct.Struct("<QQQII"), struct.Struct("<Q"), struct.Struct("<HIQQ")
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
    """Return whether a file has its end. Raises UnreadableError; ConfigError: it is not an MCAP file, or not a regular file."""
    check_regular(file, "an MCAP file")
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
    ConfigError : the file is not an MCAP file, or the content of a chunk is broken; the file is not changed
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
    except Exception as error:  # of wrong bytes without a check sum; the library has no common class of errors
        raise ConfigError(file, "", f"broken content ({error})", "an MCAP file") from None


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
            chunk = _chunk(stream, at, _RECORD.size + length)
            if chunk is None:
                break
            chunks.append(chunk)
        if number in (HEADER, CHUNK):
            end = after
        at = after
    return chunks, end


def _chunk(stream: io.FileIO, start: int, length: int) -> _Chunk | None:
    """Return a chunk; None if its parts are longer than the chunk."""
    head = stream.read(min(length - _RECORD.size, CHUNK_HEAD_BYTES))
    try:
        first, last, size, crc, name = _CHUNK.unpack_from(head)
        (data_length,) = _DATA.unpack_from(head, _CHUNK.size + name)
    except struct.error:
        return None
    compression = head[_CHUNK.size : _CHUNK.size + name].decode(errors="replace")
    data_start = start + _RECORD.size + _CHUNK.size + name + _DATA.size
    if data_start + data_length > start + length:
        return None
    return _Chunk(start, length, (first, last), size, crc, compression, data_start, data_length)


def _records(stream: io.FileIO, chunk: _Chunk) -> bytes | None:
    """Return the records in a chunk; None if its bytes are wrong."""
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
    index, tail = _index(stream, chunks, end)
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


def _index(stream: io.FileIO, chunks: list[_Chunk], end: int) -> tuple[FileIndex, bytes]:
    """Return the index of a file, and its bytes from `end`, the end of the last chunk, to the end of the file."""
    from mcap.records import Header, MessageIndex

    index, head = FileIndex(), bytes_of([Header("ros2", "")]) if end == len(MAGIC) else b""
    for chunk in chunks[:-1]:
        offsets, after = _message_indexes(stream, chunk, index)
        if any(channel not in index.channels for channel in offsets):
            _learn(_records(stream, chunk) or b"", index)
        index.chunks.append(_chunk_index(chunk, offsets, after - chunk.start - chunk.length))
    if chunks:  # its message indexes may be incomplete
        records, offsets = _records(stream, chunks[-1]) or b"", {}
        _learn(records, index)
        for channel, entries in _messages(records).items():
            offsets[channel] = end + len(head)
            head += bytes_of([MessageIndex(channel, entries)])
            index.count(channel, len(entries))
        index.chunks.append(_chunk_index(chunks[-1], offsets, len(head)))
    return index, head + index.end(end + len(head))


def _chunk_index(chunk: _Chunk, offsets: dict[int, int], length: int) -> Any:
    from mcap.records import ChunkIndex

    return ChunkIndex(
        chunk_length=chunk.length,
        chunk_start_offset=chunk.start,
        compression=chunk.compression,
        compressed_size=chunk.data_length,
        message_end_time=chunk.times[1],
        message_index_length=length,
        message_index_offsets=offsets,
        message_start_time=chunk.times[0],
        uncompressed_size=chunk.size,
    )


def _message_indexes(stream: io.FileIO, chunk: _Chunk, index: FileIndex) -> tuple[dict[int, int], int]:
    """Return the places of the message indexes of a chunk by channel, and their end; count their messages."""
    offsets: dict[int, int] = {}
    at = chunk.start + chunk.length
    while True:
        stream.seek(at)
        head = stream.read(_RECORD.size + 6)
        number, length = _RECORD.unpack_from(head) if len(head) == _RECORD.size + 6 else (0, 0)
        if number != MESSAGE_INDEX:
            return offsets, at
        channel, size = struct.unpack_from("<HI", head, _RECORD.size)
        index.count(channel, size // 16)
        offsets[channel], at = at, at + _RECORD.size + length


def _learn(records: bytes, index: FileIndex) -> None:
    """Add the schemas and channels of a chunk to the index."""
    from mcap.data_stream import ReadDataStream
    from mcap.records import Channel, Schema

    for number, at, length in _each(records):
        content = ReadDataStream(io.BytesIO(records[at : at + length]))
        if number == SCHEMA:
            schema = Schema.read(content)
            index.schemas.setdefault(schema.id, schema)
        elif number == CHANNEL:
            channel = Channel.read(content)
            index.channels.setdefault(channel.id, channel)


def _messages(records: bytes) -> dict[int, list[tuple[int, int]]]:
    """Return times and places of the messages in a chunk by their channel."""
    messages: dict[int, list[tuple[int, int]]] = {}
    for number, at, _ in _each(records):
        if number == MESSAGE:
            channel, _, log_time, _ = _MESSAGE.unpack_from(records, at)
            messages.setdefault(channel, []).append((log_time, at - _RECORD.size))
    return messages
