"""JSON files of Project Chrono: safe reading, keys with their file and place, and which of them were used.

Chrono permits comments in JSON. File names are relative to its data folder; a name that leaves this folder is refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

import numpy as np

from simulator.base.arrays import Array, Vector
from simulator.base.errors import NOTHING, ConfigError, UnreadableError, one_line
from simulator.base.inputfile import read_unicode

MAX_BYTES = 4 << 20
"""Maximum size of a file; those of Project Chrono have a few kilobytes."""
LARGEST = 1e9
"""Largest magnitude of a number in SI units; anything above is a mistake of units or digits."""
MAX_POINTS = 1000
"""Maximum number of points of a curve."""
COMMENTS = re.compile(r'"(?:\\.|[^"\\])*(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
UNUSED = ("Name", "Type", "Template", "Visualization", "Contact", "Output", "Radius", "Width", "Length")
"""Keys without effect on the motion that are not reported: names, shapes for drawing."""


class Report:
    """What has no counterpart, and what was used instead: one line for each."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.files: dict[str, Path] = {}

    def add(self, part: Part, key: str, problem: str, used: str = "") -> None:
        """Add a key of a part. The same text is not repeated."""
        place = part.place(key)
        line = one_line(f"{part.file}: {place + ': ' if place else ''}{problem}" + (f"; used: {used}" if used else ""))
        if line not in self.lines:
            self.lines.append(line)


class Part:
    """A mapping of a file. Its methods return checked values and note the keys that were used."""

    def __init__(self, data: dict[str, Any], file: str, key: str = "") -> None:
        self.data, self.file, self.key = data, file, key
        self.used: set[str] = set()
        self.parts: dict[str, Part] = {}

    def place(self, key: str) -> str:
        return " / ".join(word for word in (self.key, key) if word)

    def refuse(self, key: str, value: object, expected: str) -> NoReturn:
        raise ConfigError(self.file, self.place(key), value, expected)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def first(self, *keys: str) -> str:
        """Return the first of these keys that exists, else the first."""
        return next((key for key in keys if key in self.data), keys[0])

    def get(self, key: str, expected: str) -> Any:
        self.used.add(key)
        if key not in self.data:
            self.refuse(key, NOTHING, expected)
        return self.data[key]

    def number(self, key: str, default: float | None = None, low: float = -LARGEST, high: float = LARGEST) -> float:
        if default is not None and key not in self.data:
            return default
        expected = "a number" + ("" if (low, high) == (-LARGEST, LARGEST) else f" from {low:g} to {high:g}")
        value = self.get(key, expected)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            self.refuse(key, value, expected)
        return float(value)

    def mass(self, key: str = "Mass") -> float:
        return self.number(key, low=0.0, high=1e6)

    def text(self, key: str, default: str | None = None) -> str:
        if default is not None and key not in self.data:
            return default
        value = self.get(key, "a text")
        return value if isinstance(value, str) else self.refuse(key, value, "a text")

    def numbers(self, key: str, count: int | None = None, low: float = -LARGEST) -> Vector:
        """Return a list of finite numbers. Raises ConfigError: none, or another number of them."""
        expected = f"{count or 'a list of'} numbers"
        return self._numbers(key, self.get(key, expected), count, low, expected)

    def _numbers(self, key: str, value: object, count: int | None, low: float, expected: str) -> Vector:
        if not isinstance(value, list) or not 0 < len(value) <= MAX_POINTS or count not in (None, len(value)):
            self.refuse(key, value, expected)
        if not all(isinstance(x, int | float) and not isinstance(x, bool) and low <= x <= LARGEST for x in value):
            self.refuse(key, value, f"{expected} from {low:g} to {LARGEST:g}")
        return np.array(value, dtype=float)

    def table(self, key: str, columns: int = 2) -> Array:
        """Return rows of numbers whose first column rises. Raises ConfigError."""
        expected = f"rows of {columns} numbers, the first of them rising"
        rows = self.get(key, expected)
        if not isinstance(rows, list) or not 2 <= len(rows) <= MAX_POINTS:
            self.refuse(key, rows, expected)
        table = np.array([self._numbers(key, row, columns, -LARGEST, expected) for row in rows])
        if not (np.diff(table[:, 0]) > 0.0).all():
            self.refuse(key, rows, expected)
        return table

    def part(self, key: str) -> Part:
        if key not in self.parts:
            value = self.get(key, "a section")
            if not isinstance(value, dict):
                self.refuse(key, value, "a section")
            self.parts[key] = Part(value, self.file, self.place(key))
        return self.parts[key]

    def list_of_parts(self, key: str) -> list[Part]:
        value = self.get(key, "a list of sections")
        if not isinstance(value, list) or len(value) > MAX_POINTS or not all(isinstance(item, dict) for item in value):
            self.refuse(key, value, "a list of sections")
        for n, item in enumerate(value):
            self.parts.setdefault(f"{key} {n}", Part(item, self.file, f"{self.place(key)} {n}"))
        return [self.parts[f"{key} {n}"] for n in range(len(value))]

    def unused(self) -> Iterator[tuple[Part, str]]:
        """Yield the keys that nobody read."""
        for key in self.data:
            if key not in self.used and key not in UNUSED and not key.endswith("Visualization Type"):
                yield self, key
        for part in self.parts.values():
            yield from part.unused()


