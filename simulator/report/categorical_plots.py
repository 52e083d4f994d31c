"""Plots with a row for each of several names, as SVG: bars from end to end (a tornado), bars with intervals, dots. They are as high as they
have rows and cannot be zoomed; a page shows them beside its panels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from simulator.report.svg_plot import COLORS, RIGHT, TOP, WIDTH, Axis, ticks

Array = NDArray[np.float64]

LABELS = 204
"""Room for the names at the left."""
BELOW = 44
"""Room for numbers and name of the axis."""
ROW = 26
MOST_LETTERS = 28
"""Of a name in the room for it."""
ENDS = 76
"""Room at either side of the bars of a tornado for what stands at their ends."""
END_LETTERS = 12


@dataclass(frozen=True)
class Bar:
    """Of a tornado: a number at either end of something, and what the ends are called."""

    label: str
    low: float
    high: float
    low_text: str
    high_text: str


@dataclass(frozen=True)
class Tornado:
    """Bars from end to end, one below the other, with a line at a middle; the side of the low end is blue, that of the high end orange."""

    title: str
    axis: Axis
    middle: float
    bars: Sequence[Bar]

    def svg(self) -> str:
        """As an `<svg>` element."""
        ends = [number for bar in self.bars for number in (bar.low, bar.high)]
        rows = _Rows([bar.label for bar in self.bars], self.axis, _range([*ends, self.middle]), ENDS)
        middle = rows.right(self.middle)
        drawn = [f'<path d="M{middle:.1f} {TOP}v{rows.height}" stroke="#444" stroke-width="1"/>']
        for n, bar in enumerate(self.bars):
            down, least, most = rows.down(n), min(bar.low, bar.high), max(bar.low, bar.high)
            split = rows.right(self.middle if least <= self.middle <= most else 0.5 * (least + most))
            rises = bar.low <= bar.high
            for number, words, color, left in ((bar.low, bar.low_text, 1, rises), (bar.high, bar.high_text, 2, not rises)):
                at = rows.right(number)
                drawn.append(
                    f'<rect x="{min(at, split):.1f}" y="{down - 8}" width="{abs(at - split):.1f}" height="16" fill="{COLORS[color]}"/>'
                )
                drawn.append(_words(at + (-5 if left else 5), down, shortened(words, END_LETTERS), "end" if left else "start", words))
        return rows.svg(self.title, "".join(drawn))


@dataclass(frozen=True)
class Interval:
    """A number with the interval in which it is trusted to lie."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Intervals:
    """For each name several numbers as bars from 0, with their intervals; `series` are called by their names, in colors of the plots."""

    title: str
    axis: Axis
    labels: Sequence[str]
    series: Sequence[tuple[str, Sequence[Interval]]]

    def svg(self) -> str:
        """As an `<svg>` element."""
        reach = [number for _, found in self.series for one in found for number in (one.low, one.high, one.value)]
        rows = _Rows(self.labels, self.axis, _range([0.0, *reach]), 8)
        thick, zero = 18 / len(self.series), rows.right(0.0)
        drawn = [f'<path d="M{zero:.1f} {TOP}v{rows.height}" stroke="#444" stroke-width="1"/>']
        for k, (name, found) in enumerate(self.series):
            drawn.append(f'<g class="curves" data-series="{escape(name, quote=True)}">')
            for n, one in enumerate(found):
                at, top = rows.right(one.value), rows.down(n) - 9 + k * thick
                low, high, middle = rows.right(one.low), rows.right(one.high), top + thick / 2
                color = COLORS[1 + k]
                drawn.append(
                    f'<rect x="{min(at, zero):.1f}" y="{top:.1f}" width="{abs(at - zero):.1f}" height="{thick - 1:.1f}" fill="{color}"/>'
                )
                drawn.append(
                    f'<path d="M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 3:.1f}v6M{high:.1f} {middle - 3:.1f}v6" stroke="#222"/>'
                )
            drawn.append("</g>")
        return rows.svg(self.title, "".join(drawn), [name for name, _ in self.series])


