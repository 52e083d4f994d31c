"""Text of CSV files of any locale, as plain CSV: commas between the cells, points in the numbers, one line for each line of the file."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from simulator.base.inputfile import read_any_text

DELIMITERS = ";\t,"
"""Delimiters that are detected; of two that fit, the first one."""
COMPARED = 5
"""Number of lines below the names that must have the delimiters of the line of names."""
_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"\s*([+-]?(?:\d*|\d{1,3}(?:\.\d{3})+)),(\d+(?:[eE][+-]?\d+)?)\s*")


def read_table_text(path: str | Path, expected: str, most: int, delimiter: str | None = None, above: bool = False) -> str:
    """Return the text of a CSV file as plain CSV, see `plain_csv`; `above`: with the lines above the names. Raises ConfigError as
    `read_any_text`."""
    text = plain_csv(read_any_text(path, expected, most), delimiter)
    return text if above else _split(text)[1]


def plain_csv(text: str, delimiter: str | None = None) -> str:
    """Return a CSV text with commas between the cells and points in the numbers.

    Parameters
    ----------
    delimiter : delimiter of the cells; default: that of a first line `sep=;` of spreadsheets, else detected

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
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in csv.reader(io.StringIO(body, newline=""), delimiter=delimiter):
        writer.writerow([_with_point(cell) for cell in row])
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


def _with_point(cell: str) -> str:
    """Return a number with a decimal comma, and with or without points between thousands, in plain notation; any other cell as it is."""
    found = _DECIMAL_COMMA.fullmatch(cell)
    return cell if found is None else f"{found[1].replace('.', '')}.{found[2]}"
