"""Series of maneuvers: maneuvers in order, each with its parameters, and searches for the maximum value of a parameter.

A step may pass measured values to the parameters of later steps. A search finds the maximum value of a parameter with which a
maneuver passes. This module reads the file and selects the next run; `simulator.run.series` executes the runs.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_classes import entries, entry, group_of
from simulator.base.fields import Choice, Either, Field, Group, ListOf, Named, Number, Text, read
from simulator.maneuvers.parameters import PARAMETERS, REFERENCE, WithParameters, resolved

_NAME = Text("a name (letters, digits, . _ / -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]*\Z")
_FILE = Text("a name, or the path of a file")
_NUMBER_OR_WORD = Either((Number(), Text()), "a number or a word")
MAX_RUNS = 1000

PARTS = ("vehicle", "terrain")
"""Keys that select the files of a maneuver; allowed next to its parameters."""
FOUND = ("parameter", "value", "tolerance", "highest_tried", "failed_below")
"""Keys of a search result, without the additional parameters of the search."""
HANDED_ON = ("mean", "min", "max", "last")


@dataclass(frozen=True)
class Range:
    """Numbers from `first` in equal steps; always includes the last number."""

    first: float = entry(Number(), "first number")
    step: float = entry(Number("", 0.0, above=0.0), "step between two numbers")
    to: Any = entry(Either((Number(), ListOf(Number(), least=1))), "last number; of a list, the maximum")
    most: float | None = entry(Number(), "upper limit of the last number", None)

    def values(self) -> tuple[float, ...]:
        """Return all numbers."""
        last = max(self.to) if isinstance(self.to, list | tuple) else self.to
        last = last if self.most is None else min(last, self.most)
        count = max(0, math.ceil((last - self.first) / self.step - 1e-9))
        return (*(self.first + n * self.step for n in range(count)), float(last))


_RANGE = group_of(Range)
_VALUES = Either((ListOf(_NUMBER_OR_WORD, least=1), _RANGE), "a list, or {first, step, to}")
_TAKEN = Named(
    Group(
        (
            Field("metric", Text("a metric with its unit, as metrics.json has it"), "name of the metric"),
            Field("of", Choice(HANDED_ON), "statistic over all runs of this step", "mean"),
        )
    ),
    "parameters with a metric each",
)


@dataclass(frozen=True)
class Step:
    """Runs of one maneuver."""

    run: str = entry(_FILE, "name or path of the maneuver")
    given: Mapping[str, Any] | None = entry(
        Named(_NUMBER_OR_WORD), "values that replace parameters, `vehicle` or `terrain` of the maneuver", None
    )
    each: Mapping[str, Any] | None = entry(Named(_VALUES), "parameters with several values; one run for every combination", None)
    take: Mapping[str, Any] | None = entry(_TAKEN, "parameters of later steps, taken from measured metrics", None)
    counts_from: Mapping[str, Any] | None = entry(
        Named(Number()), "minimum value of a parameter; runs below this value are reported but do not count", None
    )
    stop: str = entry(Choice(("never", "failure")), "condition that ends this step early", "never")


@dataclass(frozen=True)
class Search:
    """Search for the maximum value of a parameter with which a maneuver passes, by bisection."""

    run: str = entry(_FILE, "name or path of the maneuver")
    parameter: str = entry(_NAME, "name of the parameter")
    first: float = entry(Number(), "first value, expected to pass")
    to: float = entry(Number(), "highest tested value")
    tolerance: float = entry(Number("", 0.0, above=0.0), "tolerance of the result")
    check: int = entry(
        Number("1", 0, 100, whole=True), "number of values between first and the result to verify at the end; failures are reported", 2
    )
    given: Mapping[str, Any] | None = entry(Named(_NUMBER_OR_WORD), "values that replace parameters, `vehicle` or `terrain`", None)
    each: Mapping[str, Any] | None = entry(
        Named(ListOf(_NUMBER_OR_WORD, least=1)), "parameters with several values; one search for every combination", None
    )


@dataclass(frozen=True)
class SeriesFile:
    """Keys of the file."""

    name: str = entry(_NAME, "name of the series")
    title: str = entry(Text("text", empty=True), "title in reports", "")
    vehicle: str | None = entry(_FILE, "vehicle that replaces those of the maneuvers", None)
    terrain: str | None = entry(_FILE, "terrain that replaces those of the maneuvers", None)
    parameters: Mapping[str, Any] | None = entry(PARAMETERS, "names of numbers and words, used as $name", None)
    series: tuple[Any, ...] = entry(ListOf(group_of(Step)), "steps in order", ())
    search: Search | None = entry(group_of(Search), "search for a limit; replaces series", None)


FILE = WithParameters(entries(SeriesFile))
"""Keys of a file in ``configs/series``."""


@dataclass(frozen=True)
class Run:
    """One run of a series."""

    maneuver: str
    parameters: Mapping[str, Any]
    counts: bool = True
    """True if the verdict of the run counts for the series."""

    @property
    def label(self) -> str:
        """Name of the run in reports and folders."""
        given = "_".join(
            f"{name}_{value:g}" if isinstance(value, int | float) else f"{name}_{value}" for name, value in self.parameters.items()
        )
        given = given.replace("/", "_")
        return f"{self.maneuver.rsplit('/', 1)[-1].removesuffix('.yaml')}{'_' if given else ''}{given}"


@dataclass(frozen=True)
class Outcome:
    """Result of a run: its verdict and its metrics by name with unit."""

    run: Run
    passed: bool | None
    metrics: Mapping[str, float | None]


class Series:
    """Checked series.

    `runs` yields one run after the other. The caller must pass the outcome of each run to `note` before it requests the next run.
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
        """Parameters taken from the metrics of earlier steps."""
        self.found: list[dict[str, Any]] = []
        """Results of the searches."""
        self.outcomes: list[Outcome] = []
        """Outcomes of all runs so far."""

    def note(self, outcome: Outcome) -> None:
        """Store the outcome of the last run."""
        self.outcomes.append(outcome)

    def runs(self) -> Iterator[Run]:
        """Yield one run after the other. Raises ConfigError: a metric to take was not measured, or there are too many runs."""
        if self._mapping.get("search") is not None:
            yield from self._search()
            return
        for n in range(len(self._mapping["series"])):
            yield from self._step(n)

    @property
    def passed(self) -> bool | None:
        """True if every run that counts has passed and every search has a result; None if nothing has limits."""
        verdicts: list[bool] = [bool(one["value"] is not None) for one in self.found]
        if not self.found:
            verdicts = [one.passed for one in self.outcomes if one.run.counts and one.passed is not None]
        return all(verdicts) if verdicts else None

    def _document(self) -> SeriesFile:
        """Return the file with the parameters that are known so far."""
        mapping = {**self._mapping, "parameters": {**(self._mapping.get("parameters") or {}), **self.taken}}
        series = mapping.get("series")
        if series:
            mapping["series"] = [one if _is_ready(one, mapping["parameters"]) else _with_placeholders(one) for one in series]
        return SeriesFile(**read(entries(SeriesFile), resolved(mapping, self.file), self.file, fill=False))

    def _step(self, n: int) -> Iterator[Run]:
        step: Step = self._document().series[n]
        names, choices = list(step.each or {}), [_choices(value) for value in (step.each or {}).values()]
        if math.prod(map(len, choices)) > MAX_RUNS:
            raise ConfigError(self.file, f"series[{n}].each", math.prod(map(len, choices)), f"at most {MAX_RUNS} runs")
        began = len(self.outcomes)
        for values in itertools.product(*choices):
            parameters = {**(step.given or {}), **dict(zip(names, values, strict=True))}
            counts = all(parameters.get(name, lowest) >= lowest - 1e-9 for name, lowest in (step.counts_from or {}).items())
            yield Run(step.run, parameters, counts)
            if step.stop == "failure" and self.outcomes[-1].passed is False:
                break
        for name, given in (step.take or {}).items():
            self.taken[name] = self._combine(self.outcomes[began:], given, f"series[{n}].take.{name}")

    def _combine(self, outcomes: list[Outcome], given: Mapping[str, Any], key: str) -> float:
        metric, of = given["metric"], given.get("of", "mean")
        values = [outcome.metrics.get(metric) for outcome in outcomes]
        known = [value for value in values if value is not None]
        if len(known) < len(values) or not known:
            measured = ", ".join(sorted(outcomes[-1].metrics)) if outcomes else "no run"
            raise ConfigError(self.file, key, metric, f"a metric that every run of the step has measured ({measured})")
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
        values_below = () if best is None or best <= search.first else range(search.check)
        for n in values_below:
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
        """Check keys against each other. Raises ConfigError."""
        search = document.search
        if search is not None and "$" not in str(self._mapping["search"]) and search.to <= search.first:
            raise ConfigError(self.file, "search.to", search.to, f"a number above first, {search.first:g}")

    def _check_parameters(self, mapping: Mapping[str, Any]) -> None:
        """Check that the file or an earlier step defines every used parameter. Raises ConfigError."""
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


