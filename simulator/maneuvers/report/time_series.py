"""Report plots over time, of the same quantities as in the PNG plots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.maneuvers.path_projection import stations_of
from simulator.maneuvers.plots.axes import phase_spans
from simulator.maneuvers.plots.contract import EmptyPlotError, Run
from simulator.maneuvers.plots.quantities import FILTERED, QUANTITIES, Quantity
from simulator.maneuvers.plots.time_series import weighted_curves
from simulator.report.svg_plot import Axis, Curve, Panel, Shade

GROUPS = (
    ("The driver", ("steering_wheel", "steering_torque", "pedals", "gear", "engine")),
    (
        "The vehicle",
        ("speed", "acceleration", "lateral_acceleration", "yaw_rate", "sideslip", "roll", "pitch", "yaw", "head", "path_error"),
    ),
    ("The wheels", ("wheel_loads", "slip_angles", "slips")),
)
"""Groups of quantities in the order of the page."""
PATH_ERROR = "path_error"
TIME = Axis("time", "s")
QUIET, FIRST = 0, 1
"""Color numbers."""
CORNERS = {"FL": (1, ""), "FR": (2, ""), "RL": (3, "6 3"), "RR": (4, "6 3")}
"""Color and dash pattern of the usual wheels."""


def columns_shown() -> tuple[str, ...]:
    """Return the telemetry names, fields or patterns that the page needs in addition to the columns of the metrics."""
    return tuple(dict.fromkeys(column for one in QUANTITIES.values() for column in one.columns))


def group_figure(run: Run, names: Sequence[str]) -> tuple[list[Panel], list[str]]:
    """Return (panels of some quantities, titles of the quantities that are missing in the run)."""
    shades, panels, missing = phase_shades(run), [], []
    for name in names:
        if name == PATH_ERROR:
            panels += path_error(run, shades)
            continue
        try:
            panels.append(quantity_panel(run, QUANTITIES[name], shades))
        except EmptyPlotError:
            missing.append(QUANTITIES[name].title)
    return panels, missing


def quantity_panel(run: Run, quantity: Quantity, shades: Sequence[Shade]) -> Panel:
    """Return the panel of a quantity. Raises EmptyPlotError if the run has no data for it."""
    unit, factor = quantity.shown
    found = list(quantity.of(run).items())
    curves = [_curve(name, n, run.time, factor * values) for n, (name, values) in enumerate(found)]
    if quantity.name == "head":
        curves += [
            Curve(name.replace("_", " "), curve.x, curve.y, n) for n, (name, curve) in enumerate(weighted_curves(run).items(), FIRST + 1)
        ]
    axis = Axis(quantity.title, unit, least=0.0 if quantity.name == "wheel_loads" else None)
    # the filtered curve is drawn last, on top
    return Panel(quantity.words, TIME, axis, curves[::-1] if found[0][0] == FILTERED else curves, shades=shades)


def _curve(name: str, n: int, time: NDArray[np.float64], values: NDArray[np.float64]) -> Curve:
    if name == "as computed":
        return Curve(name, time, values, QUIET, width=0.7)
    color, dash = CORNERS.get(name, (FIRST + n, ""))
    return Curve(name, time, values, color, dash)


def path_error(run: Run, shades: Sequence[Shade]) -> list[Panel]:
    """Return the panel of the distance from the planned path; empty without a path."""
    if run.path is None:
        return []
    error = stations_of(run.path, run.columns["x"], run.columns["y"])[1]
    return [Panel("distance from the path, + = left of the path", TIME, Axis("distance", "m"), [Curve("", run.time, error)], shades=shades)]


def phase_shades(run: Run) -> list[Shade]:
    """Return shades for the phases of the maneuver; every second one is dark."""
    return [Shade(begin, end, name, dark=n % 2 == 1) for n, (begin, end, name) in enumerate(phase_spans(run))]


def phase_words(run: Run) -> str:
    """Return the phases as one line of text; empty without phases."""
    spans = phase_spans(run)
    return "Phases: " + ", ".join(f"{name} {begin:.4g} to {end:.4g} s" for begin, end, name in spans) + "." if spans else ""
