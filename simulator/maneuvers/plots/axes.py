"""Axes of all plots: fixed margins in inches, labels with units, shaded phases.

Fixed margins avoid a layout that measures every text; that would take as long as the drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.maneuvers.plots.contract import Run
from simulator.report.plot_style import INK, QUIET, SHADE, thinned

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT, TOP, BOTTOM, BETWEEN, BETWEEN_COLUMNS = 0.95, 0.25, 0.55, 0.6, 0.2, 1.05
"""Margins around the panels of a plot, and distances between them down and across [in]."""
SECOND_AXIS = 0.6
"""Additional right margin for an axis in another unit [in]."""
LEGEND = 0.25
"""Additional top margin for a legend above the names of phases [in]."""
LEGEND_ALONE = 0.08
"""Additional top margin for a legend without names of phases [in]."""
LETTER = 0.085
"""Approximate width of a letter of 10 points [in]."""
BEYOND = 0.3
"""Length by which the label of an axis may exceed the axis [in]."""
MAX_TITLE = 110
"""Maximum number of characters of a title; a longer title is shortened in the middle."""


def panels(
    figure: Figure,
    title: str,
    rows: int = 1,
    columns: int = 1,
    *,
    heights: Sequence[float] | None = None,
    right: float = RIGHT,
    above: float = 0.0,
    below: float = BOTTOM,
    between: float = BETWEEN,
    share: bool = True,
) -> NDArray:
    """Return axes (rows, columns) under a title; stacked panels share the x axis. Lengths in inches."""
    width, height = figure.get_size_inches()
    top = TOP + above
    panel_height = (height - top - below - (rows - 1) * between) / rows
    panel_width = (width - LEFT - right - (columns - 1) * BETWEEN_COLUMNS) / columns
    grid_options = {
        "left": LEFT / width,
        "right": 1.0 - right / width,
        "bottom": below / height,
        "top": 1.0 - top / height,
        "hspace": between / panel_height,
        "wspace": BETWEEN_COLUMNS / panel_width,
    }
    grid = figure.subplots(rows, columns, squeeze=False, sharex="col" if share else False, height_ratios=heights, gridspec_kw=grid_options)
    shown = title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 41]}…{title[-40:]}"
    size = min(11.0, 11.0 * (width - LEFT - RIGHT) / (1.12 * LETTER * max(1, len(shown))))
    figure.text(LEFT / width, 1.0 - 0.27 / height, shown, fontsize=size, fontweight="bold", color=INK)
    return grid


def inches(axes: Axes) -> tuple[float, float]:
    """Return the width and height of a panel."""
    root = axes.figure.get_figure(root=True)
    assert root is not None
    width, height = axes.get_position().size * root.get_size_inches()
    return float(width), float(height)


def name_axes(axes: Axes, x: str = "", y: str = "") -> None:
    """Label the axes at fixed distances, because measuring the tick labels takes longer than drawing them."""
    across, up = inches(axes)
    if x:
        axes.set_xlabel(x, fontsize=max(7.0, min(10.0, 10.0 * (across + BEYOND) / (LETTER * len(x)))))
        axes.xaxis.set_label_coords(0.5, -0.34 / up)
        axes.xaxis.label.set_verticalalignment("top")
    if y:
        short = LETTER * len(y) <= up + BEYOND
        lines = [y] if short else wrap(y, max(8, int((up + BEYOND) / (0.85 * LETTER))), max_lines=2, placeholder="…")
        axes.set_ylabel("\n".join(lines), fontsize=10.0 if short else 8.5)
        axes.yaxis.set_label_coords(-0.6 / across, 0.5)


def time_panels(figure: Figure, run: Run, title: str, labels: Sequence[str], *, right: float = RIGHT, above: float = 0.0) -> list[Axes]:
    """Return a panel over time for each y label, stacked, with shaded phases."""
    rows = panels(figure, f"{run.maneuver.title}: {title}", len(labels), right=right, above=above)[:, 0].tolist()
    over_time(rows, run, labels)
    return rows


def over_time(rows: Sequence[Axes], run: Run, labels: Sequence[str]) -> None:
    """Convert stacked panels to panels over time."""
    for axes, label in zip(rows, labels, strict=True):
        shade(axes, run, named=axes is rows[0])
        name_axes(axes, y=label)
        axes.tick_params(labelbottom=axes is rows[-1])
    name_axes(rows[-1], x="time [s]")
    rows[-1].set_xlim(float(run.time[0]), float(run.time[-1]))


def shade(axes: Axes, run: Run, *, named: bool) -> None:
    """Shade the phases of a maneuver with their names, or the lane changes if it has no phases."""
    phases = phase_spans(run)
    span = float(run.time[-1] - run.time[0])
    for i, (begin, end, _) in enumerate(phases):
        if i % 2:
            axes.axvspan(begin, end, color=SHADE, zorder=0)
    if phases:
        _name_phases(axes, phases, span) if named else None
        return
    changes = [
        (change["time_s"], change["end_time_s"]) for change in run.metrics.get("lane_changes", ()) if change["end_time_s"] is not None
    ]
    for begin, end in changes:
        axes.axvspan(begin, end, color=SHADE, zorder=0)
    if changes and named:
        note(axes, "lane changes shaded")


def phase_spans(run: Run) -> list[tuple[float, float, str]]:
    """Return (begin [s], end [s], name) of each phase interval of a run; empty without phases."""
    if "phase" not in run.columns or not run.maneuver.phase_names:
        return []
    phase, names = np.asarray(run.columns["phase"]).astype(int), run.maneuver.phase_names
    edges = [0, *(np.flatnonzero(np.diff(phase)) + 1).tolist(), len(phase)]
    spans = []
    for first, last in pairwise(edges):
        number = int(phase[first])
        if 0 <= number < len(names):  # -1: before the first or after the last
            spans.append((float(run.time[first]), float(run.time[min(last, len(phase) - 1)]), names[number]))
    return spans


def _name_phases(axes: Axes, phases: Iterable[tuple[float, float, str]], span: float) -> None:
    """Write the names above the panel over their bands; shorten a long name, or omit it if fewer than three letters fit."""
    width = inches(axes)[0]
    for begin, end, name in phases:
        letters = int(width * (end - begin) / span / (0.88 * LETTER)) if span > 0.0 else 0
        shown = name if len(name) <= letters else f"{name[: letters - 1]}…" if letters > 3 else ""
        if shown:
            axes.text(begin, 1.01, shown, transform=axes.get_xaxis_transform(), ha="left", va="bottom", color=QUIET, fontsize=8.5)


def note(axes: Axes, text: str) -> None:
    """Write a gray line above a panel, aligned right."""
    axes.text(1.0, 1.01, text, transform=axes.transAxes, ha="right", va="bottom", color=QUIET, fontsize=9)


def keyed(axes: Axes, columns: int = 4, *, second: bool = False, handles: Mapping[str, Artist] | None = None) -> None:
    """Add the legend above the panel. `second`: above the names of the phases; `handles`: entries by label instead of those of the panel."""
    grid_options = (0.0, 1.0 + (0.17 if second else 0.0) / inches(axes)[1])
    entries = (handles.values(), handles) if handles is not None else ()
    axes.legend(
        *entries,
        loc="lower left",
        bbox_to_anchor=grid_options,
        ncols=columns,
        fontsize=9,
        borderaxespad=0.0,
        borderpad=0.25,
        handlelength=1.8,
        columnspacing=1.4,
    )


def line(axes: Axes, x: NDArray, y: NDArray, color: str, label: str = "", **details: Any) -> None:
    """Draw a curve with increasing x, reduced to the visible number of points."""
    axes.plot(*thinned(x, y), color=color, label=label or None, **details)


def second_axis(axes: Axes, factor: float, label: str) -> None:
    """Add a y axis on the right in another unit; `factor` converts from the unit of the first axis."""
    other = axes.secondary_yaxis("right", functions=(lambda values: np.multiply(values, factor), lambda values: np.divide(values, factor)))
    other.set_ylabel(label)
    other.yaxis.set_label_coords(1.0 + 0.6 / inches(axes)[0], 0.5, axes.transAxes)


def in_g(axes: Axes) -> None:
    """Add an axis in g to an axis in m/s2."""
    second_axis(axes, 1.0 / STANDARD_GRAVITY, "[g]")
