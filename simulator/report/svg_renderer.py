"""SVG renderer of panels, for pages. The plots are readable without a script; `page.js` zooms them.

A panel is an `<svg>` whose lines are in one group and whose dots are in another, because the frame clips lines, and not dots at its edge. The
script sets the matrix of both groups and redraws the ticks. It reads the ranges and the scaling of both axes from the `data-` attributes. Stroke
widths are independent of the zoom, and points are strokes of zero length with round ends. Text inside a plot is in a separate group: the script
moves the text without scaling it.
"""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.arrays import Array
from simulator.report.plot import COLORS, TICKS, Annotation, Band, Curve, Panel, ReferenceLine, Shade, View, cut, scaled, thinned, ticks

WIDTH, HEIGHT = 560, 300
"""Size of a panel in SVG units; a page scales it."""
WIDE = 1136
"""Width of a panel that spans two columns."""
LEFT, RIGHT, TOP, BOTTOM = 66, 14, 30, 46
"""Margins around the curves, for labels."""
SECOND = 44
"""Right margin of a panel with a second unit on the right."""

DOT = 3
"""Margin around the frame for dots at its edge: their radius on a small page."""
LETTER = 6.4
"""Approximate width of a letter, to fit texts."""


def width_of(panel: Panel) -> int:
    """Return the width of a panel in SVG units."""
    return WIDE if panel.wide else WIDTH


def frame(panel: Panel) -> tuple[int, int]:
    """Return the width and height of the area of the curves."""
    return width_of(panel) - LEFT - (RIGHT if panel.y.second is None else SECOND), HEIGHT - TOP - BOTTOM


def svg(panel: Panel, key: str) -> str:
    """Return a panel as an `<svg>` element; `key` is unique on the page."""
    w, h = frame(panel)
    x, y = view = panel.view(w, h)
    ranges = (("x0", x[0]), ("x1", x[1]), ("y0", y[0]), ("y1", y[1]), ("xlog", int(panel.x.log)), ("ylog", int(panel.y.log)))
    data = " ".join(f'data-{name}="{value}"' for name, value in ranges) + " data-equal" * panel.equal
    second = ""
    if panel.y.second is not None:
        data += f' data-second="{panel.y.second[1]}"'
        second = f'<text class="label" x="{LEFT + w + 6}" y="{TOP - 8}">{escape(panel.y.second[0])}</text>'
    areas = [_shade(shade, panel, view) for shade in panel.shades]
    areas += [_area(shape.x, shape.y, shape.color, panel, view) for shape in panel.shapes]
    areas += [_band(band, panel, view) for band in panel.bands]
    lines = [_line(line, panel, view) for line in panel.lines]
    curves = "".join([*areas, *lines, *(_curve(curve, panel, view) for curve in panel.curves if curve.line)])
    dots = "".join(_dots(curve, panel, view) for curve in panel.curves if curve.points)
    around = f'x="{LEFT - DOT}" y="{TOP - DOT}" width="{w + 2 * DOT}" height="{h + 2 * DOT}"'
    clipped_dots = (
        f'<clipPath id="clip-{key}-dots"><rect {around}/></clipPath><g clip-path="url(#clip-{key}-dots)"><g class="curves">{dots}</g></g>'
    )
    words = "".join(
        [*(_shade_name(shade, panel, view) for shade in panel.shades), *(_note(note, panel, view) for note in panel.annotations)]
    )
    return (
        f'<svg class="panel" viewBox="0 0 {width_of(panel)} {HEIGHT}" role="img" {data}>'
        f"<title>{escape(panel.title)}</title>"
        f'<clipPath id="clip-{key}"><rect x="{LEFT}" y="{TOP}" width="{w}" height="{h}"/></clipPath>'
        f'<text class="title" x="{LEFT}" y="18">{escape(panel.title)}</text>'
        f'<g class="ticks">{ticks_svg(view, panel)}</g>'
        f'<g clip-path="url(#clip-{key})"><g class="curves">{curves}</g></g>'
        f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{w}" height="{h}"/>'
        f"{clipped_dots if dots else ''}"
        f'<g clip-path="url(#clip-{key})"><g class="words">{words}</g></g>'
        f'<rect class="box" x="0" y="0" width="0" height="0"/>'
        f'<text class="label" x="{LEFT + w / 2:g}" y="{HEIGHT - 8}" text-anchor="middle">{escape(panel.x.title)}</text>'
        f'<text class="label" transform="translate(14 {TOP + h / 2:g}) rotate(-90)" text-anchor="middle">{escape(panel.y.title)}</text>{second}'
        f'<text class="readout" x="{width_of(panel) - RIGHT}" y="18" text-anchor="end"></text>'
        "</svg>"
    )


