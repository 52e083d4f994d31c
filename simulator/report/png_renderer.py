"""PNG renderer of plots, and the style of all pictures drawn with matplotlib, which is loaded on demand.

Margins are fixed: a layout that measures every text takes as long as the drawing. Texts that are too long are shortened or set smaller.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.report.plot import COLORS, RED, TICKS, Curve, Panel, Plot, Shade, View, cut, shortened, thinned, ticks

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, QUIET, SHADE = "#222222", "#9aa0a6", "#eef2f7"
STYLE: Any = {
    "font.size": 10.0,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e6ea",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
}
DPI = 120
COMPRESSION = 3
"""PNG compression level: a third of the time of zlib's default 6, and about 10 % more bytes."""

LEFT, RIGHT, SECOND, TOP, BOTTOM = 0.9, 0.25, 0.75, 0.45, 0.55
"""Margins of a panel and of the sheet [in]; SECOND is the right margin of a panel with a second unit."""
HEADING, LEGEND, NUMBERS = 0.3, 0.21, 0.6
"""Heights of the title of a panel, of a row of a legend, and of the numbers and the title of a horizontal axis [in]."""
WIDTH, NARROW = 9.0, 4.8
"""Width of a plot with one column, and of a column of several [in]."""
HEIGHT, STACKED, SQUARE, LOW = 3.2, 1.75, 6.0, 0.9
"""Height of a panel: alone or in columns, in a stack, with equal scales at most and at least [in]."""
LETTER = 0.085
"""Approximate width of a letter of 10 points [in]."""
KEY = 0.45
"""Width of the sample of a curve in a legend, with its distances [in]."""
CAPTION = 0.19
"""Height of a line of the caption [in]."""
MAX_TITLE = 110


def png(plot: Plot) -> bytes:
    """Return a plot as a PNG file; equal plots give equal bytes, independent of the software version."""
    return png_of(figure_of(plot))


def png_of(figure: Figure) -> bytes:
    """Return a figure as a PNG file, as `png`."""
    import matplotlib as mpl
    from PIL import Image

    with mpl.rc_context(STYLE):
        canvas: Any = figure.canvas
        canvas.draw()
    buffer = io.BytesIO()
    image = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba(), "raw", "RGBA", 0, 1).convert("RGB")
    image.save(buffer, format="png", dpi=(DPI, DPI), compress_level=COMPRESSION)
    return buffer.getvalue()


