"""Configurations of runs, with the part that runs of the same files have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from simulator.base.errors import ConfigError
from simulator.configuration.configuration import Configuration, FileChange, configuration
from simulator.configuration.file_lookup import find_config
from simulator.configuration.key_path import KeyPath, parse
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override
from simulator.configuration.references import REFERENCES, SOILS_OF_A_TERRAIN, fits

NAMING: tuple[KeyPath, ...] = (
    *(pattern for pattern, _ in REFERENCES),
    *SOILS_OF_A_TERRAIN,
    ("maneuver", "vehicle"),
    ("maneuver", "terrain"),
)
"""Places where a value may be the name of a file."""

Point = Mapping[str, Any]
"""Varied values of a run, by key path or name."""


class Shared:
    """Configurations of runs. Runs that name the same files share one expanded configuration.

    Parameters
    ----------
    base : values common to all runs, by key path; "session" names the session file they are applied to
    file : sweep file; names are looked up relative to its folder; None: no file
    key_of : maps a key of the base to the key in the sweep file
    """

    def __init__(self, base: Point, file: str | Path | None, key_of: Callable[[str], str]) -> None:
        self._file = None if file is None else str(file)
        self._key_of = key_of
        self._session = base.get("session")
        self._base = {key: value for key, value in base.items() if key != "session"}
        self._groups: dict[tuple[Any, ...], Configuration | ConfigError] = {}

    def naming(self, point: Point) -> tuple[Any, ...]:
        """Return the values of a point that may be file names. Points with equal values use the same files."""
        return tuple(
            (key, value if isinstance(value, str) else msgspec.json.encode(value)) for key, value in point.items() if _names(key, value)
        )

    def common(self, point: Point, key_of: Callable[[str], str]) -> Configuration:
        """Return the expanded configuration shared by all runs that use the files of the point. Raises ConfigError."""
        group = self.naming(point)
        if group not in self._groups:
            try:
                given = self._settings({key: value for key, value in point.items() if _names(key, value)}, key_of)
                self._groups[group] = self._expanded(given)
            except ConfigError as error:
                self._groups[group] = error
        configuration = self._groups[group]
        if isinstance(configuration, ConfigError):
            raise configuration
        return configuration

    def run(self, point: Point, key_of: Callable[[str], str] = str) -> tuple[Configuration, dict[KeyPath, FileChange]]:
        """Return the configuration of a run, and its changes by place, as `Configuration.with_changes` does.

        `key_of` maps a key of the point to the key in the sweep file. Raises ConfigError.
        """
        given = {key: value for key, value in point.items() if not _names(key, value)}
        return self.common(point, key_of).with_changes(sorted(self._settings(given, key_of), key=_depth))

    def _expanded(self, given: Iterable[tuple[Override, Origin]]) -> Configuration:
        session = self._session
        if session is not None and self._file is not None:
            session = str(find_config("sessions", session, self._file, "session"))
        one = configuration(session)
        base = list(self._settings(self._base, self._key_of))
        naming = [(setting, origin) for setting, origin in base if may_name(setting.text)]
        for setting, origin in sorted([*naming, *given], key=_depth):
            one.set(setting, origin)
        one.expand_all()
        return one.with_changes(sorted((one for one in base if one not in naming), key=_depth))[0]

    def _settings(self, given: Point, key_of: Callable[[str], str]) -> Iterator[tuple[Override, Origin]]:
        for key, value in given.items():
            origin = Origin(key, is_file=False) if self._file is None else Origin(self._file, key_of(key))
            yield Override(_path(key), value, key), origin


def _depth(given: tuple[Override, Origin]) -> int:
    """Return the sort key that puts file names before the keys inside these files."""
    return len(given[0].path)


def _names(key: str, value: Any) -> bool:
    """Return whether the value of a key may be a file name or contain one; a number is none."""
    return not isinstance(value, int | float) and may_name(key)


@cache
def _path(key: str) -> KeyPath:
    return parse(key)


@cache
def may_name(key: str) -> bool:
    """Return whether the value of a key may be a file name or contain one."""
    path = parse(key)
    return any(fits(path, pattern[: len(path)]) for pattern in NAMING)
