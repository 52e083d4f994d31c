"""SVG plots of a page: axes with units, ticks and curves. The plots are readable without a script; `page.js` zooms them.

A panel is an `<svg>` whose curves are in one group. The script sets the matrix of that group and redraws the ticks. It reads the ranges and
the scaling of both axes from the `data-` attributes. Stroke widths are independent of the zoom, and points are strokes of zero length
with round ends. Text inside a plot is in a separate group: the script moves the text without scaling it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WIDTH, HEIGHT = 560, 300
"""Size of a panel in SVG units; a page scales it."""
WIDE = 1136
"""Width of a panel that spans two columns."""
LEFT, RIGHT, TOP, BOTTOM = 66, 14, 30, 46
"""Margins around the curves, for labels."""

COLORS = ("#444444", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d")
"""Colors by number, after Okabe and Ito; distinguishable with color vision deficiency."""

MOST_POINTS = 2000
"""Maximum number of points of a curve. A longer curve is reduced to the minimum and maximum of intervals, which preserves peaks."""

TICKS = 6
"""Approximate number of ticks on an axis; twice as many on the horizontal axis of a wide panel."""
LETTER = 6.4
"""Approximate width of a letter, to fit texts."""


@dataclass(frozen=True)
class Axis:
    """Axis of a panel; `least` and `most` default to the range of the curves."""

    label: str
    unit: str = ""
    log: bool = False
    least: float | None = None
    most: float | None = None

    @property
    def title(self) -> str:
        """Return the label with its unit."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


@dataclass(frozen=True)
class Curve:
    """Numbers over numbers (n,); a NaN is a gap. Curves with the same name share a legend entry and are hidden together."""

    name: str
    x: Array
    y: Array
    color: int = 1
    dash: str = ""
    """SVG dash pattern, for example "5 3"."""
    width: float = 1.4
    points: bool = False
    """True to draw a dot for each number."""
    line: bool = True
    """True to draw a line through the numbers."""


@dataclass(frozen=True)
class Band:
    """Area between two curves (n,) over (n,); a NaN is a gap. It shares the legend entry of curves with the same name."""

    name: str
    x: Array
    low: Array
    high: Array
    color: int = 1


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
    color: int = 1


@dataclass(frozen=True)
class Label:
    """Text at a position in the plot; `bad` highlights it."""

    x: float
    y: float
    text: str
    bad: bool = False


@dataclass(frozen=True)
class Panel:
    """Single plot."""

    title: str
    x: Axis
    y: Axis
    curves: Sequence[Curve]
    bands: Sequence[Band] = ()
    shades: Sequence[Shade] = ()
    shapes: Sequence[Shape] = ()
    labels: Sequence[Label] = ()
    equal: bool = False
    """True to use the same scale for both axes."""
    wide: bool = False
    """True to span two columns."""

    @property
    def width(self) -> int:
        """Return the width in SVG units."""
        return WIDE if self.wide else WIDTH


View = tuple[tuple[float, float], tuple[float, float]]
"""Minimum and maximum of both axes."""


def svg(panel: Panel, key: str) -> str:
    """Return a panel as an `<svg>` element; `key` is unique on the page."""
    x, y = view = _view(panel)
    width, log = panel.width, (panel.x.log, panel.y.log)
    w, h = width - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    data = " ".join(
        f'data-{name}="{value}"'
        for name, value in (("x0", x[0]), ("x1", x[1]), ("y0", y[0]), ("y1", y[1]), ("xlog", int(log[0])), ("ylog", int(log[1])))
    )
    clip = f"clip-{key}"
    areas = [_shade(shade, panel, view) for shade in panel.shades]
    areas += [_area(shape.x, shape.y, shape.color, panel, view) for shape in panel.shapes]
    areas += [_band(band, panel, view) for band in panel.bands]
    curves = "".join([*areas, *(_curve(curve, panel, view) for curve in panel.curves)])
    words = "".join([*(_shade_name(shade, panel, view) for shade in panel.shades), *(_label(label, panel, view) for label in panel.labels)])
    return (
        f'<svg class="panel" viewBox="0 0 {width} {HEIGHT}" role="img" {data}{" data-equal" * panel.equal}>'
        f"<title>{escape(panel.title)}</title>"
        f'<clipPath id="{clip}"><rect x="{LEFT}" y="{TOP}" width="{w}" height="{h}"/></clipPath>'
        f'<text class="title" x="{LEFT}" y="18">{escape(panel.title)}</text>'
        f'<g class="ticks">{ticks_svg(view, log, width)}</g>'
        f'<g clip-path="url(#{clip})"><g class="curves">{curves}</g><g class="words">{words}</g></g>'
        f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{w}" height="{h}"/>'
        f'<rect class="box" x="0" y="0" width="0" height="0"/>'
        f'<text class="label" x="{LEFT + w / 2:g}" y="{HEIGHT - 8}" text-anchor="middle">{escape(panel.x.title)}</text>'
        f'<text class="label" transform="translate(14 {TOP + h / 2:g}) rotate(-90)" text-anchor="middle">{escape(panel.y.title)}</text>'
        f'<text class="readout" x="{width - RIGHT}" y="18" text-anchor="end"></text>'
        "</svg>"
    )


