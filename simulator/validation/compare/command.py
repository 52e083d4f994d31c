"""`jounce compare`: runs and tables over each other, or a table of vehicles and maneuvers; a page and an object for programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.report.html_page import Page
from simulator.run.folder import RunFolder
from simulator.telemetry.atomic_files import write_text
from simulator.validation.compare.align import shift_of
from simulator.validation.compare.bands import bands_of, judged
from simulator.validation.compare.comparison_file import Comparison, comparison_from_arguments
from simulator.validation.compare.differences import channels_of, differences, metric_rows
from simulator.validation.compare.page import BandShown, ComparisonResult, compare_page, outcome, to_dict, to_text
from simulator.validation.compare.record import Record, known_units, named_apart, read_record, written_channel
from simulator.validation.compare.vehicle_maneuver_matrix import matrix_of, read_entries
from simulator.validation.compare.vehicle_maneuver_page import matrix_object, matrix_page, matrix_text

PAGE, MATRIX = "comparison.html", "matrix.html"


def main_compare(arguments: Any) -> int:
    """Command line; exit code 1 when a band is left, or in a table when a run did not pass. Raises JounceError."""
    if arguments.matrix:
        return _main_matrix(arguments)
    if len(arguments.runs) < 2:
        raise JounceError(f"compare: got {len(arguments.runs)} run, expected two or more, or --matrix")
    compared = compare(arguments.runs, comparison_from_arguments(arguments.map, arguments.band, arguments.align, arguments.channels))
    said = to_dict(compared)
    file = _write(arguments, PAGE, lambda place: compare_page(compared, place), said)
    if arguments.json:
        print(json_text({"page": str(file), "result": said}))
    else:
        print("\n".join(to_text(compared)))
        print(f"{outcome(compared).text}; {file}")
    return 1 if compared.kept is False else 0


def compare(places: list[str], asked: Comparison) -> ComparisonResult:
    """What there is to say of runs and tables beside the first of them. Raises ConfigError."""
    read = named_apart([read_record(place, asked) for place in places])
    records = aligned(read, asked)
    units = known_units() | {name: unit for one in records for name, unit in one.units.items()}
    bands = [BandShown(band, *judged(records, band)) for band in bands_of(asked, units)]
    channels = channels_of(records, asked)
    title = asked.title or f"{records[0].name} beside {', '.join(one.name for one in records[1:])}"
    return ComparisonResult(title, records, channels, differences(records, channels), metric_rows(records), bands)


def aligned(records: list[Record], asked: Comparison) -> list[Record]:
    """All but the first with other times, where that is asked for. Raises ConfigError."""
    if not asked.align:
        return [records[0], *(one.shifted(asked.offset) if asked.offset else one for one in records[1:])]
    units = {name: unit for one in records for name, unit in one.units.items()}
    channel = written_channel(asked.align, units, asked.file, "align")[0]
    return [records[0], *(one.shifted(shift_of(records[0], one, channel)) for one in records[1:])]


def _main_matrix(arguments: Any) -> int:
    entries = read_entries(arguments.runs)
    wanted = tuple(name for said in arguments.metrics for name in said.split(",") if name)
    matrix = replace(matrix_of(entries), wanted=wanted)
    said = matrix_object(matrix)
    file = _write(arguments, MATRIX, lambda place: matrix_page(matrix, place), said)
    print(json_text({"page": str(file), "result": said}) if arguments.json else f"{matrix_text(matrix)}\n{file}")
    return 1 if any(entry.passed is False for entry in entries) else 0


def _write(arguments: Any, name: str, make: Any, said: dict[str, Any]) -> Path:
    """Write the page and the object: to --html, into the folder of --out, or into a new folder under ``runs``. Raises OutputError."""
    if arguments.html is not None:
        file = Path(arguments.html)
        return _written(file, make(file), said)
    folder = RunFolder(Path(arguments.out) if arguments.out else None)
    try:
        file = _written(folder.path / name, make(folder.path / name), said)
        folder.began()
        return file
    finally:
        folder.abandon()
        folder.release()


def _written(file: Path, page: Page, said: dict[str, Any]) -> Path:
    write_text(file, page.html())
    write_text(file.with_suffix(".json"), json_text({"result": said}, indent=1) + "\n")
    return file
