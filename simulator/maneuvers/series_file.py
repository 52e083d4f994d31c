"""Series of maneuvers: one after the other, each with parameters of its own, what one has measured handed on to the next; and searches for the
highest value of a parameter with which a maneuver still passes.

Here is what such a file says and which run comes next; whoever drives (`simulator.run.series`) knows neither.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Either, Field, Group, ListOf, Named, Number, Text, entries, entry, group_of, read
from simulator.maneuvers.parameters import PARAMETERS, REFERENCE, WithParameters, resolved

_NAME = Text("a name (letters, digits, . _ / -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]*\Z")
_FILE = Text("a name, or the path of a file")
_SOMETHING = Either((Number(), Text()), "a number or a word")
MOST_RUNS = 1000

PARTS = ("vehicle", "terrain")
"""Words that stand beside a maneuver's parameters for the files that it names."""
FOUND = ("parameter", "value", "tolerance", "highest_tried", "failed_below")
"""Of what a search has found, all but the parameters that stood beside the one it was for."""
HANDED_ON = ("mean", "min", "max", "last")


@dataclass(frozen=True)
class Range:
    """Numbers from `first` on in steps, the last one always among them."""

    first: float = entry(Number(), "the first one")
    step: float = entry(Number("", 0.0, above=0.0), "from one to the next")
    to: Any = entry(Either((Number(), ListOf(Number(), least=1))), "the last one; of several the largest")
    most: float | None = entry(Number(), "but no more than this", None)

    def values(self) -> tuple[float, ...]:
        """All of them."""
        last = max(self.to) if isinstance(self.to, list | tuple) else self.to
        last = last if self.most is None else min(last, self.most)
        count = max(0, math.ceil((last - self.first) / self.step - 1e-9))
        return (*(self.first + n * self.step for n in range(count)), float(last))


_RANGE = group_of(Range)
_VALUES = Either((ListOf(_SOMETHING, least=1), _RANGE), "a list, or {first, step, to}")
_TAKEN = Named(
    Group(
        (
            Field("metric", Text("a metric with its unit, as metrics.json has it"), "which"),
            Field("of", Choice(HANDED_ON), "of all runs of this step", "mean"),
        )
    ),
    "parameters, each with a metric",
)


@dataclass(frozen=True)
class Step:
    """Runs of one maneuver."""

    run: str = entry(_FILE, "maneuver, by name or path")
    given: Mapping[str, Any] | None = entry(
        Named(_SOMETHING), "parameters of it, `vehicle` or `terrain`, that are other than in its file", None
    )
    each: Mapping[str, Any] | None = entry(
        Named(_VALUES), "the same with several values: a run for each, and of several parameters for every combination", None
    )
    take: Mapping[str, Any] | None = entry(_TAKEN, "parameters for the steps that follow, out of what was measured", None)
    counts_from: Mapping[str, Any] | None = entry(
        Named(Number()), "runs in which a parameter is smaller than this are told and do not count", None
    )
    stop: str = entry(Choice(("never", "failure")), "whether a run that fails ends this step", "never")


@dataclass(frozen=True)
class Search:
    """The highest value of a parameter with which a maneuver passes, by bisection."""

    run: str = entry(_FILE, "maneuver, by name or path")
    parameter: str = entry(_NAME, "its parameter")
    first: float = entry(Number(), "value that should pass")
    to: float = entry(Number(), "highest value that is tried")
    tolerance: float = entry(Number("", 0.0, above=0.0), "how close to the limit the answer is to be")
    check: int = entry(
        Number("1", 0, 100, whole=True), "values between first and the answer that are driven at the end: those that fail are told", 2
    )
    given: Mapping[str, Any] | None = entry(Named(_SOMETHING), "other parameters, `vehicle` or `terrain`", None)
    each: Mapping[str, Any] | None = entry(Named(ListOf(_SOMETHING, least=1)), "a search for each of these", None)


@dataclass(frozen=True)
class SeriesFile:
    """The file, key by key."""

    name: str = entry(_NAME, "name of the series")
    title: str = entry(Text("text", empty=True), "what is shown to people", "")
    vehicle: str | None = entry(_FILE, "vehicle, instead of those of the maneuvers", None)
    terrain: str | None = entry(_FILE, "terrain, instead of those of the maneuvers", None)
    parameters: Mapping[str, Any] | None = entry(PARAMETERS, "names for numbers and words, which stand as $name", None)
    series: tuple[Any, ...] = entry(ListOf(group_of(Step)), "maneuvers, in their order", ())
    search: Search | None = entry(group_of(Search), "a search for a limit, instead", None)


