"""Progress display of a sweep: a bar on a terminal, otherwise a line at intervals."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from simulator.sweep.engine import Progress

LINE_INTERVAL = 10.0
"""Interval between two lines in s."""


class ProgressDisplay:
    """Progress display of a sweep, a context manager.

    Parameters
    ----------
    name : name of the sweep
    say : called with each line if there is no bar
    bar : whether the error stream is a terminal
    last : what follows the last run, in the bar
    """

    def __init__(self, name: str, say: Callable[[str], None], bar: bool, last: str = "writing the table") -> None:
        self.last = Progress(0, 0, 0, None)
        """What was told last."""
        self._name, self._say, self._with_bar, self._last = name, say, bar, last
        self._bar: Any = None
        self._task: Any = None
        self._said = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        if self._with_bar:
            self._draw(progress)
        elif time.monotonic() - self._said > LINE_INTERVAL and progress.done < progress.of:
            self._said = time.monotonic()
            self._say(f"{self._name}: {progress.done} of {progress.of} runs{_failed(progress)}{_left(progress)}")

    def __enter__(self) -> ProgressDisplay:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.hide()

    def hide(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def stage(self, text: str) -> None:
        """Show in the bar what follows the last run."""
        if self._bar is not None:
            self._bar.update(self._task, words=text, refresh=True)

    def _draw(self, progress: Progress) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[words]}", markup=False))
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._name, total=progress.of, words="")
            self._bar.start()
        last = f", {self._last}" if self._last and progress.done == progress.of else ""
        words = f"{progress.done} of {progress.of}{_failed(progress)}{_left(progress)}{last}"
        self._bar.update(self._task, completed=progress.done, words=words)


def _failed(progress: Progress) -> str:
    return f", {progress.failed} failed" if progress.failed else ""


def _left(progress: Progress) -> str:
    if progress.left is None or progress.done == progress.of:
        return ""
    return f", {time_in_words(progress.left)} left"


def time_in_words(seconds: float) -> str:
    """Return a time in short form: 40 s, 12 min, 3 h 20 min."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60.0)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
