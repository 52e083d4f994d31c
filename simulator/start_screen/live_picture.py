"""Picture of the chosen vehicle on the chosen terrain behind the menu of the start screen, drawn by a process of low priority."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base import cleanup
from simulator.base.json_output import json_text
from simulator.start_screen.choice import drive_options
from simulator.start_screen.preview import CHOICE, PICTURE, PROGRESS, TEXT, TROUBLE

DELAY = 0.4
"""s without a change after which a choice is drawn."""


class LivePicture:
    """Source of the pictures.

    Attributes
    ----------
    text : progress of the compilation, or why there is no picture of the choice; empty if there is nothing to say
    """

    def __init__(self, folder: str) -> None:
        self.text = ""
        self._pictures = tempfile.TemporaryDirectory(prefix="jounce-start-")
        command = [sys.executable, "-m", "simulator.start_screen.preview", self._pictures.name]
        root = str(Path(__file__).resolve().parents[2])
        self._folder = folder
        self._process = cleanup.start_child(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._wanted: dict[str, Any] = {}
        self._sent: dict[str, Any] = {}
        self._changed_at = 0.0
        self._image: NDArray[np.uint8] | None = None
        threading.Thread(target=self._follow, daemon=True).start()

    def show(self, choice: Mapping[str, str]) -> None:
        """Ask for the picture of a choice, the values of the rows, when it has not changed for DELAY. Call this in each frame."""
        options = {name: value for name, value in drive_options(choice).items() if name != "driver"} | {"folder": self._folder}
        if options != self._wanted:
            self._wanted, self._changed_at = options, time.monotonic()
        if self._wanted != self._sent and time.monotonic() - self._changed_at > DELAY and self._process.stdin is not None:
            self._sent = self._wanted
            with contextlib.suppress(OSError):  # the process has ended: there is no further picture
                self._process.stdin.write(json_text(options) + "\n")
                self._process.stdin.flush()

    def take(self) -> NDArray[np.uint8] | None:
        """Return a new picture (height, width, 3), top row first; None without one."""
        image, self._image = self._image, None
        return image

    def _follow(self) -> None:
        """Read the answers; runs in a thread."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                answer = json.loads(line)
                if PROGRESS in answer:
                    done = answer[PROGRESS] >= 1.0
                    self.text = "" if done else f"compiling the physics while you choose: {100.0 * answer[PROGRESS]:.0f} %, {answer[TEXT]}"
                if answer.get(CHOICE) != self._wanted:
                    continue
                self.text = answer.get(TROUBLE, "")
                if PICTURE in answer:
                    self._image = np.load(answer[PICTURE])
            except (ValueError, KeyError, TypeError, OSError):
                continue

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._pictures.cleanup()
