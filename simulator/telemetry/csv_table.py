"""A table of another program: a CSV file with names in one line and numbers below."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_bytes

MOST_BYTES = 1 << 28
DELIMITERS = ",;\t"


class CsvTable:
    """Columns of a CSV file. Lines above the names that begin with # are remarks.

    Parameters
    ----------
    file : the file
    delimiter : what parts the cells; found out from the line of names when not given
    lines_below_header : lines below the names that are no numbers, of units for instance

    Attributes
    ----------
    headings : names of the columns, as they are written

    Raises ConfigError: it is no such file, or has no line of numbers.
    """

    def __init__(self, file: Path, delimiter: str | None = None, lines_below_header: int = 0) -> None:
        import io

        import pyarrow as pa
        import pyarrow.csv as pc

        self.file = file
        raw = _below_remarks(read_bytes(file, "a table (.csv)", MOST_BYTES))
        parting = delimiter or _delimiter(raw.partition(b"\n")[0].decode("utf-8", "replace"))
        reading, parsing = pc.ReadOptions(skip_rows_after_names=lines_below_header), pc.ParseOptions(delimiter=parting)
        try:
            self._table = pc.read_csv(io.BytesIO(raw), reading, parsing, pc.ConvertOptions(strings_can_be_null=True))
        except (pa.ArrowException, UnicodeDecodeError, ValueError) as error:
            expected = f"a table with names in its first line and cells between {parting!r}"
            raise ConfigError(file, "", str(error).splitlines()[0], expected) from None
        self.headings = [name.strip() for name in self._table.column_names]
        if not self._table.num_rows:
            raise ConfigError(file, "", "no rows", "a line of headings and lines of numbers under it")

    def numbers(self, place: int) -> NDArray[np.float64]:
        """(n,) numbers of a column as they are written, NaN where a cell is empty. Raises ConfigError: a cell is no number."""
        import pyarrow as pa

        column = self._table.column(place)
        try:
            return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=float)
        except pa.ArrowException:
            row, cell = next((n, cell) for n, cell in enumerate(column.to_pylist()) if not _is_number(cell))
            expected = "a number (a line of units below the names: lines_below_header: 1)" if row == 0 else "a number"
            raise ConfigError(self.file, f"{self.headings[place]}, row {row + 1}", cell, expected) from None


def _below_remarks(raw: bytes) -> bytes:
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