def figure_of(plot: Plot) -> Figure:
    """Return a plot as a figure, which a notebook displays."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            return png_of(self)

    with mpl.rc_context(STYLE):
        figure = ShownFigure(dpi=DPI)
        FigureCanvasAgg(figure)
        _Sheet(figure, plot).draw()
    return figure


def _draw_panel(axes: Axes, panel: Panel, *, bare: bool) -> dict[int, Artist | tuple[Artist, ...]]:
    """Draw a panel; `bare` without the name and the numbers of the horizontal axis. Return the artists of the items by `id`."""
    artists: dict[int, Artist | tuple[Artist, ...]] = {}
    x, y = view = panel.view(axes.bbox.width, axes.bbox.height)
    about = min(TICKS, max(2, round(axes.bbox.height / DPI / 0.3)))
    _set_ticks(axes, "x", x, ticks(*x, panel.x.log, max(3, round(axes.bbox.width / DPI / 0.65))), panel.x.log)
    _set_ticks(axes, "y", y, ticks(*y, panel.y.log, about), panel.y.log)
    for shade in panel.shades:
        _draw_shade(axes, shade, *view[0])
    for shape in panel.shapes:
        axes.fill(shape.x, shape.y, color=COLORS[shape.color % len(COLORS)], alpha=0.18, linewidth=0.0)
    for band in panel.bands:
        color = COLORS[band.color % len(COLORS)]
        artists[id(band)] = axes.fill_between(band.x, band.low, band.high, color=color, alpha=0.18, linewidth=0.0, label=band.name)
    for line in panel.lines:
        across = axes.axvline if line.upright else axes.axhline
        artists[id(line)] = across(line.value, label=line.name, **_look(line.color, 0.8, line.dash))
    for curve in panel.curves:
        artists[id(curve)] = _draw_curve(axes, curve, panel, view)
    for note in panel.annotations:
        color = COLORS[RED] if note.bad else INK
        axes.text(note.x, note.y, note.text, ha="center", va="bottom", fontsize=8.5, color=color, clip_on=True, zorder=6)
    if panel.y.second is not None:
        unit, factor = panel.y.second
        other = axes.secondary_yaxis("right", functions=(lambda y: np.multiply(y, factor), lambda y: np.divide(y, factor)))
        other.set_yticks(*zip(*ticks(factor * y[0], factor * y[1], False, about), strict=True))
        other.set_ylabel(f"[{unit}]")
        other.yaxis.set_label_coords(1.0 + 0.55 * DPI / axes.bbox.width, 0.5, axes.transAxes)
    _name_axes(axes, "" if bare else panel.x.title, panel.y.title)
    axes.tick_params(labelbottom=not bare)
    if _title(panel):
        axes.set_title(cut(panel.title, int(axes.bbox.width / DPI / (0.85 * LETTER))), fontsize=9.5, fontweight="normal")
    return artists


def _draw_curve(axes: Axes, curve: Curve, panel: Panel, view: View) -> tuple[Artist, ...]:
    """Draw the line of a curve, and the dots in the frame and on its edge, which does not cut them."""
    x, y = thinned(curve.x, curve.y)
    line = axes.plot(x, y, label=curve.name, **_look(curve.color, curve.width, curve.dash)) if curve.line else []
    if not curve.points:
        return tuple(line)
    inside = panel.shows(x, y, view)
    marks: Any = {"marker": "o", "markersize": 3.6, "markeredgewidth": 0.0, "clip_on": False, "zorder": 3}
    name = "" if curve.line else curve.name
    return (*line, *axes.plot(x[inside], y[inside], label=name, **_look(curve.color, curve.width, "none"), **marks))


def _set_ticks(axes: Axes, which: str, span: tuple[float, float], found: list[tuple[float, str]], log: bool) -> None:
    """Set the range of an axis, and the same ticks as on a page."""
    if log:
        axes.set(**{f"{which}scale": "log"})
        span, found = (10.0 ** span[0], 10.0 ** span[1]), [(10.0**position, text) for position, text in found]
    axes.set(**{f"{which}lim": span})
    axis = getattr(axes, f"{which}axis")
    axis.set_ticks([position for position, text in found if text], [text for _, text in found if text])
    unnamed = [position for position, text in found if not text]
    axis.set_ticks(unnamed, [""] * len(unnamed), minor=True)


def _draw_shade(axes: Axes, shade: Shade, x0: float, x1: float) -> None:
    """Draw an interval, with its name at the top as far as it fits."""
    if shade.dark:
        axes.axvspan(shade.begin, shade.end, color=SHADE, zorder=0)
    begin, end = max(shade.begin, x0), min(shade.end, x1)
    name = cut(shade.name, int((end - begin) / (x1 - x0) * axes.bbox.width / DPI / (0.75 * LETTER)))
    if name:
        place = axes.get_xaxis_transform()
        axes.text(begin, 0.98, f" {name}", color="#5a6570", fontsize=8, transform=place, ha="left", va="top", clip_on=True, zorder=6)


def _title(panel: Panel) -> str:
    """Return the title, empty if it only repeats the name of the vertical axis."""
    return "" if panel.title == panel.y.label else panel.title


def _look(color: int, width: float, dash: str) -> dict[str, Any]:
    lengths = [float(length) / max(width, 0.5) for length in dash.split()] if dash not in ("", "none") else ()
    return {"color": COLORS[color % len(COLORS)], "linewidth": width, "linestyle": (0, lengths) if lengths else dash or "-"}


def _name_axes(axes: Axes, x: str, y: str) -> None:
    """Name the axes at fixed distances, because measuring the numbers takes longer than drawing them."""
    across, up = axes.bbox.width / DPI, axes.bbox.height / DPI
    if x:
        axes.set_xlabel(x, fontsize=max(7.0, min(10.0, 10.0 * (across + 0.3) / (LETTER * len(x)))))
        axes.xaxis.set_label_coords(0.5, -0.32 / up)
        axes.xaxis.label.set_verticalalignment("top")
    if y:
        short = LETTER * len(y) <= up + 0.3
        lines = [y] if short else wrap(y, max(8, int((up + 0.3) / (0.85 * LETTER))), max_lines=2, placeholder="…")
        axes.set_ylabel("\n".join(lines), fontsize=10.0 if short else 8.5)
        axes.yaxis.set_label_coords(-0.6 / across, 0.5)


class _Sheet:
    """Arrangement of the panels of a plot; lengths in inches."""

    def __init__(self, figure: Figure, plot: Plot) -> None:
        self.figure, self.plot = figure, plot
        self.columns = max(1, min(plot.columns, len(plot.panels)))
        self.width = WIDTH if self.columns == 1 else self.columns * NARROW
        self.rows = _rows(plot.panels, self.columns)
        self.legends = _legends(plot.panels)

    def draw(self) -> None:
        """Draw all panels, the title above them and the caption below."""
        caption = wrap(self.plot.caption, int(self.width / (0.72 * LETTER)))
        heights = [max(self._height(panel) for panel in row) for row in self.rows]
        above = [max(self._above(panel) for panel in row) for row in self.rows]
        bare = [_share_axis(one, other) for one, other in pairwise(self.rows)] + [False]
        below = [0.0 if hidden else NUMBERS for hidden in bare[:-1]] + [BOTTOM + CAPTION * len(caption)]
        margin = TOP if self.plot.title else 0.1
        total = margin + sum(heights) + sum(above) + sum(below)
        self.figure.set_size_inches(self.width, total)
        drawn: dict[int, Axes] = {}
        artists: dict[int, Artist | tuple[Artist, ...]] = {}
        top = total - margin
        for n, row in enumerate(self.rows):
            top -= above[n] + heights[n]
            for k, panel in enumerate(row):
                left = LEFT + k * self.width / self.columns
                place = left / self.width, top / total, self._frame(panel) / self.width, heights[n] / total
                drawn[id(panel)] = axes = self.figure.add_axes(place)
                artists |= _draw_panel(axes, panel, bare=bare[n])
            top -= below[n]
        for panel, source in self.legends:
            self._add_legend(drawn[id(panel)], panel, source, artists)
        self._write(caption, total)

    def _write(self, caption: Sequence[str], total: float) -> None:
        title = shortened(self.plot.title, MAX_TITLE)
        size = min(11.0, 11.0 * (self.width - LEFT - RIGHT) / (1.12 * LETTER * max(1, len(title))))
        self.figure.text(LEFT / self.width, 1.0 - 0.27 / total, title, fontsize=size, fontweight="bold", color=INK)
        for n, line in enumerate(reversed(caption)):
            self.figure.text(LEFT / self.width, (CAPTION * n + 0.1) / total, line, fontsize=8.5, color="#5a6570")

    def _frame(self, panel: Panel) -> float:
        """Return the width of the area of the curves."""
        return self.width / (1 if panel.wide else self.columns) - LEFT - (RIGHT if panel.y.second is None else SECOND)

    def _height(self, panel: Panel) -> float:
        """Return the height of the area of the curves; with equal scales so high that nothing is left empty."""
        usual = STACKED if len(self.rows) > 1 and self.columns == 1 and not panel.wide else HEIGHT
        if not panel.equal:
            return usual
        (x0, x1), (y0, y1) = panel.range("x"), panel.range("y")
        return min(max(self._frame(panel) * (y1 - y0) / (x1 - x0), LOW), max(usual, SQUARE if len(self.plot.panels) == 1 else 0.0))

    def _above(self, panel: Panel) -> float:
        """Return the height of the title and of the legend of a panel."""
        rows = [self._legend_rows(source, panel) for one, source in self.legends if one is panel]
        return (HEADING if _title(panel) else 0.1) + LEGEND * sum(rows)

    def _legend_rows(self, source: Panel, panel: Panel) -> int:
        return -(-len([*source.named()]) // self._legend_columns(source, panel))

    def _legend_columns(self, source: Panel, panel: Panel) -> int:
        longest = max(len(item.name) for item in source.named())
        return max(1, int(self._frame(panel) / (0.85 * LETTER * longest + KEY)))

    def _legend_name(self, name: str, panel: Panel) -> str:
        """Return a name of a legend, shortened in the middle if it is longer than the panel."""
        return shortened(name, int((self._frame(panel) - KEY) / (0.85 * LETTER)))

    def _add_legend(self, axes: Axes, panel: Panel, source: Panel, artists: Mapping[int, Artist | tuple[Artist, ...]]) -> None:
        """Add a legend above a panel and its title, with the names of the items in `source`; `artists` of the items by `id`."""
        items = [*source.named()]
        axes.legend(
            [artists[id(item)] for item in items],
            [self._legend_name(item.name, panel) for item in items],
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0 + (HEADING - 0.05 if _title(panel) else 0.03) * DPI / axes.bbox.height),
            ncols=self._legend_columns(source, panel),
            fontsize=9,
            borderaxespad=0.0,
            borderpad=0.15,
            handlelength=1.8,
            columnspacing=1.2,
            labelspacing=0.3,
        )


def _rows(panels: Sequence[Panel], columns: int) -> list[list[Panel]]:
    """Return the panels in rows; a wide panel has a row of its own."""
    rows: list[list[Panel]] = []
    for panel in panels:
        if not rows or panel.wide or rows[-1][-1].wide or len(rows[-1]) == columns:
            rows.append([])
        rows[-1].append(panel)
    return rows


def _legends(panels: Sequence[Panel]) -> list[tuple[Panel, Panel]]:
    """Return the panels with a legend, each with the panel whose items it names: one legend for all if one panel has all names."""
    named = [(panel, {item.name for item in panel.named()}) for panel in panels]
    named = [(panel, names) for panel, names in named if names]
    if not named:
        return []
    fullest, most = max(named, key=lambda one: len(one[1]))
    if len(named) > 1 and all(names <= most for _, names in named):
        return [(panels[0], fullest)]
    return [(panel, panel) for panel, _ in named]


def _share_axis(one: Sequence[Panel], other: Sequence[Panel]) -> bool:
    """Return True if the panels of a row have the horizontal axes of the row below, which then shows their numbers."""
    alike = one[0].x == other[0].x and one[0].range("x") == other[0].range("x")
    return len(one) == len(other) == 1 and alike and not (one[0].equal or other[0].equal)
