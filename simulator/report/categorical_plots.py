"""SVG plots with one row per name: tornado plots, bars with intervals, dots. The height depends on the number of rows. The plots
cannot be zoomed; a page shows them next to its panels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.report.plot import COLORS, Axis, shortened, ticks
from simulator.report.svg_renderer import RIGHT, TOP, WIDTH

LABELS = 204
"""Width for the names on the left."""
BELOW = 44
"""Height for the numbers and the name of the axis."""
ROW = 26
MAX_CHARACTERS = 28
"""Maximum number of characters of a name."""
ENDS = 76
"""Width on either side of the bars of a tornado plot for the texts at their ends."""
END_CHARACTERS = 12


@dataclass(frozen=True)
class Bar:
    """Bar of a tornado plot: a number and a text at either end."""

    label: str
    low: float
    high: float
    low_text: str
    high_text: str


@dataclass(frozen=True)
class Tornado:
    """Stacked bars from low end to high end, with a line at a middle value; the low side is blue, the high side orange."""

    title: str
    axis: Axis
    middle: float
    bars: Sequence[Bar]

    def svg(self) -> str:
        """Return the plot as an `<svg>` element."""
        ends = [number for bar in self.bars for number in (bar.low, bar.high)]
        rows = _Rows([bar.label for bar in self.bars], self.axis, _range([*ends, self.middle]), ENDS)
        middle = rows.right(self.middle)
        drawn = [f'<path d="M{middle:.1f} {TOP}v{rows.height}" stroke="#444" stroke-width="1"/>']
        for n, bar in enumerate(self.bars):
            down, lowest, most = rows.down(n), min(bar.low, bar.high), max(bar.low, bar.high)
            split = rows.right(self.middle if lowest <= self.middle <= most else 0.5 * (lowest + most))
            rises = bar.low <= bar.high
            for number, end_text, color, left in ((bar.low, bar.low_text, 1, rises), (bar.high, bar.high_text, 2, not rises)):
                at = rows.right(number)
                drawn.append(
                    f'<rect x="{min(at, split):.1f}" y="{down - 8}" width="{abs(at - split):.1f}" height="16" fill="{COLORS[color]}"/>'
                )
                drawn.append(
                    _text_element(at + (-5 if left else 5), down, shortened(end_text, END_CHARACTERS), "end" if left else "start", end_text)
                )
        return rows.svg(self.title, "".join(drawn))


@dataclass(frozen=True)
class Interval:
    """Number with its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Intervals:
    """Bars from 0 with intervals, several for each name; `series` holds the name and the values of each color."""

    title: str
    axis: Axis
    labels: Sequence[str]
    series: Sequence[tuple[str, Sequence[Interval]]]

    def svg(self) -> str:
        """Return the plot as an `<svg>` element."""
        reach = [number for _, values in self.series for one in values for number in (one.low, one.high, one.value)]
        rows = _Rows(self.labels, self.axis, _range([0.0, *reach]), 8)
        bar_height, zero = 18 / len(self.series), rows.right(0.0)
        drawn = [f'<path d="M{zero:.1f} {TOP}v{rows.height}" stroke="#444" stroke-width="1"/>']
        for k, (name, values) in enumerate(self.series):
            drawn.append(f'<g class="curves" data-series="{escape(name, quote=True)}">')
            for n, one in enumerate(values):
                at, top = rows.right(one.value), rows.down(n) - 9 + k * bar_height
                low, high, middle = rows.right(one.low), rows.right(one.high), top + bar_height / 2
                color = COLORS[1 + k]
                drawn.append(
                    f'<rect x="{min(at, zero):.1f}" y="{top:.1f}" width="{abs(at - zero):.1f}" height="{bar_height - 1:.1f}" fill="{color}"/>'
                )
                drawn.append(
                    f'<path d="M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 3:.1f}v6M{high:.1f} {middle - 3:.1f}v6" stroke="#222"/>'
                )
            drawn.append("</g>")
        return rows.svg(self.title, "".join(drawn), [name for name, _ in self.series])


