"""A fit from its model to its result: values with intervals, what the data do not tell, residuals by channel; all as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.fitting.confidence import LEVEL, Known, known
from simulator.fitting.identifiability import Unidentifiable, untold
from simulator.fitting.keys import Parameter
from simulator.fitting.least_squares import Failed, Round, Solution, solve
from simulator.fitting.residuals import Model, Trace
from simulator.fitting.run_request import Log

Array = NDArray[np.float64]

AT_BOUND = 1e-4
"""1. Share of its range from an end of which a parameter is said to lie at it."""


@dataclass(frozen=True)
class Fitted:
    """What a fit has found."""

    model: Model
    solution: Solution
    known: Known
    untold: Sequence[Unidentifiable]
    logs: Mapping[str, list[Log]]
    """Of every drive, at the "start" and "fitted"."""

    @property
    def u(self) -> Array:
        """(p,) where the search has ended."""
        return self.solution.best.u


def fit(model: Model, told: Callable[[Round], None] = lambda _: None, start: Array | None = None) -> Fitted:
    """Look for the parameters with which a model is nearest to what was measured.

    Parameters
    ----------
    told : called after each round
    start : (p,) u to begin with, instead of where the file begins

    Raises JounceError as `solve`, ConfigError as the model.
    """
    start = model.start if start is None else start
    solution = solve(model.residuals, start, model.fit.difference, model.fit.rounds, told)
    best = solution.best
    assert not isinstance(best.residuals, Failed)
    free = np.array([bound_of(u) == "" for u in best.u])
    how_well = known(best.jacobian, best.residuals, [trace.rows for trace in model.traces], free)
    logs = {}
    for name, found in zip(("start", "fitted"), model.logs([start, best.u]), strict=True):
        logs[name] = [one for one in found if not isinstance(one, Failed)]
    return Fitted(model, solution, how_well, untold(best.jacobian, model.seen(best.u)), logs)


def bound_of(u: float) -> str:
    """The end of its range at which a parameter lies: "least", "most" or none."""
    return "least" if u < AT_BOUND else "most" if u > 1.0 - AT_BOUND else ""


def result(fitted: Fitted) -> dict[str, Any]:
    """The result as plain data: what ``fit.json`` holds under "result"."""
    model, solution, about = fitted.model, fitted.solution, fitted.known
    varied = [_parameter(one, fitted, n) for n, one in enumerate(model.varied)]
    count = len(model.parameters)
    return {
        "name": model.fit.name,
        "title": model.fit.title,
        "level": LEVEL,
        "parameters": varied[:count],
        "offsets": varied[count:],
        "correlation": {"names": [one.name for one in model.varied], "matrix": about.correlation.tolist()},
        "untold": [asdict(one) for one in fitted.untold],
        "channels": [_channel(fitted, n, trace) for n, trace in enumerate(model.traces)],
        "search": {
            "settled": solution.settled,
            "why": solution.why,
            "runs": model.runs,
            "rounds": [_round(one, model) for one in solution.rounds],
        },
    }


def _parameter(one: Parameter, fitted: Fitted, n: int) -> dict[str, Any]:
    u, about = float(fitted.u[n]), fitted.known
    bound = bound_of(u)
    said: dict[str, Any] = {"name": one.name}
    if one.keys:
        said |= {"keys": list(one.keys), "as": "factor" if one.factor else "value", "scale": "log" if one.log else "linear"}
    said |= {"value": one.value(u), "start": one.start, "least": one.least, "most": one.most, "at_bound": bound or None}
    for name, half in (("interval", float(about.half[n])), ("interval_together", float(about.half_together[n]))):
        said[name] = None if bound else interval(one, u, half)
    return said


def interval(one: Parameter, u: float, half: float) -> list[float | None]:
    """Values at both ends of u +- half, beyond the range too where that is so; None where there is no end."""
    ends = []
    for end in (u - half, u + half):
        value = one.least * (one.most / one.least) ** end if one.log else one.least + (one.most - one.least) * end
        ends.append(float(value) if np.isfinite(end) else None)
    return ends


def _channel(fitted: Fitted, n: int, trace: Trace) -> dict[str, Any]:
    """What is left of a channel."""
    start, best = fitted.solution.rounds[0].residuals, fitted.solution.best.residuals
    assert not isinstance(start, Failed) and not isinstance(best, Failed)
    said = fitted.model.fit.channels[trace.channel]
    return {
        "drive": trace.drive,
        "channel": trace.channel,
        "unit": trace.unit,
        "rows": trace.rows.stop - trace.rows.start,
        "effective_rows": fitted.known.effective[n],
        "rms_at_start": trace.sigma * float(np.sqrt(np.mean(start[trace.rows] ** 2))),
        "rms": trace.sigma * float(np.sqrt(np.mean(best[trace.rows] ** 2))),
        "noise": said.noise,
        "divided_by": trace.sigma,
    }


def _round(one: Round, model: Model) -> dict[str, Any]:
    values = {parameter.name: value for parameter, value in zip(model.varied, model.values(one.u), strict=True)}
    return {"cost": one.cost, **values} | ({"failure": one.residuals.reason} if isinstance(one.residuals, Failed) else {})


def notes(fitted: Fitted) -> list[str]:
    """What a reader has to know, a line each."""
    out = [] if fitted.solution.settled else [f"not settled: {fitted.solution.why}"]
    for one, u in zip(fitted.model.varied, fitted.u, strict=True):
        if bound := bound_of(float(u)):
            out.append(f"{one.name} is at its {bound}, {one.value(float(u)):.5g}: the data want it beyond, and it has no interval")
    out += [one.words for one in fitted.untold]
    out += [line for n, trace in enumerate(fitted.model.traces) for line in _misfit(fitted, n, trace)]
    return out


def _misfit(fitted: Fitted, n: int, trace: Trace) -> list[str]:
    """A line where residuals are not what the noise would leave, or hang together."""
    out = []
    said = fitted.model.fit.channels[trace.channel]
    rms, rows = fitted.known.deviations[n] * trace.sigma, trace.rows.stop - trace.rows.start
    if said.noise is not None and rms > TOO_MUCH * said.noise:
        out.append(f"{trace.channel} of {trace.drive}: {rms / said.noise:.2g} times the noise is left; the model does not follow the data")
    if fitted.known.effective[n] < FEW * rows:
        out.append(
            f"{trace.channel} of {trace.drive}: its residuals hang together, {rows} rows count as {fitted.known.effective[n]:.0f}; "
            "the intervals are wider for it"
        )
    return out


TOO_MUCH = 1.2
"""Times the given noise that may be left."""
FEW = 0.5
"""Share of the rows below which those that count are told."""
