"""Keys of a file in ``configs/optimizations``: parameters, goal and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Either, Field, Fields, Group, ListOf, Named, Number, Text, read
from simulator.configuration.layers import read_layers
from simulator.configuration.session_file import LARGEST_SEED
from simulator.fitting.keys import DRIVEN_FIELDS, NAME, PARAMETERS, Base, Parameter, base_of, check_keys, read_parameters

_METRIC = Text("a metric with its unit, as in metrics.json")
_GOAL = Either(
    (_METRIC, Named(Number(), "metrics, each with its weight", least=1)),
    "a metric with its unit, or several metrics with weights for a sum",
)
_LIMIT: Fields = (
    Field("min", Number(), "lower limit, in the unit of the metric", None),
    Field("max", Number(), "upper limit, in the unit of the metric", None),
)
_DRIVE: Fields = (*DRIVEN_FIELDS, Field("weight", Number("", 0.0), "weight of the drive in the sum over all drives", 1.0))

FIELDS: Fields = (
    Field("name", NAME, "name of the optimization"),
    Field("title", Text("text", empty=True), "title for display", ""),
    *DRIVEN_FIELDS,
    Field(
        "drives",
        ListOf(Group(_DRIVE), least=1),
        "drives whose goals are summed; their keys override the same keys of the file",
        None,
    ),
    Field("parameters", PARAMETERS, "varied parameters, by display name"),
    Field("minimize", _GOAL, "metric or weighted sum to minimize", None),
    Field("maximize", _GOAL, "metric or weighted sum to maximize, instead of `minimize`", None),
    Field("limits", Named(Group(_LIMIT), "metrics, each with min, max or both"), "limits of metrics in every drive", None),
    Field(
        "penalty",
        Number("", 0.0, above=0.0),
        "cost of exceeding a limit by 100 %, in the unit of the goal (default: ten times the goal at the start)",
        None,
    ),
    Field("seed", Number("", 0, LARGEST_SEED, whole=True), "seed of the search; the same seed gives the same search", 1),
    Field("runs", Number("", 2, 1_000_000, whole=True), "maximum number of runs; no generation starts that would exceed it", 500),
    Field("population", Number("", 4, 10_000, whole=True), "number of sets in a generation (default: 4 + 3 ln(parameters))", None),
    Field("spread", Number("1", 0.0, 1.0, above=0.0), "standard deviation of the first generation, as a fraction of the ranges", 0.25),
    Field(
        "tolerance",
        Number("1", 0.0, 0.5, above=0.0),
        "spread of a generation below which the search ends, as a fraction of the ranges",
        0.002,
    ),
    Field("target", Number(), "value of the goal at which the search ends", None),
)
FILE = Group(FIELDS)
"""Keys of a file in ``configs/optimizations``."""


@dataclass(frozen=True)
class Limit:
    """Limits of a metric, in its unit; either may be None."""

    low: float | None
    high: float | None

    def beyond(self, value: float) -> float:
        """Return by how much a value exceeds the limits, relative to the limit (absolute if the limit is 0)."""
        beyond = 0.0
        if self.low is not None:
            beyond += max(0.0, self.low - value) / (abs(self.low) or 1.0)
        if self.high is not None:
            beyond += max(0.0, value - self.high) / (abs(self.high) or 1.0)
        return beyond


@dataclass(frozen=True)
class Optimization:
    """Content of an optimization file, checked except for the metrics.

    Attributes
    ----------
    drives : session values of each drive, with its weight
    sign : 1 to minimize the goal, -1 to maximize it
    goal : metrics with weights
    """

    file: str
    name: str
    title: str
    parameters: tuple[Parameter, ...]
    drives: tuple[tuple[Base, float], ...]
    sign: float
    goal: Mapping[str, float]
    limits: Mapping[str, Limit]
    given: Mapping[str, Any]

    @property
    def where(self) -> str:
        """Key of the goal in the file."""
        return "minimize" if self.sign > 0.0 else "maximize"


def read_optimization(file: str | Path) -> Optimization:
    """Return the content of an optimization file, including its base file. Raises ConfigError."""
    return optimization_of(read_layers("optimizations", Path(file)).content, str(file))


def optimization_of(content: Any, file: str) -> Optimization:
    """Return the optimization for the content of a file. Raises ConfigError."""
    given = read(FIELDS, content, file)
    drives = given.get("drives") or ({"weight": 1.0},)
    with ErrorCollector() as faults:
        with faults.part():
            parameters = read_parameters(given["parameters"], file)
        check_keys(given.get("set"), file, "set", faults)
        if ("minimize" in given) == ("maximize" in given):
            faults.add(ConfigError(file, "minimize", "both" if "minimize" in given else "neither", "either minimize or maximize"))
        for n, one in enumerate(drives):
            key = f"drives[{n}]" if "drives" in given else ""
            check_keys(one.get("set"), file, f"{key}.set", faults)
            if not any(source.get(name) for source in (given, one) for name in ("maneuver", "session")):
                faults.add(ConfigError(file, f"{key}.maneuver".lstrip("."), "nothing", "a maneuver, or a session that names one"))
        limits = given.get("limits") or {}
        for name, limit in limits.items():
            if "min" not in limit and "max" not in limit:
                faults.add(ConfigError(file, f"limits.{name}", "neither", "min, max or both"))
    goal = given["minimize"] if "minimize" in given else given["maximize"]
    return Optimization(
        file, given["name"], given["title"] or given["name"], parameters,
        tuple((base_of(given) | base_of(one, f"drives[{n}]"), float(one["weight"])) for n, one in enumerate(drives)),
        1.0 if "minimize" in given else -1.0,
        {goal: 1.0} if isinstance(goal, str) else dict(goal),
        {name: Limit(limit.get("min"), limit.get("max")) for name, limit in limits.items()},
        given,
    )  # fmt: skip
