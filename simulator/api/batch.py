"""Batches of maneuvers in parallel processes. A crash in one process does not affect the other cases."""

from __future__ import annotations

import html
import json
import os
import queue
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from simulator.api.notebook import MAX_ROWS, table
from simulator.autonomy.outcome import Outcome
from simulator.base.call_checks import FUNCTION, NAMES, TEXT, WHOLE, Kind, checks, optional
from simulator.base.errors import ConfigError, JounceError
from simulator.base.json_output import json_text
from simulator.base.line_process import LineProcess, ProcessDiedError
from simulator.base.suggestions import did_you_mean
from simulator.builder.warm_up import compile_kernels
from simulator.telemetry.log import Log, read_log

if TYPE_CHECKING:
    import pandas

OPTIONS = ("maneuver", "vehicle", "terrain", "session", "washout", "platform", "changes", "log_rate")
"""Keys of a case, the parameters of `simulate`."""
CASES = Kind(lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping), "a list of cases")
WORKER = "simulator.api.worker"


@dataclass(frozen=True)
class BatchRow:
    """One case and its result."""

    case: Mapping[str, Any]
    passed: bool | None
    """True if all limits of the maneuver are satisfied; None without limits and after a failure."""
    metrics: Mapping[str, float | None]
    """Metrics as in `Result`; empty after a failure."""
    failure: str
    """Reason for a missing result, one line; empty if there is a result."""
    log: Log | None
    """Requested channels; None without channels and after a failure."""
    outcome: Outcome | None = None
    """Outcome of a drive to a goal; None for other maneuvers and after a failure."""


