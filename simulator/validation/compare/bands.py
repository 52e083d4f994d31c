"""Bands around the first record within which the others must lie: over time, or of steady turns over another channel.

Over a channel it is the construction of ISO 19364 as open code of its authors has it: around every point of the simulation an ellipse with the
half axes

    e_x = x_0 + g_x |x|,   e_y = y_0 + g_y |y|

and what all of them cover is the band. Measured values, means of steady rows in steps of the channel below, must lie in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.maneuvers.plots.contract import EmptyPlotError
from simulator.maneuvers.plots.cross_plots import steady_turns
from simulator.validation.compare.comparison_file import BandSaid, Comparison
from simulator.validation.compare.differences import Channel, values_of
from simulator.validation.compare.record import INSTEAD, Record, written_channel

Array = NDArray[np.float64]

STEPS = 60
"""Pieces of the range of a channel over which steady rows are averaged."""
FEWEST_ROWS = 3
"""Rows of a piece that count."""
FINER = 20
"""Points between two of the reference at which its ellipses stand."""


@dataclass(frozen=True)
class Band:
    """A band with its channels, SI."""

    said: BandSaid
    channel: Channel
    over: Channel | None
    add: float
    over_add: float

    @property
    def words(self) -> str:
        """How wide it is."""
        unit, factor = self.channel.shown
        told = _wide(self.add * factor, unit, self.said.share)
        if self.over is not None:
            unit, factor = self.over.shown
            return f"{told}; along {self.over.plain} {_wide(self.over_add * factor, unit, self.said.over_share)}"
        return f"{told}, {self.said.time:g} s earlier or later" if self.said.time else told


@dataclass(frozen=True)
class Curves:
    """A band as it is drawn: its middle, and its edges over places of their own; (n,) and (m,), SI."""

    x: Array
    y: Array
    edge_x: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class BandVerdict:
    """How a record keeps a band."""

    band: Band
    record: str
    kept: bool
    inside: float
    """Share of what was looked at; NaN where nothing could be."""
    worst: float
    """Largest way out of the band, SI of the channel; over a channel in half axes beyond 1. 0 where it is kept."""
    at: float
    """s, or SI of the channel below, where that is; NaN where it is kept."""
    x: Array
    y: Array
    """What was looked at."""
    remark: str = ""


def bands_of(comparison: Comparison, units: Mapping[str, str]) -> list[Band]:
    """The bands that are asked for. Raises ConfigError."""
    found = []
    for n, said in enumerate(comparison.bands):
        name, factor = written_channel(said.channel, units, comparison.file, f"bands[{n}].channel")
        over, over_add = None, 0.0
        if said.over:
            below, over_factor = written_channel(said.over, units, comparison.file, f"bands[{n}].over")
            over, over_add = Channel(below, units[below]), said.over_add * over_factor
        found.append(Band(said, Channel(name, units[name]), over, said.add * factor, over_add))
    return found


def judged(records: Sequence[Record], band: Band) -> tuple[Curves | None, list[BandVerdict]]:
    """(the band, how each of the others keeps it); no band where the reference does not have its channels."""
    first = records[0]
    missing = [name for name in _needed(band) if name not in first.columns]
    if missing:
        return None, [_not_looked_at(band, one, f"{first.name} has no {', '.join(missing)}") for one in records[1:]]
    curves = _over_time(first, band) if band.over is None else _over_channel(first, band)
    if curves is None:
        return None, [_not_looked_at(band, one, f"{first.name} has no steady turn") for one in records[1:]]
    look = _judge_time if band.over is None else _judge_channel
    out = []
    for one in records[1:]:
        lost = [name for name in _needed(band) if name not in one.columns]
        out.append(_not_looked_at(band, one, f"it has no {', '.join(lost)}") if lost else look(one, band, curves))
    return curves, out


def _needed(band: Band) -> list[str]:
    return [band.channel.name, *([] if band.over is None else [band.over.name])]


def _not_looked_at(band: Band, one: Record, why: str) -> BandVerdict:
    """What cannot be looked at is not kept."""
    return BandVerdict(band, one.name, False, np.nan, np.nan, np.nan, np.empty(0), np.empty(0), why)


def _wide(add: float, unit: str, share: float) -> str:
    parts = ([f"{add:.4g} {unit}".strip()] if add or not share else []) + ([f"{100.0 * share:.3g} %"] if share else [])
    return f"± {' + '.join(parts)}"


# ---- over time ----


def _over_time(first: Record, band: Band) -> Curves:
    values = values_of(first, band.channel)
    width = band.add + band.said.share * np.abs(values)
    low, high = (_reached(first.time, values + sign * width, band.said.time, sign) for sign in (-1.0, 1.0))
    return Curves(first.time, values, first.time, low, high)


def _reached(time: Array, edge: Array, reach: float, sign: float) -> Array:
    """Least (sign < 0) or most of an edge within so many seconds of each row."""
    if reach == 0.0:
        return edge
    begin, end = np.searchsorted(time, time - reach), np.searchsorted(time, time + reach, side="right")
    pick = np.nanmin if sign < 0.0 else np.nanmax
    return np.array([pick(edge[a:b]) for a, b in zip(begin.tolist(), end.tolist(), strict=True)])


def _judge_time(one: Record, band: Band, curves: Curves) -> BandVerdict:
    within = (one.time >= curves.x[0]) & (one.time <= curves.x[-1])
    time, values = one.time[within], values_of(one, band.channel)[within]
    low, high, middle = (np.interp(time, curves.x, edge) for edge in (curves.low, curves.high, curves.y))
    if band.channel.unit == "rad" and np.isfinite(values - middle).any():
        values = values - 2.0 * np.pi * np.round(np.nanmedian(values - middle) / (2.0 * np.pi))
    beyond = np.maximum(low - values, values - high)
    sound = np.isfinite(beyond)
    if not sound.any():
        return _not_looked_at(band, one, "no common time")
    out = beyond > 1e-12 * float(np.nanmax(np.abs(middle)) + 1.0)
    worst = int(np.nanargmax(beyond))
    kept = not out.any()
    inside = 1.0 - float(out[sound].mean())
    return BandVerdict(
        band, one.name, kept, inside, 0.0 if kept else float(beyond[worst]), np.nan if kept else float(time[worst]), time, values
    )


# ---- steady turns over a channel ----


def steady_curve(one: Record, band: Band) -> tuple[Array, Array] | None:
    """Means (n,), (n,) of the two channels in pieces of the one below, of steady rows; None where there are none."""
    assert band.over is not None
    x, y = values_of(one, band.over), values_of(one, band.channel)
    rows = np.isfinite(x) & np.isfinite(y)
    side = "a_WG_B_y" if "a_WG_B_y" in one.columns else INSTEAD["a_WG_B_y"]
    if "v_WB_B_x" in one.columns and side in one.columns:
        try:
            rows &= steady_turns(one.time, one.column("v_WB_B_x"), one.smooth(side))
        except EmptyPlotError:
            return None
    if rows.sum() < FEWEST_ROWS or np.ptp(x[rows]) == 0.0:
        return None
    x, y = x[rows], y[rows]
    piece = np.minimum(((x - x.min()) / np.ptp(x) * STEPS).astype(int), STEPS - 1)
    count = np.bincount(piece, minlength=STEPS)
    full = count >= FEWEST_ROWS
    sums = [np.bincount(piece, weights=values, minlength=STEPS) for values in (x, y)]
    return sums[0][full] / count[full], sums[1][full] / count[full]


def _over_channel(first: Record, band: Band) -> Curves | None:
    found = steady_curve(first, band)
    if found is None or len(found[0]) < FEWEST_ROWS:
        return None
    x, y = found
    e_x, e_y = band.over_add + band.said.over_share * np.abs(x), band.add + band.said.share * np.abs(y)
    slope = np.gradient(y, x)
    # the ellipse at (x, y) touches the edge above it where its tangent has the slope of the curve
    D = np.sqrt(e_y**2 + (slope * e_x) ** 2)
    D = np.where(D > 0.0, D, 1.0)
    high_x, high = x - slope * e_x**2 / D, y + e_y**2 / D
    low_x, low = x + slope * e_x**2 / D, y - e_y**2 / D
    edge_x = np.linspace(max(high_x.min(), low_x.min()), min(high_x.max(), low_x.max()), 4 * STEPS)
    return Curves(x, y, edge_x, _edge(edge_x, low_x, low), _edge(edge_x, high_x, high))


def _edge(at: Array, x: Array, y: Array) -> Array:
    order = np.argsort(x)
    return np.interp(at, x[order], y[order])


def _judge_channel(one: Record, band: Band, curves: Curves) -> BandVerdict:
    found = steady_curve(one, band)
    if found is None:
        return _not_looked_at(band, one, "it has no steady turn")
    common = (found[0] >= curves.edge_x[0]) & (found[0] <= curves.edge_x[-1])
    x, y = found[0][common], found[1][common]
    if not len(x):
        return _not_looked_at(band, one, "no common range")
    fine = np.interp(np.linspace(0.0, len(curves.x) - 1.0, FINER * (len(curves.x) - 1) + 1), np.arange(len(curves.x)), curves.x)
    middle = np.interp(fine, curves.x, curves.y)
    tiny = 1e-12 * (float(np.abs(middle).max()) + float(np.abs(fine).max()) + 1.0)
    e_x = np.maximum(band.over_add + band.said.over_share * np.abs(fine), tiny)
    e_y = np.maximum(band.add + band.said.share * np.abs(middle), tiny)
    away = np.array([np.hypot((a - fine) / e_x, (b - middle) / e_y).min() for a, b in zip(x.tolist(), y.tolist(), strict=True)])
    out = away > 1.0
    worst, kept = int(np.argmax(away)), not out.any()
    beyond = int((~common).sum())
    remark = f"{beyond} of its {len(found[0])} points lie beyond the ends of the band" if beyond else ""
    return BandVerdict(
        band,
        one.name,
        kept,
        1.0 - float(out.mean()),
        0.0 if kept else float(away[worst] - 1.0),
        np.nan if kept else float(x[worst]),
        x,
        y,
        remark,
    )
