"""Opening of files for pyarrow, which accepts only names that are UTF-8."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

from simulator.base.errors import ConfigError


@contextlib.contextmanager
def arrow_file(file: str | os.PathLike[str], mode: str = "rb") -> Iterator[Any]:
    """Return the name of a file, or the open file if its name contains other bytes. Raises OSError.

    The file is opened by pyarrow: its threads would call a file of Python while the interpreter ends, which aborts the process.
    """
    name = os.fspath(file)
    if is_utf8(name):
        yield name
        return
    import pyarrow as pa

    with pa.OSFile(os.fsencode(name), mode) as stream:
        yield stream


def read_problem(error: Exception) -> str:
    """Return why a Parquet file cannot be read. The texts of pyarrow name parts of its decoder, for example thrift."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return "damaged, cut short, or not a Parquet file"


def need_single_columns(file: object, names: Sequence[str]) -> None:
    """Check that the columns of a Parquet file have different names. Raises ConfigError."""
    known: set[str] = set()
    for name in names:
        if name in known:
            raise ConfigError(file, name, "two columns", "one column of this name")
        known.add(name)


def is_utf8(text: str) -> bool:
    """Return False if a text contains bytes of a file name that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def printable(text: str) -> str:
    """Return a text in which bytes of file names that are not UTF-8 are written as escapes."""
    return text.encode(errors="backslashreplace").decode()