def ticks_svg(view: View, log: tuple[bool, bool], width: int) -> str:
    """Return the grid lines and numbers of both axes; `page.js` contains the same function for zoomed views."""
    x, y = view
    w, h = width - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    lines = []
    for position, text in ticks(*x, log[0], TICKS * width // WIDTH):
        at = LEFT + (position - x[0]) / (x[1] - x[0]) * w
        lines.append(
            f'<path d="M{at:.1f} {TOP}v{h}"/>' + (f'<text x="{at:.1f}" y="{TOP + h + 16}" text-anchor="middle">{text}</text>' * bool(text))
        )
    for position, text in ticks(*y, log[1]):
        at = TOP + (y[1] - position) / (y[1] - y[0]) * h
        lines.append(
            f'<path d="M{LEFT} {at:.1f}h{w}"/>' + (f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{text}</text>' * bool(text))
        )
    return "".join(lines)


def ticks(low: float, high: float, log: bool, about: int = TICKS) -> list[tuple[float, str]]:
    """Return the positions and texts of ticks from low to high; on a logarithmic axis, range and positions are base-10 logarithms."""
    if log and high - low > 0.8:
        found = []
        for decade in range(math.floor(low), math.ceil(high) + 1):
            for digit in range(1, 10):
                position = decade + math.log10(digit)
                if low - 1e-9 <= position <= high + 1e-9:
                    named = digit == 1 or (high - low < 3.0 and digit in (2, 5))
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


def _view(panel: Panel) -> View:
    """Return the displayed ranges; with equal scales, the axis with spare space is extended on both sides."""
    x, y = _range(panel, "x"), _range(panel, "y")
    if not panel.equal:
        return x, y
    w, h = panel.width - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    scale = max((x[1] - x[0]) / w, (y[1] - y[0]) / h)
    x_more, y_more = 0.5 * (scale * w - (x[1] - x[0])), 0.5 * (scale * h - (y[1] - y[0]))
    return (x[0] - x_more, x[1] + x_more), (y[0] - y_more, y[1] + y_more)


def _range(panel: Panel, which: str) -> tuple[float, float]:
    """Return the range of an axis with a small margin, never empty; logarithms for a logarithmic axis."""
    axis: Axis = getattr(panel, which)
    shown = [getattr(one, which) for one in (*panel.curves, *panel.shapes)]
    shown += [getattr(band, end) for band in panel.bands for end in (("x",) if which == "x" else ("low", "high"))]
    shown += [np.array([getattr(label, which)]) for label in panel.labels]
    numbers = np.concatenate([_scaled(one, axis) for one in shown] or [np.zeros(1)])
    numbers = numbers[np.isfinite(numbers)]
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    available = 0.0 if which == "x" else 0.05 * (high - low)
    low, high = low - available, high + available
    if axis.least is not None:
        low = float(_scaled(np.array([axis.least]), axis)[0])
    if axis.most is not None:
        high = float(_scaled(np.array([axis.most]), axis)[0])
    if high - low < 1e-9 * max(1.0, abs(high)):
        return low - 0.5, low + 0.5
    return low, high


def _scaled(numbers: Array, axis: Axis) -> Array:
    numbers = np.asarray(numbers, dtype=float)
    if not axis.log:
        return numbers
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numbers > 0.0, np.log10(numbers), np.nan)


def _placed(x: Array, y: Array, panel: Panel, view: View) -> tuple[Array, Array]:
    """Return the positions in the plot of scaled numbers."""
    (x0, x1), (y0, y1) = view
    right = LEFT + (x - x0) / (x1 - x0) * (panel.width - LEFT - RIGHT)
    down = TOP + (y1 - y) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)
    return right, np.clip(down, -1e5, 1e5)


