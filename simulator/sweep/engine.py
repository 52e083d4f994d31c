"""A sweep from its resolved runs to its table: what the journals lack is driven, what is driven is kept.

The folder holds ``sweep.json``, ``plan.parquet``, ``journals/``, ``runs/`` where channels are asked for, and at the end ``table.parquet`` and
``machine.parquet``. Whatever is killed, the same call goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import statistics
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simulator.base.errors import OutputError
from simulator.base.json_output import json_text
from simulator.base.signals import StopRequest, on_signal
from simulator.sweep.case import LETTERS, Cases
from simulator.sweep.executor import Executor
from simulator.sweep.journal import Journals, Place, Row
from simulator.sweep.log_serialization import log_of
from simulator.sweep.older_folder import OlderCases, differing_run, older_cases
from simulator.sweep.result_table import write_plan, write_tables
from simulator.telemetry.atomic_files import write_text
from simulator.telemetry.folder_lock import FolderLock

ABOUT, JOURNALS = "sweep.json", "journals"
CHUNK = 1.0
"""s of work that go to a worker at a time."""
MOST_AT_ONCE = 64
"""Runs of a chunk."""


class Progress(NamedTuple):
    """How far a sweep is."""

    done: int
    """Runs with a row, those of earlier starts included."""
    of: int
    failed: int
    """Of those that are done, how many have no result."""
    left: float | None
    """s of wall time until the end, as the last minutes went; None as long as nobody can say."""


Progressed = Callable[[Progress], None]


def sweep(
    cases: Cases,
    folder: str | os.PathLike[str],
    executor: Executor,
    *,
    channels: Collection[str] = (),
    plugins: Iterable[str] = (),
    progress: Progressed | None = None,
) -> Path:
    """Drive the runs that have no row in the folder yet, and write the tables.

    Parameters
    ----------
    cases : the runs; those of one digest are driven once
    folder : of this sweep, made if need be
    executor : who drives them; it is left open
    channels : columns of the logs that are kept, each run's in ``runs/<digest>.parquet``: names, fields, patterns; none when empty
    plugins : Python files that every worker loads
    progress : told at the beginning and after each chunk

    Returns
    -------
    path of the table. A run that failed has a row with its reason. One whose worker died twice has one too, and is driven once more when the
    sweep is called again.

    Raises
    ------
    OutputError : the folder cannot be written, belongs to another sweep, or another process is at it
    Ended : by a signal; what was driven until then is in the folder
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{place}: cannot be made: {error.strerror or error}") from None
    with FolderLock(place):
        older = _claim(place, cases, channels)
        cases = older or cases
        kept = Kept(cases, place, logs=bool(channels))
        setting = {"channels": list(channels), "plugins": list(plugins)}
        asked = StopRequest()

        def end(number: int) -> None:
            asked(number)
            executor.close()

        with on_signal(end):
            if older is not None:
                _check_older(older, kept, executor, setting, place)
            _drive(cases, kept, executor, setting, progress or _nobody)
        asked.raise_if_asked()
        return write_tables(cases, kept.rows, place)


def _drive(cases: Cases, kept: Kept, executor: Executor, setting: dict[str, Any], progress: Progressed) -> None:
    """Drive what is missing."""
    pace = _Pace(kept)
    progress(pace.progress())
    for answer in executor.chunks(_chunks(cases, kept.missing(), pace, executor, setting)):
        kept.keep(answer["worker"], answer["rows"])
        pace.note(answer["rows"])
        progress(pace.progress())


