"""Window that shows the progress of the compilation, before the window of a drive can open."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from pathlib import Path

from simulator.base import cleanup
from simulator.base.json_output import json_text
from simulator.view.start_window import CLOSED

PATIENCE = 1.0
"""s for the window to close."""


class StartWindow:
    """Process with the window; everything works without it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None
        root = str(Path(__file__).resolve().parents[2])
        with contextlib.suppress(OSError):
            command = [sys.executable, "-m", "simulator.view.start_window"]
            self._process = cleanup.start_child(command, cwd=root, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def show(self, text: str, fraction: float) -> None:
        """Show the present part and the finished fraction. Ends the program when the user has closed the window."""
        process = self._process
        if process is None or process.stdin is None:
            return
        if process.poll() == CLOSED:
            self._process = None
            signal.raise_signal(signal.SIGINT)  # on Windows, os.kill would end the process at once
            return
        with contextlib.suppress(OSError, ValueError):
            process.stdin.write(json_text({"text": text, "fraction": fraction}) + "\n")
            process.stdin.flush()

    def close(self) -> None:
        """Close the window. A second call does nothing."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError, ValueError):
            process.stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
