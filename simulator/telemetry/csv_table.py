"""Reader of CSV tables of other programs: names in one line and numbers below."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.table_text import read_table_text

MAX_BYTES = 1 << 28
TRUTH = {"true": 1.0, "false": 0.0}
"""Numbers of words that some loggers write."""


class CsvTable:
    """Columns of a CSV file of any locale. Lines above the names that begin with # are comments.

    Parameters
    ----------
    file : the file
    delimiter : separator of the cells; default: detected
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

        self.file, self._lines_below = file, lines_below_header
        text = read_table_text(file, "a table (.csv)", MAX_BYTES, delimiter, above=True)
        self._above, text = _skip_comments(text)
        raw = text.encode()
        names = next(iter(csv.reader([text.partition("\n")[0]])), [])
        reading, texts = pc.ReadOptions(skip_rows_after_names=lines_below_header), dict.fromkeys(names, pa.string())
        try:
            self._table = pc.read_csv(io.BytesIO(raw), reading, None, pc.ConvertOptions(strings_can_be_null=True, column_types=texts))
        except (pa.ArrowException, UnicodeDecodeError, ValueError) as error:
            separated = "commas, semicolons or tabs" if delimiter is None else repr(delimiter)
            expected = f"a table with names in its first line and cells separated by {separated}"
            raise UnreadableError(file, self._first_uneven(text, len(names)), str(error).splitlines()[0], expected) from None
        self._text = text
        self.headings = [name.strip() for name in self._table.column_names]
        if not self._table.num_rows:
            raise ConfigError(file, "", "no rows", "a line of names and at least one line of numbers")

    def _first_uneven(self, text: str, count: int) -> str:
        """Return the place of the first line that does not have `count` cells; empty if all have."""
        reader = csv.reader(text.splitlines(keepends=True))
        return next((f"line {self._above + reader.line_num}" for row in reader if row and len(row) != count), "")

    def numbers(self, index: int) -> NDArray[np.float64]:
        """Return the numbers (n,) of a column, NaN for an empty cell. Raises ConfigError: a cell is not a number."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self._table.column(index)
        try:
            return np.asarray(pc.ascii_trim_whitespace(column).cast(pa.float64()).to_numpy(), dtype=float)
        except pa.ArrowException:
            return np.array([self._number(index, row, cell) for row, cell in enumerate(column.to_pylist())])

    def _number(self, index: int, row: int, cell: str | None) -> float:
        text = (cell or "nan").strip().lower() or "nan"
        try:
            return TRUTH[text] if text in TRUTH else float(text.replace("_", "?"))
        except ValueError:
            hint = "a number (for a line of units below the names, use lines_below_header: 1)" if row == 0 else "a number"
            raise ConfigError(self.file, f"line {self._line(row)}: {self.headings[index]}, row {row + 1}", cell, hint) from None

    def _line(self, row: int) -> int:
        """Return the line in the file of a row of numbers."""
        lines = self._text.split("\n")
        filled = [n for n, line in enumerate(lines[1 + self._lines_below :], 2 + self._lines_below) if line.strip()]
        return self._above + filled[row]


def _skip_comments(text: str) -> tuple[int, str]:
    """Return the number of lines above the names, and the text from the names on."""
    lines = text.split("\n")
    above = next((n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), len(lines))
    return above, "\n".join(lines[above:]).lstrip()
