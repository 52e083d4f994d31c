"""Entries of a history: figures of one version, one JSON line each (`docs/history/*.jsonl`)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.errors import ConfigError, JounceError, UnreadableError
from simulator.base.inputfile import read_unicode
from simulator.base.json_output import json_text
from simulator.telemetry.atomic_files import write_text

MAX_BYTES = 1 << 26


class Figure(NamedTuple):
    """A number with its unit, or a word."""

    value: float | str
    unit: str = ""

    @property
    def shown(self) -> str:
        """Figure for display."""
        return self.value if isinstance(self.value, str) else f"{self.value:.4g} {self.unit}".rstrip()


@dataclass(frozen=True)
class Entry:
    """Figures of one version of one subject."""

    subject: str
    """Subject: a vehicle, or the timed part."""
    version: str
    date: str
    """Date of the commit or of the measurement: year-month-day."""
    commit: str
    """Short hash; a + marks uncommitted changes."""
    machine: str
    """Processor; empty if unknown and irrelevant."""
    source: str
    """Source of the figures: a command with software versions, or a page of that commit."""
    figures: Mapping[str, Figure] = field(default_factory=dict)

    def as_line(self) -> str:
        """Return the entry as one line of JSON."""
        figures = {name: list(figure) for name, figure in self.figures.items()}
        given = {key: getattr(self, key) for key in WORDS}
        return json_text(given | {"figures": figures})


WORDS = ("subject", "version", "date", "commit", "machine", "source")


def read(file: Path) -> list[Entry]:
    """Return all entries, the oldest first; empty without a file. Raises ConfigError: with file, line and error."""
    if not file.exists():
        return []
    lines = read_unicode(file, "lines of JSON in UTF-8", MAX_BYTES).splitlines()
    return [_entry(line, file, f"line {n}") for n, line in enumerate(lines, 1) if line.strip()]


def append(file: Path, entry: Entry) -> list[Entry]:
    """Append an entry to a file, and return all entries.

    Raises
    ------
    JounceError : an entry of this subject and commit exists already
    OutputError : the file cannot be written; it stays unchanged
    """
    entries = read(file)
    if any((one.subject, one.commit) == (entry.subject, entry.commit) for one in entries):
        raise JounceError(f"{file}: duplicate entry; {entry.subject} already has one for commit {entry.commit}")
    entries.append(entry)
    write_text(file, "".join(one.as_line() + "\n" for one in entries))
    return entries


def _entry(line: str, file: Path, where: str) -> Entry:
    try:
        given = json.loads(line)
    except ValueError as error:
        raise UnreadableError(file, where, str(error), "a JSON object") from None
    if not isinstance(given, Mapping):
        raise ConfigError(file, where, given, "a JSON object")
    for key in WORDS:
        if not isinstance(given.get(key), str):
            raise ConfigError(file, f"{where}: {key}", given.get(key), "a text")
    figures = given.get("figures")
    if not isinstance(figures, Mapping):
        raise ConfigError(file, f"{where}: figures", figures, "numbers or words with units, by name")
    return Entry(
        **{key: given[key] for key in WORDS}, figures={name: _figure(value, file, f"{where}: {name}") for name, value in figures.items()}
    )


def _figure(value: Any, file: Path, where: str) -> Figure:
    sound = isinstance(value, list) and len(value) == 2 and isinstance(value[1], str)
    first = value[0] if sound else None
    if isinstance(first, str):
        return Figure(first, value[1])
    if isinstance(first, bool) or not isinstance(first, int | float) or not math.isfinite(first):
        raise ConfigError(file, where, value, "[number or word, unit]")
    return Figure(float(first), value[1])
