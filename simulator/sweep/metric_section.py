"""Section of one metric on the report page: distribution, dependence on the keys, and the runs with its minimum and maximum."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.report.categorical_plots import Bar, Dots, Interval, Intervals, Tornado
from simulator.report.heatmap import Heat
from simulator.report.html_page import Column, Page
from simulator.report.plot import MAX_POINTS, Axis, Band, Curve, Panel, shortened
from simulator.sweep.effects import MAX_DISTINCT_ENDS, Effect, Regression, effects, regression
from simulator.sweep.results import Key, Results, shown

Drawing = Panel | Tornado | Intervals | Dots | Heat

PASSED = "passed"
"""Column of the verdicts as a metric: 1 or 0."""
MAX_BARS = 20
MAX_ROWS = 30
"""Number of names of a key above which the key is not drawn."""
MAX_HEATS = 6
MAX_VALUES = 40
"""Maximum number of values of a key on an axis of a heat map."""
LETTERS_ALONG, LETTERS_UP, LETTERS_IN_ROWS = 64, 34, 46
"""Maximum number of characters of the name of an axis."""
BINS = (8, 48)
TREND = 10
"""Number of groups of runs, equal in size, whose means show a trend."""


# Sobol indices from the runs of a Saltelli design: the fraction of the variance of a metric that a key causes, alone and with all other
# keys.
#
# Estimators: first order from Saltelli 2010, Table 2 (b), total order from Jansen, Table 2 (f), as in scipy.stats.sobol_indices. Scipy
# needs a power of two of pairs. This module accepts any number, for incomplete sweeps and failed runs.
RESAMPLES = 1000
CONFIDENCE = 0.95
MIN_PAIRS = 8
"""Minimum number of pairs of points."""
_AT_ONCE = 4_000_000
"""Number of resampled values in memory at a time."""


@dataclass(frozen=True)
class Indices:
    """Sobol indices of one metric, by key (d,)."""

    keys: Sequence[str]
    first: Array
    total: Array
    first_range: Array
    """(2, d), confidence interval of `first` by bootstrap over pairs."""
    total_range: Array
    pairs: int
    """Number of pairs of points with results."""
    of: int


def sobol_indices(keys: Sequence[str], found: Array, seed: int = 1) -> Indices | None:
    """Return the first- and total-order indices with confidence intervals.

    Parameters
    ----------
    keys : varied keys, d of them
    found : (n, d + 2), metric in the runs of n pairs: A, B, and A with one key of B in turn; pairs with a NaN are ignored

    Returns
    -------
    None : too few pairs, or the metric is constant
    """
    from scipy.stats import bootstrap

    complete = found[np.isfinite(found).all(axis=1)]
    if len(complete) < MIN_PAIRS or not np.ptp(complete[:, :2]) > 1e-12 * np.abs(complete[:, :2]).max():
        return None
    complete = complete - complete[:, :2].mean()  # centered values reduce the variance of the estimates [Sobol and Levitan 1999]
    drawn = bootstrap(
        (np.arange(len(complete)),),
        lambda pairs, axis: np.moveaxis(_estimates(complete[pairs]), -2, -1),
        n_resamples=RESAMPLES,
        batch=max(1, _AT_ONCE // complete.size),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    first, total = _estimates(complete)
    first_range, total_range = np.stack(drawn.confidence_interval, axis=1)
    return Indices(tuple(keys), first, total, first_range, total_range, len(complete), len(found))


def _estimates(runs: Array) -> Array:
    """Return the first and total order (2, ..., d) of resamples of pairs (..., n, d + 2)."""
    a, b, crossed = runs[..., :1], runs[..., 1:2], runs[..., 2:]
    variance = runs[..., :2].var(axis=(-2, -1))[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack(((b * (crossed - a)).mean(axis=-2) / variance, 0.5 * ((a - crossed) ** 2).mean(axis=-2) / variance))


def metric_section(page: Page, results: Results, name: str, ends: Callable[[Page, Sequence[Key]], None]) -> None:
    """Write the section of a metric that varies. `ends` writes the table of the runs with its minimum and maximum, with the keys in the
    order of their effects."""
    page.heading("Fraction passed" if name == PASSED else name)
    spread: list[Panel] = []
    if name != PASSED:
        spread.append(_spread(name, results.metrics[name], (results.about.get("limits") or {}).get(name)))
    groups = results.groups()
    if len(groups) > 1 and spread:
        page.figure([replace(panel, wide=True) for panel in spread])
        spread = []
    in_order: dict[str, Key] = {}
    for words, group in groups:
        if words:
            page.subheading(words)
        for key in _group(page, group, name, spread):
            in_order.setdefault(key, next(one for one in results.keys if one.name == key))
    if name != PASSED:
        ends(page, list(in_order.values()))


def _group(page: Page, results: Results, name: str, before: Sequence[Drawing]) -> list[str]:
    """Write the dependence of a metric on the keys, for runs in which the same keys vary; draw the plots `before` next to it. Return the
    keys in the order of their effects."""
    metric = results.metrics[name]
    keys = [key for key in results.keys if len(key.values) > 1]
    all_effects = effects(keys, metric)
    if before or all_effects:
        page.figure([*before, *_tornado(results, name, all_effects)])
    if all_effects:
        _effect_table(page, all_effects, regression(keys, metric))
    else:
        page.text("No key has an effect: fewer than two runs have a result, or each key has only one value.")
    _sobol(page, results, name)
    if name != PASSED and keys and np.isfinite(metric).any():
        _scatter(page, results, name, keys)
    order = [*(one.key for one in all_effects), *(key.name for key in keys if key.name not in {one.key for one in all_effects})]
    by_effect = sorted(keys, key=lambda key: order.index(key.name))
    heats = [heat for one, other in itertools.combinations(by_effect, 2) if (heat := _heat(results, name, one, other)) is not None]
    if heats:
        more = f" The plots show the {MAX_HEATS} of {len(heats)} pairs of keys with the largest effects." if len(heats) > MAX_HEATS else ""
        page.figure(heats[:MAX_HEATS], f"Means over all other varied keys.{more}")
    return order


NOTES = (
    "Effects: the bars show the mean of the metric over all other varied keys, where a key is low (blue) and where it is high (orange). "
    "Low and high are the minimum and the maximum of the key. For a key with many values, they are the lowest and the highest fifth of "
    "the runs. For names, they are the names with the smallest and the largest mean. The line is the mean of all runs.",
    "Regression: the coefficients of a linear regression over all runs, in standard deviations of the metric per standard deviation of the "
    "key. Names, and keys that always vary together, have no coefficient.",
)
"""Notes for the reader, shown once on the page."""


def _spread(name: str, metric: Array, limit: Sequence[float | None] | None) -> Panel:
    """Return a histogram of a metric."""
    sound = metric[np.isfinite(metric)]
    values = np.unique(sound)
    edges = np.histogram_bin_edges(sound, "auto")
    count = min(max(len(edges) - 1, BINS[0]), BINS[1])
    counts, edges = np.histogram(sound, count)
    if len(values) <= BINS[0]:  # bars at the few distinct values
        wide = 0.25 * float(np.diff(values).min())
        counts = np.array([(sound == value).sum() for value in values])
        at = np.concatenate([[value - wide, value - wide, value + wide, value + wide] for value in values])
        up = np.concatenate([[0.0, one, one, 0.0] for one in counts])
    else:
        at, up = np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(counts, 2), [0.0]])
    top = 1.05 * float(counts.max())
    lines = [Curve("mean", np.full(2, sound.mean()), np.array([0.0, top]), 0, dash="6 3")]
    for bound in limit or ():
        if bound is not None:
            lines.append(Curve("limit", np.full(2, float(bound)), np.array([0.0, top]), 2, width=2.0))
    axis = Axis(shortened(name, LETTERS_ALONG))
    outline = Curve("", at, up.astype(float), 1, width=1.0)
    return Panel(
        f"{len(sound)} runs",
        axis,
        Axis("runs", least=0.0, most=top),
        [outline, *lines],
        [Band("", at, np.zeros(len(at)), up.astype(float), 1)],
    )


def _tornado(results: Results, name: str, all_effects: Sequence[Effect]) -> list[Drawing]:
    if not all_effects:
        return []
    bars = [Bar(results.short[one.key], one.at_low, one.at_high, _end(one.low), _end(one.high)) for one in all_effects[:MAX_BARS]]
    title = "Effects" + (f", the first {MAX_BARS} of {len(all_effects)} keys" if len(all_effects) > MAX_BARS else "")
    return [Tornado(title, Axis(shortened(name, LETTERS_IN_ROWS)), float(np.nanmean(results.metrics[name])), bars)]


def _end(words: str) -> str:
    """Return the label at the end of a bar."""
    return words.replace("up to ", "≤ ").replace("from ", "≥ ")


def _effect_table(page: Page, all_effects: Sequence[Effect], plane: Regression) -> None:
    columns = [Column("key", words=True, long=True), Column("low", words=True), Column("high", words=True), Column("mean at low")]
    columns += [Column("mean at high"), Column("difference"), Column("regression", "standardized")]
    rows: list[list[Any]] = []
    for one in all_effects:
        slope = plane.coefficients.get(one.key)
        ends = [shortened(one.low, 32), shortened(one.high, 32)]
        rows.append([one.key, *ends, one.at_low, one.at_high, one.at_high - one.at_low, slope])
    note = f"The regression explains {100.0 * plane.explained:.3g} % of the variance."
    page.table(columns, rows, note if np.isfinite(plane.explained) else "")


def _scatter(page: Page, results: Results, name: str, keys: Sequence[Key]) -> None:
    metric = results.metrics[name]
    every = max(1, -(-len(metric) // MAX_POINTS))
    chosen = np.zeros(len(metric), bool)
    chosen[::every] = True
    verdicts = _verdicts(results.passed, np.isfinite(metric) & chosen)
    drawn: list[Drawing] = []
    for key in keys:
        if key.names and len(key.names) > MAX_ROWS:
            page.text(f"{key.name} has {len(key.names)} names and is not plotted.")
        elif key.names:
            drawn.append(Dots(results.short[key.name], Axis(shortened(name, LETTERS_IN_ROWS)), key.names, key.numbers, metric, verdicts))
        else:
            drawn.append(_cloud(results, name, key, verdicts))
    drawn.sort(key=lambda one: not isinstance(one, Panel))
    page.figure(drawn, f"Every {every}th run." if every > 1 else "")


def _verdicts(passed: Sequence[bool | None], chosen: NDArray[np.bool_]) -> list[tuple[str, int, NDArray[np.bool_]]]:
    """Return the curves of a scatter plot of the chosen runs, one for each verdict."""
    kinds = (("passed", 1, True), ("not passed", 2, False), ("runs", 1, None))
    groups = [(label, color, chosen & np.array([one is verdict for one in passed], dtype=bool)) for label, color, verdict in kinds]
    return [one for one in groups if one[2].any()]


def _cloud(results: Results, name: str, key: Key, curves: Sequence[tuple[str, int, NDArray[np.bool_]]]) -> Panel:
    metric = results.metrics[name]
    there = key.given & np.isfinite(metric)
    drawn = [
        Curve(label, key.numbers[which & there], metric[which & there], color, line=False, points=True) for label, color, which in curves
    ]
    at, means = _trend(key, metric, there)
    low, high = float(key.values[0]), float(key.values[-1])
    log = low > 0.0 and high > 100.0 * low
    margin = 1.0 if log else 0.02 * (high - low)
    axis = Axis(
        shortened(key.name, LETTERS_ALONG), log=log, least=low / 1.1 if log else low - margin, most=high * 1.1 if log else high + margin
    )
    return Panel("", axis, Axis(shortened(name, LETTERS_UP)), [*drawn, Curve("mean", at, means, 0, width=2.5)])


def _trend(key: Key, metric: Array, there: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Return the means over a key: at each value, or for many values in groups of equal size."""
    numbers, results = key.numbers[there], metric[there]
    values = np.unique(numbers)
    if len(values) <= MAX_DISTINCT_ENDS:
        return values, np.array([results[numbers == value].mean() for value in values])
    order = np.argsort(numbers, kind="stable")
    groups = [group for group in np.array_split(order, min(TREND, max(1, len(order) // 5))) if len(group)]
    return np.array([numbers[group].mean() for group in groups]), np.array([results[group].mean() for group in groups])


def _heat(results: Results, name: str, one: Key, other: Key) -> Heat | None:
    """Return the means over two keys, or None if the keys do not form a grid: too many values, or too few pairs with runs."""
    across, up = (one, other) if len(one.values) >= len(other.values) else (other, one)
    if not len(up.values) >= 2 or len(across.values) > MAX_VALUES:
        return None
    metric = results.metrics[name]
    there = np.isfinite(metric) & across.given & up.given
    i, j = np.searchsorted(across.values, across.numbers[there]), np.searchsorted(up.values, up.numbers[there])
    shape = len(up.values), len(across.values)
    counts, sums = np.zeros(shape), np.zeros(shape)
    np.add.at(counts, (j, i), 1.0)
    np.add.at(sums, (j, i), metric[there])
    if (counts > 0).mean() < 0.6:
        return None
    with np.errstate(invalid="ignore"):
        values = sums / counts
    words = [[key.word_of(value) for value in key.values] for key in (across, up)]
    return Heat(
        "Fraction passed" if name == PASSED else name,
        results.short[across.name],
        results.short[up.name],
        words[0],
        words[1],
        values,
        name,
    )


def _sobol(page: Page, results: Results, name: str) -> None:
    for section in results.about.get("sections", ()):
        indices = indices_of(results, section, name) if section.get("saltelli") else None
        if indices is None:
            continue
        series = [
            (words, [Interval(float(one), float(low), float(high)) for one, low, high in zip(values, *ranges, strict=True)])
            for words, values, ranges in (
                ("first order", indices.first, indices.first_range),
                ("total order", indices.total, indices.total_range),
            )
        ]
        page.figure(
            [Intervals("Sobol indices", Axis("fraction of the variance"), [results.short[key] for key in indices.keys], series)],
            _sobol_words(section, indices),
        )
        rows: list[list[Any]] = [
            [key, first.value, f"{shown(first.low)} to {shown(first.high)}", total.value, f"{shown(total.low)} to {shown(total.high)}"]
            for key, first, total in zip(indices.keys, series[0][1], series[1][1], strict=True)
        ]
        columns = [
            Column("key", words=True),
            Column("first order"),
            Column("interval", words=True),
            Column("total order"),
            Column("interval", words=True),
        ]
        page.table(columns, rows)


def _sobol_words(section: Mapping[str, Any], indices: Indices) -> str:
    missing = (
        f" {indices.of - indices.pairs} of {indices.of} pairs of points are left out: their runs are missing."
        if indices.pairs < indices.of
        else ""
    )
    return (
        f"Runs {section['first']} to {section['first'] + section['runs'] - 1}. "
        f"First order: fraction of the variance that disappears if only this key is known. Total "
        f"order: fraction that remains if all other keys are known. "
        f"{100 * CONFIDENCE:g} % intervals by bootstrap over {indices.pairs} pairs.{missing}"
    )


def indices_of(results: Results, section: Mapping[str, Any], name: str) -> Indices | None:
    """Return the Sobol indices of a metric from a Saltelli design, or None if too few of its runs are complete."""
    points = section["runs"] // (section["saltelli"] * section["repeats"])  # runs of a pair
    values = np.full(section["runs"], np.nan)
    places = results.numbers - section["first"]
    inside = (places >= 0) & (places < section["runs"])
    values[places[inside]] = results.metrics[name][inside]
    pairs = values.reshape(section["saltelli"], points, section["repeats"]).mean(axis=2)
    return sobol_indices(section["keys"][: points - 2], pairs)