FILE = WithParameters(entries(SeriesFile))
"""Of a file in ``configs/series``."""


@dataclass(frozen=True)
class Run:
    """One run of a series."""

    maneuver: str
    parameters: Mapping[str, Any]
    counts: bool = True
    """Whether its verdict is one of the series."""

    @property
    def label(self) -> str:
        """For people and folders."""
        said = "_".join(
            f"{name}_{value:g}" if isinstance(value, int | float) else f"{name}_{value}" for name, value in self.parameters.items()
        )
        said = said.replace("/", "_")
        return f"{self.maneuver.rsplit('/', 1)[-1].removesuffix('.yaml')}{'_' if said else ''}{said}"


@dataclass(frozen=True)
class Outcome:
    """What came of a run: its verdict, and its metrics by name with unit."""

    run: Run
    passed: bool | None
    metrics: Mapping[str, float | None]


class Series:
    """A checked series.

    `runs` gives one run after the other; what came of it has to be told by `note` before the next is asked for.
    """

    def __init__(self, mapping: Mapping[str, Any], file: object) -> None:
        if not isinstance(mapping, Mapping):
            raise ConfigError(file, "", mapping, "a mapping of keys to values")
        self.file, self._mapping = file, mapping
        self._check_parameters(mapping)
        document = SeriesFile(**read(entries(SeriesFile), _with_placeholders(mapping), file, fill=False))
        if bool(document.series) == (document.search is not None):
            raise ConfigError(file, "series", "both" if document.series else "neither", "either series or search")
        self._check_bounds(document)
        self.name, self.title = document.name, document.title or document.name
        self.vehicle, self.terrain = document.vehicle, document.terrain
        self.maneuvers = [document.search.run] if document.search else [step.run for step in document.series]
        self.taken: dict[str, float] = {}
        """Parameters that steps have handed on."""
        self.found: list[dict[str, Any]] = []
        """What searches have found."""
        self.outcomes: list[Outcome] = []
        """Of all runs so far."""

    def note(self, outcome: Outcome) -> None:
        """What came of the run that was given last."""
        self.outcomes.append(outcome)

    def runs(self) -> Iterator[Run]:
        """One run after the other. Raises ConfigError: a metric that is to be handed on was not measured, or there are too many runs."""
        if self._mapping.get("search") is not None:
            yield from self._search()
            return
        for n in range(len(self._mapping["series"])):
            yield from self._step(n)

    @property
    def passed(self) -> bool | None:
        """Whether every run that counts has passed, and every search has found something; None when nothing has limits."""
        verdicts: list[bool] = [bool(one["value"] is not None) for one in self.found]
        if not self.found:
            verdicts = [one.passed for one in self.outcomes if one.run.counts and one.passed is not None]
        return all(verdicts) if verdicts else None

    def _document(self) -> SeriesFile:
        """The file with the parameters that are known by now."""
        mapping = {**self._mapping, "parameters": {**(self._mapping.get("parameters") or {}), **self.taken}}
        series = mapping.get("series")
        if series:
            mapping["series"] = [one if _is_ready(one, mapping["parameters"]) else _with_placeholders(one) for one in series]
        return SeriesFile(**read(entries(SeriesFile), resolved(mapping, self.file), self.file, fill=False))

    def _step(self, n: int) -> Iterator[Run]:
        step: Step = self._document().series[n]
        names, choices = list(step.each or {}), [_choices(value) for value in (step.each or {}).values()]
        if math.prod(map(len, choices)) > MOST_RUNS:
            raise ConfigError(self.file, f"series[{n}].each", math.prod(map(len, choices)), f"at most {MOST_RUNS} runs")
        began = len(self.outcomes)
        for values in itertools.product(*choices):
            parameters = {**(step.given or {}), **dict(zip(names, values, strict=True))}
            counts = all(parameters.get(name, least) >= least - 1e-9 for name, least in (step.counts_from or {}).items())
            yield Run(step.run, parameters, counts)
            if step.stop == "failure" and self.outcomes[-1].passed is False:
                break
        for name, said in (step.take or {}).items():
            self.taken[name] = self._put_together(self.outcomes[began:], said, f"series[{n}].take.{name}")

    def _put_together(self, outcomes: list[Outcome], said: Mapping[str, Any], key: str) -> float:
        metric, of = said["metric"], said.get("of", "mean")
        values = [outcome.metrics.get(metric) for outcome in outcomes]
        known = [value for value in values if value is not None]
        if len(known) < len(values) or not known:
            there = ", ".join(sorted(outcomes[-1].metrics)) if outcomes else "no run"
            raise ConfigError(self.file, key, metric, f"a metric that every run of the step has measured; there are {there}")
        return {"mean": sum(known) / len(known), "min": min(known), "max": max(known), "last": known[-1]}[of]

    def _search(self) -> Iterator[Run]:
        search = self._document().search
        assert search is not None
        names, choices = list(search.each or {}), list((search.each or {}).values())
        for values in itertools.product(*choices):
            parameters = {**(search.given or {}), **dict(zip(names, values, strict=True))}
            yield from self._bisect(search, parameters)

    def _bisect(self, search: Search, parameters: Mapping[str, Any]) -> Iterator[Run]:
        low, high, best = search.first, search.to, None
        for value in (low, high):
            yield Run(search.run, {**parameters, search.parameter: value}, counts=False)
            if not self.outcomes[-1].passed:
                break
            best = value
        if best is not None and best < high:
            low = best
            while high - low > search.tolerance:
                middle = 0.5 * (low + high)
                yield Run(search.run, {**parameters, search.parameter: middle}, counts=False)
                low, high = (middle, high) if self.outcomes[-1].passed else (low, middle)
            best = low
        failed: list[float] = []
        below = () if best is None or best <= search.first else range(search.check)
        for n in below:
            assert best is not None
            value = search.first + (best - search.first) * (n + 1) / (search.check + 1)
            yield Run(search.run, {**parameters, search.parameter: value}, counts=False)
            failed += [] if self.outcomes[-1].passed else [value]
        self.found.append(
            {
                "parameter": search.parameter,
                **parameters,
                "value": best,
                "tolerance": search.tolerance,
                "highest_tried": search.to,
                "failed_below": failed,
            }
        )

    def _check_bounds(self, document: SeriesFile) -> None:
        """What no single key can tell. Raises ConfigError."""
        search = document.search
        if search is not None and "$" not in str(self._mapping["search"]) and search.to <= search.first:
            raise ConfigError(self.file, "search.to", search.to, f"more than first, {search.first:g}")

    def _check_parameters(self, mapping: Mapping[str, Any]) -> None:
        """Every parameter that is used is said in the file or handed on by a step before. Raises ConfigError."""
        known = dict(mapping.get("parameters") or {}) if isinstance(mapping.get("parameters"), Mapping | None) else {}
        steps = mapping.get("series")
        with ErrorCollector() as faults:
            for n, step in enumerate(steps if isinstance(steps, list) else ()):
                with faults.part():
                    resolved({"parameters": known, "series": [None] * n + [step]}, self.file)
                taken = step.get("take") if isinstance(step, Mapping) else None
                known |= dict.fromkeys(taken, 1.0) if isinstance(taken, Mapping) else {}
            if mapping.get("search") is not None:
                with faults.part():
                    resolved({"parameters": known, "search": mapping["search"]}, self.file)


def _choices(said: Any) -> tuple[Any, ...]:
    return said.values() if isinstance(said, Range) else tuple(said)


def _is_ready(step: Any, parameters: Mapping[str, Any]) -> bool:
    """Whether every parameter in a step is known."""
    return all(name in parameters for name in re.findall(r"\$([A-Za-z][A-Za-z0-9_]*)", str(step)))


def _with_placeholders(value: Any) -> Any:
    """The same with 1 in the place of what is not known yet, to be checked by the tables."""
    if isinstance(value, Mapping):
        return {key: inside if key == "title" else _with_placeholders(inside) for key, inside in value.items()}
    if isinstance(value, list):
        return [_with_placeholders(inside) for inside in value]
    return 1.0 if isinstance(value, str) and "$" in value and re.match(REFERENCE, value) else value
