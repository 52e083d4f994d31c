"""Description of a plot: panels with axes, curves, bands and notes as data. `png_renderer` and `svg_renderer` draw it in the same look.

Numbers are in the unit of their axis. A NaN is a gap. Items without a name are not in the legend.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.arrays import Array

COLORS = ("#444444", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d")
"""Colors by number, after Okabe and Ito; distinguishable with color vision deficiency."""
GRAY, BLUE, RED, GREEN, PINK, AMBER, SKY, PURPLE = range(len(COLORS))
"""Numbers of the colors."""
DASHES = ("", "7 3", "2 3")
"""Dash patterns that distinguish curves of one color, or curves for readers who cannot distinguish colors."""

MAX_POINTS = 2000
"""Maximum number of points of a drawn curve. A longer curve is reduced to the extremes of intervals, which preserves peaks."""

REFERENCE_WIDTH = 3.2
"""Width of the curve of a reference, which stays visible below other curves."""
TICKS = 6
"""Approximate number of ticks on an axis; more on a long axis."""


View = tuple[tuple[float, float], tuple[float, float]]
"""Minimum and maximum of both axes."""


def style_of(n: int) -> tuple[int, str]:
    """Return color and dash pattern of the n-th curve of a panel, n from 0: 21 styles without gray, then again from the first."""
    colors = PURPLE - BLUE + 1
    return BLUE + n % colors, DASHES[n // colors % len(DASHES)]


@dataclass(frozen=True)
class Axis:
    """Axis of a panel; `least` and `most` default to the range of the curves."""

    label: str
    unit: str = ""
    log: bool = False
    least: float | None = None
    most: float | None = None
    second: tuple[str, float] | None = None
    """Second unit of a vertical axis, drawn on the right, and the factor to it."""

    @property
    def title(self) -> str:
        """Return the label with its unit."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


@dataclass(frozen=True)
class Curve:
    """Numbers over numbers (n,). Curves with the same name share a legend entry and are hidden together."""

    name: str
    x: Array
    y: Array
    color: int = BLUE
    dash: str = ""
    """Lengths of dashes and gaps, for example "5 3"."""
    width: float = 1.4
    points: bool = False
    """True to draw a dot for each number."""
    line: bool = True
    """True to draw a line through the numbers."""


@dataclass(frozen=True)
class Band:
    """Area between two curves (n,) over (n,). It shares the legend entry of curves with the same name."""

    name: str
    x: Array
    low: Array
    high: Array
    color: int = BLUE


@dataclass(frozen=True)
class ReferenceLine:
    """Line across the panel at a value of the vertical axis, or at a value of the horizontal axis if `upright`."""

    value: float
    name: str = ""
    upright: bool = False
    color: int = GRAY
    dash: str = ""


@dataclass(frozen=True)
class Shade:
    """Named interval of the horizontal axis."""

    begin: float
    end: float
    name: str
    dark: bool = True


@dataclass(frozen=True)
class Shape:
    """Filled area with corners (n,), (n,)."""

    x: Array
    y: Array
    color: int = BLUE


@dataclass(frozen=True)
class Annotation:
    """Text centered at a position in the panel; `bad` highlights it."""

    x: float
    y: float
    text: str
    bad: bool = False


@dataclass(frozen=True)
class Panel:
    """Axes with everything in them."""

    title: str
    x: Axis
    y: Axis
    curves: Sequence[Curve]
    bands: Sequence[Band] = ()
    lines: Sequence[ReferenceLine] = ()
    shades: Sequence[Shade] = ()
    shapes: Sequence[Shape] = ()
    annotations: Sequence[Annotation] = ()
    equal: bool = False
    """True to use the same scale for both axes."""
    wide: bool = False
    """True to span the width of the plot."""

    def named(self) -> Iterator[Curve | Band | ReferenceLine]:
        """Yield the first item of each name, for a legend."""
        seen = {""}
        items: list[Curve | Band | ReferenceLine] = [*self.curves, *self.bands, *self.lines]
        for item in items:
            if item.name not in seen:
                seen.add(item.name)
                yield item

    def range(self, which: str) -> tuple[float, float]:
        """Return the range of the axis "x" or "y", never empty; base-10 logarithms for a logarithmic axis."""
        axis: Axis = getattr(self, which)
        shown = [getattr(one, which) for one in (*self.curves, *self.shapes)]
        shown += [getattr(band, end) for band in self.bands for end in (("x",) if which == "x" else ("low", "high"))]
        shown += [np.array([getattr(one, which)]) for one in self.annotations]
        shown += [np.array([line.value]) for line in self.lines if line.upright == (which == "x")]
        numbers = np.concatenate([scaled(one, axis) for one in shown] or [np.zeros(1)])
        numbers = numbers[np.isfinite(numbers)]
        low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
        margin = 0.0 if which == "x" and not self.equal else 0.05 * (high - low)
        texts = which == "y" and (self.annotations or any(shade.name for shade in self.shades))
        low, high = low - margin, high + (2.8 if texts else 1.0) * margin
        if axis.least is not None:
            low = float(scaled(axis.least, axis))
        if axis.most is not None:
            high = float(scaled(axis.most, axis))
        if high - low < 1e-9 * max(1.0, abs(high)):
            return low - 0.5, low + 0.5
        return low, high

    def view(self, width: float, height: float) -> View:
        """Return the ranges of both axes in a frame; with equal scales, the axis with spare space is extended on both sides."""
        x, y = self.range("x"), self.range("y")
        if not self.equal:
            return x, y
        scale = max((x[1] - x[0]) / width, (y[1] - y[0]) / height)
        x_more, y_more = 0.5 * (scale * width - (x[1] - x[0])), 0.5 * (scale * height - (y[1] - y[0]))
        return (x[0] - x_more, x[1] + x_more), (y[0] - y_more, y[1] + y_more)

    def shows(self, x: Array, y: Array, view: View) -> NDArray[np.bool_]:
        """Return whether the points (n,), (n,) are in a view or on its edge, where rounding does not count."""
        (x0, x1), (y0, y1) = view
        along, up = (scaled(x, self.x) - x0) / (x1 - x0), (scaled(y, self.y) - y0) / (y1 - y0)
        return (np.abs(along - 0.5) <= 0.5 + 1e-9) & (np.abs(up - 0.5) <= 0.5 + 1e-9)


