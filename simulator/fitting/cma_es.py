"""Covariance matrix adaptation evolution strategy (CMA-ES, Hansen and Ostermeier 2001, package `cma`), one generation at a time.

The search uses normalized parameters u from 0 to 1, and only the order of the costs. The same seed gives the same search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import JounceError

WORDS = {
    "tolx": "the spread of a generation is below the tolerance",
    "tolfun": "all sets of a generation have equal cost",
    "tolfunhist": "the cost no longer changes between generations",
    "tolflatfitness": "all sets have equal cost",
    "tolstagnation": "no improvement for many generations",
    "tolconditioncov": "the covariance matrix is ill-conditioned",
    "noeffectaxis": "the steps are too small to change a number",
    "noeffectcoord": "the steps are too small to change a number",
}
"""Reasons for the end of the search, by their names in `cma`."""


@dataclass(frozen=True)
class Plan:
    """Settings of a search.

    Attributes
    ----------
    start : (p,) u, start of the search
    spread : standard deviation of the first generation
    tolerance : spread below which the search ends
    runs : maximum number of runs
    each : number of runs for a set
    """

    start: Array
    seed: int
    spread: float
    tolerance: float
    population: int | None
    runs: int
    each: int


CostFunction = Callable[[Sequence[Array]], Sequence[float]]
"""Function that returns the costs of several points. Lower is better; NaN marks a point without a result."""


def need_cma() -> None:
    """Raise JounceError if `cma` is not installed."""
    if find_spec("cma") is None:
        from simulator.base.installation import install_extra

        raise JounceError(f"an optimization needs cma; hint: run {install_extra('optimize')}")


def search(evaluate: CostFunction, plan: Plan, reached: Callable[[], bool]) -> tuple[str, Array]:
    """Search the point of minimum cost.

    Parameters
    ----------
    judge : called with the start first, then with each generation
    reached : returns whether the target is reached

    Returns
    -------
    the reason for the end, and (p,) the spread of the last generation

    Raises JounceError: `cma` is not installed, or as `judge`.
    """
    need_cma()
    import cma

    evaluate([plan.start])
    random = np.random.default_rng(plan.seed)
    options: dict[str, Any] = {
        "bounds": [0.0, 1.0],
        "randn": lambda *shape: random.standard_normal(shape),  # a separate generator, so that other random draws do not affect the search
        "seed": np.nan,
        "tolx": plan.tolerance,
        "verbose": -9,
        "verb_log": 0,
    }
    if plan.population is not None:
        options["popsize"] = plan.population
    strategy = cma.CMAEvolutionStrategy(np.clip(plan.start, 0.0, 1.0), plan.spread, options)
    runs_done = plan.each
    while not strategy.stop() and not reached():
        if runs_done + strategy.popsize * plan.each > plan.runs:
            return f"the next generation would exceed {plan.runs} runs", spread_of(strategy)
        points = strategy.ask()
        strategy.tell(points, _ranked(evaluate([np.asarray(point, dtype=float) for point in points])))
        runs_done += len(points) * plan.each
    if reached():
        return "the target is reached", spread_of(strategy)
    return next((WORDS.get(name, name) for name in strategy.stop()), "the search has converged"), spread_of(strategy)


def spread_of(strategy: Any) -> Array:
    """Return (p,) standard deviations of the sets of a generation."""
    return np.asarray(strategy.sigma * strategy.sigma_vec.scaling * np.sqrt(strategy.sm.variances), dtype=float)


def _ranked(costs: Sequence[float]) -> list[float]:
    """Return the costs with NaN replaced by a value above all others. Only the order matters."""
    sound = [cost for cost in costs if np.isfinite(cost)]
    worst = max(sound, default=0.0)
    return [cost if np.isfinite(cost) else worst + abs(worst) + 1.0 for cost in costs]
