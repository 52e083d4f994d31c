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

    def log(self, about: Mapping[str, str], events: Sequence[Event] = ()) -> Log:
        """Return a copy of the rows so far."""
        return Log(self.channels.columns, self.channels.split(self._bytes[: self.rows]), about, events)
