"""Engine of a sweep: runs the cases that the journals lack, and stores the results.

The folder contains ``sweep.json``, ``plan.parquet``, ``journals/``, ``runs/`` if channels are requested, and after completion
``table.parquet`` and ``machine.parquet``. After an interruption, the same call resumes the sweep.
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
from simulator.base.inputfile import check_regular
from simulator.base.json_output import json_text
from simulator.base.signals import StopRequest, on_signal
from simulator.sweep.case import LETTERS, Cases
from simulator.sweep.executor import Executor
from simulator.sweep.journal import JOURNALS, ROW_KEYS, Journals, Place, Row
from simulator.sweep.log_serialization import log_of
from simulator.sweep.older_folder import OlderCases, differing_run, older_cases
from simulator.sweep.result_table import write_plan, write_tables
from simulator.telemetry.atomic_files import create_folder, write_text
from simulator.telemetry.folder_lock import FolderLock

ABOUT = "sweep.json"
CHUNK = 1.0
"""Work per chunk in s."""
MAX_CHUNK = 64
"""Maximum number of runs in a chunk."""


class Progress(NamedTuple):
    """Progress of a sweep."""

    done: int
    """Number of runs with a row, including those of earlier starts."""
    of: int
    failed: int
    """Number of completed runs without a result."""
    left: float | None
    """Estimated remaining wall time in s, or None if unknown. The estimate uses the recent rate."""


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
    """Run the cases that have no row in the folder yet, and write the tables.

    Parameters
    ----------
    cases : runs of the sweep; runs with equal digests are run once
    folder : folder of this sweep, created if needed
    executor : executor of the runs; it stays open
    channels : log columns saved for each run in ``runs/<digest>.parquet``: names, fields, patterns; empty: no logs
    plugins : Python files that every worker loads
    progress : called at the start and after each chunk

    Returns
    -------
    path of the table. A failed run has a row with the reason. A run whose worker died twice has such a row, too; the next call runs it
    again.

    Raises
    ------
    OutputError : the folder cannot be written, belongs to another sweep, or is locked by another process
    EndedBySignal : by a signal; completed runs are stored in the folder
    """
    place = Path(folder)
    create_folder(place)
    with FolderLock(place):
        older = _claim(place, cases, channels)
        cases = older or cases
        index = RowIndex(cases, place, logs=bool(channels))
        setting = {"channels": list(channels), "plugins": list(plugins)}
        stop = StopRequest()

        def end(number: int) -> None:
            stop(number)
            executor.close()

        with on_signal(end):
            if older is not None:
                _check_older(older, index, executor, setting, place)
            _drive(cases, index, executor, setting, progress or _ignore)
        stop.raise_if_requested()
        return write_tables(cases, index.rows, place)


def _drive(cases: Cases, index: RowIndex, executor: Executor, setting: dict[str, Any], progress: Progressed) -> None:
    """Run the missing cases."""
    pace = _Pace(index)
    progress(pace.progress())
    for response in executor.chunks(_chunks(cases, index.missing(), pace, executor, setting)):
        index.store(response["worker"], response["rows"])
        pace.note(response["rows"])
        progress(pace.progress())


def _chunks(cases: Cases, missing: list[int], pace: _Pace, executor: Executor, setting: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield chunks of the missing runs. A chunk is created on demand; its size follows from the measured run times."""
    done = 0
    while done < len(missing):
        size = pace.size(len(missing) - done, executor.workers)
        some = [cases[number] for number in missing[done : done + size]]
        done += size
        yield {"cases": [{"run": case.run, "mapping": case.mapping} for case in some], **setting}


def _check_older(cases: OlderCases, index: RowIndex, executor: Executor, setting: dict[str, Any], folder: Path) -> None:
    """Repeat finished runs of another version. Raises OutputError: the results of one differ."""
    number = differing_run(cases, index.finished(), executor, setting)
    if number is not None:
        raise OutputError(
            f"{folder}: run {number} gives other metrics now, since the sweep's files or the program changed; hint: choose another folder"
        )


