"""Results of a sweep as numeric columns, for reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.json_output import json_text


@dataclass(frozen=True)
class Key:
    """A varied key over n runs."""

    name: str
    numbers: Array
    """(n,) values; for names, their indices in `names`."""
    given: NDArray[np.bool_]
    """(n,) whether a run sets the key; elsewhere the numbers are NaN."""
    names: tuple[str, ...] = ()
    """Names, if the values are not numbers, in the order of their first runs."""

    def word(self, n: int) -> str:
        """Return the value of a run for display."""
        return "" if not self.given[n] else self.names[int(self.numbers[n])] if self.names else shown(self.numbers[n])

    def of(self, places: NDArray[np.int64]) -> Key:
        """Return the key for a subset of the runs."""
        return Key(self.name, self.numbers[places], self.given[places], self.names)

    @cached_property
    def values(self) -> Array:
        """Distinct values."""
        return np.unique(self.numbers[self.given])

    def word_of(self, value: float) -> str:
        """Return one of `values` for display."""
        return self.names[int(value)] if self.names else shown(value)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return the key paths shortened to the shortest unique ending of at least two parts."""
    parts = {name: name.split(".") for name in names}
    out = {}
    for name, own in parts.items():
        others = [other for key, other in parts.items() if key != name]
        n = next((n for n in range(2, len(own)) if all(other[-n:] != own[-n:] for other in others)), len(own))
        out[name] = ".".join(own[-n:])
    return out


def shown(number: float) -> str:
    """Return a value of a key for display."""
    return f"{number:.4g}"


def key_of(name: str, values: Sequence[Any]) -> Key:
    """Return a key with its values. None means that a run does not set the key."""
    given = np.array([value is not None for value in values], dtype=bool)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values if value is not None):
        return Key(name, np.array([np.nan if value is None else value for value in values], dtype=float), given)
    words = ["" if value is None else value if isinstance(value, str) else json_text(value) for value in values]
    names = tuple(dict.fromkeys(word for word, there in zip(words, given, strict=True) if there))
    places = {name: n for n, name in enumerate(names)}
    return Key(
        name, np.array([places[word] if there else np.nan for word, there in zip(words, given, strict=True)], dtype=float), given, names
    )


@dataclass(frozen=True)
class Results:
    """Completed runs of a sweep, sorted by number."""

    about: Mapping[str, Any]
    """Data about the sweep: name, title, number of planned `runs`, and the other entries of `Design.about` for a sweep from a file."""
    runs: Sequence[str]
    numbers: NDArray[np.int64]
    keys: Sequence[Key]
    """Varied keys, named by their key paths."""
    passed: Sequence[bool | None]
    failures: Sequence[str]
    """Failure reasons; empty for runs with a result."""
    metrics: Mapping[str, Array]
    """(n,) each; NaN for runs without a result."""
    machine: Mapping[str, Any]
    """Facts about the execution: workers, wall and simulated time; empty if unknown."""
    outcomes: Sequence[str | None] = ()
    """Outcomes, one for each run, of a sweep with drives to goals; else empty."""

    @cached_property
    def short(self) -> Mapping[str, str]:
        """Short names of the keys for plots and table headers."""
        return short_names([key.name for key in self.keys])

    @property
    def failed(self) -> list[int]:
        """Indices of the runs without a result."""
        return [n for n, failure in enumerate(self.failures) if failure]

    def groups(self) -> list[tuple[str, Results]]:
        """Return the runs grouped by the keys that their blocks vary, each with a label. Effects are computed within groups, because
        blocks differ in the values of keys that they do not vary."""
        sections = self.about.get("sections") or ()
        groups: dict[frozenset[str], list[Mapping[str, Any]]] = {}
        for section in sections:
            groups.setdefault(frozenset(section["keys"]), []).append(section)
        if len(groups) < 2:
            return [("", self)]
        out = []
        for keys, those in groups.items():
            ends = [(section["first"], section["first"] + section["runs"] - 1) for section in those]
            inside = np.any([(first <= self.numbers) & (self.numbers <= last) for first, last in ends], axis=0)
            words = ", ".join(f"{first} to {last}" for first, last in ends)
            out.append((f"Runs {words}: {those[0]['how']}", self.of(np.flatnonzero(inside), keys)))
        return out

    def of(self, places: NDArray[np.int64], keys: Collection[str]) -> Results:
        """Return the results for a subset of the runs and keys."""
        chosen = places.tolist()
        return replace(
            self,
            runs=[self.runs[n] for n in chosen],
            numbers=self.numbers[places],
            keys=[key.of(places) for key in self.keys if key.name in keys],
            passed=[self.passed[n] for n in chosen],
            failures=[self.failures[n] for n in chosen],
            outcomes=[self.outcomes[n] for n in chosen] if self.outcomes else (),
            metrics={name: metric[places] for name, metric in self.metrics.items()},
        )

    def varies(self, name: str) -> bool:
        """Return whether a metric has different values."""
        values = self.metrics[name][np.isfinite(self.metrics[name])]
        return len(values) > 1 and bool(np.ptp(values) > 1e-12 * np.abs(values).max())