def ticks_svg(view: View, panel: Panel) -> str:
    """Return the grid lines and numbers of the axes; `page.js` contains the same function for zoomed views."""
    (x0, x1), (y0, y1) = view
    w, h = frame(panel)
    drawn = []
    for position, text in ticks(x0, x1, panel.x.log, TICKS * width_of(panel) // WIDTH):
        at = LEFT + (position - x0) / (x1 - x0) * w
        drawn.append(f'<path d="M{at:.1f} {TOP}v{h}"/><text x="{at:.1f}" y="{TOP + h + 16}" text-anchor="middle">{text}</text>')
    for position, text in ticks(y0, y1, panel.y.log):
        at = TOP + (y1 - position) / (y1 - y0) * h
        drawn.append(f'<path d="M{LEFT} {at:.1f}h{w}"/><text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{text}</text>')
    factor = 0.0 if panel.y.second is None else panel.y.second[1]
    for position, text in ticks(factor * y0, factor * y1, False) if factor else ():
        at = TOP + (y1 - position / factor) / (y1 - y0) * h
        drawn.append(f'<text x="{LEFT + w + 6}" y="{at + 4:.1f}">{text}</text>')
    return "".join(drawn)


def _placed(x: ArrayLike, y: ArrayLike, panel: Panel, view: View) -> tuple[Array, Array]:
    """Return the positions in the plot of numbers."""
    (x0, x1), (y0, y1) = view
    w, h = frame(panel)
    right = LEFT + (scaled(x, panel.x) - x0) / (x1 - x0) * w
    down = TOP + (y1 - scaled(y, panel.y)) / (y1 - y0) * h
    return right, np.clip(down, -1e5, 1e5)


def _curve(curve: Curve, panel: Panel, view: View) -> str:
    right, down = _placed(*thinned(curve.x, curve.y), panel, view)
    finite = np.isfinite(right) & np.isfinite(down)
    dash = f' stroke-dasharray="{curve.dash}"' * bool(curve.dash)
    name, color = _look(curve)
    return f'<path data-curve="{name}" d="{_path(right, down, finite)}" stroke="{color}" stroke-width="{curve.width:g}"{dash}/>'


def _dots(curve: Curve, panel: Panel, view: View) -> str:
    """Return a dot for each point, thinned as the line."""
    right, down = _placed(*thinned(curve.x, curve.y), panel, view)
    finite = np.isfinite(right) & np.isfinite(down)
    dots = "".join(f"M{a:.2f} {b:.2f}h0" for a, b in zip(right[finite], down[finite], strict=True))
    name, color = _look(curve)
    return f'<path data-curve="{name}" class="dots" d="{dots}" stroke="{color}"/>'


def _look(curve: Curve) -> tuple[str, str]:
    """Return the name, as an attribute, and the color."""
    return escape(curve.name, quote=True), COLORS[curve.color % len(COLORS)]


def _area(x: Array, y: Array, color: int, panel: Panel, view: View, name: str = "") -> str:
    right, down = _placed(x, y, panel, view)
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


def _line(line: ReferenceLine, panel: Panel, view: View) -> str:
    # far beyond the frame, so that the line spans every zoomed view
    x, y = ([line.value] * 2, [0.0, 0.0]) if line.upright else ([0.0, 0.0], [line.value] * 2)
    right, down = _placed(x, y, panel, view)
    d = f"M{right[0]:.2f} -1e4V1e4" if line.upright else f"M-1e4 {down[0]:.2f}H1e4"
    dash = f' stroke-dasharray="{line.dash}"' * bool(line.dash)
    return (
        f'<path data-curve="{escape(line.name, quote=True)}" d="{d}" stroke="{COLORS[line.color % len(COLORS)]}" stroke-width="0.8"{dash}/>'
    )


def _shade(shade: Shade, panel: Panel, view: View) -> str:
    if not shade.dark:
        return ""
    ends, _ = _placed([shade.begin, shade.end], [0.0, 0.0], panel, view)
    return f'<path class="shade" d="M{ends[0]:.2f} {TOP}H{ends[1]:.2f}V{HEIGHT - BOTTOM}H{ends[0]:.2f}Z"/>'


def _shade_name(shade: Shade, panel: Panel, view: View) -> str:
    """Return the name at the top of its interval; shortened if it does not fit, omitted if fewer than three letters fit."""
    ends, _ = _placed([shade.begin, shade.end], [0.0, 0.0], panel, view)
    begin, end = max(ends[0], LEFT), min(ends[1], LEFT + frame(panel)[0])
    shown, position = cut(shade.name, int((end - begin - 8.0) / LETTER)), f"{begin + 4.0:.1f}"
    return f'<text class="stretch" data-x="{position}" x="{position}" y="{TOP + 14}">{escape(shown)}</text>' if shown else ""


def _note(note: Annotation, panel: Panel, view: View) -> str:
    right, down = _placed([note.x], [note.y], panel, view)
    at = f'x="{right[0]:.1f}" y="{down[0]:.1f}" data-x="{right[0]:.1f}" data-y="{down[0]:.1f}"'
    return f'<text {at} text-anchor="middle"{" class=bad" * note.bad}>{escape(note.text)}</text>'


def _path(right: Array, down: Array, finite: NDArray[np.bool_]) -> str:
    """Return path commands through the points, with gaps where a point is missing."""
    parts, open_ = [], False
    for a, b, is_finite in zip(right.tolist(), down.tolist(), finite.tolist(), strict=True):
        if is_finite:
            parts.append(f"{'L' if open_ else 'M'}{a:.2f} {b:.2f}")
        open_ = is_finite
    return "".join(parts)
