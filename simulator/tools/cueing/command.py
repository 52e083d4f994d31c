"""`jounce cueing`: objective test of washouts, or comparison of washouts on recorded drives; one HTML page and one JSON file."""

from __future__ import annotations

import shlex
import string
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.machine import computation_info, version
from simulator.base.status_line import StatusLine
from simulator.builder.builder import build_cueing
from simulator.report.html_page import Page
from simulator.run.folder import RunFolder
from simulator.telemetry.atomic_files import write_text
from simulator.tools.cueing import omct_page, recorded_drives_page
from simulator.tools.cueing.omct import AMPLITUDES, AXES, TICK, Response, objective_test, to_dict
from simulator.tools.cueing.omct_page import Tested
from simulator.tools.cueing.recorded_drives import Drive, read_drive, ride_drive
from simulator.tools.cueing.recorded_drives_page import CueingComparison
from simulator.tools.cueing.step_response import TILT_ANGLES, push

PAGE, OBJECT = "cueing.html", "cueing.json"
"""Names of the written files."""
_LETTERS = string.ascii_uppercase
"""Labels of washouts on the console."""

_ON_PAGE = ("of all 3", "yaw gain")
"""Columns of the page for which a console has no space."""

Shown = tuple[list[str], list[list[str]], list[str]]
"""Headings, rows and notes of a console table."""

DEFAULT = "small_hexapod"
"""Default washout and platform."""


def main_cueing(arguments: Any) -> int:
    """Run `jounce cueing` and return 0.

    Raises JounceError: unusable file, a platform that does not rise, or a folder that cannot be written.
    """
    pairs = _pairs(arguments.washout or [DEFAULT], arguments.platform or [DEFAULT])
    drives = _read_drives(arguments.runs)
    for washout, on, _ in pairs:  # report errors before the first write
        build_cueing(washout, on, TICK).washout.close()
    folder = RunFolder(Path(arguments.out) if arguments.out else None)
    try:
        began = time.perf_counter()
        with StatusLine(arguments.json) as on_progress:
            if drives:
                page, result, table = _drives(drives, pairs, (arguments.gain, arguments.preview), on_progress)
            else:
                page, result, table = _objective(pairs, arguments.amplitude or list(AMPLITUDES), arguments.attendant_gravity, on_progress)
        outcome = {"result": result, "machine": {**computation_info(time.perf_counter() - began), "version": version()}}
        page_file = folder.path / PAGE
        write_text(page_file, page.html())
        write_text(folder.path / OBJECT, json_text(outcome, indent=1) + "\n")
        folder.began()
    finally:
        folder.abandon()
        folder.release()
    if arguments.json:
        print_line(json_text({"folder": str(folder.path), **outcome}))
        return 0
    _print(table)
    for drive in drives:
        if drive.coarse:
            print_error(f"{drive.name}: {recorded_drives_page.coarse_words(drive)}")
    print_line(f"{PAGE} and {OBJECT} in {folder.path}")
    return 0


def _read_drives(places: Sequence[str]) -> list[Drive]:
    """Return the drives of runs; drives of the same maneuver are named after their folders, or after the paths if these are the same, too."""
    drives = [read_drive(place) for place in places]
    folders = [Path(place).resolve().name for place in places]
    names = [drive.name for drive in drives]
    for n, place in enumerate(places):
        if names.count(names[n]) > 1:
            drives[n] = replace(drives[n], name=folders[n] if folders.count(folders[n]) == 1 else str(place))
    return drives


