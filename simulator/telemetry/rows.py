"""Raw log: rows of bytes appended to a file during a session, readable even if the process is killed.

A file is a header and rows of one length. The header names the columns, so that a reader needs nothing else. Each row begins and ends
with its number from 1, so that a reader finds the last complete row of a file that was truncated, or ends in zeros after a power failure.

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

from simulator.base.errors import ConfigError, OutputError, UnreadableError
from simulator.base.inputfile import check_regular
from simulator.telemetry.channels import Channel, Channels, Layout, Rows

MAGIC = b"JOUNCE ROWS 1\n"
NUMBER = 8
"""Number of bytes of the row number before and after the columns."""
LONGEST_HEADER = 1 << 24
"""Maximum size of a header in bytes; Jounce writes about 50 000."""
LONGEST_ROW = 1 << 20

PERIOD = 0.2
"""Wall time [s] between two writes: the maximum loss if the process is killed. Smaller: more frequent disturbance of the tick."""
BUFFER_BYTES = 1 << 25
"""Size of the queue for the disk: two minutes of a run logged at 100 Hz, ten seconds of all columns at 1000 Hz. If it is full, a
real-time run loses rows."""
CLOSE_TIMEOUT = 30.0
"""Maximum time [s] that `close` waits for an unresponsive disk."""


class Column(msgspec.Struct):
    """Channel in the header; `kind` is the name of its NumPy type."""

    name: str
    unit: str
    frame: str
    meaning: str
    kind: str
    offset: int
    wall: bool
    field: str = ""


class Header(msgspec.Struct):
    """Layout of the rows, and the run metadata at the start."""

    row_bytes: int
    columns: list[Column]
    about: dict[str, str]


class RowsWriter:
    """Writer that appends rows to a new file in a background thread; `put` only copies into memory and does not wait for the disk.

    The thread writes every PERIOD of wall time, or as soon as half the buffer is used.

    Parameters
    ----------
    file : file to create; it must not exist
    channels : content of a row
    about : run metadata for the header
    say : called once with a message if the disk fails; logging then stops

    Raises
    ------
    OutputError : the file cannot be created, or the disk has no space for its header
    """

    def __init__(self, file: Path, channels: Channels, about: Mapping[str, str], say: Callable[[str], None]) -> None:
        self.file = file
        self.rows = 0
        """Number of logged rows."""
        self.lost = 0
        """Number of rows lost because the disk was too slow for real time."""
        self.failure: str | None = None
        """Reason why the log ended early; None while it is active."""
        self._say, self._written = say, 0
        self._length = NUMBER + channels.row_bytes + NUMBER
        self._capacity = max(64, BUFFER_BYTES // self._length)
        self._ring = np.full((self._capacity, self._length), 0, np.uint8)  # not np.zeros: the tick would then cause page faults
        self._before, self._after = _numbers(self._ring)
        self._records = Rows(channels, self._ring[:, NUMBER:-NUMBER])
        # not threading.Event: Ctrl-C inside its methods can leave its lock acquired forever
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._space: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._ending = False
        self._descriptor = self._make(channels, about)
        self._header_bytes = os.fstat(self._descriptor).st_size
        self._thread = threading.Thread(target=self._work, name="telemetry", daemon=True)
        self._thread.start()

    def put(self, wait: bool) -> None:
        """Log the present values of the records. If the buffer is full: `wait` for the disk, or count the row as lost."""
        if self.failure is not None:
            return
        waiting = self.rows - self._written
        if waiting >= self._capacity and not (wait and self._wait_for_space()):
            self.lost += 1
            return
        index = self.rows % self._capacity
        self._before[index] = self._after[index] = self.rows + 1
        self._records.put(index)
        # counted last: a row interrupted by Ctrl-C does not count, and the thread does not write it
        self.rows += 1
        if waiting == self._capacity // 2:
            self._wake.put(None)

    def close(self) -> None:
        """Write the waiting rows and end the thread; further calls have no effect."""
        self._ending = True
        self._wake.put(None)
        self._thread.join(CLOSE_TIMEOUT)
        if self._thread.is_alive():
            self._fail("the disk does not respond")
        elif self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _make(self, channels: Channels, about: Mapping[str, str]) -> int:
        """Create the file, write its header and return the descriptor."""
        try:
            # O_BINARY prevents the conversion of line ends on Windows
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

    def _wait_for_space(self) -> bool:
        """Wait for free space in the buffer; return False if the disk failed."""
        while self.rows - self._written >= self._capacity and self.failure is None:
            self._wake.put(None)
            _await(self._space)
        return self.failure is None

    def _work(self) -> None:
        """Body of the thread. It holds the GIL only between two writes, for some microseconds."""
        while self.failure is None:
            _await(self._wake)
            # read before the rows are counted, so that no row arrives after the last pass
            is_ending = self._ending
            try:
                self._drain()
            except OSError as error:
                self._fail(error.strerror or str(error))
            except Exception as error:  # otherwise `put` would wait forever for space
                self._fail(f"{type(error).__name__}: {error}")
            if self._space.empty():
                self._space.put(None)
            if is_ending:
                return

    def _drain(self) -> None:
        """Write the waiting rows."""
        while self._written < self.rows:
            first = self._written % self._capacity
            count = min(self.rows - self._written, self._capacity - first)
            _write_all(self._descriptor, self._ring[first : first + count].data.cast("B"))
            self._written += count

    def _rows_on_disk(self) -> int:
        """Return the number of complete rows in the file: the last write may have been accepted in part."""
        try:
            return (os.fstat(self._descriptor).st_size - self._header_bytes) // self._length
        except OSError:
            return self._written

    def _fail(self, reason: str) -> None:
        self.failure = reason
        with contextlib.suppress(OSError):  # the terminal may be closed
            self._say(f"{self.file}: the log ends after {self._rows_on_disk()} rows ({reason}); the run continues")


class RowsFile:
    """Reader of a raw log, of a run that was ended in any way or that is still active.

    Raises
    ------
    ConfigError : the file is missing or is not a raw log
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(file)
        check_regular(file, "a raw log (telemetry.rows)")
        try:
            with open(self.file, "rb") as stream:
                header = self._read_header(stream.read(len(MAGIC) + 8), stream)
                self._start = stream.tell()
        except OSError as error:
            raise UnreadableError(file, "", error.strerror or str(error), "a readable log") from None
        self.about = header.about
        self.layout = self._layout(header)

    def groups(self, most: int = 1 << 25) -> Iterator[NDArray[np.uint8]]:
        """Yield rows of bytes (n, row_bytes), at most `most` bytes at a time, up to the last complete row; valid until the next one.

        Raises ConfigError if reading fails.
        """
        length, number = NUMBER + self.layout.row_bytes + NUMBER, 1
        try:
            with open(self.file, "rb") as stream:
                size = os.fstat(stream.fileno()).st_size - self._start
                block = bytearray(max(1, min(size, most) // length) * length)
                stream.seek(self._start)
                while (count := stream.readinto(block)) >= length:
                    block_rows = np.frombuffer(block, np.uint8, count // length * length).reshape(-1, length)
                    expected = np.arange(number, number + len(block_rows), dtype=np.uint64)
                    before, after = _numbers(block_rows)
                    wrong = np.flatnonzero((before != expected) | (after != expected))
                    valid = int(wrong[0]) if wrong.size else len(block_rows)
                    if valid:
                        yield block_rows[:valid, NUMBER:-NUMBER]
                    if valid < len(block) // length:
                        return
                    number += valid
        except OSError as error:
            raise UnreadableError(self.file, "", error.strerror or str(error), "a readable log") from None

    def _read_header(self, start: bytes, stream: BinaryIO) -> Header:
        length = int.from_bytes(start[len(MAGIC) :], "little")
        if not start.startswith(MAGIC) or not 0 < length <= LONGEST_HEADER:
            raise ConfigError(self.file, "", start[: len(MAGIC)], "a raw log (telemetry.rows)")
        text = stream.read(length)
        try:
            if len(text) == length:
                return msgspec.json.decode(text, type=Header)
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
        raise ConfigError(self.file, "", "a broken header", "a raw log (telemetry.rows)")

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
            raise ConfigError(self.file, "columns", "a duplicate name", "unique names")
        return Layout(columns, header.row_bytes)


def _header(channels: Channels, about: Mapping[str, str]) -> bytes:
    columns = [Column(c.name, c.unit, c.frame, c.meaning, c.kind.str, c.offset, c.wall, c.field) for c in channels.columns]
    text = msgspec.json.encode(Header(channels.row_bytes, columns, dict(about)))
    text += b" " * (-(len(MAGIC) + 8 + len(text)) % 64)
    return MAGIC + len(text).to_bytes(8, "little") + text


def _numbers(rows: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return views of the numbers before and after the columns of rows (n, bytes)."""
    return rows[:, :NUMBER].view("<u8")[:, 0], rows[:, -NUMBER:].view("<u8")[:, 0]


def _await(signals: queue.SimpleQueue[None]) -> None:
    """Wait for an item, but not longer than PERIOD."""
    with contextlib.suppress(queue.Empty):
        signals.get(timeout=PERIOD)


def _write_all(descriptor: int, waiting: memoryview) -> None:
    while waiting:
        waiting = waiting[os.write(descriptor, waiting) :]
