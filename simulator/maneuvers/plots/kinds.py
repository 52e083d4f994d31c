"""All pictures, by name: a maneuver file chooses from them with `pictures`."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.maneuvers.plots import analysis_curves, cross_plots, driver_inputs, path, time_series, wheel_loads
from simulator.maneuvers.plots.contract import Plot

PLOT_KINDS: dict[str, Plot] = {
    picture.name: picture
    for room in (time_series, path, cross_plots, analysis_curves, wheel_loads, driver_inputs)
    for picture in room.PLOTS
}
USUAL = ("speed", "attitude", "lateral_acceleration", "yaw_rate", "path")
"""Drawn where the file does not choose."""


def columns_of(names: Iterable[str]) -> tuple[str, ...]:
    """Of the telemetry, what pictures need beyond the columns of the metrics: names, fields or patterns, each once."""
    return tuple(dict.fromkeys(column for name in names for column in PLOT_KINDS[name].columns))
