"""Command `jounce datasheet`: run a vehicle through the library of maneuvers and write its datasheet with published values."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.machine import computation_info, version
from simulator.base.suggestions import did_you_mean
from simulator.builder.builder import vehicle_description
from simulator.builder.warm_up import compile_kernels
from simulator.configuration.file_lookup import find_config
from simulator.configuration.key_path import written
from simulator.configuration.overrides import read_settings
from simulator.run.folder import RunFolder
from simulator.telemetry.atomic_files import write_text
from simulator.validation.datasheet.definitions import CASES, ITEMS, DatasheetItem
from simulator.validation.datasheet.evaluate import ItemValue as Row
from simulator.validation.datasheet.evaluate import cases_of, measure
from simulator.validation.datasheet.page import Facts, summary, to_dict, to_markdown, to_text
from simulator.validation.datasheet.published_file import PublishedValue, ancestry, load_published, published_of
from simulator.validation.datasheet.side_by_side import ENGINEERS, Variant, comparison_to_markdown

PAGE, VEHICLES, OBJECT = "datasheet.md", "vehicles.md", "datasheet.json"
"""File names: page of one vehicle, page of several, and the JSON file."""
TRAILERS_APART = (
    "The vehicle pulls its trailers in all maneuvers. Masses, loads, frequencies and other values at rest are those of the vehicle alone."
)


def chosen(patterns: Sequence[str]) -> tuple[DatasheetItem, ...]:
    """Return the items whose names match one of the patterns (`*`, `?`), or all items without patterns. Raises ConfigError: a pattern
    matches no item."""
    words = [word.strip() for pattern in patterns for word in pattern.split(",") if word.strip()]
    names = [fact.name for fact in ITEMS]
    for word in words:
        if not any(fnmatchcase(name, word) for name in names):
            raise ConfigError("--only", "", word, f"the name of an item, or a pattern{did_you_mean(word, names)}")
    return tuple(fact for fact in ITEMS if not words or any(fnmatchcase(fact.name, word) for word in words))


def main_facts(arguments: Any) -> int:
    """Run `jounce datasheet`. Return 0. Raises JounceError: a vehicle or a file of published values cannot be used, or the folder cannot be
    written."""
    selected = chosen(arguments.only)
    facts = [fact for fact in selected if not (arguments.quick and any(CASES[case].series for case in cases_of(fact)))]
    vehicles = list(dict.fromkeys(arguments.vehicle))
    published = {vehicle: _published(vehicle, arguments.reference) for vehicle in vehicles}
    bases = {variant: _base(variant, vehicles) for variant in arguments.variants or ()}
    described = {vehicle: vehicle_description(vehicle) for vehicle in (*vehicles, *bases)}
    for vehicle, description in described.items():
        if description.coupling is not None:
            raise ConfigError("", "vehicle", vehicle, "a vehicle with a drive, which names this trailer under `trailers`")
    changes = _changes(arguments.set)
    compile_kernels(print_error if arguments.json else print_line)
    folder = RunFolder(Path(arguments.out) if arguments.out else None)
    try:
        started = time.perf_counter()
        values = []
        for vehicle in vehicles:
            rows = _measured(vehicle, facts, published[vehicle], changes, arguments.json, len(vehicles) > 1)
            left_out = [fact.name for fact in selected if fact not in facts]
            given = described[vehicle]
            values.append(
                Facts(vehicle, given.name, rows, published[vehicle], left_out, given.exceptions, TRAILERS_APART if given.trailers else "")
            )
        variants = []
        few = [fact for fact in facts if fact.name in ENGINEERS]
        for variant, base in bases.items():
            rows = _measured(variant, few, None, changes, arguments.json, True)
            other = values[vehicles.index(base)]
            same = other._replace(rows=[row for row in other.rows if row.fact in few])
            variants.append(Variant(Facts(variant, described[variant].name, rows, None), same))
        machine = {**computation_info(time.perf_counter() - started), "version": version()}
        outcome = {"result": to_dict(values[0]) if len(values) == 1 else [to_dict(one) for one in values], "machine": machine}
        if variants:
            outcome["variants"] = [to_dict(one.here) | {"base": one.base.vehicle} for one in variants]
        alone = len(values) == 1 and not variants
        page = PAGE if alone else VEHICLES
        write_text(folder.path / page, to_markdown(values[0]) if alone else comparison_to_markdown(values, variants))
        write_text(folder.path / OBJECT, json_text(outcome, indent=1) + "\n")
        folder.began()
    finally:
        folder.abandon()
        folder.release()
    if arguments.json:
        print_line(json_text({"folder": str(folder.path), **outcome}))
    else:
        lines = [to_text(values[0])] if alone else [f"{one.vehicle}: {summary(one)}" for one in values]
        print_line("\n".join(lines) + f"; {page} and {OBJECT} in {folder.path}")
    return 0


def _measured(
    vehicle: str, facts: Sequence[DatasheetItem], published: PublishedValue | None, changes: dict[str, Any], quiet: bool, named: bool
) -> Sequence[Row]:
    """Return the items of a vehicle, and show the progress, with the name of the vehicle if there are several."""
    with ProgressLine(len({case for fact in facts for case in cases_of(fact)}), quiet, vehicle if named else "") as progress:
        progress.stage("computing static values")
        return measure(vehicle, facts, published, changes, progress)


def _base(variant: str, vehicles: Sequence[str]) -> str:
    """Return the requested vehicle that a variant is based on. Raises ConfigError: there is none."""
    by_file = {find_config("vehicles", vehicle): vehicle for vehicle in vehicles}
    for file in ancestry(variant):
        if file in by_file:
            return by_file[file]
    raise ConfigError("--variants", "", variant, f"a vehicle based on one of {', '.join(vehicles)}")


def _published(vehicle: str, name: str | None) -> PublishedValue | None:
    """Return the published values of a vehicle: of the given file, else of the shipped one. Raises ConfigError."""
    file = published_of(vehicle) if name is None else find_config("datasheets", name)
    return None if file is None else load_published(file)


def _changes(words: Sequence[str]) -> dict[str, Any]:
    """Return the values of --set by key path. Raises ConfigError: a key is not a key of the vehicle."""
    settings = read_settings(words)
    for setting in settings:
        if setting.path[0] != "vehicle" or len(setting.path) < 2:
            raise ConfigError("--set", "", written(setting.path), "a value of the vehicle, for example vehicle.chassis.mass=2600")
    return {written(setting.path): setting.value for setting in settings}


class ProgressLine:
    """Progress display: a bar on a terminal, otherwise a line for each case unless `quiet`. Lines start with the name of the vehicle if
    there are several."""

    def __init__(self, cases: int, quiet: bool, vehicle: str) -> None:
        self._cases, self._begun = cases, dict[str, None]()
        self._before = f"{vehicle} " if vehicle else ""
        self._lines = not quiet and not sys.stderr.isatty()
        self._shown = not quiet and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, case: str, run: str) -> None:
        """Show the start of a run."""
        new = case not in self._begun
        self._begun[case] = None
        if self._lines and new:
            print_line(f"{self._before}{len(self._begun)}/{self._cases} {CASES[case].run}")
        if self._shown:
            if self._bar is None:
                self._begin()
            self._bar.update(self._task, completed=len(self._begun) - 1, description=f"{self._before}{run}"[:40])

    def stage(self, text: str) -> None:
        """Show what is done without a run."""
        if self._shown:
            if self._bar is None:
                self._begin()
            self._bar.update(self._task, description=f"{self._before}{text}"[:40], refresh=True)

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _begin(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=self._cases)
        self._bar.start()
