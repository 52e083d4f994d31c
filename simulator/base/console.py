"""Output of lines on the standard streams. A closed terminal or pipe does not end the program."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

_losses: list[str] = []
"""Reasons why the standard output was lost."""


def print_line(text: str) -> None:
    """Print a line on the standard output."""
    _write(text, sys.stdout)


def print_error(text: str) -> None:
    """Print each line of a text on the error stream, with the prefix ``jounce: ``."""
    _write("\n".join(f"jounce: {line}" for line in text.split("\n")), sys.stderr)


def write_error(text: str) -> None:
    """Write a text with its line ends on the error stream."""
    _write(text, sys.stderr, end="")


def open_missing() -> None:
    """Open the standard streams that the parent process had closed, so that no other file gets their descriptors."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115 (stays open)


def flush() -> str:
    """Flush the standard streams, so that the interpreter cannot fail on them at exit.

    Returns the reason why standard output was lost; empty if none was lost or if the reader has closed the pipe.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            _note_loss(stream, error)
    return _losses[0] if _losses else ""


def _write(text: str, stream: TextIO, end: str = "\n") -> None:
    try:
        print(text, end=end, file=stream, flush=True)
    except (OSError, ValueError) as error:
        _note_loss(stream, error)


def _note_loss(stream: TextIO, error: Exception) -> None:
    """Note that output was lost, unless its reader has closed the pipe, and discard further output of the stream."""
    if stream is sys.stdout and not isinstance(error, BrokenPipeError):
        _losses.append(f"standard output: {getattr(error, 'strerror', None) or error}")
    _silence(stream)


def _silence(stream: TextIO) -> None:
    """Discard further output of a stream."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
