"""The keys of a file in ``configs/optimizations``: what varies, what is to be least or greatest, and within which limits."""

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

_METRIC = Text("a metric with its unit, as metrics.json has it")
_GOAL = Either(
    (_METRIC, Named(Number(), "metrics, each with what it counts", least=1)),
    "a metric with its unit, or several, each with what it counts: the sum of them",
)
_LIMIT: Fields = (
    Field("min", Number(), "no less than this, in the unit of the metric", None),
    Field("max", Number(), "no more than this", None),
)
_DRIVE: Fields = (*DRIVEN_FIELDS, Field("weight", Number("", 0.0), "what this drive counts in the sum over all", 1.0))

FIELDS: Fields = (
    Field("name", NAME, "name of the optimisation"),
    Field("title", Text("text", empty=True), "what is shown to people", ""),
    *DRIVEN_FIELDS,
    Field(
        "drives",
        ListOf(Group(_DRIVE), least=1),
        "several drives, whose sum is looked at; what each says stands above the same keys here",
        None,
    ),
    Field("parameters", PARAMETERS, "what varies, by a name for people"),
    Field("minimize", _GOAL, "what is to be least", None),
    Field("maximize", _GOAL, "what is to be greatest, instead", None),
    Field("limits", Named(Group(_LIMIT), "metrics, each with min, max or both"), "within which it has to stay in every drive", None),
    Field(
        "penalty",
        Number("", 0.0, above=0.0),
        "what it costs to be beyond a limit by as much as the limit itself, in the unit of what is least or greatest; ten times that at the "
        "start when left out",
        None,
    ),
    Field("seed", Number("", 0, LARGEST_SEED, whole=True), "of the search; the same seed gives the same search", 1),
    Field("runs", Number("", 2, 1_000_000, whole=True), "no generation is begun that would take more than so many runs in all", 500),
    Field("population", Number("", 4, 10_000, whole=True), "sets of a generation; 4 + 3 ln(parameters) when left out", None),
    Field("spread", Number("1", 0.0, 1.0, above=0.0), "how far from the start the first generation goes, as a share of the ranges", 0.25),
    Field(
        "tolerance",
        Number("1", 0.0, 0.5, above=0.0),
        "the search ends where a generation spreads over less than this share of the ranges",
        0.002,
    ),
    Field("target", Number(), "the search ends where this is reached", None),
)
FILE = Group(FIELDS)
"""Of a file in ``configs/optimizations``."""


@dataclass(frozen=True)
class Limit:
    """Of a metric, in its unit; either may be None."""

    low: float | None
    high: float | None

    def beyond(self, value: float) -> float:
        """How far beyond it a value is, as a share of the limit (of 1 where that is 0)."""
        beyond = 0.0
        if self.low is not None:
            beyond += max(0.0, self.low - value) / (abs(self.low) or 1.0)
        if self.high is not None:
            beyond += max(0.0, value - self.high) / (abs(self.high) or 1.0)
        return beyond


@dataclass(frozen=True)
class Optimization:
    """A file, read and checked but for the metrics that it names.

    Attributes
    ----------
    drives : what is driven, each with what it counts
    sign : 1 where the goal is to be least, -1 where it is to be greatest
    goal : metrics with what they count
    """

    file: str
    name: str
    title: str
    parameters: tuple[Parameter, ...]
    drives: tuple[tuple[Base, float], ...]
    sign: float
    goal: Mapping[str, float]
    limits: Mapping[str, Limit]
    said: Mapping[str, Any]

    @property
    def where(self) -> str:
        """Key of the file that says the goal."""
        return "minimize" if self.sign > 0.0 else "maximize"


def read_optimization(file: str | Path) -> Optimization:
    """A file of an optimisation, with its base if it names one. Raises ConfigError."""
    return optimization_of(read_layers("optimizations", Path(file)).content, str(file))


def optimization_of(content: Any, file: str) -> Optimization:
    """The same out of its content."""
    said = read(FIELDS, content, file)
    drives = said.get("drives") or ({"weight": 1.0},)
    with ErrorCollector() as faults:
        with faults.part():
            parameters = read_parameters(said["parameters"], file)
        check_keys(said.get("set"), file, "set", faults)
        if ("minimize" in said) == ("maximize" in said):
            faults.add(ConfigError(file, "minimize", "both" if "minimize" in said else "neither", "either minimize or maximize"))
        for n, one in enumerate(drives):
            key = f"drives[{n}]" if "drives" in said else ""
            check_keys(one.get("set"), file, f"{key}.set", faults)
            if not any(source.get(name) for source in (said, one) for name in ("maneuver", "session")):
                faults.add(ConfigError(file, f"{key}.maneuver".lstrip("."), "nothing", "a maneuver, or a session that names one"))
        limits = said.get("limits") or {}
        for name, limit in limits.items():
            if "min" not in limit and "max" not in limit:
                faults.add(ConfigError(file, f"limits.{name}", "neither", "min, max or both"))
    goal = said["minimize"] if "minimize" in said else said["maximize"]
    return Optimization(
        file, said["name"], said["title"] or said["name"], parameters,
        tuple((base_of(said) | base_of(one, f"drives[{n}]"), float(one["weight"])) for n, one in enumerate(drives)),
        1.0 if "minimize" in said else -1.0,
        {goal: 1.0} if isinstance(goal, str) else dict(goal),
        {name: Limit(limit.get("min"), limit.get("max")) for name, limit in limits.items()},
        said,
    )  # fmt: skip