@dataclass(frozen=True)
class Plot:
    """Panels from left to right and from top to bottom under a title; the caption stands below them."""

    title: str
    panels: Sequence[Panel]
    columns: int = 1
    """Number of panels in a row of a PNG; a page arranges panels by its width."""
    caption: str = ""


def over_reference(x: Array, reference: tuple[str, Array], other: tuple[str, Array]) -> list[Curve]:
    """Return two curves, each with its name; the wide reference stays visible below the other one."""
    return [Curve(reference[0], x, reference[1], GRAY, width=REFERENCE_WIDTH), Curve(other[0], x, other[1], SKY)]


def scaled(numbers: ArrayLike, axis: Axis) -> Array:
    """Return numbers, or their base-10 logarithms for a logarithmic axis; NaN without a logarithm."""
    numbers = np.asarray(numbers, dtype=float)
    if not axis.log:
        return numbers
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numbers > 0.0, np.log10(numbers), np.nan)


def ticks(low: float, high: float, log: bool, about: int = TICKS) -> list[tuple[float, str]]:
    """Return the positions and texts of ticks from low to high; on a logarithmic axis, range and positions are base-10 logarithms."""
    if log and high - low > 0.8:
        found, every = [], math.ceil((high - low) / (1.5 * about))
        for decade in range(math.floor(low), math.ceil(high) + 1):
            for digit in range(1, 10):
                position = decade + math.log10(digit)
                if low - 1e-9 <= position <= high + 1e-9:
                    named = (digit == 1 and decade % every == 0) or (high - low < 3.0 and digit in (2, 5))
                    found.append((position, _text(10.0**position) if named else ""))
        return found
    step = _step(high - low, about)
    first = math.ceil(low / step - 1e-9)
    positions = [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]
    digits = max(4, math.ceil(math.log10(max(abs(low), abs(high)) / step)) + 1)  # enough digits to distinguish adjacent ticks
    return [(position, _text(10.0**position if log else position, digits)) for position in positions]


def _step(span: float, about: int) -> float:
    """Return 1, 2 or 5 times a power of ten that divides the span into about `about` steps."""
    rough = span / about
    power = 10.0 ** math.floor(math.log10(rough))
    return next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= rough * 0.999)


def _text(number: float, digits: int = 4) -> str:
    return f"{0.0 if abs(number) < 1e-12 else float(f'{number:.{digits}g}'):.{max(digits, 6)}g}"


def thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Return about MAX_POINTS points of a curve: the extremes of each interval, in order. If x turns back, also its extremes."""
    n = len(x)
    if n <= MAX_POINTS:
        return x, y
    turns = bool(np.any(np.diff(x) < 0.0))
    count = MAX_POINTS // (4 if turns else 2)
    length = math.ceil(n / count)
    selected = [np.array([0, n - 1])]
    for numbers in (x, y) if turns else (y,):
        padded = np.concatenate([numbers, np.full(count * length - n, numbers[-1])]).reshape(count, length)
        finite = np.where(np.isfinite(padded), padded, 0.0)
        begins = length * np.arange(count)
        selected += [finite.argmin(axis=1) + begins, finite.argmax(axis=1) + begins]
    rows = np.unique(np.clip(np.concatenate(selected), 0, n - 1))
    return x[rows], y[rows]


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, shortened in the middle, because both ends of a key path matter."""
    if len(text) <= most:
        return text
    end = (most - 1) * 3 // 5
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters, shortened at its end; empty if fewer than three letters fit."""
    return text if len(text) <= most else f"{text[: most - 1]}…" if most > 3 else ""