@dataclass(frozen=True)
class Dots:
    """Dots of the numbers of each name, with a line at their mean; the dots of one curve have one color.

    Parameters
    ----------
    places : (n,) row of each number
    numbers : (n,)
    curves : name and color of each legend entry, and a mask (n,) of its numbers
    """

    title: str
    axis: Axis
    labels: Sequence[str]
    places: Array
    numbers: Array
    curves: Sequence[tuple[str, int, NDArray[np.bool_]]]

    def svg(self) -> str:
        """Return the plot as an `<svg>` element."""
        finite = np.isfinite(self.numbers) & np.isfinite(self.places)
        rows = _Rows(self.labels, self.axis, _range(list(self.numbers[finite])), 8)
        # dots at one position are spread in a reproducible pattern
        spread = 14.0 * ((np.arange(len(self.numbers)) * 0.6180339887) % 1.0 - 0.5)
        drawn = []
        for name, color, mask in self.curves:
            selected = np.flatnonzero(mask & finite)
            dots = "".join(
                f"M{rows.right(self.numbers[n]):.1f} {rows.down(int(self.places[n])) + spread[n]:.1f}h0" for n in selected.tolist()
            )
            drawn.append(f'<path data-curve="{escape(name, quote=True)}" class="dots" d="{dots}" stroke="{COLORS[color]}"/>')
        for n in range(len(self.labels)):
            values = self.numbers[finite & (self.places == n)]
            if len(values):
                drawn.append(f'<path d="M{rows.right(values.mean()):.1f} {rows.down(n) - 11}v22" stroke="{COLORS[0]}" stroke-width="2"/>')
        return rows.svg(self.title, f'<g class="curves">{"".join(drawn)}</g>')


RowPlot = Tornado | Intervals | Dots


class _Rows:
    """Layout of a plot with rows: names on the left, an axis below.

    Parameters
    ----------
    span : minimum and maximum of the axis
    margin : distance on either side, in units of the drawing
    """

    def __init__(self, labels: Sequence[str], axis: Axis, span: tuple[float, float], margin: float) -> None:
        self.labels, self.axis = labels, axis
        self.height = ROW * max(1, len(labels)) + 8
        self._left, self._width = LABELS + margin, WIDTH - RIGHT - LABELS - 2 * margin
        self._low, self._high = span
        self._margin = margin

    def right(self, number: float) -> float:
        """Return the horizontal position of a number on the axis."""
        return float(self._left + (number - self._low) / (self._high - self._low) * self._width)

    def down(self, n: int) -> int:
        """Return the vertical center of a row."""
        return TOP + 4 + ROW * n + ROW // 2

    def svg(self, title: str, drawn: str, legend: Sequence[str] = ()) -> str:
        """Return the complete `<svg>` element."""
        complete, width = TOP + self.height + BELOW, WIDTH - LABELS - RIGHT
        names = "".join(
            _text_element(LABELS - 8, self.down(n), shortened(label, MAX_CHARACTERS), "end", label) for n, label in enumerate(self.labels)
        )
        return (
            f'<svg class="still" viewBox="0 0 {WIDTH} {complete}" role="img"><title>{escape(title)}</title>'
            f'<text class="title" x="8" y="18">{escape(title)}</text>{_legend(legend)}'
            f'<g class="ticks">{self._ticks()}</g>{names}{drawn}'
            f'<rect class="frame" x="{LABELS}" y="{TOP}" width="{width}" height="{self.height}"/>'
            f'<text class="label" x="{LABELS + width / 2:g}" y="{complete - 8}" text-anchor="middle">{escape(self.axis.title)}</text></svg>'
        )

    def _ticks(self) -> str:
        units_per_pixel = (self._high - self._low) / self._width
        low, high = self._low - self._margin * units_per_pixel, self._high + self._margin * units_per_pixel
        drawn = []
        for place, text in ticks(low, high, False):
            at = self.right(place)
            if LABELS + 4 < at < WIDTH - RIGHT - 4:
                drawn.append(
                    f'<path d="M{at:.1f} {TOP}v{self.height}"/><text x="{at:.1f}" y="{TOP + self.height + 16}" text-anchor="middle">{text}</text>'
                )
        return "".join(drawn)


def _range(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the minimum and maximum with a small margin; the range is never empty."""
    finite = [number for number in numbers if np.isfinite(number)] or [0.0]
    low, high = float(min(finite)), float(max(finite))
    margin = 0.03 * (high - low)
    if high - low < 1e-9 * max(1.0, abs(high)):
        margin = 0.5
    return low - margin, high + margin


def _text_element(right: float, down: float, text: str, anchor: str, complete: str) -> str:
    """Return a text element at the center of a row, with the complete text as tooltip."""
    tooltip = f"<title>{escape(complete)}</title>" * (text != complete)
    return f'<text x="{right:.1f}" y="{down + 4}" text-anchor="{anchor}">{escape(text)}{tooltip}</text>'


def _legend(names: Sequence[str]) -> str:
    """Return the names in their colors, aligned to the upper right."""
    drawn, right = [], WIDTH - RIGHT
    for k, name in reversed(list(enumerate(names))):
        drawn.append(f'<text x="{right}" y="18" text-anchor="end">{escape(name)}</text>')
        right -= round(6.4 * len(name)) + 14
        drawn.append(f'<rect x="{right}" y="9" width="10" height="10" fill="{COLORS[1 + k]}"/>')
        right -= 12
    return "".join(drawn)
