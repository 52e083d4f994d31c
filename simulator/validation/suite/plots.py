"""Plots of the page as small PNG files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.base.errors import OutputError
from simulator.report.plot_style import BLUE, COLORS, INK, QUIET, STYLE
from simulator.telemetry.atomic_files import write_whole
from simulator.validation.suite.result import PageFigure, Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.4, 2.7
"""Width and height of a plot in inches."""
DPI = 80
MAX_ENTRIES = 6
"""Maximum number of entries of a legend."""


def draw(page_figure: PageFigure, folder: Path) -> None:
    """Write `<name>.png` into a folder. Raises OutputError."""
    import matplotlib as mpl
    from matplotlib import figure as figures

    across = min(len(page_figure.plots), 2)
    down = -(-len(page_figure.plots) // across)
    with mpl.rc_context(STYLE):
        figure = figures.Figure(figsize=(WIDTH * max(across, 1.4), HEIGHT * down), layout="constrained")
        axes = figure.subplots(down, across, squeeze=False).ravel()
        for plot, axis in zip(page_figure.plots, axes, strict=False):
            _draw(plot, axis)
        for axis in axes[len(page_figure.plots) :]:
            axis.set_visible(False)
        _legend(page_figure, figure, axes[0])
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be created: {error.strerror or error}") from None
        write_whole(
            folder / f"{page_figure.name}.png", lambda path: figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})
        )


def _legend(page_figure: PageFigure, figure: Figure, first: Axes) -> None:
    """Add a common legend below all plots if they have the same curves, and not too many."""
    names = [[curve.name for curve in plot.curves] for plot in page_figure.plots]
    if all(one == names[0] for one in names) and len(names[0]) <= MAX_ENTRIES:
        figure.legend(*first.get_legend_handles_labels(), loc="outside lower center", ncols=max(2, len(names[0]) // 2), fontsize=8)


def _draw(plot: Plot, axis: Axes) -> None:
    lines = [curve for curve in plot.curves if not curve.dots]
    pairs = len(plot.curves) > 2 and len(lines) * 2 == len(plot.curves)  # pairs of dots and a line in one color
    for n, curve in enumerate(plot.curves):
        color: Any = COLORS[(n // 2 if pairs else n) % len(COLORS)]
        look: dict[str, Any] = {"color": color, "label": curve.name}
        if len(plot.curves) == 2:
            look |= {"color": INK, "linewidth": 2.6, "alpha": 0.55} if n == 0 else {"color": BLUE, "linewidth": 1.3}
        if curve.dots:
            look |= {"linestyle": "", "marker": "o", "markersize": 4.5}
        axis.plot(curve.x, curve.y, **look)
    if plot.log:
        axis.set_xscale("log")
        axis.set_yscale("log")
        places = sorted({float(x) for curve in plot.curves for x in curve.x})
        axis.set_xticks(places, [f"{x:g}" for x in places])
        axis.set_xticks([], minor=True)
    axis.set_title(plot.title)
    axis.set_xlabel(plot.across)
    axis.set_ylabel(plot.up)
    axis.tick_params(color=QUIET, labelsize=8)