@dataclass(frozen=True)
class Dots:
    """For each name the numbers that belong to it, as dots with a line at their mean; the dots of one curve have one color.

    Parameters
    ----------
    places : (n,) row of each number
    numbers : (n,)
    curves : name and color of those that share an entry of a legend, and which numbers are of it (n,)
    """

    title: str
    axis: Axis
    labels: Sequence[str]
    places: Array
    numbers: Array
    curves: Sequence[tuple[str, int, NDArray[np.bool_]]]

    def svg(self) -> str:
        """As an `<svg>` element."""
        good = np.isfinite(self.numbers) & np.isfinite(self.places)
        rows = _Rows(self.labels, self.axis, _range(list(self.numbers[good])), 8)
        # dots of one place stand apart in a pattern that is the same each time
        apart = 14.0 * ((np.arange(len(self.numbers)) * 0.6180339887) % 1.0 - 0.5)
        drawn = []
        for name, color, which in self.curves:
            chosen = np.flatnonzero(which & good)
            dots = "".join(f"M{rows.right(self.numbers[n]):.1f} {rows.down(int(self.places[n])) + apart[n]:.1f}h0" for n in chosen.tolist())
            drawn.append(f'<path data-curve="{escape(name, quote=True)}" class="dots" d="{dots}" stroke="{COLORS[color]}"/>')
        for n in range(len(self.labels)):
            found = self.numbers[good & (self.places == n)]
            if len(found):
                drawn.append(f'<path d="M{rows.right(found.mean()):.1f} {rows.down(n) - 11}v22" stroke="{COLORS[0]}" stroke-width="2"/>')
        return rows.svg(self.title, f'<g class="curves">{"".join(drawn)}</g>')


RowPlot = Tornado | Intervals | Dots


class _Rows:
    """Where things stand: names at the left, an axis below.

    Parameters
    ----------
    span : least and most of the axis
    room : at either side of them, in units of the drawing
    """

    def __init__(self, labels: Sequence[str], axis: Axis, span: tuple[float, float], room: float) -> None:
        self.labels, self.axis = labels, axis
        self.height = ROW * max(1, len(labels)) + 8
        self._left, self._width = LABELS + room, WIDTH - RIGHT - LABELS - 2 * room
        self._low, self._high = span
        self._room = room

    def right(self, number: float) -> float:
        """Place of a number along the axis."""
        return float(self._left + (number - self._low) / (self._high - self._low) * self._width)

    def down(self, n: int) -> int:
        """Middle of a row."""
        return TOP + 4 + ROW * n + ROW // 2

    def svg(self, title: str, drawn: str, legend: Sequence[str] = ()) -> str:
        """The whole."""
        whole, width = TOP + self.height + BELOW, WIDTH - LABELS - RIGHT
        names = "".join(
            _words(LABELS - 8, self.down(n), shortened(label, MOST_LETTERS), "end", label) for n, label in enumerate(self.labels)
        )
        return (
            f'<svg class="still" viewBox="0 0 {WIDTH} {whole}" role="img"><title>{escape(title)}</title>'
            f'<text class="title" x="8" y="18">{escape(title)}</text>{_legend(legend)}'
            f'<g class="ticks">{self._ticks()}</g>{names}{drawn}'
            f'<rect class="frame" x="{LABELS}" y="{TOP}" width="{width}" height="{self.height}"/>'
            f'<text class="label" x="{LABELS + width / 2:g}" y="{whole - 8}" text-anchor="middle">{escape(self.axis.title)}</text></svg>'
        )

    def _ticks(self) -> str:
        per = (self._high - self._low) / self._width
        low, high = self._low - self._room * per, self._high + self._room * per
        drawn = []
        for place, text in ticks(low, high, False):
            at = self.right(place)
            if LABELS + 4 < at < WIDTH - RIGHT - 4:
                drawn.append(
                    f'<path d="M{at:.1f} {TOP}v{self.height}"/><text x="{at:.1f}" y="{TOP + self.height + 16}" text-anchor="middle">{text}</text>'
                )
        return "".join(drawn)


def _range(numbers: Sequence[float]) -> tuple[float, float]:
    """Least and most, with a little room, and never empty."""
    sound = [number for number in numbers if np.isfinite(number)] or [0.0]
    low, high = float(min(sound)), float(max(sound))
    room = 0.03 * (high - low)
    if high - low < 1e-9 * max(1.0, abs(high)):
        room = 0.5
    return low - room, high + room


def _words(right: float, down: float, text: str, anchor: str, whole: str) -> str:
    """A text in the middle of a row; all of it shows under a pointer."""
    told = f"<title>{escape(whole)}</title>" * (text != whole)
    return f'<text x="{right:.1f}" y="{down + 4}" text-anchor="{anchor}">{escape(text)}{told}</text>'


def _legend(names: Sequence[str]) -> str:
    """Names in their colors at the upper right."""
    drawn, right = [], WIDTH - RIGHT
    for k, name in reversed(list(enumerate(names))):
        drawn.append(f'<text x="{right}" y="18" text-anchor="end">{escape(name)}</text>')
        right -= round(6.4 * len(name)) + 14
        drawn.append(f'<rect x="{right}" y="9" width="10" height="10" fill="{COLORS[1 + k]}"/>')
        right -= 12
    return "".join(drawn)


def shortened(text: str, most: int) -> str:
    """A text of at most so many letters, the middle left out: of key paths both ends tell."""
    if len(text) <= most:
        return text
    end = (most - 1) * 3 // 5
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"
