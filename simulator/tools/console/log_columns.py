"""Columns of a log that are read one by one when a page needs them, because all columns of an hour need a gigabyte."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.telemetry.channels import Layout
from simulator.telemetry.parquet import read_telemetry
from simulator.telemetry.rows import RowsFile

CACHE_BYTES = 1 << 28
"""Size of all cached columns: 90 columns of an hour at 100 Hz."""


class LogColumns:
    """Columns of one log. May be used by several threads.

    Parameters
    ----------
    file : telemetry file (.parquet), or raw log (.rows) of a run that is active or was killed
    rows : number of rows; a raw log may grow
    """

    def __init__(self, file: Path, rows: int) -> None:
        self.file, self.rows = file, rows
        self._cached: OrderedDict[str, NDArray[np.float64]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, name: str) -> NDArray[np.float64]:
        """Return a column (rows,). Raises ConfigError: no such column, or the file cannot be read any more."""
        with self._lock:
            if name not in self._cached:
                self._cached[name] = self._read(name).astype(float)[: self.rows]
            self._cached.move_to_end(name)
            cached = self._cached[name]
            while len(self._cached) > 1 and sum(column.nbytes for column in self._cached.values()) > CACHE_BYTES:
                self._cached.popitem(last=False)
            return cached

    def _read(self, name: str) -> NDArray:
        column = _raw_column(self.file, name) if self.file.suffix == ".rows" else read_telemetry(self.file, [name]).get(name)
        if column is None or len(column) < self.rows or column.dtype.kind not in "fiub":
            raise ConfigError(self.file, name, "no such column, or not all of its rows", "a column with numbers")
        return column


def _raw_column(file: Path, name: str) -> NDArray | None:
    log = RowsFile(file)
    layout = Layout([column for column in log.layout.columns if column.name == name], log.layout.row_bytes)
    if not layout.columns:
        return None
    parts = [layout.split(group)[name].copy() for group in log.groups()]
    return np.concatenate(parts) if parts else np.empty(0)
