"""The keys of a sweep file: what every run has in common, and what varies, in blocks one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.base.fields import (
    Anything,
    Choice,
    Either,
    Field,
    Fields,
    Group,
    ListOf,
    Named,
    Number,
    Text,
    Variants,
    entries,
    entry,
    group_of,
)
from simulator.configuration.session_file import LARGEST_SEED

_NAME = Text("a name (letters, digits, . _ / -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]*\Z")
_FILE = Text("a name, or the path of a file")
_SEED = Number("", 0, LARGEST_SEED, whole=True)
_BY_KEY = "key paths of a session, each with"
MOST_RUNS = 1_000_000

METHODS = ("latin_hypercube", "sobol", "random", "saltelli")
SPACINGS = ("even", "ratio")


@dataclass(frozen=True)
class Steps:
    """Numbers from `first` to `to`."""

    first: float = entry(Number(), "the first one")
    to: float = entry(Number(), "the last one")
    step: float | None = entry(Number("", 0.0, above=0.0), "from one to the next; the last one is always among them", None)
    count: int | None = entry(Number("", 2, MOST_RUNS, whole=True), "how many, instead of `step`", None)
    spacing: str = entry(Choice(SPACINGS), "with `count`: the same difference from one to the next, or the same ratio", SPACINGS[0])


_BOUNDS: Fields = (
    Field("from", Number(), "nothing less: what lies below is cut off, not moved to the edge", None),
    Field("to", Number(), "nothing more", None),
)
DISTRIBUTIONS: dict[str, Fields] = {
    "uniform": (Field("from", Number(), "the least"), Field("to", Number(), "the most")),
    "normal": (
        Field("mean", Number(), "of the whole bell, before something is cut off"),
        Field("deviation", Number("", 0.0, above=0.0), "standard deviation, likewise"),
        *_BOUNDS,
    ),
    "log_normal": (
        Field("median", Number("", 0.0, above=0.0), "half of the numbers are less"),
        Field("deviation", Number("", 0.0, 20.0, above=0.0), "standard deviation of the natural logarithm, 0.1 being about 10 %"),
        *_BOUNDS,
    ),
    "triangular": (
        Field("from", Number(), "the least"),
        Field("mode", Number(), "the most frequent"),
        Field("to", Number(), "the most"),
    ),
    "choice": (
        Field("of", ListOf(Anything("values of the key: numbers, words, lists"), least=1), "values, for example names"),
        Field("weights", ListOf(Number("", 0.0), least=1), "how often each, in proportion; all alike when left out", None),
    ),
}
"""Of one key; the numbers are those of the key, in the unit that it is written with."""

_DISTRIBUTION = Variants("distribution", DISTRIBUTIONS, tuple(DISTRIBUTIONS), "how the values are spread")


@dataclass(frozen=True)
class Sample:
    """Values drawn at random, or spread as evenly as chance is spread on the average."""

    count: int = entry(
        Number("", 1, MOST_RUNS, whole=True), "how many; with `saltelli` each brings as many runs as there are keys, and two more"
    )
    of: Mapping[str, Any] = entry(Named(_DISTRIBUTION, f"{_BY_KEY} a distribution", least=1), f"{_BY_KEY} its distribution")
    method: str = entry(
        Choice(METHODS),
        "`latin_hypercube`: every key once in each of `count` equal shares; `sobol`: scrambled points of Sobol, `count` a power of two; "
        "`random`: independent; `saltelli`: for Sobol indices in the report, alone in its block (all but `random` need scipy)",
        METHODS[0],
    )


_VALUES = Either((ListOf(Anything("values of the key"), least=1), group_of(Steps)), "a list, {first, to, step} or {first, to, count}")
_COLUMNS = Named(ListOf(Anything("values of the key"), least=1), f"{_BY_KEY} a list of values, all lists of one length", least=1)
_ROWS = ListOf(Named(Anything("a value of the key"), f"{_BY_KEY} a value", least=1), least=1)


@dataclass(frozen=True)
class Block:
    """Runs of one kind. Where a block has several of `grid`, `list` and `sample`, all combinations of them are driven, the last one fastest."""

    grid: Mapping[str, Any] | None = entry(
        Named(_VALUES, f"{_BY_KEY} values", least=1), "several values of each key: a run for every combination, the last key fastest", None
    )
    list: Any = entry(
        Either((_COLUMNS, _ROWS), f"a list of mappings, or {_BY_KEY} a list"),
        "runs one by one: a list of mappings of key paths to values, or columns of values that are taken together row by row",
        None,
    )
    sample: Sample | None = entry(group_of(Sample), "values drawn from distributions", None)
    repeat: Any = entry(
        Either((Number("", 1, MOST_RUNS, whole=True), ListOf(_SEED, least=1)), "how often, or a list of seeds"),
        "every run with several seeds of the session: so many from the seed of the file on, or these",
        None,
    )


@dataclass(frozen=True)
class SweepFile:
    """The file, key by key."""

    name: str = entry(_NAME, "name of the sweep")
    vary: tuple[Any, ...] = entry(ListOf(group_of(Block), least=1), "what varies: blocks of runs, one after the other")
    title: str = entry(Text("text", empty=True), "what is shown to people", "")
    session: str | None = entry(_FILE, "session that everything is laid over", None)
    maneuver: str | None = entry(_FILE, "maneuver, where it is the same in all runs", None)
    vehicle: str | None = entry(_FILE, "vehicle, instead of that of the maneuver", None)
    terrain: str | None = entry(_FILE, "terrain, instead of that of the maneuver", None)
    washout: str | None = entry(_FILE, "motion cueing", None)
    platform: str | None = entry(_FILE, "motion platform", None)
    set: Mapping[str, Any] | None = entry(
        Named(Anything("a value of the key"), f"{_BY_KEY} a value"),
        "values by key path that hold in all runs, as `jounce run --set` has them",
        None,
    )
    seed: int = entry(_SEED, "of all that is drawn here, and the first one of `repeat`; the same seed gives the same runs", 1)
    metrics: tuple[str, ...] = entry(
        ListOf(Text("a metric with its unit, or a pattern with * and ?")), "those that the report draws; all that vary when left out", ()
    )
    channels: tuple[str, ...] = entry(
        ListOf(Text("a name or pattern, for example F_C_*_z")), "columns of the log that are kept of every run; none when left out", ()
    )


NAMED = ("session", "maneuver", "vehicle", "terrain", "washout", "platform")
"""Keys of the file that stand for a session's, by name."""

FILE = Group(entries(SweepFile))
"""Of a file in ``configs/sweeps``."""
