"""Evaluation sections of a maneuver file: analyses, metrics defined by expressions, and pass limits of metrics."""

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
from simulator.maneuvers.analyses.contract import Analysis, AnalysisResult, Drive, Metric
from simulator.maneuvers.analyses.kinds import ANALYSES
from simulator.maneuvers.metrics import METRICS, Limit
from simulator.telemetry.channels import Channels
from vehicles.axle_layout import USUAL_AXLES
from vehicles.command import COMMAND
from vehicles.readout import READOUT

EXPRESSION = "expression"
"""Value of `type` for a metric that the file defines by an expression."""
SLOWEST, FASTEST = 100.0, 2000.0
"""Range of the row rate [Hz] that an expression may request."""

_WORD = r"^[A-Za-z][A-Za-z0-9_]{0,60}\Z"
_PREFIX = Field(
    "name",
    Text("letters, digits and _", pattern=_WORD),
    "prefix of the metric names; distinguishes two analyses of the same type",
    "",
)
_PHASE = Field("phase", Text("the name of a phase"), "phase to evaluate; default: the complete run", "")
_OWN: Fields = (
    Field("name", Text("letters, digits and _", pattern=_WORD), "name of the metric"),
    Field("of", Text("an expression"), "expression of the metric, see docs/metrics.md"),
    Field("unit", Choice((*SUFFIXES, "1", "1/s", "V", "J")), "unit of the expression", "1"),
    Field("meaning", Text("text"), "description of the metric in reports", ""),
    Field(
        "channels",
        ListOf(Text("the name of a column")),
        "columns of the expression that do not belong to the vehicle, for example those of a sensor",
        (),
    ),
    Field(
        "rate",
        Number("rad/s", math.tau * SLOWEST, math.tau * FASTEST),
        "required number of rows per second",
        math.tau * SLOWEST,
        written="Hz",
    ),
)


def _fields(word: str) -> Fields:
    return _OWN if word == EXPRESSION else (_PREFIX, _PHASE, *ANALYSES[word].parameters)


METRICS_LIST = ListOf(Variants("type", _fields, (*ANALYSES, EXPRESSION), "kind of analysis"))
"""Type of the key `metrics` of a maneuver."""
LIMITS = Named(
    Group((Field("min", Number(), "lower limit", None), Field("max", Number(), "upper limit", None))),
    "metrics with min, max or both",
    known=tuple(spelled for metric in METRICS for spelled in spellings(metric.name, metric.unit)),
    unless=("metrics", "goal"),
)
"""Type of the key `limits`; `read_limits` checks the names of the metrics."""


@dataclass(frozen=True)
class AnalysisRequest:
    """Analysis requested by a maneuver.

    Attributes
    ----------
    values : parameters of the analysis, in SI
    metrics : metrics with their names in this maneuver
    """

    analysis: Analysis
    values: Mapping[str, Any]
    metrics: tuple[Metric, ...]

    @property
    def prefix(self) -> str:
        """Prefix of the names of the metrics and curves."""
        return self.metrics[0].name.removesuffix(self.analysis.metrics[0].name)

    def evaluate(self, drive: Drive) -> AnalysisResult:
        """Run the analysis; return a number for each of its metrics, NaN where there is none."""
        phase = self.values.get("phase")
        missing = phase and (phase not in drive.phases or len(drive.time[drive.phases[phase]]) < FEWEST_ROWS)
        result = AnalysisResult({}, {}) if missing else self.analysis.evaluate(drive, self.values)
        pairs = zip(self.analysis.metrics, self.metrics, strict=True)
        values = {requests.name: float(result.values.get(own.name, math.nan)) for own, requests in pairs}
        return AnalysisResult(values, {f"{self.prefix}{name}": curve for name, curve in result.curves.items()})


FEWEST_ROWS = 3
"""Minimum number of rows of a phase for an analysis."""


def read_analysis_requests(sections: Sequence[Any], file: object, phases: Sequence[str]) -> tuple[AnalysisRequest, ...]:
    """Read the list under `metrics`. Raises ConfigError: invalid expression, unknown phase, or two metrics with the same name."""
    out: list[AnalysisRequest] = []
    owners = {metric.name: "" for metric in METRICS}
    with ErrorCollector() as faults:
        for n, values in enumerate(sections):
            key = f"metrics[{n}]"
            with faults.part():
                one = (
                    _expression_request(values, file, key, phases)
                    if values["type"] == EXPRESSION
                    else _analysis_request(values, file, key, phases)
                )
                for metric in one.metrics:
                    if metric.name in owners:
                        other = owners[metric.name] or "every drive"
                        raise ConfigError(
                            file, f"{key}.name", values["name"] or "nothing", f"another name than {metric.name}, used by {other}"
                        )
                owners |= dict.fromkeys((metric.name for metric in one.metrics), key)
                out.append(one)
    return tuple(out)


def _analysis_request(values: Mapping[str, Any], file: object, key: str, phases: Sequence[str]) -> AnalysisRequest:
    analysis, prefix = ANALYSES[values["type"]], f"{values['name']}_" if values["name"] else ""
    if values["phase"] and values["phase"] not in phases:
        raise ConfigError(file, f"{key}.phase", values["phase"], expressions.no_such_phase(values["phase"], phases))
    return AnalysisRequest(analysis, values, tuple(replace(metric, name=prefix + metric.name) for metric in analysis.metrics))


