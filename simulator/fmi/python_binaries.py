"""Binaries of pythonfmu 0.7.0 and pythonfmu3 0.3.4: a remedy for their end.

At the exit of a process, a binary uses its interpreter object after it has deleted it, which corrupts the heap: the process aborts after all its
work. Its own function `finalizePythonInterpreter` deletes the object properly if it is called before.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import sys
from pathlib import Path

_held: dict[str, ctypes.CDLL] = {}
"""Loaded binaries by path."""


def end_properly(unpacked: Path) -> None:
    """Delete the interpreter object of the loaded binaries of an unpacked FMU before the process exits; Linux only."""
    if not sys.platform.startswith("linux"):
        return
    for file in unpacked.glob("binaries/*/*.so"):
        path = str(file)
        if path in _held:
            continue
        with contextlib.suppress(OSError):  # not loaded: of another platform
            _held[path] = library = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
            if hasattr(library, "finalizePythonInterpreter"):
                atexit.register(library.finalizePythonInterpreter)
