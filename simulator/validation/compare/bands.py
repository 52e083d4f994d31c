"""Tolerance bands around the first record: over time, or for steady turns over another channel.

Bands over a channel follow ISO 19364 as implemented in the open code of its authors. Around every point of the simulation lies an
ellipse with the half axes

    e_x = x_0 + g_x |x|,   e_y = y_0 + g_y |y|

The band is the union of all ellipses. Measured values must lie in the band; they are means of steady rows in steps of the x channel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simulator.base.arrays import Array
from simulator.maneuvers.plots.contract import EmptyPlotError
from simulator.maneuvers.plots.cross_plots import steady_turns
from simulator.validation.compare.comparison_file import BandTolerance, Comparison
from simulator.validation.compare.coverage import compared_share, share_text
from simulator.validation.compare.differences import Channel, compared, full_turns, has_value, values_of
from simulator.validation.compare.record import INSTEAD, Record, written_channel

STEPS = 60
"""Number of intervals of the range of the x channel over which steady rows are averaged."""
MIN_ROWS = 3
"""Minimum number of rows in an interval."""
FINER = 20
"""Number of ellipses between two points of the reference."""


@dataclass(frozen=True)
class Band:
    """A band with its channels, in SI units."""

    given: BandTolerance
    channel: Channel
    over: Channel | None
    add: float
    over_add: float

    @property
    def words(self) -> str:
        """Width of the band as text."""
        unit, factor = self.channel.shown
        words = _wide(self.add * factor, unit, self.given.share)
        if self.over is not None:
            unit, factor = self.over.shown
            return f"{words}; along {self.over.plain} {_wide(self.over_add * factor, unit, self.given.over_share)}"
        return f"{words}, {self.given.time:g} s earlier or later" if self.given.time else words


@dataclass(frozen=True)
class Curves:
    """Curves of a band: reference (n,), and edges (m,) over separate x values, in SI units."""

    x: Array
    y: Array
    edge_x: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class BandVerdict:
    """Verdict on a record and a band."""

    band: Band
    record: str
    satisfied: bool
    """True if all compared values are inside, and enough of the reference is compared."""
    compared: float
    """Share of the time of the reference that is compared; over a channel, of the range of the band, or of the rows if this is smaller."""
    inside: float
    """Fraction of the values inside the band; NaN without values."""
    worst: float
    """Maximum distance from the band in SI units; over a channel, in half axes beyond 1. 0 if all values are inside."""
    at: float
    """Position of the maximum in s, or in SI units of the x channel; NaN if all values are inside."""
    x: Array
    y: Array
    """Compared values."""
    remark: str = ""


def bands_of(comparison: Comparison, units: Mapping[str, str]) -> list[Band]:
    """Return the requested bands. Raises ConfigError."""
    bands = []
    for n, given in enumerate(comparison.bands):
        name, factor = written_channel(given.channel, units, comparison.file, f"bands[{n}].channel")
        over, over_add = None, 0.0
        if given.over:
            below, over_factor = written_channel(given.over, units, comparison.file, f"bands[{n}].over")
            over, over_add = Channel(below, units[below]), given.over_add * over_factor
        bands.append(Band(given, Channel(name, units[name]), over, given.add * factor, over_add))
    return bands


def evaluate_band(records: Sequence[Record], band: Band) -> tuple[Curves | None, list[BandVerdict]]:
    """Return (the curves of the band, the verdicts of the other records). The curves are None if the reference lacks a channel."""
    first = records[0]
    missing = [name for name in _needed(band) if name not in first.columns]
    if missing:
        return None, [_not_compared(band, one, f"{first.name} lacks {', '.join(missing)}") for one in records[1:]]
    curves = _over_time(first, band) if band.over is None else _over_channel(first, band)
    if curves is None:
        return None, [_not_compared(band, one, f"{first.name} has no steady turn") for one in records[1:]]
    out = []
    for one in records[1:]:
        lost = [name for name in _needed(band) if name not in one.columns]
        out.append(_not_compared(band, one, f"missing {', '.join(lost)}") if lost else _evaluate(first, one, band, curves))
    return curves, out


def _evaluate(first: Record, one: Record, band: Band, curves: Curves) -> BandVerdict:
    """Return the verdict on a record. It is not satisfied if less than the required share is compared."""
    verdict = _evaluate_over_time(one, band, curves) if band.over is None else _evaluate_over_channel(one, band, curves)
    if np.isnan(verdict.inside):
        return verdict
    if band.over is None:
        share = compared(first, one, band.channel)
    else:
        rows = [float(np.mean(has_value(record, band.over) & has_value(record, band.channel))) for record in (first, one)]
        share = min(verdict.compared, *rows)
    if share >= band.given.min_compared - 1e-9:
        return replace(verdict, compared=share)
    remark = f"only {share_text(share)} compared, expected at least {share_text(band.given.min_compared)}"
    return replace(verdict, compared=share, satisfied=False, remark="; ".join(filter(None, (remark, verdict.remark))))


def _needed(band: Band) -> list[str]:
    return [band.channel.name, *([] if band.over is None else [band.over.name])]


def _not_compared(band: Band, one: Record, why: str) -> BandVerdict:
    """Return the verdict for values that cannot be compared: not inside."""
    return BandVerdict(band, one.name, False, 0.0, np.nan, np.nan, np.nan, np.empty(0), np.empty(0), why)


def _wide(add: float, unit: str, share: float) -> str:
    parts = ([f"{add:.4g} {unit}".strip()] if add or not share else []) + ([f"{100.0 * share:.3g} %"] if share else [])
    return f"± {' + '.join(parts)}"


# ---- over time ----


def _over_time(first: Record, band: Band) -> Curves:
    values = values_of(first, band.channel)
    values[~np.isfinite(values)] = np.nan
    width = band.add + band.given.share * np.abs(values)
    low, high = (_reached(first.time, values + sign * width, band.given.time, sign) for sign in (-1.0, 1.0))
    return Curves(first.time, values, first.time, low, high)


def _reached(time: Array, edge: Array, reach: float, sign: float) -> Array:
    """Return the minimum (sign < 0) or maximum of an edge within `reach` seconds of each row."""
    if reach == 0.0:
        return edge
    begin, end = np.searchsorted(time, time - reach), np.searchsorted(time, time + reach, side="right")
    pick = np.nanmin if sign < 0.0 else np.nanmax
    return np.array([pick(edge[a:b]) for a, b in zip(begin.tolist(), end.tolist(), strict=True)])


def _evaluate_over_time(one: Record, band: Band, curves: Curves) -> BandVerdict:
    within = (one.time >= curves.x[0]) & (one.time <= curves.x[-1])
    time, values = one.time[within], values_of(one, band.channel)[within]
    low, high, middle = (np.interp(time, curves.x, edge) for edge in (curves.low, curves.high, curves.y))
    values = values - full_turns(values - middle, band.channel)
    beyond = np.maximum(low - values, values - high)
    sound = ~np.isnan(beyond)
    if not sound.any():
        return _not_compared(band, one, "no common time")
    out = beyond > 1e-12 * (np.abs(middle) + 1.0)
    worst = int(np.nanargmax(beyond))
    satisfied = not out.any()
    inside = 1.0 - float(out[sound].mean())
    return BandVerdict(
        band,
        one.name,
        satisfied,
        1.0,
        inside,
        0.0 if satisfied else float(beyond[worst]),
        np.nan if satisfied else float(time[worst]),
        time,
        values,
    )


# ---- steady turns over a channel ----


def steady_curve(one: Record, band: Band) -> tuple[Array, Array] | None:
    """Return the means (n,), (n,) of both channels of steady rows, in intervals of the x channel; None without steady rows."""
    assert band.over is not None
    x, y = values_of(one, band.over), values_of(one, band.channel)
    rows = np.isfinite(x) & np.isfinite(y)
    side = "a_WG_B_y" if "a_WG_B_y" in one.columns else INSTEAD["a_WG_B_y"]
    if "v_WB_B_x" in one.columns and side in one.columns:
        try:
            rows &= steady_turns(one.time, one.column("v_WB_B_x"), one.smooth(side))
        except EmptyPlotError:
            return None
    if rows.sum() < MIN_ROWS or np.ptp(x[rows]) == 0.0:
        return None
    x, y = x[rows], y[rows]
    interval = np.minimum(((x - x.min()) / np.ptp(x) * STEPS).astype(int), STEPS - 1)
    count = np.bincount(interval, minlength=STEPS)
    full = count >= MIN_ROWS
    sums = [np.bincount(interval, weights=values, minlength=STEPS) for values in (x, y)]
    return sums[0][full] / count[full], sums[1][full] / count[full]


def _over_channel(first: Record, band: Band) -> Curves | None:
    steady = steady_curve(first, band)
    if steady is None or len(steady[0]) < MIN_ROWS:
        return None
    x, y = steady
    e_x, e_y = band.over_add + band.given.over_share * np.abs(x), band.add + band.given.share * np.abs(y)
    slope = np.gradient(y, x)
    # the ellipse at (x, y) touches the edge where its tangent has the slope of the curve
    D = np.sqrt(e_y**2 + (slope * e_x) ** 2)
    D = np.where(D > 0.0, D, 1.0)
    high_x, high = x - slope * e_x**2 / D, y + e_y**2 / D
    low_x, low = x + slope * e_x**2 / D, y - e_y**2 / D
    edge_x = np.linspace(max(high_x.min(), low_x.min()), min(high_x.max(), low_x.max()), 4 * STEPS)
    return Curves(x, y, edge_x, _edge(edge_x, low_x, low), _edge(edge_x, high_x, high))


def _edge(at: Array, x: Array, y: Array) -> Array:
    order = np.argsort(x)
    return np.interp(at, x[order], y[order])


def _evaluate_over_channel(one: Record, band: Band, curves: Curves) -> BandVerdict:
    steady = steady_curve(one, band)
    if steady is None:
        return _not_compared(band, one, "no steady turn")
    common = (steady[0] >= curves.edge_x[0]) & (steady[0] <= curves.edge_x[-1])
    x, y = steady[0][common], steady[1][common]
    if not len(x):
        return _not_compared(band, one, "no common range")
    fine = np.interp(np.linspace(0.0, len(curves.x) - 1.0, FINER * (len(curves.x) - 1) + 1), np.arange(len(curves.x)), curves.x)
    middle = np.interp(fine, curves.x, curves.y)
    tiny = 1e-12 * (float(np.abs(middle).max()) + float(np.abs(fine).max()) + 1.0)
    e_x = np.maximum(band.over_add + band.given.over_share * np.abs(fine), tiny)
    e_y = np.maximum(band.add + band.given.share * np.abs(middle), tiny)
    away = np.array([np.hypot((a - fine) / e_x, (b - middle) / e_y).min() for a, b in zip(x.tolist(), y.tolist(), strict=True)])
    out = away > 1.0
    worst, satisfied = int(np.argmax(away)), not out.any()
    beyond = int((~common).sum())
    remark = f"{beyond} of {len(steady[0])} points lie beyond the ends of the band" if beyond else ""
    return BandVerdict(
        band,
        one.name,
        satisfied,
        compared_share(*((places, np.ones(len(places), bool)) for places in (curves.edge_x, steady[0]))),
        1.0 - float(out.mean()),
        0.0 if satisfied else float(away[worst] - 1.0),
        np.nan if satisfied else float(x[worst]),
        x,
        y,
        remark,
    )
