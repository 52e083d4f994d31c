"""Fit of a model to measurements, and its result: values, intervals, identifiability and residuals by channel, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.fitting.confidence import LEVEL, Confidence, confidence_of_fit
from simulator.fitting.identifiability import Unidentifiable, unidentifiable
from simulator.fitting.keys import Parameter
from simulator.fitting.least_squares import Failed, Round, Solution, solve
from simulator.fitting.residuals import Model, Trace
from simulator.fitting.run_request import Log

AT_BOUND = 1e-4
"""Distance from an end of the range, as a fraction of it, below which a parameter counts as at its bound."""


@dataclass(frozen=True)
class Fitted:
    """Result of a fit."""

    model: Model
    solution: Solution
    confidence: Confidence
    unidentifiable: Sequence[Unidentifiable]
    logs: Mapping[str, list[Log]]
    """Logs of every drive, at the "start" and "fitted"."""

    @property
    def u(self) -> Array:
        """(p,) u at the solution."""
        return self.solution.best.u


def fit(model: Model, progress: Callable[[Round], None] = lambda _: None, start: Array | None = None) -> Fitted:
    """Fit the parameters of a model to the measurements.

    Parameters
    ----------
    progress : called after each iteration
    start : (p,) u at the start; default: the start in the file

    Raises JounceError as `solve`, ConfigError as the model.
    """
    start = model.start if start is None else start
    solution = solve(model.residuals, start, model.fit.difference, model.fit.rounds, progress)
    best = solution.best
    assert not isinstance(best.residuals, Failed)
    free = np.array([bound_of(u) == "" for u in best.u])
    how_well = confidence_of_fit(best.jacobian, best.residuals, [trace.rows for trace in model.traces], free)
    logs = {}
    for name, found in zip(("start", "fitted"), model.logs([start, best.u]), strict=True):
        logs[name] = [one for one in found if not isinstance(one, Failed)]
    return Fitted(model, solution, how_well, unidentifiable(best.jacobian, model.seen(best.u)), logs)


def bound_of(u: float) -> str:
    """Return the bound that a parameter has reached: "least", "most" or an empty string."""
    return "least" if u < AT_BOUND else "most" if u > 1.0 - AT_BOUND else ""


def result(fitted: Fitted) -> dict[str, Any]:
    """Return the result as plain data, the content of ``fit.json`` under "result"."""
    model, solution, about = fitted.model, fitted.solution, fitted.confidence
    varied = [_parameter(one, fitted, n) for n, one in enumerate(model.varied)]
    count = len(model.parameters)
    return {
        "name": model.fit.name,
        "title": model.fit.title,
        "level": LEVEL,
        "parameters": varied[:count],
        "offsets": varied[count:],
        "correlation": {"names": [one.name for one in model.varied], "matrix": about.correlation.tolist()},
        "untold": [asdict(one) for one in fitted.unidentifiable],
        "channels": [_channel(fitted, n, trace) for n, trace in enumerate(model.traces)],
        "search": {
            "settled": solution.settled,
            "why": solution.why,
            "runs": model.runs,
            "rounds": [_round(one, model) for one in solution.rounds],
        },
    }


def _parameter(one: Parameter, fitted: Fitted, n: int) -> dict[str, Any]:
    u, about = float(fitted.u[n]), fitted.confidence
    bound = bound_of(u)
    entry: dict[str, Any] = {"name": one.name}
    if one.keys:
        entry |= {"keys": list(one.keys), "as": "factor" if one.factor else "value", "scale": "log" if one.log else "linear"}
    entry |= {"value": one.value(u), "start": one.start, "least": one.least, "most": one.most, "at_bound": bound or None}
    for name, half in (("interval", float(about.half[n])), ("interval_together", float(about.half_together[n]))):
        entry[name] = None if bound else interval(one, u, half)
    return entry


def interval(one: Parameter, u: float, half: float) -> list[float | None]:
    """Return the values at u - half and u + half, also beyond the range. None marks an infinite end."""
    ends = []
    for end in (u - half, u + half):
        value = one.least * (one.most / one.least) ** end if one.log else one.least + (one.most - one.least) * end
        ends.append(float(value) if np.isfinite(end) else None)
    return ends


def _channel(fitted: Fitted, n: int, trace: Trace) -> dict[str, Any]:
    """Return the residuals of a channel as plain data."""
    start, best = fitted.solution.rounds[0].residuals, fitted.solution.best.residuals
    assert not isinstance(start, Failed) and not isinstance(best, Failed)
    entry = fitted.model.fit.channels[trace.channel]
    return {
        "drive": trace.drive,
        "channel": trace.channel,
        "unit": trace.unit,
        "rows": trace.rows.stop - trace.rows.start,
        "effective_rows": fitted.confidence.effective[n],
        "rms_at_start": trace.sigma * float(np.sqrt(np.mean(start[trace.rows] ** 2))),
        "rms": trace.sigma * float(np.sqrt(np.mean(best[trace.rows] ** 2))),
        "noise": entry.noise,
        "divided_by": trace.sigma,
    }


def _round(one: Round, model: Model) -> dict[str, Any]:
    values = {parameter.name: value for parameter, value in zip(model.varied, model.values(one.u), strict=True)}
    return {"cost": one.cost, **values} | ({"failure": one.residuals.reason} if isinstance(one.residuals, Failed) else {})


def notes(fitted: Fitted) -> list[str]:
    """Return notes for the reader, a line each."""
    out = [] if fitted.solution.settled else [f"not converged: {fitted.solution.why}"]
    for one, u in zip(fitted.model.varied, fitted.u, strict=True):
        if bound := bound_of(float(u)):
            out.append(f"{one.name} is at a bound ({bound}), {one.value(float(u)):.5g}: the best value lies beyond, so it has no interval")
    out += [one.words for one in fitted.unidentifiable]
    out += [line for n, trace in enumerate(fitted.model.traces) for line in _misfit(fitted, n, trace)]
    return out


def _misfit(fitted: Fitted, n: int, trace: Trace) -> list[str]:
    """Return notes on residuals that exceed the noise or are correlated."""
    out = []
    entry = fitted.model.fit.channels[trace.channel]
    rms, rows = fitted.confidence.deviations[n] * trace.sigma, trace.rows.stop - trace.rows.start
    if entry.noise is not None and rms > TOO_MUCH * entry.noise:
        out.append(
            f"{trace.channel} of {trace.drive}: {rms / entry.noise:.2g} times the noise remains; the model does not reproduce the data"
        )
    if fitted.confidence.effective[n] < FEW * rows:
        out.append(
            f"{trace.channel} of {trace.drive}: the residuals are correlated, {rows} rows count as {fitted.confidence.effective[n]:.0f}; "
            "the intervals are wider accordingly"
        )
    return out


TOO_MUCH = 1.2
"""Maximum ratio of the residuals to the given noise."""
FEW = 0.5
"""Fraction of effective rows below which a note is printed."""