def _curve(curve: Curve, panel: Panel, view: View) -> str:
    right, down = _placed(*thinned(_scaled(curve.x, panel.x), _scaled(curve.y, panel.y)), panel, view)
    finite = np.isfinite(right) & np.isfinite(down)
    name, color = escape(curve.name, quote=True), COLORS[curve.color % len(COLORS)]
    dash = f' stroke-dasharray="{curve.dash}"' * bool(curve.dash)
    drawn = ""
    if curve.line:
        drawn = f'<path data-curve="{name}" d="{_path(right, down, finite)}" stroke="{color}" stroke-width="{curve.width:g}"{dash}/>'
    if curve.points:
        dots = "".join(f"M{a:.2f} {b:.2f}h0" for a, b in zip(right[finite], down[finite], strict=True))
        drawn += f'<path data-curve="{name}" class="dots" d="{dots}" stroke="{color}"/>'
    return drawn


def _area(x: Array, y: Array, color: int, panel: Panel, view: View, name: str = "") -> str:
    right, down = _placed(_scaled(x, panel.x), _scaled(y, panel.y), panel, view)
    corners = _path(right, down, np.isfinite(right) & np.isfinite(down))
    return f'<path data-curve="{escape(name, quote=True)}" class="area" d="{corners}Z" style="fill:{COLORS[color % len(COLORS)]}"/>'


def _band(band: Band, panel: Panel, view: View) -> str:
    """Return an area for each interval without a gap, thinned to the extremes."""
    low, high = (thinned(band.x, edge) for edge in (band.low, band.high))
    finite = np.isfinite(band.x) & np.isfinite(band.low) & np.isfinite(band.high)
    if finite.all():
        return _area(np.concatenate([low[0], high[0][::-1]]), np.concatenate([low[1], high[1][::-1]]), band.color, panel, view, band.name)
    edges = np.flatnonzero(np.diff(finite, prepend=False, append=False))
    intervals = [slice(a, b) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]
    return "".join(_band(Band(band.name, band.x[at], band.low[at], band.high[at], band.color), panel, view) for at in intervals)


def _shade(shade: Shade, panel: Panel, view: View) -> str:
    if not shade.dark:
        return ""
    ends, _ = _placed(_scaled(np.array([shade.begin, shade.end]), panel.x), np.zeros(2), panel, view)
    return f'<path class="shade" d="M{ends[0]:.2f} {TOP}H{ends[1]:.2f}V{HEIGHT - BOTTOM}H{ends[0]:.2f}Z"/>'


def _shade_name(shade: Shade, panel: Panel, view: View) -> str:
    """Return the name at the top of its interval; shortened if it does not fit, omitted if fewer than three letters fit."""
    ends, _ = _placed(_scaled(np.array([shade.begin, shade.end]), panel.x), np.zeros(2), panel, view)
    available = int((min(ends[1], panel.width - RIGHT) - max(ends[0], LEFT) - 8.0) / LETTER)
    shown = shade.name if len(shade.name) <= available else f"{shade.name[: available - 1]}…" if available > 3 else ""
    position = f"{max(ends[0], LEFT) + 4.0:.1f}"
    return f'<text class="stretch" data-x="{position}" x="{position}" y="{TOP + 14}">{escape(shown)}</text>' if shown else ""


def _label(label: Label, panel: Panel, view: View) -> str:
    right, down = _placed(_scaled(np.array([label.x]), panel.x), _scaled(np.array([label.y]), panel.y), panel, view)
    at = f'x="{right[0]:.1f}" y="{down[0]:.1f}" data-x="{right[0]:.1f}" data-y="{down[0]:.1f}"'
    return f'<text {at} text-anchor="middle"{" class=bad" * label.bad}>{escape(label.text)}</text>'


def _path(right: Array, down: Array, finite: NDArray[np.bool_]) -> str:
    """Return path commands through the points, with gaps where a point is missing."""
    parts, open_ = [], False
    for a, b, is_finite in zip(right.tolist(), down.tolist(), finite.tolist(), strict=True):
        if is_finite:
            parts.append(f"{'L' if open_ else 'M'}{a:.2f} {b:.2f}")
        open_ = is_finite
    return "".join(parts)


def thinned(x: Array, y: Array, most: int = MOST_POINTS) -> tuple[Array, Array]:
    """Return at most `most` points of a curve: the minimum and maximum of each interval, in order."""
    n = len(x)
    if n <= most:
        return x, y
    intervals = most // 2
    length = math.ceil(n / intervals)
    padded = np.concatenate([y, np.full(intervals * length - n, y[-1])]).reshape(intervals, length)
    finite_values = np.where(np.isfinite(padded), padded, 0.0)
    at = (
        np.sort(np.stack([finite_values.argmin(axis=1), finite_values.argmax(axis=1)], axis=1), axis=1)
        + length * np.arange(intervals)[:, None]
    )
    selected = np.unique(np.clip(np.concatenate([[0], at.ravel(), [n - 1]]), 0, n - 1))
    return x[selected], y[selected]
