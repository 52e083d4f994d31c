"""Registry of the plots of a run; the key `plots` of a maneuver file selects from them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from simulator.base.registry import Registry
from simulator.maneuvers.plots import analysis_curves, cross_plots, path, time_series
from simulator.maneuvers.plots.contract import CONTRACT, EmptyPlotError, PlotKind

SHIPPED = tuple(replace(plot, contract=CONTRACT) for module in (time_series, path, cross_plots, analysis_curves) for plot in module.PLOTS)

PLOT_KINDS: Registry[PlotKind] = Registry(
    "plot", "jounce.plots", {plot.name: plot for plot in SHIPPED}, contract="simulator.maneuvers.plots.contract"
)
register = PLOT_KINDS.add
"""Register a kind of plot."""
USUAL = ("speed", "attitude", "lateral_acceleration", "yaw_rate", "path")
"""Default plots."""


@contextlib.contextmanager
def describing(name: str) -> Iterator[None]:
    """Turn any exception of a plot of a plugin into an EmptyPlotError, because the report of the run must be complete without this plot."""
    try:
        yield
    except EmptyPlotError:
        raise
    except Exception as error:
        if PLOT_KINDS.is_builtin(name):
            raise
        raise EmptyPlotError(f"{type(error).__name__}: {error}") from error


def columns_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the telemetry names, fields or patterns that plots need in addition to the columns of the metrics, without duplicates.

    Raises JounceError for an unknown name, or when a plot has another contract version.
    """
    return tuple(dict.fromkeys(column for name in names for column in PLOT_KINDS.need(name).columns))
