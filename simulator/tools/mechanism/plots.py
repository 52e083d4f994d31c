"""Plots of a motion over time or over the swept coordinate: angles, lengths, closure residuals, singular positions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from simulator.report.plot import GRAY, RED, Axis, Curve, Panel, Plot, ReferenceLine, style_of
from simulator.report.png_renderer import png
from simulator.telemetry.atomic_files import write_bytes
from simulator.tools.mechanism.motion import Measure, Motion

MAX_CURVES = 10
"""Maximum curves in one panel: the curves with the largest change."""
REST_CHANGE = 1e-12
FLOOR = 1e-18
"""Minimum residual on a logarithmic axis."""
DECADES = 100.0
"""A quantity that changes by less than this factor has a linear axis."""
NAMES = {"rad": Axis("angles", "deg"), "m": Axis("lengths", "m"), "1": Axis("quaternions")}


def plot(motion: Motion, file: Path) -> None:
    """Plot a motion and write a PNG file. Raises OutputError."""
    write_bytes(file, png(plot_of(motion)))


def plot_of(motion: Motion) -> Plot:
    """Return the plot of a motion, with a line at each singular position."""
    factor = np.degrees(1.0) if motion.along.unit == "rad" else 1.0
    x, across = factor * motion.along.values, Axis(motion.along.label, "deg" if motion.along.unit == "rad" else motion.along.unit)
    panels = []
    for unit, y in NAMES.items():
        curves = [
            Curve(one.label, x, np.degrees(one.values) if unit == "rad" else one.values, *style_of(k))
            for k, one in enumerate(_largest_changes(motion, unit))
        ]
        if curves:
            panels.append(Panel("", across, y, curves))
    panels += [_measured(across, x, measure) for measure in motion.measures]
    marks = [ReferenceLine(factor * mark.at, mark.what, upright=True, color=RED, dash="5 3") for mark in motion.marks]
    unnamed = [replace(mark, name="") for mark in marks]
    return Plot(motion.caption, [replace(panel, lines=unnamed if n else marks) for n, panel in enumerate(panels)])


def _largest_changes(motion: Motion, unit: str) -> list[Measure]:
    """Return the coordinates of a unit with the largest change, in the order of the mechanism, without the swept coordinate."""
    moving = [
        c
        for c in motion.positions
        if c.unit == unit and np.ptp(c.values) > REST_CHANGE and (motion.is_run or c.label != motion.along.label)
    ]
    most = sorted(moving, key=lambda c: -float(np.ptp(c.values)))[:MAX_CURVES]
    return [c for c in moving if any(c is other for other in most)]


def _measured(across: Axis, x: np.ndarray, measure: Measure) -> Panel:
    values = np.where(np.isfinite(measure.values), measure.values, np.nan)
    log = measure.logarithmic and bool(np.nanmax(values) > DECADES * np.nanmin(values))
    unit = "" if measure.unit == "1" else measure.unit
    return Panel("", across, Axis(measure.label, unit, log=log), [Curve("", x, np.maximum(values, FLOOR) if log else values, GRAY)])
