"""`jounce results`: times of the user on the timed courses."""

from __future__ import annotations

from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.json_output import json_text
from simulator.maneuvers.course_timing import clock
from simulator.run.course_results import all_results

SHOWN = 20
"""Results of a course that are printed."""


def main_results(course: str | None, to_json: bool) -> int:
    """Run `jounce results`; return 0. Raises JounceError: there is no such course."""
    results = all_results(print_error, () if course is None else (course,))
    if to_json:
        print(json_text(results))
        return 0
    if not any(results.values()):
        print_line("no results yet; hint: drive a course, for example 'jounce drive circuit_race'")
    for name, rows in results.items():
        if rows:
            _print_course(name, rows)
    return 0


def _print_course(name: str, rows: list[dict[str, Any]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    present = max(rows, key=lambda row: str(row["date"]), default={}).get("course_digest")
    older = sum(row["course_digest"] != present for row in rows)
    rows = [row for row in rows if row["course_digest"] == present]
    follows = any(row["mean_deviation_m"] is not None for row in rows)
    laps = any(row["best_lap_s"] != row["time_s"] for row in rows)
    table = Table(title=name, title_justify="left", box=SIMPLE_HEAD, padding=0)
    for heading in (
        "",
        "date",
        "vehicle",
        "driver",
        "total",
        "penalty",
        *(["best lap"] if laps else []),
        *(["off track", "near"] if follows else []),
    ):
        table.add_column(heading, justify="left" if heading in ("date", "vehicle", "driver") else "right", no_wrap=True)
    for place, row in enumerate(rows[:SHOWN], 1):
        cells = [str(place), row["date"], row["vehicle"], "person" if row["person"] else "automatic", _clock(row["total_s"])]
        cells.append(f"{row['penalty_s']:g} s" if row["penalty_s"] else "")
        cells += [_clock(row["best_lap_s"])] if laps else []
        if follows:
            cells += [f"{row['mean_deviation_m'] or 0.0:.2f} m", f"{100.0 * (row['near'] or 0.0):.0f} %"]
        table.add_row(*cells)
    Console(markup=False).print(table)
    if older:
        print_line(f"{older} results on another version of this course are not shown; --json lists them")


def _clock(seconds: float | None) -> str:
    return "-" if seconds is None else clock(seconds)
