"""Summary of the rows of a score: outcomes in total and by group, means over the reached tasks, and a table for the console."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from simulator.autonomy.outcome import OUTCOMES, REACHED
from simulator.scores.contract import ERROR, OUTCOME, REASON, Benchmark, Row

MAX_REASONS = 10
"""Reasons of errors on the console."""


def summary_of(benchmark: Benchmark, rows: Sequence[Row]) -> dict[str, Any]:
    """Return counts and means over all rows, and by the values of each group column."""
    groups = {
        column: {str(value): _counts(benchmark, [row for row in rows if row.get(column) == value]) for value in _values(rows, column)}
        for column in benchmark.groups
    }
    return {"all": _counts(benchmark, rows), "groups": groups}


def _values(rows: Sequence[Row], column: str) -> list[Any]:
    """Return the different values of a column in the order of their first row."""
    return list(dict.fromkeys(row[column] for row in rows if row.get(column) is not None))


def _counts(benchmark: Benchmark, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the number of tasks, of each outcome, the success rate, means over the reached tasks, and scores."""
    reached = [row for row in rows if row[OUTCOME] == REACHED]
    out: dict[str, Any] = {"tasks": len(rows), **{word: sum(row[OUTCOME] == word for row in rows) for word in OUTCOMES}}
    out["success_rate"] = len(reached) / len(rows) if rows else None
    for column in benchmark.means:
        values = [float(row[column]) for row in reached if row.get(column) is not None]
        out[f"mean_{column}"] = fmean(values) if values else None
    for column in benchmark.flags:
        out[f"reached_{column}"] = sum(bool(row.get(column)) for row in reached)
    for column in benchmark.scores:
        out[f"mean_{column}"] = fmean(float(row.get(column) or 0.0) for row in rows) if rows else None
    return out


def summary_text(benchmark: Benchmark, summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table for the console, with the reasons of errors."""
    words = [word for word in OUTCOMES if summary["all"][word] or word == REACHED]
    head = ["", "tasks", *words, *(f"mean {column}" for column in (*benchmark.scores, *benchmark.means))]
    lines = [_line("all", summary["all"], words, benchmark)]
    for column, values in summary["groups"].items():
        lines += [_line(f"{column} {value}", counts, words, benchmark) for value, counts in values.items()]
    widths = [max(len(line[k]) for line in (head, *lines)) for k in range(len(head))]
    table = ["  ".join(cell.ljust(width) if k == 0 else cell.rjust(width) for k, (cell, width) in enumerate(zip(line, widths, strict=True)))
             for line in (head, *lines)]  # fmt: skip
    errors: dict[str, int] = {}
    for row in rows:
        if row[OUTCOME] == ERROR:
            errors[str(row.get(REASON) or "")] = errors.get(str(row.get(REASON) or ""), 0) + 1
    return "\n".join([benchmark.title, *table, *(f"  {count} x error: {reason}" for reason, count in list(errors.items())[:MAX_REASONS])])


def _line(name: str, counts: Mapping[str, Any], words: Sequence[str], benchmark: Benchmark) -> list[str]:
    """Return the cells of a line of the table."""
    tasks, reached = counts["tasks"], counts[REACHED]
    share = f"{reached} ({100.0 * reached / tasks:.0f} %)" if tasks else "0"
    others = [str(counts[word]) for word in words if word != REACHED]
    means = [counts[f"mean_{column}"] for column in (*benchmark.scores, *benchmark.means)]
    return [name, str(tasks), share, *others, *("" if one is None else f"{one:.2f}" for one in means)]
