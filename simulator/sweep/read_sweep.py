"""Reader for the results of a sweep: from its table, or from its journals while the sweep runs."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.arrow_file import arrow_file, need_single_columns, read_problem
from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.inputfile import check_regular
from simulator.sweep.engine import ABOUT
from simulator.sweep.journal import JOURNALS, ROW_KEYS, Row, read_rows
from simulator.sweep.metric_section import PASSED
from simulator.sweep.result_table import MACHINE, OUTCOME, PLAN, TABLE, VARIED, outcome_of_row
from simulator.sweep.results import Key, Results, key_of

if TYPE_CHECKING:
    import pyarrow as pa

LETTERS = 16
"""Number of characters of the digest of a sweep that are displayed."""


def read_results(folder: str | Path) -> Results:
    """Return the results of a sweep so far. Raises ConfigError: the folder is not a sweep folder, or a file in it cannot be read."""
    place = Path(folder)
    about = _about(place)
    if (place / TABLE).is_file():
        return _from_table(about, _read(place / TABLE), _read(place / MACHINE))
    return _from_journals(about, _read(place / PLAN), read_rows(place / JOURNALS))


def _about(folder: Path) -> dict[str, Any]:
    file = folder / ABOUT
    check_regular(file, "the description of a sweep in JSON")
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise UnreadableError(
            folder, "", f"no {ABOUT} in it", "the folder of a sweep, created with `jounce sweep FILE --out DIR`"
        ) from None
    except (OSError, ValueError) as error:
        raise UnreadableError(file, "", _problem(error), "the description of a sweep in JSON") from None
    if not isinstance(about, dict):
        raise ConfigError(file, "", about, "the description of a sweep, a mapping")
    return about


def _read(file: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_regular(file, "a table of a sweep")
    if not file.exists():  # pyarrow gives no reason
        raise UnreadableError(file, "", os.strerror(errno.ENOENT), "a table of a sweep")
    try:
        with arrow_file(file) as source:
            table = pq.read_table(source)
    except (OSError, pa.ArrowException) as error:
        raise UnreadableError(file, "", read_problem(error), "a table of a sweep") from None
    need_single_columns(file, table.column_names)
    return table


def _problem(error: Exception) -> str:
    """Return the reason of an error in one line, without the number and the file of an OSError."""
    return getattr(error, "strerror", None) or str(error).partition("\n")[0]


def _from_table(about: Mapping[str, Any], table: pa.Table, machine: pa.Table) -> Results:
    metrics = json.loads(table.schema.metadata[b"jounce_sweep"])["metrics"]
    numbers = {name: _numbers(table[name].to_pylist()) for name in metrics}
    workers, wall, simulated = (machine[name].to_pylist() for name in ("worker", "wall_s", "simulated_s"))
    results = _results(
        about, table, table["passed"].to_pylist(), table["failure"].to_pylist(), numbers, _machine(about, workers, wall, simulated)
    )
    return replace(results, outcomes=table[OUTCOME].to_pylist()) if OUTCOME in table.column_names else results


def _from_journals(about: Mapping[str, Any], plan: pa.Table, rows: Iterable[Row]) -> Results:
    """Return the results of the runs that have a row so far. If a lost run was repeated, the later row counts."""
    rows_by_run: dict[str, Row] = {}
    for row in rows:
        if row.keys() >= ROW_KEYS and (row["run"] not in rows_by_run or rows_by_run[row["run"]].get("lost")):
            rows_by_run[row["run"]] = row
    done = [row for row in (rows_by_run.get(run) for run in plan["run"].to_pylist()) if row is not None]
    there = np.array([run in rows_by_run for run in plan["run"].to_pylist()], dtype=bool)
    names = dict.fromkeys(name for row in done for name in row["metrics"])
    numbers = {name: _numbers([row["metrics"].get(name) for row in done]) for name in names}
    completed = list(rows_by_run.values())
    machine = _machine(
        about,
        [row["worker"] for row in completed],
        *([row["machine"].get(name) for row in completed] for name in ("wall_s", "simulated_s")),
    )
    results = _results(about, plan.filter(there), [row["passed"] for row in done], [row["failure"] for row in done], numbers, machine)
    return replace(results, outcomes=[outcome_of_row(row)[0] for row in done]) if any(OUTCOME in row for row in done) else results


def _results(
    about: Mapping[str, Any],
    given: pa.Table,
    passed: list[bool | None],
    failures: list[str],
    metrics: Mapping[str, Any],
    machine: Mapping[str, Any],
) -> Results:
    """Return the results; the verdicts become a metric, too."""
    own = {PASSED: _numbers([None if one is None else float(one) for one in passed])}
    number = np.array(given["number"].to_pylist(), dtype=np.int64)
    return Results(about, given["run"].to_pylist(), number, list(_keys(given)), passed, failures, {**metrics, **own}, machine)


def _keys(given: pa.Table) -> Iterable[Key]:
    """Yield the varied keys from their columns."""
    for field in given.schema:
        name = (field.metadata or {}).get(VARIED)
        if name is not None:
            yield key_of(name.decode(), given[field.name].to_pylist())


def _numbers(values: Iterable[float | None]) -> Any:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _machine(
    about: Mapping[str, Any], workers: Iterable[str], wall: Iterable[float | None], simulated: Iterable[float | None]
) -> dict[str, str]:
    """Return the facts about the execution of the sweep, for display."""
    wall_time, covered = sum(one or 0.0 for one in wall), sum(one or 0.0 for one in simulated)
    facts = {"digest": str(about.get("sweep", ""))[:LETTERS], "version": str(about.get("version", "")), "workers": str(len(set(workers)))}
    if wall_time > 0.0:
        facts |= {
            "total time of all workers": f"{wall_time:.4g} s",
            "simulated time": f"{covered:.4g} s, {covered / wall_time:.3g} times real time per worker",
        }
    return facts
