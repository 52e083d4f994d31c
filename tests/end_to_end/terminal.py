"""Run commands on a terminal of a given width; in other tests stdout and stderr are pipes."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from pathlib import Path

from program import environment


def on_terminal(command: list[str], columns: int, cwd: Path, timeout: float = 300.0) -> tuple[int, str]:
    """Exit code and everything that the terminal was sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {**environment(), "TERM": "xterm-256color"}
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        variables.pop(name, None)
    process = subprocess.Popen(command, cwd=cwd, env=variables, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    timer = threading.Timer(timeout, process.kill)
    timer.start()
    text = bytearray()
    try:
        while data := os.read(ours, 65536):
            text += data
    except OSError:  # what Linux says when the last process has left the terminal
        pass
    timer.cancel()
    os.close(ours)
    return process.wait(), text.decode(errors="replace")


def jounce(*arguments: object) -> list[str]:
    """The command line of `jounce ARGUMENTS`."""
    return [sys.executable, "-m", "simulator", *map(str, arguments)]
