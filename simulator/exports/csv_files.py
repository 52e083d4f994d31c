"""Export of the log as CSV: the table of `--csv`, and a second table with unit, frame and meaning of each column."""

from __future__ import annotations

import csv
from pathlib import Path

from simulator.exports.output import Output
from simulator.exports.source import ExportedRun
from simulator.outlets.csv_log import write_csv


def export(run: ExportedRun, output: Output) -> None:
    """Plan NAME.csv with a header `name [unit]`, and NAME_columns.csv. Raises OutputError, ConfigError."""
    table, columns = output.need_free([f"{run.name}.csv", f"{run.name}_columns.csv"])
    output.file(table, lambda path: write_csv(path, run.columns, run.groups(run.inside)))
    output.file(columns, lambda path: _describe(path, run))


def _describe(path: Path, run: ExportedRun) -> None:
    with open(path, "w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream)
        out.writerow(("name", "unit", "frame", "meaning"))
        out.writerows((one.name, one.unit, one.frame, one.meaning) for one in run.columns)
