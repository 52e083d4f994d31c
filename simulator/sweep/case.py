"""A run of a sweep: what varies in it, and the whole configuration that it is made of as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Case:
    """One run, resolved."""

    number: int
    """Its place in the sweep, from 0."""
    said: Mapping[str, Any]
    """What varies, by key path or name: {"vehicle": "hmmwv", "maneuver.parameters.speed_kph": 60.0}."""
    mapping: dict[str, Any]
    """The whole configuration as JSON holds it, contents in the place of names, and what is `recorded` of it: names and the digests of the
    files that are no text."""
    run: str
    """Digest of the mapping and of the code: two runs of the same digest have the same numbers."""


class Cases(Protocol):
    """All runs of a sweep, each made when it is asked for, so that a hundred thousand take no room."""

    name: str
    """Of the sweep, for people; its title too."""
    title: str
    varied: Sequence[str]
    """Key paths of what varies, the columns of the table that come first."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int) -> Case: ...
    def run_of(self, number: int) -> str:
        """The digest of a run, without making the case."""
        ...
