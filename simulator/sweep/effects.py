"""Effects of the varied keys on a metric: means at the ends of each key, and a linear regression over all keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from simulator.base.arrays import Array
from simulator.sweep.results import Key, shown

MAX_DISTINCT_ENDS = 12
"""Number of distinct values up to which the minimum and the maximum of a key are its ends. With more values, the ends are the lowest and
the highest fifth of the runs."""
FIFTH = 0.2


@dataclass(frozen=True)
class Effect:
    """Effect of one key on one metric."""

    key: str
    low: str
    """Description of the low end: a value, or the upper bound of the lowest fifth; for names, the name with the smallest mean."""
    high: str
    at_low: float
    """Mean of the metric at the low end, over all other varied keys."""
    at_high: float

    @property
    def size(self) -> float:
        """Absolute difference of the means at both ends."""
        return abs(self.at_high - self.at_low)


@dataclass(frozen=True)
class Regression:
    """Linear regression over all runs."""

    coefficients: dict[str, float] = field(default_factory=dict)
    """Standardized coefficients of numeric keys: standard deviations of the metric per standard deviation of the key. Keys that the runs
    cannot separate from other keys are missing."""
    explained: float = np.nan
    """Fraction of the variance that the regression explains, R2."""


def effects(keys: Sequence[Key], metric: Array) -> list[Effect]:
    """Return the effects of all keys on a metric (n,), the largest first. NaN marks a run without a result. Constant keys are left out."""
    all_effects = [effect for key in keys if (effect := _effect(key, metric)) is not None]
    return sorted(all_effects, key=lambda effect: -effect.size)


def _effect(key: Key, metric: Array) -> Effect | None:
    there = np.isfinite(metric) & key.given
    numbers, results = key.numbers[there], metric[there]
    values = np.unique(numbers)
    if len(values) < 2:
        return None
    if key.names:
        means = [float(results[numbers == value].mean()) for value in values]
        low, high = int(np.argmin(means)), len(means) - 1 - int(np.argmax(means[::-1]))  # two different names even if all means are equal
        return Effect(key.name, key.names[int(values[low])], key.names[int(values[high])], means[low], means[high])
    if len(values) <= MAX_DISTINCT_ENDS:
        below, above = values[0], values[-1]
        words = shown(below), shown(above)
    else:
        below, above = np.quantile(numbers, [FIFTH, 1.0 - FIFTH])
        words = f"up to {shown(below)}", f"from {shown(above)}"
    return Effect(key.name, *words, float(results[numbers <= below].mean()), float(results[numbers >= above].mean()))


def regression(keys: Sequence[Key], metric: Array) -> Regression:
    """Return the linear regression over the runs (n,) that have a result and set all keys. Each name is a step variable."""
    there = np.isfinite(metric) & np.all([key.given for key in keys], axis=0) if keys else np.zeros(len(metric), bool)
    values = metric[there]
    columns, owners = _columns([(key, key.numbers[there]) for key in keys])
    if len(values) <= len(owners) + 1 or not owners or not np.ptp(values) > 1e-12 * np.abs(values).max():
        return Regression()
    standardized = (values - values.mean()) / values.std()
    slopes, *_ = np.linalg.lstsq(columns, standardized, rcond=None)
    # a column that depends linearly on other columns appears in the null space
    _, sizes, rows = np.linalg.svd(columns, full_matrices=False)
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    separable = np.abs(rows[rank:]).max(axis=0, initial=0.0) < 1e-6
    coefficients_by_key = {key.name: float(slopes[n]) for n, key in enumerate(owners) if not key.names and separable[n]}
    return Regression(coefficients_by_key, float(1.0 - ((standardized - columns @ slopes) ** 2).mean()))


def _columns(keys: Sequence[tuple[Key, Array]]) -> tuple[Array, list[Key]]:
    """Return columns (n, c) with mean 0 and the key of each. Numeric columns have deviation 1. Constant keys have no column."""
    columns, owners = [], []
    for key, numbers in keys:
        values = np.unique(numbers)
        if len(values) < 2:
            continue
        own = [(numbers == value).astype(float) for value in values[1:]] if key.names else [numbers / numbers.std()]
        columns += [one - one.mean() for one in own]
        owners += [key] * len(own)
    return (np.stack(columns, axis=1) if columns else np.zeros((0, 0))), owners
