"""Registry of the plots of a run; the key `plots` of a maneuver file selects from them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from simulator.base.errors import JounceError
from simulator.base.registry import Registry
from simulator.maneuvers.plots import analysis_curves, cross_plots, path, time_series
from simulator.maneuvers.plots.contract import CONTRACT, EmptyPlotError, PlotKind

SHIPPED = tuple(replace(plot, contract=CONTRACT) for module in (time_series, path, cross_plots, analysis_curves) for plot in module.PLOTS)

PLOT_KINDS: Registry[PlotKind] = Registry("plot", "jounce.plots", {plot.name: plot for plot in SHIPPED})
USUAL = ("speed", "attitude", "lateral_acceleration", "yaw_rate", "path")
"""Default plots."""


def register(kind: PlotKind) -> None:
    """Register a kind of plot. Raises JounceError when it has another contract version, or when another plot has its name."""
    check(kind)
    PLOT_KINDS.register(kind.name, kind)


def check(kind: PlotKind) -> None:
    """Check the contract version of a kind, also of one from an entry point. Raises JounceError as `register`."""
    if kind.contract != CONTRACT:
        raise JounceError(f"plot {kind.name}: written for version {kind.contract} of the contract, this is version {CONTRACT}")


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
    kinds = [PLOT_KINDS.need(name) for name in names]
    for kind in kinds:
        check(kind)
    return tuple(dict.fromkeys(column for kind in kinds for column in kind.columns))
