"""Result tables of a sweep: a row for each run in the order of run numbers. The bytes do not depend on the workers or the execution
order.

Values that depend on the machine have a separate table, `machine.parquet`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.autonomy.outcome import ERROR, OUTCOMES
from simulator.base.arrow_file import arrow_file
from simulator.base.json_output import json_text
from simulator.sweep.case import Cases
from simulator.sweep.journal import Row
from simulator.telemetry.atomic_files import write_whole

if TYPE_CHECKING:
    import pyarrow as pa

TABLE, MACHINE, PLAN = "table.parquet", "machine.parquet", "plan.parquet"
VARIED = b"varied"
"""Metadata entry of the columns of varied keys: the key."""
KEY = b"jounce_sweep"
"""Key of the metadata of the table."""
GROUP = 4096
"""Number of rows in memory at a time, and in a group of the file."""
OUTCOME, REASON = "outcome", "outcome_reason"
"""Columns of sweeps with drives to goals."""
OWN = ("run", "number", "passed", "failure", OUTCOME, REASON)
"""Columns other than varied keys and metrics."""

T = TypeVar("T")
Rows = Callable[[], Iterable[Row]]
"""Iterates over the rows in the order of run numbers. May be called repeatedly."""


def write_tables(cases: Cases, rows: Rows, folder: Path) -> Path:
    """Write both tables. Return the path of the result table. Raises OutputError."""
    metrics: dict[str, None] = {}
    machine: dict[str, _Kind] = {}
    to_goals = False
    for row in rows():
        to_goals |= OUTCOME in row
        metrics.update(dict.fromkeys(row["metrics"]))
        for key, value in row["machine"].items():
            machine.setdefault(key, _Kind()).see(value)
    _write_table(cases, rows, list(metrics), to_goals, folder / TABLE)
    _write_machine(rows, machine, folder / MACHINE)
    return folder / TABLE


def _write_table(cases: Cases, rows: Rows, metrics: Sequence[str], to_goals: bool, file: Path) -> None:
    import pyarrow as pa

    kinds = _kinds(cases)
    varied = _varied(kinds, metrics)
    fields = [
        pa.field("run", pa.string()), pa.field("number", pa.int64()), *varied, pa.field("passed", pa.bool_()), pa.field("failure", pa.string()),
        *(pa.field(name, pa.string()) for name in (OUTCOME, REASON) if to_goals), *(pa.field(name, pa.float64()) for name in metrics),
    ]  # fmt: skip
    about = {"varied": [field.name for field in varied], "metrics": metrics, **cases.about}

    def line(number: int, row: Row) -> Iterator[Any]:
        given = cases.point_of(number)
        yield from (row["run"], number)
        yield from (kind.value(given.get(key)) for key, kind in kinds.items())
        yield from (row["passed"], row["failure"])
        yield from outcome_of_row(row) if to_goals else ()
        yield from (row["metrics"].get(name) for name in metrics)

    schema = pa.schema(fields, metadata={KEY: json_text(about)})
    write_whole(file, lambda path: _write(path, schema, rows(), line), durable=True)


def _write_machine(rows: Rows, machine: Mapping[str, _Kind], file: Path) -> None:
    import pyarrow as pa

    fields = [pa.field("run", pa.string()), pa.field("number", pa.int64()), pa.field("worker", pa.string())]
    schema = pa.schema([*fields, *(pa.field(name, kind.type()) for name, kind in machine.items())])

    def line(number: int, row: Row) -> Iterator[Any]:
        yield from (row["run"], number, row["worker"])
        yield from (kind.value(row["machine"].get(name)) for name, kind in machine.items())

    write_whole(file, lambda path: _write(path, schema, rows(), line), durable=True)


def write_plan(cases: Cases, folder: Path) -> None:
    """Write the plan: digest, number and varied values of every run, for reports while the sweep runs. Raises OutputError."""
    import pyarrow as pa

    kinds = _kinds(cases)

    def line(number: int, run: str) -> Iterator[Any]:
        given = cases.point_of(number)
        yield from (run, number)
        yield from (kind.value(given.get(key)) for key, kind in kinds.items())

    schema = pa.schema([pa.field("run", pa.string()), pa.field("number", pa.int64()), *_varied(kinds, ())])
    runs = (cases.run_of(number) for number in range(len(cases)))
    write_whole(folder / PLAN, lambda path: _write(path, schema, runs, line))


def _kinds(cases: Cases) -> dict[str, _Kind]:
    """Return the types of the columns of varied keys, by key."""
    kinds = {key: _Kind() for key in cases.varied}
    for number in range(len(cases)):
        given = cases.point_of(number)
        for key, kind in kinds.items():
            kind.see(given.get(key))
    return kinds


def _varied(kinds: Mapping[str, _Kind], metrics: Collection[str]) -> list[pa.Field]:
    """Return the columns of the varied keys. The metadata contains the key, since the column name may differ."""
    import pyarrow as pa

    return [pa.field(_column(key, metrics), kind.type(), metadata={VARIED: key}) for key, kind in kinds.items()]


def outcome_of_row(row: Row) -> tuple[str | None, str | None]:
    """Return outcome and reason of a run of a sweep with drives to goals: `error` for a run without a result; None for another maneuver."""
    if row["failure"]:
        return ERROR, row["failure"]
    outcome = row.get(OUTCOME) or {}
    return outcome.get("word"), outcome.get("reason")


def failures(table: Path) -> dict[str, int]:
    """Return the failure reasons in a table with the number of runs, the most frequent first."""
    return dict(_counted(table, "failure").most_common())


def outcomes(table: Path) -> dict[str, int]:
    """Return the outcomes in a table with the number of runs, in the order of OUTCOMES; empty without drives to goals."""
    counts = _counted(table, OUTCOME)
    return {word: counts[word] for word in OUTCOMES if counts[word]}


def _counted(table: Path, name: str) -> Counter[str]:
    """Return the texts in a column with the number of runs; empty without the column."""
    import pyarrow.parquet as pq

    with arrow_file(table) as source:
        file = pq.ParquetFile(source)
        groups = file.iter_batches(columns=[name]) if name in file.schema_arrow.names else ()
        return Counter(text for group in groups for text in group[0].to_pylist() if text)


class _Kind:
    """Type of the values of a column. Values of mixed types are written as JSON."""

    def __init__(self) -> None:
        self._seen: set[type] = set()

    def see(self, value: Any) -> None:
        if value is not None:
            self._seen.add(type(value))

    def type(self) -> pa.DataType:
        import pyarrow as pa

        if self._seen and self._seen <= {bool}:
            return pa.bool_()
        if self._seen and self._seen <= {int}:
            return pa.int64()
        if self._seen and self._seen <= {int, float}:
            return pa.float64()
        return pa.string()

    def value(self, value: Any) -> Any:
        if value is None or isinstance(value, str) or self._seen <= {bool} or self._seen <= {int, float}:
            return value
        return json_text(value)


def _column(key: str, metrics: Collection[str]) -> str:
    """Return the column name of a varied key, distinct from all other columns."""
    return f"{key} (said)" if key in OWN or key in metrics else key


def _write(path: Path, schema: pa.Schema, rows: Iterable[T], line: Callable[[int, T], Iterator[Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    numbered = enumerate(rows)
    with arrow_file(path, "wb") as target, pq.ParquetWriter(target, schema, compression="zstd") as out:
        while group := list(islice(numbered, GROUP)):
            columns = zip(*(line(number, row) for number, row in group), strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            out.write_table(pa.Table.from_arrays(arrays, schema=schema))
