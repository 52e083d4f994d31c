"""Lines for people, also when nobody listens any more: a closed terminal or pipe must not end what is being said."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


def print_line(text: str) -> None:
    """A line on the standard output."""
    _write(text, sys.stdout)


def print_error(text: str) -> None:
    """A line on the error stream; a text of several lines is so many."""
    _write("\n".join(f"jounce: {line}" for line in text.split("\n")), sys.stderr)


def open_missing() -> None:
    """Give the process the standard streams that whoever started it had closed, so that no other file takes their place."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115 (as long as the process)


def flush() -> str:
    """Pass on what was printed, so that the interpreter has nothing left to fail with when it ends.

    Returns why some of the standard output is lost, empty when nothing is or when nobody wants it any more.
    """
    lost = ""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            _silence(stream)
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                lost = f"standard output: {getattr(error, 'strerror', None) or error}"
    return lost


def _write(text: str, stream: TextIO) -> None:
    try:
        print(text, file=stream, flush=True)
    except (OSError, ValueError):
        _silence(stream)


def _silence(stream: TextIO) -> None:
    """Let further lines go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
