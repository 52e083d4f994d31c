"""How much the intervals of a fit are worth: data made by the model itself, with noise, fitted again and again.

The values at the start of the file are planted. Each case adds other noise to what they give, begins somewhere else, and is fitted as any
data are. An interval of 95 % should hold what was planted in 95 of 100 cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, JounceError
from simulator.fitting.confidence import LEVEL
from simulator.fitting.fit import Fitted, bound_of, fit
from simulator.fitting.least_squares import Failed
from simulator.fitting.measurements import Measured
from simulator.fitting.residuals import Model
from simulator.fitting.run_request import Log

Array = NDArray[np.float64]

AWAY = 0.2
"""1. Share of its range by which each parameter is moved at most from what is planted, where a case begins."""
INSIDE = 0.02
"""1. Of its range that a case begins from its ends, at least."""


@dataclass(frozen=True)
class CoverageCase:
    """What came of a case."""

    seed: int
    values: Sequence[float]
    held: Sequence[bool]
    """Whether the interval of each parameter holds what was planted."""
    held_together: bool
    """Whether the intervals of all at once hold all of them."""
    rounds: int
    settled: bool


def planted(model: Model, cases: int, seed: int, told: Callable[[CoverageCase], None]) -> list[CoverageCase]:
    """Fit data that the model makes.

    Parameters
    ----------
    model : with the data of the file, of which the times are taken
    seed : of the first case; each has the next one
    told : called after each case

    Raises ConfigError: a channel has no noise given, or the start is at a bound. JounceError: what is planted cannot be driven.
    """
    for name, channel in model.fit.channels.items():
        if channel.noise is None:
            raise ConfigError(model.fit.file, f"channels.{name}.noise", "nothing", "the noise that is added to the channel")
    truth = model.start
    for one, u in zip(model.varied, truth, strict=True):
        if bound_of(float(u)):
            raise ConfigError(model.fit.file, f"parameters.{one.name}.start", one.start, "a value inside the range, to be planted")
    logs = [_sound(one) for one in model.logs([truth])[0]]
    offsets = model.offsets(truth)
    out = []
    for n in range(seed, seed + cases):
        random = np.random.default_rng(n)
        made = [_made(model, k, log, offset, random) for k, (log, offset) in enumerate(zip(logs, offsets, strict=True))]
        start = np.clip(truth + random.uniform(-AWAY, AWAY, len(truth)), INSIDE, 1.0 - INSIDE)
        out.append(_judged(n, truth, fit(model.with_measured(made), start=start)))
        told(out[-1])
    return out


def summary(model: Model, cases: Sequence[CoverageCase]) -> dict[str, Any]:
    """What came of all cases as plain data."""
    values = np.array([one.values for one in cases])
    return {
        "name": model.fit.name,
        "level": LEVEL,
        "cases": len(cases),
        "settled": sum(one.settled for one in cases),
        "held_together": sum(one.held_together for one in cases),
        "rounds": float(np.mean([one.rounds for one in cases])),
        "parameters": [
            {
                "name": one.name,
                "planted": one.start,
                "held": sum(case.held[k] for case in cases),
                "mean": float(values[:, k].mean()),
                "deviation": float(values[:, k].std(ddof=1)) if len(cases) > 1 else None,
            }
            for k, one in enumerate(model.varied)
        ],
        "seeds": [_as_plain(one, model) for one in cases],
    }


def _as_plain(one: CoverageCase, model: Model) -> Mapping[str, Any]:
    names = [parameter.name for parameter in model.varied]
    return {
        "seed": one.seed,
        "values": dict(zip(names, one.values, strict=True)),
        "missed": [name for name, held in zip(names, one.held, strict=True) if not held],
        "settled": one.settled,
    }


def _sound(log: Log | Failed) -> Log:
    if isinstance(log, Failed):
        raise JounceError(f"what is planted cannot be driven: {log.reason}")
    return log


def _made(model: Model, number: int, log: Log, offset: float, random: np.random.Generator) -> Measured:
    """Data of a drive: the log at the times of what was measured, and noise."""
    measured = model.drives[number].measured
    channels = {}
    for name in model.units:
        noise = model.fit.channels[name].noise
        assert noise is not None
        clean = np.interp(measured.times + offset, log["time"], log[name].astype(float), left=np.nan, right=np.nan)
        channels[name] = clean + noise * random.normal(size=len(clean))
    return replace(measured, channels=channels)


def _judged(seed: int, truth: Array, fitted: Fitted) -> CoverageCase:
    away = np.abs(fitted.u - truth)
    with np.errstate(invalid="ignore"):
        held, together = away <= fitted.known.half, away <= fitted.known.half_together
    values = fitted.model.values(fitted.u)
    return CoverageCase(seed, values, held.tolist(), bool(together.all()), len(fitted.solution.rounds), fitted.solution.settled)
