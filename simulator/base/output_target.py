"""Target of an output file: a regular file is replaced; a device, a pipe or a standard stream is written to."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

STANDARD_OUTPUT = Path("-")
"""Path that stands for the standard output."""


def output_path(name: str) -> Path:
    """Return the path of an output file on the command line. `-` is the standard output; `./-` is a file."""
    path = Path(name)
    return Path.cwd() / path if path == STANDARD_OUTPUT and name != str(path) else path


def described(name: str) -> str:
    """Return the name of an output file for messages."""
    return "the standard output" if name == str(STANDARD_OUTPUT) else name


def is_stream(file: Path) -> bool:
    """Return True if a file is written to and not replaced. Raises OSError: the file cannot be examined, for example a loop of links."""
    if file == STANDARD_OUTPUT:
        return True
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)) or _standard_stream(file) is not None


def open_stream(file: Path) -> BinaryIO:
    """Open a file for which `is_stream` is True. Raises OSError."""
    number = 1 if file == STANDARD_OUTPUT else _standard_stream(file)
    if number is None:
        return os.fdopen(os.open(file, os.O_WRONLY | getattr(os, "O_BINARY", 0)), "wb")
    for stream in (sys.stdout, sys.stderr, sys.__stdout__):
        if stream is not None:
            stream.flush()
    return os.fdopen(os.dup(number), "wb")


def _standard_stream(file: Path) -> int | None:
    """Return the descriptor of the standard output or error if it is the file, for example /dev/stdout; opening it again would truncate it."""
    status = os.stat(file)
    for number in (1, 2):
        try:
            if os.path.samestat(status, os.fstat(number)):
                return number
        except OSError:  # the stream is closed
            continue
    return None
