"""A log kept in memory: the same rows as those of a telemetry file, without a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from simulator.base.records import Record, Table
from simulator.telemetry.channels import Channels, Rows
from simulator.telemetry.log import Log

FIRST_ROWS = 256
"""Room to begin with; it doubles when it is full."""


class MemoryLog:
    """Rows of records.

    Parameters
    ----------
    sources, wanted : see `Channels`; raises what that raises
    """

    def __init__(self, sources: Iterable[tuple[str, Table, Record]], wanted: Collection[str] = ()) -> None:
        self.channels = Channels(sources, (), wanted)
        self.rows = 0
        self._bytes = np.zeros((FIRST_ROWS, self.channels.row_bytes), np.uint8)
        self._records = Rows(self.channels, self._bytes)

    def put(self) -> None:
        """Log the records as they are now."""
        if self.rows == len(self._bytes):
            self._bytes = np.concatenate((self._bytes, np.zeros_like(self._bytes)))
            self._records = Rows(self.channels, self._bytes)
        self._records.put(self.rows)
        self.rows += 1

    def log(self, about: Mapping[str, str]) -> Log:
        """The rows so far; later ones do not change it."""
        return Log(self.channels.columns, self.channels.split(self._bytes[: self.rows]), about)
