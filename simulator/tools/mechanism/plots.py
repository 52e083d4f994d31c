"""Plots of a motion over time or over the swept coordinate: angles, lengths, closure residuals, singular positions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.telemetry.atomic_files import write_whole
from simulator.tools.mechanism.drawing import COLORS, INK, QUIET
from simulator.tools.mechanism.motion import Mark, Measure, Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CURVES = 10
"""Maximum curves in one panel: the curves with the largest change."""
STILL = 1e-12
FLOOR = 1e-18
"""Minimum residual on a logarithmic axis."""
DECADES = 100.0
"""A quantity that changes by less than this factor has a linear axis."""
RED = "#b3261e"
NAMES = {"rad": "angles [deg]", "m": "lengths [m]", "1": "quaternions"}


def plot(motion: Motion, file: Path) -> None:
    """Plot a motion and write a PNG file. Raises OutputError."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    groups = [(unit, _largest_changes(motion, unit)) for unit in NAMES]
    groups = [(unit, curves) for unit, curves in groups if curves]
    figure = Figure(figsize=(9.0, 2.6 * len(groups) + 1.5 * len(motion.measures) + 0.8), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    heights = [2.6] * len(groups) + [1.5] * len(motion.measures)
    panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    x = np.degrees(motion.along.values) if motion.along.unit == "rad" else motion.along.values
    for axes, (unit, curves) in zip(panels, groups, strict=False):
        for k, curve in enumerate(curves):
            dashes = "-" if k < len(COLORS) else "--"
            values = np.degrees(curve.values) if unit == "rad" else curve.values
            axes.plot(x, values, dashes, color=COLORS[k % len(COLORS)], linewidth=1.5, label=curve.label)
        axes.set_ylabel(NAMES[unit])
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False)
    for axes, measure in zip(panels[len(groups) :], motion.measures, strict=True):
        _draw_measure(axes, x, measure)
    for axes in panels:
        _finish(axes, motion)
    panels[0].set_title(motion.caption, loc="left", fontsize=11, fontweight="bold")
    unit = "deg" if motion.along.unit == "rad" else motion.along.unit
    panels[-1].set_xlabel(f"{motion.along.label} [{unit}]")
    write_whole(file, lambda path: figure.savefig(path, format="png", metadata={"Software": None}))


def _largest_changes(motion: Motion, unit: str) -> list[Measure]:
    """Return the coordinates of a unit with the largest change, in the order of the mechanism, without the swept coordinate."""
    moving = [
        c for c in motion.positions if c.unit == unit and np.ptp(c.values) > STILL and (motion.is_run or c.label != motion.along.label)
    ]
    most = sorted(moving, key=lambda c: -float(np.ptp(c.values)))[:MAX_CURVES]
    return [c for c in moving if any(c is other for other in most)]


def _draw_measure(axes: Axes, x: np.ndarray, measure: Measure) -> None:
    values = np.where(np.isfinite(measure.values), measure.values, np.nan)
    if measure.logarithmic and np.nanmax(values) > DECADES * np.nanmin(values):
        axes.semilogy(x, np.maximum(values, FLOOR), color=INK, linewidth=1.3)
    else:
        axes.plot(x, values, color=INK, linewidth=1.3)
    axes.set_ylabel(f"{measure.label}\n[{measure.unit}]" if measure.unit != "1" else measure.label.replace(" ", "\n", 1), fontsize=9)


def _finish(axes: Axes, motion: Motion) -> None:
    """Add the grid and the singular positions."""
    axes.grid(color="#e3e6ea", linewidth=0.8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(QUIET)
    for mark in motion.marks:
        _draw_mark(axes, mark, in_degrees=motion.along.unit == "rad")


def _draw_mark(axes: Axes, mark: Mark, in_degrees: bool) -> None:
    """Draw a line at a singular position; only the top panel has its label."""
    at = float(np.degrees(mark.at)) if in_degrees else mark.at
    axes.axvline(at, color=RED, linewidth=1.0, linestyle="--")
    if axes.get_subplotspec().is_first_row():  # type: ignore[union-attr]
        axes.annotate(
            mark.what, (at, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -3), textcoords="offset points", rotation=90, ha="left",
            va="top", fontsize=8, color=RED,
        )  # fmt: skip
