"""Plots of a run over something else than time: steady turns over lateral acceleration, and the curves of its analyses."""

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
"""Pictures of maneuvers whose turns are worth a look over lateral acceleration."""
OVER = ("steering_wheel", "sideslip", "roll", "yaw_rate")
"""Quantities that are shown over it."""
SIDE = QUANTITIES["lateral_acceleration"]
FEW = 3000
"""Dots of a panel; more would not be seen."""


def steady_figure(run: Run) -> list[Panel]:
    """Panels over lateral acceleration, of steady turns only; none where the maneuver has none."""
    if not handling_curves(run) and not set(STEADY) & set(run.maneuver.pictures):
        return []
    try:
        side = run.smooth("a_WG_B_y")
        steady = np.flatnonzero(steady_turns(run.time, run.column("v_WB_B_x"), side))
    except EmptyPlotError:
        return []
    chosen = steady[:: -(-len(steady) // FEW)]
    across, panels = Axis(SIDE.words, SIDE.shown[0]), []
    for name in OVER:
        quantity = QUANTITIES[name]
        try:
            values = quantity.shown[1] * next(iter(quantity.of(run).values()))
        except EmptyPlotError:
            continue
        dots = Curve("", side[chosen], values[chosen], points=True, line=False)
        panels.append(Panel(quantity.words, across, Axis(quantity.title, quantity.shown[0]), [dots]))
    return [*panels, *_handling(run, across)]


def _handling(run: Run, across: Axis) -> list[Panel]:
    try:
        side, beyond, wheelbase = handling_of_columns(run)
    except EmptyPlotError:
        return []
    thin = slice(None, None, -(-len(side) // FEW))
    title = f"road-wheel angle less kinematic ({wheelbase:.2f} m x yaw rate / speed)"
    dots = Curve("", side[thin], np.degrees(beyond[thin]), points=True, line=False)
    return [Panel(title, across, Axis("angle beyond", "deg"), [dots])]


def curve_figure(run: Run) -> list[Panel]:
    """A panel for each curve that the analyses found, MOST_CURVES of them; over frequency with a logarithmic axis."""
    return [_panel(name, curve) for name, curve in list(drawable(run.curves).items())[:MOST_CURVES]]


def _panel(name: str, curve: contract.Curve) -> Panel:
    along = curve.x_unit == "Hz"
    x = Axis(curve.x_name.replace("_", " "), unit_shown(curve.x_unit), log=along)
    y = Axis(curve.y_name.replace("_", " "), unit_shown(curve.y_unit))
    values = factor_shown(curve.x_unit) * curve.x, factor_shown(curve.y_unit) * curve.y
    few = len(curve.x) <= 60 and not along
    return Panel(name.replace("_", " "), x, y, [Curve("", *values, points=few)], equal=curve.x_unit == curve.y_unit == "m")
