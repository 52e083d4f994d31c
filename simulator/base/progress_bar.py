"""Progress bar of a simulation."""

from __future__ import annotations

from typing import Any


class TimeProgress:
    """Bar of simulated time on the error stream, cleared at the end. The first call shows it, after the compile messages.

    Parameters
    ----------
    name : name of the run
    shown : False for no bar
    """

    def __init__(self, name: str, shown: bool) -> None:
        self._name, self._shown = name, shown
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, t: float, end: float) -> None:
        """Show simulated time and duration [s]."""
        if not self._shown:
            return
        if self._bar is None:
            self._begin(end)
        self._bar.update(self._task, completed=t, time=f"{t:.0f} / {end:.0f} s")

    def stage(self, text: str) -> None:
        """Show the activity after the simulation, with an indeterminate bar."""
        if self._bar is not None:
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(f"{self._name}: {text}", total=None, time="")

    def __enter__(self) -> TimeProgress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _begin(self, end: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[time]}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._name, total=end, time="")
        self._bar.start()
