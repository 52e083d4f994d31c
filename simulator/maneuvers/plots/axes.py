"""Axes of all pictures: placed in inches instead of by trial, named with their units, shaded by what was driven.

A layout that measures every letter first costs as much time as drawing; here margins are fixed and wide enough.
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

LEFT, RIGHT, TOP, BOTTOM, BETWEEN, BESIDE = 0.95, 0.25, 0.55, 0.6, 0.2, 1.05
"""in, around the panels of a picture, and between them down and across."""
SECOND_AXIS = 0.6
"""in, more on the right for an axis in another unit."""
LEGEND = 0.25
"""in, more above for a legend over the names of phases."""
LEGEND_ALONE = 0.08
"""in, for a legend over nothing."""
LETTER = 0.085
"""in, about the width of a letter of 10 points."""
BEYOND = 0.3
"""in by which the label of an axis may be longer than the axis."""
MOST_TITLE = 110
"""Letters of a title; of a longer one the middle is left out."""


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
    """Axes (rows, columns) of a picture under a title; panels below each other share the x axis. Lengths in inches."""
    width, height = figure.get_size_inches()
    top = TOP + above
    tall = (height - top - below - (rows - 1) * between) / rows
    wide = (width - LEFT - right - (columns - 1) * BESIDE) / columns
    place = {
        "left": LEFT / width,
        "right": 1.0 - right / width,
        "bottom": below / height,
        "top": 1.0 - top / height,
        "hspace": between / tall,
        "wspace": BESIDE / wide,
    }
    grid = figure.subplots(rows, columns, squeeze=False, sharex="col" if share else False, height_ratios=heights, gridspec_kw=place)
    shown = title if len(title) <= MOST_TITLE else f"{title[: MOST_TITLE - 41]}…{title[-40:]}"
    size = min(11.0, 11.0 * (width - LEFT - RIGHT) / (1.12 * LETTER * max(1, len(shown))))
    figure.text(LEFT / width, 1.0 - 0.27 / height, shown, fontsize=size, fontweight="bold", color=INK)
    return grid


def inches(axes: Axes) -> tuple[float, float]:
    """Width and height of a panel."""
    sheet = axes.figure.get_figure(root=True)
    assert sheet is not None
    width, height = axes.get_position().size * sheet.get_size_inches()
    return float(width), float(height)


def name_axes(axes: Axes, x: str = "", y: str = "") -> None:
    """Labels of the axes, at fixed distances: measuring the numbers beside them takes longer than drawing them."""
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
    """A panel over time for each label of a y axis, one below the other, with what was driven shaded."""
    rows = panels(figure, f"{run.maneuver.title}: {title}", len(labels), right=right, above=above)[:, 0].tolist()
    over_time(rows, run, labels)
    return rows


def over_time(rows: Sequence[Axes], run: Run, labels: Sequence[str]) -> None:
    """Make panels that lie one below the other ones over time."""
    for axes, label in zip(rows, labels, strict=True):
        shade(axes, run, named=axes is rows[0])
        name_axes(axes, y=label)
        axes.tick_params(labelbottom=axes is rows[-1])
    name_axes(rows[-1], x="time [s]")
    rows[-1].set_xlim(float(run.time[0]), float(run.time[-1]))


def shade(axes: Axes, run: Run, *, named: bool) -> None:
    """Bands of the phases of a maneuver with their names, or of its lane changes where it has no phases."""
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
    """(begin, end, name) of each stretch of a drive in one phase, s; empty without phases."""
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
    """Names above the panel, each over its band; one that does not fit is cut, or left out where less than three letters of it would."""
    width = inches(axes)[0]
    for begin, end, name in phases:
        room = int(width * (end - begin) / span / (0.88 * LETTER)) if span > 0.0 else 0
        shown = name if len(name) <= room else f"{name[: room - 1]}…" if room > 3 else ""
        if shown:
            axes.text(begin, 1.01, shown, transform=axes.get_xaxis_transform(), ha="left", va="bottom", color=QUIET, fontsize=8.5)


def note(axes: Axes, text: str) -> None:
    """A quiet line above a panel, on its right."""
    axes.text(1.0, 1.01, text, transform=axes.transAxes, ha="right", va="bottom", color=QUIET, fontsize=9)


def keyed(axes: Axes, columns: int = 4, *, second: bool = False, handles: Mapping[str, Artist] | None = None) -> None:
    """The legend, in a line above the panel; `second`: above the names of the phases; `handles`: by their words, instead of the panel's own."""
    place = (0.0, 1.0 + (0.17 if second else 0.0) / inches(axes)[1])
    entries = (handles.values(), handles) if handles is not None else ()
    axes.legend(
        *entries,
        loc="lower left",
        bbox_to_anchor=place,
        ncols=columns,
        fontsize=9,
        borderaxespad=0.0,
        borderpad=0.25,
        handlelength=1.8,
        columnspacing=1.4,
    )


def line(axes: Axes, x: NDArray, y: NDArray, color: str, label: str = "", **details: Any) -> None:
    """A curve over something that rises, with no more points than can be seen."""
    axes.plot(*thinned(x, y), color=color, label=label or None, **details)


def second_axis(axes: Axes, factor: float, label: str) -> None:
    """The y axis in another unit as well, on the right, of which `factor` make one of the first."""
    other = axes.secondary_yaxis("right", functions=(lambda values: np.multiply(values, factor), lambda values: np.divide(values, factor)))
    other.set_ylabel(label)
    other.yaxis.set_label_coords(1.0 + 0.6 / inches(axes)[0], 0.5, axes.transAxes)


def in_g(axes: Axes) -> None:
    """g beside an axis in m/s2."""
    second_axis(axes, 1.0 / STANDARD_GRAVITY, "[g]")
