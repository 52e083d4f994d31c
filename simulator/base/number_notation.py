"""Notation of the numbers in a table: decimal point or decimal comma, with or without separators of thousands.

"1,234" and "1.234" may be either. A column has one notation, which its other cells show; without them, that of the other columns, or of the
commas between the cells. A number whose notation nothing shows is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simulator.base.errors import ConfigError

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


def with_points(names: Sequence[str], rows: Rows, delimiter: str, path: object) -> None:
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
