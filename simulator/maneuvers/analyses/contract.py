"""What an analysis of a drive is: it looks at the telemetry of a whole drive and gives numbers, and curves for pictures.

Everything follows from the telemetry alone: same drive, same bits.
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
    """What an analysis may look at."""

    columns: Mapping[str, NDArray[Any]]
    """Telemetry by name (n,), SI, and besides `x`, `y` (m) and `heading` (rad, unwrapped): the pose of the chassis, with its reference point,
    relative to the start; `x_G`, `y_G` (m): the place of the center of mass relative to that of the reference point at the start."""
    interval: float
    """s between two rows."""
    phases: Mapping[str, slice]
    """Rows of each phase of the maneuver by its name; empty for a maneuver without phases."""
    traits: InternalModel
    body: Body | None = None
    """Outline of the vehicle; None: not known."""

    @property
    def time(self) -> NDArray[np.float64]:
        """(n,) s."""
        return self.columns["time"]


class Curve(NamedTuple):
    """A line of a picture: numbers (m,) over numbers (m,), each with its name and SI unit."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_name: str
    y_name: str
    x_unit: str
    y_unit: str


class Found(NamedTuple):
    """What an analysis gives."""

    values: Mapping[str, float]
    """In SI units by the names of its metrics; what has no number in this drive is NaN or left out."""
    curves: Mapping[str, Curve]
    """By name."""


@dataclass(frozen=True)
class Metric:
    """One number of a drive."""

    name: str
    unit: str
    """SI unit; "1": none."""
    meaning: str
    mark: str = ""
    """Where definition or limit come from: a standard and clause with "[mem]" behind it where the text itself was not read, "[calc]"."""
    written: str = ""
    """Unit (suffix) in which it is shown where the maneuver's file says nothing; nothing: SI."""


@dataclass(frozen=True)
class Analysis:
    """A way to look at a drive."""

    name: str
    """Word behind `type` in a maneuver's list of metrics."""
    metrics: tuple[Metric, ...]
    evaluate: Callable[[Drive, Mapping[str, Any]], Found]
    """Called with the drive and the values of its parameters, in SI."""
    parameters: Fields = ()
    columns: tuple[str, ...] = ()
    """Of the telemetry, names, fields or patterns, beyond the usual ones."""
    rate: float = 100.0
    """Hz, rows per second that it needs at least."""
    meaning: str = ""
    """One line for a list of analyses."""
    curves: Mapping[str, str] = field(default_factory=dict)
    """Names of its curves, each with what it shows."""
