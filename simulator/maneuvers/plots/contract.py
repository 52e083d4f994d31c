"""Contract of a kind of plot of a run, and the data for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.driver.path import Path
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.cone_course import Body, Gate
from simulator.maneuvers.signal_processing import FILTER_HZ, phaseless
from simulator.report.plot import Plot

CONTRACT = 1
"""Version of the contract of a plot."""


class EmptyPlotError(Exception):
    """Raised by a plot that has nothing to show in this run; the text names the missing data."""


class Signals:
    """Columns of a run and quantities derived from them."""

    columns: Mapping[str, NDArray[Any]]
    """Columns by name (n,), SI."""

    @property
    def time(self) -> NDArray[np.float64]:
        """Time [s] of each row (n,)."""
        return self.columns["time"]

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column (n,). Raises EmptyPlotError if it is missing or not finite."""
        if name not in self.columns:
            raise EmptyPlotError(f"the run has no column {name}")
        column = np.asarray(self.columns[name], dtype=float)
        if not np.isfinite(column).all():
            raise EmptyPlotError(f"the column {name} is not finite in this run")
        return column

    def smooth(self, name: str) -> NDArray[np.float64]:
        """Return a column (n,) after the zero-phase low pass of the metrics. Raises EmptyPlotError as `column`."""
        return phaseless(self.column(name), float(self.time[-1] - self.time[0]) / (len(self.time) - 1), FILTER_HZ)

    def corners(self, field: str, end: str = "") -> dict[str, NDArray[np.float64]]:
        """Return the columns of a wheel field by corner, in the order of the log. Raises EmptyPlotError if there are none."""
        names = [name for name in self.columns if name.startswith(f"{field}_") and name.endswith(end)]
        found = {name[len(field) + 1 : len(name) - len(end)]: name for name in names}
        found = {corner: name for corner, name in found.items() if corner.isupper() and corner.isalpha()}
        if not found:
            raise EmptyPlotError(f"the run has no columns {field}_*{end}")
        return {corner: self.column(name) for corner, name in found.items()}


class PlottedManeuver(Protocol):
    """Attributes of a `simulator.maneuvers.maneuver_file.Maneuver` that the plots of its run need."""

    title: str
    body: Body
    gates: tuple[Gate, ...]
    phase_names: tuple[str, ...]
    pictures: tuple[str, ...]


@dataclass(frozen=True)
class Run(Signals):
    """Data of a run for the plots."""

    maneuver: PlottedManeuver
    columns: Mapping[str, NDArray[Any]]
    """Telemetry by name (n,), SI, and `x`, `y` (m), `yaw` (rad, unwrapped) relative to the start."""
    path: Path | None
    """Path of the driver, relative to the start; None for a driver without a path."""
    metrics: Mapping[str, Any]
    """Results of `evaluate`."""
    curves: Mapping[str, Curve]
    """Curves of the analyses by name."""


@dataclass(frozen=True)
class PlotKind:
    """Kind of plot of a run: a PNG file of the report, and a figure on its page."""

    name: str
    """Name in the list of plots of a maneuver, and name of the file."""
    meaning: str
    draw: Callable[[Run], Plot]
    """Function that describes the plot of a run. Raises EmptyPlotError."""
    needs: str = ""
    """Data that a run must have for the plot in addition to the usual columns, as text."""
    columns: tuple[str, ...] = ()
    """Names, fields or patterns of the telemetry in addition to the columns of the metrics."""
    on_page: bool = True
    """False if other figures of every report page contain the same curves."""
    contract: int = 0
    """Version of the contract that the kind is written for, CONTRACT at that time."""
