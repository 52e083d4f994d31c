"""Journals of a sweep on disk: one file for each worker, with a record for each run.

A record consists of the length and the CRC-32 of its text, four bytes each, little-endian, and the text: a row as JSON. A complete
record survives any interruption. An incomplete record is cut off when the folder is opened again. A complete record with content that
is no row is ignored.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from simulator.base.errors import OutputError
from simulator.base.inputfile import check_regular

HEAD = struct.Struct("<II")
SUFFIX = ".journal"
JOURNALS = "journals"
"""Folder of the journals in the folder of a sweep."""
MAX_RECORD = 1 << 28
"""Maximum size of a record in bytes; a larger length marks a damaged record."""
ROW_KEYS = {"run", "passed", "metrics", "failure", "machine", "worker"}
"""Keys of a row of a run."""
MAX_OPEN = 64
"""Maximum number of files open for reading."""

Row = dict[str, Any]


class Place(NamedTuple):
    """Position of a record."""

    journal: int
    """Number of the file in the folder."""
    offset: int


class Journals:
    """Journals in a folder, which is created if needed. Only one process may write at a time.

    Raises OutputError: the folder or a file in it cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _refused(folder, error) from None
        self._opened: dict[int, BinaryIO] = {}
        self._names = sorted(path.name for path in folder.glob(f"*{SUFFIX}"))

    def recover(self) -> Iterator[tuple[Place, Row]]:
        """Yield every complete record, file by file, and cut off incomplete ends. Raises OutputError."""
        for journal, name in enumerate(self._names):
            path = self.folder / name
            end = 0
            try:
                with open(path, "rb") as stream:
                    while (row := _read(stream)) is not None:
                        if row:
                            yield Place(journal, end), row
                        end = stream.tell()
                if end < path.stat().st_size:
                    os.truncate(path, end)
            except OSError as error:
                raise _refused(path, error) from None

    def append(self, worker: str, rows: Sequence[Row]) -> list[Place]:
        """Append the rows of a worker, flush them to disk, and return their positions. Raises OutputError."""
        name = re.sub(r"[^A-Za-z0-9.-]+", "_", worker) + SUFFIX
        path = self.folder / name
        if name not in self._names:
            self._names.append(name)
        journal = self._names.index(name)
        records = [_record(row) for row in rows]
        try:
            with open(path, "ab") as stream:
                start = stream.tell()
                stream.write(b"".join(records))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise _refused(path, error) from None
        places = []
        for record in records:
            places.append(Place(journal, start))
            start += len(record)
        return places

    def row(self, place: Place) -> Row:
        """Return the row of a record. Raises OutputError: the record is missing."""
        path = self.folder / self._names[place.journal]
        try:
            stream = self._open(place.journal, path)
            stream.seek(place.offset)
            row = _read(stream)
        except OSError as error:
            raise _refused(path, error) from None
        if not row:
            raise OutputError(f"{path}: a record is missing; another program has changed this file")
        return row

    def _open(self, journal: int, path: Path) -> BinaryIO:
        """Return a file open for reading. It stays open for the next record."""
        if journal not in self._opened:
            if len(self._opened) >= MAX_OPEN:
                self.close()
            self._opened[journal] = open(path, "rb")  # noqa: SIM115 (until `close`)
        return self._opened[journal]

    def close(self) -> None:
        """Close the files that are open for reading."""
        for stream in self._opened.values():
            stream.close()
        self._opened.clear()


def read_rows(folder: Path) -> Iterator[Row]:
    """Yield the complete records of a folder, file by file. Other processes may write at the same time. Raises OutputError."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        check_regular(path, "a journal of a sweep")
        try:
            with open(path, "rb") as stream:
                while (row := _read(stream)) is not None:
                    if row:
                        yield row
        except OSError as error:
            raise _refused(path, error) from None


def _record(row: Mapping[str, Any]) -> bytes:
    text = msgspec.json.encode(row)
    return HEAD.pack(len(text), zlib.crc32(text)) + text


def _read(stream: Any) -> Row | None:
    """Return the row of the next complete record, empty if the content is foreign; None without a complete record."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    length, checksum = HEAD.unpack(head)
    text = stream.read(length) if length <= MAX_RECORD else b""
    if len(text) < length or zlib.crc32(text) != checksum or not text:
        return None
    try:
        row = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return row if isinstance(row, dict) and _is_row(row) else {}


def _is_row(row: Row) -> bool:
    """Return whether a record has the form of a row: a run, and values of the right types."""
    run = row.get("run")
    mappings = (row.get("metrics", {}), row.get("machine", {}))
    return isinstance(run, str) and run.isascii() and isinstance(row.get("failure", ""), str) and all(isinstance(m, dict) for m in mappings)


def _refused(path: Path, error: OSError) -> OutputError:
    return OutputError(f"{path}: cannot be read or written: {error.strerror or error}")
