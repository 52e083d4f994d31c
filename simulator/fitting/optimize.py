"""Optimization: goal, limits as penalties, evaluated sets and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean
from simulator.configuration.configuration import Configuration
from simulator.fitting.cma_es import Plan, search
from simulator.fitting.iterations import Outcome
from simulator.fitting.keys import changed, check_ends, configured, named
from simulator.fitting.optimization_file import Optimization
from simulator.fitting.run_request import RunRequest

MUCH = 10.0
"""Default penalty for exceeding a limit by 100 %, as a multiple of the goal at the start."""
AT_BOUND = 1e-3
"""Distance from an end of the range, as a fraction of it, below which a parameter counts as at its bound."""


class Drives(Protocol):
    """Executor of runs, one sweep at a time."""

    def outcomes(self, wanted: Sequence[RunRequest]) -> list[Outcome]:
        """Return the outcomes of the runs."""


@dataclass(frozen=True)
class Candidate:
    """An evaluated set of parameters.

    Attributes
    ----------
    generation : number of the generation; 0 is the start
    u : (p,) normalized parameters
    goal : value of the goal; NaN if a run failed
    cost : cost used by the search
    beyond : violated limits with their relative excess, summed over the drives
    metrics : metrics of every drive
    failure : reason for a missing goal
    """

    generation: int
    u: Array
    goal: float
    cost: float
    beyond: Mapping[str, float]
    metrics: Sequence[Mapping[str, float | None]]
    failure: str

    @property
    def sound(self) -> bool:
        """True if the set has a goal and satisfies all limits."""
        return not self.failure and not self.beyond


@dataclass
class Search:
    """Search for the best set, with all candidates so far.

    Raises ConfigError: a run cannot start, or a metric is missing.
    """

    file: Optimization
    drives: Drives
    progress: Callable[[Search], None]
    tried: list[Candidate] = field(default_factory=list)
    penalty: float = 0.0
    why: str = ""
    """Reason for the end of the search."""
    spread: Array = field(default_factory=lambda: np.empty(0))
    """(p,) spread of the last generation in u."""

    def __post_init__(self) -> None:
        self.bases: list[Configuration] = []
        for base, _ in self.file.drives:
            one = configured(base, self.file.file)
            one.expand_all()
            check_ends(one, self.file.parameters, self.file.file)
            self.bases.append(one)

    @property
    def best(self) -> Candidate:
        """Best candidate that satisfies all limits; without one, the candidate of minimum cost."""
        return min(self.tried, key=lambda one: (not one.sound, one.cost if np.isfinite(one.cost) else np.inf))

    @property
    def runs(self) -> int:
        """Number of requested runs."""
        return len(self.tried) * len(self.bases)

    def values(self, u: Array) -> list[float]:
        """Return the (p,) values at u."""
        return [one.value(share) for one, share in zip(self.file.parameters, u, strict=True)]

    def applied(self, u: Array, drive: int = 0) -> Configuration:
        """Return the configuration of a drive with values of the parameters. Build only a copy of it."""
        return changed(self.bases[drive], self.file.parameters, self.values(u), self.file.file)

    def run(self) -> None:
        """Run the search. Raises JounceError: `cma` is not installed, or the start cannot be simulated."""
        given = self.file.given
        start = np.array([one.share(one.start) for one in self.file.parameters])
        plan = Plan(start, given["seed"], given["spread"], given["tolerance"], given.get("population"), given["runs"], len(self.bases))
        self.why, self.spread = search(self._evaluate, plan, self._reached)

    def _reached(self) -> bool:
        target, sign = self.file.given.get("target"), self.file.sign
        return target is not None and any(one.sound and sign * one.goal <= sign * target for one in self.tried)

    def _evaluate(self, points: Sequence[Array]) -> list[float]:
        """Simulate sets of parameters and return their costs."""
        generation = self.tried[-1].generation + 1 if self.tried else 0
        wanted = []
        for u in points:
            for n in range(len(self.bases)):
                drive = {"drive": n} if len(self.bases) > 1 else {}
                wanted.append(RunRequest(named(self.values(u), self.file.parameters) | drive, self.applied(u, n).plain()))
        found = self.drives.outcomes(wanted)
        each = len(self.bases)
        if not self.tried:
            self._begin(found)
        new = [self._candidate(generation, u, found[n * each : (n + 1) * each]) for n, u in enumerate(points)]
        self.tried += new
        self.progress(self)
        return [one.cost for one in new]

    def _begin(self, found: Sequence[Outcome]) -> None:
        """Check that the start has all metrics, and set the default penalty."""
        file = self.file
        for outcome in found:
            if outcome.failure:
                raise ConfigError(file.file, "parameters", "the start", f"a run without failure: {outcome.failure}")
            for name, where in [*((name, file.where) for name in file.goal), *((name, f"limits.{name}") for name in file.limits)]:
                if outcome.metrics.get(name) is None:
                    there = [one for one, value in outcome.metrics.items() if value is not None]
                    raise ConfigError(file.file, where, name, f"a metric of this drive: {', '.join(there)}{did_you_mean(name, there)}")
        self.penalty = file.given.get("penalty") or MUCH * abs(self._goal(found)) or MUCH

    def _goal(self, found: Sequence[Outcome]) -> float:
        total = 0.0
        for outcome, (_, weight) in zip(found, self.file.drives, strict=True):
            for name, counts in self.file.goal.items():
                value = outcome.metrics.get(name)
                total += np.nan if value is None else weight * counts * value
        return float(total)

    def _candidate(self, generation: int, u: Array, found: Sequence[Outcome]) -> Candidate:
        failure = next((one.failure for one in found if one.failure), "")
        goal = np.nan if failure else self._goal(found)
        if not failure and not np.isfinite(goal):
            failure = "a requested metric has no value"
        beyond: dict[str, float] = {}
        for name, limit in {} if failure else self.file.limits.items():
            values = [one.metrics.get(name) for one in found]
            if any(value is None for value in values):
                failure, goal = f"{name} has a limit but no value", np.nan
                break
            total = sum(limit.beyond(value) for value in values if value is not None)
            if total > 0.0:
                beyond[name] = total
        cost = self.file.sign * goal + self.penalty * sum(beyond.values())
        return Candidate(generation, np.array(u), goal, float(cost), beyond, [one.metrics for one in found], failure)


def notes(found: Search) -> list[str]:
    """Return notes for the reader, a line each."""
    best, out = found.best, []
    if best.failure or best.beyond:
        wrong = ", ".join(f"{name} by {100.0 * share:.3g} %" for name, share in best.beyond.items())
        out.append(f"no set satisfies all limits; the best one exceeds {wrong}" if wrong else "no set could be simulated")
    if found.tried[0].beyond and best.sound:
        out.append(f"the start violates {', '.join(found.tried[0].beyond)}; the best set does not")
    for one, u in zip(found.file.parameters, best.u, strict=True):
        if u < AT_BOUND or u > 1.0 - AT_BOUND:
            end = "lower" if u < AT_BOUND else "upper"
            out.append(f"{one.name} is at its {end} bound, {one.value(float(u)):.5g}: better values may lie beyond")
    failed = sum(bool(one.failure) for one in found.tried)
    if failed:
        first = next(one.failure for one in found.tried if one.failure)
        out.append(f"{failed} of {len(found.tried)} sets have no result; reason of the first: {first}")
    return out


def result(found: Search) -> dict[str, Any]:
    """Return the result as plain data, the content of ``optimization.json`` under "result"."""
    file, best, start = found.file, found.best, found.tried[0]
    spread = found.spread if len(found.spread) else np.full(len(file.parameters), np.nan)
    return {
        "name": file.name,
        "title": file.title,
        "goal": {"what": file.where, "metrics": dict(file.goal), "start": start.goal, "best": best.goal},
        "parameters": [
            {
                "name": one.name,
                "keys": list(one.keys),
                "as": "factor" if one.factor else "value",
                "value": one.value(float(u)),
                "spread": abs(one.slope(float(u)) * float(width)),
                "start": one.start,
                "least": one.least,
                "most": one.most,
            }
            for one, u, width in zip(file.parameters, best.u, spread, strict=True)
        ],
        "kept": best.sound,
        "beyond": dict(best.beyond),
        "limits": {name: {"min": one.low, "max": one.high} for name, one in file.limits.items()},
        "drives": [
            {"maneuver": base.name("maneuver"), "vehicle": base.name("vehicle"), "weight": weight, "start": at_start, "best": at_best}
            for base, (_, weight), at_start, at_best in zip(found.bases, file.drives, start.metrics, best.metrics, strict=True)
        ],
        "search": {
            "seed": file.given["seed"],
            "why": found.why,
            "runs": found.runs,
            "penalty": found.penalty,
            "tried": [_tried(found, one) for one in found.tried],
        },
    }


def _tried(found: Search, one: Candidate) -> dict[str, Any]:
    values = named(found.values(one.u), found.file.parameters)
    given: dict[str, Any] = {"generation": one.generation, **values, "goal": one.goal, "cost": one.cost, "beyond": dict(one.beyond)}
    return given | ({"failure": one.failure} if one.failure else {})
