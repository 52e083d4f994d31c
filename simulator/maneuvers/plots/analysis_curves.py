"""Plots of the curves of the analyses: frequency responses in stacked panels, and all other curves in a panel each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.plots.axes import LEGEND_ALONE, keyed, line, name_axes, panels
from simulator.maneuvers.plots.contract import EmptyPlotError, Plot, Run
from simulator.maneuvers.plots.display_units import axis_words, factor_shown
from simulator.report.plot_style import BLUE, COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("gain", "phase", "coherence")
"""Last word of the name of a curve over frequency, in the order of the panels."""
MOST_ROWS, MOST_CURVES = 6, 12
"""Maximum number of panels in a plot, for readability."""


def drawable(curves: Mapping[str, Curve]) -> dict[str, Curve]:
    """Return the curves with at least two finite points, reduced to their finite points."""
    out = {}
    for name, curve in curves.items():
        finite = np.isfinite(curve.x) & np.isfinite(curve.y)
        if finite.sum() >= 2:
            out[name] = curve._replace(x=curve.x[finite], y=curve.y[finite])
    return out


def _frequency_response(figure: Figure, run: Run) -> None:
    """Draw a panel for each kind and unit; curves of one input and output have one color."""
    responses = {
        name: curve._replace(x=curve.x[curve.x > 0.0], y=curve.y[curve.x > 0.0])
        for name, curve in run.curves.items()
        if curve.x_unit == "Hz"
    }
    responses = drawable(responses)
    if not responses:
        raise EmptyPlotError("the analyses of this maneuver return no curve over frequency")
    rows: dict[tuple[int, str, str], list[str]] = {}
    for name, curve in responses.items():
        kind = next((i for i, word in enumerate(KINDS) if name.endswith(f"_{word}") or name == word), len(KINDS))
        rows.setdefault((kind, KINDS[kind] if kind < len(KINDS) else curve.y_name, curve.y_unit), []).append(name)
    selected = sorted(rows, key=lambda row: row[0])[:MOST_ROWS]
    figure.set_size_inches(9.0, max(4.5, 1.3 + 1.8 * len(selected)))
    grid = panels(figure, f"{run.maneuver.title}: frequency response", len(selected), above=LEGEND_ALONE)[:, 0].tolist()
    subjects = list(dict.fromkeys(_subject(name) for name in responses))
    for axes, row in zip(grid, selected, strict=True):
        for name in rows[row]:
            subject, curve = _subject(name), responses[name]
            color = COLORS[subjects.index(subject) % len(COLORS)]
            line(axes, curve.x, factor_shown(curve.y_unit) * curve.y, color, subject.replace("_", " "))
        name_axes(axes, y=axis_words(row[1], row[2]))
        axes.set_xscale("log")
        axes.tick_params(labelbottom=axes is grid[-1])
        if row[1] == "coherence":
            axes.set_ylim(-0.02, 1.05)
    _decimal(grid[-1], responses)
    name_axes(grid[-1], x="frequency [Hz]")
    keys = {label: handle for axes in grid for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    keyed(grid[0], handles=keys)


def _subject(name: str) -> str:
    return next((name.removesuffix(f"_{word}") for word in KINDS if name.endswith(f"_{word}")), name)


def _decimal(axes: object, curves: Mapping[str, Curve]) -> None:
    """Label the frequencies as 0.2, 0.5, 1 ... instead of powers of ten."""
    low, high = min(float(curve.x.min()) for curve in curves.values()), max(float(curve.x.max()) for curve in curves.values())
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1.0, 2.0, 5.0) if len(decades) < 5 else (1.0,)
    ticks = [step * 10.0**decade for decade in decades for step in steps if low <= step * 10.0**decade <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])  # type: ignore[attr-defined]
    axes.set_xticks([], minor=True)  # type: ignore[attr-defined]
    axes.set_xlim(low, high)  # type: ignore[attr-defined]


def _curves(figure: Figure, run: Run) -> None:
    """Draw a panel for each curve, in the order of the analyses."""
    found = list(drawable(run.curves).items())
    if not found:
        raise EmptyPlotError("the analyses of this maneuver return no curve")
    shown = found[:MOST_CURVES]
    columns = min(2, len(shown))
    rows = -(-len(shown) // columns)
    figure.set_size_inches(9.0, max(4.5, 1.05 + 2.6 * rows))
    omitted = f" (the first {MOST_CURVES} of {len(found)})" if len(found) > MOST_CURVES else ""
    grid = panels(figure, f"{run.maneuver.title}: curves of the analyses{omitted}", rows, columns, between=0.95, above=0.25, share=False)
    for axes in grid.ravel()[len(shown) :]:
        axes.remove()
    for axes, (name, curve) in zip(grid.ravel(), shown, strict=False):
        axes.plot(factor_shown(curve.x_unit) * curve.x, factor_shown(curve.y_unit) * curve.y, color=BLUE)
        if curve.x_unit == curve.y_unit == "m":
            axes.set_aspect("equal", adjustable="datalim")
        axes.set_title(name.replace("_", " "), fontsize=9.5, fontweight="normal", y=1.0)
        name_axes(axes, axis_words(curve.x_name, curve.x_unit), axis_words(curve.y_name, curve.y_unit))


PLOTS = (
    Plot("frequency_response", "gain, phase and coherence over frequency", _frequency_response, "curves over frequency of an analysis"),
    Plot("curves", "all curves of the analyses of the maneuver, one panel each", _curves, "curves of an analysis"),
)
