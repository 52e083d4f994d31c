"""Many maneuvers, several at a time: each in a process that does one after the other, so that none can take the others with it."""

from __future__ import annotations

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

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.line_process import LineProcess, ProcessDiedError
from simulator.base.suggestions import did_you_mean
from simulator.builder.warm_up import compile_kernels
from simulator.telemetry.log import Log, read_log

if TYPE_CHECKING:
    import pandas

OPTIONS = ("maneuver", "vehicle", "terrain", "session", "washout", "platform", "changes", "log_rate")
"""What a case may say: parameters of `simulate`."""
WORKER = "simulator.api.worker"


@dataclass(frozen=True)
class BatchRow:
    """One case and what came of it."""

    case: Mapping[str, Any]
    passed: bool | None
    """Whether every limit of the maneuver is kept; None when it has none, and after a failure."""
    metrics: Mapping[str, float | None]
    """As in `Result`; empty after a failure."""
    failure: str
    """Why the case has no result, in a line; empty when it has one."""
    log: Log | None
    """The channels asked for; None without any, and after a failure."""


class Batch(Sequence[BatchRow]):
    """The rows of a batch in the order of its cases."""

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

    @property
    def failures(self) -> list[BatchRow]:
        """The rows without a result."""
        return [row for row in self._rows if row.failure]

    def table(self) -> dict[str, list[Any]]:
        """Columns by name, a value per case: what the cases say (each change by its key path), "passed", the metrics, "failure".

        None stands for what a case does not say and a run does not have.
        """
        flat = [{**_flat(row.case), "passed": row.passed, **row.metrics, "failure": row.failure} for row in self._rows]
        said = dict.fromkeys(key for row in self._rows for key in _flat(row.case))
        measured = dict.fromkeys(key for row in self._rows for key in row.metrics)
        return {key: [row.get(key) for row in flat] for key in (*said, "passed", *measured, "failure")}

    def column(self, name: str) -> NDArray[np.float64]:
        """A column of the table as numbers (n,), NaN where a case has none. Raises JounceError: no such column, or it is no number."""
        table = self.table()
        if name not in table:
            raise JounceError(f"no column {name!r}{did_you_mean(name, table)}")
        try:
            return np.array([np.nan if value is None else value for value in table[name]], dtype=float)
        except (TypeError, ValueError):
            raise JounceError(f"column {name!r} does not hold numbers") from None

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame. Raises JounceError without pandas."""
        try:
            import pandas
        except ImportError:
            raise JounceError("pandas is not installed ('pip install pandas'); `table()` has the same columns as lists") from None
        return pandas.DataFrame(self.table())


def run_batch(
    cases: Iterable[Mapping[str, Any] | str],
    processes: int = 2,
    *,
    channels: Collection[str] = (),
    plugins: Iterable[str | os.PathLike[str]] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Batch:
    """Drive many maneuvers, several at a time.

    Parameters
    ----------
    cases : names of maneuvers, or parameters of `simulate` as mappings: {"maneuver": "avtp_lane_change", "changes": {...}}. What they say
        goes to other processes, so it is names, numbers and lists.
    processes : how many at a time
    channels : columns of the logs to keep: names, fields, patterns; no logs are kept when empty
    plugins : Python files that register kinds of one's own, loaded by every process
    progress : called with the number of cases done and of all, after each

    Returns
    -------
    rows in the order of the cases. One that fails, or whose process dies, is a row with its reason; the others go on.

    Raises
    ------
    JounceError : a case is not what it should be; nothing has run
    """
    checked = [_checked(case) for case in cases]
    if processes < 1:
        raise JounceError(f"run_batch: got {processes} processes, expected 1 or more")
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
    """A process that drives one case after the other, started anew after it died.

    Parameters
    ----------
    setting : what goes before the cases, see `simulator.api.worker`
    file : where it leaves the log of a case
    """

    def __init__(self, setting: Mapping[str, Any], file: Path) -> None:
        self._logs, self._file = bool(setting["channels"]), file
        self._process = LineProcess(WORKER, json_text({**setting, "file": str(file)}).encode())

    def drive(self, case: Mapping[str, Any]) -> BatchRow:
        """A case and what came of it."""
        try:
            answer = json.loads(self._process.ask(json_text(case).encode()))
        except ProcessDiedError as error:
            answer = {"failure": str(error)}
        if "failure" in answer:
            return BatchRow(case, None, {}, answer["failure"], None)
        log = read_log(self._file) if self._logs else None
        return BatchRow(case, answer["passed"], answer["metrics"], "", log)

    def end(self) -> None:
        """Kill the process; whoever waits for it gets a failure."""
        self._process.end()

    @property
    def ended(self) -> bool:
        """Whether it takes no more cases."""
        return self._process.ended


def _serve(
    worker: _Worker, cases: Sequence[Mapping[str, Any]], todo: queue.SimpleQueue[int], done: queue.SimpleQueue[tuple[int, BatchRow]]
) -> None:
    """Have a worker drive cases as long as there are any."""
    while not worker.ended:
        try:
            number = todo.get_nowait()
        except queue.Empty:
            return
        try:
            row = worker.drive(cases[number])
        except Exception as error:  # whoever waits for the row would wait for ever
            row = BatchRow(cases[number], None, {}, f"{type(error).__name__}: {error}", None)
        done.put((number, row))


def _checked(case: Mapping[str, Any] | str) -> dict[str, Any]:
    """A case as a mapping that JSON can hold. Raises JounceError."""
    said = {"maneuver": case} if isinstance(case, str) else dict(case)
    for key in said:
        if key not in OPTIONS:
            raise JounceError(f"run_batch: a case says nothing of {key!r}{did_you_mean(key, OPTIONS)}; it may say {', '.join(OPTIONS)}")
    if "maneuver" not in said:
        raise JounceError("run_batch: a case names no maneuver")
    said = {key: os.fspath(value) if isinstance(value, os.PathLike) else value for key, value in said.items()}
    try:
        json_text(said)
    except TypeError as error:
        raise JounceError(f"run_batch: a case holds what cannot go to another process: {error}") from None
    return said


def _flat(case: Mapping[str, Any]) -> dict[str, Any]:
    """What a case says, each of its changes under its key path."""
    return {key: value for key, value in case.items() if key != "changes"} | dict(case.get("changes") or {})
