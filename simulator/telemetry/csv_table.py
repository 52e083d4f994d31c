"""Reader of CSV tables of other programs: names in one line and numbers below."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.inputfile import read_bytes

MOST_BYTES = 1 << 28
DELIMITERS = ",;\t"


class CsvTable:
    """Columns of a CSV file. Lines above the names that begin with # are comments.

    Parameters
    ----------
    file : the file
    delimiter : separator of the cells; default: detected in the line of names
    lines_below_header : number of lines below the names without numbers, for example units

    Attributes
    ----------
    headings : names of the columns as written in the file

    Raises ConfigError: the file is not a CSV file, or has no line of numbers.
    """

    def __init__(self, file: Path, delimiter: str | None = None, lines_below_header: int = 0) -> None:
        import io

        import pyarrow as pa
        import pyarrow.csv as pc

        self.file = file
        raw = _skip_comments(read_bytes(file, "a table (.csv)", MOST_BYTES))
        separator = delimiter or _delimiter(raw.partition(b"\n")[0].decode("utf-8", "replace"))
        reading, parsing = pc.ReadOptions(skip_rows_after_names=lines_below_header), pc.ParseOptions(delimiter=separator)
        try:
            self._table = pc.read_csv(io.BytesIO(raw), reading, parsing, pc.ConvertOptions(strings_can_be_null=True))
        except (pa.ArrowException, UnicodeDecodeError, ValueError) as error:
            expected = f"a table with names in its first line and cells separated by {separator!r}"
            raise UnreadableError(file, "", str(error).splitlines()[0], expected) from None
        self.headings = [name.strip() for name in self._table.column_names]
        if not self._table.num_rows:
            raise ConfigError(file, "", "no rows", "a line of names and at least one line of numbers")

    def numbers(self, index: int) -> NDArray[np.float64]:
        """Return the numbers (n,) of a column, NaN for an empty cell. Raises ConfigError: a cell is not a number."""
        import pyarrow as pa

        column = self._table.column(index)
        try:
            return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=float)
        except pa.ArrowException:
            row, cell = next((n, cell) for n, cell in enumerate(column.to_pylist()) if not _is_number(cell))
            expected = "a number (for a line of units below the names, use lines_below_header: 1)" if row == 0 else "a number"
            raise ConfigError(self.file, f"{self.headings[index]}, row {row + 1}", cell, expected) from None


def _skip_comments(raw: bytes) -> bytes:
    raw = raw.removeprefix(b"\xef\xbb\xbf").lstrip()
    while raw.startswith(b"#"):
        raw = raw.partition(b"\n")[2].lstrip()
    return raw


def _delimiter(names: str) -> str:
    return max(DELIMITERS, key=names.count)


def _is_number(cell: object) -> bool:
    try:
        return cell is None or float(str(cell)) is not None
    except ValueError:
        return False
