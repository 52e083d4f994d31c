"""`jounce validate all`: every comparison there is, and the page of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, JounceError, OutputError
from simulator.base.inputfile import read_utf8
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.base.suggestions import did_you_mean
from simulator.builder.warm_up import compile_kernels
from simulator.telemetry.atomic_files import write_text
from simulator.validation.suite.cases import BY_NAME, PARTS
from simulator.validation.suite.known_deviations import KNOWN
from simulator.validation.suite.page import FOLDER, to_markdown, to_text
from simulator.validation.suite.plots import draw
from simulator.validation.suite.result import Part, PartVerdict, ReferenceData, judge

PAGE = "validation.md"
MOST_BYTES = 1 << 24
ROOT = Path(__file__).resolve().parents[3]
"""Of a checkout, which has the reference data."""


def chosen(words: Sequence[str]) -> tuple[Part, ...]:
    """The parts of these names, all without any. Raises ConfigError: there is no such part."""
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
    for name in names:
        if name not in BY_NAME:
            raise ConfigError("--only", "", name, f"one of {', '.join(BY_NAME)}{did_you_mean(name, BY_NAME)}")
    return tuple(part for part in PARTS if not names or part.name in names)


def main_all(arguments: Any) -> int:
    """Command line; 1 when a row fails, or with --check when the page is another.

    Raises JounceError: the reference data are not there, or the folder cannot be written.
    """
    parts = chosen(arguments.only)
    data, whole = reference_data(), len(parts) == len(PARTS)
    if arguments.check and (not whole or arguments.out):
        raise JounceError("--check compares the whole page of docs: it goes without --only and --out")
    compile_kernels(print_error if arguments.json else print_line)
    judged = [find(part, ReferenceData(data, _teller(arguments.json)), arguments.json) for part in parts]
    page = to_markdown(judged, version(), whole)
    folder = Path(arguments.out) if arguments.out else ROOT / "docs" if whole else None
    changed = check(page, ROOT / "docs" / PAGE) if arguments.check else False
    if folder is not None and not arguments.check:
        tell = _teller(arguments.json)
        tell("drawing plots")
        write(judged, page, folder)
        tell("")
    _report(judged, None if arguments.check or folder is None else folder / PAGE, arguments.json)
    return int(changed or any(one.failed for one in judged))


def reference_data() -> Path:
    """Folder of the reference data. Raises JounceError: this copy has none."""
    data = ROOT / "tests" / "data"
    if not data.is_dir():
        raise JounceError("validate all: the reference data are in tests/data of a checkout, which this copy is not")
    return data


def find(part: Part, source: ReferenceData, quiet: bool = False) -> PartVerdict:
    """What comes of a part."""
    judged = judge(part, part.find(source), KNOWN.get(part.name, {}))
    source.told("")
    if not quiet:
        print_line(to_text(judged))
    return judged


def write(judged: Sequence[PartVerdict], page: str, folder: Path) -> None:
    """The page and its pictures. Raises OutputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror or error}") from None
    for one in judged:
        for picture in one.finding.pictures:
            draw(picture, folder / FOLDER)
    write_text(folder / PAGE, page)


def check(page: str, file: Path) -> bool:
    """Whether the page of the repository is another; tells how. Raises ConfigError: there is none."""
    there = read_utf8(file, "a page in UTF-8", MOST_BYTES)
    lines = [
        line for line in unified_diff(there.splitlines(), page.splitlines(), "as written", "now", lineterm="", n=0) if line[:2] != "@@"
    ]
    for line in lines:
        print_error(line)
    return bool(lines)


def _teller(quiet: bool) -> Any:
    """Says on a terminal what is being done, in a line that is written over."""
    if quiet or not sys.stderr.isatty():
        return lambda line: None

    def say(line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}\r")
        sys.stderr.flush()

    return say


def _report(judged: Sequence[PartVerdict], page: Path | None, as_json: bool) -> None:
    failed = sum(len(one.failed) for one in judged)
    if as_json:
        print_line(
            json_text(
                {
                    "version": version(),
                    "failed": failed,
                    "page": None if page is None else str(page),
                    "parts": [to_dict(one) for one in judged],
                }
            )
        )
        return
    rows = sum(len(one.finding.rows) for one in judged)
    where = f"; {page}" if page is not None else ""
    print_line(f"{rows} rows, {failed} fail{where}")


def to_dict(one: PartVerdict) -> dict[str, Any]:
    """For JSON."""
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
