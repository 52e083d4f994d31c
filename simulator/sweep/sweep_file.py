"""Keys of a sweep file: common values, and blocks of varied values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.base.field_classes import entries, entry, group_of
from simulator.base.fields import Anything, Choice, Either, Field, Fields, Group, ListOf, Named, Number, Text, Variants
from simulator.configuration.session_file import LARGEST_SEED

_NAME = Text("a name (letters, digits, . _ / -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]*\Z")
_FILE = Text("a name, or the path of a file")
_SEED = Number("", 0, LARGEST_SEED, whole=True)
_BY_KEY = "key paths of a session, each with"
MAX_RUNS = 1_000_000

METHODS = ("latin_hypercube", "sobol", "random", "saltelli")
SPACINGS = ("even", "ratio")


@dataclass(frozen=True)
class Steps:
    """Numbers from `first` to `to`."""

    first: float = entry(Number(), "first value")
    to: float = entry(Number(), "last value")
    step: float | None = entry(Number("", 0.0, above=0.0), "difference between values; the last value is always included", None)
    count: int | None = entry(Number("", 2, MAX_RUNS, whole=True), "number of values, instead of `step`", None)
    spacing: str = entry(Choice(SPACINGS), "spacing with `count`: equal differences or equal ratios", SPACINGS[0])


_BOUNDS: Fields = (
    Field("from", Number(), "lower bound (the distribution is truncated)", None),
    Field("to", Number(), "upper bound (the distribution is truncated)", None),
)
DISTRIBUTIONS: dict[str, Fields] = {
    "uniform": (Field("from", Number(), "lower bound"), Field("to", Number(), "upper bound")),
    "normal": (
        Field("mean", Number(), "mean, before truncation"),
        Field("deviation", Number("", 0.0, above=0.0), "standard deviation, before truncation"),
        *_BOUNDS,
    ),
    "log_normal": (
        Field("median", Number("", 0.0, above=0.0), "median, before truncation"),
        Field("deviation", Number("", 0.0, 20.0, above=0.0), "standard deviation of the natural logarithm (0.1: about 10 %)"),
        *_BOUNDS,
    ),
    "triangular": (
        Field("from", Number(), "lower bound"),
        Field("mode", Number(), "most frequent value"),
        Field("to", Number(), "upper bound"),
    ),
    "choice": (
        Field("of", ListOf(Anything("values of the key: numbers, words, lists"), least=1), "values to choose from, for example names"),
        Field("weights", ListOf(Number("", 0.0), least=1), "relative frequency of each value (default: equal)", None),
    ),
}
"""Distributions of one key. Numbers have the unit of the key."""

DISTRIBUTION = Variants("distribution", DISTRIBUTIONS, tuple(DISTRIBUTIONS), "type of the distribution")


@dataclass(frozen=True)
class Sample:
    """Random or quasi-random values."""

    count: int = entry(
        Number("", 1, MAX_RUNS, whole=True),
        "number of points; with `saltelli`, the number of runs is this times the number of keys plus two",
    )
    of: Mapping[str, Any] = entry(Named(DISTRIBUTION, f"{_BY_KEY} a distribution", least=1), f"{_BY_KEY} a distribution")
    method: str = entry(
        Choice(METHODS),
        "sampling method. `latin_hypercube`: one value of each key in each of `count` equal intervals; `sobol`: scrambled Sobol points, "
        "`count` a power of two; `random`: independent values; `saltelli`: design for Sobol indices, without grid and list in its block",
        METHODS[0],
    )


_VALUES = Either((ListOf(Anything("values of the key"), least=1), group_of(Steps)), "a list, {first, to, step} or {first, to, count}")
_COLUMNS = Named(ListOf(Anything("values of the key"), least=1), f"{_BY_KEY} a list of values, all lists of equal length", least=1)
_ROWS = ListOf(Named(Anything("a value of the key"), f"{_BY_KEY} a value", least=1), least=1)


@dataclass(frozen=True)
class Block:
    """A block of runs. If a block has several of `grid`, `list` and `sample`, it runs all combinations, the last part fastest."""

    grid: Mapping[str, Any] | None = entry(
        Named(_VALUES, f"{_BY_KEY} values", least=1), "values of each key: a run for every combination, the last key fastest", None
    )
    list: Any = entry(
        Either((_COLUMNS, _ROWS), f"a list of mappings, or {_BY_KEY} a list"),
        "explicit list of runs: mappings of key paths to values, or a column of values for each key path",
        None,
    )
    sample: Sample | None = entry(group_of(Sample), "values drawn from distributions", None)
    repeat: Any = entry(
        Either((Number("", 1, MAX_RUNS, whole=True), ListOf(_SEED, least=1)), "a count, or a list of seeds"),
        "repetition of every run with several seeds of the session: a count of seeds from `seed` on, or a list of seeds",
        None,
    )


@dataclass(frozen=True)
class SweepFile:
    """Contents of a sweep file."""

    name: str = entry(_NAME, "name of the sweep")
    vary: tuple[Any, ...] = entry(ListOf(group_of(Block), least=1), "blocks of runs with the varied keys")
    title: str = entry(Text("text", empty=True), "title for display", "")
    session: str | None = entry(_FILE, "session file to which all values are applied", None)
    maneuver: str | None = entry(_FILE, "maneuver, if it is the same in all runs", None)
    vehicle: str | None = entry(_FILE, "vehicle, instead of the vehicle of the maneuver", None)
    terrain: str | None = entry(_FILE, "terrain, instead of the terrain of the maneuver", None)
    washout: str | None = entry(_FILE, "motion cueing", None)
    platform: str | None = entry(_FILE, "motion platform", None)
    set: Mapping[str, Any] | None = entry(
        Named(Anything("a value of the key"), f"{_BY_KEY} a value"),
        "values common to all runs, by key path as for `jounce run --set`",
        None,
    )
    seed: int = entry(_SEED, "seed of the random values and first seed of `repeat`; the same seed gives the same runs", 1)
    metrics: tuple[str, ...] = entry(
        ListOf(Text("a metric with its unit, or a pattern with * and ?")), "metrics drawn in the report (default: all that vary)", ()
    )
    channels: tuple[str, ...] = entry(
        ListOf(Text("a name or pattern, for example F_C_*_z")), "log columns saved for every run (default: none)", ()
    )


NAMED = ("session", "maneuver", "vehicle", "terrain", "washout", "platform")
"""Keys of the file that are keys of a session, by name."""

FILE = Group(entries(SweepFile))
"""Keys of a file in ``configs/sweeps``."""