def _pairs(washouts: Sequence[str], platforms: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return washout, platform and label of each pair. Raises ConfigError: neither one platform nor one for each washout."""
    if len(platforms) not in (1, len(washouts)):
        raise ConfigError("--platform", "", " ".join(platforms), f"one platform, or one for each of the {len(washouts)} washouts")
    platforms_of_washouts = list(platforms) * (len(washouts) if len(platforms) == 1 else 1)
    several = len(set(platforms_of_washouts)) > 1
    called = [
        f"{Path(one).stem} on {Path(on).stem}" if several else Path(one).stem
        for one, on in zip(washouts, platforms_of_washouts, strict=True)
    ]
    if len(set(called)) < len(called):
        called = [f"{one} on {on}" for one, on in zip(washouts, platforms_of_washouts, strict=True)]
    return list(dict.fromkeys(zip(washouts, platforms_of_washouts, called, strict=True)))


def _command() -> str:
    return shlex.join(["jounce", *sys.argv[1:]]) if len(sys.argv) > 1 and sys.argv[1] == "cueing" else "jounce cueing"


def _drives(
    drives: Sequence[Drive],
    pairs: Sequence[tuple[str, str, str]],
    given: tuple[float | None, float],
    on_progress: Callable[[str], None],
) -> tuple[Page, dict[str, Any], Shown]:
    """Return page, JSON data and console table of drives; given: one scale of the force for all, time of the preview [s]."""
    gain, preview = given
    compared = []
    for washout, on, label in pairs:
        ridden = []
        for drive in drives:
            on_progress(f"{label}, {drive.name}")
            ridden.append(ride_drive(drive, partial(build_cueing, washout, on, drive.h, drive.gravity), gain, preview=preview))
        compared.append(CueingComparison(label, washout, on, ridden))
    on_progress("writing the page")
    result = {
        "kind": "drives",
        "preview": preview,
        "drives": [{"name": one.name, "duration": float(one.times[-1]), "rows_per_second": one.recorded} for one in drives],
        "washouts": [
            {
                "washout": one.washout,
                "platform": one.platform,
                "force_gain": one.ridden[0].aims[0],
                "rate_gain": one.ridden[0].aims[1],
                "drives": [ridden.scores for ridden in one.ridden],
                "mean": recorded_drives_page.mean_of(one),
            }
            for one in compared
        ],
    }
    rows = recorded_drives_page.summary_rows(drives, compared)
    letters: dict[str | float, str] = {one.label: letter for one, letter in zip(compared, _LETTERS, strict=False)}
    letters |= {name: str(n) for n, name in enumerate(dict.fromkeys(drive.name for drive in drives), 1)}
    titles = ["drive", "", "K", *(title for title, _, _ in recorded_drives_page.SUMMARY)]
    narrow = [n for n, title in enumerate(titles) if title not in _ON_PAGE]
    shown = [[f"{row[n]:.2f}" if isinstance(row[n], float) else letters.get(row[n], str(row[n])) for n in narrow] for row in rows]
    headings = [titles[n] for n in narrow]
    notes = [f"{letter}: {label}" for label, letter in letters.items()]
    notes.append(
        "error: force at the head, 0 to 10 Hz, compared with K times the car, surge and sway together (K = 1: with the car); yaw corr.: "
        "correlation of the perceived yaw; dose: motion sickness dose [m/s1.5] of all three forces in the car and on the platform; stroke: fraction of "
        "the stroke; limited: ticks [%] in which the limiter acted"
    )
    return recorded_drives_page.drive_page(drives, compared, _command()), result, (headings, shown, notes)


def _objective(
    pairs: Sequence[tuple[str, str, str]], amplitudes: Sequence[float], attendant: bool, on_progress: Callable[[str], None]
) -> tuple[Page, dict[str, Any], Shown]:
    """Return page, JSON data and console table of the objective test."""
    tested = []
    for washout, on, label in pairs:
        tests = []
        for amplitude in amplitudes:
            on_axis = partial(_report_axis, on_progress, f"{label}, x {amplitude:g}")
            tests.append(objective_test(partial(build_cueing, washout, on, TICK), amplitude, attendant, on_progress=on_axis))
        on_progress(f"{label}, force step")
        pushes = [push(partial(build_cueing, washout, on, TICK), axis) for axis in TILT_ANGLES]
        tested.append(Tested(label, washout, on, tests, pushes))
    on_progress("writing the page")
    result = {
        "kind": "objective test",
        "washouts": [
            {
                "washout": one.washout,
                "platform": one.platform,
                "tests": [to_dict(test) for test in one.tests],
                "pushes": [one_push.to_dict() for one_push in one.pushes],
            }
            for one in tested
        ],
    }
    rows = [
        [letter, f"{test.amplitude:g}", axis, *_three(test, axis)]
        for one, letter in zip(tested, _LETTERS, strict=False)
        for test in one.tests
        for axis in AXES
    ]
    headings = ["", "size", "axis", "0.1 rad/s", "1 rad/s", "10 rad/s", "min. in phase"]
    notes = [f"{letter}: {one.label}" for one, letter in zip(tested, _LETTERS, strict=False)]
    notes.append(
        "gain and phase of force and rate at the head relative to the same axis of the car, K not divided out; in phase below 0: "
        "opposite to the car"
    )
    return omct_page.omct_page(tested, _command()), result, (headings, rows, notes)


def _report_axis(on_progress: Callable[[str], None], what: str, axis: str) -> None:
    on_progress(f"{what}, {axis}")


def _three(test: Response, axis: str) -> list[str]:
    """Return gain and phase at three frequencies, and the minimum in-phase part."""
    least, at = omct_page.min_in_phase(test, axis)
    return [*(omct_page.words_of(test.at(w, axis)[0]) for w in (0.1, 1.0, 10.0)), f"{least:+.2f} at {at:.2g}"]


def _print(table: Shown) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    headings, rows, notes = table
    shown = Table(box=SIMPLE_HEAD, padding=0)
    for n, heading in enumerate(headings):
        shown.add_column(heading, justify="left" if n < 2 else "right", overflow="fold")
    for before, row in zip([[""], *rows], rows, strict=False):
        cells = ["-" if cell == "nan" else cell for cell in row]
        shown.add_row("" if row[0] == before[0] else cells[0], *cells[1:])
    console = Console(markup=False)
    console.print(shown)
    for note in notes:
        console.print(note, highlight=False)
