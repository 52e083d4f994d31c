"""All plots by name; the key `pictures` of a maneuver file selects from them."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.maneuvers.plots import analysis_curves, cross_plots, driver_inputs, path, time_series, wheel_loads
from simulator.maneuvers.plots.contract import Plot

PLOT_KINDS: dict[str, Plot] = {
    plot.name: plot for module in (time_series, path, cross_plots, analysis_curves, wheel_loads, driver_inputs) for plot in module.PLOTS
}
USUAL = ("speed", "attitude", "lateral_acceleration", "yaw_rate", "path")
"""Default plots."""


def columns_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the telemetry names, fields or patterns that plots need in addition to the columns of the metrics, without duplicates."""
    return tuple(dict.fromkeys(column for name in names for column in PLOT_KINDS[name].columns))
