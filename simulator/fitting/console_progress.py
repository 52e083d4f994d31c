"""Common parts of the search commands: output folder, executor and progress lines."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.signals import EndedBySignal
from simulator.fitting.iterations import FOLDER, Iterations
from simulator.run.folder import RunFolder
from simulator.sweep.engine import Progress
from simulator.sweep.executor import ExecutorLostError
from simulator.sweep.progress import ProgressDisplay
from simulator.sweep.run_sweep import executor_for

LONG = 10.0
"""Time in s. Shorter iterations print no progress lines if there is no bar."""


class IterationProgress:
    """Progress of an iteration, displayed if the iteration takes long or if there is a bar."""

    def __init__(self, shown: ProgressDisplay, bar: bool) -> None:
        self._shown, self._bar = shown, bar
        self._began = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if progress.done == 0:
            self._began = time.monotonic()
        if self._bar or time.monotonic() - self._began > LONG:
            self._shown(progress)


class Terminal:
    """Terminal output of a search.

    Attributes
    ----------
    say : prints a line; on the error stream if the standard output is JSON
    folder : output folder of the search
    """

    def __init__(self, arguments: Any, folder: Path, shown: ProgressDisplay) -> None:
        self.say = print_error if arguments.json else print_line
        self.folder = folder
        self._shown = shown

    def stage(self, text: str) -> None:
        """Show in the bar what follows the last run."""
        self._shown.stage(text)

    def line(self, text: str) -> None:
        """Print a line after removing the bar."""
        self._shown.hide()
        self.say(text)


def command_of(verb: str) -> str:
    """Return the command line."""
    return shlex.join(["jounce", *sys.argv[1:]]) if sys.argv[1:2] == [verb] else f"jounce {verb}"


@contextmanager
def searching(arguments: Any, verb: str, name: str, channels: Collection[str] = ()) -> Iterator[tuple[Terminal, Iterations]]:
    """Provide the folder of a search and its iterations; remove the folder if no run was completed. Raises OutputError, EndedBySignal."""
    say = print_error if arguments.json else print_line
    folder = RunFolder(Path(arguments.out) if arguments.out else None)
    processes = None if arguments.processes is None else int(arguments.processes)
    executor = executor_for(processes, arguments.scheduler, say)
    try:
        bar = sys.stderr.isatty() and not arguments.json
        with ProgressDisplay(name, say, bar) as shown:
            rounds = Iterations(folder.path, executor, name, channels, arguments.plugin, IterationProgress(shown, bar))
            try:
                yield Terminal(arguments, folder.path, shown), rounds
                folder.began()
            except BaseException as error:
                if any((folder.path / FOLDER).glob("*/journals/*.journal")):
                    folder.began()
                    if isinstance(error, EndedBySignal | ExecutorLostError):
                        shown.hide()
                        say(f"completed runs are in {folder.path}; continue with: {_resume_command(arguments, verb, folder.path)}")
                raise
    finally:
        executor.close()
        folder.abandon()
        folder.release()


def _resume_command(arguments: Any, verb: str, folder: Path) -> str:
    """Return the command that continues a search in a folder."""
    more = [f"--scheduler {arguments.scheduler}"] if arguments.scheduler else []
    if getattr(arguments, "synthetic", None) is not None:
        more.append(f"--synthetic {arguments.synthetic} --seed {arguments.seed}")
    return " ".join([f"jounce {verb} {arguments.file} --out {folder}", *more])
