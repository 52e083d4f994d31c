"""The raw log: rows of bytes appended to a file while a session runs, readable whatever becomes of the process.

A file is a header and rows of one length. The header names the columns, so that nothing else is needed to read it. Each row begins and
ends with its number from 1, so that a reader knows the last whole row of a file that was cut anywhere, or ends in zeros after a power cut.

    "JOUNCE ROWS 1\\n"   bytes of the JSON text, 8 bytes little-endian   JSON text, spaces up to a multiple of 64
    number, 8 bytes little-endian   the columns, each at its offset   number
    number ...
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, OutputError
from simulator.telemetry.channels import Channel, Channels, Layout, Rows

MAGIC = b"JOUNCE ROWS 1\n"
NUMBER = 8
"""Bytes of the number before and after the columns of a row."""
LONGEST_HEADER = 1 << 24
"""Bytes; ours have fifty thousand. More is not a header."""
LONGEST_ROW = 1 << 20

PERIOD = 0.2
"""s of wall time between two writes: what a kill can cost. Smaller: the tick is disturbed more often."""
BUFFER_BYTES = 1 << 25
"""Rows that wait for the disk: two minutes of a drive logged at 100 Hz, ten seconds of all columns at 1000 Hz. Beyond, a drive in real
time loses rows."""
PATIENCE = 30.0
"""s that closing waits for a disk that does not answer."""


class Column(msgspec.Struct):
    """A channel as the header has it; `kind` is the name of its NumPy type."""

    name: str
    unit: str
    frame: str
    meaning: str
    kind: str
    offset: int
    wall: bool
    field: str = ""


class Header(msgspec.Struct):
    """What the rows are, and what is known of the run when it begins."""

    row_bytes: int
    columns: list[Column]
    about: dict[str, str]


class RowsWriter:
    """Appends rows to a new file from a thread of its own; whoever logs only copies into memory and never waits for the disk.

    The thread looks every PERIOD of wall time, or as soon as half the memory is used.

    Parameters
    ----------
    file : is made; it must not exist
    channels : what a row consists of
    about : what is known of the run, goes into the header
    say : called once, with one line, when the disk refuses; from then on nothing is logged

    Raises
    ------
    OutputError : the file cannot be made, or not even its header finds room
    """

    def __init__(self, file: Path, channels: Channels, about: Mapping[str, str], say: Callable[[str], None]) -> None:
        self.file = file
        self.rows = 0
        """Rows logged."""
        self.lost = 0
        """Rows that found no room because the disk was too slow for real time."""
        self.failure: str | None = None
        """Why the log has ended early; None while it goes on."""
        self._say, self._written = say, 0
        self._length = NUMBER + channels.row_bytes + NUMBER
        self._capacity = max(64, BUFFER_BYTES // self._length)
        self._ring = np.full((self._capacity, self._length), 0, np.uint8)  # not np.zeros: its pages would be fetched in the tick
        self._before, self._after = _numbers(self._ring)
        self._records = Rows(channels, self._ring[:, NUMBER:-NUMBER])
        # not events: Ctrl-C inside one leaves its lock taken for ever
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._room: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._ending = False
        self._descriptor = self._make(channels, about)
        self._thread = threading.Thread(target=self._work, name="telemetry", daemon=True)
        self._thread.start()

    def put(self, wait: bool) -> None:
        """Log the records as they are now. When no room is left: `wait` for the disk, or count the row as lost."""
        if self.failure is not None:
            return
        waiting = self.rows - self._written
        if waiting >= self._capacity and not (wait and self._wait_for_room()):
            self.lost += 1
            return
        place = self.rows % self._capacity
        self._before[place] = self._after[place] = self.rows + 1
        self._records.put(place)
        # counted last: a row torn by Ctrl-C does not count, and the thread does not see it
        self.rows += 1
        if waiting == self._capacity // 2:
            self._wake.put(None)

    def close(self) -> None:
        """Write what waits and end the thread; calling it again does nothing."""
        self._ending = True
        self._wake.put(None)
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            self._fail("the disk does not answer")
        elif self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _make(self, channels: Channels, about: Mapping[str, str]) -> int:
        """Descriptor of the new file, its header written."""
        try:
            # O_BINARY keeps Windows from turning line ends
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self.file, flags, 0o644)
        except OSError as error:
            raise OutputError(f"{self.file}: cannot be written: {error.strerror or error}") from None
        try:
            _write_all(descriptor, memoryview(_header(channels, about)))
        except OSError as error:
            os.close(descriptor)
            with contextlib.suppress(OSError):
                self.file.unlink()
            raise OutputError(f"{self.file}: cannot be written: {error.strerror or error}") from None
        return descriptor

    def _wait_for_room(self) -> bool:
        """Whether there is room again, as there is unless the disk fails."""
        while self.rows - self._written >= self._capacity and self.failure is None:
            self._wake.put(None)
            _await(self._room)
        return self.failure is None

    def _work(self) -> None:
        """The thread. It holds Python's lock only between two writes, for some microseconds."""
        while self.failure is None:
            _await(self._wake)
            # asked before the rows are counted, so that none comes after the last look
            ending = self._ending
            try:
                self._drain()
            except OSError as error:
                self._fail(error.strerror or str(error))
            except Exception as error:  # else whoever waits for room would wait for ever
                self._fail(f"{type(error).__name__}: {error}")
            if self._room.empty():
                self._room.put(None)
            if ending:
                return

    def _drain(self) -> None:
        """Write the rows that wait."""
        while self._written < self.rows:
            first = self._written % self._capacity
            count = min(self.rows - self._written, self._capacity - first)
            _write_all(self._descriptor, self._ring[first : first + count].data.cast("B"))
            self._written += count

    def _fail(self, reason: str) -> None:
        self.failure = reason
        with contextlib.suppress(OSError):  # a terminal that is gone
            self._say(f"{self.file}: the log ends after {self._written} rows: {reason}; everything else goes on")


