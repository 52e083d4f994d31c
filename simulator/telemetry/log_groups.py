"""Log of a run read in groups of rows, so that the memory does not depend on its length; a damaged group ends the log."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrow_file import arrow_file, need_single_columns, read_problem
from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.inputfile import check_regular
from simulator.telemetry.parquet import EXPECTED

Columns = dict[str, NDArray[Any]]
NUMBERS = "fiub"
"""Kinds of arrays that a column may be."""


class LogGroups:
    """Groups of rows of a Parquet log.

    Attributes
    ----------
    rows : number of rows of each group
    names : columns of the log

    Raises ConfigError: a missing or foreign file.
    """

    def __init__(self, file: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.file = file
        check_regular(file, EXPECTED)
        try:
            with arrow_file(file) as source, pq.ParquetFile(source) as log:
                about = log.metadata
                self.rows = [int(about.row_group(n).num_rows) for n in range(about.num_row_groups)]
                self.names = tuple(log.schema_arrow.names)
        except (OSError, pa.ArrowException) as error:
            raise UnreadableError(file, "", read_problem(error), EXPECTED) from None
        need_single_columns(file, self.names)

    def read(self, group: int, columns: Collection[str]) -> Columns:
        """Return columns of a group by name; names that the log does not have are ignored.

        Raises ConfigError: the group is damaged, or a column has no numbers.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        present = [name for name in columns if name in self.names]
        try:
            with arrow_file(self.file) as source, pq.ParquetFile(source) as log:
                table = log.read_row_group(group, present, use_threads=False)
                columns_read = {name: table.column(name).to_numpy() for name in table.column_names}
        except (OSError, pa.ArrowException):
            raise UnreadableError(self.file, f"row group {group}", "damaged", "rows that can be read") from None
        for name, values in columns_read.items():
            if values.dtype.kind not in NUMBERS:
                raise ConfigError(self.file, name, "a column of other values", "a column of numbers")
        return columns_read

    def read_all(self, columns: Collection[str]) -> tuple[Columns, str]:
        """Return columns of all groups up to the first damaged one, and the error of that one or an empty text.

        Raises ConfigError: the first group is damaged.
        """
        parts: list[Columns] = []
        problem = ""
        for group in range(len(self.rows)):
            try:
                parts.append(self.read(group, columns))
            except UnreadableError as error:
                if not parts:
                    raise
                problem = str(error)
                break
        names = parts[0] if parts else ()
        return {name: np.concatenate([part[name] for part in parts]) for name in names}, problem