class DataFolder:
    """The data folder of Project Chrono, from which parts are read once each."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, Part] = {}
        self.paths: dict[str, Path] = {}

    def path(self, name: str, part: Part, key: str) -> Path:
        """Return the path of a file that a part names. Raises ConfigError: a name that leaves the folder."""
        expected = "the name of a file inside the data folder, without `..`"
        words = PurePosixPath(name.replace("\\", "/"))
        if not name or "\0" in name or words.is_absolute() or ".." in words.parts or ":" in name:
            part.refuse(key, name, expected)
        path = self.root / words
        if not path.resolve().is_relative_to(self.root.resolve()):
            part.refuse(key, name, expected + " and without links that lead out of it")
        if not path.is_file():
            part.refuse(key, name, f"a file in {self.root}; hint: use --data to name the data folder (data/vehicle of Project Chrono)")
        return path

    def read(self, name: str, kind: str, part: Part, key: str) -> Part:
        """Return the part of this `Type` that another one names."""
        return self.open(self.path(name, part, key), kind)

    def named(self, part: Part, key: str, kind: str) -> Part:
        """Return the part whose file name is the value of a key."""
        return self.read(part.text(key), kind, part, key)

    def open(self, path: Path, kind: str) -> Part:
        """Return a part of this `Type`. Raises ConfigError: not JSON, or another type."""
        name = path.name
        if self.paths.get(name, path) != path:
            name = str(path)
        if name not in self.files:
            self.files[name], self.paths[name] = Part(read_json(path), name), path
        part = self.files[name]
        if part.text("Type", "") != kind:
            part.refuse("Type", part.data.get("Type", NOTHING), f"`{kind}`")
        return part

    def unused(self) -> Iterator[tuple[Part, str]]:
        for part in self.files.values():
            yield from part.unused()


def read_json(path: Path) -> dict[str, Any]:
    """Return the mapping of a JSON file with comments. Raises ConfigError: no such text, NaN or Infinity."""
    expected = "a JSON file of Project Chrono"
    text = read_unicode(path, expected, MAX_BYTES)

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    def constant(word: str) -> NoReturn:
        raise ConfigError(path, "", word, f"{expected} with finite numbers")

    def real(word: str) -> float:
        value = float(word)
        return value if math.isfinite(value) else constant(word)

    try:
        data = json.loads(COMMENTS.sub(blank, text), parse_constant=constant, parse_float=real)
    except json.JSONDecodeError as error:
        raise UnreadableError(path, f"line {error.lineno}", f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", expected) from None
    except (ValueError, RecursionError) as error:
        problem = "sections too deep inside one another" if isinstance(error, RecursionError) else "a number with too many digits"
        raise UnreadableError(path, "", f"not JSON: {problem}", expected) from None
    if not isinstance(data, dict):
        raise ConfigError(path, "", type(data).__name__, f"{expected}, a mapping")
    return data