class RowsFile:
    """A raw log read back, of a run that was ended in whatever way or that still goes on.

    Raises
    ------
    ConfigError : the file is missing or is no raw log
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(file)
        try:
            with open(self.file, "rb") as stream:
                header = self._read_header(stream.read(len(MAGIC) + 8), stream)
                self._start = stream.tell()
        except OSError as error:
            raise ConfigError(file, "", error.strerror or str(error), "a log that can be read") from None
        self.about = header.about
        self.layout = self._layout(header)

    def groups(self, most: int = 1 << 25) -> Iterator[NDArray[np.uint8]]:
        """Rows of bytes (n, row_bytes), at most `most` bytes at a time, up to the last whole row; valid until the next is asked for.

        Raises ConfigError when reading fails.
        """
        length, number = NUMBER + self.layout.row_bytes + NUMBER, 1
        try:
            with open(self.file, "rb") as stream:
                size = os.fstat(stream.fileno()).st_size - self._start
                block = bytearray(max(1, min(size, most) // length) * length)
                stream.seek(self._start)
                while (got := stream.readinto(block)) >= length:
                    whole = np.frombuffer(block, np.uint8, got // length * length).reshape(-1, length)
                    due = np.arange(number, number + len(whole), dtype=np.uint64)
                    before, after = _numbers(whole)
                    wrong = np.flatnonzero((before != due) | (after != due))
                    good = int(wrong[0]) if wrong.size else len(whole)
                    if good:
                        yield whole[:good, NUMBER:-NUMBER]
                    if good < len(block) // length:
                        return
                    number += good
        except OSError as error:
            raise ConfigError(self.file, "", error.strerror or str(error), "a log that can be read") from None

    def _read_header(self, start: bytes, stream: BinaryIO) -> Header:
        length = int.from_bytes(start[len(MAGIC) :], "little")
        if not start.startswith(MAGIC) or not 0 < length <= LONGEST_HEADER:
            raise ConfigError(self.file, "", start[: len(MAGIC)], "the log of a drive that was killed")
        text = stream.read(length)
        try:
            if len(text) == length:
                return msgspec.json.decode(text, type=Header)
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
        raise ConfigError(self.file, "", "a broken header", "the log of a drive that was killed")

    def _layout(self, header: Header) -> Layout:
        if not 0 < header.row_bytes <= LONGEST_ROW or not header.columns:
            raise ConfigError(self.file, "row_bytes", header.row_bytes, f"a number of bytes from 1 to {LONGEST_ROW}")
        columns = []
        for c in header.columns:
            try:
                kind = np.dtype(c.kind)
            except (TypeError, ValueError, SyntaxError):
                kind = np.dtype("O")
            if kind.kind not in "fiu" or not 0 <= c.offset <= header.row_bytes - kind.itemsize:
                raise ConfigError(self.file, c.name, f"{c.kind} at {c.offset}", "a number inside the row")
            columns.append(Channel(c.name, c.unit, c.frame, c.meaning, kind, c.offset, c.wall, c.field))
        if len({c.name for c in columns}) != len(columns):
            raise ConfigError(self.file, "columns", "a name that comes twice", "names that differ")
        return Layout(columns, header.row_bytes)


def _header(channels: Channels, about: Mapping[str, str]) -> bytes:
    columns = [Column(c.name, c.unit, c.frame, c.meaning, c.kind.str, c.offset, c.wall, c.field) for c in channels.columns]
    text = msgspec.json.encode(Header(channels.row_bytes, columns, dict(about)))
    text += b" " * (-(len(MAGIC) + 8 + len(text)) % 64)
    return MAGIC + len(text).to_bytes(8, "little") + text


def _numbers(rows: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Views of the numbers before and after the columns of rows (n, bytes)."""
    return rows[:, :NUMBER].view("<u8")[:, 0], rows[:, -NUMBER:].view("<u8")[:, 0]


def _await(word: queue.SimpleQueue[None]) -> None:
    """Wait for a word, but no longer than PERIOD."""
    with contextlib.suppress(queue.Empty):
        word.get(timeout=PERIOD)


def _write_all(descriptor: int, waiting: memoryview) -> None:
    while waiting:
        waiting = waiting[os.write(descriptor, waiting) :]