def values_of(step: Mapping[str, Any]) -> list[tuple[str, str, list[Any]]]:
    """Return the values of each parameter of a step that are known before the first run: key, parameter, values (of a range: its ends)."""
    out: list[tuple[str, str, list[Any]]] = []
    for section in ("given", "each"):
        for name, given in (step.get(section) or {}).items():
            ends = [given.get("first"), given.get("to")] if isinstance(given, Mapping) else given
            choices = [one for one in (ends if isinstance(ends, list) else [ends]) if not (isinstance(one, str) and "$" in one)]
            out.append((f"{section}.{name}", str(name), [one for one in choices if isinstance(one, int | float | str)]))
    if isinstance(step.get("parameter"), str):
        ends = [one for one in (step.get("first"), step.get("to")) if isinstance(one, int | float)]
        out.append(("first", step["parameter"], ends))
    return out


def _choices(given: Any) -> tuple[Any, ...]:
    return given.values() if isinstance(given, Range) else tuple(given)


def _is_ready(step: Any, parameters: Mapping[str, Any]) -> bool:
    """Return True if every parameter of a step is known."""
    return all(name in parameters for name in re.findall(r"\$([A-Za-z][A-Za-z0-9_]*)", str(step)))


def _with_placeholders(value: Any) -> Any:
    """Return the value with 1 in place of unknown parameters, for a check by the tables."""
    if isinstance(value, Mapping):
        return {key: inner if key == "title" else _with_placeholders(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_placeholders(inner) for inner in value]
    return 1.0 if isinstance(value, str) and "$" in value and re.match(REFERENCE, value) else value
