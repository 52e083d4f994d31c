"""Log in memory, with the same rows as a telemetry file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from simulator.base.records import Record, Table
from simulator.events.event import Event
from simulator.telemetry.channels import Channels, Rows
from simulator.telemetry.log import Log

FIRST_ROWS = 256
"""Initial capacity; it doubles when full."""


class MemoryLog:
    """Log of records in memory.

    Parameters
    ----------
    sources, wanted : see `Channels`, also for the exceptions
    """

    def __init__(self, sources: Iterable[tuple[str, Table, Record]], wanted: Collection[str] = ()) -> None:
        self.channels = Channels(sources, (), wanted)
        self.rows = 0
        self._bytes = np.zeros((FIRST_ROWS, self.channels.row_bytes), np.uint8)
        self._records = Rows(self.channels, self._bytes)

    def put(self) -> None:
        """Log the present values of the records."""
        if self.rows == len(self._bytes):
            self._bytes = np.concatenate((self._bytes, np.zeros_like(self._bytes)))
            self._records = Rows(self.channels, self._bytes)
        self._records.put(self.rows)
        self.rows += 1

    def with_rows_of(self, other: MemoryLog) -> MemoryLog:
        """Take the rows of another log over, in the columns that both have, and return this log; other columns are 0 there."""
        self.rows, self._bytes = other.rows, np.zeros((len(other._bytes), self.channels.row_bytes), np.uint8)
        self._records = Rows(self.channels, self._bytes)
        places = {column.name: column.offset for column in other.channels.columns}
        for column in self.channels.columns:
            if column.name in places:
                size, place = column.kind.itemsize, places[column.name]
                self._bytes[:, column.offset : column.offset + size] = other._bytes[:, place : place + size]
        return self

    def log(self, about: Mapping[str, str], events: Sequence[Event] = ()) -> Log:
        """Return a copy of the rows so far."""
        return Log(self.channels.columns, self.channels.split(self._bytes[: self.rows]), about, events)
