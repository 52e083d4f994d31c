"""Report plots over quantities other than time: steady turns over lateral acceleration, and the curves of the analyses."""

from __future__ import annotations

import numpy as np

from simulator.maneuvers.analyses import contract
from simulator.maneuvers.plots.analysis_curves import MOST_CURVES, drawable
from simulator.maneuvers.plots.contract import EmptyPlotError, Run
from simulator.maneuvers.plots.cross_plots import handling_curves, handling_of_columns, steady_turns
from simulator.maneuvers.plots.display_units import factor_shown, unit_shown
from simulator.maneuvers.plots.quantities import QUANTITIES
from simulator.report.svg_plot import Axis, Curve, Panel

STEADY = ("handling", "cross_plots")
"""Plots that identify maneuvers with steady turns."""
OVER = ("steering_wheel", "sideslip", "roll", "yaw_rate")
"""Quantities shown over lateral acceleration."""
SIDE = QUANTITIES["lateral_acceleration"]
MAX_DOTS = 3000
"""Maximum number of dots of a panel."""


def steady_figure(run: Run) -> list[Panel]:
    """Return panels over lateral acceleration for steady turns; empty if the maneuver has none."""
    if not handling_curves(run) and not set(STEADY) & set(run.maneuver.pictures):
        return []
    try:
        side = run.smooth("a_WG_B_y")
        steady = np.flatnonzero(steady_turns(run.time, run.column("v_WB_B_x"), side))
    except EmptyPlotError:
        return []
    selected = steady[:: -(-len(steady) // MAX_DOTS)]
    across, panels = Axis(SIDE.words, SIDE.shown[0]), []
    for name in OVER:
        quantity = QUANTITIES[name]
        try:
            values = quantity.shown[1] * next(iter(quantity.of(run).values()))
        except EmptyPlotError:
            continue
        dots = Curve("", side[selected], values[selected], points=True, line=False)
        panels.append(Panel(quantity.words, across, Axis(quantity.title, quantity.shown[0]), [dots]))
    return [*panels, *_handling(run, across)]


def _handling(run: Run, across: Axis) -> list[Panel]:
    try:
        side, beyond, wheelbase = handling_of_columns(run)
    except EmptyPlotError:
        return []
    thin = slice(None, None, -(-len(side) // MAX_DOTS))
    title = f"road-wheel angle minus kinematic angle ({wheelbase:.2f} m x yaw rate / speed)"
    dots = Curve("", side[thin], np.degrees(beyond[thin]), points=True, line=False)
    return [Panel(title, across, Axis("angle difference", "deg"), [dots])]


def curve_figure(run: Run) -> list[Panel]:
    """Return a panel for each curve of the analyses, at most MOST_CURVES; frequency axes are logarithmic."""
    return [_panel(name, curve) for name, curve in list(drawable(run.curves).items())[:MOST_CURVES]]


def _panel(name: str, curve: contract.Curve) -> Panel:
    is_frequency = curve.x_unit == "Hz"
    x = Axis(curve.x_name.replace("_", " "), unit_shown(curve.x_unit), log=is_frequency)
    y = Axis(curve.y_name.replace("_", " "), unit_shown(curve.y_unit))
    values = factor_shown(curve.x_unit) * curve.x, factor_shown(curve.y_unit) * curve.y
    has_points = len(curve.x) <= 60 and not is_frequency
    return Panel(name.replace("_", " "), x, y, [Curve("", *values, points=has_points)], equal=curve.x_unit == curve.y_unit == "m")
