"""Command `jounce validate all`: run all parts of the validation suite and write the page."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, JounceError
from simulator.base.inputfile import read_unicode
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.base.suggestions import did_you_mean
from simulator.builder.warm_up import compile_kernels
from simulator.telemetry.atomic_files import create_folder, write_text
from simulator.validation.suite.cases import BY_NAME, PARTS
from simulator.validation.suite.known_deviations import KNOWN
from simulator.validation.suite.page import FOLDER, to_markdown, to_text
from simulator.validation.suite.plots import draw
from simulator.validation.suite.result import Part, PartVerdict, ReferenceData, evaluate_part

PAGE = "validation.md"
MAX_BYTES = 1 << 24
ROOT = Path(__file__).resolve().parents[3]
"""Root of the checkout, which contains the reference data."""


def chosen(words: Sequence[str]) -> tuple[Part, ...]:
    """Return the parts with these names, or all parts without names. Raises ConfigError: there is no such part."""
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
    for name in names:
        if name not in BY_NAME:
            raise ConfigError("--only", "", name, f"one of {', '.join(BY_NAME)}{did_you_mean(name, BY_NAME)}")
    return tuple(part for part in PARTS if not names or part.name in names)


def main_all(arguments: Any) -> int:
    """Run `jounce validate all`. Return 1 if a row fails, or with --check if the page differs.

    Raises JounceError: the reference data are missing, or the folder cannot be written.
    """
    parts = chosen(arguments.only)
    data, complete = reference_data(), len(parts) == len(PARTS)
    if arguments.check and (not complete or arguments.out):
        raise JounceError("--check: compares the complete page in docs/theory; expected no --only and no --out")
    compile_kernels(print_error if arguments.json else print_line)
    results = [find(part, ReferenceData(data, _status_line(arguments.json)), arguments.json) for part in parts]
    page = to_markdown(results, version(), complete)
    folder = Path(arguments.out) if arguments.out else ROOT / "docs" / "theory" if complete else None
    changed = check(page, ROOT / "docs" / "theory" / PAGE) if arguments.check else False
    if folder is not None and not arguments.check:
        show_status = _status_line(arguments.json)
        show_status("drawing plots")
        write(results, page, folder)
        show_status("")
    _report(results, None if arguments.check or folder is None else folder / PAGE, arguments.json)
    return int(changed or any(one.failed for one in results))


def reference_data() -> Path:
    """Return the folder of the reference data. Raises JounceError: this installation has none."""
    data = ROOT / "tests" / "data"
    if not data.is_dir():
        raise JounceError("validate all: no reference data; hint: run it in a checkout, which contains tests/data")
    return data


def find(part: Part, source: ReferenceData, quiet: bool = False) -> PartVerdict:
    """Run a part and return its verdicts."""
    results = evaluate_part(part, part.find(source), KNOWN.get(part.name, {}))
    source.progress("")
    if not quiet:
        print_line(to_text(results))
    return results


def write(results: Sequence[PartVerdict], page: str, folder: Path) -> None:
    """Write the page and its plots. Raises OutputError."""
    create_folder(folder)
    for one in results:
        for figure in one.finding.figures:
            draw(figure, folder / FOLDER)
    write_text(folder / PAGE, page)


def check(page: str, file: Path) -> bool:
    """Return whether the page in docs/theory differs, and print the differences. Raises ConfigError: it does not exist."""
    there = read_unicode(file, "a page in UTF-8", MAX_BYTES)
    lines = [
        line for line in unified_diff(there.splitlines(), page.splitlines(), "as written", "now", lineterm="", n=0) if line[:2] != "@@"
    ]
    for line in lines:
        print_error(line)
    return bool(lines)


def _status_line(quiet: bool) -> Any:
    """Return a function that shows the current activity in one line of the terminal."""
    if quiet or not sys.stderr.isatty():
        return lambda line: None

    def say(line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}\r")
        sys.stderr.flush()

    return say


def _report(results: Sequence[PartVerdict], page: Path | None, as_json: bool) -> None:
    failed = sum(len(one.failed) for one in results)
    if as_json:
        print_line(
            json_text(
                {
                    "version": version(),
                    "failed": failed,
                    "page": None if page is None else str(page),
                    "parts": [to_dict(one) for one in results],
                }
            )
        )
        return
    rows = sum(len(one.finding.rows) for one in results)
    where = f"; {page}" if page is not None else ""
    print_line(f"{rows} rows, {failed} fail{where}")


def to_dict(one: PartVerdict) -> dict[str, Any]:
    """Return a part for JSON."""
    rows = [
        {
            "what": row.what,
            "here": row.here,
            "reference": row.reference,
            "difference": row.difference,
            "tolerance": row.tolerance,
            "verdict": verdict,
            **row.more,
        }
        for row, verdict in zip(one.finding.rows, one.verdicts, strict=True)
    ]
    return {"part": one.part.name, "title": one.part.title, "rows": rows}
