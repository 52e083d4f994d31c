"""Whether runs can be driven, found out before the first one is.

What each run says is held against the tables of its files. Whether a vehicle can be built of it, stands, and is stable with its step takes
some tenths of a second each: that is tried for all files that are named, and at the ends of every number that varies, by a first step, so
that also everything is compiled before processes fan out. What is wrong only somewhere in between is a failure of that run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import msgspec

from simulator.base.errors import ConfigError, ErrorCollector, JounceError
from simulator.base.fields import Number
from simulator.configuration.configuration import Configuration, FileChange, is_one_for_each
from simulator.configuration.file_tables import TABLES, number_at
from simulator.configuration.key_path import KeyPath, written
from simulator.configuration.session_file import CONTENTS, read_session
from simulator.maneuvers.maneuver_file import DRIVER_PERIOD, load_maneuver
from simulator.sweep.configuration_cache import Point
from simulator.sweep.job import begun, stock

HELD = "another file"
"""In the place of a content that another table checks."""
NOTHING_NAMED = ("", "")
"""What a run names that names no files itself."""


class Faults:
    """What is wrong with the runs of a sweep, each thing once.

    Parameters
    ----------
    file : of the sweep, for what has no file of its own
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self.found: dict[str, ConfigError] = {}

    @contextmanager
    def of_a_run(self, point: Point) -> Iterator[None]:
        """Errors of one run do not keep the others from being looked at."""
        try:
            yield
        except ConfigError as error:
            for one in error.errors:
                self.found.setdefault(one.text(None), one)
        except JounceError as error:
            self.found.setdefault(str(error), ConfigError(self._file, "", dict(point), f"a run that can begin: {error}"))


class Ends:
    """The runs in which a number that varies is least or greatest."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[tuple[float, int], tuple[float, int]]] = {}

    def note(self, number: int, point: Point) -> None:
        """One more run."""
        for key, value in point.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                low, high = self._of.get(key, ((value, number),) * 2)
                self._of[key] = (value, number) if value < low[0] else low, (value, number) if value > high[0] else high

    def numbers(self) -> list[int]:
        """Their numbers."""
        return sorted({number for ends in self._of.values() for _, number in ends})


class Checks:
    """What has been looked at, so that nothing is looked at twice.

    Parameters
    ----------
    file : of the sweep, for messages
    channels : columns of logs that every run has to have
    """

    def __init__(self, file: str, channels: Collection[str] = ()) -> None:
        self._file, self._channels = file, tuple(channels)
        self._tried: set[Any] = set()
        self._good: set[bytes] = set()
        self._numbers: dict[Any, tuple[Number, str] | None] = {}
        """What the numbers are that vary, by where they stand."""
        self._bodies: dict[str, Mapping[str, float]] = {}

    def look(self, named: tuple[Any, ...], one: Configuration, touched: Mapping[KeyPath, FileChange]) -> None:
        """Check a run.

        Parameters
        ----------
        named : what it says that names files, see `Shared.naming`
        touched : places of its files in which it says something else than the other runs of these

        Raises JounceError: all that is wrong.
        """
        if not one.has("maneuver"):
            raise ConfigError(self._file, "maneuver", "nothing", "a maneuver, here or in what varies")
        new = set(named or [NOTHING_NAMED]) - self._tried
        if new:
            self._tried |= new
            self.try_out(one)
            return
        with ErrorCollector() as faults:
            with faults.part():
                self._read_session(one)
            for place, changed in touched.items():
                with faults.part():
                    if not self._only_numbers(named, one, place, changed):
                        self._read(one, place, changed.kind)

    def try_out(self, one: Configuration) -> None:
        """Check a run by its first step, for which all is made and compiled. Raises JounceError."""
        run = begun(one.copy(), self._channels, stock())
        with closing(run.session):
            run.session.run(DRIVER_PERIOD)
        body = run.maneuver.body
        self._bodies[one.name("vehicle")] = {"length": body.length, "width": body.width, "front": body.front}

    def _read_session(self, one: Configuration) -> None:
        """What stands in no file but that of a session. Raises ConfigError."""
        own = msgspec.json.encode({key: value for key, value in one.layer.content.items() if key not in CONTENTS})
        if own not in self._good:
            read_session(one)
            self._good.add(own)

    def _only_numbers(self, named: tuple[Any, ...], one: Configuration, place: KeyPath, changed: FileChange) -> bool:
        """Look at the numbers that are changed in a file, if these are single numbers that have nothing to do with others. Raises ConfigError:
        one is out of its range."""
        if changed.kind == "maneuvers":
            return False  # its parameters go everywhere
        for path in changed.paths:
            key = (named, place, path)
            if key not in self._numbers:
                content = one.raw(written(place))
                self._numbers[key] = number_at(TABLES[changed.kind], _own_part(content, changed.kind), path)
            found, value = self._numbers[key], one.raw(written((*place, *path)))
            if found is None or not found[0].accepts(value):
                return False
            try:
                found[0].read_in(value, "", "", found[1])
            except ConfigError as error:
                raise one.wrong((*place, *path), error) from None
        return True

    def _read(self, one: Configuration, place: KeyPath, kind: str) -> None:
        """Hold the content of a place against the table of its kind. Raises ConfigError."""
        digest = hashlib.sha256(msgspec.json.encode((written(place), one.raw(written(place))))).digest()
        if digest in self._good:
            return
        with one.reading(place) as (content, file):
            if kind == "maneuvers" and isinstance(content, dict):
                load_maneuver({"body": self._bodies.get(one.name("vehicle")), **content}, file)
            else:
                TABLES[kind].read(_own_part(content, kind), file, "")
        self._good.add(digest)


def _own_part(content: Any, kind: str) -> Any:
    """What a content says itself, names in the place of what other files say."""
    if kind != "vehicles" or not isinstance(content, dict):
        return content
    own = dict(content)
    if isinstance(own.get("drivetrain"), dict):
        own["drivetrain"] = HELD
    if isinstance(own.get("tires"), dict):
        own["tires"] = dict.fromkeys(own["tires"], HELD) if is_one_for_each(own["tires"]) else HELD
    if isinstance(own.get("axles"), dict):
        own["axles"] = {name: _without_file(axle) for name, axle in own["axles"].items()}
    return own


def _without_file(axle: Any) -> Any:
    return {**axle, "file": HELD} if isinstance(axle, dict) and isinstance(axle.get("file"), dict) else axle
