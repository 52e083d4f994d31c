"""Page of the matrix of vehicles and maneuvers, its JSON object and its text for the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.report.html_page import Cell, Column, Link, Page, Verdict, cell
from simulator.validation.compare.page import link
from simulator.validation.compare.vehicle_maneuver_matrix import Entry, Matrix

MAX_RUNS = 6
"""Maximum number of runs listed in a cell; for more runs the cell shows their number."""
MAX_ROWS = 200
"""Maximum number of rows in the list of the runs of a maneuver."""
WORDS = {True: "passed", False: "FAILED", None: "no limits"}


def matrix_page(matrix: Matrix, page_file: Path) -> Page:
    """Return the page. `page_file` is the path of the page, for relative links to the pages of the runs."""
    page = Page(f"{_counted(len(matrix.vehicles), 'vehicle')}, {_counted(len(matrix.maneuvers), 'maneuver')}")
    entries = [entry for place in matrix.cells.values() for entry in place]
    page.verdict(_outcome(entries))
    page.heading("Verdicts")
    columns = [Column("maneuver", words=True), *(Column(vehicle, words=True) for vehicle in matrix.vehicles)]
    rows = [[maneuver, *(_verdicts(matrix, vehicle, maneuver, page_file) for vehicle in matrix.vehicles)] for maneuver in matrix.maneuvers]
    page.text("Each verdict links to the page of its run, if there is one.")
    page.table(columns, rows)
    page.heading("Metrics")
    for maneuver in matrix.maneuvers:
        _metrics(page, matrix, maneuver, page_file)
    return page


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def _outcome(entries: list[Entry]) -> Verdict:
    failed, judged = sum(one.passed is False for one in entries), sum(one.passed is not None for one in entries)
    lost = sum(bool(one.failure) for one in entries)
    words = (
        f"{_counted(len(entries), 'run')}, {judged - failed} of {judged} with limits passed"
        if judged
        else f"{_counted(len(entries), 'run')}, none with limits"
    )
    return Verdict(
        f"{words}{f'; {lost} ended early or without a result' if lost else ''}", None if not judged and not lost else not (failed or lost)
    )


def _verdicts(matrix: Matrix, vehicle: str, maneuver: str, page_file: Path) -> Cell | list[Verdict | Link]:
    place = matrix.cells.get((vehicle, maneuver), [])
    if not place:
        return None
    if len(place) > MAX_RUNS:
        failed = sum(map(_wrong, place))
        if not failed and all(one.passed is None for one in place):
            return Verdict(f"{len(place)} runs, no limits")
        return Verdict(f"{len(place) - failed} of {len(place)} passed", not failed)
    return [_verdict(one, page_file) for one in place]


def _wrong(entry: Entry) -> bool:
    return entry.passed is False or bool(entry.failure)


def _verdict(entry: Entry, page_file: Path) -> Verdict | Link:
    good = False if entry.failure and entry.passed is None else entry.passed
    words = WORDS[good]
    return Verdict(words, good) if entry.report is None else Link(words, link(entry.report, page_file), good, judged=True)


def _metrics(page: Page, matrix: Matrix, maneuver: str, page_file: Path) -> None:
    """Write a table of the runs of one maneuver."""
    entries = [entry for vehicle in matrix.vehicles for entry in matrix.cells.get((vehicle, maneuver), [])]
    listed = entries if len(entries) <= MAX_ROWS else sorted(entries, key=_wrong, reverse=True)[:MAX_ROWS]
    names = list(dict.fromkeys(name for entry in listed for name in matrix.shown(entry)))
    page.subheading(maneuver)
    if len(listed) < len(entries):
        page.text(f"{len(listed)} of {len(entries)} runs are shown, failed runs first; the .json file next to this page contains all.")
    columns = [Column("vehicle", words=True), Column("run", words=True, long=True), Column("verdict", words=True)]
    columns += [*(Column(name) for name in names), Column("", words=True, long=True)]
    shown = len(columns) if any(entry.failure for entry in listed) else len(columns) - 1
    page.table(columns[:shown], [_metric_row(entry, names, page_file)[:shown] for entry in listed])


def _metric_row(entry: Entry, names: list[str], page_file: Path) -> list[Any]:
    numbers: list[Any] = [
        Verdict(cell(entry.metrics.get(name)), False) if name in entry.failed else entry.metrics.get(name) for name in names
    ]
    return [entry.vehicle, entry.label, _verdict(entry, page_file), *numbers, entry.failure]


def matrix_object(matrix: Matrix) -> dict[str, Any]:
    """Return the matrix for JSON."""
    runs = [
        {
            "vehicle": one.vehicle,
            "maneuver": one.maneuver,
            "run": one.label,
            "pass": one.passed,
            "failure": one.failure,
            "failed": list(one.failed),
        }
        | {"metrics": {name: one.metrics[name] for name in matrix.shown(one)}}
        for place in matrix.cells.values()
        for one in place
    ]
    return {"vehicles": list(matrix.vehicles), "maneuvers": list(matrix.maneuvers), "runs": runs}


def matrix_text(matrix: Matrix) -> str:
    """Return a line for each vehicle and maneuver."""
    lines = []
    for (vehicle, maneuver), place in matrix.cells.items():
        failed = [one for one in place if one.passed is False or one.failure]
        given = WORDS[place[0].passed] if len(place) == 1 else f"{len(place) - len(failed)} of {len(place)} passed"
        wrong = ", ".join(dict.fromkeys(name for one in failed for name in one.failed))
        lines.append(f"{maneuver:<32}{vehicle:<24}{given}{f': {wrong}' if wrong else ''}")
    return "\n".join(lines)
