"""What both verbs of searches have in common on a command line: the folder, who drives, and the lines on the way."""

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
from simulator.sweep.progress import Shown
from simulator.sweep.run_sweep import executor_for

LONG = 10.0
"""s. A round that takes less needs no lines of its own where there is no bar."""


class Patient:
    """Tells how far a round is where that takes long, or where there is a bar."""

    def __init__(self, shown: Shown, bar: bool) -> None:
        self._shown, self._bar = shown, bar
        self._began = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if progress.done == 0:
            self._began = time.monotonic()
        if self._bar or time.monotonic() - self._began > LONG:
            self._shown(progress)


class Terminal:
    """Whom a search tells how it goes.

    Attributes
    ----------
    say : for lines: on the error stream where the standard output is for an object
    folder : of the search
    """

    def __init__(self, arguments: Any, folder: Path, shown: Shown) -> None:
        self.say = print_error if arguments.json else print_line
        self.folder = folder
        self._shown = shown

    def stage(self, text: str) -> None:
        """Show in the bar what follows the last run."""
        self._shown.stage(text)

    def line(self, text: str) -> None:
        """A line on the way, the bar out of it."""
        self._shown.hide()
        self.say(text)


def command_of(verb: str) -> str:
    """What was typed."""
    return shlex.join(["jounce", *sys.argv[1:]]) if sys.argv[1:2] == [verb] else f"jounce {verb}"


@contextmanager
def searching(arguments: Any, verb: str, name: str, channels: Collection[str] = ()) -> Iterator[tuple[Terminal, Iterations]]:
    """The folder of a search, and who drives in it; the folder goes again where nothing was driven. Raises OutputError, Ended."""
    say = print_error if arguments.json else print_line
    folder = RunFolder(Path(arguments.out) if arguments.out else None)
    processes = None if arguments.processes is None else int(arguments.processes)
    executor = executor_for(processes, arguments.scheduler, say)
    try:
        bar = sys.stderr.isatty() and not arguments.json
        with Shown(name, say, bar) as shown:
            rounds = Iterations(folder.path, executor, name, channels, arguments.plugin, Patient(shown, bar))
            try:
                yield Terminal(arguments, folder.path, shown), rounds
                folder.began()
            except BaseException as error:
                if any((folder.path / FOLDER).glob("*/journals/*.journal")):
                    folder.began()
                    if isinstance(error, EndedBySignal | ExecutorLostError):
                        shown.hide()
                        say(f"what was driven is in {folder.path}; to go on: {_again(arguments, verb, folder.path)}")
                raise
    finally:
        executor.close()
        folder.abandon()
        folder.release()


def _again(arguments: Any, verb: str, folder: Path) -> str:
    """The command that goes on in a folder."""
    more = [f"--scheduler {arguments.scheduler}"] if arguments.scheduler else []
    if getattr(arguments, "synthetic", None) is not None:
        more.append(f"--synthetic {arguments.synthetic} --seed {arguments.seed}")
    return " ".join([f"jounce {verb} {arguments.file} --out {folder}", *more])
