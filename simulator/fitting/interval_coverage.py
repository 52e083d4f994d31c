"""Coverage of the confidence intervals: repeated fits to synthetic data with noise.

The start values of the file are the true values. Each case adds different noise to the simulated data, starts at another point, and runs
the fit. A 95 % interval should contain the true value in 95 of 100 cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, JounceError
from simulator.fitting.confidence import LEVEL
from simulator.fitting.fit import Fitted, bound_of, fit
from simulator.fitting.least_squares import Failed
from simulator.fitting.measurements import Measured
from simulator.fitting.residuals import Model
from simulator.fitting.run_request import Log

AWAY = 0.2
"""Maximum distance of the start from the true values, as a fraction of the range."""
INSIDE = 0.02
"""Minimum distance of the start from the ends of the range, as a fraction of the range."""


@dataclass(frozen=True)
class CoverageCase:
    """Result of a case."""

    seed: int
    values: Sequence[float]
    held: Sequence[bool]
    """True if the interval of each parameter contains the true value."""
    held_together: bool
    """True if all simultaneous intervals contain their true values."""
    rounds: int
    settled: bool


def coverage_cases(model: Model, cases: int, seed: int, report: Callable[[CoverageCase], None]) -> list[CoverageCase]:
    """Fit synthetic data.

    Parameters
    ----------
    model : model with the data of the file, which define the times
    seed : seed of the first case; later cases increment it
    report : called after each case

    Raises ConfigError: a channel has no noise, or the start is at a bound. JounceError: the true values cannot be simulated.
    """
    for name, channel in model.fit.channels.items():
        if channel.noise is None:
            raise ConfigError(
                model.fit.file, f"channels.{name}.noise", "nothing", "the standard deviation of the noise added to the channel"
            )
    truth = model.start
    for one, u in zip(model.varied, truth, strict=True):
        if bound_of(float(u)):
            raise ConfigError(
                model.fit.file, f"parameters.{one.name}.start", one.start, "a value inside the range (the true value of the test)"
            )
    logs = [_need_log(one) for one in model.logs([truth])[0]]
    offsets = model.offsets(truth)
    out = []
    for n in range(seed, seed + cases):
        random = np.random.default_rng(n)
        synthetic = [_synthetic_data(model, k, log, offset, random) for k, (log, offset) in enumerate(zip(logs, offsets, strict=True))]
        start = np.clip(truth + random.uniform(-AWAY, AWAY, len(truth)), INSIDE, 1.0 - INSIDE)
        out.append(_coverage(n, truth, fit(model.with_measured(synthetic), start=start)))
        report(out[-1])
    return out


def summary(model: Model, cases: Sequence[CoverageCase]) -> dict[str, Any]:
    """Return the results of all cases as plain data."""
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


def _need_log(log: Log | Failed) -> Log:
    if isinstance(log, Failed):
        raise JounceError(f"cannot simulate the true values: {log.reason}")
    return log


def _synthetic_data(model: Model, number: int, log: Log, offset: float, random: np.random.Generator) -> Measured:
    """Return synthetic data of a drive: the log at the measured times, with noise."""
    measured = model.drives[number].measured
    channels = {}
    for name in model.units:
        noise = model.fit.channels[name].noise
        assert noise is not None
        clean = np.interp(measured.times + offset, log["time"], log[name].astype(float), left=np.nan, right=np.nan)
        channels[name] = clean + noise * random.normal(size=len(clean))
    return replace(measured, channels=channels)


def _coverage(seed: int, truth: Array, fitted: Fitted) -> CoverageCase:
    away = np.abs(fitted.u - truth)
    with np.errstate(invalid="ignore"):
        held, together = away <= fitted.confidence.half, away <= fitted.confidence.half_together
    values = fitted.model.values(fitted.u)
    return CoverageCase(seed, values, held.tolist(), bool(together.all()), len(fitted.solution.rounds), fitted.solution.settled)