def _chunks(cases: Cases, missing: list[int], pace: _Pace, executor: Executor, setting: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What is to be driven in pieces, each made when a worker wants it: then it is known how long a run takes."""
    done = 0
    while done < len(missing):
        size = pace.size(len(missing) - done, executor.workers)
        some = [cases[number] for number in missing[done : done + size]]
        done += size
        yield {"cases": [{"run": case.run, "mapping": case.mapping} for case in some], **setting}


def _check_older(cases: OlderCases, kept: Kept, executor: Executor, setting: dict[str, Any], folder: Path) -> None:
    """Repeat finished runs of another version. Raises OutputError: the results of one differ."""
    number = differing_run(cases, kept.finished(), executor, setting)
    if number is not None:
        raise OutputError(
            f"{folder}: run {number} gives other metrics now, since the sweep's files or the program changed; hint: choose another folder"
        )


def _claim(folder: Path, cases: Cases, channels: Collection[str]) -> OlderCases | None:
    """Make a folder that of this sweep.

    Returns None, or the runs with the digests of the folder when another version of the program began the sweep. Raises OutputError: the
    folder belongs to another sweep.
    """
    digest = hashlib.sha256(json_text(list(channels)).encode())
    for number in range(len(cases)):
        digest.update(cases.run_of(number).encode())
    file, about = folder / ABOUT, {"sweep": digest.hexdigest(), "runs": len(cases), **cases.about}
    if not file.exists():
        write_plan(cases, folder)
        write_text(file, json_text(about, indent=2) + "\n")
        return None
    try:
        other = json.loads(file.read_text(encoding="utf-8"))
        same, name, runs = other["sweep"] == about["sweep"], other.get("name", "another sweep"), other["runs"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OutputError(f"{file}: cannot be read: {error}") from None
    if same:
        return None
    older = older_cases(folder, cases, json.loads(json_text(about)), other)
    if older is None:
        why = "another sweep" if name != about.get("name") else "this sweep as it was before its files, its channels or the program changed"
        raise OutputError(f"{folder}: there is {why} in it, {name} of {runs} runs; choose another folder, or remove it")
    return older


class Kept:
    """Which runs have a row, and where it is: a few bytes for each, however many there are.

    Parameters
    ----------
    folder : of the sweep
    logs : whether a run is only done when its log is there
    """

    def __init__(self, cases: Cases, folder: Path, logs: bool = False) -> None:
        self._cases, self._logs = cases, folder / "runs" if logs else None
        self._journals = Journals(folder / JOURNALS)
        runs = np.array([cases.run_of(number) for number in range(len(cases))], dtype=f"S{LETTERS}")
        self._order = np.argsort(runs, kind="stable")
        self._sorted = runs[self._order]
        self._journal = np.full(len(cases), -1, np.int32)
        self._offset = np.zeros(len(cases), np.int64)
        self._failed = np.zeros(len(cases), bool)
        for where, row in self._journals.recover():
            if not row.get("lost") and (self._logs is None or row["failure"] or self._log_file(row["run"]).is_file()):
                self._note(where, row)

    def __len__(self) -> int:
        return len(self._cases)

    @property
    def done(self) -> int:
        """Runs with a row."""
        return int((self._journal >= 0).sum())

    @property
    def failed(self) -> int:
        """Runs with a row that is a failure."""
        return int(self._failed.sum())

    def finished(self) -> list[tuple[int, Row]]:
        """Return the runs with a result: number and row."""
        numbers = np.flatnonzero((self._journal >= 0) & ~self._failed).tolist()
        return [(n, self._journals.row(Place(int(self._journal[n]), int(self._offset[n])))) for n in numbers]

    def missing(self) -> list[int]:
        """Numbers of the runs without a row, one of each digest."""
        first = np.ones(len(self._sorted), bool)
        first[1:] = self._sorted[1:] != self._sorted[:-1]
        numbers = self._order[first]
        missing: list[int] = np.sort(numbers[self._journal[numbers] < 0]).tolist()
        return missing

    def keep(self, worker: str, rows: list[Row]) -> None:
        """Put rows into the journal of a worker, their logs beside. Raises OutputError."""
        for row in rows:
            log = row.pop("log", None)
            if log is not None and self._logs is not None:
                self._logs.mkdir(exist_ok=True)
                log_of(log).save(self._log_file(row["run"]))
            row["worker"] = worker
        for where, row in zip(self._journals.append(worker, rows), rows, strict=True):
            self._note(where, row)

    def rows(self) -> Iterator[Row]:
        """All rows in the order of their numbers."""
        try:
            for number in range(len(self._cases)):
                yield self._journals.row(Place(int(self._journal[number]), int(self._offset[number])))
        finally:
            self._journals.close()

    def _note(self, where: Place, row: Row) -> None:
        run = np.array(row["run"], dtype=self._sorted.dtype)
        low, high = (int(np.searchsorted(self._sorted, run, side)) for side in ("left", "right"))  # type: ignore[call-overload]
        numbers = self._order[low:high]
        numbers = numbers[self._journal[numbers] < 0]  # a row that was there is as good
        self._journal[numbers], self._offset[numbers] = where
        self._failed[numbers] = bool(row["failure"])

    def _log_file(self, run: str) -> Path:
        assert self._logs is not None
        return self._logs / f"{run}.parquet"


class _Pace:
    """How long runs take, and what follows from it."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._walls: deque[float] = deque(maxlen=64)
        self._seen: deque[tuple[float, int]] = deque(maxlen=256)

    def note(self, rows: list[Row]) -> None:
        """Rows came in."""
        self._walls.extend(row["machine"]["wall_s"] for row in rows)
        self._seen.append((time.monotonic(), self._kept.done))

    def size(self, left: int, workers: int) -> int:
        """Runs of the next chunk, when so many are left: a second of work, and at the end as little as lets all workers end together."""
        if not self._walls:
            return 1
        by_time = round(CHUNK / max(statistics.median(self._walls), 1e-6))
        return max(1, min(by_time, MOST_AT_ONCE, math.ceil(left / (2 * max(1, workers)))))

    def progress(self) -> Progress:
        done, of = self._kept.done, len(self._kept)
        left = None
        if len(self._seen) > 1:
            (began, before), (now, after) = self._seen[0], self._seen[-1]
            left = (of - done) * (now - began) / (after - before) if after > before else None
        return Progress(done, of, self._kept.failed, left)


def _nobody(progress: Progress) -> None:
    """Nobody is told."""