def _claim(folder: Path, cases: Cases, channels: Collection[str]) -> OlderCases | None:
    """Mark a folder as the folder of this sweep.

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
    check_regular(file, "the description of a sweep in JSON")
    try:
        other = json.loads(file.read_text(encoding="utf-8"))
        same, name, runs = other["sweep"] == about["sweep"], other.get("name", "another sweep"), other["runs"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OutputError(f"{file}: cannot be read: {error}") from None
    if same:
        return None
    older = older_cases(folder, cases, channels, json.loads(json_text(about)), other)
    if older is None:
        why = "another sweep" if name != about.get("name") else "an earlier version of this sweep (other files, channels or program)"
        raise OutputError(f"{folder}: contains {why}, {name} of {runs} runs; hint: choose another folder, or remove this one")
    return older


class RowIndex:
    """Index of the rows of a sweep: a few bytes for each run.

    Parameters
    ----------
    folder : folder of the sweep
    logs : whether a run also needs its log to count as complete
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
            if (
                row.keys() >= ROW_KEYS
                and not row.get("lost")
                and (self._logs is None or row["failure"] or self._log_file(row["run"]).is_file())
            ):
                self._note(where, row)

    def __len__(self) -> int:
        return len(self._cases)

    @property
    def done(self) -> int:
        """Number of runs with a row."""
        return int((self._journal >= 0).sum())

    @property
    def failed(self) -> int:
        """Number of runs whose row is a failure."""
        return int(self._failed.sum())

    def finished(self) -> list[tuple[int, Row]]:
        """Return the runs with a result: number and row."""
        numbers = np.flatnonzero((self._journal >= 0) & ~self._failed).tolist()
        return [(n, self._journals.row(Place(int(self._journal[n]), int(self._offset[n])))) for n in numbers]

    def missing(self) -> list[int]:
        """Return the numbers of the runs without a row, one for each digest."""
        first = np.ones(len(self._sorted), bool)
        first[1:] = self._sorted[1:] != self._sorted[:-1]
        numbers = self._order[first]
        missing: list[int] = np.sort(numbers[self._journal[numbers] < 0]).tolist()
        return missing

    def store(self, worker: str, rows: list[Row]) -> None:
        """Append rows to the journal of a worker, and save their logs. Raises OutputError."""
        for row in rows:
            log = row.pop("log", None)
            if log is not None and self._logs is not None:
                self._logs.mkdir(exist_ok=True)
                log_of(log).save(self._log_file(row["run"]))
            row["worker"] = worker
        for where, row in zip(self._journals.append(worker, rows), rows, strict=True):
            self._note(where, row)

    def rows(self) -> Iterator[Row]:
        """Yield all rows in the order of run numbers."""
        try:
            for number in range(len(self._cases)):
                yield self._journals.row(Place(int(self._journal[number]), int(self._offset[number])))
        finally:
            self._journals.close()

    def _note(self, where: Place, row: Row) -> None:
        run = np.array(row["run"], dtype=self._sorted.dtype)
        low, high = (int(np.searchsorted(self._sorted, run, side)) for side in ("left", "right"))  # type: ignore[call-overload]
        numbers = self._order[low:high]
        numbers = numbers[self._journal[numbers] < 0]  # an earlier row is equally valid
        self._journal[numbers], self._offset[numbers] = where
        self._failed[numbers] = bool(row["failure"])

    def _log_file(self, run: str) -> Path:
        assert self._logs is not None
        return self._logs / f"{run}.parquet"


class _Pace:
    """Measured run times, and the chunk size and remaining time that follow from them."""

    def __init__(self, index: RowIndex) -> None:
        self._index = index
        self._walls: deque[float] = deque(maxlen=64)
        self._seen: deque[tuple[float, int]] = deque(maxlen=256)

    def note(self, rows: list[Row]) -> None:
        """Record completed rows."""
        self._walls.extend(row["machine"]["wall_s"] for row in rows)
        self._seen.append((time.monotonic(), self._index.done))

    def size(self, left: int, workers: int) -> int:
        """Return the size of the next chunk: one second of work, and fewer runs near the end so that all workers finish together."""
        if not self._walls:
            return 1
        by_time = round(CHUNK / max(statistics.median(self._walls), 1e-6))
        return max(1, min(by_time, MAX_CHUNK, math.ceil(left / (2 * max(1, workers)))))

    def progress(self) -> Progress:
        done, of = self._index.done, len(self._index)
        left = None
        if len(self._seen) > 1:
            (started, before), (now, after) = self._seen[0], self._seen[-1]
            left = (of - done) * (now - started) / (after - before) if after > before else None
        return Progress(done, of, self._index.failed, left)


def _ignore(progress: Progress) -> None:
    """Ignore the progress."""
