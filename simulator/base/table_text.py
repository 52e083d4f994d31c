"""Text of CSV files of any locale, as plain CSV: commas between the cells, points in the numbers, one line for each line of the file.

"1,234" and "1.234" may have a decimal separator or one of thousands. A column has one notation, which its other cells show; without them, that
of the other columns, or of the commas between the cells. A number whose notation nothing shows is refused.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.inputfile import read_any_text

DELIMITERS = ";\t,"
"""Delimiters that are detected; of two that fit, the first one."""
COMPARED = 5
"""Number of lines below the names that must have the delimiters of the line of names."""
csv.field_size_limit(1 << 30)  # larger than the files that are read: the reader of a table refuses a cell that is too long, with its line
_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)

POINT, COMMA, EITHER = ".", ",", "?"
"""Notations by decimal separator: point, with commas between thousands; comma, with points between thousands; one or the other."""
Rows = Sequence[tuple[int, list[str]]]
"""Rows with their lines in the file."""

_DECIMAL = r"[+-]?(?:(?=\D?\d)\d*|[1-9]\d{{0,2}}(?:{other}\d{{3}})+){mark}\d*(?:[eE][+-]?\d+)?|[+-]?[1-9]\d{{0,2}}(?:{other}\d{{3}}){{2,}}"
_NUMBER = re.compile(
    rf"\s*(?:(?P<either>[+-]?[1-9]\d{{0,2}}[.,]\d{{3}})|(?P<point>{_DECIMAL.format(mark='[.]', other=',')})"
    rf"|(?P<comma>{_DECIMAL.format(mark=',', other='[.]')}))\s*"
)
"""Number with separators: one that may be that of decimals or of thousands, or a notation with one meaning."""
_MARKS = {"either": EITHER, "point": POINT, "comma": COMMA}


def read_table_text(path: str | Path, expected: str, most: int, delimiter: str | None = None, above: bool = False) -> str:
    """Return the text of a CSV file as plain CSV, see `_plain_csv`; `above`: with the lines above the names. Raises ConfigError as
    `read_any_text`, and for numbers with more than one meaning."""
    newlines = read_any_text(path, expected, most).replace("\r\n", "\n").replace("\r", "\n")
    text = _plain_csv(newlines, delimiter, path)
    return text if above else _split(text)[1]


class TableRows:
    """Rows of a CSV file by the names in its first line, without the blanks around names and cells.

    Parameters
    ----------
    path, expected, most : as for `read_table_text`

    Attributes
    ----------
    names : names of the columns
    line : line of the file of the last row that was read

    Raises ConfigError as `read_table_text`; in the iteration, for a row with more cells than names.
    """

    def __init__(self, path: str | Path, expected: str, most: int) -> None:
        above, text = _split(read_table_text(path, expected, most, above=True))
        self._path, self._expected, self._above = path, expected, above.count("\n")
        self._reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
        self.names = [name.strip() for name in next(self._reader, [])]

    @property
    def line(self) -> int:
        """Line of the last row."""
        return self._above + self._reader.line_num

    def __iter__(self) -> Iterator[dict[str, str]]:
        """Yield the rows that are not blank; cells missing at the end of a row are empty."""
        try:
            for cells in self._reader:
                if not any(map(str.strip, cells)):
                    continue
                if len(cells) > len(self.names):
                    raise ConfigError(
                        self._path, f"line {self.line}", f"{len(cells)} cells", f"{len(self.names)} cells, as in the line of names"
                    )
                yield {name: cell.strip() for name, cell in zip_longest(self.names, cells, fillvalue="")}
        except csv.Error as error:
            raise UnreadableError(self._path, f"line {self.line + 1}", str(error), self._expected) from None


def _plain_csv(text: str, delimiter: str | None, path: object) -> str:
    """Return a CSV text with commas between the cells and points in the numbers.

    Parameters
    ----------
    delimiter : delimiter of the cells; default: that of a first line `sep=;` of spreadsheets, else detected
    path : name of the file, for messages

    A text that is delimited by commas, without quotes, is returned as it is. Lines above the names that are blank or begin with # stay as they are.
    """
    head, body = _split(text)
    if delimiter is None:
        said = _SEPARATOR.fullmatch(body.partition("\n")[0].strip())
        if said:
            delimiter, body = said[1], body.partition("\n")[2]
            head += "#\n"
        else:
            delimiter = _detected(body)
    if delimiter == "," and '"' not in body:
        return head + body
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, skipinitialspace=True)
    names, above = next(reader, []), head.count("\n")
    numbered = [(above + reader.line_num, row) for row in reader]
    _with_points(names, numbered, delimiter, path)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([names, *(row for _, row in numbered)] if names or numbered else [])
    return head + out.getvalue()


def _split(text: str) -> tuple[str, str]:
    """Return the lines above the names, and the text from the names on."""
    at = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        at += len(line)
    return text[:at], text[at:]


def _detected(body: str) -> str:
    """Return the delimiter that the lines below the names have as often as the names; else the most frequent one of the names."""
    names, *rows = body[: 1 << 16].splitlines()[: COMPARED + 1] or [""]
    rows = [row for row in rows if row.strip()]
    for delimiter in DELIMITERS:
        if names.count(delimiter) and rows and all(row.count(delimiter) == names.count(delimiter) for row in rows):
            return delimiter
    return max(reversed(DELIMITERS), key=names.count)


def _with_points(names: Sequence[str], rows: Rows, delimiter: str, path: object) -> None:
    """Write the numbers in the cells of rows with a decimal point and without separators of thousands; other cells stay as they are.

    Parameters
    ----------
    names : names of the columns
    delimiter : delimiter of the cells; a comma suggests decimal points
    path : name of the file, for messages

    Raises ConfigError: a column has both notations, or nothing shows the notation of a number.
    """
    columns = [_separated(rows, n) for n in range(max((len(row) for _, row in rows), default=0))]
    shown = [{mark for _, _, mark in column if mark != EITHER} for column in columns]
    everywhere = set().union(*shown)
    for n, (column, own) in enumerate(zip(columns, shown, strict=True)):
        for line, row, mark in column:
            place = f"line {line}: {names[n]}" if n < len(names) else f"line {line}"
            if len(own) > 1:
                raise ConfigError(path, place, row[n], "one decimal separator in the column, which has commas and points")
            point = mark if mark != EITHER else _meaning(row[n], own, everywhere, delimiter)
            if not point:
                raise ConfigError(path, place, row[n], "a number with one meaning, such as 1234.0 or 1.2340")
            row[n] = row[n].replace(COMMA if point == POINT else POINT, "").replace(COMMA, POINT)


def _separated(rows: Rows, n: int) -> list[tuple[int, list[str], str]]:
    """Return the rows whose cell in column n is a number with separators: line, row, notation."""
    found = []
    for line, row in rows:
        number = _NUMBER.fullmatch(row[n]) if n < len(row) else None
        if number is not None:
            found.append((line, row, _MARKS[number.lastgroup or ""]))
    return found


def _meaning(cell: str, own: set[str], everywhere: set[str], delimiter: str) -> str:
    """Return the decimal separator of a number such as 1,234; empty if nothing shows it.

    The other columns show that a comma is one or the other, and that a point is the decimal one. Only the column itself can show that its
    points separate thousands.
    """
    if own:
        return next(iter(own))
    if COMMA in cell:
        return next(iter(everywhere)) if len(everywhere) == 1 else ""
    return POINT if everywhere == {POINT} or (delimiter == COMMA and not everywhere) else ""
