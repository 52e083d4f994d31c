"""The covariance matrix adaptation evolution strategy (CMA-ES, Hansen and Ostermeier 2001, by the package `cma`), a generation at a time.

It sees shares u of the ranges only, from 0 to 1, and of the numbers at them only their order. The same seed gives the same search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError

Array = NDArray[np.float64]

MISSING = "an optimisation needs cma: python -m pip install 'jounce[optimise]'"
WORDS = {
    "tolx": "a generation spreads over less than the tolerance",
    "tolfun": "the sets of a generation are all worth the same",
    "tolfunhist": "generations are worth the same as those before",
    "tolflatfitness": "all sets are worth the same",
    "tolstagnation": "nothing has got better for many generations",
    "tolconditioncov": "one combination of parameters counts ten million times as much as another",
    "noeffectaxis": "steps have become too small to change a number",
    "noeffectcoord": "steps have become too small to change a number",
}
"""Why it ends, by what `cma` calls it."""


@dataclass(frozen=True)
class Plan:
    """How to look.

    Attributes
    ----------
    start : (p,) u where the search begins
    spread : of the first generation
    tolerance : spread at which it ends
    runs : that may be driven, at most
    each : runs of a set
    """

    start: Array
    seed: int
    spread: float
    tolerance: float
    population: int | None
    runs: int
    each: int


Judge = Callable[[Sequence[Array]], Sequence[float]]
"""What each of several points is worth, the less the better; NaN where it is worth nothing."""


def need_cma() -> None:
    """Raises JounceError: `cma` is not installed."""
    if find_spec("cma") is None:
        raise JounceError(MISSING)


def search(judge: Judge, plan: Plan, reached: Callable[[], bool]) -> tuple[str, Array]:
    """Look for the point that is worth least.

    Parameters
    ----------
    judge : called with the start alone, then with one generation after the other
    reached : whether enough has been found

    Returns why it has ended, and (p,) how far the last generation spreads. Raises JounceError: `cma` is not installed, or what `judge` raises.
    """
    need_cma()
    import cma

    judge([plan.start])
    random = np.random.default_rng(plan.seed)
    options: dict[str, Any] = {
        "bounds": [0.0, 1.0],
        "randn": lambda *shape: random.standard_normal(shape),  # of its own: whoever else draws numbers changes nothing
        "seed": np.nan,
        "tolx": plan.tolerance,
        "verbose": -9,
        "verb_log": 0,
    }
    if plan.population is not None:
        options["popsize"] = plan.population
    strategy = cma.CMAEvolutionStrategy(np.clip(plan.start, 0.0, 1.0), plan.spread, options)
    driven = plan.each
    while not strategy.stop() and not reached():
        if driven + strategy.popsize * plan.each > plan.runs:
            return f"another generation would take more than {plan.runs} runs", spread_of(strategy)
        points = strategy.ask()
        strategy.tell(points, _ranked(judge([np.asarray(point, dtype=float) for point in points])))
        driven += len(points) * plan.each
    if reached():
        return "the target is reached", spread_of(strategy)
    return next((WORDS.get(name, name) for name in strategy.stop()), "it has settled"), spread_of(strategy)


def spread_of(strategy: Any) -> Array:
    """(p,) standard deviations of the sets of a generation."""
    return np.asarray(strategy.sigma * strategy.sigma_vec.scaling * np.sqrt(strategy.sm.variances), dtype=float)


def _ranked(costs: Sequence[float]) -> list[float]:
    """Costs in which whatever is worth nothing comes last: only their order counts."""
    sound = [cost for cost in costs if np.isfinite(cost)]
    worst = max(sound, default=0.0)
    return [cost if np.isfinite(cost) else worst + abs(worst) + 1.0 for cost in costs]
