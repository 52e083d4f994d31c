"""Contract of an analysis: it evaluates the telemetry of a complete run and returns metrics and curves for plots.

The result depends on the telemetry only: equal runs give bitwise equal results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Fields
from simulator.driver.internal_model import InternalModel
from simulator.maneuvers.cone_course import Body


class Drive(NamedTuple):
    """Data of a run for the analyses."""

    columns: Mapping[str, NDArray[Any]]
    """Telemetry by name (n,), SI, and additional columns relative to the start: `x`, `y` (m) and `heading` (rad, unwrapped) of the chassis
    reference point; `x_G`, `y_G` (m) of the center of mass, relative to the reference point at the start."""
    interval: float
    """Time [s] between two rows."""
    phases: Mapping[str, slice]
    """Rows of each phase by its name; empty for a maneuver without phases."""
    traits: InternalModel
    body: Body | None = None
    """Outline of the vehicle; None: unknown."""

    @property
    def time(self) -> NDArray[np.float64]:
        """Time [s] of each row (n,)."""
        return self.columns["time"]


class Curve(NamedTuple):
    """Curve of a plot: numbers (m,) over numbers (m,), each with its name and SI unit."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_name: str
    y_name: str
    x_unit: str
    y_unit: str


class AnalysisResult(NamedTuple):
    """Result of an analysis."""

    values: Mapping[str, float]
    """Values in SI units by metric name; metrics without a value in this run are NaN or missing."""
    curves: Mapping[str, Curve]
    """Curves by name."""


@dataclass(frozen=True)
class Metric:
    """One number of a run."""

    name: str
    unit: str
    """SI unit; "1": none."""
    meaning: str
    mark: str = ""
    """Source of the definition or limit: a standard and clause, with "[mem]" if its text was not available, or "[calc]"."""
    written: str = ""
    """Unit suffix of the report if the maneuver file uses none of that unit; empty: SI."""


@dataclass(frozen=True)
class Analysis:
    """Analysis with its parameters, metrics and curves."""

    name: str
    """Value of `type` in the list `metrics` of a maneuver."""
    metrics: tuple[Metric, ...]
    evaluate: Callable[[Drive, Mapping[str, Any]], AnalysisResult]
    """Function of the run and the parameter values, in SI."""
    parameters: Fields = ()
    columns: tuple[str, ...] = ()
    """Names, fields or patterns of the telemetry in addition to the usual columns; {key} stands for the value of a parameter."""
    rate: float = 100.0
    """Minimum number of rows per second [Hz]."""
    meaning: str = ""
    """One-line description for lists."""
    curves: Mapping[str, str] = field(default_factory=dict)
    """Descriptions of the curves by name."""
