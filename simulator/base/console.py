"""Lines for people, also when nobody listens any more: a closed terminal or pipe must not end what is being said."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


def tell(text: str) -> None:
    """A line on the standard output."""
    _write(text, sys.stdout)


def complain(text: str) -> None:
    """A line on the error stream."""
    _write(f"jounce: {text}", sys.stderr)


def flush() -> None:
    """Pass on what was printed, so that the interpreter has nothing left to fail with when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _silence(stream)


def _write(text: str, stream: TextIO) -> None:
    try:
        print(text, file=stream, flush=True)
    except (OSError, ValueError):
        _silence(stream)


def _silence(stream: TextIO) -> None:
    """Let further lines go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
