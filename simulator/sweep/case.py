"""Resolved cases of a sweep: what varies in each run, and its complete configuration as plain data.

Runs that use the same files share one configuration with all file names replaced by contents. Each run stores only its differences. A
file is therefore parsed once, and ten thousand runs take seconds and little memory. A case is assembled on access.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol

import msgspec

from simulator.base.errors import raise_all
from simulator.base.inputfile import read_bytes
from simulator.base.jit import PACKAGES, ROOT
from simulator.base.yaml_loader import MAX_BYTES
from simulator.configuration.layers import files_parsed_once
from simulator.sweep.case_checks import Checks, Ends, Faults
from simulator.sweep.configuration_cache import Point, Shared

LETTERS = 16
"""Length of the digest of a run in characters."""
RUNS_BETWEEN_REPORTS = 100
"""Number of runs checked between two progress reports."""
MAX_FAULTS = 200
"""Number of errors after which the check stops."""


@dataclass(frozen=True)
class Case:
    """One resolved run."""

    number: int
    """Number of the run in the sweep, from 0."""
    given: Mapping[str, Any]
    """Varied values by key path or name: {"vehicle": "hmmwv", "maneuver.parameters.speed_kph": 60.0}."""
    mapping: Mapping[str, Any]
    """Complete configuration in JSON types, with file contents in place of names, and `recorded`: file names and the digests of binary
    files. Read-only: cases share the common parts."""
    run: str
    """Digest of the mapping and of the code. Runs with equal digests give equal numbers."""


class Cases(Protocol):
    """All runs of a sweep. A case is created on access, so a hundred thousand cases take little memory."""

    varied: Sequence[str]
    """Key paths of the varied values, which become table columns."""
    about: Mapping[str, Any]
    """"name", "title" and other plain data about the sweep, stored with the table."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> Case: ...
    def run_of(self, number: int) -> str:
        """Return the digest of a run without creating the case."""
        ...

    def point_of(self, number: int) -> Point:
        """Return the varied values of a run without creating the case."""
        ...


class Resolved:
    """Cases built from points by a `Resolver`."""

    def __init__(self, points: Sequence[Point], shared: Shared, varied: Sequence[str], about: Mapping[str, Any]) -> None:
        self.points, self.varied, self.about = points, varied, about
        self._shared = shared
        self._runs = bytearray()

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, number: int) -> Case:
        if not 0 <= number < len(self):
            raise IndexError(number)
        point = self.points[number]
        return Case(number, point, self._shared.run(point)[0].plain(), self.run_of(number))

    def run_of(self, number: int) -> str:
        """Return the digest of a run."""
        return self._runs[number * LETTERS : (number + 1) * LETTERS].decode()

    def point_of(self, number: int) -> Point:
        """Return the varied values of a run."""
        return self.points[number]

    def add_digest(self, run: str) -> None:
        """Append the digest of the next run."""
        self._runs += run.encode()


KeyOf = Callable[[int | None, str], str]


def _itself(number: int | None, key: str) -> str:
    return key


class Resolver:
    """Build cases from points. A search may call it repeatedly.

    Parameters
    ----------
    base : values common to all runs, by key path of a session; "session" is the name or path of the session file they are applied to
    file : sweep file; names are looked up relative to its folder
    channels : log columns that every run must have
    plugins : Python files that the runs depend on
    key_of : maps a run number (None: the base) and a session key to the key in the sweep file, for messages

    Raises JounceError: a plugin cannot be read.
    """

    def __init__(
        self,
        base: Point,
        file: str | Path | None = None,
        channels: Collection[str] = (),
        plugins: Iterable[str | os.PathLike[str]] = (),
        key_of: KeyOf = _itself,
    ) -> None:
        self._file = "the sweep" if file is None else str(file)
        self._key_of = key_of
        self._shared = Shared(base, file, partial(key_of, None))
        self._checks = Checks(self._file, channels)
        self._code = code_digest(plugins)

    def cases(
        self,
        points: Sequence[Point],
        varied: Sequence[str] | None = None,
        about: Mapping[str, Any] | None = None,
        ends: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> Resolved:
        """Return the cases of the points. All cases are checked before any run starts (see `simulator.sweep.case_checks`).

        Parameters
        ----------
        points : values of each run; they override the base
        varied : keys of the points in table order; default: order of first appearance
        about : data about the sweep, stored with the table
        ends : whether to also try the runs with the minimum and maximum of each varied number
        progress : called regularly with the number of checked runs

        Raises
        ------
        ConfigError : with all errors of all runs
        """
        keys = varied if varied is not None else list(dict.fromkeys(key for point in points for key in point))
        out, faults, at_ends = Resolved(points, self._shared, list(keys), dict(about or {})), Faults(self._file), Ends()
        with files_parsed_once():
            for number, point in enumerate(points):
                with faults.of_a_run(point):
                    one, changes = self._shared.run(point, partial(self._key_of, number))
                    self._checks.look(self._shared.naming(point), one, changes)
                    at_ends.note(number, point)
                    out.add_digest(digest_of(one.plain(), self._code))
                if progress is not None and number % RUNS_BETWEEN_REPORTS == 0:
                    progress(number)
                if len(faults.found) >= MAX_FAULTS:
                    break
            for number in at_ends.numbers() if ends else ():
                with faults.of_a_run(points[number]):
                    self._checks.try_out(self._shared.run(points[number], partial(self._key_of, number))[0])
        raise_all(list(faults.found.values()))
        return out


def code_digest(plugins: Iterable[str | os.PathLike[str]]) -> str:
    """Return the digest of the source code of Jounce and of the plugins. All sources count, whichever a run uses.

    Raises JounceError: a plugin cannot be read.
    """
    digest = hashlib.sha256(_sources().encode())
    for plugin in plugins:
        content = read_bytes(os.fspath(plugin), "a Python file (plugin)", MAX_BYTES)
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


@cache
def _sources() -> str:
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(f"{path.relative_to(ROOT).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def digest_of(mapping: Mapping[str, Any], code: str) -> str:
    return hashlib.sha256(code.encode() + msgspec.json.encode(mapping)).hexdigest()[:LETTERS]