class Batch(Sequence[BatchRow]):
    """Rows of a batch in the order of its cases."""

    def __init__(self, rows: Iterable[BatchRow]) -> None:
        self._rows = list(rows)

    @overload
    def __getitem__(self, index: int) -> BatchRow: ...
    @overload
    def __getitem__(self, index: slice) -> Batch: ...
    def __getitem__(self, index: int | slice) -> BatchRow | Batch:
        return Batch(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        failed = sum(bool(row.failure) for row in self._rows)
        return f"<Batch of {len(self)} cases, {failed} failed>"

    def _repr_html_(self) -> str:
        """Return the table of the first cases, for a notebook."""
        columns = self.table()
        rows = zip(*(column[:MAX_ROWS] for column in columns.values()), strict=True)
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{table(tuple(columns), rows)}"

    @property
    def failures(self) -> list[BatchRow]:
        """Rows without a result."""
        return [row for row in self._rows if row.failure]

    def table(self) -> dict[str, list[Any]]:
        """Return the columns by name with a value for each case: values of the case (changes by key path), "passed", "outcome" if a case
        is a drive to a goal, the metrics, "failure".

        None marks a missing value.
        """
        words = [None if row.outcome is None else row.outcome.word for row in self._rows]
        flat = [
            {**_flat(row.case), "passed": row.passed, "outcome": word, **row.metrics, "failure": row.failure}
            for row, word in zip(self._rows, words, strict=True)
        ]
        given = dict.fromkeys(key for row in self._rows for key in _flat(row.case))
        measured = dict.fromkeys(key for row in self._rows for key in row.metrics)
        own = ("passed", "outcome") if any(words) else ("passed",)
        return {key: [row.get(key) for row in flat] for key in (*given, *own, *measured, "failure")}

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column of the table as numbers (n,), NaN for missing values. Raises JounceError: the column does not exist, or is not
        numeric."""
        TEXT.check("column", "name", name)
        table = self.table()
        if name not in table:
            raise JounceError(f"no column {name!r}{did_you_mean(name, table)}")
        try:
            return np.array([np.nan if value is None else value for value in table[name]], dtype=float)
        except (TypeError, ValueError):
            raise JounceError(f"column {name!r} is not numeric; expected numbers") from None

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a data frame. Raises JounceError without pandas."""
        try:
            import pandas
        except ImportError:
            from simulator.base.installation import install_extra

            raise JounceError(
                f"pandas is not installed; hint: use `table()`, which returns the columns as lists, or run {install_extra('pandas')}"
            ) from None
        return pandas.DataFrame(self.table())


@checks(cases=CASES, processes=WHOLE, channels=NAMES, plugins=NAMES, progress=optional(FUNCTION))
def run_batch(
    cases: Iterable[Mapping[str, Any] | str],
    processes: int = 2,
    *,
    channels: Collection[str] = (),
    plugins: Iterable[str | os.PathLike[str]] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Batch:
    """Run many maneuvers in parallel.

    Parameters
    ----------
    cases : names of maneuvers, or parameters of `simulate` as mappings: {"maneuver": "avtp_lane_change", "changes": {...}}. Values are
        sent to other processes, so they must be names, numbers and lists.
    processes : number of processes
    channels : log columns to keep: names, fields, patterns; empty: no logs
    plugins : Python files with plugins, loaded by every process
    progress : called after each case with the number of completed cases and of all cases

    Returns
    -------
    rows in the order of the cases. A case that fails, or whose process dies, has a row with the reason; the other cases continue.

    Raises
    ------
    JounceError : a case is invalid; no case has run
    """
    checked = [_checked(case) for case in cases]
    if processes < 1:
        raise JounceError(f"run_batch: invalid number of processes; expected 1 or more; got {processes}")
    compile_kernels(lambda line: None)
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(checked)):
        todo.put(number)
    done: queue.SimpleQueue[tuple[int, BatchRow]] = queue.SimpleQueue()
    rows: dict[int, BatchRow] = {}
    setting = {"plugins": [os.fspath(path) for path in plugins], "channels": list(channels)}
    with tempfile.TemporaryDirectory(prefix="jounce_batch_") as folder:
        workers = [_Worker(setting, Path(folder) / f"{n}.parquet") for n in range(min(processes, len(checked)))]
        threads = [threading.Thread(target=_serve, args=(worker, checked, todo, done), daemon=True) for worker in workers]
        try:
            for thread in threads:
                thread.start()
            while len(rows) < len(checked):
                number, row = done.get()
                rows[number] = row
                if progress is not None:
                    progress(len(rows), len(checked))
        finally:
            for worker in workers:
                worker.end()
            for thread in threads:
                thread.join()
    return Batch(rows[number] for number in range(len(checked)))


class _Worker:
    """A process that runs one case at a time, restarted after it died.

    Parameters
    ----------
    setting : first line for the process, see `simulator.api.worker`
    file : file for the log of a case
    """

    def __init__(self, setting: Mapping[str, Any], file: Path) -> None:
        self._logs, self._file = bool(setting["channels"]), file
        self._process = LineProcess(WORKER, json_text({**setting, "file": str(file)}).encode())

    def drive(self, case: Mapping[str, Any]) -> BatchRow:
        """Run a case and return its row."""
        try:
            response = json.loads(self._process.ask(json_text(case).encode()))
        except ProcessDiedError as error:
            response = {"failure": str(error)}
        if "failure" in response:
            return BatchRow(case, None, {}, response["failure"], None)
        log = read_log(self._file) if self._logs else None
        outcome = Outcome(**response["outcome"]) if "outcome" in response else None
        return BatchRow(case, response["passed"], response["metrics"], "", log, outcome)

    def end(self) -> None:
        """Kill the process. A pending call of `drive` returns a failure."""
        self._process.end()

    @property
    def ended(self) -> bool:
        """True if the process accepts no further cases."""
        return self._process.ended


def _serve(
    worker: _Worker, cases: Sequence[Mapping[str, Any]], todo: queue.SimpleQueue[int], done: queue.SimpleQueue[tuple[int, BatchRow]]
) -> None:
    """Let a worker run cases until none are left."""
    while not worker.ended:
        try:
            number = todo.get_nowait()
        except queue.Empty:
            return
        try:
            row = worker.drive(cases[number])
        except Exception as error:  # a missing row would block the caller forever
            row = BatchRow(cases[number], None, {}, f"{type(error).__name__}: {error}", None)
        done.put((number, row))


def _checked(case: Mapping[str, Any] | str) -> dict[str, Any]:
    """Return a case as a mapping that can be written as JSON. Raises JounceError."""
    if not isinstance(case, str | Mapping) or not isinstance({} if isinstance(case, str) else case.get("changes"), Mapping | None):
        raise ConfigError("run_batch", "cases", case, "the name of a maneuver, or a mapping with a mapping of changes")
    given = {"maneuver": case} if isinstance(case, str) else dict(case)
    for key in given:
        if key not in OPTIONS:
            raise JounceError(f"run_batch: unknown key {key!r} in a case{did_you_mean(key, OPTIONS)}; expected {', '.join(OPTIONS)}")
    if "maneuver" not in given:
        raise JounceError("run_batch: a case names no maneuver")
    given = {key: os.fspath(value) if isinstance(value, os.PathLike) else value for key, value in given.items()}
    try:
        json_text(given)
    except TypeError as error:
        raise JounceError(f"run_batch: cannot send a case to another process: {error}") from None
    return given


def _flat(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a case, with its changes by key path."""
    return {key: value for key, value in case.items() if key != "changes"} | dict(case.get("changes") or {})
