"""An optimisation from its file to its result: the sum that is to be least, limits as penalties, and all sets that were driven."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean
from simulator.configuration.configuration import Configuration
from simulator.fitting.cma_es import Plan, search
from simulator.fitting.iterations import Outcome
from simulator.fitting.keys import changed, check_ends, configured, named
from simulator.fitting.optimization_file import Optimization
from simulator.fitting.run_request import RunRequest

Array = NDArray[np.float64]

MUCH = 10.0
"""Times the goal at the start that it costs to be beyond a limit by as much as the limit itself, where the file says nothing."""
AT_BOUND = 1e-3
"""1. Share of its range from an end of which a parameter is said to lie at it."""


class Drives(Protocol):
    """Who has runs driven, a sweep at a time."""

    def outcomes(self, wanted: Sequence[RunRequest]) -> list[Outcome]:
        """What came of each of them."""


@dataclass(frozen=True)
class Tried:
    """A set of parameters that was driven.

    Attributes
    ----------
    generation : 0 is the start
    u : (p,) shares of the ranges
    goal : what is to be least or greatest; NaN where a run failed
    cost : what the search saw
    beyond : of every limit that is not kept, how far, summed over the drives
    metrics : of every drive
    failure : why there is no goal
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
        """Whether it has a goal and keeps all limits."""
        return not self.failure and not self.beyond


@dataclass
class Search:
    """What has been tried so far, and how a set is judged.

    Raises ConfigError: something cannot be driven, or a metric is not measured.
    """

    file: Optimization
    drives: Drives
    told: Callable[[Search], None]
    tried: list[Tried] = field(default_factory=list)
    penalty: float = 0.0
    why: str = ""
    """Why it has ended."""
    spread: Array = field(default_factory=lambda: np.empty(0))
    """(p,) u, of the last generation."""

    def __post_init__(self) -> None:
        self.bases: list[Configuration] = []
        for base, _ in self.file.drives:
            one = configured(base, self.file.file)
            one.expand_all()
            check_ends(one, self.file.parameters, self.file.file)
            self.bases.append(one)

    @property
    def best(self) -> Tried:
        """The best that keeps all limits; where none does, the one that costs least."""
        return min(self.tried, key=lambda one: (not one.sound, one.cost if np.isfinite(one.cost) else np.inf))

    @property
    def runs(self) -> int:
        """That were asked for."""
        return len(self.tried) * len(self.bases)

    def values(self, u: Array) -> list[float]:
        """(p,) values at u."""
        return [one.value(share) for one, share in zip(self.file.parameters, u, strict=True)]

    def applied(self, u: Array, drive: int = 0) -> Configuration:
        """The configuration of a drive with values of the parameters; not to be built, but a copy."""
        return changed(self.bases[drive], self.file.parameters, self.values(u), self.file.file)

    def run(self) -> None:
        """Look for the best set. Raises JounceError besides: `cma` is not installed, or the start cannot be driven."""
        said = self.file.said
        start = np.array([one.share(one.start) for one in self.file.parameters])
        plan = Plan(start, said["seed"], said["spread"], said["tolerance"], said.get("population"), said["runs"], len(self.bases))
        self.why, self.spread = search(self._judge, plan, self._reached)

    def _reached(self) -> bool:
        target, sign = self.file.said.get("target"), self.file.sign
        return target is not None and any(one.sound and sign * one.goal <= sign * target for one in self.tried)

    def _judge(self, points: Sequence[Array]) -> list[float]:
        """Drive some sets and say what each costs."""
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
        new = [self._judged(generation, u, found[n * each : (n + 1) * each]) for n, u in enumerate(points)]
        self.tried += new
        self.told(self)
        return [one.cost for one in new]

    def _begin(self, found: Sequence[Outcome]) -> None:
        """The start: it has to have all metrics, and says what is much."""
        file = self.file
        for outcome in found:
            if outcome.failure:
                raise ConfigError(file.file, "parameters", "the start", f"a run that can be driven: {outcome.failure}")
            for name, where in [*((name, file.where) for name in file.goal), *((name, f"limits.{name}") for name in file.limits)]:
                if outcome.metrics.get(name) is None:
                    there = [one for one, value in outcome.metrics.items() if value is not None]
                    raise ConfigError(file.file, where, name, f"a metric of this drive{did_you_mean(name, there)}: {', '.join(there)}")
        self.penalty = file.said.get("penalty") or MUCH * abs(self._goal(found)) or MUCH

    def _goal(self, found: Sequence[Outcome]) -> float:
        total = 0.0
        for outcome, (_, weight) in zip(found, self.file.drives, strict=True):
            for name, counts in self.file.goal.items():
                value = outcome.metrics.get(name)
                total += np.nan if value is None else weight * counts * value
        return float(total)

    def _judged(self, generation: int, u: Array, found: Sequence[Outcome]) -> Tried:
        failure = next((one.failure for one in found if one.failure), "")
        goal = np.nan if failure else self._goal(found)
        if not failure and not np.isfinite(goal):
            failure = "a metric that is asked for has no value"
        beyond: dict[str, float] = {}
        for name, limit in {} if failure else self.file.limits.items():
            values = [one.metrics.get(name) for one in found]
            if any(value is None for value in values):
                failure, goal = f"{name} has no value, and has a limit", np.nan
                break
            total = sum(limit.beyond(value) for value in values if value is not None)
            if total > 0.0:
                beyond[name] = total
        cost = self.file.sign * goal + self.penalty * sum(beyond.values())
        return Tried(generation, np.array(u), goal, float(cost), beyond, [one.metrics for one in found], failure)


def notes(found: Search) -> list[str]:
    """What a reader has to know, a line each."""
    best, out = found.best, []
    if best.failure or best.beyond:
        wrong = ", ".join(f"{name} by {100.0 * share:.3g} %" for name, share in best.beyond.items())
        out.append(f"no set keeps all limits; the one shown is beyond {wrong}" if wrong else "no set could be driven")
    if found.tried[0].beyond and best.sound:
        out.append(f"the start does not keep {', '.join(found.tried[0].beyond)}; the best set does")
    for one, u in zip(found.file.parameters, best.u, strict=True):
        if u < AT_BOUND or u > 1.0 - AT_BOUND:
            end = "least" if u < AT_BOUND else "most"
            out.append(f"{one.name} is at its {end}, {one.value(float(u)):.5g}: beyond, it might be better still")
    failed = sum(bool(one.failure) for one in found.tried)
    if failed:
        first = next(one.failure for one in found.tried if one.failure)
        out.append(f"{failed} of {len(found.tried)} sets have no result, the first because: {first}")
    return out


def result(found: Search) -> dict[str, Any]:
    """The result as plain data: what ``optimisation.json`` holds under "result"."""
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
            "seed": file.said["seed"],
            "why": found.why,
            "runs": found.runs,
            "penalty": found.penalty,
            "tried": [_tried(found, one) for one in found.tried],
        },
    }


def _tried(found: Search, one: Tried) -> dict[str, Any]:
    values = named(found.values(one.u), found.file.parameters)
    said: dict[str, Any] = {"generation": one.generation, **values, "goal": one.goal, "cost": one.cost, "beyond": dict(one.beyond)}
    return said | ({"failure": one.failure} if one.failure else {})
