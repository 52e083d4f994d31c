"""Command `jounce datasheet VEHICLE --history`, and `python -m research bench --history`: past values, present values and changes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.base.machine import processor, software, version
from simulator.builder.warm_up import compile_kernels
from simulator.telemetry.atomic_files import create_folder
from simulator.validation.history.changes import BENCH, FACTS, Change, changes, last_before
from simulator.validation.history.entry import Entry, Figure, append, read
from simulator.validation.history.page import History, Kind, latest, write

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("simulator", "vehicles", "terrain", "washout", "research", "configs")
"""Folders with the measured code and its files."""
UNKNOWN = "unknown"


def commit(root: Path = ROOT) -> str:
    """Return the short hash of a checkout, with a + for modified tracked files, or UNKNOWN without a repository."""
    try:
        short = _git(root, "rev-parse", "--short=7", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", *FOLDERS)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return short + "+" * bool(changed)


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()


FOLDER = ROOT / "docs" / "history"
DEFAULT_VEHICLE = "hmmwv"
"""Default vehicle."""
KINDS = (
    Kind(
        "facts",
        "Facts",
        "jounce datasheet hmmwv --history",
        FACTS,
        "A value has changed if the change exceeds 1 % and the floor of its unit (1 mm, 0.02 deg, 0.5 km/h ...), if its word differs, "
        "or if it is missing.",
    ),
    Kind(
        "bench",
        "Costs",
        "python -m research bench --history",
        BENCH,
        "Microseconds on one core, as in `python -m research bench`. The plots and changes use costs divided by the cost of a calibration loop, "
        "between entries of one machine. A value has changed if the change exceeds 15 %.",
    ),
)
BY_NAME = {kind.name: kind for kind in KINDS}


def main_facts_history(arguments: Any) -> int:
    """Run `jounce datasheet VEHICLE --history`. Return 1 if --check finds a change. Raises JounceError."""
    if len(arguments.vehicle) > 1 or arguments.only or arguments.quick or arguments.set or arguments.reference:
        raise JounceError(
            "--history: needs all items of one unchanged vehicle; expected one vehicle, without --only, --quick, --set and --reference"
        )
    vehicle = arguments.vehicle[0] if arguments.vehicle else DEFAULT_VEHICLE
    return run_history("facts", vehicle, arguments, lambda: facts_of(vehicle, arguments.json))


def facts_of(vehicle: str, quiet: bool) -> dict[str, Figure]:
    """Run all cases and return the items that have a number or a word, in display units."""
    from simulator.validation.datasheet.command import ProgressLine
    from simulator.validation.datasheet.definitions import ITEMS as ALL
    from simulator.validation.datasheet.evaluate import cases_of, measure

    compile_kernels(print_error if quiet else print_line)
    with ProgressLine(len({case for fact in ALL for case in cases_of(fact)}), quiet, "") as progress:
        rows = measure(vehicle, ALL, None, None, progress)
    return {
        row.fact.name: Figure(row.shown) if row.fact.words else Figure(row.value / row.fact.factor, row.fact.shown_unit)
        for row in rows
        if row.value is not None
    }


def run_history(name: str, subject: str, arguments: Any, figures: Callable[[], dict[str, Figure]]) -> int:
    """Show the history of a kind of values, add an entry or check for changes; return the exit code. Raises JounceError."""
    kind, folder = BY_NAME[name], _folder(arguments.out)
    file = folder / f"{name}.jsonl"
    entries = read(file)
    if not (arguments.add or arguments.check):
        steps = History(kind, entries).steps(subject)
        if arguments.json:
            print_line(json_text({"entries": [_object(entry, changed) for entry, changed in steps]}))
        else:
            print_line("\n".join(latest(steps)) if steps else f"{file}: no entry of {subject}; hint: {kind.how} --add")
        return 0
    entry = measured(kind, subject, figures)
    before = last_before(entries, entry, kind.rule)
    all_changes = [] if before is None else changes(before, entry, kind.rule)
    if arguments.add:
        append(file, entry)
        draw(folder)
    if arguments.json:
        print_line(json_text(_object(entry, None if before is None else all_changes)))
    else:
        print_line(_summary(before, all_changes, subject))
    return int(arguments.check and bool(all_changes))


def measured(kind: Kind, subject: str, figures: Callable[[], dict[str, Figure]]) -> Entry:
    """Return an entry with present values of this checkout and machine."""
    return Entry(
        subject=subject,
        version=version(),
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        commit=commit(),
        machine=f"{processor()}, {os.cpu_count()} cores",
        source=f"{_source(kind, subject)}, {software()}",
        figures=figures(),
    )


def draw(folder: Path) -> Path:
    """Write the page of a folder of histories. Raises JounceError."""
    return write([History(kind, read(folder / f"{kind.name}.jsonl")) for kind in KINDS], folder)


def _folder(out: str | None) -> Path:
    """Return the folder of the histories, created if needed. Raises OutputError."""
    if out is None and not (ROOT / "docs").is_dir():
        raise JounceError("--history: no docs/history, since this is not a checkout; hint: add --out DIR")
    folder = FOLDER if out is None else Path(out)
    create_folder(folder)
    return folder


def _source(kind: Kind, subject: str) -> str:
    return f"`jounce datasheet {subject}`" if kind.name == "facts" else f"`python -m research {kind.name}`"


def _summary(before: Entry | None, all_changes: list[Change], subject: str) -> str:
    if before is None:
        return f"{subject}: no earlier entry to compare with"
    since = f"since {before.version}, {before.commit}, {before.date}"
    if not all_changes:
        return f"{subject}: no figure has changed {since}"
    return "\n".join(
        [
            f"{subject}: {len(all_changes)} of {len(before.figures)} figures have changed {since}",
            *(f"  {one.description}" for one in all_changes),
        ]
    )


def _object(entry: Entry, changed: list[Change] | None) -> dict[str, Any]:
    given = {key: getattr(entry, key) for key in ("subject", "version", "date", "commit", "machine", "source")}
    listed = None if changed is None else [{"figure": one.name, "before": one.before, "after": one.after} for one in changed]
    return given | {"figures": {name: list(figure) for name, figure in entry.figures.items()}, "changed": listed}