def _expression_request(values: Mapping[str, Any], file: object, key: str, phases: Sequence[str]) -> AnalysisRequest:
    """Return the request for a metric that the file defines by an expression."""
    more = values["channels"]
    expression = expressions.parse(values["of"], file, f"{key}.of", _is_channel(more), (*USUAL_CHANNELS, *more), phases)
    metric = Metric(values["name"], values["unit"], values["meaning"] or values["of"], "user-defined expression")

    def evaluate(drive: Drive, values: Mapping[str, Any]) -> AnalysisResult:
        return AnalysisResult({metric.name: expression.value(drive)}, {})

    columns = tuple(name for name in expression.channels if name not in COMPUTED)
    return AnalysisRequest(Analysis(EXPRESSION, (metric,), evaluate, columns=columns, rate=values["rate"] / math.tau), values, (metric,))


COMPUTED = ("x", "y", "x_G", "y_G", "heading")
"""Columns of a `Drive` that are computed and not in the log."""
USUAL_CHANNELS = (
    *(column.name for column in Channels([("", READOUT, record(READOUT)), ("command_", COMMAND, record(COMMAND))]).columns),
    *COMPUTED,
    "phase",
)
"""Columns of a vehicle with the usual wheels; an expression may use these without listing them under `channels`."""
_CORNER = re.compile(r"_[A-Z][LRM](?=_|$)")


def _is_channel(more: Iterable[str]) -> Callable[[str], bool]:
    known = {*USUAL_CHANNELS, *more}
    # a vehicle with different axles has different corner names
    return lambda name: name in known or _CORNER.sub(f"_{USUAL_AXLES.corners[0]}", name, count=1) in known


def channels_of(requests: Iterable[AnalysisRequest]) -> tuple[str, ...]:
    """Return the telemetry columns that the analyses of a maneuver need in addition to the usual columns."""
    return tuple(dict.fromkeys(column.format_map(one.values) for one in requests for column in one.analysis.columns))


def rate_of(requests: Iterable[AnalysisRequest], usual: float) -> float:
    """Return the number of rows per second that all analyses need."""
    return max((usual, *(one.analysis.rate for one in requests)))


# ---- limits ----


def _units_of(requests: Iterable[AnalysisRequest]) -> dict[str, str]:
    """Return the SI unit of every available metric by name."""
    own = {metric.name: metric.unit for one in requests for metric in one.metrics}
    return {metric.name: metric.unit for metric in METRICS} | own


def read_limits(
    written: Mapping[str, Any], requests: Sequence[AnalysisRequest], file: object, *, has_path: bool, has_course: bool
) -> dict[str, Limit]:
    """Return the pass limits by name of the metric, in SI. Raises ConfigError."""
    limits: dict[str, Limit] = {}
    with ErrorCollector() as faults:
        for key, bounds in written.items():
            with faults.part():
                name, limit = _limit(key, bounds, requests, file, has_path, has_course)
                if name in limits:
                    raise ConfigError(file, join("limits", printed(key)), bounds, f"one limit of {name}, in one unit")
                limits[name] = limit
    return limits


def _limit(key: str, bounds: Any, requests: Sequence[AnalysisRequest], file: object, has_path: bool, has_course: bool) -> tuple[str, Limit]:
    """Return the name of the metric and its pass limit, in SI, of one key of `limits`. Raises ConfigError."""
    path, units = join("limits", printed(key)), _units_of(requests)
    name, factor = split_unit(str(key), units)
    if name is None:
        near = did_you_mean(key, [spelled for name, unit in units.items() for spelled in spellings(name, unit)])
        raise ConfigError(file, path, bounds, f"a known metric ({', '.join(units)}){_source_of(str(key))}{near}")
    needs = next((metric.needs for metric in METRICS if metric.name == name), "")
    if (needs == "course" and not has_course) or (needs == "path" and not has_path):
        raise ConfigError(file, path, bounds, f"a metric of this maneuver; {name} needs a {needs}")
    if not bounds:
        raise ConfigError(file, path, bounds, "the key min, max or both")
    lower, upper = (bounds[end] * factor if end in bounds else None for end in ("min", "max"))
    if lower is not None and upper is not None and lower > upper:
        raise ConfigError(file, path, dict(bounds), "min at or below max")
    return name, Limit(lower, upper)


def _source_of(key: str) -> str:
    """Return the analysis, as text, that provides a metric which the maneuver does not request."""
    for analysis in ANALYSES.values():
        if split_unit(key, {metric.name: metric.unit for metric in analysis.metrics})[0] is not None:
            return f" (`metrics` with type: {analysis.name} provides this metric)"
    return ""


def limit_units(written: Mapping[str, Any], requests: Iterable[AnalysisRequest]) -> dict[str, str]:
    """Return the unit suffix of every limit that is written with a suffix, by name of the metric."""
    units = _units_of(requests)
    names = {str(key): split_unit(str(key), units)[0] for key in written}
    return {name: key.removeprefix(f"{name}_") for key, name in names.items() if name is not None and name != key}
