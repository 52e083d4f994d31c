"""Runner of a score: drives the tasks that the journals lack in parallel processes, and writes `results.csv` and `summary.json`.

The folder also contains `journals/` with the finished rows. After an interruption, the same call continues. The files do not depend on the
number of workers.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from simulator.base.errors import OutputError
from simulator.base.json_output import json_text
from simulator.base.machine import software, version
from simulator.base.signals import StopRequest, on_signal
from simulator.scores.contract import ERROR, OUTCOME, Benchmark, Row, ScorePlan, ScoreTask
from simulator.scores.score_worker import failed
from simulator.scores.summary import summary_of
from simulator.sweep.case import code_digest, digest_of
from simulator.sweep.engine import Progress
from simulator.sweep.journal import JOURNALS, Journals
from simulator.sweep.process_executor import LocalProcesses
from simulator.telemetry.atomic_files import create_folder, write_bytes, write_text
from simulator.telemetry.folder_lock import FolderLock

WORKER = "simulator.scores.score_worker"
RESULTS, SUMMARY = "results.csv", "summary.json"
DECIMALS = 6
"""Decimals of the numbers of the table."""


def run_score(
    benchmark: Benchmark,
    plan: ScorePlan,
    folder: Path,
    *,
    workers: int,
    plugins: Sequence[str] = (),
    progress: Callable[[Progress], None] = lambda progress: None,
) -> dict[str, Any]:
    """Drive the tasks of a plan and return the summary.

    Raises
    ------
    OutputError : the folder cannot be written, is in use, or has other files with the names of those of the plan
    EndedBySignal : by a signal; finished rows are stored in the folder
    """
    create_folder(folder)
    with FolderLock(folder):
        _write_files(plan.files, folder)
        runs = _runs(plan, code_digest(plugins))
        rows = _drive_missing(plan.tasks, runs, folder, workers, plugins, progress)
        ordered = [rows.get(run) or failed(task, "the worker process ended twice") for run, task in zip(runs, plan.tasks, strict=True)]
        summary = {
            "benchmark": benchmark.name,
            "version": version(),
            "software": software(),
            "settings": dict(plan.settings),
            **summary_of(benchmark, ordered),
        }
        write_bytes(folder / RESULTS, table_text(benchmark.columns, ordered).encode())
        write_text(folder / SUMMARY, json_text(summary, indent=2) + "\n")
    return summary


def _write_files(files: Mapping[str, bytes | str], folder: Path) -> None:
    """Write the files of a plan. Raises OutputError, also for a file with other content."""
    for name, content in files.items():
        path, new = folder / name, content.encode() if isinstance(content, str) else content
        if path.exists():
            if path.read_bytes() != new:
                raise OutputError(f"{path}: has other content, of an earlier score; hint: choose another folder")
            continue
        create_folder(path.parent)
        write_bytes(path, new)


def _runs(plan: ScorePlan, code: str) -> list[str]:
    """Return the digest of each task, of its files and of the program."""
    files = {name: hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest() for name, text in plan.files.items()}
    return [digest_of({**asdict(task), "contents": [files[name] for name in task.files]}, code) for task in plan.tasks]


def _drive_missing(
    tasks: Sequence[ScoreTask],
    runs: Sequence[str],
    folder: Path,
    workers: int,
    plugins: Sequence[str],
    progress: Callable[[Progress], None],
) -> dict[str, Row]:
    """Drive the tasks without a row, and return all rows by digest. Raises OutputError, EndedBySignal."""
    journals, needed = Journals(folder / JOURNALS), set(runs)
    rows: dict[str, Row] = {
        row["run"]: row["metrics"] for _, row in journals.recover() if row["run"] in needed and row.get("metrics") and not row.get("lost")
    }
    missing = [(run, task) for run, task in zip(runs, tasks, strict=True) if run not in rows]

    def report() -> None:
        progress(Progress(len(rows), len(runs), sum(row.get(OUTCOME) == ERROR for row in rows.values()), None))

    stop = StopRequest()
    report()
    with closing(LocalProcesses(max(1, min(workers, len(missing))), WORKER)) as executor:

        def end(number: int) -> None:
            stop(number)
            executor.close()

        with on_signal(end):
            for response in executor.chunks(_chunks(missing, folder, plugins)):
                journals.append(response["worker"], response["rows"])
                rows |= {row["run"]: row["metrics"] for row in response["rows"] if not row.get("lost")}
                report()
    stop.raise_if_requested()
    return rows


def _chunks(missing: Sequence[tuple[str, ScoreTask]], folder: Path, plugins: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a chunk for each task."""
    for run, task in missing:
        yield {"cases": [{"run": run, "task": asdict(task)}], "folder": str(folder.resolve()), "plugins": list(plugins)}


def table_text(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Return rows as CSV (RFC 4180)."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return the text of a value: empty for None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(round(value, DECIMALS) + 0.0) if isinstance(value, float) else value
