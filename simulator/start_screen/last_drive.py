"""Rows and pages of the start screen for the last drive: watch it, save a video of it."""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from simulator.base import cleanup
from simulator.start_screen.open_start_screen import LastDrive
from simulator.view.camera_names import CAMERAS
from simulator.view.menu import Bar, Menu, PlainPage, Row, stepped

PATIENCE = 5.0
"""s for a process to remove an unfinished video."""


class LastDrivePages:
    """Rows of the start page about the last drive.

    Parameters
    ----------
    last : last drive
    watch : ends the start screen, to show the recording
    menu : returns the menu
    """

    def __init__(self, last: LastDrive, watch: Callable[[], None], menu: Callable[[], Menu]) -> None:
        self._last, self._watch, self._menu = last, watch, menu

    @property
    def exists(self) -> bool:
        """Whether there is a recorded drive."""
        return bool(self._last.folder)

    def head(self) -> list[Row]:
        """Return the rows before the first choice: the reason of a failure, and the figures of the last drive."""
        trouble = self._last.trouble
        rows = [Row(trouble, note=trouble, warns=True)] if trouble else []
        return rows + ([Row("Last drive", self._last.text, selectable=False)] if self.exists else [])

    def rows(self) -> list[Row]:
        """Return the rows with actions; none without a recorded drive."""
        if not self.exists:
            return []
        folder = Path(self._last.folder)
        return [
            Row("Watch the last drive", note=f"recording in {folder}", choose=self._watch),
            Row("Save a video of the last drive", note=f"video file in {folder}", choose=lambda: self._open_video(folder)),
        ]

    def _open_video(self, folder: Path) -> None:
        self._menu().open(VideoPage(folder, self._menu))


class VideoPage(PlainPage):
    """Rendering of a video file of a recorded drive, in a process of its own; leaving the page ends it."""

    title = "Save a video"

    def __init__(self, folder: Path, menu: Callable[[], Menu]) -> None:
        self._folder, self._menu = folder, menu
        self._camera = CAMERAS[0]
        self._rendering: Rendering | None = None

    def rows(self) -> list[Row]:
        """Return the rows before, during or after the rendering."""
        rendering = self._rendering
        back = Row("Back", choose=lambda: self._menu().back())
        if rendering is None:
            return [
                Row("Save", free_file(self._folder).name, f"in {self._folder}", choose=self._begin),
                Row("Camera", self._camera, "camera of the video", step=self._step),
                back,
            ]
        if not rendering.ended:
            note = "Enter or Esc: end the rendering without a file"
            return [
                Row("Cancel", note=note, choose=lambda: self._menu().back()),
                Row("Rendering", f"{100.0 * rendering.fraction:.0f} %", bar=Bar(rendering.fraction), selectable=False),
            ]
        text = rendering.error or f"saved {rendering.file.name}"
        note = rendering.error or str(rendering.file)
        return [Row(text, note=note, choose=lambda: self._menu().back(), warns=bool(rendering.error)), back]

    def close(self) -> None:
        """End the rendering."""
        if self._rendering is not None:
            self._rendering.close()

    def _begin(self) -> None:
        self._rendering = Rendering(self._folder, free_file(self._folder), self._camera)

    def _step(self, way: int) -> None:
        self._camera = stepped(CAMERAS, self._camera, way)


class Rendering:
    """Process that renders a video.

    Attributes
    ----------
    file : video file
    fraction : finished fraction, 0 to 1
    """

    def __init__(self, folder: Path, file: Path, camera: str) -> None:
        self.file, self.fraction = file, 0.0
        command = [sys.executable, "-m", "simulator.start_screen.render_video", str(folder), str(file), camera]
        root = str(Path(__file__).resolve().parents[2])
        pipe = subprocess.PIPE
        self._process = cleanup.start_child(command, cwd=root, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert self._process.stdout is not None and self._process.stderr is not None
        self._lines: list[str] = []
        self._threads = [
            threading.Thread(target=self._follow, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._lines.extend, args=(self._process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None and not any(thread.is_alive() for thread in self._threads)

    @property
    def error(self) -> str:
        """Return why there is no file, one line; empty after a success."""
        if not self.ended or self._process.returncode == 0:
            return ""
        lines = [line.strip() for line in self._lines if line.strip()]
        return lines[-1] if lines else f"the rendering ended with code {self._process.returncode}"

    def close(self) -> None:
        """Let the process end, which then removes an unfinished file; does not wait. A second call does nothing."""
        assert self._process.stdin is not None
        if self._process.stdin.closed:
            return
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        threading.Thread(target=self._reap, daemon=True).start()

    def _reap(self) -> None:
        """Wait for the end of the process; runs in a thread, so that the window goes on."""
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _follow(self, pipe: IO[str]) -> None:
        """Read the progress; runs in a thread."""
        with contextlib.suppress(OSError, ValueError):
            for line in pipe:
                self.fraction = float(json.loads(line)["fraction"])


def free_file(folder: Path) -> Path:
    """Return the first free name of a video in a run folder."""
    names = itertools.chain(["drive.mp4"], (f"drive_{number}.mp4" for number in itertools.count(2)))
    return next(file for name in names if not (file := folder / name).exists())
