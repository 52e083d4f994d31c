"""What a maneuver asks of its drive: analyses by name, metrics of its own by expressions, and pass marks on any of their numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Field, Fields, Group, ListOf, Named, Number, Text, Variants, printed
from simulator.base.records import join, record
from simulator.base.suggestions import did_you_mean
from simulator.base.units import SUFFIXES, spellings, split_unit
from simulator.maneuvers import expressions
from simulator.maneuvers.analyses.contract import Analysis, Drive, Found, Metric
from simulator.maneuvers.analyses.kinds import ANALYSES
from simulator.maneuvers.metrics import METRICS, Limit
from simulator.telemetry.channels import Channels
from vehicles.axle_layout import USUAL_AXLES
from vehicles.command import COMMAND
from vehicles.readout import READOUT

EXPRESSION = "expression"
"""Word behind `type` of a metric that the file makes itself."""
SLOWEST, FASTEST = 100.0, 2000.0
"""Rows per second that an expression may want."""

_WORD = r"^[A-Za-z][A-Za-z0-9_]{0,60}\Z"
_PREFIX = Field(
    "name", Text("letters, digits and _", pattern=_WORD), "goes before the names of its metrics, to tell two of a type apart", ""
)
_PHASE = Field("phase", Text("the name of a phase"), "whose rows count; the whole drive when left out", "")
_OWN: Fields = (
    Field("name", Text("letters, digits and _", pattern=_WORD), "name of the metric"),
    Field("of", Text("an expression"), "what it is, see docs/metrics.md"),
    Field("unit", Choice((*SUFFIXES, "1", "1/s", "V", "J")), "unit of what the expression gives", "1"),
    Field("meaning", Text("text"), "what is shown to people", ""),
    Field(
        "channels", ListOf(Text("the name of a column")), "columns of the expression that are not the vehicle's, as those of a sensor", ()
    ),
    Field(
        "rate", Number("rad/s", math.tau * SLOWEST, math.tau * FASTEST), "rows per second that it needs", math.tau * SLOWEST, written="Hz"
    ),
)


def _fields(word: str) -> Fields:
    return _OWN if word == EXPRESSION else (_PREFIX, _PHASE, *ANALYSES[word].parameters)


METRICS_LIST = ListOf(Variants("type", _fields, (*ANALYSES, EXPRESSION), "what is looked at"))
"""Behind `metrics` of a maneuver."""
LIMITS = Named(
    Group((Field("min", Number(), "no less than this", None), Field("max", Number(), "no more than this", None))),
    "metrics, each with min, max or both",
    known=tuple(spelled for metric in METRICS for spelled in spellings(metric.name, metric.unit)),
    unless="metrics",
)
"""Behind `limits`; `read_limits` knows which there are."""


@dataclass(frozen=True)
class AnalysisRequest:
    """An analysis as a maneuver asks for it.

    Attributes
    ----------
    values : of its parameters, in SI
    metrics : with the names that they have in this maneuver
    """

    analysis: Analysis
    values: Mapping[str, Any]
    metrics: tuple[Metric, ...]

    @property
    def prefix(self) -> str:
        """Before the names of its metrics and curves."""
        return self.metrics[0].name.removesuffix(self.analysis.metrics[0].name)

    def look(self, drive: Drive) -> Found:
        """What it finds; a number for each of its metrics, NaN where there is none."""
        phase = self.values.get("phase")
        missing = phase and (phase not in drive.phases or len(drive.time[drive.phases[phase]]) < FEWEST_ROWS)
        found = Found({}, {}) if missing else self.analysis.evaluate(drive, self.values)
        pairs = zip(self.analysis.metrics, self.metrics, strict=True)
        values = {asked.name: float(found.values.get(own.name, math.nan)) for own, asked in pairs}
        return Found(values, {f"{self.prefix}{name}": curve for name, curve in found.curves.items()})


FEWEST_ROWS = 3
"""Of a phase, for there to be something to look at."""


def read_analysis_requests(sections: Sequence[Any], file: object, phases: Sequence[str]) -> tuple[AnalysisRequest, ...]:
    """What the list under `metrics` asks for. Raises ConfigError: a wrong expression, no such phase, or two metrics of one name."""
    out: list[AnalysisRequest] = []
    given = {metric.name: "" for metric in METRICS}
    with ErrorCollector() as faults:
        for n, values in enumerate(sections):
            key = f"metrics[{n}]"
            with faults.part():
                one = _own(values, file, key, phases) if values["type"] == EXPRESSION else _asked(values, file, key, phases)
                for metric in one.metrics:
                    if metric.name in given:
                        other = given[metric.name] or "every drive"
                        raise ConfigError(file, f"{key}.name", values["name"] or "nothing", f"another name: {metric.name} is of {other}")
                given |= dict.fromkeys((metric.name for metric in one.metrics), key)
                out.append(one)
    return tuple(out)


def _asked(values: Mapping[str, Any], file: object, key: str, phases: Sequence[str]) -> AnalysisRequest:
    analysis, prefix = ANALYSES[values["type"]], f"{values['name']}_" if values["name"] else ""
    if values["phase"] and values["phase"] not in phases:
        raise ConfigError(file, f"{key}.phase", values["phase"], expressions.no_such_phase(values["phase"], phases))
    return AnalysisRequest(analysis, values, tuple(replace(metric, name=prefix + metric.name) for metric in analysis.metrics))


def _own(values: Mapping[str, Any], file: object, key: str, phases: Sequence[str]) -> AnalysisRequest:
    """A metric that the file makes itself."""
    more = values["channels"]
    expression = expressions.parse(values["of"], file, f"{key}.of", _is_channel(more), (*USUAL_CHANNELS, *more), phases)
    metric = Metric(values["name"], values["unit"], values["meaning"] or values["of"], "own expression")

    def evaluate(drive: Drive, values: Mapping[str, Any]) -> Found:
        return Found({metric.name: expression.value(drive)}, {})

    columns = tuple(name for name in expression.channels if name not in MADE)
    return AnalysisRequest(Analysis(EXPRESSION, (metric,), evaluate, columns=columns, rate=values["rate"] / math.tau), values, (metric,))


MADE = ("x", "y", "x_G", "y_G", "heading")
"""Columns of a `Drive` that no log has."""
USUAL_CHANNELS = (
    *(column.name for column in Channels([("", READOUT, record(READOUT)), ("command_", COMMAND, record(COMMAND))]).columns),
    *MADE,
    "phase",
)
"""Columns that an expression may name without saying so under `channels`, of a vehicle with the usual wheels."""
_CORNER = re.compile(r"_[A-Z][LRM](?=_|$)")


def _is_channel(more: Iterable[str]) -> Callable[[str], bool]:
    known = {*USUAL_CHANNELS, *more}
    # a vehicle with other axles has other corners
    return lambda name: name in known or _CORNER.sub(f"_{USUAL_AXLES.corners[0]}", name, count=1) in known


def channels_of(asked: Iterable[AnalysisRequest]) -> tuple[str, ...]:
    """Of the telemetry, what the analyses of a maneuver need beyond the usual columns."""
    return tuple(dict.fromkeys(column for one in asked for column in one.analysis.columns))


def rate_of(asked: Iterable[AnalysisRequest], usual: float) -> float:
    """Rows per second that all of them need."""
    return max((usual, *(one.analysis.rate for one in asked)))


# ---- limits ----


def _units_of(asked: Iterable[AnalysisRequest]) -> dict[str, str]:
    """SI unit of every metric there is, by name."""
    own = {metric.name: metric.unit for one in asked for metric in one.metrics}
    return {metric.name: metric.unit for metric in METRICS} | own


def read_limits(
    written: Mapping[str, Any], asked: Sequence[AnalysisRequest], file: object, *, has_path: bool, has_course: bool
) -> dict[str, Limit]:
    """Pass marks by name of the metric, in SI. Raises ConfigError."""
    limits: dict[str, Limit] = {}
    with ErrorCollector() as faults:
        for key, bounds in written.items():
            with faults.part():
                name, limit = _limit(key, bounds, asked, file, has_path, has_course)
                if name in limits:
                    raise ConfigError(file, join("limits", printed(key)), bounds, f"{name} once, not in two units")
                limits[name] = limit
    return limits


def _limit(key: str, bounds: Any, asked: Sequence[AnalysisRequest], file: object, has_path: bool, has_course: bool) -> tuple[str, Limit]:
    """Name of the metric and its pass mark, in SI, from one key of `limits`. Raises ConfigError."""
    path, units = join("limits", printed(key)), _units_of(asked)
    name, factor = split_unit(str(key), units)
    if name is None:
        near = did_you_mean(key, [spelled for name, unit in units.items() for spelled in spellings(name, unit)])
        raise ConfigError(file, path, bounds, f"no such metric{near}{_giver(str(key))}; known: {', '.join(units)}")
    needs = next((metric.needs for metric in METRICS if metric.name == name), "")
    if (needs == "course" and not has_course) or (needs == "path" and not has_path):
        raise ConfigError(file, path, bounds, f"a metric that exists here: {name} needs a {needs}")
    if not bounds:
        raise ConfigError(file, path, bounds, "min, max or both")
    low, high = (bounds[end] * factor if end in bounds else None for end in ("min", "max"))
    if low is not None and high is not None and low > high:
        raise ConfigError(file, path, dict(bounds), "min not above max")
    return name, Limit(low, high)


def _giver(key: str) -> str:
    """Which analysis gives a metric that the maneuver does not ask for."""
    for analysis in ANALYSES.values():
        if split_unit(key, {metric.name: metric.unit for metric in analysis.metrics})[0] is not None:
            return f" (`metrics` with type: {analysis.name} gives it)"
    return ""


def limit_units(written: Mapping[str, Any], asked: Iterable[AnalysisRequest]) -> dict[str, str]:
    """Suffix of every limit that is written with one, by name of the metric."""
    units = _units_of(asked)
    names = {str(key): split_unit(str(key), units)[0] for key in written}
    return {name: key.removeprefix(f"{name}_") for key, name in names.items() if name is not None and name != key}
