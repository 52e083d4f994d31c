"""What a picture of a drive is, and what it may look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.driver.path import Path
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.metrics import FILTER_HZ
from simulator.maneuvers.signal_processing import phaseless

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from simulator.maneuvers.maneuver_file import Maneuver


class EmptyPlotError(Exception):
    """A picture has nothing to show in this drive; the text says what is missing."""


class Signals:
    """Columns of a drive, and what pictures and pages make of them."""

    columns: Mapping[str, NDArray[Any]]
    """By name (n,), SI."""

    @property
    def time(self) -> NDArray[np.float64]:
        """(n,) s."""
        return self.columns["time"]

    def column(self, name: str) -> NDArray[np.float64]:
        """A column (n,). Raises EmptyPlotError when it is not there or not finite."""
        if name not in self.columns:
            raise EmptyPlotError(f"no column {name} in this drive")
        column = np.asarray(self.columns[name], dtype=float)
        if not np.isfinite(column).all():
            raise EmptyPlotError(f"{name} is not finite in this drive")
        return column

    def smooth(self, name: str) -> NDArray[np.float64]:
        """A column (n,) through the phaseless low pass of the metrics. Raises EmptyPlotError as `column`."""
        return phaseless(self.column(name), float(self.time[-1] - self.time[0]) / (len(self.time) - 1), FILTER_HZ)

    def corners(self, field: str, end: str = "") -> dict[str, NDArray[np.float64]]:
        """Columns of a field of the wheels by corner, in the order of the log. Raises EmptyPlotError when there are none."""
        names = [name for name in self.columns if name.startswith(f"{field}_") and name.endswith(end)]
        found = {name[len(field) + 1 : len(name) - len(end)]: name for name in names}
        found = {corner: name for corner, name in found.items() if corner.isupper() and corner.isalpha()}
        if not found:
            raise EmptyPlotError(f"no columns {field}_*{end} in this drive")
        return {corner: self.column(name) for corner, name in found.items()}


@dataclass(frozen=True)
class Run(Signals):
    """What a picture may look at."""

    maneuver: Maneuver
    columns: Mapping[str, NDArray[Any]]
    """Telemetry by name (n,), SI, and `x`, `y` (m), `yaw` (rad, unwrapped) relative to the start."""
    path: Path | None
    """That the driver followed, relative to the start; None: he looked at none."""
    metrics: Mapping[str, Any]
    """As `evaluate` gives them."""
    curves: Mapping[str, Curve]
    """Of the analyses, by name."""


@dataclass(frozen=True)
class Plot:
    """One picture."""

    name: str
    """Word in a maneuver's list of pictures, and name of the file."""
    meaning: str
    draw: Callable[[Figure, Run], None]
    """Draws into an empty figure. Raises EmptyPlotError."""
    needs: str = ""
    """In words, what a drive must have for it besides the usual columns."""
    columns: tuple[str, ...] = ()
    """Names, fields or patterns of the telemetry beyond the columns of the metrics."""
    size: tuple[float, float] = (9.0, 4.5)
    """in, unless the picture chooses another while it is drawn."""
