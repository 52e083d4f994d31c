"""The runs of a sweep, resolved: what varies in each, and the whole configuration that it is made of as plain data.

Runs of the same files share a configuration in which every name has become its content, and each says what is different in it: so a file is
parsed once, and ten thousand runs take seconds and hardly any room. A case is put together when it is asked for.
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
from simulator.base.yaml_reader import MOST_BYTES
from simulator.configuration.layers import files_parsed_once
from simulator.sweep.case_checks import Checks, Ends, Faults
from simulator.sweep.configuration_cache import Point, Shared

LETTERS = 16
"""Of the digest of a run."""
BETWEEN = 100
"""Runs that are looked at between two reports."""
MOST_FAULTS = 200
"""Faults after which no more are looked for."""


@dataclass(frozen=True)
class Case:
    """One run, resolved."""

    number: int
    """Its place in the sweep, from 0."""
    said: Mapping[str, Any]
    """What varies, by key path or name: {"vehicle": "hmmwv", "maneuver.parameters.speed_kph": 60.0}."""
    mapping: Mapping[str, Any]
    """The whole configuration as JSON holds it, contents in the place of names, and what is `recorded` of it: names and the digests of the
    files that are no text. Not to be changed: it shares with others what is the same."""
    run: str
    """Digest of the mapping and of the code: two runs of the same digest have the same numbers."""


class Cases(Protocol):
    """All runs of a sweep, each made when it is asked for, so that a hundred thousand take no room."""

    varied: Sequence[str]
    """Key paths of what varies, columns of the table."""
    about: Mapping[str, Any]
    """"name", "title" and whatever else the table is to say of the sweep, as plain data."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> Case: ...
    def run_of(self, number: int) -> str:
        """The digest of a run, without making the case."""
        ...

    def said_of(self, number: int) -> Point:
        """What varies in a run, likewise."""
        ...


class Resolved:
    """Cases out of points, made by a `Resolver`."""

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
        """The digest of a run."""
        return self._runs[number * LETTERS : (number + 1) * LETTERS].decode()

    def said_of(self, number: int) -> Point:
        """What varies in a run."""
        return self.points[number]

    def note(self, run: str) -> None:
        """The digest of the next run."""
        self._runs += run.encode()


KeyOf = Callable[[int | None, str], str]


def _itself(number: int | None, key: str) -> str:
    return key


class Resolver:
    """Makes runs out of points, again and again where a search asks for more.

    Parameters
    ----------
    base : what holds in all runs, by key path of a session; "session" is the one that everything is laid over, by name or path
    file : where all of it is said: names are looked up beside it
    channels : columns of logs that every run has to have
    plugins : Python files on which runs depend too
    key_of : key of the file behind which a run, None: the base, says a key of a session, for messages

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
        """The runs of points, all of them checked before anything is driven (`simulator.sweep.case_checks` says how far).

        Parameters
        ----------
        points : what each says besides the base, above that
        varied : keys of the points in the order of the table; found out when not given
        about : what the table says of the sweep
        ends : whether the runs at the ends of what varies are tried too
        progress : told now and then how many have been looked at

        Raises
        ------
        ConfigError : everything that is wrong with any of them
        """
        keys = varied if varied is not None else list(dict.fromkeys(key for point in points for key in point))
        out, faults, at_ends = Resolved(points, self._shared, list(keys), dict(about or {})), Faults(self._file), Ends()
        with files_parsed_once():
            for number, point in enumerate(points):
                with faults.of_a_run(point):
                    one, touched = self._shared.run(point, partial(self._key_of, number))
                    self._checks.look(self._shared.naming(point), one, touched)
                    at_ends.note(number, point)
                    out.note(digest_of(one.plain(), self._code))
                if progress is not None and number % BETWEEN == 0:
                    progress(number)
                if len(faults.found) >= MOST_FAULTS:
                    break
            for number in at_ends.numbers() if ends else ():
                with faults.of_a_run(points[number]):
                    self._checks.try_out(self._shared.run(points[number], partial(self._key_of, number))[0])
        raise_all(list(faults.found.values()))
        return out


def code_digest(plugins: Iterable[str | os.PathLike[str]]) -> str:
    """Digest of the sources of this program and of plugins: which of them a run stands on nobody has to know.

    Raises JounceError: a plugin cannot be read.
    """
    digest = hashlib.sha256(_sources().encode())
    for plugin in plugins:
        content = read_bytes(os.fspath(plugin), "a plugin: a Python file", MOST_BYTES)
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
