"""Checks of the runs of a sweep before the first run starts.

The values of each run are checked against the field tables of their files. Building a vehicle, its equilibrium and the stability of the
time step take some tenths of a second each. A first step tests these for every set of named files, and for the minimum and the maximum
of every varied number. The first step also compiles all kernels before worker processes start. A problem only at values in between
appears as a failed run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import msgspec

from simulator.base.errors import ConfigError, ErrorCollector, JounceError
from simulator.base.fields import Number
from simulator.configuration.configuration import Configuration, FileChange
from simulator.configuration.file_tables import number_at, table_of
from simulator.configuration.key_path import KeyPath, written
from simulator.configuration.references import is_one_for_each
from simulator.configuration.session_file import CONTENTS, read_session
from simulator.maneuvers.maneuver_file import DRIVER_PERIOD, load_maneuver
from simulator.sweep.configuration_cache import Point
from simulator.sweep.job import prepare_run, process_cache

OTHER_FILE = "another file"
"""Placeholder for content that another table checks."""
NOTHING_NAMED = ("", "")
"""File names of a run that names no files itself."""


class Faults:
    """Errors of the runs of a sweep, each recorded once.

    Parameters
    ----------
    file : sweep file, reported for errors without a file
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self.found: dict[str, ConfigError] = {}

    @contextmanager
    def of_a_run(self, point: Point) -> Iterator[None]:
        """Collect the errors of one run, so that the check continues with the next run."""
        try:
            yield
        except ConfigError as error:
            for one in error.errors:
                self.found.setdefault(one.text(None), one)
        except JounceError as error:
            self.found.setdefault(str(error), ConfigError(self._file, "", dict(point), f"a run that can start: {error}"))


class Ends:
    """Runs in which a varied number has its minimum or maximum."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[tuple[float, int], tuple[float, int]]] = {}

    def note(self, number: int, point: Point) -> None:
        """Add a run."""
        for key, value in point.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                low, high = self._of.get(key, ((value, number),) * 2)
                self._of[key] = (value, number) if value < low[0] else low, (value, number) if value > high[0] else high

    def numbers(self) -> list[int]:
        """Return the run numbers, sorted."""
        return sorted({number for ends in self._of.values() for _, number in ends})


class Checks:
    """Check runs, and skip contents that were already checked.

    Parameters
    ----------
    file : sweep file, for messages
    channels : log columns that every run must have
    """

    def __init__(self, file: str, channels: Collection[str] = ()) -> None:
        self._file, self._channels = file, tuple(channels)
        self._tried: set[Any] = set()
        self._good: set[bytes] = set()
        self._numbers: dict[Any, tuple[Number, str] | None] = {}
        """Field types of the varied numbers, by file names, place and path."""
        self._bodies: dict[str, Mapping[str, float]] = {}

    def look(self, named: tuple[Any, ...], one: Configuration, changes: Mapping[KeyPath, FileChange]) -> None:
        """Check a run.

        Parameters
        ----------
        named : file names of the run, see `Shared.naming`
        touched : changes relative to the other runs with the same files, by place

        Raises JounceError: with all errors of the run.
        """
        if not one.has("maneuver"):
            raise ConfigError(self._file, "maneuver", "nothing", "a maneuver, in the file or among the varied keys")
        new = set(named or [NOTHING_NAMED]) - self._tried
        if new:
            self._tried |= new
            self.try_out(one)
            return
        with ErrorCollector() as faults:
            with faults.part():
                self._read_session(one)
            for place, changed in changes.items():
                with faults.part():
                    if not self._only_numbers(named, one, place, changed):
                        self._read(one, place, changed.kind)

    def try_out(self, one: Configuration) -> None:
        """Check a run by building it, compiling its kernels and computing the first step. Raises JounceError."""
        run = prepare_run(one.copy(), self._channels, process_cache())
        with closing(run.session):
            run.session.run(DRIVER_PERIOD)
        body = run.maneuver.body
        self._bodies[one.name("vehicle")] = {"length": body.length, "width": body.width, "front": body.front}

    def _read_session(self, one: Configuration) -> None:
        """Check the keys that only a session file has. Raises ConfigError."""
        own = msgspec.json.encode({key: value for key, value in one.layer.content.items() if key not in CONTENTS})
        if own not in self._good:
            read_session(one)
            self._good.add(own)

    def _only_numbers(self, named: tuple[Any, ...], one: Configuration, place: KeyPath, changed: FileChange) -> bool:
        """Check the changed numbers of a file; return False if other keys depend on the changes. Raises ConfigError: a number is out of
        range."""
        if changed.kind == "maneuvers":
            return False  # parameters of a maneuver may affect any key
        for path in changed.paths:
            key = (named, place, path)
            if key not in self._numbers:
                content = one.raw(written(place))
                self._numbers[key] = number_at(table_of(changed.kind), _own_part(content, changed.kind), path)
            numbers, value = self._numbers[key], one.raw(written((*place, *path)))
            if numbers is None or not numbers[0].accepts(value):
                return False
            try:
                numbers[0].read_in(value, "", "", numbers[1])
            except ConfigError as error:
                raise one.origins.wrong((*place, *path), error) from None
        return True

    def _read(self, one: Configuration, place: KeyPath, kind: str) -> None:
        """Check the content of a place against the table of its kind. Raises ConfigError."""
        digest = hashlib.sha256(msgspec.json.encode((written(place), one.raw(written(place))))).digest()
        if digest in self._good:
            return
        with one.reading(place) as (content, file):
            if kind == "maneuvers" and isinstance(content, dict):
                load_maneuver({"body": self._bodies.get(one.name("vehicle")), **content}, file)
            else:
                table_of(kind).read(_own_part(content, kind), file, "")
        self._good.add(digest)


def _own_part(content: Any, kind: str) -> Any:
    """Return the content with placeholders in place of the contents of other files."""
    if kind != "vehicles" or not isinstance(content, dict):
        return content
    own = dict(content)
    if isinstance(own.get("drivetrain"), dict):
        own["drivetrain"] = OTHER_FILE
    if isinstance(own.get("tires"), dict):
        own["tires"] = dict.fromkeys(own["tires"], OTHER_FILE) if is_one_for_each(own["tires"]) else OTHER_FILE
    if isinstance(own.get("axles"), dict):
        own["axles"] = {name: _without_file(axle) for name, axle in own["axles"].items()}
    return own


def _without_file(axle: Any) -> Any:
    return {**axle, "file": OTHER_FILE} if isinstance(axle, dict) and isinstance(axle.get("file"), dict) else axle
