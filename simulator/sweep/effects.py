"""How much a metric depends on each key that varies: means at the ends of the key, and a straight regression over all keys at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simulator.sweep.results import Key, shown

Array = NDArray[np.float64]

FEW = 12
"""Different numbers of a key up to which its least and its largest are its ends; of more the lowest and the highest fifth of the runs."""
FIFTH = 0.2


@dataclass(frozen=True)
class Effect:
    """Of one key on one metric."""

    key: str
    low: str
    """Where the key is low, in words: a value, or the greatest of the lowest fifth; of names the one with the least mean."""
    high: str
    at_low: float
    """Mean of the metric there, over all that else varies."""
    at_high: float

    @property
    def size(self) -> float:
        """From end to end."""
        return abs(self.at_high - self.at_low)


@dataclass(frozen=True)
class Regression:
    """A plane through all runs."""

    coefficients: dict[str, float] = field(default_factory=dict)
    """Of keys that are numbers, standardised: standard deviations of the metric for one of the key. None is there of keys that always go
    together with others, which the runs cannot tell apart."""
    explained: float = np.nan
    """Share of the variance that the plane explains, R2."""


def effects(keys: Sequence[Key], metric: Array) -> list[Effect]:
    """Of all keys on a metric (n,), the largest first; NaN stands for a run without a result. A key that is the same everywhere has none."""
    found = [effect for key in keys if (effect := _effect(key, metric)) is not None]
    return sorted(found, key=lambda effect: -effect.size)


def _effect(key: Key, metric: Array) -> Effect | None:
    there = np.isfinite(metric) & key.said
    numbers, found = key.numbers[there], metric[there]
    values = np.unique(numbers)
    if len(values) < 2:
        return None
    if key.names:
        means = [float(found[numbers == value].mean()) for value in values]
        low, high = int(np.argmin(means)), len(means) - 1 - int(np.argmax(means[::-1]))  # two names, also where all means are the same
        return Effect(key.name, key.names[int(values[low])], key.names[int(values[high])], means[low], means[high])
    if len(values) <= FEW:
        below, above = values[0], values[-1]
        words = shown(below), shown(above)
    else:
        below, above = np.quantile(numbers, [FIFTH, 1.0 - FIFTH])
        words = f"up to {shown(below)}", f"from {shown(above)}"
    return Effect(key.name, *words, float(found[numbers <= below].mean()), float(found[numbers >= above].mean()))


def regression(keys: Sequence[Key], metric: Array) -> Regression:
    """A plane through the runs (n,) that have a result and say all keys: numbers as they are, each name as a step of its own."""
    there = np.isfinite(metric) & np.all([key.said for key in keys], axis=0) if keys else np.zeros(len(metric), bool)
    found = metric[there]
    columns, owners = _columns([(key, key.numbers[there]) for key in keys])
    if len(found) <= len(owners) + 1 or not owners or not np.ptp(found) > 1e-12 * np.abs(found).max():
        return Regression()
    wanted = (found - found.mean()) / found.std()
    slopes, *_ = np.linalg.lstsq(columns, wanted, rcond=None)
    # a column that the others make up can be moved without moving the plane: it has a part in the null space
    _, sizes, rows = np.linalg.svd(columns, full_matrices=False)
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    apart = np.abs(rows[rank:]).max(axis=0, initial=0.0) < 1e-6
    told = {key.name: float(slopes[n]) for n, key in enumerate(owners) if not key.names and apart[n]}
    return Regression(told, float(1.0 - ((wanted - columns @ slopes) ** 2).mean()))


def _columns(keys: Sequence[tuple[Key, Array]]) -> tuple[Array, list[Key]]:
    """Columns (n, c) of mean 0, those of numbers with deviation 1, and the key of each; keys that are the same everywhere have none."""
    columns, owners = [], []
    for key, numbers in keys:
        values = np.unique(numbers)
        if len(values) < 2:
            continue
        made = [(numbers == value).astype(float) for value in values[1:]] if key.names else [numbers / numbers.std()]
        columns += [one - one.mean() for one in made]
        owners += [key] * len(made)
    return (np.stack(columns, axis=1) if columns else np.zeros((0, 0))), owners
