"""Finished log of a run, in groups of rows, for outlets that write it in another format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrow_file import arrow_file, read_problem
from simulator.base.errors import UnreadableError
from simulator.telemetry.parquet import EXPECTED, read_about, read_columns, read_count


@dataclass(frozen=True)
class LogColumn:
    """Column of a log."""

    name: str
    unit: str
    frame: str
    """Frame of the components; empty for a scalar without a frame."""
    meaning: str
    kind: np.dtype
    """NumPy type of the numbers."""
    wall: bool
    """True for values of the wall clock, which differ between two equal runs."""


class FinishedLog:
    """Log of a run that has ended.

    Parameters
    ----------
    file : telemetry file of the run

    Attributes
    ----------
    columns : columns in the order of the log
    about : metadata of the run: vehicle, terrain, seed, configuration, reason of the end ...
    rows : number of rows

    Raises ConfigError: a missing or foreign file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.columns = [
            LogColumn(name, words["unit"], words["frame"], words["meaning"], kind, "wall" in words)
            for name, (kind, words) in read_columns(file).items()
        ]
        self.about, self.rows = read_about(file), read_count(file)

    def groups(self) -> Iterator[dict[str, NDArray]]:
        """Yield the rows in their order, as arrays (n,) by column. A group has at most a few 10 MB. Raises ConfigError."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with arrow_file(self._file) as source, pq.ParquetFile(source) as log:
                for number in range(log.num_row_groups):
                    table = log.read_row_group(number, use_threads=False)
                    yield {name: table.column(name).to_numpy() for name in table.column_names}
        except (OSError, pa.ArrowException) as error:
            raise UnreadableError(self._file, "", read_problem(error), EXPECTED) from None
