"""Evaluation of the datasheet items of a vehicle: the value, or the reason why there is none, with the published value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.api.loading import assemble
from simulator.maneuvers.metrics import with_unit
from simulator.validation.datasheet.definitions import AtHighest, DatasheetItem, Highest, Metric, Passed, StaticState
from simulator.validation.datasheet.published_file import Figure, PublishedValue
from simulator.validation.datasheet.run_cases import CaseResult, CaseRun, Drives
from simulator.validation.datasheet.static_values import StaticValue, static_values_of

COMBINATIONS: Mapping[str, Callable[[Sequence[float]], float]] = {"mean": lambda x: math.fsum(x) / len(x), "min": min, "max": max}
"""Combinations of the values of several runs."""
ROUNDING = 1e-9
"""Magnitude below which a number is shown as 0, in any unit."""


AT_TEST_END = 0.98
"""Fraction of the value at which a test ends that a vehicle reaches in a test that it does not limit: the metrics are means."""


@dataclass(frozen=True)
class ItemValue:
    """An item with its value."""

    fact: DatasheetItem
    value: float | None
    """Value in SI units, or None."""
    reason: str
    """Reason for a missing value, or a remark."""
    figure: Figure | None

    @property
    def is_at_test_end(self) -> bool:
        """Return True if the vehicle reached the end of the test, so that the value is only a lower bound."""
        return self.value is not None and self.value > AT_TEST_END * self.fact.test_end

    @property
    def verdict(self) -> str:
        """Verdict: within, outside, not reached (a lower bound below the figure), no figure, or no number."""
        if self.value is None:
            return "no number"
        if self.figure is None:
            return "no figure"
        if self.figure.holds(self.value):
            return "within"
        if self.is_at_test_end and self.figure.is_above(self.value):
            return "not reached"
        return "outside"

    @property
    def shown(self) -> str:
        """Value for display in the display unit, without unit; for items with words, the word."""
        if self.value is None:
            return "-"
        if self.fact.words:
            n = round(self.value)
            return self.fact.words[n] if 0 <= n < len(self.fact.words) else f"{n}"
        number = self.value / self.fact.factor
        return f"{'>= ' * self.is_at_test_end}{number if abs(number) > ROUNDING else 0.0:.4g}"


def cases_of(fact: DatasheetItem) -> tuple[str, ...]:
    """Return the cases that an item needs."""
    source = fact.source
    if isinstance(source, Metric):
        return source.cases
    return (source.case,) if isinstance(source, Passed | Highest | AtHighest) else ()


def measure(
    vehicle: str,
    facts: Sequence[DatasheetItem],
    published: PublishedValue | None,
    changes: Mapping[str, Any] | None = None,
    progress: Callable[[str, str], None] = lambda case, run: None,
) -> list[ItemValue]:
    """Evaluate the items of a vehicle, in order.

    Parameters
    ----------
    vehicle : name or path
    published : published values to compare with
    changes : values of the vehicle by key path, as for a `Simulation`
    progress : called before each run with the case and the name of the run

    Raises
    ------
    JounceError : the file of the vehicle cannot be used. Later errors become the reasons of items without a value.
    """
    drives = Drives(vehicle, changes or {}, progress)
    parts = assemble({"vehicle": vehicle, "terrain": "flat"}, changes)
    values = (
        static_values_of(parts.vehicle, parts.ground)
        if any(isinstance(fact.source, StaticState) for fact in facts)
        else StaticValue({}, [])
    )
    figures = {} if published is None else published.figures
    rows = []
    for fact in facts:
        if isinstance(fact.source, StaticState):
            value = values.numbers.get(fact.name)
            reason = "" if value is not None else "; ".join(values.troubles) or "not defined for this vehicle"
        else:
            value, reason = _of_drives(fact, [drives.result(name) for name in cases_of(fact)])
        rows.append(ItemValue(fact, value, reason, figures.get(fact.name)))
    return rows


def _of_drives(fact: DatasheetItem, results: Sequence[CaseResult]) -> tuple[float | None, str]:
    """Return (value, reason) of an item that needs runs."""
    source = fact.source
    if isinstance(source, Metric):
        return _metric(fact, source, [run for result in results for run in result.runs], results)
    if isinstance(source, Highest):
        return _highest(source, results[0])
    if isinstance(source, AtHighest):
        return _at_highest(fact, source, results[0])
    assert isinstance(source, Passed)
    runs = _counting(results[0].runs, source.maneuver, {})
    failed = next((run.reason for run in runs if not run.metrics), "")
    if failed or not runs:
        return None, failed or results[0].reason or "not run"
    if any(run.passed is None for run in runs):
        return None, "the maneuver has no limits"
    wrong = [run for run in runs if not run.passed]
    ended = next((run.reason for run in wrong if run.reason), "")
    return float(not wrong), ended


def _counting(runs: Sequence[CaseRun], maneuver: str, given: Mapping[str, Any]) -> list[CaseRun]:
    """Return the counting runs of a maneuver with these parameters."""
    return [one for one in _fitting(runs, given) if one.run.counts and maneuver in ("", one.run.maneuver)]


def _fitting(runs: Sequence[CaseRun], given: Mapping[str, Any]) -> list[CaseRun]:
    """Return the runs with these parameters."""
    return [one for one in runs if all(one.run.parameters.get(key) == value for key, value in given.items())]


def _metric(fact: DatasheetItem, source: Metric, runs: Sequence[CaseRun], results: Sequence[CaseResult]) -> tuple[float | None, str]:
    runs = _counting(runs, source.maneuver, source.given)
    values = [run.metrics.get(with_unit(source.name, fact.unit)) for run in runs]
    known = [value for value in values if value is not None]
    if known and len(known) == len(values):
        return COMBINATIONS[source.of](known), ""
    reasons = [run.reason for run, value in zip(runs, values, strict=True) if value is None and run.reason]
    reasons += [result.reason for result in results if result.reason]
    return None, "; ".join(dict.fromkeys(reasons)) or f"no {source.name.replace('_', ' ')} in {runs[0].run.label if runs else 'any run'}"


def _highest(source: Highest, result: CaseResult) -> tuple[float | None, str]:
    for metrics in result.found:
        if all(metrics.get(key) == value for key, value in source.given.items()):
            if metrics["value"] is None:
                return None, f"no run passed: {_why(result, source.given)}"
            tried = [run.run.parameters[metrics["parameter"]] for run in _fitting(result.runs, source.given)]
            remarks = ["the highest tried"] if metrics["value"] == metrics["highest_tried"] else []
            remarks += ["the lowest tried"] if metrics["value"] == min(tried) else []
            if metrics["failed_below"]:
                remarks.append(f"but failed at {metrics['parameter']} {', '.join(f'{value:.4g}' for value in metrics['failed_below'])} too")
            return float(metrics["value"]) * _to_si(str(metrics["parameter"])), ", ".join(remarks)
    return None, result.reason or "no search"


def _to_si(parameter: str) -> float:
    """Return the factor to SI of a parameter, from its unit suffix."""
    return 1.0 / 3.6 if parameter.endswith("_kph") else 1.0


def _why(result: CaseResult, given: Mapping[str, Any]) -> str:
    """Return the failure of the first run of a search with these parameters."""
    return next((run.reason for run in _fitting(result.runs, given) if run.reason), "limits violated")


def _at_highest(fact: DatasheetItem, source: AtHighest, result: CaseResult) -> tuple[float | None, str]:
    passed = [run for run in result.runs if run.passed]
    if not passed:
        return None, result.reason or f"no run passed: {_why(result, {})}"
    best = max(passed, key=lambda run: run.run.parameters[source.parameter])
    value = best.metrics.get(with_unit(source.name, fact.unit))
    return (None, f"no {source.name.replace('_', ' ')}") if value is None else (value, "")
