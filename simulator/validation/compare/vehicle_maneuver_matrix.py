"""Matrix of runs by vehicle and maneuver, from run folders or from the table of a sweep."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base.arrow_file import arrow_file, need_single_columns, read_problem
from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.inputfile import check_regular
from simulator.maneuvers.report.page import FILE as REPORT
from simulator.validation.compare.metrics_file import METRICS, read_metrics

MAX_DEPTH = 3
"""Maximum folder depth of the search for runs."""
NO_NUMBER = "passed", "failure", "run", "number"
"""Columns of the table of a sweep that are neither metrics nor varied keys."""


@dataclass(frozen=True)
class Entry:
    """One run."""

    vehicle: str
    maneuver: str
    label: str
    """Label of the run: its folder, or its varied values."""
    passed: bool | None
    failure: str
    """Reason of an early end or a missing result."""
    metrics: dict[str, float | None]
    """Metrics by name with unit suffix."""
    important: tuple[str, ...]
    """Names of the most important metrics: those with limits or the requested ones."""
    failed: tuple[str, ...] = ()
    """Names of the metrics that violate their limits."""
    report: Path | None = None


@dataclass(frozen=True)
class Matrix:
    """Runs by vehicle and maneuver."""

    vehicles: Sequence[str]
    maneuvers: Sequence[str]
    cells: dict[tuple[str, str], list[Entry]]
    wanted: tuple[str, ...] = ()
    """Metrics to show; default: the most important ones."""

    def shown(self, entry: Entry) -> list[str]:
        """Return the names of the metrics that are shown for a run."""
        return [name for name in self.wanted if name in entry.metrics] if self.wanted else [*entry.important[:4]]


def matrix_of(entries: Iterable[Entry]) -> Matrix:
    """Return the matrix of runs; vehicles and maneuvers keep their order."""
    cells: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        cells.setdefault((entry.vehicle, entry.maneuver), []).append(entry)
    vehicles, maneuvers = (list(dict.fromkeys(place[n] for place in cells)) for n in (0, 1))
    return Matrix(vehicles, maneuvers, cells)


def read_entries(places: Iterable[str]) -> list[Entry]:
    """Return the runs in folders and in tables of sweeps (.parquet). Raises ConfigError: a folder has no runs, or a file cannot be read."""
    entries: list[Entry] = []
    for place in places:
        path = Path(place)
        table = path / "table.parquet" if (path / "table.parquet").is_file() else path
        entries += _of_table(table) if table.suffix == ".parquet" else _of_folder(path)
    return entries


def _of_folder(path: Path) -> list[Entry]:
    files = [file for depth in range(MAX_DEPTH) for file in sorted(path.glob("/".join(["*"] * depth + [METRICS])))]
    if not files:
        raise ConfigError(path, "", f"no {METRICS} in it", "a run folder, a folder of run folders, or the table of a sweep (table.parquet)")
    return [_of_run(file) for file in files]


def _of_run(file: Path) -> Entry:
    result = read_metrics(file)
    rows, early, report = result["table"], result.get("ended_early"), file.with_name(REPORT)
    important = tuple(row["metric"] for row in rows if row["verdict"] != "info") or tuple(row["metric"] for row in rows if row["mark"])
    return Entry(
        result.get("vehicle", "unknown vehicle"),
        result["maneuver"],
        file.resolve().parent.name,
        result["pass"],
        f"at {early['time_s']:.4g} s: {early['reason']}" if early else "",
        {row["metric"]: row["value"] for row in rows} | result.get("metrics", {}),
        important,
        tuple(check["metric"] for check in result["checks"] if not check["pass"]),
        report if report.is_file() else None,
    )


def _of_table(file: Path) -> list[Entry]:
    """Return the runs of the table of a sweep, labeled by the varied keys other than vehicle and maneuver."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_regular(file, "the table of a sweep (Parquet)")
    try:
        with arrow_file(file) as source:
            table = pq.read_table(source, use_threads=False)
        about: dict[str, Any] = json.loads((table.schema.metadata or {}).get(b"jounce_sweep", b"{}"))
    except (OSError, pa.ArrowException, ValueError) as error:
        raise UnreadableError(file, "", read_problem(error), "the table of a sweep (Parquet)") from None
    need_single_columns(file, table.column_names)
    missing = [name for name in ("passed", "failure") if name not in table.column_names]
    if missing:
        raise ConfigError(file, "columns", f"no {', '.join(missing)}", "the table of a sweep")
    varied = [name for name in about.get("varied", []) if name in table.column_names]
    usual = [name for name in table.column_names if name not in (*NO_NUMBER, *varied, "vehicle", "maneuver")]
    metrics = tuple(name for name in about.get("metrics", usual) if name in table.column_names)
    label_keys = [name for name in varied if name not in ("vehicle", "maneuver")]
    return [_of_row(row, label_keys, metrics) for row in table.to_pylist()]


def _of_row(row: dict[str, Any], label_keys: Sequence[str], metrics: tuple[str, ...]) -> Entry:
    label = ", ".join(f"{name.rpartition('.')[2]} {_shown(row[name])}" for name in label_keys)
    numbers = {name: row[name] for name in metrics if isinstance(row[name], int | float) or row[name] is None}
    vehicle, maneuver = (str(row.get(key) or f"its own {key}") for key in ("vehicle", "maneuver"))
    return Entry(vehicle, maneuver, label, row["passed"], row["failure"] or "", numbers, tuple(numbers))


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
