"""Iterations of a search. Each iteration is a sweep in its own folder, so completed runs are never repeated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from simulator.base.arrow_file import arrow_file
from simulator.fitting.least_squares import Failed
from simulator.fitting.run_request import Log, RunRequest
from simulator.sweep.case import Case, code_digest, digest_of
from simulator.sweep.engine import Progressed, sweep
from simulator.sweep.executor import Executor
from simulator.telemetry.log import read_log

FOLDER = "rounds"
"""Name of the folder of the iterations, in the folder of a search."""


class Outcome(NamedTuple):
    """Outcome of a run."""

    failure: str
    metrics: Mapping[str, float | None]


class Listed:
    """Runs of an iteration, with the interface of `simulator.sweep.case.Cases`.

    Parameters
    ----------
    code : digest of the code of the runs
    about : data about the iteration, stored with its table
    """

    def __init__(self, wanted: Sequence[RunRequest], code: str, about: Mapping[str, Any]) -> None:
        self.about = about
        self.varied: Sequence[str] = list(dict.fromkeys(key for one in wanted for key in one.given))
        self._cases = [Case(n, one.given, one.mapping, digest_of(one.mapping, code)) for n, one in enumerate(wanted)]

    def __len__(self) -> int:
        return len(self._cases)

    def __getitem__(self, number: int) -> Case:
        return self._cases[number]

    def run_of(self, number: int) -> str:
        """Return the digest of a run."""
        return self._cases[number].run

    def point_of(self, number: int) -> Mapping[str, Any]:
        """Return the varied values of a run."""
        return self._cases[number].given


class Iterations:
    """Executes the runs of a search, one sweep for each iteration.

    Parameters
    ----------
    folder : folder of the search; contains a folder for each iteration
    executor : executor of the runs
    name : name of the search
    channels : requested log columns
    plugins : Python files that every worker loads
    progress : called with the progress of an iteration
    """

    def __init__(
        self,
        folder: Path,
        executor: Executor,
        name: str,
        channels: Collection[str] = (),
        plugins: Iterable[str] = (),
        progress: Progressed | None = None,
    ) -> None:
        self._folder, self._executor, self._name = folder / FOLDER, executor, name
        self._channels, self._plugins, self._progress = tuple(channels), tuple(plugins), progress
        self._code = code_digest(self._plugins)
        self._count = 0
        self._known: dict[str, tuple[Outcome, Log]] = {}

    def logs(self, wanted: Sequence[RunRequest]) -> list[Log | Failed]:
        """Return the logs of runs. Runs completed in an earlier iteration are reused."""
        return [Failed(outcome.failure) if outcome.failure else log for outcome, log in self._found(wanted)]

    def outcomes(self, wanted: Sequence[RunRequest]) -> list[Outcome]:
        """Return the outcomes of runs. Runs completed in an earlier iteration are reused."""
        return [outcome for outcome, _ in self._found(wanted)]

    def _found(self, wanted: Sequence[RunRequest]) -> list[tuple[Outcome, Log]]:
        runs = [digest_of(one.mapping, self._code) for one in wanted]
        new = {run: one for run, one in zip(runs, wanted, strict=True) if run not in self._known}
        if new:
            self._drive(list(new.values()))
        return [self._known[run] for run in runs]

    def _drive(self, wanted: Sequence[RunRequest]) -> None:
        self._count += 1
        place = self._folder / f"{self._count:04d}"
        about = {"name": f"{self._name} {self._count}", "title": f"{self._name}, iteration {self._count}"}
        cases = Listed(wanted, self._code, about)
        table = sweep(cases, place, self._executor, channels=self._channels, plugins=self._plugins, progress=self._progress)
        for number, (written, outcome) in enumerate(zip(_runs(table), outcomes(table), strict=True)):
            log = _columns(place / "runs" / f"{written}.parquet") if self._channels and not outcome.failure else {}
            self._known[cases.run_of(number)] = outcome, log


def outcomes(table: Path) -> list[Outcome]:
    """Return the outcomes of the runs of a sweep, in order."""
    import pyarrow.parquet as pq

    with arrow_file(table) as source:
        read = pq.read_table(source)
    rows = read.to_pylist()
    names = msgspec.json.decode(read.schema.metadata[b"jounce_sweep"])["metrics"]
    return [Outcome(row["failure"], {name: row[name] for name in names}) for row in rows]


def _runs(table: Path) -> list[str]:
    """Return the digests of the runs of a sweep; those of the program that began the sweep."""
    import pyarrow.parquet as pq

    with arrow_file(table) as source:
        runs: list[str] = pq.read_table(source, columns=["run"])["run"].to_pylist()
    return runs


def _columns(file: Path) -> Log:
    log = read_log(file)
    return {name: np.asarray(log[name]) for name in log}
